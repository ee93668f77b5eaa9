/* What I/Os that came back add to a worker's tallies, and to the health of their LUNs.
 * SPDX-License-Identifier: MIT */
#include "run_private.h"

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

static void record_failure(struct worker *worker, const struct io *io, uint64_t now)
{
	struct tally *tally = worker->classes[io->load][io->dir];
	int code = io->result < 0 ? -io->result : ERRNO_SHORT;

	tally_count_error(tally->errors, code, 1);
	tally->luns[io->lun].errors++;
	note_failure(worker, io, now);
	if (worker->first_failure.code == 0)
		worker->first_failure = (struct io_failure){
			.code = code,
			.lun = io->lun,
			.dir = io->dir,
			.bytes = io->bytes,
			.offset = io->offset,
			.at_ns = now,
		};
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

void worker_take(struct worker *worker, unsigned count, uint64_t now, bool measuring)
{
	struct point_shared *shared = worker->shared;
	bool any_failure = atomic_load_explicit(&shared->any_failure, memory_order_relaxed);
	uint64_t good = 0;
	uint64_t bytes = 0;
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < count; i++) {
		struct io *io = worker->batch[i];

		worker->in_flight[io->load][io->dir]--;
		if (io->result != (int32_t)io->bytes) {
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
	worker->in_flight_total -= count;
	show_live(worker, good, bytes, sum_ns);
}
