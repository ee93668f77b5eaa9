/* Which devices carry the root file system. SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* a walk down from "/", and what it has found */
struct walk {
	struct system_disk *system;
	const struct block_tree *tree;
};

bool system_disk_has(const struct system_disk *system, const struct block_device *device)
{
	for (size_t i = 0; i < system->count; i++)
		if (system->devices[i] == device)
			return true;
	return false;
}

void system_disk_release(struct system_disk *system)
{
	free(system->devices);
	*system = (struct system_disk){0};
}

/* False: it was there already, or memory fell short. */
static bool add(struct system_disk *system, const struct block_device *device)
{
	const struct block_device **grown;

	if (!device || system_disk_has(system, device))
		return false;
	grown = list_room(system->devices, system->count, sizeof(*grown));
	if (!grown) {
		system->complete = false;
		return false;
	}
	system->devices = grown;
	system->devices[system->count++] = device;
	return true;
}

static void add_slave(void *context, const char *name, const struct block_device *slave)
{
	const struct walk *walk = context;

	(void)name;
	add(walk->system, slave);
}

static void add_below(struct walk *walk, const struct block_device *device)
{
	block_neighbours(walk->tree, device, "slaves", add_slave, walk);
	add(walk->system, block_disk(walk->tree, device));
	/* A live system's root is a loop device on a file of the medium. */
	if (device->backed && device->found)
		add(walk->system, block_find(walk->tree, device->backing.device));
}

/* kpartx and multipath make partitions out of device mapper: "part2-mpath-3600..." */
static bool is_mapped_partition(const struct block_device *device)
{
	char uuid[256];

	return block_attribute(device, "dm/uuid", uuid, sizeof(uuid)) &&
	       strncmp(uuid, "part", 4) == 0 && isdigit((unsigned char)uuid[4]);
}

static void add_holder(void *context, const char *name, const struct block_device *holder)
{
	const struct walk *walk = context;

	(void)name;
	if (holder && is_mapped_partition(holder))
		add(walk->system, holder);
}

static void add_partitions(struct walk *walk, const struct block_device *disk)
{
	for (size_t i = 0; i < walk->tree->count; i++)
		if (block_is_partition_of(&walk->tree->devices[i], disk))
			add(walk->system, &walk->tree->devices[i]);
	block_neighbours(walk->tree, disk, "holders", add_holder, walk);
}

/* The device number of "/" itself, which no fixture can stand for. */
static void add_root(const struct walk *walk)
{
	struct stat st;

	if (block_tree_is_live(walk->tree) && stat("/", &st) == 0)
		add(walk->system, block_find(walk->tree, st.st_dev));
}

/* "" where nothing is mounted on "/"; else what lies on no disk of this machine: of another one, or
 * in memory. */
static bool is_diskless(const char *type)
{
	static const char *const types[] = {"",	    "nfs",	"nfs4", "cifs",	 "smb3",  "9p",
					    "ceph", "virtiofs", "afs",	"tmpfs", "ramfs", "rootfs"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

void system_disk_find(struct system_disk *system, const struct use_list *mounts,
		      const struct block_tree *tree)
{
	struct walk walk = {.system = system, .tree = tree};
	size_t disks;

	*system = (struct system_disk){.complete = true};
	add_root(&walk);
	for (size_t i = 0; i < mounts->count; i++)
		if (mounts->uses[i].point && strcmp(mounts->uses[i].point, "/") == 0)
			add(system, block_find(tree, mounts->uses[i].storage.device));
	/* A container's root is overlayfs, whose layers are the host's. */
	if (system->count == 0 && !is_diskless(mounts->root_type))
		system->complete = false;
	system->is_pool = strcmp(mounts->root_type, "zfs") == 0;
	/* the list grows under the loop: all the way down */
	for (size_t i = 0; i < system->count; i++)
		add_below(&walk, system->devices[i]);
	/* Only now across, to the partitions: their own slaves and disks are known by then. */
	disks = system->count;
	for (size_t i = 0; i < disks; i++)
		add_partitions(&walk, system->devices[i]);
}
