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

/** report_table - the formats that are written when a run ends; ended by a NULL suffix */
extern const struct report_format report_table[];

int summary_txt_render(const struct results *results, FILE *out);
int iops_csv_render(const struct results *results, FILE *out);
int mbps_csv_render(const struct results *results, FILE *out);
int lat_csv_render(const struct results *results, FILE *out);
int json_render(const struct results *results, FILE *out);

/**
 * report_claim - choose and claim the prefix of a run's files
 * @dir:      created when missing (NULL: testname's own directory, which must exist)
 * @testname: its last part names the files
 * @start:    local time gives _yyyymmdd_hhmm; with seconds, then _2, _3, ... where taken
 * @prefix:   gets the path, at least @prefix_size bytes
 * @fd:       gets the ledger <prefix>_points.jsonl, created with O_EXCL, open for appending
 *
 * On error nothing is left behind.
 */
int report_claim(const char *dir, const char *testname, struct timespec start, char *prefix,
		 size_t prefix_size, int *fd, struct error *err);

/**
 * report_write - write one file aside, sync it, and rename it to its name
 * @replace:  an existing file of that name may be replaced; else -EEXIST
 *
 * On error no file of that name was made or changed, and none is left aside.
 */
int report_write(const struct results *results, const struct report_format *format, bool replace,
		 struct error *err);

/**
 * struct ledger - <prefix>_points.jsonl while the run goes on
 *
 * One JSON object a line: a header, then each finished point, each synced to disk.
 */
struct ledger {
	int fd; /* -1: closed or lost */
	const char *prefix;
};

int ledger_begin(struct ledger *ledger, const struct results *results, struct error *err);
/** ledger_add - append one good or failed point (an interrupted one does not belong there) */
int ledger_add(struct ledger *ledger, const struct results *results,
	       const struct point_result *point, struct error *err);
/** ledger_drop - close, and remove the file: for a run that never began */
void ledger_drop(struct ledger *ledger);
void ledger_close(struct ledger *ledger);

#endif
