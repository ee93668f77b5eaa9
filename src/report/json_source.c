/* A JSON file taken value by value: whole it may not fit in. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "json_read_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGE_SIZE 512
#define WHERE_SIZE   256

__attribute__((format(printf, 3, 0))) static int say(struct reader *reader, const char *where,
						     const char *format, va_list args)
{
	char quoted[sizeof(reader->err->text)];
	char message[MESSAGE_SIZE];

	vsnprintf(message, sizeof(message), format, args);
	text_quote(quoted, sizeof(quoted), reader->path);
	return error_say(reader->err, -EINVAL, "%s:%s%s %s", quoted, where,
			 where[0] != '\0' ? ":" : "", message);
}

/* " points[3].seconds"; "" at the whole */
static void write_where(const struct reader *reader, FILE *out)
{
	for (size_t i = 0; i < reader->depth && i < DEPTH_MAX; i++) {
		const struct step *step = &reader->steps[i];

		if (step->key == NULL) {
			fprintf(out, "[%zu]", step->index);
			continue;
		}
		putc(i == 0 ? ' ' : '.', out);
		report_put_name(out, step->key);
	}
}

int reader_refuse(struct reader *reader, const char *format, ...)
{
	char where[WHERE_SIZE] = {0};
	FILE *out = fmemopen(where, sizeof(where) - 1, "w"); /* it stays ended by a NUL */
	va_list args;

	if (out != NULL) {
		write_where(reader, out);
		fclose(out);
	}
	va_start(args, format);
	say(reader, where, format, args);
	va_end(args);
	return -EINVAL;
}

int reader_refuse_line(struct reader *reader, uint64_t line, const char *format, ...)
{
	char where[32];
	va_list args;

	snprintf(where, sizeof(where), "%ju", (uintmax_t)line);
	va_start(args, format);
	say(reader, where, format, args);
	va_end(args);
	return -EINVAL;
}

static int cannot_read(struct reader *reader, int code)
{
	char quoted[sizeof(reader->err->text)];

	return error_set(reader->err, code, "cannot read '%s'",
			 text_quote(quoted, sizeof(quoted), reader->path));
}

int reader_no_memory(struct reader *reader)
{
	return cannot_read(reader, -ENOMEM);
}

int reader_defer(struct reader *reader)
{
	if (reader->unknown.code == 0)
		reader->unknown = *reader->err;
	*reader->err = (struct error){0};
	return 0;
}

int reader_check_known(struct reader *reader)
{
	if (reader->unknown.code == 0 || results_foreign(reader->results))
		return 0;
	*reader->err = reader->unknown;
	return reader->err->code;
}

static int check_file(struct reader *reader)
{
	struct stat facts;

	if (fstat(reader->fd, &facts) < 0)
		return cannot_read(reader, -errno);
	if (S_ISDIR(facts.st_mode))
		return cannot_read(reader, -EISDIR);
	if (!S_ISREG(facts.st_mode))
		return reader_refuse(reader, "it is no regular file");
	if ((uint64_t)facts.st_size > READ_FILE_MAX)
		return reader_refuse(reader, "it is too large: %jd bytes, at most %ju",
				     (intmax_t)facts.st_size, (uintmax_t)READ_FILE_MAX);
	return 0;
}

struct reader *reader_open(struct results *results, const char *path, struct error *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	*err = (struct error){0};
	if (reader == NULL) {
		error_set(err, -ENOMEM, "cannot read the results");
		return NULL;
	}
	reader->results = results;
	reader->err = err;
	reader->path = path;
	reader->line = 1;
	reader->histogram = malloc(sizeof(*reader->histogram));
	/* O_NONBLOCK: a FIFO must not hang */
	reader->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (reader->histogram == NULL || reader->fd < 0)
		cannot_read(reader, reader->histogram == NULL ? -ENOMEM : -errno);
	else if (check_file(reader) == 0)
		return reader;
	reader_free(reader);
	return NULL;
}

void reader_free(struct reader *reader)
{
	if (reader == NULL)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->histogram);
	free(reader);
}

size_t reader_enter(struct reader *reader, const char *key, size_t index)
{
	if (reader->depth < DEPTH_MAX)
		reader->steps[reader->depth] = (struct step){.key = key, .index = index};
	return reader->depth++;
}

void reader_leave(struct reader *reader, size_t depth)
{
	reader->depth = depth;
}

