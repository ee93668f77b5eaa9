/* One class of a data point read back. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_ROWS_MAX	   100000u
#define CLASS(member)	   offsetof(struct class_result, member)
#define LATENCY(member)	   offsetof(struct latency, member)
#define LUN_ROW(member)	   offsetof(struct lun_row, member)
#define SERIES_ROW(member) offsetof(struct series_row, member)

#define CLASS_MEMBERS_BESIDE 6 /* errors, lat_ns, few, hist, luns, series */

static const struct field class_fields[] = {
	{.key = "ios",
	 .kind = FIELD_COUNT,
	 .offset = CLASS(ios),
	 .max = INT64_MAX,
	 .foreign = true},
	{.key = "bytes",
	 .kind = FIELD_COUNT,
	 .offset = CLASS(bytes),
	 .max = INT64_MAX,
	 .foreign = true},
	{.key = "iops", .kind = FIELD_NUMBER, .offset = CLASS(iops), .foreign = true},
	{.key = "mbps", .kind = FIELD_NUMBER, .offset = CLASS(mbps), .foreign = true},
	{.key = "outstanding_mean",
	 .kind = FIELD_NUMBER,
	 .offset = CLASS(outstanding_mean),
	 .foreign = true},
};

#define PERCENTILE(name, index)                                                                    \
	{                                                                                          \
		.key = (name), .kind = FIELD_COUNT, .offset = LATENCY(pct_ns[index]),              \
		.max = INT64_MAX, .foreign = true                                                  \
	}

static const struct field latency_fields[] = {
	{.key = "min",
	 .kind = FIELD_COUNT,
	 .offset = LATENCY(min_ns),
	 .max = INT64_MAX,
	 .foreign = true},
	{.key = "mean", .kind = FIELD_NUMBER, .offset = LATENCY(mean_ns), .foreign = true},
	{.key = "stddev", .kind = FIELD_NUMBER, .offset = LATENCY(stddev_ns), .foreign = true},
	{.key = "max",
	 .kind = FIELD_COUNT,
	 .offset = LATENCY(max_ns),
	 .max = INT64_MAX,
	 .foreign = true},
	PERCENTILE("p50", PCT_50),
	PERCENTILE("p90", PCT_90),
	PERCENTILE("p95", PCT_95),
	PERCENTILE("p99", PCT_99),
	PERCENTILE("p99_9", PCT_99_9),
	PERCENTILE("p99_99", PCT_99_99),
};

static const struct field lun_row_fields[] = {
	{.key = "lun", .kind = FIELD_COUNT32, .offset = LUN_ROW(lun), .max = READ_LUNS_MAX},
	{.key = "ios", .kind = FIELD_COUNT, .offset = LUN_ROW(ios), .max = INT64_MAX},
	{.key = "bytes", .kind = FIELD_COUNT, .offset = LUN_ROW(bytes), .max = INT64_MAX},
	{.key = "errors", .kind = FIELD_COUNT, .offset = LUN_ROW(errors), .max = INT64_MAX},
	{.key = "mean_ns", .kind = FIELD_NUMBER, .offset = LUN_ROW(mean_ns), .nullable = true},
};

static const struct field series_fields[] = {
	{.key = "ios", .kind = FIELD_COUNT, .offset = SERIES_ROW(ios), .max = INT64_MAX},
	{.key = "bytes", .kind = FIELD_COUNT, .offset = SERIES_ROW(bytes), .max = INT64_MAX},
	{.key = "mean_ns", .kind = FIELD_NUMBER, .offset = SERIES_ROW(mean_ns), .nullable = true},
	{.key = "max_ns",
	 .kind = FIELD_COUNT,
	 .offset = SERIES_ROW(max_ns),
	 .max = INT64_MAX,
	 .nullable = true},
};

/**
 * struct sums - what the rows of a class add up to; no sum overflows, for no row is above 2^63 and
 * the first that passes it is refused
 */
struct sums {
	uint64_t ios, bytes, errors;
};

static int check_row_sums(struct reader *reader, const struct sums *sums,
			  const struct class_result *class)
{
	int code = read_check_sum(reader, "ios", sums->ios, class->ios);

	return code < 0 ? code : read_check_sum(reader, "bytes", sums->bytes, class->bytes);
}

