/* Tests of json_read.c and those beside it: what a run has written is read back.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
/* needs the headers above */
#include <cmocka.h>

#include "read_helpers.h"

static void assert_reads_back(const struct results *results)
{
	char *text = sample_render(results, json_render);
	struct results again;
	struct error err;

	assert_non_null(text);
	make_file(text, strlen(text));
	free(text);
	if (read_back(&again, false, &err) < 0)
		fail_msg("%s", err.text);
	assert_same(results, &again, &report_trace);
	for (const struct report_format *format = report_table; format->suffix != NULL; format++)
		assert_same(results, &again, format);
	results_release(&again);
}

static void every_report_is_the_same_when_read_back(void **state)
{
	assert_reads_back(*state);
}

static void a_run_of_which_little_is_known_is_read_back(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	results.run.finished = (struct timespec){0, 0};
	results.run.buffer_pages[0] = '\0';
	results.luns[0].issued_known = false;
	free(results.run.engine_reason);
	results.run.engine_reason = NULL;
	memset(&results.run.host, 0, sizeof(results.run.host));
	assert_reads_back(&results);
	results_release(&results);
}

/* Both LUNs of a failed point count its only I/O, and between them two errors more than it has. */
static void ios_on_several_luns_are_read_back_where_they_can_be(void **state)
{
	struct results *results = *state;
	struct slice luns = results->points[2].classes[0][IO_READ].luns;
	struct results again;
	struct error err;
	char *text;

	assert_int_equal(luns.count, 2);
	for (size_t i = 0; i < 2; i++) {
		struct lun_row *row = &results->lun_rows[luns.at + i];

		*row = (struct lun_row){.lun = (uint32_t)i, .ios = 1, .bytes = 4096, .errors = 4};
		row->mean_ns = 1.0;
	}
	results->run.layout = LAYOUT_RAID0;
	results->run.stripe_bytes = 4096;
	assert_reads_back(results);
	results->run.stripe_bytes = 8192;
	text = sample_render(results, json_render);
	make_file(text, strlen(text));
	free(text);
	assert_int_equal(read_back(&again, false, &err), -EINVAL);
	results_release(&again);
	assert_non_null(
		strstr(err.text, "points[2]: its LUNs have more small I/Os than there are"));
}

/* durations of a second to 292 years, which no double of seconds holds to the ns */
static void every_duration_is_read_back(void **state)
{
	static const uint64_t ns[] = {1,
				      999999999,
				      1000000001,
				      UINT64_C(4503599627370497),
				      UINT64_C(9007199254740993),
				      UINT64_C(123456789012345678),
				      UINT64_C(9200000000000000001)};
	struct results *results = *state;

	for (size_t i = 0; i < COUNT(ns); i++) {
		results->run.duration_ns = ns[i];
		assert_reads_back(results);
	}
}

static void what_is_no_regular_file_is_refused(void **state)
{
	struct results results;
	struct error err;

	(void)state;
	assert_int_equal(read_back(&results, false, &err), -ENOENT);
	assert_string_equal(err.text, "cannot read '" FILE_NAME "': No such file or directory");
	assert_int_equal(mkfifo(FILE_NAME, 0600), 0);
	assert_int_equal(read_back(&results, false, &err), -EINVAL);
	assert_string_equal(err.text, FILE_NAME ": it is no regular file");
	assert_int_equal(unlink(FILE_NAME), 0);
	assert_int_equal(mkdir(FILE_NAME, 0700), 0);
	assert_int_equal(read_back(&results, true, &err), -EISDIR);
	assert_int_equal(rmdir(FILE_NAME), 0);
	make_file("", 0);
	assert_int_equal(truncate(FILE_NAME, INT64_C(1) << 35), 0);
	assert_int_equal(read_back(&results, false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "it is too large"));
}

