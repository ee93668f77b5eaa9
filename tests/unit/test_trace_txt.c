/* Tests of trace_txt.c, in a scratch directory. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define TRACE "mytest_20260329_1057_trace.txt"

static char scratch[64];

static int setup(void **state)
{
	struct results *results = malloc(sizeof(*results));

	strcpy(scratch, "/tmp/calib-trace-XXXXXX");
	if (results == NULL || mkdtemp(scratch) == NULL || chdir(scratch) < 0)
		return -1;
	sample_run(results);
	*state = results;
	return 0;
}

static int teardown(void **state)
{
	results_release(*state);
	free(*state);
	unlink(TRACE);
	return chdir("/") < 0 || rmdir(scratch) < 0 ? -1 : 0;
}

/* the @index-th second after the start of sample_run() */
static struct timespec second(long index)
{
	return (struct timespec){1774774620 + index, 250000000};
}

static void add(struct results *results, uint32_t small, uint32_t large, enum point_status status,
		uint64_t small_ios, uint64_t large_ios)
{
	struct point point = sample_point((uint32_t)results->point_count + 1, small, large);

	assert_int_equal(sample_add(results, &point, status, small_ios, 97677, large_ios), 0);
	results->points[results->point_count - 1].finished = second((long)results->point_count);
}

static void warn(struct results *results, uint32_t point, int lun, const char *text)
{
	assert_int_equal(
		results_warn(results, "some_code", SEVERITY_SUSPECT, point, lun, "%s", text), 0);
	results->warnings[results->warning_count - 1].raised = second(99);
}

static char *read_trace(void)
{
	FILE *file = fopen(TRACE, "r");
	char *text = NULL;
	size_t size = 0;

	if (file == NULL)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

/* the file, and what is rendered from the results, are the same */
static void assert_trace(const struct results *results)
{
	char *written = read_trace();
	char *rendered = sample_render(results, trace_txt_render);

	assert_non_null(written);
	assert_non_null(rendered);
	assert_string_equal(written, rendered);
	free(rendered);
	free(written);
}

static void a_run_is_told_line_by_line(void **state)
{
	static const char expected[] =
		"CALIB VERSION 0.1.0\n"
		"Command line: calib -run simple -testname mytest -num_disks 1\n"
		"Engine: libaio (io_uring is not allowed here)\n"
		"LUN 0: /data/a, file, 8589934592 bytes\n"
		"2026-03-29T10:57:00.123+02:00 started\n"
		"2026-03-29T10:58:39.250+02:00 warning=some_code severity=suspect lun=0 text=a\\x0a"
		"b\n"
		"2026-03-29T10:57:01.250+02:00 point=1 small=3 large=2 repeat=1 status=ok "
		"seconds=50.000000 class=small_read ios=1000 iops=20.00 mbps=0.16 mean_us=97.677 "
		"p99_us=97.677 errors=0 class=large_read ios=150 iops=3.00 mbps=3.00 "
		"mean_us=3000.000 p99_us=3000.000 errors=0\n"
		"2026-03-29T10:58:39.250+02:00 warning=some_code severity=suspect point=1 text=c\n"
		"2026-03-29T10:57:02.250+02:00 point=2 small=1 large=0 repeat=1 status=failed "
		"seconds=50.000000 class=small_read ios=0 iops=0.00 mbps=0.00 mean_us=- p99_us=- "
		"errors=0\n";
	char *text;

	warn(*state, WARNING_NO_POINT, 0, "a\nb");
	add(*state, 3, 2, POINT_OK, 1000, 150);
	warn(*state, 1, WARNING_NO_LUN, "c");
	add(*state, 1, 0, POINT_FAILED, 0, 0);
	text = sample_render(*state, trace_txt_render);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void the_file_has_at_every_moment_what_the_results_give(void **state)
{
	struct results *results = *state;
	struct trace trace = {.fd = -1};
	struct error err = {0};

	warn(results, WARNING_NO_POINT, WARNING_NO_LUN, "before");
	assert_int_equal(trace_begin(&trace, results, &err), 0);
	assert_trace(results);
	warn(results, 1, 0, "while the first runs");
	assert_int_equal(trace_update(&trace, results, &err), 0);
	assert_trace(results);
	add(results, 1, 0, POINT_OK, 10, 0);
	warn(results, 1, 0, "of the first");
	warn(results, WARNING_NO_POINT, 0, "between");
	assert_int_equal(trace_update(&trace, results, &err), 0);
	assert_trace(results);
	add(results, 0, 1, POINT_OK, 0, 10);
	assert_int_equal(trace_update(&trace, results, &err), 0);
	assert_int_equal(trace_update(&trace, results, &err), 0);
	add(results, 0, 2, POINT_INTERRUPTED, 0, 10);
	warn(results, 1, 0, "of the first, late");
	assert_int_equal(trace_update(&trace, results, &err), 0);
	trace_close(&trace);
	trace_close(&trace);
	assert_trace(results);
}

static void an_existing_file_is_left_alone(void **state)
{
	FILE *file = fopen(TRACE, "w");
	struct trace trace = {.fd = -1};
	struct error err = {0};
	char *text;

	fputs("precious", file);
	fclose(file);
	assert_int_equal(trace_begin(&trace, *state, &err), -EEXIST);
	assert_string_equal(err.text, "cannot write '" TRACE "': File exists");
	assert_int_equal(trace.fd, -1);
	assert_int_equal(trace_update(&trace, *state, &err), 0);
	text = read_trace();
	assert_string_equal(text, "precious");
	free(text);
}

static void a_trace_is_lost_once_and_then_silent(void **state)
{
	struct rlimit limit;
	struct results *results = *state;
	struct trace trace = {.fd = -1};
	struct error err = {0};
	off_t size;
	int code;

	assert_int_equal(trace_begin(&trace, results, &err), 0);
	size = lseek(trace.fd, 0, SEEK_END);
	add(results, 1, 0, POINT_OK, 10, 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)size + 10, limit.rlim_max});
	code = trace_update(&trace, results, &err);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(code, -EFBIG);
	assert_string_equal(err.text, "cannot write '" TRACE "': File too large");
	assert_int_equal(trace.fd, -1);
	assert_int_equal(trace_update(&trace, results, &err), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_run_is_told_line_by_line),
		TEST(the_file_has_at_every_moment_what_the_results_give),
		TEST(an_existing_file_is_left_alone),
		TEST(a_trace_is_lost_once_and_then_silent),
	};

	return cmocka_run_group_tests_name("trace_txt", tests, NULL, NULL);
}
