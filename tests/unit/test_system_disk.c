/* Which LUNs are the system's own disk, on fixture trees. SPDX-License-Identifier: MIT */
#include "holds_helpers.h"

#define SYSTEM BIT(FINDING_SYSTEM_DISK)
#define HELD   BIT(FINDING_HELD)

static void root_on_a_partition_takes_its_whole_disk(void **state)
{
	static const struct holds_case cases[] = {
		{"the root itself", 259, 2,
		 "mounted on '/' (ext4); on the system's disk, nvme0n1; "
		 "loop device loop0 lies on its disk nvme0n1",
		 BIT(FINDING_MOUNTED) | BIT(FINDING_LOOP) | SYSTEM},
		{"partition beside it", 259, 1,
		 "on the system's disk, nvme0n1; loop device loop0 lies on its disk nvme0n1",
		 BIT(FINDING_LOOP) | SYSTEM},
		{"another disk", 259, 3, "", 0},
		{"its partition", 259, 4, "", 0},
		{"loop device on the disk", 7, 0,
		 "its backing device '/dev/nvme0n1' is on the system's disk, nvme0n1; "
		 "partition nvme0n1p2 is mounted on '/' (ext4)",
		 BIT(FINDING_MOUNTED) | SYSTEM},
	};

	(void)state;
	device("nvme0n1", 259, 0);
	device("nvme0n1/nvme0n1p1", 259, 1);
	device("nvme0n1/nvme0n1p2", 259, 2);
	device("nvme1n1", 259, 3);
	device("nvme1n1/nvme1n1p1", 259, 4);
	loop(0, "/dev/nvme0n1\n", "0\n", "0\n");
	mountinfo("self", "27 1 259:2 / / rw - ext4 /dev/root rw\n");
	ASSERT_CASES(cases);
}

