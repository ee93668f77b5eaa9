/* One data point read back. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OUTSTANDING_MAX 100000000u
#define POINT(member)	offsetof(struct point_read, result.member)
#define LOAD(member)	offsetof(struct load, member)

static const char *status_at(unsigned index)
{
	return point_status_name((enum point_status)index);
}

static const char *pattern_at(unsigned index)
{
	return report_pattern_name((enum pattern_type)index);
}

/**
 * struct point_read - a point, and the figures that stand beside it but follow from it
 */
struct point_read {
	struct point_result result;
	double small_iops, large_mbps;
};

static const struct field point_fields[] = {
	{.key = "number", .kind = FIELD_COUNT32, .offset = POINT(point.number), .max = UINT32_MAX},
	{.key = "small", .kind = FIELD_COUNT32, .offset = POINT(point.small), .max = LEVEL_MAX},
	{.key = "large", .kind = FIELD_COUNT32, .offset = POINT(point.large), .max = LEVEL_MAX},
	{.key = "repeat", .kind = FIELD_COUNT32, .offset = POINT(point.repeat), .max = UINT32_MAX},
	{.key = "status",
	 .kind = FIELD_WORD,
	 .offset = POINT(status),
	 .max = POINT_INTERRUPTED + 1,
	 .word = status_at},
	{.key = "started", .kind = FIELD_TIME, .offset = POINT(started), .nullable = true},
	{.key = "finished", .kind = FIELD_TIME, .offset = POINT(finished), .nullable = true},
	{.key = "seconds", .kind = FIELD_NUMBER, .offset = POINT(seconds), .foreign = true},
	{.key = "threads",
	 .kind = FIELD_COUNT32,
	 .offset = POINT(threads),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "small_iops",
	 .kind = FIELD_NUMBER,
	 .offset = offsetof(struct point_read, small_iops),
	 .foreign = true},
	{.key = "large_mbps",
	 .kind = FIELD_NUMBER,
	 .offset = offsetof(struct point_read, large_mbps),
	 .foreign = true},
	{.key = "series_interval_s",
	 .kind = FIELD_NUMBER,
	 .offset = POINT(series_interval_s),
	 .foreign = true},
	{.key = "filled_bytes",
	 .kind = FIELD_COUNT,
	 .offset = POINT(filled_bytes),
	 .max = INT64_MAX,
	 .foreign = true,
	 .optional = true},
	{.key = "filled_s",
	 .kind = FIELD_NUMBER,
	 .offset = POINT(filled_s),
	 .foreign = true,
	 .optional = true},
	{.key = "ramp_s", .kind = FIELD_SECONDS, .offset = POINT(point.ramp_ns), .foreign = true},
	{.key = "duration_s",
	 .kind = FIELD_SECONDS,
	 .offset = POINT(point.duration_ns),
	 .foreign = true},
};

static const struct field cpu_fields[] = {
	{.key = "user_s", .kind = FIELD_NUMBER, .offset = POINT(cpu_user_s)},
	{.key = "system_s", .kind = FIELD_NUMBER, .offset = POINT(cpu_system_s)},
};

static const struct field load_fields[] = {
	{.key = "name", .kind = FIELD_CHARS, .offset = LOAD(name), .max = LOAD_NAME_SIZE},
	{.key = "pattern",
	 .kind = FIELD_WORD,
	 .offset = LOAD(pattern),
	 .max = PATTERN_STREAM + 1,
	 .word = pattern_at,
	 .foreign = true},
	{.key = "bytes",
	 .kind = FIELD_COUNT32,
	 .offset = LOAD(bytes),
	 .max = IO_BYTES_MAX,
	 .foreign = true},
	{.key = "level", .kind = FIELD_COUNT32, .offset = LOAD(level), .max = LEVEL_MAX},
	{.key = "per_level",
	 .kind = FIELD_COUNT32,
	 .offset = LOAD(per_level),
	 .max = LEVEL_MAX,
	 .foreign = true},
	{.key = "write_pct",
	 .kind = FIELD_COUNT32,
	 .offset = LOAD(write_pct),
	 .max = 100,
	 .foreign = true},
	{.key = "rw_flags", .kind = FIELD_COUNT32, .offset = LOAD(rw_flags), .max = UINT32_MAX},
	{.key = "rate_per_s", .kind = FIELD_NUMBER, .offset = LOAD(rate_per_s), .nullable = true},
};

static int read_classes(struct reader *reader, const json_t *object, struct point_result *point)
{
	const json_t *classes = reader_member(reader, object, "classes", JSON_OBJECT);
	size_t depth, read = 0;
	char name[CLASS_NAME_SIZE];
	int code = 0;

	if (classes == NULL)
		return -EINVAL;
	for (unsigned i = 0; i < point->point.load_count * IO_DIRS && code == 0; i++) {
		const struct load *load = &point->point.loads[i / IO_DIRS];
		const json_t *value = json_object_get(
			classes, report_class_name(name, load, (enum io_dir)(i % IO_DIRS)));

		if (value == NULL)
			continue;
		depth = reader_enter(reader, "classes", 0);
		reader_enter(reader, name, 0);
		code = read_class(reader, value, &point->classes[i / IO_DIRS][i % IO_DIRS],
				  point->seconds, load->bytes);
		reader_leave(reader, depth);
		read++;
	}
	if (code == 0 && read < json_object_size(classes))
		code = reader_refuse(reader, "there is a class of no load");
	return code;
}

/* names stand in tables and keys, so nothing that would break them */
static bool is_name(const char *name)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	return name[0] != '\0' && name[strspn(name, good)] == '\0';
}

