/* The results of a run that was broken off, from its ledger. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SCHEMA	       "calib-ledger/"
#define HEADER_MEMBERS 6 /* beside those of read_names(): schema, and those of read_header() */

static int read_luns(struct reader *reader, const json_t *array)
{
	const json_t *value;
	size_t i;
	int code = json_is_array(array) ? 0 : reader_refuse(reader, "it is no array");

	json_array_foreach(array, i, value)
	{
		size_t depth = reader_enter(reader, NULL, i);

		code = read_lun(reader, value);
		reader_leave(reader, depth);
		if (code < 0)
			break;
	}
	return code;
}

static int read_warning_of_header(struct reader *reader, const json_t *value, void *arg)
{
	(void)arg;
	return read_warning(reader, value);
}

static int check_engine(struct reader *reader, const json_t *value)
{
	const char *engine = reader->results->run.engine;

	if (json_is_string(value) ? engine == NULL || strcmp(json_string_value(value), engine) != 0
				  : engine != NULL)
		return reader_refuse(reader, "it is not that of the settings");
	return 0;
}

static int read_header(struct reader *reader, const json_t *header)
{
	int code = read_schema(reader, json_object_get(header, "schema"), SCHEMA);

	if (code == 0)
		code = read_names(reader, header, HEADER_MEMBERS);
	if (code == 0)
		code = read_part(reader, header, "settings", read_settings);
	if (code == 0)
		code = read_part(reader, header, "host", read_host);
	if (code == 0)
		code = read_part(reader, header, "luns", read_luns);
	if (code == 0)
		code = read_part(reader, header, "engine", check_engine);
	if (code == 0)
		code = reader_array(reader, header, "warnings", read_warning_of_header, NULL);
	return code;
}

static int read_line(struct reader *reader, const json_t *value)
{
	const struct results *results = reader->results;
	size_t depth;
	int code;

	if (results->run.testname == NULL)
		return read_header(reader, value);
	depth = reader_enter(reader, "points", 0);
	reader_enter(reader, NULL, results->point_count);
	code = read_point(reader, value, true);
	if (code == 0 && results->points[results->point_count - 1].status == POINT_INTERRUPTED)
		code = reader_refuse(reader, "an interrupted point does not belong there");
	reader_leave(reader, depth);
	return code;
}

/* a last line without an end was being written when the machine stopped: it is left out */
static int read_lines(struct reader *reader)
{
	struct json_text text = {0};
	int code;

	while ((code = reader_line(reader, &text)) > 0) {
		json_t *value = reader_parse(reader, &text);

		code = value == NULL ? reader->err->code : read_line(reader, value);
		json_decref(value);
		if (code < 0)
			break;
	}
	json_text_release(&text);
	if (code == 0 && reader->results->run.testname == NULL)
		code = reader_refuse_line(reader, reader->line, "the file is cut off");
	return code;
}

/* An adaptive plan had only begun when the header was written: its levels are those that were
 * tried. */
static void add_levels(struct results *results)
{
	for (size_t i = 0; results->run.run == RUN_BASIC && i < results->point_count; i++) {
		const struct point *point = &results->points[i].point;

		/* more than there is room for were never chosen: the list only says what was tried
		 */
		(void)level_list_insert(&results->run.small_levels, point->small);
		(void)level_list_insert(&results->run.large_levels, point->large);
	}
}

static void settle_end(struct results *results)
{
	struct run_info *run = &results->run;

	run->status = results->point_count == run->run_points ? RUN_COMPLETE : RUN_INTERRUPTED;
	if (results->point_count > 0)
		run->finished = results->points[results->point_count - 1].finished;
}

int ledger_read(struct results *results, const char *path, bool *more_keys, struct error *err)
{
	struct reader *reader = reader_open(results, path, err);
	int code;

	if (reader == NULL)
		return err->code;
	code = read_lines(reader);
	if (code == 0) {
		add_levels(results);
		settle_end(results);
		code = read_check(reader);
	}
	*more_keys = reader->more_keys;
	reader_free(reader);
	return code;
}

bool ledger_in_use(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool in_use;

	if (fd < 0)
		return false;
	in_use = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(fd);
	return in_use;
}
