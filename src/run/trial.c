/* What the trials before points have in common. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "run_private.h"

#include <stdlib.h>

/* Short beside the point, and long beside one I/O of storage that keeps a CPU busy. */
#define MOST_NS	       (30 * NS_PER_MS)
#define LEAST_NS       (1 * NS_PER_MS)
#define TRIALS_A_POINT 20

uint64_t trial_ns(uint64_t duration_ns)
{
	uint64_t length = duration_ns / TRIALS_A_POINT;

	if (length > MOST_NS)
		return MOST_NS;
	return length < LEAST_NS ? LEAST_NS : length;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double median(double values[], unsigned count)
{
	qsort(values, count, sizeof(values[0]), compare_doubles);
	return values[count / 2];
}
