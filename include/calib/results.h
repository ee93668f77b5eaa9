/* What a run measured, as kept and as every report sees it. SPDX-License-Identifier: MIT */
#ifndef CALIB_RESULTS_H
#define CALIB_RESULTS_H

#include "calib/error.h"
#include "calib/histogram.h"
#include "calib/point.h"
#include "calib/spec.h"
#include "calib/tally.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* the percentiles of every report, in this order */
enum percentile {
	PCT_50,
	PCT_90,
	PCT_95,
	PCT_99,
	PCT_99_9,
	PCT_99_99,
	PCT_COUNT,
};

extern const double percentile_value[PCT_COUNT];     /* 50, 90, ... 99.99 */
extern const char *const percentile_name[PCT_COUNT]; /* "p50" ... "p99_99" */

/** struct slice - a run of rows in one of the pools of struct results */
struct slice {
	size_t at;
	size_t count;
};

/**
 * struct latency - one class's latencies, in ns
 * @few: bit i: percentile i comes from too few samples (fewer than 1 / (1 - p): p99.9 needs 1,000)
 */
struct latency {
	uint64_t min_ns, max_ns;
	double mean_ns, stddev_ns;
	uint64_t pct_ns[PCT_COUNT];
	unsigned few;
};

/* what of a class may not be known: bits of class_result.unknown */
enum class_part {
	CLASS_IOS = 1u << 0, /* and their bytes */
	CLASS_ERRORS = 1u << 1,
	CLASS_IOPS = 1u << 2,
	CLASS_MBPS = 1u << 3,
	CLASS_OUTSTANDING = 1u << 4,
	CLASS_MEAN = 1u << 5, /* of the latency */
	CLASS_MIN = 1u << 6,
	CLASS_SPREAD = 1u << 7, /* its maximum and standard deviation */
	CLASS_PERCENTILES = 1u << 8,
	CLASS_HIST = 1u << 9,
	CLASS_LUNS = 1u << 10,
	CLASS_SERIES = 1u << 11,
};

/**
 * struct class_result - one load in one direction
 * @present:  the point loads this class
 * @unknown:  of enum class_part; 0 in calib's own runs
 * @ios:      completed well within the window; 0: @latency is unknown (null in JSON)
 * @mbps:     2^20 bytes a second
 * @edges:    rows in results.edges: where the buckets of @hist end, rising; none: calib's buckets
 */
struct class_result {
	bool present;
	unsigned unknown;
	uint64_t ios;
	uint64_t bytes;
	double iops;
	double mbps;
	double outstanding_mean;
	uint64_t failed;     /* I/Os, whenever: ramp, window or drain */
	struct slice errors; /* rows in results.errors: @failed by their kinds */
	struct latency latency;
	struct slice hist; /* bytes in results.packed */
	struct slice edges;
	struct slice luns;   /* rows in results.lun_rows: LUNs with I/Os or errors, rising */
	struct slice series; /* @at: the first's byte in results.series; @count: of rows */
};

enum point_status {
	POINT_OK,
	POINT_FAILED,
	POINT_INTERRUPTED,
};

/* what the matrices show, both directions together */
enum figure {
	FIGURE_SMALL_IOPS,
	FIGURE_LARGE_MBPS,
	FIGURE_SMALL_LATENCY_NS,
};

#define FIGURES 3

/**
 * struct told - figures of a point that another program tells: they follow from no class
 * @has:  bit i: figure i is known
 */
struct told {
	bool is;
	unsigned has;
	double value[FIGURES];
};

/** struct point_result - one finished or broken-off point; holds no pointer */
struct point_result {
	struct point point;
	struct told told;
	enum point_status status;
	struct timespec started, finished; /* wall clock */
	double seconds;			   /* measured */
	uint32_t threads;
	double cpu_user_s, cpu_system_s;
	uint64_t filled_bytes; /* moved before it to fill a cache, in @filled_s */
	double filled_s;
	double series_interval_s;
	struct class_result classes[POINT_LOADS_MAX][IO_DIRS];
};

struct lun_row {
	uint32_t lun;
	uint64_t ios;
	uint64_t bytes;
	uint64_t errors;
	double mean_ns;
};

struct series_row {
	uint64_t ios;
	uint64_t bytes;
	double mean_ns;
	uint64_t max_ns;
};

enum severity {
	SEVERITY_NOTE,
	SEVERITY_SUSPECT,
};

#define WARNING_NO_POINT 0
#define WARNING_NO_LUN	 (-1)

/**
 * struct warning - @point is point.number or WARNING_NO_POINT, @lun an index or WARNING_NO_LUN
 * @after:  so many points were kept already when it was raised: its place in the trace
 */
