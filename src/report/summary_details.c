/* The summary, second part: what ORION does not tell. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "calib/units.h"
#include "report_private.h"

#include <string.h>

static const char *const dir_name[IO_DIRS] = {"read", "write"};

/* the point that the run had come to: one that was broken off, or else the next */
static size_t point_reached(const struct results *results)
{
	const struct point_result *last;

	if (results->point_count == 0)
		return 1;
	last = &results->points[results->point_count - 1];
	if (last->status == POINT_INTERRUPTED || last->point.number >= results->run.run_points)
		return last->point.number;
	return last->point.number + 1;
}

static void write_status(const struct results *results, FILE *out)
{
	const struct run_info *run = &results->run;
	const char *name = run->signal > 0 ? sigabbrev_np(run->signal) : NULL;

	fprintf(out, "Status: %s", run_status_name(run->status));
	if (name != NULL)
		fprintf(out, " by SIG%s", name);
	else if (run->signal > 0)
		fprintf(out, " by signal %d", run->signal);
	if (run->status != RUN_COMPLETE && !results_foreign(results))
		fprintf(out, " at point %zu of %s%zu", point_reached(results),
			run->run == RUN_BASIC ? "at most " : "", run->run_points);
	putc('\n', out);
}

static void write_host(const struct host_info *host, FILE *out)
{
	char memory[32];

	fputs("Host: ", out);
	report_put_name(out, host->hostname[0] != '\0' ? host->hostname : "(no name)");
	if (host->kernel[0] != '\0') {
		fputs(", ", out);
		report_put_name(out, host->kernel);
	}
	if (host->cpus > 0)
		fprintf(out, ", %u CPU%s", host->cpus, host->cpus == 1 ? "" : "s");
	if (host->cpu[0] != '\0') {
		fputs(" (", out);
		report_put_name(out, host->cpu);
		putc(')', out);
	}
	if (host->memory_bytes > 0)
		fprintf(out, ", %s of memory",
			units_format_bytes(memory, sizeof(memory), host->memory_bytes));
	putc('\n', out);
}

/* What of its own runs calib tells in a line each is not known here, nor what ORION's MB are. */
static void write_source(const struct results *results, FILE *out)
{
	const struct source *source = &results->run.source;

	write_status(results, out);
	fputs("Source: ", out);
	report_put_name(out, source->program);
	if (source->version != NULL) {
		putc(' ', out);
		report_put_name(out, source->version);
	}
	for (size_t i = 0; i < source->file_count; i++) {
		fputs(i == 0 ? ", from " : ", ", out);
		report_put_name(out, source->files[i]);
	}
	putc('\n', out);
}

static void write_run(const struct results *results, FILE *out)
{
	const struct run_info *run = &results->run;

	write_status(results, out);
	fputs("Engine: ", out);
	report_put_name(out, run->engine != NULL ? run->engine : "none");
	if (run->engine_reason != NULL) {
		fputs(" (", out);
		report_put_name(out, run->engine_reason);
		putc(')', out);
	}
	fprintf(out, "\nSeed: %ju\n", (uintmax_t)run->seed);
	write_host(&run->host, out);
	if (run->buffer_pages[0] != '\0')
		fprintf(out, "I/O buffers in pages: %s\n", run->buffer_pages);
	if (run->cache_fill_ns > 0)
		fprintf(out, "Cache filled before each point with streams for: %.10g s\n",
			(double)run->cache_fill_ns / (double)NS_PER_S);
	fputs("Units: MBPS is 2^20 bytes a second; latency is from submission to the moment the "
	      "completion was seen\n",
	      out);
	if (run->repeat > 1)
		fprintf(out,
			"Repeats: %u; figures are medians of the good ones, latency details are of "
			"the repeat in the middle\n",
			run->repeat);
}

static void write_percentiles(const struct latency *latency, FILE *out)
{
	for (unsigned i = 0; i < PCT_COUNT; i++)
		fprintf(out, "%sp%g=%.3f us%s", i == 0 ? "" : ", ", percentile_value[i],
			(double)latency->pct_ns[i] / (double)NS_PER_US,
			latency->few >> i & 1 ? "*" : "");
	putc('\n', out);
}

