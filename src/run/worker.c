/* The hot loop: keeps a worker's I/Os outstanding and records each latency.
 * SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "run_private.h"

#include <errno.h>
#include <unistd.h>

/* How often a slot looks for a block on a LUN that is still in use before it retires. */
#define DROPPED_TRIES 64

/* Completions that are nearer to each other than this come faster than a thread can be woken. */
#define SOON_NS UINT64_C(10000)

/* About what it takes to wake a thread in a virtual machine; and asks that take some 15 us. */
#define WAKE_NS UINT64_C(40000)
#define SPINS	64u

/* Add the time since the last call to the integral of I/Os in flight, within the window only. */
static void account(struct worker *worker, uint64_t now, uint64_t start, uint64_t end)
{
	uint64_t until = now < end ? now : end;
	uint64_t elapsed;

	if (worker->accounted_ns < start)
		worker->accounted_ns = start;
	if (until <= worker->accounted_ns)
		return;
	elapsed = until - worker->accounted_ns;
	worker->accounted_ns = until;
	for (unsigned load = 0; load < worker->shared->point->load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (worker->in_flight[load][dir] > 0)
				worker->in_flight_ns[load][dir] +=
					elapsed * worker->in_flight[load][dir];
}

static void place_io(struct worker *worker, struct io *io)
{
	const struct point_shared *shared = worker->shared;
	const struct load *load = &shared->point->loads[io->load];
	const struct volume *volume = shared->volumes[io->load];
	uint64_t block = io->source ? stream_next(io->source)
				    : random_below(&worker->random, volume->blocks);
	struct place place;

	if (!io->source && load->write_pct > 0 && load->write_pct < 100)
		io->dir = random_below(&worker->random, 100) < load->write_pct ? IO_WRITE : IO_READ;

	if (volume->extents_max > 1) {
		split_place(worker, io, volume, block);
		return;
	}
	place = volume_place(volume, block);
	io->offset = place.offset;
	io->lun = io->file = place.lun;
	io->fd = shared->target->fds[place.lun];
}

static bool is_dropped(const struct worker *worker, uint32_t lun)
{
	return atomic_load_explicit(&worker->shared->health[lun].dropped, memory_order_relaxed);
}

static bool on_dropped(const struct worker *worker, const struct io *io)
{
	const struct split_slot *slot = worker->split ? split_slot(worker->split, io) : NULL;

	if (!slot)
		return is_dropped(worker, io->lun);
	for (unsigned i = 0; i < slot->count; i++)
		if (is_dropped(worker, slot->parts[i].io.lun))
			return true;
	return false;
}

/* A block on LUNs that are still in use; false where none was found: the slot retires. */
static bool place_beside_dropped(struct worker *worker, struct io *io)
{
	for (unsigned i = 0; i < DROPPED_TRIES; i++) {
		place_io(worker, io);
		if (!on_dropped(worker, io))
			return true;
	}
	return false;
}

/* False where the point's I/Os are counted, and all of them are taken: the slot retires. */
static bool take_one(struct point_shared *shared)
{
	return shared->point->ios_most == 0 || atomic_fetch_sub(&shared->ios_left, 1) > 0;
}

/* Give each I/O of the batch its next place; answers how many are left (slots may retire). */
static unsigned place_batch(struct worker *worker, unsigned count)
{
	unsigned kept = 0;

	if (!atomic_load_explicit(&worker->shared->picky, memory_order_relaxed)) {
		for (unsigned i = 0; i < count; i++)
			place_io(worker, worker->batch[i]);
		return count;
	}
	for (unsigned i = 0; i < count; i++)
		if (take_one(worker->shared) && place_beside_dropped(worker, worker->batch[i]))
			worker->batch[kept++] = worker->batch[i];
	return kept;
}

/* New data for each write, before its time begins. */
static void fill_writes(struct worker *worker, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct io *io = worker->batch[i];

		if (io->dir == IO_WRITE)
			payload_fill(&worker->payload, io->buffer, io->bytes);
	}
}

static int submit_batch(struct worker *worker, unsigned count, uint64_t start, uint64_t end)
{
	uint64_t now;
	int code;

	count = place_batch(worker, count);
	if (count == 0)
		return 0;
	if (worker->shared->writes)
		fill_writes(worker, count);
	now = clock_now_ns();
	account(worker, now, start, end);
	for (unsigned i = 0; i < count; i++) {
		struct io *io = worker->batch[i];

		io->submitted_ns = now;
		worker->in_flight[io->load][io->dir]++;
	}
	code = worker->engine->ops->submit(worker->engine, worker->batch, count);
	if (code == 0)
		worker->in_flight_total += count;
	return code;
}

static void advance_series(struct worker *worker, uint64_t now, uint64_t start)
{
	const struct point_shared *shared = worker->shared;

	if (worker->interval_end_ns == 0)
		worker->interval_end_ns = start + shared->interval_ns;
	while (now >= worker->interval_end_ns && worker->interval + 1 < shared->interval_count) {
		worker->interval++;
		worker->interval_end_ns += shared->interval_ns;
	}
}

/*
 * How many completions to sleep for. One, but where they come every few microseconds the wake-up
 * costs more than the next one takes: then two, of sixteen outstanding and more. That delays one of
 * them by less than SOON_NS, and at 16 on a loop device brings a tenth more I/Os.
 */
