/* Tests of histogram.c. SPDX-License-Identifier: MIT */
#include "calib/histogram.h"
#include "calib/random.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define US	     UINT64_C(1000)
#define S	     UINT64_C(1000000000)

static int setup(void **state)
{
	struct histogram *histogram = malloc(sizeof(*histogram));

	if (histogram == NULL)
		return -1;
	histogram_reset(histogram);
	*state = histogram;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* cmocka's own compares floats */
static void assert_near(double value, double expected, double epsilon)
{
	assert_true(fabs(value - expected) <= epsilon);
}

static void record_many(struct histogram *histogram, uint64_t ns, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		histogram_record(histogram, ns);
}

static void an_empty_histogram_answers_zero(void **state)
{
	struct histogram *histogram = *state;

	assert_int_equal(histogram_percentile_ns(histogram, 50.0), 0);
	assert_int_equal(histogram_percentile_ns(histogram, 100.0), 0);
	assert_true(histogram_mean_ns(histogram) == 0.0);
	assert_true(histogram_stddev_ns(histogram) == 0.0);
	assert_int_equal(histogram_pack(histogram, NULL), 0);
}

static void one_value_is_every_percentile(void **state)
{
	static const double percentiles[] = {0.001, 1, 50, 90, 99, 99.9, 99.99, 100};
	struct histogram *histogram = *state;

	histogram_record(histogram, 682 * US);
	for (size_t i = 0; i < COUNT(percentiles); i++)
		assert_int_equal(histogram_percentile_ns(histogram, percentiles[i]), 682000);
	assert_true(histogram_mean_ns(histogram) == 682000.0);
	assert_true(histogram_stddev_ns(histogram) == 0.0);
}

static void percentile_never_under_reports(void **state)
{
	static const struct {
		double percentile;
		uint64_t true_us;
	} cases[] = {{0.1, 1}, {50, 500}, {90, 900}, {95, 950}, {99, 990}, {99.9, 999}};
	struct histogram *histogram = *state;

	for (uint64_t us = 1; us <= 1000; us++)
		histogram_record(histogram, us * US);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t least = cases[i].true_us * US;

		assert_in_range(histogram_percentile_ns(histogram, cases[i].percentile), least,
				least + least / 128);
	}
	assert_int_equal(histogram_percentile_ns(histogram, 100.0), 1000 * US);
}

static void mean_and_deviation_of_one_to_a_thousand_are_exact(void **state)
{
	struct histogram *histogram = *state;

	for (uint64_t us = 1; us <= 1000; us++)
		histogram_record(histogram, us * US);
	assert_true(histogram_mean_ns(histogram) == 500500.0);
	/* sqrt((1000^2 - 1) / 12) microseconds */
	assert_near(histogram_stddev_ns(histogram), 288674.99025720945, 1e-6);
}

static void long_latencies_have_no_ceiling(void **state)
{
	static const uint64_t values[] = {1000, 17200000000, 94 * S, 300 * S, 4000 * S};
	struct histogram *histogram = *state;

	for (size_t i = 0; i < COUNT(values); i++)
		histogram_record(histogram, values[i]);
	for (size_t i = 0; i < COUNT(values); i++)
		assert_in_range(histogram_percentile_ns(histogram, 20.0 * (double)(i + 1)),
				values[i], values[i] + values[i] / 128);
	assert_int_equal(histogram_percentile_ns(histogram, 100.0), 4000 * S);
}

static void the_rank_is_exact_where_floating_point_is_not(void **state)
{
	struct histogram *histogram = *state;

	/* 99.9 / 100 * 1000 in doubles is a little more than 999 */
	record_many(histogram, 1 * US, 999);
	record_many(histogram, 1 * S, 1);
	assert_in_range(histogram_percentile_ns(histogram, 99.9), 1 * US, 1 * US + 7);
	assert_int_equal(histogram_percentile_ns(histogram, 99.99), 1 * S);
}

static void powers_of_two_in_microseconds_are_edges(void **state)
{
	(void)state;
	for (int k = -2; k <= 36; k++) {
		uint64_t edge = k < 0 ? 1000u >> -k : UINT64_C(1000) << k;
		unsigned index = histogram_index(edge);

		assert_true(histogram_index(edge - 1) < index);
		assert_int_equal(histogram_upper_ns(index - 1), edge);
	}
}

