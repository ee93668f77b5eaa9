/* What was asked for: the options after parsing, before anything is opened.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_SPEC_H
#define CALIB_SPEC_H

#include "calib/error.h"

#include <stdbool.h>
#include <stdint.h>

enum run_type {
	RUN_NONE, /* -run was not given */
	RUN_BASIC,
	RUN_SIMPLE,
	RUN_NORMAL,
	RUN_OLTP,
	RUN_DSS,
	RUN_ADVANCED,
};

enum matrix_type {
	MATRIX_BASIC, /* first row and first column */
	MATRIX_DETAILED,
	MATRIX_POINT,
	MATRIX_COL,
	MATRIX_ROW,
	MATRIX_MAX,
};

enum large_type {
	LARGE_SEQ,
	LARGE_RAND,
};

/* how the LUNs are joined to one volume: -simulate */
enum lun_layout {
	LAYOUT_CONCAT,
	LAYOUT_RAID0,
};

enum point_order {
	ORDER_RISING,
	ORDER_SHUFFLED,
};

enum page_choice {
	PAGES_AUTO,
	PAGES_HUGE,
	PAGES_THP,
	PAGES_SMALL,
};

#define LEVELS_MAX	4096u  /* entries in one list of load levels */
#define LEVEL_MAX	10000u /* outstanding I/Os, or streams */
#define IO_BYTES_MAX	(UINT64_C(1) << 30)
#define CACHE_BYTES_MAX (UINT64_C(1) << 62)

/** struct level_list - load levels in the order given; @count 0: derive them */
struct level_list {
	unsigned count;
	uint32_t value[LEVELS_MAX];
};

/** level_list_insert - add a level to a rising list, unless it is there; false: no room, unchanged
 */
bool level_list_insert(struct level_list *levels, uint32_t level);

/**
 * struct spec - one run as asked for
 *
 * spec_init() fills in what does not depend on the run type; the parser sets members and, in
 * @given, a bit for each option of the command line; spec_settle() fills in what the run type
 * sets and refuses what has no meaning there. Strings point into argv and are not owned.
 */
struct spec {
	enum run_type run;
	enum matrix_type matrix;
	const char *testname; /* may contain a directory; without a typed ".lun" */
	bool lun_suffix;      /* which was cut off */
	const char *lun_path; /* -lun, or NULL: <testname>.lun */
	const char *out_dir;  /* -out, or NULL: the directory in testname */
	const char *engine;   /* "auto" or an engine's name */
	uint64_t small_bytes;
	uint64_t large_bytes;
	enum large_type large_type;
	unsigned stream_ios; /* outstanding I/Os of one stream */
	unsigned num_disks;  /* 0: the number of LUNs */
	unsigned num_small;  /* for matrix point, col, max */
	unsigned num_large;  /* for matrix point, row, max */
	struct level_list small_levels;
	struct level_list large_levels;
	enum lun_layout layout;
	uint64_t stripe_bytes;	/* once settled: 0 with LAYOUT_CONCAT */
	unsigned write_pct;	/* 0..100: share of I/Os, or of streams, that write */
	bool overwrite;		/* the user allows that data is destroyed */
	bool force;		/* also where a LUN carries a signature */
	bool orion;		/* ORION's defaults where they differ */
	bool huge_not_needed;	/* ORION's word for what is always so here: see @pages */
	uint64_t cache_bytes;	/* -cache_size: junk before each point with streams; 0: none */
	uint64_t cache_fill_ns; /* settled: the same by time, where no size was given; 0: none */
	uint64_t duration_ns;
	uint64_t ramp_ns;
	uint64_t seed;	  /* below 2^53 */
	unsigned threads; /* 0: auto */
	unsigned repeat;  /* 1 and more */
	enum point_order order;
	enum page_choice pages;
	bool poll;
	bool verbose, quiet, json, dry_run;
	uint64_t given; /* bit SPEC_x for each option that was on the command line */
};

/* the bits of spec.given: only options whose presence changes what others mean */
enum spec_given {
	SPEC_MATRIX,
	SPEC_TESTNAME,
	SPEC_OUT,
	SPEC_LUN,
	SPEC_SIZE_SMALL,
	SPEC_SIZE_LARGE,
	SPEC_TYPE,
	SPEC_STREAM_IOS,
	SPEC_NUM_DISKS,
	SPEC_NUM_SMALL,
	SPEC_NUM_LARGE,
	SPEC_SMALL_LEVELS,
	SPEC_LARGE_LEVELS,
	SPEC_DURATION,
	SPEC_RAMP,
	SPEC_SEED,
	SPEC_REPEAT,
	SPEC_ORDER,
	SPEC_CACHE_SIZE,
	SPEC_STRIPE,
};

static inline bool spec_given(const struct spec *spec, enum spec_given option)
{
	return (spec->given >> option) & 1;
}

/** spec_init - a spec as if no option were given (run type RUN_NONE) */
void spec_init(struct spec *spec);

/**
 * spec_settle - fill in what the run type sets, refuse what contradicts
 *
 * Answers 0, or -EINVAL with an @err that names the options and values in question, as they
 * would be typed ("-num_small is for -matrix point, col and max, not -run simple").
 */
int spec_settle(struct spec *spec, struct error *err);

/** spec_has_streams - whether any of its points has large sequential streams */
bool spec_has_streams(const struct spec *spec);

/** spec_has_small, spec_has_large - whether the run type loads that class at all */
bool spec_has_small(const struct spec *spec);
bool spec_has_large(const struct spec *spec);

/** spec_largest_bytes - the largest of the stripe and of the I/O sizes that the run uses */
uint64_t spec_largest_bytes(const struct spec *spec);

/** spec_large_parts - the most requests that one large I/O on @lun_count LUNs is sent in */
uint32_t spec_large_parts(const struct spec *spec, unsigned lun_count);

/** the words of the command line and of the reports: "basic", "detailed", "seq", "rising" ... */
const char *run_type_name(enum run_type run);
const char *matrix_type_name(enum matrix_type matrix);
const char *large_type_name(enum large_type type);
const char *point_order_name(enum point_order order);

#endif
