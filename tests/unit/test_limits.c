/* What the machine allows, read from fixture trees and from limits that are scripted.
 * SPDX-License-Identifier: MIT */
#include "calib/limits.h"
#include "calib/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

#define MIB UINT64_C(1048576)

int __wrap_getrlimit(int resource, struct rlimit *limit);
int __wrap_setrlimit(int resource, const struct rlimit *limit);
int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

/* @cpus_bytes: the kernel's set is so large; 0: as it is here. @cpus_count: so many are allowed */
static struct script {
	struct rlimit files;
	unsigned set_calls;
	int set_code;
	size_t cpus_bytes;
	unsigned cpus_count;
	int cpus_code;
} script;

int __wrap_getrlimit(int resource, struct rlimit *limit)
{
	assert_int_equal(resource, RLIMIT_NOFILE);
	*limit = script.files;
	return 0;
}

int __wrap_setrlimit(int resource, const struct rlimit *limit)
{
	assert_int_equal(resource, RLIMIT_NOFILE);
	script.set_calls++;
	if (script.set_code != 0) {
		errno = -script.set_code;
		return -1;
	}
	script.files = *limit;
	return 0;
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (script.cpus_code != 0) {
		errno = -script.cpus_code;
		return -1;
	}
	if (script.cpus_count > 0) {
		memset(set, 0, size);
		for (unsigned cpu = 0; cpu < script.cpus_count; cpu++)
			CPU_SET_S(cpu, size, set);
		return 0;
	}
	if (script.cpus_bytes == 0)
		return __real_sched_getaffinity(pid, size, set);
	if (size < script.cpus_bytes) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, size);
	CPU_SET_S(0, size, set);
	CPU_SET_S(script.cpus_bytes * 8 - 1, size, set);
	CPU_SET_S(700, size, set);
	return 0;
}

static char root[64];

