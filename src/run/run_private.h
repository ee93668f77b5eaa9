/* What the files of a point share: its workers and what they have in common.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_RUN_PRIVATE_H
#define CALIB_RUN_PRIVATE_H

#include "calib/engine.h"
#include "calib/pattern.h"
#include "calib/payload.h"
#include "calib/point.h"
#include "calib/random.h"
#include "calib/run.h"
#include "calib/tally.h"
#include "calib/volume.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A LUN is given up for a point after so many failed I/Os in a row, or after so long with nothing
 * but failed ones (spec/calib.md, "A data point").
 */
#define LUN_DROP_FAILURES 1000u
/* the result of what was not handed in after a failed call: it counts on no LUN */
#define NEVER_SENT  (-ECANCELED)
#define LUN_DROP_NS UINT64_C(1000000000)

/**
 * struct lun_health - failures of one LUN, over all workers; written only while I/Os fail
 * @failing_since_ns: when the streak began; 0: there is none
 */
struct lun_health {
	_Atomic uint32_t failures_in_row;
	_Atomic uint64_t failing_since_ns;
	atomic_bool dropped;
};

/**
 * struct window - the measured time, published by the main thread
 *
 * An I/O counts if @start_ns <= the time its completion was seen < @end_ns. The end may be moved
 * to a moment that is still to come; a worker loads it after it has read the clock, so none
 * counts past it.
 */
struct window {
	_Atomic uint64_t start_ns;
	_Atomic uint64_t end_ns;
};

/*
 * So many workers have tallies of their own, of 45 KB for each class and 48 bytes more for each
 * LUN. Only psync, whose workers hold one I/O each, has more of them; these share, and take a lock
 * for each completion: some 20 ns, after a system call and outside the latency.
 */
#define TALLIES_MAX 64u

/**
 * struct point_shared - one running point
 * @volumes:     one address space for each load
 * @streams:     of each stream load; NULL for a random one
 * @writes, @payload_*: whether any load writes, and what: see struct payload
 * @ios_left:    of point.ios_most
 * @picky:       not every I/O is sent: a LUN was dropped, or there is a most
 * @any_failure: set by the first failed I/O: only then do good ones look at lun_health
 * @takes:       locks of the tallies that several workers share; see TALLIES_MAX
 * @ready, @go:  the start gate, under @lock: workers that are set up; main lets them run
 * @broken:      a worker could not start or lost its engine; @err says why (under @lock)
 * @done_fd:     an eventfd; each worker adds 1 as it ends
 */
struct point_shared {
	const struct run_target *target;
	const struct point *point;
	struct window window;
	struct volume *volumes[POINT_LOADS_MAX];
	struct stream *streams[POINT_LOADS_MAX];
	struct lun_health *health;
	bool writes;
	uint64_t *payload_pool;
	uint64_t payload_base;
	_Atomic int64_t ios_left;
	atomic_bool picky;
	atomic_bool any_failure;
	atomic_bool any_dropped;
	unsigned worker_count;
	unsigned interval_count;
	uint64_t interval_ns;
	pthread_mutex_t takes[TALLIES_MAX];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned ready;
	bool go;
	bool broken;
	struct error err;
	int done_fd;
};

/** struct worker_live - what a worker shows while it runs; single writer, relaxed */
struct worker_live {
	_Atomic uint64_t ios;
	_Atomic uint64_t bytes;
	_Atomic uint64_t sum_ns;
};

/** struct live_sums - a plain copy of it */
struct live_sums {
	uint64_t ios;
	uint64_t bytes;
	uint64_t sum_ns;
};

/**
 * struct split_part - the part of an I/O that lies on one LUN
 * @io:      what the engine gets
 * @done_ns: when its completion was seen
 */
struct split_part {
	struct io io;
	struct split_slot *slot;
	uint64_t done_ns;
};

/**
 * struct split_slot - an I/O of a worker that goes to several LUNs
 * @count: parts of the I/O that is in flight or has just come back; 0: it is never split
 * @left:  of them in flight
 */
struct split_slot {
	struct io *whole;
	struct split_part *parts;
	unsigned count;
	unsigned left;
};

struct split;

/**
 * struct worker - one thread with its share of the point's I/Os
 * @ios:       @depth of them; each keeps its load, buffer and stream for the whole point
 * @batch:     what reap gave back, and the next submit hands in
 * @requests:  of the @depth I/Os, those that are split counted by their parts
 * @split:     parts them; NULL where none is
 * @soon, @close_by: the completions of the last batch came fast: see worth_waking_for() and
 *             worth_asking_for()
 * @classes:   its own (@owns_tallies), or those of an earlier worker, under @take
 * @take:      NULL where no other worker has the same
 * @in_flight: for each class; @accounted_ns: up to when they are in @in_flight_ns
 * @interval, @interval_end_ns: of the series
 * @busy:      share of its time, from the gate to its last I/O, that it did not sleep
 */
