/* How one point is run: set up the workers, ramp, measure, drain, merge. SPDX-License-Identifier:
 * MIT */
#include "calib/clock.h"
#include "calib/units.h"
#include "run_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define TICK_NS UINT64_C(250000000)
/* An early end lies this far ahead, so that every worker has seen it when it comes. */
#define EARLY_END_NS UINT64_C(10000000)

/*
 * struct running - what the main thread keeps while the workers run
 * @stopped: the stop came while there was something left to measure
 * @told: a stop or a broken worker was seen: the end has been moved
 * @cpu_*: of the process, at the start of the window, then over it
 */
struct running {
	struct point_shared shared;
	struct worker *workers;
	unsigned worker_count;
	unsigned started, finished;
	struct stop *stop;
	const struct observer *observer;
	bool stopped, told;
	bool cpu_started, cpu_ended;
	uint64_t cpu_user_ns, cpu_system_ns;
	uint64_t begun_ns;
	uint64_t last_tick_ns;
	struct live_sums last;
};

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * NS_PER_S + (uint64_t)tv.tv_usec * NS_PER_US;
}

static void cpu_now(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	*user_ns = timeval_ns(usage.ru_utime);
	*system_ns = timeval_ns(usage.ru_stime);
}

/* What its outstanding I/Os come to; one that is split counts by its parts. */
static unsigned point_requests(const struct point_shared *shared)
{
	unsigned requests = 0;

	for (unsigned i = 0; i < shared->point->load_count; i++)
		requests += load_outstanding(&shared->point->loads[i]) *
			    shared->volumes[i]->extents_max;
	return requests;
}

unsigned run_worker_count(const struct engine_ops *engine, unsigned threads, unsigned requests,
			  unsigned units)
{
	const unsigned least = (requests + engine->max_depth - 1) / engine->max_depth;
	unsigned count = threads > 0 ? threads : 1;

	if (count < least)
		count = least;
	return count < units ? count : units;
}

static unsigned choose_workers(const struct point_shared *shared)
{
	const struct run_target *target = shared->target;

	return run_worker_count(target->engine, target->threads, point_requests(shared),
				point_units(shared));
}

static void shared_release(struct point_shared *shared)
{
	for (unsigned i = 0; i < POINT_LOADS_MAX; i++) {
		if (shared->volumes[i])
			volume_release(shared->volumes[i]);
		free(shared->volumes[i]);
		free(shared->streams[i]);
	}
	free(shared->health);
	free(shared->payload_pool);
	if (shared->done_fd >= 0)
		close(shared->done_fd);
	for (unsigned i = 0; i < TALLIES_MAX; i++)
		pthread_mutex_destroy(&shared->takes[i]);
	pthread_mutex_destroy(&shared->lock);
	pthread_cond_destroy(&shared->changed);
}

static int load_init(struct point_shared *shared, unsigned index)
{
	const struct run_target *target = shared->target;
	const struct load *load = &shared->point->loads[index];
	struct random random;
	int code;

	shared->volumes[index] = calloc(1, sizeof(*shared->volumes[index]));
	if (!shared->volumes[index])
		return -ENOMEM;
	code = volume_init(shared->volumes[index], target->usable_bytes, target->lun_count,
			   load->bytes, target->stripe_bytes);
	if (code < 0)
		return code;
	if (load->pattern == PATTERN_RANDOM)
		return 0;
	shared->streams[index] = calloc(load->level, sizeof(*shared->streams[index]));
	if (!shared->streams[index])
		return -ENOMEM;
	/* Workers have the sequences from 0 on; the streams' starts one that no worker has. */
	random_seed(&random, target->seed,
		    ((uint64_t)shared->point->number << 16) + 0xffff - index);
	streams_init(shared->streams[index], load->level, load_write_streams(load),
		     shared->volumes[index]->blocks, &random);
	return 0;
}

/* Random data for the writes; where nothing writes there is none. */
static int payload_pool_init(struct point_shared *shared)
{
	const struct point *point = shared->point;
	struct random random;

	for (unsigned i = 0; i < point->load_count; i++)
		shared->writes |= load_has(&point->loads[i], IO_WRITE);
	if (!shared->writes)
		return 0;
	shared->payload_pool = malloc(PAYLOAD_POOL_BYTES);
	if (!shared->payload_pool)
		return -ENOMEM;
	random_seed(&random, shared->target->data_seed, 0);
	shared->payload_base = random_next(&random);
	random_fill(&random, shared->payload_pool, PAYLOAD_POOL_BYTES);
	return 0;
}

