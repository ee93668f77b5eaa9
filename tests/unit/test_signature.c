/* What a LUN carries: by libblkid and by bare marks. SPDX-License-Identifier: MIT */
#include "calib/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mark_cases.h"
#include "memory_lun.h"
/* needs the headers above */
#include <cmocka.h>

static void empty_lun_carries_nothing(void **state)
{
	static const uint64_t sizes[] = {512,	   4096,      100 * KIB, 1440 * KIB,
					 16 * MIB, 200 * MIB, 17 * TIB};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct target target = lun_new(sizes[i], 512);
		struct findings findings;

		look(&target, &findings);
		show(&findings);
		assert_int_equal(findings.kinds, 0);
		lun_close(&target);
	}
}

static void each_mark_is_among_the_blocks_that_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < MARK_CASES; i++) {
		const struct mark_case *mark = &mark_cases[i];
		bool fits = mark->at < CASE_LUN_BYTES;
		struct target target = lun_new(fits ? CASE_LUN_BYTES : TIB, 512);
		struct findings findings;

		lun_write(&target, mark->at, mark->bytes, mark->length);
		look(&target, &findings);
		if (findings.count != 1 || findings.list[0].kind != FINDING_CARRIES) {
			show(&findings);
			fail_msg("%s at %llu: not one finding", mark->name,
				 (unsigned long long)mark->at);
		}
		lun_close(&target);
	}
}

static void marks_alone_are_named(void **state)
{
	/* libblkid names some of these, others only where a valid structure lies around the mark;
	 * which ones depends on its version */
	static const struct {
		uint64_t at;
		const char *bytes;
		size_t length;
		const char *word;
	} cases[] = {
		{32, "ORCLDISKVOL1", 12, "ASM"},
		{0, "LUKS\xba\xbe\0\1", 8, "LUKS"},
		{65600, "_BHRfS_M", 8, "btrfs"},
		{512, "LABELONE", 8, "LVM"},
		{4096, "\xfc\x4e\x2b\xa9", 4, "MD RAID"},
		{0, "XFSB", 4, "XFS"},
		{4086, "SWAPSPACE2", 10, "swap"},
		{512, "EFI PART", 8, "GPT"},
		{4096, "EFI PART", 8, "GPT"},
		{510, "\x55\xaa", 2, "MBR"},
		{131072, "\x0c\xb1\xba\0", 4, "ZFS"},
		{1080, "\x53\xef", 2, "ext2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target = lun_new(32 * MIB, 512);
		struct findings findings;

		lun_write(&target, cases[i].at, cases[i].bytes, cases[i].length);
		look(&target, &findings);
		assert_int_equal(findings.count, 1);
		assert_int_equal(findings.list[0].kind, FINDING_CARRIES);
		if (!strstr(findings.list[0].text, cases[i].word))
			fail_msg("no %s in: %s", cases[i].word, findings.list[0].text);
		lun_close(&target);
	}
}

static void two_things_are_two_findings(void **state)
{
	struct target target = lun_new(32 * MIB, 512);
	struct findings findings;

	(void)state;
	lun_write(&target, 0, "LUKS\xba\xbe\0\1", 8);
	lun_write(&target, 65600, "_BHRfS_M", 8);
	lun_write(&target, 4086, "SWAPSPACE2", 10);
	look(&target, &findings);
	assert_int_equal(findings.count, 3);
	assert_says(&findings, "carries LUKS encrypted data (crypto_LUKS)");
	assert_says(&findings, "carries btrfs (file system)");
	assert_says(&findings, "carries swap space (mark at byte 4086)");
	lun_close(&target);
}

/* An LVM label in the second sector: its number, a checksum that is wrong, where the rest lies */
static void damaged_structure_is_named_as_such(void **state)
{
	static const char label[] = "LABELONE\1\0\0\0\0\0\0\0\xba\xd0\xba\xd0\x20\0\0\0LVM2 001"
				    "0123456789abcdefghijklmnopqrstuv";
	struct target target = lun_new(32 * MIB, 512);
	struct findings findings;

	(void)state;
	lun_write(&target, 512, label, sizeof(label));
	look(&target, &findings);
	assert_says(&findings, "carries an LVM physical volume (LVM2_member, damaged)");
	assert_int_equal(findings.count, 1);
	lun_close(&target);
}

/* A shell line with the LUN as "$1"; false where its program is not installed. */
static bool lun_make(const struct target *target, const char *line)
{
	char command[512];
	int status;

	snprintf(command, sizeof(command),
		 "PATH=$PATH:/usr/sbin:/sbin; set -- /proc/%d/fd/%d; { %s; } >/dev/null 2>&1",
		 (int)getpid(), target->fd, line);
	status = system(command);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return false;
	assert_int_equal(status, 0);
	return true;
}

static void ext4_is_named_with_its_label(void **state)
{
	struct target target = lun_new(16 * MIB, 512);
	struct findings findings;

	(void)state;
	if (!lun_make(&target, "mkfs.ext4 -F -L \"$(printf 'my\\001data')\" \"$1\"")) {
		lun_close(&target);
		skip();
	}
	look(&target, &findings);
	assert_says(&findings, "carries ext4 (file system, label 'my\\x01data')");
	assert_int_equal(findings.count, 1);

	/* its first block overwritten up to the mark, as by a careless dd */
	lun_write(&target, 1024, "overwritten overwritten overwritten overwritten overwritten ",
		  56);
	look(&target, &findings);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0].kind, FINDING_CARRIES);
	assert_non_null(strstr(findings.list[0].text, "ext"));
	lun_close(&target);
}

