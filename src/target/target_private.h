/* What the files of target share: block devices, mounts, and who uses a LUN.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_TARGET_PRIVATE_H
#define CALIB_TARGET_PRIVATE_H

#include "calib/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NAME_SHOWN 64  /* room for a device's name in a phrase; longer ones are cut */
#define PATH_SHOWN 120 /* and for a path */

/**
 * struct storage - what a name leads to, by number: a block device or a regular file
 * @device: st_rdev of a block device, st_dev of a file
 * @inode:  of a file; 0 for a block device
 */
struct storage {
	bool is_block;
	dev_t device;
	ino_t inode;
};

/** target_filesystem - the type of the file system on a device number, by the mount table: "ext4",
 * "fuse.sshfs", to be freed; NULL: unknown */
char *target_filesystem(dev_t device);

/**
 * cgroups_visit - each cgroup with @controller that this process is in, and all above it
 * @proc:  "/proc", or a fixture tree in tests, whose self/mountinfo says where the cgroups are
 * @visit: gets its directory; @is_v2: of version 2, where there is one tree for all controllers
 */
void cgroups_visit(const char *proc, const char *controller,
		   void (*visit)(const char *directory, bool is_v2, void *arg), void *arg);

/** proc_value - what stands behind "@key :" in a file of proc, without blanks before it; false
 * where there is no such line, and @out is as it was */
bool proc_value(const char *path, const char *key, char *out, size_t size);

/** first_line - of a file, without blanks at its ends; false where there is none, and @out is "" */
bool first_line(const char *path, char *out, size_t size);

/** target_is_writable - whether its descriptor was opened for writing */
bool target_is_writable(const struct target *target);

/** target_silence_stderr - not even the message that says why may go onto the LUN */
void target_silence_stderr(void);

/** target_is_for_writing - whether it was opened for writing, or would have been */
bool target_is_for_writing(const struct target *target);

/**
 * struct mount_line - one line of mountinfo: the names of its fields in proc(5)
 * @options: those of the file system
 */
struct mount_line {
	dev_t device;
	char *root, *point, *type, *source, *options;
};

/** mount_line_cut - cut up @text in place, which @line points into; false: it is no such line */
bool mount_line_cut(char *text, struct mount_line *line);

bool storage_same(const struct storage *a, const struct storage *b);
struct storage storage_of_target(const struct target *target);

/**
 * storage_find - what a name below @directory (AT_FDCWD) leads to
 *
 * 0; -ENOTBLK for what is neither a block device nor a regular file; else -errno, why it cannot be
 * looked at. A server that does not answer is not asked where the kernel knows by itself.
 */
int storage_find(int directory, const char *name, struct storage *storage);

/** struct child - a process of ours that asks what may never answer */
struct child {
	pid_t pid;
	int answers;
};

/** child_start - have @ask called by it, to write answers of one size to @out; false: it cannot be
 */
bool child_start(struct child *child, void (*ask)(const void *context, int out),
		 const void *context);
/** child_answer - the next; false at the end, or where none comes within a second */
bool child_answer(const struct child *child, void *answer, size_t size);
void child_end(const struct child *child);

/** storage_find_patiently - storage_find() of a path that may lead over a server which is dead:
 * -ETIMEDOUT where nothing answers */
int storage_find_patiently(const char *path, struct storage *storage);

/**
 * list_room - room for one more at the end of a list that holds @count; NULL: no memory, and @list
 * is as it was
 */
void *list_room(void *list, size_t count, size_t item_bytes);

/**
 * struct block_device - one block device, a disk or a partition
 * @directory: its own in sysfs
 * @name:      the kernel's, the last part of @directory: "sda1", "dm-0"
 * @backed:    a loop device in use, which lies on @backing: bytes from @offset, @limit of them (0:
 *             to the end). @found: @backing is set; @known: by the driver, where the name may lead
 *             to something else here; @backing_path is for messages
 */