static unsigned write_load(const struct load *load, const struct class_result classes[IO_DIRS],
			   FILE *out)
{
	double kept = 0;
	unsigned few = 0;

	for (unsigned dir = 0; dir < IO_DIRS; dir++) {
		kept += classes[dir].outstanding_mean;
		if (classes[dir].ios == 0)
			continue;
		fprintf(out, "  %s %ss: ", load->name, dir_name[dir]);
		write_percentiles(&classes[dir].latency, out);
		few |= classes[dir].latency.few;
	}
	fprintf(out, "  %s outstanding: %u asked, %.2f kept on average\n", load->name,
		load_outstanding(load), kept);
	return few;
}

static unsigned write_best_point(const struct results *results, const char *label,
				 const struct best_value *best, FILE *out)
{
	const struct point_result *point = results_point(results, best->point);
	unsigned few = 0;

	if (!best->known || point == NULL)
		return 0;
	fprintf(out, "At %s (Small=%u and Large=%u):\n", label, best->small, best->large);
	for (unsigned i = 0; i < point->point.load_count; i++)
		few |= write_load(&point->point.loads[i], point->classes[i], out);
	return few;
}

static void write_best_points(const struct results *results, FILE *out)
{
	const struct best *best = &results->best;
	unsigned few;

	if (!best->max_mbps.known && !best->max_iops.known)
		return;
	putc('\n', out);
	few = write_best_point(results, "Maximum Large MBPS", &best->max_mbps, out);
	few |= write_best_point(results, "Maximum Small IOPS", &best->max_iops, out);
	few |= write_best_point(results, "Minimum Small Latency", &best->min_latency_ns, out);
	if (few != 0)
		fputs("  * from too few I/Os to be sure of it\n", out);
}

/**
 * struct class_errors - the errors of one class over all points
 */
struct class_errors {
	char load[LOAD_NAME_SIZE];
	struct error_count errors[IO_DIRS][ERROR_KINDS_MAX];
};

static void add_errors(struct error_count sum[ERROR_KINDS_MAX], const struct results *results,
		       struct slice slice)
{
	for (size_t i = 0; i < slice.count; i++) {
		const struct error_count *error = &results->errors[slice.at + i];

		tally_count_error(sum, error->code, error->count);
	}
}

/* the entry of a load's name; with more names than entries, the last one's */
static struct class_errors *find_errors(struct class_errors classes[POINT_LOADS_MAX],
					const char *load)
{
	unsigned i = 0;

	while (i < POINT_LOADS_MAX - 1 && classes[i].load[0] != '\0' &&
	       strcmp(classes[i].load, load) != 0)
		i++;
	if (classes[i].load[0] == '\0')
		memcpy(classes[i].load, load, LOAD_NAME_SIZE);
	return &classes[i];
}

static void collect_errors(const struct results *results,
			   struct class_errors classes[POINT_LOADS_MAX])
{
	for (size_t i = 0; i < results->point_count; i++) {
		const struct point_result *point = &results->points[i];

		for (unsigned load = 0; load < point->point.load_count; load++) {
			struct class_errors *sum =
				find_errors(classes, point->point.loads[load].name);

			for (unsigned dir = 0; dir < IO_DIRS; dir++)
				add_errors(sum->errors[dir], results,
					   point->classes[load][dir].errors);
		}
	}
}

static void write_class_errors(const struct class_errors *class, unsigned dir, FILE *out)
{
	const struct error_count *errors = class->errors[dir];
	char name[32];

	if (errors[0].code == 0)
		return;
	fprintf(out, "  %s %ss: ", class->load, dir_name[dir]);
	for (unsigned i = 0; i < ERROR_KINDS_MAX && errors[i].code != 0; i++)
		fprintf(out, "%s%ju %s", i == 0 ? "" : ", ", (uintmax_t)errors[i].count,
			error_code_name(errors[i].code, name, sizeof(name)));
	putc('\n', out);
}

