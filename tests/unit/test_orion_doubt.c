/* Tests of orion_*.c on files that are in doubt, or contradict. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* needs the headers above */
#include <cmocka.h>

#include "orion_files.h"

/**
 * struct doubtful - files of which something is left out, or in doubt
 */
static const struct doubtful {
	struct orion_case files;
	const char *code, *text;
} doubtful[] = {
	{{.summary = VERSION_11 BEST_IOPS "Minimum Small Latency=0.4"},
	 "source_unread",
	 "x_summary.txt':3: not understood, and left out (the file may be cut off): 'Minimum"},
	{{.summary = VERSION_11 BEST_IOPS "Maximum Small IOPS=1 @ Small=1 and Large=0\n"},
	 "source_unread",
	 "x_summary.txt':3: not understood"},
	{{.summary = VERSION_11 BEST_IOPS "Write: 101%\n"}, "source_unread", "'Write: 101%'"},
	{{.summary = VERSION_11 BEST_IOPS "Name: /dev/sda\n"}, "source_unread", "/dev/sda"},
	{{.summary = VERSION_11 BEST_IOPS "Small IO size: 8 MB\n"}, "source_unread", "8 MB"},
	{{.summary = VERSION_11 BEST_IOPS "Small Columns:, 0, x\n"}, "source_unread", "0, x"},
	{{.summary = VERSION_11 "Small IO size: 8 KB\n", .iops = a_iops},
	 "source_incomplete",
	 "the summary has no best figures"},
	{{.summary = VERSION_11 BEST_IOPS, .mbps = a_mbps, .lat = a_lat},
	 "source_incomplete",
	 "there is no 'x_iops.csv'"},
	{{.summary = VERSION_11 BEST_IOPS, .iops = "Large/Small,5\n0,6210"},
	 "source_incomplete",
	 "the last line of 'x_iops.csv' has no end"},
	{{.summary = VERSION_11 BEST_IOPS "Total Data Points: 38\n",
	  .iops = a_iops,
	  .mbps = a_mbps,
	  .lat = a_lat},
	 "source_incomplete",
	 "Total Data Points: 38, but the matrices have figures of 7"},
	{{.summary = VERSION_11 "Maximum Small IOPS=6219 @ Small=5 and Large=0\n", .iops = a_iops},
	 "source_contradiction",
	 "says Maximum Small IOPS=6219 @ Small=5 and Large=0, but x_iops.csv has 6210 there"},
	{{.summary = VERSION_11 "Maximum Small IOPS=5450 @ Small=3 and Large=0\n", .iops = a_iops},
	 "source_contradiction",
	 "says Maximum Small IOPS=5450, but x_iops.csv has a better one: 6"},
	{{.summary = VERSION_11 "Minimum Small Latency=0.45 @ Small=2 and Large=0\n", .lat = a_lat},
	 "source_contradiction",
	 "x_lat.csv has a better one: 0.43"},
	{{.summary = VERSION_11 BEST_IOPS "Small Columns:, 0, 1, 2, 3, 4\n", .iops = a_iops},
	 "source_contradiction",
	 "'x_iops.csv' has the small level 5, which the summary does not list"},
	{{.summary = VERSION_11 BEST_IOPS "Large Columns:, 0, 1\n", .iops = a_iops},
	 "source_contradiction",
	 "'x_iops.csv' has the large level 2"},
	{{.summary = VERSION_11 BEST_IOPS "Total Data Points: 3\n", .iops = a_iops},
	 "source_contradiction",
	 "Total Data Points: 3, but there are 5"},
	{{.summary = VERSION_11 BEST_IOPS "Name: a Size: 1\n2 FILEs found.\n"},
	 "source_contradiction",
	 "the summary says 2 files found, but names 1"},
	{{.summary = VERSION_11 BEST_IOPS, .iops = a_iops, .lat = "Large/Small,1\n0,0.43\n"},
	 "source_contradiction",
	 "'x_iops.csv' has a figure @ Small=2 and Large=0, 'x_lat.csv' has none"},
	{{.summary = VERSION_11 "Minimum Small Latency=430 usecs @ Small=1 and Large=0\n",
	  .lat = a_lat},
	 "source_contradiction",
	 "version 11.1.0.7.0 has latencies in ms, but the summary says microseconds"},
	{{.summary = VERSION_11 BEST_IOPS, .iops = "Large/Small,0,5\n0,7,6210\n"},
	 "source_contradiction",
	 "'x_iops.csv':2: a figure of small I/Os where there are none is left out"},
	{{.summary = VERSION_11 BEST_IOPS, .mbps = "Large/Small,0\n0,7.00\n1,8.00\n"},
	 "source_contradiction",
	 "'x_mbps.csv':2: a figure of large I/Os where there are none is left out"},
	{{.summary = "ORION VERSION unknown\n" BEST_IOPS, .lat = a_lat},
	 "source_unread",
	 "the latencies of 'x_lat.csv' are left out"},
	{{.summary = VERSION_19 "Write: 0%\nSmall Read Latency: avg=5 us, min=6 us, max=7 us, "
				"std dev=1 us @ Small=1 and Large=0\n"},
	 "source_contradiction",
	 "the mean latency @ Small=1 and Large=0 lies outside its min and max"},
	{{.summary = VERSION_19 RESULTS_19 "Small Read Latency: avg=1 us, min=1 us, "
					   "max=999999999999999999 us, std dev=1 us @ Small=1 and "
					   "Large=0\n"},
	 "source_unread",
	 "not understood, and left out: 'Small Read Latency: avg=1 us"},
	{{.summary = VERSION_19 RESULTS_19 "Small Read Latency: avg=1 us, min=2 us, max=1 us, "
					   "std dev=1 us @ Small=1 and Large=0\n"},
	 "source_unread",
	 "x_summary.txt':10: not understood"},
	{{.summary =
		  VERSION_11 BEST_IOPS "Maximum Large MBPS=1000000000001 @ Small=0 and Large=1\n"},
	 "source_unread",
	 "MBPS=1000000000001"},
	{{.summary = VERSION_11 BEST_IOPS "Maximum Large MBPS=5.00 @ Small=5 and Large=0\n"},
	 "source_unread",
	 "MBPS=5.00 @ Small=5 and Large=0"},
	{{.summary = VERSION_11 "Maximum Small IOPS=442 @ Small=0 and Large=2\n", .mbps = a_mbps},
	 "source_unread",
	 "IOPS=442 @ Small=0 and Large=2"},
	{{.summary = VERSION_11 BEST_IOPS "Minimum Small Latency=7.45 @ Small=0 and Large=1\n"},
	 "source_unread",
	 "Latency=7.45 @ Small=0"},
	/* no version of ORION prints it, so what a ms in such a line means is not known */
	{{.summary = "ORION VERSION 10.2.0.1.0\nSmall Read Latency: avg=14.62 ms, min=9.00 ms, "
		     "max=20.00 ms, std dev=1.00 ms @ Small=1 and Large=0\n",
	  .lat = "Large/Small,1\n0,14.62\n"},
	 "source_unread",
	 "x_summary.txt':2: not understood, and left out: 'Small Read Latency: avg=14.62 ms"},
	{{.summary = VERSION_19 RESULTS_19, .hist = "Small reads\n 0-1 us 7\n"},
	 "source_unread",
	 "x_hist.txt' is not read: its layout is not known"},
};

