/* The ledger: each finished point is on disk before the next begins. SPDX-License-Identifier: MIT
 */
#include "calib/report.h"
#include "calib/text.h"
#include "report_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* appends a line and waits for the disk; takes over @value */
static int append(int fd, json_t *value)
{
	char *line = value != NULL ? json_dumps(value, REPORT_JSON_FLAGS) : NULL;
	size_t length;
	int code;

	json_decref(value);
	if (line == NULL)
		return -ENOMEM;
	/* the newline takes the place of the NUL: one write for the line */
	length = strlen(line);
	line[length] = '\n';
	code = report_write_all(fd, line, length + 1);
	if (code == 0 && fdatasync(fd) < 0 && errno != EINVAL && errno != EROFS)
		code = -errno;
	free(line);
	return code;
}

/* after a failed write the last line may be torn: nothing may follow it, so the ledger is lost */
static int append_or_lose(struct ledger *ledger, json_t *value, struct error *err)
{
	char quoted[sizeof(err->text)];
	int code = append(ledger->fd, value);

	if (code == 0)
		return 0;
	ledger_close(ledger);
	text_quote(quoted, sizeof(quoted), ledger->prefix);
	return error_set(err, code, "cannot write '%s_points.jsonl'", quoted);
}

int ledger_begin(struct ledger *ledger, const struct results *results, struct error *err)
{
	json_t *header = json_object();

	json_put(&header, "schema", json_string("calib-ledger/1"));
	json_put_names(&header, results);
	json_put_setup(&header, results);
	json_put_text(&header, "engine", results->run.engine);
	json_put(&header, "warnings", json_warnings(results));
	return append_or_lose(ledger, header, err);
}

int ledger_add(struct ledger *ledger, const struct results *results,
	       const struct point_result *point, struct error *err)
{
	if (ledger->fd < 0)
		return 0; /* lost, and said so then */
	return append_or_lose(ledger, json_point(results, point), err);
}

void ledger_drop(struct ledger *ledger)
{
	char *path;

	ledger_close(ledger);
	if (asprintf(&path, "%s_points.jsonl", ledger->prefix) < 0)
		return;
	unlink(path);
	free(path);
}

void ledger_close(struct ledger *ledger)
{
	if (ledger->fd >= 0)
		close(ledger->fd);
	ledger->fd = -1;
}
