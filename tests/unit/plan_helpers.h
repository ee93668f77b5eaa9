/* What the tests of the plan share. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEST_PLAN_HELPERS_H
#define CALIB_TEST_PLAN_HELPERS_H

#include "calib/plan.h"
#include "calib/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define GIVEN(option)  (spec.given |= UINT64_C(1) << (option))
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

static struct spec spec; /* large for a stack */
static struct plan_limits limits;
static struct results results;
static char text[4096];

static inline int setup(void **state)
{
	(void)state;
	spec_init(&spec);
	spec.run = RUN_ADVANCED;
	limits = (struct plan_limits){
		.lun_count = 1, .buffer_bytes = UINT64_C(1) << 40, .outstanding = LEVEL_MAX};
	memset(&results, 0, sizeof(results));
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	results_release(&results);
	return 0;
}

/* The plan of spec and limits, which are good. */
static inline struct plan *make(void)
{
	struct error err = {0};
	struct plan *plan;

	if (spec_settle(&spec, &err) < 0)
		fail_msg("%s", err.text);
	plan = plan_new(&spec, &limits, &err);
	if (!plan)
		fail_msg("%s", err.text);
	return plan;
}

static inline void is_refused(const char *why)
{
	struct error err = {0};

	assert_int_equal(spec_settle(&spec, &err), 0);
	assert_null(plan_new(&spec, &limits, &err));
	assert_true(err.code < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' is not in '%s'", why, err.text);
}

static inline void set_matrix(enum matrix_type matrix)
{
	spec.matrix = matrix;
	GIVEN(SPEC_MATRIX);
}

static inline void set_num_small(unsigned level)
{
	spec.num_small = level;
	GIVEN(SPEC_NUM_SMALL);
}

static inline void set_num_large(unsigned level)
{
	spec.num_large = level;
	GIVEN(SPEC_NUM_LARGE);
}

static inline void set_levels(struct level_list *levels, enum spec_given option, unsigned count,
			      const uint32_t value[])
{
	levels->count = count;
	memcpy(levels->value, value, count * sizeof(value[0]));
	GIVEN(option);
}

#define LIST(levels, option, ...)                                                                  \
	set_levels(levels, option, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),     \
		   (const uint32_t[]){__VA_ARGS__})
#define SMALL_LEVELS(...) LIST(&spec.small_levels, SPEC_SMALL_LEVELS, __VA_ARGS__)
#define LARGE_LEVELS(...) LIST(&spec.large_levels, SPEC_LARGE_LEVELS, __VA_ARGS__)

/* Keep a point with this figure for each of its loads; a negative one: it failed. */
static inline void measured(const struct point *point, double figure)
{
	struct point_result result;

	memset(&result, 0, sizeof(result));
	result.point = *point;
	result.status = figure < 0 ? POINT_FAILED : POINT_OK;
	result.seconds = 1;
	for (uint32_t i = 0; i < point->load_count; i++)
		result.classes[i][IO_READ] = (struct class_result){
			.present = true,
			.ios = 1000,
			.iops = point->small ? figure : 0,
			.mbps = point->large ? figure : 0,
		};
	assert_int_equal(results_append(&results, &result), 0);
}

/* Add "small,large" to text, which is @used long; answers its new length. */
static inline size_t text_add(size_t used, const struct point *point)
{
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u,%u", used ? " " : "",
				 point->small, point->large);
	assert_true(used < sizeof(text));
	return used;
}

static inline const char *levels_text(const struct level_list *levels)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < levels->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", i ? " " : "",
					 levels->value[i]);
	return text;
}

#endif
