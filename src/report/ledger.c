/* The ledger: a finished point is on disk before the next begins. SPDX-License-Identifier: MIT */
#include "calib/file.h"
#include "calib/report.h"
#include "calib/text.h"
#include "report_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* appends a line and waits for the disk */
static int append(int fd, const char *line, size_t size)
{
	int code = file_write_all(fd, line, size);

	if (code == 0 && fdatasync(fd) < 0 && errno != EINVAL && errno != EROFS)
		code = -errno;
	return code;
}

/* after a failed write the last line may be torn: nothing may follow it, so the ledger is lost */
static int append_or_lose(struct ledger *ledger, const char *line, size_t size, struct error *err)
{
	char quoted[sizeof(err->text)];
	int code = line != NULL ? append(ledger->fd, line, size) : -ENOMEM;

	if (code == 0)
		return 0;
	ledger_close(ledger);
	text_quote(quoted, sizeof(quoted), ledger->prefix);
	return error_set(err, code, "cannot write '%s_points.jsonl'", quoted);
}

int ledger_begin(struct ledger *ledger, const struct results *results, struct error *err)
{
	json_t *header = json_object();
	size_t length;
	char *line;
	int code;

	json_put(&header, "schema", json_string("calib-ledger/1"));
	json_put_names(&header, results);
	json_put_setup(&header, results);
	json_put_text(&header, "engine", results->run.engine);
	json_put(&header, "warnings", json_warnings(results));
	line = header != NULL ? json_dumps(header, REPORT_JSON_FLAGS) : NULL;
	json_decref(header);
	if (line == NULL)
		return append_or_lose(ledger, NULL, 0, err);
	/* the newline takes the place of the NUL: one write for the line */
	length = strlen(line);
	line[length] = '\n';
	code = append_or_lose(ledger, line, length + 1, err);
	free(line);
	return code;
}

int ledger_add(struct ledger *ledger, const struct results *results,
	       const struct point_result *point, struct error *err)
{
	struct json_text text = {0};
	int code;

	if (ledger->fd < 0)
		return 0; /* lost, and said so then */
	json_point(&text, results, point);
	json_text_put(&text, "\n", 1);
	code = append_or_lose(ledger, text.failed ? NULL : text.bytes, text.length, err);
	json_text_release(&text);
	return code;
}

void ledger_drop(struct ledger *ledger)
{
	char *path;

	ledger_close(ledger);
	if (asprintf(&path, "%s_points.jsonl", ledger->prefix) < 0)
		return;
	unlink(path);
	report_unmake_levels(path, ledger->made);
	free(path);
}

void ledger_close(struct ledger *ledger)
{
	if (ledger->fd >= 0)
		close(ledger->fd);
	ledger->fd = -1;
}