/* null: unknown, then it is 0 too */
static bool is_zero(const json_t *object, const char *key, uint32_t count)
{
	return count == 0 && !json_is_null(json_object_get(object, key));
}

static int read_load(struct reader *reader, const json_t *value, void *arg)
{
	struct point *point = arg;
	struct load load = {0};
	int code = reader_fields(reader, value, load_fields, COUNT(load_fields), &load, 0);

	if (code < 0)
		return code;
	if (point->load_count == POINT_LOADS_MAX)
		return reader_refuse(reader, "there are more than %u loads", POINT_LOADS_MAX);
	if (!is_name(load.name) || point_load(point, load.name) >= 0)
		return reader_refuse(reader, "its name is no name, or another's");
	if (is_zero(value, "bytes", load.bytes) || load.level == 0 ||
	    is_zero(value, "per_level", load.per_level))
		return reader_refuse(reader, "it is a load of nothing");
	if (load_outstanding(&load) > OUTSTANDING_MAX)
		return reader_refuse(reader, "it is too many outstanding I/Os");
	point->loads[point->load_count++] = load;
	return 0;
}

static uint32_t level_of(const struct point *point, const char *name)
{
	int load = point_load(point, name);

	return load >= 0 ? point->loads[load].level : 0;
}

static int check_point(struct reader *reader, const struct point_read *read)
{
	const struct point *point = &read->result.point;

	if (point->number == 0 || point->repeat == 0)
		return reader_refuse(reader, "number and repeat begin with 1");
	if (point->load_count == 0)
		return reader_refuse(reader, "it has no load");
	if (point->small != level_of(point, "small") || point->large != level_of(point, "large"))
		return reader_refuse(reader, "small and large are not the levels of its loads");
	if (!read_is_close(read->small_iops, point_small_iops(&read->result)))
		return reader_refuse(reader, "small_iops is not that of its classes");
	if (!read_is_close(read->large_mbps, point_large_mbps(&read->result)))
		return reader_refuse(reader, "large_mbps is not that of its classes");
	return 0;
}

static int read_cpu(struct reader *reader, const json_t *object, struct point_read *read)
{
	const json_t *cpu;
	size_t depth;
	int code;

	if (reader_is_null(reader, object, "cpu"))
		return 0;
	cpu = reader_member(reader, object, "cpu", JSON_OBJECT);
	if (cpu == NULL)
		return -EINVAL;
	depth = reader_enter(reader, "cpu", 0);
	code = reader_fields(reader, cpu, cpu_fields, COUNT(cpu_fields), read, 0);
	reader_leave(reader, depth);
	return code;
}

/**
 * struct own_warning - what a point's own warnings are read with
 */
struct own_warning {
	uint32_t point;
	bool keep;
};

static int read_own_warning(struct reader *reader, const json_t *value, void *arg)
{
	const struct own_warning *own = arg;
	const json_t *point = json_object_get(value, "point");

	if (!json_is_integer(point) || json_integer_value(point) != own->point)
		return reader_refuse(reader, "it is not of this point");
	reader->own_warnings++;
	return own->keep ? read_warning(reader, value) : 0;
}

static void tell(struct told *told, enum figure figure, const json_t *value)
{
	if (!json_is_number(value))
		return;
	told->has |= 1u << figure;
	told->value[figure] = json_number_value(value);
}

/* The figures of both directions together, where they follow from no class: another program has
 * told them. One of a load that the point has not is 0, and is none. */
static int read_told(struct reader *reader, const json_t *object, struct point_result *point)
{
	static const struct field field = {
		.key = "small_latency_ns", .kind = FIELD_NUMBER, .nullable = true};
	double unused;
	int code;

	if (json_object_get(object, field.key) == NULL)
		return 0;
	reader_refuse(reader, "'%s' is no figure of a run of calib", field.key);
	reader_defer(reader);
	code = reader_fields(reader, object, &field, 1, &unused, READ_ANY);
	point->told.is = true;
	if (code < 0)
		return code;
	if (point->point.small > 0) {
		tell(&point->told, FIGURE_SMALL_IOPS, json_object_get(object, "small_iops"));
		tell(&point->told, FIGURE_SMALL_LATENCY_NS, json_object_get(object, field.key));
	}
	if (point->point.large > 0)
		tell(&point->told, FIGURE_LARGE_MBPS, json_object_get(object, "large_mbps"));
	return 0;
}

static int read_members(struct reader *reader, const json_t *object, struct point_read *read)
{
	struct point_result *point = &read->result;
	bool told = json_object_get(object, "small_latency_ns") != NULL;
	int code =
		reader_fields(reader, object, point_fields, COUNT(point_fields), read, 4u + told);

	if (code == 0)
		code = read_told(reader, object, point);
	if (code == 0)
		code = read_cpu(reader, object, read);
	if (code == 0)
		code = reader_array(reader, object, "loads", read_load, &point->point);
	if (code == 0)
		code = read_classes(reader, object, point);
	if (code == 0)
		code = check_point(reader, read);
	return code;
}

int read_point(struct reader *reader, const json_t *object, bool keep_warnings)
{
	struct point_read read = {0};
	struct own_warning own = {.keep = keep_warnings};
	int code = read_members(reader, object, &read);

	if (code == 0 && reader->results->point_count == READ_POINTS_MAX)
		code = reader_refuse(reader, "there are more than %u points", READ_POINTS_MAX);
	if (code == 0 && results_append(reader->results, &read.result) < 0)
		code = reader_no_memory(reader);
	own.point = read.result.point.number;
	return code < 0 ? code : reader_array(reader, object, "warnings", read_own_warning, &own);
}
