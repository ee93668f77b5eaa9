/* Tests of summary.c. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define US NS_PER_US

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct results));
	return *state == NULL ? -1 : 0;
}

static void add_small(struct results *results, uint32_t small, uint64_t ios, uint64_t ns)
{
	sample_append(results, small, 0, POINT_OK, ios, ns, 0);
}

static void nothing_is_best_of_nothing(void **state)
{
	struct results *results = *state;

	sample_append(results, 1, 0, POINT_FAILED, 100, US, 0);
	sample_append(results, 1, 0, POINT_INTERRUPTED, 100, US, 0);
	assert_false(results->best.max_iops.known);
	assert_false(results->best.max_mbps.known);
	assert_false(results->best.min_latency_ns.known);
	assert_false(results_cell(results, 1, 0).known);
}

static void best_of_a_simple_run_is_at_the_extremes(void **state)
{
	struct results *results = *state;
	const struct best *best = &results->best;

	add_small(results, 1, 1000, 300 * US);
	add_small(results, 2, 1900, 310 * US);
	add_small(results, 3, 1800, 500 * US);
	sample_append(results, 0, 1, POINT_OK, 0, 0, 100);
	sample_append(results, 0, 2, POINT_OK, 0, 0, 150);
	assert_true(best->max_iops.value == 38.0);
	assert_int_equal(best->max_iops.small, 2);
	assert_int_equal(best->max_iops.large, 0);
	assert_int_equal(best->max_iops.point, 2);
	assert_true(best->max_mbps.value == 3.0);
	assert_int_equal(best->max_mbps.large, 2);
	assert_int_equal(best->max_mbps.point, 5);
	assert_true(best->min_latency_ns.value == 300000.0);
	assert_int_equal(best->min_latency_ns.small, 1);
}

static void a_mixed_point_can_be_best(void **state)
{
	struct results *results = *state;

	add_small(results, 1, 1000, 300 * US);
	sample_append(results, 1, 1, POINT_OK, 2000, 200 * US, 50);
	assert_int_equal(results->best.max_iops.large, 1);
	assert_int_equal(results->best.max_mbps.small, 1);
	assert_int_equal(results->best.min_latency_ns.large, 1);
}

static void points_that_are_not_good_are_never_best(void **state)
{
	struct results *results = *state;

	add_small(results, 1, 1000, 300 * US);
	sample_append(results, 2, 1, POINT_FAILED, 9000, US, 900);
	sample_append(results, 3, 1, POINT_INTERRUPTED, 9000, US, 900);
	assert_int_equal(results->best.max_iops.small, 1);
	assert_int_equal(results->best.min_latency_ns.small, 1);
	assert_false(results->best.max_mbps.known);
}

static void the_first_in_the_order_of_the_run_wins_a_tie(void **state)
{
	struct results *results = *state;

	add_small(results, 5, 1000, 300 * US);
	add_small(results, 2, 1000, 300 * US);
	assert_int_equal(results->best.max_iops.small, 5);
	assert_int_equal(results->best.min_latency_ns.small, 5);
}

static void a_repeat_that_makes_a_tie_gives_it_to_the_cell_run_first(void **state)
{
	struct results *results = *state;

	add_small(results, 1, 500, 300 * US);
	add_small(results, 2, 1000, 300 * US);
	assert_int_equal(results->best.max_iops.small, 2);
	add_small(results, 1, 1500, 300 * US); /* median of 500 and 1500 */
	assert_int_equal(results->best.max_iops.small, 1);
	assert_true(results->best.max_iops.value == 20.0);
}

static void a_repeat_can_take_the_best_away(void **state)
{
	struct results *results = *state;

	add_small(results, 1, 1000, 300 * US);
	add_small(results, 2, 1100, 400 * US);
	assert_int_equal(results->best.max_iops.small, 2);
	add_small(results, 2, 100, 200 * US);
	assert_int_equal(results->best.max_iops.small, 1);
	assert_true(results->best.max_iops.value == 20.0);
	/* and the median latency at 2, of 400 and 200, is now a tie that 1 wins */
	assert_int_equal(results->best.min_latency_ns.small, 1);
}

