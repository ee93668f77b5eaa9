/* LUNs: the list file, the open descriptors, the facts. SPDX-License-Identifier: MIT */
#ifndef CALIB_TARGET_H
#define CALIB_TARGET_H

#include "calib/error.h"
#include "calib/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** struct lun_name - one line of a .lun file */
struct lun_name {
	char *path;
	unsigned line; /* from 1 */
};

/** struct lun_list - a .lun file as read; @file is its name, for messages */
struct lun_list {
	char *file;
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

/** struct target - one LUN opened for direct I/O */
struct target {
	const char *path; /* of the lun_list */
	unsigned line;
	int fd; /* -1 while closed */
	bool is_block;
	uint64_t size_bytes;
	uint32_t logical_block_bytes; /* what offsets, lengths and buffers must be multiples of */
	uint32_t physical_block_bytes;
	dev_t device; /* st_rdev of a block device, st_dev of a file */
	ino_t inode;  /* of a file; 0 for a block device */
};

/**
 * target_open - open one LUN for reading with O_DIRECT, and read its facts from the descriptor
 *
 * Never creates, never blocks on a FIFO. Refused with the kind in @err: anything but a block
 * device or a regular file, and a regular file under /dev. The descriptor is never 0, 1 or 2.
 */
int target_open(struct target *target, const char *path, struct error *err);
void target_close(struct target *target);

/**
 * targets_open - open all LUNs of a list, check sizes, drop a second name of the same device
 * @targets:  gets at most list->count entries, *@count of them
 * @small_bytes, @large_bytes: the I/O sizes that the run uses, 0 for a class that it does not have
 * @results:  gets a warning for each LUN that was dropped
 *
 * On error all are closed again and @err says file, line and LUN.
 */
int targets_open(struct target targets[], unsigned *count, const struct lun_list *list,
		 uint64_t small_bytes, uint64_t large_bytes, struct results *results,
		 struct error *err);
void targets_close(struct target targets[], unsigned count);

/**
 * probe_lun - what sysfs and the mount table tell of a LUN; what they do not stays unknown
 * @sysfs:  "/sys", or a fixture tree in tests
 */
void probe_lun(const struct target *target, const char *sysfs, struct lun_info *info);

/** probe_kernel_count - the kernel's counters of a block device; known = false for a file */
void probe_kernel_count(const struct target *target, const char *sysfs, struct kernel_count *count);

/** probe_memory_available - bytes that can be had without swapping (MemAvailable); UINT64_MAX:
 * unknown */
uint64_t probe_memory_available(void);

/** probe_host - this machine; unknown members stay empty */
void probe_host(struct host_info *host);

#endif
