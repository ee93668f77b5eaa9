/* Tests of pattern.c. SPDX-License-Identifier: MIT */
#include "calib/pattern.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

enum { STREAMS_MAX = 10000, THREADS = 4, PASSES = 10 };

static struct stream streams[STREAMS_MAX];

static void divide(unsigned count, uint64_t blocks, uint64_t seed)
{
	struct random random;

	random_seed(&random, seed, 0);
	streams_init(streams, count, 0, blocks, &random);
}

static void parts_are_cut_at_the_rounded_down_share(void **state)
{
	(void)state;
	divide(3, 10, 1); /* 10 / 3 = 3.33, 20 / 3 = 6.67 */
	assert_int_equal(streams[0].begin, 0);
	assert_int_equal(streams[0].end, 3);
	assert_int_equal(streams[1].begin, 3);
	assert_int_equal(streams[1].end, 6);
	assert_int_equal(streams[2].begin, 6);
	assert_int_equal(streams[2].end, 10);
}

static void writing_streams_are_spread_evenly(void **state)
{
	static const struct {
		unsigned count, writing;
		const char *dirs;
	} cases[] = {
		{1, 0, "r"},	{1, 1, "w"},	{4, 0, "rrrr"},	 {4, 1, "rrrw"},
		{4, 2, "rwrw"}, {4, 4, "wwww"}, {5, 2, "rrwrw"}, {10, 3, "rrrwrrwrrw"},
	};
	struct random random;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		random_seed(&random, 1, 0);
		streams_init(streams, cases[i].count, cases[i].writing, 1000, &random);
		for (unsigned at = 0; at < cases[i].count; at++)
			assert_int_equal(streams[at].dir == IO_WRITE, cases[i].dirs[at] == 'w');
	}
}

static void parts_are_exact_where_the_product_passes_64_bits(void **state)
{
	(void)state;
	divide(10000, UINT64_C(1) << 63, 1); /* 2^63 * 9999 / 10000 */
	assert_true(streams[9999].begin == UINT64_C(9222449699651090330));
	assert_true(streams[9999].end == UINT64_C(1) << 63);
	divide(7, UINT64_MAX, 1); /* (2^64 - 1) * 3 / 7 */
	assert_true(streams[3].begin == UINT64_C(7905747460161236406));
	assert_true(streams[6].end == UINT64_MAX);
}

static void every_block_is_in_exactly_one_stream(void **state)
{
	static const struct {
		unsigned count;
		uint64_t blocks;
	} cases[] = {
		{1, 1},		{1, 1000},	 {7, 7},
		{7, 100},	{64, 1000},	 {999, 1000},
		{10000, 10000}, {10000, 123457}, {10000, UINT64_C(2281701376)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t share = cases[i].blocks / cases[i].count;
		uint64_t expected = 0;

		divide(cases[i].count, cases[i].blocks, i);
		for (unsigned j = 0; j < cases[i].count; j++) {
			assert_true(streams[j].begin == expected);
			assert_in_range(streams[j].end - streams[j].begin, share, share + 1);
			assert_in_range(atomic_load(&streams[j].next), streams[j].begin,
					streams[j].end - 1);
			expected = streams[j].end;
		}
		assert_true(expected == cases[i].blocks);
	}
}

static void fewer_blocks_than_streams_are_shared(void **state)
{
	(void)state;
	divide(7, 3, 1);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(streams[i].begin, i % 3);
		assert_int_equal(stream_next(&streams[i]), i % 3);
		assert_int_equal(stream_next(&streams[i]), i % 3);
	}
}

static void start_is_a_random_place_of_the_part(void **state)
{
	enum { SEEDS = 1000, BLOCKS = 200 };
	unsigned quarter[4] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		divide(2, BLOCKS, seed);
		quarter[(atomic_load(&streams[1].next) - 100) / 25]++;
	}
	/* 250 each; a standard deviation is sqrt(1000 * 1/4 * 3/4) = 13.7 */
	for (size_t i = 0; i < 4; i++)
		assert_in_range(quarter[i], 200, 300);
}

static void start_comes_from_the_seed(void **state)
{
	uint64_t first;

	(void)state;
	divide(1, UINT64_C(1) << 60, 5);
	first = atomic_load(&streams[0].next);
	divide(1, UINT64_C(1) << 60, 5);
	assert_true(atomic_load(&streams[0].next) == first);
	divide(1, UINT64_C(1) << 60, 6);
	assert_true(atomic_load(&streams[0].next) != first);
}

static void stream_is_read_in_order_and_wraps(void **state)
{
	struct stream stream = {.begin = 5, .end = 8, .next = 6};
	static const uint64_t expected[] = {6, 7, 5, 6, 7, 5};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(stream_next(&stream), expected[i]);
}

static void pass_visits_each_block_of_the_stream_once(void **state)
{
	unsigned visits[1000] = {0};

	(void)state;
	divide(7, 1000, 3);
	for (unsigned i = 0; i < 7; i++) {
		for (uint64_t taken = streams[i].begin; taken < streams[i].end; taken++)
			visits[stream_next(&streams[i])]++;
	}
	for (size_t block = 0; block < 1000; block++)
		assert_int_equal(visits[block], 1);
}

/* one worker: takes its share of the passes' blocks and counts which it got */
struct taker {
	struct stream *stream;
	unsigned *visits;
	uint64_t take;
	pthread_barrier_t *start;
};

static void *take_blocks(void *arg)
{
	struct taker *taker = arg;

	pthread_barrier_wait(taker->start);
	for (uint64_t i = 0; i < taker->take; i++)
		taker->visits[stream_next(taker->stream) - taker->stream->begin]++;
	return NULL;
}

static void four_threads_take_each_block_once_a_pass(void **state)
{
	enum { BLOCKS = 40000 };
	pthread_barrier_t start;
	pthread_t thread[THREADS];
	struct taker taker[THREADS];
	unsigned *visits = calloc((size_t)THREADS * BLOCKS, sizeof(*visits));

	(void)state;
	assert_non_null(visits);
	divide(2, UINT64_C(2) * BLOCKS, 1);
	pthread_barrier_init(&start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		taker[i] = (struct taker){
			.stream = &streams[1],
			.visits = visits + (size_t)i * BLOCKS,
			.take = PASSES * BLOCKS / THREADS,
			.start = &start,
		};
		assert_int_equal(pthread_create(&thread[i], NULL, take_blocks, &taker[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (size_t block = 0; block < BLOCKS; block++) {
		unsigned all = 0;

		for (size_t i = 0; i < THREADS; i++)
			all += visits[i * BLOCKS + block];
		assert_int_equal(all, PASSES);
	}
	pthread_barrier_destroy(&start);
	free(visits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writing_streams_are_spread_evenly),
		cmocka_unit_test(parts_are_cut_at_the_rounded_down_share),
		cmocka_unit_test(parts_are_exact_where_the_product_passes_64_bits),
		cmocka_unit_test(every_block_is_in_exactly_one_stream),
		cmocka_unit_test(fewer_blocks_than_streams_are_shared),
		cmocka_unit_test(start_is_a_random_place_of_the_part),
		cmocka_unit_test(start_comes_from_the_seed),
		cmocka_unit_test(stream_is_read_in_order_and_wraps),
		cmocka_unit_test(pass_visits_each_block_of_the_stream_once),
		cmocka_unit_test(four_threads_take_each_block_once_a_pass),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
