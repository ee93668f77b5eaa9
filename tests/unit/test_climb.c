/* Tests of -run basic: levels that follow the results (climb.c, plan.c). SPDX-License-Identifier:
 * MIT */
#include "plan_helpers.h"

/* what a device answers: the figure at a level, negative where the point fails */
typedef double curve(uint32_t level);

static int basic_setup(void **state)
{
	setup(state);
	spec.run = RUN_BASIC;
	return 0;
}

/* The points given on such a device: "1,0 2,0 ... 0,1 ..." */
static const char *run(struct plan *plan, curve *small, curve *large)
{
	struct point point;
	size_t used = 0;

	text[0] = '\0';
	while (plan_next(plan, &results, &point)) {
		measured(&point, point.small ? small(point.small) : large(point.large));
		used = text_add(used, &point);
	}
	return text;
}

static double rising(uint32_t level)
{
	return level * 100.0;
}

static double flat(uint32_t level)
{
	return level ? 100.0 : 0;
}

/* twice as much up to 16, then not a bit more */
static double flat_from_16(uint32_t level)
{
	return level < 16 ? level * 100.0 : 1600.0;
}

/* 8 brings 4 %, 16 again 4 % over the best: both weak, and yet 16 is the best */
static double creeping(uint32_t level)
{
	static const double value[] = {100, 200, 400, 416, 432.6};
	unsigned power = 0;

	while (power < 4 && 1u << power < level)
		power++;
	return value[power];
}

/* the first doubling after 4 is weak, the next is not */
static double with_a_step(uint32_t level)
{
	return level <= 4 ? level * 100.0 : level == 8 ? 410.0 : 800.0;
}

static double exactly_five_percent(uint32_t level)
{
	return level == 1 ? 100.0 : level == 2 ? 105.0 : 50.0;
}

static double fails_at_8(uint32_t level)
{
	return level < 8 ? level * 100.0 : -1.0;
}

static double always_fails(uint32_t level)
{
	return level ? -1.0 : 0;
}

static double nothing(uint32_t level)
{
	(void)level;
	return 0;
}

static void stops_after_two_weak_doublings_and_looks_half_way(void **state)
{
	struct plan *plan = make();

	(void)state;
	assert_true(plan_is_adaptive(plan));
	assert_string_equal(run(plan, flat_from_16, flat),
			    "1,0 2,0 4,0 8,0 16,0 32,0 64,0 12,0 0,1 0,2 0,4");
	assert_string_equal(levels_text(plan_small_levels(plan)), "0 1 2 4 8 12 16 32 64");
	assert_string_equal(levels_text(plan_large_levels(plan)), "0 1 2 4");
	assert_int_equal(plan_total_points(plan), 12); /* now exact; with the empty point */
	assert_int_equal(plan_run_points(plan), 11);
	plan_free(plan);
}

static void the_best_counts_even_where_the_gain_was_weak(void **state)
{
	struct plan *plan = make();

	(void)state;
	/* 416 is 4 % over 400, 432.6 is 3.99 % over 416; best 16, below it 8 */
	assert_string_equal(run(plan, creeping, flat), "1,0 2,0 4,0 8,0 16,0 12,0 0,1 0,2 0,4");
	plan_free(plan);
}

static void weak_doublings_count_only_in_a_row(void **state)
{
	struct plan *plan = make();

	(void)state;
	assert_string_equal(run(plan, with_a_step, flat),
			    "1,0 2,0 4,0 8,0 16,0 32,0 64,0 12,0 0,1 0,2 0,4");
	plan_free(plan);
}

static void five_percent_is_not_weak(void **state)
{
	struct plan *plan = make();

	(void)state;
	/* 2 is good, 4 and 8 are weak; between 2 and 1 there is no level */
	assert_string_equal(run(plan, exactly_five_percent, flat), "1,0 2,0 4,0 8,0 0,1 0,2 0,4");
	plan_free(plan);
}

