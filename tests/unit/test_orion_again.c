/* Results made of ORION's files are reported, and read back. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* needs the headers above */
#include <cmocka.h>

#include "orion_files.h"

#define POINTS_HEADER                                                                              \
	"small,large,repeat,status,class,seconds,ios,errors,iops,mbps,mean_us,min_us,max_us,"      \
	"stddev_us,p50_us,p90_us,p95_us,p99_us,p99_9_us,p99_99_us,outstanding_mean\n"

static const struct orion_case cases[] = {
	{a_summary, a_iops, a_mbps, a_lat, NULL},
	{b_summary, NULL, b_mbps, b_lat, NULL},
	{.summary = summary_19},
	{.summary = stdout_12},
	{.summary = VERSION_19 "Writes: 30%\nSmall IO size: 8 KB\n" RESULTS_19 TABLE_19,
	 .iops = "Large/Small,2,10\n0,20344,58778\n"},
	{.summary = "ORION VERSION \xff\x1b\nTest: \xff\nName: a\xfe Size: 5\n",
	 .iops = "Large/Small,2,10\n0,20344,58778\n"},
};

static void assert_renders(const struct results *results, orion_render_fn *function,
			   const char *expected)
{
	char *text = orion_render(results, function);

	assert_string_equal(text, expected);
	free(text);
}

static void a_document_is_read_back_as_it_was(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct results results;

		orion_read_good(&results, &cases[i]);
		orion_assert_read_back(&results);
		results_release(&results);
	}
}

static void matrices_come_out_in_calib_s_layout(void **state)
{
	struct results results;

	(void)state;
	orion_read_good(&results, &cases[0]);
	assert_renders(&results, iops_csv_render, a_iops);
	assert_renders(&results, mbps_csv_render, a_mbps);
	assert_renders(&results, lat_csv_render,
		       "Large/Small,      1,      2,      3,      4,      5\n"
		       "          0, 430.00, 450.00, 550.00, 670.00, 800.00\n"
		       "          1\n"
		       "          2\n");
	results_release(&results);
}

/* the MBPS of a point with small I/Os are known, its IOPS are not */
static void a_figure_that_is_not_known_is_a_blank_cell(void **state)
{
	struct results results;

	(void)state;
	orion_read_good(&results, &cases[1]);
	assert_renders(&results, iops_csv_render,
		       "Large/Small,      1,      2,      3,      4,      5\n"
		       "          0\n"
		       "          1,   1954\n"
		       "          2\n");
	results_release(&results);
}

static void what_is_not_known_is_blank_in_points_csv(void **state)
{
	const struct orion_case files = {.summary = VERSION_19
					 "Writes: 0%\nSmall IO size: 8 KB\n" RESULTS_19 TABLE_19};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_renders(&results, points_csv_render,
		       POINTS_HEADER
		       "2,0,1,ok,small_read,,1220664,,,,97.677,63.652,2133.198,47.348,,,,,,,\n"
		       "10,0,1,ok,small_read,,,,58778.000000,,169.594,128.415,1924.721,13.566,"
		       ",,,,,,\n"
		       "0,5,1,ok,large_read,,,,,1571.330000,,,,,,,,,,,\n");
	results_release(&results);
}

/* rows end where ORION's buckets do: its first is below 32 us, its last one above 4096 */
static void a_histogram_has_no_finer_rows_than_orion(void **state)
{
	struct results results;
	char *text;

	(void)state;
	orion_read_good(&results, &cases[2]);
	text = orion_render(&results, hist_txt_render);
	assert_string_equal(strstr(text, "\nPoint"),
			    "\nPoint 1: Small=2 and Large=0, repeat 1, ok\n"
			    "small_read: 1220664 I/Os\n"
			    "             latency in us             I/Os    cumulative\n"
			    "                    [0,32)                0       0.0000%\n"
			    "                   [32,64)                1       0.0000%\n"
			    "                  [64,128)          1112243      91.1179%\n"
			    "                 [128,256)           102320      99.5002%\n"
			    "                 [256,512)             5434      99.9454%\n"
			    "                [512,1024)              405      99.9786%\n"
			    "               [1024,2048)              259      99.9998%\n"
			    "               [2048,4096)                2     100.0000%\n");
	free(text);
	results_release(&results);
}

static void the_summary_shows_orion_s_table_again(void **state)
{
	struct results results;
	char *text;

	(void)state;
	orion_read_good(&results, &cases[2]);
	text = orion_render(&results, summary_txt_render);
	assert_non_null(strstr(text, TABLE_19));
	assert_non_null(strstr(text,
			       "Small Read Latency: avg=169.594 us, min=128.415 us, "
			       "max=1924.721 us, std dev=13.566 us @ Small=10 and Large=0\n"));
	assert_non_null(strstr(text, "\nSource: orion RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417, from "
				     "x_summary.txt\n"));
	free(text);
	results_release(&results);
}

