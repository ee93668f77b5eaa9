/* Tests of orion_*.c on files that were published. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* needs the headers above */
#include <cmocka.h>

#include "orion_files.h"

static const struct orion_case set_a = {a_summary, a_iops, a_mbps, a_lat, NULL};
static const struct orion_case set_b = {b_summary, NULL, b_mbps, b_lat, NULL};

static void assert_best(const struct best_value *best, double value, uint32_t small, uint32_t large)
{
	assert_true(best->known);
	assert_true(best->value == value);
	assert_int_equal(best->small, small);
	assert_int_equal(best->large, large);
}

static void assert_figure(const struct results *results, uint32_t small, uint32_t large,
			  enum figure figure, double expected)
{
	const struct point_result *point = orion_point(results, small, large);
	double value = -1;

	assert_non_null(point);
	assert_true(point_figure(point, figure, &value));
	assert_true(value == expected);
}

static void settings_of_11_1_are_known(void **state)
{
	struct results results;
	const struct run_info *run = &results.run;

	(void)state;
	orion_read_good(&results, &set_a);
	assert_string_equal(run->source.program, "orion");
	assert_string_equal(run->source.version, "11.1.0.7.0");
	assert_string_equal(run->source.latency_unit, "ms");
	assert_int_equal(run->source.file_count, 4);
	assert_string_equal(run->source.files[0], "x_summary.txt");
	assert_string_equal(run->testname, "mytest");
	assert_string_equal(run->command_line, "orion -run simple -testname mytest -num_disks 1");
	assert_int_equal(run->run, RUN_SIMPLE);
	assert_int_equal(run->matrix, MATRIX_BASIC);
	assert_int_equal(run->small_bytes, 8192);
	assert_int_equal(run->large_bytes, 1048576);
	assert_int_equal(run->large_type, LARGE_RAND);
	assert_int_equal(run->layout, LAYOUT_CONCAT);
	assert_int_equal(run->unknown, 0);
	assert_int_equal(run->write_pct, 0);
	assert_false(run->cache_given);
	assert_int_equal(run->duration_ns, 60 * NS_PER_S);
	assert_int_equal(run->num_disks, 1);
	assert_int_equal(run->total_points, 8);
	assert_int_equal(run->status, RUN_COMPLETE);
	assert_int_equal(results.lun_count, 1);
	assert_string_equal(results.luns[0].path, "/dev/sda2");
	assert_int_equal(results.luns[0].size_bytes, UINT64_C(629143441920));
	assert_int_equal(results.warning_count, 0);
	results_release(&results);
}

static void levels_of_a_simple_run_come_from_the_matrices(void **state)
{
	struct results results;

	(void)state;
	orion_read_good(&results, &set_a);
	assert_int_equal(results.run.small_levels.count, 6);
	assert_int_equal(results.run.small_levels.value[5], 5);
	assert_int_equal(results.run.large_levels.count, 3);
	assert_int_equal(results.point_count, 7);
	assert_int_equal(results.points[0].point.small, 1);
	assert_int_equal(results.points[6].point.large, 2);
	results_release(&results);
}

static void latencies_of_11_1_are_in_ms(void **state)
{
	struct results results;

	(void)state;
	orion_read_good(&results, &set_a);
	assert_figure(&results, 1, 0, FIGURE_SMALL_IOPS, 2302);
	assert_figure(&results, 1, 0, FIGURE_SMALL_LATENCY_NS, 430000);
	assert_figure(&results, 5, 0, FIGURE_SMALL_LATENCY_NS, 800000);
	assert_figure(&results, 0, 1, FIGURE_LARGE_MBPS, 271.58);
	assert_best(&results.best.max_iops, 6210, 5, 0);
	assert_best(&results.best.max_mbps, 374.26, 0, 2);
	assert_best(&results.best.min_latency_ns, 430000, 1, 0);
	results_release(&results);
}

