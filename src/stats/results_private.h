/* Shared by results.c and summary.c. SPDX-License-Identifier: MIT */
#ifndef CALIB_RESULTS_PRIVATE_H
#define CALIB_RESULTS_PRIVATE_H

#include "calib/results.h"

/** cell_end - where in by_cell the points at (small, large) end: the first index past them */
size_t cell_end(const struct results *results, uint32_t small, uint32_t large);

/** best_update - results->best with a point that was just added */
void best_update(struct results *results, const struct point_result *point);

#endif
