/* What the figures of a run say about themselves: pure functions over the results.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_JUDGE_H
#define CALIB_JUDGE_H

#include "calib/results.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * struct latency_fall - mean small latency at the lowest small level, and the least one above it
 * @large: the large level beside both
 */
struct latency_fall {
	uint32_t large;
	uint32_t first_small, small;
	double first_ns, ns;
};

/**
 * latency_falls - whether a higher small load was answered sooner than the lowest
 * @worst: where that is most so
 *
 * More load cannot make a device faster: a cache was still filling, or the machine slept between so
 * few I/Os. Less than 5 %, or than a microsecond, says nothing. Medians of the good repeats.
 */
bool latency_falls(const struct results *results, struct latency_fall *worst);

/** warn_latency_falls - the note that says so; 0, or -ENOMEM */
int warn_latency_falls(struct results *results);

#endif
