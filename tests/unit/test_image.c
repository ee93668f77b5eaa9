/* Which blocks of a LUN are read for its marks, how, and what if they cannot be.
 * SPDX-License-Identifier: MIT */
#include <sys/resource.h>
#include <sys/stat.h>

#include "fakes/fake_clock.h"
#include "mark_cases.h"
#include "memory_lun.h"

int __real_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);

/* As for a user: a hard limit is never raised. */
int __wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	struct rlimit now;

	assert_int_equal(getrlimit(resource, &now), 0);
	if (limit->rlim_max > now.rlim_max) {
		errno = EPERM;
		return -1;
	}
	return __real_setrlimit(resource, limit);
}

/* Counted by hand from the list of places in image.c and the 64 KiB that a read has at most. */
static void reads_are_few_and_exact(void **state)
{
	static const struct {
		uint64_t size;
		uint32_t block;
		uint64_t reads, bytes;
	} cases[] = {
		{0, 512, 0, 0},
		{100, 512, 1, 100}, /* a file's last block may be part of one */
		{512, 512, 1, 512},
		{4096, 512, 1, 4096},
		{4096, 4096, 1, 4096},
		{100 * KIB, 512, 2, 102400},
		{1 * MIB, 512, 16, 1048576},
		/* 9; 1 at 1 MiB; 2 around 2 MiB; 2 around 4 MiB; 8, 16, 32 MiB; 2 around 64 MiB;
		 * 128 MiB; 1 MiB before the end; the last 512 KiB */
		{200 * MIB, 512, 29, 1294336},
		{200 * MIB, 4096, 29, 1294336},
		/* and one at 256 GiB */
		{17 * TIB, 512, 30, 1298432},
		/* blocks of 64 KiB: the places below it grow to whole blocks */
		{200 * MIB, 65536, 29, 29 * 65536},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target = lun_new(cases[i].size, cases[i].block);
		struct findings findings;
		struct io_count read = look(&target, &findings);

		assert_int_equal(read.reads, cases[i].reads);
		assert_int_equal(read.read_bytes, cases[i].bytes);
		lun_close(&target);
	}
}

static void first_read_that_takes_no_direct_io_is_an_error(void **state)
{
	static const int codes[] = {EINVAL, EOPNOTSUPP};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target target = lun_new(16 * MIB, 512);
		struct findings findings = {0};
		struct io_count read = {.reads = 5};

		script.fail = codes[i];
		script.fail_to = UINT64_MAX;
		assert_int_equal(probe_marks(&target, UINT64_MAX, &read, &findings), -codes[i]);
		assert_int_equal(read.reads, 6);
		assert_int_equal(findings.kinds, 0);
		lun_close(&target);
	}
}

static void blocks_that_cannot_be_read_are_unknown_once(void **state)
{
	struct target target = lun_new(200 * MIB, 512);
	struct findings findings;

	(void)state;
	lun_write(&target, 65600, "_BHRfS_M", 8);
	script.fail = EIO;
	script.fail_to = 65536;
	look(&target, &findings);
	assert_says(&findings, "its first blocks cannot be read (Input/output error)");
	assert_says(&findings, "carries btrfs (file system)");
	assert_int_equal(findings.count, 2);

	script.fail_from = 199 * MIB;
	script.fail_to = UINT64_MAX;
	look(&target, &findings);
	assert_says(&findings, "its last blocks cannot be read (Input/output error)");
	assert_says(&findings, "carries btrfs (file system)");
	assert_int_equal(findings.count, 2);

	script.fail_from = 0;
	look(&target, &findings);
	assert_says(&findings, "its first blocks cannot be read (Input/output error)");
	assert_says(&findings, "its last blocks cannot be read (Input/output error)");
	assert_int_equal(findings.count, 2);
	assert_int_equal(findings.kinds, 1u << FINDING_UNKNOWN);

	/* not the first read: direct I/O works here, so this is a block that cannot be read */
	script.fail = EINVAL;
	script.fail_from = MIB;
	look(&target, &findings);
	assert_true(findings_has(&findings, FINDING_UNKNOWN));
	lun_close(&target);
}

static void short_reads_are_gone_on_with(void **state)
{
	struct target target = lun_new(CASE_LUN_BYTES, 512);
	struct findings findings;
	struct io_count read;

	(void)state;
	lun_write(&target, 65526, "SWAPSPACE2", 10);
	script.cut = 512;
	read = look(&target, &findings);
	assert_says(&findings, "carries swap space (mark at byte 65526)");
	assert_int_equal(findings.count, 1);
	assert_int_equal(read.read_bytes, read.reads * 512);

	script.cut = 100; /* direct I/O cannot go on from there */
	look(&target, &findings);
	assert_says(&findings, "its first blocks cannot be read (Input/output error)");
	lun_close(&target);
}