static unsigned worth_waking_for(const struct worker *worker)
{
	return worker->soon && worker->in_flight_total >= 16 ? 2 : 1;
}

/*
 * Nor is it worth to sleep where the next one comes sooner than a thread is woken: with 4 to 32
 * outstanding on a loop device, to ask for some microseconds first brings up to twice the I/Os.
 * With fewer the kernel's own threads need the CPU; with more there are always some to take. Not
 * where no CPU would be left for them. That much is known before the run.
 */
static unsigned most_asks(const struct worker *worker)
{
	return worker->depth <= 32 && worker->shared->worker_count < worker->shared->target->cpus
		       ? SPINS
		       : 0;
}

static unsigned worth_asking_for(const struct worker *worker, unsigned most)
{
	return worker->close_by && worker->in_flight_total >= 4 ? most : 0;
}

static void note_pace(struct worker *worker, unsigned count, uint64_t now)
{
	worker->soon = now - worker->reaped_ns < count * SOON_NS;
	worker->close_by = now - worker->reaped_ns < count * WAKE_NS;
	worker->reaped_ns = now;
}

/* Keep all I/Os outstanding until the window ends, then take back what is in flight. */
static int worker_run(struct worker *worker)
{
	const struct engine_ops *ops = worker->engine->ops;
	struct window *window = &worker->shared->window;
	const uint64_t start = atomic_load(&window->start_ns);
	uint64_t end = atomic_load(&window->end_ns);
	const unsigned asks = most_asks(worker);
	unsigned count = worker->depth;

	for (unsigned i = 0; i < worker->depth; i++)
		worker->batch[i] = &worker->ios[i];
	for (;;) {
		int code = submit_batch(worker, count, start, end);
		uint64_t now;

		if (code < 0)
			return code;
		if (worker->in_flight_total == 0)
			return 0;
		worker->engine->spins = worth_asking_for(worker, asks);
		code = ops->reap(worker->engine, worker->batch, worth_waking_for(worker),
				 worker->depth, UINT64_MAX);
		if (code < 0)
			return code;
		count = (unsigned)code;
		now = clock_now_ns();
		end = atomic_load_explicit(&window->end_ns, memory_order_acquire);
		account(worker, now, start, end);
		advance_series(worker, now, start);
		worker_take(worker, count, now, now >= start && now < end);
		note_pace(worker, count, now);
		if (now >= end)
			count = 0;
	}
}

/* After a failed call: nothing may be in flight when the engine closes. */
static void drain(struct worker *worker)
{
	while (worker->in_flight_total > 0) {
		int count = worker->engine->ops->reap(worker->engine, worker->batch, 1,
						      worker->depth, UINT64_MAX);

		if (count <= 0)
			return;
		worker_take(worker, (unsigned)count, clock_now_ns(), false);
	}
}

static void break_point(struct point_shared *shared, const struct error *err)
{
	pthread_mutex_lock(&shared->lock);
	if (!shared->broken)
		shared->err = *err;
	shared->broken = true;
	pthread_cond_broadcast(&shared->changed);
	pthread_mutex_unlock(&shared->lock);
}

/* Wait until every worker is set up; false where one of them could not be. */
static bool pass_gate(struct point_shared *shared)
{
	bool open;

	pthread_mutex_lock(&shared->lock);
	shared->ready++;
	pthread_cond_broadcast(&shared->changed);
	while (!shared->go && !shared->broken)
		pthread_cond_wait(&shared->changed, &shared->lock);
	open = !shared->broken;
	pthread_mutex_unlock(&shared->lock);
	return open;
}

/* All requests at once, or as many of the parts as the engine holds. */
static unsigned engine_depth(const struct worker *worker)
{
	unsigned most = worker->shared->target->engine->max_depth;

	return worker->split && worker->requests > most ? most : worker->requests;
}

static void worker_work(struct worker *worker)
{
	struct point_shared *shared = worker->shared;
	struct error err = {0};
	uint64_t spent, awake;
	const struct engine_config config = {
		.depth = engine_depth(worker),
		.fds = shared->target->fds,
		.fd_count = shared->target->lun_count,
		.buffers = shared->target->memory->base,
		.buffers_bytes = point_buffer_bytes(shared->point),
		.poll = shared->target->poll,
	};

	worker->engine = shared->target->engine->open(&config, &err);
	if (!worker->engine) {
		break_point(shared, &err);
		return;
	}
	if (worker->split)
		worker->engine = split_engine(worker->split, worker->engine, config.depth);
	spent = clock_thread_ns(); /* before the window: it reads a file; to wait is to sleep */
	if (pass_gate(shared)) {
		const uint64_t began = clock_now_ns();
		int code = worker_run(worker);
		const uint64_t took = clock_now_ns() - began;

		awake = clock_thread_ns();
		worker->busy =
			took > 0 && awake > spent ? (double)(awake - spent) / (double)took : 0;
		if (code < 0) {
			error_set(&err, code, "engine '%s' failed", shared->target->engine->name);
			break_point(shared, &err);
			drain(worker);
		}
	}
	worker->engine->ops->close(worker->engine);
}

void *worker_main(void *arg)
{
	struct worker *worker = arg;
	const uint64_t one = 1;

	worker_work(worker);
	while (write(worker->shared->done_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}