struct block_device {
	dev_t device;
	char *directory;
	const char *name;
	bool is_partition;
	bool backed, found, known;
	char *backing_path;
	struct storage backing;
	uint64_t offset, limit;
};

/**
 * struct block_tree - all block devices of the machine, by device number
 * @complete: false where sysfs or memory fell short
 */
struct block_tree {
	const char *sysfs;
	struct block_device *devices;
	size_t count;
	bool complete;
};

void block_tree_read(struct block_tree *tree, const char *sysfs);
void block_tree_release(struct block_tree *tree);

/** block_tree_is_live - of this machine: a fixture tree has no drivers to ask, nor our own "/" */
bool block_tree_is_live(const struct block_tree *tree);

struct storage storage_of_device(const struct block_device *device);

/** loop_driver_ask - set @backing and @known of the loop devices whose driver answers */
void loop_driver_ask(struct block_tree *tree);

/** block_find, block_find_name - NULL where there is none */
const struct block_device *block_find(const struct block_tree *tree, dev_t device);
const struct block_device *block_find_name(const struct block_tree *tree, const char *name);

/** block_disk - the whole disk of a partition; NULL for a disk */
const struct block_device *block_disk(const struct block_tree *tree,
				      const struct block_device *partition);

/** block_is_partition_of - by sysfs: the partition's directory lies in the disk's */
bool block_is_partition_of(const struct block_device *partition, const struct block_device *disk);

/** block_attribute - the first line of a file in its directory, without blanks at the ends */
bool block_attribute(const struct block_device *device, const char *name, char *out, size_t size);
uint64_t block_number(const struct block_device *device, const char *name);

/** block_wwid - the name that a disk has in all the world; false, and "", for a partition or where
 * it has none */
bool block_wwid(const struct block_device *disk, char *out, size_t size);

/** block_has - whether its directory holds that name */
bool block_has(const struct block_device *device, const char *name);

/**
 * block_neighbours - the devices in its directory "holders" or "slaves"
 * @each: called for every one; the name too where sysfs has no device of that name (then NULL)
 */
void block_neighbours(const struct block_tree *tree, const struct block_device *device,
		      const char *directory,
		      void (*each)(void *context, const char *name,
				   const struct block_device *neighbour),
		      void *context);

/** block_title - the name as users know it, for a message: "vg-root" rather than dm-0 */
char *block_title(const struct block_device *device, char *out, size_t size);

/** ranges_meet - whether two stretches share a byte; a length of 0 has no end */
bool ranges_meet(uint64_t offset, uint64_t length, uint64_t other_offset, uint64_t other_length);

/** struct use - one mount, swap area or export, and one of the devices or files that it lies on */
struct use {
	struct storage storage;
	char *point; /* NULL: not known */
	char *type;
};

/**
 * struct use_list - @readable: false where no table could be read to its end; @root_type: of what
 * is mounted on "/", on whatever device, "" where nothing is. @below: while a table is read, the
 * root of who has it; NULL is "/". @process: while it is neither ours nor that of process 1, whose.
 * @slow: the last path that nothing answered for
 */
struct use_list {
	struct use *uses;
	size_t count;
	bool readable;
	char root_type[32];
	const char *below;
	const char *process;
	char *slow;
};

/** mounts_read - the mounts that this process or process 1 sees; all members of a btrfs */
void mounts_read(struct use_list *mounts, const struct probe_roots *roots,
		 const struct block_tree *tree);
void swaps_read(struct use_list *swaps, const char *proc, const struct block_tree *tree);
/** exports_read - what the kernel serves to other hosts: NVMe and SCSI targets; @type says which */
void exports_read(struct use_list *exports, const char *sysfs, const struct block_tree *tree);

/** use_list_add_path - @path by what it leads to; one that leads nowhere is none of this machine's
 */
void use_list_add_path(struct use_list *list, const char *path, const char *point, const char *type,
		       const struct block_tree *tree);
