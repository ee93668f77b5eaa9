/* The summary, first part: ORION's lines under ORION's labels. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/units.h"
#include "report_private.h"

#include <string.h>

#define FIRST_BUCKET_NS (32 * NS_PER_US)
#define FOLDED_END_US	(UINT64_C(1) << 28) /* where ORION's last row ends */

static void write_levels(const char *label, const struct level_list *levels, FILE *out)
{
	fputs(label, out);
	for (unsigned i = 0; i < levels->count; i++)
		fprintf(out, ",%7u", levels->value[i]);
	putc('\n', out);
}

static const char *io_types(const struct run_info *run)
{
	bool streams = run->large_type == LARGE_SEQ;

	if (!run->has_large)
		return "small random IOs";
	if (!run->has_small)
		return streams ? "large sequential streams" : "large random IOs";
	return streams ? "small random IOs, large sequential streams"
		       : "small random IOs, large random IOs";
}

/* 0: not known */
static void write_sizes(const struct run_info *run, FILE *out)
{
	if (run->small_bytes > 0)
		fprintf(out, "Small IO size: %.10g KB\n",
			(double)run->small_bytes / (double)BYTES_KIB);
	if (run->large_bytes > 0)
		fprintf(out, "Large IO size: %.10g KB\n",
			(double)run->large_bytes / (double)BYTES_KIB);
}

static void write_layout(const struct run_info *run, FILE *out)
{
	fprintf(out, "Sequential stream pattern: %s\n",
		run->layout == LAYOUT_RAID0 ? "RAID-0 striping for all streams"
					    : "one LUN per stream");
}

static void write_settings(const struct run_info *run, FILE *out)
{
	bool own = run->source.program == NULL;

	fputs("These options enable these settings:\nTest: ", out);
	report_put_name(out, run->testname);
	putc('\n', out);
	write_sizes(run, out);
	if (!(run->unknown & SETTING_LARGE_TYPE) || !run->has_large)
		fprintf(out, "IO types: %s\n", io_types(run));
	if (run->has_large && !(run->unknown & SETTING_SIMULATE))
		write_layout(run, out);
	if (run->has_large && run->large_type == LARGE_SEQ && run->stream_ios > 0)
		fprintf(out, "Number of concurrent IOs per stream: %u\n", run->stream_ios);
	if (!(run->unknown & SETTING_WRITE_PCT))
		fprintf(out, "Writes: %u%%\n", run->write_pct);
	if (run->cache_given)
		fprintf(out, "Cache size: %.10g MB\n",
			(double)run->cache_bytes / (double)BYTES_MIB);
	else if (own)
		fputs("Cache size: not specified\n", out);
	if (own || run->duration_ns > 0)
		fprintf(out, "Duration for each data point: %.10g seconds\n",
			(double)run->duration_ns / (double)NS_PER_S);
	write_levels("Small Columns:", &run->small_levels, out);
	write_levels("Large Columns:", &run->large_levels, out);
	if (own || run->total_points > 0)
		fprintf(out, "Total Data Points: %zu\n", run->total_points);
}

static void write_luns(const struct results *results, FILE *out)
{
	for (size_t i = 0; i < results->lun_count; i++) {
		fputs("Name: ", out);
		report_put_name(out, results->luns[i].path);
		fprintf(out, "\tSize: %ju\n", (uintmax_t)results->luns[i].size_bytes);
	}
	if (results->lun_count > 0 || !results_foreign(results))
		fprintf(out, "%zu files found.\n", results->lun_count);
}

static const struct class_result *small_class(const struct point_result *point, enum io_dir dir)
{
	int load = point_load(&point->point, "small");

	return load >= 0 ? &point->classes[load][dir] : NULL;
}

static void write_latency(const struct results *results, const struct best_value *best,
			  enum io_dir dir, FILE *out)
{
	const struct point_result *point = results_point(results, best->point);
	const struct class_result *class = point != NULL ? small_class(point, dir) : NULL;
	const double us = (double)NS_PER_US;

