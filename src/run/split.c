/* I/Os that lie on several LUNs: sent in parts, complete with the last.
 * SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "run_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the io.load of a part, which is no I/O of a load itself. */
#define LOAD_PART POINT_LOADS_MAX

/**
 * struct split - stands between a worker, which knows whole I/Os only, and its engine
 * @engine:    what the worker sees
 * @depth:     requests that @inner holds; more wait in @queue (psync: they go one after the other)
 * @in_engine: requests that it has now
 * @broken:    -errno of a call of @inner that failed: it is handed nothing more
 * @slots:     one for each of the worker's @ios
 * @queue:     requests still to be handed in: [@head, @tail)
 * @back:      what @inner gave back
 */
struct split {
	struct engine engine;
	struct engine *inner;
	unsigned depth, in_engine;
	int broken;
	const struct io *ios;
	struct split_slot *slots;
	struct split_part *parts;
	struct io **queue;
	unsigned head, tail;
	struct io **back;
	struct extent *extents;
};

uint64_t split_bytes(uint32_t outstanding, uint32_t requests)
{
	const uint64_t part = sizeof(struct split_part) + 2 * sizeof(struct io *);

	return requests > outstanding
		       ? outstanding * (uint64_t)sizeof(struct split_slot) + requests * part
		       : 0;
}

static void init_slots(struct split *split, const struct worker *worker)
{
	struct split_part *part = split->parts;

	for (unsigned i = 0; i < worker->depth; i++) {
		const struct volume *volume = worker->shared->volumes[worker->ios[i].load];

		split->slots[i] = (struct split_slot){.whole = &worker->ios[i], .parts = part};
		if (volume->extents_max == 1)
			continue;
		for (unsigned j = 0; j < volume->extents_max; j++)
			*part++ = (struct split_part){
				.io = {.load = LOAD_PART, .rw_flags = worker->ios[i].rw_flags},
				.slot = &split->slots[i],
			};
	}
}

int split_new(struct worker *worker)
{
	struct split *split;

	if (worker->requests == worker->depth)
		return 0;
	split = calloc(1, sizeof(*split));
	worker->split = split;
	if (!split)
		return -ENOMEM;
	split->ios = worker->ios;
	split->slots = calloc(worker->depth, sizeof(*split->slots));
	split->parts = calloc(worker->requests, sizeof(*split->parts));
	split->queue = calloc(worker->requests, sizeof(struct io *));
	split->back = calloc(worker->requests, sizeof(struct io *));
	split->extents = calloc(worker->shared->target->lun_count, sizeof(*split->extents));
	if (!split->slots || !split->parts || !split->queue || !split->back || !split->extents)
		return -ENOMEM;
	init_slots(split, worker);
	return 0;
}

void split_free(struct split *split)
{
	if (!split)
		return;
	free(split->slots);
	free(split->parts);
	free(split->queue);
	free(split->back);
	free(split->extents);
	free(split);
}

const struct split_slot *split_slot(const struct split *split, const struct io *io)
{
	const struct split_slot *slot = &split->slots[io - split->ios];

	return slot->count > 0 ? slot : NULL;
}

/* The parts lie one after the other in the I/O's buffer: which bytes are where, nobody asks. */
void split_place(struct worker *worker, struct io *io, const struct volume *volume, uint64_t block)
{
	struct split *split = worker->split;
	struct split_slot *slot = &split->slots[io - split->ios];
	uint8_t *buffer = io->buffer;

	slot->count = volume_extents(volume, block, split->extents);
	for (unsigned i = 0; i < slot->count; i++) {
		const struct extent *extent = &split->extents[i];
		struct io *part = &slot->parts[i].io;

		part->lun = part->file = extent->lun;
		part->fd = worker->shared->target->fds[extent->lun];
		part->offset = extent->offset;
		part->bytes = extent->bytes;
		part->buffer = buffer;
		buffer += extent->bytes;
	}
	io->lun = io->file = slot->parts[0].io.lun;
	io->offset = slot->parts[0].io.offset;
}

