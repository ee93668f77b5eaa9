/* Tests of tally.c. SPDX-License-Identifier: MIT */
#include "calib/tally.h"
#include "calib/units.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_new_tally_has_counted_nothing(void **state)
{
	struct tally *tally = tally_new(3, 2);

	(void)state;
	assert_non_null(tally);
	assert_int_equal((uintptr_t)tally % 64, 0);
	assert_int_equal(tally->latency.total, 0);
	assert_true(tally->latency.min_ns == UINT64_MAX);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(tally->luns[i].ios + tally->luns[i].errors, 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(tally->series[i].ios, 0);
	tally_free(tally);
	tally_free(NULL);
}

static void reset_forgets_all(void **state)
{
	struct tally *tally = tally_new(1, 1);

	(void)state;
	assert_non_null(tally);
	histogram_record(&tally->latency, 5);
	tally->luns[0].unmeasured = 1;
	tally->series[0].max_ns = 5;
	tally->in_flight_ns = 5;
	tally_count_error(tally->errors, EIO, 1);
	tally_reset(tally, 1, 1);
	assert_int_equal(tally->latency.total, 0);
	assert_int_equal(tally->luns[0].unmeasured, 0);
	assert_int_equal(tally->series[0].max_ns, 0);
	assert_int_equal(tally->in_flight_ns, 0);
	assert_int_equal(tally->errors[0].code, 0);
	tally_free(tally);
}

static void merge_adds_all_but_the_largest(void **state)
{
	struct tally *tally = tally_new(2, 2);
	struct tally *other = tally_new(2, 2);

	(void)state;
	assert_true(tally != NULL && other != NULL);
	histogram_record(&tally->latency, 10);
	histogram_record(&other->latency, 30);
	tally->in_flight_ns = 7;
	other->in_flight_ns = 8;
	tally_count_error(tally->errors, EIO, 2);
	tally_count_error(other->errors, ENOSPC, 1);
	tally_count_error(other->errors, EIO, 3);
	tally->luns[1] = (struct lun_tally){1, 10, 2, 4, 4096, 1536};
	other->luns[1] = (struct lun_tally){1, 30, 4, 5, 8192, 512};
	tally->series[0] = (struct series_tally){1, 10, 10};
	other->series[0] = (struct series_tally){1, 30, 30};
	other->series[1] = (struct series_tally){1, 5, 5};
	tally_merge(tally, other, 2, 2);
	assert_int_equal(tally->latency.total, 2);
	assert_int_equal(tally->latency.sum_ns, 40);
	assert_int_equal(tally->in_flight_ns, 15);
	assert_int_equal(tally->errors[0].code, EIO);
	assert_int_equal(tally->errors[0].count, 5);
	assert_int_equal(tally->errors[1].code, ENOSPC);
	assert_int_equal(tally->errors[1].count, 1);
	assert_int_equal(tally->luns[0].ios, 0);
	assert_int_equal(tally->luns[1].ios, 2);
	assert_int_equal(tally->luns[1].sum_ns, 40);
	assert_int_equal(tally->luns[1].errors, 6);
	assert_int_equal(tally->luns[1].unmeasured, 9);
	assert_int_equal(tally->luns[1].elsewhere_bytes, 12288);
	assert_int_equal(tally->luns[1].other_elsewhere_bytes, 2048);
	assert_int_equal(tally->series[0].sum_ns, 40);
	assert_int_equal(tally->series[0].max_ns, 30);
	assert_int_equal(tally->series[1].ios, 1);
	tally_free(tally);
	tally_free(other);
}

static void no_error_is_lost_when_there_are_too_many_kinds(void **state)
{
	struct error_count errors[ERROR_KINDS_MAX] = {{0}};
	uint64_t sum = 0;

	(void)state;
	for (int code = 1; code <= ERROR_KINDS_MAX + 3; code++)
		tally_count_error(errors, code, 10);
	for (unsigned i = 0; i < ERROR_KINDS_MAX; i++)
		sum += errors[i].count;
	assert_int_equal(sum, 10 * (ERROR_KINDS_MAX + 3));
	assert_int_equal(errors[ERROR_KINDS_MAX - 1].code, ERROR_KINDS_MAX);
	assert_int_equal(errors[ERROR_KINDS_MAX - 1].count, 40);
}

static void errors_have_the_names_of_errno(void **state)
{
	static const struct {
		int code;
		const char *name;
	} cases[] = {
		{5, "EIO"},	      {28, "ENOSPC"},
		{121, "EREMOTEIO"},   {ERRNO_SHORT, "short"},
		{4097, "errno 4097"}, {1234, "errno 1234"},
	};
	char buffer[32];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_string_equal(error_code_name(cases[i].code, buffer, sizeof(buffer)),
				    cases[i].name);
		assert_int_equal(error_code_from_name(cases[i].name), cases[i].code);
	}
}

static void names_that_are_none_give_zero(void **state)
{
	static const char *const names[] = {
		"", "EXYZ", "eio", "errno", "errno ", "errno x", "errno 5x", "errno -5", "Short",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(error_code_from_name(names[i]), 0);
}

static void intervals_are_the_smallest_that_give_120(void **state)
{
	static const struct {
		uint64_t duration_ms, interval_ms;
	} cases[] = {
		{0, 100},	{1, 100},	{10000, 100},	 {12000, 100},	   {12001, 200},
		{24000, 200},	{24001, 500},	{60000, 500},	 {60001, 1000},	   {120000, 1000},
		{240000, 2000}, {240001, 5000}, {600001, 10000}, {3600000, 50000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(series_interval_ns(cases[i].duration_ms * NS_PER_MS),
				 cases[i].interval_ms * NS_PER_MS);
	assert_true(series_interval_ns(UINT64_MAX) == UINT64_C(200000000000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_tally_has_counted_nothing),
		cmocka_unit_test(reset_forgets_all),
		cmocka_unit_test(merge_adds_all_but_the_largest),
		cmocka_unit_test(no_error_is_lost_when_there_are_too_many_kinds),
		cmocka_unit_test(errors_have_the_names_of_errno),
		cmocka_unit_test(names_that_are_none_give_zero),
		cmocka_unit_test(intervals_are_the_smallest_that_give_120),
	};

	return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