static void lun_that_became_shorter_is_unknown(void **state)
{
	struct target target = lun_new(16 * MIB, 512);
	struct findings findings;

	(void)state;
	assert_int_equal(ftruncate(target.fd, MIB), 0);
	look(&target, &findings);
	assert_says(&findings, "its last blocks cannot be read (Input/output error)");
	lun_close(&target);
}

static void large_lun_costs_little_memory(void **state)
{
	struct target target = lun_new(17 * TIB, 512);
	struct findings findings;
	struct stat st;

	(void)state;
	/* MD 1.0: the end, less 8 KiB; the last label of ZFS */
	lun_write(&target, 17 * TIB - 8192, "\xfc\x4e\x2b\xa9", 4);
	lun_write(&target, 17 * TIB - 131072, "\x0c\xb1\xba\0\0\0\0\0", 8);
	look(&target, &findings);
	assert_says(&findings, "carries a member of an MD RAID (mark at byte 18691697664000)");
	assert_int_equal(findings.count, 2);
	assert_int_equal(fstat(script.copy, &st), 0);
	assert_int_equal(st.st_size, 17 * TIB);
	assert_in_range(st.st_blocks * 512, 1298432, 2 * MIB);
	lun_close(&target);
}

static void time_that_is_up_ends_the_reading(void **state)
{
	struct target target = lun_new(200 * MIB, 512);
	struct findings findings = {0};
	struct io_count read = {0};

	(void)state;
	lun_write(&target, 4086, "SWAPSPACE2", 10);
	lun_write(&target, 199 * MIB + 1023 * KIB, "\xde\x11\xde\x11", 4);
	fake_clock_set(0);
	fake_clock_step(1);
	assert_int_equal(probe_marks(&target, 3, &read, &findings), 0);
	assert_int_equal(read.reads, 3);
	assert_int_equal(read.read_bytes, 3 * 65536);
	assert_says(&findings, "carries swap space (mark at byte 4086)");
	assert_int_equal(findings.count, 1);

	findings = (struct findings){0};
	assert_int_equal(probe_marks(&target, 0, &read, &findings), 0);
	assert_int_equal(read.reads, 3);
	assert_int_equal(findings.kinds, 0);
	fake_clock_step(0);
	lun_close(&target);
}

static void look_under_a_limit(const struct rlimit *limit, struct findings *findings)
{
	struct target target = lun_new(16 * MIB, 512);

	lun_write(&target, 4096, "\xfc\x4e\x2b\xa9", 4);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, limit), 0);
	look(&target, findings);
	assert_says(findings, "carries a member of an MD RAID (mark at byte 4096)");
	lun_close(&target);
}

static void limit_on_files_that_can_be_raised_is_none(void **state)
{
	struct findings findings;
	struct rlimit old, low, now;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){.rlim_cur = 1 * MIB, .rlim_max = old.rlim_max};
	look_under_a_limit(&low, &findings);
	assert_int_equal(findings.kinds, 1u << FINDING_CARRIES);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	assert_int_equal(now.rlim_cur, low.rlim_cur);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

/* A file beyond the limit would raise SIGXFSZ and end the program. The last test: it keeps that. */
static void limit_on_files_does_not_end_the_program(void **state)
{
	const struct rlimit low = {.rlim_cur = 1 * MIB, .rlim_max = 1 * MIB};
	struct findings findings;

	(void)state;
	look_under_a_limit(&low, &findings);
	assert_says(&findings, "libblkid could not look at it (File too large: a limit on the size "
			       "of files, ulimit -f)");
}

static void without_libblkid_the_marks_still_count(void **state)
{
	struct target target = lun_new(16 * MIB, 512);
	struct findings findings;

	(void)state;
	lun_write(&target, 0, "LUKS\xba\xbe\0\1", 8);
	script.no_copy = ENOSYS;
	look(&target, &findings);
	assert_says(&findings, "carries LUKS encrypted data (mark at byte 0)");
	assert_says(&findings, "libblkid could not look at it (Function not implemented)");
	assert_int_equal(findings.count, 2);
	lun_close(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_are_few_and_exact),
		cmocka_unit_test(first_read_that_takes_no_direct_io_is_an_error),
		cmocka_unit_test(blocks_that_cannot_be_read_are_unknown_once),
		cmocka_unit_test(short_reads_are_gone_on_with),
		cmocka_unit_test(lun_that_became_shorter_is_unknown),
		cmocka_unit_test(large_lun_costs_little_memory),
		cmocka_unit_test(time_that_is_up_ends_the_reading),
		cmocka_unit_test(limit_on_files_that_can_be_raised_is_none),
		cmocka_unit_test(without_libblkid_the_marks_still_count),
		cmocka_unit_test(limit_on_files_does_not_end_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
