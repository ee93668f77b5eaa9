/* Where LUNs are attached: their NUMA node and its CPUs. SPDX-License-Identifier: MIT */
#include "calib/target.h"
#include "target_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* The nearest device above a block device that knows a node: the controller, mostly. */
int target_numa_node(const struct target *target, const char *sysfs)
{
	char link[PATH_MAX], path[PATH_MAX], file[PATH_MAX + 16];
	char line[32];
	char *end;

	snprintf(link, sizeof(link), "%s/dev/block/%u:%u", sysfs, major(target->device),
		 minor(target->device));
	if (!realpath(link, path))
		return -1;
	while ((end = strrchr(path, '/')) != NULL && end > path) {
		snprintf(file, sizeof(file), "%s/numa_node", path);
		if (first_line(file, line, sizeof(line)) && atoi(line) >= 0)
			return atoi(line);
		*end = '\0';
	}
	return -1;
}

/* "0-3,8" as the kernel writes it; CPUs beyond the set are left out. */
static void parse_cpu_list(const char *text, cpu_set_t *cpus)
{
	char *end;

	CPU_ZERO(cpus);
	for (const char *at = text; *at >= '0' && *at <= '9'; at = end + (*end == ',')) {
		unsigned long first = strtoul(at, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, cpus);
	}
}

bool targets_near_cpus(const struct target targets[], unsigned count, const char *sysfs,
		       const cpu_set_t *allowed, cpu_set_t *near)
{
	char path[PATH_MAX];
	char line[4096];
	int node = count > 0 ? target_numa_node(&targets[0], sysfs) : -1;

	for (unsigned i = 1; i < count && node >= 0; i++)
		if (target_numa_node(&targets[i], sysfs) != node)
			node = -1;
	if (node < 0)
		return false;
	snprintf(path, sizeof(path), "%s/devices/system/node/node%d/cpulist", sysfs, node);
	if (!first_line(path, line, sizeof(line)))
		return false;
	parse_cpu_list(line, near);
	CPU_AND(near, near, allowed);
	return CPU_COUNT(near) > 0 && !CPU_EQUAL(near, allowed);
}
