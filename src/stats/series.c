/* Intervals of a point as bytes: most of what a long run keeps. SPDX-License-Identifier: MIT */
#include "calib/leb128.h"
#include "results_private.h"

#include <string.h>

/* The first byte says what follows of the bytes: they; those of one I/O, where these are all alike;
 * nothing, where those are a power of two, which stands above the flags. And of the mean: its bits,
 * or the sum that gives it. */
#define BYTES_OF_ONE_IO 1u
#define SUM_OF_LATENCY	2u
#define POWER_SHIFT	2u
#define POWER_NONE	63u /* else a size of 2^0 to 2^62 */

#define EXACT_BELOW 0x1p52L /* up to there the sum is found again from its mean */

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* the sum that the mean was computed from; false where no whole number gives just that mean */
static bool find_sum(const struct series_row *row, uint64_t *sum_ns)
{
	long double product = (long double)row->mean_ns * (long double)row->ios;

	if (row->ios == 0 || !(product >= 0 && product < EXACT_BELOW))
		return false;
	*sum_ns = (uint64_t)(product + 0.5L);
	return bits_of(mean_of(*sum_ns, row->ios)) == bits_of(row->mean_ns);
}

size_t series_pack(const struct series_row *row, uint8_t out[SERIES_PACKED_MAX])
{
	uint64_t bytes = row->bytes, mean = bits_of(row->mean_ns);
	unsigned how = 0, power = POWER_NONE;
	size_t size = 1;

	if (row->ios > 0 && bytes % row->ios == 0) {
		how |= BYTES_OF_ONE_IO;
		bytes /= row->ios;
		if (__builtin_popcountll(bytes) == 1 && bytes < UINT64_C(1) << POWER_NONE)
			power = (unsigned)__builtin_ctzll(bytes);
	}
	if (find_sum(row, &mean))
		how |= SUM_OF_LATENCY;
	else
		mean = bits_of(row->mean_ns);
	out[0] = (uint8_t)(how | power << POWER_SHIFT);
	size += leb128_put(row->ios, out + size);
	if (power == POWER_NONE)
		size += leb128_put(bytes, out + size);
	size += leb128_put(mean, out + size);
	size += leb128_put(row->max_ns, out + size);
	return size;
}

void series_next(const struct results *results, size_t *position, struct series_row *row)
{
	const uint8_t *packed = results->series;
	unsigned how = packed[(*position)++];
	unsigned power = how >> POWER_SHIFT;
	uint64_t mean = 0;

	*row = (struct series_row){0};
	/* series_pack() wrote it: nothing can be wrong */
	(void)leb128_get(packed, results->series_bytes, position, &row->ios);
	if (power == POWER_NONE)
		(void)leb128_get(packed, results->series_bytes, position, &row->bytes);
	else
		row->bytes = UINT64_C(1) << power;
	(void)leb128_get(packed, results->series_bytes, position, &mean);
	(void)leb128_get(packed, results->series_bytes, position, &row->max_ns);
	if (how & BYTES_OF_ONE_IO)
		row->bytes *= row->ios;
	if (how & SUM_OF_LATENCY)
		row->mean_ns = mean_of(mean, row->ios);
	else
		memcpy(&row->mean_ns, &mean, sizeof(mean));
}
