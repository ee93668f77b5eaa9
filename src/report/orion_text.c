/* ORION's files as lines, words and numbers. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "calib/units.h"
#include "orion_private.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS_MAX 18u	/* whole numbers of so many fit into 64 bits */
#define NUMBER_MAX 1e12 /* a latency of as many ms fits into 63 bits as ns */
#define NAME_SIZE  1024
#define HEAD_SIZE  UINT64_C(65536)

static int refuse(const struct orion_text *text, struct error *err, const char *why)
{
	return error_say(err, -EINVAL, "'%s' %s", text->name, why);
}

/* @size: how much of it is to be read */
static int check_file(const struct orion_text *text, int fd, bool whole, size_t *size,
		      struct error *err)
{
	struct stat facts;

	if (fstat(fd, &facts) < 0)
		return error_set(err, -errno, "cannot read '%s'", text->name);
	if (!S_ISREG(facts.st_mode))
		return refuse(text, err, "is no regular file");
	if (whole && (uint64_t)facts.st_size > ORION_FILE_MAX)
		return refuse(text, err, "is too large for a file of ORION's");
	*size = (size_t)facts.st_size;
	if (!whole && *size > HEAD_SIZE)
		*size = HEAD_SIZE;
	return 0;
}

static int read_all(struct orion_text *text, int fd, size_t size, struct error *err)
{
	text->bytes = malloc(size + 1);
	if (text->bytes == NULL)
		return error_set(err, -ENOMEM, "cannot read '%s'", text->name);
	while (text->size < size) {
		ssize_t got = read(fd, text->bytes + text->size, size - text->size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(err, -errno, "cannot read '%s'", text->name);
		if (got == 0)
			break;
		text->size += (size_t)got;
	}
	text->bytes[text->size] = '\0';
	return 0;
}

static int check_text(struct orion_text *text, struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (text->size >= 2 &&
	    (memcmp(text->bytes, "\xff\xfe", 2) == 0 || memcmp(text->bytes, "\xfe\xff", 2) == 0))
		return refuse(text, err, "is UTF-16: save it as plain text");
	if (memchr(text->bytes, '\0', text->size) != NULL)
		return refuse(text, err, "holds zero bytes: it is no text");
	if (text->size >= 3 && memcmp(text->bytes, mark, 3) == 0)
		text->at = 3;
	return 0;
}

static int open_and_read(struct orion_text *text, const char *path, bool whole, struct error *err)
{
	/* O_NONBLOCK: a FIFO must not hang */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t size = 0;
	int code;

	if (fd < 0)
		return error_set(err, -errno, "cannot read '%s'", text->name);
	code = check_file(text, fd, whole, &size, err);
	if (code == 0)
		code = read_all(text, fd, size, err);
	close(fd);
	return code < 0 ? code : check_text(text, err);
}

static int open_text(struct orion_text *text, const char *path, bool whole, struct error *err)
{
	char quoted[NAME_SIZE];
	int code;

	*text = (struct orion_text){.name = strdup(text_quote(quoted, sizeof(quoted), path))};
	if (text->name == NULL)
		return error_set(err, -ENOMEM, "cannot read the results");
	code = open_and_read(text, path, whole, err);
	if (code < 0)
		orion_text_close(text);
	return code;
}

int orion_text_open(struct orion_text *text, const char *path, struct error *err)
{
	return open_text(text, path, true, err);
}

int orion_text_open_head(struct orion_text *text, const char *path, struct error *err)
{
	return open_text(text, path, false, err);
}

void orion_text_close(struct orion_text *text)
{
	free(text->name);
	free(text->bytes);
	*text = (struct orion_text){0};
}

char *orion_text_line(struct orion_text *text)
{
	char *line = text->bytes + text->at;
	char *newline, *end;

	if (text->at >= text->size)
		return NULL;
	newline = memchr(line, '\n', text->size - text->at);
	end = newline != NULL ? newline : text->bytes + text->size;
	text->at = (size_t)(end - text->bytes) + (newline != NULL);
	text->torn = newline == NULL;
	text->line++;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return line + strspn(line, " \t\f\v\r");
}

const char *orion_skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

bool orion_take(const char **at, const char *words)
{
	const char *from = orion_skip_blanks(*at);

	for (; *words != '\0'; words++) {
		if (*words == ' ') {
			from = orion_skip_blanks(from);
			continue;
		}
		if (tolower((unsigned char)*from) != tolower((unsigned char)*words))
			return false;
		from++;
	}
	*at = from;
	return true;
}

/* by whole numbers, since strtod() depends on the locale */
bool orion_take_number(const char **at, struct orion_number *number)
{
	const char *from = orion_skip_blanks(*at);
	uint64_t digits = 0;
	unsigned count = 0, decimals = 0;
	bool point = false;

	for (; isdigit((unsigned char)*from) || (*from == '.' && !point && count > 0); from++) {
		if (*from == '.') {
			point = true;
			continue;
		}
		if (++count > DIGITS_MAX)
			return false;
		digits = digits * 10 + (uint64_t)(*from - '0');
		decimals += point;
	}
	if (count == 0 || (point && decimals == 0))
		return false;
	*number = (struct orion_number){(double)digits / pow(10, decimals), decimals};
	if (number->value > NUMBER_MAX)
		return false;
	*at = from;
	return true;
}

bool orion_take_count(const char **at, uint64_t max, uint64_t *count)
{
	const char *from = orion_skip_blanks(*at);
	uint64_t digits = 0;
	unsigned used = 0;

	for (; isdigit((unsigned char)*from); from++) {
		if (++used > DIGITS_MAX)
			return false;
		digits = digits * 10 + (uint64_t)(*from - '0');
	}
	if (used == 0 || digits > max)
		return false;
	*count = digits;
	*at = from;
	return true;
}

bool orion_take_ns(const char **at, double *ns)
{
	const char *from = *at;
	struct orion_number number;

	if (!orion_take_number(&from, &number) ||
	    (!orion_take(&from, "usecs") && !orion_take(&from, "us")))
		return false;
	*ns = round(number.value * (double)NS_PER_US);
	*at = from;
	return true;
}

bool orion_take_levels(const char **at, uint32_t *small, uint32_t *large)
{
	const char *from = *at;
	uint64_t first, second;

	if (!orion_take(&from, "@ Small =") || !orion_take_count(&from, LEVEL_MAX, &first) ||
	    !orion_take(&from, "and Large =") || !orion_take_count(&from, LEVEL_MAX, &second))
		return false;
	*small = (uint32_t)first;
	*large = (uint32_t)second;
	*at = from;
	return true;
}

bool orion_at_end(const char *at)
{
	return *orion_skip_blanks(at) == '\0';
}
