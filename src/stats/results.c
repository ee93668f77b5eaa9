/* What each point measured, for each load and direction. SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "calib/units.h"
#include "results_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double percentile_value[PCT_COUNT] = {50.0, 90.0, 95.0, 99.0, 99.9, 99.99};
const char *const percentile_name[PCT_COUNT] = {"p50", "p90", "p95", "p99", "p99_9", "p99_99"};

/* 1 / (1 - p): with fewer I/Os, the percentile is just the largest of them */
static const uint64_t percentile_samples[PCT_COUNT] = {2, 10, 20, 100, 1000, 10000};

static void lun_info_release(struct lun_info *lun)
{
	free(lun->path);
	free(lun->model);
	free(lun->scheduler);
	free(lun->filesystem);
}

static void source_release(struct source *source)
{
	free(source->program);
	free(source->version);
	free(source->latency_unit);
	for (size_t i = 0; i < source->file_count; i++)
		free(source->files[i]);
	free(source->files);
}

void results_release(struct results *results)
{
	source_release(&results->run.source);
	free(results->run.testname);
	free(results->run.prefix);
	free(results->run.command_line);
	free(results->run.engine);
	free(results->run.engine_reason);
	for (size_t i = 0; i < results->lun_count; i++)
		lun_info_release(&results->luns[i]);
	for (size_t i = 0; i < results->warning_count; i++)
		free(results->warnings[i].text);
	free(results->luns);
	free(results->points);
	free(results->by_cell);
	free(results->packed);
	free(results->lun_rows);
	free(results->series);
	free(results->errors);
	free(results->edges);
	free(results->warnings);
	memset(results, 0, sizeof(*results));
}

/* the room is there */
static struct slice store_histogram(struct results *results, const struct histogram *histogram)
{
	struct slice slice = {.at = results->packed_count,
			      .count = histogram_pack(histogram, NULL)};

	if (slice.count > 0)
		histogram_pack(histogram, results->packed + slice.at);
	results->packed_count += slice.count;
	return slice;
}

int results_push_histogram(struct results *results, const struct histogram *histogram,
			   struct slice *slice)
{
	int code = reserve_packed(results, histogram_pack(histogram, NULL));

	if (code == 0)
		*slice = store_histogram(results, histogram);
	return code;
}

/* the room is there */
static void store_point(struct results *results, const struct point_result *point)
{
	size_t at = cell_end(results, point->point.small, point->point.large);

	memmove(results->by_cell + at + 1, results->by_cell + at,
		(results->point_count - at) * sizeof(results->by_cell[0]));
	results->by_cell[at] = (uint32_t)results->point_count;
	results->points[results->point_count++] = *point;
	best_update(results, point);
}

int results_append(struct results *results, const struct point_result *point)
{
	int code = reserve_point(results);

	if (code < 0)
		return code;
	store_point(results, point);
	return 0;
}

static bool lun_took_part(const struct lun_tally *lun)
{
	return lun->ios > 0 || lun->errors > 0;
}

static size_t count_lun_rows(const struct tally *tally, unsigned lun_count)
{
	size_t rows = 0;

	for (unsigned i = 0; i < lun_count; i++)
		rows += lun_took_part(&tally->luns[i]);
	return rows;
}

static int reserve_measure(struct results *results, const struct measure *measure)
{
	size_t packed = 0, lun_rows = 0, series = 0, errors = 0;

	for (unsigned load = 0; load < POINT_LOADS_MAX; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++) {
			const struct tally *tally = measure->classes[load][dir];

			if (tally == NULL)
				continue;
			packed += histogram_pack(&tally->latency, NULL);
			lun_rows += count_lun_rows(tally, measure->lun_count);
			series += measure->interval_count;
			errors += ERROR_KINDS_MAX;
		}
	if (reserve_packed(results, packed) < 0 || reserve_lun_rows(results, lun_rows) < 0 ||
	    reserve_series(results, series) < 0 || reserve_errors(results, errors) < 0 ||
	    reserve_point(results) < 0)
		return -ENOMEM;
	return 0;
}

