/* Members of JSON objects read into members of structs. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "calib/units.h"
#include "json_read_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_MAX	   ((long double)INT64_MAX)
#define NEIGHBOURS 3
#define MANTISSA   53 /* bits of a double */

static const char *const type_name[] = {
	[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",
	[JSON_STRING] = "a string",  [JSON_INTEGER] = "a whole number",
	[JSON_REAL] = "a number",    [JSON_TRUE] = "true",
	[JSON_FALSE] = "false",	     [JSON_NULL] = "null",
};

static int refuse_type(struct reader *reader, const json_t *value, const char *wanted)
{
	return reader_refuse(reader, "%s is expected, not %s", wanted,
			     type_name[json_typeof(value)]);
}

int reader_count(struct reader *reader, const json_t *value, uint64_t max, uint64_t *count)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value))
		return refuse_type(reader, value, "a whole number");
	if (number < 0)
		return reader_refuse(reader, "%lld is negative", (long long)number);
	if ((uint64_t)number > max)
		return reader_refuse(reader, "%lld is more than %ju", (long long)number,
				     (uintmax_t)max);
	*count = (uint64_t)number;
	return 0;
}

static int read_count32(struct reader *reader, const json_t *value, const struct field *field,
			void *member)
{
	uint64_t count = 0;
	int code = reader_count(reader, value, field->max, &count);
	uint32_t narrow = (uint32_t)count;

	if (code == 0)
		memcpy(member, &narrow, sizeof(narrow));
	return code;
}

static int read_size(struct reader *reader, const json_t *value, const struct field *field,
		     size_t *member)
{
	uint64_t count = 0;
	int code = reader_count(reader, value, field->max, &count);

	if (code == 0)
		*member = (size_t)count;
	return code;
}

static int read_number(struct reader *reader, const json_t *value, double *member)
{
	if (!json_is_number(value))
		return refuse_type(reader, value, "a number");
	*member = json_number_value(value);
	if (!(*member >= 0))
		return reader_refuse(reader, "%g is negative", *member);
	return 0;
}

/* the ns that are written as that many seconds; a double holds no more than 53 bits of them */
static bool to_ns(double seconds, uint64_t *ns)
{
	long double exact = (long double)seconds * (long double)NS_PER_S;
	uint64_t near, step = 1;

	if (!(exact < NS_MAX))
		return false;
	near = (uint64_t)(exact + 0.5L);
	while (near / step >> MANTISSA != 0)
		step *= 2;
	*ns = near;
	for (int64_t i = -NEIGHBOURS; i <= NEIGHBOURS; i++) {
		uint64_t other = near + (uint64_t)i * step;

		if ((double)other / (double)NS_PER_S == seconds)
			*ns = other;
	}
	return true;
}

static int read_seconds(struct reader *reader, const json_t *value, uint64_t *member)
{
	double seconds = 0;
	int code = read_number(reader, value, &seconds);

	if (code == 0 && !to_ns(seconds, member))
		return reader_refuse(reader, "%g seconds are too long", seconds);
	return code;
}

static int read_flag(struct reader *reader, const json_t *value, bool *member)
{
	if (!json_is_boolean(value))
		return refuse_type(reader, value, "true or false");
	*member = json_is_true(value);
	return 0;
}

static int read_word(struct reader *reader, const json_t *value, const struct field *field,
		     void *member)
{
	const char *text = json_string_value(value);
	char quoted[64];

	if (text == NULL)
		return refuse_type(reader, value, "a string");
	for (unsigned i = 0; i < field->max; i++)
		if (strcmp(text, field->word(i)) == 0) {
			memcpy(member, &i, sizeof(i));
			return 0;
		}
	return reader_refuse(reader, "'%s' is none of the words that belong here",
			     text_quote(quoted, sizeof(quoted), text));
}

/* as sscanf() reads it, which is not strict; the caller writes it again and compares */
static bool scan_time(const char *text, struct timespec *time, int32_t *offset_s)
{
	int ms, hours, minutes;
	struct tm tm = {0};
	char sign;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d%c%2d:%2d", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms, &sign, &hours,
		   &minutes) != 10)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*offset_s = (sign == '-' ? -60 : 60) * (hours * 60 + minutes);
	time->tv_sec = timegm(&tm) - *offset_s;
	time->tv_nsec = ms * (long)NS_PER_MS;
	return true;
}

static int read_time(struct reader *reader, const json_t *value, struct timespec *member)
{
	const char *text = json_string_value(value);
	struct run_info *run = &reader->results->run;
	char again[TIME_SIZE], quoted[TIME_SIZE];
	int32_t offset_s = 0;

	if (text == NULL)
		return refuse_type(reader, value, "a string");
	text_quote(quoted, sizeof(quoted), text);
	if (!scan_time(text, member, &offset_s))
		return reader_refuse(reader, "'%s' is no time", quoted);
	if (!reader->offset_known)
		run->utc_offset_s = offset_s;
	reader->offset_known = true;
	if (report_time(again, reader->results, *member) == NULL || strcmp(again, text) != 0)
		return reader_refuse(reader, "'%s' is no time, or has another offset than others",
				     quoted);
	return 0;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c != '\0' ? strchr(digits, c) : NULL;

	return found != NULL ? (int)(found - digits) : -1;
}

/* NULL: no such bytes, or no memory */
static char *from_hex(const char *hex)
{
	size_t length = strlen(hex) / 2;
	char *bytes = strlen(hex) % 2 == 0 ? malloc(length + 1) : NULL;

	if (bytes == NULL)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		int high = hex_digit(hex[2 * i]);
		int low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0 || high + low == 0) {
			free(bytes);
			return NULL;
		}
		bytes[i] = (char)(high * 16 + low);
	}
	bytes[length] = '\0';
	return bytes;
}

