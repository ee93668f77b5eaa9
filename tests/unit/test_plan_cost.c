/* Tests of plan.c: what a plan takes in I/Os, memory and time. SPDX-License-Identifier: MIT */
#include "plan_helpers.h"

static void parts_of_large_ios_are_requests_of_their_own(void **state)
{
	struct plan *plan;

	(void)state;
	set_matrix(MATRIX_POINT);
	set_num_small(5);
	set_num_large(2);
	spec.layout = LAYOUT_RAID0;
	spec.stripe_bytes = 262144; /* a quarter of a large I/O */
	GIVEN(SPEC_STRIPE);
	limits.lun_count = 3;
	plan = make();
	assert_int_equal(plan_outstanding_max(plan), 5 + 8);
	assert_int_equal(plan_requests_max(plan), 5 + 8 * 3);
	plan_free(plan);
	spec.stripe_bytes = 1048576;
	plan = make();
	assert_int_equal(plan_requests_max(plan), 5 + 8);
	plan_free(plan);
}

static void absurd_times_do_not_overflow_the_estimate(void **state)
{
	struct plan *plan;

	(void)state;
	spec.run = RUN_SIMPLE;
	spec.duration_ns = INT64_MAX;
	GIVEN(SPEC_DURATION);
	spec.ramp_ns = INT64_MAX;
	plan = make();
	assert_int_equal(plan_estimate_ns(plan), UINT64_MAX);
	plan_free(plan);
}

static void cache_filling_is_part_of_the_estimate(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	spec.run = RUN_SIMPLE;
	spec.orion = true;
	spec.large_type = LARGE_SEQ;
	GIVEN(SPEC_TYPE);
	plan = make();
	assert_int_equal(plan_fills(plan), 2);
	/* 7 points of 60 s, and 120 s before each of two */
	assert_int_equal(plan_estimate_ns(plan), UINT64_C(660000000000));
	assert_true(plan_peek(plan, 4, &point));
	assert_int_equal(point.fill_ns, 0);
	assert_true(plan_peek(plan, 5, &point));
	assert_int_equal(point.fill_ns, UINT64_C(120000000000));
	assert_int_equal(point.fill_bytes, 0);
	plan_free(plan);
}

static void a_cache_size_is_counted_at_a_gibibyte_a_second(void **state)
{
	struct plan *plan;
	struct point point;

	(void)state;
	spec.matrix = MATRIX_DETAILED;
	GIVEN(SPEC_MATRIX);
	SMALL_LEVELS(0, 1);
	LARGE_LEVELS(0, 1, 2);
	spec.ramp_ns = 0;
	spec.cache_bytes = UINT64_C(3) << 30;
	GIVEN(SPEC_CACHE_SIZE);
	plan = make();
	assert_int_equal(plan_fills(plan), 4); /* mixed points too */
	assert_int_equal(plan_estimate_ns(plan), UINT64_C(312000000000));
	assert_true(plan_peek(plan, 1, &point));
	assert_int_equal(point.fill_bytes, UINT64_C(3) << 30);
	plan_free(plan);
}

/* 32 I/Os of 1 MiB, where a point has 4; but one of 1 GiB only. */
static void cache_filling_has_memory_of_its_own(void **state)
{
	struct plan *plan;

	(void)state;
	spec.run = RUN_DSS;
	LARGE_LEVELS(1);
	spec.cache_bytes = 1;
	GIVEN(SPEC_CACHE_SIZE);
	plan = make();
	assert_int_equal(plan_outstanding_max(plan), 32);
	assert_int_equal(plan_buffer_bytes_max(plan), 33554432);
	assert_int_equal(plan_requests_max(plan), 32);
	plan_free(plan);
	spec.large_bytes = UINT64_C(1) << 30;
	plan = make();
	assert_int_equal(plan_outstanding_max(plan), 4);
	assert_int_equal(plan_buffer_bytes_max(plan), UINT64_C(4) << 30);
	plan_free(plan);
}

static void more_outstanding_than_a_point_keeps_is_refused(void **state)
{
	(void)state;
	set_matrix(MATRIX_POINT);
	set_num_small(10000);
	set_num_large(0);
	plan_free(make());
	set_num_large(1);
	is_refused("needs 10004 I/Os outstanding");

	setup(NULL);
	spec.run = RUN_OLTP;
	spec.num_disks = 500;
	plan_free(make());
	spec.num_disks = 501;
	is_refused("501 disks make small levels up to 10020");
	SMALL_LEVELS(1, 10000);
	plan_free(make());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parts_of_large_ios_are_requests_of_their_own),
		TEST(absurd_times_do_not_overflow_the_estimate),
		TEST(cache_filling_is_part_of_the_estimate),
		TEST(a_cache_size_is_counted_at_a_gibibyte_a_second),
		TEST(cache_filling_has_memory_of_its_own),
		TEST(more_outstanding_than_a_point_keeps_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
