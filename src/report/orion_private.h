/* Shared by the files that read ORION's. SPDX-License-Identifier: MIT */
#ifndef CALIB_ORION_PRIVATE_H
#define CALIB_ORION_PRIVATE_H

#include "calib/error.h"
#include "calib/report.h"
#include "calib/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ORION_FILE_MAX	(UINT64_C(1) << 26)
#define ORION_CELLS_MAX 1000000u
#define ORION_LUNS_MAX	65536u
#define ORION_EDGES_MAX 64u
/* of a name, a path, the options: odd bytes take seven times as much in a document, which is read
 * back up to 32 MiB */
#define ORION_TEXT_MAX (UINT64_C(1) << 20)

/**
 * struct orion_text - a text file, taken line by line
 * @name:  its path, with odd bytes escaped
 * @line:  number of the line that was taken last, from 1
 * @torn:  that line had no line feed: it is the last, and may be cut off
 */
struct orion_text {
	char *name;
	char *bytes;
	size_t size, at;
	unsigned line;
	bool torn;
};

/** orion_text_open - the whole file; -ENOENT and the like, or -EINVAL where it is no text */
int orion_text_open(struct orion_text *text, const char *path, struct error *err);
/** orion_text_open_head - the same, but of a larger one the first 64 KiB */
int orion_text_open_head(struct orion_text *text, const char *path, struct error *err);
void orion_text_close(struct orion_text *text);
/** orion_text_line - the next line, without what ends it and without blanks around it; NULL at the
 * end. */
char *orion_text_line(struct orion_text *text);

const char *orion_skip_blanks(const char *at);

/* The following take what they look for from the front of *@at, blanks before it too, and answer
 * whether it was there; else *@at stays. Words without regard to case. */
bool orion_take(const char **at, const char *words);
bool orion_take_count(const char **at, uint64_t max, uint64_t *count);

/**
 * struct orion_number - a decimal number
 * @decimals: digits behind its point
 */
struct orion_number {
	double value;
	unsigned decimals;
};

/** orion_take_number - one of at most 10^12 */
bool orion_take_number(const char **at, struct orion_number *number);
/** orion_take_ns - a latency in "us" or "usecs", as whole ns */
bool orion_take_ns(const char **at, double *ns);
/** orion_take_levels - "@ Small=2 and Large=0" */
bool orion_take_levels(const char **at, uint32_t *small, uint32_t *large);
/** orion_at_end - nothing but blanks is left */
bool orion_at_end(const char *at);

/** struct orion_cell - @known false: not measured */
struct orion_cell {
	bool known;
	struct orion_number number;
};

/**
 * struct orion_matrix - one of the three
 * @read:       the file is there
 * @torn:       its last line has no end
 * @left_out:   it counts for nothing: the unit of its figures is not known
 * @stray_line: the first one with a figure of I/Os that the point has not; 0: none
 * @name:       of the file
 * @cells:      @large.count rows of @small.count
 */
struct orion_matrix {
	bool read, torn, left_out;
	unsigned stray_line;
	char *name;
	struct level_list small, large;
	struct orion_cell *cells;
};

/** orion_matrix_read - -ENOENT where there is no such file: nothing is said then */
int orion_matrix_read(struct orion_matrix *matrix, enum figure figure, const char *path,
		      struct error *err);
/** orion_level_index - the place of a level in a list that rises, or -1 */
int orion_level_index(const struct level_list *levels, uint32_t level);
void orion_matrix_release(struct orion_matrix *matrix);
/** orion_matrix_cell - the figure at these levels, or NULL */
const struct orion_cell *orion_matrix_cell(const struct orion_matrix *matrix, uint32_t small,
					   uint32_t large);

/** struct orion_best - one of the result lines, in the unit of the line */
struct orion_best {
	bool known;
	bool usecs; /* the line says so */
	struct orion_number number;
	uint32_t small, large;
};

/** struct orion_spread - a line "Small Read Latency: avg=..." */
struct orion_spread {
	bool is_large;
	enum io_dir dir;
	uint32_t small, large;
	double avg_ns, min_ns, max_ns, stddev_ns;
};

/**
 * struct orion_histogram - a table of reads and writes by latency
 * @end_ns: where each row ends, rising
 */
struct orion_histogram {
	bool is_large;
	uint32_t small, large;
	size_t rows;
	uint64_t end_ns[ORION_EDGES_MAX];
	uint64_t ios[IO_DIRS][ORION_EDGES_MAX];
	uint64_t total[IO_DIRS];
};

/**
 * struct orion - the files of a run of ORION, as far as they are read
 * @results:     get settings, LUNs and warnings at once, the points at the end
 * @files_found: as it counts its LUNs; UINT64_MAX: it does not
 * @in_ms:       latencies without a unit are in ms, else in us
 * @unit_known:  so it is known which
 * @complaints:  parts of files that were left out
 * @histograms:  by levels and load, rising
 */
struct orion {
	struct results *results;
	struct error *err;
	uint64_t files_found;
	bool in_ms, unit_known;
	unsigned complaints;
	struct orion_best best[FIGURES];
	struct orion_spread *spreads;
	size_t spread_count;
	struct orion_histogram **histograms;
	size_t histogram_count;
	struct orion_matrix matrix[FIGURES];
};

/** orion_warn - keep a warning; 0 or -ENOMEM */
int orion_warn(struct orion *orion, const char *code, enum severity severity, const char *format,
	       ...) __attribute__((format(printf, 4, 5)));
/** orion_may_complain - whether to warn of one more part of a file that is left out: so it is of
 * the first few, and orion_tell_more() counts the others at the end */
bool orion_may_complain(struct orion *orion);
int orion_tell_more(struct orion *orion);
int orion_no_memory(struct orion *orion);

#define ORION_UNREAD	    "source_unread"
#define ORION_CONTRADICTION "source_contradiction"
#define ORION_INCOMPLETE    "source_incomplete"

/** orion_summary_read - settings, LUNs, result lines */
int orion_summary_read(struct orion *orion, const char *path);

/** orion_setting_read - one line of the settings; 1 where it is one, 0 where it is none, -EINVAL
 * where it is not understood, or -ENOMEM */
int orion_setting_read(struct orion *orion, const char *line);
/** orion_command_read - the line of options, and what it tells of the run */
int orion_command_read(struct orion *orion, const char *line);

/** orion_histogram_head - whether a line is the head of a histogram's table */
bool orion_histogram_head(const char *line, struct orion_histogram *histogram);
/**
 * orion_histogram_read - the table below a head, as far as its rows go
 * @more:  becomes the line after it, or NULL
 *
 * One that cannot be trusted, or is told twice in different ways, is named, and not kept. 0 or
 * -ENOMEM.
 */
int orion_histogram_read(struct orion *orion, struct orion_text *text,
			 struct orion_histogram *histogram, char **more);
/** orion_histogram_find - that of a load at these levels, or NULL */
const struct orion_histogram *orion_histogram_find(const struct orion *orion, uint32_t small,
						   uint32_t large, bool is_large);
/** orion_hist_txt_read - what can be read of _hist.txt, whose layout is not known */
int orion_hist_txt_read(struct orion *orion, const char *path);

/** orion_points_make - the points, from all that was read */
int orion_points_make(struct orion *orion);
/** orion_class_fill - one class of a point, from what is told of it */
int orion_class_fill(struct orion *orion, struct point_result *point, unsigned load,
		     enum io_dir dir);

#endif
