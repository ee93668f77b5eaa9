/* Tests of judge.c. SPDX-License-Identifier: MIT */
#include "calib/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

/* The row at one large level: small levels 1, 2, ... with these latencies in ns, ended by 0. */
static void add_row(struct results *results, uint32_t large, const uint64_t ns[])
{
	for (uint32_t i = 0; ns[i] > 0; i++)
		sample_append(results, i + 1, large, POINT_OK, 1000, ns[i], large > 0 ? 10 : 0);
}

#define ROW(results, large, ...) add_row(results, large, (const uint64_t[]){__VA_ARGS__, 0})

/* as on the first LUN of a published run: the best latency at the highest load */
static void a_latency_that_falls_with_the_load_is_told(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	ROW(results, 0, 400000, 350000, 310000, 280000, 260000);
	assert_true(latency_falls(results, &fall));
	assert_int_equal(fall.first_small, 1);
	assert_int_equal(fall.small, 5);
	assert_true(fall.first_ns == 400000.0 && fall.ns == 260000.0);
	assert_int_equal(warn_latency_falls(results), 0);
	assert_int_equal(results->warning_count, 1);
	assert_string_equal(results->warnings[0].code, "latency_falls");
	assert_int_equal(results->warnings[0].severity, SEVERITY_NOTE);
	assert_string_equal(results->warnings[0].text,
			    "the latency falls with the load, from 400.00 us at small=1 to 260.00 "
			    "us at small=5 (large=0): not monotonic: warm-up effect?");
	/* the summary still follows ORION's rule: the least, wherever it is */
	assert_int_equal(results->best.min_latency_ns.small, 5);
}

static void a_latency_that_rises_is_as_it_should_be(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	ROW(results, 0, 430000, 450000, 550000, 670000, 800000);
	assert_false(latency_falls(results, &fall));
	assert_int_equal(warn_latency_falls(results), 0);
	assert_int_equal(results->warning_count, 0);
}

static void less_than_a_twentieth_is_noise(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	ROW(results, 0, 100000, 95001);
	assert_false(latency_falls(results, &fall));
	sample_append(results, 3, 0, POINT_OK, 1000, 95000, 0);
	assert_true(latency_falls(results, &fall));
	assert_int_equal(fall.small, 3);
}

static void less_than_a_microsecond_is_noise(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	ROW(results, 0, 1200, 300);
	assert_false(latency_falls(results, &fall));
}

static void points_that_are_not_good_take_no_part(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	ROW(results, 0, 400000, 420000);
	sample_append(results, 3, 0, POINT_FAILED, 10, 1000, 0);
	assert_false(latency_falls(results, &fall));
}

static void of_several_rows_the_worst_is_told(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	ROW(results, 0, 400000, 360000);
	ROW(results, 1, 500000, 300000, 310000);
	ROW(results, 2, 100000, 200000);
	assert_true(latency_falls(results, &fall));
	assert_int_equal(fall.large, 1);
	assert_int_equal(fall.small, 2);
}

static void a_run_without_small_loads_has_nothing_to_judge(void **state)
{
	struct results *results = *state;
	struct latency_fall fall;

	sample_append(results, 0, 1, POINT_OK, 0, 0, 100);
	sample_append(results, 0, 2, POINT_OK, 0, 0, 900);
	assert_false(latency_falls(results, &fall));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_setup, sample_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_latency_that_falls_with_the_load_is_told),
		TEST(a_latency_that_rises_is_as_it_should_be),
		TEST(less_than_a_twentieth_is_noise),
		TEST(less_than_a_microsecond_is_noise),
		TEST(points_that_are_not_good_take_no_part),
		TEST(of_several_rows_the_worst_is_told),
		TEST(a_run_without_small_loads_has_nothing_to_judge),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
