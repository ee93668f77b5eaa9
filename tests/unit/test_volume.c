/* Tests of volume.c. SPDX-License-Identifier: MIT */
#include "calib/random.h"
#include "calib/volume.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

static void assert_place(const struct volume *volume, uint64_t block, uint32_t lun, uint64_t offset)
{
	struct place place = volume_place(volume, block);

	if (place.lun != lun || place.offset != offset)
		fail_msg("block %llu lies in LUN %u at %llu", (unsigned long long)block, place.lun,
			 (unsigned long long)place.offset);
}

static void lun_is_used_up_to_the_last_whole_large_io(void **state)
{
	(void)state;
	assert_true(volume_usable_bytes(0, 1048576) == 0);
	assert_true(volume_usable_bytes(1048575, 1048576) == 0);
	assert_true(volume_usable_bytes(1048576, 1048576) == 1048576);
	assert_true(volume_usable_bytes(10000000, 1048576) == 9437184);
	assert_true(volume_usable_bytes(UINT64_C(629143441920), 1048576) == UINT64_C(629142454272));
	assert_true(volume_usable_bytes(UINT64_C(18691697672703), 512) == UINT64_C(18691697672192));
}

static void one_lun_is_the_volume(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {81920};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 1, 8192, 0), 0);
	assert_int_equal(volume.blocks, 10);
	assert_int_equal(volume.span_count, 1);
	assert_place(&volume, 0, 0, 0);
	assert_place(&volume, 9, 0, 73728);
}

static void unequal_luns_are_joined_end_to_end(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {3 * 8192, 8192, 5 * 8192};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 3, 8192, 0), 0);
	assert_int_equal(volume.blocks, 9);
	assert_place(&volume, 0, 0, 0);
	assert_place(&volume, 2, 0, 16384);
	assert_place(&volume, 3, 1, 0);
	assert_place(&volume, 4, 2, 0);
	assert_place(&volume, 8, 2, 32768);
}

static void no_block_straddles_two_luns(void **state)
{
	static struct volume volume;
	/* neither is a whole number of 12 KiB: the rest of each is left out */
	const uint64_t usable[] = {1048576, 2097152};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 12288, 0), 0);
	assert_int_equal(volume.blocks, 85 + 170);
	assert_place(&volume, 84, 0, 1032192);
	assert_place(&volume, 85, 1, 0);
	assert_place(&volume, 254, 1, 2076672);
}

static void offsets_are_64_bit(void **state)
{
	static struct volume volume;
	/* 17 TiB and 8 EiB less a MiB, in blocks of 512 bytes and of 1 MiB */
	const uint64_t usable[] = {UINT64_C(18691697672192), UINT64_C(9223372036853727232)};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 512, 0), 0);
	assert_true(volume.blocks == UINT64_C(36507222016) + UINT64_C(18014398509479936));
	assert_place(&volume, UINT64_C(36507222015), 0, UINT64_C(18691697671680));
	assert_place(&volume, UINT64_C(36507222016), 1, 0);
	assert_place(&volume, volume.blocks - 1, 1, UINT64_C(9223372036853726720));
	assert_int_equal(volume_init(&volume, usable, 2, 1048576, 0), 0);
	assert_place(&volume, UINT64_C(17825791), 0, UINT64_C(18691696623616));
	assert_place(&volume, UINT64_C(17825792), 1, 0);
}

static void every_block_of_1024_luns_is_found(void **state)
{
	static struct volume volume;
	static uint64_t usable[VOLUME_LUNS_MAX];
	uint64_t block = 0;

	(void)state;
	for (unsigned i = 0; i < VOLUME_LUNS_MAX; i++)
		usable[i] = (i % 3 + 1) * UINT64_C(4096);
	assert_int_equal(volume_init(&volume, usable, VOLUME_LUNS_MAX, 4096, 0), 0);
	for (uint32_t lun = 0; lun < VOLUME_LUNS_MAX; lun++) {
		for (uint64_t i = 0; i < lun % 3 + 1; i++)
			assert_place(&volume, block++, lun, i * 4096);
	}
	assert_true(volume.blocks == block);
}

