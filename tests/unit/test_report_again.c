/* Tests of what 'calib report' asks of report.c and claim.c, in a scratch directory.
 * SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

static char scratch[64];

static int setup(void **state)
{
	struct results *results = malloc(sizeof(*results));

	strcpy(scratch, "/tmp/calib-again-XXXXXX");
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
	return chdir("/") < 0 || rmdir(scratch) < 0 ? -1 : 0;
}

static void assert_moves(const char *dir, const char *prefix, const char *expected)
{
	struct error err = {0};
	char *moved;

	if (report_prefix_in(dir, prefix, &moved, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(moved, expected);
	free(moved);
}

static void assert_moves_not(const char *dir, const char *prefix, const char *text)
{
	struct error err = {0};
	char *moved;

	assert_true(report_prefix_in(dir, prefix, &moved, &err) < 0);
	assert_null(moved);
	assert_string_equal(err.text, text);
}

static void a_prefix_keeps_its_last_part_in_another_directory(void **state)
{
	struct stat facts;

	(void)state;
	assert_moves(".", "t_20260329_1057", "./t_20260329_1057");
	assert_moves("./", "a/b/t_20260329_1057", "./t_20260329_1057");
	assert_moves("new/sub", "a/t_1", "new/sub/t_1");
	assert_int_equal(stat("new/sub", &facts), 0);
	assert_true(S_ISDIR(facts.st_mode));
	assert_int_equal(rmdir("new/sub"), 0);
	assert_int_equal(rmdir("new"), 0);
}

static void a_directory_that_cannot_be_is_named(void **state)
{
	FILE *file = fopen("file", "w");

	(void)state;
	fclose(file);
	assert_moves_not("file", "t_1", "cannot write to directory 'file': Not a directory");
	assert_moves_not("file/sub", "t_1",
			 "cannot write to directory 'file/sub': Not a directory");
	assert_moves_not("", "t_1", "the name of the output directory is empty");
	assert_moves_not(".", "a/", "no name at the end of the test name 'a/'");
	assert_int_equal(unlink("file"), 0);
}

static void a_report_goes_to_the_prefix_that_is_given(void **state)
{
	static const struct report_format format = {"iops.csv", iops_csv_render};
	struct error err = {0};

	assert_int_equal(report_write_to("other_1", *state, &format, false, &err), 0);
	assert_int_equal(report_write_to("other_1", *state, &format, false, &err), -EEXIST);
	assert_int_equal(report_write_to("other_1", *state, &format, true, &err), 0);
	assert_int_equal(access("mytest_20260329_1057_iops.csv", F_OK), -1);
	assert_int_equal(unlink("other_1_iops.csv"), 0);
}

static void a_ledger_that_was_claimed_is_in_use_until_it_is_closed(void **state)
{
	static const struct timespec start = {1774774620, 0};
	struct ledger ledger;
	struct error err = {0};
	char prefix[64], path[128];

	(void)state;
	assert_int_equal(ledger_claim(&ledger, NULL, "t", start, prefix, sizeof(prefix), &err), 0);
	snprintf(path, sizeof(path), "%s_points.jsonl", prefix);
	assert_true(ledger_in_use(path));
	ledger_close(&ledger);
	assert_false(ledger_in_use(path));
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_prefix_keeps_its_last_part_in_another_directory),
		TEST(a_directory_that_cannot_be_is_named),
		TEST(a_report_goes_to_the_prefix_that_is_given),
		TEST(a_ledger_that_was_claimed_is_in_use_until_it_is_closed),
	};

	return cmocka_run_group_tests_name("report_again", tests, NULL, NULL);
}
