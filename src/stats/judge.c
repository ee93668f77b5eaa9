/* What the figures of a run say about themselves. SPDX-License-Identifier: MIT */
#include "calib/judge.h"

#include "calib/units.h"

/* Less than this between two levels is the noise of any storage. */
#define FALL_MIN    0.05
#define FALL_MIN_NS 1000.0

/* The small class of the good points at one large level: the lowest small level, and the fastest.
 */
static struct latency_fall fall_at(const struct results *results, uint32_t large)
{
	const struct level_list *levels = &results->run.small_levels;
	struct latency_fall fall = {.large = large};

	for (unsigned i = 0; i < levels->count; i++) {
		struct cell cell = results_cell(results, levels->value[i], large);

		if (levels->value[i] == 0 || !cell.known || !(cell.small_latency_ns > 0))
			continue;
		if (fall.first_small == 0) {
			fall.first_small = fall.small = levels->value[i];
			fall.first_ns = fall.ns = cell.small_latency_ns;
		} else if (cell.small_latency_ns < fall.ns) {
			fall.small = levels->value[i];
			fall.ns = cell.small_latency_ns;
		}
	}
	return fall;
}

static double share(const struct latency_fall *fall)
{
	return fall->first_ns > 0 ? (fall->first_ns - fall->ns) / fall->first_ns : 0;
}

bool latency_falls(const struct results *results, struct latency_fall *worst)
{
	const struct level_list *levels = &results->run.large_levels;

	*worst = (struct latency_fall){0};
	for (unsigned i = 0; i < levels->count; i++) {
		struct latency_fall fall = fall_at(results, levels->value[i]);

		if (fall.first_ns - fall.ns >= FALL_MIN_NS && share(&fall) >= FALL_MIN &&
		    share(&fall) > share(worst))
			*worst = fall;
	}
	return worst->small != 0;
}

int warn_latency_falls(struct results *results)
{
	struct latency_fall fall;

	if (!latency_falls(results, &fall))
		return 0;
	return results_warn(results, "latency_falls", SEVERITY_NOTE, WARNING_NO_POINT,
			    WARNING_NO_LUN,
			    "the latency falls with the load, from %.2f us at small=%u to %.2f us "
			    "at small=%u (large=%u): not monotonic: warm-up effect?",
			    fall.first_ns / (double)NS_PER_US, fall.first_small,
			    fall.ns / (double)NS_PER_US, fall.small, fall.large);
}
