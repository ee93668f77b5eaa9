/* The course of a run, line by line: while it goes on, and again from its results.
 * SPDX-License-Identifier: MIT */
#include "calib/file.h"
#include "calib/report.h"
#include "calib/text.h"
#include "calib/units.h"
#include "report_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_header(const struct results *results, FILE *out)
{
	const struct run_info *run = &results->run;
	char time[TIME_SIZE];

	fprintf(out, "CALIB VERSION %s\nCommand line: ", run->version);
	report_put_name(out, run->command_line);
	fputs("\nEngine: ", out);
	report_put_name(out, run->engine != NULL ? run->engine : "none");
	if (run->engine_reason != NULL) {
		fputs(" (", out);
		report_put_name(out, run->engine_reason);
		putc(')', out);
	}
	putc('\n', out);
	for (size_t i = 0; i < results->lun_count; i++) {
		fprintf(out, "LUN %zu: ", i);
		report_put_name(out, results->luns[i].path);
		fprintf(out, ", %s, %ju bytes\n", results->luns[i].is_block ? "block" : "file",
			(uintmax_t)results->luns[i].size_bytes);
	}
	fprintf(out, "%s started\n", report_time(time, results, run->started) != NULL ? time : "-");
}

static void put_class(const struct class_result *class, const char *name, FILE *out)
{
	fprintf(out, " class=%s ios=%ju iops=%.2f mbps=%.2f", name, (uintmax_t) class->ios,
		class->iops, class->mbps);
	if (class->ios > 0)
		fprintf(out, " mean_us=%.3f p99_us=%ju.%03u",
			class->latency.mean_ns / (double)NS_PER_US,
			(uintmax_t)(class->latency.pct_ns[PCT_99] / NS_PER_US),
			(unsigned)(class->latency.pct_ns[PCT_99] % NS_PER_US));
	else
		fputs(" mean_us=- p99_us=-", out);
	fprintf(out, " errors=%ju", (uintmax_t) class->failed);
}

static void put_point(const struct results *results, const struct point_result *point, FILE *out)
{
	const struct point *asked = &point->point;
	char name[CLASS_NAME_SIZE];
	char time[TIME_SIZE];

	fprintf(out, "%s point=%u small=%u large=%u repeat=%u status=%s seconds=%.6f",
		report_time(time, results, point->finished) != NULL ? time : "-", asked->number,
		asked->small, asked->large, asked->repeat, point_status_name(point->status),
		point->seconds);
	if (point->filled_bytes > 0)
		fprintf(out, " filled_bytes=%ju filled_s=%.6f", (uintmax_t)point->filled_bytes,
			point->filled_s);
	for (unsigned load = 0; load < asked->load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (point->classes[load][dir].present)
				put_class(&point->classes[load][dir],
					  report_class_name(name, &asked->loads[load], dir), out);
	putc('\n', out);
}

static void put_warning(const struct results *results, const struct warning *warning, FILE *out)
{
	char time[TIME_SIZE];

	fprintf(out,
		"%s warning=", report_time(time, results, warning->raised) != NULL ? time : "-");
	report_put_name(out, warning->code);
	fprintf(out, " severity=%s", severity_name(warning->severity));
	if (warning->point != WARNING_NO_POINT)
		fprintf(out, " point=%u", warning->point);
	if (warning->lun != WARNING_NO_LUN)
		fprintf(out, " lun=%d", warning->lun);
	fputs(" text=", out);
	report_put_name(out, warning->text);
	putc('\n', out);
}

/* what @results hold beyond @points and @warnings, in the order in which it happened */
static void put_rest(const struct results *results, size_t points, size_t warnings, FILE *out)
{
	for (;;) {
		if (warnings < results->warning_count &&
		    results->warnings[warnings].after <= points)
			put_warning(results, &results->warnings[warnings++], out);
		else if (points < results->point_count)
			put_point(results, &results->points[points++], out);
		else
			return;
	}
}

int trace_txt_render(const struct results *results, FILE *out)
{
	put_header(results, out);
	put_rest(results, 0, 0, out);
	return report_end(out);
}

static int append(struct trace *trace, const struct results *results, bool header)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (out == NULL)
		return -ENOMEM;
	if (header)
		put_header(results, out);
	put_rest(results, trace->points, trace->warnings, out);
	code = report_end(out);
	if (fclose(out) != 0)
		code = -ENOMEM;
	if (code == 0)
		code = file_write_all(trace->fd, text, size);
	free(text);
	trace->points = results->point_count;
	trace->warnings = results->warning_count;
	return code;
}

static int lose(struct trace *trace, int code, struct error *err)
{
	char quoted[sizeof(err->text)];

	trace_close(trace);
	text_quote(quoted, sizeof(quoted), trace->prefix);
	return error_set(err, code, "cannot write '%s_trace.txt'", quoted);
}

int trace_begin(struct trace *trace, const struct results *results, struct error *err)
{
	int code;

	*trace = (struct trace){.fd = report_open_new(results->run.prefix, "trace.txt"),
				.prefix = results->run.prefix};
	trace->made = trace->fd >= 0;
	code = trace->fd < 0 ? trace->fd : append(trace, results, true);
	return code < 0 ? lose(trace, code, err) : 0;
}

int trace_update(struct trace *trace, const struct results *results, struct error *err)
{
	int code;

	if (trace->fd < 0)
		return 0; /* lost, and said so then */
	code = append(trace, results, false);
	return code < 0 ? lose(trace, code, err) : 0;
}

void trace_drop(struct trace *trace)
{
	char *path;

	trace_close(trace);
	if (!trace->made || asprintf(&path, "%s_trace.txt", trace->prefix) < 0)
		return;
	trace->made = false;
	unlink(path);
	free(path);
}

void trace_close(struct trace *trace)
{
	if (trace->fd >= 0)
		close(trace->fd);
	trace->fd = -1;
}