static void swap_is_named_with_its_label(void **state)
{
	struct target target = lun_new(16 * MIB, 512);
	struct findings findings;

	(void)state;
	if (!lun_make(&target, "mkswap -L paging \"$1\"")) {
		lun_close(&target);
		skip();
	}
	look(&target, &findings);
	assert_says(&findings, "carries swap space (swap, label 'paging')");
	assert_int_equal(findings.count, 1);
	lun_close(&target);
}

/* The entry of one partition in a boot record: its type, all of the LUN from sector @start on */
static void write_mbr(const struct target *target, unsigned char type, unsigned char start)
{
	unsigned char record[512] = {0};
	uint32_t sectors = (uint32_t)(target->size_bytes / target->logical_block_bytes) - start;

	record[446 + 4] = type;
	record[446 + 8] = start;
	for (int i = 0; i < 4; i++)
		record[446 + 12 + i] = (unsigned char)(sectors >> (8 * i));
	record[510] = 0x55;
	record[511] = 0xaa;
	lun_write(target, 0, record, sizeof(record));
}

static void partition_table_is_named(void **state)
{
	struct target target = lun_new(16 * MIB, 512);
	struct findings findings;

	(void)state;
	write_mbr(&target, 0x83, 64);
	look(&target, &findings);
	assert_says(&findings, "carries an MBR partition table or a boot sector (dos)");
	assert_int_equal(findings.count, 1);
	lun_close(&target);
}

/* CRC-32 as in GPT and zip, bit by bit */
static uint32_t crc32(const unsigned char *bytes, size_t length)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static void put(unsigned char *out, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out[i] = (unsigned char)(value >> (8 * i));
}

