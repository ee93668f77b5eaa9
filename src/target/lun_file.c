/* The .lun file: names of LUNs, one a line. SPDX-License-Identifier: MIT */
#include "calib/target.h"
#include "calib/text.h"
#include "calib/units.h"
#include "calib/volume.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (16 * BYTES_MIB) /* room for the most LUNs, and for many comments */
#define QUOTE_SIZE     256

static int no_memory(struct error *err, const char *file)
{
	char name[QUOTE_SIZE];

	return error_set(err, -ENOMEM, "cannot read '%s'", text_quote(name, sizeof(name), file));
}

static int refuse_line(struct error *err, const struct lun_list *list, unsigned line,
		       const char *reason)
{
	char name[QUOTE_SIZE];

	text_quote(name, sizeof(name), list->file);
	return error_say(err, -EINVAL, "%s:%u: %s", name, line, reason);
}

static size_t stripped_length(const char *text, size_t length)
{
	while (length > 0 && strchr(" \t\r", text[length - 1]))
		length--;
	return length;
}

/* @text: one line, without its LF */
static int add_line(struct lun_list *list, const char *text, size_t length, unsigned line,
		    struct error *err)
{
	if (memchr(text, '\0', length))
		return refuse_line(err, list, line,
				   "a NUL byte: not a text file, or not in ASCII or UTF-8");
	length = stripped_length(text, length);
	if (length == 0 || text[0] == '#')
		return 0;
	if (length >= PATH_MAX)
		return refuse_line(err, list, line, "longer than a path can be");
	static_assert(VOLUME_LUNS_MAX == 1024, "the message below names the number");
	if (list->count == VOLUME_LUNS_MAX)
		return refuse_line(err, list, line, "more LUNs than the 1024 that calib can use");
	list->names[list->count].path = strndup(text, length);
	if (!list->names[list->count].path)
		return no_memory(err, list->file);
	list->names[list->count].line = line;
	list->count++;
	return 0;
}

static int add_lines(struct lun_list *list, const char *text, size_t length, struct error *err)
{
	const char *end = text + length;
	unsigned line = 1;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		int code;

		if (!line_end)
			line_end = end;
		code = add_line(list, text, (size_t)(line_end - text), line, err);
		if (code < 0)
			return code;
		text = line_end < end ? line_end + 1 : end;
		line++;
	}
	return 0;
}

int lun_list_parse(struct lun_list *list, const char *file, const char *text, size_t length,
		   struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* what Windows editors put in front of UTF-8 */
	char name[QUOTE_SIZE];
	int code;

	*list = (struct lun_list){.file = strdup(file)};
	list->names = calloc(VOLUME_LUNS_MAX, sizeof(list->names[0]));
	if (!list->file || !list->names)
		return no_memory(err, file);
	if (length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
		text += strlen(mark);
		length -= strlen(mark);
	}
	code = add_lines(list, text, length, err);
	if (code == 0 && list->count == 0)
		code = error_say(err, -EINVAL, "no LUN in %s, write one a line",
				 text_quote(name, sizeof(name), file));
	return code;
}

/* @text gets all of the file, or as much as shows that it is too long */
static int read_all(int fd, char *text, size_t size, size_t *length)
{
	*length = 0;
	while (*length < size) {
		ssize_t got = read(fd, text + *length, size - *length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		*length += (size_t)got;
	}
	return -EFBIG;
}

static int open_list(const char *file, const char *name, struct error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return error_say(err, -ENOENT,
				 "'%s' does not exist, write the LUNs into it, one a line", name);
	if (fd < 0)
		return error_set(err, -errno, "cannot open '%s'", name);
	return fd;
}

int lun_list_read(struct lun_list *list, const char *file, struct error *err)
{
	char name[QUOTE_SIZE];
	size_t size = FILE_BYTES_MAX + 1;
	struct stat st = {0};
	size_t length;
	char *text;
	int fd, code;

	*list = (struct lun_list){0};
	fd = open_list(file, text_quote(name, sizeof(name), file), err);
	if (fd < 0)
		return fd;
	text = malloc(size); /* the kernel gives pages only to what is read */
	if (!text) {
		close(fd);
		return no_memory(err, file);
	}
	code = read_all(fd, text, size, &length);
	if (code == 0 && fstat(fd, &st) < 0)
		code = -errno;
	close(fd);
	if (code == -EFBIG)
		error_say(err, code, "'%s' is larger than 16 MiB: no list of LUNs", name);
	else if (code < 0)
		error_set(err, code, "cannot read '%s'", name);
	else
		code = lun_list_parse(list, file, text, length, err);
	list->device = st.st_dev;
	list->inode = st.st_ino;
	free(text);
	return code;
}

void lun_list_release(struct lun_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i].path);
	free(list->names);
	free(list->file);
	*list = (struct lun_list){0};
}
