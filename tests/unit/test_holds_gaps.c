/* Tests of holds.c: what cannot be seen, and what only the kernel knows of.
 * SPDX-License-Identifier: MIT */
#include <linux/magic.h>
#include <sys/vfs.h>

#include "holds_helpers.h"

static long fs_type;

int __wrap_statfs(const char *path, struct statfs *facts);
int __wrap_fstatfs(int fd, struct statfs *facts);

int __wrap_statfs(const char *path, struct statfs *facts)
{
	(void)path;
	*facts = (struct statfs){.f_type = fs_type};
	return 0;
}

int __wrap_fstatfs(int fd, struct statfs *facts)
{
	(void)fd;
	return __wrap_statfs("", facts);
}

/* It may lie on any disk, and on any part of one. */
static void loop_device_on_something_unknown_may_lie_on_any_device(void **state)
{
	static const struct holds_case cases[] = {
		{"itself", 7, 9,
		 "cannot find out what lies below loop device loop9; "
		 "what lies below loop device loop9 ('/gone (deleted)') cannot be found out",
		 BIT(FINDING_UNKNOWN)},
		{"a disk", 8, 0, "cannot find out what lies below loop device loop9",
		 BIT(FINDING_UNKNOWN)},
	};
	struct target target;

	(void)state;
	device("sda", 8, 0);
	loop(9, "/gone (deleted)\n", "0\n", "0\n");
	ASSERT_CASES(cases);
	fixture_file("files/image", "data");
	target = file_target("files/image");
	assert_finds("a file, which the lease protects", &target, false, "", 0);
}