static void lun_smaller_than_a_block_is_refused(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {8192, 8191};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 8192, 0), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, 1, 8192, 0), 0);
	assert_int_equal(volume_init(&volume, (const uint64_t[]){0}, 1, 8192, 0), -EINVAL);
}

static void count_out_of_range_is_refused(void **state)
{
	static struct volume volume;
	static uint64_t usable[VOLUME_LUNS_MAX + 1];

	(void)state;
	for (unsigned i = 0; i <= VOLUME_LUNS_MAX; i++)
		usable[i] = 8192;
	assert_int_equal(volume_init(&volume, usable, 0, 8192, 0), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, VOLUME_LUNS_MAX + 1, 8192, 0), -EINVAL);
}

static void volume_beyond_64_bits_is_refused(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {UINT64_MAX, 1};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 1, 0), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, 1, 0, 0), -EINVAL);
}

#define KIB UINT64_C(1024)

static void assert_extent(const struct volume *volume, uint64_t block, unsigned index, uint32_t lun,
			  uint64_t offset, uint64_t bytes)
{
	struct extent extents[VOLUME_LUNS_MAX];
	unsigned count = volume_extents(volume, block, extents);

	if (index >= count || extents[index].lun != lun || extents[index].offset != offset ||
	    extents[index].bytes != bytes)
		fail_msg("extent %u of %u of block %llu: LUN %u at %llu, %u bytes", index, count,
			 (unsigned long long)block, extents[index].lun,
			 (unsigned long long)extents[index].offset, extents[index].bytes);
}

static void stripes_go_round_equal_luns(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {4096 * KIB, 4096 * KIB};
	static const struct {
		uint64_t block;
		uint32_t lun;
		uint64_t offset;
	} cases[] = {
		{0, 0, 0},	    {1, 0, 512 * KIB},	{2, 1, 0},	     {3, 1, 512 * KIB},
		{4, 0, 1024 * KIB}, {6, 1, 1024 * KIB}, {12, 0, 3072 * KIB}, {15, 1, 3584 * KIB},
	};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 512 * KIB, 1024 * KIB), 0);
	assert_int_equal(volume.blocks, 16);
	assert_int_equal(volume.extents_max, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_place(&volume, cases[i].block, cases[i].lun, cases[i].offset);
	volume_release(&volume);
}

/* LUNs of 3, 1 and 2 stripes: a row of three, one of the two longer, one of the longest alone. */
static void full_luns_drop_out_of_the_rows(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {192 * KIB, 64 * KIB, 128 * KIB};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 3, 64 * KIB, 64 * KIB), 0);
	assert_int_equal(volume.blocks, 6);
	assert_place(&volume, 0, 0, 0);
	assert_place(&volume, 1, 1, 0);
	assert_place(&volume, 2, 2, 0);
	assert_place(&volume, 3, 0, 64 * KIB);
	assert_place(&volume, 4, 2, 64 * KIB);
	assert_place(&volume, 5, 0, 128 * KIB);
	volume_release(&volume);
}

static void stripe_need_not_be_a_power_of_two(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {192 * KIB, 192 * KIB, 192 * KIB};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 3, 32 * KIB, 96 * KIB), 0);
	assert_int_equal(volume.blocks, 18);
	assert_place(&volume, 2, 0, 64 * KIB);
	assert_place(&volume, 3, 1, 0);
	assert_place(&volume, 7, 2, 32 * KIB);
	assert_place(&volume, 9, 0, 96 * KIB);
	assert_place(&volume, 17, 2, 160 * KIB);
	volume_release(&volume);
}

/* LUNs of 2, 1 and 2 MiB, stripes of 128 KiB, blocks of 1 MiB: eight stripes over three LUNs, then
 * over two. */