static void figures_of_a_read_run_are_those_of_its_class(void **state)
{
	struct results results;
	const struct class_result *class;

	(void)state;
	orion_read_good(&results, &set_a);
	class = &orion_point(&results, 2, 0)->classes[0][IO_READ];
	assert_true(class->present);
	assert_false(orion_point(&results, 2, 0)->classes[0][IO_WRITE].present);
	assert_true(class->iops == 4398);
	assert_true(class->latency.mean_ns == 450000);
	assert_false(class->unknown & (CLASS_IOPS | CLASS_MEAN));
	assert_int_equal(class->unknown | CLASS_IOPS | CLASS_MEAN, 2 * CLASS_SERIES - 1);
	results_release(&results);
}

static void a_grid_with_collapsed_blanks_is_read(void **state)
{
	struct results results;
	double unused;

	(void)state;
	orion_read_good(&results, &set_b);
	assert_string_equal(results.run.source.latency_unit, "us");
	assert_int_equal(results.run.matrix, MATRIX_DETAILED);
	assert_int_equal(results.point_count, 17);
	assert_figure(&results, 3, 2, FIGURE_LARGE_MBPS, 155.87);
	assert_figure(&results, 3, 2, FIGURE_SMALL_LATENCY_NS, 1538380);
	assert_figure(&results, 1, 1, FIGURE_SMALL_IOPS, 1954);
	assert_false(point_figure(orion_point(&results, 2, 1), FIGURE_SMALL_IOPS, &unused));
	assert_best(&results.best.max_iops, 1954, 1, 1);
	assert_best(&results.best.max_mbps, 1086.52, 0, 1);
	assert_best(&results.best.min_latency_ns, 511230, 1, 1);
	assert_true(orion_warned(&results, "source_incomplete", "there is no 'x_iops.csv'"));
	assert_int_equal(results.warning_count, 1);
	results_release(&results);
}

/* later 11.2 and 12 have 6 lines of text above each matrix; their wording is not known */
static void text_above_a_matrix_is_skipped(void **state)
{
	static const char text[] = "Each value is what large I/Os sustained, in MBPS.\n\n"
				   "It belongs to a data point with a fixed number of\n"
				   "outstanding small and large I/Os, 1, 2, 3.\n\n\n";
	char mbps[sizeof(text) + sizeof(a_mbps)];
	struct orion_case files = set_a;
	struct results results;

	(void)state;
	snprintf(mbps, sizeof(mbps), "%s%s", text, a_mbps);
	files.mbps = mbps;
	orion_read_good(&results, &files);
	assert_figure(&results, 0, 2, FIGURE_LARGE_MBPS, 374.26);
	results_release(&results);
}

#define AT(a, b) " @ Small=" #a " and Large=" #b "\n"
#define NO_BEST                                                                                    \
	{                                                                                          \
		false, 0, 0, 0, 0                                                                  \
	}
#define BEST(v, s, l)                                                                              \
	{                                                                                          \
		true, v, s, l, 0                                                                   \
	}

/**
 * struct published - result lines of one run
 * @min_ns, @max_ns: at the point of least latency, of reads; 0: not told
 */