/* what is null is unknown */
static bool take_null(struct reader *reader, const json_t *object, const char *key,
		      struct class_result *class, enum class_part part)
{
	bool is_null = reader_is_null(reader, object, key);

	if (is_null)
		class->unknown |= part;
	return is_null;
}

static int read_error(struct reader *reader, const char *name, const json_t *value,
		      struct class_result *class)
{
	struct results *results = reader->results;
	struct error_count error = {.code = error_code_from_name(name)};
	bool again = false;

	for (size_t i = class->errors.at; i < results->error_count; i++)
		again = again || results->errors[i].code == error.code;
	if (error.code == 0 || class->errors.count == ERROR_KINDS_MAX || again)
		return reader_refuse(reader, "it is no error, or one too many");
	if (reader_count(reader, value, INT64_MAX, &error.count) < 0)
		return -EINVAL;
	if (!read_add(&class->failed, error.count))
		return reader_refuse(reader, "the sum is too large");
	class->errors.count++;
	return results_push_error(results, &error) < 0 ? reader_no_memory(reader) : 0;
}

static int read_errors(struct reader *reader, const json_t *object, struct class_result *class)
{
	json_t *errors = json_object_get(object, "errors");
	const char *name;
	json_t *value;

	if (take_null(reader, object, "errors", class, CLASS_ERRORS))
		return 0;
	if (reader_member(reader, object, "errors", JSON_OBJECT) == NULL)
		return -EINVAL;
	class->errors.at = reader->results->error_count;
	json_object_foreach(errors, name, value)
	{
		size_t depth = reader_enter(reader, "errors", 0);
		int code;

		reader_enter(reader, name, 0);
		code = read_error(reader, name, value, class);
		reader_leave(reader, depth);
		if (code < 0)
			return code;
	}
	return 0;
}

static int read_few_name(struct reader *reader, const json_t *value, void *arg)
{
	const char *name = json_string_value(value);
	unsigned *few = arg;

	for (unsigned i = 0; i < PCT_COUNT && name != NULL; i++)
		if (strcmp(name, percentile_name[i]) == 0) {
			*few |= 1u << i;
			return 0;
		}
	return reader_refuse(reader, "it is no percentile");
}

static int check_percentiles(struct reader *reader, const struct latency *latency, unsigned unknown)
{
	uint64_t last = unknown & CLASS_MIN ? 0 : latency->min_ns;

	for (unsigned i = 0; i < PCT_COUNT; i++) {
		if (latency->pct_ns[i] < last)
			return reader_refuse(reader, "%s does not rise", percentile_name[i]);
		last = latency->pct_ns[i];
	}
	if (!(unknown & CLASS_SPREAD) && latency->max_ns < last)
		return reader_refuse(reader, "max is less than p99_99");
	return 0;
}

static int check_latency(struct reader *reader, const struct latency *latency, unsigned unknown)
{
	bool low = !(unknown & CLASS_MIN) &&
		   latency->mean_ns < (double)latency->min_ns * (1 - READ_CLOSE);
	bool high = !(unknown & CLASS_SPREAD) &&
		    latency->mean_ns > (double)latency->max_ns * (1 + READ_CLOSE);
	int code = unknown & CLASS_PERCENTILES ? 0 : check_percentiles(reader, latency, unknown);

	if (code == 0 && !(unknown & CLASS_MEAN) && (low || high))
		return reader_refuse(reader, "the mean lies outside min and max");
	return code;
}

/* a group of members is known or not as a whole */
static int take_unknown(struct reader *reader, const json_t *object, const char *const keys[],
			size_t count, unsigned *unknown, enum class_part part)
{
	size_t nulls = 0;

	for (size_t i = 0; i < count; i++)
		nulls += json_is_null(json_object_get(object, keys[i]));
	if (nulls != 0 && nulls != count)
		return reader_refuse(reader, "'%s' and others are known only together", keys[0]);
	if (nulls != 0)
		*unknown |= part;
	return 0;
}

