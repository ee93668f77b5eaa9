/* LUNs: the list file, the open descriptors, the facts. SPDX-License-Identifier: MIT */
#ifndef CALIB_TARGET_H
#define CALIB_TARGET_H

#include "calib/error.h"
#include "calib/results.h"
#include "calib/safety.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** struct lun_name - one line of a .lun file */
struct lun_name {
	char *path;
	unsigned line; /* from 1 */
};

/**
 * struct lun_list - a .lun file as read
 * @file: its name, for messages
 * @device, @inode: of the file itself, which is no LUN; 0 where the text came from elsewhere
 */
struct lun_list {
	char *file;
	dev_t device;
	ino_t inode;
	struct lun_name *names;
	size_t count;
};

/**
 * lun_list_parse - the text of a .lun file
 *
 * Blank lines and lines that start with # are skipped; a byte-order mark, CR and trailing blanks
 * are stripped. -EINVAL with file and line in @err: a NUL byte, a line longer than a path can be,
 * more than VOLUME_LUNS_MAX LUNs, or none at all ("no LUN in x.lun"). lun_list_release() frees,
 * also after an error.
 */
int lun_list_parse(struct lun_list *list, const char *file, const char *text, size_t length,
		   struct error *err);
int lun_list_read(struct lun_list *list, const char *file, struct error *err);
void lun_list_release(struct lun_list *list);

/**
 * struct target - one LUN opened for direct I/O
 * @write_code: opened for writing: 0, or why only reading is possible: -EBUSY (exclusive open
 *              refused), -ETXTBSY (a running program), -EAGAIN (a lease on it),
 *              -EROFS (read-only device or file system)
 */
struct target {
	const char *path; /* of the lun_list */
	unsigned line;
	int fd; /* -1 while closed */
	int write_code;
	bool is_block;
	uint64_t size_bytes;
	uint32_t logical_block_bytes; /* what offsets, lengths and buffers must be multiples of */
	uint32_t physical_block_bytes;
	dev_t device; /* st_rdev of a block device, st_dev of a file */
	ino_t inode;  /* of a file; 0 for a block device */
};

/**
 * target_open - open one LUN with O_DIRECT, and read its facts from the descriptor
 * @for_writing: for reading and writing, a block device exclusively; where only reading is
 *               possible it is opened for reading and @target->write_code says why
 *
 * Never creates, never blocks on a FIFO. Refused with the kind in @err: anything but a block
 * device or a regular file, and a regular file under /dev. No permission (also none to write) is
 * an error. The descriptor is never 0, 1 or 2.
 */
int target_open(struct target *target, const char *path, bool for_writing, struct error *err);
void target_close(struct target *target);

/**
 * target_ask_again - try once more to open a block device for writing that was -EBUSY
 *
 * The kernel gives up late what io_uring held for a process that has ended. True: it is open for
 * writing now, @target->write_code is 0.
 */
bool target_ask_again(struct target *target);

/**
 * targets_open - open all LUNs of a list and check their sizes
 * @targets:  gets at most list->count entries, *@count of them
 * @small_bytes, @large_bytes: the I/O sizes that the run uses, 0 for a class that it does not have
 *
 * On error all are closed again and @err says file, line and LUN.
 */
int targets_open(struct target targets[], unsigned *count, const struct lun_list *list,
		 uint64_t small_bytes, uint64_t large_bytes, bool for_writing, struct error *err);
void targets_close(struct target targets[], unsigned count);

/**
 * struct probe_roots - where the kernel's trees are: "/sys" and "/proc", or fixture trees in tests
 * @dev: where the nodes of block devices are: "/dev"; NULL: no device is opened
 */
struct probe_roots {
	const char *sysfs;
	const char *proc;
	const char *dev;
};

/**
 * struct relation - two targets that are, wholly or in part, the same storage
 * @kept, @dropped: indices; a run that reads counts @dropped's storage once, as part of @kept
 * @how: a phrase: "is the same device as", "is a partition of", "lies on", "lies below"
 */
struct relation {
	unsigned kept, dropped;
	const char *how;
};

/**
 * targets_related - the first target, in the list's order, that shares storage with another
 *
 * The same device number, file or WWID; a partition and its disk (the disk is kept); a loop device
 * and its backing file, or two loop devices on one; a dm or MD device and what it is made of (the
 * upper is kept). Parts of one disk that do not overlap are not related. False: there is none.
 */
bool targets_related(const struct target targets[], unsigned count, const struct probe_roots *roots,
		     struct relation *relation);

/**
 * targets_check_output - -EINVAL with @err where a standard descriptor is what a LUN lies on, its
 * disk or partition, or a loop device on it: what calib says would go onto the LUN
 */
int targets_check_output(const struct target targets[], unsigned count,
			 const struct probe_roots *roots, struct error *err);

/**
 * probe_holds - who uses the LUNs, their disks, their partitions or the files they lie on
 * @open_files: also look through /proc for processes that have them open, and ask for a write
 *              lease on files; costs one look at every descriptor of every process
 * @findings:   one for each of @targets; what is found is added
 *
 * Adds every finding from FINDING_MOUNTED to FINDING_READ_ONLY that it can see, FINDING_CARRIES for
 * a disk that has partitions, and FINDING_UNKNOWN for what it may not look at. Never writes, reads
 * no data of a LUN.
 */
void probe_holds(const struct target targets[], unsigned count, const struct probe_roots *roots,
		 bool open_files, struct findings findings[]);

/**
 * probe_marks - the signatures that a LUN carries: FINDING_CARRIES for each
 * @until_ns: stop reading at this time of clock_now_ns(); UINT64_MAX: read to the end
 * @read:     the reads that were made through target->fd are added
 *
 * Reads the blocks where signatures lie, through target->fd with direct I/O, 64 KiB at most at a
 * time, so that the block layer splits none. What libblkid knows, and bare marks that it does not
 * take without a valid structure. Blocks that cannot be read are FINDING_UNKNOWN.
 *
 * Answers 0, or the code of the first read where the LUN takes no direct I/O (-EINVAL,
 * -EOPNOTSUPP): then no I/O of a run can succeed either.
 */
int probe_marks(const struct target *target, uint64_t until_ns, struct io_count *read,
		struct findings *findings);

/** target_can_poll - whether the disk of a LUN, or of a file's file system, has poll queues */
bool target_can_poll(const struct target *target, const char *sysfs);

/** target_numa_node - the node that a LUN, or the disk of a file's file system, is attached to; -1:
 * none is known */
int target_numa_node(const struct target *target, const char *sysfs);

/**
 * targets_near_cpus - the CPUs, of those @allowed, on the NUMA node of the LUNs
 * @sysfs: "/sys", or a fixture tree in tests
 *
 * False, and @near is of no use, where sysfs knows no node, the LUNs are on several, or all CPUs or
 * none that are allowed are on it.
 */
bool targets_near_cpus(const struct target targets[], unsigned count, const char *sysfs,
		       const cpu_set_t *allowed, cpu_set_t *near);

/**
 * probe_lun - what sysfs and the mount table tell of a LUN; what they do not stays unknown
 * @sysfs:  "/sys", or a fixture tree in tests
 */
void probe_lun(const struct target *target, const char *sysfs, struct lun_info *info);

/** probe_kernel_count - the kernel's counters of a block device; known = false for a file */
void probe_kernel_count(const struct target *target, const char *sysfs, struct kernel_count *count);

/** probe_host - this machine; unknown members stay empty */
void probe_host(struct host_info *host);

#endif
