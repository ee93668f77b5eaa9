/* LUNs joined into one volume, end to end or striped. SPDX-License-Identifier: MIT */
#ifndef CALIB_VOLUME_H
#define CALIB_VOLUME_H

#include "calib/divisor.h"

#include <stdint.h>

#define VOLUME_LUNS_MAX 1024

/** struct place - where a block of the volume lies: LUN index and byte offset in it */
struct place {
	uint32_t lun;
	uint64_t offset;
};

/** struct extent - the part of a block that lies on one LUN */
struct extent {
	uint32_t lun;
	uint32_t bytes;
	uint64_t offset;
};

/**
 * struct zone - a part of a striped volume in which every stripe row has the same LUNs
 * @offset:  where it begins, on each of its LUNs
 * @luns:    @width of them, in the order of the list
 * @rows, @rest: of a block of so many stripes each LUN has @rows, and the first @rest one more
 */
struct zone {
	uint64_t offset;
	const uint16_t *luns;
	uint32_t width;
	uint32_t rows, rest;
	struct divisor by_width;
};

/**
 * struct volume - the address space of I/Os of one size
 *
 * Block b lies in span i, the last one with first[i] <= b. End to end, a span is a LUN, and b is
 * its block b - first[i]: every LUN holds a whole number of blocks, so no I/O straddles two.
 *
 * Striped, a span is a zone: zone 0 takes stripes from all LUNs in turn until the smallest is full,
 * the next zone from those that are longer, and so on, as MD does. No block straddles two zones;
 * one that is larger than a stripe lies on several LUNs: see volume_extents().
 */
struct volume {
	uint64_t blocks; /* in all */
	uint32_t block_bytes;
	uint32_t span_count;
	uint64_t stripe_bytes;		 /* 0: end to end */
	uint32_t stripes;		 /* of a block that is larger than a stripe; else 1 */
	uint32_t extents_max;		 /* the most LUNs that one block lies on */
	uint64_t stripe_blocks;		 /* of a stripe that is no smaller than a block; else 1 */
	struct divisor by_stripe;	 /* by stripe_blocks */
	struct zone *zones;		 /* owned; NULL: end to end */
	uint64_t first[VOLUME_LUNS_MAX]; /* first[0] is 0 */
};

/**
 * volume_usable_bytes - how much of a LUN is used: up to the last whole multiple of the largest
 * unit, an I/O or a stripe
 */
uint64_t volume_usable_bytes(uint64_t lun_bytes, uint64_t largest_bytes);

/**
 * volume_init - join @count LUNs (1..VOLUME_LUNS_MAX)
 * @usable_bytes: one size for each LUN, see volume_usable_bytes(); at least one block each, and one
 *                stripe
 * @stripe_bytes: 0: end to end; else a multiple of the block or a divisor of it
 *
 * Answers 0, -ENOMEM, or -EINVAL where a LUN is too small, @count is out of range or stripe and
 * block do not fit. volume_release() frees.
 */
int volume_init(struct volume *volume, const uint64_t usable_bytes[], unsigned count,
		uint32_t block_bytes, uint64_t stripe_bytes);
void volume_release(struct volume *volume);

/** volume_span - the span of a block; @block is below volume->blocks */
static inline uint32_t volume_span(const struct volume *volume, uint64_t block)
{
	uint32_t low = 0;
	uint32_t high = volume->span_count;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (volume->first[middle] <= block)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** volume_place - the place of a block, where volume->extents_max is 1 */
static inline struct place volume_place(const struct volume *volume, uint64_t block)
{
	uint32_t span = volume_span(volume, block);
	const struct zone *zone;
	uint64_t stripe, row;

	block -= volume->first[span];
	if (!volume->zones)
		return (struct place){.lun = span, .offset = block * volume->block_bytes};
	zone = &volume->zones[span];
	stripe = divide(block, volume->by_stripe);
	row = divide(stripe, zone->by_width);
	return (struct place){
		.lun = zone->luns[stripe - row * zone->width],
		.offset = zone->offset + row * volume->stripe_bytes +
			  (block - stripe * volume->stripe_blocks) * volume->block_bytes,
	};
}

/**
 * volume_extents - where a block lies that is larger than a stripe
 * @extents: gets volume->extents_max at most; answers how many
 *
 * One for each LUN: its stripes of the block follow each other on it.
 */
unsigned volume_extents(const struct volume *volume, uint64_t block, struct extent extents[]);

#endif
