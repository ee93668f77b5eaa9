/* A run that has a bit of everything, and files that tests read back. SPDX-License-Identifier: MIT
 */
#ifndef READ_HELPERS_H
#define READ_HELPERS_H

#include "calib/report.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "sample_results.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_NAME    "calib-read"

static char scratch[64];

static inline void add_point(struct results *results, const struct point *point,
			     enum point_status status, const uint64_t ns[], size_t count)
{
	struct measure measure;
	struct point_result *added;

	sample_measure(&measure, point);
	if (point->large > 0) {
		measure.filled_bytes = 5 * BYTES_MIB;
		measure.filled_ns = 123456789;
	}
	for (uint32_t load = 0; load < point->load_count; load++)
		for (size_t i = 0; i < count; i++)
			sample_record(measure.classes[load][IO_READ], ns[i], i + 1, 50);
	if (status == POINT_FAILED) {
		tally_count_error(measure.classes[0][IO_READ]->errors, EIO, 3);
		tally_count_error(measure.classes[0][IO_READ]->errors, ERRNO_SHORT, 2);
		tally_count_error(measure.classes[0][IO_READ]->errors, 4097, 1);
		measure.classes[0][IO_READ]->luns[1].errors = 6;
	}
	assert_int_equal(results_add(results, point, status, (struct timespec){1774774621, 7000000},
				     &measure),
			 0);
	measure_release(&measure);
	added = &results->points[results->point_count - 1];
	added->finished = (struct timespec){1774774680, 999000000};
}

static inline void warn(struct results *results, uint32_t point, int lun, const char *text)
{
	assert_int_equal(results_warn(results, "a_code", SEVERITY_NOTE, point, lun, "%s", text), 0);
	results->warnings[results->warning_count - 1].raised = (struct timespec){1774774681, 0};
}

/* a second LUN, of which everything is known */
static inline void add_block_lun(struct results *results)
{
	results->luns = realloc(results->luns, 2 * sizeof(results->luns[0]));
	results->luns[1] = (struct lun_info){
		.path = strdup("/dev/\xff\xfe,\"x"),
		.is_block = true,
		.size_bytes = 4 * BYTES_GIB,
		.used_bytes = 4 * BYTES_GIB,
		.logical_block_bytes = 4096,
		.physical_block_bytes = 4096,
		.major = 259,
		.minor = 3,
		.rotational = 1,
		.model = strdup("Disk \xc3\xa4"),
		.scheduler = strdup("none"),
		.nr_requests = 256,
		.filesystem = strdup("ext4"),
		.issued_known = true,
		.issued = {2, 20, 3, 30},
		.kernel = {true, 1, 2, 3, 4, 5, 6},
	};
	results->lun_count = 2;
}

/* a run that has a bit of everything */
static inline void sample_all(struct results *results, bool interrupted)
{
	static const uint64_t ns[] = {1, 17, 999, 97677, 123456789, UINT64_C(9007199254740993)};
	struct point point;

	sample_run(results);
	add_block_lun(results);
	results->run.utc_offset_s = -12600;
	results->run.duration_ns = 1234567891;
	results->run.ramp_ns = UINT64_C(9007199254740993);
	results->run.repeat = 2;
	results->run.signal = SIGTERM;
	results->run.status = RUN_INTERRUPTED;
	results->run.cache_given = true;
	results->run.cache_fill_ns = 120 * NS_PER_S;
	results->run.stripe_bytes = BYTES_MIB;
	free(results->run.testname);
	results->run.testname = strdup("no\xffutf8 \x01");
	warn(results, WARNING_NO_POINT, 1, "before, with a \xfe");
	point = sample_point(1, 3, 2);
	strcpy(point.loads[2].name, "redo");
	point.loads[2].bytes = 512;
	point.loads[2].level = point.loads[2].per_level = 1;
	point.loads[2].rate_per_s = 1.0 / 3.0;
	point.load_count = 3;
	add_point(results, &point, POINT_OK, ns, COUNT(ns));
	point.number = point.repeat = 2;
	add_point(results, &point, POINT_OK, ns, 3);
	warn(results, 2, 0, "of point 2");
	point = sample_point(3, 1, 0);
	add_point(results, &point, POINT_FAILED, ns, 1);
	warn(results, WARNING_NO_POINT, WARNING_NO_LUN, "of none");
	point.number = 4;
	if (interrupted)
		add_point(results, &point, POINT_INTERRUPTED, NULL, 0);
}

static inline int setup(void **state)
{
	struct results *results = malloc(sizeof(*results));

	strcpy(scratch, "/tmp/calib-read-XXXXXX");
	if (results == NULL || mkdtemp(scratch) == NULL || chdir(scratch) < 0)
		return -1;
	sample_all(results, true);
	*state = results;
	return 0;
}

static inline int teardown(void **state)
{
	results_release(*state);
	free(*state);
	unlink(FILE_NAME);
	return chdir("/") < 0 || rmdir(scratch) < 0 ? -1 : 0;
}

static inline void make_file(const char *bytes, size_t size)
{
	FILE *file = fopen(FILE_NAME, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static inline int read_back(struct results *results, bool ledger, struct error *err)
{
	bool more_keys = false;

	memset(results, 0, sizeof(*results));
	return ledger ? ledger_read(results, FILE_NAME, &more_keys, err)
		      : json_read(results, FILE_NAME, &more_keys, err);
}

static inline void assert_same(const struct results *a, const struct results *b,
			       const struct report_format *format)
{
	char *one = sample_render(a, format->render);
	char *other = sample_render(b, format->render);

	assert_non_null(one);
	assert_non_null(other);
	if (strcmp(one, other) != 0)
		fail_msg("%s was:\n%s\nand is:\n%s", format->suffix, one, other);
	free(one);
	free(other);
}

static inline char *replaced(const char *text, const char *from, const char *to)
{
	const char *found = strstr(text, from);
	size_t before = found != NULL ? (size_t)(found - text) : 0;
	char *copy = malloc(strlen(text) + strlen(to) + 1);

	if (found == NULL)
		fail_msg("'%s' is not in the document", from);
	assert_non_null(copy);
	memcpy(copy, text, before);
	strcpy(copy + before, to);
	strcat(copy + before, text + before + strlen(from));
	return copy;
}

static inline void assert_refused(const char *bytes, size_t size, bool ledger, const char *reason)
{
	struct results results;
	struct error err;
	int code;

	make_file(bytes, size);
	code = read_back(&results, ledger, &err);
	results_release(&results);
	if (code != -EINVAL)
		fail_msg("%d, not -EINVAL with '%s'", code, reason);
	assert_int_equal(err.code, -EINVAL);
	if (strncmp(err.text, FILE_NAME ":", strlen(FILE_NAME ":")) != 0 ||
	    strstr(err.text, reason) == NULL)
		fail_msg("'%s' is not in '%s'", reason, err.text);
}

/** struct absurd - a document in which @from stands as @to, and what is said of it */
struct absurd {
	const char *from, *to, *reason;
};

#endif
