/* What a person sees while a run goes on. SPDX-License-Identifier: MIT */
#ifndef CALIB_PROGRESS_H
#define CALIB_PROGRESS_H

#include "calib/results.h"
#include "calib/run.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct progress - the live line on @out, and one line for each point as it ends
 * @live:      @out is a terminal: redraw a line while a point runs
 * @orion_out: gets ORION's two lines for each point (-verbose), or NULL
 * @end_ns:    when the run ends by what is planned now; an adaptive plan grows shorter
 */
struct progress {
	FILE *out;
	FILE *orion_out;
	bool quiet;
	bool live;
	bool drawn;
	uint64_t end_ns;
	struct point point;
	size_t run_points;
};

void progress_init(struct progress *progress, FILE *out, bool quiet);
/** progress_point_started - @filling_ns: of all cache filling that is still to come, its own too */
void progress_point_started(struct progress *progress, const struct results *results,
			    const struct point *point, uint64_t filling_ns);
void progress_tick(struct progress *progress, const struct live *live);
void progress_point_ended(struct progress *progress, const struct results *results,
			  const struct point_result *point);
/** progress_warning - a warning is shown also when quiet */
void progress_warning(struct progress *progress, const struct warning *warning);
/** progress_clear - take the live line away, before other text on the same terminal */
void progress_clear(struct progress *progress);

#endif
