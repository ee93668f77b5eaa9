/* What the search for marks shares: a copy of a LUN's telling blocks, and the table of marks.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_MARKS_PRIVATE_H
#define CALIB_MARKS_PRIVATE_H

#include "calib/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_WINDOWS 16

/** struct window - a stretch of a LUN: @length bytes from @at on, zero where not (yet) read */
struct window {
	uint64_t at;
	size_t length;
	unsigned char *bytes;
};

/** struct image - a copy of the blocks where marks lie; the windows rise and do not touch */
struct image {
	uint64_t size_bytes; /* of the whole LUN */
	struct window windows[IMAGE_WINDOWS];
	unsigned count;
};

/**
 * image_read - copy the blocks where marks lie
 *
 * Parameters and answer as of probe_marks(). image_release() frees, also after an error.
 */
int image_read(struct image *image, const struct target *target, uint64_t until_ns,
	       struct io_count *read, struct findings *findings);
void image_release(struct image *image);

/** image_at - @length bytes of the copy; NULL where not all of them lie in one window */
const unsigned char *image_at(const struct image *image, uint64_t at, size_t length);

/* what a mark stands for */
enum mark_name {
	MARK_EXT,
	MARK_XFS,
	MARK_XFS_LOG,
	MARK_BTRFS,
	MARK_F2FS,
	MARK_BCACHEFS,
	MARK_NTFS,
	MARK_FAT,
	MARK_EXFAT,
	MARK_REFS,
	MARK_HPFS,
	MARK_ISO9660,
	MARK_UDF,
	MARK_SQUASHFS,
	MARK_EROFS,
	MARK_CRAMFS,
	MARK_ROMFS,
	MARK_JFS,
	MARK_REISERFS,
	MARK_NILFS2,
	MARK_OCFS,
	MARK_GFS,
	MARK_HFSPLUS,
	MARK_APFS,
	MARK_UFS,
	MARK_VXFS,
	MARK_VMFS,
	MARK_BEFS,
	MARK_UBI,
	MARK_ZONEFS,
	MARK_TAR,
	MARK_SWAP,
	MARK_HIBERNATION,
	MARK_LVM2,
	MARK_LVM1,
	MARK_MD,
	MARK_LUKS,
	MARK_BITLOCKER,
	MARK_ZFS,
	MARK_BLUESTORE,
	MARK_DRBD,
	MARK_BCACHE,
	MARK_INTEGRITY,
	MARK_VERITY,
	MARK_SNAPSHOT,
	MARK_VDO,
	MARK_STRATIS,
	MARK_LDM,
	MARK_SPACES,
	MARK_ISM,
	MARK_DDF,
	MARK_LSI,
	MARK_NVIDIA,
	MARK_HPUX,
	MARK_AIX_LVM,
	MARK_ASM,
	MARK_ORACLE,
	MARK_GPT,
	MARK_BOOT,
	MARK_APPLE,
	MARK_BSD,
	MARK_SUN,
	MARK_SOLARIS,
	MARK_SGI,
	MARK_DASD,
	MARK_AMIGA,
	MARK_AIX,
	MARK_IMAGE,
	MARK_KINDS,
};

/**
 * struct mark_kind - what a mark stands for
 * @name:  with an article, for a message
 * @types: libblkid's names (TYPE, PTTYPE) of what has such marks, separated by blanks
 */
struct mark_kind {
	const char *name;
	const char *types;
};

/**
 * struct mark - bytes at a fixed place
 * @end_unit: 0: @at counts from the start; else back from the end, rounded down to this unit
 * @times:    so many places, @step bytes apart
 */
struct mark {
	enum mark_name kind;
	uint64_t end_unit;
	uint64_t at;
	uint64_t step;
	unsigned times;
	size_t length;
	const char *bytes;
};

extern const struct mark_kind mark_kinds[MARK_KINDS];
extern const struct mark marks[];
extern const size_t mark_count;

/** struct mark_set - the kinds that need no further finding; zeroed memory is the empty one */
struct mark_set {
	bool has[MARK_KINDS];
};

/**
 * mark_place - the first place of a mark on a LUN of that size
 *
 * False where it would lie before the start; a place beyond the end is possible.
 */
bool mark_place(const struct mark *mark, uint64_t size_bytes, uint64_t *at);

/**
 * marks_know - libblkid has named @type: the marks of such data are no news
 *
 * Answers the name of that kind, NULL where the table has none.
 */
const char *marks_know(struct mark_set *known, const char *type);

/** marks_find - FINDING_CARRIES for each kind that is not @known and has a mark in the copy */
void marks_find(const struct image *image, struct mark_set *known, struct findings *findings);

#endif
