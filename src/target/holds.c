/* Who uses a LUN: what the kernel knows, said as findings. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#define MOUNTS_NAMED 3 /* places where one device is mounted; more say nothing new */

/* the machine as it is now, read once for all LUNs */
struct machine {
	struct block_tree tree;
	struct use_list mounts, swaps, exports;
	struct system_disk system;
};

/* a member that others may hold, and where to note them */
struct held {
	const struct member *member;
	struct findings *findings;
};

/* "its disk sda is mounted on": the member as the start of a sentence; the LUN itself needs none */
static const char *is_word(const struct member *member)
{
	return member->subject[0] ? " is " : "";
}

static void note_mount(const struct member *member, const struct use *mount,
		       struct findings *findings)
{
	char point[PATH_SHOWN];
	char type[NAME_SHOWN];

	text_quote(type, sizeof(type), mount->type);
	if (mount->point)
		findings_add(findings, FINDING_MOUNTED, "%s%smounted on '%s' (%s)", member->subject,
			     is_word(member), text_quote(point, sizeof(point), mount->point), type);
	else
		findings_add(findings, FINDING_MOUNTED, "%s%smounted (%s)", member->subject,
			     is_word(member), type);
}

static void find_mounts(const struct member *member, const struct use_list *mounts,
			struct findings *findings)
{
	unsigned before = findings->count;

	for (size_t i = 0; i < mounts->count && findings->count - before < MOUNTS_NAMED; i++)
		if (storage_same(&mounts->uses[i].storage, &member->storage))
			note_mount(member, &mounts->uses[i], findings);
}

static void find_swap(const struct member *member, const struct use_list *swaps,
		      struct findings *findings)
{
	for (size_t i = 0; i < swaps->count; i++)
		if (storage_same(&swaps->uses[i].storage, &member->storage))
			findings_add(findings, FINDING_SWAP, "%s%sswapped on", member->subject,
				     is_word(member));
}

static void find_exports(const struct member *member, const struct use_list *exports,
			 struct findings *findings)
{
	for (size_t i = 0; i < exports->count; i++)
		if (storage_same(&exports->uses[i].storage, &member->storage))
			findings_add(findings, FINDING_HELD,
				     "%s%sserved to other hosts (%s target)", member->subject,
				     is_word(member), exports->uses[i].type);
}

/* What kind of device @name, which holds another one, is. */
static const char *holder_kind(const char *name, const struct block_device *holder)
{
	static const struct {
		const char *prefix, *kind;
	} mapped[] = {
		{"LVM-", "LVM"},
		{"mpath-", "multipath"},
		{"CRYPT-", "dm-crypt"},
	};
	char uuid[256];

	if (holder && block_attribute(holder, "dm/uuid", uuid, sizeof(uuid)))
		for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++)
			if (strncmp(uuid, mapped[i].prefix, strlen(mapped[i].prefix)) == 0)
				return mapped[i].kind;
	if (strncmp(name, "dm-", 3) == 0)
		return "device mapper";
	if (strncmp(name, "md", 2) == 0)
		return "MD";
	if (strncmp(name, "bcache", 6) == 0)
		return "bcache";
	return "another device";
}

static void note_holder(void *context, const char *name, const struct block_device *holder)
{
	const struct held *held = context;
	char title[NAME_SHOWN];

	if (holder)
		block_title(holder, title, sizeof(title));
	else
		text_quote(title, sizeof(title), name);
	findings_add(held->findings, FINDING_HELD, "%s%sheld by '%s' (%s)", held->member->subject,
		     is_word(held->member), title, holder_kind(name, holder));
}

static void find_holders(const struct member *member, const struct block_tree *tree,
			 struct findings *findings)
{
	struct held held = {.member = member, .findings = findings};

	if (member->kinship == KIN_PATH) /* by the LUN */
		return;
	block_neighbours(tree, member->device, "holders", note_holder, &held);
	/* a cache, and a disk that waits for its cache, have no holder */
	if (!findings_has(findings, FINDING_HELD) && block_has(member->device, "bcache") &&
	    strncmp(member->device->name, "bcache", 6) != 0)
		findings_add(findings, FINDING_HELD, "%s%sheld by bcache", member->subject,
			     is_word(member));
}

