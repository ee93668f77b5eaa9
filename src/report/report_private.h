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

/** report_write_all - 0, or -errno where not all of @size bytes were written */
int report_write_all(int fd, const char *bytes, size_t size);

/** report_sync_directory - the directory that @path lies in, so that its name, too, outlives a
 * power cut; where the file system can */
void report_sync_directory(const char *path);

/** report_put_name - a name or other foreign text, odd bytes escaped, at most 16 KiB of it */
void report_put_name(FILE *out, const char *name);

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
/** json_time - ISO 8601 with offset and milliseconds; null for zero */
json_t *json_time(const struct results *results, struct timespec time);
json_t *json_warning(const struct warning *warning);

/** json_point - one entry of points[], and a line of the ledger; NULL: no memory */
json_t *json_point(const struct results *results, const struct point_result *point);

/** json_put_names, json_put_setup - what is known of a run before its first point: version to
 * start, settings to LUNs */
void json_put_names(json_t **object, const struct results *results);
void json_put_setup(json_t **object, const struct results *results);
json_t *json_warnings(const struct results *results);

#endif
