/* A whole plan on a scripted device and clock. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEST_CALIBRATE_HELPERS_H
#define CALIB_TEST_CALIBRATE_HELPERS_H

#include "run_helpers.h"

static inline void given(struct bench *bench, enum spec_given option)
{
	bench->spec.given |= UINT64_C(1) << option;
}

/* The volume is the first @count LUNs. */
static inline void use_luns(struct bench *bench, unsigned count)
{
	static const char *const paths[LUNS] = {"/dev/sdx", "/dev/sdy", "/dev/sdz"};

	for (size_t i = bench->results.lun_count; i < count; i++)
		bench->results.luns[i].path = strdup(paths[i]);
	bench->results.lun_count = bench->target.lun_count = count;
}

/* One point of 100 ms on one LUN, without a ramp; the test says which. */
static inline int calibrate_setup(void **state)
{
	struct bench *bench;

	bench_setup(state);
	bench = *state;
	spec_init(&bench->spec);
	bench->spec.run = RUN_ADVANCED;
	bench->spec.matrix = MATRIX_POINT;
	bench->spec.ramp_ns = 0;
	bench->spec.duration_ns = 100 * NS_PER_MS;
	given(bench, SPEC_MATRIX);
	given(bench, SPEC_NUM_SMALL);
	given(bench, SPEC_NUM_LARGE);
	given(bench, SPEC_DURATION);
	bench->results.luns = calloc(LUNS, sizeof(bench->results.luns[0]));
	assert_non_null(bench->results.luns);
	use_luns(bench, 1);
	return 0;
}

static inline int run_seen(struct bench *bench, struct stop *stop, const struct observer *observer)
{
	const struct plan_limits limits = {
		.lun_count = bench->target.lun_count,
		.buffer_bytes = UINT64_C(1) << 40,
		.outstanding = LEVEL_MAX,
	};
	struct plan *plan;
	int code;

	if (spec_settle(&bench->spec, &bench->err) < 0)
		fail_msg("%s", bench->err.text);
	plan = plan_new(&bench->spec, &limits, &bench->err);
	assert_non_null(plan);
	code = calibrate(plan, &bench->target, stop, observer, &bench->results, &bench->err);
	plan_free(plan);
	return code;
}

static inline int run_with(struct bench *bench, struct stop *stop)
{
	static const struct observer nobody;

	return run_seen(bench, stop, &nobody);
}

static inline void run(struct bench *bench)
{
	assert_int_equal(run_with(bench, NULL), 0);
}

#endif