static void a_key_of_a_later_version_is_noticed(void **state)
{
	static const char *const places[] = {"{\n\"schema\"", "\"host\":{\"", "\"cpu\":{\"",
					     "\"lat_ns\":{\"", "\"loads\":[{\""};
	char *good = sample_render(*state, json_render);

	for (size_t i = 0; i < COUNT(places); i++) {
		size_t length = strlen(places[i]) - (i == 0 ? strlen("\"schema\"") : 1);
		struct results results = {0};
		bool more_keys = false;
		struct error err;
		char *text, *to;

		assert_true(asprintf(&to, "%.*s\"later\":[{}],%s", (int)length, places[i],
				     places[i] + length) > 0);
		text = replaced(good, places[i], to);
		make_file(text, strlen(text));
		if (json_read(&results, FILE_NAME, &more_keys, &err) < 0)
			fail_msg("%s", err.text);
		assert_true(more_keys);
		results_release(&results);
		free(text);
		free(to);
	}
	make_file(good, strlen(good));
	free(good);
	{
		struct results results = {0};
		bool more_keys = false;
		struct error err;

		assert_int_equal(json_read(&results, FILE_NAME, &more_keys, &err), 0);
		assert_false(more_keys);
		results_release(&results);
	}
}

/* a document that was written before caches were filled */
static void a_document_without_the_keys_of_cache_filling_is_read(void **state)
{
	static const char *const keys[][2] = {
		{"\"cache_fill_s\":120.0,", ""}, {"\"filled_bytes\":5242880,", ""},
		{"\"filled_bytes\":0,", ""},	 {"\"filled_s\":0.123456789,", ""},
		{"\"filled_s\":0.0,", ""},
	};
	char *text = sample_render(*state, json_render);
	struct results results = {0};
	bool more_keys = true;
	struct error err;

	for (size_t i = 0; i < COUNT(keys); i++) {
		assert_non_null(strstr(text, keys[i][0]));
		while (strstr(text, keys[i][0]) != NULL) {
			char *less = replaced(text, keys[i][0], keys[i][1]);

			free(text);
			text = less;
		}
	}
	make_file(text, strlen(text));
	if (json_read(&results, FILE_NAME, &more_keys, &err) < 0)
		fail_msg("%s", err.text);
	assert_false(more_keys);
	assert_int_equal(results.run.cache_fill_ns, 0);
	assert_int_equal(results.points[0].filled_bytes, 0);
	assert_int_equal(results.points[0].point.large, 2);
	results_release(&results);
	free(text);
}

/* with blanks wherever they may be, as a formatter writes it, it is the same */
static void blanks_and_newlines_mean_nothing(void **state)
{
	char *good = sample_render(*state, json_render);
	char *wide = malloc(4 * strlen(good) + 1);
	struct results again;
	struct error err;
	bool in_string = false;
	size_t length = 0;

	assert_non_null(wide);
	for (const char *c = good; *c != '\0'; c++) {
		if (*c == '"' && c[-1] != '\\')
			in_string = !in_string;
		wide[length++] = *c;
		if (!in_string && strchr(",:[{", *c) != NULL)
			length += (size_t)sprintf(wide + length, "\n\t");
	}
	make_file(wide, length);
	if (read_back(&again, false, &err) < 0)
		fail_msg("%s", err.text);
	assert_same(*state, &again, &report_table[0]);
	results_release(&again);
	free(wide);
	free(good);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_report_is_the_same_when_read_back),
		TEST(a_run_of_which_little_is_known_is_read_back),
		TEST(ios_on_several_luns_are_read_back_where_they_can_be),
		TEST(every_duration_is_read_back),
		TEST(what_is_no_regular_file_is_refused),
		TEST(a_key_of_a_later_version_is_noticed),
		TEST(a_document_without_the_keys_of_cache_filling_is_read),
		TEST(blanks_and_newlines_mean_nothing),
	};

	return cmocka_run_group_tests_name("json_read", tests, NULL, NULL);
}