static int shared_init(struct point_shared *shared, const struct run_target *target,
		       const struct point *point, struct error *err)
{
	int code = 0;

	*shared = (struct point_shared){
		.target = target,
		.point = point,
		.ios_left = (int64_t)point->ios_most,
		.picky = point->ios_most > 0,
	};
	for (unsigned i = 0; i < TALLIES_MAX; i++)
		pthread_mutex_init(&shared->takes[i], NULL);
	pthread_mutex_init(&shared->lock, NULL);
	pthread_cond_init(&shared->changed, NULL);
	shared->interval_ns = series_interval_ns(point->duration_ns);
	shared->interval_count =
		(unsigned)((point->duration_ns + shared->interval_ns - 1) / shared->interval_ns);
	shared->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (shared->done_fd < 0)
		code = -errno;
	shared->health = calloc(target->lun_count, sizeof(*shared->health));
	if (code == 0 && !shared->health)
		code = -ENOMEM;
	for (unsigned i = 0; code == 0 && i < point->load_count; i++)
		code = load_init(shared, i);
	if (code == 0)
		code = payload_pool_init(shared);
	if (code < 0)
		error_set(err, code, "cannot set up the point small=%u large=%u", point->small,
			  point->large);
	return code;
}

static bool all_ready(struct point_shared *shared, unsigned count)
{
	bool ready;

	pthread_mutex_lock(&shared->lock);
	while (shared->ready < count && !shared->broken)
		pthread_cond_wait(&shared->changed, &shared->lock);
	ready = !shared->broken;
	pthread_mutex_unlock(&shared->lock);
	return ready;
}

/* All workers are set up: publish the window and let them go. */
static void open_gate(struct running *running)
{
	struct point_shared *shared = &running->shared;
	uint64_t start;

	running->begun_ns = clock_now_ns();
	running->last_tick_ns = running->begun_ns;
	start = running->begun_ns + shared->point->ramp_ns;
	atomic_store(&shared->window.start_ns, start);
	atomic_store(&shared->window.end_ns, start + shared->point->duration_ns);
	pthread_mutex_lock(&shared->lock);
	shared->go = true;
	pthread_cond_broadcast(&shared->changed);
	pthread_mutex_unlock(&shared->lock);
}

