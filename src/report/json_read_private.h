/* Shared by the files that read results back. SPDX-License-Identifier: MIT */
#ifndef CALIB_JSON_READ_PRIVATE_H
#define CALIB_JSON_READ_PRIVATE_H

#include "calib/error.h"
#include "calib/report.h"
#include "report_private.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a file may ask of us before it is refused. A point with all its buckets takes some 2 MB, a
 * ledger's header with 1,024 long names 30 MB; jansson needs some 40 bytes for each byte of it. */
#define READ_FILE_MAX	  (UINT64_C(1) << 34)
#define READ_VALUE_MAX	  (UINT64_C(1) << 25)
#define READ_LUNS_MAX	  65536u
#define READ_POINTS_MAX	  1000000u
#define READ_WARNINGS_MAX 4000000u

#define READ_CLOSE 1e-6 /* quotients that another machine computed differ less */

#define READ_ANY (SIZE_MAX / 2)

#define DEPTH_MAX  8 /* "points[3].classes.small_read.lat_ns.few[0]" has 7 */
#define CHUNK_SIZE 65536

/** struct step - into the member @key or, where it is NULL, into the element @index */
struct step {
	const char *key;
	size_t index;
};

/**
 * struct reader - a file, and the results that it becomes
 * @steps:        from the document to the member being read; @depth 0: at the whole
 * @line:        of the next byte, from 1
 * @chunk:       bytes @at up to @end are still to come
 * @given:       bytes that jansson was given of the present value
 * @offset_known: a time was read, so utc_offset_s is known: all have the same
 * @own_warnings: warnings that stood at a point
 * @more_keys:   there is a member that this version does not know
 * @unknown:     what to say of the first member that may be null, or there at all, only where
 *               another program has measured: whether one has may stand further below
 */
struct reader {
	struct results *results;
	struct error *err;
	const char *path;
	struct step steps[DEPTH_MAX];
	size_t depth;
	int fd;
	uint64_t line;
	size_t at, end;
	size_t given;
	int read_code;
	bool offset_known;
	bool more_keys;
	size_t own_warnings;
	struct error unknown;
	struct histogram *histogram;
	char chunk[CHUNK_SIZE];
};

struct reader *reader_open(struct results *results, const char *path, struct error *err);
void reader_free(struct reader *reader);

/** reader_refuse - say what is wrong with the member being read: -EINVAL */
int reader_refuse(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** reader_refuse_line - what is wrong at a line */
int reader_refuse_line(struct reader *reader, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int reader_no_memory(struct reader *reader);

/** reader_defer - hold back what was just refused: it is wrong only in a run of calib; answers 0 */
int reader_defer(struct reader *reader);
/** reader_check_known - refuse it now, where calib has measured */
int reader_check_known(struct reader *reader);
/** reader_is_null - whether a member is null, which it may be where another program has measured */
bool reader_is_null(struct reader *reader, const json_t *object, const char *key);

/** reader_enter - go on to member @key, or where it is NULL to element @index; answers what
 * reader_leave() takes */
size_t reader_enter(struct reader *reader, const char *key, size_t index);
void reader_leave(struct reader *reader, size_t depth);

/** reader_next - the next byte that is no blank, which stays; -1 at the end, or where the file
 * cannot be read */
int reader_next(struct reader *reader);
/** reader_take - the next byte must be @expected */
int reader_take(struct reader *reader, char expected);
/** reader_value - the next value; NULL: refused */
json_t *reader_value(struct reader *reader);
/** reader_line - the next whole line in place of @text; 0 at the end, for what has no newline is
 * none; 1, or a negative code */
int reader_line(struct reader *reader, struct json_text *text);
/** reader_parse - the JSON value of the line that was just read; NULL: refused */
json_t *reader_parse(struct reader *reader, const struct json_text *text);

enum field_kind {
	FIELD_COUNT,   /* uint64_t */
	FIELD_COUNT32, /* uint32_t */
	FIELD_SIZE,    /* size_t */
	FIELD_NUMBER,  /* double, not below 0 */
	FIELD_FLAG,    /* bool */
	FIELD_TEXT,    /* char *, to be freed */
	FIELD_CHARS,   /* char[max] */
	FIELD_WORD,    /* an enum: the index of one of max words */
	FIELD_TIME,    /* struct timespec */
	FIELD_SECONDS, /* uint64_t, in ns */
};

/**
 * struct field - one member of a JSON object, and the member of a struct that it becomes
 * @max:      the largest value; FIELD_CHARS: its size; FIELD_WORD: how many there are
 * @nullable: null leaves the member as it is
 * @foreign:  so it does where another program has measured
 * @optional: so does a key that is not there: files of earlier versions have it not
 */
struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;
	uint64_t max;
	bool nullable;
	bool foreign;
	bool optional;
	const char *(*word)(unsigned index);
};

/**
 * reader_fields - read the members of @object into @base
 * @others: so many further members are read by the caller; READ_ANY: not to be counted here
 */
int reader_fields(struct reader *reader, const json_t *object, const struct field fields[],
		  size_t count, void *base, size_t others);

/** reader_member - a member that must be there, of that type; NULL: refused */
const json_t *reader_member(struct reader *reader, const json_t *object, const char *key,
			    json_type type);

typedef int read_element(struct reader *reader, const json_t *value, void *arg);

/** reader_array - have @read_one read each element of an array that must be there */
int reader_array(struct reader *reader, const json_t *object, const char *key,
		 read_element *read_one, void *arg);

int reader_count(struct reader *reader, const json_t *value, uint64_t max, uint64_t *count);

/** read_schema - @schema must be "<name>1" */
int read_schema(struct reader *reader, const json_t *schema, const char *name);
/** read_part - have @read read a member that must be there */
int read_part(struct reader *reader, const json_t *object, const char *key,
	      int (*read)(struct reader *reader, const json_t *value));

/** read_source - the program that has measured, where it is another one */
int read_source(struct reader *reader, const json_t *object);

/** read_names, read_settings, read_host - see json_put_names() and json_put_setup() */
int read_names(struct reader *reader, const json_t *object, size_t others);
int read_settings(struct reader *reader, const json_t *object);
int read_host(struct reader *reader, const json_t *object);

/** read_lun, read_warning, read_point - one element, added to the results */
int read_lun(struct reader *reader, const json_t *object);
int read_warning(struct reader *reader, const json_t *object);
/** @keep: its warnings are added too; else they are only counted */
int read_point(struct reader *reader, const json_t *object, bool keep_warnings);

int read_issued(struct reader *reader, const json_t *value, bool *known, struct io_count *issued);

int read_class(struct reader *reader, const json_t *object, struct class_result *class,
	       double seconds, uint32_t io_bytes);

#define HIST_EDGES_KEY "hist_edges_ns"

/** read_hist - the members hist and, where it is there, hist_edges_ns */
int read_hist(struct reader *reader, const json_t *object, struct class_result *class);

/** read_add - false where the sum is too large: no sum overflows, for no value is above 2^63 */
bool read_add(uint64_t *sum, uint64_t value);
/** read_check_sum - the sum of @what must be @total */
int read_check_sum(struct reader *reader, const char *what, uint64_t sum, uint64_t total);

/** read_is_close - the same but for what another machine's rounding may do */
bool read_is_close(double a, double b);

/** read_check - what belongs together in the results fits */
int read_check(struct reader *reader);

#endif
