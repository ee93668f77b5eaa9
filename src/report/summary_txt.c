/* The summary, first part: ORION's lines under ORION's labels. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/units.h"
#include "report_private.h"

#include <string.h>

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
	if (run->layout == LAYOUT_RAID0 && run->stripe_bytes > 0)
		fprintf(out, "Stripe depth: %.10g KB\n",
			(double)run->stripe_bytes / (double)BYTES_KIB);
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

static void write_latency(const struct results *results, const struct best_value *best,
			  enum io_dir dir, FILE *out)
{
	const struct point_result *point = results_point(results, best->point);
	int load = point != NULL ? point_load(&point->point, "small") : -1;
	const struct class_result *class = load >= 0 ? &point->classes[load][dir] : NULL;
	const double us = (double)NS_PER_US;

	if (class == NULL || !class_knows(class, CLASS_MEAN) || !class_knows(class, CLASS_SPREAD))
		return;
	fprintf(out, "Small %s Latency: avg=%.3f us, ", dir == IO_READ ? "Read" : "Write",
		class->latency.mean_ns / us);
	if (class_knows(class, CLASS_MIN))
		fprintf(out, "min=%.3f us, ", (double)class->latency.min_ns / us);
	fprintf(out, "max=%.3f us, std dev=%.3f us @ Small=%u and Large=%u\n",
		(double)class->latency.max_ns / us, class->latency.stddev_ns / us, best->small,
		best->large);
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
		/* ORION's at one of the two; at one point one table says it all */
		if (!latency->known || latency->small != iops->small ||
		    latency->large != iops->large)
			summary_histogram(results, iops, "small", out);
	}
	if (latency->known) {
		fprintf(out, "\nMinimum Small Latency=%.3f usecs @ Small=%u and Large=%u\n",
			latency->value / (double)NS_PER_US, latency->small, latency->large);
		write_latency(results, latency, IO_READ, out);
		write_latency(results, latency, IO_WRITE, out);
		summary_histogram(results, latency, "small", out);
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
