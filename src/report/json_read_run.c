/* The run as a whole read back: names, settings, host, LUNs. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "json_read_private.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SEED_MAX ((UINT64_C(1) << 53) - 1)
#define NAME(function, type)                                                                       \
	static const char *function##_at(unsigned index)                                           \
	{                                                                                          \
		return function((type)index);                                                      \
	}

NAME(run_type_name, enum run_type)
NAME(matrix_type_name, enum matrix_type)
NAME(large_type_name, enum large_type)
NAME(lun_layout_name, enum lun_layout)
NAME(point_order_name, enum point_order)

#define RUN(member)    offsetof(struct run_info, member)
#define HOST(member)   offsetof(struct host_info, member)
#define LUN(member)    offsetof(struct lun_info, member)
#define ISSUED(member) offsetof(struct io_count, member)

static const struct field name_fields[] = {
	{.key = "calib_version",
	 .kind = FIELD_CHARS,
	 .offset = RUN(version),
	 .max = sizeof(((struct run_info *)0)->version)},
	{.key = "testname", .kind = FIELD_TEXT, .offset = RUN(testname)},
	{.key = "prefix", .kind = FIELD_TEXT, .offset = RUN(prefix)},
	{.key = "command_line", .kind = FIELD_TEXT, .offset = RUN(command_line), .foreign = true},
	{.key = "seed", .kind = FIELD_COUNT, .offset = RUN(seed), .max = SEED_MAX, .foreign = true},
	{.key = "started", .kind = FIELD_TIME, .offset = RUN(started), .foreign = true},
};

static const struct field setting_fields[] = {
	{.key = "run",
	 .kind = FIELD_WORD,
	 .offset = RUN(run),
	 .max = RUN_ADVANCED + 1,
	 .word = run_type_name_at,
	 .foreign = true},
	{.key = "matrix",
	 .kind = FIELD_WORD,
	 .offset = RUN(matrix),
	 .max = MATRIX_MAX + 1,
	 .word = matrix_type_name_at,
	 .foreign = true},
	{.key = "small_bytes",
	 .kind = FIELD_COUNT,
	 .offset = RUN(small_bytes),
	 .max = IO_BYTES_MAX,
	 .foreign = true},
	{.key = "large_bytes",
	 .kind = FIELD_COUNT,
	 .offset = RUN(large_bytes),
	 .max = IO_BYTES_MAX,
	 .foreign = true},
	{.key = "large_type",
	 .kind = FIELD_WORD,
	 .offset = RUN(large_type),
	 .max = LARGE_RAND + 1,
	 .word = large_type_name_at,
	 .foreign = true},
	{.key = "stream_ios",
	 .kind = FIELD_COUNT32,
	 .offset = RUN(stream_ios),
	 .max = LEVEL_MAX,
	 .foreign = true},
	{.key = "simulate",
	 .kind = FIELD_WORD,
	 .offset = RUN(layout),
	 .max = LAYOUT_RAID0 + 1,
	 .word = lun_layout_name_at,
	 .foreign = true},
	{.key = "stripe_bytes",
	 .kind = FIELD_COUNT,
	 .offset = RUN(stripe_bytes),
	 .max = INT64_MAX,
	 .nullable = true},
	{.key = "write_pct",
	 .kind = FIELD_COUNT32,
	 .offset = RUN(write_pct),
	 .max = 100,
	 .foreign = true},
	{.key = "cache_bytes",
	 .kind = FIELD_COUNT,
	 .offset = RUN(cache_bytes),
	 .max = INT64_MAX,
	 .nullable = true},
	{.key = "cache_fill_s",
	 .kind = FIELD_SECONDS,
	 .offset = RUN(cache_fill_ns),
	 .foreign = true,
	 .optional = true},
	{.key = "duration_s", .kind = FIELD_SECONDS, .offset = RUN(duration_ns), .foreign = true},
	{.key = "ramp_s", .kind = FIELD_SECONDS, .offset = RUN(ramp_ns), .foreign = true},
	{.key = "num_disks",
	 .kind = FIELD_COUNT32,
	 .offset = RUN(num_disks),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "repeat", .kind = FIELD_COUNT32, .offset = RUN(repeat), .max = UINT32_MAX},
	{.key = "order",
	 .kind = FIELD_WORD,
	 .offset = RUN(order),
	 .max = ORDER_SHUFFLED + 1,
	 .word = point_order_name_at,
	 .foreign = true},
	{.key = "has_small", .kind = FIELD_FLAG, .offset = RUN(has_small)},
	{.key = "has_large", .kind = FIELD_FLAG, .offset = RUN(has_large)},
	{.key = "total_points",
	 .kind = FIELD_SIZE,
	 .offset = RUN(total_points),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "run_points",
	 .kind = FIELD_SIZE,
	 .offset = RUN(run_points),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "engine", .kind = FIELD_TEXT, .offset = RUN(engine), .nullable = true},
	{.key = "engine_reason",
	 .kind = FIELD_TEXT,
	 .offset = RUN(engine_reason),
	 .nullable = true},
	{.key = "buffer_pages",
	 .kind = FIELD_CHARS,
	 .offset = RUN(buffer_pages),
	 .max = sizeof(((struct run_info *)0)->buffer_pages),
	 .nullable = true},
};

static const struct field host_fields[] = {
	{.key = "hostname",
	 .kind = FIELD_CHARS,
	 .offset = HOST(hostname),
	 .max = sizeof(((struct host_info *)0)->hostname),
	 .nullable = true},
	{.key = "kernel",
	 .kind = FIELD_CHARS,
	 .offset = HOST(kernel),
	 .max = sizeof(((struct host_info *)0)->kernel),
	 .nullable = true},
	{.key = "cpu",
	 .kind = FIELD_CHARS,
	 .offset = HOST(cpu),
	 .max = sizeof(((struct host_info *)0)->cpu),
	 .nullable = true},
	{.key = "cpus",
	 .kind = FIELD_COUNT32,
	 .offset = HOST(cpus),
	 .max = UINT32_MAX,
	 .nullable = true},
	{.key = "memory_bytes",
	 .kind = FIELD_COUNT,
	 .offset = HOST(memory_bytes),
	 .max = INT64_MAX,
	 .nullable = true},
};

static const struct field issued_fields[] = {
	{.key = "reads", .kind = FIELD_COUNT, .offset = ISSUED(reads), .max = INT64_MAX},
	{.key = "read_bytes", .kind = FIELD_COUNT, .offset = ISSUED(read_bytes), .max = INT64_MAX},
	{.key = "writes", .kind = FIELD_COUNT, .offset = ISSUED(writes), .max = INT64_MAX},
	{.key = "write_bytes",
	 .kind = FIELD_COUNT,
	 .offset = ISSUED(write_bytes),
	 .max = INT64_MAX},
};

/**
 * struct kernel_read - the counters of one LUN, and the sums that stand beside them
 */
