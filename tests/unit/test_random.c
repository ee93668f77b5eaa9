/* Tests of random.c. SPDX-License-Identifier: MIT */
#include "calib/random.h"

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

static void next_gives_the_reference_sequence(void **state)
{
	/* the authors' xoshiro256starstar.c started from 1, 2, 3, 4 */
	static const uint64_t expected[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct random random = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_true(random_next(&random) == expected[i]);
}

static void seed_gives_the_same_sequence_everywhere(void **state)
{
	/* a run is repeated by its seed: computed by a second implementation, in Python */
	static const struct {
		uint64_t seed, stream, first[3];
	} cases[] = {
		{0,
		 0,
		 {UINT64_C(3511563966469552396), UINT64_C(1630724456284939571),
		  UINT64_C(16421453466650696744)}},
		{1,
		 0,
		 {UINT64_C(11830735285019107728), UINT64_C(5036556757258445044),
		  UINT64_C(10626231007614874689)}},
		{1,
		 1,
		 {UINT64_C(2988058551297941518), UINT64_C(17921401709979215673),
		  UINT64_C(11984449465866913432)}},
		{(UINT64_C(1) << 53) - 1,
		 10000,
		 {UINT64_C(5575587609940707288), UINT64_C(2840998879556266972),
		  UINT64_C(15326679533706016458)}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct random random;

		random_seed(&random, cases[i].seed, cases[i].stream);
		for (size_t j = 0; j < 3; j++)
			assert_true(random_next(&random) == cases[i].first[j]);
	}
}

/* mean count of differing bits of two sequences' first @draws numbers; 32 where unrelated */
static double differing_bits(struct random *a, struct random *b, unsigned draws)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < draws; i++) {
		for (uint64_t x = random_next(a) ^ random_next(b); x != 0; x &= x - 1)
			bits++;
	}
	return (double)bits / draws;
}

static void near_seeds_and_streams_are_unrelated(void **state)
{
	struct random base, other;

	(void)state;
	/* the standard deviation of the mean of 1,000 is 4 / sqrt(1000) = 0.126; 5 of them */
	for (unsigned i = 0; i < 64; i++) {
		random_seed(&base, 42, 0);
		random_seed(&other, 42 ^ (UINT64_C(1) << i), 0);
		assert_true(differing_bits(&base, &other, 1000) > 32 - 0.63);
		random_seed(&base, 42, 0);
		random_seed(&other, 42, UINT64_C(1) << i);
		assert_true(differing_bits(&base, &other, 1000) > 32 - 0.63);
	}
}

static void streams_do_not_overlap_at_a_small_shift(void **state)
{
	enum { STREAMS = 64, DRAWS = 64 };
	static uint64_t first[STREAMS];
	struct random random;

	(void)state;
	for (uint64_t i = 0; i < STREAMS; i++) {
		random_seed(&random, 7, i);
		first[i] = random_next(&random);
	}
	for (uint64_t i = 0; i < STREAMS; i++) {
		random_seed(&random, 7, i);
		for (unsigned draw = 0; draw < DRAWS; draw++) {
			uint64_t value = random_next(&random);

			for (uint64_t j = 0; j < STREAMS; j++)
				assert_true(value != first[j] || (i == j && draw == 0));
		}
	}
}

static void below_stays_below(void **state)
{
	static const uint64_t bounds[] = {1, 2, 3, 1000, UINT64_C(1) << 63, UINT64_MAX};
	struct random random;

	(void)state;
	random_seed(&random, 1, 2);
	assert_true(random_below(&random, 0) == 0);
	for (size_t i = 0; i < COUNT(bounds); i++) {
		for (unsigned draw = 0; draw < 10000; draw++)
			assert_true(random_below(&random, bounds[i]) < bounds[i]);
	}
}

static void below_reaches_every_value(void **state)
{
	bool seen[10] = {false};
	struct random random;

	(void)state;
	random_seed(&random, 3, 0);
	for (unsigned draw = 0; draw < 1000; draw++)
		seen[random_below(&random, 10)] = true;
	for (size_t i = 0; i < COUNT(seen); i++)
		assert_true(seen[i]);
}