/** use_list_add_device - by its number, "8:1a" in hexadecimal; anything else is left out */
void use_list_add_device(struct use_list *list, const char *number, const char *type);
void use_list_release(struct use_list *list);

/**
 * struct system_disk - the devices that carry "/", and the partitions of their disks
 * @complete: false where they could not be found out; @is_pool: for "/" lies in a pool of devices
 *            that the kernel does not name (ZFS), and claims
 */
struct system_disk {
	const struct block_device **devices;
	size_t count;
	bool complete;
	bool is_pool;
};

void system_disk_find(struct system_disk *system, const struct use_list *mounts,
		      const struct block_tree *tree);
bool system_disk_has(const struct system_disk *system, const struct block_device *device);
void system_disk_release(struct system_disk *system);

/* how a member came into a family */
enum kinship {
	KIN_SELF,
	KIN_PARTITION, /* of another member */
	KIN_DISK,      /* that another member is a partition of */
	KIN_LOOP,      /* lies on another member */
	KIN_BACKING,   /* another member lies on it */
	KIN_SAME,      /* another member by another path */
	KIN_PATH,      /* of a multipath device, which holds it */
};

/**
 * struct member - one device or file whose use is a use of the LUN
 * @device:  NULL for a file, and for a device that sysfs does not show
 * @subject: for a message: "its partition sda1"; "" for the LUN itself
 * @parent:  the index of the member that brought it in
 */
struct member {
	struct storage storage;
	const struct block_device *device;
	enum kinship kinship;
	size_t parent;
	char subject[NAME_SHOWN + PATH_SHOWN];
};

/** struct family - a LUN and all that is in use when the LUN is; the LUN comes first */
struct family {
	struct member *members;
	size_t count;
	bool complete;
};

/**
 * family_find - the LUN, its disk or partitions, what it lies on, the loop devices on any of these
 *
 * Not the other partitions of its disk, nor loop devices on another part of its backing file.
 */
void family_find(struct family *family, const struct target *target, const struct block_tree *tree);
void family_release(struct family *family);

/** claim_is_explained - what is known already is why the kernel refuses an exclusive open */
bool claim_is_explained(const struct findings *findings);

/**
 * claims_find - ask the kernel for the devices that the LUNs lie on
 * @dev: where their nodes are
 *
 * By an exclusive open that is given back at once, and only for LUNs that are to be written. Adds
 * FINDING_OPEN and FINDING_UNKNOWN.
 */
void claims_find(const struct target targets[], unsigned count, const struct family families[],
		 const char *dev, struct findings findings[]);

/** struct lost_file - one that is looked for and has no name any more: what the kernel tells of it
 */
struct lost_file {
	const char *name;
	struct storage storage;
};

/**
 * struct process - @ours: its number is one in our PID namespace
 */
struct process {
	const char *proc;
	long pid;
	bool ours;
	const struct lost_file *lost;
	size_t lost_count;
};

/** name_is_deleted - whether the kernel says so of a file: "/tmp/x (deleted)" */
bool name_is_deleted(const char *name);

typedef void (*file_visitor)(void *context, const struct storage *storage);

/**
 * process_files - visit what a process has open: descriptors of all its threads, mappings, files
 * registered with io_uring; some of them more than once
 *
 * 0; -EACCES where some could not be looked at for want of rights; -EBUSY where its io_uring does
 * not tell; -errno where that failed. A descriptor that is on its way through a socket shows
 * nowhere.
 */
int process_files(const struct process *process, file_visitor visit, void *context);

/**
 * open_files_find - the processes that have a member of a family open, and the kernel's own word
 * @families, @findings: one for each of @targets
 *
 * One pass over all descriptors of all processes. Adds FINDING_OPEN and FINDING_UNKNOWN.
 */
void open_files_find(const struct target targets[], unsigned count, const struct family families[],
		     const char *proc, struct findings findings[]);

#endif