/* null in the document, blank in the table, and not in the line, which has the others */
static void a_least_latency_that_was_rounded_away_is_not_told(void **state)
{
	struct results results;
	char *text;

	(void)state;
	orion_read_good(&results, &cases[3]);
	text = orion_render(&results, json_render);
	assert_non_null(strstr(text,
			       "\"lat_ns\":{\"min\":null,\"mean\":148000.0,\"stddev\":209000.0,"
			       "\"max\":82630000,"));
	free(text);
	text = orion_render(&results, points_csv_render);
	assert_non_null(strstr(text, ",148.000,,82630.000,209.000,"));
	free(text);
	text = orion_render(&results, summary_txt_render);
	assert_non_null(strstr(text, "\nSmall Read Latency: avg=148.000 us, max=82630.000 us, "
				     "std dev=209.000 us @ Small=1 and Large=0\n"));
	free(text);
	results_release(&results);
}

/* nothing of what calib tells of its own runs */
static void a_line_whose_subject_is_not_known_is_left_out(void **state)
{
	static const char *const labels[] = {
		"Command line", "IO size",  "IO types", "Sequential", "Writes",	 "Cache",
		"Duration",	"Total",    "Name:",	"files",      "Engine",	 "Seed",
		"Host",		"buffers",  "p50",	"kept",	      "sent to", "failed",
		"at point",	"infinity", "nan"};
	struct results results;
	char *text;

	(void)state;
	orion_read_good(&results, &cases[3]);
	text = orion_render(&results, summary_txt_render);
	for (size_t i = 0; i < COUNT(labels); i++)
		if (strstr(text, labels[i]) != NULL)
			fail_msg("there is '%s' in:\n%s", labels[i], text);
	free(text);
	results_release(&results);
}

/* what may be null in such a document may not in one of calib's own */
static void without_its_source_a_document_is_refused(void **state)
{
	struct results made, read;
	struct error err = {0};
	char *document, *source;

	(void)state;
	orion_read_good(&made, &cases[0]);
	document = orion_render(&made, json_render);
	source = strstr(document, "\"source\"");
	assert_non_null(source);
	memcpy(source, "\"sourse\"", strlen("\"sourse\""));
	assert_true(orion_read_document(&read, document, &err) < 0);
	assert_non_null(strstr(err.text, "null"));
	results_release(&read);
	free(document);
	results_release(&made);
}

/**
 * struct wrong - a change that makes a document of a run of ORION's absurd
 */
static const struct wrong {
	const char *from, *to, *text;
} wrongs[] = {
	{"\"small_latency_ns\":97677", "\"small_latency_nz\":97677", "there is no 'small_latency_"},
	{"\"value\":58778", "\"value\":58779", "best.max_iops: it does not follow"},
	{"\"hist\":[[64000,1]", "\"hist\":[[65000,1]", "65000 ns is no"},
	{"\"hist\":[[64000,1]", "\"hist\":[[64000,2]", "the sum of counts is 1220665"},
	{"\"hist_edges_ns\":[32000,64000", "\"hist_edges_ns\":[32000,16000", "16000 ns does not r"},
	{"\"hist_edges_ns\":[32000,64000", "\"hist_edges_ns\":[32000", "none of the edges"},
	{"\"bytes\":9999679488", "\"bytes\":9999679489", "bytes are not 8192 for each"},
	{"\"max\":2133198", "\"max\":null", "'max' and others are known only together"},
	{"\"min\":63652", "\"min\":99652", "the mean lies outside"},
	{"\"p50\":null", "\"p50\":5", "'p50' and others are known only together"},
	{"\"program\":\"orion\"", "\"program\":null", "source.program: a string is expected"},
	{"\"files\":[", "\"files\":[7,", "source.files[0]"},
};

static char *replace(const char *document, const char *from, const char *to)
{
	const char *at = strstr(document, from);
	char *changed;

	if (at == NULL)
		fail_msg("there is no %s", from);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - document), document, to,
			     at + strlen(from)) > 0);
	return changed;
}

static void an_absurd_document_is_refused(void **state)
{
	struct results made;
	char *document;

	(void)state;
	orion_read_good(&made, &cases[2]);
	document = orion_render(&made, json_render);
	for (size_t i = 0; i < COUNT(wrongs); i++) {
		char *changed = replace(document, wrongs[i].from, wrongs[i].to);
		struct results read;
		struct error err = {0};
		int code = orion_read_document(&read, changed, &err);

		if (code == 0 || strstr(err.text, wrongs[i].text) == NULL)
			fail_msg("%s: '%s'", wrongs[i].to, err.text);
		results_release(&read);
		free(changed);
	}
	free(document);
	results_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_is_read_back_as_it_was),
		cmocka_unit_test(matrices_come_out_in_calib_s_layout),
		cmocka_unit_test(a_figure_that_is_not_known_is_a_blank_cell),
		cmocka_unit_test(what_is_not_known_is_blank_in_points_csv),
		cmocka_unit_test(a_histogram_has_no_finer_rows_than_orion),
		cmocka_unit_test(the_summary_shows_orion_s_table_again),
		cmocka_unit_test(a_least_latency_that_was_rounded_away_is_not_told),
		cmocka_unit_test(a_line_whose_subject_is_not_known_is_left_out),
		cmocka_unit_test(without_its_source_a_document_is_refused),
		cmocka_unit_test(an_absurd_document_is_refused),
	};

	return cmocka_run_group_tests_name("orion_again", tests, orion_setup, orion_teardown);
}
