/* The results of a run read back from its JSON document. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "json_read_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA	     "calib-results/"
#define PARTS	     6 /* members of the document: schema, and those of parts[] */
#define SIGNAL_MAX   64
#define KEY_SIZE_MAX 64

/**
 * struct document - the document as far as it is read
 * @rest: the members that are no streamed array, whole
 * @kept: bytes that they have in the file
 * @seen: bit i: streams[i] was there
 */
struct document {
	struct reader *reader;
	json_t *rest;
	size_t kept;
	unsigned seen;
};

static int read_document_point(struct reader *reader, const json_t *value)
{
	return read_point(reader, value, false);
}

/* the arrays that may be long: their elements are read one by one */
static const struct stream {
	const char *key;
	int (*read)(struct reader *reader, const json_t *value);
} streams[] = {
	{"luns", read_lun},
	{"points", read_document_point},
	{"warnings", read_warning},
};

int read_schema(struct reader *reader, const json_t *schema, const char *name)
{
	const char *text = json_string_value(schema);
	char quoted[KEY_SIZE_MAX];

	if (text == NULL || strncmp(text, name, strlen(name)) != 0)
		return reader_refuse(reader, "it is no file of calib: its schema is not '%s1'",
				     name);
	if (strcmp(text + strlen(name), "1") != 0)
		return reader_refuse(reader,
				     "its schema '%s' is not '%s1': another version of calib "
				     "wrote it",
				     text_quote(quoted, sizeof(quoted), text), name);
	return 0;
}

static int read_element_of(struct reader *reader, const struct stream *stream)
{
	json_t *value = reader_value(reader);
	int code = value == NULL ? reader->err->code : stream->read(reader, value);

	json_decref(value);
	return code;
}

static int read_stream(struct reader *reader, const struct stream *stream)
{
	size_t depth = reader_enter(reader, stream->key, 0);
	int code = reader_take(reader, '[');
	size_t i = 0;

	if (code == 0 && reader_next(reader) == ']')
		code = 1;
	while (code == 0) {
		size_t inner = reader_enter(reader, NULL, i++);

		code = read_element_of(reader, stream);
		reader_leave(reader, inner);
		if (code == 0 && reader_next(reader) == ']')
			code = 1;
		else if (code == 0)
			code = reader_take(reader, ',');
	}
	reader_leave(reader, depth);
	return code < 0 ? code : reader_take(reader, ']');
}

static int keep_member(struct document *document, const char *key)
{
	struct reader *reader = document->reader;
	json_t *value = reader_value(reader);
	int code = value == NULL ? reader->err->code : 0;

	document->kept += reader->given;
	if (code == 0 && document->kept > READ_VALUE_MAX)
		code = reader_refuse(reader, "its members beside luns, points and warnings are "
					     "too large");
	/* at once: what follows in another's file would be refused in words that lead astray */
	if (code == 0 && strcmp(key, "schema") == 0)
		code = read_schema(reader, value, SCHEMA);
	if (code < 0)
		json_decref(value);
	else if (json_object_set_new(document->rest, key, value) < 0)
		code = reader_no_memory(reader);
	return code;
}

static int read_member(struct document *document, const char *key)
{
	struct reader *reader = document->reader;

	for (unsigned i = 0; i < COUNT(streams); i++) {
		if (strcmp(key, streams[i].key) != 0)
			continue;
		if (document->seen >> i & 1)
			return reader_refuse(reader, "there is '%s' twice", key);
		document->seen |= 1u << i;
		return read_stream(reader, &streams[i]);
	}
	if (json_object_get(document->rest, key) != NULL)
		return reader_refuse(reader, "there is a member twice at line %ju",
				     (uintmax_t)reader->line);
	return keep_member(document, key);
}

static int read_key_and_value(struct document *document)
{
	struct reader *reader = document->reader;
	json_t *key = reader_next(reader) == '"' ? reader_value(reader) : NULL;
	int code;

	if (key == NULL)
		return reader->err->code < 0 ? reader->err->code : reader_take(reader, '"');
	code = reader_take(reader, ':');
	if (code == 0)
		code = read_member(document, json_string_value(key));
	json_decref(key);
	return code;
}

static int read_members(struct document *document)
{
	struct reader *reader = document->reader;
	int code = reader_take(reader, '{');
	bool more = code == 0 && reader_next(reader) != '}';

	while (more) {
		code = read_key_and_value(document);
		more = code == 0 && reader_next(reader) != '}';
		if (more)
			code = reader_take(reader, ',');
		more = more && code == 0;
	}
	if (code == 0)
		code = reader_take(reader, '}');
	if (code == 0 && reader_next(reader) >= 0)
		code = reader_refuse_line(reader, reader->line, "something follows the end");
	return code;
}

static int read_signal(struct reader *reader, const json_t *value)
{
	const char *name = json_string_value(value);
	int *number = &reader->results->run.signal;

	if (json_is_integer(value) && json_integer_value(value) > 0 &&
	    json_integer_value(value) <= SIGNAL_MAX)
		*number = (int)json_integer_value(value);
	for (int i = 1; name != NULL && strncmp(name, "SIG", 3) == 0 && i <= SIGNAL_MAX; i++)
		if (sigabbrev_np(i) != NULL && strcmp(name + 3, sigabbrev_np(i)) == 0)
			*number = i;
	if (*number == 0 && !json_is_null(value))
		return reader_refuse(reader, "it is no signal");
	return 0;
}

