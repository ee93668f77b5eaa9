/* One data point as JSON, for results and ledger. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "report_private.h"

#include <errno.h>
#include <string.h>

static void put_errors(struct json_text *text, const struct results *results,
		       const struct class_result *class)
{
	char name[32];

	if (class->unknown & CLASS_ERRORS) {
		json_text_null(text, "errors");
		return;
	}
	json_text_open(text, "errors", '{');
	for (size_t i = 0; i < class->errors.count; i++) {
		const struct error_count *error = &results->errors[class->errors.at + i];

		json_text_count(text, error_code_name(error->code, name, sizeof(name)),
				error->count);
	}
	json_text_close(text, '}');
}

static void put_few(struct json_text *text, const struct latency *latency)
{
	json_text_open(text, "few", '[');
	for (unsigned i = 0; i < PCT_COUNT; i++)
		if (latency->few >> i & 1)
			json_text_string(text, NULL, percentile_name[i]);
	json_text_close(text, ']');
}

static void put_count(struct json_text *text, const char *key, uint64_t value, bool known)
{
	if (known)
		json_text_count(text, key, value);
	else
		json_text_null(text, key);
}

static void put_number(struct json_text *text, const char *key, double value, bool known)
{
	if (known)
		json_text_number(text, key, value);
	else
		json_text_null(text, key);
}

static void put_latency(struct json_text *text, const struct class_result *class)
{
	const struct latency *latency = &class->latency;
	bool mean = class_knows(class, CLASS_MEAN);
	bool min = class_knows(class, CLASS_MIN);
	bool spread = class_knows(class, CLASS_SPREAD);
	bool percentiles = class_knows(class, CLASS_PERCENTILES);

	if (!mean && !min && !spread && !percentiles) {
		json_text_null(text, "lat_ns");
		return;
	}
	json_text_open(text, "lat_ns", '{');
	put_count(text, "min", latency->min_ns, min);
	put_number(text, "mean", latency->mean_ns, mean);
	put_number(text, "stddev", latency->stddev_ns, spread);
	put_count(text, "max", latency->max_ns, spread);
	for (unsigned i = 0; i < PCT_COUNT; i++)
		put_count(text, percentile_name[i], latency->pct_ns[i], percentiles);
	put_few(text, latency);
	json_text_close(text, '}');
}

static void put_edges(struct json_text *text, const struct results *results, struct slice slice)
{
	if (slice.count == 0)
		return;
	json_text_open(text, "hist_edges_ns", '[');
	for (size_t i = 0; i < slice.count; i++)
		json_text_count(text, NULL, results->edges[slice.at + i]);
	json_text_close(text, ']');
}

static void put_histogram(struct json_text *text, const struct results *results,
			  const struct class_result *class)
{
	struct slice slice = class->hist;
	struct bucket bucket = {0};
	size_t position = 0;

	if (class->unknown & CLASS_HIST) {
		json_text_null(text, "hist");
		return;
	}
	json_text_open(text, "hist", '[');
	/* an empty slice may be one of no pool at all */
	while (slice.count > 0 && histogram_unpack_next(results->packed + slice.at, slice.count,
							&position, &bucket) > 0) {
		json_text_open(text, NULL, '[');
		json_text_count(text, NULL, histogram_upper_ns(bucket.index));
		json_text_count(text, NULL, bucket.count);
		json_text_close(text, ']');
	}
	json_text_close(text, ']');
}

/* a mean of nothing is unknown */
static void put_mean(struct json_text *text, double mean_ns, uint64_t ios)
{
	if (ios == 0)
		json_text_null(text, "mean_ns");
	else
		json_text_number(text, "mean_ns", mean_ns);
}

static void put_lun_rows(struct json_text *text, const struct results *results,
			 const struct class_result *class)
{
	struct slice slice = class->luns;

	if (class->unknown & CLASS_LUNS) {
		json_text_null(text, "luns");
		return;
	}
	json_text_open(text, "luns", '[');
	for (size_t i = 0; i < slice.count; i++) {
		const struct lun_row *row = &results->lun_rows[slice.at + i];

		json_text_open(text, NULL, '{');
		json_text_count(text, "lun", row->lun);
		json_text_count(text, "ios", row->ios);
		json_text_count(text, "bytes", row->bytes);
		json_text_count(text, "errors", row->errors);
		put_mean(text, row->mean_ns, row->ios);
		json_text_close(text, '}');
	}
	json_text_close(text, ']');
}

static void put_series(struct json_text *text, const struct results *results,
		       const struct class_result *class)
{
	struct slice slice = class->series;
	size_t position = slice.at;

	if (class->unknown & CLASS_SERIES) {
		json_text_null(text, "series");
		return;
	}
	json_text_open(text, "series", '[');
	for (size_t i = 0; i < slice.count; i++) {
		struct series_row row;

		series_next(results, &position, &row);
		json_text_open(text, NULL, '{');
		json_text_count(text, "ios", row.ios);
		json_text_count(text, "bytes", row.bytes);
		put_mean(text, row.mean_ns, row.ios);
		if (row.ios == 0)
			json_text_null(text, "max_ns");
		else
			json_text_count(text, "max_ns", row.max_ns);
		json_text_close(text, '}');
	}
	json_text_close(text, ']');
}

