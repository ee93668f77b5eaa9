/* Every histogram as a table of powers of two. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/units.h"
#include "report_private.h"

#define PERCENT_UNIT 10000u /* four decimals */

/* Cut, not rounded: 100 stands only where all have been seen. */
static void write_percent(const struct hist_column *column, FILE *out)
{
	histogram_wide parts = (histogram_wide)column->seen * 100 * PERCENT_UNIT / column->total;

	fprintf(out, " %7ju.%04u%%\n", (uintmax_t)(parts / PERCENT_UNIT),
		(unsigned)(parts % PERCENT_UNIT));
}

static void write_row(struct hist_column *column, uint64_t lower_us, uint64_t upper_us,
		      uint64_t max_ns, FILE *out)
{
	uint64_t ios = hist_column_row(column, upper_us * NS_PER_US);
	char range[64];

	/* the last bucket of all has no upper end */
	if (!column->pending && max_ns >= upper_us * NS_PER_US)
		snprintf(range, sizeof(range), "[%ju,inf)", (uintmax_t)lower_us);
	else
		snprintf(range, sizeof(range), "[%ju,%ju)", (uintmax_t)lower_us,
			 (uintmax_t)upper_us);
	fprintf(out, "%26s %16ju", range, (uintmax_t)ios);
	write_percent(column, out);
}

static void write_class(const struct results *results, const struct class_result *class,
			const char *name, FILE *out)
{
	struct hist_column column;
	uint64_t lower_us = 0;
	uint64_t upper_us = 1;

	fprintf(out, "%s: %ju I/Os", name, (uintmax_t) class->ios);
	if (!(class->unknown & CLASS_ERRORS))
		fprintf(out, ", %ju errors", (uintmax_t) class->failed);
	putc('\n', out);
	hist_column_init(&column, results, class);
	if (column.pending)
		fprintf(out, "%26s %16s %13s\n", "latency in us", "I/Os", "cumulative");
	while (column.pending) {
		upper_us = hist_row_end(results, class, upper_us * NS_PER_US) / NS_PER_US;
		write_row(&column, lower_us, upper_us, class->latency.max_ns, out);
		lower_us = upper_us;
		upper_us *= 2;
	}
}

static bool is_shown(const struct class_result *class)
{
	return class->present && !(class->unknown & (CLASS_HIST | CLASS_IOS));
}

static bool has_histogram(const struct point_result *point)
{
	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (is_shown(&point->classes[load][dir]))
				return true;
	return false;
}

static void write_point(const struct results *results, const struct point_result *point, FILE *out)
{
	char name[CLASS_NAME_SIZE];

	fprintf(out, "\nPoint %u: Small=%u and Large=%u, repeat %u, %s\n", point->point.number,
		point->point.small, point->point.large, point->point.repeat,
		point_status_name(point->status));
	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (is_shown(&point->classes[load][dir]))
				write_class(results, &point->classes[load][dir],
					    report_class_name(name, &point->point.loads[load], dir),
					    out);
}

int hist_txt_render(const struct results *results, FILE *out)
{
	fprintf(out, "CALIB VERSION %s\n\nTest: ", results->run.version);
	report_put_name(out, results->run.testname);
	fputs("\nI/Os by latency: [a,b) holds those of a microseconds and more, but less than b.\n",
	      out);
	for (size_t i = 0; i < results->point_count; i++)
		if (has_histogram(&results->points[i]))
			write_point(results, &results->points[i], out);
	return report_end(out);
}