static void a_cell_is_the_median_of_its_good_repeats(void **state)
{
	struct results *results = *state;
	struct cell cell;

	add_small(results, 4, 300, 90 * US);
	add_small(results, 4, 100, 70 * US);
	sample_append(results, 4, 0, POINT_FAILED, 5000, US, 0);
	add_small(results, 4, 200, 80 * US);
	cell = results_cell(results, 4, 0);
	assert_true(cell.known);
	assert_true(cell.small_iops == 4.0);
	assert_true(cell.small_latency_ns == 80000.0);
	assert_int_equal(cell.point, 4);
	assert_true(cell.large_mbps == 0.0);
}

static void the_median_of_an_even_number_is_half_way(void **state)
{
	struct results *results = *state;
	struct cell cell;

	add_small(results, 4, 300, 90 * US);
	add_small(results, 4, 100, 70 * US);
	cell = results_cell(results, 4, 0);
	assert_true(cell.small_iops == 4.0);
	assert_true(cell.small_latency_ns == 80000.0);
	assert_int_equal(cell.point, 2); /* the lower of the two */
}

static void many_repeats_have_a_median_too(void **state)
{
	struct results *results = *state;

	for (uint64_t i = 0; i < 101; i++)
		add_small(results, 1, (i * 37 % 101) * 50, US); /* 0 .. 100 I/Os a second, mixed */
	assert_true(results_cell(results, 1, 0).small_iops == 50.0);
	assert_true(results->best.max_iops.value == 50.0);
}

static void each_figure_of_best_has_its_own_repeat(void **state)
{
	struct results *results = *state;

	sample_append(results, 1, 1, POINT_OK, 100, 90 * US, 300);
	sample_append(results, 1, 1, POINT_OK, 200, 70 * US, 100);
	sample_append(results, 1, 1, POINT_OK, 300, 80 * US, 200);
	assert_int_equal(results->best.max_iops.point, 2);
	assert_int_equal(results->best.max_mbps.point, 3);
	assert_int_equal(results->best.min_latency_ns.point, 3);
}

static void a_point_without_small_ios_has_a_rate_but_no_latency(void **state)
{
	struct results *results = *state;

	add_small(results, 1, 0, 0);
	assert_true(results->best.max_iops.known);
	assert_true(results->best.max_iops.value == 0.0);
	assert_false(results->best.min_latency_ns.known);
	assert_true(results_cell(results, 1, 0).known);
}

static void cells_are_found_whatever_the_order_of_the_run(void **state)
{
	struct results *results = *state;

	for (uint32_t i = 0; i < 49; i++) {
		uint32_t mixed = i * 30 % 49; /* 30 and 49 have no common divisor */

		sample_append(results, 1 + mixed / 7, mixed % 7, POINT_OK, 50 + 50 * mixed, US, 0);
	}
	for (uint32_t i = 0; i < 49; i++)
		assert_true(results_cell(results, 1 + i / 7, i % 7).small_iops == 1 + i);
	assert_false(results_cell(results, 8, 0).known);
	assert_false(results_cell(results, 0, 3).known);
	assert_int_equal(results->best.max_iops.small, 7);
	assert_int_equal(results->best.max_iops.large, 6);
}

static void reads_and_writes_have_one_mean_weighed_by_their_number(void **state)
{
	struct point_result point = {.point = sample_point(1, 1, 0)};

	(void)state;
	point.classes[0][IO_READ].ios = 300;
	point.classes[0][IO_READ].iops = 30;
	point.classes[0][IO_READ].latency.mean_ns = 100;
	point.classes[0][IO_WRITE].ios = 100;
	point.classes[0][IO_WRITE].iops = 10;
	point.classes[0][IO_WRITE].latency.mean_ns = 500;
	assert_true(point_small_latency_ns(&point) == 200.0);
	assert_true(point_small_iops(&point) == 40.0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, sample_teardown)
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_best_of_nothing),
		TEST(best_of_a_simple_run_is_at_the_extremes),
		TEST(a_mixed_point_can_be_best),
		TEST(points_that_are_not_good_are_never_best),
		TEST(the_first_in_the_order_of_the_run_wins_a_tie),
		TEST(a_repeat_that_makes_a_tie_gives_it_to_the_cell_run_first),
		TEST(a_repeat_can_take_the_best_away),
		TEST(a_cell_is_the_median_of_its_good_repeats),
		TEST(the_median_of_an_even_number_is_half_way),
		TEST(many_repeats_have_a_median_too),
		TEST(each_figure_of_best_has_its_own_repeat),
		TEST(a_point_without_small_ios_has_a_rate_but_no_latency),
		TEST(cells_are_found_whatever_the_order_of_the_run),
		TEST(reads_and_writes_have_one_mean_weighed_by_their_number),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
