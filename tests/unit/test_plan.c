/* Tests of plan.c: which points, in what order. SPDX-License-Identifier: MIT */
#include "plan_helpers.h"

/* "1,0 2,0 0,1": all points as (small,large), run with a constant figure */
static const char *points_of(struct plan *plan)
{
	struct point point;
	size_t used = 0;

	text[0] = '\0';
	while (plan_next(plan, &results, &point)) {
		measured(&point, 100);
		used = text_add(used, &point);
	}
	return text;
}

/* The same from plan_peek(). */
static const char *peek_of(const struct plan *plan)
{
	struct point point;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; plan_peek(plan, i, &point); i++) {
		assert_int_equal(point.number, i + 1);
		used = text_add(used, &point);
	}
	return text;
}

/* What a plan gives, counts and lists; frees it. */
static void assert_plan(struct plan *plan, const char *points, size_t total, const char *small,
			const char *large)
{
	assert_string_equal(peek_of(plan), points);
	assert_string_equal(points_of(plan), points);
	assert_int_equal(plan_total_points(plan), total);
	assert_int_equal(plan_run_points(plan), results.point_count);
	assert_string_equal(levels_text(plan_small_levels(plan)), small);
	assert_string_equal(levels_text(plan_large_levels(plan)), large);
	plan_free(plan);
}

static void simple_runs_small_row_then_large_column(void **state)
{
	(void)state;
	spec.run = RUN_SIMPLE;
	assert_plan(make(), "1,0 2,0 3,0 4,0 5,0 0,1 0,2", 8, "0 1 2 3 4 5", "0 1 2");
}

static void normal_runs_row_by_row(void **state)
{
	(void)state;
	spec.run = RUN_NORMAL;
	assert_plan(make(), "1,0 2,0 3,0 4,0 5,0 0,1 1,1 2,1 3,1 4,1 5,1 0,2 1,2 2,2 3,2 4,2 5,2",
		    18, "0 1 2 3 4 5", "0 1 2");
}