static void what_is_in_doubt_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(doubtful); i++) {
		struct results results;

		orion_read_good(&results, &doubtful[i].files);
		if (!orion_warned(&results, doubtful[i].code, doubtful[i].text))
			fail_msg("no warning %s: '%s'", doubtful[i].code, doubtful[i].text);
		results_release(&results);
	}
}

#define HEAD "Small Read / Write Latency Histogram @ Small=2 and Large=0\n"

static const struct orion_table_case {
	const char *table, *text;
} tables[] = {
	{HEAD, "it is cut off"},
	{HEAD "0 - 32 us: 0 0\n32 - 64 us: 5 0\n", "it is cut off"},
	{HEAD "0 - 32 us: 0 0\n32 - 64 us: 5 0\n64 - 268", "it is cut off"},
	{HEAD "0 - 1001 us: 0 0\n1001 - 268435456 us: 5 0\n", "end where no bucket of calib does"},
	{HEAD "0 - 32 us: 0 0\n32 - 32 us: 0 0\n32 - 268435456 us: 5 0\n",
	 "its rows are empty, or end"},
	{HEAD "0 - 32 us: 0 0\n64 - 268435456 us: 5 0\n", "there is a gap"},
	{HEAD "0 - 32 us: 0 0\n16 - 268435456 us: 5 0\n", "or they overlap"},
	{HEAD "0 - 32 us: 1 ( 50.10%) 0 (0.00%)\n32 - 268435456 us: 1 (100.00%) 0 (0.00%)\n",
	 "its percentages are not those of its counts"},
	{HEAD "0 - 32 us: 1 (100.00%) 0 (9.00%)\n32 - 268435456 us: 0 (100.00%) 0 (0.00%)\n",
	 "its percentages are not those of its counts"},
	{"Small IO size: 8 KB\n" HEAD "0 - 32 us: 0 0\n32 - 268435456 us: 999999999999999999 0\n",
	 "the small histogram @ Small=2 and Large=0 is left out: that many I/Os are too many"},
};

