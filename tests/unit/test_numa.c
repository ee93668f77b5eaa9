/* The CPUs near the LUNs, on fixture trees. SPDX-License-Identifier: MIT */
#include "block_helpers.h"

/* Two controllers, one at each node, each with a disk, one of which has a partition; a loop device,
 * which has neither; a disk whose controller says that it knows no node. */
static int setup(void **state)
{
	fixture_make(state);
	device("pci0/nvme/nvme0/nvme0n1", 259, 0);
	device("pci0/nvme/nvme0/nvme0n1/nvme0n1p1", 259, 1);
	device("pci1/nvme/nvme1/nvme1n1", 259, 2);
	device("virtual/block/loop0", 7, 0);
	device("pci2/host0/sda", 8, 0);
	attribute("pci0", "numa_node", "0\n");
	attribute("pci1", "numa_node", "1\n");
	attribute("pci2", "numa_node", "-1\n");
	attribute("system/node/node0", "cpulist", "0-3,8\n");
	attribute("system/node/node1", "cpulist", "4-7,9-11\n");
	return 0;
}

static void the_node_is_that_of_the_controller(void **state)
{
	static const struct {
		unsigned major, minor;
		int node;
	} cases[] = {{259, 0, 0}, {259, 1, 0}, {259, 2, 1}, {7, 0, -1}, {8, 0, -1}, {8, 1, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target target = block_target(cases[i].major, cases[i].minor);

		assert_int_equal(target_numa_node(&target, fixture_roots.sysfs), cases[i].node);
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
	const struct target targets[] = {block_target(259, 0), block_target(259, 1)};
	cpu_set_t allowed = cpus_from_to(0, 11), near, expected = cpus_from_to(0, 3);

	(void)state;
	CPU_SET(8, &expected);
	assert_true(targets_near_cpus(targets, 2, fixture_roots.sysfs, &allowed, &near));
	assert_true(CPU_EQUAL(&near, &expected));
	/* of them those that are allowed */
	allowed = cpus_from_to(2, 7);
	expected = cpus_from_to(2, 3);
	assert_true(targets_near_cpus(targets, 2, fixture_roots.sysfs, &allowed, &near));
	assert_true(CPU_EQUAL(&near, &expected));
}

static void nothing_is_gained_else(void **state)
{
	const struct target both[] = {block_target(259, 0), block_target(259, 2)};
	const struct target none[] = {block_target(259, 0), block_target(7, 0)};
	const struct target first[] = {block_target(259, 0)};
	cpu_set_t allowed = cpus_from_to(0, 11), near;

	(void)state;
	assert_false(targets_near_cpus(both, 2, fixture_roots.sysfs, &allowed, &near));
	assert_false(targets_near_cpus(none, 2, fixture_roots.sysfs, &allowed, &near));
	assert_false(targets_near_cpus(first, 0, fixture_roots.sysfs, &allowed, &near));
	/* all that are allowed are on it, or none */
	allowed = cpus_from_to(1, 2);
	assert_false(targets_near_cpus(first, 1, fixture_roots.sysfs, &allowed, &near));
	allowed = cpus_from_to(4, 7);
	assert_false(targets_near_cpus(first, 1, fixture_roots.sysfs, &allowed, &near));
	assert_false(targets_near_cpus(first, 1, "/nonexistent", &allowed, &near));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_node_is_that_of_the_controller),
		TEST(luns_of_one_node_have_its_cpus),
		TEST(nothing_is_gained_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