static void disk_with_partitions_carries_something(void **state)
{
	static const struct holds_case cases[] = {
		{"one", 8, 0, "has 1 partition", BIT(FINDING_CARRIES)},
		{"two", 8, 16, "has 2 partitions", BIT(FINDING_CARRIES)},
		{"partition", 8, 17, "", 0},
		{"none", 8, 32, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdb/sdb2", 8, 18);
	device("sdc", 8, 32);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target target =
			block_target(cases[i].major_number, cases[i].minor_number);
		struct findings findings = {0};
		char reason[256];

		probe_holds(&target, 1, &fixture_roots, false, &findings);
		safety_reason(&findings, reason, sizeof(reason));
		assert_string_equal(reason, cases[i].expected);
		assert_int_equal(findings.kinds, cases[i].kinds);
	}
}

/* As the kernel knows them, also where the disk itself shows no table. */
static void loop_device_on_a_disk_with_partitions_carries_them(void **state)
{
	static const struct holds_case cases[] = {
		{"all of it", 7, 0, "its backing device '/dev/sda' has 2 partitions", 0},
		{"the part that has one", 7, 1, "its backing device '/dev/sda' has 1 partition", 0},
		{"the part behind both", 7, 2, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	attribute("sda/sda1", "start", "2048\n");
	attribute("sda/sda1", "size", "2048\n");
	attribute("sda/sda2", "start", "8192\n");
	attribute("sda/sda2", "size", "2048\n");
	loop(0, "/dev/sda\n", "0\n", "0\n");
	loop(1, "/dev/sda\n", "1572864\n", "1048576\n");
	loop(2, "/dev/sda\n", "8388608\n", "0\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target target =
			block_target(cases[i].major_number, cases[i].minor_number);
		struct findings findings = {0};
		unsigned carries = 0;

		probe_holds(&target, 1, &fixture_roots, false, &findings);
		for (unsigned j = 0; j < findings.count; j++)
			carries += findings.list[j].kind == FINDING_CARRIES;
		assert_int_equal(carries, cases[i].expected[0] != '\0');
		if (carries && !is_found(&findings, cases[i].expected))
			fail_with(cases[i].what, &findings, cases[i].expected);
	}
}

/* Before multipath is set up, and where the name may be a model's and not a disk's. */
static void the_same_disk_by_another_path_is_in_use(void **state)
{
	static const struct holds_case cases[] = {
		{"disk", 8, 0, "the same by another path, sdb, is mounted on '/data' (ext4)",
		 BIT(FINDING_MOUNTED)},
		{"partition", 8, 33, "the same by another path, sdd1, is mounted on '/part' (ext4)",
		 BIT(FINDING_MOUNTED)},
		{"sibling of that", 8, 34, "", 0},
		{"a model's name", 8, 64, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	device("sdc", 8, 32);
	device("sdc/sdc1", 8, 33);
	device("sdc/sdc2", 8, 34);
	attribute("sdc/sdc2", "partition", "2\n");
	device("sdd", 8, 48);
	device("sdd/sdd1", 8, 49);
	device("sde", 8, 64);
	device("sdf", 8, 80);
	attribute("sda", "device/wwid", "naa.600a0b80\n");
	attribute("sdb", "device/wwid", "naa.600a0b80\n");
	attribute("sdc", "wwid", "eui.0025\n");
	attribute("sdd", "wwid", "eui.0025\n");
	attribute("sde", "device/wwid", "t10.MODEL\n");
	attribute("sdf", "device/wwid", "t10.MODEL\n");
	mountinfo("self", "40 27 8:16 / /data rw - ext4 /dev/sdb rw\n"
			  "41 27 8:49 / /part rw - ext4 /dev/sdd1 rw\n"
			  "42 27 8:80 / /other rw - ext4 /dev/sdf rw\n");
	ASSERT_CASES(cases);
}

static void path_of_a_multipath_device_that_is_open_is_in_use(void **state)
{
	const struct target disk = block_target(253, 0);

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	mapped("dm-0", 0, "mpatha", "mpath-3600a");
	stack("dm-0", "sda");
	stack("dm-0", "sdb");
	assert_finds("nobody", &disk, true, "", 0);
	fixture_link("/dev/sdb", "proc/100/fd/3");
	fixture_file("proc/100/comm", "dd\n");
	assert_finds("dd", &disk, true, "its path sdb is held open by process 100 (dd)",
		     BIT(FINDING_OPEN));
	/* multipathd has all paths of its maps open, to look whether they answer */
	fixture_file("proc/100/comm", "multipathd\n");
	fixture_file("proc/100/fdinfo/3", "pos:\t0\nflags:\t0100000\n");
	assert_finds("multipathd", &disk, true, "", 0);
	fixture_link("/dev/sda", "proc/100/fd/4");
	fixture_file("proc/100/fdinfo/4", "pos:\t0\nflags:\t0100002\n");
	assert_finds("for writing", &disk, true,
		     "its path sda is held open by process 100 (multipathd)", BIT(FINDING_OPEN));
}

static void the_server_of_a_network_block_device_is_no_user_of_it(void **state)
{
	const struct target disk = block_target(43, 0);

	(void)state;
	device("nbd0", 43, 0);
	attribute("nbd0", "pid", "100\n");
	fixture_link("/dev/nbd0", "proc/100/fd/3");
	fixture_file("proc/100/comm", "rbd-nbd\n");
	assert_finds("server", &disk, true, "", 0);
	fixture_link("/dev/nbd0", "proc/1000/fd/3");
	fixture_file("proc/1000/comm", "dd\n");
	assert_finds("another", &disk, true, "held open by process 1000 (dd)", BIT(FINDING_OPEN));
}

/* Containers have mounts that neither we nor process 1 see. */
static void mounts_of_other_namespaces_are_seen(void **state)
{
	static const struct holds_case cases[] = {
		{"in a container", 8, 0, "mounted on '/data' (ext4)", BIT(FINDING_MOUNTED)},
		{"of a namespace that was read by another process", 8, 16, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	fixture_link("mnt:[1]", "proc/self/ns/mnt");
	fixture_link("mnt:[1]", "proc/1/ns/mnt");
	fixture_link("mnt:[2]", "proc/200/ns/mnt");
	mountinfo("200", "40 27 8:0 / /data rw - ext4 /dev/sda rw\n");
	fixture_link("mnt:[1]", "proc/201/ns/mnt");
	mountinfo("201", "40 27 8:16 / /never rw - ext4 /dev/sdb rw\n");
	ASSERT_CASES(cases);
}

/* mountinfo lists what lies below the root of that process. */
static void mounts_beside_the_root_of_a_chrooted_process_are_seen(void **state)
{
	static const struct holds_case cases[] = {
		{"by one that is not", 8, 0, "mounted on '/data' (ext4)", BIT(FINDING_MOUNTED)},
		{"by one elsewhere", 8, 16, "mounted on '@/jail/other/' (ext4)",
		 BIT(FINDING_MOUNTED)},
	};
	char root[PATH_MAX];

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	fixture_link("mnt:[1]", "proc/self/ns/mnt");
	for (unsigned pid = 200; pid < 203; pid++) {
		char name[64];

		snprintf(name, sizeof(name), "proc/%u/ns/mnt", pid);
		fixture_link("mnt:[2]", name);
	}
	fixture_directory("jail/other");
	fixture_path(root, "jail");
	fixture_link(root, "proc/200/root");
	mountinfo("200", "");
	fixture_link("/", "proc/201/root");
	mountinfo("201", "40 27 8:0 / /data rw - ext4 /dev/sda rw\n");
	fixture_path(root, "jail/other");
	fixture_link(root, "proc/202/root");
	mountinfo("202", "41 27 8:16 / / rw - ext4 /dev/sdb rw\n");
	ASSERT_CASES(cases);
}

static void source_on_a_dead_server_is_given_up(void **state)
{
	static const struct holds_case cases[] = {
		{"in the next line", 8, 0, "mounted on '/data' (ext4)", BIT(FINDING_MOUNTED)},
	};

	(void)state;
	device("sda", 8, 0);
	mountinfo("self", "40 27 0:50 / /image rw - fuse.squashfuse /slow rw\n"
			  "41 27 8:0 / /data rw - ext4 /dev/sda rw\n");
	ASSERT_CASES(cases);
}

static void read_only_partition_protects_its_disk(void **state)
{
	struct target disk = block_target(8, 0);
	struct findings findings = {0};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	attribute("sda/sda2", "ro", "1\n");
	disk.write_code = -EBUSY; /* opened for writing, or would have been */
	probe_holds(&disk, 1, &fixture_roots, false, &findings);
	assert_true(findings_has(&findings, FINDING_READ_ONLY));
	assert_true(is_found(&findings, "its partition sda2 is read-only"));
}

static void users_of_a_file_on_overlayfs_do_not_show(void **state)
{
	struct target target;
	char path[PATH_MAX];

	(void)state;
	fixture_file("files/image", "data");
	target = file_target("files/image");
	fixture_path(path, "files/image");
	loop(0, path, "0\n", "0\n");
	fs_type = OVERLAYFS_SUPER_MAGIC;
	assert_finds("file", &target, false,
		     "loop device loop0 lies on it; "
		     "on overlayfs, where users of the file below do not show",
		     BIT(FINDING_LOOP) | BIT(FINDING_UNKNOWN));
	target = block_target(7, 0);
	assert_finds("loop device", &target, false,
		     "its backing file '@/files/image' is on overlayfs, "
		     "where users of the file below do not show",
		     BIT(FINDING_UNKNOWN));
	fs_type = EXT4_SUPER_MAGIC;
	target = file_target("files/image");
	assert_finds("ext4", &target, false, "loop device loop0 lies on it", 0);
}

/* From within a container its own processes are all that proc shows. */
static void processes_of_other_pid_namespaces_cannot_be_seen(void **state)
{
	const struct target disk = block_target(8, 0);
	char path[PATH_MAX];

	(void)state;
	device("sda", 8, 0);
	fixture_file("proc/1/comm", "init\n");
	fixture_directory("proc/1/fd");
	fixture_link("pid:[4026531836]", "proc/self/ns/pid");
	assert_finds("the first namespace", &disk, true, "", 0);
	fixture_path(path, "proc/self/ns/pid");
	assert_int_equal(unlink(path), 0);
	fixture_link("pid:[4026532201]", "proc/self/ns/pid");
	assert_finds(
		"another", &disk, true,
		"cannot see which processes have it open (try as root, and outside of a container)",
		BIT(FINDING_UNKNOWN));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loop_device_on_something_unknown_may_lie_on_any_device),
		TEST(disk_with_partitions_carries_something),
		TEST(loop_device_on_a_disk_with_partitions_carries_them),
		TEST(the_same_disk_by_another_path_is_in_use),
		TEST(path_of_a_multipath_device_that_is_open_is_in_use),
		TEST(the_server_of_a_network_block_device_is_no_user_of_it),
		TEST(mounts_of_other_namespaces_are_seen),
		TEST(mounts_beside_the_root_of_a_chrooted_process_are_seen),
		TEST(source_on_a_dead_server_is_given_up),
		TEST(read_only_partition_protects_its_disk),
		TEST(users_of_a_file_on_overlayfs_do_not_show),
		TEST(processes_of_other_pid_namespaces_cannot_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