static void ceilings_are_256_small_and_64_large_for_each_lun(void **state)
{
	struct plan *plan = make();

	(void)state;
	assert_int_equal(plan_total_points(plan), 1 + 9 + 1 + 7 + 1);
	assert_int_equal(plan_outstanding_max(plan), 256);
	assert_int_equal(plan_buffer_bytes_max(plan), 256 * 1048576);
	assert_int_equal(plan_estimate_ns(plan), UINT64_C(18) * 6000000000);
	assert_string_equal(run(plan, rising, rising),
			    "1,0 2,0 4,0 8,0 16,0 32,0 64,0 128,0 256,0 192,0 "
			    "0,1 0,2 0,4 0,8 0,16 0,32 0,64 0,48");
	plan_free(plan);
}

static void num_disks_raises_the_ceilings(void **state)
{
	struct plan *plan;

	(void)state;
	spec.num_disks = 3; /* 768 and 192: the last doublings are 512 and 128 */
	plan = make();
	assert_int_equal(plan_total_points(plan), 1 + 10 + 1 + 8 + 1);
	assert_int_equal(plan_outstanding_max(plan), 512);
	plan_free(plan);
}

static void ten_thousand_outstanding_is_the_most(void **state)
{
	struct plan *plan;

	(void)state;
	spec.num_disks = 10000; /* 8192 small; 2048 streams of 4 */
	plan = make();
	assert_int_equal(plan_outstanding_max(plan), 8192);
	assert_int_equal(plan_total_points(plan), 1 + 14 + 1 + 12 + 1);
	plan_free(plan);
}

static void buffers_set_a_ceiling_too(void **state)
{
	struct plan *plan;

	(void)state;
	limits.buffer_bytes = 20 * 1048576; /* 5 streams of 4 x 1 MiB, so 4 */
	plan = make();
	assert_int_equal(plan_buffer_bytes_max(plan), 16 * 1048576);
	assert_string_equal(run(plan, flat, rising), "1,0 2,0 4,0 0,1 0,2 0,4 0,3");
	plan_free(plan);
}

static void a_stream_that_has_no_room_is_refused(void **state)
{
	(void)state;
	limits.buffer_bytes = 4 * 1048576 - 1;
	is_refused("one large stream needs 4 MiB");
}

static void a_failed_level_ends_the_climb(void **state)
{
	struct plan *plan = make();

	(void)state;
	assert_string_equal(run(plan, fails_at_8, always_fails), "1,0 2,0 4,0 8,0 0,1");
	assert_int_equal(plan_total_points(plan), 6);
	plan_free(plan);
}

static void nothing_after_nothing_is_no_gain(void **state)
{
	struct plan *plan = make();

	(void)state;
	assert_string_equal(run(plan, nothing, nothing), "1,0 2,0 4,0 0,1 0,2 0,4");
	plan_free(plan);
}

static void a_done_plan_stays_done(void **state)
{
	struct plan *plan = make();
	struct point point;

	(void)state;
	run(plan, flat, flat);
	assert_false(plan_next(plan, &results, &point));
	assert_false(plan_next(plan, &results, &point));
	plan_free(plan);
}

static void a_small_list_makes_the_small_row_static(void **state)
{
	struct plan *plan;

	(void)state;
	SMALL_LEVELS(40);
	plan = make();
	assert_true(plan_is_adaptive(plan));
	assert_string_equal(run(plan, flat, flat), "40,0 0,1 0,2 0,4");
	assert_int_equal(plan_total_points(plan), 5);
	assert_string_equal(levels_text(plan_small_levels(plan)), "0 40");
	plan_free(plan);
}

static void a_large_list_comes_after_the_small_climb(void **state)
{
	struct plan *plan;

	(void)state;
	LARGE_LEVELS(3);
	plan = make();
	assert_string_equal(run(plan, flat, flat), "1,0 2,0 4,0 0,3");
	plan_free(plan);
}