struct worker {
	struct point_shared *shared;
	pthread_t thread;
	unsigned depth;
	struct io *ios;
	struct io **batch;
	unsigned requests;
	struct split *split;
	struct engine *engine;
	struct random random;
	struct payload payload;
	struct tally *classes[POINT_LOADS_MAX][IO_DIRS];
	bool owns_tallies;
	pthread_mutex_t *take;
	uint32_t in_flight[POINT_LOADS_MAX][IO_DIRS];
	uint64_t in_flight_ns[POINT_LOADS_MAX][IO_DIRS];
	uint32_t in_flight_total;
	uint64_t accounted_ns;
	uint64_t reaped_ns;
	bool soon, close_by;
	unsigned interval;
	uint64_t interval_end_ns;
	double busy;
	struct io_failure first_failure;
	struct live_sums shown;
	struct worker_live live;
};

static inline bool stop_asked(const struct stop *stop)
{
	return stop && atomic_load(&stop->signal) != 0;
}

/**
 * struct filled - what was moved before a point to fill a cache, and how long that took
 * @dropped: a LUN was given up, and nothing more was moved to it
 */
struct filled {
	uint64_t bytes;
	uint64_t ns;
	uint64_t failed_ios;
	bool dropped;
	struct io_failure first_failure;
};

/**
 * cache_fill - unmeasured random I/O, where @before asks for it
 * @issued: grows by it
 *
 * A stop ends it early, and 0 is answered: who asked for it looks whether to go on. -errno with
 * @err as of point_run().
 */
int cache_fill(const struct run_target *target, const struct point *before, struct stop *stop,
	       const struct observer *observer, struct io_count issued[], struct filled *filled,
	       struct error *err);

/** split_new - what a worker with I/Os larger than a stripe needs; 0 or -ENOMEM. split_free() frees
 */
int split_new(struct worker *worker);
void split_free(struct split *split);

/** split_engine - an engine of whole I/Os on top of @inner, which holds @depth requests; to be used
 * and closed in its place */
struct engine *split_engine(struct split *split, struct engine *inner, unsigned depth);

/** split_slot - the parts of one of the worker's I/Os; NULL where it is not split */
const struct split_slot *split_slot(const struct split *split, const struct io *io);

/** split_place - place the parts of an I/O whose volume has blocks on several LUNs */
void split_place(struct worker *worker, struct io *io, const struct volume *volume, uint64_t block);

/** median - the upper one of an even @count, at least 1; sorts @values */
double median(double values[], unsigned count);

/**
 * scale_workers - how many workers a point needs where -threads is "auto"
 * @observer: its ready() is asked before each trial; told nothing else
 * @issued:   grows by what the trials send
 * @workers:  target.threads where that is set, or nothing can be tried; else one, unless one is the
 * limit: awake nearly all the time in a short trial of the point, and twice as many do at least
 * 10 % more; and so on, up to target.cpus
 *
 * A trial that fails decides nothing: the point will tell. 0, or -ECANCELED as of point_run().
 */
int scale_workers(const struct run_target *target, const struct point *point, struct stop *stop,
		  const struct observer *observer, struct io_count issued[], unsigned *workers,
		  struct error *err);

/** worker_main - thread function: @arg is a struct worker whose set-up is complete */
void *worker_main(void *arg);

/** worker_take - count the first @count I/Os of the batch, which came back at @now */
void worker_take(struct worker *worker, unsigned count, uint64_t now, bool measuring);

/** thread_start - give worker @index of so many its thread; 0 or -errno. With few I/Os it is kept
 * on one CPU where that is possible */
int thread_start(struct worker *worker, unsigned index, unsigned workers);

/** threads_error - worker @number, from 1, could not be started; answers @code */
int threads_error(int code, unsigned number, unsigned count, struct error *err);

/** workers_new - the workers of a point, slots dealt out; NULL with @err set. workers_free() frees
 */
struct worker *workers_new(struct point_shared *shared, unsigned count, struct error *err);
void workers_free(struct worker *workers, unsigned count);

/** workers_merge - add up all workers' tallies in @measure, which takes them over; the earliest
 * failure is its first */
void workers_merge(struct worker *workers, unsigned count, struct measure *measure);

/** measure_count_issued - add what was sent to each LUN: ramp, window and drain */
void measure_count_issued(const struct measure *measure, const struct point *point,
			  struct io_count issued[]);

/** point_units - what can be dealt out to workers: random slots and whole streams */
unsigned point_units(const struct point_shared *shared);

/** point_buffer_bytes - the part of the run's memory that a point's I/Os use */
size_t point_buffer_bytes(const struct point *point);

#endif
