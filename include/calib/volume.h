/* LUNs joined end to end into one volume. SPDX-License-Identifier: MIT */
#ifndef CALIB_VOLUME_H
#define CALIB_VOLUME_H

#include <stdint.h>

#define VOLUME_LUNS_MAX 1024

/** struct place - where a block of the volume lies: LUN index and byte offset in it */
struct place {
	uint32_t lun;
	uint64_t offset;
};

/**
 * struct volume - the address space of I/Os of one size
 *
 * Block b of the volume is block b - first[i] of LUN i, the last one with first[i] <= b. Every
 * LUN holds a whole number of blocks, so no I/O straddles two.
 */
struct volume {
	uint64_t blocks; /* in all */
	uint32_t block_bytes;
	uint32_t lun_count;
	uint64_t first[VOLUME_LUNS_MAX]; /* first[0] is 0 */
};

/**
 * volume_usable_bytes - how much of a LUN is used: up to the last whole multiple of the larger
 * I/O size
 */
uint64_t volume_usable_bytes(uint64_t lun_bytes, uint64_t largest_io_bytes);

/**
 * volume_init - join @count LUNs (1..VOLUME_LUNS_MAX)
 * @usable_bytes: one size for each LUN, see volume_usable_bytes(); at least one block each
 *
 * Answers 0, or -EINVAL where a LUN is smaller than a block or @count is out of range.
 */
int volume_init(struct volume *volume, const uint64_t usable_bytes[], unsigned count,
		uint32_t block_bytes);

/** volume_place - the place of a block; @block is below volume->blocks */
static inline struct place volume_place(const struct volume *volume, uint64_t block)
{
	uint32_t low = 0;
	uint32_t high = volume->lun_count;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (volume->first[middle] <= block)
			low = middle;
		else
			high = middle;
	}
	return (struct place){
		.lun = low,
		.offset = (block - volume->first[low]) * volume->block_bytes,
	};
}

#endif
