/* What a process has in an io_uring, on fixture trees of proc. SPDX-License-Identifier: MIT */
#include <time.h>

#include "holds_helpers.h"

#define IN_RING                                                                                    \
	"cannot find out which files process 100 (server) keeps in an io_uring (end it first)"

/* takes no time */
int __wrap_nanosleep(const struct timespec *asked, struct timespec *left);

int __wrap_nanosleep(const struct timespec *asked, struct timespec *left)
{
	(void)asked;
	(void)left;
	return 0;
}

static void sda_with_a_partition(void)
{
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sdb", 8, 16);
}

static void fixture_unlink(const char *name)
{
	char path[PATH_MAX];

	fixture_path(path, name);
	assert_int_equal(unlink(path), 0);
}

static void server_with_a_ring(void)
{
	fixture_file("proc/100/comm", "server\n");
	fixture_link("anon_inode:[io_uring]", "proc/100/fd/3");
}

static void file_kept_by_io_uring_counts(void **state)
{
	const struct target disk = block_target(8, 16), partition = block_target(8, 1);

	(void)state;
	sda_with_a_partition();
	server_with_a_ring();
	fixture_file("proc/100/fdinfo/3", "flags:\t02\nUserFiles:\t3\n    0: /dev/sdb\n"
					  "    1: /etc/passwd\n    2: sda1\nUserBufs:\t0\n");
	fixture_link("/dev/sdb", "proc/100/root/dev/sdb");
	fixture_link("/dev/sda1", "proc/100/root/dev/sda1");
	assert_finds("path", &disk, true, "held open by process 100 (server)", 0);
	/* as older kernels show it */
	assert_finds("last part", &partition, true, "held open by process 100 (server)", 0);
}

static void ring_that_tells_nothing_is_unknown_and_sockets_are_no_matter(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	server_with_a_ring();
	fixture_file("proc/100/fdinfo/3", "UserFiles:\t9\n    0: socket:[77]\n"
					  "    2: /memfd:x (deleted)\n12345: anon_inode:[eventfd]\n"
					  "UserBufs:\t1\n    0: 0x7f0000000000/8192\n");
	assert_finds("sockets", &disk, true, "", 0);
	fixture_file("proc/100/fdinfo/3", "UserFiles:\t20000\n10000: /dev/sdb\n");
	assert_finds("a high number", &disk, true, "held open by process 100 (server)", 0);
	fixture_file("proc/100/fdinfo/3", "flags:\t02\n"); /* as while it is at work */
	assert_finds("busy", &disk, true, IN_RING, BIT(FINDING_UNKNOWN));
}

static void registered(const char *names)
{
	char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "flags:\t02\nUserFiles:\t9\n%sUserBufs:\t0\n", names);
	fixture_file("proc/100/fdinfo/3", text);
}

/* As of a process that is chrooted in a mount namespace of its own: the name begins there. */
static void registered_name_may_begin_above_the_root_of_its_process(void **state)
{
	const struct target disk = block_target(8, 16), other = block_target(8, 0);

	(void)state;
	sda_with_a_partition();
	server_with_a_ring();
	registered("    0: /srv/a\\040jail/dev/n\n");
	fixture_link("/dev/sdb", "proc/100/root/dev/n");
	fixture_file("proc/100/root/n", ""); /* no directory, and another thing */
	assert_finds("disk", &disk, true, "held open by process 100 (server)", BIT(FINDING_OPEN));
	assert_finds("another disk", &other, true, "", 0);
}

/* As of a node on a file system that was unmounted lazily, or of a node that was removed. */
static void registered_name_that_leads_nowhere_may_be_a_devices(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"/sdq", IN_RING},
		{"/gone/n", IN_RING},
		{"/dev/sdq\\040(deleted)", IN_RING},
		{"/srv/jail/dev/mapper/x (deleted)", IN_RING},
		/* of a kernel that tells the last part only */
		{"journal.db", ""},
		/* temporary files and memory */
		{"/tmp/ib5Qr (deleted)", ""},
		{"/dev/shm/segment (deleted)", ""},
		{"/dev/hugepages/pool (deleted)", ""},
		{"/dev/zero (deleted)", ""},
		{"/secretmem (deleted)", ""},
	};
	const struct target disk = block_target(8, 16);
	char line[128];

	(void)state;
	sda_with_a_partition();
	server_with_a_ring();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "    0: /etc/passwd\n    1: %s\n", cases[i].name);
		registered(line);
		assert_finds(cases[i].name, &disk, true, cases[i].expected,
			     cases[i].expected[0] ? BIT(FINDING_UNKNOWN) : 0);
	}
}