static void dss_runs_large_loads_alone(void **state)
{
	(void)state;
	spec.run = RUN_DSS;
	assert_plan(make(), "0,1 0,2 0,3 0,4 0,5 0,6 0,7 0,8 0,9 0,10 0,11 0,12 0,13 0,14 0,15", 16,
		    "0", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
}

static void oltp_with_a_list_counts_the_empty_point(void **state)
{
	(void)state;
	spec.run = RUN_OLTP;
	SMALL_LEVELS(8, 0, 2);
	assert_plan(make(), "2,0 8,0", 3, "2 8", "0");
}

static void simple_with_lists_implies_zero_of_the_other_class(void **state)
{
	(void)state;
	spec.run = RUN_SIMPLE;
	SMALL_LEVELS(16, 4);
	LARGE_LEVELS(0, 3);
	assert_plan(make(), "4,0 16,0 0,3", 4, "0 4 16", "0 3");
}

static void a_grid_of_lists_has_zero_only_where_listed(void **state)
{
	(void)state;
	spec.run = RUN_NORMAL;
	SMALL_LEVELS(4, 1);
	LARGE_LEVELS(0, 2);
	assert_plan(make(), "1,0 4,0 1,2 4,2", 4, "1 4", "0 2");
}

static void a_grid_counts_the_empty_point_where_both_list_zero(void **state)
{
	(void)state;
	set_matrix(MATRIX_DETAILED);
	SMALL_LEVELS(0, 1);
	LARGE_LEVELS(0, 2);
	assert_plan(make(), "1,0 0,2 1,2", 4, "0 1", "0 2");
}

static void a_grid_of_one_list_derives_the_other(void **state)
{
	(void)state;
	spec.run = RUN_NORMAL;
	SMALL_LEVELS(7);
	assert_plan(make(), "7,0 7,1 7,2", 3, "7", "0 1 2");
}

static void point_is_one_point(void **state)
{
	(void)state;
	set_matrix(MATRIX_POINT);
	set_num_small(5);
	set_num_large(2);
	assert_plan(make(), "5,2", 1, "5", "2");
}

static void point_with_a_zero_loads_one_class(void **state)
{
	(void)state;
	set_matrix(MATRIX_POINT);
	set_num_small(5);
	set_num_large(0);
	assert_plan(make(), "5,0", 1, "5", "0");
}

static void row_varies_small_beside_one_large_load(void **state)
{
	(void)state;
	set_matrix(MATRIX_ROW);
	set_num_large(3);
	assert_plan(make(), "0,3 1,3 2,3 3,3 4,3 5,3", 6, "0 1 2 3 4 5", "3");
}

static void row_without_large_is_the_small_row(void **state)
{
	(void)state;
	set_matrix(MATRIX_ROW);
	set_num_large(0);
	assert_plan(make(), "1,0 2,0 3,0 4,0 5,0", 6, "1 2 3 4 5", "0");
}

static void row_with_a_list_has_zero_only_where_listed(void **state)
{
	(void)state;
	set_matrix(MATRIX_ROW);
	set_num_large(3);
	SMALL_LEVELS(2, 1);
	assert_plan(make(), "1,3 2,3", 2, "1 2", "3");
	results_release(&results);
	SMALL_LEVELS(2, 0);
	assert_plan(make(), "0,3 2,3", 2, "0 2", "3");
}

static void col_varies_large_beside_one_small_load(void **state)
{
	(void)state;
	set_matrix(MATRIX_COL);
	set_num_small(9);
	assert_plan(make(), "9,0 9,1 9,2", 3, "9", "0 1 2");
}

static void col_without_small_is_the_large_column(void **state)
{
	(void)state;
	set_matrix(MATRIX_COL);
	set_num_small(0);
	assert_plan(make(), "0,1 0,2", 3, "0", "1 2");
}

static void max_combines_levels_up_to_both_limits(void **state)
{
	(void)state;
	set_matrix(MATRIX_MAX);
	set_num_small(2);
	set_num_large(1);
	assert_plan(make(), "1,0 2,0 0,1 1,1 2,1", 6, "0 1 2", "0 1");
}

/* Eight times the small and more than twice the large load that a disk gets by itself: the levels
 * are the rule's for 40 and for 5. */
static void max_goes_beyond_the_limits_of_the_disks(void **state)
{
	struct plan *plan;

	(void)state;
	set_matrix(MATRIX_MAX);
	set_num_small(40);
	set_num_large(5);
	plan = make();
	assert_string_equal(levels_text(plan_small_levels(plan)),
			    "0 1 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40");
	assert_string_equal(levels_text(plan_large_levels(plan)), "0 1 2 3 4 5");
	assert_int_equal(plan_total_points(plan), 22 * 6);
	assert_int_equal(plan_run_points(plan), 22 * 6 - 1);
	plan_free(plan);
}

static void advanced_basic_is_not_adaptive(void **state)
{
	(void)state;
	assert_plan(make(), "1,0 2,0 3,0 4,0 5,0 0,1 0,2", 8, "0 1 2 3 4 5", "0 1 2");
}

static void repeats_run_pass_by_pass(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	spec.run = RUN_OLTP;
	SMALL_LEVELS(1, 2);
	spec.repeat = 2;
	plan = make();
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(plan_next(plan, &results, &point));
		assert_int_equal(point.number, i + 1);
		assert_int_equal(point.repeat, i / 2 + 1);
		assert_int_equal(point.small, i % 2 + 1);
	}
	assert_false(plan_next(plan, &results, &point));
	assert_int_equal(plan_total_points(plan), 3);
	assert_int_equal(plan_run_points(plan), 4);
	plan_free(plan);
}

static void points_carry_their_loads(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	set_matrix(MATRIX_POINT);
	set_num_small(5);
	set_num_large(2);
	plan = make();
	assert_true(plan_next(plan, &results, &point));
	assert_int_equal(point.load_count, 2);
	assert_string_equal(point.loads[0].name, "small");
	assert_int_equal(point.loads[0].pattern, PATTERN_RANDOM);
	assert_int_equal(point.loads[0].bytes, 8192);
	assert_int_equal(load_outstanding(&point.loads[0]), 5);
	assert_string_equal(point.loads[1].name, "large");
	assert_int_equal(point.loads[1].pattern, PATTERN_STREAM);
	assert_int_equal(point.loads[1].bytes, 1048576);
	assert_int_equal(point.loads[1].level, 2);
	assert_int_equal(load_outstanding(&point.loads[1]), 8);
	assert_int_equal(point.ramp_ns, 1000000000);
	assert_int_equal(point.duration_ns, UINT64_C(60000000000));
	assert_int_equal(plan_outstanding_max(plan), 13);
	assert_int_equal(plan_buffer_bytes_max(plan), 5 * 8192 + 8 * 1048576);
	assert_int_equal(plan_estimate_ns(plan), UINT64_C(61000000000));
	plan_free(plan);
}