struct warning {
	const char *code; /* stable, lower case with '_'; static or owned by results (text) */
	enum severity severity;
	char *text;
	int lun;
	uint32_t point;
	size_t after;
	struct timespec raised; /* wall clock */
};

/** struct io_count - what the I/O loop sent to a LUN: ramps and drains included */
struct io_count {
	uint64_t reads, read_bytes, writes, write_bytes;
};

/** struct kernel_count - change of /sys/.../stat over the run; @known false: no such counters */
struct kernel_count {
	bool known;
	uint64_t read_ios, read_merges, read_sectors;
	uint64_t write_ios, write_merges, write_sectors;
};

/**
 * struct lun_info - one LUN as found; strings are owned by results
 * @foreign:  as another program names it: only path and size are known
 */
struct lun_info {
	bool foreign;
	char *path; /* as in the .lun file, bytes as they are */
	bool is_block;
	uint64_t size_bytes;
	uint64_t used_bytes; /* the part that I/Os are sent to */
	uint32_t logical_block_bytes;
	uint32_t physical_block_bytes; /* 0: unknown */
	unsigned major, minor;	       /* of the device itself, or of the one below a file */
	int rotational;		       /* 0, 1; -1: unknown */
	char *model;		       /* NULL: unknown; so for the following */
	char *scheduler;
	int64_t nr_requests; /* -1: unknown */
	char *filesystem;    /* of a regular file */
	bool issued_known;   /* not before the run's end */
	struct io_count issued;
	struct kernel_count kernel;
};

struct host_info {
	char hostname[256];
	char kernel[256];
	char cpu[256]; /* empty: unknown */
	unsigned cpus;
	uint64_t memory_bytes;
};

/**
 * struct source - the program that has measured, where that was not calib
 *
 * Then what calib knows of its own runs, but not of this one, is zero, or a bit of an @unknown, and
 * null in JSON.
 *
 * @program:      "orion"; NULL: calib
 * @latency_unit: in its files: "ms" or "us"; NULL: unknown
 * @files:        names of those that were read
 */
struct source {
	char *program;
	char *version;
	char *latency_unit;
	char **files;
	size_t file_count;
};

/* settings that may not be known, but have no value for that: bits of run_info.unknown */
enum setting {
	SETTING_MATRIX = 1u << 0,
	SETTING_LARGE_TYPE = 1u << 1,
	SETTING_SIMULATE = 1u << 2,
	SETTING_WRITE_PCT = 1u << 3,
};

/**
 * struct run_info - the run as a whole
 * @prefix:       path and start of every output file's name
 * @status:       "complete" only if every point was tried
 * @signal:       the signal that stopped the run, or 0
 * @small_levels: rows and columns of the matrices: rising, 0 where the plan has it
 * @unknown:      of enum setting; 0 in calib's own runs
 */
enum run_status {
	RUN_COMPLETE,
	RUN_INTERRUPTED,
	RUN_FAILED,
};

struct run_info {
	struct source source;
	unsigned unknown;
	char *testname;
	char *prefix;
	char *command_line; /* "calib" and the options, as a shell would read them */
	char version[32];
	struct timespec started, finished; /* finished: zero while running */
	int32_t utc_offset_s;		   /* local time less UTC, for every time stamp shown */
	enum run_status status;
	int signal;
	enum run_type run;
	enum matrix_type matrix;
	uint64_t small_bytes, large_bytes;
	enum large_type large_type;
	unsigned stream_ios;
	enum lun_layout layout;
	uint64_t stripe_bytes; /* 0: none */
	unsigned write_pct;
	bool cache_given;
	uint64_t cache_bytes;	/* where @cache_given */
	uint64_t cache_fill_ns; /* before each point with streams, where it is filled by time */
	unsigned num_disks;
	unsigned repeat;
	enum point_order order;
	uint64_t seed;
	uint64_t duration_ns, ramp_ns;
	bool has_small, has_large; /* the run type loads that class */
	size_t total_points; /* ORION's count; for basic: of those tried, the empty one included */
	size_t run_points;   /* points to run, repeats included (at most, where adaptive) */
	struct level_list small_levels, large_levels;
	char *engine;
	char *engine_reason;
	char buffer_pages[8]; /* "huge" "thp" "small" "mixed" */
	struct host_info host;
};

/** struct best_value - the value and the levels it was measured at; @known false: none */
struct best_value {
	bool known;
	double value;
	uint32_t small, large;
	uint32_t point; /* number of the point whose statistics are shown with it */
};

struct best {
	struct best_value max_iops;
	struct best_value max_mbps;
	struct best_value min_latency_ns;
};

/**
 * struct results - the whole run
 *
 * Zeroed memory is a valid empty one. What results_add() stores is never changed again; slices
 * index into the pools (they move, so take pointers only for a moment).
 */
