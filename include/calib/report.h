/* Files of a run: rendered from struct results, which they only read. SPDX-License-Identifier: MIT
 */
#ifndef CALIB_REPORT_H
#define CALIB_REPORT_H

#include "calib/error.h"
#include "calib/results.h"

#include <stdbool.h>
#include <stdio.h>

/**
 * struct report_format - one kind of file
 * @suffix:  "summary.txt"; the file is <prefix>_<suffix>
 * @render:  writes the whole of it; 0 or -errno
 */
struct report_format {
	const char *suffix;
	int (*render)(const struct results *results, FILE *out);
};

#define SUMMARY_SUFFIX "summary.txt"

/** report_table - the formats that are written when a run ends; ended by a NULL suffix */
extern const struct report_format report_table[];

/** report_trace - the trace from the results: the same bytes as appended while the run went on */
extern const struct report_format report_trace;

int summary_txt_render(const struct results *results, FILE *out);
int iops_csv_render(const struct results *results, FILE *out);
int mbps_csv_render(const struct results *results, FILE *out);
int lat_csv_render(const struct results *results, FILE *out);
int hist_txt_render(const struct results *results, FILE *out);
int points_csv_render(const struct results *results, FILE *out);
int trace_txt_render(const struct results *results, FILE *out);
int json_render(const struct results *results, FILE *out);

/**
 * report_prefix_in - the same last part of a prefix, in @dir, which is made when missing
 * @moved: gets it, to be freed
 */
int report_prefix_in(const char *dir, const char *prefix, char **moved, struct error *err);

/**
 * report_write - write one file aside, sync it, and rename it to its name
 * @replace:  an existing file of that name may be replaced; else -EEXIST
 *
 * On error no file of that name was made or changed, and none is left aside.
 */
int report_write(const struct results *results, const struct report_format *format, bool replace,
		 struct error *err);

/** report_write_to - the same under another prefix than that of the run */
int report_write_to(const char *prefix, const struct results *results,
		    const struct report_format *format, bool replace, struct error *err);

/**
 * struct ledger - <prefix>_points.jsonl while the run goes on
 *
 * One JSON object a line: a header, then each finished point, each synced to disk.
 *
 * @made: so many bytes of @prefix name the first directory that was made for it; 0: none was
 */
struct ledger {
	int fd; /* -1: closed or lost */
	const char *prefix;
	size_t made;
};

/**
 * ledger_claim - choose and claim the prefix of a run's files
 * @ledger:   gets <prefix>_points.jsonl, created with O_EXCL, open for appending; its @prefix is
 *            the caller's to set
 * @dir:      created when missing (NULL: testname's own directory, which must exist)
 * @testname: its last part names the files
 * @start:    local time gives _yyyymmdd_hhmm; with seconds, then _2, _3, ... where taken
 * @prefix:   gets the path, at least @prefix_size bytes
 *
 * On error nothing is left behind.
 */
int ledger_claim(struct ledger *ledger, const char *dir, const char *testname,
		 struct timespec start, char *prefix, size_t prefix_size, struct error *err);
int ledger_begin(struct ledger *ledger, const struct results *results, struct error *err);
/** ledger_add - append one good or failed point (an interrupted one does not belong there) */
int ledger_add(struct ledger *ledger, const struct results *results,
	       const struct point_result *point, struct error *err);
/** ledger_drop - close, and remove the file and the directories that were made for it: for a run
 * that never began */
void ledger_drop(struct ledger *ledger);
void ledger_close(struct ledger *ledger);

/**
 * struct trace - <prefix>_trace.txt while the run goes on
 * @made: the file is this run's
 * @points, @warnings: of the results, written so far
 */
struct trace {
	int fd; /* -1: closed or lost */
	const char *prefix;
	bool made;
	size_t points, warnings;
};

/** trace_begin - create <prefix>_trace.txt, never over an existing file, with the header and the
 * warnings so far */
int trace_begin(struct trace *trace, const struct results *results, struct error *err);
/** trace_update - append a line for each point and warning that is new in @results; an error is
 * answered once, then the trace is lost */
int trace_update(struct trace *trace, const struct results *results, struct error *err);
/** trace_drop - close and remove it: for a run that never began */
void trace_drop(struct trace *trace);
void trace_close(struct trace *trace);

/**
 * json_read - the results of a run from its _results.json
 * @results:   empty; to be released, also after an error
 * @more_keys: becomes true where the file says more than this version of calib knows
 *
 * Whatever the file holds, it becomes results that can be reported, or an error that tells where
 * it is wrong: -EINVAL, or the code of the call that could not read it.
 */
int json_read(struct results *results, const char *path, bool *more_keys, struct error *err);

/**
 * ledger_read - the same from a ledger, as far as the run has come
 *
 * A torn last line is left out. What only the end of a run tells is not known.
 */
int ledger_read(struct results *results, const char *path, bool *more_keys, struct error *err);

/**
 * orion_read - a run of ORION's, from <prefix>_summary.txt and the files beside it
 * @results:  empty; to be released, also after an error
 *
 * Any version from 10.2 to 19c. What ORION does not tell is unknown (struct source). What is not
 * understood, or contradicts, becomes a warning; a matrix that is none is an error.
 */
int orion_read(struct results *results, const char *prefix, struct error *err);

/** orion_is_summary - whether a file is a summary of ORION's: its first 64 KiB name the version */
bool orion_is_summary(const char *path);

/** ledger_in_use - whether the run that writes it still goes on */
bool ledger_in_use(const char *path);

#endif