/* What is below the loop device was deleted. */
static void registered_name_may_be_that_of_a_deleted_image(void **state)
{
	const struct target loop_device = block_target(7, 0), disk = block_target(8, 16);
	char path[PATH_MAX], line[PATH_MAX + 32], expected[PATH_MAX + 64];

	(void)state;
	sda_with_a_partition();
	/* the driver knows it; here a file of that name stands for that */
	fixture_file("files/image (deleted)", "data");
	fixture_path(path, "files/image (deleted)");
	loop(0, path, "0\n", "0\n");
	server_with_a_ring();
	registered("    0: /tmp/another (deleted)\n");
	assert_finds("may be its other name", &loop_device, true, IN_RING, BIT(FINDING_UNKNOWN));
	assert_finds("a disk has nothing to do with it", &disk, true, "", 0);
	registered("    0: socket:[1]\n    1: /memfd:x (deleted)\n");
	assert_finds("memory", &loop_device, true, "", 0);
	snprintf(line, sizeof(line), "    0: %s\n", path);
	registered(line);
	snprintf(expected, sizeof(expected),
		 "its backing file '%s' is held open by process 100 (server)", path);
	assert_finds("the same name", &loop_device, true, expected, BIT(FINDING_OPEN));
}

static void registered_name_on_a_dead_server_is_given_up(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	server_with_a_ring();
	registered("    0: /slow\n    1: /slow\n");
	assert_finds("dead server", &disk, true, IN_RING, BIT(FINDING_UNKNOWN));
}

/* It is at work nearly always, and has its LUNs as descriptors, too. */
static void ring_of_another_calib_is_not_asked(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	server_with_a_ring();
	fixture_file("proc/100/fdinfo/3", "flags:\t02\n");
	fixture_link("/opt/calibrate", "proc/100/exe");
	assert_finds("another program", &disk, true, IN_RING, BIT(FINDING_UNKNOWN));
	fixture_file("proc/101/comm", "calib\n");
	fixture_link("anon_inode:[io_uring]", "proc/101/fd/3");
	fixture_file("proc/101/fdinfo/3", "flags:\t02\n");
	fixture_link("/usr/bin/calib", "proc/101/exe");
	fixture_unlink("proc/100/fd/3");
	assert_finds("calib", &disk, true, "", 0);
	fixture_unlink("proc/101/exe");
	fixture_link("/tmp/old/calib (deleted)", "proc/101/exe");
	assert_finds("one that was replaced", &disk, true, "", 0);
	fixture_link("/dev/sdb", "proc/101/fd/4");
	assert_finds("with the LUN", &disk, true, "held open by process 101 (calib)", 0);
}

static void ring_without_a_descriptor_is_unknown(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	fixture_file("proc/100/comm", "server\n");
	fixture_directory("proc/100/fd");
	fixture_file("proc/100/maps",
		     "7f00-7f10 rw-s 00000000 00:0e 9      anon_inode:[io_uring]\n");
	assert_finds("mapped only", &disk, true, IN_RING, BIT(FINDING_UNKNOWN));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_kept_by_io_uring_counts),
		TEST(ring_that_tells_nothing_is_unknown_and_sockets_are_no_matter),
		TEST(registered_name_may_begin_above_the_root_of_its_process),
		TEST(registered_name_that_leads_nowhere_may_be_a_devices),
		TEST(registered_name_may_be_that_of_a_deleted_image),
		TEST(registered_name_on_a_dead_server_is_given_up),
		TEST(ring_of_another_calib_is_not_asked),
		TEST(ring_without_a_descriptor_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
