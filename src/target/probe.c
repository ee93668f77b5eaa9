/* Facts about a LUN and this machine, from sysfs and proc. SPDX-License-Identifier: MIT */
#include "calib/limits.h"
#include "target_private.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

bool first_line(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length;
	size_t blanks = 0;

	out[0] = '\0';
	if (!file)
		return false;
	if (!fgets(out, (int)size, file))
		out[0] = '\0';
	fclose(file);
	length = strlen(out);
	while (length > 0 && isspace((unsigned char)out[length - 1]))
		out[--length] = '\0';
	while (isspace((unsigned char)out[blanks]))
		blanks++;
	memmove(out, out + blanks, length - blanks + 1);
	return out[0] != '\0';
}

/* A disk has its queue beside it, a partition in its parent. */
static bool read_attribute(const struct target *target, const char *sysfs, const char *attribute,
			   char *out, size_t size)
{
	static const char *const where[] = {"", "../"};
	char path[PATH_MAX];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/dev/block/%u:%u/%s%s", sysfs,
			 major(target->device), minor(target->device), where[i], attribute);
		if (first_line(path, out, size))
			return true;
	}
	return false;
}

static char *attribute_copy(const struct target *target, const char *sysfs, const char *attribute)
{
	char line[256];

	if (!read_attribute(target, sysfs, attribute, line, sizeof(line)))
		return NULL;
	return strdup(line);
}

static int64_t attribute_number(const struct target *target, const char *sysfs,
				const char *attribute)
{
	char line[64];
	char *end;
	long long value;

	if (!read_attribute(target, sysfs, attribute, line, sizeof(line)))
		return -1;
	value = strtoll(line, &end, 10);
	return *end == '\0' && value >= 0 ? value : -1;
}

/* "none [mq-deadline] bfq" -> "mq-deadline" */
static char *chosen_scheduler(const struct target *target, const char *sysfs)
{
	char line[256];
	char *open, *shut;

	if (!read_attribute(target, sysfs, "queue/scheduler", line, sizeof(line)))
		return NULL;
	open = strchr(line, '[');
	shut = open ? strchr(open, ']') : NULL;
	if (!shut)
		return strdup(line);
	*shut = '\0';
	return strdup(open + 1);
}

char *target_filesystem(dev_t device)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	char *type = NULL;
	size_t size = 0;

	while (file && !type && getline(&line, &size, file) > 0) {
		struct mount_line mount;

		if (mount_line_cut(line, &mount) && mount.device == device)
			type = strdup(mount.type);
	}
	free(line);
	if (file)
		fclose(file);
	return type;
}

void probe_lun(const struct target *target, const char *sysfs, struct lun_info *info)
{
	info->is_block = target->is_block;
	info->size_bytes = target->size_bytes;
	info->logical_block_bytes = target->logical_block_bytes;
	info->physical_block_bytes = target->physical_block_bytes;
	info->major = major(target->device);
	info->minor = minor(target->device);
	info->rotational = (int)attribute_number(target, sysfs, "queue/rotational");
	info->model = attribute_copy(target, sysfs, "device/model");
	info->scheduler = chosen_scheduler(target, sysfs);
	info->nr_requests = attribute_number(target, sysfs, "queue/nr_requests");
	if (!target->is_block)
		info->filesystem = target_filesystem(target->device);
}

bool target_can_poll(const struct target *target, const char *sysfs)
{
	return attribute_number(target, sysfs, "queue/io_poll") > 0;
}

void probe_kernel_count(const struct target *target, const char *sysfs, struct kernel_count *count)
{
	char line[512];
	char path[PATH_MAX];

	*count = (struct kernel_count){0};
	if (!target->is_block)
		return;
	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/stat", sysfs, major(target->device),
		 minor(target->device));
	if (!first_line(path, line, sizeof(line)))
		return;
	/* Documentation/block/stat.rst: ios, merges, sectors, ticks of reads, then of writes */
	count->known =
		sscanf(line,
		       "%" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
		       &count->read_ios, &count->read_merges, &count->read_sectors,
		       &count->write_ios, &count->write_merges, &count->write_sectors) == 6;
}

bool proc_value(const char *path, const char *key, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[512];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) != 0 || !value)
			continue;
		value++;
		value += strspn(value, " \t");
		value[strcspn(value, "\n")] = '\0';
		snprintf(out, size, "%s", value);
		found = true;
	}
	if (file)
		fclose(file);
	return found;
}

void probe_host(struct host_info *host)
{
	struct utsname names;
	char memory[64];

	*host = (struct host_info){0};
	if (uname(&names) == 0) {
		snprintf(host->hostname, sizeof(host->hostname), "%s", names.nodename);
		snprintf(host->kernel, sizeof(host->kernel), "%s %s", names.sysname, names.release);
	}
	proc_value("/proc/cpuinfo", "model name", host->cpu, sizeof(host->cpu));
	host->cpus = limits_cpus();
	if (proc_value("/proc/meminfo", "MemTotal", memory, sizeof(memory)))
		host->memory_bytes = strtoull(memory, NULL, 10) * 1024;
}
