/* Who uses a LUN, on fixture trees of sysfs and proc. SPDX-License-Identifier: MIT */
#include "holds_helpers.h"

/* 0: none fails; else the next but so many */
static unsigned allocation_to_fail;

void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	if (allocation_to_fail > 0 && --allocation_to_fail == 0)
		return NULL;
	return __real_reallocarray(old, count, size);
}

static void mounts_are_found_by_number_and_by_source(void **state)
{
	static const struct holds_case cases[] = {
		{"by number", 8, 1, "mounted on '/boot' (ext4)", BIT(FINDING_MOUNTED)},
		{"its disk", 8, 0,
		 "its partition sda1 is mounted on '/boot' (ext4); "
		 "its partition sda3 is mounted on '/mnt/a b\\c' (xfs)",
		 BIT(FINDING_MOUNTED)},
		{"its neighbour", 8, 2, "", 0},
		{"escapes in the mount point", 8, 3, "mounted on '/mnt/a b\\c' (xfs)", 0},
		{"by source: the number is made up", 8, 16, "mounted on '/tank' (bcachefs)", 0},
		{"the second of several", 8, 32, "mounted on '/tank' (bcachefs)", 0},
		{"partition of a mounted disk", 8, 17,
		 "its disk sdb is mounted on '/tank' (bcachefs)", 0},
		{"external log", 8, 48, "mounted on '/mnt/a b\\c' (xfs)", 0},
		{"NVMe partition", 259, 1, "mounted on '/data' (ext4)", 0},
		{"NVMe disk", 259, 0, "its partition nvme0n1p1 is mounted on '/data' (ext4)", 0},
		{"NVMe neighbour", 259, 2, "", 0},
		{"seen by process 1 alone", 8, 64, "mounted on '/var' (ext4)", 0},
		{"in many places", 8, 80,
		 "mounted on '/m1' (ext4); mounted on '/m2' (ext4); mounted on '/m3' (ext4)", 0},
		{"name without a node", 8, 96, "mounted on '/odd' (fuseblk)", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	device("sda/sda3", 8, 3);
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdc", 8, 32);
	device("sdd", 8, 48);
	device("nvme0n1", 259, 0);
	device("nvme0n1/nvme0n1p1", 259, 1);
	device("nvme0n1/nvme0n1p2", 259, 2);
	device("sde", 8, 64);
	device("sdf", 8, 80);
	device("sdg", 8, 96);
	fixture_nodes[--fixture_node_count].device = 0; /* sdg has no node */
	mountinfo("self",
		  "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
		  "30 27 8:1 / /boot rw shared:1 master:2 - ext4 /dev/root rw\n"
		  "31 27 8:3 / /mnt/a\\040b\\134c rw - xfs /dev/other rw,logdev=/dev/sdd,noquota\n"
		  "32 27 0:44 / /tank rw - bcachefs /dev/sdb:/dev/sdc rw\n"
		  "33 27 259:1 /sub /data rw - ext4 /dev/nvme0n1p1 rw\n"
		  "34 27 0:45 / /odd rw - fuseblk /dev/sdg rw\n"
		  "35 27 8:80 / /m1 rw - ext4 /dev/sdf rw\n"
		  "36 27 8:80 / /m2 rw - ext4 /dev/sdf rw\n"
		  "37 27 8:80 / /m3 rw - ext4 /dev/sdf rw\n"
		  "38 27 8:80 / /m4 rw - ext4 /dev/sdf rw\n"
		  "39 27 8:2 / a line without its second half\n");
	mountinfo("1", "30 27 8:1 / /boot rw shared:1 - ext4 /dev/root rw\n"
		       "31 27 8:64 / /var rw - ext4 /dev/sde rw\n");
	ASSERT_CASES(cases);
}

static void swap_areas_are_found(void **state)
{
	static const struct holds_case cases[] = {
		{"partition", 8, 1, "swapped on", BIT(FINDING_SWAP)},
		{"disk", 8, 0, "its partition sda1 is swapped on", BIT(FINDING_SWAP)},
		{"neighbour", 8, 2, "", 0},
	};
	struct target target;
	char lines[1024];

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	fill_in(lines, sizeof(lines),
		"Filename Type Size Used Priority\n"
		"/dev/sda1 partition 8 0 -2\n"
		"@/files/swap\\040file file 8 0 -3\n");
	fixture_directory("files");
	target = file_target("files/swap file");
	fixture_file("proc/swaps", lines);
	ASSERT_CASES(cases);
	assert_finds("file", &target, false, "swapped on", BIT(FINDING_SWAP));
	target = file_target("files/other");
	assert_finds("other file", &target, false, "", 0);
}

/* No process has these open, and the NVMe target does not open exclusively. */
static void devices_served_to_other_hosts_are_in_use(void **state)
{
	static const struct holds_case cases[] = {
		{"NVMe", 8, 1, "served to other hosts (NVMe target)", BIT(FINDING_HELD)},
		{"its disk", 8, 0, "its partition sda1 is served to other hosts (NVMe target)",
		 BIT(FINDING_HELD)},
		{"SCSI", 8, 16,
		 "served to other hosts (SCSI target); "
		 "its partition sdb10 is served to other hosts (Xen target)",
		 BIT(FINDING_HELD)},
		{"Xen", 8, 26,
		 "served to other hosts (Xen target); "
		 "its disk sdb is served to other hosts (SCSI target)",
		 BIT(FINDING_HELD)},
		{"USB", 8, 48, "served to other hosts (USB target)", BIT(FINDING_HELD)},
		{"neither", 8, 32, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sdb", 8, 16);
	device("sdb/sdb10", 8, 26);
	device("sdc", 8, 32);
	device("sdd", 8, 48);
	fixture_file("sys/bus/xen-backend/devices/vbd-3-51712/physical_device", "8:1a\n");
	fixture_file("sys/bus/xen-backend/devices/vbd-4-51712/physical_device", "\n");
	fixture_file("sys/kernel/config/usb_gadget/g1/functions/mass_storage.0/lun.0/file",
		     "/dev/sdd\n");
	fixture_file("sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path",
		     "/dev/sda1\n");
	fixture_file("sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/2/device_path",
		     "(null)\n");
	fixture_file("sys/kernel/config/target/core/iblock_0/disk/udev_path", "/dev/sdb\n");
	ASSERT_CASES(cases);
}

static void holders_are_named_with_their_kind(void **state)
{
	static const struct holds_case cases[] = {
		{"LVM", 8, 0, "held by 'vg-data' (LVM)", BIT(FINDING_HELD)},
		{"MD", 8, 17, "held by 'md127' (MD)", BIT(FINDING_HELD)},
		{"MD on a partition", 8, 16, "its partition sdb1 is held by 'md127' (MD)", 0},
		{"LV on MD", 9, 127, "held by 'vg2-x\\x01' (LVM)", 0},
		{"multipath", 8, 32, "held by 'mpatha' (multipath)", 0},
		{"partition of a path", 8, 33, "its disk sdc is held by 'mpatha' (multipath)", 0},
		{"partition of multipath", 253, 2, "held by 'mpatha1' (device mapper)", 0},
		{"dm-crypt", 8, 48, "held by 'luks-5f2e' (dm-crypt)", 0},
		{"bcache", 8, 64, "held by 'bcache0' (bcache)", 0},
		{"bcache's cache", 8, 80, "held by bcache", BIT(FINDING_HELD)},
		{"not in sysfs", 8, 96, "held by 'drbd0' (another device)", 0},
		{"odd name", 104, 1, "its disk cciss/c0d0 is held by 'md127' (MD)", 0},
		{"top of the stack", 253, 0, "", 0},
		{"bcache itself", 252, 0, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	mapped("dm-0", 0, "vg-data\n", "LVM-abc\n");
	stack("dm-0", "sda");
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("md127", 9, 127);
	stack("md127", "sdb/sdb1");
	mapped("dm-1", 1, "vg2-x\001", "LVM-def");
	stack("dm-1", "md127");
	device("sdc", 8, 32);
	device("sdc/sdc1", 8, 33);
	mapped("dm-2", 2, "mpatha", "mpath-36001");
	stack("dm-2", "sdc");
	mapped("dm-3", 3, "mpatha1", "part1-mpath-36001");
	stack("dm-3", "dm-2");
	device("sdd", 8, 48);
	mapped("dm-4", 4, "luks-5f2e", "CRYPT-LUKS2-5f2e-luks");
	stack("dm-4", "sdd");
	device("sde", 8, 64);
	device("bcache0", 252, 0);
	attribute("bcache0", "bcache/running", "1\n");
	attribute("sde", "bcache/label", "\n");
	stack("bcache0", "sde");
	device("sdf", 8, 80);
	attribute("sdf", "bcache/cache_mode", "\n");
	device("sdg", 8, 96);
	fixture_link("../../drbd0", "sys/devices/sdg/holders/drbd0");
	device("cciss!c0d0", 104, 0);
	device("cciss!c0d0/cciss!c0d0p1", 104, 1);
	stack("md127", "cciss!c0d0");
	ASSERT_CASES(cases);
}

static void all_devices_of_a_btrfs_are_mounted(void **state)
{
	static const struct holds_case cases[] = {
		{"named in the mount table", 8, 0, "mounted on '/vol' (btrfs)", 0},
		{"not named there", 8, 17, "mounted on '/vol' (btrfs)", BIT(FINDING_MOUNTED)},
		{"its disk", 8, 16, "its partition sdb1 is mounted on '/vol' (btrfs)", 0},
		{"another namespace's", 8, 32, "mounted (btrfs)", BIT(FINDING_MOUNTED)},
		{"none of it", 8, 48, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	device("sdc", 8, 32);
	device("sdd", 8, 48);
	fixture_link("../../../../devices/sda", "sys/fs/btrfs/2f1c/devices/sda");
	fixture_link("../../../../devices/sdb/sdb1", "sys/fs/btrfs/2f1c/devices/sdb1");
	fixture_link("../../../../devices/sdc", "sys/fs/btrfs/77aa/devices/sdc");
	fixture_file("sys/fs/btrfs/features/raid56", "0\n");
	mountinfo("self", "40 27 0:50 / /vol rw - btrfs /dev/sda rw,subvol=/\n");
	ASSERT_CASES(cases);
}

static void loop_devices_count_upwards_and_downwards(void **state)
{
	static const struct holds_case cases[] = {
		{"loop on a disk", 8, 0, "loop device loop0 lies on it", BIT(FINDING_LOOP)},
		{"loop on its disk", 8, 1, "loop device loop0 lies on its disk sda", 0},
		{"loop on a partition", 8, 16,
		 "loop device loop2 lies on its partition sdb1; "
		 "loop device loop2 is held by 'vg-a' (LVM)",
		 BIT(FINDING_LOOP) | BIT(FINDING_HELD)},
		{"what lies below is held", 7, 1,
		 "its backing device '/dev/sdc' is held by 'md0' (MD)", BIT(FINDING_HELD)},
		{"what lies below is mounted", 7, 3, "partition sdd1 is mounted on '/srv' (ext4)",
		 BIT(FINDING_MOUNTED)},
		{"nobody else", 7, 0, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	loop(0, "/dev/sda\n", "0\n", "0\n");
	device("sdb", 8, 16);
	device("sdb/sdb1", 8, 17);
	loop(2, "/dev/sdb1\n", "0\n", "0\n");
	mapped("dm-0", 0, "vg-a", "LVM-a");
	stack("dm-0", "loop2");
	device("sdc", 8, 32);
	device("md0", 9, 0);
	stack("md0", "sdc");
	loop(1, "/dev/sdc\n", "0\n", "0\n");
	device("sdd", 8, 48);
	device("sdd/sdd1", 8, 49);
	loop(3, "/dev/sdd\n", "0\n", "0\n");
	mountinfo("self", "40 27 8:49 / /srv rw - ext4 /dev/sdd1 rw\n");
	ASSERT_CASES(cases);
}

/* Loop 0 is mounted and lies on a file's first MiB, 1 on all of it, 2 on the rest. */
static void loop_devices_on_one_file_count_where_they_overlap(void **state)
{
	static const struct holds_case cases[] = {
		{"mounted itself", 7, 0,
		 "mounted on '/i' (ext4); loop device loop1 lies on its backing file "
		 "'@/files/image'",
		 0},
		{"all of the file", 7, 1,
		 "loop device loop0 is mounted on '/i' (ext4); "
		 "loop device loop0 lies on its backing file '@/files/image'; "
		 "loop device loop2 lies on its backing file '@/files/image'; "
		 "loop device loop3 lies on loop device loop2",
		 0},
		{"after it", 7, 2,
		 "loop device loop3 lies on it; loop device loop1 lies on its backing file "
		 "'@/files/image'",
		 0},
		{"on the rest", 7, 3, "loop device loop1 lies on its backing file '@/files/image'",
		 0},
	};
	char image[PATH_MAX];
	struct target target;

	(void)state;
	fixture_directory("files");
	target = file_target("files/image");
	fixture_path(image, "files/image");
	loop(0, image, "0\n", "1048576\n");
	loop(1, image, "0\n", "0\n");
	loop(2, image, "1048576\n", "0\n");
	loop(3, "/dev/loop2", "0\n", "0\n");
	mountinfo("self", "40 27 7:0 / /i rw - ext4 /dev/loop0 rw\n");
	ASSERT_CASES(cases);
	assert_finds("the file", &target, false,
		     "loop device loop0 is mounted on '/i' (ext4); "
		     "loop device loop0 lies on it; loop device loop1 lies on it; "
		     "loop device loop2 lies on it; loop device loop3 lies on loop device loop2",
		     BIT(FINDING_MOUNTED) | BIT(FINDING_LOOP));
}

static void mounted_file_is_in_use(void **state)
{
	struct target target;
	char lines[1024];

	(void)state;
	fixture_directory("files");
	target = file_target("files/image");
	fill_in(lines, sizeof(lines), "40 27 0:60 / /ro ro - erofs @/files/image ro\n");
	mountinfo("self", lines);
	assert_finds("file", &target, false, "mounted on '/ro' (erofs)", BIT(FINDING_MOUNTED));
	target = file_target("files/other");
	assert_finds("other file", &target, false, "", 0);
}

static void host_managed_zones_are_found(void **state)
{
	static const char *const managed =
		"has host-managed zones: random writes are not possible there";
	const struct holds_case cases[] = {
		{"host-managed", 8, 0, managed, BIT(FINDING_ZONED)},
		{"its partition", 8, 1, managed, BIT(FINDING_ZONED)},
		{"loop device on it", 7, 0, managed, BIT(FINDING_ZONED)},
		{"host-aware", 8, 16, "", 0},
		{"no zones", 8, 32, "", 0},
		{"volume on it, with zones of its own", 253, 0, managed, 0},
		{"translated to random writes", 253, 1, "", 0},
	};

	(void)state;
	device("sda", 8, 0);
	attribute("sda", "queue/zoned", "host-managed\n");
	device("sda/sda1", 8, 1);
	device("sdb", 8, 16);
	attribute("sdb", "queue/zoned", "host-aware\n");
	device("sdc", 8, 32);
	attribute("sdc", "queue/zoned", "none\n");
	mapped("dm-0", 0, "linear", "");
	attribute("dm-0", "queue/zoned", "host-managed\n");
	mapped("dm-1", 1, "dmz-x", "");
	attribute("dm-1", "queue/zoned", "none\n");
	device("sdd", 8, 48);
	attribute("sdd", "queue/zoned", "host-managed\n");
	loop(0, "/dev/sdd\n", "0\n", "0\n");
	ASSERT_CASES(cases);
}

/* Opened for writing as far as can be seen: the descriptor is a file's, so that the kernel has no
 * word about it, and sysfs has the last one. */
static struct target target_for_writing(unsigned minor_number, int access_mode)
{
	struct target target = block_target(8, minor_number);
	char path[PATH_MAX];

	fixture_directory("files");
	fixture_path(path, "files/descriptor");
	target.fd = open(path, access_mode | O_CREAT | O_CLOEXEC, 0600);
	assert_true(target.fd >= 0);
	return target;
}

static void read_only_device_matters_to_writers_alone(void **state)
{
	struct target target;

	(void)state;
	device("sda", 8, 0);
	attribute("sda", "ro", "1\n");
	device("sdb", 8, 16);
	attribute("sdb", "ro", "0\n");
	target = target_for_writing(0, O_RDWR);
	assert_finds("read-only", &target, false, "read-only", BIT(FINDING_READ_ONLY));
	close(target.fd);
	target = target_for_writing(0, O_RDONLY);
	assert_finds("opened for reading", &target, false, "", 0);
	close(target.fd);
	target = target_for_writing(16, O_RDWR);
	assert_finds("writable", &target, false, "", 0);
	close(target.fd);
}

static void refusal_of_the_kernel_is_said_where_nothing_else_explains_it(void **state)
{
	static const struct {
		int code;
		const char *expected;
		unsigned kinds;
	} cases[] = {
		{0, "", 0},
		{-EROFS, "read-only", BIT(FINDING_READ_ONLY)},
		{-ETXTBSY, "is a program that runs", BIT(FINDING_OPEN)},
		{-EAGAIN, "held open by a process that has a lease", BIT(FINDING_OPEN)},
		{-EBUSY, "in use: the kernel refuses an exclusive open", BIT(FINDING_OPEN)},
	};
	struct target target = block_target(8, 0);

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	mountinfo("self", "40 27 8:16 / /b rw - ext4 /dev/sdb rw\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		target.write_code = cases[i].code;
		assert_finds("code", &target, false, cases[i].expected, cases[i].kinds);
	}
	target = block_target(8, 16);
	target.write_code = -EBUSY;
	assert_finds("mounted", &target, false, "mounted on '/b' (ext4)", BIT(FINDING_MOUNTED));
}

static void what_cannot_be_seen_is_unknown(void **state)
{
	const struct target target = block_target(8, 0);
	char path[PATH_MAX];

	(void)state;
	assert_finds("no such device", &target, false, "has no entry in '@/sys/dev/block'",
		     BIT(FINDING_UNKNOWN));
	device("sda", 8, 0);
	fixture_path(path, "proc/1/mountinfo");
	assert_int_equal(unlink(path), 0);
	assert_finds("process 1 hidden", &target, false, "", 0);
	fixture_path(path, "proc/self/mountinfo");
	assert_int_equal(unlink(path), 0);
	assert_finds("no mount table", &target, false, "cannot see what is mounted",
		     BIT(FINDING_UNKNOWN));
	fixture_path(path, "proc/swaps");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0777), 0); /* a directory cannot be read */
	assert_finds("swaps", &target, false,
		     "cannot see what is mounted; cannot see what is swapped on", 0);
	assert_int_equal(rmdir(path), 0); /* a kernel without swap */
	assert_finds("no swaps", &target, false, "cannot see what is mounted", 0);
	fixture_remove(state);
	assert_finds("nothing at all", &target, false,
		     "cannot see the block devices in '@/sys/dev/block'; "
		     "cannot see what is mounted",
		     BIT(FINDING_UNKNOWN));
}

static void each_lun_gets_its_own_findings(void **state)
{
	const struct target targets[] = {block_target(8, 0), block_target(8, 16),
					 block_target(8, 32)};
	struct findings findings[3] = {0};

	(void)state;
	device("sda", 8, 0);
	device("sdb", 8, 16);
	device("sdc", 8, 32);
	mountinfo("self", "40 27 8:16 / /b rw - ext4 /dev/sdb rw\n");
	fixture_file("proc/swaps", "Filename\n/dev/sdc partition 8 0 -2\n");
	findings_add(&findings[2], FINDING_ALIAS, "listed twice");
	probe_holds(targets, 3, &fixture_roots, false, findings);
	assert_found("first", &findings[0], "");
	assert_found("second", &findings[1], "mounted on '/b' (ext4)");
	assert_found("third, added to what was there", &findings[2], "listed twice; swapped on");
	probe_holds(targets, 0, &fixture_roots, true, findings);
	assert_found("no LUN", &findings[0], "");
}

/* A partition of a held disk, on which a loop device is mounted: something is known of it, or that
 * something is unknown, whichever allocation fails. */
static void lack_of_memory_never_looks_like_a_free_lun(void **state)
{
	const struct target target = block_target(8, 1);
	unsigned failed = 0;

	(void)state;
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("md0", 9, 0);
	stack("md0", "sda");
	loop(0, "/dev/sda1\n", "0\n", "0\n");
	mountinfo("self", "40 27 7:0 / /b rw - ext4 /dev/loop0 rw\n");
	for (unsigned nth = 1; nth < 100; nth++) {
		struct findings findings = {0};

		allocation_to_fail = nth;
		probe_holds(&target, 1, &fixture_roots, true, &findings);
		if (findings.kinds == 0)
			fail_msg("nothing found where allocation %u failed", nth);
		if (allocation_to_fail == 0) {
			failed++;
			if (!findings_has(&findings, FINDING_UNKNOWN))
				fail_with("not unknown", &findings, "");
		}
	}
	allocation_to_fail = 0;
	assert_true(failed >= 4); /* devices, mounts, members, watches */
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mounts_are_found_by_number_and_by_source),
		TEST(swap_areas_are_found),
		TEST(devices_served_to_other_hosts_are_in_use),
		TEST(holders_are_named_with_their_kind),
		TEST(all_devices_of_a_btrfs_are_mounted),
		TEST(loop_devices_count_upwards_and_downwards),
		TEST(loop_devices_on_one_file_count_where_they_overlap),
		TEST(mounted_file_is_in_use),
		TEST(host_managed_zones_are_found),
		TEST(read_only_device_matters_to_writers_alone),
		TEST(refusal_of_the_kernel_is_said_where_nothing_else_explains_it),
		TEST(what_cannot_be_seen_is_unknown),
		TEST(lack_of_memory_never_looks_like_a_free_lun),
		TEST(each_lun_gets_its_own_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
