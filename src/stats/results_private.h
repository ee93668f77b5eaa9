/* Shared by the files of results. SPDX-License-Identifier: MIT */
#ifndef CALIB_RESULTS_PRIVATE_H
#define CALIB_RESULTS_PRIVATE_H

#include "calib/leb128.h"
#include "calib/results.h"

#define SERIES_PACKED_MAX (1 + 4 * LEB128_MAX)

/*
 * Room for @more in the pool, so that what is stored then cannot fail: 0, or -ENOMEM and nothing
 * changed. Of packed histograms in bytes, of series in rows; reserve_point() and
 * reserve_warning() for one.
 */
int reserve_packed(struct results *results, size_t more);
int reserve_lun_rows(struct results *results, size_t more);
int reserve_series(struct results *results, size_t more);
int reserve_errors(struct results *results, size_t more);
int reserve_point(struct results *results);
int reserve_warning(struct results *results);

/** mean_of - 0 without I/Os. A packed series has the sum in place of a mean that this gives to the
 * bit
 */
static inline double mean_of(uint64_t sum_ns, uint64_t ios)
{
	return ios == 0 ? 0.0 : (double)((long double)sum_ns / (long double)ios);
}

/** series_pack - a row as bytes; answers how many */
size_t series_pack(const struct series_row *row, uint8_t out[SERIES_PACKED_MAX]);

/** cell_end - where in by_cell the points at (small, large) end: the first index past them */
size_t cell_end(const struct results *results, uint32_t small, uint32_t large);

/** best_update - results->best with a point that was just added */
void best_update(struct results *results, const struct point_result *point);

#endif
