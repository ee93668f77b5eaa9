/* Fixture trees in the manner of sysfs and proc, and device nodes that only the tests see.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_BLOCK_HELPERS_H
#define TESTS_BLOCK_HELPERS_H

#include "calib/target.h"

#include <errno.h>
#include <fcntl.h>
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

#define NODES_MAX 64

static char fixture[64]; /* the trees lie in it: sys, proc, files */
static char fixture_sysfs[80], fixture_proc[80];
static const struct probe_roots fixture_roots = {.sysfs = fixture_sysfs, .proc = fixture_proc};

/* /dev as the code under test sees it: "sda1" -> 8:1 */
static struct {
	char name[32];
	dev_t device;
} fixture_nodes[NODES_MAX];
static unsigned fixture_node_count;

int __real_statx(int directory, const char *path, int flags, unsigned mask, struct statx *facts);
int __wrap_statx(int directory, const char *path, int flags, unsigned mask, struct statx *facts);

/* /dev/denied may not be looked at, of /dev/private only its file system be known, and /slow lies
 * on a server that never answers. Names in /dev, and links to them (as in /proc/1/fd), are the
 * fixture's; the rest is real. */
int __wrap_statx(int directory, const char *path, int flags, unsigned mask, struct statx *facts)
{
	char link[PATH_MAX];
	ssize_t length = readlinkat(directory, path, link, sizeof(link) - 1);
	const char *name = path;

	if (length > 0) {
		link[length] = '\0';
		name = link;
	}
	while (strcmp(name, "/slow") == 0)
		pause();
	if (strncmp(name, "/dev/", 5) != 0)
		return __real_statx(directory, path, flags, mask, facts);
	for (unsigned i = 0; i < fixture_node_count; i++) {
		if (strcmp(fixture_nodes[i].name, name + 5) != 0)
			continue;
		memset(facts, 0, sizeof(*facts));
		facts->stx_mode = S_IFBLK | 0600;
		facts->stx_rdev_major = major(fixture_nodes[i].device);
		facts->stx_rdev_minor = minor(fixture_nodes[i].device);
		return 0;
	}
	if (mask == 0 && strcmp(name, "/dev/private") == 0) {
		memset(facts, 0, sizeof(*facts));
		facts->stx_dev_minor = 60;
		return 0;
	}
	errno = strcmp(name, "/dev/denied") == 0 || strcmp(name, "/dev/private") == 0 ? EACCES
										      : ENOENT;
	return -1;
}

static inline void fixture_path(char out[PATH_MAX], const char *name)
{
	assert_true(snprintf(out, PATH_MAX, "%s/%s", fixture, name) < PATH_MAX);
}

/* like mkdir -p */
static inline void fixture_directory(const char *name)
{
	char path[PATH_MAX];

	fixture_path(path, name);
	for (char *slash = path + strlen(fixture) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
		*slash = '/';
	}
	assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
}

static inline void fixture_parent(const char *name)
{
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%s", name);
	*strrchr(parent, '/') = '\0';
	fixture_directory(parent);
}

static inline void fixture_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	fixture_parent(name);
	fixture_path(path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static inline void fixture_link(const char *target, const char *name)
{
	char path[PATH_MAX];

	fixture_parent(name);
	fixture_path(path, name);
	assert_int_equal(symlink(target, path), 0);
}

/* a file in the directory of a device: attribute("sda/sda1", "start", "2048") */
static inline void attribute(const char *device, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/devices/%s/%s", device, name);
	fixture_file(path, text);
}

static inline const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A disk "sda", or a partition "sda/sda1", with its node in /dev. */
static inline void device(const char *path, unsigned major_number, unsigned minor_number)
{
	char name[PATH_MAX];
	char target[PATH_MAX];

	snprintf(name, sizeof(name), "sys/devices/%s", path);
	fixture_directory(name);
	snprintf(name, sizeof(name), "sys/dev/block/%u:%u", major_number, minor_number);
	snprintf(target, sizeof(target), "../../devices/%s", path);
	fixture_link(target, name);
	if (strchr(path, '/'))
		attribute(path, "partition", "1\n");
	assert_true(fixture_node_count < NODES_MAX);
	snprintf(fixture_nodes[fixture_node_count].name, sizeof(fixture_nodes[0].name), "%s",
		 last_part(path));
	fixture_nodes[fixture_node_count++].device = makedev(major_number, minor_number);
}

/* @upper is made of @lower: links both ways, as the kernel makes them. */
static inline void stack(const char *upper, const char *lower)
{
	char name[PATH_MAX];
	char target[PATH_MAX];

	snprintf(name, sizeof(name), "sys/devices/%s/holders/%s", lower, last_part(upper));
	snprintf(target, sizeof(target), "../../%s%s", strchr(lower, '/') ? "../" : "", upper);
	fixture_link(target, name);
	snprintf(name, sizeof(name), "sys/devices/%s/slaves/%s", upper, last_part(lower));
	snprintf(target, sizeof(target), "../../%s", lower);
	fixture_link(target, name);
}

static inline void mapped(const char *name, unsigned minor_number, const char *title,
			  const char *uuid)
{
	device(name, 253, minor_number);
	attribute(name, "dm/name", title);
	attribute(name, "dm/uuid", uuid);
}

/* a loop device on @backing, a path in /dev or in the fixture */
static inline void loop(unsigned number, const char *backing, const char *offset, const char *limit)
{
	char name[16];

	snprintf(name, sizeof(name), "loop%u", number);
	device(name, 7, number);
	attribute(name, "loop/backing_file", backing);
	attribute(name, "loop/offset", offset);
	attribute(name, "loop/sizelimit", limit);
}

static inline struct target block_target(unsigned major_number, unsigned minor_number)
{
	return (struct target){
		.path = "x",
		.fd = -1,
		.is_block = true,
		.size_bytes = 1 << 30,
		.logical_block_bytes = 512,
		.device = makedev(major_number, minor_number),
	};
}

/* a real file of the fixture, made if it is not there */
static inline struct target file_target(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	fixture_path(path, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	return (struct target){
		.path = "x",
		.fd = -1,
		.size_bytes = 1 << 20,
		.logical_block_bytes = 512,
		.device = st.st_dev,
		.inode = st.st_ino,
	};
}

/* An empty machine: no device, nothing mounted, nothing swapped on. */
static inline int fixture_make(void **state)
{
	(void)state;
	fixture_node_count = 0;
	strcpy(fixture, "/tmp/calib_block_XXXXXX");
	assert_non_null(mkdtemp(fixture));
	snprintf(fixture_sysfs, sizeof(fixture_sysfs), "%s/sys", fixture);
	snprintf(fixture_proc, sizeof(fixture_proc), "%s/proc", fixture);
	fixture_directory("sys/dev/block");
	fixture_file("proc/1/mountinfo", "");
	fixture_file("proc/self/mountinfo", "");
	fixture_file("proc/swaps", "Filename\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
	return 0;
}

static inline int fixture_remove(void **state)
{
	char command[sizeof(fixture) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", fixture);
	return system(command);
}

#endif