static const struct published {
	const char *version, *lines;
	struct best_value iops, mbps, latency;
	uint64_t min_ns, max_ns;
} published[] = {
	{"10.2.0.1.0",
	 "Maximum Large MBPS=34.47" AT(0, 2) "Maximum Small IOPS=185" AT(
		 17, 0) "Minimum Small Latency=7.45" AT(1, 0),
	 BEST(185, 17, 0), BEST(34.47, 0, 2), BEST(7450000, 1, 0), 0, 0},
	{"11.1.0.7.0",
	 "Maximum Large MBPS=56.97" AT(0, 7) "Maximum Small IOPS=442" AT(
		 40, 0) "Minimum Small Latency=14.62" AT(1, 0),
	 BEST(442, 40, 0), BEST(56.97, 0, 7), BEST(14620000, 1, 0), 0, 0},
	{"11.1.0.7.0",
	 "Maximum Large MBPS=1554.54" AT(0, 2) "Maximum Small IOPS=19019" AT(
		 5, 0) "Minimum Small Latency=0.26" AT(5, 0),
	 BEST(19019, 5, 0), BEST(1554.54, 0, 2), BEST(260000, 5, 0), 0, 0},
	{"11.1.0.7.0",
	 "Maximum Large MBPS=255.88" AT(0, 2) "Maximum Small IOPS=14741" AT(
		 5, 0) "Minimum Small Latency=0.33" AT(4, 0),
	 BEST(14741, 5, 0), BEST(255.88, 0, 2), BEST(330000, 4, 0), 0, 0},
	{"11.1.0.7.0",
	 "Maximum Large MBPS=90.25" AT(0, 1) "Maximum Small IOPS=2401" AT(
		 4, 0) "Minimum Small Latency=0.44" AT(1, 0),
	 BEST(2401, 4, 0), BEST(90.25, 0, 1), BEST(440000, 1, 0), 0, 0},
	{"11.1.0.7.0",
	 "Maximum Large MBPS=362.46" AT(0, 2) "Maximum Small IOPS=22817" AT(
		 5, 0) "Minimum Small Latency=0.19" AT(2, 0),
	 BEST(22817, 5, 0), BEST(362.46, 0, 2), BEST(190000, 2, 0), 0, 0},
	{"11.2.0.1.0",
	 "Maximum Large MBPS=32.78" AT(0, 2) "Maximum Small IOPS=84" AT(
		 5, 0) "Minimum Small Latency=20349.84 usecs" AT(1, 0),
	 BEST(84, 5, 0), BEST(32.78, 0, 2), BEST(20349840, 1, 0), 0, 0},
	{"11.2.0.1.0", "Maximum Large MBPS=1086.52" AT(0, 1) "Maximum Small IOPS=1954" AT(1, 1),
	 BEST(1954, 1, 1), BEST(1086.52, 0, 1), NO_BEST, 0, 0},
	{"12.1.0.1.0",
	 "Maximum Small IOPS=9899" AT(
		 17, 0) "Small Read Latency: avg=1711 us, min=791 us, max=12316 us, std dev=454 "
			"us" AT(17, 0) "Minimum Small Latency=123.58 usecs" AT(
				1, 0) "Small Read Latency: "
				      "avg=124 us, min=41 "
				      "us, max=4496 us, "
				      "std dev=76 us" AT(1, 0),
	 BEST(9899, 17, 0), NO_BEST, BEST(123580, 1, 0), 41000, 4496000},
	{"12.2.0.1.0",
	 "Maximum Large MBPS=867.73" AT(0, 2) "Maximum Small IOPS=12679" AT(
		 5, 0) "Small Read Latency: avg=392.499 us, min=198.667 us, max=38147.308 us, "
		       "std dev=425.804 us" AT(5, 0) "Minimum Small Latency=392.499 usecs" AT(5, 0),
	 BEST(12679, 5, 0), BEST(867.73, 0, 2), BEST(392499, 5, 0), 198667, 38147308},
	{"12.2.0.1.0",
	 "Maximum Large MBPS=427.37" AT(0, 3) "Maximum Small IOPS=13185" AT(
		 10, 0) "Small Read Latency: avg=756.598 us, min=288.397 us, max=14976.572 us, "
			"std dev=511.523 us" AT(10, 0) "Minimum Small Latency=480.544 usecs" AT(
				3, 0) "Small Read Latency: avg=480.544 us, min=255.911 us, "
				      "max=22302.739 us, std dev=367.564 us" AT(3, 0),
	 BEST(13185, 10, 0), BEST(427.37, 0, 3), BEST(480544, 3, 0), 255911, 22302739},
	{"12.2.0.1.0",
	 "Writes: 50%\nMaximum Small IOPS=918" AT(
		 68,
		 0) "Small Read Latency: avg=74069.660 us, min=62642.274 us, max=180620.254 us, "
		    "std dev=12263.553 us" AT(
			    68, 0) "Small Write Latency: avg=73935.104 us, "
				   "min=62631.574 us, "
				   "max=187240.852 us, std dev=12174.669 us" AT(
					   68, 0) "Minimum Small Latency=4409.929 "
						  "usecs" AT(4, 0) "Small Read Latency: "
								   "avg=4455.933 us, "
								   "min=2947.072 us, "
								   "max=126228.454 us, std "
								   "dev=2760.667 us" AT(
									   4, 0) "Small Write "
										 "Latency: "
										 "avg=4363.848 "
										 "us, "
										 "min=2608.965 "
										 "us, "
										 "max=137914."
										 "519 us, "
										 "std "
										 "dev=3499.135 "
										 "us" AT(4, 0),
	 BEST(918, 68, 0), NO_BEST, BEST(4409929, 4, 0), 2947072, 126228454},
	{"RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417", RESULTS_19, BEST(58778, 10, 0),
	 BEST(1571.33, 0, 5), BEST(97677, 2, 0), 63652, 2133198},
};

