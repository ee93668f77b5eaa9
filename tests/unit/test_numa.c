/* The CPUs near the LUNs, on fixture trees. SPDX-License-Identifier: MIT */
#include "calib/target.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

static char root[64];

static void in_tree(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", root, name);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
		*at = '/';
	}
}

static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	in_tree(path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Two controllers, one at each node, each with a disk, one of which has a partition; a loop device,
 * which has neither; a disk whose controller says that it knows no node. */
static int setup(void **state)
{
	static const struct {
		const char *number, *directory;
	} devices[] = {
		{"259:0", "devices/pci0/nvme/nvme0/nvme0n1"},
		{"259:1", "devices/pci0/nvme/nvme0/nvme0n1/nvme0n1p1"},
		{"259:2", "devices/pci1/nvme/nvme1/nvme1n1"},
		{"7:0", "devices/virtual/block/loop0"},
		{"8:0", "devices/pci2/host0/sda"},
	};
	char path[PATH_MAX], link[PATH_MAX], name[64];

	(void)state;
	strcpy(root, "/tmp/calib_numa_XXXXXX");
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		snprintf(name, sizeof(name), "%s/size", devices[i].directory);
		make_file(name, "1\n");
		snprintf(name, sizeof(name), "dev/block/%s", devices[i].number);
		in_tree(link, name);
		snprintf(path, sizeof(path), "../../%s", devices[i].directory);
		assert_int_equal(symlink(path, link), 0);
	}
	make_file("devices/pci0/numa_node", "0\n");
	make_file("devices/pci1/numa_node", "1\n");
	make_file("devices/pci2/numa_node", "-1\n");
	make_file("devices/system/node/node0/cpulist", "0-3,8\n");
	make_file("devices/system/node/node1/cpulist", "4-7,9-11\n");
	return 0;
}

static int teardown(void **state)
{
	char command[sizeof(root) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static struct target device(unsigned major, unsigned minor)
{
	return (struct target){.is_block = true, .device = makedev(major, minor)};
}

static void the_node_is_that_of_the_controller(void **state)
{
	static const struct {
		unsigned major, minor;
		int node;
	} cases[] = {{259, 0, 0}, {259, 1, 0}, {259, 2, 1}, {7, 0, -1}, {8, 0, -1}, {8, 1, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target = device(cases[i].major, cases[i].minor);

		assert_int_equal(target_numa_node(&target, root), cases[i].node);
	}
}

static cpu_set_t cpus_from_to(unsigned first, unsigned last)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (unsigned cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, &cpus);
	return cpus;
}

static void luns_of_one_node_have_its_cpus(void **state)
{
	const struct target targets[] = {device(259, 0), device(259, 1)};
	cpu_set_t allowed = cpus_from_to(0, 11), near, expected = cpus_from_to(0, 3);

	(void)state;
	CPU_SET(8, &expected);
	assert_true(targets_near_cpus(targets, 2, root, &allowed, &near));
	assert_true(CPU_EQUAL(&near, &expected));
	/* of them those that are allowed */
	allowed = cpus_from_to(2, 7);
	expected = cpus_from_to(2, 3);
	assert_true(targets_near_cpus(targets, 2, root, &allowed, &near));
	assert_true(CPU_EQUAL(&near, &expected));
}

static void nothing_is_gained_else(void **state)
{
	const struct target both[] = {device(259, 0), device(259, 2)};
	const struct target none[] = {device(259, 0), device(7, 0)};
	const struct target first[] = {device(259, 0)};
	cpu_set_t allowed = cpus_from_to(0, 11), near;

	(void)state;
	assert_false(targets_near_cpus(both, 2, root, &allowed, &near));
	assert_false(targets_near_cpus(none, 2, root, &allowed, &near));
	assert_false(targets_near_cpus(first, 0, root, &allowed, &near));
	/* all that are allowed are on it, or none */
	allowed = cpus_from_to(1, 2);
	assert_false(targets_near_cpus(first, 1, root, &allowed, &near));
	allowed = cpus_from_to(4, 7);
	assert_false(targets_near_cpus(first, 1, root, &allowed, &near));
	assert_false(targets_near_cpus(first, 1, "/nonexistent", &allowed, &near));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_node_is_that_of_the_controller),
		TEST(luns_of_one_node_have_its_cpus),
		TEST(nothing_is_gained_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
