/* B70: host-managed zones take no random writes: such a disk is never written, and only such.
 * The devices are a tree of files, as sysfs shows them. SPDX-License-Identifier: MIT */
#include "calib/target.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

#define PATH_SIZE 128

/* Those that a name has in it. */
static void make_directories(const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s", name);
	for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void make_file(const char *name, const char *text)
{
	FILE *file;

	make_directories(name);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A block device and its number, as sysfs shows them: its directory and a link to it. */
static void make_device(const char *directory, unsigned minor)
{
	char name[PATH_SIZE], text[PATH_SIZE];

	snprintf(name, sizeof(name), "sys/%s/dev", directory);
	snprintf(text, sizeof(text), "8:%u\n", minor);
	make_file(name, text);
	snprintf(name, sizeof(name), "sys/dev/block/8:%u", minor);
	snprintf(text, sizeof(text), "../../%s", directory);
	make_directories(name);
	assert_int_equal(symlink(text, name), 0);
}

/* A disk with one partition: sda is 8:0, sda1 is 8:1, sdb is 8:16. */
static void make_disk(char letter, const char *zoned)
{
	unsigned minor = (unsigned)(letter - 'a') * 16;
	char name[PATH_SIZE];

	snprintf(name, sizeof(name), "sys/devices/sd%c/queue/zoned", letter);
	make_file(name, zoned);
	snprintf(name, sizeof(name), "devices/sd%c", letter);
	make_device(name, minor);
	snprintf(name, sizeof(name), "sys/devices/sd%c/sd%c1/partition", letter, letter);
	make_file(name, "1\n");
	snprintf(name, sizeof(name), "devices/sd%c/sd%c1", letter, letter);
	make_device(name, minor + 1);
}

static char root[] = "/tmp/calib-test-XXXXXX"; /* the current directory of the tests */

static int make_machine(void **state)
{
	(void)state;
	if (!mkdtemp(root) || chdir(root) < 0)
		return -1;
	make_file("proc/self/mountinfo", "22 1 0:25 / / rw - tmpfs none rw\n");
	make_file("proc/1/mountinfo", "22 1 0:25 / / rw - tmpfs none rw\n");
	make_file("proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
	make_disk('a', "none\n");
	make_disk('b', "host-managed\n");
	make_disk('c', "host-aware\n");
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static int remove_machine(void **state)
{
	(void)state;
	return chdir("/") < 0 ? -1 : nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void look_at(unsigned minor, struct findings *findings)
{
	const struct probe_roots roots = {.sysfs = "sys", .proc = "proc"};
	const struct target target = {
		.path = "disk", .fd = -1, .is_block = true, .device = makedev(8, minor)};

	*findings = (struct findings){0};
	probe_holds(&target, 1, &roots, false, findings);
}

static void host_managed_zones_are_never_written(void **state)
{
	static const unsigned minors[] = {16, 17}; /* the disk, its partition */
	const struct consent all = {.overwrite = true, .force = true};
	struct findings findings;
	char reason[FINDINGS_MAX * FINDING_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(minors) / sizeof(minors[0]); i++) {
		look_at(minors[i], &findings);
		assert_true(findings_has(&findings, FINDING_ZONED));
		assert_int_equal(safety_judge(&findings, &all), VERDICT_REFUSED);
		safety_reason(&findings, reason, sizeof(reason));
		assert_non_null(strstr(reason, "host-managed zone"));
		assert_non_null(strstr(reason, "random writes are not possible"));
	}
}

/* Reading asks for no more than that the LUN is not in use. */
static void zones_say_nothing_against_reading(void **state)
{
	struct findings findings;

	(void)state;
	look_at(16, &findings);
	assert_int_equal(findings.kinds, 1u << FINDING_ZONED);
}

static void other_disks_are_written_as_ever(void **state)
{
	static const unsigned minors[] = {0, 1, 32, 33}; /* no zones; zones that take any write */
	const struct consent overwrite = {.overwrite = true};
	struct findings findings;

	(void)state;
	for (size_t i = 0; i < sizeof(minors) / sizeof(minors[0]); i++) {
		look_at(minors[i], &findings);
		assert_int_equal(findings.kinds, 0);
		assert_int_equal(safety_judge(&findings, &overwrite), VERDICT_MAY_WRITE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_managed_zones_are_never_written),
		cmocka_unit_test(zones_say_nothing_against_reading),
		cmocka_unit_test(other_disks_are_written_as_ever),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