/* A GPT without partitions (UEFI specification, 5.3.2): its header, at block @at or the last one */
static void write_gpt(const struct target *target, bool is_backup)
{
	static const unsigned char entries[128 * 128];
	unsigned char header[92] = "EFI PART";
	uint64_t block = target->logical_block_bytes;
	uint64_t last = target->size_bytes / block - 1;
	uint64_t entry_blocks = sizeof(entries) / block;

	put(header + 8, 0x00010000, 4);
	put(header + 12, sizeof(header), 4);
	put(header + 24, is_backup ? last : 1, 8);
	put(header + 32, is_backup ? 1 : last, 8);
	put(header + 40, 2 + entry_blocks, 8);
	put(header + 48, last - 1 - entry_blocks, 8);
	put(header + 56, 0x1234, 16 / 2); /* the disk's GUID */
	put(header + 72, is_backup ? last - entry_blocks : 2, 8);
	put(header + 80, 128, 4);
	put(header + 84, 128, 4);
	put(header + 88, crc32(entries, sizeof(entries)), 4);
	put(header + 16, crc32(header, sizeof(header)), 4);
	lun_write(target, (is_backup ? last : 1) * block, header, sizeof(header));
}

static void gpt_is_named_in_blocks_of_either_size(void **state)
{
	static const uint32_t blocks[] = {512, 4096};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target target = lun_new(32 * MIB, blocks[i]);
		struct findings findings;

		write_mbr(&target, 0xee, 1);
		write_gpt(&target, false);
		look(&target, &findings);
		assert_says(&findings, "carries a GPT partition table (gpt)");
		assert_int_equal(findings.count, 1);
		write_gpt(&target, true);
		look(&target, &findings);
		assert_says(&findings, "carries a GPT partition table (gpt)");
		assert_int_equal(findings.count, 1);

		/* the first 64 KiB gone: the second table is left */
		lun_write(&target, 0, (char[65536]){0}, 65536);
		look(&target, &findings);
		assert_int_equal(findings.count, 1);
		assert_non_null(strstr(findings.list[0].text, "a GPT partition table"));
		lun_close(&target);
	}
}

/* @count marks of the cases in @size bytes, the last one whole whatever it falls on */
static void plant(const struct target *target, struct random *random, unsigned count)
{
	while (count > 0) {
		const struct mark_case *mark = &mark_cases[random_below(random, MARK_CASES)];

		if (mark->at + mark->length > target->size_bytes)
			continue;
		lun_write(target, mark->at, mark->bytes, mark->length);
		count--;
	}
}

static void marks_in_random_data_are_found(void **state)
{
	static unsigned char noise[2 * MIB];

	(void)state;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct random random;
		struct target target;
		struct findings findings;
		uint64_t size;

		random_seed(&random, seed, 0);
		size = (1 + random_below(&random, sizeof(noise) / 512)) * 512;
		target = lun_new(size, 512);
		/* half of them all noise, the others with a stretch of it */
		random_fill(&random, noise, sizeof(noise));
		if (seed % 2)
			lun_write(&target, 0, noise, size);
		else
			lun_write(&target, random_below(&random, size / 2), noise, size / 2);
		plant(&target, &random, 1 + seed % 4);
		look(&target, &findings);
		assert_true(findings_has(&findings, FINDING_CARRIES));
		lun_close(&target);
	}
}

static void random_data_carries_nothing(void **state)
{
	static unsigned char noise[4 * MIB];

	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct target target = lun_new(sizeof(noise), 512);
		struct random random;
		struct findings findings;

		random_seed(&random, seed, 1);
		random_fill(&random, noise, sizeof(noise));
		lun_write(&target, 0, noise, sizeof(noise));
		look(&target, &findings);
		show(&findings);
		assert_int_equal(findings.kinds, 0);
		lun_close(&target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_lun_carries_nothing),
		cmocka_unit_test(each_mark_is_among_the_blocks_that_are_read),
		cmocka_unit_test(marks_alone_are_named),
		cmocka_unit_test(two_things_are_two_findings),
		cmocka_unit_test(damaged_structure_is_named_as_such),
		cmocka_unit_test(ext4_is_named_with_its_label),
		cmocka_unit_test(swap_is_named_with_its_label),
		cmocka_unit_test(partition_table_is_named),
		cmocka_unit_test(gpt_is_named_in_blocks_of_either_size),
		cmocka_unit_test(marks_in_random_data_are_found),
		cmocka_unit_test(random_data_carries_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
