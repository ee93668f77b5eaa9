/* Latencies by count: log-linear, constant memory. SPDX-License-Identifier: MIT */
#ifndef CALIB_HISTOGRAM_H
#define CALIB_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A value of v ns is counted at x = floor(v * 128 / 125) = floor(v * 1.024), so that 1000 * 2^k ns
 * (a power of two in microseconds) is the power of two 1024 * 2^k, and therefore a bucket's edge.
 * x below 256 has a bucket of its own (exact: x rises with every ns); each octave above has
 * HISTOGRAM_SUB linear buckets, so a bucket is at most 1/128 of its lower edge wide.
 */
#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_SUB	   (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_OCTAVES  40 /* up to 1.37e14 ns = 38 h; larger values count in the last bucket */
#define HISTOGRAM_BUCKETS  ((HISTOGRAM_OCTAVES + 1) * HISTOGRAM_SUB)

__extension__ typedef unsigned __int128 histogram_wide;

/** struct histogram - counts and exact moments of one class of I/Os; zeroed memory is NOT valid:
 * histogram_reset() first */
struct histogram {
	uint64_t total;
	uint64_t min_ns; /* UINT64_MAX while empty */
	uint64_t max_ns;
	uint64_t sum_ns;
	histogram_wide sum_squares; /* ns^2 */
	uint64_t count[HISTOGRAM_BUCKETS];
};

void histogram_reset(struct histogram *histogram);

/** histogram_index - the bucket of a value; branch-light, no division by a variable */
static inline unsigned histogram_index(uint64_t ns)
{
	const uint64_t limit = (UINT64_C(1) << (HISTOGRAM_OCTAVES + HISTOGRAM_SUB_BITS)) - 1;
	uint64_t x;
	unsigned shift;

	if (ns > (UINT64_C(1) << 56))
		return HISTOGRAM_BUCKETS - 1;
	x = (ns << 7) / 125; /* by a constant: one multiplication */
	if (x > limit)
		x = limit;
	/* the position of the top bit above the sub-bucket bits; 0 for x below 2^8 */
	shift = 63u - (unsigned)__builtin_clzll(x | (2 * HISTOGRAM_SUB - 1)) - HISTOGRAM_SUB_BITS;
	return (shift << HISTOGRAM_SUB_BITS) + (unsigned)(x >> shift);
}

static inline void histogram_record(struct histogram *histogram, uint64_t ns)
{
	histogram->total++;
	histogram->sum_ns += ns;
	histogram->sum_squares += (histogram_wide)ns * ns;
	if (ns < histogram->min_ns)
		histogram->min_ns = ns;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
	histogram->count[histogram_index(ns)]++;
}

/** histogram_upper_ns - the first value past a bucket (exclusive), in ns */
uint64_t histogram_upper_ns(unsigned index);

/** histogram_ends_at - whether a bucket ends at @ns (exclusive), and which */
bool histogram_ends_at(uint64_t ns, unsigned *index);

/** histogram_merge - add @other's counts to @histogram; any order gives the same */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/** histogram_mean_ns - arithmetic mean; 0 when empty */
double histogram_mean_ns(const struct histogram *histogram);

/** histogram_stddev_ns - population standard deviation from exact sums; 0 when empty */
double histogram_stddev_ns(const struct histogram *histogram);

/**
 * histogram_percentile_ns - latency within which a share of the I/Os completed
 * @percentile: in percent, above 0 and up to 100; 99.9 is fine
 *
 * The smallest value so that at least that share of all is not above it (nearest rank), answered
 * as the largest whole ns of its bucket, so it never flatters: at most 1/128 above the true
 * value, never above the largest or below the smallest recorded one. An empty one answers 0.
 */
uint64_t histogram_percentile_ns(const struct histogram *histogram, double percentile);

/** struct bucket - one non-empty bucket, as kept and reported; @index as histogram_index() */
struct bucket {
	uint32_t index;
	uint64_t count;
};

/**
 * histogram_pack - the non-empty buckets in rising order, as bytes (LEB128: index step, count)
 * @out:  NULL to ask for the size only
 *
 * Answers the number of bytes. histogram_unpack_next() reads them one by one: start with
 * *@position 0 and @bucket zeroed (its index is where the next step starts); answers 1, or 0 at the
 * end, -EINVAL for bytes that histogram_pack() did not write.
 */
size_t histogram_pack(const struct histogram *histogram, uint8_t *out);
int histogram_unpack_next(const uint8_t *packed, size_t size, size_t *position,
			  struct bucket *bucket);

#endif
