/* One data point as JSON, for results and ledger. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "report_private.h"

#include <errno.h>
#include <string.h>

static void put_errors(struct json_text *text, const struct error_count errors[ERROR_KINDS_MAX])
{
	char name[32];

	json_text_open(text, "errors", '{');
	for (unsigned i = 0; i < ERROR_KINDS_MAX && errors[i].code != 0; i++)
		json_text_count(text, error_code_name(errors[i].code, name, sizeof(name)),
				errors[i].count);
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

static void put_latency(struct json_text *text, const struct class_result *class)
{
	const struct latency *latency = &class->latency;

	if (class->ios == 0) {
		json_text_null(text, "lat_ns");
		return;
	}
	json_text_open(text, "lat_ns", '{');
	json_text_count(text, "min", latency->min_ns);
	json_text_number(text, "mean", latency->mean_ns);
	json_text_number(text, "stddev", latency->stddev_ns);
	json_text_count(text, "max", latency->max_ns);
	for (unsigned i = 0; i < PCT_COUNT; i++)
		json_text_count(text, percentile_name[i], latency->pct_ns[i]);
	put_few(text, latency);
	json_text_close(text, '}');
}

static void put_histogram(struct json_text *text, const struct results *results, struct slice slice)
{
	struct bucket bucket = {0};
	size_t position = 0;

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

static void put_lun_rows(struct json_text *text, const struct results *results, struct slice slice)
{
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

static void put_series(struct json_text *text, const struct results *results, struct slice slice)
{
	json_text_open(text, "series", '[');
	for (size_t i = 0; i < slice.count; i++) {
		const struct series_row *row = &results->series[slice.at + i];

		json_text_open(text, NULL, '{');
		json_text_count(text, "ios", row->ios);
		json_text_count(text, "bytes", row->bytes);
		put_mean(text, row->mean_ns, row->ios);
		if (row->ios == 0)
			json_text_null(text, "max_ns");
		else
			json_text_count(text, "max_ns", row->max_ns);
		json_text_close(text, '}');
	}
	json_text_close(text, ']');
}

static void put_class(struct json_text *text, const struct results *results,
		      const struct class_result *class)
{
	json_text_count(text, "ios", class->ios);
	json_text_count(text, "bytes", class->bytes);
	put_errors(text, class->errors);
	json_text_number(text, "iops", class->iops);
	json_text_number(text, "mbps", class->mbps);
	json_text_number(text, "outstanding_mean", class->outstanding_mean);
	put_latency(text, class);
	put_few(text, &class->latency);
	put_histogram(text, results, class->hist);
	put_lun_rows(text, results, class->luns);
	put_series(text, results, class->series);
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

/* as it was asked for */
static void put_loads(struct json_text *text, const struct point *point)
{
	json_text_open(text, "loads", '[');
	for (unsigned i = 0; i < point->load_count; i++) {
		const struct load *load = &point->loads[i];

		json_text_open(text, NULL, '{');
		json_text_string(text, "name", load->name);
		json_text_string(text, "pattern", report_pattern_name(load->pattern));
		json_text_count(text, "bytes", load->bytes);
		json_text_count(text, "level", load->level);
		json_text_count(text, "per_level", load->per_level);
		json_text_count(text, "write_pct", load->write_pct);
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
	json_text_open(text, "cpu", '{');
	json_text_number(text, "user_s", point->cpu_user_s);
	json_text_number(text, "system_s", point->cpu_system_s);
	json_text_close(text, '}');
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

	text->length = 0;
	json_text_open(text, NULL, '{');
	json_text_count(text, "number", asked->number);
	json_text_count(text, "small", asked->small);
	json_text_count(text, "large", asked->large);
	json_text_count(text, "repeat", asked->repeat);
	json_text_string(text, "status", point_status_name(point->status));
	json_text_value(text, "started", json_time(results, point->started));
	json_text_value(text, "finished", json_time(results, point->finished));
	json_text_number(text, "seconds", point->seconds);
	json_text_count(text, "threads", point->threads);
	json_text_number(text, "small_iops", point_small_iops(point));
	json_text_number(text, "large_mbps", point_large_mbps(point));
	put_cpu(text, point);
	json_text_number(text, "series_interval_s", point->series_interval_s);
	json_text_number(text, "ramp_s", (double)asked->ramp_ns / (double)NS_PER_S);
	json_text_number(text, "duration_s", (double)asked->duration_ns / (double)NS_PER_S);
	put_loads(text, asked);
	put_own_warnings(text, results, asked->number);
	put_classes(text, results, point);
	json_text_close(text, '}');
	return text->failed ? -ENOMEM : 0;
}
