/* A data point: the loads that are kept up together. Data without code. SPDX-License-Identifier:
 * MIT */
#ifndef CALIB_POINT_H
#define CALIB_POINT_H

#include <stdbool.h>
#include <stdint.h>

#define POINT_LOADS_MAX 3 /* small, large, one to come: each costs a kept point 500 bytes */
#define LOAD_NAME_SIZE	16

enum pattern_type {
	PATTERN_RANDOM, /* uniform over the volume, aligned to the I/O's size */
	PATTERN_STREAM, /* @level streams, each in its own part of the volume */
};

enum io_dir {
	IO_READ,
	IO_WRITE,
	IO_DIRS,
};

/**
 * struct load - I/Os of one kind, a fixed number of them outstanding
 * @name:       "small" or "large" from the presets; keys and labels of the reports come from it
 * @bytes:      length of each I/O
 * @level:      the load level: outstanding I/Os, or streams
 * @per_level:  outstanding I/Os for each unit of @level: 1, or the I/Os of one stream
 * @write_pct:  0..100: share of I/Os (random) or of streams that write
 * @rw_flags:   RWF_* for each I/O
 * @rate_per_s: I/Os started in a second whatever is outstanding; 0: keep @level outstanding
 */
struct load {
	char name[LOAD_NAME_SIZE];
	enum pattern_type pattern;
	uint32_t bytes;
	uint32_t level;
	uint32_t per_level;
	uint32_t write_pct;
	uint32_t rw_flags;
	double rate_per_s;
};

/**
 * struct point - one data point of the plan
 * @number:  1 for the first point that is run; rises by one with each, repeats included
 * @repeat:  1..N
 * @small:   level of the small load, 0 where there is none (ORION's "Small=")
 * @large:   level of the large load, 0 where there is none ("Large=")
 * @fill_bytes, @fill_ns: unmeasured random I/O before it, until so much was moved or so long has
 *           passed, which drives its blocks out of a cache; both 0: none
 * @ios_most: it ends after so many I/Os; 0: only with its time
 *
 * Holds no pointer, so it can be stored, compared and sent as it is.
 */
struct point {
	uint32_t number;
	uint32_t repeat;
	uint32_t small;
	uint32_t large;
	uint32_t load_count;
	struct load loads[POINT_LOADS_MAX];
	uint64_t ramp_ns;
	uint64_t duration_ns;
	uint64_t fill_bytes;
	uint64_t fill_ns;
	uint64_t ios_most;
};

static inline uint32_t load_outstanding(const struct load *load)
{
	return load->level * load->per_level;
}

/* the most memory that filling the cache takes, unless one I/O is larger */
#define CACHE_FILL_BUFFERS (UINT64_C(32) << 20)
#define CACHE_FILL_MOST	   32u

/** cache_fill_outstanding - random I/Os of that size which fill a cache: enough to keep an array
 * busy
 */
static inline uint32_t cache_fill_outstanding(uint64_t bytes)
{
	uint64_t count = CACHE_FILL_BUFFERS / bytes;

	if (count > CACHE_FILL_MOST)
		count = CACHE_FILL_MOST;
	return count > 0 ? (uint32_t)count : 1;
}

/** load_write_streams - how many of a stream load's streams write: the percentage, rounded */
static inline uint32_t load_write_streams(const struct load *load)
{
	return (uint32_t)(((uint64_t)load->level * load->write_pct + 50) / 100);
}

/** load_has - whether a load does I/Os in that direction at all */
static inline bool load_has(const struct load *load, enum io_dir dir)
{
	uint32_t whole = load->pattern == PATTERN_STREAM ? load->level : 100;
	uint32_t writes =
		load->pattern == PATTERN_STREAM ? load_write_streams(load) : load->write_pct;

	return dir == IO_WRITE ? writes > 0 : writes < whole;
}

#endif
