/* Which LUNs are the same storage, on fixture trees. SPDX-License-Identifier: MIT */
#include "block_helpers.h"

/* two targets and what is expected of them; @kept is 0, 1, or -1: not related */
struct pair {
	const char *what;
	unsigned numbers[2][2]; /* major, minor */
	int kept;
	const char *how;
};

static void assert_relation(const struct target targets[2], const char *what, int kept,
			    const char *how)
{
	struct relation relation = {0};
	bool related = targets_related(targets, 2, &fixture_roots, &relation);

	if (kept < 0) {
		if (related)
			fail_msg("%s: '%s', expected to be apart", what, relation.how);
		return;
	}
	if (!related)
		fail_msg("%s: not related", what);
	if (strcmp(relation.how, how) != 0 || relation.kept != (unsigned)kept ||
	    relation.dropped != 1 - (unsigned)kept)
		fail_msg("%s: '%s', kept %u", what, relation.how, relation.kept);
}

static void assert_pairs(const struct pair pairs[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct target targets[] = {
			block_target(pairs[i].numbers[0][0], pairs[i].numbers[0][1]),
			block_target(pairs[i].numbers[1][0], pairs[i].numbers[1][1]),
		};

		assert_relation(targets, pairs[i].what, pairs[i].kept, pairs[i].how);
	}
}

static void partition(const char *path, unsigned major_number, unsigned minor_number,
		      const char *start, const char *size)
{
	device(path, major_number, minor_number);
	attribute(path, "start", start);
	attribute(path, "size", size);
}

static void disk(const char *name, unsigned minor_number, const char *wwid)
{
	device(name, 8, minor_number);
	attribute(name, "size", "2097152\n");
	if (wwid)
		attribute(name, "device/wwid", wwid);
}

