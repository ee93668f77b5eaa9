/* Which data points are run, and in what order. SPDX-License-Identifier: MIT */
#ifndef CALIB_PLAN_H
#define CALIB_PLAN_H

#include "calib/error.h"
#include "calib/point.h"
#include "calib/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct results;
struct plan;

/**
 * levels_derive - ORION's list of load levels for a ceiling (spec/orion.md 2.1)
 *
 * {1 .. step-1} and {step, 2*step, ...} up to @max, with step = max(1, max / 20). 0 is not in it.
 * Answers the count (0 for @max 0).
 */
unsigned levels_derive(uint32_t max, struct level_list *levels);

/** levels_derive_step - the same with the step given (ORION's dss: step = num_disks) */
unsigned levels_derive_step(uint32_t max, uint32_t step, struct level_list *levels);

/**
 * struct plan_limits - what the machine sets
 * @lun_count:    LUNs that will be used (num_disks where spec does not say)
 * @buffer_bytes: most memory for I/O buffers of one point that basic may ask for
 * @outstanding:  most I/Os that one point may keep; at most LEVEL_MAX
 */
struct plan_limits {
	unsigned lun_count;
	uint64_t buffer_bytes;
	uint32_t outstanding;
};

/**
 * plan_new - the plan of a settled spec
 *
 * NULL with @err set: no memory, or a plan without a point to run. Free with plan_free().
 */
struct plan *plan_new(const struct spec *spec, const struct plan_limits *limits, struct error *err);
void plan_free(struct plan *plan);

/**
 * plan_next - the next data point, given the results so far
 * @results: all points that plan_next() gave before stand in it with what they measured
 *
 * Answers true with @point filled in; false when the plan is done. The empty point (0,0) is
 * never given: it is counted, and takes no time.
 */
bool plan_next(struct plan *plan, const struct results *results, struct point *point);

/**
 * plan_peek - the @index-th point (from 0) that the plan would give if every level were tried
 *
 * For -dry_run. For an adaptive plan these are the points it may give at most. False past the end.
 */
bool plan_peek(const struct plan *plan, size_t index, struct point *point);

/**
 * plan_total_points - ORION's "Total Data Points", the empty point included, repeats not
 *
 * plan_is_adaptive(): then the number is a maximum; that of a class becomes exact when its levels
 * have ended, so after the last plan_next() it is the number of points tried. plan_run_points()
 * and plan_estimate_ns() likewise.
 */
size_t plan_total_points(const struct plan *plan);
bool plan_is_adaptive(const struct plan *plan);

/** plan_run_points - points that are run at most: repeats included, the empty point not */
size_t plan_run_points(const struct plan *plan);

/* What -cache_size is counted at before the run, when nobody knows how fast the storage is: 1 GiB/s
 */
#define PLAN_FILL_RATE (UINT64_C(1) << 30)

/** plan_estimate_ns - cache filling, ramps and measured time of all points (at most, where
 * adaptive)
 */
uint64_t plan_estimate_ns(const struct plan *plan);

/** plan_fill_ns - the filling before one point; a size is counted at PLAN_FILL_RATE */
uint64_t plan_fill_ns(const struct plan *plan);

/** plan_fills - points before which the cache is filled (at most, where adaptive) */
size_t plan_fills(const struct plan *plan);

/** plan_orion_minutes - what ORION would announce for as many points (spec/orion.md 2.1) */
uint64_t plan_orion_minutes(const struct plan *plan);

/** plan_outstanding_max, ... - the most that any one point may need. Requests are I/Os, those that
 * lie on several LUNs counted by their parts */
uint32_t plan_outstanding_max(const struct plan *plan);
uint32_t plan_requests_max(const struct plan *plan);
uint64_t plan_buffer_bytes_max(const struct plan *plan);

/**
 * plan_levels - the rows and columns of the matrices
 *
 * Rising, each value once, 0 included where the plan has that row or column. For an adaptive
 * class: the levels tried so far.
 */
const struct level_list *plan_small_levels(const struct plan *plan);
const struct level_list *plan_large_levels(const struct plan *plan);

#endif
