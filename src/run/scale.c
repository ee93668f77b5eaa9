/* How many workers a point needs, tried before it. SPDX-License-Identifier: MIT */
#include "run_private.h"

#define BUSY   0.90 /* of its time not asleep: the worker is the limit */
#define WORTH  1.10 /* more I/Os that twice the workers must bring */
#define ROUNDS 3

/* Other places and other data than those of the point, which a cache may keep. */
#define OTHER UINT64_C(0x7363616c65)

/* what the trials before one point share */
struct trials {
	struct run_target target;
	struct point point;
	struct stop *stop;
	const struct observer observer;
	struct io_count *issued;
	struct error *err;
};

/* What one trial showed; @rate 0: nothing. */
struct trial {
	double rate;
	double busy;
};

static uint64_t moved_ios(const struct measure *measure)
{
	uint64_t ios = 0;

	for (unsigned load = 0; load < POINT_LOADS_MAX; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (measure->classes[load][dir])
				ios += measure->classes[load][dir]->latency.total;
	return ios;
}

/* -errno only where the run must end; what else is wrong the point itself will tell. */
static int try_workers(struct trials *trials, unsigned workers, struct trial *trial)
{
	struct measure measure;
	enum point_status status;
	struct error err = {0};
	int code;

	*trial = (struct trial){0};
	trials->target.threads = workers;
	trials->target.seed++;
	trials->target.data_seed++;
	code = point_run(&trials->target, &trials->point, trials->stop, &trials->observer, &measure,
			 trials->issued, &status, &err);
	if (code == 0 && status == POINT_OK && measure.end_ns > measure.start_ns) {
		trial->rate =
			(double)moved_ios(&measure) / (double)(measure.end_ns - measure.start_ns);
		trial->busy = measure.busiest;
	}
	measure_release(&measure);
	if (code == -ECANCELED)
		*trials->err = err;
	return code == -ECANCELED ? code : 0;
}

/* Whether @more workers bring more than @workers do; @busy: and are the limit again. */
static int compare(struct trials *trials, unsigned workers, unsigned more, bool *worth, bool *busy)
{
	double rates[2][ROUNDS] = {{0}};
	double before;
	unsigned busy_rounds = 0;

	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned side = 0; side < 2 && !stop_asked(trials->stop); side++) {
			struct trial trial;
			int code = try_workers(trials, side ? more : workers, &trial);

			if (code < 0)
				return code;
			rates[side][round] = trial.rate;
			busy_rounds += side && trial.busy >= BUSY;
		}
	before = median(rates[0], ROUNDS);
	*worth = median(rates[1], ROUNDS) >= WORTH * before && before > 0;
	*busy = busy_rounds > ROUNDS / 2;
	return 0;
}

static unsigned workers_most(const struct run_target *target, const struct point *point)
{
	unsigned units = 0;

	for (unsigned i = 0; i < point->load_count; i++)
		units += point->loads[i].level;
	return units < target->cpus ? units : target->cpus;
}

int scale_workers(const struct run_target *target, const struct point *point, struct stop *stop,
		  const struct observer *observer, struct io_count issued[], unsigned *workers,
		  struct error *err)
{
	struct trials trials = {
		.target = *target,
		.point = *point,
		.stop = stop,
		.observer = {.arg = observer->arg, .ready = observer->ready},
		.issued = issued,
		.err = err,
	};
	const unsigned most = workers_most(target, point);
	struct trial first;
	bool worth = true, busy;
	int code;

	*workers = target->threads;
	if (target->threads > 0 || target->engine->max_depth == 1 || most < 2)
		return 0;
	*workers = 1;
	trials.target.seed ^= OTHER;
	trials.target.data_seed ^= OTHER + point->number;
	trials.point.ramp_ns = 0;
	trials.point.duration_ns = trial_ns(point->duration_ns);
	code = try_workers(&trials, 1, &first);
	busy = first.busy >= BUSY;
	while (code == 0 && busy && worth && *workers < most && !stop_asked(stop)) {
		unsigned more = *workers * 2 < most ? *workers * 2 : most;

		code = compare(&trials, *workers, more, &worth, &busy);
		if (code == 0 && worth)
			*workers = more;
	}
	return code;
}