/* Signals are for the main thread: a handler in a worker would be measured. */
static int create_workers(struct running *running)
{
	sigset_t all, before;
	int code = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (code == 0 && running->started < running->worker_count) {
		code = thread_start(&running->workers[running->started], running->started,
				    running->worker_count);
		if (code == 0)
			running->started++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

static int start_workers(struct running *running, struct error *err)
{
	struct point_shared *shared = &running->shared;
	int code = create_workers(running);

	if (code < 0) {
		pthread_mutex_lock(&shared->lock);
		shared->broken = true;
		pthread_cond_broadcast(&shared->changed);
		pthread_mutex_unlock(&shared->lock);
		return threads_error(code, running->started + 1, running->worker_count, err);
	}
	if (!all_ready(shared, running->worker_count)) {
		*err = shared->err;
		return err->code;
	}
	open_gate(running);
	return 0;
}

static struct live_sums live_sums(const struct running *running)
{
	struct live_sums sums = {0};

	for (unsigned i = 0; i < running->started; i++) {
		struct worker_live *live = &running->workers[i].live;

		sums.ios += atomic_load_explicit(&live->ios, memory_order_relaxed);
		sums.bytes += atomic_load_explicit(&live->bytes, memory_order_relaxed);
		sums.sum_ns += atomic_load_explicit(&live->sum_ns, memory_order_relaxed);
	}
	return sums;
}

static void tick(struct running *running, uint64_t now)
{
	const struct point *point = running->shared.point;
	struct live_sums sums = live_sums(running);
	uint64_t ios = sums.ios - running->last.ios;
	struct live live = {
		.measuring = now >= atomic_load(&running->shared.window.start_ns),
		.elapsed_s = (double)(now - running->begun_ns) / (double)NS_PER_S,
		.point_s = (double)(point->ramp_ns + point->duration_ns) / (double)NS_PER_S,
		.ios = ios,
		.bytes = sums.bytes - running->last.bytes,
		.seconds = (double)(now - running->last_tick_ns) / (double)NS_PER_S,
		.mean_ns = ios > 0 ? (double)(sums.sum_ns - running->last.sum_ns) / (double)ios : 0,
	};

	running->last = sums;
	running->last_tick_ns = now;
	if (running->observer->tick)
		running->observer->tick(running->observer->arg, &live);
}

/* CPU time of the window: sampled as this thread passes its start and its end. */
static void sample_cpu(struct running *running, uint64_t now)
{
	uint64_t user_ns, system_ns;

	if (!running->cpu_started && now >= atomic_load(&running->shared.window.start_ns)) {
		running->cpu_started = true;
		cpu_now(&running->cpu_user_ns, &running->cpu_system_ns);
	} else if (running->cpu_started && !running->cpu_ended &&
		   now >= atomic_load(&running->shared.window.end_ns)) {
		running->cpu_ended = true;
		cpu_now(&user_ns, &system_ns);
		running->cpu_user_ns = user_ns - running->cpu_user_ns;
		running->cpu_system_ns = system_ns - running->cpu_system_ns;
	}
}

/* Move the end to a moment that is still to come; false where it comes sooner by itself. */
static bool end_early(struct running *running)
{
	struct window *window = &running->shared.window;
	uint64_t planned = atomic_load(&window->end_ns);
	uint64_t end;

	do {
		end = clock_now_ns() + EARLY_END_NS;
		if (end >= planned) {
			atomic_store(&window->end_ns, planned);
			return false;
		}
		atomic_store_explicit(&window->end_ns, end, memory_order_release);
	} while (clock_now_ns() >= end); /* this thread lost its CPU in between: again */
	return true;
}

static bool workers_done(struct running *running)
{
	uint64_t count = 0;
	ssize_t got = read(running->shared.done_fd, &count, sizeof(count));

	if (got == (ssize_t)sizeof(count))
		running->finished += (unsigned)count;
	return running->finished == running->started;
}

/* How long the main thread may sleep: to the next tick, or to an edge of the window. */
static int sleep_ms(const struct running *running, uint64_t now)
{
	uint64_t start = atomic_load(&running->shared.window.start_ns);
	uint64_t end = atomic_load(&running->shared.window.end_ns);
	uint64_t until = running->last_tick_ns + TICK_NS;

	if (now < start && start < until)
		until = start;
	if (now < end && end < until)
		until = end;
	return until <= now ? 0 : (int)((until - now + NS_PER_MS - 1) / NS_PER_MS);
}

static bool is_broken(struct point_shared *shared)
{
	bool broken;

	pthread_mutex_lock(&shared->lock);
	broken = shared->broken;
	pthread_mutex_unlock(&shared->lock);
	return broken;
}

/* A request to stop, or a worker that lost its engine, ends the point for all. */
static void look_for_end(struct running *running)
{
	if (running->told)
		return;
	if (stop_asked(running->stop)) {
		running->told = true;
		running->stopped = end_early(running);
	} else if (running->finished > 0 && is_broken(&running->shared)) {
		running->told = true;
		end_early(running);
	}
}

/* Watch the point to its end: ticks, the window's edges, a request to stop, workers that end. */
static void watch(struct running *running)
{
	struct pollfd fds[2] = {
		{.fd = running->shared.done_fd, .events = POLLIN},
		{.fd = running->stop ? running->stop->fd : -1, .events = POLLIN},
	};

	while (!workers_done(running)) {
		uint64_t now = clock_now_ns();

		sample_cpu(running, now);
		look_for_end(running);
		if (running->told)
			fds[1].fd = -1; /* it stays readable */
		if (now >= running->last_tick_ns + TICK_NS)
			tick(running, now);
		poll(fds, 2, sleep_ms(running, now));
	}
}

static void join_workers(struct running *running)
{
	for (unsigned i = 0; i < running->started; i++)
		pthread_join(running->workers[i].thread, NULL);
}

/* The window as it was: shorter where every slot retired, or where a stop came. */
static void settle_window(struct running *running, struct measure *measure)
{
	struct window *window = &running->shared.window;
	uint64_t now = clock_now_ns();

	measure->start_ns = atomic_load(&window->start_ns);
	measure->end_ns = atomic_load(&window->end_ns);
	if (measure->end_ns > now)
		measure->end_ns = now;
	if (measure->start_ns > measure->end_ns)
		measure->start_ns = measure->end_ns;
	if (running->cpu_started && !running->cpu_ended)
		sample_cpu(running, UINT64_MAX);
	measure->cpu_user_ns = running->cpu_ended ? running->cpu_user_ns : 0;
	measure->cpu_system_ns = running->cpu_ended ? running->cpu_system_ns : 0;
}

static void collect(struct running *running, struct measure *measure, struct io_count issued[],
		    enum point_status *status)
{
	settle_window(running, measure);
	workers_merge(running->workers, running->worker_count, measure);
	measure_count_issued(measure, running->shared.point, issued);
	*status = POINT_OK;
	if (atomic_load(&running->shared.any_dropped))
		*status = POINT_FAILED;
	if (running->stopped)
		*status = POINT_INTERRUPTED;
}

static int run_workers(struct running *running, struct measure *measure, struct io_count issued[],
		       enum point_status *status, struct error *err)
{
	int code;

	running->workers = workers_new(&running->shared, running->worker_count, err);
	if (!running->workers)
		return err->code;
	code = start_workers(running, err);
	if (code == 0)
		watch(running);
	join_workers(running);
	if (code == 0) {
		collect(running, measure, issued, status);
		if (running->shared.broken) {
			*err = running->shared.err;
			code = err->code;
		}
	}
	workers_free(running->workers, running->worker_count);
	return code;
}

int point_run(const struct run_target *target, const struct point *point, struct stop *stop,
	      const struct observer *observer, struct measure *measure, struct io_count issued[],
	      enum point_status *status, struct error *err)
{
	struct running running = {.stop = stop, .observer = observer};
	int code;

	*measure = (struct measure){0};
	code = shared_init(&running.shared, target, point, err);
	if (code == 0) {
		io_memory_touch(target->memory, point_buffer_bytes(point));
		running.worker_count = choose_workers(&running.shared);
		running.shared.worker_count = running.worker_count;
		measure->lun_count = target->lun_count;
		measure->interval_count = running.shared.interval_count;
		measure->interval_ns = running.shared.interval_ns;
		measure->threads = running.worker_count;
		if (observer->ready && observer->ready(observer->arg, err) < 0)
			code = -ECANCELED;
	}
	if (code == 0)
		code = run_workers(&running, measure, issued, status, err);
	shared_release(&running.shared);
	return code;
}
