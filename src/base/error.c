/* Errors: a code and one sentence for the user. SPDX-License-Identifier: MIT */
#include "calib/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CUT_MARK "..."

/* shorten to at most @room bytes without leaving half of a UTF-8 character */
static void cut(char *text, size_t room)
{
	size_t end = strlen(text);
	size_t mark = strlen(CUT_MARK);

	if (end <= room || room < mark)
		return;
	end = room - mark;
	while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	memcpy(text + end, CUT_MARK, mark + 1);
}

/* the arguments may lie in err->text, so everything is composed beside it */
__attribute__((format(printf, 2, 0))) static void compose(char text[], const char *format,
							  va_list args)
{
	/* one byte more than an error holds: cut() sees that something is missing */
	if (vsnprintf(text, sizeof(((struct error *)0)->text) + 1, format, args) < 0)
		strcpy(text, "error without a text");
}

int error_set(struct error *err, int code, const char *format, ...)
{
	char text[sizeof(err->text) + 1];
	char buffer[128];
	const char *words = strerror_r(-code, buffer, sizeof(buffer));
	va_list args;

	va_start(args, format);
	compose(text, format, args);
	va_end(args);
	/* the name gives way, not the reason */
	cut(text, sizeof(err->text) - 1 - strlen(": ") - strlen(words));
	err->code = code;
	snprintf(err->text, sizeof(err->text), "%.*s: %s",
		 (int)(sizeof(err->text) - 1 - strlen(": ") - strlen(words)), text, words);
	return code;
}

int error_say(struct error *err, int code, const char *format, ...)
{
	char text[sizeof(err->text) + 1];
	va_list args;

	va_start(args, format);
	compose(text, format, args);
	va_end(args);
	cut(text, sizeof(err->text) - 1);
	err->code = code;
	memcpy(err->text, text, strlen(text) + 1);
	return code;
}

int error_wrap(struct error *err, const char *format, ...)
{
	char text[sizeof(err->text) + 1];
	char whole[2 * sizeof(err->text) + 2];
	va_list args;

	va_start(args, format);
	compose(text, format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "%s: %s", text, err->text);
	cut(whole, sizeof(err->text) - 1);
	memcpy(err->text, whole, strlen(whole) + 1);
	return err->code;
}
