/* What is mounted and swapped on, by device number. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "target_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static char *dup_or_null(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void add_use(struct use_list *list, const struct storage *storage, const char *point,
		    const char *type)
{
	struct use *grown = list_room(list->uses, list->count, sizeof(*grown));
	struct use use = {.storage = *storage, .point = dup_or_null(point), .type = strdup(type)};

	if (grown)
		list->uses = grown;
	if (grown && use.type && (use.point || !point)) {
		list->uses[list->count++] = use;
		return;
	}
	free(use.point);
	free(use.type);
	list->readable = false;
}

void use_list_release(struct use_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->uses[i].point);
		free(list->uses[i].type);
	}
	free(list->uses);
	free(list->slow);
	*list = (struct use_list){0};
}

/* What a path leads to; a device whose node is missing here, by the kernel's name for it. One on a
 * dead server is no LUN's, which was opened. */
static bool find_path(struct use_list *list, const char *path, const struct block_tree *tree,
		      struct storage *storage)
{
	const struct block_device *device;
	int code;

	if (list->slow && strcmp(list->slow, path) == 0) /* each table names it */
		return false;
	code = storage_find_patiently(path, storage);
	if (code == 0)
		return true;
	if (code == -ETIMEDOUT) {
		free(list->slow);
		list->slow = strdup(path);
	}
	device = strncmp(path, "/dev/", 5) == 0 ? block_find_name(tree, path + 5) : NULL;
	if (device)
		*storage = storage_of_device(device);
	return device != NULL;
}

void use_list_add_path(struct use_list *list, const char *path, const char *point, const char *type,
		       const struct block_tree *tree)
{
	struct storage storage;

	if (find_path(list, path, tree, &storage))
		add_use(list, &storage, point, type);
}

void use_list_add_device(struct use_list *list, const char *number, const char *type)
{
	struct storage storage = {.is_block = true};
	char *end;
	unsigned long major_number = strtoul(number, &end, 16);
	unsigned long minor_number = *end == ':' ? strtoul(end + 1, &end, 16) : 0;

	if (major_number == 0 || major_number > UINT32_MAX || minor_number > UINT32_MAX ||
	    *end != '\0')
		return;
	storage.device = makedev((unsigned)major_number, (unsigned)minor_number);
	add_use(list, &storage, NULL, type);
}

/* Device by device where the source is a list, as that of bcachefs: /dev/sda:/dev/sdb */
static void add_sources(struct use_list *mounts, const struct mount_line *line,
			const struct block_tree *tree)
{
	struct storage storage;
	char *rest = line->source;
	const char *path;

	if (rest[0] != '/')
		return;
	if (find_path(mounts, rest, tree, &storage)) {
		add_use(mounts, &storage, line->point, line->type);
		return;
	}
	while ((path = strsep(&rest, ":")))
		if (path[0] == '/')
			use_list_add_path(mounts, path, line->point, line->type, tree);
}

/* The device below a directory, for what is mounted on it: overlay's layers are directories. */
static void add_layer(struct use_list *mounts, const struct mount_line *line, const char *path)
{
	struct storage storage = {.is_block = true};
	struct statx facts;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &facts) < 0)
		return;
	storage.device = makedev(facts.stx_dev_major, facts.stx_dev_minor);
	add_use(mounts, &storage, line->point, line->type);
}

static void add_layers(struct use_list *mounts, const struct mount_line *line, char *paths)
{
	const char *path;

	while ((path = strsep(&paths, ":")))
		if (path[0] == '/')
			add_layer(mounts, line, path);
}

/* Options that name more of what a file system lies on: logdev=/dev/sdb, upperdir=/run/rw */
static void add_options(struct use_list *mounts, const struct mount_line *line,
			const struct block_tree *tree)
{
	bool is_overlay = strcmp(line->type, "overlay") == 0;
	char *rest = line->options;
	char *option;

	/* other overlays lie on what is mounted elsewhere; the root's layers may be seen nowhere */
	if (is_overlay && strcmp(line->point, "/") != 0)
		return;
	while ((option = strsep(&rest, ","))) {
		char *value = strchr(option, '=');
		struct storage storage;

		if (!value || *++value != '/')
			continue;
		if (is_overlay)
			add_layers(mounts, line, value);
		else if (find_path(mounts, value, tree, &storage))
			add_use(mounts, &storage, line->point, line->type);
	}
}

