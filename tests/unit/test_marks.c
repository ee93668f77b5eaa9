/* Bare marks: each found at its place, none where there is none. SPDX-License-Identifier: MIT */
#include "calib/random.h"
#include "target/marks_private.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark_cases.h"
/* needs the headers above */
#include <cmocka.h>

#define WINDOW 8192

/* A copy of the LUN of the cases: one window, with the bytes 4 KiB into it where there is room. */
static void image_around(struct image *image, const struct mark_case *mark_case)
{
	uint64_t start = mark_case->at < WINDOW / 2 ? 0 : mark_case->at - WINDOW / 2;

	*image = (struct image){.size_bytes = CASE_LUN_BYTES, .count = 1};
	image->windows[0] =
		(struct window){.at = start, .length = WINDOW, .bytes = calloc(1, WINDOW)};
	assert_non_null(image->windows[0].bytes);
	memcpy(image->windows[0].bytes + (mark_case->at - start), mark_case->bytes,
	       mark_case->length);
}

static void judge(const struct image *image, struct findings *findings)
{
	struct mark_set known = {0};

	*findings = (struct findings){0};
	marks_find(image, &known, findings);
}

static void each_mark_is_found_and_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < MARK_CASES; i++) {
		struct findings findings;
		struct image image;
		char expected[FINDING_TEXT];

		image_around(&image, &mark_cases[i]);
		judge(&image, &findings);
		snprintf(expected, sizeof(expected), "carries %s (mark at byte %" PRIu64 ")",
			 mark_cases[i].name, mark_cases[i].at);
		assert_int_equal(findings.count, 1);
		assert_int_equal(findings.list[0].kind, FINDING_CARRIES);
		assert_string_equal(findings.list[0].text, expected);
		image_release(&image);
	}
}

/* The byte that is changed is one that each row of that kind asks for. */
static void damaged_mark_is_not_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < MARK_CASES; i++) {
		uint64_t at = mark_cases[i].at;
		struct findings findings;
		struct image image;

		image_around(&image, &mark_cases[i]);
		image.windows[0].bytes[at - image.windows[0].at + 1] ^= 0x40;
		judge(&image, &findings);
		assert_int_equal(findings.count, 0);
		image_release(&image);
	}
}

static bool case_covers(const struct mark_case *mark_case, const struct mark *mark)
{
	uint64_t at;

	assert_true(mark_place(mark, CASE_LUN_BYTES, &at));
	for (unsigned i = 0; i < mark->times; i++, at += mark->step) {
		if (at == mark_case->at && mark->length <= mark_case->length &&
		    memcmp(mark->bytes, mark_case->bytes, mark->length) == 0)
			return true;
	}
	return false;
}

static void each_row_of_the_table_has_a_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < mark_count; i++) {
		bool covered = false;

		for (size_t j = 0; j < MARK_CASES && !covered; j++)
			covered = case_covers(&mark_cases[j], &marks[i]);
		if (!covered)
			fail_msg("no case for row %zu, %s", i, mark_kinds[marks[i].kind].name);
	}
}

static void each_kind_has_a_mark_and_a_name(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < MARK_KINDS; kind++) {
		size_t rows = 0;

		for (size_t i = 0; i < mark_count; i++)
			rows += marks[i].kind == kind;
		assert_true(rows > 0);
		assert_non_null(mark_kinds[kind].name);
		assert_non_null(mark_kinds[kind].types);
	}
}

static void two_marks_of_one_kind_are_one_finding(void **state)
{
	struct findings findings;
	struct image image;

	(void)state;
	image_around(&image, &(struct mark_case){CASE("", 512, "EFI PART")});
	memcpy(image.windows[0].bytes + 4096, "EFI PART", 8);
	judge(&image, &findings);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.list[0].text,
			    "carries a GPT partition table (mark at byte 512)");
	image_release(&image);
}

static void kind_that_is_known_is_no_finding(void **state)
{
	struct mark_set known = {0};
	struct findings findings = {0};
	struct image image;

	(void)state;
	image_around(&image, &(struct mark_case){CASE("", 0, "HM\x01\0")});
	memcpy(image.windows[0].bytes + 510, "\x55\xaa", 2);
	assert_string_equal(marks_know(&known, "LVM1_member"), "an LVM1 physical volume");
	assert_string_equal(marks_know(&known, "dos"), "an MBR partition table or a boot sector");
	marks_find(&image, &known, &findings);
	assert_int_equal(findings.kinds, 0);
	image_release(&image);
}

