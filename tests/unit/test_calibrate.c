/* The outer loop on a scripted device: what it says of a point. SPDX-License-Identifier: MIT */
#include "calib/run.h"
#include "calib/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_engine.h"
/* needs the headers above */
#include <cmocka.h>

struct bench {
	struct spec spec;
	struct io_memory memory;
	struct results results;
	struct lun_info lun;
	struct error err;
};

static const int fds[] = {-1};
static const uint64_t usable[] = {64 * BYTES_MIB};
static const struct observer nobody;

static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	fake_engine_reset();
	fake_clock_set(NS_PER_S);
	fake_clock_step(0);
	assert_int_equal(io_memory_init(&bench->memory, BYTES_MIB, PAGES_SMALL, &bench->err), 0);
	spec_init(&bench->spec);
	bench->spec.run = RUN_ADVANCED;
	bench->spec.matrix = MATRIX_POINT;
	bench->spec.num_small = 2;
	bench->spec.ramp_ns = 0;
	bench->spec.duration_ns = 100 * NS_PER_MS;
	bench->spec.given = 1u << SPEC_NUM_SMALL | 1u << SPEC_NUM_LARGE | 1u << SPEC_DURATION |
			    1u << SPEC_MATRIX;
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	bench->results.luns = NULL;
	bench->results.lun_count = 0;
	results_release(&bench->results);
	io_memory_release(&bench->memory);
	free(bench);
	return 0;
}

static void run(struct bench *bench)
{
	const struct plan_limits limits = {
		.lun_count = 1, .buffer_bytes = BYTES_MIB, .outstanding = LEVEL_MAX};
	const struct run_target target = {
		.engine = &fake_engine_ops,
		.fds = fds,
		.usable_bytes = usable,
		.lun_count = 1,
		.seed = 1,
		.memory = &bench->memory,
	};
	struct plan *plan;

	bench->results.luns = &bench->lun;
	bench->results.lun_count = 1;
	if (spec_settle(&bench->spec, &bench->err) < 0)
		fail_msg("%s", bench->err.text);
	plan = plan_new(&bench->spec, &limits, &bench->err);
	assert_non_null(plan);
	assert_int_equal(calibrate(plan, &target, NULL, &nobody, &bench->results, &bench->err), 0);
	plan_free(plan);
	assert_int_equal(bench->results.point_count, 1);
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

	bench->lun.issued = (struct io_count){.reads = 30, .read_bytes = 1000000};
	run(bench);
	assert_int_equal(bench->lun.issued.reads, 30 + fake_engine.submitted);
	assert_int_equal(bench->lun.issued.read_bytes, 1000000 + 8192 * fake_engine.submitted);
	assert_true(bench->lun.issued_known);
}

#define CALIBRATE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALIBRATE_TEST(load_that_was_kept_needs_no_word),
		CALIBRATE_TEST(load_that_was_not_kept_is_said),
		CALIBRATE_TEST(issued_grows_by_what_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
