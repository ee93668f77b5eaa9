/* Running the plan: the outer loop, a point, its workers. SPDX-License-Identifier: MIT */
#ifndef CALIB_RUN_H
#define CALIB_RUN_H

#include "calib/engine.h"
#include "calib/error.h"
#include "calib/plan.h"
#include "calib/point.h"
#include "calib/results.h"
#include "calib/tally.h"
#include "calib/volume.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct stop - how the outside ends a run
 * @signal:  0, or the signal that asked for it; set before @fd is written
 * @fd:      becomes readable then (an eventfd); -1: nobody asks
 */
struct stop {
	_Atomic int signal;
	int fd;
};

/**
 * struct io_memory - the buffers of a run: one region of memory
 * @base:     aligned to 2 MiB
 * @bytes:    mapped
 * @touched:  from @base on, in memory
 * @reserved: made of reserved huge pages (MAP_HUGETLB)
 */
struct io_memory {
	uint8_t *base;
	size_t bytes;
	size_t touched;
	bool reserved;
};

/** split_bytes - memory that I/Os of several requests take beside their buffers; 0: there are none
 */
uint64_t split_bytes(uint32_t outstanding, uint32_t requests);

/**
 * io_memory_init - map at least @bytes of the best pages that @choice allows
 *
 * auto: reserved huge pages where enough are free, else transparent ones. -ENOMEM with the amount
 * in @err where there is no room, or where @choice cannot be had. io_memory_release() frees.
 */
int io_memory_init(struct io_memory *memory, size_t bytes, enum page_choice choice,
		   struct error *err);
/** io_memory_touch - have the first @bytes in memory before an I/O needs them */
void io_memory_touch(struct io_memory *memory, size_t bytes);
/** io_memory_pages - what was got, as the kernel tells: "huge" "thp" "small" "mixed" */
const char *io_memory_pages(const struct io_memory *memory);
void io_memory_release(struct io_memory *memory);

/**
 * struct run_target - the LUNs and the means of a run: what every point needs
 * @usable_bytes, @fds: one for each LUN
 * @stripe_bytes: 0: the LUNs are joined end to end
 * @threads:  workers asked for; 0: auto, at most @cpus of them where one is the limit
 * @near:     the CPUs for workers, on the LUNs' NUMA node; NULL: wherever this process may run
 * @poll:     see struct engine_config
 * @data_seed: of what is written; another one for each run, or storage that finds equal blocks
 *             would keep a repeat of a run for nothing
 */
struct run_target {
	const struct engine_ops *engine;
	const int *fds;
	const uint64_t *usable_bytes;
	unsigned lun_count;
	uint64_t stripe_bytes;
	unsigned threads;
	unsigned cpus;
	const cpu_set_t *near;
	bool poll;
	uint64_t seed;
	uint64_t data_seed;
	struct io_memory *memory;
};

/** struct live - what a running point shows while it runs */
struct live {
	bool measuring; /* past the ramp */
	bool filling;	/* before it: the cache is filled, with @filled_bytes so far */
	uint64_t filled_bytes;
	double elapsed_s, point_s; /* of this point, ramp included */
	uint64_t ios;		   /* of all classes in the last tick */
	uint64_t bytes;
	double seconds; /* length of the last tick */
	double mean_ns;
};

/**
 * struct observer - told what happens; every member may be NULL
 * @ready: asked right before the first I/O of a point and of what fills a cache before it, with all
 *         set up that takes time; an answer below 0, with @err set, ends the run before that I/O
 */
struct observer {
	void *arg;
	void (*point_started)(void *arg, const struct results *results, const struct point *point);
	int (*ready)(void *arg, struct error *err);
	void (*tick)(void *arg, const struct live *live);
	void (*point_ended)(void *arg, const struct results *results,
			    const struct point_result *point);
	void (*warned)(void *arg, const struct warning *warning);
};

/**
 * run_worker_count - how many workers a point gets
 *
 * One unless more are asked for by @threads (0: not asked), or the engine holds less than the
 * @requests that are outstanding at once; never more than the @units, slots or streams, that there
 * are to deal out.
 */
unsigned run_worker_count(const struct engine_ops *engine, unsigned threads, unsigned requests,
			  unsigned units);

/** trial_ns - how long a trial takes before points of @duration_ns: a twentieth, 1 to 30 ms */
uint64_t trial_ns(uint64_t duration_ns);

/**
 * run_try_threads - whether so many workers can be started at once; they end again
 *
 * -errno with the limits in @err: found out before the first point rather than at the largest.
 * From then on the whole process has one malloc arena (mallopt(3), M_ARENA_MAX): workers
 * allocate in their set-up only, and an arena for each would reserve 64 MiB of address space.
 */
int run_try_threads(unsigned count, struct error *err);

/**
 * point_run - run one point: ramp, measured window, drain
 * @measure:  gets what was measured; measure_release() frees
 * @issued:   one for each LUN: what was sent is added
 * @status:   POINT_INTERRUPTED where @stop ended it early, POINT_FAILED where a LUN was dropped
 *
 * Answers -errno with @err where a worker or its engine could not be started, or broke down: then
 * the point has no result; what was issued is counted all the same.
 */
int point_run(const struct run_target *target, const struct point *point, struct stop *stop,
	      const struct observer *observer, struct measure *measure, struct io_count issued[],
	      enum point_status *status, struct error *err);

/**
 * calibrate - run the plan to its end, to the first point that cannot be run, or to @stop
 * @results:  luns[].issued grows by what is sent, every point is added; run.status, .signal are set
 *
 * Answers 0, or -errno with @err where a point could not be run: the points before stand in
 * @results. -ENOBUFS: there was no memory to keep what a point measured. -ECANCELED: the observer
 * was not ready; no other failure has this code.
 */
int calibrate(struct plan *plan, const struct run_target *target, struct stop *stop,
	      const struct observer *observer, struct results *results, struct error *err);

#endif