struct kernel_read {
	struct kernel_count count;
	uint64_t ios, merges, sectors;
};

#define KERNEL(name, member)                                                                       \
	{                                                                                          \
		.key = (name), .kind = FIELD_COUNT,                                                \
		.offset = offsetof(struct kernel_read, member), .max = INT64_MAX / 2               \
	}

static const struct field kernel_fields[] = {
	KERNEL("ios", ios),
	KERNEL("merges", merges),
	KERNEL("sectors", sectors),
	KERNEL("read_ios", count.read_ios),
	KERNEL("read_merges", count.read_merges),
	KERNEL("read_sectors", count.read_sectors),
	KERNEL("write_ios", count.write_ios),
	KERNEL("write_merges", count.write_merges),
	KERNEL("write_sectors", count.write_sectors),
};

/**
 * struct lun_read - a LUN, and what does not stand so in its struct
 */
struct lun_read {
	struct lun_info info;
	uint32_t host;
	bool rotational;
	uint64_t nr_requests;
	char kind[8];
};

#define LUN_MEMBERS_BESIDE 2 /* issued, kernel */

static const struct field lun_fields[] = {
	{.key = "path", .kind = FIELD_TEXT, .offset = LUN(path)},
	{.key = "kind",
	 .kind = FIELD_CHARS,
	 .offset = offsetof(struct lun_read, kind),
	 .max = sizeof(((struct lun_read *)0)->kind),
	 .foreign = true},
	{.key = "size_bytes", .kind = FIELD_COUNT, .offset = LUN(size_bytes), .max = INT64_MAX},
	{.key = "used_bytes",
	 .kind = FIELD_COUNT,
	 .offset = LUN(used_bytes),
	 .max = INT64_MAX,
	 .foreign = true},
	{.key = "logical_block_bytes",
	 .kind = FIELD_COUNT32,
	 .offset = LUN(logical_block_bytes),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "physical_block_bytes",
	 .kind = FIELD_COUNT32,
	 .offset = LUN(physical_block_bytes),
	 .max = UINT32_MAX,
	 .nullable = true},
	/* one host: another would need a place in the results */
	{.key = "host", .kind = FIELD_COUNT32, .offset = offsetof(struct lun_read, host), .max = 0},
	{.key = "major",
	 .kind = FIELD_COUNT32,
	 .offset = LUN(major),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "minor",
	 .kind = FIELD_COUNT32,
	 .offset = LUN(minor),
	 .max = UINT32_MAX,
	 .foreign = true},
	{.key = "rotational",
	 .kind = FIELD_FLAG,
	 .offset = offsetof(struct lun_read, rotational),
	 .nullable = true},
	{.key = "model", .kind = FIELD_TEXT, .offset = LUN(model), .nullable = true},
	{.key = "scheduler", .kind = FIELD_TEXT, .offset = LUN(scheduler), .nullable = true},
	{.key = "nr_requests",
	 .kind = FIELD_COUNT,
	 .offset = offsetof(struct lun_read, nr_requests),
	 .max = INT64_MAX,
	 .nullable = true},
	{.key = "filesystem", .kind = FIELD_TEXT, .offset = LUN(filesystem), .nullable = true},
};

