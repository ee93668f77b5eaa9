/* All that one process has open: descriptors of each thread, mappings, files kept by io_uring.
 * SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "target_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* one process that is looked at */
struct look {
	const struct process *process;
	file_visitor visit;
	void *context;
	int code; /* -EACCES: something was barred; another: something failed */
	bool has_ring, has_mapped_ring;
};

/* A ring that is at work is asked so often, 50 ms in all. */
#define RING_NAME     "anon_inode:[io_uring]"
#define RING_TRIES    25
#define RING_PAUSE_NS 2000000

/* And a process with a ring that only its memory shows is looked at so often. */
#define RING_LOOKS 10

/* A gap in what is known. A process that has just ended is none; a failure outweighs a bar. */
static void note_gap(struct look *look, int code)
{
	if (code == ENOENT || code == ESRCH)
		return;
	if (code != EACCES && code != EPERM)
		look->code = -code;
	else if (look->code == 0)
		look->code = -EACCES;
}

/* False for what is neither a device nor a file. */
static bool visit_name(struct look *look, int directory, const char *name)
{
	struct storage storage;
	int code = storage_find(directory, name, &storage);

	if (code == 0)
		look->visit(look->context, &storage);
	/* A program with some of root's rights may list the names, and not follow them. */
	else if (code != -ENOTBLK)
		note_gap(look, -code);
	return code == 0;
}

/* "socket:[1234]", "/memfd:x (deleted)": what is neither a device nor a file with a name */
static bool has_no_path(const char *name)
{
	static const char *const kinds[] = {
		"socket:", "pipe:", "anon_inode:", "/memfd:", "/dev/zero"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* io_uring keeps files whose descriptor was closed. A kernel that tells the last part of the name
 * only means a device, as far as can be known. */
static void visit_registered(struct look *look, char *name)
{
	char path[2 * PATH_MAX];

	name[strcspn(name, "\n")] = '\0';
	text_unescape_octal(name);
	if (has_no_path(name))
		return;
	/* as we see it, or as that process does: the kernel's word depends on who asks */
	if (name[0] == '/')
		(void)visit_name(look, AT_FDCWD, name);
	snprintf(path, sizeof(path), "%s/%ld/root%s%s", look->process->proc, look->process->pid,
		 name[0] == '/' ? "" : "/dev/", name);
	(void)visit_name(look, AT_FDCWD, path);
}

/* A line of the list: "    0: /dev/sdb"; NULL: it has ended. */
static char *registered_name(char *line)
{
	unsigned number;
	int length = 0;

	return sscanf(line, "%u: %n", &number, &length) == 1 && length > 0 ? line + length : NULL;
}

/* False where the kernel told nothing of files: it does not while the ring is at work. */
static bool read_ring(struct look *look, const char *fdinfo)
{
	FILE *file = fopen(fdinfo, "re");
	bool told = false;
	bool listing = false;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		note_gap(look, errno);
		return true;
	}
	while (getline(&line, &size, file) > 0) {
		char *name = listing ? registered_name(line) : NULL;

		if (name)
			visit_registered(look, name);
		else
			listing = strncmp(line, "UserFiles:", 10) == 0;
		told = told || listing;
	}
	free(line);
	fclose(file);
	return told;
}

/* @task: the thread's directory in proc */
static void visit_ring(struct look *look, const char *task, const char *descriptor)
{
	const struct timespec pause = {.tv_nsec = RING_PAUSE_NS};
	char path[PATH_MAX];

	look->has_ring = true;
	snprintf(path, sizeof(path), "%s/fdinfo/%s", task, descriptor);
	for (unsigned tries = 0; tries < RING_TRIES; tries++) {
		if (read_ring(look, path))
			return;
		nanosleep(&pause, NULL);
	}
	note_gap(look, EBUSY);
}

static bool is_ring(struct look *look, int directory, const char *descriptor)
{
	static const char ring[] = RING_NAME;
	char link[sizeof(ring)];
	ssize_t length = readlinkat(directory, descriptor, link, sizeof(link));

	if (length < 0)
		note_gap(look, errno);
	return length == sizeof(ring) - 1 && memcmp(link, ring, sizeof(ring) - 1) == 0;
}

static void visit_descriptor(struct look *look, const char *task, int directory,
			     const char *descriptor)
{
	if (!visit_name(look, directory, descriptor) && is_ring(look, directory, descriptor))
		visit_ring(look, task, descriptor);
}

static void visit_descriptors(struct look *look, const char *task)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *descriptors;

	snprintf(path, sizeof(path), "%s/fd", task);
	descriptors = opendir(path);
	if (!descriptors) {
		note_gap(look, errno);
		return;
	}
	errno = 0;
	while ((entry = readdir(descriptors))) {
		if (entry->d_name[0] != '.')
			visit_descriptor(look, task, dirfd(descriptors), entry->d_name);
		errno = 0;
	}
	if (errno != 0)
		note_gap(look, errno);
	closedir(descriptors);
}

