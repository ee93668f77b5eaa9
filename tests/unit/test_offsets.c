/* Tests of where random I/Os go: random.h and volume.h as the workers use them.
 * SPDX-License-Identifier: MIT */
#include "calib/random.h"
#include "calib/units.h"
#include "calib/volume.h"

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

#define TIB   (UINT64_C(1024) * 1024 * BYTES_MIB)
#define DRAWS 1000000u
#define PARTS 1000u

/* Chi-square of 999 degrees of freedom: one sample in 1,000 lies above CHI_HIGH, one below CHI_LOW,
 * which would be too even for chance. By the incomplete gamma function, in Python. */
#define CHI_HIGH 1142.85
#define CHI_LOW	 866.54

static const uint64_t seeds[] = {1, 20260101, (UINT64_C(1) << 53) - 1};

/* LUNs of 17 TiB in all; stripe 0: end to end */
static const struct layout {
	uint64_t usable[4];
	unsigned count;
	uint32_t block;
	uint64_t stripe;
} layouts[] = {
	{{17 * TIB}, 1, 8192, 0},
	{{17 * TIB}, 1, 1048576, 0},
	{{TIB / 2, 9 * TIB, 5 * TIB / 2, 5 * TIB}, 4, 8192, 0},
	{{17 * TIB / 4, 17 * TIB / 4, 17 * TIB / 4, 17 * TIB / 4}, 4, 8192, 1048576},
	{{TIB / 2, 9 * TIB, 5 * TIB / 2, 5 * TIB}, 4, 8192, 65536},
	{{8 * TIB, TIB, 8 * TIB}, 3, 8192, 8192},
};

static void init(struct volume *volume, const struct layout *layout)
{
	assert_int_equal(
		volume_init(volume, layout->usable, layout->count, layout->block, layout->stripe),
		0);
}

/* Where a place is when the LUNs lie one after the other, whatever the layout. */
static uint64_t address(const struct layout *layout, struct place place)
{
	uint64_t before = 0;

	assert_true(place.lun < layout->count);
	assert_true(place.offset % layout->block == 0);
	assert_true(place.offset + layout->block <= layout->usable[place.lun]);
	for (unsigned i = 0; i < place.lun; i++)
		before += layout->usable[i];
	return before + place.offset;
}

static double chi_square(const uint32_t hits[PARTS])
{
	const double expected = (double)DRAWS / PARTS;
	double sum = 0;

	for (unsigned i = 0; i < PARTS; i++)
		sum += ((double)hits[i] - expected) * ((double)hits[i] - expected) / expected;
	return sum;
}

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* a generator with too few bits reaches every part, but not every block: they come again too soon
 */
static unsigned count_repeats(uint64_t at[DRAWS])
{
	unsigned repeats = 0;

	qsort(at, DRAWS, sizeof(at[0]), compare);
	for (unsigned i = 1; i < DRAWS; i++)
		repeats += at[i] == at[i - 1];
	return repeats;
}

static double draw(const struct layout *layout, uint64_t seed, unsigned *repeats)
{
	static struct volume volume;
	static uint64_t at[DRAWS];
	uint32_t hits[PARTS] = {0};
	struct random random;

	init(&volume, layout);
	random_seed(&random, seed, 65536); /* that of the first point's first worker */
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t block = random_below(&random, volume.blocks);

		at[i] = address(layout, volume_place(&volume, block));
		/* a part of 17 TiB is no whole number of blocks, but of many: nearly one */
		hits[at[i] / (17 * TIB / PARTS + 1)]++;
	}
	volume_release(&volume);
	*repeats = count_repeats(at);
	return chi_square(hits);
}

static void each_part_of_17_tib_gets_its_share(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts); i++)
		for (size_t j = 0; j < COUNT(seeds); j++) {
			/* of n draws from N blocks n^2 / 2N: like all rare events, with the root
			 * of that as standard deviation, of which five are allowed */
			double expected =
				(double)DRAWS * DRAWS * layouts[i].block / (2.0 * 17 * (double)TIB);
			unsigned repeats;
			double sum = draw(&layouts[i], seeds[j], &repeats);

			if (sum < CHI_LOW || sum > CHI_HIGH ||
			    ((double)repeats - expected) * ((double)repeats - expected) >
				    25 * expected)
				fail_msg("layout %zu, seed %llu: chi-square %.1f, %u repeats", i,
					 (unsigned long long)seeds[j], sum, repeats);
		}
}

/* 1 - 1/e of the blocks, with a standard deviation of 0.09 % */
static void as_many_draws_as_blocks_hit_632_in_1000_of_them(void **state)
{
	enum { BLOCKS = 131072 };
	static const struct layout gib[] = {
		{{1024 * BYTES_MIB}, 1, 8192, 0},
		{{100 * BYTES_MIB, 923 * BYTES_MIB, BYTES_MIB}, 3, 8192, 0},
		{{100 * BYTES_MIB, 923 * BYTES_MIB, BYTES_MIB}, 3, 8192, 1048576},
	};
	static struct volume volume;
	static bool seen[BLOCKS];

	(void)state;
	for (size_t i = 0; i < COUNT(gib) * COUNT(seeds); i++) {
		const struct layout *layout = &gib[i / COUNT(seeds)];
		unsigned distinct = 0;
		struct random random;

		init(&volume, layout);
		assert_int_equal(volume.blocks, BLOCKS);
		memset(seen, 0, sizeof(seen));
		random_seed(&random, seeds[i % COUNT(seeds)], 65536);
		for (unsigned j = 0; j < BLOCKS; j++) {
			uint64_t block = random_below(&random, volume.blocks);
			uint64_t at = address(layout, volume_place(&volume, block)) / 8192;

			distinct += !seen[at];
			seen[at] = true;
		}
		volume_release(&volume);
		assert_in_range(distinct, BLOCKS * 627 / 1000, BLOCKS * 637 / 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_of_17_tib_gets_its_share),
		cmocka_unit_test(as_many_draws_as_blocks_hit_632_in_1000_of_them),
	};

	return cmocka_run_group_tests_name("offsets", tests, NULL, NULL);
}