/* what is printed as it stands */
static int check_plain(struct reader *reader, const char *key, const char *text)
{
	size_t depth = reader_enter(reader, key, 0);
	char quoted[256];
	int code = 0;

	if (strcmp(text_quote(quoted, sizeof(quoted), text), text) != 0)
		code = reader_refuse(reader, "'%s' holds bytes that do not belong there", quoted);
	reader_leave(reader, depth);
	return code;
}

int read_names(struct reader *reader, const json_t *object, size_t others)
{
	struct run_info *run = &reader->results->run;
	int code = reader_fields(reader, object, name_fields, COUNT(name_fields), run, others);

	return code < 0 ? code : check_plain(reader, "calib_version", run->version);
}

static int read_level(struct reader *reader, const json_t *value, void *arg)
{
	struct level_list *levels = arg;
	uint64_t level = 0;
	int code = reader_count(reader, value, LEVEL_MAX, &level);

	if (code < 0)
		return code;
	if (levels->count == LEVELS_MAX)
		return reader_refuse(reader, "there are more than %u", LEVELS_MAX);
	if (levels->count > 0 && level <= levels->value[levels->count - 1])
		return reader_refuse(reader, "%ju does not rise", (uintmax_t)level);
	levels->value[levels->count++] = (uint32_t)level;
	return 0;
}

static unsigned unknown_settings(const json_t *object)
{
	static const struct {
		const char *key;
		enum setting setting;
	} settings[] = {
		{"matrix", SETTING_MATRIX},
		{"large_type", SETTING_LARGE_TYPE},
		{"simulate", SETTING_SIMULATE},
		{"write_pct", SETTING_WRITE_PCT},
	};
	unsigned unknown = 0;

	for (size_t i = 0; i < COUNT(settings); i++)
		if (json_is_null(json_object_get(object, settings[i].key)))
			unknown |= settings[i].setting;
	return unknown;
}

