/* The summary's latencies at one point, as ORION prints them. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "report_private.h"

#include <ctype.h>

#define FIRST_BUCKET_NS (32 * NS_PER_US)

static double column_pct(const struct hist_column *column)
{
	return column->total == 0 ? 0.0 : 100.0 * (double)column->seen / (double)column->total;
}

static void write_row(struct hist_column columns[IO_DIRS], uint64_t lower_us, uint64_t upper_us,
		      FILE *out)
{
	uint64_t reads = hist_column_row(&columns[IO_READ], upper_us * NS_PER_US);
	uint64_t writes = hist_column_row(&columns[IO_WRITE], upper_us * NS_PER_US);

	fprintf(out, "%9ju - %-10ju us:%16ju (%6.2f%%)%15ju (%6.2f%%)\n", (uintmax_t)lower_us,
		(uintmax_t)upper_us, (uintmax_t)reads, column_pct(&columns[IO_READ]),
		(uintmax_t)writes, column_pct(&columns[IO_WRITE]));
}

static bool has_histogram(const struct class_result classes[IO_DIRS])
{
	return !((classes[IO_READ].unknown | classes[IO_WRITE].unknown) & (CLASS_IOS | CLASS_HIST));
}

/* another program's buckets may be wider than a row */
static uint64_t row_end_us(const struct results *results,
			   const struct class_result classes[IO_DIRS], uint64_t upper_us)
{
	uint64_t reads_ns = hist_row_end(results, &classes[IO_READ], upper_us * NS_PER_US);

	return hist_row_end(results, &classes[IO_WRITE], reads_ns) / NS_PER_US;
}

/* the rows double from 32 us up to the last that has an I/O; ORION folds the empty rest into one */
static void write_rows(const struct results *results, const struct class_result classes[IO_DIRS],
		       FILE *out)
{
	struct hist_column columns[IO_DIRS];
	uint64_t lower_us = 0;
	uint64_t upper_us = FIRST_BUCKET_NS / NS_PER_US;

	for (unsigned dir = 0; dir < IO_DIRS; dir++)
		hist_column_init(&columns[dir], results, &classes[dir]);
	while (columns[IO_READ].pending || columns[IO_WRITE].pending) {
		upper_us = row_end_us(results, classes, upper_us);
		write_row(columns, lower_us, upper_us, out);
		lower_us = upper_us;
		upper_us *= 2;
	}
	if (lower_us < ORION_LAST_END_US)
		write_row(columns, lower_us, ORION_LAST_END_US, out);
}

void summary_histogram(const struct results *results, const struct best_value *best,
		       const char *name, FILE *out)
{
	const struct point_result *point = results_point(results, best->point);
	int load = point != NULL ? point_load(&point->point, name) : -1;

	if (load < 0 || !has_histogram(point->classes[load]))
		return;
	fprintf(out, "%c%s Read / Write Latency Histogram @ Small=%u and Large=%u\n",
		toupper((unsigned char)name[0]), name + 1, best->small, best->large);
	fprintf(out, "%16s%40s%26s\n", "Latency:", "# of IOs (read)", "# of IOs (write)");
	write_rows(results, point->classes[load], out);
}