static void as_many_draws_as_blocks_reach_63_percent_of_them(void **state)
{
	enum { BLOCKS = 131072 };

	(void)state;
	/* 1 - 1/e = 63.2 %: fewer would be a sequence that repeats, more a permutation */
	for (uint64_t seed = 1; seed <= 5; seed++) {
		bool *seen = calloc(BLOCKS, sizeof(*seen));
		unsigned distinct = 0;
		struct random random;

		assert_non_null(seen);
		random_seed(&random, seed, 0);
		for (unsigned draw = 0; draw < BLOCKS; draw++) {
			uint64_t block = random_below(&random, BLOCKS);

			distinct += !seen[block];
			seen[block] = true;
		}
		free(seen);
		assert_in_range(distinct, BLOCKS * 627 / 1000, BLOCKS * 637 / 1000);
	}
}

static void offsets_over_17_tib_are_uniform(void **state)
{
	enum { PARTS = 1000, DRAWS = 1000000 };
	const uint64_t blocks = UINT64_C(2281701376); /* of 8 KiB: above 2^31, so not 32-bit */

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		static unsigned hits[PARTS];
		double chi2 = 0;
		struct random random;

		memset(hits, 0, sizeof(hits));
		random_seed(&random, seed, 0);
		for (unsigned draw = 0; draw < DRAWS; draw++)
			hits[random_below(&random, blocks) * PARTS / blocks]++;
		for (size_t i = 0; i < PARTS; i++) {
			double off = hits[i] - (double)DRAWS / PARTS;

			chi2 += off * off / ((double)DRAWS / PARTS);
		}
		/* 999 degrees of freedom: 0.1 % lie above 1142.8, and 0.1 % below 866.5 */
		assert_true(chi2 < 1142.8);
		assert_true(chi2 > 866.5);
	}
}

static void fill_writes_all_bytes_and_no_other(void **state)
{
	(void)state;
	for (size_t length = 0; length <= 40; length++) {
		unsigned char buffer[42];
		bool changed[42] = {false};
		struct random random;

		random_seed(&random, 9, length);
		/* a byte may by chance get the value that it had, but not ten times */
		for (unsigned round = 0; round < 10; round++) {
			memset(buffer, 0xa5, sizeof(buffer));
			random_fill(&random, buffer + 1, length);
			for (size_t i = 0; i < sizeof(buffer); i++)
				changed[i] = changed[i] || buffer[i] != 0xa5;
		}
		for (size_t i = 0; i < sizeof(buffer); i++)
			assert_int_equal(changed[i], i >= 1 && i <= length);
	}
}

static void fill_goes_on_where_it_stopped(void **state)
{
	uint64_t first[8], second[8];
	struct random random;

	(void)state;
	random_seed(&random, 9, 0);
	random_fill(&random, first, sizeof(first));
	random_fill(&random, second, sizeof(second));
	for (size_t i = 0; i < 8; i++) {
		for (size_t j = 0; j < 8; j++)
			assert_true(first[i] != second[j]);
	}
}

static void filled_data_has_no_pattern_to_compress(void **state)
{
	enum { BYTES = 1 << 20 };
	unsigned char *buffer = malloc(BYTES);
	unsigned hits[256] = {0};
	double chi2 = 0;
	struct random random;

	(void)state;
	assert_non_null(buffer);
	random_seed(&random, 11, 0);
	random_fill(&random, buffer, BYTES);
	for (size_t i = 0; i < BYTES; i++)
		hits[buffer[i]]++;
	for (size_t i = 0; i < 256; i++) {
		double off = hits[i] - BYTES / 256.0;

		chi2 += off * off / (BYTES / 256.0);
	}
	free(buffer);
	assert_true(chi2 < 330.5); /* 255 degrees of freedom, 0.1 % lie above */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_gives_the_reference_sequence),
		cmocka_unit_test(seed_gives_the_same_sequence_everywhere),
		cmocka_unit_test(near_seeds_and_streams_are_unrelated),
		cmocka_unit_test(streams_do_not_overlap_at_a_small_shift),
		cmocka_unit_test(below_stays_below),
		cmocka_unit_test(below_reaches_every_value),
		cmocka_unit_test(as_many_draws_as_blocks_reach_63_percent_of_them),
		cmocka_unit_test(offsets_over_17_tib_are_uniform),
		cmocka_unit_test(fill_writes_all_bytes_and_no_other),
		cmocka_unit_test(fill_goes_on_where_it_stopped),
		cmocka_unit_test(filled_data_has_no_pattern_to_compress),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
