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

/* as a device that is cold at first: 400 us at a load of 1, 200 us at 2 */
static void faster_with_the_load(void *arg, const struct results *results,
				 const struct point *point)
{
	(void)arg;
	(void)results;
	fake_engine.service_ns = 400000 / point->small;
}

static void note_warning(void *arg, const struct warning *warning)
{
	assert_string_equal(warning->code, "latency_falls");
	(*(unsigned *)arg)++;
}

static void a_latency_that_falls_is_said_once_at_the_end(void **state)
{
	struct bench *bench = *state;
	unsigned told = 0;
	const struct observer observer = {
		.arg = &told, .point_started = faster_with_the_load, .warned = note_warning};

	fake_engine.servers = 2;
	bench->spec.matrix = MATRIX_ROW;
	bench->spec.small_levels = (struct level_list){.count = 2, .value = {1, 2}};
	bench->spec.given = 0;
	given(bench, SPEC_MATRIX);
	given(bench, SPEC_NUM_LARGE);
	given(bench, SPEC_SMALL_LEVELS);
	given(bench, SPEC_DURATION);
	assert_int_equal(run_seen(bench, NULL, &observer), 0);
	assert_int_equal(bench->results.point_count, 2);
	assert_int_equal(told, 1);
	assert_int_equal(bench->results.warning_count, 1);
	assert_string_equal(bench->results.warnings[0].code, "latency_falls");
	assert_int_equal(bench->results.warnings[0].point, WARNING_NO_POINT);
	assert_non_null(strstr(bench->results.warnings[0].text,
			       "from 400.00 us at small=1 to 200.00 us at small=2"));
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
		CALIBRATE_TEST(a_latency_that_falls_is_said_once_at_the_end),
		CALIBRATE_TEST(issued_grows_by_what_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
