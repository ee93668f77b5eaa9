/* One point on a scripted device and clock. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEST_POINT_HELPERS_H
#define CALIB_TEST_POINT_HELPERS_H

#include "run_helpers.h"

/* Measured are 100 ms, without a ramp; the test adds the loads. */
static inline int point_setup(void **state)
{
	struct bench *bench;

	bench_setup(state);
	bench = *state;
	bench->point = (struct point){.number = 1, .repeat = 1, .duration_ns = 100 * NS_PER_MS};
	return 0;
}

static inline struct load *add(struct bench *bench, const char *name, enum pattern_type pattern,
			       uint32_t bytes, uint32_t level, uint32_t per_level)
{
	struct load *load = &bench->point.loads[bench->point.load_count++];

	*load = (struct load){
		.pattern = pattern, .bytes = bytes, .level = level, .per_level = per_level};
	strcpy(load->name, name);
	return load;
}

static inline struct load *add_small(struct bench *bench, uint32_t level)
{
	bench->point.small = level;
	return add(bench, "small", PATTERN_RANDOM, 8192, level, 1);
}

static inline struct load *add_streams(struct bench *bench, uint32_t level, uint32_t per_stream)
{
	bench->point.large = level;
	return add(bench, "large", PATTERN_STREAM, BYTES_MIB, level, per_stream);
}

static inline int run_with(struct bench *bench, struct stop *stop)
{
	static const struct observer nobody;

	return point_run(&bench->target, &bench->point, stop, &nobody, &bench->measure,
			 bench->issued, &bench->status, &bench->err);
}

static inline void run(struct bench *bench)
{
	assert_int_equal(run_with(bench, NULL), 0);
}

static inline const struct tally *reads(const struct bench *bench, unsigned load)
{
	return bench->measure.classes[load][IO_READ];
}

#endif