/* "36 35 98:0 /root /point opts shared:1 - type source superopts" (proc(5)) */
bool mount_line_cut(char *text, struct mount_line *line)
{
	char *fields[5] = {0};
	char *rest = strstr(text, " - ");
	unsigned major_number, minor_number;

	text[strcspn(text, "\n")] = '\0';
	if (!rest)
		return false;
	*rest = '\0';
	rest += 3;
	for (int i = 0; i < 5; i++)
		fields[i] = strsep(&text, " ");
	line->type = strsep(&rest, " ");
	line->source = strsep(&rest, " ");
	line->options = rest;
	if (!fields[4] || !line->source || !line->options ||
	    sscanf(fields[2], "%u:%u", &major_number, &minor_number) != 2)
		return false;
	line->device = makedev(major_number, minor_number);
	line->root = text_unescape_octal(fields[3]);
	line->point = text_unescape_octal(fields[4]);
	text_unescape_octal(line->source);
	text_unescape_octal(line->options);
	return true;
}

static void add_mount(struct use_list *mounts, char *text, const struct block_tree *tree)
{
	struct mount_line line;
	struct storage device = {.is_block = true};
	char point[2 * PATH_MAX];

	if (!mount_line_cut(text, &line))
		return;
	if (mounts->below) { /* its "/" is not the system's */
		snprintf(point, sizeof(point), "%s%s", mounts->below, line.point);
		line.point = point;
	} else if (mounts->process && strcmp(line.point, "/") == 0) { /* nor is a container's */
		snprintf(point, sizeof(point), "/ (of process %s)", mounts->process);
		line.point = point;
	}
	device.device = line.device;
	if (strcmp(line.point, "/") == 0)
		snprintf(mounts->root_type, sizeof(mounts->root_type), "%s", line.type);
	if (major(line.device) != 0) /* 0: made up for a file system without a device of its own */
		add_use(mounts, &device, line.point, line.type);
	add_sources(mounts, &line, tree);
	add_options(mounts, &line, tree);
}

/* Calls @each for every line of a file; 0, or -errno where it cannot be read to its end. */
static int read_lines(const char *path, struct use_list *list, const struct block_tree *tree,
		      void (*each)(struct use_list *list, char *text,
				   const struct block_tree *tree))
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int code;

	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0)
		each(list, line, tree);
	code = feof(file) ? 0 : -EIO;
	free(line);
	fclose(file);
	return code;
}

#define BTRFS_DEVICES 1024

static size_t btrfs_devices(const char *path, const struct block_tree *tree,
			    const struct block_device *devices[BTRFS_DEVICES])
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	size_t count = 0;

	while (directory && count < BTRFS_DEVICES && (entry = readdir(directory))) {
		devices[count] = block_find_name(tree, entry->d_name);
		if (devices[count])
			count++;
	}
	if (directory)
		closedir(directory);
	return count;
}

static bool is_among(const struct block_device *const devices[], size_t count,
		     const struct storage *storage)
{
	for (size_t i = 0; i < count; i++)
		if (storage->is_block && devices[i]->device == storage->device)
			return true;
	return false;
}

static void add_members(struct use_list *mounts, const struct block_device *const devices[],
			size_t count, const char *point)
{
	for (size_t i = 0; i < count; i++) {
		const struct storage storage = storage_of_device(devices[i]);

		add_use(mounts, &storage, point, "btrfs");
	}
}

/* mountinfo names one device of a btrfs, and the kernel shows all of them while it is mounted. */
static void add_btrfs(struct use_list *mounts, const char *path, const struct block_tree *tree)
{
	const struct block_device *devices[BTRFS_DEVICES];
	size_t count = btrfs_devices(path, tree, devices);
	size_t listed = mounts->count;
	bool found = false;

	for (size_t i = 0; i < listed; i++)
		if (is_among(devices, count, &mounts->uses[i].storage)) {
			add_members(mounts, devices, count, mounts->uses[i].point);
			found = true;
		}
	if (!found) /* mounted in another mount namespace */
		add_members(mounts, devices, count, NULL);
}

static void add_all_btrfs(struct use_list *mounts, const char *sysfs, const struct block_tree *tree)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/fs/btrfs", sysfs);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "features") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/fs/btrfs/%s/devices", sysfs, entry->d_name);
		add_btrfs(mounts, path, tree);
	}
	if (directory)
		closedir(directory);
}

/**
 * struct view - the mounts that a process sees: those of its namespace below its root
 * @name: as the link says: "mnt:[4026531841]"
 * @root: as its link says; the same one twice may be two, of which one lies on the other
 */