static void root_on_lvm_on_md_takes_every_disk_below(void **state)
{
	static const struct holds_case cases[] = {
		{"the root itself", 253, 0, "mounted on '/' (xfs); on the system's disk, vg-root",
		 BIT(FINDING_MOUNTED) | SYSTEM},
		{"a volume beside it", 253, 1, "", 0},
		{"the MD", 9, 0,
		 "held by 'vg-data' (LVM); held by 'vg-root' (LVM); on the system's disk, md0",
		 HELD | SYSTEM},
		{"a member", 8, 2, "held by 'md0' (MD); on the system's disk, sda", HELD | SYSTEM},
		{"a partition beside a member", 8, 1, "on the system's disk, sda", SYSTEM},
		{"the other member's disk", 8, 16,
		 "on the system's disk, sdb; "
		 "its partition sdb1 is held by 'md0' (MD)",
		 HELD | SYSTEM},
		{"no part of it", 8, 32, "", 0},
		{"its partition", 8, 33, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdc", 8, 32);
	device("sdc/sdc1", 8, 33);
	device("md0", 9, 0);
	stack("md0", "sda/sda2");
	stack("md0", "sdb/sdb1");
	mapped("dm-0", 0, "vg-root", "LVM-r");
	stack("dm-0", "md0");
	mapped("dm-1", 1, "vg-data", "LVM-d");
	stack("dm-1", "md0");
	mountinfo("self", "1 0 0:2 / / rw - rootfs rootfs rw\n"
			  "27 1 253:0 / / rw - xfs /dev/mapper/vg-root rw\n");
	ASSERT_CASES(cases);
}

static void root_on_multipath_takes_all_paths_and_mapped_partitions(void **state)
{
	static const struct holds_case cases[] = {
		{"a path", 8, 0, "held by 'mpatha' (multipath); on the system's disk, sda",
		 HELD | SYSTEM},
		{"the other path", 8, 16, "held by 'mpatha' (multipath); on the system's disk, sdb",
		 HELD | SYSTEM},
		{"mapped partition beside the root", 253, 1, "on the system's disk, mpatha-part1",
		 SYSTEM},
		{"another map", 253, 3, "", 0},
		{"its mapped partition", 253, 4, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	device("sdc", 8, 32);
	mapped("dm-0", 0, "mpatha", "mpath-1");
	stack("dm-0", "sda");
	stack("dm-0", "sdb");
	mapped("dm-1", 1, "mpatha-part1", "part1-mpath-1");
	stack("dm-1", "dm-0");
	mapped("dm-2", 2, "mpatha-part2", "part2-mpath-1");
	stack("dm-2", "dm-0");
	mapped("dm-3", 3, "mpathb", "mpath-2");
	mapped("dm-4", 4, "mpathb-part1", "part1-mpath-2");
	fixture_link("../../sdc", "sys/devices/dm-3/slaves/sdc");
	fixture_link("../../dm-3", "sys/devices/dm-4/slaves/dm-3");
	mountinfo("self", "27 1 253:2 / / rw - ext4 /dev/mapper/mpatha-part2 rw\n");
	ASSERT_CASES(cases);
}

static void root_of_process_1_counts_in_a_container(void **state)
{
	static const struct holds_case cases[] = {
		{"partition of the host's root", 8, 1,
		 "mounted on '/' (ext4); on the system's disk, sda", 0},
		{"another disk", 8, 16, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sdb", 8, 16);
	fixture_directory("files/upper");
	mountinfo("self", "27 1 0:60 / / rw - overlay overlay "
			  "rw,lowerdir=/l/A:/l/B,upperdir=/no/upper,workdir=/no/work\n");
	mountinfo("1", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	ASSERT_CASES(cases);
}

/* Only ours and that of process 1 are the system's. */
static void root_of_another_container_takes_its_device_alone(void **state)
{
	static const struct holds_case cases[] = {
		{"its device", 8, 17, "mounted on '/ (of process 200)' (ext4)",
		 BIT(FINDING_MOUNTED)},
		{"a partition beside it", 8, 18, "", 0},
		{"the system's disk", 8, 0,
		 "on the system's disk, sda; its partition sda1 is mounted on '/' (ext4)", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdb/sdb2", 8, 18);
	fixture_link("mnt:[1]", "proc/self/ns/mnt");
	fixture_link("mnt:[1]", "proc/1/ns/mnt");
	fixture_link("mnt:[2]", "proc/200/ns/mnt");
	mountinfo("self", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	mountinfo("200", "40 1 8:17 / / rw - ext4 /dev/sdb1 rw\n");
	ASSERT_CASES(cases);
}

/* The layers are directories of the fixture: the disk below is the one that they really lie on. */
static void root_on_an_overlay_takes_the_disks_of_its_layers(void **state)
{
	char lines[1024], path[PATH_MAX];
	struct target target;
	struct stat st;

	(void)state;
	fixture_directory("files/lower");
	fixture_path(path, "files/lower");
	assert_int_equal(stat(path, &st), 0);
	device("vdx", major(st.st_dev), minor(st.st_dev));
	fill_in(lines, sizeof(lines),
		"27 1 0:60 / / rw - overlay overlay ro,lowerdir=/no/where:@/files/lower\n"
		"28 27 0:61 / /mnt rw - overlay overlay ro,lowerdir=@/files/lower\n");
	mountinfo("self", lines);
	target = block_target(major(st.st_dev), minor(st.st_dev));
	assert_finds("layer's disk", &target, false,
		     "mounted on '/' (overlay); on the system's disk, vdx", 0);
}

static void root_of_a_live_system_takes_its_medium(void **state)
{
	static const struct holds_case cases[] = {
		{"the loop device", 7, 0, "mounted on '/' (squashfs); on the system's disk, loop0",
		 BIT(FINDING_MOUNTED) | SYSTEM},
		{"the medium", 8, 0,
		 "on the system's disk, sda; loop device loop0 lies on its partition sda1; "
		 "loop device loop0 is mounted on '/' (squashfs)",
		 BIT(FINDING_MOUNTED) | BIT(FINDING_LOOP) | SYSTEM},
		{"a partition beside it", 8, 2, "on the system's disk, sda", SYSTEM},
		{"another disk", 8, 16, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	device("sdb", 8, 16);
	loop(0, "/dev/sda1\n", "0\n", "0\n");
	mountinfo("self", "27 1 7:0 / / ro - squashfs /dev/loop0 ro\n");
	ASSERT_CASES(cases);
}

static void root_in_an_image_takes_the_disk_that_the_image_lies_on(void **state)
{
	struct target image, target;
	char path[PATH_MAX];

	(void)state;
	fixture_directory("files");
	image = file_target("files/root.squashfs");
	fixture_path(path, "files/root.squashfs");
	device("vdx", major(image.device), minor(image.device));
	device("vdy", 8, 0);
	loop(0, path, "0\n", "0\n");
	mountinfo("self", "27 1 7:0 / / ro - squashfs /dev/loop0 ro\n");
	target = block_target(major(image.device), minor(image.device));
	assert_finds("disk", &target, false, "on the system's disk, vdx", SYSTEM);
	target = block_target(8, 0);
	assert_finds("another disk", &target, false, "", 0);
	assert_finds(
		"image", &image, false,
		"loop device loop0 lies on it; loop device loop0 is mounted on '/' (squashfs); "
		"loop device loop0 is on the system's disk, loop0",
		BIT(FINDING_MOUNTED) | BIT(FINDING_LOOP) | SYSTEM);
}

static void root_in_a_pool_leaves_partitions_in_doubt(void **state)
{
#define IN_DOUBT "cannot find out which disk the system is on (its root is of type 'zfs')"
	static const struct holds_case cases[] = {
		{"a disk, which the kernel would claim", 8, 16, "", 0},
		{"a disk with partitions", 8, 0, IN_DOUBT, BIT(FINDING_UNKNOWN)},
		{"a partition", 8, 1, IN_DOUBT, BIT(FINDING_UNKNOWN)},
		{"a loop device on one", 7, 0, IN_DOUBT, BIT(FINDING_UNKNOWN)},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	device("sdb", 8, 16);
	loop(0, "/dev/sda2\n", "0\n", "0\n");
	mountinfo("self", "1 1 0:2 / / rw - rootfs rootfs rw\n"
			  "27 1 0:30 / / rw - zfs rpool/ROOT/pve-1 rw\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target target =
			block_target(cases[i].major_number, cases[i].minor_number);
		struct findings findings = {0};

		probe_holds(&target, 1, &fixture_roots, false, &findings);
		if (is_found(&findings, IN_DOUBT) != (cases[i].kinds != 0))
			fail_with(cases[i].what, &findings, cases[i].expected);
	}
}

static void root_elsewhere_takes_no_disk(void **state)
{
	static const char *const types[] = {"nfs", "nfs4", "9p", "virtiofs", "tmpfs"};
	const struct target disk = block_target(8, 0);
	char line[128], expected[128];

	(void)state;
	device("sda", 8, 0);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		snprintf(line, sizeof(line), "27 1 0:30 / / rw - %s host:/root rw\n", types[i]);
		mountinfo("self", line);
		assert_finds(types[i], &disk, false, "", 0);
	}
	mountinfo("self", "27 1 0:30 / / rw - newfs x rw\n");
	snprintf(expected, sizeof(expected), "%s (its root is of type '%s')",
		 "cannot find out which disk the system is on", "newfs");
	assert_finds("what is not known", &disk, false, expected, BIT(FINDING_UNKNOWN));
}

static void root_on_btrfs_takes_all_its_devices(void **state)
{
	static const struct holds_case cases[] = {
		{"named first for another subvolume", 8, 0,
		 "mounted on '/home' (btrfs); mounted on '/' (btrfs); on the system's disk, sda",
		 BIT(FINDING_MOUNTED) | SYSTEM},
		{"not named", 8, 17,
		 "mounted on '/home' (btrfs); mounted on '/' (btrfs); on the system's disk, sdb",
		 0},
		{"another disk", 8, 32, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdc", 8, 32);
	fixture_link("../../../../devices/sda", "sys/fs/btrfs/2f1c/devices/sda");
	fixture_link("../../../../devices/sdb/sdb1", "sys/fs/btrfs/2f1c/devices/sdb1");
	mountinfo("self", "28 27 0:50 /home /home rw - btrfs /dev/sda rw,subvol=/home\n"
			  "27 1 0:50 /root / rw - btrfs /dev/sda rw,subvol=/root\n");
	ASSERT_CASES(cases);
}

static void file_on_the_system_disk_may_be_used(void **state)
{
	struct target target;
	char path[PATH_MAX];

	(void)state;
	fixture_directory("files");
	target = file_target("files/lun");
	device("vdx", major(target.device), minor(target.device));
	mountinfo("self", "27 1 8:1 / / rw - ext4 /dev/vdx rw\n");
	assert_finds("file", &target, false, "", 0);
	fixture_path(path, "files/lun");
	loop(0, path, "0\n", "0\n");
	target = block_target(7, 0);
	assert_finds("loop device on it", &target, false, "", 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(root_on_a_partition_takes_its_whole_disk),
		TEST(root_on_lvm_on_md_takes_every_disk_below),
		TEST(root_on_multipath_takes_all_paths_and_mapped_partitions),
		TEST(root_of_process_1_counts_in_a_container),
		TEST(root_of_another_container_takes_its_device_alone),
		TEST(root_on_an_overlay_takes_the_disks_of_its_layers),
		TEST(root_of_a_live_system_takes_its_medium),
		TEST(root_in_an_image_takes_the_disk_that_the_image_lies_on),
		TEST(root_in_a_pool_leaves_partitions_in_doubt),
		TEST(root_elsewhere_takes_no_disk),
		TEST(root_on_btrfs_takes_all_its_devices),
		TEST(file_on_the_system_disk_may_be_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
