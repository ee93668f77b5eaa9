/* JSON straight into memory: a point has thousands of numbers. SPDX-License-Identifier: MIT */
#include "report_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS	       17 /* of a double: it is read back as it was */
#define NUMBER_SIZE    40
#define FRACTION_BITS  52
#define FRACTION_SCALE 0x1p52
#define FAST_BELOW     1e16 /* at least one of the digits is a decimal */
#define FIRST_SIZE     65536

void json_text_release(struct json_text *text)
{
	free(text->bytes);
	*text = (struct json_text){0};
}

static bool reserve(struct json_text *text, size_t more)
{
	size_t wanted = text->capacity < FIRST_SIZE ? FIRST_SIZE : text->capacity;
	char *grown;

	if (text->failed)
		return false;
	if (more <= text->capacity - text->length)
		return true;
	while (wanted - text->length < more)
		wanted *= 2;
	grown = realloc(text->bytes, wanted);
	if (grown == NULL) {
		text->failed = true;
		return false;
	}
	text->bytes = grown;
	text->capacity = wanted;
	return true;
}

void json_text_put(struct json_text *text, const char *bytes, size_t count)
{
	if (!reserve(text, count))
		return;
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
}

static void put_char(struct json_text *text, char c)
{
	json_text_put(text, &c, 1);
}

static bool is_plain(const char *string)
{
	for (; *string != '\0'; string++)
		if (*string < ' ' || *string > '~' || *string == '"' || *string == '\\')
			return false;
	return true;
}

static int put_dumped(const char *bytes, size_t size, void *text)
{
	json_text_put(text, bytes, size);
	return 0;
}

static void put_json(struct json_text *text, json_t *value)
{
	if (value == NULL || json_dump_callback(value, put_dumped, text, REPORT_JSON_FLAGS) < 0)
		text->failed = true;
	json_decref(value);
}

static void put_string(struct json_text *text, const char *string)
{
	if (!is_plain(string)) {
		put_json(text, json_string(string));
		return;
	}
	put_char(text, '"');
	json_text_put(text, string, strlen(string));
	put_char(text, '"');
}

/* a comma after a value, and the key */
static void begin(struct json_text *text, const char *key)
{
	char last = text->length > 0 ? text->bytes[text->length - 1] : '{';

	if (last != '{' && last != '[')
		put_char(text, ',');
	if (key == NULL)
		return;
	put_string(text, key);
	put_char(text, ':');
}

void json_text_open(struct json_text *text, const char *key, char bracket)
{
	begin(text, key);
	put_char(text, bracket);
}

void json_text_close(struct json_text *text, char bracket)
{
	put_char(text, bracket);
}

/* ends at @end; answers where it begins */
static char *digits(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	return end;
}

void json_text_count(struct json_text *text, const char *key, uint64_t value)
{
	char buffer[NUMBER_SIZE];
	char *end = buffer + sizeof(buffer);
	char *first = digits(end, value > INT64_MAX ? INT64_MAX : value);

	begin(text, key);
	json_text_put(text, first, (size_t)(end - first));
}

void json_text_string(struct json_text *text, const char *key, const char *string)
{
	begin(text, key);
	put_string(text, string);
}

void json_text_null(struct json_text *text, const char *key)
{
	begin(text, key);
	json_text_put(text, "null", strlen("null"));
}

void json_text_value(struct json_text *text, const char *key, json_t *value)
{
	begin(text, key);
	put_json(text, value);
}

/* as printf("%.17g"), which is exact too but takes some hundred times as long; from 1 to
 * FAST_BELOW. The fraction of a double is a whole number of 2^-52, so all can be done in whole
 * numbers. */
static size_t format_fast(char out[NUMBER_SIZE], double value)
{
	uint64_t whole = (uint64_t)value;
	uint64_t fraction = (uint64_t)((value - (double)whole) * FRACTION_SCALE);
	char *end = out + NUMBER_SIZE;
	char *point, *first, *last;
	unsigned decimals = DIGITS;
	histogram_wide scale = 1, scaled, rest;
	const histogram_wide half = (histogram_wide)1 << (FRACTION_BITS - 1);

	for (uint64_t left = whole; left != 0; left /= 10)
		decimals--;
	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	scaled = fraction * scale;
	rest = scaled & (2 * half - 1);
	scaled >>= FRACTION_BITS;
	if (rest > half || (rest == half && scaled % 2 == 1))
		scaled++;
	if (scaled == scale) {
		scaled = 0;
		whole++;
	}
	/* the leading zeros of the decimals come from the scale on top, which becomes the point */
	point = digits(end, (uint64_t)(scaled + scale));
	*point = '.';
	first = digits(point, whole);
	for (last = end; last[-1] == '0' && last - 2 > point; last--)
		;
	memmove(out, first, (size_t)(last - first));
	return (size_t)(last - first);
}

static size_t format_number(char out[NUMBER_SIZE], double value)
{
	int length;

	if (value >= 1.0 && value < FAST_BELOW)
		return format_fast(out, value);
	length = snprintf(out, NUMBER_SIZE, "%.*g", DIGITS, value);
	if (out[strcspn(out, ".e")] == '\0') {
		strcat(out, ".0"); /* else it would be read back as a whole number */
		length += 2;
	}
	return (size_t)length;
}

void json_text_number(struct json_text *text, const char *key, double value)
{
	char buffer[NUMBER_SIZE];

	if (!isfinite(value)) {
		json_text_null(text, key);
		return;
	}
	begin(text, key);
	json_text_put(text, buffer, format_number(buffer, value));
}
