/* Engines compared on the storage itself, before the first point. SPDX-License-Identifier: MIT */
#include "calib/engine_probe.h"

#include "calib/clock.h"
#include "calib/units.h"
#include "run_private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 5

#define SOONER	   1.10	       /* at one outstanding */
#define NO_SLOWER  0.97	       /* at the top */
#define NO_MATTER  (NS_PER_MS) /* the costliest way costs some 25 us: of this 10 % are more */
#define TOP_ROUNDS 5
#define KEPT	   0.90 /* of what should be outstanding, or an engine is not fit for it */

/* Other places than those of the points, which a cache may keep. */
#define OTHER UINT64_C(0x70726f6265)

/* what the rounds share */
struct rounds {
	const struct engine_probe *probe;
	const struct run_target *target;
	struct stop *stop;
	struct io_count *issued;
	uint32_t number;
	struct error *err;
};

bool engine_is_better(const struct engine_figures *before, const struct engine_figures *other)
{
	if (before->one_ns <= 0 || other->one_ns <= 0 || other->one_ns * SOONER > before->one_ns)
		return false;
	if (before->top_rate <= 0 && other->top_rate <= 0) /* no need to measure either */
		return true;
	return other->top_rate > 0 && other->top_rate >= NO_SLOWER * before->top_rate;
}

static struct point probe_point(struct rounds *rounds, uint32_t outstanding)
{
	struct point point = {
		.number = ++rounds->number,
		.repeat = 1,
		.small = outstanding,
		.load_count = 1,
		.duration_ns = rounds->probe->slice_ns,
	};
	struct load *load = &point.loads[0];

	strcpy(load->name, "probe");
	load->pattern = PATTERN_RANDOM;
	load->bytes = rounds->probe->bytes;
	load->level = outstanding;
	load->per_level = 1;
	return point;
}

static double figure_of(const struct measure *measure, uint32_t outstanding)
{
	const struct tally *tally = measure->classes[0][IO_READ];
	double seconds = (double)(measure->end_ns - measure->start_ns) / (double)NS_PER_S;

	if (!tally || tally->latency.total == 0 || seconds <= 0)
		return 0;
	/* threads without a CPU keep nothing outstanding: a rate at another load */
	if ((double)tally->in_flight_ns <
	    KEPT * outstanding * (double)(measure->end_ns - measure->start_ns))
		return 0;
	return outstanding == 1 ? histogram_mean_ns(&tally->latency)
				: (double)tally->latency.total / seconds;
}

/* As many as a run could come to: an engine that has threads of its own in the kernel would else be
 * compared with one that has a single CPU. */
static unsigned workers_of(const struct run_target *target, uint32_t outstanding)
{
	if (outstanding == 1 || target->threads > 0)
		return target->threads;
	return target->cpus < outstanding ? target->cpus : outstanding;
}

/*
 * One slice: @figure gets the mean latency of one at a time, else the rate. 0 where it could not be
 * measured: what is wrong will be told by the first point.
 */
static int measure_slice(struct rounds *rounds, const struct engine_ops *engine, unsigned lun,
			 uint32_t outstanding, double *figure)
{
	const struct observer nobody = {0};
	const struct point point = probe_point(rounds, outstanding);
	struct run_target target = *rounds->target;
	enum point_status status;
	struct measure measure;
	struct error err = {0};
	int code;

	target.engine = engine;
	target.fds += lun;
	target.usable_bytes += lun;
	target.lun_count = 1;
	target.stripe_bytes = 0;
	target.threads = workers_of(rounds->target, outstanding);
	target.seed ^= OTHER;
	code = point_run(&target, &point, rounds->stop, &nobody, &measure, &rounds->issued[lun],
			 &status, &err);
	*figure = code == 0 && status == POINT_OK ? figure_of(&measure, outstanding) : 0;
	measure_release(&measure);
	if (stop_asked(rounds->stop))
		return error_say(rounds->err, -EINTR, "stopped before the first point");
	return 0;
}

/* A read that takes a millisecond shows no engine's cost, and what differs is chance. */
static bool is_slow(uint32_t outstanding, double first_ns)
{
	return outstanding == 1 && first_ns > NO_MATTER;
}

