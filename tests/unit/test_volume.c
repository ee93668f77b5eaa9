/* Tests of volume.c. SPDX-License-Identifier: MIT */
#include "calib/volume.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
	assert_int_equal(volume_init(&volume, usable, 1, 8192), 0);
	assert_int_equal(volume.blocks, 10);
	assert_int_equal(volume.lun_count, 1);
	assert_place(&volume, 0, 0, 0);
	assert_place(&volume, 9, 0, 73728);
}

static void unequal_luns_are_joined_end_to_end(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {3 * 8192, 8192, 5 * 8192};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 3, 8192), 0);
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
	assert_int_equal(volume_init(&volume, usable, 2, 12288), 0);
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
	assert_int_equal(volume_init(&volume, usable, 2, 512), 0);
	assert_true(volume.blocks == UINT64_C(36507222016) + UINT64_C(18014398509479936));
	assert_place(&volume, UINT64_C(36507222015), 0, UINT64_C(18691697671680));
	assert_place(&volume, UINT64_C(36507222016), 1, 0);
	assert_place(&volume, volume.blocks - 1, 1, UINT64_C(9223372036853726720));
	assert_int_equal(volume_init(&volume, usable, 2, 1048576), 0);
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
	assert_int_equal(volume_init(&volume, usable, VOLUME_LUNS_MAX, 4096), 0);
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
	assert_int_equal(volume_init(&volume, usable, 2, 8192), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, 1, 8192), 0);
	assert_int_equal(volume_init(&volume, (const uint64_t[]){0}, 1, 8192), -EINVAL);
}

static void count_out_of_range_is_refused(void **state)
{
	static struct volume volume;
	static uint64_t usable[VOLUME_LUNS_MAX + 1];

	(void)state;
	for (unsigned i = 0; i <= VOLUME_LUNS_MAX; i++)
		usable[i] = 8192;
	assert_int_equal(volume_init(&volume, usable, 0, 8192), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, VOLUME_LUNS_MAX + 1, 8192), -EINVAL);
}

static void volume_beyond_64_bits_is_refused(void **state)
{
	static struct volume volume;
	const uint64_t usable[] = {UINT64_MAX, 1};

	(void)state;
	assert_int_equal(volume_init(&volume, usable, 2, 1), -EINVAL);
	assert_int_equal(volume_init(&volume, usable, 1, 0), -EINVAL);
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
	};

	return cmocka_run_group_tests_name("volume", tests, NULL, NULL);
}
