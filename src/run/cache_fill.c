/* Junk I/O before a large sequential point, so that no array cache answers it.
 * SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "run_private.h"

#include <errno.h>
#include <string.h>

/* Longer than anyone waits: a filling by size ends by its I/Os. */
#define NO_END_NS (UINT64_MAX / 8)

/* Other places and other data than those of the point that follows: the same ones would be hits. */
#define OTHER UINT64_C(0x66696c6c)

/* struct watcher - who is asked and told, of a filling */
struct watcher {
	const struct observer *observer;
	uint64_t bytes;
};

static void tick(void *arg, const struct live *live)
{
	struct watcher *watcher = arg;
	struct live filling = *live;

	watcher->bytes += live->bytes;
	filling.filling = true;
	filling.filled_bytes = watcher->bytes;
	if (watcher->observer->tick)
		watcher->observer->tick(watcher->observer->arg, &filling);
}

static int ready(void *arg, struct error *err)
{
	const struct observer *observer = ((struct watcher *)arg)->observer;

	return observer->ready ? observer->ready(observer->arg, err) : 0;
}

static const struct load *stream_load(const struct point *point)
{
	for (unsigned i = 0; i < point->load_count; i++)
		if (point->loads[i].pattern == PATTERN_STREAM)
			return &point->loads[i];
	return NULL;
}

static bool writes(const struct point *point)
{
	for (unsigned i = 0; i < point->load_count; i++)
		if (load_has(&point->loads[i], IO_WRITE))
			return true;
	return false;
}

/*
 * The filling as a point of its own: random I/Os of the size of the streams'. It reads before what
 * reads and writes before what writes, as a cache may keep both apart; never where @before does
 * not.
 */
static struct point fill_point(const struct point *before)
{
	const struct load *streams = stream_load(before);
	struct point point = {
		.number = before->number,
		.repeat = before->repeat,
		.small = before->small,
		.large = before->large,
		.load_count = 1,
		.duration_ns = before->fill_bytes > 0 ? NO_END_NS : before->fill_ns,
		.ios_most = (before->fill_bytes + streams->bytes - 1) / streams->bytes,
	};
	struct load *load = &point.loads[0];

	*load = *streams;
	strcpy(load->name, "fill");
	load->pattern = PATTERN_RANDOM;
	load->level = cache_fill_outstanding(streams->bytes);
	load->per_level = 1;
	load->write_pct = writes(before) ? streams->write_pct : 0;
	return point;
}

static uint64_t failed_ios(const struct measure *measure)
{
	uint64_t failed = 0;

	for (unsigned dir = 0; dir < IO_DIRS; dir++) {
		const struct tally *tally = measure->classes[0][dir];

		for (unsigned i = 0; tally && i < ERROR_KINDS_MAX; i++)
			failed += tally->errors[i].count;
	}
	return failed;
}

int cache_fill(const struct run_target *target, const struct point *before, struct stop *stop,
	       const struct observer *observer, struct io_count issued[], struct filled *filled,
	       struct error *err)
{
	struct watcher watcher = {.observer = observer};
	const struct observer ticks = {.arg = &watcher, .ready = ready, .tick = tick};
	const uint64_t began = clock_now_ns();
	struct run_target other = *target;
	struct measure measure;
	enum point_status status;
	struct point point;
	int code;

	*filled = (struct filled){0};
	if ((before->fill_bytes == 0 && before->fill_ns == 0) || !stream_load(before))
		return 0;
	point = fill_point(before);
	other.seed ^= OTHER;
	other.data_seed ^= OTHER;
	code = point_run(&other, &point, stop, &ticks, &measure, issued, &status, err);
	filled->ns = clock_now_ns() - began;
	filled->first_failure = measure.first_failure;
	filled->bytes = measure.moved_bytes;
	filled->failed_ios = failed_ios(&measure);
	filled->dropped = code == 0 && status == POINT_FAILED;
	measure_release(&measure);
	if (code < 0 && code != -ECANCELED) /* which is not about the filling */
		return error_wrap(err, "filling the cache");
	return code;
}