/* 0 where the point was broken off before its window began */
static double window_ns(const struct measure *measure)
{
	return measure->end_ns > measure->start_ns ? (double)(measure->end_ns - measure->start_ns)
						   : 0.0;
}

static void take_latency(struct latency *latency, const struct histogram *histogram)
{
	latency->min_ns = histogram->min_ns;
	latency->max_ns = histogram->max_ns;
	latency->mean_ns = histogram_mean_ns(histogram);
	latency->stddev_ns = histogram_stddev_ns(histogram);
	for (unsigned i = 0; i < PCT_COUNT; i++) {
		latency->pct_ns[i] = histogram_percentile_ns(histogram, percentile_value[i]);
		if (histogram->total < percentile_samples[i])
			latency->few |= 1u << i;
	}
}

/* the room is there */
static void take_errors(struct results *results, struct class_result *class,
			const struct error_count errors[ERROR_KINDS_MAX])
{
	class->errors.at = results->error_count;
	for (unsigned i = 0; i < ERROR_KINDS_MAX && errors[i].code != 0; i++) {
		results->errors[results->error_count++] = errors[i];
		class->failed += errors[i].count;
	}
	class->errors.count = results->error_count - class->errors.at;
}

static struct slice take_luns(struct results *results, const struct tally *tally,
			      unsigned lun_count, uint32_t io_bytes)
{
	struct slice slice = {.at = results->lun_row_count};

	for (unsigned i = 0; i < lun_count; i++) {
		const struct lun_tally *lun = &tally->luns[i];

		if (!lun_took_part(lun))
			continue;
		results->lun_rows[results->lun_row_count++] = (struct lun_row){
			.lun = i,
			.ios = lun->ios,
			.bytes = lun->ios * io_bytes - lun->elsewhere_bytes,
			.errors = lun->errors,
			.mean_ns = mean_of(lun->sum_ns, lun->ios),
		};
	}
	slice.count = results->lun_row_count - slice.at;
	return slice;
}

static struct slice take_series(struct results *results, const struct tally *tally,
				unsigned interval_count, uint32_t io_bytes)
{
	struct slice slice = {.at = results->series_bytes, .count = interval_count};

	for (unsigned i = 0; i < interval_count; i++) {
		const struct series_tally *interval = &tally->series[i];

		const struct series_row row = {
			.ios = interval->ios,
			.bytes = interval->ios * io_bytes,
			.mean_ns = mean_of(interval->sum_ns, interval->ios),
			.max_ns = interval->max_ns,
		};

		results->series_bytes += series_pack(&row, results->series + results->series_bytes);
	}
	return slice;
}

static void take_class(struct results *results, struct class_result *class,
		       const struct tally *tally, uint32_t io_bytes, const struct measure *measure)
{
	double window = window_ns(measure);

	class->present = true;
	class->ios = tally->latency.total;
	class->bytes = class->ios * io_bytes;
	if (window > 0) {
		double seconds = window / (double)NS_PER_S;

		class->iops = (double)class->ios / seconds;
		class->mbps = (double)class->bytes / seconds / (double)BYTES_MIB;
		class->outstanding_mean = (double)tally->in_flight_ns / window;
	}
	take_errors(results, class, tally->errors);
	if (class->ios > 0)
		take_latency(&class->latency, &tally->latency);
	class->hist = store_histogram(results, &tally->latency);
	class->luns = take_luns(results, tally, measure->lun_count, io_bytes);
	class->series = take_series(results, tally, measure->interval_count, io_bytes);
}

int results_add(struct results *results, const struct point *point, enum point_status status,
		struct timespec started, const struct measure *measure)
{
	struct point_result added = {
		.point = *point,
		.status = status,
		.started = started,
		.finished = clock_wall(),
		.seconds = window_ns(measure) / (double)NS_PER_S,
		.threads = measure->threads,
		.filled_bytes = measure->filled_bytes,
		.filled_s = (double)measure->filled_ns / (double)NS_PER_S,
		.cpu_user_s = (double)measure->cpu_user_ns / (double)NS_PER_S,
		.cpu_system_s = (double)measure->cpu_system_ns / (double)NS_PER_S,
		.series_interval_s = (double)measure->interval_ns / (double)NS_PER_S,
	};
	int code = reserve_measure(results, measure);

