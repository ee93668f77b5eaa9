/* Tests of ledger_read.c. SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
/* needs the headers above */
#include <cmocka.h>

#include "read_helpers.h"

/* the ledger of a run, as text to be freed */
static char *ledger_text(struct results *results)
{
	struct ledger ledger = {.fd = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600),
				.prefix = "x"};
	size_t points = results->point_count;
	size_t warnings = results->warning_count;
	struct error err;
	off_t size;
	char *text;

	results->warning_count = 1; /* what had been raised before the first point */
	assert_int_equal(ledger_begin(&ledger, results, &err), 0);
	results->warning_count = warnings;
	for (size_t i = 0; i < points; i++)
		if (results->points[i].status != POINT_INTERRUPTED)
			assert_int_equal(ledger_add(&ledger, results, &results->points[i], &err),
					 0);
	size = lseek(ledger.fd, 0, SEEK_END);
	text = calloc(1, (size_t)size + 1);
	assert_int_equal(pread(ledger.fd, text, (size_t)size, 0), size);
	ledger_close(&ledger);
	return text;
}

/* as if the machine had stopped after the last point */
static void forget_the_end(struct results *results)
{
	struct run_info *run = &results->run;

	run->signal = 0;
	run->status = RUN_INTERRUPTED;
	run->finished = results->points[results->point_count - 1].finished;
	run->buffer_pages[0] = '\0';
	for (size_t i = 0; i < results->lun_count; i++) {
		results->luns[i].issued_known = false;
		results->luns[i].kernel.known = false;
	}
}

static void a_ledger_gives_what_the_run_had_measured(void **state)
{
	struct results *results = *state;
	struct results again;
	struct error err;

	results_release(results);
	sample_all(results, false);
	forget_the_end(results);
	free(ledger_text(results));
	if (read_back(&again, true, &err) < 0)
		fail_msg("%s", err.text);
	results->warning_count = 2; /* the third is of no point */
	assert_same(results, &again, &report_trace);
	for (const struct report_format *format = report_table; format->suffix != NULL; format++)
		assert_same(results, &again, format);
	results->warning_count = 3;
	results_release(&again);
}

static void a_torn_last_line_is_left_out(void **state)
{
	char *text = ledger_text(*state);
	size_t size = strlen(text);
	size_t header = strcspn(text, "\n") + 1;
	size_t first = header + strcspn(text + header, "\n") + 1;

	for (size_t cut = first; cut < size; cut += 1 + cut / 10) {
		struct results again;
		struct error err;
		size_t lines = 0;

		for (size_t i = header; i < cut; i++)
			lines += text[i] == '\n';
		make_file(text, cut);
		if (read_back(&again, true, &err) < 0)
			fail_msg("%zu bytes: %s", cut, err.text);
		assert_int_equal(again.point_count, lines);
		assert_int_equal(again.run.status, RUN_INTERRUPTED);
		results_release(&again);
	}
	free(text);
}

static void a_run_is_complete_when_all_points_are_in_the_ledger(void **state)
{
	struct results *results = *state;
	struct results again;
	struct error err;

	results->run.run_points = 3;
	free(ledger_text(results));
	assert_int_equal(read_back(&again, true, &err), 0);
	assert_int_equal(again.run.status, RUN_COMPLETE);
	assert_int_equal(again.run.finished.tv_sec, 1774774680);
	results_release(&again);
}

static void the_levels_that_basic_tried_come_from_its_points(void **state)
{
	struct results *results = *state;
	struct results again;
	struct error err;

	results->run.run = RUN_BASIC;
	sample_levels(&results->run.small_levels, 0, 0);
	sample_levels(&results->run.large_levels, 0, 0);
	free(ledger_text(results));
	assert_int_equal(read_back(&again, true, &err), 0);
	assert_int_equal(again.run.small_levels.count, 3);
	assert_int_equal(again.run.small_levels.value[1], 1);
	assert_int_equal(again.run.small_levels.value[2], 3);
	assert_int_equal(again.run.large_levels.count, 2);
	assert_int_equal(again.run.large_levels.value[1], 2);
	results_release(&again);
}

static void an_absurd_ledger_is_refused_and_says_where(void **state)
{
	static const struct absurd cases[] = {
		{"calib-ledger/1", "calib-results/1", "it is no file of calib"},
		{"calib-ledger/1", "calib-ledger/2", "another version"},
		{"\"engine\":\"libaio\",\"warnings\"", "\"engine\":\"psync\",\"warnings\"",
		 "engine: it is not that of the settings"},
		{"\n{\"number\":2", "\n{\"number\":", ":3: "},
		{"\n{\"number\":2", "\n\n{\"number\":2", ":3: "},
		{"\n{\"number\":3", "\n{\"number\":2", "points[2]: number 2 does not rise"},
		{"\"status\":\"ok\"", "\"status\":\"interrupted\"", "does not belong there"},
		{"\"luns\":[", "\"luns\":{}}\n[", "luns: it is no array"},
		{"\"after_points\":2", "\"after_points\":200", "after_points 200"},
	};
	char *good = ledger_text(*state);

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *bad = replaced(good, cases[i].from, cases[i].to);

		assert_refused(bad, strlen(bad), true, cases[i].reason);
		free(bad);
	}
	assert_refused("", 0, true, ":1: the file is cut off");
	assert_refused(good, 100, true, ":1: the file is cut off");
	free(good);
}

static void a_ledger_is_in_use_while_its_run_goes_on(void **state)
{
	int fd;

	(void)state;
	make_file("", 0);
	assert_false(ledger_in_use(FILE_NAME));
	fd = open(FILE_NAME, O_WRONLY | O_APPEND);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_true(ledger_in_use(FILE_NAME));
	close(fd);
	assert_false(ledger_in_use(FILE_NAME));
	assert_false(ledger_in_use("missing"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_ledger_gives_what_the_run_had_measured),
		TEST(a_torn_last_line_is_left_out),
		TEST(a_run_is_complete_when_all_points_are_in_the_ledger),
		TEST(the_levels_that_basic_tried_come_from_its_points),
		TEST(an_absurd_ledger_is_refused_and_says_where),
		TEST(a_ledger_is_in_use_while_its_run_goes_on),
	};

	return cmocka_run_group_tests_name("ledger_read", tests, NULL, NULL);
}
