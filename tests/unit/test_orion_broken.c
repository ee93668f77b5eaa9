/* Tests of orion_*.c on files that are broken. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* needs the headers above */
#include <cmocka.h>
#include <errno.h>
#include <sys/stat.h>

#include "orion_files.h"

/**
 * struct refused - files that are refused; @text: what the message has, with the line
 */
static const struct refused {
	struct orion_case files;
	const char *text;
} refused[] = {
	{{.summary = VERSION_11}, "x_summary.txt' tells no figure"},
	{{.summary = VERSION_11 BEST_IOPS "\n" VERSION_11}, "x_summary.txt':4: another run begins"},
	{{.summary = VERSION_11, .iops = ""}, "x_iops.csv' has no line that begins with 'Large/"},
	{{.summary = VERSION_11, .iops = "Large\n0,1\n"}, "x_iops.csv' has no line that begins"},
	{{.summary = VERSION_11, .iops = "Large/Small,1,x\n"},
	 "x_iops.csv':1: a load level of at most 10000 is expected, not 'x'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1,-2\n"}, "expected, not '-2'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1,10001\n"}, "expected, not '10001'"},
	{{.summary = VERSION_11, .iops = "Large/Small,2,1\n"}, "a level that rises is expected"},
	{{.summary = VERSION_11, .iops = "Large/Small,1,,2\n"}, "expected, not ''"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,1\n0,2\n"},
	 "x_iops.csv':3: a level that rises is expected, not '0'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,12e3\n"},
	 "x_iops.csv':2: a number of at most 10^12 is expected, not '12e3'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,nan\n"}, "not 'nan'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,1.2.3\n"}, "not '1.2.3'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,1234567890123456789\n"},
	 "a number of at most 10^12 is expected"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,1000000000001\n"},
	 "a number of at most 10^12 is expected, not '1000000000001'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,1\nEnd\n"},
	 "x_iops.csv':3: a load level of at most 10000 is expected, not 'End'"},
	{{.summary = VERSION_11, .iops = "Large/Small,1\n0,1,2\n"},
	 "x_iops.csv':2: the end of the row is expected, not '2'"},
	{{.summary = VERSION_11, .mbps = "Large/Small,0\n1,\x1b[2J\n"}, "not '\\x1b[2J'"},
	{{.summary = VERSION_11, .lat = "\xff\xfeL\n"}, "x_lat.csv' is UTF-16"},
};

static void what_is_no_matrix_is_refused_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct results results;
		struct error err = {0};

		assert_int_equal(orion_read_case(&results, &refused[i].files, &err), -EINVAL);
		if (strstr(err.text, refused[i].text) == NULL)
			fail_msg("'%s' is not in '%s'", refused[i].text, err.text);
		results_release(&results);
	}
}

/* the last digits are missing: "6210" would be taken for 62 */
static void a_number_that_was_cut_off_is_no_figure(void **state)
{
	char iops[sizeof(a_iops)];
	struct orion_case files = {.summary = VERSION_11, .iops = iops};
	struct results results;

	(void)state;
	strcpy(iops, a_iops);
	*(strstr(iops, "6210") + 2) = '\0';
	orion_read_good(&results, &files);
	assert_int_equal(results.point_count, 4);
	assert_null(orion_point(&results, 5, 0));
	results_release(&results);
}

/* its last number is narrow as others are: a copy that lost blanks is not for that cut off */
static void a_header_with_a_narrow_cell_is_not_in_orion_s_width(void **state)
{
	const struct orion_case files = {
		.summary = VERSION_11,
		.iops = "Large/Small,1,      5\n0,2302,6210",
	};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_true(results.best.max_iops.value == 6210);
	results_release(&results);
}

static void a_line_of_a_mebibyte_does_no_harm(void **state)
{
	const size_t size = 1 << 20;
	char *summary = malloc(size + 1024);
	char *iops = malloc(size + 1024);
	struct orion_case files = {.summary = summary, .iops = iops};
	struct results results;

	(void)state;
	assert_non_null(summary);
	assert_non_null(iops);
	strcpy(summary, VERSION_11 "Test: ");
	memset(summary + strlen(summary), 'x', size);
	strcpy(summary + strlen(VERSION_11 "Test: ") + size, "\n" BEST_IOPS);
	memset(iops, ' ', size);
	strcpy(iops + size, "\nLarge/Small,5\n0,6210\n");
	orion_read_good(&results, &files);
	assert_int_equal(strlen(results.run.testname), size);
	assert_int_equal(results.point_count, 1);
	results_release(&results);
	memset(iops, ',', size);
	memcpy(iops, "Large/Small", strlen("Large/Small"));
	{
		struct error err = {0};

		assert_int_equal(orion_read_case(&results, &files, &err), -EINVAL);
	}
	results_release(&results);
	free(summary);
	free(iops);
}

/* A header with the levels from @first on, and a row below it. */
static void make_matrix(char *out, unsigned first, unsigned count)
{
	out += sprintf(out, "Large/Small");
	for (unsigned i = 0; i < count; i++)
		out += sprintf(out, ",%u", first + i);
	strcpy(out, "\n0,7\n");
}

static void more_levels_than_fit_are_refused(void **state)
{
	static char one[LEVELS_MAX * 8], other[LEVELS_MAX * 8];
	const struct orion_case files[] = {
		{.summary = VERSION_11 BEST_IOPS, .iops = one, .lat = other},
		{.summary = VERSION_11 "Maximum Small IOPS=6210 @ Small=9999 and Large=0\n",
		 .iops = one},
		{.summary = VERSION_11 "Small Read Latency: avg=1 us, min=1 us, max=1 us, std "
				       "dev=0 us @ Small=9999 and Large=0\n",
		 .iops = one},
	};

	(void)state;
	make_matrix(one, 1, LEVELS_MAX);
	make_matrix(other, 5000, LEVELS_MAX);
	for (size_t i = 0; i < COUNT(files); i++) {
		struct results results;
		struct error err = {0};

		assert_int_equal(orion_read_case(&results, &files[i], &err), -EINVAL);
		assert_non_null(strstr(err.text, "too many load levels: more than 4096"));
		results_release(&results);
	}
}