/* Hand in what waits, as far as there is room. */
static int feed(struct split *split)
{
	unsigned room = split->depth - split->in_engine;
	unsigned waiting = split->tail - split->head;
	unsigned count = waiting < room ? waiting : room;
	int code;

	if (count == 0 || split->broken < 0)
		return 0;
	code = split->inner->ops->submit(split->inner, &split->queue[split->head], count);
	if (code < 0) {
		split->broken = code;
		return code;
	}
	split->in_engine += count;
	split->head += count;
	if (split->head == split->tail)
		split->head = split->tail = 0;
	return 0;
}

static void queue_whole(struct split *split, struct io *io)
{
	struct split_slot *slot = &split->slots[io - split->ios];

	slot->left = slot->count;
	for (unsigned i = 0; i < slot->count; i++) {
		slot->parts[i].io.dir = io->dir;
		split->queue[split->tail++] = &slot->parts[i].io;
	}
	if (slot->count == 0)
		split->queue[split->tail++] = io;
}

static int split_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct split *split = (struct split *)engine;
	unsigned waiting = split->tail - split->head;
	int code;

	memmove(split->queue, &split->queue[split->head], waiting * sizeof(struct io *));
	split->head = 0;
	split->tail = waiting;
	for (unsigned i = 0; i < count; i++)
		queue_whole(split, ios[i]);
	code = feed(split);
	if (code < 0)
		split->tail = waiting;
	return code;
}

/* As of one I/O: all bytes, or the first error among the parts. */
static int32_t whole_result(const struct split_slot *slot)
{
	int32_t sum = 0;

	for (unsigned i = 0; i < slot->count; i++) {
		int32_t result = slot->parts[i].io.result;

		if (result < 0)
			return result;
		sum += result;
	}
	return sum;
}

/* Answers the I/O that is complete with this request, or NULL. */
static struct io *completed(struct io *io, uint64_t now)
{
	struct split_part *part;
	struct split_slot *slot;

	if (io->load != LOAD_PART)
		return io;
	part = (struct split_part *)io; /* whose first member it is */
	part->done_ns = now;
	slot = part->slot;
	if (--slot->left > 0)
		return NULL;
	slot->whole->result = whole_result(slot);
	return slot->whole;
}

/* Give back as failed what was never handed in. */
static unsigned cancel_waiting(struct split *split, struct io *done[])
{
	unsigned count = 0;

	for (; split->head < split->tail; split->head++) {
		struct io *io = split->queue[split->head];
		struct io *whole;

		io->result = NEVER_SENT;
		whole = completed(io, clock_now_ns());
		if (whole)
			done[count++] = whole;
	}
	return count;
}

static int take_back(struct split *split, struct io *done[], uint64_t timeout_ns, unsigned *count)
{
	int got = split->inner->ops->reap(split->inner, split->back, 1, split->depth, timeout_ns);
	uint64_t now = clock_now_ns();

	if (got < 0)
		split->broken = got;
	if (got <= 0)
		return got;
	split->in_engine -= (unsigned)got;
	for (int i = 0; i < got; i++) {
		struct io *whole = completed(split->back[i], now);

		if (whole)
			done[(*count)++] = whole;
	}
	return got;
}

/* One I/O is enough, whatever @min says: the parts of others have woken this thread anyway. */
static int split_reap(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		      uint64_t timeout_ns)
{
	struct split *split = (struct split *)engine;
	unsigned count = 0;

	split->inner->spins = engine->spins;
	(void)min;
	(void)max; /* never fewer than the worker's I/Os */
	while (count == 0) {
		int code = feed(split);

		if (code < 0)
			return code;
		if (split->in_engine == 0)
			return (int)cancel_waiting(split, done);
		code = take_back(split, done, timeout_ns, &count);
		if (code <= 0)
			return code;
	}
	return (int)count;
}

static void split_close(struct engine *engine)
{
	struct split *split = (struct split *)engine;

	split->inner->ops->close(split->inner);
}

static const struct engine_ops split_ops = {
	.name = "split",
	.submit = split_submit,
	.reap = split_reap,
	.close = split_close,
};

struct engine *split_engine(struct split *split, struct engine *inner, unsigned depth)
{
	split->engine.ops = &split_ops;
	split->inner = inner;
	split->depth = depth;
	return &split->engine;
}
