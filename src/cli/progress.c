/* The live line on stderr, and a line for each point. SPDX-License-Identifier: MIT */
#include "calib/progress.h"

#include "calib/clock.h"
#include "calib/units.h"

#include <string.h>
#include <unistd.h>

void progress_init(struct progress *progress, FILE *out, bool quiet)
{
	*progress = (struct progress){
		.out = out,
		.quiet = quiet,
		.live = !quiet && isatty(fileno(out)),
	};
}

void progress_clear(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", progress->out);
	progress->drawn = false;
	fflush(progress->out);
}

/* ORION counts the empty point first, where the plan has one. */
static unsigned empty_points(const struct run_info *run)
{
	return run->total_points > run->run_points / run->repeat;
}

void progress_point_started(struct progress *progress, const struct results *results,
			    const struct point *point, uint64_t filling_ns)
{
	progress->point = *point;
	progress->run_points = results->run.run_points;
	progress->end_ns =
		clock_now_ns() + filling_ns +
		(progress->run_points - point->number + 1) * (point->ramp_ns + point->duration_ns);
	if (!progress->orion_out)
		return;
	/* as ORION prints them */
	fprintf(progress->orion_out, "Running point: Small=%u, Large=%u\n", point->small,
		point->large);
	fprintf(progress->orion_out, "Point %u out of %zu\n",
		point->number + empty_points(&results->run),
		results->run.run_points + empty_points(&results->run));
	fflush(progress->orion_out);
}

/* What the figures are those of, unless of the measured time. */
static const char *stage(const struct live *live, char *out, size_t size)
{
	char filled[32];

	if (live->measuring && !live->filling)
		return "";
	if (!live->filling)
		return " (ramp)";
	snprintf(out, size, " (filling the cache: %s)",
		 units_format_bytes(filled, sizeof(filled), live->filled_bytes));
	return out;
}

void progress_tick(struct progress *progress, const struct live *live)
{
	uint64_t now = clock_now_ns();
	char left[32], filling[64];

	if (!progress->live)
		return;
	units_format_time(left, sizeof(left), now < progress->end_ns ? progress->end_ns - now : 0);
	fprintf(progress->out,
		"\r\033[K%u/%zu small=%u large=%u%s %.0f IOPS %.1f MBPS %.1f us, left %s",
		progress->point.number, progress->run_points, progress->point.small,
		progress->point.large, stage(live, filling, sizeof(filling)),
		live->seconds > 0 ? (double)live->ios / live->seconds : 0,
		live->seconds > 0 ? (double)live->bytes / live->seconds / (double)BYTES_MIB : 0,
		live->mean_ns / 1e3, left);
	progress->drawn = true;
	fflush(progress->out);
}

void progress_point_ended(struct progress *progress, const struct results *results,
			  const struct point_result *point)
{
	if (progress->quiet)
		return;
	progress_clear(progress);
	fprintf(progress->out, "point %u of %zu: small=%u large=%u:", point->point.number,
		results->run.run_points, point->point.small, point->point.large);
	if (point->point.small > 0)
		fprintf(progress->out, " %.0f IOPS, mean %.2f us", point_small_iops(point),
			point_small_latency_ns(point) / 1e3);
	if (point->point.large > 0)
		fprintf(progress->out, "%s %.2f MBPS", point->point.small > 0 ? "," : "",
			point_large_mbps(point));
	if (point->status != POINT_OK)
		fprintf(progress->out, " (%s)", point_status_name(point->status));
	fputc('\n', progress->out);
	fflush(progress->out);
}

void progress_warning(struct progress *progress, const struct warning *warning)
{
	progress_clear(progress);
	fprintf(progress->out, "calib: %s: %s\n",
		warning->severity == SEVERITY_SUSPECT ? "warning" : "note", warning->text);
	fflush(progress->out);
}
