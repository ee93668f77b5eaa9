/* LUNs joined into one volume, end to end or striped. SPDX-License-Identifier: MIT */
#include "calib/volume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t volume_usable_bytes(uint64_t lun_bytes, uint64_t largest_bytes)
{
	return largest_bytes == 0 ? lun_bytes : lun_bytes - lun_bytes % largest_bytes;
}

static int init_spans(struct volume *volume, const uint64_t usable_bytes[], unsigned count)
{
	volume->span_count = count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t blocks = usable_bytes[i] / volume->block_bytes;

		if (blocks == 0 || blocks > UINT64_MAX - volume->blocks)
			return -EINVAL;
		volume->first[i] = volume->blocks;
		volume->blocks += blocks;
	}
	return 0;
}

static int init_sizes(struct volume *volume)
{
	uint64_t stripe = volume->stripe_bytes;
	uint64_t block = volume->block_bytes;

	if (stripe % block == 0)
		volume->stripe_blocks = stripe / block;
	else if (block % stripe == 0)
		volume->stripes = (uint32_t)(block / stripe);
	else
		return -EINVAL;
	volume->by_stripe = divisor_init(volume->stripe_blocks);
	return 0;
}

/* How many LUNs have more than @depth units; @next gets the size of the smallest of them. */
static unsigned longer_than(const uint64_t units[], unsigned count, uint64_t depth, uint64_t *next)
{
	unsigned longer = 0;

	*next = UINT64_MAX;
	for (unsigned i = 0; i < count; i++) {
		if (units[i] <= depth)
			continue;
		longer++;
		if (units[i] < *next)
			*next = units[i];
	}
	return longer;
}

static void count_zones(const uint64_t units[], unsigned count, unsigned *zones, size_t *places)
{
	uint64_t depth = 0;
	uint64_t next;
	unsigned width;

	*zones = 0;
	*places = 0;
	while ((width = longer_than(units, count, depth, &next)) > 0) {
		(*zones)++;
		*places += width;
		depth = next;
	}
}

/* Where a block is larger than a stripe, a unit is a block, so that zones end with whole ones. */
static void fill_zones(struct volume *volume, const uint64_t units[], unsigned count,
		       uint16_t *places)
{
	uint64_t unit_bytes = volume->stripe_blocks * volume->block_bytes;
	uint64_t depth = 0;

	for (unsigned i = 0; i < volume->span_count; i++) {
		struct zone *zone = &volume->zones[i];
		uint64_t next;

		zone->width = longer_than(units, count, depth, &next);
		zone->offset = depth * unit_bytes;
		zone->luns = places;
		zone->rows = volume->stripes / zone->width;
		zone->rest = volume->stripes % zone->width;
		zone->by_width = divisor_init(zone->width);
		for (unsigned lun = 0; lun < count; lun++)
			if (units[lun] > depth)
				*places++ = (uint16_t)lun;
		volume->first[i] = volume->blocks;
		volume->blocks += (next - depth) * zone->width * volume->stripe_blocks;
		depth = next;
	}
}

static int init_zones(struct volume *volume, const uint64_t units[], unsigned count)
{
	size_t places;

	count_zones(units, count, &volume->span_count, &places);
	volume->zones =
		malloc(volume->span_count * sizeof(*volume->zones) + places * sizeof(uint16_t));
	if (!volume->zones)
		return -ENOMEM;
	fill_zones(volume, units, count, (uint16_t *)(void *)&volume->zones[volume->span_count]);
	volume->extents_max = volume->stripes < count ? volume->stripes : count;
	return 0;
}

static int init_striped(struct volume *volume, const uint64_t usable_bytes[], unsigned count)
{
	uint64_t units[VOLUME_LUNS_MAX];
	uint64_t unit_bytes, total = 0;

	if (init_sizes(volume) < 0)
		return -EINVAL;
	unit_bytes = volume->stripe_blocks * volume->block_bytes;
	for (unsigned i = 0; i < count; i++) {
		units[i] = usable_bytes[i] / unit_bytes;
		/* up to 2^63 bytes: that is as far as divide() is exact */
		if (units[i] == 0 || usable_bytes[i] > INT64_MAX - total)
			return -EINVAL;
		total += usable_bytes[i];
	}
	return init_zones(volume, units, count);
}

int volume_init(struct volume *volume, const uint64_t usable_bytes[], unsigned count,
		uint32_t block_bytes, uint64_t stripe_bytes)
{
	if (count == 0 || count > VOLUME_LUNS_MAX || block_bytes == 0)
		return -EINVAL;
	memset(volume, 0, sizeof(*volume));
	volume->block_bytes = block_bytes;
	volume->stripe_bytes = stripe_bytes;
	volume->stripes = volume->extents_max = 1;
	volume->stripe_blocks = 1;
	/* stripes of one LUN follow each other on it: nothing to work out for each I/O */
	if (stripe_bytes == 0 || count == 1)
		return init_spans(volume, usable_bytes, count);
	return init_striped(volume, usable_bytes, count);
}

void volume_release(struct volume *volume)
{
	free(volume->zones);
	volume->zones = NULL;
}

unsigned volume_extents(const struct volume *volume, uint64_t block, struct extent extents[])
{
	uint32_t span = volume_span(volume, block);
	const struct zone *zone = &volume->zones[span];
	uint64_t stripe = (block - volume->first[span]) * volume->stripes;
	uint64_t row = divide(stripe, zone->by_width);
	uint32_t at = (uint32_t)(stripe - row * zone->width);
	unsigned count = zone->rows > 0 ? zone->width : zone->rest;

	for (unsigned i = 0; i < count; i++) {
		uint32_t rows = zone->rows + (i < zone->rest);

		extents[i] = (struct extent){
			.lun = zone->luns[at],
			.bytes = (uint32_t)(rows * volume->stripe_bytes),
			.offset = zone->offset + row * volume->stripe_bytes,
		};
		if (++at == zone->width) {
			at = 0;
			row++;
		}
	}
	return count;
}