	if (code < 0)
		return code;
	for (unsigned load = 0; load < point->load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (measure->classes[load][dir] != NULL)
				take_class(results, &added.classes[load][dir],
					   measure->classes[load][dir], point->loads[load].bytes,
					   measure);
	store_point(results, &added);
	return 0;
}

int results_push_warning(struct results *results, const struct warning *warning)
{
	size_t text_size = strlen(warning->text) + 1;
	char *both;

	if (reserve_warning(results) < 0)
		return -ENOMEM;
	/* the code lies behind the text, in one block: one that was read from a file is kept too */
	both = malloc(text_size + strlen(warning->code) + 1);
	if (both == NULL)
		return -ENOMEM;
	memcpy(both, warning->text, text_size);
	strcpy(both + text_size, warning->code);
	results->warnings[results->warning_count] = *warning;
	results->warnings[results->warning_count].text = both;
	results->warnings[results->warning_count].code = both + text_size;
	results->warning_count++;
	return 0;
}

int results_vwarn(struct results *results, const struct warning *like, const char *format,
		  va_list args)
{
	struct warning warning = *like;
	int code;

	if (vasprintf(&warning.text, format, args) < 0)
		return -ENOMEM;
	code = results_push_warning(results, &warning);
	free(warning.text);
	return code;
}

int results_warn(struct results *results, const char *code, enum severity severity, uint32_t point,
		 int lun, const char *format, ...)
{
	const struct warning like = {
		.code = code,
		.severity = severity,
		.lun = lun,
		.point = point,
		.after = results->point_count,
		.raised = clock_wall(),
	};
	va_list args;
	int error;

	va_start(args, format);
	error = results_vwarn(results, &like, format, args);
	va_end(args);
	return error;
}

bool results_issued(const struct results *results, struct io_count *sum)
{
	*sum = (struct io_count){0};
	if (results_foreign(results))
		return false;
	for (size_t i = 0; i < results->lun_count; i++) {
		const struct io_count *issued = &results->luns[i].issued;

		if (!results->luns[i].issued_known)
			return false;
		sum->reads += issued->reads;
		sum->read_bytes += issued->read_bytes;
		sum->writes += issued->writes;
		sum->write_bytes += issued->write_bytes;
	}
	return true;
}

const struct point_result *results_point(const struct results *results, uint32_t number)
{
	/* a run numbers them from 1 on, so the place is nearly always that */
	if (number >= 1 && number <= results->point_count &&
	    results->points[number - 1].point.number == number)
		return &results->points[number - 1];
	for (size_t i = 0; i < results->point_count; i++)
		if (results->points[i].point.number == number)
			return &results->points[i];
	return NULL;
}

uint64_t point_failed_ios(const struct point_result *point)
{
	uint64_t failed = 0;

	for (unsigned load = 0; load < POINT_LOADS_MAX; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			failed += point->classes[load][dir].failed;
	return failed;
}

uint64_t results_failed_ios(const struct results *results)
{
	uint64_t failed = 0;

	for (size_t i = 0; i < results->point_count; i++)
		failed += point_failed_ios(&results->points[i]);
	return failed;
}

const char *point_status_name(enum point_status status)
{
	static const char *const name[] = {"ok", "failed", "interrupted"};

	return name[status];
}

const char *run_status_name(enum run_status status)
{
	static const char *const name[] = {"complete", "interrupted", "failed"};

	return name[status];
}

const char *severity_name(enum severity severity)
{
	static const char *const name[] = {"note", "suspect"};

	return name[severity];
}

const char *lun_layout_name(enum lun_layout layout)
{
	static const char *const name[] = {"concat", "raid0"};

	return name[layout];
}