/* The engines of @part take turns on one LUN; @medians gets a figure for each that was measured,
 * else 0. */
static int take_turns(struct rounds *rounds, unsigned lun, uint32_t outstanding, unsigned part,
		      unsigned turns, double medians[])
{
	const struct engine_probe *probe = rounds->probe;
	double figures[ENGINES_MAX][ROUNDS] = {{0}};

	for (unsigned turn = 0; turn < turns && !is_slow(outstanding, figures[0][0]); turn++)
		for (unsigned i = 0; i < probe->count && !is_slow(outstanding, figures[0][0]);
		     i++) {
			int code = part & 1u << i ? measure_slice(rounds, probe->engines[i], lun,
								  outstanding, &figures[i][turn])
						  : 0;

			if (code < 0)
				return code;
		}
	for (unsigned i = 0; i < probe->count; i++)
		medians[i] = is_slow(outstanding, figures[0][0]) ? figures[i][0]
								 : median(figures[i], turns);
	return 0;
}

/* The geometric mean over the kinds of storage: each counts alike, however fast it is. 0 where one
 * of them has none. */
static int measure_kinds(struct rounds *rounds, uint32_t outstanding, unsigned part, unsigned turns,
			 double means[ENGINES_MAX])
{
	const struct engine_probe *probe = rounds->probe;
	double medians[ENGINES_MAX] = {0};

	for (unsigned i = 0; i < ENGINES_MAX; i++)
		means[i] = 1;
	for (unsigned kind = 0; kind < probe->lun_count; kind++) {
		int code = take_turns(rounds, probe->luns[kind], outstanding, part, turns, medians);

		if (code < 0)
			return code;
		for (unsigned i = 0; i < probe->count; i++)
			means[i] *= pow(medians[i], 1.0 / probe->lun_count);
	}
	return 0;
}

unsigned engine_pick(const struct engine_figures figures[], unsigned count)
{
	unsigned best = 0;

	for (unsigned i = 1; i < count; i++)
		if (engine_is_better(&figures[best], &figures[i]))
			best = i;
	return best;
}

static void say_figures(const struct engine_probe *probe, const struct engine_figures figures[],
			char *reason, size_t size)
{
	size_t used = 0;

	reason[0] = '\0';
	for (unsigned i = 0; i < probe->count && used < size; i++)
		if (figures[i].one_ns > 0)
			used += (size_t)snprintf(reason + used, size - used, "%s%s %.1f us",
						 used > 0 ? ", " : "for one read at a time ",
						 probe->engines[i]->name, figures[i].one_ns / 1e3);
	if (figures[0].top_rate > 0 && used < size)
		used += (size_t)snprintf(reason + used, size - used,
					 "; reads a second at %u outstanding", probe->top);
	for (unsigned i = 0; i < probe->count && used < size; i++)
		if (figures[i].top_rate > 0)
			used += (size_t)snprintf(reason + used, size - used, "%s %s %.0f",
						 i > 0 ? "," : "", probe->engines[i]->name,
						 figures[i].top_rate);
}

int engine_probe_run(const struct engine_probe *probe, const struct run_target *target,
		     struct stop *stop, struct io_count issued[], char *reason, size_t reason_size,
		     struct error *err)
{
	struct rounds rounds = {
		.probe = probe, .target = target, .stop = stop, .issued = issued, .err = err};
	struct engine_figures figures[ENGINES_MAX] = {{0}};
	double means[ENGINES_MAX];
	unsigned part = 0;
	int code = measure_kinds(&rounds, 1, (1u << probe->count) - 1, ROUNDS, means);

	for (unsigned i = 0; i < probe->count && code == 0; i++) {
		figures[i].one_ns = means[i];
		if (engine_is_better(&figures[0], &figures[i]))
			part |= 1u << i;
	}
	if (code == 0 && part != 0 && probe->top > 1)
		code = measure_kinds(&rounds, probe->top, part | 1, TOP_ROUNDS, means);
	for (unsigned i = 0; i < probe->count && code == 0; i++)
		if (probe->top > 1 && part != 0 && (part | 1) & 1u << i)
			figures[i].top_rate = means[i];
	if (code < 0)
		return code;
	say_figures(probe, figures, reason, reason_size);
	return (int)engine_pick(figures, probe->count);
}