static void large_block_lies_on_several_luns(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {2048 * KIB, 1024 * KIB, 2048 * KIB};
	static const struct {
		uint64_t block;
		unsigned index;
		uint32_t lun;
		uint64_t offset, bytes;
	} cases[] = {
		{0, 0, 0, 0, 384 * KIB},	  {0, 1, 1, 0, 384 * KIB},
		{0, 2, 2, 0, 256 * KIB},	  {1, 0, 2, 256 * KIB, 384 * KIB},
		{1, 1, 0, 384 * KIB, 384 * KIB},  {1, 2, 1, 384 * KIB, 256 * KIB},
		{2, 0, 1, 640 * KIB, 384 * KIB},  {2, 1, 2, 640 * KIB, 384 * KIB},
		{2, 2, 0, 768 * KIB, 256 * KIB},  {3, 0, 0, 1024 * KIB, 512 * KIB},
		{3, 1, 2, 1024 * KIB, 512 * KIB}, {4, 0, 0, 1536 * KIB, 512 * KIB},
		{4, 1, 2, 1536 * KIB, 512 * KIB},
	};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 3, 1024 * KIB, 128 * KIB), 0);
	assert_int_equal(volume.blocks, 5);
	assert_int_equal(volume.extents_max, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_extent(&volume, cases[i].block, cases[i].index, cases[i].lun,
			      cases[i].offset, cases[i].bytes);
	volume_release(&volume);
}

static void block_of_fewer_stripes_than_luns_lies_on_some(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {3072 * KIB, 3072 * KIB, 3072 * KIB};
	struct extent extents[VOLUME_LUNS_MAX];

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 3, 1024 * KIB, 512 * KIB), 0);
	assert_int_equal(volume.extents_max, 2);
	assert_int_equal(volume_extents(&volume, 1, extents), 2);
	assert_extent(&volume, 1, 0, 2, 0, 512 * KIB);
	assert_extent(&volume, 1, 1, 0, 512 * KIB, 512 * KIB);
	volume_release(&volume);
}

static void striping_one_lun_changes_nothing(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {4096 * KIB};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 1, 1024 * KIB, 64 * KIB), 0);
	assert_int_equal(volume.extents_max, 1);
	assert_int_equal(volume.blocks, 4);
	assert_place(&volume, 3, 0, 3072 * KIB);
	volume_release(&volume);
}

static void stripe_that_fits_no_block_is_refused(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {3072 * KIB, 3072 * KIB};
	const uint64_t small[] = {3072 * KIB, 512 * KIB};
	const uint64_t huge[] = {UINT64_C(1) << 62, UINT64_C(1) << 62};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 1024 * KIB, 768 * KIB), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, 2, 1024 * KIB, 1536 * KIB), -EINVAL);
	assert_int_equal(volume_init(&volume, small, 2, 8 * KIB, 1024 * KIB), -EINVAL);
	assert_int_equal(volume_init(&volume, small, 2, 1024 * KIB, 128 * KIB), -EINVAL);
	assert_int_equal(volume_init(&volume, huge, 2, 1024 * KIB, 1024 * KIB), -EINVAL);
}

static void every_unit_of_1024_different_luns_is_found(void **state)
{
	static struct volume volume;
	static uint64_t usable[VOLUME_LUNS_MAX];
	uint64_t block = 0;

	(void)state;
	for (unsigned i = 0; i < VOLUME_LUNS_MAX; i++)
		usable[i] = (i + 1) * 4 * KIB;
	assert_int_equal(volume_init(&volume, usable, VOLUME_LUNS_MAX, 4 * KIB, 4 * KIB), 0);
	/* row r: of LUN r and of all after it */
	for (uint32_t row = 0; row < VOLUME_LUNS_MAX; row++)
		for (uint32_t lun = row; lun < VOLUME_LUNS_MAX; lun++)
			assert_place(&volume, block++, lun, row * 4 * KIB);
	assert_true(volume.blocks == block);
	volume_release(&volume);
}

#define SET_LUNS  16u
#define SET_UNITS 12u /* of one LUN */
#define GRAINS	  512u

/** struct set - random LUNs, and how often each grain of each was hit; a grain is the smaller of
 * block and stripe */
struct set {
	unsigned count;
	uint64_t block_bytes, stripe_bytes;
	uint64_t usable[SET_LUNS];
	unsigned char hits[SET_LUNS][GRAINS];
};