static void find_loop(const struct family *family, const struct member *member,
		      struct findings *findings)
{
	const char *below = family->members[member->parent].subject;

	if (member->kinship == KIN_LOOP)
		findings_add(findings, FINDING_LOOP, "%s lies on %s", member->subject,
			     below[0] ? below : "it");
	if (member->device->backed && !member->device->known) {
		char path[PATH_SHOWN];

		findings_add(findings, FINDING_UNKNOWN,
			     "what lies below loop device %s ('%s') cannot be found out",
			     member->device->name,
			     text_quote(path, sizeof(path), member->device->backing_path));
	}
}

/* Once for a LUN: its partitions and what lies below would only repeat it. */
static void find_system_disk(const struct member *member, const struct machine *machine,
			     struct findings *findings)
{
	const struct block_device *disk;
	char title[NAME_SHOWN];

	if (findings_has(findings, FINDING_SYSTEM_DISK) ||
	    !system_disk_has(&machine->system, member->device))
		return;
	disk = block_disk(&machine->tree, member->device);
	findings_add(findings, FINDING_SYSTEM_DISK, "%s%son the system's disk, %s", member->subject,
		     is_word(member),
		     block_title(disk ? disk : member->device, title, sizeof(title)));
}

static void find_zones(const struct member *member, struct findings *findings)
{
	char zoned[64];

	if (member->kinship != KIN_LOOP &&
	    block_attribute(member->device, "queue/zoned", zoned, sizeof(zoned)) &&
	    strcmp(zoned, "host-managed") == 0)
		findings_add(findings, FINDING_ZONED,
			     "has host-managed zones: random writes are not possible there");
}

/* Whether a partition of the device that a loop device lies on has bytes of that. */
static bool loop_touches(const struct block_device *loop, const struct block_device *partition)
{
	return ranges_meet(loop->offset, loop->limit, block_number(partition, "start") * 512,
			   block_number(partition, "size") * 512);
}

/* Of the LUN, or of the disk that it lies on. The kernel knows them, so somebody made them, though
 * the disk may show no table. */
static void find_partitions(const struct family *family, struct findings *findings)
{
	for (size_t disk = 0; disk < family->count; disk++) {
		const struct member *member = &family->members[disk];
		unsigned count = 0;

		if (disk > 0 && member->kinship != KIN_BACKING)
			continue;
		for (size_t i = 0; i < family->count; i++)
			count += family->members[i].kinship == KIN_PARTITION &&
				 family->members[i].parent == disk &&
				 (disk == 0 || loop_touches(family->members[member->parent].device,
							    family->members[i].device));
		if (count > 0)
			findings_add(findings, FINDING_CARRIES, "%s%shas %u partition%s",
				     member->subject, disk > 0 ? " " : "", count,
				     count == 1 ? "" : "s");
	}
}

/* The directory of a file whose name is gone, where it has one on the same file system: its type;
 * 0: not known. */
static long type_beside(const struct storage *file, const char *path)
{
	char directory[PATH_MAX];
	const char *end = strrchr(path, '/');
	struct statfs facts;
	struct storage named;

	if (!end || end == path || (size_t)(end - path) >= sizeof(directory))
		return 0;
	memcpy(directory, path, (size_t)(end - path));
	directory[end - path] = '\0';
	/* of btrfs a directory has the number of its subvolume as well, which no table has */
	if (storage_find_patiently(directory, &named) != -ENOTBLK || named.device != file->device ||
	    statfs(directory, &facts) < 0)
		return 0;
	return facts.f_type;
}

/* By the mount table: another thing has its name by now, or it has none. A file system without a
 * device that the table does not know may be an overlay, whose files have made up numbers. */
static bool may_be_on_overlay(const struct storage *file, const char *path)
{
	char *type = major(file->device) == 0 ? target_filesystem(file->device) : NULL;
	bool may_be = major(file->device) == 0 && (!type || strcmp(type, "overlay") == 0);
	long beside = may_be && !type ? type_beside(file, path) : 0;

	free(type);
	if (strncmp(path, "/memfd:", strlen("/memfd:")) == 0)
		return false;
	return may_be && (beside == 0 || beside == OVERLAYFS_SUPER_MAGIC);
}

