/* One class of a data point read back. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))
#define SERIES_ROWS_MAX	   100000u
#define CLASS(member)	   offsetof(struct class_result, member)
#define LATENCY(member)	   offsetof(struct latency, member)
#define LUN_ROW(member)	   offsetof(struct lun_row, member)
#define SERIES_ROW(member) offsetof(struct series_row, member)

#define CLASS_MEMBERS_BESIDE 6 /* errors, lat_ns, few, hist, luns, series */

static const struct field class_fields[] = {
	{.key = "ios", .kind = FIELD_COUNT, .offset = CLASS(ios), .max = INT64_MAX},
	{.key = "bytes", .kind = FIELD_COUNT, .offset = CLASS(bytes), .max = INT64_MAX},
	{.key = "iops", .kind = FIELD_NUMBER, .offset = CLASS(iops)},
	{.key = "mbps", .kind = FIELD_NUMBER, .offset = CLASS(mbps)},
	{.key = "outstanding_mean", .kind = FIELD_NUMBER, .offset = CLASS(outstanding_mean)},
};

#define PERCENTILE(name, index)                                                                    \
	{                                                                                          \
		.key = (name), .kind = FIELD_COUNT, .offset = LATENCY(pct_ns[index]),              \
		.max = INT64_MAX                                                                   \
	}

