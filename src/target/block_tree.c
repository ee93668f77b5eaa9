/* The kernel's tree of block devices, as sysfs shows it. SPDX-License-Identifier: MIT */
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

bool storage_same(const struct storage *a, const struct storage *b)
{
	return a->is_block == b->is_block && a->device == b->device && a->inode == b->inode;
}

struct storage storage_of_target(const struct target *target)
{
	return (struct storage){
		.is_block = target->is_block,
		.device = target->device,
		.inode = target->is_block ? 0 : target->inode,
	};
}

struct storage storage_of_device(const struct block_device *device)
{
	return (struct storage){.is_block = true, .device = device->device};
}

/* Where a filter does not know statx(), or the kernel. */
static int find_by_stat(int directory, const char *name, struct storage *storage)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_NO_AUTOMOUNT) < 0)
		return -errno;
	*storage = (struct storage){
		.is_block = S_ISBLK(st.st_mode),
		.device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev,
		.inode = S_ISBLK(st.st_mode) ? 0 : st.st_ino,
	};
	return S_ISBLK(st.st_mode) || S_ISREG(st.st_mode) ? 0 : -ENOTBLK;
}

/*
 * What a user mounted by FUSE shows nothing to others, root included, but its device number: one
 * that is made up, so that a file there is no device, and no LUN, for that could be opened. Devices
 * on such a mount are none: it is mounted nodev.
 */
static bool is_on_private_mount(int directory, const char *name)
{
	struct statx facts;

	return statx(directory, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &facts) == 0 &&
	       facts.stx_dev_major == 0;
}

int storage_find(int directory, const char *name, struct storage *storage)
{
	const unsigned wanted = STATX_TYPE | STATX_INO;
	struct statx facts;

	/* DONT_SYNC: a dead NFS server behind somebody's descriptor must not hang us. */
	if (statx(directory, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, wanted, &facts) < 0) {
		/* EINVAL: the C library's own statx() knows no such flag */
		*storage = (struct storage){0};
		bool is_barred = errno == ENOSYS || errno == EPERM || errno == EINVAL;

		if (is_barred)
			return find_by_stat(directory, name, storage);
		return errno == EACCES && is_on_private_mount(directory, name) ? -ENOTBLK : -errno;
	}
	*storage = (struct storage){.is_block = S_ISBLK(facts.stx_mode)};
	if (storage->is_block) {
		storage->device = makedev(facts.stx_rdev_major, facts.stx_rdev_minor);
		return 0;
	}
	storage->device = makedev(facts.stx_dev_major, facts.stx_dev_minor);
	storage->inode = facts.stx_ino;
	return S_ISREG(facts.stx_mode) ? 0 : -ENOTBLK;
}

void *list_room(void *list, size_t count, size_t item_bytes)
{
	/* full at 8, 16, 32, ... */
	if (count != 0 && (count < 8 || (count & (count - 1)) != 0))
		return list;
	return reallocarray(list, count ? 2 * count : 8, item_bytes);
}

bool block_attribute(const struct block_device *device, const char *name, char *out, size_t size)
{
	char path[PATH_MAX];

	out[0] = '\0';
	return snprintf(path, sizeof(path), "%s/%s", device->directory, name) < (int)sizeof(path) &&
	       first_line(path, out, size);
}