static void a_histogram_that_cannot_be_trusted_is_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tables); i++) {
		char summary[4096];
		struct orion_case files = {.summary = summary};
		struct results results;

		snprintf(summary, sizeof(summary), "%sWrite: 0%%\n%s%s", VERSION_19, RESULTS_19,
			 tables[i].table);
		orion_read_good(&results, &files);
		if (!orion_warned(&results, "source_unread", tables[i].text))
			fail_msg("no warning '%s' of table %zu", tables[i].text, i);
		assert_true(orion_point(&results, 2, 0)->classes[0][IO_READ].unknown & CLASS_IOS);
		results_release(&results);
	}
}

/* the table of the summary may stand in _hist.txt again */
static void of_two_histograms_of_a_point_the_first_counts(void **state)
{
	static const char again[] = HEAD "0 - 32 us: 0 0\n32 - 268435456 us: 5 0\n";
	static const char other[] = HEAD "0 - 32 us: 0 0\n32 - 268435456 us: 6 0\n";
	char summary[4096];
	struct orion_case files = {.summary = summary, .hist = again};
	struct results results;

	(void)state;
	snprintf(summary, sizeof(summary), "%sWrite: 0%%\n%s%s", VERSION_19, RESULTS_19, again);
	orion_read_good(&results, &files);
	assert_int_equal(orion_count_warnings(&results, "source_unread"), 0);
	assert_int_equal(orion_point(&results, 2, 0)->classes[0][IO_READ].ios, 5);
	results_release(&results);
	files.hist = other;
	orion_read_good(&results, &files);
	assert_true(orion_warned(&results, "source_unread",
				 "x_hist.txt':1: the histogram is left out: an earlier one"));
	assert_int_equal(orion_point(&results, 2, 0)->classes[0][IO_READ].ios, 5);
	results_release(&results);
}

static void histograms_in_any_order_go_to_their_points(void **state)
{
	static const uint32_t levels[][2] = {{3, 1}, {1, 2}, {3, 0}, {2, 1}, {1, 0}, {1, 1}};
	char summary[4096] = VERSION_19 "Write: 0%\n" RESULTS_19;
	struct orion_case files = {.summary = summary};
	struct results results;

	(void)state;
	for (size_t i = 0; i < COUNT(levels); i++)
		snprintf(summary + strlen(summary), sizeof(summary) - strlen(summary),
			 "Small Read / Write Latency Histogram @ Small=%u and Large=%u\n"
			 "0 - 32 us: %zu 0\n32 - 268435456 us: 0 0\n",
			 levels[i][0], levels[i][1], i + 1);
	orion_read_good(&results, &files);
	for (size_t i = 0; i < COUNT(levels); i++)
		assert_int_equal(
			orion_point(&results, levels[i][0], levels[i][1])->classes[0][IO_READ].ios,
			i + 1);
	results_release(&results);
}

/* a contradiction is not settled in favour of the summary: best follows from the points */
static void where_they_contradict_the_matrix_counts(void **state)
{
	const struct orion_case files = {
		.summary = VERSION_11 "Maximum Small IOPS=9999 @ Small=5 and Large=0\n",
		.iops = a_iops,
	};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_true(results.best.max_iops.value == 6210);
	results_release(&results);
}

static void the_figure_with_more_decimals_counts(void **state)
{
	const struct orion_case files = {
		.summary = "ORION VERSION 12.1.0.1.0\n"
			   "Minimum Small Latency=148 usecs @ Small=1 and Large=0\n",
		.lat = "Large/Small,1\n0,147.63\n",
	};
	const struct orion_case finer = {
		.summary = VERSION_19 "Minimum Small Latency=97.677 usecs @ Small=2 and Large=0\n",
		.lat = "Large/Small,2\n0,97.68\n",
	};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_true(results.best.min_latency_ns.value == 147630);
	assert_int_equal(orion_count_warnings(&results, "source_contradiction"), 0);
	results_release(&results);
	orion_read_good(&results, &finer);
	assert_true(results.best.min_latency_ns.value == 97677);
	assert_int_equal(orion_count_warnings(&results, "source_contradiction"), 0);
	results_release(&results);
}