struct view {
	char name[NAME_SHOWN];
	char root[PATH_SHOWN];
	dev_t device;
	ino_t inode;
};

struct views {
	struct view *list;
	size_t count;
};

static bool read_view(struct view *view, const char *proc, const char *process)
{
	char path[PATH_MAX];
	struct storage storage = {0};

	*view = (struct view){0};
	snprintf(path, sizeof(path), "%s/%s/ns/mnt", proc, process);
	if (readlink(path, view->name, sizeof(view->name) - 1) < 0)
		return false;
	snprintf(path, sizeof(path), "%s/%s/root", proc, process);
	if (readlink(path, view->root, sizeof(view->root) - 1) < 0)
		view->root[0] = '\0';
	if (storage_find(AT_FDCWD, path, &storage) == -ENOTBLK) { /* it is a directory */
		view->device = storage.device;
		view->inode = storage.inode;
	}
	return true;
}

/* Whether that process sees other mounts than those that were read; no memory: it does. */
static bool is_new_view(struct views *seen, const char *proc, const char *process,
			struct view *view)
{
	struct view *grown;

	if (!read_view(view, proc, process))
		return false;
	for (size_t i = 0; i < seen->count; i++)
		if (seen->list[i].device == view->device && seen->list[i].inode == view->inode &&
		    strcmp(seen->list[i].name, view->name) == 0 &&
		    strcmp(seen->list[i].root, view->root) == 0)
			return false;
	grown = list_room(seen->list, seen->count, sizeof(*seen->list));
	if (!grown)
		return true;
	seen->list = grown;
	seen->list[seen->count++] = *view;
	return true;
}

static bool read_mounts_of(struct use_list *mounts, const char *proc, const char *process,
			   const struct block_tree *tree)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/mountinfo", proc, process);
	return read_lines(path, mounts, tree, add_mount) == 0;
}

/* Containers have mounts of their own, and who is chrooted sees a part of them only. Where we may
 * not look, an exclusive open still tells. */
static void read_other_namespaces(struct use_list *mounts, const char *proc,
				  const struct block_tree *tree)
{
	struct views seen = {0};
	struct view view;
	const struct dirent *entry;
	DIR *processes = opendir(proc);

	(void)is_new_view(&seen, proc, "self", &view); /* these have been read */
	(void)is_new_view(&seen, proc, "1", &view);
	while (processes && (entry = readdir(processes))) {
		if (strtol(entry->d_name, NULL, 10) <= 0 ||
		    !is_new_view(&seen, proc, entry->d_name, &view))
			continue;
		mounts->below =
			view.root[0] == '\0' || strcmp(view.root, "/") == 0 ? NULL : view.root;
		mounts->process = entry->d_name;
		(void)read_mounts_of(mounts, proc, entry->d_name, tree);
		mounts->below = NULL;
		mounts->process = NULL;
	}
	if (processes)
		closedir(processes);
	free(seen.list);
}

void mounts_read(struct use_list *mounts, const struct probe_roots *roots,
		 const struct block_tree *tree)
{
	bool seen;

	*mounts = (struct use_list){.readable = true};
	seen = read_mounts_of(mounts, roots->proc, "self", tree);
	/* Process 1 may live in another mount namespace than we do. Its table may be barred to us.
	 */
	seen = read_mounts_of(mounts, roots->proc, "1", tree) || seen;
	mounts->readable = seen && mounts->readable;
	read_other_namespaces(mounts, roots->proc, tree);
	add_all_btrfs(mounts, roots->sysfs, tree);
}

/* "/dev/sda2  partition  8388604 0 -2" after a line of headings */
static void add_swap(struct use_list *swaps, char *text, const struct block_tree *tree)
{
	struct storage storage;

	text[strcspn(text, " \t\n")] = '\0';
	if (text[0] == '/' && find_path(swaps, text_unescape_octal(text), tree, &storage))
		add_use(swaps, &storage, NULL, "swap");
}

void swaps_read(struct use_list *swaps, const char *proc, const struct block_tree *tree)
{
	char path[PATH_MAX];
	int code;

	*swaps = (struct use_list){.readable = true};
	snprintf(path, sizeof(path), "%s/swaps", proc);
	code = read_lines(path, swaps, tree, add_swap);
	if (code < 0 && code != -ENOENT) /* a kernel without swap has no such file */
		swaps->readable = false;
}
