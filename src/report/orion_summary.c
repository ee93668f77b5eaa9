/* ORION's summary, or what it printed: its result lines. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "orion_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLAINTS_MAX 20u
#define SHOWN_SIZE     80
#define SPREADS_MAX    64u

int orion_no_memory(struct orion *orion)
{
	return error_set(orion->err, -ENOMEM, "cannot read the results");
}

/* When ORION came to that is not known, so a warning has no time. */
int orion_warn(struct orion *orion, const char *code, enum severity severity, const char *format,
	       ...)
{
	const struct warning like = {.code = code, .severity = severity, .lun = WARNING_NO_LUN};
	va_list args;
	int error;

	va_start(args, format);
	error = results_vwarn(orion->results, &like, format, args);
	va_end(args);
	return error < 0 ? orion_no_memory(orion) : 0;
}

bool orion_may_complain(struct orion *orion)
{
	return ++orion->complaints <= COMPLAINTS_MAX;
}

int orion_tell_more(struct orion *orion)
{
	if (orion->complaints <= COMPLAINTS_MAX)
		return 0;
	return orion_warn(orion, ORION_UNREAD, SEVERITY_SUSPECT,
			  "%u more lines or histograms are left out",
			  orion->complaints - COMPLAINTS_MAX);
}

static int complain(struct orion *orion, const struct orion_text *text, const char *line)
{
	char shown[SHOWN_SIZE];

	if (!orion_may_complain(orion))
		return 0;
	return orion_warn(orion, ORION_UNREAD, SEVERITY_SUSPECT,
			  "'%s':%u: not understood, and left out%s: '%s'", text->name, text->line,
			  text->torn ? " (the file may be cut off)" : "",
			  text_quote(shown, sizeof(shown), line));
}

static const char *const best_label[FIGURES] = {
	[FIGURE_SMALL_IOPS] = "Maximum Small IOPS =",
	[FIGURE_LARGE_MBPS] = "Maximum Large MBPS =",
	[FIGURE_SMALL_LATENCY_NS] = "Minimum Small Latency =",
};

/* "442 @ Small=40 and Large=0", "97.677 usecs @ ..." */
static int read_best(struct orion *orion, enum figure figure, const char *rest)
{
	struct orion_best *best = &orion->best[figure];
	struct orion_best read = {.known = true};

	if (!orion_take_number(&rest, &read.number))
		return -EINVAL;
	read.usecs = orion_take(&rest, "usecs");
	if (!orion_take_levels(&rest, &read.small, &read.large) || !orion_at_end(rest) ||
	    best->known)
		return -EINVAL;
	/* a figure of I/Os that the point has not */
	if ((figure == FIGURE_LARGE_MBPS ? read.large : read.small) == 0)
		return -EINVAL;
	*best = read;
	return 1;
}

static const struct spread_label {
	const char *label;
	bool is_large;
	enum io_dir dir;
} spread_labels[] = {
	{"Small Read Latency:", false, IO_READ},
	{"Small Write Latency:", false, IO_WRITE},
	{"Large Read Latency:", true, IO_READ},
	{"Large Write Latency:", true, IO_WRITE},
};

static int read_spread(struct orion *orion, const struct spread_label *label, const char *rest)
{
	struct orion_spread spread = {.is_large = label->is_large, .dir = label->dir};
	struct orion_spread *grown;

	if (!orion_take(&rest, "avg =") || !orion_take_ns(&rest, &spread.avg_ns) ||
	    !orion_take(&rest, ", min =") || !orion_take_ns(&rest, &spread.min_ns) ||
	    !orion_take(&rest, ", max =") || !orion_take_ns(&rest, &spread.max_ns) ||
	    !orion_take(&rest, ", std dev =") || !orion_take_ns(&rest, &spread.stddev_ns) ||
	    !orion_take_levels(&rest, &spread.small, &spread.large) || !orion_at_end(rest) ||
	    spread.min_ns > spread.max_ns || orion->spread_count == SPREADS_MAX)
		return -EINVAL;
	grown = reallocarray(orion->spreads, orion->spread_count + 1, sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	grown[orion->spread_count++] = spread;
	orion->spreads = grown;
	return 1;
}

/* 1 where it is one of the result lines, else as orion_setting_read() */
static int read_result(struct orion *orion, const char *line)
{
	for (unsigned i = 0; i < FIGURES; i++) {
		const char *rest = line;

		if (orion_take(&rest, best_label[i]))
			return read_best(orion, (enum figure)i, rest);
	}
	for (size_t i = 0; i < COUNT(spread_labels); i++) {
		const char *rest = line;

		if (orion_take(&rest, spread_labels[i].label))
			return read_spread(orion, &spread_labels[i], rest);
	}
	return orion_setting_read(orion, line);
}

static bool is_command_label(const char *line)
{
	const char *spaced = line;

	return (orion_take(&line, "Commandline:") && orion_at_end(line)) ||
	       (orion_take(&spaced, "Command line:") && orion_at_end(spaced));
}

static int check_one_run(struct orion *orion, const struct orion_text *text, const char *line)
{
	if (orion->results->run.source.version == NULL || !orion_take(&line, "ORION VERSION"))
		return 0;
	return error_say(orion->err, -EINVAL, "'%s':%u: another run begins: there must be one",
			 text->name, text->line);
}

static int read_line(struct orion *orion, struct orion_text *text, char *line, char **next)
{
	struct orion_histogram histogram = {0};
	int code = check_one_run(orion, text, line);

	*next = NULL;
	if (code < 0)
		return code;
	if (is_command_label(line)) {
		line = orion_text_line(text);
		code = line != NULL ? orion_command_read(orion, line) : 0;
	} else if (orion_histogram_head(line, &histogram)) {
		return orion_histogram_read(orion, text, &histogram, next);
	} else {
		code = read_result(orion, line);
	}
	if (code == -EINVAL)
		return complain(orion, text, line);
	return code < 0 ? orion_no_memory(orion) : 0;
}

int orion_summary_read(struct orion *orion, const char *path)
{
	struct orion_text text;
	char *line, *next;
	int code = orion_text_open(&text, path, orion->err);

	if (code < 0)
		return code;
	line = orion_text_line(&text);
	while (code == 0 && line != NULL) {
		code = read_line(orion, &text, line, &next);
		line = next != NULL ? next : orion_text_line(&text);
	}
	orion_text_close(&text);
	return code;
}