static void assert_same_best(const struct best_value *best, const struct best_value *expected)
{
	if (expected->known)
		assert_best(best, expected->value, expected->small, expected->large);
	else
		assert_false(best->known);
}

static void assert_published(const struct results *results, const struct published *expected)
{
	const struct best_value *least = &results->best.min_latency_ns;
	const struct class_result *class;

	assert_same_best(&results->best.max_iops, &expected->iops);
	assert_same_best(&results->best.max_mbps, &expected->mbps);
	assert_same_best(least, &expected->latency);
	if (!expected->latency.known)
		return;
	class = &orion_point(results, least->small, least->large)->classes[0][IO_READ];
	assert_int_equal(!!(class->unknown & CLASS_MIN), expected->min_ns == 0);
	assert_int_equal(!!(class->unknown & CLASS_SPREAD), expected->max_ns == 0);
	assert_int_equal(class->latency.min_ns, expected->min_ns);
	assert_int_equal(class->latency.max_ns, expected->max_ns);
}

static void result_lines_alone_give_the_best_points(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(published); i++) {
		char summary[2048];
		struct orion_case files = {.summary = summary};
		struct results results;

		snprintf(summary, sizeof(summary), "ORION VERSION %s\n\nWrite: 0%%\n%s",
			 published[i].version, published[i].lines);
		orion_read_good(&results, &files);
		assert_published(&results, &published[i]);
		assert_int_equal(orion_count_warnings(&results, "source_unread"), 0);
		assert_int_equal(orion_count_warnings(&results, "source_contradiction"), 0);
		results_release(&results);
	}
}

static void reads_and_writes_of_a_mixed_point_stand_apart(void **state)
{
	char summary[2048];
	struct orion_case files = {.summary = summary};
	struct results results;
	const struct point_result *point;

	(void)state;
	snprintf(summary, sizeof(summary), "ORION VERSION 12.2.0.1.0\n%s", published[11].lines);
	orion_read_good(&results, &files);
	point = orion_point(&results, 4, 0);
	assert_true(point->classes[0][IO_READ].latency.mean_ns == 4455933);
	assert_true(point->classes[0][IO_WRITE].latency.mean_ns == 4363848);
	assert_true(point->classes[0][IO_WRITE].latency.stddev_ns == 3499135);
	assert_true(point->classes[0][IO_WRITE].unknown & CLASS_IOPS);
	assert_true(point->told.value[FIGURE_SMALL_LATENCY_NS] == 4409929);
	results_release(&results);
}