/* below 250 ns each ns is one; at 256 us a bucket is 2 us wide */
static void a_bucket_ends_at_its_edges_only(void **state)
{
	static const uint64_t edges[] = {1, 2, 250, 32 * US, 256 * US, 258 * US};
	static const uint64_t others[] = {0, 256 * US - 1, 256 * US + 1, 257 * US};
	unsigned index;

	(void)state;
	for (size_t i = 0; i < COUNT(edges); i++) {
		assert_true(histogram_ends_at(edges[i], &index));
		assert_int_equal(histogram_upper_ns(index), edges[i]);
	}
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(histogram_ends_at(others[i], &index));
}

static void every_value_lies_in_its_bucket(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t top = UINT64_C(125) << 40; /* where the last bucket ends */
		uint64_t ns = random_below(&random, top) >> random_below(&random, 47);
		unsigned index = histogram_index(ns);
		uint64_t upper = histogram_upper_ns(index);

		assert_true(index < HISTOGRAM_BUCKETS);
		assert_true(ns < upper);
		assert_true(index == 0 || ns >= histogram_upper_ns(index - 1));
		assert_true(histogram_index(ns + 1) >= index);
		assert_true(upper - 1 - ns <= ns / 128);
	}
}

static void values_above_the_top_keep_their_extremes(void **state)
{
	struct histogram *histogram = *state;

	histogram_record(histogram, UINT64_C(1) << 60);
	histogram_record(histogram, UINT64_C(1) << 58);
	assert_int_equal(histogram->count[HISTOGRAM_BUCKETS - 1], 2);
	assert_true(histogram->min_ns == UINT64_C(1) << 58);
	assert_true(histogram_percentile_ns(histogram, 50.0) == UINT64_C(1) << 60);
	assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void ten_hours_are_below_the_top(void **state)
{
	(void)state;
	assert_true(histogram_index(36000 * S) < HISTOGRAM_BUCKETS - 1);
}

static void deviation_of_the_textbook_example_is_two(void **state)
{
	static const uint64_t values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct histogram *histogram = *state;

	for (size_t i = 0; i < COUNT(values); i++)
		histogram_record(histogram, values[i]);
	assert_true(histogram_stddev_ns(histogram) == 2.0);
}

static void a_small_deviation_of_large_values_is_not_lost(void **state)
{
	struct histogram *histogram = *state;

	/* one ns either side of ten hours */
	record_many(histogram, 36000 * S - 1, 1 << 17);
	record_many(histogram, 36000 * S + 1, 1 << 17);
	assert_true(histogram_mean_ns(histogram) == 36e12);
	assert_true(histogram_stddev_ns(histogram) == 1.0);
}

static void deviation_does_not_overflow_where_n_times_the_squares_does(void **state)
{
	struct histogram *histogram = *state;

	/* 1,024 * 2^120 is above 2^128; the variance is 2^120 * 1023 / 1024^2 */
	record_many(histogram, 0, 1023);
	histogram_record(histogram, UINT64_C(1) << 60);
	assert_near(histogram_stddev_ns(histogram) / (double)(UINT64_C(1) << 50),
		    31.984371183438952, 1e-14);
}

static void deviation_with_a_mean_between_two_values_is_exact(void **state)
{
	struct histogram *histogram = *state;

	/* 999,999 of v + 1 and one of v: variance (n - 1) / n^2 */
	record_many(histogram, 3600 * S, 1);
	record_many(histogram, 3600 * S + 1, 999999);
	assert_near(histogram_stddev_ns(histogram), 0.0009999995, 1e-12);
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_int_equal(a->sum_ns, b->sum_ns);
	assert_true(a->sum_squares == b->sum_squares);
	assert_memory_equal(a->count, b->count, sizeof(a->count));
}

static void merging_in_any_order_equals_recording_at_once(void **state)
{
	static const unsigned orders[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
	struct histogram *whole = *state;
	struct histogram *parts = calloc(3, sizeof(*parts));
	struct histogram *merged = calloc(1, sizeof(*merged));
	struct random random;

	assert_true(parts != NULL && merged != NULL);
	random_seed(&random, 2, 0);
	for (unsigned i = 0; i < 3; i++)
		histogram_reset(&parts[i]);
	for (unsigned i = 0; i < 10000; i++) { /* the third stays empty */
		uint64_t ns = random_below(&random, 100 * S) >> random_below(&random, 30);

		histogram_record(whole, ns);
		histogram_record(&parts[i % 2], ns);
	}
	for (size_t order = 0; order < COUNT(orders); order++) {
		histogram_reset(merged);
		for (unsigned i = 0; i < 3; i++)
			histogram_merge(merged, &parts[orders[order][i]]);
		assert_same(merged, whole);
	}
	free(parts);
	free(merged);
}

static void packing_and_unpacking_gives_the_same_buckets(void **state)
{
	struct histogram *histogram = *state;
	uint64_t count[HISTOGRAM_BUCKETS] = {0};
	struct bucket bucket = {0};
	size_t size, position = 0;
	uint8_t *packed;

	histogram_record(histogram, 0);
	record_many(histogram, 300, 128);
	record_many(histogram, 5 * S, 70000);
	histogram->count[HISTOGRAM_BUCKETS - 1] = UINT64_MAX;
	size = histogram_pack(histogram, NULL);
	packed = malloc(size);
	assert_non_null(packed);
	assert_int_equal(histogram_pack(histogram, packed), size);
	while (histogram_unpack_next(packed, size, &position, &bucket) == 1)
		count[bucket.index] = bucket.count;
	assert_int_equal(position, size);
	assert_memory_equal(count, histogram->count, sizeof(count));
	free(packed);
}

static void packed_bytes_are_leb128_steps_and_counts(void **state)
{
	/* 1 ns has bucket 1; 1000 ns is x = 1024: octave 3, bucket 3 * 128 + 128 = 512 */
	static const uint8_t expected[] = {0x01, 0x02, 0xff, 0x03, 0xac, 0x02};
	struct histogram *histogram = *state;
	uint8_t packed[sizeof(expected)];

	record_many(histogram, 1, 2);
	record_many(histogram, 1000, 300);
	assert_int_equal(histogram_pack(histogram, NULL), sizeof(expected));
	histogram_pack(histogram, packed);
	assert_memory_equal(packed, expected, sizeof(expected));
}

static void bytes_that_pack_did_not_write_are_refused(void **state)
{
	static const struct {
		size_t size;
		uint8_t bytes[16];
	} cases[] = {
		{1, {0x01}},			     /* no count */
		{2, {0x81, 0x80}},		     /* ends within a number */
		{2, {0x01, 0x00}},		     /* an empty bucket */
		{3, {0x81, 0x00, 0x01}},	     /* 1 written longer than it need be */
		{3, {0x80, 0x29, 0x01}},	     /* step 41 * 128: one past the last bucket */
		{4, {0x01, 0x01, 0x00, 0x01}},	     /* the same bucket again */
		{5, {0x01, 0x01, 0xff, 0x28, 0x01}}, /* both steps together: past the last */
		{11, {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}},
		{12, {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 0x01}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bucket bucket = {0};
		size_t position = 0;
		int answer;

		do
			answer = histogram_unpack_next(cases[i].bytes, cases[i].size, &position,
						       &bucket);
		while (answer == 1);
		assert_int_equal(answer, -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_histogram_answers_zero, setup, teardown),
		cmocka_unit_test_setup_teardown(one_value_is_every_percentile, setup, teardown),
		cmocka_unit_test_setup_teardown(percentile_never_under_reports, setup, teardown),
		cmocka_unit_test_setup_teardown(mean_and_deviation_of_one_to_a_thousand_are_exact,
						setup, teardown),
		cmocka_unit_test_setup_teardown(long_latencies_have_no_ceiling, setup, teardown),
		cmocka_unit_test_setup_teardown(the_rank_is_exact_where_floating_point_is_not,
						setup, teardown),
		cmocka_unit_test(powers_of_two_in_microseconds_are_edges),
		cmocka_unit_test(a_bucket_ends_at_its_edges_only),
		cmocka_unit_test(every_value_lies_in_its_bucket),
		cmocka_unit_test_setup_teardown(values_above_the_top_keep_their_extremes, setup,
						teardown),
		cmocka_unit_test(ten_hours_are_below_the_top),
		cmocka_unit_test_setup_teardown(deviation_of_the_textbook_example_is_two, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_small_deviation_of_large_values_is_not_lost,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			deviation_does_not_overflow_where_n_times_the_squares_does, setup,
			teardown),
		cmocka_unit_test_setup_teardown(deviation_with_a_mean_between_two_values_is_exact,
						setup, teardown),
		cmocka_unit_test_setup_teardown(merging_in_any_order_equals_recording_at_once,
						setup, teardown),
		cmocka_unit_test_setup_teardown(packing_and_unpacking_gives_the_same_buckets, setup,
						teardown),
		cmocka_unit_test_setup_teardown(packed_bytes_are_leb128_steps_and_counts, setup,
						teardown),
		cmocka_unit_test(bytes_that_pack_did_not_write_are_refused),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
