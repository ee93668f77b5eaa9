/* The pieces that JSON reports are made of. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_put(json_t **object, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(*object, key, value) == 0)
		return;
	json_decref(*object);
	*object = NULL;
}

void json_add(json_t **array, json_t *value)
{
	if (json_array_append_new(*array, value) == 0)
		return;
	json_decref(*array);
	*array = NULL;
}

static json_t *quoted(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *copy = malloc(size);
	json_t *value;

	if (copy == NULL)
		return NULL;
	value = json_string(text_quote(copy, size, text));
	free(copy);
	return value;
}

static json_t *hex(const char *bytes)
{
	static const char digit[] = "0123456789abcdef";
	size_t length = strlen(bytes);
	char *copy = malloc(2 * length + 1);
	json_t *value;

	if (copy == NULL)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		copy[2 * i] = digit[(unsigned char)bytes[i] >> 4];
		copy[2 * i + 1] = digit[(unsigned char)bytes[i] & 15];
	}
	value = json_stringn(copy, 2 * length);
	free(copy);
	return value;
}

void json_put_text(json_t **object, const char *key, const char *text)
{
	char hex_key[64];

	if (text == NULL) {
		json_put(object, key, json_null());
	} else if (text_is_utf8(text, strlen(text))) {
		json_put(object, key, json_string(text));
	} else {
		snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
		json_put(object, key, quoted(text));
		json_put(object, hex_key, hex(text));
	}
}

json_t *json_count(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_time(const struct results *results, struct timespec time)
{
	char text[TIME_SIZE];

	return report_time(text, results, time) != NULL ? json_string(text) : json_null();
}