static void a_histogram_tells_how_many_ios_there_were(void **state)
{
	const struct orion_case files = {.summary = summary_19};
	struct results results;
	const struct class_result *class;
	struct bucket bucket = {0};
	size_t position = 0;

	(void)state;
	orion_read_good(&results, &files);
	class = &orion_point(&results, 2, 0)->classes[0][IO_READ];
	assert_int_equal(class->ios, 1220664);
	assert_int_equal(class->bytes, UINT64_C(1220664) * 8192);
	assert_int_equal(class->edges.count, 9);
	assert_int_equal(results.edges[class->edges.at], 32000);
	assert_int_equal(results.edges[class->edges.at + 8], UINT64_C(268435456000));
	assert_int_equal(histogram_unpack_next(results.packed + class->hist.at, class->hist.count,
					       &position, &bucket),
			 1);
	assert_int_equal(histogram_upper_ns(bucket.index), 64000);
	assert_int_equal(bucket.count, 1);
	assert_int_equal(orion_point(&results, 10, 0)->classes[0][IO_READ].unknown & CLASS_IOS,
			 CLASS_IOS);
	results_release(&results);
}

static void what_12_1_printed_is_read_as_a_summary(void **state)
{
	const struct orion_case files = {.summary = stdout_12};
	struct results results;
	const struct class_result *class;

	(void)state;
	orion_read_good(&results, &files);
	assert_string_equal(results.run.source.version, "12.1.0.2.0");
	assert_string_equal(results.run.testname, "x");
	assert_null(results.run.command_line);
	assert_int_equal(results.run.small_bytes, 0);
	assert_true(results.run.unknown & SETTING_WRITE_PCT);
	assert_best(&results.best.max_iops, 16262, 13, 1);
	assert_best(&results.best.max_mbps, 1672.01, 0, 2);
	assert_best(&results.best.min_latency_ns, 148000, 1, 0);
	class = &orion_point(&results, 1, 0)->classes[0][IO_READ];
	assert_int_equal(class->ios, 396144);
	assert_int_equal(class->edges.count, 28);
	/* "0 - 1" and then "2 - 4", in whole microseconds */
	assert_int_equal(results.edges[class->edges.at], 2000);
	assert_int_equal(class->latency.max_ns, 82630000);
	/* "min=0 us": one below half a microsecond, but not none */
	assert_int_equal(class->unknown & (CLASS_MEAN | CLASS_MIN | CLASS_SPREAD), CLASS_MIN);
	assert_int_equal(orion_count_warnings(&results, "source_unread"), 0);
	results_release(&results);
}

static void a_hist_txt_with_the_same_tables_is_read(void **state)
{
	static const char hist[] = "A text.\n\n" TABLE_19 "\nAnother text\n";
	struct orion_case files = {.summary = VERSION_19 RESULTS_19, .hist = hist};
	struct results results;

	(void)state;
	orion_read_good(&results, &files);
	assert_string_equal(results.run.source.files[1], "x_hist.txt");
	assert_int_equal(orion_point(&results, 2, 0)->classes[0][IO_READ].ios, 1220664);
	results_release(&results);
}

