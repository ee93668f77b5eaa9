/* A point's I/Os and buffers, dealt out to its workers. SPDX-License-Identifier: MIT */
#include "run_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t point_buffer_bytes(const struct point *point)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < point->load_count; i++)
		bytes += (size_t)point->loads[i].bytes * load_outstanding(&point->loads[i]);
	return bytes;
}

/*
 * Which worker keeps a slot. One slot each where the engine holds but one I/O. Else random slots go
 * round; and streams, which begin one after the other on the volume, stay beside their neighbours,
 * so that few workers have I/Os on one LUN. @units of them lie in the loads before this one.
 */
static unsigned slot_worker(const struct point_shared *shared, const struct load *load,
			    unsigned slot, unsigned units, unsigned workers)
{
	if (shared->target->engine->max_depth == 1)
		return units + slot;
	if (load->pattern == PATTERN_STREAM && load->level >= workers)
		return (unsigned)((uint64_t)(slot / load->per_level) * workers / load->level);
	return (units + slot / load->per_level) % workers;
}

/* What is dealt out of a load: its slots, or its streams. */
static unsigned load_units(const struct point_shared *shared, const struct load *load)
{
	return shared->target->engine->max_depth == 1 ? load_outstanding(load) : load->level;
}

unsigned point_units(const struct point_shared *shared)
{
	unsigned units = 0;

	for (unsigned i = 0; i < shared->point->load_count; i++)
		units += load_units(shared, &shared->point->loads[i]);
	return units;
}

/*
 * The loads with the largest I/Os first, so that those lie whole in huge pages. Sizes are multiples
 * of the logical block, so every buffer is aligned to it, as direct I/O wants.
 */
static unsigned loads_by_size(const struct point *point, unsigned order[POINT_LOADS_MAX])
{
	for (unsigned i = 0; i < point->load_count; i++) {
		unsigned at = i;

		for (; at > 0 && point->loads[order[at - 1]].bytes < point->loads[i].bytes; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return point->load_count;
}

static void count_slots(const struct point_shared *shared, struct worker workers[], unsigned count)
{
	unsigned order[POINT_LOADS_MAX];
	unsigned loads = loads_by_size(shared->point, order);
	unsigned units = 0;

	for (unsigned i = 0; i < loads; i++) {
		const struct load *load = &shared->point->loads[order[i]];

		for (unsigned slot = 0; slot < load_outstanding(load); slot++) {
			struct worker *worker =
				&workers[slot_worker(shared, load, slot, units, count)];

			worker->depth++;
			worker->requests += shared->volumes[order[i]]->extents_max;
		}
		units += load_units(shared, load);
	}
}

/* For the whole point, unless a random load both reads and writes: then for each I/O. */
static enum io_dir slot_dir(const struct load *load, const struct stream *stream)
{
	if (stream)
		return stream->dir;
	return load_has(load, IO_READ) ? IO_READ : IO_WRITE;
}

/* The same walk again, now with memory for the I/Os. */
static int deal_slots(struct point_shared *shared, struct worker workers[], unsigned count)
{
	unsigned order[POINT_LOADS_MAX];
	unsigned loads = loads_by_size(shared->point, order);
	uint8_t *buffer = shared->target->memory->base;
	unsigned units = 0;
	int code = 0;

	for (unsigned i = 0; i < count; i++)
		workers[i].depth = 0;
	for (unsigned i = 0; i < loads; i++) {
		const struct load *load = &shared->point->loads[order[i]];
		struct stream *streams = shared->streams[order[i]];

		for (unsigned slot = 0; slot < load_outstanding(load); slot++) {
			unsigned at = slot_worker(shared, load, slot, units, count);
			struct worker *worker = &workers[at];
			struct stream *stream = streams ? &streams[slot / load->per_level] : NULL;

			worker->ios[worker->depth++] = (struct io){
				.buffer = buffer,
				.bytes = load->bytes,
				.rw_flags = load->rw_flags,
				.load = order[i],
				.dir = slot_dir(load, stream),
				.source = stream,
			};
			buffer += load->bytes;
		}
		units += load_units(shared, load);
	}
	for (unsigned i = 0; code == 0 && i < count; i++)
		code = split_new(&workers[i]);
	return code;
}

static int new_tallies(struct worker *worker)
{
	const struct point_shared *shared = worker->shared;

	for (unsigned i = 0; i < shared->point->load_count; i++) {
		const struct load *load = &shared->point->loads[i];

		for (unsigned dir = 0; dir < IO_DIRS; dir++) {
			if (!load_has(load, dir))
				continue;
			worker->classes[i][dir] =
				tally_new(shared->target->lun_count, shared->interval_count);
			if (!worker->classes[i][dir])
				return -ENOMEM;
		}
	}
	return 0;
}

/* Those of the first ones go round. */
static int take_tallies(struct point_shared *shared, struct worker workers[], unsigned count,
			unsigned index)
{
	struct worker *worker = &workers[index];
	/* who holds one I/O makes a system call for each */
	unsigned own = shared->target->engine->max_depth == 1 ? TALLIES_MAX : count;
	unsigned place = index % own;

	worker->owns_tallies = index < own;
	if (place + own < count)
		worker->take = &shared->takes[place];
	if (worker->owns_tallies)
		return new_tallies(worker);
	memcpy(worker->classes, workers[place].classes, sizeof(worker->classes));
	return 0;
}

static int worker_alloc(struct worker *worker)
{
	worker->ios = calloc(worker->depth, sizeof(*worker->ios));
	worker->batch = calloc(worker->depth, sizeof(*worker->batch));
	return worker->ios && worker->batch ? 0 : -ENOMEM;
}

struct worker *workers_new(struct point_shared *shared, unsigned count, struct error *err)
{
	const struct point *point = shared->point;
	struct worker *workers = calloc(count, sizeof(*workers));
	int code = workers ? 0 : -ENOMEM;

	if (code == 0)
		count_slots(shared, workers, count);
	for (unsigned i = 0; code == 0 && i < count; i++) {
		workers[i].shared = shared;
		random_seed(&workers[i].random, shared->target->seed,
			    ((uint64_t)point->number << 16) + i);
		payload_init(&workers[i].payload, shared->payload_pool, shared->payload_base,
			     point->number, i);
		code = worker_alloc(&workers[i]);
		if (code == 0)
			code = take_tallies(shared, workers, count, i);
	}
	if (code == 0)
		code = deal_slots(shared, workers, count);
	if (code < 0) {
		error_set(err, code, "cannot set up %u workers", count);
		workers_free(workers, count);
		return NULL;
	}
	return workers;
}

void workers_free(struct worker *workers, unsigned count)
{
	for (unsigned i = 0; workers && i < count; i++) {
		for (unsigned load = 0; workers[i].owns_tallies && load < POINT_LOADS_MAX; load++)
			for (unsigned dir = 0; dir < IO_DIRS; dir++)
				tally_free(workers[i].classes[load][dir]);
		split_free(workers[i].split);
		free(workers[i].ios);
		free(workers[i].batch);
	}
	free(workers);
}