static void type_is_known_by_the_whole_word(void **state)
{
	static const struct {
		const char *type;
		const char *name;
	} cases[] = {
		{"ext4", "an ext2, ext3 or ext4 file system"},
		{"ext4dev", "an ext2, ext3 or ext4 file system"},
		{"jbd", "an ext2, ext3 or ext4 file system"},
		{"xfs", "an XFS file system"},
		{"crypto_LUKS", "LUKS encrypted data"},
		{"linux_raid_member", "a member of an MD RAID"},
		{"zfs_member", "a member of a ZFS pool"},
		{"oracleasm", "an Oracle ASM disk"},
		{"ntfs", "an NTFS file system"}, /* and it has a boot sector */
		{"gpt", "a GPT partition table"},
		{"ext", NULL},
		{"xt4", NULL},
		{"gptx", NULL},
		{"", NULL},
		{" ", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mark_set known = {0};
		const char *name = marks_know(&known, cases[i].type);

		assert_int_equal(name != NULL, cases[i].name != NULL);
		if (name)
			assert_string_equal(name, cases[i].name);
	}
}

/* 50 random MiB, seen as the head of a LUN: two marks of two bytes would turn up in 1 of 32,768 */
static void random_data_has_no_mark(void **state)
{
	struct image image = {.size_bytes = 1048576, .count = 1};

	(void)state;
	image.windows[0] = (struct window){.length = 1048576, .bytes = malloc(1048576)};
	assert_non_null(image.windows[0].bytes);
	for (unsigned seed = 1; seed <= 50; seed++) {
		struct findings findings;
		struct random random;

		random_seed(&random, seed, 0);
		random_fill(&random, image.windows[0].bytes, image.windows[0].length);
		judge(&image, &findings);
		assert_int_equal(findings.kinds, 0);
	}
	image_release(&image);
}

static void mark_that_is_cut_by_the_end_is_not_read(void **state)
{
	struct findings findings;
	struct image image = {.size_bytes = 1081, .count = 1};

	(void)state;
	image.windows[0] = (struct window){.length = 1081, .bytes = calloc(1, 1081)};
	assert_non_null(image.windows[0].bytes);
	image.windows[0].bytes[1080] = 0x53;
	judge(&image, &findings);
	assert_int_equal(findings.kinds, 0);
	image_release(&image);
}

static void place_before_the_start_is_none(void **state)
{
	uint64_t at;
	unsigned none = 0;

	(void)state;
	for (size_t i = 0; i < mark_count; i++) {
		if (marks[i].end_unit == 0)
			continue;
		none++;
		assert_false(mark_place(&marks[i], 511, &at));
	}
	assert_true(none > 10);
}

static void bytes_are_answered_from_within_one_window_only(void **state)
{
	unsigned char low[16], high[16];
	struct image image = {
		.size_bytes = 1000,
		.windows = {{.at = 0, .length = 16, .bytes = low},
			    {.at = 100, .length = 16, .bytes = high}},
		.count = 2,
	};

	(void)state;
	assert_ptr_equal(image_at(&image, 0, 16), low);
	assert_ptr_equal(image_at(&image, 15, 1), low + 15);
	assert_ptr_equal(image_at(&image, 104, 12), high + 4);
	assert_null(image_at(&image, 15, 2));
	assert_null(image_at(&image, 16, 1));
	assert_null(image_at(&image, 99, 2));
	assert_null(image_at(&image, 104, 13));
	assert_null(image_at(&image, UINT64_MAX, 2));
	assert_null(image_at(&image, 105, SIZE_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mark_is_found_and_named),
		cmocka_unit_test(damaged_mark_is_not_found),
		cmocka_unit_test(each_row_of_the_table_has_a_case),
		cmocka_unit_test(each_kind_has_a_mark_and_a_name),
		cmocka_unit_test(two_marks_of_one_kind_are_one_finding),
		cmocka_unit_test(kind_that_is_known_is_no_finding),
		cmocka_unit_test(type_is_known_by_the_whole_word),
		cmocka_unit_test(random_data_has_no_mark),
		cmocka_unit_test(mark_that_is_cut_by_the_end_is_not_read),
		cmocka_unit_test(place_before_the_start_is_none),
		cmocka_unit_test(bytes_are_answered_from_within_one_window_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
