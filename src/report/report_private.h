/* Shared by the renderers. SPDX-License-Identifier: MIT */
#ifndef CALIB_REPORT_PRIVATE_H
#define CALIB_REPORT_PRIVATE_H

#include "calib/results.h"

#include <jansson.h>
#include <stdio.h>

/* doubles with 17 digits: they are read back as they were */
#define REPORT_JSON_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

/** report_end - push out what is buffered: 0, or -errno where something was not written */
int report_end(FILE *out);

/** report_open_new - make <prefix>_<suffix> for appending, by this process and no other: a
 * descriptor, or -EEXIST and the like */
int report_open_new(const char *prefix, const char *suffix);

/** report_unmake_levels - remove the directories of @path, the innermost first, down to the one
 * that its first @made bytes name; one that is not empty stays. @made 0: none was made */
void report_unmake_levels(const char *path, size_t made);

/** report_sync_directory - the directory that @path lies in, so that its name, too, outlives a
 * power cut; where the file system can */
void report_sync_directory(const char *path);

/** report_put_name - a name or other foreign text, odd bytes escaped; without memory its first 16
 * KiB */
void report_put_name(FILE *out, const char *name);

#define CLASS_NAME_SIZE (LOAD_NAME_SIZE + 8)

/** report_class_name - "small_read": the load and the direction */
char *report_class_name(char out[CLASS_NAME_SIZE], const struct load *load, enum io_dir dir);

const char *report_pattern_name(enum pattern_type pattern);

#define TIME_SIZE 64

/** report_time - ISO 8601 with offset and milliseconds; NULL for zero */
const char *report_time(char out[TIME_SIZE], const struct results *results, struct timespec time);

/**
 * struct hist_column - one class's histogram, walked from row to row
 * @pending: @bucket belongs to a row that is still to come
 * @total:   I/Os in all
 * @seen:    of them in the rows so far
 */
struct hist_column {
	const uint8_t *packed;
	size_t size, position;
	struct bucket bucket;
	bool pending;
	uint64_t total, seen;
};

void hist_column_init(struct hist_column *column, const struct results *results,
		      const struct class_result *class);
/** hist_row_end - where a row of a class that should end at @upper_ns ends: where a bucket does */
uint64_t hist_row_end(const struct results *results, const struct class_result *class,
		      uint64_t upper_ns);
/** hist_column_row - I/Os below @upper_ns, an edge of a bucket, that no earlier row has counted */
uint64_t hist_column_row(struct hist_column *column, uint64_t upper_ns);

#define ORION_LAST_END_US (UINT64_C(1) << 28) /* where the last row of ORION's tables ends */

/** summary_histogram - ORION's table of the latencies of one load, at the point of a best figure */
void summary_histogram(const struct results *results, const struct best_value *best,
		       const char *name, FILE *out);

/** summary_details - calib's own lines, below ORION's */
void summary_details(const struct results *results, FILE *out);

/**
 * json_put - set a member of *@object; takes over @value
 *
 * Without memory for it, or with a NULL @value, *@object is freed and becomes NULL, and stays so:
 * who builds an object looks at it once, at the end.
 */
void json_put(json_t **object, const char *key, json_t *value);
/** json_put_text - a string, NULL as null; bytes that are no UTF-8 are escaped, and then stand
 * whole in <key>_hex beside it */
void json_put_text(json_t **object, const char *key, const char *text);
/** json_add - append to *@array, like json_put() */
void json_add(json_t **array, json_t *value);

json_t *json_count(uint64_t value);
/** json_number - a double; null where it is no number */
json_t *json_number(double value);
/** json_time - as report_time(), null for zero */
json_t *json_time(const struct results *results, struct timespec time);
json_t *json_warning(const struct results *results, const struct warning *warning);

/**
 * struct json_text - one JSON value as it grows; zeroed memory is an empty one
 * @failed: no memory: nothing more is added
 */
struct json_text {
	char *bytes; /* not ended by a NUL */
	size_t length, capacity;
	bool failed;
};

/** json_text_open, json_text_close - '{' and '}', or '[' and ']' */
void json_text_open(struct json_text *text, const char *key, char bracket);
void json_text_close(struct json_text *text, char bracket);
/** the following add a member, or to an array, where @key is NULL, an element */
void json_text_count(struct json_text *text, const char *key, uint64_t value);
void json_text_number(struct json_text *text, const char *key, double value);
void json_text_string(struct json_text *text, const char *key, const char *string);
void json_text_null(struct json_text *text, const char *key);
/** json_text_value - takes over @value */
void json_text_value(struct json_text *text, const char *key, json_t *value);
/** json_text_put - these bytes as they are */
void json_text_put(struct json_text *text, const char *bytes, size_t count);
void json_text_release(struct json_text *text);

/** json_point - one entry of points[], and a line of the ledger, in place of what @text held; 0 or
 * -ENOMEM */
int json_point(struct json_text *text, const struct results *results,
	       const struct point_result *point);

/** json_put_names, json_put_setup - what is known of a run before its first point: version to
 * start, settings to LUNs */
void json_put_names(json_t **object, const struct results *results);
void json_put_setup(json_t **object, const struct results *results);
json_t *json_warnings(const struct results *results);

#endif