/* The end of a line of maps, from the device on: which file it is; NULL for memory without one. */
static const char *mapped_file(const char *line)
{
	unsigned long inode;
	int at = 0;

	return sscanf(line, "%*s %*s %*s %n%*s %lu", &at, &inode) == 1 && inode != 0 ? line + at
										     : NULL;
}

/*
 * A file that is mapped stays in use when its descriptor was closed. False where the task has no
 * memory: a thread that has ended.
 * "7f5c00000000-7f5c00010000 rw-s 00000000 00:05 112 /dev/sdb"
 */
static bool visit_mappings(struct look *look, long task)
{
	char path[PATH_MAX];
	char before[PATH_MAX] = "";
	char *line = NULL;
	size_t size = 0;
	bool any = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%ld/maps", look->process->proc, task);
	file = fopen(path, "re");
	if (!file)
		note_gap(look, errno);
	while (file && getline(&line, &size, file) > 0) {
		const char *what = mapped_file(line);
		unsigned long begin, end;

		any = true;
		look->has_mapped_ring = look->has_mapped_ring || strstr(line, RING_NAME);
		/* a library is mapped in pieces, one after the other: one look is enough */
		if (!what || strcmp(what, before) == 0)
			continue;
		snprintf(before, sizeof(before), "%s", what);
		/* the table fills addresses up with zeros, the directory does not */
		if (sscanf(line, "%lx-%lx", &begin, &end) != 2)
			continue;
		snprintf(path, sizeof(path), "%s/%ld/map_files/%lx-%lx", look->process->proc, task,
			 begin, end);
		(void)visit_name(look, AT_FDCWD, path);
	}
	free(line);
	if (file)
		fclose(file);
	return any;
}

/* Threads nearly always share their descriptors; kcmp() tells in one call. */
static bool share_descriptors(const struct process *process, long one, long other)
{
	return process->ours && syscall(SYS_kcmp, (pid_t)one, (pid_t)other, KCMP_FILES, 0, 0) == 0;
}

/* Threads with descriptors of their own, and those of a process whose first thread has ended: the
 * process's own directory shows nothing then. */
static void visit_threads(struct look *look, bool has_memory)
{
	const struct process *process = look->process;
	char path[PATH_MAX];
	const struct dirent *entry;
	long looked_at = process->pid;
	DIR *tasks;

	snprintf(path, sizeof(path), "%s/%ld/task", process->proc, process->pid);
	tasks = opendir(path);
	if (!tasks)
		note_gap(look, errno);
	while (tasks && (entry = readdir(tasks))) {
		long task = strtol(entry->d_name, NULL, 10);

		if (task <= 0 || task == process->pid)
			continue;
		has_memory = has_memory || visit_mappings(look, task);
		if (share_descriptors(process, looked_at, task))
			continue;
		snprintf(path, sizeof(path), "%s/%ld/task/%ld", process->proc, process->pid, task);
		visit_descriptors(look, path);
		looked_at = task;
	}
	if (tasks)
		closedir(tasks);
}

static void look_at(struct look *look)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%ld", look->process->proc, look->process->pid);
	visit_descriptors(look, path);
	visit_threads(look, visit_mappings(look, look->process->pid));
}

/* A ring that is mapped, and whose descriptor was closed, tells nothing. One that was made between
 * the two looks is the same to see, but for the next time. */
int process_files(const struct process *process, file_visitor visit, void *context)
{
	struct look look;

	for (unsigned tries = 0; tries < RING_LOOKS; tries++) {
		look = (struct look){.process = process, .visit = visit, .context = context};
		look_at(&look);
		if (look.has_ring || !look.has_mapped_ring)
			return look.code;
	}
	note_gap(&look, EBUSY);
	return look.code;
}