static void random_large_loads_are_no_streams(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	spec.run = RUN_DSS;
	spec.large_type = LARGE_RAND;
	LARGE_LEVELS(6);
	plan = make();
	assert_true(plan_next(plan, &results, &point));
	assert_int_equal(point.load_count, 1);
	assert_string_equal(point.loads[0].name, "large");
	assert_int_equal(point.loads[0].pattern, PATTERN_RANDOM);
	assert_int_equal(load_outstanding(&point.loads[0]), 6);
	plan_free(plan);
}

static void shuffle_is_the_seed_s_own(void **state)
{
	char first[sizeof(text)];
	struct plan *plan;

	(void)state;
	spec.run = RUN_OLTP;
	spec.order = ORDER_SHUFFLED;
	spec.seed = 1;
	plan = make();
	strcpy(first, peek_of(plan));
	assert_string_equal(points_of(plan), first);
	plan_free(plan);

	plan = make();
	assert_string_equal(peek_of(plan), first);
	plan_free(plan);

	spec.seed = 2;
	plan = make();
	assert_string_not_equal(peek_of(plan), first);
	plan_free(plan);
}

static void each_shuffled_pass_has_every_point_once_in_its_own_order(void **state)
{
	uint32_t order[2][20];
	struct plan *plan;
	struct point point;

	(void)state;
	spec.run = RUN_OLTP;
	spec.order = ORDER_SHUFFLED;
	spec.repeat = 2;
	plan = make();
	for (uint32_t pass = 0; pass < 2; pass++) {
		uint32_t seen = 0;

		for (size_t i = 0; i < 20; i++) {
			assert_true(plan_peek(plan, pass * 20 + i, &point));
			assert_int_equal(point.repeat, pass + 1);
			assert_in_range(point.small, 1, 20);
			order[pass][i] = point.small;
			seen |= 1u << point.small;
		}
		assert_int_equal(seen, 0x1ffffe);
	}
	assert_memory_not_equal(order[0], order[1], sizeof(order[0]));
	plan_free(plan);
}

static void a_plan_without_a_point_is_refused(void **state)
{
	(void)state;
	set_matrix(MATRIX_POINT);
	set_num_small(0);
	set_num_large(0);
	is_refused("nothing to run");

	setup(NULL);
	spec.run = RUN_OLTP;
	SMALL_LEVELS(0);
	is_refused("nothing to run");
}

static void more_points_than_anyone_waits_for_are_refused(void **state)
{
	(void)state;
	spec.run = RUN_SIMPLE;
	spec.repeat = 1000;
	spec.small_levels.count = 1001;
	for (uint32_t i = 0; i < 1001; i++)
		spec.small_levels.value[i] = i + 1;
	GIVEN(SPEC_SMALL_LEVELS);
	is_refused("1000000");
}

static void a_list_without_room_for_its_zero_is_refused(void **state)
{
	(void)state;
	spec.run = RUN_SIMPLE;
	spec.small_levels.count = LEVELS_MAX;
	for (uint32_t i = 0; i < LEVELS_MAX; i++)
		spec.small_levels.value[i] = i + 1;
	GIVEN(SPEC_SMALL_LEVELS);
	is_refused("at most 4095");
	spec.small_levels.count = LEVELS_MAX - 1;
	plan_free(make());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(simple_runs_small_row_then_large_column),
		TEST(normal_runs_row_by_row),
		TEST(dss_runs_large_loads_alone),
		TEST(oltp_with_a_list_counts_the_empty_point),
		TEST(simple_with_lists_implies_zero_of_the_other_class),
		TEST(a_grid_of_lists_has_zero_only_where_listed),
		TEST(a_grid_counts_the_empty_point_where_both_list_zero),
		TEST(a_grid_of_one_list_derives_the_other),
		TEST(point_is_one_point),
		TEST(point_with_a_zero_loads_one_class),
		TEST(row_varies_small_beside_one_large_load),
		TEST(row_without_large_is_the_small_row),
		TEST(row_with_a_list_has_zero_only_where_listed),
		TEST(col_varies_large_beside_one_small_load),
		TEST(col_without_small_is_the_large_column),
		TEST(max_combines_levels_up_to_both_limits),
		TEST(max_goes_beyond_the_limits_of_the_disks),
		TEST(advanced_basic_is_not_adaptive),
		TEST(repeats_run_pass_by_pass),
		TEST(points_carry_their_loads),
		TEST(random_large_loads_are_no_streams),
		TEST(shuffle_is_the_seed_s_own),
		TEST(each_shuffled_pass_has_every_point_once_in_its_own_order),
		TEST(a_plan_without_a_point_is_refused),
		TEST(more_points_than_anyone_waits_for_are_refused),
		TEST(a_list_without_room_for_its_zero_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