/* 10.2: labels of its own, sizes and a path with blanks, streams */
static void older_and_other_labels_are_understood(void **state)
{
	static const char summary[] =
		"ORION VERSION 10.2.0.1.0\r\n\r\nCommandline:\r\n"
		"-RUN Advanced -type seq -matrix COL -num_small 0 -num_disks 4\r\n\r\n"
		"This maps to this test:\r\nTest: seq\r\nSmall IO size: 8 KB\r\n"
		"Large IO size: 512 KB\r\n"
		"IO Types: Small Random IOs, Large Sequential Streams\r\n"
		"Number of Concurrent IOs Per Stream: 4\r\n"
		"Force streams to separate disks: FALSE\r\nSimulated Array Type: RAID 0\r\n"
		"Stripe Depth: 2048 KB\r\nWrite: 0%\r\nCache Size: 512 MB\r\n"
		"Duration for each Data Point: 30 seconds\r\nSmall Columns:,      0\r\n"
		"Large Columns:,      1,      2\r\nTotal Data Points: 2\r\n\r\n"
		"Name: C:\\my disks\\Size: 1.dat    Size: 536854528\r\n"
		"Name: /dev/raw/raw2\tSize: 213893120\r\n2 FILEs found.\r\n\r\n"
		"Maximum Large MBPS=34.47 @ Small=0 and Large=2\r\n";
	const struct orion_case files = {.summary = summary};
	struct results results;
	const struct run_info *run = &results.run;

	(void)state;
	orion_read_good(&results, &files);
	assert_int_equal(run->run, RUN_ADVANCED);
	assert_int_equal(run->matrix, MATRIX_COL);
	assert_int_equal(run->large_type, LARGE_SEQ);
	assert_int_equal(run->stream_ios, 4);
	assert_int_equal(run->layout, LAYOUT_RAID0);
	assert_int_equal(run->stripe_bytes, 2 * BYTES_MIB);
	assert_true(run->cache_given);
	assert_int_equal(run->cache_bytes, 512 * BYTES_MIB);
	assert_int_equal(run->duration_ns, 30 * NS_PER_S);
	assert_int_equal(run->num_disks, 4);
	assert_int_equal(results.lun_count, 2);
	assert_string_equal(results.luns[0].path, "C:\\my disks\\Size: 1.dat");
	assert_int_equal(results.luns[1].size_bytes, 213893120);
	assert_int_equal(results.points[0].point.loads[0].per_level, 4);
	assert_int_equal(results.points[0].point.loads[0].pattern, PATTERN_STREAM);
	assert_int_equal(orion_count_warnings(&results, "source_unread"), 0);
	results_release(&results);
}

static const struct unit_case {
	const char *version, *unit;
} units[] = {
	{"10.2.0.1.0", "ms"}, {"11.1.0.7.0", "ms"}, {"11.2.0.1.0", "us"},
	{"12.2.0.1.0", "us"}, {"18.0.0.0", "us"},   {"RDBMS_19.3.0.0.0DBRU", "us"},
	{"9.2", "ms"},
};

static void the_version_tells_the_unit_of_the_latencies(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(units); i++) {
		char summary[128];
		struct orion_case files = {.summary = summary, .lat = a_lat};
		struct results results;

		snprintf(summary, sizeof(summary), "ORION VERSION %s\n", units[i].version);
		orion_read_good(&results, &files);
		assert_string_equal(results.run.source.latency_unit, units[i].unit);
		assert_figure(&results, 1, 0, FIGURE_SMALL_LATENCY_NS,
			      units[i].unit[0] == 'm' ? 430000 : 430);
		results_release(&results);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_of_11_1_are_known),
		cmocka_unit_test(levels_of_a_simple_run_come_from_the_matrices),
		cmocka_unit_test(latencies_of_11_1_are_in_ms),
		cmocka_unit_test(figures_of_a_read_run_are_those_of_its_class),
		cmocka_unit_test(a_grid_with_collapsed_blanks_is_read),
		cmocka_unit_test(text_above_a_matrix_is_skipped),
		cmocka_unit_test(result_lines_alone_give_the_best_points),
		cmocka_unit_test(reads_and_writes_of_a_mixed_point_stand_apart),
		cmocka_unit_test(a_histogram_tells_how_many_ios_there_were),
		cmocka_unit_test(what_12_1_printed_is_read_as_a_summary),
		cmocka_unit_test(a_hist_txt_with_the_same_tables_is_read),
		cmocka_unit_test(older_and_other_labels_are_understood),
		cmocka_unit_test(the_version_tells_the_unit_of_the_latencies),
	};

	return cmocka_run_group_tests_name("orion_read", tests, orion_setup, orion_teardown);
}