static void write_errors(const struct results *results, FILE *out)
{
	struct class_errors classes[POINT_LOADS_MAX] = {0};

	if (results_failed_ios(results) == 0)
		return;
	fputs("\nI/Os that failed:\n", out);
	collect_errors(results, classes);
	for (unsigned i = 0; i < POINT_LOADS_MAX; i++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			write_class_errors(&classes[i], dir, out);
}

/* NULL: it is not known */
static void write_issued(const struct io_count *issued, FILE *out)
{
	if (issued == NULL) {
		fputs("not known", out);
		return;
	}
	fprintf(out, "%ju reads, %ju bytes", (uintmax_t)issued->reads,
		(uintmax_t)issued->read_bytes);
	if (issued->writes > 0)
		fprintf(out, "; %ju writes, %ju bytes", (uintmax_t)issued->writes,
			(uintmax_t)issued->write_bytes);
}

static void write_kernel(const struct kernel_count *kernel, FILE *out)
{
	if (!kernel->known)
		return;
	fprintf(out, "; counted by the kernel: %ju reads, %ju merged, %ju sectors",
		(uintmax_t)kernel->read_ios, (uintmax_t)kernel->read_merges,
		(uintmax_t)kernel->read_sectors);
	if (kernel->write_ios > 0 || kernel->write_sectors > 0)
		fprintf(out, "; %ju writes, %ju merged, %ju sectors", (uintmax_t)kernel->write_ios,
			(uintmax_t)kernel->write_merges, (uintmax_t)kernel->write_sectors);
}

static void write_luns(const struct results *results, FILE *out)
{
	struct io_count sum;
	bool known = results_issued(results, &sum);

	fputs("\nI/Os sent to the LUNs, the unmeasured ones too (a sector is 512 bytes):\n", out);
	for (size_t i = 0; i < results->lun_count; i++) {
		const struct lun_info *lun = &results->luns[i];

		fputs("  ", out);
		report_put_name(out, lun->path);
		fputs(": ", out);
		write_issued(lun->issued_known ? &lun->issued : NULL, out);
		write_kernel(&lun->kernel, out);
		putc('\n', out);
	}
	if (results->lun_count > 1) {
		fputs("  in all: ", out);
		write_issued(known ? &sum : NULL, out);
		putc('\n', out);
	}
}

static void write_failed_points(const struct results *results, FILE *out)
{
	const char *before = "\nPoints that failed, so not in the matrices:\n";

	for (size_t i = 0; i < results->point_count; i++) {
		const struct point_result *point = &results->points[i];

		if (point->status != POINT_FAILED)
			continue;
		fprintf(out, "%s  point %u: Small=%u and Large=%u", before, point->point.number,
			point->point.small, point->point.large);
		if (results->run.repeat > 1)
			fprintf(out, ", repeat %u", point->point.repeat);
		putc('\n', out);
		before = "";
	}
}

static void write_warnings_of(const struct results *results, enum severity severity, FILE *out)
{
	for (size_t i = 0; i < results->warning_count; i++) {
		const struct warning *warning = &results->warnings[i];
		const struct point_result *point = results_point(results, warning->point);

		if (warning->severity != severity)
			continue;
		fprintf(out, "  %s: ", severity_name(severity));
		report_put_name(out, warning->text);
		if (point != NULL)
			fprintf(out, " @ Small=%u and Large=%u", point->point.small,
				point->point.large);
		putc('\n', out);
	}
}

static void write_warnings(const struct results *results, FILE *out)
{
	if (results->warning_count == 0)
		return;
	fputs("\nWarnings:\n", out);
	write_warnings_of(results, SEVERITY_SUSPECT, out);
	write_warnings_of(results, SEVERITY_NOTE, out);
}

/* ORION has it for small I/Os only. */
static void write_large_histogram(const struct results *results, FILE *out)
{
	if (!results->best.max_mbps.known)
		return;
	putc('\n', out);
	summary_histogram(results, &results->best.max_mbps, "large", out);
}

void summary_details(const struct results *results, FILE *out)
{
	putc('\n', out);
	if (results_foreign(results)) {
		write_source(results, out);
	} else {
		write_run(results, out);
		write_best_points(results, out);
		write_large_histogram(results, out);
		write_errors(results, out);
		write_luns(results, out);
	}
	write_failed_points(results, out);
	write_warnings(results, out);
}
