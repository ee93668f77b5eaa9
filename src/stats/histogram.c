/* How a histogram is kept: record, merge, percentile. SPDX-License-Identifier: MIT */
#include "calib/histogram.h"

#include "calib/leb128.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PERCENT_SCALE 1000000u /* percentiles are exact to six decimals */

void histogram_reset(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min_ns = UINT64_MAX;
}

uint64_t histogram_upper_ns(unsigned index)
{
	uint64_t next = (uint64_t)index + 1;
	uint64_t x = next;

	if (next >= UINT64_C(2) * HISTOGRAM_SUB) {
		unsigned shift = (unsigned)(next >> HISTOGRAM_SUB_BITS) - 1;

		x = ((next & (HISTOGRAM_SUB - 1)) | HISTOGRAM_SUB) << shift;
	}
	/* the smallest v with floor(v * 128 / 125) >= x */
	return (x * 125 + 127) / 128;
}

bool histogram_ends_at(uint64_t ns, unsigned *index)
{
	*index = ns > 0 ? histogram_index(ns - 1) : 0;
	return histogram_upper_ns(*index) == ns;
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	histogram->total += other->total;
	histogram->sum_ns += other->sum_ns;
	histogram->sum_squares += other->sum_squares;
	if (other->min_ns < histogram->min_ns)
		histogram->min_ns = other->min_ns;
	if (other->max_ns > histogram->max_ns)
		histogram->max_ns = other->max_ns;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		histogram->count[i] += other->count[i];
}

double histogram_mean_ns(const struct histogram *histogram)
{
	if (histogram->total == 0)
		return 0.0;
	return (double)((long double)histogram->sum_ns / (long double)histogram->total);
}

double histogram_stddev_ns(const struct histogram *histogram)
{
	uint64_t n = histogram->total;
	uint64_t mean, rest;
	histogram_wide about_mean, rest_squared;
	long double deviation;

	if (n == 0)
		return 0.0;
	/* With S = mean * n + rest, the sum of (v - S/n)^2 is
	 *     sum_squares - mean * (S + rest) - rest^2 / n.
	 * In whole numbers: n * sum_squares may not fit 128 bits, and floating point would lose a
	 * small spread of large values. */
	mean = histogram->sum_ns / n;
	rest = histogram->sum_ns % n;
	about_mean = histogram->sum_squares - (histogram_wide)mean * histogram->sum_ns -
		     (histogram_wide)mean * rest;
	rest_squared = (histogram_wide)rest * rest;
	/* NOLINTNEXTLINE(bugprone-integer-division): the remainder follows */
	deviation = (long double)(about_mean - rest_squared / n) -
		    (long double)(rest_squared % n) / (long double)n;
	return (double)sqrtl(deviation / (long double)n);
}

/* the nearest rank, from 1: in whole numbers, for 99.9 / 100 * 1000 is more than 999 in floating
 * point */
static uint64_t rank_of(uint64_t total, double percentile)
{
	const histogram_wide whole = (histogram_wide)100 * PERCENT_SCALE;
	histogram_wide rank;

	if (percentile >= 100.0)
		return total;
	if (!(percentile > 0.0))
		return 1;
	rank = ((histogram_wide)total * (uint64_t)llround(percentile * PERCENT_SCALE) + whole - 1) /
	       whole;
	return rank > 0 ? (uint64_t)rank : 1;
}

uint64_t histogram_percentile_ns(const struct histogram *histogram, double percentile)
{
	uint64_t rank = rank_of(histogram->total, percentile);
	uint64_t seen = 0;
	uint64_t ns;

	if (histogram->total == 0)
		return 0;
	/* what lies in the last bucket may be above its upper edge: there, the largest answers */
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		seen += histogram->count[i];
		if (seen < rank)
			continue;
		ns = histogram_upper_ns(i) - 1;
		if (ns < histogram->min_ns)
			ns = histogram->min_ns;
		return ns < histogram->max_ns ? ns : histogram->max_ns;
	}
	return histogram->max_ns;
}

size_t histogram_pack(const struct histogram *histogram, uint8_t *out)
{
	size_t size = 0;
	unsigned last = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (histogram->count[i] == 0)
			continue;
		size += leb128_put(i - last, out != NULL ? out + size : NULL);
		size += leb128_put(histogram->count[i], out != NULL ? out + size : NULL);
		last = i;
	}
	return size;
}

int histogram_unpack_next(const uint8_t *packed, size_t size, size_t *position,
			  struct bucket *bucket)
{
	uint64_t least = *position == 0 ? 0 : 1; /* a bucket comes once */
	uint64_t step, count;

	if (*position >= size)
		return 0;
	if (leb128_get(packed, size, position, &step) < 0 ||
	    leb128_get(packed, size, position, &count) < 0)
		return -EINVAL;
	if (step < least || step >= HISTOGRAM_BUCKETS - bucket->index || count == 0)
		return -EINVAL;
	bucket->index += (uint32_t)step;
	bucket->count = count;
	return 1;
}
