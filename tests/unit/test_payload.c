/* Tests of payload.c: the data of writes. SPDX-License-Identifier: MIT */
#include "calib/payload.h"
#include "calib/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define KIB 1024u

static uint64_t pool[PAYLOAD_POOL_BYTES / sizeof(uint64_t)];

static int setup(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 2);
	random_fill(&random, pool, sizeof(pool));
	return 0;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, PAYLOAD_BLOCK_BYTES);
}

/* 8 workers, 2 points, I/Os of 8 KiB and of 64 KiB: 16 MiB in 4 KiB blocks, sorted. */
static void no_two_blocks_are_equal(void **state)
{
	size_t bytes = 16384 * KIB;
	uint8_t *data = malloc(bytes);
	size_t at = 0;

	(void)state;
	assert_non_null(data);
	for (uint32_t part = 0; part < 16; part++) {
		size_t io = (part % 2 ? 64 : 8) * KIB;
		struct payload payload;

		payload_init(&payload, pool, 7, part / 8 + 1, part % 8);
		for (size_t end = at + bytes / 16; at < end; at += io)
			payload_fill(&payload, data + at, io);
	}
	assert_int_equal(at, bytes);
	qsort(data, bytes / PAYLOAD_BLOCK_BYTES, PAYLOAD_BLOCK_BYTES, compare);
	for (size_t i = PAYLOAD_BLOCK_BYTES; i < bytes; i += PAYLOAD_BLOCK_BYTES)
		assert_int_not_equal(compare(data + i - PAYLOAD_BLOCK_BYTES, data + i), 0);
	free(data);
}

/* Each of the 256 values of a byte 1/256 of the time, as near as chance lets it: chi-square with
 * 255 degrees of freedom, above 347 once in 10,000. */
static void bytes_are_evenly_spread(void **state)
{
	static uint8_t data[1024 * KIB];
	uint64_t counts[256] = {0};
	double expected = sizeof(data) / 256.0;
	double chi_square = 0;
	struct payload payload;

	(void)state;
	payload_init(&payload, pool, 3, 1, 0);
	payload_fill(&payload, data, sizeof(data));
	for (size_t i = 0; i < sizeof(data); i++)
		counts[data[i]]++;
	/* the pool comes 16 times with other keys: what is uneven in it may show 16 times as much
	 */
	for (unsigned i = 0; i < 256; i++)
		chi_square +=
			((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	assert_true(chi_square < 16 * 347);
}

static void the_same_start_gives_the_same_data(void **state)
{
	static uint8_t one[64 * KIB], two[64 * KIB];
	struct payload payload;

	(void)state;
	payload_init(&payload, pool, 5, 1, 2);
	payload_fill(&payload, one, sizeof(one));
	payload_init(&payload, pool, 5, 1, 2);
	for (size_t at = 0; at < sizeof(two); at += 8 * KIB)
		payload_fill(&payload, two + at, 8 * KIB);
	assert_memory_equal(one, two, sizeof(one));
	payload_init(&payload, pool, 6, 1, 2); /* another run */
	payload_fill(&payload, two, sizeof(two));
	assert_memory_not_equal(one, two, PAYLOAD_BLOCK_BYTES);
}

static void short_ios_are_filled_to_their_end_and_no_further(void **state)
{
	static const size_t sizes[] = {512, 1024, 2560, 4096, 4608, 12800};
	uint64_t data[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t words = sizes[i] / sizeof(data[0]);
		struct payload payload;

		memset(data, 0, sizeof(data));
		payload_init(&payload, pool, 1, 1, 1);
		payload_fill(&payload, data, sizes[i]);
		for (size_t at = 0; at < words; at++)
			assert_true(data[at] != 0); /* by chance once in 2^64 */
		assert_true(data[words] == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_blocks_are_equal),
		cmocka_unit_test(bytes_are_evenly_spread),
		cmocka_unit_test(the_same_start_gives_the_same_data),
		cmocka_unit_test(short_ios_are_filled_to_their_end_and_no_further),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