static void put_class(struct json_text *text, const struct results *results,
		      const struct class_result *class)
{
	unsigned unknown = class->unknown;

	put_count(text, "ios", class->ios, !(unknown & CLASS_IOS));
	/* of an I/O size that is not known */
	put_count(text, "bytes", class->bytes,
		  !(unknown & CLASS_IOS) && (class->bytes > 0 || class->ios == 0));
	put_errors(text, results, class);
	put_number(text, "iops", class->iops, !(unknown & CLASS_IOPS));
	put_number(text, "mbps", class->mbps, !(unknown & CLASS_MBPS));
	put_number(text, "outstanding_mean", class->outstanding_mean,
		   !(unknown & CLASS_OUTSTANDING));
	put_latency(text, class);
	put_few(text, &class->latency);
	put_histogram(text, results, class);
	put_edges(text, results, class->edges);
	put_lun_rows(text, results, class);
	put_series(text, results, class);
}

static void put_classes(struct json_text *text, const struct results *results,
			const struct point_result *point)
{
	char name[CLASS_NAME_SIZE];

	json_text_open(text, "classes", '{');
	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++) {
			const struct class_result *class = &point->classes[load][dir];

			if (!class->present)
				continue;
			report_class_name(name, &point->point.loads[load], dir);
			json_text_open(text, name, '{');
			put_class(text, results, class);
			json_text_close(text, '}');
		}
	json_text_close(text, '}');
}

/* only a large load may have another pattern than random */
static void put_pattern(struct json_text *text, const struct run_info *run, const struct load *load)
{
	if (run->unknown & SETTING_LARGE_TYPE && strcmp(load->name, "large") == 0)
		json_text_null(text, "pattern");
	else
		json_text_string(text, "pattern", report_pattern_name(load->pattern));
}

/* as it was asked for; no load is of 0 bytes, or of 0 I/Os a level */
static void put_loads(struct json_text *text, const struct run_info *run, const struct point *point)
{
	json_text_open(text, "loads", '[');
	for (unsigned i = 0; i < point->load_count; i++) {
		const struct load *load = &point->loads[i];

		json_text_open(text, NULL, '{');
		json_text_string(text, "name", load->name);
		put_pattern(text, run, load);
		put_count(text, "bytes", load->bytes, load->bytes > 0);
		json_text_count(text, "level", load->level);
		put_count(text, "per_level", load->per_level, load->per_level > 0);
		put_count(text, "write_pct", load->write_pct, !(run->unknown & SETTING_WRITE_PCT));
		json_text_count(text, "rw_flags", load->rw_flags);
		if (load->rate_per_s > 0)
			json_text_number(text, "rate_per_s", load->rate_per_s);
		else
			json_text_null(text, "rate_per_s");
		json_text_close(text, '}');
	}
	json_text_close(text, ']');
}

static void put_cpu(struct json_text *text, const struct point_result *point)
{
	if (point->told.is) {
		json_text_null(text, "cpu");
		return;
	}
	json_text_open(text, "cpu", '{');
	json_text_number(text, "user_s", point->cpu_user_s);
	json_text_number(text, "system_s", point->cpu_system_s);
	json_text_close(text, '}');
}

/* 0 where the class is not loaded; a latency only where it follows from no class */
static void put_figures(struct json_text *text, const struct point_result *point)
{
	const struct told *told = &point->told;
	bool has_iops = !told->is || point->point.small == 0 || told->has >> FIGURE_SMALL_IOPS & 1;
	bool has_mbps = !told->is || point->point.large == 0 || told->has >> FIGURE_LARGE_MBPS & 1;

	put_number(text, "small_iops", point_small_iops(point), has_iops);
	put_number(text, "large_mbps", point_large_mbps(point), has_mbps);
	if (told->is)
		put_number(text, "small_latency_ns", told->value[FIGURE_SMALL_LATENCY_NS],
			   told->has >> FIGURE_SMALL_LATENCY_NS & 1);
}

static void put_seconds(struct json_text *text, const char *key, uint64_t ns, bool known)
{
	put_number(text, key, (double)ns / (double)NS_PER_S, known);
}

static void put_own_warnings(struct json_text *text, const struct results *results, uint32_t number)
{
	json_text_open(text, "warnings", '[');
	for (size_t i = 0; i < results->warning_count; i++)
		if (results->warnings[i].point == number)
			json_text_value(text, NULL, json_warning(results, &results->warnings[i]));
	json_text_close(text, ']');
}

int json_point(struct json_text *text, const struct results *results,
	       const struct point_result *point)
{
	const struct point *asked = &point->point;
	bool own = !point->told.is;

	text->length = 0;
	json_text_open(text, NULL, '{');
	json_text_count(text, "number", asked->number);
	json_text_count(text, "small", asked->small);
	json_text_count(text, "large", asked->large);
	json_text_count(text, "repeat", asked->repeat);
	json_text_string(text, "status", point_status_name(point->status));
	json_text_value(text, "started", json_time(results, point->started));
	json_text_value(text, "finished", json_time(results, point->finished));
	put_number(text, "seconds", point->seconds, own || point->seconds > 0);
	put_count(text, "threads", point->threads, own || point->threads > 0);
	put_figures(text, point);
	put_cpu(text, point);
	put_number(text, "series_interval_s", point->series_interval_s, own);
	put_count(text, "filled_bytes", point->filled_bytes, own);
	put_number(text, "filled_s", point->filled_s, own);
	put_seconds(text, "ramp_s", asked->ramp_ns, own || asked->ramp_ns > 0);
	put_seconds(text, "duration_s", asked->duration_ns, own || asked->duration_ns > 0);
	put_loads(text, &results->run, asked);
	put_own_warnings(text, results, asked->number);
	put_classes(text, results, point);
	json_text_close(text, '}');
	return text->failed ? -ENOMEM : 0;
}