/* Each odd byte takes seven of a document, which would be too large to be read. */
static void a_name_of_several_mebibytes_is_left_out(void **state)
{
	const size_t size = 6 << 20;
	char *summary = malloc(size + 1024);
	struct orion_case files = {.summary = summary};
	struct results results;

	(void)state;
	assert_non_null(summary);
	strcpy(summary, VERSION_11 BEST_IOPS "Test: ");
	memset(summary + strlen(summary), 0xff, size);
	strcpy(summary + strlen(VERSION_11 BEST_IOPS "Test: ") + size, "\n");
	orion_read_good(&results, &files);
	assert_string_equal(results.run.testname, "x");
	assert_true(orion_warned(&results, "source_unread", "x_summary.txt':3: not understood"));
	results_release(&results);
	free(summary);
}

static void lines_end_as_windows_ends_them(void **state)
{
	const struct orion_case files = {
		.summary =
			"\xef\xbb\xbfORION VERSION 11.2.0.1.0\r\nMaximum Small IOPS=84 @ Small=5 "
			"and Large=0\r\n",
		.iops = "Large/Small,      5\r\n          0,     84\r\n          1\r\n",
	};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_string_equal(results.run.source.version, "11.2.0.1.0");
	assert_int_equal(results.point_count, 1);
	results_release(&results);
}

static void zero_bytes_are_no_text(void **state)
{
	static const char bytes[] = "Large/Small\0,1\n";
	struct results results;
	struct error err = {0};

	(void)state;
	orion_empty();
	orion_write_text("summary.txt", VERSION_11);
	orion_write("iops.csv", bytes, sizeof(bytes));
	assert_int_equal(orion_read_dir(&results, &err), -EINVAL);
	assert_non_null(strstr(err.text, "x_iops.csv' holds zero bytes"));
	results_release(&results);
}

static void what_is_no_file_is_refused(void **state)
{
	char path[128];
	struct results results;
	struct error err = {0};

	(void)state;
	orion_empty();
	orion_write_text("summary.txt", VERSION_11);
	orion_path(path, "iops.csv");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(orion_read_dir(&results, &err), -EINVAL);
	assert_non_null(strstr(err.text, "x_iops.csv' is no regular file"));
	results_release(&results);
}

static void garbage_is_complained_of_a_few_times_only(void **state)
{
	char *summary = malloc(1 << 20);
	struct orion_case files = {.summary = summary};
	struct results results;
	char *end = summary;

	(void)state;
	assert_non_null(summary);
	end = stpcpy(end, VERSION_11 BEST_IOPS);
	for (unsigned i = 0; i < 10000; i++)
		end = stpcpy(end, "Maximum Small IOPS=\n");
	orion_read_good(&results, &files);
	assert_in_range(results.warning_count, 10, 100);
	assert_true(orion_warned(&results, "source_unread",
				 "9980 more lines or histograms are left out"));
	results_release(&results);
	free(summary);
}

static void only_orion_s_summary_is_one(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} files[] = {
		{a_summary, true},
		{stdout_12, true},
		{"\n\nORION VERSION 10.2\n", true},
		{"CALIB VERSION 0.1.0\n\nCommand line:\n-run simple\n", false},
		{"", false},
		{"this ORION VERSION\n", false},
	};
	char path[128];

	(void)state;
	orion_path(path, "summary.txt");
	for (size_t i = 0; i < COUNT(files); i++) {
		orion_empty();
		orion_write_text("summary.txt", files[i].text);
		assert_int_equal(orion_is_summary(path), files[i].is);
	}
	orion_empty();
	assert_false(orion_is_summary(path));
}

/* other text of many MB is not read to its end, whatever stands there */
static void a_version_far_below_the_first_lines_is_none(void **state)
{
	const size_t size = 1 << 20;
	char *summary = malloc(size + 1024);
	char path[128];

	(void)state;
	assert_non_null(summary);
	memset(summary, '\n', size);
	strcpy(summary + size, VERSION_11);
	orion_empty();
	orion_write_text("summary.txt", summary);
	orion_path(path, "summary.txt");
	assert_false(orion_is_summary(path));
	memcpy(summary, VERSION_11, strlen(VERSION_11));
	orion_write_text("summary.txt", summary);
	assert_true(orion_is_summary(path));
	free(summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_matrix_is_refused_with_its_line),
		cmocka_unit_test(a_number_that_was_cut_off_is_no_figure),
		cmocka_unit_test(a_header_with_a_narrow_cell_is_not_in_orion_s_width),
		cmocka_unit_test(a_line_of_a_mebibyte_does_no_harm),
		cmocka_unit_test(more_levels_than_fit_are_refused),
		cmocka_unit_test(a_name_of_several_mebibytes_is_left_out),
		cmocka_unit_test(lines_end_as_windows_ends_them),
		cmocka_unit_test(zero_bytes_are_no_text),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(garbage_is_complained_of_a_few_times_only),
		cmocka_unit_test(only_orion_s_summary_is_one),
		cmocka_unit_test(a_version_far_below_the_first_lines_is_none),
	};

	return cmocka_run_group_tests_name("orion_broken", tests, orion_setup, orion_teardown);
}
