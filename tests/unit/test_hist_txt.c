/* Tests of hist_txt.c and hist_column.c. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

static void assert_renders(const struct results *results, const char *expected)
{
	char *text = sample_render(results, hist_txt_render);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

/* one point of small reads with these latencies, once each */
static void add(struct results *results, enum point_status status, const uint64_t ns[],
		size_t count, uint64_t errors)
{
	struct point point = sample_point((uint32_t)results->point_count + 1, 3, 0);
	struct measure measure;

	sample_measure(&measure, &point);
	for (size_t i = 0; i < count; i++)
		sample_record(measure.classes[0][IO_READ], ns[i], 1, 50);
	if (errors > 0)
		tally_count_error(measure.classes[0][IO_READ]->errors, EIO, errors);
	assert_int_equal(results_add(results, &point, status, (struct timespec){1, 0}, &measure),
			 0);
	measure_release(&measure);
}

static void a_value_on_an_edge_counts_in_the_row_that_begins_there(void **state)
{
	/* 1, 999, 1000, 1999 ns; 2, 3.999, 16, 31.999 us */
	static const uint64_t ns[] = {1, 999, 1000, 1999, 2000, 3999, 16000, 31999};

	add(*state, POINT_OK, ns, 8, 0);
	assert_renders(
		*state,
		"CALIB VERSION 0.1.0\n"
		"\n"
		"Test: mytest\n"
		"I/Os by latency: [a,b) holds those of a microseconds and more, but less than b.\n"
		"\n"
		"Point 1: Small=3 and Large=0, repeat 1, ok\n"
		"small_read: 8 I/Os, 0 errors\n"
		"             latency in us             I/Os    cumulative\n"
		"                     [0,1)                2      25.0000%\n"
		"                     [1,2)                2      50.0000%\n"
		"                     [2,4)                2      75.0000%\n"
		"                     [4,8)                0      75.0000%\n"
		"                    [8,16)                0      75.0000%\n"
		"                   [16,32)                2     100.0000%\n");
}

static void each_point_and_class_has_its_table(void **state)
{
	static const uint64_t ns[] = {500};
	struct results *results = *state;
	struct point point = sample_point(2, 1, 2);

	add(results, POINT_FAILED, ns, 1, 7);
	point.repeat = 2;
	assert_int_equal(sample_add(results, &point, POINT_OK, 0, 0, 3), 0);
	assert_renders(
		results,
		"CALIB VERSION 0.1.0\n"
		"\n"
		"Test: mytest\n"
		"I/Os by latency: [a,b) holds those of a microseconds and more, but less than b.\n"
		"\n"
		"Point 1: Small=3 and Large=0, repeat 1, failed\n"
		"small_read: 1 I/Os, 7 errors\n"
		"             latency in us             I/Os    cumulative\n"
		"                     [0,1)                1     100.0000%\n"
		"\n"
		"Point 2: Small=1 and Large=2, repeat 2, ok\n"
		"small_read: 0 I/Os, 0 errors\n"
		"large_read: 3 I/Os, 0 errors\n"
		"             latency in us             I/Os    cumulative\n"
		"                     [0,1)                0       0.0000%\n"
		"                     [1,2)                0       0.0000%\n"
		"                     [2,4)                0       0.0000%\n"
		"                     [4,8)                0       0.0000%\n"
		"                    [8,16)                0       0.0000%\n"
		"                   [16,32)                0       0.0000%\n"
		"                   [32,64)                0       0.0000%\n"
		"                  [64,128)                0       0.0000%\n"
		"                 [128,256)                0       0.0000%\n"
		"                 [256,512)                0       0.0000%\n"
		"                [512,1024)                0       0.0000%\n"
		"               [1024,2048)                0       0.0000%\n"
		"               [2048,4096)                3     100.0000%\n");
}

static bool renders(const struct results *results, const char *part)
{
	char *text = sample_render(results, hist_txt_render);
	bool found = text != NULL && strstr(text, part) != NULL;

	free(text);
	return found;
}

/* 1,000,000 of 1,000,001 are 99.9999 %, and 3 of 7 are 42.857142... % */
static void a_share_is_cut_and_never_rounded_up_to_all(void **state)
{
	static const uint64_t seven[] = {1, 1, 1, 1000, 1000, 1000, 1000};
	struct point point = sample_point(2, 1, 0);
	struct measure measure;

	add(*state, POINT_OK, seven, 7, 0);
	assert_true(renders(*state, "[0,1)                3      42.8571%\n"));
	sample_measure(&measure, &point);
	sample_record(measure.classes[0][IO_READ], 1, 1000000, 50);
	sample_record(measure.classes[0][IO_READ], 1500, 1, 50);
	assert_int_equal(results_add(*state, &point, POINT_OK, (struct timespec){1, 0}, &measure),
			 0);
	measure_release(&measure);
	assert_true(renders(*state, "[0,1)          1000000      99.9999%\n"
				    "                     [1,2)                1     100.0000%\n"));
}

/* the last bucket begins below 2^37 us, which is 1.37e14 ns, and has no end */
static void a_latency_beyond_the_last_bucket_stands_in_a_row_without_end(void **state)
{
	static const uint64_t ns[] = {UINT64_C(200000000000000)};

	add(*state, POINT_OK, ns, 1, 0);
	assert_true(renders(*state, "         [68719476736,inf)                1     100.0000%\n"));
	assert_false(renders(*state, "137438953472"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_setup, sample_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_value_on_an_edge_counts_in_the_row_that_begins_there),
		TEST(each_point_and_class_has_its_table),
		TEST(a_share_is_cut_and_never_rounded_up_to_all),
		TEST(a_latency_beyond_the_last_bucket_stands_in_a_row_without_end),
	};

	return cmocka_run_group_tests_name("hist_txt", tests, NULL, NULL);
}
