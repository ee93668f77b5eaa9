/* Which engine adds least to the latency of this storage: measured, then judged.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_ENGINE_PROBE_H
#define CALIB_ENGINE_PROBE_H

#include "calib/engine.h"
#include "calib/run.h"

/**
 * struct engine_figures - what one engine reached in a probe
 * @one_ns:   mean latency of one random read at a time, ns; 0: not measured
 * @top_rate: reads a second at the most I/Os outstanding that the plan has; 0: not measured
 */
struct engine_figures {
	double one_ns;
	double top_rate;
};

/**
 * engine_is_better - whether an engine may take the place of the one before it
 *
 * It has to answer one I/O at a time at least 10 % sooner, and to be no slower at the top: within
 * 3 %, which is what a probe cannot tell apart. Where neither was measured at the top: 10 %
 * alone; one that was not, or did not keep what should be outstanding, beside one that was: no.
 */
bool engine_is_better(const struct engine_figures *before, const struct engine_figures *other);

/** engine_pick - the first, or whichever is better than the one picked so far; the index */
unsigned engine_pick(const struct engine_figures figures[], unsigned count);

/**
 * struct engine_probe - what is compared, and on what
 * @engines:  @count of them, the one to fall back on first; all work here
 * @luns:     @lun_count indexes into the target's LUNs, one of each kind of storage
 * @bytes:    of a read
 * @top:      most I/Os that the plan keeps outstanding, of that size
 * @slice_ns: how long each single measurement takes
 */
struct engine_probe {
	const struct engine_ops *engines[ENGINES_MAX];
	unsigned count;
	const unsigned *luns;
	unsigned lun_count;
	uint32_t bytes;
	uint32_t top;
	uint64_t slice_ns;
};

/**
 * engine_probe_run - short random reads with each engine in turn, one at a time, then at the top
 * @target:  its engine is not looked at
 * @issued:  one for each LUN of @target: what was sent is added
 * @reason:  gets the figures: "libaio: 7.2 us for one read at a time, io_uring 26.1 us, ..."
 *
 * At the top with as many workers as a run could come to (target.threads, or target.cpus). Each
 * figure is the median of several rounds, in which the engines take turns; with several kinds
 * of storage the geometric mean over them. Where one read takes so long that no engine's cost shows
 * in it the first engine is taken at once.
 *
 * Answers the index of the engine to take, or -errno with @err where a point could not be run, or
 * -EINTR where @stop asked for the end.
 */
int engine_probe_run(const struct engine_probe *probe, const struct run_target *target,
		     struct stop *stop, struct io_count issued[], char *reason, size_t reason_size,
		     struct error *err);

#endif
