/* Names and bytes made printable. SPDX-License-Identifier: MIT */
#include "calib/text.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 63 /* no option is longer */

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/*
 * Length of the well-formed UTF-8 character at @s, 0 where there is none. The second byte's range
 * (Unicode, table 3-7) is what rules out overlong forms, surrogates and all above U+10FFFF.
 */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (left < length || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (!is_continuation(s[i]))
			return 0;
	}
	return length;
}

bool text_is_utf8(const char *bytes, size_t length)
{
	const unsigned char *s = (const unsigned char *)bytes;

	for (size_t at = 0; at < length;) {
		size_t step = utf8_length(s + at, length - at);

		if (step == 0)
			return false;
		at += step;
	}
	return true;
}

/*
 * C0, DEL, and C1 in its two-byte form: a terminal obeys all three. Of C1 only the first byte is
 * escaped as a control; the second, then met alone, is no UTF-8.
 */
static bool is_control(const unsigned char *s, size_t length)
{
	return s[0] < 0x20 || s[0] == 0x7f || (length == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

/* what stands in a quoted copy for the byte, or the character, at @s; answers its length in @s */
static size_t quote_one(char piece[5], const unsigned char *s, size_t left)
{
	size_t length = utf8_length(s, left);

	if (length == 0 || is_control(s, length)) {
		snprintf(piece, 5, "\\x%02x", s[0]);
		return 1;
	}
	memcpy(piece, s, length);
	piece[length] = '\0';
	return length;
}

char *text_quote(char *out, size_t size, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	size_t left = strlen(name);
	size_t used = 0;
	size_t whole = 0; /* as much of the copy as leaves room for "..." */
	char piece[5];

	if (size == 0)
		return out;
	while (left > 0) {
		size_t step = quote_one(piece, s, left);
		size_t length = strlen(piece);

		if (used + length >= size) {
			size_t dots = size - 1 - whole < 3 ? size - 1 - whole : 3;

			memcpy(out + whole, "...", dots);
			used = whole + dots;
			break;
		}
		memcpy(out + used, piece, length);
		used += length;
		if (used + 3 < size)
			whole = used;
		s += step;
		left -= step;
	}
	out[used] = '\0';
	return out;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

void text_csv(FILE *out, const char *field)
{
	size_t length = strlen(field);
	bool quoted = strpbrk(field, ",\"\r\n") != NULL;

	if (length > 0 && (is_blank(field[0]) || is_blank(field[length - 1])))
		quoted = true;
	if (!quoted) {
		fputs(field, out);
		return;
	}
	putc('"', out);
	for (const char *c = field; *c != '\0'; c++) {
		if (*c == '"')
			putc('"', out);
		putc(*c, out);
	}
	putc('"', out);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* optimal string alignment; three rows of the table are enough */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_length; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *oldest = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			unsigned changed = above[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = least(changed, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[b_length];
}

const char *text_nearest(const char *word, const char *const candidates[], size_t count)
{
	size_t length = strlen(word);
	unsigned limit = length / 3 > 2 ? (unsigned)(length / 3) : 2;
	const char *nearest = NULL;

	if (length > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t other = strlen(candidates[i]);
		unsigned apart;

		if (other > WORD_MAX)
			continue;
		apart = distance(word, length, candidates[i], other);
		/* of two that are equally near, the first */
		if (apart < limit || (apart == limit && nearest == NULL)) {
			limit = apart;
			nearest = candidates[i];
		}
	}
	return nearest;
}

const char *text_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool is_octal(const char *digits)
{
	for (int i = 0; i < 3; i++)
		if (digits[i] < '0' || digits[i] > '7')
			return false;
	return true;
}

char *text_unescape_octal(char *text)
{
	char *out = text;

	for (const char *in = text; *in; out++) {
		if (in[0] == '\\' && is_octal(in + 1)) {
			*out = (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + (in[3] - '0'));
			in += 4;
		} else {
			*out = *in++;
		}
	}
	*out = '\0';
	return text;
}