/* false at the end, and where it cannot be read: see read_code */
static bool fill(struct reader *reader)
{
	ssize_t got;

	if (reader->at < reader->end)
		return true;
	do {
		got = read(reader->fd, reader->chunk, sizeof(reader->chunk));
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		reader->read_code = -errno;
	if (got <= 0)
		return false;
	reader->at = 0;
	reader->end = (size_t)got;
	return true;
}

int reader_next(struct reader *reader)
{
	for (; fill(reader); reader->at++) {
		char c = reader->chunk[reader->at];

		if (c == '\n')
			reader->line++;
		else if (c != ' ' && c != '\t' && c != '\r')
			return (unsigned char)c;
	}
	return -1;
}

static int refuse_end(struct reader *reader)
{
	if (reader->read_code < 0)
		return cannot_read(reader, reader->read_code);
	return reader_refuse_line(reader, reader->line, "the file is cut off");
}

int reader_take(struct reader *reader, char expected)
{
	int next = reader_next(reader);

	if (next < 0)
		return refuse_end(reader);
	if (next != expected)
		return reader_refuse_line(reader, reader->line, "'%c' expected", expected);
	reader->at++;
	return 0;
}

/* It asks for more only when it has read all that it was given, so what it leaves of a value's last
 * bytes is still in the chunk. */
static size_t give(void *buffer, size_t size, void *arg)
{
	struct reader *reader = arg;
	size_t count;

	if (reader->given >= READ_VALUE_MAX || !fill(reader))
		return 0;
	count = reader->end - reader->at < size ? reader->end - reader->at : size;
	memcpy(buffer, reader->chunk + reader->at, count);
	for (size_t i = 0; i < count; i++)
		reader->line += reader->chunk[reader->at + i] == '\n';
	reader->at += count;
	reader->given += count;
	return count;
}

static void take_back(struct reader *reader, size_t count)
{
	for (; count > 0; count--)
		reader->line -= reader->chunk[--reader->at] == '\n';
}

static int refuse_json(struct reader *reader, uint64_t line, const json_error_t *error,
		       const char *cut_off)
{
	enum json_error_code code = json_error_code(error);
	char quoted[sizeof(error->text) * 4];

	if (reader->read_code < 0)
		return cannot_read(reader, reader->read_code);
	if (code == json_error_out_of_memory)
		return reader_no_memory(reader);
	if (reader->given >= READ_VALUE_MAX)
		return reader_refuse_line(reader, line, "a value is longer than %ju bytes",
					  (uintmax_t)READ_VALUE_MAX);
	if (code == json_error_premature_end_of_input)
		return reader_refuse_line(reader, line, "%s", cut_off);
	return reader_refuse_line(reader, line, "%s",
				  text_quote(quoted, sizeof(quoted), error->text));
}

json_t *reader_value(struct reader *reader)
{
	const size_t flags = JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY | JSON_REJECT_DUPLICATES;
	uint64_t line;
	json_error_t error;
	json_t *value;

	reader_next(reader); /* so that the line is that of the value */
	line = reader->line;
	reader->given = 0;
	value = json_load_callback(give, reader, flags, &error);
	if (value == NULL) {
		if (error.line > 0 && reader->given < READ_VALUE_MAX)
			line += (uint64_t)error.line - 1;
		refuse_json(reader, line, &error, "the file is cut off");
		return NULL;
	}
	take_back(reader, reader->given - (size_t)error.position);
	return value;
}

int reader_line(struct reader *reader, struct json_text *text)
{
	text->length = 0;
	while (fill(reader)) {
		const char *from = reader->chunk + reader->at;
		size_t left = reader->end - reader->at;
		const char *newline = memchr(from, '\n', left);
		size_t count = newline != NULL ? (size_t)(newline - from) + 1 : left;

		json_text_put(text, from, count);
		reader->at += count;
		if (text->failed)
			return reader_no_memory(reader);
		if (text->length > READ_VALUE_MAX)
			return reader_refuse_line(reader, reader->line,
						  "a line is longer than %ju bytes",
						  (uintmax_t)READ_VALUE_MAX);
		if (newline != NULL) {
			reader->line++;
			return 1;
		}
	}
	return reader->read_code < 0 ? cannot_read(reader, reader->read_code) : 0;
}

json_t *reader_parse(struct reader *reader, const struct json_text *text)
{
	json_error_t error;
	json_t *value = json_loadb(text->bytes, text->length, JSON_REJECT_DUPLICATES, &error);

	reader->given = 0;
	if (value == NULL)
		refuse_json(reader, reader->line - 1, &error, "the line is cut off");
	return value;
}
