/* Shared by results.c and summary.c. SPDX-License-Identifier: MIT */
#ifndef CALIB_RESULTS_PRIVATE_H
#define CALIB_RESULTS_PRIVATE_H

#include "calib/leb128.h"
#include "calib/results.h"

#define SERIES_PACKED_MAX (1 + 4 * LEB128_MAX)

/** series_pack - a row as bytes; answers how many */
size_t series_pack(const struct series_row *row, uint8_t out[SERIES_PACKED_MAX]);

/** cell_end - where in by_cell the points at (small, large) end: the first index past them */
size_t cell_end(const struct results *results, uint32_t small, uint32_t large);

/** best_update - results->best with a point that was just added */
void best_update(struct results *results, const struct point_result *point);

#endif