static int enter(void **state)
{
	(void)state;
	script = (struct script){0};
	strcpy(root, "/tmp/calib_limits_XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int leave(void **state)
{
	char command[sizeof(root) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Makes the directories too; "@" in the text becomes the tree's own path. */
static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	for (; *text != '\0'; text++)
		if (*text == '@')
			fputs(root, file);
		else
			fputc(*text, file);
	fclose(file);
}

/* As on a machine with 8000 MiB, 6000 MiB of them to be had. */
static void make_proc(const char *cgroup, const char *mountinfo)
{
	make_file("proc/meminfo",
		  "MemTotal:        8192000 kB\nMemFree:          500000 kB\nMemAvailable:    "
		  "6144000 kB\nBuffers:           10000 kB\n");
	if (cgroup)
		make_file("proc/self/cgroup", cgroup);
	if (mountinfo)
		make_file("proc/self/mountinfo", mountinfo);
}

static void assert_room(uint64_t available_mib, uint64_t total_mib)
{
	char proc[PATH_MAX];
	struct memory_room room;

	snprintf(proc, sizeof(proc), "%s/proc", root);
	limits_memory(proc, &room);
	assert_int_equal(room.available_bytes, available_mib * MIB);
	assert_int_equal(room.total_bytes, total_mib * MIB);
}

#define MOUNT_1                                                                                    \
	"22 1 0:20 / / rw - ext4 /dev/vda rw\n"                                                    \
	"30 22 0:26 / @/cpu rw,relatime shared:8 - cgroup cgroup rw,cpu,cpuacct\n"                 \
	"31 22 0:27 / @/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
#define MOUNT_2	   "31 22 0:27 / @/unified rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define NO_LIMIT_1 "9223372036854771712\n"

static void without_cgroups_the_machine_decides(void **state)
{
	(void)state;
	make_proc(NULL, NULL);
	assert_room(6000, 8000);
}

static void without_proc_nothing_is_known(void **state)
{
	struct memory_room room;

	(void)state;
	limits_memory("/nonexistent", &room);
	assert_true(room.available_bytes == UINT64_MAX);
	assert_true(room.total_bytes == UINT64_MAX);
}

static void this_machine_has_memory(void **state)
{
	(void)state;
	assert_in_range(limits_memory_available(), MIB, UINT64_MAX - 1);
	assert_in_range(limits_memory_total(), limits_memory_available() / 2, UINT64_MAX - 1);
}

static void version_1_limits_what_a_group_may_use(void **state)
{
	(void)state;
	make_proc("5:cpu,cpuacct:/other\n4:memory:/a/b\n0::/\n", MOUNT_1);
	make_file("memory/memory.limit_in_bytes", NO_LIMIT_1);
	make_file("memory/memory.usage_in_bytes", "3145728000\n");
	make_file("memory/a/memory.limit_in_bytes", NO_LIMIT_1);
	make_file("memory/a/memory.usage_in_bytes", "104857600\n");
	make_file("memory/a/b/memory.limit_in_bytes", "524288000\n");
	make_file("memory/a/b/memory.usage_in_bytes", "104857600\n");
	make_file("cpu/other/memory.limit_in_bytes", "1048576\n");
	make_file("cpu/other/memory.usage_in_bytes", "0\n");
	assert_room(400, 500);
}

static void a_group_above_limits_too(void **state)
{
	(void)state;
	make_proc("4:memory:/a/b\n", MOUNT_1);
	make_file("memory/a/memory.limit_in_bytes", "209715200\n");
	make_file("memory/a/memory.usage_in_bytes", "157286400\n");
	make_file("memory/a/b/memory.limit_in_bytes", "524288000\n");
	make_file("memory/a/b/memory.usage_in_bytes", "104857600\n");
	assert_room(50, 200);
}

static void files_not_used_lately_count_as_room(void **state)
{
	(void)state;
	make_proc("4:memory:/a\n", MOUNT_1);
	make_file("memory/a/memory.limit_in_bytes", "524288000\n");
	make_file("memory/a/memory.usage_in_bytes", "503316480\n");
	make_file("memory/a/memory.stat",
		  "cache 1\ninactive_file 4096\ntotal_inactive_file 104857600\n"
		  "total_active_file 209715200\n");
	assert_room(120, 500);
}

static void version_2_limits_what_a_group_may_use(void **state)
{
	(void)state;
	make_proc("0::/user.slice/run-1.scope\n", MOUNT_2);
	make_file("unified/user.slice/memory.max", "max\n");
	make_file("unified/user.slice/memory.high", "max\n");
	make_file("unified/user.slice/memory.current", "943718400\n");
	make_file("unified/user.slice/run-1.scope/memory.max", "1048576000\n");
	make_file("unified/user.slice/run-1.scope/memory.high", "max\n");
	make_file("unified/user.slice/run-1.scope/memory.current", "419430400\n");
	make_file("unified/user.slice/run-1.scope/memory.stat",
		  "anon 314572800\nactive_file 50\ninactive_file 104857600\n");
	assert_room(700, 1000);
}

static void being_slowed_down_is_a_limit_too(void **state)
{
	(void)state;
	make_proc("0::/a\n", MOUNT_2);
	make_file("unified/a/memory.max", "1048576000\n");
	make_file("unified/a/memory.high", "314572800\n");
	make_file("unified/a/memory.current", "104857600\n");
	assert_room(200, 300);
}

static void a_group_that_is_over_its_limit_has_no_room(void **state)
{
	(void)state;
	make_proc("0::/a\n", MOUNT_2);
	make_file("unified/a/memory.max", "104857600\n");
	make_file("unified/a/memory.current", "209715200\n");
	assert_room(0, 100);
}

/* The container's own group is all that is mounted; its path is told as the host sees it. */
static void a_container_sees_its_own_group_as_the_root(void **state)
{
	(void)state;
	make_proc("4:memory:/docker/0123/sub\n",
		  "31 22 0:27 /docker/0123 @/memory ro - cgroup cgroup rw,memory\n");
	make_file("memory/memory.limit_in_bytes", "104857600\n");
	make_file("memory/memory.usage_in_bytes", "10485760\n");
	make_file("memory/sub/memory.limit_in_bytes", "52428800\n");
	make_file("memory/sub/memory.usage_in_bytes", "10485760\n");
	assert_room(40, 50);
}

static void a_group_outside_of_what_is_mounted_has_the_mounts_limit(void **state)
{
	(void)state;
	make_proc("0::/../elsewhere\n", MOUNT_2);
	make_file("unified/memory.max", "104857600\n");
	make_file("unified/memory.current", "10485760\n");
	assert_room(90, 100);
	make_proc("4:memory:/dockerx\n",
		  "31 22 0:27 /docker @/memory ro - cgroup cgroup rw,memory\n");
	make_file("memory/memory.limit_in_bytes", "52428800\n");
	make_file("memory/memory.usage_in_bytes", "10485760\n");
	assert_room(40, 50);
}

static void odd_files_limit_nothing(void **state)
{
	(void)state;
	make_proc("\nrubbish\n4:memory\n4:memoryx:/a\n0::/a\n", "rubbish\n - cgroup2\n" MOUNT_2);
	make_file("unified/a/memory.max", "lots\n");
	make_file("unified/a/memory.current", "\n");
	make_file("memory/a/memory.limit_in_bytes", "1\n");
	make_file("memory/a/memory.usage_in_bytes", "0\n");
	assert_room(6000, 8000);
}

static unsigned open_now(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1000; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void enough_descriptors_change_nothing(void **state)
{
	struct error err = {0};

	(void)state;
	script.files.rlim_cur = script.files.rlim_max = open_now() + 100;
	assert_int_equal(limits_need_descriptors(100, &err), 0);
	assert_int_equal(script.set_calls, 0);
	script.files.rlim_cur = script.files.rlim_max = RLIM_INFINITY;
	assert_int_equal(limits_need_descriptors(INT_MAX, &err), 0);
	assert_int_equal(script.set_calls, 0);
}

static void the_soft_limit_is_raised_as_far_as_needed(void **state)
{
	struct error err = {0};

	(void)state;
	script.files = (struct rlimit){.rlim_cur = 24, .rlim_max = 4096};
	assert_int_equal(limits_need_descriptors(1104, &err), 0);
	assert_int_equal(script.files.rlim_cur, open_now() + 1104);
	assert_int_equal(script.files.rlim_max, 4096);
}

static void assert_refused(const char *limit)
{
	struct error err = {0};
	char expected[128];

	assert_int_equal(limits_need_descriptors(81, &err), -EMFILE);
	assert_int_equal(err.code, -EMFILE);
	snprintf(expected, sizeof(expected),
		 "need about %u descriptors, the limit is %s: try ulimit -n %u", open_now() + 81,
		 limit, open_now() + 81);
	if (!strstr(err.text, expected))
		fail_msg("'%s' has no '%s'", err.text, expected);
}

static void the_hard_limit_ends_it_with_both_numbers(void **state)
{
	(void)state;
	script.files = (struct rlimit){.rlim_cur = 16, .rlim_max = 24};
	assert_refused("24");
	script.files = (struct rlimit){.rlim_cur = 16, .rlim_max = 4096};
	script.set_code = -EPERM;
	assert_refused("16");
}

static void cpus_are_those_this_process_may_run_on(void **state)
{
	cpu_set_t one, before;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(limits_cpus(), CPU_COUNT(&before));
	CPU_ZERO(&one);
	for (unsigned cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &before))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(limits_cpus(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void more_cpus_than_a_common_set_holds_are_counted(void **state)
{
	(void)state;
	script.cpus_bytes = 8192 / 8;
	assert_int_equal(limits_cpus(), 3);
	script.cpus_code = -EPERM;
	assert_int_equal(limits_cpus(), 0);
	script.cpus_code = -EINVAL; /* always: it must not ask for ever */
	assert_int_equal(limits_cpus(), 0);
}

static void a_quota_leaves_fewer_cpus(void **state)
{
	static const struct {
		const char *group, *above;
		unsigned cpus;
	} version_2[] = {
		{"250000 100000\n", "max 100000\n", 2},
		{"max 100000\n", "max 100000\n", 1023},
		{"50000 100000\n", "max 100000\n", 1},
		{"800000 100000\n", "400000 100000\n", 4},
		{"\n", "max\n", 1023},
	};
	char proc[PATH_MAX];

	(void)state;
	script.cpus_count = 1023;
	snprintf(proc, sizeof(proc), "%s/proc", root);
	make_proc("0::/a/b\n", MOUNT_2);
	assert_int_equal(limits_cpus_granted(proc), 1023);
	for (size_t i = 0; i < sizeof(version_2) / sizeof(version_2[0]); i++) {
		make_file("unified/a/b/cpu.max", version_2[i].group);
		make_file("unified/a/cpu.max", version_2[i].above);
		assert_int_equal(limits_cpus_granted(proc), version_2[i].cpus);
	}
	make_proc("5:cpu,cpuacct:/a\n4:cpuset:/b\n", MOUNT_1);
	make_file("cpu/a/cpu.cfs_period_us", "100000\n");
	make_file("cpu/a/cpu.cfs_quota_us", "-1\n");
	assert_int_equal(limits_cpus_granted(proc), 1023);
	make_file("cpu/a/cpu.cfs_quota_us", "350000\n");
	assert_int_equal(limits_cpus_granted(proc), 3);
	script.cpus_count = 2;
	assert_int_equal(limits_cpus_granted(proc), 2);
	assert_int_equal(limits_cpus_granted("/nonexistent"), 2);
}

static void refused_direct_io_names_file_and_file_system(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(limits_direct_refused("/proc/self/status", -EINVAL, &err), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_non_null(strstr(err.text, "'/proc/self/status'"));
	assert_non_null(strstr(err.text, "'proc'"));
	assert_non_null(strstr(err.text, "O_DIRECT"));
	assert_non_null(strstr(err.text, "Invalid argument"));
	assert_int_equal(limits_direct_refused("no\nsuch", -EOPNOTSUPP, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "'no\\x0asuch' takes no direct I/O"));
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(without_cgroups_the_machine_decides),
		TREE_TEST(without_proc_nothing_is_known),
		TREE_TEST(this_machine_has_memory),
		TREE_TEST(version_1_limits_what_a_group_may_use),
		TREE_TEST(a_group_above_limits_too),
		TREE_TEST(files_not_used_lately_count_as_room),
		TREE_TEST(version_2_limits_what_a_group_may_use),
		TREE_TEST(being_slowed_down_is_a_limit_too),
		TREE_TEST(a_group_that_is_over_its_limit_has_no_room),
		TREE_TEST(a_container_sees_its_own_group_as_the_root),
		TREE_TEST(a_group_outside_of_what_is_mounted_has_the_mounts_limit),
		TREE_TEST(odd_files_limit_nothing),
		TREE_TEST(enough_descriptors_change_nothing),
		TREE_TEST(the_soft_limit_is_raised_as_far_as_needed),
		TREE_TEST(the_hard_limit_ends_it_with_both_numbers),
		TREE_TEST(a_quota_leaves_fewer_cpus),
		TREE_TEST(cpus_are_those_this_process_may_run_on),
		TREE_TEST(more_cpus_than_a_common_set_holds_are_counted),
		TREE_TEST(refused_direct_io_names_file_and_file_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
