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
	bool is_slow; /* a name in a ring led to a server that does not answer */
	unsigned ring_tries;
};

#define RING_NAME "anon_inode:[io_uring]"

/* Rings that are at work are asked for about a second, all of a process together: often, since one
 * that is hardly ever idle answers hardly ever, and after pauses of changing length, since it may
 * be at work in a rhythm. */
#define RING_TRIES    4000
#define RING_BURST    10      /* tries without a pause */
#define RING_PAUSE_NS 5000000 /* at most */
#define RING_PAUSES   19      /* lengths */

/* A name that leads nowhere may have been another one's until a moment ago. */
#define LOST_TRIES 3

#define DELETED " (deleted)"

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

bool name_is_deleted(const char *name)
{
	const size_t length = strlen(name), end = strlen(DELETED);

	return length > end && strcmp(name + length - end, DELETED) == 0;
}

/* The kernel tells the same name of the file that a loop device lies on. */
static bool visit_lost(struct look *look, const char *name)
{
	for (size_t i = 0; i < look->process->lost_count; i++) {
		const struct lost_file *lost = &look->process->lost[i];

		if (strcmp(lost->name, name) == 0) {
			look->visit(look->context, &lost->storage);
			return true;
		}
	}
	return false;
}

/* Of a node, as far as can be known; files of memory lie below such a directory, too. */
static bool is_below_dev(const char *name)
{
	static const char *const memory[] = {"/dev/shm/", "/dev/hugepages/", "/dev/mqueue/"};

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (strstr(name, memory[i]))
			return false;
	return strstr(name, "/dev/");
}

/*
 * Whether a name that leads nowhere may be that of something which is looked for. One that was not
 * deleted is, say, that of a node on a file system which was unmounted lazily. Temporary files are
 * deleted at once as a rule, and do not matter where no loop device lies on a file like that; a
 * node elsewhere than below a /dev is taken for one.
 */
static bool may_be_looked_for(const struct process *process, const char *name)
{
	if (name[0] != '/') /* an older kernel's, see below */
		return false;
	return !name_is_deleted(name) || process->lost_count > 0 || is_below_dev(name);
}

/* False where the name leads nowhere. */
static bool visit_path(struct look *look, const char *path)
{
	struct storage storage;
	int code = storage_find_patiently(path, &storage);

	if (code == -ENOENT || code == -ENOTDIR)
		return false;
	if (code == 0)
		look->visit(look->context, &storage);
	else if (code == -ETIMEDOUT)
		look->is_slow = true;
	else if (code != -ENOTBLK)
		note_gap(look, -code);
	return true;
}

/* As the process sees it that has @name in its ring: from its root; where it leads nowhere there,
 * from a directory above, which it cannot see. */
static bool visit_in_process(struct look *look, const char *name)
{
	const char *rest = name;
	char path[2 * PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%ld/root", look->process->proc,
			      look->process->pid);
	bool found;

	snprintf(path + length, sizeof(path) - (size_t)length, "%s%s",
		 name[0] == '/' ? "" : "/dev/", name);
	found = visit_path(look, path);
	while (!found && name[0] == '/' && (rest = strchr(rest + 1, '/'))) {
		struct storage storage;

		snprintf(path + length, sizeof(path) - (size_t)length, "%s", rest);
		if (storage_find_patiently(path, &storage) < 0)
			continue;
		look->visit(look->context, &storage);
		found = true;
	}
	return found;
}

/* io_uring keeps files whose descriptor was closed. A kernel that tells the last part of the name
 * only means a device, as far as can be known. False where what it means may be looked for, and
 * cannot be found out. */
static bool visit_registered(struct look *look, char *name)
{
	bool found;

	name[strcspn(name, "\n")] = '\0';
	text_unescape_octal(name);
	if (visit_lost(look, name) || has_no_path(name))
		return true;
	if (look->is_slow) /* once is enough: each takes a second */
		return false;
	/* as we see it, or as that process does: the kernel's word depends on who asks */
	found = name[0] == '/' && visit_path(look, name);
	found = (!look->is_slow && visit_in_process(look, name)) || found;
	if (look->is_slow)
		return false;
	return found || !may_be_looked_for(look->process, name);
}

/* A line of the list: "    0: /dev/sdb"; NULL: it has ended. */
static char *registered_name(char *line)
{
	unsigned number;
	int length = 0;

	return sscanf(line, "%u: %n", &number, &length) == 1 && length > 0 ? line + length : NULL;
}

enum ring_answer {
	TOLD_ALL,
	TOLD_LOST, /* one is not known what it is */
	TOLD_NOTHING,
};

/* What the kernel told of files: nothing while the ring is at work. */
static enum ring_answer read_ring(struct look *look, const char *fdinfo)
{
	FILE *file = fopen(fdinfo, "re");
	enum ring_answer told = TOLD_NOTHING;
	bool listing = false;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		note_gap(look, errno);
		return TOLD_ALL;
	}
	while (getline(&line, &size, file) > 0) {
		char *name = listing ? registered_name(line) : NULL;

		if (!name)
			listing = strncmp(line, "UserFiles:", 10) == 0;
		else if (!visit_registered(look, name))
			told = TOLD_LOST;
		if (listing && told == TOLD_NOTHING)
			told = TOLD_ALL;
	}
	free(line);
	fclose(file);
	return told;
}

/*
 * Another calib's rings are at work nearly always, and have only LUNs, which it keeps open as
 * descriptors. By the name of its program: it may be a copy in a container, or one that was
 * replaced meanwhile; and what the loader was called for is the loader to see.
 */
static bool is_calib(const struct process *process)
{
	char path[PATH_MAX], program[PATH_MAX];
	const char *name;
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%ld/exe", process->proc, process->pid);
	length = readlink(path, program, sizeof(program) - 1);
	if (length <= 0)
		return false;
	program[length] = '\0';
	if (name_is_deleted(program))
		program[(size_t)length - strlen(DELETED)] = '\0';
	name = strrchr(program, '/');
	return name && strcmp(name, "/calib") == 0;
}

/* @task: the thread's directory in proc */
static void visit_ring(struct look *look, const char *task, const char *descriptor)
{
	char path[PATH_MAX];
	unsigned lost = 0;

	look->has_ring = true;
	if (is_calib(look->process))
		return;
	snprintf(path, sizeof(path), "%s/fdinfo/%s", task, descriptor);
	while (lost < LOST_TRIES && look->ring_tries < RING_TRIES) {
		const unsigned tries = ++look->ring_tries;
		const long lengths = 1 + (long)(tries % RING_PAUSES);
		const struct timespec pause = {.tv_nsec = lengths * (RING_PAUSE_NS / RING_PAUSES)};
		enum ring_answer told = read_ring(look, path);

		if (told == TOLD_ALL)
			return;
		lost += told == TOLD_LOST;
		if (told == TOLD_LOST || tries % RING_BURST == 0)
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
