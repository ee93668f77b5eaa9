/* Tests of matrix.c: load levels, with the vectors of published ORION runs.
 * SPDX-License-Identifier: MIT */
#include "calib/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct level_list levels; /* large for a stack */

static void assert_levels(const struct level_list *list, const uint32_t expected[], size_t count)
{
	assert_int_equal(list->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(list->value[i], expected[i]);
}

#define ASSERT_LEVELS(list, ...)                                                                   \
	assert_levels(list, (const uint32_t[]){__VA_ARGS__},                                       \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void no_level_below_a_ceiling_of_zero(void **state)
{
	(void)state;
	assert_int_equal(levels_derive(0, &levels), 0);
	assert_int_equal(levels.count, 0);
}

static void small_ceilings_have_every_level(void **state)
{
	(void)state;
	levels_derive(5, &levels); /* n = 1, small */
	ASSERT_LEVELS(&levels, 1, 2, 3, 4, 5);
	levels_derive(2, &levels); /* n = 1, large */
	ASSERT_LEVELS(&levels, 1, 2);
	assert_int_equal(levels_derive(39, &levels), 39); /* below 40 the step is 1 */
	assert_int_equal(levels.value[38], 39);
}

static void eight_disks_step_by_two(void **state)
{
	(void)state;
	assert_int_equal(levels_derive(40, &levels), 21);
	ASSERT_LEVELS(&levels, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34,
		      36, 38, 40);
}

static void three_disks_of_oltp_step_by_three(void **state)
{
	(void)state;
	assert_int_equal(levels_derive(60, &levels), 22);
	ASSERT_LEVELS(&levels, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48,
		      51, 54, 57, 60);
}

static void a_ceiling_off_the_step_is_not_added(void **state)
{
	(void)state;
	levels_derive(45, &levels);
	assert_int_equal(levels.count, 23);
	assert_int_equal(levels.value[22], 44);
	levels_derive(192, &levels); /* 1..8, then 9, 18, ... 189 */
	assert_int_equal(levels.count, 29);
	assert_int_equal(levels.value[28], 189);
}

static void dss_steps_by_the_number_of_disks(void **state)
{
	(void)state;
	assert_int_equal(levels_derive_step(60, 4, &levels), 18);
	ASSERT_LEVELS(&levels, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
	levels_derive_step(15, 1, &levels);
	ASSERT_LEVELS(&levels, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static void a_step_above_the_ceiling_leaves_the_head(void **state)
{
	(void)state;
	levels_derive_step(3, 9, &levels);
	ASSERT_LEVELS(&levels, 1, 2, 3);
}

static void huge_ceilings_stay_within_the_list(void **state)
{
	(void)state;
	assert_int_equal(levels_derive(UINT32_MAX, &levels), LEVELS_MAX);
	assert_int_equal(levels_derive_step(UINT32_MAX, 1, &levels), LEVELS_MAX);
}

static struct plan *plan_of(enum run_type run, unsigned num_disks, unsigned luns)
{
	static struct spec spec;
	struct plan_limits limits = {
		.lun_count = luns, .buffer_bytes = UINT64_C(1) << 40, .outstanding = LEVEL_MAX};
	struct error err = {0};
	struct plan *plan;

	spec_init(&spec);
	spec.run = run;
	spec.num_disks = num_disks;
	assert_int_equal(spec_settle(&spec, &err), 0);
	plan = plan_new(&spec, &limits, &err);
	assert_non_null(plan);
	return plan;
}

static void total_points_agree_with_published_runs(void **state)
{
	/* minutes = total + 1 where only these were printed (60 s points) */
	static const struct {
		enum run_type run;
		unsigned disks;
		size_t total;
	} cases[] = {
		{RUN_SIMPLE, 1, 8},   /* 11.1; 12.2: 9 minutes */
		{RUN_SIMPLE, 2, 15},  /* 12.2: 16 minutes */
		{RUN_SIMPLE, 4, 29},  /* 10.2, two runs */
		{RUN_SIMPLE, 6, 43},  /* 19.3: 44 minutes */
		{RUN_SIMPLE, 8, 38},  /* 11.1 */
		{RUN_NORMAL, 1, 18},  /* 11.2.0.1; 11.2.0.4 and 11.1: 19 minutes */
		{RUN_NORMAL, 4, 189}, /* 11.2, from its matrices */
		{RUN_OLTP, 1, 21},    /* 12.1; 11.1: 22 minutes */
		{RUN_OLTP, 3, 23},    /* 11.2.0.4: 24 minutes */
		{RUN_OLTP, 4, 24},    /* 12.2, by the rule */
		{RUN_DSS, 1, 16},     /* 11.1: 65 minutes of 240 s points */
		{RUN_DSS, 4, 19},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct plan *plan = plan_of(cases[i].run, cases[i].disks, 1);

		assert_int_equal(plan_total_points(plan), cases[i].total);
		assert_int_equal(plan_run_points(plan), cases[i].total - 1);
		assert_false(plan_is_adaptive(plan));
		plan_free(plan);
	}
}

static void total_points_of_simple_by_disks(void **state)
{
	static const unsigned totals[][2] = {{1, 8},   {2, 15},	 {3, 22},  {4, 29},  {5, 36},
					     {6, 43},  {7, 50},	 {8, 38},  {10, 47}, {12, 47},
					     {16, 56}, {20, 46}, {40, 53}, {96, 73}};

	(void)state;
	for (size_t i = 0; i < COUNT(totals); i++) {
		struct plan *plan = plan_of(RUN_SIMPLE, totals[i][0], 1);

		assert_int_equal(plan_total_points(plan), totals[i][1]);
		plan_free(plan);
	}
}

static void without_num_disks_the_luns_count(void **state)
{
	struct plan *plan = plan_of(RUN_SIMPLE, 0, 6);

	(void)state;
	assert_int_equal(plan_total_points(plan), 43); /* 19.3: 6 LUNs */
	plan_free(plan);
}

static void simple_has_zero_in_both_lists(void **state)
{
	struct plan *plan = plan_of(RUN_SIMPLE, 1, 1);

	(void)state;
	ASSERT_LEVELS(plan_small_levels(plan), 0, 1, 2, 3, 4, 5);
	ASSERT_LEVELS(plan_large_levels(plan), 0, 1, 2);
	plan_free(plan);
}

static void large_list_of_eight_disks_has_all_seventeen_values(void **state)
{
	struct plan *plan = plan_of(RUN_SIMPLE, 8, 1);

	(void)state;
	ASSERT_LEVELS(plan_large_levels(plan), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		      16);
	plan_free(plan);
}

static void normal_of_four_disks_has_twenty_columns_and_eight_rows(void **state)
{
	struct plan *plan = plan_of(RUN_NORMAL, 4, 1);

	(void)state;
	assert_int_equal(plan_small_levels(plan)->count, 21);
	assert_int_equal(plan_small_levels(plan)->value[20], 20);
	ASSERT_LEVELS(plan_large_levels(plan), 0, 1, 2, 3, 4, 5, 6, 7, 8);
	plan_free(plan);
}

static void oltp_lists_no_zero_for_small(void **state)
{
	struct plan *plan = plan_of(RUN_OLTP, 1, 1);

	(void)state;
	ASSERT_LEVELS(plan_small_levels(plan), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		      16, 17, 18, 19, 20);
	ASSERT_LEVELS(plan_large_levels(plan), 0);
	plan_free(plan);
}

static void oltp_of_four_disks_has_level_68(void **state)
{
	struct plan *plan = plan_of(RUN_OLTP, 4, 1);
	const struct level_list *small = plan_small_levels(plan);
	unsigned found = 0;

	(void)state;
	for (unsigned i = 0; i < small->count; i++)
		found += small->value[i] == 68;
	assert_int_equal(found, 1);
	plan_free(plan);
}

static void dss_lists_no_zero_for_large(void **state)
{
	struct plan *plan = plan_of(RUN_DSS, 2, 1);

	(void)state;
	ASSERT_LEVELS(plan_small_levels(plan), 0);
	ASSERT_LEVELS(plan_large_levels(plan), 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
		      28, 30);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_level_below_a_ceiling_of_zero),
		cmocka_unit_test(small_ceilings_have_every_level),
		cmocka_unit_test(eight_disks_step_by_two),
		cmocka_unit_test(three_disks_of_oltp_step_by_three),
		cmocka_unit_test(a_ceiling_off_the_step_is_not_added),
		cmocka_unit_test(dss_steps_by_the_number_of_disks),
		cmocka_unit_test(a_step_above_the_ceiling_leaves_the_head),
		cmocka_unit_test(huge_ceilings_stay_within_the_list),
		cmocka_unit_test(total_points_agree_with_published_runs),
		cmocka_unit_test(total_points_of_simple_by_disks),
		cmocka_unit_test(without_num_disks_the_luns_count),
		cmocka_unit_test(simple_has_zero_in_both_lists),
		cmocka_unit_test(large_list_of_eight_disks_has_all_seventeen_values),
		cmocka_unit_test(normal_of_four_disks_has_twenty_columns_and_eight_rows),
		cmocka_unit_test(oltp_lists_no_zero_for_small),
		cmocka_unit_test(oltp_of_four_disks_has_level_68),
		cmocka_unit_test(dss_lists_no_zero_for_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