static void both_lists_leave_nothing_adaptive(void **state)
{
	struct plan *plan;

	(void)state;
	SMALL_LEVELS(40);
	LARGE_LEVELS(3);
	plan = make();
	assert_false(plan_is_adaptive(plan));
	assert_int_equal(plan_total_points(plan), 3);
	assert_string_equal(run(plan, flat, flat), "40,0 0,3");
	plan_free(plan);
}

static void repeats_of_a_level_come_before_the_decision(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	spec.repeat = 2;
	plan = make();
	assert_int_equal(plan_run_points(plan), 2 * 18);
	assert_int_equal(plan_total_points(plan), 19);
	assert_string_equal(run(plan, flat, flat),
			    "1,0 1,0 2,0 2,0 4,0 4,0 0,1 0,1 0,2 0,2 0,4 0,4");
	assert_int_equal(results.points[2].point.repeat, 1);
	assert_int_equal(results.points[3].point.repeat, 2);
	assert_int_equal(results.points[3].point.number, 4);
	assert_false(plan_next(plan, &results, &point));
	plan_free(plan);
}

static void one_good_repeat_is_enough_to_go_on(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	spec.repeat = 2;
	plan = make();
	assert_true(plan_next(plan, &results, &point));
	measured(&point, -1);
	assert_true(plan_next(plan, &results, &point));
	measured(&point, 100);
	assert_true(plan_next(plan, &results, &point));
	assert_int_equal(point.small, 2);
	plan_free(plan);
}

static void peek_shows_all_levels_that_may_come(void **state)
{
	static const uint32_t expected[][3] = {
		/* small, large, repeat */
		{1, 0, 1}, {1, 0, 2}, {2, 0, 1}, {2, 0, 2}, {4, 0, 1}, {4, 0, 2}, {8, 0, 1},
		{8, 0, 2}, {6, 0, 1}, {6, 0, 2}, {0, 1, 1}, {0, 1, 2}, {0, 2, 1}, {0, 2, 2}};
	struct plan *plan;
	struct point point;

	(void)state;
	limits.buffer_bytes = 64 * 1024; /* 8 small I/Os; 2 streams of 4 x 8 KiB */
	spec.large_bytes = 8192;
	spec.repeat = 2;
	plan = make();
	for (size_t i = 0; i < 14; i++) {
		assert_true(plan_peek(plan, i, &point));
		assert_int_equal(point.number, i + 1);
		assert_int_equal(point.small, expected[i][0]);
		assert_int_equal(point.large, expected[i][1]);
		assert_int_equal(point.repeat, expected[i][2]);
	}
	assert_false(plan_peek(plan, 14, &point));
	plan_free(plan);
}

#define BASIC(function) cmocka_unit_test_setup_teardown(function, basic_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BASIC(stops_after_two_weak_doublings_and_looks_half_way),
		BASIC(the_best_counts_even_where_the_gain_was_weak),
		BASIC(weak_doublings_count_only_in_a_row),
		BASIC(five_percent_is_not_weak),
		BASIC(ceilings_are_256_small_and_64_large_for_each_lun),
		BASIC(num_disks_raises_the_ceilings),
		BASIC(ten_thousand_outstanding_is_the_most),
		BASIC(buffers_set_a_ceiling_too),
		BASIC(a_stream_that_has_no_room_is_refused),
		BASIC(a_failed_level_ends_the_climb),
		BASIC(nothing_after_nothing_is_no_gain),
		BASIC(a_done_plan_stays_done),
		BASIC(a_small_list_makes_the_small_row_static),
		BASIC(a_large_list_comes_after_the_small_climb),
		BASIC(both_lists_leave_nothing_adaptive),
		BASIC(repeats_of_a_level_come_before_the_decision),
		BASIC(one_good_repeat_is_enough_to_go_on),
		BASIC(peek_shows_all_levels_that_may_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
