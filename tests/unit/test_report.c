/* Tests of report.c, claim.c and ledger.c, in a scratch directory. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define PREFIX_SIZE 512
#define CLAIMERS    8

static const struct timespec start = {1774774620, 0}; /* 2026-03-29 08:57:00 UTC */

/* the scratch directory is the current one while a test runs */
static char scratch[64];

static int enter_scratch(void **state)
{
	(void)state;
	setenv("TZ", "UTC0", 1);
	strcpy(scratch, "/tmp/calib-report-XXXXXX");
	return mkdtemp(scratch) == NULL || chdir(scratch) < 0 ? -1 : 0;
}

/* removes the directory @fd and all in it; closes @fd */
static void remove_all(int fd)
{
	DIR *directory = fdopendir(fd);
	const struct dirent *entry;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    unlinkat(fd, entry->d_name, 0) == 0)
			continue;
		remove_all(openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(directory);
}

static int leave_scratch(void **state)
{
	(void)state;
	remove_all(open(scratch, O_RDONLY | O_DIRECTORY));
	return chdir("/") < 0 || rmdir(scratch) < 0 ? -1 : 0;
}

static unsigned entries(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	unsigned count = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			count++;
	closedir(directory);
	return count;
}

static void make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (file == NULL)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

static void assert_claims(const char *dir, const char *testname, const char *expected)
{
	char prefix[PREFIX_SIZE];
	struct error err = {0};
	struct ledger ledger;
	struct stat facts;

	if (ledger_claim(&ledger, dir, testname, start, prefix, sizeof(prefix), &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(prefix, expected);
	assert_int_equal(fstat(ledger.fd, &facts), 0);
	assert_int_equal(facts.st_size, 0);
	assert_true(fcntl(ledger.fd, F_GETFL) & O_APPEND);
	ledger_close(&ledger);
}

static void assert_claim_fails(const char *dir, const char *testname, int code, const char *text)
{
	char prefix[PREFIX_SIZE];
	struct ledger ledger = {0};
	struct error err = {0};

	assert_int_equal(ledger_claim(&ledger, dir, testname, start, prefix, sizeof(prefix), &err),
			 code);
	assert_int_equal(ledger.fd, -1);
	assert_int_equal(err.code, code);
	assert_string_equal(err.text, text);
}

static void names_are_to_the_minute_then_to_the_second_then_numbered(void **state)
{
	(void)state;
	assert_claims(NULL, "t", "t_20260329_0857");
	assert_claims(NULL, "t", "t_20260329_085700");
	assert_claims(NULL, "t", "t_20260329_085700_2");
	assert_claims(NULL, "t", "t_20260329_085700_3");
	assert_claims(NULL, "other", "other_20260329_0857");
	assert_claims(NULL, "-t", "-t_20260329_0857");
}

static void any_file_of_that_prefix_takes_the_name(void **state)
{
	(void)state;
	make_file("a_20260329_0857_summary.txt", "");
	assert_claims(NULL, "a", "a_20260329_085700");
	make_file("b_20260329_0857", "");
	assert_claims(NULL, "b", "b_20260329_085700");
	make_file("c_20260329_08571", ""); /* another name that begins like it */
	assert_claims(NULL, "c", "c_20260329_0857");
	make_file("d_20260329_085700_iops.csv", "");
	assert_claims(NULL, "d", "d_20260329_0857");
}

static void the_directory_is_that_of_the_test_name_or_the_one_given(void **state)
{
	(void)state;
	assert_int_equal(mkdir("sub", 0777), 0);
	assert_claims(NULL, "sub/t", "sub/t_20260329_0857");
	assert_claims("sub", "t", "sub/t_20260329_085700");
	assert_claims("sub/", "t", "sub/t_20260329_085700_2");
	assert_claims(".", "t", "./t_20260329_0857");
}

static void a_directory_that_is_given_is_made_when_missing(void **state)
{
	(void)state;
	assert_claims("new", "t", "new/t_20260329_0857");
	assert_claims("a/b//c/", "t", "a/b//c/t_20260329_0857");
}

static void a_directory_in_the_test_name_must_exist(void **state)
{
	(void)state;
	assert_claim_fails(NULL, "missing/t", -ENOENT,
			   "cannot write to directory 'missing': No such file or directory");
	assert_int_equal(entries("."), 0);
}

static void what_cannot_be_claimed_leaves_nothing_behind(void **state)
{
	char longest[300];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	make_file("file", "");
	assert_int_equal(mkdir("old", 0777), 0);
	assert_claim_fails("file", "t", -ENOTDIR,
			   "cannot write to directory 'file': Not a directory");
	assert_claim_fails("old/new/file", longest, -ENAMETOOLONG,
			   "cannot write to directory 'old/new/file': File name too long");
	assert_claim_fails("x/y/", longest, -ENAMETOOLONG,
			   "cannot write to directory 'x/y': File name too long");
	assert_claim_fails(NULL, "old/", -EINVAL, "no name at the end of the test name 'old/'");
	assert_claim_fails("", "t", -EINVAL, "the name of the output directory is empty");
	assert_int_equal(entries("old"), 0);
	assert_int_equal(entries("."), 2);
}

static void a_directory_without_permission_is_named(void **state)
{
	const uid_t nobody = 65534;
	bool is_root = geteuid() == 0; /* who may write anywhere */

	(void)state;
	assert_int_equal(mkdir("ro", 0555), 0);
	assert_int_equal(chmod(".", 0755), 0);
	if (is_root)
		assert_int_equal(setresuid(nobody, nobody, 0), 0);
	assert_claim_fails("ro", "t", -EACCES, "cannot write to directory 'ro': Permission denied");
	assert_claim_fails("ro/new", "t", -EACCES,
			   "cannot write to directory 'ro/new': Permission denied");
	if (is_root)
		assert_int_equal(setresuid(0, 0, 0), 0);
}

/* a child that claims, and writes its prefix into @pipe */
static void claim_in_child(int pipe_fd)
{
	char prefix[PREFIX_SIZE] = {0};
	struct ledger ledger;
	struct error err;

	if (ledger_claim(&ledger, NULL, "t", start, prefix, sizeof(prefix), &err) < 0 ||
	    write(pipe_fd, prefix, sizeof(prefix)) != (ssize_t)sizeof(prefix))
		_exit(1);
	_exit(0);
}

static void several_at_once_claim_different_names(void **state)
{
	char prefix[CLAIMERS][PREFIX_SIZE];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (unsigned i = 0; i < CLAIMERS; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			claim_in_child(ends[1]);
	}
	for (unsigned i = 0; i < CLAIMERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	for (unsigned i = 0; i < CLAIMERS; i++) {
		assert_int_equal(read(ends[0], prefix[i], PREFIX_SIZE), PREFIX_SIZE);
		for (unsigned other = 0; other < i; other++)
			assert_string_not_equal(prefix[i], prefix[other]);
	}
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(entries("."), CLAIMERS);
}

static int render_hello(const struct results *results, FILE *out)
{
	(void)results;
	fputs("hello\n", out);
	return 0;
}

static int render_then_fail(const struct results *results, FILE *out)
{
	(void)results;
	fputs("half of ", out);
	fflush(out);
	return -ENOMEM;
}

/* goes on after a failed write, as renderers may, and does not look */
static int render_much(const struct results *results, FILE *out)
{
	(void)results;
	for (unsigned i = 0; i < 100000; i++)
		fputs("0123456789", out);
	return 0;
}

static const struct report_format hello = {"hello.txt", render_hello};

static void a_report_is_written_under_its_name(void **state)
{
	struct results results = {.run.prefix = (char[]){"t_1"}};
	struct error err = {0};
	struct stat facts;
	mode_t mask = umask(022);
	char *text;

	(void)state;
	assert_int_equal(report_write(&results, &hello, false, &err), 0);
	umask(mask);
	text = read_file("t_1_hello.txt");
	assert_string_equal(text, "hello\n");
	free(text);
	assert_int_equal(stat("t_1_hello.txt", &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0644);
	assert_int_equal(entries("."), 1);
}

static void an_existing_file_is_replaced_only_when_asked(void **state)
{
	struct results results = {.run.prefix = (char[]){"t_1"}};
	struct error err = {0};
	char *text;

	(void)state;
	make_file("t_1_hello.txt", "precious");
	assert_int_equal(report_write(&results, &hello, false, &err), -EEXIST);
	assert_string_equal(err.text, "cannot write 't_1_hello.txt': File exists");
	text = read_file("t_1_hello.txt");
	assert_string_equal(text, "precious");
	free(text);
	assert_int_equal(report_write(&results, &hello, true, &err), 0);
	text = read_file("t_1_hello.txt");
	assert_string_equal(text, "hello\n");
	free(text);
	assert_int_equal(entries("."), 1);
}

static void a_report_that_fails_leaves_no_file(void **state)
{
	static const struct report_format format = {"x.txt", render_then_fail};
	struct results results = {.run.prefix = (char[]){"t_1"}};
	struct error err = {0};

	(void)state;
	make_file("t_1_x.txt", "precious");
	assert_int_equal(report_write(&results, &format, true, &err), -ENOMEM);
	assert_string_equal(err.text, "cannot write 't_1_x.txt': Cannot allocate memory");
	assert_int_equal(entries("."), 1);
	results.run.prefix = (char[]){"missing/t_1"};
	assert_int_equal(report_write(&results, &hello, false, &err), -ENOENT);
	assert_string_equal(err.text,
			    "cannot write 'missing/t_1_hello.txt': No such file or directory");
}

/* a full disk for the one, in effect: writes beyond this fail with EFBIG */
static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_failed_write_is_told_with_its_cause(void **state)
{
	static const struct report_format format = {"much.txt", render_much};
	struct results results = {.run.prefix = (char[]){"t_1"}};
	struct error err = {0};
	int code;

	(void)state;
	limit_file_size(10000);
	code = report_write(&results, &format, false, &err);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(code, -EFBIG);
	assert_string_equal(err.text, "cannot write 't_1_much.txt': File too large");
	assert_int_equal(entries("."), 0);
}

static void every_format_of_the_table_is_written(void **state)
{
	static const char *const names[] = {
		"mytest_20260329_1057_summary.txt",  "mytest_20260329_1057_iops.csv",
		"mytest_20260329_1057_mbps.csv",     "mytest_20260329_1057_lat.csv",
		"mytest_20260329_1057_results.json",
	};
	struct results results;
	struct error err = {0};

	(void)state;
	sample_run(&results);
	for (const struct report_format *format = report_table; format->suffix != NULL; format++)
		assert_int_equal(report_write(&results, format, false, &err), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(access(names[i], R_OK), 0);
	results_release(&results);
}

/* a ledger with its header, for results of sample_run() */
static struct ledger begin(struct results *results)
{
	char prefix[PREFIX_SIZE];
	struct ledger ledger;
	struct error err = {0};

	sample_run(results);
	assert_int_equal(ledger_claim(&ledger, NULL, "mytest", start, prefix, sizeof(prefix), &err),
			 0);
	free(results->run.prefix);
	results->run.prefix = strdup(prefix);
	ledger.prefix = results->run.prefix;
	assert_int_equal(ledger_begin(&ledger, results, &err), 0);
	return ledger;
}

static const struct point_result *add(struct results *results)
{
	struct point point = sample_point((uint32_t)results->point_count + 1, 1, 0);

	assert_int_equal(sample_add(results, &point, POINT_OK, 1000, 200000, 0), 0);
	return &results->points[results->point_count - 1];
}

static void the_ledger_is_a_header_and_the_points_of_the_results(void **state)
{
	static const char *const keys[] = {"settings", "host", "luns", "seed", "engine"};
	struct results results;
	struct ledger ledger = begin(&results);
	struct error err;
	char *lines, *line, *document;
	json_t *header;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(ledger_add(&ledger, &results, add(&results), &err), 0);
	ledger_close(&ledger);
	ledger_close(&ledger);
	lines = read_file("mytest_20260329_0857_points.jsonl");
	assert_non_null(lines);
	assert_int_equal(lines[strlen(lines) - 1], '\n');
	document = sample_render(&results, json_render);
	line = strtok(lines, "\n");
	header = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	assert_string_equal(json_string_value(json_object_get(header, "schema")), "calib-ledger/1");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_non_null(json_object_get(header, keys[i]));
	for (unsigned i = 0; i < 2; i++) {
		line = strtok(NULL, "\n");
		assert_non_null(line);
		assert_non_null(strstr(document, line));
	}
	assert_null(strtok(NULL, "\n"));
	json_decref(header);
	free(document);
	free(lines);
	results_release(&results);
}

static void a_ledger_is_lost_once_and_then_silent(void **state)
{
	struct results results;
	struct ledger ledger = begin(&results);
	struct error err = {0};
	struct stat facts, torn;
	int code;

	(void)state;
	add(&results);
	assert_int_equal(fstat(ledger.fd, &facts), 0);
	limit_file_size((rlim_t)facts.st_size + 10);
	code = ledger_add(&ledger, &results, &results.points[0], &err);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(code, -EFBIG);
	assert_string_equal(err.text, "cannot write 'mytest_20260329_0857_points.jsonl': File too "
				      "large");
	assert_int_equal(ledger.fd, -1);
	/* nothing follows the torn line */
	assert_int_equal(ledger_add(&ledger, &results, &results.points[0], &err), 0);
	assert_int_equal(stat("mytest_20260329_0857_points.jsonl", &torn), 0);
	assert_int_equal(torn.st_size, facts.st_size + 10);
	results_release(&results);
}

static void a_ledger_that_is_dropped_is_gone(void **state)
{
	struct results results;
	struct ledger ledger = begin(&results);

	(void)state;
	ledger_drop(&ledger);
	assert_int_equal(ledger.fd, -1);
	assert_int_equal(entries("."), 0);
	results_release(&results);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
	const struct CMUnitTest tests[] = {
		TEST(names_are_to_the_minute_then_to_the_second_then_numbered),
		TEST(any_file_of_that_prefix_takes_the_name),
		TEST(the_directory_is_that_of_the_test_name_or_the_one_given),
		TEST(a_directory_that_is_given_is_made_when_missing),
		TEST(a_directory_in_the_test_name_must_exist),
		TEST(what_cannot_be_claimed_leaves_nothing_behind),
		TEST(a_directory_without_permission_is_named),
		TEST(several_at_once_claim_different_names),
		TEST(a_report_is_written_under_its_name),
		TEST(an_existing_file_is_replaced_only_when_asked),
		TEST(a_report_that_fails_leaves_no_file),
		TEST(a_failed_write_is_told_with_its_cause),
		TEST(every_format_of_the_table_is_written),
		TEST(the_ledger_is_a_header_and_the_points_of_the_results),
		TEST(a_ledger_is_lost_once_and_then_silent),
		TEST(a_ledger_that_is_dropped_is_gone),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