uint64_t block_number(const struct block_device *device, const char *name)
{
	char line[32];

	return block_attribute(device, name, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

bool block_wwid(const struct block_device *disk, char *out, size_t size)
{
	out[0] = '\0';
	/* NVMe has it beside the queue, SCSI in the device */
	return !disk->is_partition && (block_attribute(disk, "wwid", out, size) ||
				       block_attribute(disk, "device/wwid", out, size));
}

bool block_has(const struct block_device *device, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", device->directory, name) >= (int)sizeof(path))
		return false;
	return access(path, F_OK) == 0;
}

bool block_tree_is_live(const struct block_tree *tree)
{
	return strcmp(tree->sysfs, "/sys") == 0;
}

/* What a loop device in use lies on. */
static bool read_backing(const struct block_tree *tree, struct block_device *device)
{
	char path[PATH_MAX + sizeof(" (deleted)")];

	/* The directory is there while the device is in use; the name in it may be too long to
	 * read. */
	if (device->is_partition || !block_has(device, "loop"))
		return true;
	if (!block_attribute(device, "loop/backing_file", path, sizeof(path)))
		strcpy(path, "?");
	device->backed = true;
	device->offset = block_number(device, "loop/offset");
	device->limit = block_number(device, "loop/sizelimit");
	if (!block_tree_is_live(tree)) /* else the driver is asked, later: the name may be another
					  file's by now */
		device->found = device->known = storage_find(AT_FDCWD, path, &device->backing) == 0;
	device->backing_path = strdup(path);
	return device->backing_path != NULL;
}

static void release_device(struct block_device *device)
{
	free(device->directory);
	free(device->backing_path);
}

/* @number: "8:1", a link in <sysfs>/dev/block */
static bool add_device(struct block_tree *tree, const char *number)
{
	struct block_device *grown, device = {0};
	unsigned major_number, minor_number;
	char path[PATH_MAX];

	if (sscanf(number, "%u:%u", &major_number, &minor_number) != 2)
		return true;
	snprintf(path, sizeof(path), "%s/dev/block/%s", tree->sysfs, number);
	device.directory = realpath(path, NULL);
	if (!device.directory)
		return errno == ENOENT; /* gone since the directory was read */
	device.device = makedev(major_number, minor_number);
	device.name = strrchr(device.directory, '/') + 1;
	device.is_partition = block_has(&device, "partition");
	grown = list_room(tree->devices, tree->count, sizeof(device));
	if (grown)
		tree->devices = grown;
	if (!grown || !read_backing(tree, &device)) {
		release_device(&device);
		return false;
	}
	tree->devices[tree->count++] = device;
	return true;
}

static int compare_devices(const void *left, const void *right)
{
	const struct block_device *a = left;
	const struct block_device *b = right;

	return (a->device > b->device) - (a->device < b->device);
}

void block_tree_read(struct block_tree *tree, const char *sysfs)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *directory;

	*tree = (struct block_tree){.sysfs = sysfs};
	snprintf(path, sizeof(path), "%s/dev/block", sysfs);
	directory = opendir(path);
	if (!directory)
		return;
	tree->complete = true;
	while ((entry = readdir(directory)))
		tree->complete = add_device(tree, entry->d_name) && tree->complete;
	closedir(directory);
	if (tree->count > 0)
		qsort(tree->devices, tree->count, sizeof(*tree->devices), compare_devices);
	if (block_tree_is_live(tree))
		loop_driver_ask(tree);
}

void block_tree_release(struct block_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		release_device(&tree->devices[i]);
	free(tree->devices);
	*tree = (struct block_tree){0};
}

const struct block_device *block_find(const struct block_tree *tree, dev_t device)
{
	const struct block_device key = {.device = device};

	if (tree->count == 0)
		return NULL;
	return bsearch(&key, tree->devices, tree->count, sizeof(key), compare_devices);
}

const struct block_device *block_find_name(const struct block_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strcmp(tree->devices[i].name, name) == 0)
			return &tree->devices[i];
	return NULL;
}

bool block_is_partition_of(const struct block_device *partition, const struct block_device *disk)
{
	size_t length = strlen(disk->directory);

	return partition->is_partition &&
	       strncmp(partition->directory, disk->directory, length) == 0 &&
	       partition->name == partition->directory + length + 1;
}

const struct block_device *block_disk(const struct block_tree *tree,
				      const struct block_device *partition)
{
	for (size_t i = 0; partition->is_partition && i < tree->count; i++)
		if (block_is_partition_of(partition, &tree->devices[i]))
			return &tree->devices[i];
	return NULL;
}

void block_neighbours(const struct block_tree *tree, const struct block_device *device,
		      const char *directory,
		      void (*each)(void *context, const char *name,
				   const struct block_device *neighbour),
		      void *context)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *names;

	snprintf(path, sizeof(path), "%s/%s", device->directory, directory);
	names = opendir(path);
	while (names && (entry = readdir(names)))
		if (entry->d_name[0] != '.')
			each(context, entry->d_name, block_find_name(tree, entry->d_name));
	if (names)
		closedir(names);
}

char *block_title(const struct block_device *device, char *out, size_t size)
{
	char name[256];

	if (block_attribute(device, "dm/name", name, sizeof(name)))
		return text_quote(out, size, name);
	snprintf(name, sizeof(name), "%s", device->name);
	for (char *c = name; *c; c++)
		if (*c == '!')
			*c = '/'; /* sysfs writes cciss/c0d0 so */
	return text_quote(out, size, name);
}

static uint64_t range_end(uint64_t offset, uint64_t length)
{
	return length == 0 || length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
}

bool ranges_meet(uint64_t offset, uint64_t length, uint64_t other_offset, uint64_t other_length)
{
	return offset < range_end(other_offset, other_length) &&
	       other_offset < range_end(offset, length);
}