static const char *status_at(unsigned index)
{
	return run_status_name((enum run_status)index);
}

static const struct field end_fields[] = {
	{.key = "finished",
	 .kind = FIELD_TIME,
	 .offset = offsetof(struct run_info, finished),
	 .nullable = true},
	{.key = "status",
	 .kind = FIELD_WORD,
	 .offset = offsetof(struct run_info, status),
	 .max = RUN_FAILED + 1,
	 .word = status_at},
};

static const struct field best_fields[] = {
	{.key = "value", .kind = FIELD_NUMBER, .offset = offsetof(struct best_value, value)},
	{.key = "small",
	 .kind = FIELD_COUNT32,
	 .offset = offsetof(struct best_value, small),
	 .max = LEVEL_MAX},
	{.key = "large",
	 .kind = FIELD_COUNT32,
	 .offset = offsetof(struct best_value, large),
	 .max = LEVEL_MAX},
	{.key = "point",
	 .kind = FIELD_COUNT32,
	 .offset = offsetof(struct best_value, point),
	 .max = UINT32_MAX},
};

/* it follows from the points, so it was computed while they were read */
static int check_best(struct reader *reader, const json_t *object, const char *key,
		      const struct best_value *best)
{
	const json_t *value = json_object_get(object, key);
	size_t depth = reader_enter(reader, key, 0);
	struct best_value read = {0};
	int code = 0;

	if (value == NULL || json_is_null(value) == best->known)
		code = reader_refuse(reader, "it does not follow from the points");
	else if (best->known)
		code = reader_fields(reader, value, best_fields, COUNT(best_fields), &read, 0);
	if (code == 0 && (read.small != best->small || read.large != best->large ||
			  read.point != best->point || !read_is_close(read.value, best->value)))
		code = reader_refuse(reader, "it does not follow from the points");
	reader_leave(reader, depth);
	return code;
}

static int check_bests(struct reader *reader, const json_t *object)
{
	const struct best *best = &reader->results->best;
	int code = check_best(reader, object, "max_iops", &best->max_iops);

	if (code == 0)
		code = check_best(reader, object, "max_mbps", &best->max_mbps);
	if (code == 0)
		code = check_best(reader, object, "min_latency_ns", &best->min_latency_ns);
	return code;
}

static int check_issued(struct reader *reader, const json_t *value)
{
	struct io_count read = {0}, sum;
	bool known, sum_known = results_issued(reader->results, &sum);
	int code = read_issued(reader, value, &known, &read);

	if (code == 0 && (known != sum_known || (known && memcmp(&read, &sum, sizeof(sum)) != 0)))
		code = reader_refuse(reader, "it is not the sum over the LUNs");
	return code;
}

/**
 * struct part - a member of the document that a function of its own reads
 */
static const struct part {
	const char *key;
	int (*read)(struct reader *reader, const json_t *value);
} parts[] = {
	{"settings", read_settings}, {"host", read_host},      {"signal", read_signal},
	{"best", check_bests},	     {"issued", check_issued},
};

int read_part(struct reader *reader, const json_t *object, const char *key,
	      int (*read)(struct reader *reader, const json_t *value))
{
	const json_t *value = json_object_get(object, key);
	size_t depth;
	int code;

	if (value == NULL)
		return reader_refuse(reader, "there is no '%s'", key);
	depth = reader_enter(reader, key, 0);
	code = read(reader, value);
	reader_leave(reader, depth);
	return code;
}

static int read_rest(struct document *document)
{
	struct reader *reader = document->reader;
	const json_t *source = json_object_get(document->rest, "source");
	int code = read_schema(reader, json_object_get(document->rest, "schema"), SCHEMA);

	if (code == 0 && source != NULL)
		code = read_part(reader, document->rest, "source", read_source);
	if (code == 0)
		code = reader_check_known(reader);
	for (unsigned i = 0; i < COUNT(streams) && code == 0; i++)
		if (!(document->seen >> i & 1))
			code = reader_refuse(reader, "there is no '%s'", streams[i].key);
	if (code == 0)
		code = read_names(reader, document->rest,
				  COUNT(end_fields) + PARTS + (source != NULL));
	if (code == 0)
		code = reader_fields(reader, document->rest, end_fields, COUNT(end_fields),
				     &reader->results->run, READ_ANY);
	for (unsigned i = 0; i < COUNT(parts) && code == 0; i++)
		code = read_part(reader, document->rest, parts[i].key, parts[i].read);
	return code;
}

int json_read(struct results *results, const char *path, bool *more_keys, struct error *err)
{
	struct document document = {.reader = reader_open(results, path, err)};
	int code;

	if (document.reader == NULL)
		return err->code;
	document.rest = json_object();
	code = document.rest == NULL ? reader_no_memory(document.reader) : read_members(&document);
	if (code == 0)
		code = read_rest(&document);
	if (code == 0)
		code = read_check(document.reader);
	*more_keys = document.reader->more_keys;
	json_decref(document.rest);
	reader_free(document.reader);
	return code;
}
