/* What this machine allows: memory, descriptors, CPUs, direct I/O. SPDX-License-Identifier: MIT */
#include "calib/limits.h"

#include "calib/text.h"
#include "calib/units.h"
#include "target_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUOTED	 768	    /* room for a quoted path in a message */
#define CPUS_MAX (1u << 20) /* far above what a kernel can be built for */

/* the names of one version's files and keys */
struct cgroup_version {
	const char *limits[2]; /* the lower counts */
	const char *used;
	const char *unused_files; /* key in memory.stat, cgroups below included */
};

static const struct cgroup_version version_1 = {
	{"memory.limit_in_bytes", NULL},
	"memory.usage_in_bytes",
	"total_inactive_file",
};
/* above memory.high nobody is killed, but all are slowed down */
static const struct cgroup_version version_2 = {
	{"memory.max", "memory.high"},
	"memory.current",
	"inactive_file",
};

/* The number behind a key, as in "MemTotal:  12 kB" and "inactive_file 12"; with an empty key the
 * first. UINT64_MAX: there is none, or it is "max". */
static uint64_t number_in(const char *directory, const char *file, const char *key)
{
	char path[2 * PATH_MAX];
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	stream = fopen(path, "re");
	if (!stream)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), stream)) {
		const char *at = line + strlen(key);

		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		at += strspn(at, ": \t");
		if (isdigit((unsigned char)*at)) {
			value = strtoull(at, NULL, 10);
			break;
		}
	}
	fclose(stream);
	return value;
}

static void take_least(uint64_t *value, uint64_t other)
{
	if (other < *value)
		*value = other;
}

static void apply_memory(const char *directory, bool is_v2, void *arg)
{
	const struct cgroup_version *version = is_v2 ? &version_2 : &version_1;
	struct memory_room *room = arg;
	uint64_t limit = UINT64_MAX;
	uint64_t used, unused;

	for (unsigned i = 0; i < 2 && version->limits[i]; i++)
		take_least(&limit, number_in(directory, version->limits[i], ""));
	used = number_in(directory, version->used, "");
	if (limit == UINT64_MAX || used == UINT64_MAX)
		return;
	unused = number_in(directory, "memory.stat", version->unused_files);
	if (unused != UINT64_MAX)
		used -= unused < used ? unused : used;
	take_least(&room->total_bytes, limit);
	take_least(&room->available_bytes, limit > used ? limit - used : 0);
}

static uint64_t meminfo_bytes(const char *proc, const char *key)
{
	uint64_t kib = number_in(proc, "meminfo", key);

	return kib > UINT64_MAX / BYTES_KIB ? UINT64_MAX : kib * BYTES_KIB;
}

void limits_memory(const char *proc, struct memory_room *room)
{
	room->available_bytes = meminfo_bytes(proc, "MemAvailable");
	room->total_bytes = meminfo_bytes(proc, "MemTotal");
	cgroups_visit(proc, "memory", apply_memory, room);
}

uint64_t limits_memory_available(void)
{
	struct memory_room room;

	limits_memory("/proc", &room);
	return room.available_bytes;
}

uint64_t limits_memory_total(void)
{
	struct memory_room room;

	limits_memory("/proc", &room);
	return room.total_bytes;
}

static unsigned open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	if (!directory)
		return STDERR_FILENO + 1;
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 3; /* ".", ".." and the one that looks */
}

int limits_need_descriptors(unsigned more, struct error *err)
{
	unsigned needed = open_descriptors() + more;
	struct rlimit limit, wanted;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return 0;
	wanted.rlim_cur = needed;
	wanted.rlim_max = limit.rlim_max;
	if (limit.rlim_max >= needed) {
		if (setrlimit(RLIMIT_NOFILE, &wanted) == 0)
			return 0;
		limit.rlim_max = limit.rlim_cur; /* the most that can be had after all */
	}
	return error_say(err, -EMFILE,
			 "need about %u descriptors, the limit is %llu: try ulimit -n %u", needed,
			 (unsigned long long)limit.rlim_max, needed);
}

unsigned limits_cpus(void)
{
	/* EINVAL: the kernel was built for more CPUs than the set has room for */
	for (size_t cpus = CPU_SETSIZE; cpus <= CPUS_MAX; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		size_t size = CPU_ALLOC_SIZE(cpus);
		int code, count;

		if (!set)
			return 0;
		code = sched_getaffinity(0, size, set) < 0 ? -errno : 0;
		count = code == 0 ? CPU_COUNT_S(size, set) : 0;
		CPU_FREE(set);
		if (code != -EINVAL)
			return (unsigned)count;
	}
	return 0;
}

/* CPU time in a period, over its length; "max" and -1 are no limit */
static void apply_quota(const char *directory, bool is_v2, void *arg)
{
	uint64_t *most = arg;
	uint64_t quota, period;

	if (is_v2) {
		char path[2 * PATH_MAX];
		char line[64];
		char *end;

		snprintf(path, sizeof(path), "%s/cpu.max", directory);
		if (!first_line(path, line, sizeof(line)) || !isdigit((unsigned char)line[0]))
			return;
		quota = strtoull(line, &end, 10);
		period = strtoull(end, NULL, 10);
	} else {
		quota = number_in(directory, "cpu.cfs_quota_us", "");
		period = number_in(directory, "cpu.cfs_period_us", "");
	}
	if (quota != UINT64_MAX && period > 0)
		take_least(most, quota / period);
}

unsigned limits_cpus_granted(const char *proc)
{
	uint64_t most = limits_cpus();

	cgroups_visit(proc, "cpu", apply_quota, &most);
	return most > 0 ? (unsigned)most : 1;
}

int limits_direct_refused(const char *path, int code, struct error *err)
{
	const char *why = "calib needs O_DIRECT, since what the page cache gives says nothing "
			  "about the storage (try a block device, or a file on ext4 or xfs)";
	char name[QUOTED];
	char buffer[128];
	const char *words = strerror_r(-code, buffer, sizeof(buffer));
	char *type = NULL;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		type = target_filesystem(st.st_dev);
	text_quote(name, sizeof(name), path);
	if (type)
		error_say(err, code,
			  "'%s' is on a file system of type '%s' that takes no direct I/O (%s): %s",
			  name, type, words, why);
	else
		error_say(err, code, "'%s' takes no direct I/O (%s): %s", name, words, why);
	free(type);
	return code;
}