	if (class == NULL || !class_knows(class, CLASS_MEAN) || !class_knows(class, CLASS_SPREAD))
		return;
	fprintf(out, "Small %s Latency: avg=%.3f us, min=%.3f us, max=%.3f us, std dev=%.3f us ",
		dir == IO_READ ? "Read" : "Write", class->latency.mean_ns / us,
		(double)class->latency.min_ns / us, (double)class->latency.max_ns / us,
		class->latency.stddev_ns / us);
	fprintf(out, "@ Small=%u and Large=%u\n", best->small, best->large);
}

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

static bool has_histogram(const struct point_result *point)
{
	const struct class_result *reads = small_class(point, IO_READ);
	const struct class_result *writes = small_class(point, IO_WRITE);

	return reads != NULL && !((reads->unknown | writes->unknown) & (CLASS_IOS | CLASS_HIST));
}

/* another program's buckets may be wider than a row */
static uint64_t row_end_us(const struct results *results, const struct point_result *point,
			   uint64_t upper_us)
{
	uint64_t reads_ns =
		hist_row_end(results, small_class(point, IO_READ), upper_us * NS_PER_US);

	return hist_row_end(results, small_class(point, IO_WRITE), reads_ns) / NS_PER_US;
}

/* the rows double from 32 us up to the last that has an I/O; ORION folds the empty rest into one */
static void write_histogram(const struct results *results, const struct best_value *best, FILE *out)
{
	const struct point_result *point = results_point(results, best->point);
	struct hist_column columns[IO_DIRS];
	uint64_t lower_us = 0;
	uint64_t upper_us = FIRST_BUCKET_NS / NS_PER_US;

	if (point == NULL || !has_histogram(point))
		return;
	for (unsigned dir = 0; dir < IO_DIRS; dir++)
		hist_column_init(&columns[dir], results, small_class(point, dir));
	fprintf(out, "Small Read / Write Latency Histogram @ Small=%u and Large=%u\n", best->small,
		best->large);
	fprintf(out, "%16s%40s%26s\n", "Latency:", "# of IOs (read)", "# of IOs (write)");
	while (columns[IO_READ].pending || columns[IO_WRITE].pending) {
		upper_us = row_end_us(results, point, upper_us);
		write_row(columns, lower_us, upper_us, out);
		lower_us = upper_us;
		upper_us *= 2;
	}
	if (lower_us < FOLDED_END_US)
		write_row(columns, lower_us, FOLDED_END_US, out);
}

static void write_best(const struct results *results, FILE *out)
{
	const struct best_value *mbps = &results->best.max_mbps;
	const struct best_value *iops = &results->best.max_iops;
	const struct best_value *latency = &results->best.min_latency_ns;

	if (mbps->known)
		fprintf(out, "\nMaximum Large MBPS=%.2f @ Small=%u and Large=%u\n", mbps->value,
			mbps->small, mbps->large);
	if (iops->known) {
		fprintf(out, "\nMaximum Small IOPS=%.0f @ Small=%u and Large=%u\n", iops->value,
			iops->small, iops->large);
		write_latency(results, iops, IO_READ, out);
		write_latency(results, iops, IO_WRITE, out);
	}
	if (latency->known) {
		fprintf(out, "\nMinimum Small Latency=%.3f usecs @ Small=%u and Large=%u\n",
			latency->value / (double)NS_PER_US, latency->small, latency->large);
		write_latency(results, latency, IO_READ, out);
		write_latency(results, latency, IO_WRITE, out);
		write_histogram(results, latency, out);
	}
}

/* ORION shows the options only; the program's name is one word: "calib" */
static const char *without_program(const char *command_line)
{
	const char *blank = strchr(command_line, ' ');

	return blank != NULL ? blank + 1 : "";
}

int summary_txt_render(const struct results *results, FILE *out)
{
	const struct run_info *run = &results->run;

	fprintf(out, "CALIB VERSION %s\n\n", run->version);
	if (run->command_line != NULL) {
		fputs("Command line:\n", out);
		report_put_name(out, without_program(run->command_line));
		fputs("\n\n", out);
	}
	write_settings(run, out);
	putc('\n', out);
	write_luns(results, out);
	write_best(results, out);
	summary_details(results, out);
	return report_end(out);
}