int read_settings(struct reader *reader, const json_t *object)
{
	struct run_info *run = &reader->results->run;
	int code = reader_fields(reader, object, setting_fields, COUNT(setting_fields), run, 2);

	if (code == 0)
		run->unknown = unknown_settings(object);
	if (code == 0)
		code = reader_array(reader, object, "small_levels", read_level, &run->small_levels);
	if (code == 0)
		code = reader_array(reader, object, "large_levels", read_level, &run->large_levels);
	if (code == 0)
		code = check_plain(reader, "buffer_pages", run->buffer_pages);
	run->cache_given = !json_is_null(json_object_get(object, "cache_bytes"));
	return code;
}

int read_host(struct reader *reader, const json_t *object)
{
	return reader_fields(reader, object, host_fields, COUNT(host_fields),
			     &reader->results->run.host, 0);
}

int read_issued(struct reader *reader, const json_t *value, bool *known, struct io_count *issued)
{
	*known = !json_is_null(value);
	if (!*known)
		return 0;
	return reader_fields(reader, value, issued_fields, COUNT(issued_fields), issued, 0);
}

static int read_kernel(struct reader *reader, const json_t *value, struct kernel_count *count)
{
	struct kernel_read read = {0};
	int code;

	if (json_is_null(value))
		return 0;
	code = reader_fields(reader, value, kernel_fields, COUNT(kernel_fields), &read, 0);
	if (code < 0)
		return code;
	if (read.ios != read.count.read_ios + read.count.write_ios ||
	    read.merges != read.count.read_merges + read.count.write_merges ||
	    read.sectors != read.count.read_sectors + read.count.write_sectors)
		return reader_refuse(reader, "its sums are not those of reads and writes");
	*count = read.count;
	count->known = true;
	return 0;
}

/* issued and kernel, with their names in an error */
static int read_counters(struct reader *reader, const json_t *object, struct lun_info *info)
{
	const json_t *issued = json_object_get(object, "issued");
	const json_t *counted = json_object_get(object, "kernel");
	size_t depth;
	int code;

	if (issued == NULL || counted == NULL)
		return reader_refuse(reader, "there is no '%s'",
				     issued == NULL ? "issued" : "kernel");
	depth = reader_enter(reader, "issued", 0);
	code = read_issued(reader, issued, &info->issued_known, &info->issued);
	reader_leave(reader, depth);
	if (code < 0)
		return code;
	depth = reader_enter(reader, "kernel", 0);
	code = read_kernel(reader, counted, &info->kernel);
	reader_leave(reader, depth);
	return code;
}

static int settle_lun(struct reader *reader, const json_t *object, struct lun_read *read)
{
	struct lun_info *info = &read->info;

	info->is_block = strcmp(read->kind, "block") == 0;
	info->foreign = json_is_null(json_object_get(object, "kind"));
	if (!info->is_block && !info->foreign && strcmp(read->kind, "file") != 0)
		return reader_refuse(reader, "it is of an unknown kind");
	if (json_is_boolean(json_object_get(object, "rotational")))
		info->rotational = read->rotational;
	if (json_is_integer(json_object_get(object, "nr_requests")))
		info->nr_requests = (int64_t)read->nr_requests;
	return read_counters(reader, object, info);
}

/* as results_release() does */
static void release_lun(struct lun_info *info)
{
	free(info->path);
	free(info->model);
	free(info->scheduler);
	free(info->filesystem);
}

static int add_lun(struct reader *reader, const struct lun_info *info)
{
	struct results *results = reader->results;
	struct lun_info *grown;

	if (results->lun_count == READ_LUNS_MAX)
		return reader_refuse(reader, "there are more than %u LUNs", READ_LUNS_MAX);
	grown = reallocarray(results->luns, results->lun_count + 1, sizeof(*grown));
	if (grown == NULL)
		return reader_no_memory(reader);
	grown[results->lun_count++] = *info;
	results->luns = grown;
	return 0;
}

int read_lun(struct reader *reader, const json_t *object)
{
	struct lun_read read = {.info = {.rotational = -1, .nr_requests = -1}};
	int code = reader_fields(reader, object, lun_fields, COUNT(lun_fields), &read,
				 LUN_MEMBERS_BESIDE);

	if (code == 0)
		code = settle_lun(reader, object, &read);
	if (code == 0)
		code = add_lun(reader, &read.info);
	if (code < 0)
		release_lun(&read.info);
	return code;
}