static void partitions_are_related_to_their_disk_alone(void **state)
{
	static const struct pair pairs[] = {
		{"the same number", {{8, 0}, {8, 0}}, 0, "is the same device as"},
		{"two disks", {{8, 0}, {8, 16}}, -1, NULL},
		{"disk, partition", {{8, 0}, {8, 1}}, 0, "is a partition of"},
		{"partition, disk", {{8, 2}, {8, 0}}, 1, "is a partition of"},
		{"neighbours", {{8, 1}, {8, 2}}, -1, NULL},
		{"partition, other disk", {{8, 1}, {8, 16}}, -1, NULL},
		{"NVMe", {{259, 1}, {259, 0}}, 1, "is a partition of"},
		{"parts of a partition and of its disk", {{7, 0}, {7, 1}}, -1, NULL},
		{"the same bytes of both", {{7, 0}, {7, 2}}, 0, "shares storage with"},
		{"not in sysfs", {{8, 99}, {8, 99}}, 0, "is the same device as"},
		{"not in sysfs, other", {{8, 99}, {8, 0}}, -1, NULL},
	};

	(void)state;
	disk("sda", 0, NULL);
	partition("sda/sda1", 8, 1, "2048\n", "1000\n");
	partition("sda/sda2", 8, 2, "3048\n", "1000\n"); /* from where sda1 ends */
	disk("sdb", 16, NULL);
	device("nvme0n1", 259, 0);
	partition("nvme0n1/nvme0n1p1", 259, 1, "2048\n", "1000\n");
	/* the first page of sda1, which begins at byte 1048576; the disk's pages there and after it
	 */
	loop(0, "/dev/sda1\n", "0\n", "4096\n");
	loop(1, "/dev/sda\n", "1052672\n", "4096\n");
	loop(2, "/dev/sda\n", "1048576\n", "4096\n");
	assert_pairs(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/* Two paths to one disk have two device numbers, and one WWID. */
static void one_wwid_is_one_disk(void **state)
{
	static const struct pair pairs[] = {
		{"two paths", {{8, 0}, {8, 16}}, 0, "is the same device as"},
		{"third path", {{8, 32}, {8, 0}}, -1, NULL},
		{"its size differs", {{8, 0}, {8, 48}}, -1, NULL},
		{"both unknown", {{8, 64}, {8, 80}}, -1, NULL},
		{"both empty", {{8, 96}, {8, 112}}, -1, NULL},
		{"one partition", {{8, 1}, {8, 17}}, 0, "is the same device as"},
		{"partition by the other path", {{8, 1}, {8, 16}}, 1, "is a partition of"},
		{"other partition", {{8, 1}, {8, 18}}, -1, NULL},
		{"NVMe", {{259, 0}, {259, 1}}, 0, "is the same device as"},
		{"multipath", {{8, 0}, {253, 0}}, 1, "lies below"},
		{"multipath, path outside the map", {{253, 0}, {8, 16}}, 0, "lies below"},
	};

	(void)state;
	disk("sda", 0, "naa.6001405aa\n");
	disk("sdb", 16, "naa.6001405aa  \n");
	disk("sdc", 32, "naa.6001405bb\n");
	disk("sdd", 48, "naa.6001405aa\n");
	attribute("sdd", "size", "2097160\n");
	disk("sde", 64, NULL);
	disk("sdf", 80, NULL);
	disk("sdg", 96, "\n");
	disk("sdh", 112, "\n");
	partition("sda/sda1", 8, 1, "2048\n", "1000\n");
	partition("sdb/sdb1", 8, 17, "2048\n", "1000\n");
	partition("sdb/sdb2", 8, 18, "4096\n", "1000\n");
	device("nvme0n1", 259, 0);
	attribute("nvme0n1", "wwid", "eui.0025385b\n");
	device("nvme1n1", 259, 1);
	attribute("nvme1n1", "wwid", "eui.0025385b\n");
	mapped("dm-0", 0, "mpatha", "mpath-36001405aa");
	stack("dm-0", "sda");
	assert_pairs(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void volumes_are_related_to_what_they_are_made_of(void **state)
{
	static const struct pair pairs[] = {
		{"MD, member", {{9, 0}, {8, 1}}, 0, "lies below"},
		{"member, MD", {{8, 17}, {9, 0}}, 1, "lies below"},
		{"MD, disk of a member", {{9, 0}, {8, 0}}, 0, "lies below"},
		{"MD, other partition there", {{9, 0}, {8, 2}}, -1, NULL},
		{"LV, MD", {{253, 0}, {9, 0}}, 0, "lies below"},
		{"LV, member of the MD below", {{8, 1}, {253, 0}}, 1, "lies below"},
		{"two LVs of one group", {{253, 0}, {253, 1}}, -1, NULL},
		{"LV, the other LV's loop", {{253, 0}, {7, 0}}, -1, NULL},
		{"LV, its loop", {{7, 0}, {253, 1}}, 1, "lies on"},
		{"MD, loop on an LV", {{7, 0}, {9, 0}}, 0, "lies below"},
		{"members", {{8, 1}, {8, 17}}, -1, NULL},
	};

	(void)state;
	disk("sda", 0, NULL);
	partition("sda/sda1", 8, 1, "2048\n", "1000\n");
	partition("sda/sda2", 8, 2, "4096\n", "1000\n");
	disk("sdb", 16, NULL);
	partition("sdb/sdb1", 8, 17, "2048\n", "1000\n");
	device("md0", 9, 0);
	stack("md0", "sda/sda1");
	stack("md0", "sdb/sdb1");
	mapped("dm-0", 0, "vg-a", "LVM-1");
	stack("dm-0", "md0");
	mapped("dm-1", 1, "vg-b", "LVM-2");
	stack("dm-1", "md0");
	loop(0, "/dev/dm-1", "0\n", "0\n");
	assert_pairs(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/* Loop 0 lies on the whole of a file, 1 and 2 on halves of it, 3 on loop 0, 4 elsewhere. */
static void make_loops(void)
{
	char image[PATH_MAX], other[PATH_MAX];

	fixture_file("files/image", "data");
	fixture_file("files/other", "data");
	fixture_path(image, "files/image");
	fixture_path(other, "files/other");
	loop(0, image, "0\n", "0\n");
	loop(1, image, "0\n", "1048576\n");
	loop(2, image, "1048576\n", "0\n");
	loop(3, "/dev/loop0", "0\n", "0\n");
	loop(4, other, "0\n", "0\n");
	loop(5, image, "1048576\n", "18446744073709551615\n");	/* a limit beyond every end */
	partition("loop0/loop0p1", 259, 0, "0\n", "2048\n");	/* the first MiB */
	partition("loop0/loop0p2", 259, 1, "2048\n", "1024\n"); /* after it */
}

static void loops_are_related_by_the_bytes_of_one_file(void **state)
{
	static const struct pair pairs[] = {
		{"whole, half", {{7, 0}, {7, 1}}, 0, "lies on the same file as"},
		{"two halves", {{7, 1}, {7, 2}}, -1, NULL},
		{"loop on a loop", {{7, 0}, {7, 3}}, 0, "lies on"},
		{"loop on a loop, half", {{7, 3}, {7, 2}}, 0, "lies on the same file as"},
		{"other file", {{7, 0}, {7, 4}}, -1, NULL},
		{"half, half without an end", {{7, 2}, {7, 5}}, 0, "lies on the same file as"},
		{"partition of a loop", {{259, 0}, {7, 0}}, 1, "is a partition of"},
		{"partition, the half it lies in",
		 {{259, 0}, {7, 1}},
		 0,
		 "lies on the same file as"},
		{"partition, the other half", {{259, 1}, {7, 1}}, -1, NULL},
		{"partition, loop on its loop", {{259, 1}, {7, 3}}, 0, "shares storage with"},
	};

	(void)state;
	make_loops();
	assert_pairs(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void files_are_related_by_inode(void **state)
{
	struct target targets[2];
	char image[PATH_MAX], second[PATH_MAX];

	(void)state;
	make_loops();
	targets[0] = file_target("files/image");
	fixture_path(image, "files/image");
	fixture_path(second, "files/second");
	assert_int_equal(link(image, second), 0);
	targets[1] = file_target("files/second");
	assert_relation(targets, "hard link", 0, "is the same file as");
	targets[1] = file_target("files/other");
	assert_relation(targets, "other file", -1, NULL);
	targets[1] = block_target(7, 4);
	assert_relation(targets, "another file's loop", -1, NULL);
	targets[1] = block_target(7, 3);
	assert_relation(targets, "loop on its loop", 0, "lies on");
	targets[1] = block_target(259, 1);
	assert_relation(targets, "partition of its loop", 0, "lies on");
	targets[1] = targets[0];
	targets[0] = block_target(7, 2);
	assert_relation(targets, "loop first", 1, "lies on");
}

static void first_target_in_the_list_comes_first(void **state)
{
	struct target targets[5];
	struct relation relation;

	(void)state;
	disk("sda", 0, NULL);
	partition("sda/sda1", 8, 1, "2048\n", "1000\n");
	disk("sdb", 16, NULL);
	partition("sdb/sdb1", 8, 17, "2048\n", "1000\n");
	targets[0] = block_target(259, 7);
	targets[1] = block_target(8, 17);
	targets[2] = block_target(8, 0);
	targets[3] = block_target(8, 1);
	targets[4] = block_target(8, 16);
	assert_true(targets_related(targets, 5, &fixture_roots, &relation));
	assert_int_equal(relation.kept, 4); /* sdb, of which the second is a partition */
	assert_int_equal(relation.dropped, 1);
	assert_false(targets_related(targets, 3, &fixture_roots, &relation));
	assert_false(targets_related(targets, 1, &fixture_roots, &relation));
	assert_false(targets_related(targets, 0, &fixture_roots, &relation));
}

/* Without sysfs the numbers themselves are known all the same. */
static void missing_sysfs_leaves_the_numbers(void **state)
{
	static const struct probe_roots nowhere = {.sysfs = "/nonexistent", .proc = "/nonexistent"};
	const struct target same[] = {block_target(8, 1), block_target(8, 1)};
	const struct target apart[] = {block_target(8, 1), block_target(8, 0)};
	struct relation relation;

	(void)state;
	assert_true(targets_related(same, 2, &nowhere, &relation));
	assert_string_equal(relation.how, "is the same device as");
	assert_false(targets_related(apart, 2, &nowhere, &relation));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(partitions_are_related_to_their_disk_alone),
		TEST(one_wwid_is_one_disk),
		TEST(volumes_are_related_to_what_they_are_made_of),
		TEST(loops_are_related_by_the_bytes_of_one_file),
		TEST(files_are_related_by_inode),
		TEST(first_target_in_the_list_comes_first),
		TEST(missing_sysfs_leaves_the_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
