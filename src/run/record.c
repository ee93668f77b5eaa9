/* What I/Os that came back add to a worker's tallies, and to the health of their LUNs.
 * SPDX-License-Identifier: MIT */
#include "run_private.h"

static bool is_good(const struct io *io)
{
	return io->result == (int32_t)io->bytes;
}

static int failure_code(const struct io *io)
{
	return io->result < 0 ? -io->result : ERRNO_SHORT;
}

static void note_success(struct lun_health *health)
{
	if (atomic_load_explicit(&health->failures_in_row, memory_order_relaxed) == 0)
		return;
	atomic_store(&health->failing_since_ns, 0);
	atomic_store(&health->failures_in_row, 0);
}

static void note_failure(struct worker *worker, const struct io *io, uint64_t now)
{
	struct point_shared *shared = worker->shared;
	struct lun_health *health = &shared->health[io->lun];
	uint32_t in_row = atomic_fetch_add(&health->failures_in_row, 1) + 1;
	uint64_t since = 0;

	atomic_store_explicit(&shared->any_failure, true, memory_order_relaxed);
	/* Of several workers that fail at once one starts the streak; the others see its start. */
	if (atomic_compare_exchange_strong(&health->failing_since_ns, &since, now))
		since = now;
	if (in_row >= LUN_DROP_FAILURES || now >= since + LUN_DROP_NS) {
		atomic_store_explicit(&health->dropped, true, memory_order_relaxed);
		atomic_store_explicit(&shared->any_dropped, true, memory_order_relaxed);
		atomic_store_explicit(&shared->picky, true, memory_order_relaxed);
	}
}

/* What a LUN failed to do: an I/O, or its part of one. */
static void lun_failed(struct worker *worker, struct lun_tally *lun, const struct io *io,
		       uint64_t now)
{
	lun->errors++;
	note_failure(worker, io, now);
	if (worker->first_failure.code == 0)
		worker->first_failure = (struct io_failure){
			.code = failure_code(io),
			.lun = io->lun,
			.dir = io->dir,
			.bytes = io->bytes,
			.offset = io->offset,
			.at_ns = now,
		};
}

/* One that is split fails as one; the parts that did not have measured nothing. */
static void fail_parts(struct worker *worker, const struct split_slot *slot, struct tally *tally,
		       uint64_t now)
{
	for (unsigned i = 0; i < slot->count; i++) {
		const struct io *part = &slot->parts[i].io;
		struct lun_tally *lun = &tally->luns[part->lun];

		if (part->result == NEVER_SENT)
			continue;
		lun->other_elsewhere_bytes += slot->whole->bytes - part->bytes;
		if (is_good(part)) {
			lun->unmeasured++;
			note_success(&worker->shared->health[part->lun]);
		} else {
			lun_failed(worker, lun, part, now);
		}
	}
}

static void record_failure(struct worker *worker, const struct io *io, uint64_t now)
{
	struct tally *tally = worker->classes[io->load][io->dir];
	const struct split_slot *slot = worker->split ? split_slot(worker->split, io) : NULL;

	tally_count_error(tally->errors, failure_code(io), 1);
	if (slot)
		fail_parts(worker, slot, tally, now);
	else if (io->result != NEVER_SENT)
		lun_failed(worker, &tally->luns[io->lun], io, now);
}

static void record_good(struct worker *worker, const struct io *io, uint64_t now)
{
	struct tally *tally = worker->classes[io->load][io->dir];
	struct lun_tally *lun = &tally->luns[io->lun];
	struct series_tally *series = &tally->series[worker->interval];
	uint64_t latency = now - io->submitted_ns;

	histogram_record(&tally->latency, latency);
	lun->ios++;
	lun->sum_ns += latency;
	series->ios++;
	series->sum_ns += latency;
	if (latency > series->max_ns)
		series->max_ns = latency;
}

/*
 * A good I/O that is split has been counted as a whole on the LUN of its first part. That LUN did
 * it sooner and not all of it; the other parts are counted here.
 */
static void record_parts(struct worker *worker, const struct split_slot *slot, uint64_t now,
			 bool measuring)
{
	const struct io *whole = slot->whole;
	struct tally *tally = worker->classes[whole->load][whole->dir];

	for (unsigned i = 0; i < slot->count; i++) {
		const struct split_part *part = &slot->parts[i];
		struct lun_tally *lun = &tally->luns[part->io.lun];
		uint64_t elsewhere = whole->bytes - part->io.bytes;

		if (measuring) {
			lun->ios += i > 0;
			lun->sum_ns += part->done_ns - (i > 0 ? whole->submitted_ns : now);
			lun->elsewhere_bytes += elsewhere;
		} else {
			lun->unmeasured += i > 0;
			lun->other_elsewhere_bytes += elsewhere;
		}
		note_success(&worker->shared->health[part->io.lun]);
	}
}

/* Apart from the loop over all I/Os, which has no time for it. */
static void record_splits(struct worker *worker, unsigned count, uint64_t now, bool measuring)
{
	for (unsigned i = 0; i < count; i++) {
		const struct io *io = worker->batch[i];
		const struct split_slot *slot = split_slot(worker->split, io);

		if (slot && is_good(io))
			record_parts(worker, slot, now, measuring);
	}
}

static void show_live(struct worker *worker, uint64_t ios, uint64_t bytes, uint64_t sum_ns)
{
	struct worker_live *live = &worker->live;

	/* One writer: plain additions, stored so that the main thread may read them at any time. */
	worker->shown.ios += ios;
	worker->shown.bytes += bytes;
	worker->shown.sum_ns += sum_ns;
	atomic_store_explicit(&live->ios, worker->shown.ios, memory_order_relaxed);
	atomic_store_explicit(&live->bytes, worker->shown.bytes, memory_order_relaxed);
	atomic_store_explicit(&live->sum_ns, worker->shown.sum_ns, memory_order_relaxed);
}

static void take_all(struct worker *worker, unsigned count, uint64_t now, bool measuring)
{
	struct point_shared *shared = worker->shared;
	bool any_failure = atomic_load_explicit(&shared->any_failure, memory_order_relaxed);
	uint64_t good = 0;
	uint64_t bytes = 0;
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < count; i++) {
		struct io *io = worker->batch[i];

		worker->in_flight[io->load][io->dir]--;
		if (!is_good(io)) {
			record_failure(worker, io, now);
			continue;
		}
		if (measuring)
			record_good(worker, io, now);
		else
			worker->classes[io->load][io->dir]->luns[io->lun].unmeasured++;
		if (any_failure)
			note_success(&shared->health[io->lun]);
		good++;
		bytes += io->bytes;
		sum_ns += now - io->submitted_ns;
	}
	if (worker->split)
		record_splits(worker, count, now, measuring);
	worker->in_flight_total -= count;
	show_live(worker, good, bytes, sum_ns);
}

void worker_take(struct worker *worker, unsigned count, uint64_t now, bool measuring)
{
	if (worker->take)
		pthread_mutex_lock(worker->take);
	take_all(worker, count, now, measuring);
	if (worker->take)
		pthread_mutex_unlock(worker->take);
}