static const struct field latency_fields[] = {
	{.key = "min", .kind = FIELD_COUNT, .offset = LATENCY(min_ns), .max = INT64_MAX},
	{.key = "mean", .kind = FIELD_NUMBER, .offset = LATENCY(mean_ns)},
	{.key = "stddev", .kind = FIELD_NUMBER, .offset = LATENCY(stddev_ns)},
	{.key = "max", .kind = FIELD_COUNT, .offset = LATENCY(max_ns), .max = INT64_MAX},
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

static bool add(uint64_t *sum, uint64_t value)
{
	*sum += value;
	return *sum <= INT64_MAX;
}

static int check_sum(struct reader *reader, const char *what, uint64_t sum, uint64_t total)
{
	if (sum == total)
		return 0;
	return reader_refuse(reader, "the sum of %s is %ju, not %ju", what, (uintmax_t)sum,
			     (uintmax_t)total);
}

static int check_row_sums(struct reader *reader, const struct sums *sums,
			  const struct class_result *class)
{
	int code = check_sum(reader, "ios", sums->ios, class->ios);

	return code < 0 ? code : check_sum(reader, "bytes", sums->bytes, class->bytes);
}

static int read_error(struct reader *reader, const char *name, const json_t *value,
		      struct class_result *class)
{
	struct error_count *error = class->errors;
	uint64_t total = class_failed_ios(class);
	int known = error_code_from_name(name);

	while (error < class->errors + ERROR_KINDS_MAX && error->code != 0 && error->code != known)
		error++;
	if (known == 0 || error == class->errors + ERROR_KINDS_MAX || error->code == known)
		return reader_refuse(reader, "it is no error, or one too many");
	error->code = known;
	if (reader_count(reader, value, INT64_MAX, &error->count) < 0)
		return -EINVAL;
	if (!add(&total, error->count))
		return reader_refuse(reader, "the sum is too large");
	return 0;
}

static int read_errors(struct reader *reader, const json_t *object, struct class_result *class)
{
	json_t *errors = json_object_get(object, "errors");
	const char *name;
	json_t *value;

	if (reader_member(reader, object, "errors", JSON_OBJECT) == NULL)
		return -EINVAL;
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

static int check_latency(struct reader *reader, const struct latency *latency)
{
	uint64_t last = latency->min_ns;

	for (unsigned i = 0; i < PCT_COUNT; i++) {
		if (latency->pct_ns[i] < last)
			return reader_refuse(reader, "%s does not rise", percentile_name[i]);
		last = latency->pct_ns[i];
	}
	if (latency->max_ns < last)
		return reader_refuse(reader, "max is less than p99_99");
	if (latency->mean_ns < (double)latency->min_ns * (1 - READ_CLOSE) ||
	    latency->mean_ns > (double)latency->max_ns * (1 + READ_CLOSE))
		return reader_refuse(reader, "the mean lies outside min and max");
	return 0;
}

static int read_latency(struct reader *reader, const json_t *object, struct class_result *class)
{
	const json_t *value = json_object_get(object, "lat_ns");
	struct latency *latency = &class->latency;
	size_t depth;
	unsigned few = 0;
	int code;

	if (value == NULL || json_is_null(value) != (class->ios == 0))
		return reader_refuse(reader, "lat_ns must be there if, and only if, there are ios");
	code = reader_array(reader, object, "few", read_few_name, &latency->few);
	if (code < 0 || class->ios == 0)
		return code;
	depth = reader_enter(reader, "lat_ns", 0);
	code = reader_fields(reader, value, latency_fields, COUNT(latency_fields), latency, 1);
	if (code == 0)
		code = reader_array(reader, value, "few", read_few_name, &few);
	if (code == 0 && few != latency->few)
		code = reader_refuse(reader, "few is another than beside it");
	if (code == 0)
		code = check_latency(reader, latency);
	reader_leave(reader, depth);
	return code;
}

/**
 * struct hist_read - the histogram as far as it is read
 * @next: the next bucket is this or a later one
 */
struct hist_read {
	unsigned first, next;
	uint64_t ios;
};

static int read_bucket(struct reader *reader, const json_t *pair, void *arg)
{
	struct hist_read *hist = arg;
	uint64_t upper_ns = 0, count = 0;
	unsigned index;

	if (!json_is_array(pair) || json_array_size(pair) != 2)
		return reader_refuse(reader, "it is no pair of edge and count");
	if (reader_count(reader, json_array_get(pair, 0), INT64_MAX, &upper_ns) < 0 ||
	    reader_count(reader, json_array_get(pair, 1), INT64_MAX, &count) < 0)
		return -EINVAL;
	index = upper_ns > 0 ? histogram_index(upper_ns - 1) : HISTOGRAM_BUCKETS;
	if (index >= HISTOGRAM_BUCKETS || histogram_upper_ns(index) != upper_ns)
		return reader_refuse(reader, "%ju ns is no edge of a bucket", (uintmax_t)upper_ns);
	if (index < hist->next)
		return reader_refuse(reader, "%ju ns does not rise", (uintmax_t)upper_ns);
	if (count == 0 || !add(&hist->ios, count))
		return reader_refuse(reader, "a count of %ju cannot be", (uintmax_t)count);
	if (hist->next == 0)
		hist->first = index;
	hist->next = index + 1;
	reader->histogram->count[index] = count;
	return 0;
}

static int pack(struct reader *reader, struct slice *slice)
{
	size_t size = histogram_pack(reader->histogram, NULL);
	uint8_t *packed = malloc(size + 1);
	int code = -ENOMEM;

	slice->at = reader->results->packed_count;
	slice->count = size;
	if (packed != NULL) {
		histogram_pack(reader->histogram, packed);
		code = results_push_packed(reader->results, packed, size);
	}
	free(packed);
	return code < 0 ? reader_no_memory(reader) : 0;
}

static int read_hist(struct reader *reader, const json_t *object, struct class_result *class)
{
	const struct latency *latency = &class->latency;
	struct hist_read hist = {0};
	size_t depth;
	int code;

	histogram_reset(reader->histogram);
	code = reader_array(reader, object, "hist", read_bucket, &hist);
	if (code < 0)
		return code;
	depth = reader_enter(reader, "hist", 0);
	code = check_sum(reader, "counts", hist.ios, class->ios);
	if (code == 0 && class->ios > 0 &&
	    (hist.first != histogram_index(latency->min_ns) ||
	     hist.next - 1 != histogram_index(latency->max_ns)))
		code = reader_refuse(reader, "min or max lies in another bucket");
	reader_leave(reader, depth);
	return code < 0 ? code : pack(reader, &class->hist);
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
	if (!add(&rows->sums.ios, row.ios) || !add(&rows->sums.bytes, row.bytes) ||
	    !add(&rows->sums.errors, row.errors))
		return reader_refuse(reader, "the sum is too large");
	rows->next_lun = row.lun + 1;
	return results_push_lun_row(reader->results, &row) < 0 ? reader_no_memory(reader) : 0;
}

static int read_luns(struct reader *reader, const json_t *object, struct class_result *class)
{
	struct rows_read rows = {0};
	size_t depth;
	int code;

	class->luns.at = reader->results->lun_row_count;
	code = reader_array(reader, object, "luns", read_lun_row, &rows);
	class->luns.count = reader->results->lun_row_count - class->luns.at;
	if (code < 0)
		return code;
	depth = reader_enter(reader, "luns", 0);
	code = check_row_sums(reader, &rows.sums, class);
	if (code == 0)
		code = check_sum(reader, "errors", rows.sums.errors, class_failed_ios(class));
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
	if (!add(&rows->sums.ios, row.ios) || !add(&rows->sums.bytes, row.bytes))
		return reader_refuse(reader, "the sum is too large");
	return results_push_series(reader->results, &row) < 0 ? reader_no_memory(reader) : 0;
}

static int read_series(struct reader *reader, const json_t *object, struct class_result *class)
{
	struct rows_read rows = {0};
	size_t depth;
	int code;

	class->series.at = reader->results->series_count;
	code = reader_array(reader, object, "series", read_interval, &rows);
	class->series.count = reader->results->series_count - class->series.at;
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
	if (seconds == 0 && class->ios > 0)
		return reader_refuse(reader, "there are ios, but no seconds");
	if (class->bytes / io_bytes != class->ios || class->bytes % io_bytes != 0)
		return reader_refuse(reader, "bytes are not %u for each of ios", io_bytes);
	if (seconds > 0 && !read_is_close(class->iops * seconds, (double)class->ios))
		return reader_refuse(reader, "iops is not ios a second");
	if (seconds > 0 && !read_is_close(class->mbps * seconds * 0x1p20, (double)class->bytes))
		return reader_refuse(reader, "mbps is not bytes a second");
	return 0;
}

int read_class(struct reader *reader, const json_t *object, struct class_result *class,
	       double seconds, uint32_t io_bytes)
{
	int code = reader_fields(reader, object, class_fields, COUNT(class_fields), class,
				 CLASS_MEMBERS_BESIDE);

	class->present = true;
	if (code == 0)
		code = check_rates(reader, class, seconds, io_bytes);
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
