/* One data point as JSON, for results and ledger. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "report_private.h"

#include <string.h>

static json_t *errors(const struct error_count errors[ERROR_KINDS_MAX])
{
	json_t *object = json_object();
	char name[32];

	for (unsigned i = 0; i < ERROR_KINDS_MAX && errors[i].code != 0; i++)
		json_put(&object, error_code_name(errors[i].code, name, sizeof(name)),
			 json_count(errors[i].count));
	return object;
}

static json_t *few(const struct latency *latency)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < PCT_COUNT; i++)
		if (latency->few >> i & 1)
			json_add(&array, json_string(percentile_name[i]));
	return array;
}

static json_t *latency(const struct class_result *class)
{
	const struct latency *latency = &class->latency;
	json_t *object;

	if (class->ios == 0)
		return json_null();
	object = json_object();
	json_put(&object, "min", json_count(latency->min_ns));
	json_put(&object, "mean", json_number(latency->mean_ns));
	json_put(&object, "stddev", json_number(latency->stddev_ns));
	json_put(&object, "max", json_count(latency->max_ns));
	for (unsigned i = 0; i < PCT_COUNT; i++)
		json_put(&object, percentile_name[i], json_count(latency->pct_ns[i]));
	json_put(&object, "few", few(latency));
	return object;
}

static json_t *histogram(const struct results *results, struct slice slice)
{
	struct bucket bucket = {0};
	json_t *array = json_array();
	size_t position = 0;

	if (slice.count == 0)
		return array; /* and the pool may be NULL */
	while (histogram_unpack_next(results->packed + slice.at, slice.count, &position, &bucket) >
	       0) {
		json_t *pair = json_array();

		json_add(&pair, json_count(histogram_upper_ns(bucket.index)));
		json_add(&pair, json_count(bucket.count));
		json_add(&array, pair);
	}
	return array;
}

/* a mean of nothing is unknown */
static json_t *mean(double mean_ns, uint64_t ios)
{
	return ios == 0 ? json_null() : json_number(mean_ns);
}

static json_t *lun_rows(const struct results *results, struct slice slice)
{
	json_t *array = json_array();

	for (size_t i = 0; i < slice.count; i++) {
		const struct lun_row *row = &results->lun_rows[slice.at + i];
		json_t *object = json_object();

		json_put(&object, "lun", json_count(row->lun));
		json_put(&object, "ios", json_count(row->ios));
		json_put(&object, "bytes", json_count(row->bytes));
		json_put(&object, "errors", json_count(row->errors));
		json_put(&object, "mean_ns", mean(row->mean_ns, row->ios));
		json_add(&array, object);
	}
	return array;
}

static json_t *series(const struct results *results, struct slice slice)
{
	json_t *array = json_array();

	for (size_t i = 0; i < slice.count; i++) {
		const struct series_row *row = &results->series[slice.at + i];
		json_t *object = json_object();

		json_put(&object, "ios", json_count(row->ios));
		json_put(&object, "bytes", json_count(row->bytes));
		json_put(&object, "mean_ns", mean(row->mean_ns, row->ios));
		json_put(&object, "max_ns", row->ios == 0 ? json_null() : json_count(row->max_ns));
		json_add(&array, object);
	}
	return array;
}

static json_t *class_json(const struct results *results, const struct class_result *class)
{
	json_t *object = json_object();

	json_put(&object, "ios", json_count(class->ios));
	json_put(&object, "bytes", json_count(class->bytes));
	json_put(&object, "errors", errors(class->errors));
	json_put(&object, "iops", json_number(class->iops));
	json_put(&object, "mbps", json_number(class->mbps));
	json_put(&object, "outstanding_mean", json_number(class->outstanding_mean));
	json_put(&object, "lat_ns", latency(class));
	/* the same list again, for readers that look beside lat_ns: it is there also for null */
	json_put(&object, "few", few(&class->latency));
	json_put(&object, "hist", histogram(results, class->hist));
	json_put(&object, "luns", lun_rows(results, class->luns));
	json_put(&object, "series", series(results, class->series));
	return object;
}

static json_t *classes(const struct results *results, const struct point_result *point)
{
	static const char *const suffix[IO_DIRS] = {"read", "write"};
	json_t *object = json_object();
	char key[LOAD_NAME_SIZE + 8];

	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++) {
			const struct class_result *class = &point->classes[load][dir];

			if (!class->present)
				continue;
			snprintf(key, sizeof(key), "%s_%s", point->point.loads[load].name,
				 suffix[dir]);
			json_put(&object, key, class_json(results, class));
		}
	return object;
}

/* as it was asked for */
static json_t *loads(const struct point *point)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < point->load_count; i++) {
		const struct load *load = &point->loads[i];
		json_t *object = json_object();

		json_put(&object, "name", json_string(load->name));
		json_put(&object, "pattern",
			 json_string(load->pattern == PATTERN_STREAM ? "stream" : "random"));
		json_put(&object, "bytes", json_count(load->bytes));
		json_put(&object, "level", json_count(load->level));
		json_put(&object, "per_level", json_count(load->per_level));
		json_put(&object, "write_pct", json_count(load->write_pct));
		json_put(&object, "rw_flags", json_count(load->rw_flags));
		json_put(&object, "rate_per_s",
			 load->rate_per_s > 0 ? json_number(load->rate_per_s) : json_null());
		json_add(&array, object);
	}
	return array;
}

static json_t *cpu(const struct point_result *point)
{
	json_t *object = json_object();

	json_put(&object, "user_s", json_number(point->cpu_user_s));
	json_put(&object, "system_s", json_number(point->cpu_system_s));
	return object;
}

static json_t *own_warnings(const struct results *results, uint32_t number)
{
	json_t *array = json_array();

	for (size_t i = 0; i < results->warning_count; i++)
		if (results->warnings[i].point == number)
			json_add(&array, json_warning(&results->warnings[i]));
	return array;
}

json_t *json_point(const struct results *results, const struct point_result *point)
{
	const struct point *asked = &point->point;
	json_t *object = json_object();

	json_put(&object, "number", json_count(asked->number));
	json_put(&object, "small", json_count(asked->small));
	json_put(&object, "large", json_count(asked->large));
	json_put(&object, "repeat", json_count(asked->repeat));
	json_put(&object, "status", json_string(point_status_name(point->status)));
	json_put(&object, "started", json_time(results, point->started));
	json_put(&object, "seconds", json_number(point->seconds));
	json_put(&object, "threads", json_count(point->threads));
	json_put(&object, "small_iops", json_number(point_small_iops(point)));
	json_put(&object, "large_mbps", json_number(point_large_mbps(point)));
	json_put(&object, "cpu", cpu(point));
	json_put(&object, "series_interval_s", json_number(point->series_interval_s));
	json_put(&object, "ramp_s", json_number((double)asked->ramp_ns / (double)NS_PER_S));
	json_put(&object, "duration_s", json_number((double)asked->duration_ns / (double)NS_PER_S));
	json_put(&object, "loads", loads(asked));
	json_put(&object, "warnings", own_warnings(results, asked->number));
	json_put(&object, "classes", classes(results, point));
	return object;
}