static bool is_on_overlay(const struct target *target, const struct family *family, size_t index)
{
	const struct member *member = &family->members[index];
	struct storage named;
	struct statfs facts;
	const char *path;

	if (member->storage.is_block)
		return false;
	if (index == 0)
		return fstatfs(target->fd, &facts) == 0 && facts.f_type == OVERLAYFS_SUPER_MAGIC;
	path = family->members[member->parent].device->backing_path;
	if (storage_find_patiently(path, &named) < 0 || !storage_same(&named, &member->storage))
		return may_be_on_overlay(&member->storage, path);
	return statfs(path, &facts) == 0 && facts.f_type == OVERLAYFS_SUPER_MAGIC;
}

bool target_is_writable(const struct target *target)
{
	return target->fd >= 0 && (fcntl(target->fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

bool target_is_for_writing(const struct target *target)
{
	return target->write_code != 0 || target_is_writable(target);
}

/* Set by hand, to protect it. */
static void find_read_only_partitions(const struct target *target, const struct family *family,
				      struct findings *findings)
{
	for (size_t i = 0; target_is_for_writing(target) && i < family->count; i++) {
		const struct member *member = &family->members[i];

		if (member->kinship == KIN_PARTITION && member->parent == 0 &&
		    block_number(member->device, "ro") != 0)
			findings_add(findings, FINDING_READ_ONLY, "%s is read-only",
				     member->subject);
	}
}

/* A file of overlayfs is another one below: neither a lease nor numbers tell who uses that. */
static void find_overlay(const struct target *target, const struct family *family,
			 struct findings *findings)
{
	for (size_t i = 0; i < family->count; i++)
		if (is_on_overlay(target, family, i))
			findings_add(findings, FINDING_UNKNOWN,
				     "%s%son overlayfs, where users of the file below do not show",
				     family->members[i].subject, is_word(&family->members[i]));
}

static void find_uses(const struct family *family, const struct machine *machine,
		      struct findings *findings)
{
	for (size_t i = 0; i < family->count; i++) {
		const struct member *member = &family->members[i];

		find_mounts(member, &machine->mounts, findings);
		find_swap(member, &machine->swaps, findings);
		find_exports(member, &machine->exports, findings);
		if (!member->device)
			continue;
		find_holders(member, &machine->tree, findings);
		find_loop(family, member, findings);
		find_system_disk(member, machine, findings);
		find_zones(member, findings);
	}
}

/* One that lies on the LUN would look like one that does not. A file is safe: it cannot be leased
 * then. */
static void find_unknown_loops(const struct target *target, const struct block_tree *tree,
			       struct findings *findings)
{
	for (size_t i = 0; target->is_block && i < tree->count; i++)
		if (tree->devices[i].backed && !tree->devices[i].known) {
			findings_add(findings, FINDING_UNKNOWN,
				     "cannot find out what lies below loop device %s",
				     tree->devices[i].name);
			return;
		}
}

/* The kernel claims the members of a pool, whole disks or partitions, for itself alone: in doubt
 * are other partitions of such a disk. */
static bool may_be_of_system(const struct family *family, const struct system_disk *system)
{
	if (system->complete)
		return false;
	for (size_t i = 0; system->is_pool && i < family->count; i++)
		if (family->members[i].device && family->members[i].device->is_partition)
			return true;
	return !system->is_pool;
}

/* What the machine did not show, so that nothing found means nothing. */
static void find_gaps(const struct target *target, const struct family *family,
		      const struct machine *machine, struct findings *findings)
{
	find_unknown_loops(target, &machine->tree, findings);
	if (!machine->tree.complete)
		findings_add(findings, FINDING_UNKNOWN,
			     "cannot see the block devices in '%s/dev/block'", machine->tree.sysfs);
	else if (target->is_block && !block_find(&machine->tree, target->device))
		findings_add(findings, FINDING_UNKNOWN, "has no entry in '%s/dev/block'",
			     machine->tree.sysfs);
	if (!machine->mounts.readable)
		findings_add(findings, FINDING_UNKNOWN, "cannot see what is mounted");
	if (!machine->swaps.readable)
		findings_add(findings, FINDING_UNKNOWN, "cannot see what is swapped on");
	if (!machine->exports.readable)
		findings_add(findings, FINDING_UNKNOWN, "cannot see what is served to other hosts");
	if (target->is_block && may_be_of_system(family, &machine->system))
		findings_add(
			findings, FINDING_UNKNOWN,
			"cannot find out which disk the system is on (its root is of type '%s')",
			machine->mounts.root_type);
	if (!family->complete)
		findings_add(findings, FINDING_UNKNOWN, "no memory to find out who uses it");
}

static bool is_read_only(const struct target *target, const struct block_device *device)
{
	int read_only = 0;

	if (!target_is_for_writing(target))
		return false;
	if (target->write_code == -EROFS)
		return true;
	if (!target->is_block)
		return false;
	/* Root may open a read-only device for writing: only the first write fails. */
	if (target->fd >= 0 && ioctl(target->fd, BLKROGET, &read_only) == 0 && read_only)
		return true;
	return device && block_number(device, "ro") != 0;
}

/* Why it could not be opened for writing. */
static void note_refusal(int code, struct findings *findings)
{
	switch (code) {
	case -EROFS: /* known as read-only */
		break;
	case -ETXTBSY:
		findings_add(findings, FINDING_OPEN, "is a program that runs");
		break;
	case -EAGAIN:
		findings_add(findings, FINDING_OPEN, "held open by a process that has a lease");
		break;
	default:
		findings_add(findings, FINDING_OPEN,
			     "in use: the kernel refuses an exclusive open");
	}
}

static void find_refusals(const struct target *target, const struct machine *machine,
			  struct findings *findings)
{
	const struct block_device *device =
		target->is_block ? block_find(&machine->tree, target->device) : NULL;

	if (is_read_only(target, device))
		findings_add(findings, FINDING_READ_ONLY, "read-only");
	if (target->write_code != 0 && !claim_is_explained(findings))
		note_refusal(target->write_code, findings);
}

static void machine_read(struct machine *machine, const struct probe_roots *roots)
{
	block_tree_read(&machine->tree, roots->sysfs);
	mounts_read(&machine->mounts, roots, &machine->tree);
	swaps_read(&machine->swaps, roots->proc, &machine->tree);
	exports_read(&machine->exports, roots->sysfs, &machine->tree);
	system_disk_find(&machine->system, &machine->mounts, &machine->tree);
}

static void machine_release(struct machine *machine)
{
	system_disk_release(&machine->system);
	use_list_release(&machine->exports);
	use_list_release(&machine->swaps);
	use_list_release(&machine->mounts);
	block_tree_release(&machine->tree);
}

/* struct reading - the machine as it was, and what of it has to do with each LUN */
struct reading {
	struct machine machine;
	struct family *families;
};

static void reading_take(struct reading *reading, const struct target targets[], unsigned count,
			 const struct probe_roots *roots, struct findings findings[])
{
	const struct machine *machine = &reading->machine;
	struct family *families = reading->families;

	machine_read(&reading->machine, roots);
	for (unsigned i = 0; i < count; i++) {
		family_find(&families[i], &targets[i], &machine->tree);
		find_uses(&families[i], machine, &findings[i]);
		find_partitions(&families[i], &findings[i]);
		find_overlay(&targets[i], &families[i], &findings[i]);
		find_read_only_partitions(&targets[i], &families[i], &findings[i]);
		find_refusals(&targets[i], machine, &findings[i]);
		find_gaps(&targets[i], &families[i], machine, &findings[i]);
	}
}

static void reading_drop(struct reading *reading, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		family_release(&reading->families[i]);
	machine_release(&reading->machine);
}

void probe_holds(const struct target targets[], unsigned count, const struct probe_roots *roots,
		 bool open_files, struct findings findings[])
{
	struct reading reading = {.families = calloc(count, sizeof(*reading.families))};

	if (!reading.families) {
		for (unsigned i = 0; i < count; i++)
			findings_add(&findings[i], FINDING_UNKNOWN,
				     "no memory to find out who uses it");
		return;
	}
	reading_take(&reading, targets, count, roots, findings);
	if (open_files) {
		open_files_find(targets, count, reading.families, roots->proc, findings);
		/* Where there are a million descriptors that takes seconds: a mount may have come.
		 */
		reading_drop(&reading, count);
		reading_take(&reading, targets, count, roots, findings);
	}
	if (roots->dev) /* last: nothing that comes later would show */
		claims_find(targets, count, reading.families, roots->dev, findings);
	reading_drop(&reading, count);
	free(reading.families);
}
