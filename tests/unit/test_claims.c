/* Which devices below a LUN the kernel does not give away, on fixture trees and with scripted
 * opens. SPDX-License-Identifier: MIT */
#include <time.h>

#include "holds_helpers.h"

#define EXCLUSIVE (O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC)

static const struct probe_roots roots = {
	.sysfs = fixture_sysfs, .proc = fixture_proc, .dev = "/dev"};

/* open() of a node in /dev fails with @code where it is @refused, the first @refusals times */
static const char *refused;
static int refused_code;
static unsigned refusals, opens, sleeps;
static char opened[PATH_MAX]; /* the last */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_nanosleep(const struct timespec *asked, struct timespec *left);

int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, "/dev/", 5) != 0)
		return __real_open(path, flags, 0600);
	assert_int_equal(flags, EXCLUSIVE);
	opens++;
	snprintf(opened, sizeof(opened), "%s", path);
	if (refused && strcmp(path, refused) == 0 && refusals > 0) {
		refusals--;
		errno = refused_code;
		return -1;
	}
	return __real_open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* what was opened last is what its name leads to */
int __wrap_fstat(int fd, struct stat *st)
{
	struct statx facts;
	int code = __real_fstat(fd, st);

	if (!S_ISCHR(st->st_mode))
		return code;
	assert_int_equal(__wrap_statx(AT_FDCWD, opened, 0, 0, &facts), 0);
	st->st_mode = S_IFBLK | 0600;
	st->st_rdev = makedev(facts.stx_rdev_major, facts.stx_rdev_minor);
	return 0;
}

int __wrap_nanosleep(const struct timespec *asked, struct timespec *left)
{
	(void)asked;
	(void)left;
	sleeps++;
	return 0;
}

static int make(void **state)
{
	refused = NULL;
	refused_code = EBUSY;
	refusals = UINT_MAX;
	opens = sleeps = 0;
	return fixture_make(state);
}

/* as a run that writes opens it, and finds it busy or not */
static struct target for_writing(unsigned major_number, unsigned minor_number)
{
	struct target target = block_target(major_number, minor_number);

	target.fd = __real_open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(target.fd >= 0);
	return target;
}

static void assert_asked(struct target *target, const char *expected, unsigned kinds)
{
	struct findings findings = {0};

	probe_holds(target, 1, &roots, false, &findings);
	drop_partitions(&findings);
	assert_found(refused ? refused : "nothing refused", &findings, expected);
	assert_int_equal(findings.kinds, kinds);
	close(target->fd);
}

/* loop2 on loop1 on sda, and loop3 on the partition sdb1 */
static void loops_on_disks(void)
{
	device("sda", 8, 0);
	loop(1, "/dev/sda", "1048576\n", "0\n");
	loop(2, "/dev/loop1", "0\n", "0\n");
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdb/sdb2", 8, 18);
	loop(3, "/dev/sdb1", "0\n", "0\n");
}

static void device_that_is_claimed_below_a_loop_device_is_in_use(void **state)
{
	static const struct {
		unsigned minor_number;
		const char *refused, *expected;
	} cases[] = {
		{2, "/dev/loop1",
		 "its backing device '/dev/loop1' is in use: the kernel refuses an exclusive open"},
		{2, "/dev/sda",
		 "its backing device '/dev/sda' is in use: the kernel refuses an exclusive open"},
		{3, "/dev/sdb1",
		 "its backing device '/dev/sdb1' is in use: the kernel refuses an exclusive open"},
		/* the kernel refuses a partition of what is claimed as a whole, and no other */
		{3, "/dev/sdb2", ""},
	};

	(void)state;
	loops_on_disks();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target = for_writing(7, cases[i].minor_number);

		refused = cases[i].refused;
		assert_asked(&target, cases[i].expected,
			     cases[i].expected[0] ? BIT(FINDING_OPEN) : 0);
	}
}

/* Disks, which the exclusive open of the LUN itself speaks for, are not opened; nor is anything
 * for a run that reads. */
static void only_what_lies_below_what_is_written_is_asked_for(void **state)
{
	struct target target;

	(void)state;
	loops_on_disks();
	target = for_writing(7, 2);
	assert_asked(&target, "", 0);
	assert_int_equal(opens, 2);
	target = for_writing(8, 17);
	assert_asked(&target, "loop device loop3 lies on it", BIT(FINDING_LOOP));
	assert_int_equal(opens, 2);
	target = block_target(7, 2); /* not open for writing */
	target.fd = __real_open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_asked(&target, "", 0);
	assert_int_equal(opens, 2);
}

static void same_disk_by_another_path_is_asked_for(void **state)
{
	struct target target;

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	attribute("sda", "wwid", "naa.600a0b80\n");
	attribute("sdb", "wwid", "naa.600a0b80\n");
	refused = "/dev/sdb";
	target = for_writing(8, 0);
	assert_asked(&target,
		     "the same by another path, sdb, is in use: the kernel refuses an exclusive "
		     "open",
		     BIT(FINDING_OPEN));
}

/* Another calib asks, too. */
static void claim_that_passes_is_none(void **state)
{
	struct target target;

	(void)state;
	loops_on_disks();
	refused = "/dev/sda";
	refusals = 3;
	target = for_writing(7, 2);
	assert_asked(&target, "", 0);
	assert_int_equal(sleeps, 3);
}

static void what_cannot_be_asked_is_unknown(void **state)
{
	struct target target;

	(void)state;
	loops_on_disks();
	refused = "/dev/sda";
	refused_code = ENXIO;
	target = for_writing(7, 2);
	assert_asked(&target,
		     "cannot ask the kernel whether its backing device '/dev/sda' is in use: No "
		     "such device or address",
		     BIT(FINDING_UNKNOWN));
	assert_int_equal(sleeps, 0);
}

/* sysfs writes ! for /, and the node may be where only the loop device says. */
static void node_is_found_by_the_name_that_was_given_too(void **state)
{
	struct target target;

	(void)state;
	device("cciss!c0d0", 104, 0);
	strcpy(fixture_nodes[0].name, "cciss/c0d0");
	loop(1, "/dev/cciss/c0d0", "0\n", "0\n");
	target = for_writing(7, 1);
	assert_asked(&target, "", 0);
	assert_string_equal(opened, "/dev/cciss/c0d0");
	device("sda", 8, 0);
	strcpy(fixture_nodes[fixture_node_count - 1].name, "by-hand");
	loop(2, "/dev/by-hand", "0\n", "0\n");
	target = for_writing(7, 2);
	assert_asked(&target, "", 0);
	assert_string_equal(opened, "/dev/by-hand");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(device_that_is_claimed_below_a_loop_device_is_in_use),
		TEST(only_what_lies_below_what_is_written_is_asked_for),
		TEST(same_disk_by_another_path_is_asked_for),
		TEST(claim_that_passes_is_none),
		TEST(what_cannot_be_asked_is_unknown),
		TEST(node_is_found_by_the_name_that_was_given_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