static uint64_t set_grain(const struct set *set)
{
	return set->block_bytes < set->stripe_bytes ? set->block_bytes : set->stripe_bytes;
}

static void set_draw(struct set *set, struct random *random)
{
	uint64_t grain = 512 * (1 + random_below(random, 24));
	uint64_t larger = grain * (1 + random_below(random, 40));
	bool splits = random_below(random, 2) == 1;

	memset(set, 0, sizeof(*set));
	set->count = 1 + (unsigned)random_below(random, SET_LUNS);
	set->block_bytes = splits ? larger : grain;
	set->stripe_bytes = splits ? grain : larger;
	for (unsigned i = 0; i < set->count; i++)
		set->usable[i] = larger * (1 + random_below(random, SET_UNITS));
}

static void set_hit(struct set *set, uint32_t lun, uint64_t offset, uint64_t bytes)
{
	uint64_t grain = set_grain(set);

	assert_true(lun < set->count);
	assert_true(bytes > 0 && offset + bytes <= set->usable[lun]);
	assert_true(offset % grain == 0 && bytes % grain == 0);
	for (uint64_t at = offset / grain; at < (offset + bytes) / grain; at++)
		set->hits[lun][at]++;
}

static void set_hit_block(struct set *set, const struct volume *volume, uint64_t block)
{
	struct extent extents[SET_LUNS];
	struct place place;
	uint64_t sum = 0;
	unsigned count;

	if (volume->extents_max == 1) {
		place = volume_place(volume, block);
		set_hit(set, place.lun, place.offset, set->block_bytes);
		return;
	}
	count = volume_extents(volume, block, extents);
	assert_true(count <= volume->extents_max);
	for (unsigned i = 0; i < count; i++) {
		set_hit(set, extents[i].lun, extents[i].offset, extents[i].bytes);
		sum += extents[i].bytes;
	}
	assert_true(sum == set->block_bytes);
}

static void each_block_of_random_volumes_has_one_place(void **state)
{
	static struct volume volume;
	static struct set set;
	struct random random;

	(void)state;
	random_seed(&random, 17, 0);
	for (unsigned round = 0; round < 400; round++) {
		set_draw(&set, &random);
		assert_int_equal(volume_init(&volume, set.usable, set.count,
					     (uint32_t)set.block_bytes, set.stripe_bytes),
				 0);
		for (uint64_t block = 0; block < volume.blocks; block++)
			set_hit_block(&set, &volume, block);
		for (unsigned lun = 0; lun < set.count; lun++)
			for (uint64_t i = 0; i < set.usable[lun] / set_grain(&set); i++)
				assert_int_equal(set.hits[lun][i], 1);
		volume_release(&volume);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lun_is_used_up_to_the_last_whole_large_io),
		cmocka_unit_test(one_lun_is_the_volume),
		cmocka_unit_test(unequal_luns_are_joined_end_to_end),
		cmocka_unit_test(no_block_straddles_two_luns),
		cmocka_unit_test(offsets_are_64_bit),
		cmocka_unit_test(every_block_of_1024_luns_is_found),
		cmocka_unit_test(lun_smaller_than_a_block_is_refused),
		cmocka_unit_test(count_out_of_range_is_refused),
		cmocka_unit_test(volume_beyond_64_bits_is_refused),
		cmocka_unit_test(stripes_go_round_equal_luns),
		cmocka_unit_test(full_luns_drop_out_of_the_rows),
		cmocka_unit_test(stripe_need_not_be_a_power_of_two),
		cmocka_unit_test(large_block_lies_on_several_luns),
		cmocka_unit_test(block_of_fewer_stripes_than_luns_lies_on_some),
		cmocka_unit_test(striping_one_lun_changes_nothing),
		cmocka_unit_test(stripe_that_fits_no_block_is_refused),
		cmocka_unit_test(every_unit_of_1024_different_luns_is_found),
		cmocka_unit_test(each_block_of_random_volumes_has_one_place),
	};

	return cmocka_run_group_tests_name("volume", tests, NULL, NULL);
}