struct results {
	struct run_info run;
	struct lun_info *luns;
	size_t lun_count;
	struct point_result *points;
	size_t point_count, point_capacity;
	uint32_t *by_cell; /* indices of points, by small, large, order of the run */
	size_t by_cell_capacity;
	uint8_t *packed; /* histograms, histogram_pack() */
	size_t packed_count, packed_capacity;
	struct lun_row *lun_rows;
	size_t lun_row_count, lun_row_capacity;
	uint8_t *series; /* rows as bytes, see series_next() */
	size_t series_bytes, series_capacity;
	struct error_count *errors;
	size_t error_count, error_capacity;
	uint64_t *edges; /* ns */
	size_t edge_count, edge_capacity;
	struct warning *warnings;
	size_t warning_count, warning_capacity;
	struct best best; /* kept true by results_add() */
};

void results_release(struct results *results);

/**
 * results_add - keep what a point measured
 * @status:  an interrupted point is kept, but is never best and in no matrix
 *
 * Statistics are computed here, once, from the dense measure: reports compute nothing. The point
 * finishes now. -ENOMEM: nothing was added.
 */
int results_add(struct results *results, const struct point *point, enum point_status status,
		struct timespec started, const struct measure *measure);

/**
 * results_append - keep a point that was read back from a file
 * @point:  its slices index into the pools, where the reader has put the rows
 */
int results_append(struct results *results, const struct point_result *point);

/** pools for a reader; each answers 0 or -ENOMEM */
int results_push_lun_row(struct results *results, const struct lun_row *row);
int results_push_series(struct results *results, const struct series_row *row);
int results_push_edge(struct results *results, uint64_t upper_ns);
int results_push_error(struct results *results, const struct error_count *error);
/** @slice: where its buckets were put */
int results_push_histogram(struct results *results, const struct histogram *histogram,
			   struct slice *slice);

/** series_next - the row that begins at byte *@position of results->series, which moves to the next
 */
void series_next(const struct results *results, size_t *position, struct series_row *row);

/** results_foreign - whether another program has measured, see struct source */
static inline bool results_foreign(const struct results *results)
{
	return results->run.source.program != NULL;
}

/** class_knows - whether a class's latency is known in that part; false where it has no I/Os */
static inline bool class_knows(const struct class_result *class, enum class_part part)
{
	return !(class->unknown & part) && (class->ios > 0 || (class->unknown & CLASS_IOS));
}

/** results_warn - add a warning, raised now; @format makes the text. -ENOMEM: not added */
int results_warn(struct results *results, const char *code, enum severity severity, uint32_t point,
		 int lun, const char *format, ...) __attribute__((format(printf, 6, 7)));

/** results_vwarn - add a warning as @like, with the text that @format makes */
int results_vwarn(struct results *results, const struct warning *like, const char *format,
		  va_list args) __attribute__((format(printf, 3, 0)));

/** results_push_warning - add a copy of a warning as it is; 0 or -ENOMEM */
int results_push_warning(struct results *results, const struct warning *warning);

/** point_small_iops - IOPS of the small class, both directions; 0 where it is not loaded */
double point_small_iops(const struct point_result *point);
/** point_large_mbps - MBPS (2^20) of the large class, both directions; 0 where not loaded */
double point_large_mbps(const struct point_result *point);
/** point_small_latency_ns - mean over small reads and writes together; 0 where none completed */
double point_small_latency_ns(const struct point_result *point);
/** point_figure - one of them; false where the point does not have it */
bool point_figure(const struct point_result *point, enum figure figure, double *value);
/** point_load - the index of the load with that name, or -1 */
int point_load(const struct point *point, const char *name);

/**
 * struct cell - one cell of the matrices: the medians over the good repeats of a point
 * @known: at least one repeat is good
 * @has:   bit i: figure i is there
 */
struct cell {
	bool known;
	unsigned has;
	double small_iops;
	double large_mbps;
	double small_latency_ns;
	uint32_t
		point; /* number of the good repeat whose figure is the median (the lower of two) */
};

/** results_cell - the medians at (small, large) over the good repeats */
struct cell results_cell(const struct results *results, uint32_t small, uint32_t large);

/** results_issued - the sum over all LUNs; false where it is not known of each */
bool results_issued(const struct results *results, struct io_count *sum);

/** results_point - the point with that number, or NULL */
const struct point_result *results_point(const struct results *results, uint32_t number);

/** point_failed_ios - I/Os that failed in one point, every class */
uint64_t point_failed_ios(const struct point_result *point);

/** results_failed_ios - I/Os that failed in all points, every class */
uint64_t results_failed_ios(const struct results *results);

const char *point_status_name(enum point_status status);
const char *run_status_name(enum run_status status);
const char *severity_name(enum severity severity);
const char *lun_layout_name(enum lun_layout layout);

#endif
