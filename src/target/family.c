/* What is in use when a LUN is: its disk, its partitions, what it lies on, loop devices on it.
 * SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "target_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_member(const struct family *family, const struct storage *storage)
{
	for (size_t i = 0; i < family->count; i++)
		if (storage_same(&family->members[i].storage, storage))
			return true;
	return false;
}

/* Once each, however many ways lead there. */
static void add_member(struct family *family, struct member member, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_member(struct family *family, struct member member, const char *format, ...)
{
	struct member *grown;
	va_list arguments;

	if (is_member(family, &member.storage))
		return;
	grown = list_room(family->members, family->count, sizeof(member));
	if (!grown) {
		family->complete = false;
		return;
	}
	va_start(arguments, format);
	vsnprintf(member.subject, sizeof(member.subject), format, arguments);
	va_end(arguments);
	family->members = grown;
	family->members[family->count++] = member;
}

static struct member device_member(const struct block_device *device, enum kinship kinship,
				   size_t parent)
{
	return (struct member){
		.storage = storage_of_device(device),
		.device = device,
		.kinship = kinship,
		.parent = parent,
	};
}

static void add_partitions(struct family *family, size_t index, const struct block_tree *tree)
{
	const struct block_device *disk = family->members[index].device;
	const char *its = family->members[index].kinship == KIN_SELF ? "its " : "";
	char title[NAME_SHOWN];

	for (size_t i = 0; i < tree->count; i++)
		if (block_is_partition_of(&tree->devices[i], disk))
			add_member(family, device_member(&tree->devices[i], KIN_PARTITION, index),
				   "%spartition %s", its,
				   block_title(&tree->devices[i], title, sizeof(title)));
}

static void add_disk(struct family *family, size_t index, const struct block_tree *tree)
{
	const struct block_device *disk = block_disk(tree, family->members[index].device);
	const char *its = family->members[index].kinship == KIN_SELF ? "its " : "";
	char title[NAME_SHOWN];

	if (disk)
		add_member(family, device_member(disk, KIN_DISK, index), "%sdisk %s", its,
			   block_title(disk, title, sizeof(title)));
}

static void add_backing(struct family *family, size_t index, const struct block_tree *tree)
{
	const struct block_device *loop = family->members[index].device;
	struct member backing = {
		.storage = loop->backing,
		.kinship = KIN_BACKING,
		.parent = index,
	};
	char path[PATH_SHOWN];

	if (loop->backing.is_block)
		backing.device = block_find(tree, loop->backing.device);
	add_member(family, backing, "its backing %s '%s'",
		   loop->backing.is_block ? "device" : "file",
		   text_quote(path, sizeof(path), loop->backing_path));
}

/* Whether a loop device on a member of the family has bytes of the LUN: not where we came down
 * from another loop device to its backing file, and this one lies on another part of that. */
static bool touches(const struct family *family, const struct member *below,
		    const struct block_device *loop)
{
	const struct block_device *came_from = family->members[below->parent].device;

	return below->kinship != KIN_BACKING ||
	       ranges_meet(loop->offset, loop->limit, came_from->offset, came_from->limit);
}

static void add_loops(struct family *family, size_t index, const struct block_tree *tree)
{
	char title[NAME_SHOWN];

	for (size_t i = 0; i < tree->count; i++) {
		const struct block_device *loop = &tree->devices[i];

		if (loop->backed && loop->found &&
		    storage_same(&loop->backing, &family->members[index].storage) &&
		    touches(family, &family->members[index], loop))
			add_member(family, device_member(loop, KIN_LOOP, index), "loop device %s",
				   block_title(loop, title, sizeof(title)));
	}
}

/* Names of these kinds are given once; others may be a model's. */
static bool is_unique(const char *wwid)
{
	static const char *const kinds[] = {"naa.", "eui.", "uuid.", "nvme."};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(wwid, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

static bool is_same_disk(const struct block_device *a, const struct block_device *b)
{
	char wwid[128], other[128];

	return a != b && block_wwid(a, wwid, sizeof(wwid)) && is_unique(wwid) &&
	       block_wwid(b, other, sizeof(other)) && strcmp(wwid, other) == 0 &&
	       block_number(a, "size") == block_number(b, "size");
}

/* Before multipath is set up, the paths to a disk are disks of their own. */
static void add_other_paths(struct family *family, size_t index, const struct block_tree *tree)
{
	const struct block_device *device = family->members[index].device;
	const struct block_device *disk = device->is_partition ? block_disk(tree, device) : device;
	char title[NAME_SHOWN];

	for (size_t i = 0; disk && i < tree->count; i++) {
		const struct block_device *other = &tree->devices[i];
		const struct block_device *its_disk =
			other->is_partition ? block_disk(tree, other) : other;

		if (other->is_partition == device->is_partition && its_disk &&
		    is_same_disk(disk, its_disk) &&
		    block_number(other, "partition") == block_number(device, "partition"))
			add_member(family, device_member(other, KIN_SAME, index),
				   "the same by another path, %s,",
				   block_title(other, title, sizeof(title)));
	}
}

/* where the paths of a multipath device go */
struct paths {
	struct family *family;
	size_t index;
};

static void add_path(void *context, const char *name, const struct block_device *path)
{
	const struct paths *paths = context;

	if (path)
		add_member(paths->family, device_member(path, KIN_PATH, paths->index),
			   "its path %s", name);
}

static void add_paths(struct family *family, size_t index, const struct block_tree *tree)
{
	const struct block_device *device = family->members[index].device;
	struct paths paths = {family, index};
	char uuid[256];

	if (block_attribute(device, "dm/uuid", uuid, sizeof(uuid)) &&
	    strncmp(uuid, "mpath-", strlen("mpath-")) == 0)
		block_neighbours(tree, device, "slaves", add_path, &paths);
}

static void add_relatives(struct family *family, size_t index, const struct block_tree *tree)
{
	const struct member member = family->members[index];

	add_loops(family, index, tree);
	if (!member.device)
		return;
	if (member.kinship == KIN_SAME ||
	    member.kinship == KIN_PATH) /* it has the relatives that we know already */
		return;
	add_other_paths(family, index, tree);
	add_paths(family, index, tree);
	/* Down again from a disk would lead to the partition's siblings. */
	if (member.kinship != KIN_DISK && !member.device->is_partition)
		add_partitions(family, index, tree);
	if (member.device->is_partition)
		add_disk(family, index, tree);
	if (member.device->backed && member.device->found)
		add_backing(family, index, tree);
}

void family_find(struct family *family, const struct target *target, const struct block_tree *tree)
{
	struct member self = {.storage = storage_of_target(target), .kinship = KIN_SELF};

	*family = (struct family){.complete = true};
	if (target->is_block)
		self.device = block_find(tree, target->device);
	add_member(family, self, "%s", "");
	/* the list grows under the loop, until nothing new is found */
	for (size_t i = 0; i < family->count; i++)
		add_relatives(family, i, tree);
}

void family_release(struct family *family)
{
	free(family->members);
	*family = (struct family){0};
}