/* whether ORION writes a blank or zeros there is known of 11.1 only */
static void zeros_of_a_class_that_is_not_loaded_are_no_figures(void **state)
{
	const struct orion_case files = {
		.summary = VERSION_11 "Maximum Small IOPS=442 @ Small=5 and Large=0\n",
		.iops = "Large/Small,0,5\n0,0.00,442\n1,0,99\n",
		.mbps = "Large/Small,0,5\n0,0.00,0.00\n1,56.97,8.00\n",
		.lat = "Large/Small,0,5\n0,0.00,14.62\n1,0.00,20.00\n",
	};
	struct results results;
	double unused;

	(void)state;
	orion_read_good(&results, &files);
	assert_int_equal(results.warning_count, 0);
	assert_int_equal(results.point_count, 3);
	assert_false(point_figure(orion_point(&results, 0, 1), FIGURE_SMALL_IOPS, &unused));
	assert_false(point_figure(orion_point(&results, 5, 0), FIGURE_LARGE_MBPS, &unused));
	assert_true(results.best.max_mbps.value == 56.97);
	results_release(&results);
}

static void a_spread_in_ms_does_not_change_the_unit(void **state)
{
	const struct orion_case files = {
		.summary = "ORION VERSION 10.2.0.1.0\n"
			   "Minimum Small Latency=14.62 @ Small=1 and Large=0\n"
			   "Small Read Latency: avg=14.62 ms, min=9.00 ms, max=20.00 ms, "
			   "std dev=1.00 ms @ Small=1 and Large=0\n",
		.lat = "Large/Small,1\n0,14.62\n",
	};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_string_equal(results.run.source.latency_unit, "ms");
	assert_true(results.best.min_latency_ns.value == 14620000);
	assert_int_equal(orion_count_warnings(&results, "source_contradiction"), 0);
	results_release(&results);
}

/* whole microseconds of 12.1: all of these took less than half of one */
static void a_spread_of_zeros_is_not_known(void **state)
{
	const unsigned latency = CLASS_MEAN | CLASS_MIN | CLASS_SPREAD;
	const struct orion_case files = {
		.summary = "ORION VERSION 12.1.0.2.0\nWrite: 0%\n"
			   "Minimum Small Latency=0.41 usecs @ Small=1 and Large=0\n"
			   "Small Read Latency: avg=0 us, min=0 us, max=0 us, std dev=0 us "
			   "@ Small=1 and Large=0\n"
			   "Small Read Latency: avg=0 us, min=0 us, max=0 us, std dev=0 us "
			   "@ Small=2 and Large=0\n",
	};
	struct results results;
	const struct class_result *class;

	(void)state;
	orion_read_good(&results, &files);
	class = &orion_point(&results, 1, 0)->classes[0][IO_READ];
	assert_int_equal(class->unknown & latency, CLASS_MIN | CLASS_SPREAD);
	assert_true(class->latency.mean_ns == 410);
	class = &orion_point(&results, 2, 0)->classes[0][IO_READ];
	assert_int_equal(class->unknown & latency, latency);
	assert_int_equal(orion_count_warnings(&results, "source_contradiction"), 0);
	results_release(&results);
}

static void a_latency_of_zero_is_not_known(void **state)
{
	const struct orion_case files = {
		.summary = VERSION_11,
		.iops = "Large/Small,1,2\n0,900,950\n",
		.lat = "Large/Small,1,2\n0,0.00,0.01\n",
	};
	struct results results;
	double unused;

	(void)state;
	orion_read_good(&results, &files);
	assert_false(point_figure(orion_point(&results, 1, 0), FIGURE_SMALL_LATENCY_NS, &unused));
	assert_true(results.best.min_latency_ns.value == 10000);
	results_release(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_in_doubt_is_named),
		cmocka_unit_test(a_histogram_that_cannot_be_trusted_is_left_out),
		cmocka_unit_test(of_two_histograms_of_a_point_the_first_counts),
		cmocka_unit_test(histograms_in_any_order_go_to_their_points),
		cmocka_unit_test(where_they_contradict_the_matrix_counts),
		cmocka_unit_test(the_figure_with_more_decimals_counts),
		cmocka_unit_test(zeros_of_a_class_that_is_not_loaded_are_no_figures),
		cmocka_unit_test(a_spread_in_ms_does_not_change_the_unit),
		cmocka_unit_test(a_spread_of_zeros_is_not_known),
		cmocka_unit_test(a_latency_of_zero_is_not_known),
	};

	return cmocka_run_group_tests_name("orion_doubt", tests, orion_setup, orion_teardown);
}