/* that of <key>_hex, where it is there; its bytes, shown, are the text */
static char *hex_text(struct reader *reader, const json_t *hex, const char *text)
{
	char *bytes = json_is_string(hex) ? from_hex(json_string_value(hex)) : NULL;
	size_t size = bytes != NULL ? 4 * strlen(bytes) + 1 : 0;
	char *shown = bytes != NULL ? malloc(size) : NULL;

	if (shown == NULL || strcmp(text_quote(shown, size, bytes), text) != 0) {
		reader_refuse(reader, "the hexadecimal bytes beside it are others");
		free(bytes);
		bytes = NULL;
	}
	free(shown);
	return bytes;
}

/**
 * read_string - a text as the bytes that it was
 * @members: rises by one where there are hexadecimal bytes beside it
 *
 * Answers it, to be freed; NULL where it is refused.
 */
static char *read_string(struct reader *reader, const json_t *object, const char *key,
			 const json_t *value, size_t *members)
{
	const json_t *hex;
	char hex_key[64];
	char *copy;

	if (!json_is_string(value)) {
		refuse_type(reader, value, "a string");
		return NULL;
	}
	snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
	hex = json_object_get(object, hex_key);
	if (hex != NULL) {
		(*members)++;
		return hex_text(reader, hex, json_string_value(value));
	}
	copy = strdup(json_string_value(value));
	if (copy == NULL)
		reader_no_memory(reader);
	return copy;
}

static int store_text(char **member, char *text)
{
	free(*member);
	*member = text;
	return 0;
}

static int store_chars(struct reader *reader, char *member, size_t size, char *text)
{
	int code = 0;

	if (strlen(text) >= size)
		code = reader_refuse(reader, "it is longer than %zu bytes", size - 1);
	else
		strcpy(member, text);
	free(text);
	return code;
}

static int read_text(struct reader *reader, const json_t *object, const struct field *field,
		     const json_t *value, void *member, size_t *members)
{
	char *text = read_string(reader, object, field->key, value, members);

	if (text == NULL)
		return reader->err->code;
	if (field->kind == FIELD_CHARS)
		return store_chars(reader, member, (size_t)field->max, text);
	return store_text(member, text);
}

static int read_field(struct reader *reader, const json_t *object, const struct field *field,
		      const json_t *value, void *member, size_t *members)
{
	switch (field->kind) {
	case FIELD_COUNT:
		return reader_count(reader, value, field->max, member);
	case FIELD_COUNT32:
		return read_count32(reader, value, field, member);
	case FIELD_SIZE:
		return read_size(reader, value, field, member);
	case FIELD_NUMBER:
		return read_number(reader, value, member);
	case FIELD_FLAG:
		return read_flag(reader, value, member);
	case FIELD_TEXT:
	case FIELD_CHARS:
		return read_text(reader, object, field, value, member, members);
	case FIELD_WORD:
		return read_word(reader, value, field, member);
	case FIELD_TIME:
		return read_time(reader, value, member);
	case FIELD_SECONDS:
		return read_seconds(reader, value, member);
	}
	return -EINVAL;
}

bool reader_is_null(struct reader *reader, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	size_t depth = reader_enter(reader, key, 0);
	bool is_null = json_is_null(value);

	if (is_null) {
		reader_refuse(reader, "it is null");
		reader_defer(reader);
	}
	reader_leave(reader, depth);
	return is_null;
}

const json_t *reader_member(struct reader *reader, const json_t *object, const char *key,
			    json_type type)
{
	const json_t *value = json_object_get(object, key);
	size_t depth;

	if (value == NULL) {
		reader_refuse(reader, "there is no '%s'", key);
		return NULL;
	}
	if (json_typeof(value) == type)
		return value;
	depth = reader_enter(reader, key, 0);
	refuse_type(reader, value, type_name[type]);
	reader_leave(reader, depth);
	return NULL;
}

int reader_fields(struct reader *reader, const json_t *object, const struct field fields[],
		  size_t count, void *base, size_t others)
{
	size_t members = count + others;

	if (!json_is_object(object))
		return refuse_type(reader, object, "an object");
	for (size_t i = 0; i < count; i++) {
		const struct field *field = &fields[i];
		const json_t *value = json_object_get(object, field->key);
		size_t depth;
		int code = 0;

		if (value == NULL && field->optional) {
			members--;
			continue;
		}
		if (value == NULL)
			return reader_refuse(reader, "there is no '%s'", field->key);
		depth = reader_enter(reader, field->key, 0);
		if (!field->nullable || !json_is_null(value))
			code = read_field(reader, object, field, value,
					  (char *)base + field->offset, &members);
		if (code < 0 && field->foreign && json_is_null(value))
			code = reader_defer(reader);
		reader_leave(reader, depth);
		if (code < 0)
			return code;
	}
	if (json_object_size(object) > members)
		reader->more_keys = true;
	return 0;
}

int reader_array(struct reader *reader, const json_t *object, const char *key,
		 read_element *read_one, void *arg)
{
	const json_t *array = reader_member(reader, object, key, JSON_ARRAY);
	size_t depth = reader_enter(reader, key, 0);
	int code = array == NULL ? -EINVAL : 0;
	const json_t *value;
	size_t i;

	json_array_foreach(array, i, value)
	{
		size_t inner = reader_enter(reader, NULL, i);

		code = read_one(reader, value, arg);
		reader_leave(reader, inner);
		if (code < 0)
			break;
	}
	reader_leave(reader, depth);
	return code;
}
