/* What the workers of a point counted, as one. SPDX-License-Identifier: MIT */
#include "run_private.h"

/* The first worker's tally becomes the point's, the others' are added to it. */
static void merge_class(struct tally **sum, struct tally **part, const struct measure *measure)
{
	if (!*part)
		return;
	if (*sum) {
		tally_merge(*sum, *part, measure->lun_count, measure->interval_count);
		return;
	}
	*sum = *part;
	*part = NULL;
}

static void merge_failure(struct io_failure *first, const struct io_failure *other)
{
	if (other->code != 0 && (first->code == 0 || other->at_ns < first->at_ns))
		*first = *other;
}

/* What each worker keeps beside the tallies, which it may share. */
static void merge_in_flight(struct measure *measure, const struct worker *worker)
{
	for (unsigned load = 0; load < POINT_LOADS_MAX; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (measure->classes[load][dir])
				measure->classes[load][dir]->in_flight_ns +=
					worker->in_flight_ns[load][dir];
}

void workers_merge(struct worker *workers, unsigned count, struct measure *measure)
{
	for (unsigned i = 0; i < count; i++) {
		for (unsigned load = 0; workers[i].owns_tallies && load < POINT_LOADS_MAX; load++)
			for (unsigned dir = 0; dir < IO_DIRS; dir++)
				merge_class(&measure->classes[load][dir],
					    &workers[i].classes[load][dir], measure);
		merge_in_flight(measure, &workers[i]);
		merge_failure(&measure->first_failure, &workers[i].first_failure);
		if (workers[i].busy > measure->busiest)
			measure->busiest = workers[i].busy;
		measure->moved_bytes += workers[i].shown.bytes;
	}
}

/* Everything that was sent has come back as one of these. */
static void add_sent(const struct tally *tally, unsigned lun, uint32_t io_bytes, uint64_t *ios,
		     uint64_t *bytes)
{
	const struct lun_tally *counts = tally ? &tally->luns[lun] : NULL;
	uint64_t sent;

	if (!counts)
		return;
	sent = counts->ios + counts->errors + counts->unmeasured;
	*ios += sent;
	*bytes += sent * io_bytes - counts->elsewhere_bytes - counts->other_elsewhere_bytes;
}

void measure_count_issued(const struct measure *measure, const struct point *point,
			  struct io_count issued[])
{
	for (unsigned load = 0; load < point->load_count; load++) {
		uint32_t bytes = point->loads[load].bytes;

		for (unsigned lun = 0; lun < measure->lun_count; lun++) {
			struct io_count *count = &issued[lun];

			add_sent(measure->classes[load][IO_READ], lun, bytes, &count->reads,
				 &count->read_bytes);
			add_sent(measure->classes[load][IO_WRITE], lun, bytes, &count->writes,
				 &count->write_bytes);
		}
	}
}
