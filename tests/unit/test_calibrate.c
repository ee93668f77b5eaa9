/* The outer loop on a scripted device: what it says of a point. SPDX-License-Identifier: MIT */
#include "calibrate_helpers.h"

static int setup(void **state)
{
	struct bench *bench;

	calibrate_setup(state);
	bench = *state;
	bench->spec.num_small = 2;
	return 0;
}

static void load_that_was_kept_needs_no_word(void **state)
{
	struct bench *bench = *state;

	run(bench);
	assert_int_equal(bench->results.warning_count, 0);
}

/* Each look at the clock takes as long as an I/O: half of the time nothing is in flight. */
static void load_that_was_not_kept_is_said(void **state)
{
	struct bench *bench = *state;

	fake_clock_step(100000);
	run(bench);
	assert_true(bench->results.points[0].classes[0][IO_READ].outstanding_mean < 1.8);
	assert_int_equal(bench->results.warning_count, 1);
	assert_string_equal(bench->results.warnings[0].code, "outstanding");
	assert_int_equal(bench->results.warnings[0].severity, SEVERITY_SUSPECT);
	assert_non_null(strstr(bench->results.warnings[0].text, "2 small I/Os outstanding asked"));
}

/* What was read before the first point is part of what was issued. */
static void issued_grows_by_what_is_sent(void **state)
{
	struct bench *bench = *state;

	bench->results.luns[0].issued = (struct io_count){.reads = 30, .read_bytes = 1000000};
	run(bench);
	assert_int_equal(bench->results.luns[0].issued.reads, 30 + fake_engine.submitted);
	assert_int_equal(bench->results.luns[0].issued.read_bytes,
			 1000000 + 8192 * fake_engine.submitted);
	assert_true(bench->results.luns[0].issued_known);
}

#define CALIBRATE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALIBRATE_TEST(load_that_was_kept_needs_no_word),
		CALIBRATE_TEST(load_that_was_not_kept_is_said),
		CALIBRATE_TEST(issued_grows_by_what_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