static int read_latency_unknown(struct reader *reader, const json_t *object, unsigned *unknown)
{
	static const char *const mean[] = {"mean"};
	static const char *const min[] = {"min"};
	static const char *const spread[] = {"max", "stddev"};
	int code = take_unknown(reader, object, mean, COUNT(mean), unknown, CLASS_MEAN);

	if (code == 0)
		code = take_unknown(reader, object, min, COUNT(min), unknown, CLASS_MIN);
	if (code == 0)
		code = take_unknown(reader, object, spread, COUNT(spread), unknown, CLASS_SPREAD);
	if (code == 0)
		code = take_unknown(reader, object, percentile_name, PCT_COUNT, unknown,
				    CLASS_PERCENTILES);
	return code;
}

static int read_latency_members(struct reader *reader, const json_t *object,
				struct class_result *class)
{
	struct latency *latency = &class->latency;
	unsigned few = 0;
	int code = reader_fields(reader, object, latency_fields, COUNT(latency_fields), latency, 1);

	if (code == 0)
		code = read_latency_unknown(reader, object, &class->unknown);
	if (code == 0)
		code = reader_array(reader, object, "few", read_few_name, &few);
	if (code == 0 && few != latency->few)
		code = reader_refuse(reader, "few is another than beside it");
	return code < 0 ? code : check_latency(reader, latency, class->unknown);
}

static int read_latency(struct reader *reader, const json_t *object, struct class_result *class)
{
	const json_t *value = json_object_get(object, "lat_ns");
	bool no_ios = class->ios == 0 && !(class->unknown & CLASS_IOS);
	size_t depth;
	int code;

	if (value == NULL || json_is_null(value) != no_ios) {
		code = reader_refuse(reader, "lat_ns must be there if, and only if, there are ios");
		if (!json_is_null(value))
			return code;
		reader_defer(reader);
		class->unknown |= CLASS_MEAN | CLASS_MIN | CLASS_SPREAD | CLASS_PERCENTILES;
	}
	code = reader_array(reader, object, "few", read_few_name, &class->latency.few);
	if (code < 0 || json_is_null(value))
		return code;
	depth = reader_enter(reader, "lat_ns", 0);
	code = read_latency_members(reader, value, class);
	reader_leave(reader, depth);
	return code;
}

/**
 * struct rows_read - rows of LUNs or of intervals as far as they are read
 * @next_lun: the next LUN is this or a later one
 */
struct rows_read {
	struct sums sums;
	uint32_t next_lun;
	size_t count;
};

/* what a row without I/Os cannot know is null, and nothing else is */
static int check_mean(struct reader *reader, const json_t *row, const char *key, uint64_t ios)
{
	if (json_is_null(json_object_get(row, key)) != (ios == 0))
		return reader_refuse(reader, "%s must be known if, and only if, there are ios",
				     key);
	return 0;
}

static int read_lun_row(struct reader *reader, const json_t *value, void *arg)
{
	struct rows_read *rows = arg;
	struct lun_row row = {0};
	int code = reader_fields(reader, value, lun_row_fields, COUNT(lun_row_fields), &row, 0);

	if (code == 0)
		code = check_mean(reader, value, "mean_ns", row.ios);
	if (code < 0)
		return code;
	if (row.lun < rows->next_lun)
		return reader_refuse(reader, "LUN %u does not rise", row.lun);
	if (!read_add(&rows->sums.ios, row.ios) || !read_add(&rows->sums.bytes, row.bytes) ||
	    !read_add(&rows->sums.errors, row.errors))
		return reader_refuse(reader, "the sum is too large");
	rows->next_lun = row.lun + 1;
	return results_push_lun_row(reader->results, &row) < 0 ? reader_no_memory(reader) : 0;
}

static int read_luns(struct reader *reader, const json_t *object, struct class_result *class)
{
	struct rows_read rows = {0};
	size_t depth;
	int code;

	if (take_null(reader, object, "luns", class, CLASS_LUNS))
		return 0;
	class->luns.at = reader->results->lun_row_count;
	code = reader_array(reader, object, "luns", read_lun_row, &rows);
	class->luns.count = reader->results->lun_row_count - class->luns.at;
	if (code < 0)
		return code;
	depth = reader_enter(reader, "luns", 0);
	/* one I/O may count on several LUNs: read_check() knows where that cannot be */
	if (rows.sums.ios < class->ios)
		code = read_check_sum(reader, "ios", rows.sums.ios, class->ios);
	if (code == 0)
		code = read_check_sum(reader, "bytes", rows.sums.bytes, class->bytes);
	if (code == 0 && rows.sums.errors < class->failed)
		code = read_check_sum(reader, "errors", rows.sums.errors, class->failed);
	reader_leave(reader, depth);
	return code;
}

static int read_interval(struct reader *reader, const json_t *value, void *arg)
{
	struct rows_read *rows = arg;
	struct series_row row = {0};
	int code = reader_fields(reader, value, series_fields, COUNT(series_fields), &row, 0);

	if (code == 0)
		code = check_mean(reader, value, "mean_ns", row.ios);
	if (code == 0)
		code = check_mean(reader, value, "max_ns", row.ios);
	if (code < 0)
		return code;
	if (++rows->count > SERIES_ROWS_MAX)
		return reader_refuse(reader, "there are too many intervals");
	if (!read_add(&rows->sums.ios, row.ios) || !read_add(&rows->sums.bytes, row.bytes))
		return reader_refuse(reader, "the sum is too large");
	return results_push_series(reader->results, &row) < 0 ? reader_no_memory(reader) : 0;
}

static int read_series(struct reader *reader, const json_t *object, struct class_result *class)
{
	struct rows_read rows = {0};
	size_t depth;
	int code;

	if (take_null(reader, object, "series", class, CLASS_SERIES))
		return 0;
	class->series.at = reader->results->series_bytes;
	code = reader_array(reader, object, "series", read_interval, &rows);
	class->series.count = rows.count;
	if (code < 0)
		return code;
	depth = reader_enter(reader, "series", 0);
	code = check_row_sums(reader, &rows.sums, class);
	reader_leave(reader, depth);
	return code;
}

static int check_rates(struct reader *reader, const struct class_result *class, double seconds,
		       uint32_t io_bytes)
{
	if (seconds == 0 && class->ios > 0) {
		reader_refuse(reader, "there are ios, but no seconds");
		reader_defer(reader);
	}
	if (io_bytes > 0 && (class->bytes / io_bytes != class->ios || class->bytes % io_bytes != 0))
		return reader_refuse(reader, "bytes are not %u for each of ios", io_bytes);
	if (seconds > 0 && !(class->unknown & (CLASS_IOS | CLASS_IOPS)) &&
	    !read_is_close(class->iops * seconds, (double)class->ios))
		return reader_refuse(reader, "iops is not ios a second");
	if (seconds > 0 && !(class->unknown & (CLASS_IOS | CLASS_MBPS)) &&
	    !read_is_close(class->mbps * seconds * 0x1p20, (double)class->bytes))
		return reader_refuse(reader, "mbps is not bytes a second");
	return 0;
}

static int read_unknown(struct reader *reader, const json_t *object, unsigned *unknown)
{
	static const char *const ios[] = {"ios"};
	static const char *const iops[] = {"iops"};
	static const char *const mbps[] = {"mbps"};
	static const char *const outstanding[] = {"outstanding_mean"};
	int code = take_unknown(reader, object, ios, COUNT(ios), unknown, CLASS_IOS);

	if (code == 0)
		code = take_unknown(reader, object, iops, COUNT(iops), unknown, CLASS_IOPS);
	if (code == 0)
		code = take_unknown(reader, object, mbps, COUNT(mbps), unknown, CLASS_MBPS);
	if (code == 0)
		code = take_unknown(reader, object, outstanding, COUNT(outstanding), unknown,
				    CLASS_OUTSTANDING);
	return code;
}

int read_class(struct reader *reader, const json_t *object, struct class_result *class,
	       double seconds, uint32_t io_bytes)
{
	size_t beside = CLASS_MEMBERS_BESIDE + (json_object_get(object, HIST_EDGES_KEY) != NULL);
	int code = reader_fields(reader, object, class_fields, COUNT(class_fields), class, beside);

	class->present = true;
	if (code == 0)
		code = read_unknown(reader, object, &class->unknown);
	if (code == 0)
		code = check_rates(reader, class, seconds,
				   json_is_null(json_object_get(object, "bytes")) ? 0 : io_bytes);
	if (code == 0)
		code = read_errors(reader, object, class);
	if (code == 0)
		code = read_latency(reader, object, class);
	if (code == 0)
		code = read_hist(reader, object, class);
	if (code == 0)
		code = read_luns(reader, object, class);
	if (code == 0)
		code = read_series(reader, object, class);
	return code;
}
