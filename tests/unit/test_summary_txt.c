/* Tests of summary_txt.c and summary_details.c. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define US NS_PER_US

/* that @part stands in the summary */
static void assert_has(const struct results *results, const char *part)
{
	char *text = sample_render(results, summary_txt_render);

	assert_non_null(text);
	if (strstr(text, part) == NULL)
		fail_msg("not found: %s\nin:\n%s", part, text);
	free(text);
}

static void assert_has_not(const struct results *results, const char *part)
{
	char *text = sample_render(results, summary_txt_render);

	assert_non_null(text);
	if (strstr(text, part) != NULL)
		fail_msg("found: %s\nin:\n%s", part, text);
	free(text);
}

static void a_simple_run_is_told_in_the_lines_of_orion(void **state)
{
	static const char expected[] =
		"CALIB VERSION 0.1.0\n"
		"\n"
		"Command line:\n"
		"-run simple -testname mytest -num_disks 1\n"
		"\n"
		"These options enable these settings:\n"
		"Test: mytest\n"
		"Small IO size: 8 KB\n"
		"Large IO size: 1024 KB\n"
		"IO types: small random IOs, large sequential streams\n"
		"Sequential stream pattern: one LUN per stream\n"
		"Number of concurrent IOs per stream: 4\n"
		"Writes: 0%\n"
		"Cache size: not specified\n"
		"Duration for each data point: 50 seconds\n"
		"Small Columns:,      0,      1,      2,      3,      4,      5\n"
		"Large Columns:,      0,      1,      2\n"
		"Total Data Points: 8\n"
		"\n"
		"Name: /data/a\tSize: 8589934592\n"
		"1 files found.\n"
		"\n"
		"Maximum Large MBPS=2.50 @ Small=0 and Large=2\n"
		"\n"
		"Maximum Small IOPS=30 @ Small=2 and Large=0\n"
		"Small Read Latency: avg=480.000 us, min=480.000 us, max=480.000 us, "
		"std dev=0.000 us @ Small=2 and Large=0\n"
		"Small Read / Write Latency Histogram @ Small=2 and Large=0\n"
		"        Latency:                         # of IOs (read)          # of IOs "
		"(write)\n"
		"        0 - 32         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       32 - 64         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       64 - 128        us:               0 (  0.00%)              0 (  0.00%)\n"
		"      128 - 256        us:               0 (  0.00%)              0 (  0.00%)\n"
		"      256 - 512        us:            1500 (100.00%)              0 (  0.00%)\n"
		"      512 - 268435456  us:               0 (100.00%)              0 (  0.00%)\n"
		"\n"
		"Minimum Small Latency=97.677 usecs @ Small=1 and Large=0\n"
		"Small Read Latency: avg=97.677 us, min=97.677 us, max=97.677 us, "
		"std dev=0.000 us @ Small=1 and Large=0\n"
		"Small Read / Write Latency Histogram @ Small=1 and Large=0\n"
		"        Latency:                         # of IOs (read)          # of IOs "
		"(write)\n"
		"        0 - 32         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       32 - 64         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       64 - 128        us:            1000 (100.00%)              0 (  0.00%)\n"
		"      128 - 268435456  us:               0 (100.00%)              0 (  0.00%)\n"
		"\n"
		"Status: complete\n"
		"Engine: libaio (io_uring is not allowed here)\n"
		"Seed: 4711\n"
		"Host: box, Linux 6.1.0, 2 CPUs (Some CPU), 8 GiB of memory\n"
		"I/O buffers in pages: thp\n"
		"Units: MBPS is 2^20 bytes a second; latency is from submission to the moment the "
		"completion was seen\n"
		"\n"
		"At Maximum Large MBPS (Small=0 and Large=2):\n"
		"  large reads: p50=3000.000 us, p90=3000.000 us, p95=3000.000 us, p99=3000.000 "
		"us, "
		"p99.9=3000.000 us*, p99.99=3000.000 us*\n"
		"  large outstanding: 8 asked, 0.01 kept on average\n"
		"At Maximum Small IOPS (Small=2 and Large=0):\n"
		"  small reads: p50=480.000 us, p90=480.000 us, p95=480.000 us, p99=480.000 us, "
		"p99.9=480.000 us, p99.99=480.000 us*\n"
		"  small outstanding: 2 asked, 0.01 kept on average\n"
		"At Minimum Small Latency (Small=1 and Large=0):\n"
		"  small reads: p50=97.677 us, p90=97.677 us, p95=97.677 us, p99=97.677 us, "
		"p99.9=97.677 us, p99.99=97.677 us*\n"
		"  small outstanding: 1 asked, 0.00 kept on average\n"
		"  * from too few I/Os to be sure of it\n"
		"\n"
		"Large Read / Write Latency Histogram @ Small=0 and Large=2\n"
		"        Latency:                         # of IOs (read)          # of IOs "
		"(write)\n"
		"        0 - 32         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       32 - 64         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       64 - 128        us:               0 (  0.00%)              0 (  0.00%)\n"
		"      128 - 256        us:               0 (  0.00%)              0 (  0.00%)\n"
		"      256 - 512        us:               0 (  0.00%)              0 (  0.00%)\n"
		"      512 - 1024       us:               0 (  0.00%)              0 (  0.00%)\n"
		"     1024 - 2048       us:               0 (  0.00%)              0 (  0.00%)\n"
		"     2048 - 4096       us:             125 (100.00%)              0 (  0.00%)\n"
		"     4096 - 268435456  us:               0 (100.00%)              0 (  0.00%)\n"
		"\n"
		"I/Os sent to the LUNs, the unmeasured ones too (a sector is 512 bytes):\n"
		"  /data/a: 1000 reads, 8192000 bytes\n";
	struct results *results = *state;
	char *text;

	sample_append(results, 1, 0, POINT_OK, 1000, 97677, 0);
	sample_append(results, 2, 0, POINT_OK, 1500, 480 * US, 0);
	sample_append(results, 0, 1, POINT_OK, 0, 0, 75);
	sample_append(results, 0, 2, POINT_OK, 0, 0, 125);
	text = sample_render(results, summary_txt_render);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void add_table(struct results *results)
{
	struct point point = sample_point(1, 2, 0);
	struct measure measure;
	struct tally *tally;

	sample_measure(&measure, &point);
	tally = measure.classes[0][IO_READ];
	sample_record(tally, 40 * US, 1, 50);
	sample_record(tally, 127999, 1112243, 50);
	sample_record(tally, 128 * US, 102320, 50);
	sample_record(tally, 300 * US, 5434, 50);
	sample_record(tally, 512 * US, 405, 50);
	sample_record(tally, 2047 * US, 259, 50);
	sample_record(tally, 4095 * US, 2, 50);
	assert_int_equal(results_add(results, &point, POINT_OK, (struct timespec){1, 0}, &measure),
			 0);
	measure_release(&measure);
}

/* the counts of a published 19.3 run */
static void a_published_histogram_is_written_byte_for_byte(void **state)
{
	struct results *results = *state;

	add_table(results);
	assert_has(results,
		   "Small Read / Write Latency Histogram @ Small=2 and Large=0\n"
		   "        Latency:                         # of IOs (read)          # of "
		   "IOs (write)\n"
		   "        0 - 32         us:               0 (  0.00%)              0 (  "
		   "0.00%)\n"
		   "       32 - 64         us:               1 (  0.00%)              0 (  "
		   "0.00%)\n"
		   "       64 - 128        us:         1112243 ( 91.12%)              0 (  "
		   "0.00%)\n"
		   "      128 - 256        us:          102320 ( 99.50%)              0 (  "
		   "0.00%)\n"
		   "      256 - 512        us:            5434 ( 99.95%)              0 (  "
		   "0.00%)\n"
		   "      512 - 1024       us:             405 ( 99.98%)              0 (  "
		   "0.00%)\n"
		   "     1024 - 2048       us:             259 (100.00%)              0 (  "
		   "0.00%)\n"
		   "     2048 - 4096       us:               2 (100.00%)              0 (  "
		   "0.00%)\n"
		   "     4096 - 268435456  us:               0 (100.00%)              0 (  "
		   "0.00%)\n");
}

static void a_latency_beyond_the_folded_row_has_rows_of_its_own(void **state)
{
	struct results *results = *state;

	sample_append(results, 1, 0, POINT_OK, 1, 300 * NS_PER_S, 0);
	assert_has(results,
		   "134217728 - 268435456  us:               0 (  0.00%)              0 (  "
		   "0.00%)\n"
		   "268435456 - 536870912  us:               1 (100.00%)              0 (  "
		   "0.00%)\n\n");
}

static void latency_even_above_the_top_bucket_is_in_the_table(void **state)
{
	struct results *results = *state;

	sample_append(results, 1, 0, POINT_OK, 1, UINT64_C(1) << 50, 0);
	assert_has(results, " us:               1 (100.00%)");
}

/* A point of one class: 300 reads of @read_ns, and 100 writes of 20 us. */
static void add_reads_and_writes(struct results *results, uint32_t small, uint32_t large,
				 uint64_t read_ns)
{
	struct point point = sample_point(1, small, large);
	struct measure measure;

	sample_measure(&measure, &point);
	measure.classes[0][IO_WRITE] = tally_new(2, 50);
	assert_non_null(measure.classes[0][IO_WRITE]);
	sample_record(measure.classes[0][IO_READ], read_ns, 300, 50);
	sample_record(measure.classes[0][IO_WRITE], 20 * US, 100, 50);
	assert_int_equal(results_add(results, &point, POINT_OK, (struct timespec){1, 0}, &measure),
			 0);
	measure_release(&measure);
}

static void writes_have_lines_of_their_own(void **state)
{
	struct results *results = *state;

	add_reads_and_writes(results, 4, 0, 100 * US);
	assert_has(results, "Minimum Small Latency=80.000 usecs @ Small=4 and Large=0\n"
			    "Small Read Latency: avg=100.000 us, min=100.000 us, max=100.000 us, "
			    "std dev=0.000 us @ Small=4 and Large=0\n"
			    "Small Write Latency: avg=20.000 us, min=20.000 us, max=20.000 us, "
			    "std dev=0.000 us @ Small=4 and Large=0\n");
	assert_has(results, "        0 - 32         us:               0 (  0.00%)            100 "
			    "(100.00%)\n");
	assert_has(results, "  small writes: p50=20.000 us");
}

/* Most IOPS and least latency at one point: ORION's table stands once. */
static void one_point_has_one_table(void **state)
{
	struct results *results = *state;
	char *text;

	sample_append(results, 1, 0, POINT_OK, 1000, 97677, 0);
	text = sample_render(results, summary_txt_render);
	assert_non_null(text);
	assert_non_null(strstr(text, "Histogram @"));
	assert_null(strstr(strstr(text, "Histogram @") + 1, "Histogram @"));
	free(text);
}

static void reads_and_writes_of_large_ios_have_a_column_each(void **state)
{
	struct results *results = *state;

	add_reads_and_writes(results, 0, 4, 3000 * US);
	assert_has(results, "Large Read / Write Latency Histogram @ Small=0 and Large=4\n");
	assert_has(results, "        0 - 32         us:               0 (  0.00%)            100 "
			    "(100.00%)\n");
	assert_has(results, "     2048 - 4096       us:             300 (100.00%)              0 "
			    "(100.00%)\n");
}

static void what_filled_the_cache_is_told(void **state)
{
	struct results *results = *state;

	results->run.cache_given = true;
	results->run.cache_bytes = 4 * BYTES_GIB;
	assert_has(results, "\nCache size: 4096 MB\n");
	assert_has_not(results, "Cache filled");
	results->run.cache_bytes = 0;
	assert_has(results, "\nCache size: 0 MB\n");
	results->run.cache_given = false;
	results->run.cache_fill_ns = 120 * NS_PER_S;
	assert_has(results, "\nCache size: not specified\n");
	assert_has(results, "\nCache filled before each point with streams for: 120 s\n");
}

static void a_class_that_the_run_does_not_have_has_no_lines(void **state)
{
	struct results *results = *state;

	results->run.run = RUN_OLTP;
	results->run.has_large = false;
	sample_append(results, 1, 0, POINT_OK, 1000, 97677, 0);
	assert_has(results, "IO types: small random IOs\nWrites: 0%\n");
	assert_has(results, "1 files found.\n\nMaximum Small IOPS=20 @ Small=1 and Large=0\n");
	assert_has_not(results, "Maximum Large");
	assert_has_not(results, "per stream");
}

static void random_large_ios_are_no_streams(void **state)
{
	struct results *results = *state;

	results->run.large_type = LARGE_RAND;
	results->run.small_bytes = 512;
	results->run.duration_ns = 500 * NS_PER_MS;
	assert_has(results, "Small IO size: 0.5 KB\n");
	assert_has(results, "IO types: small random IOs, large random IOs\n"
			    "Sequential stream pattern: one LUN per stream\n"
			    "Writes: 0%\n");
	assert_has(results, "Duration for each data point: 0.5 seconds\n");
}

static void a_run_without_a_good_point_has_no_best(void **state)
{
	struct results *results = *state;

	sample_append(results, 1, 0, POINT_FAILED, 10, US, 0);
	assert_has(results, "1 files found.\n\nStatus: complete\n");
	assert_has_not(results, "At M");
	assert_has(results, "\nPoints that failed, so not in the matrices:\n"
			    "  point 1: Small=1 and Large=0\n");
}

static void the_status_says_how_far_the_run_came(void **state)
{
	struct results *results = *state;

	results->run.status = RUN_FAILED;
	assert_has(results, "Status: failed at point 1 of 7\n");
	sample_append(results, 1, 0, POINT_OK, 10, US, 0);
	results->run.status = RUN_INTERRUPTED;
	results->run.signal = SIGTERM;
	assert_has(results, "Status: interrupted by SIGTERM at point 2 of 7\n");
	sample_append(results, 2, 0, POINT_INTERRUPTED, 10, US, 0);
	results->run.signal = SIGINT;
	assert_has(results, "Status: interrupted by SIGINT at point 2 of 7\n");
	results->run.run = RUN_BASIC;
	assert_has(results, "at point 2 of at most 7\n");
}

static void failed_ios_are_summed_over_the_points(void **state)
{
	struct results *results = *state;
	struct point point = sample_point(1, 1, 1);
	struct measure measure;

	sample_measure(&measure, &point);
	tally_count_error(measure.classes[0][IO_READ]->errors, EIO, 3);
	tally_count_error(measure.classes[0][IO_READ]->errors, ERRNO_SHORT, 4);
	tally_count_error(measure.classes[1][IO_READ]->errors, ENODEV, 10);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			results_add(results, &point, POINT_FAILED, (struct timespec){0}, &measure),
			0);
	measure_release(&measure);
	assert_has(results, "\nI/Os that failed:\n"
			    "  small reads: 6 EIO, 8 short\n"
			    "  large reads: 20 ENODEV\n");
}

static void suspect_warnings_come_first(void **state)
{
	struct results *results = *state;

	sample_append(results, 3, 0, POINT_OK, 10, US, 0);
	results_warn(results, "a", SEVERITY_NOTE, WARNING_NO_POINT, 0, "first");
	results_warn(results, "b", SEVERITY_SUSPECT, 1, WARNING_NO_LUN, "second");
	assert_has(results, "\nWarnings:\n"
			    "  suspect: second @ Small=3 and Large=0\n"
			    "  note: first\n");
}

static void the_counts_of_the_kernel_stand_beside_ours(void **state)
{
	struct results *results = *state;

	results->luns[0].kernel = (struct kernel_count){
		.known = true, .read_ios = 990, .read_merges = 10, .read_sectors = 16000};
	assert_has(results, "  /data/a: 1000 reads, 8192000 bytes; counted by the kernel: 990 "
			    "reads, 10 merged, 16000 sectors\n");
}

static void writes_to_a_lun_stand_behind_its_reads(void **state)
{
	struct results *results = *state;

	results->run.write_pct = 30;
	results->luns[0].issued.writes = 300;
	results->luns[0].issued.write_bytes = 2457600;
	results->luns[0].kernel = (struct kernel_count){.known = true,
							.read_ios = 990,
							.read_merges = 10,
							.read_sectors = 16000,
							.write_ios = 299,
							.write_merges = 1,
							.write_sectors = 4800};
	assert_has(results, "\nWrites: 30%\n");
	assert_has(results, "  /data/a: 1000 reads, 8192000 bytes; 300 writes, 2457600 bytes; "
			    "counted by the kernel: 990 reads, 10 merged, 16000 sectors; 299 "
			    "writes, 1 merged, 4800 sectors\n");
}

static void striping_is_told_with_its_depth(void **state)
{
	struct results *results = *state;

	assert_has_not(results, "Stripe depth");
	results->run.layout = LAYOUT_RAID0;
	results->run.stripe_bytes = 1048576;
	assert_has(results, "\nIO types: small random IOs, large sequential streams\n"
			    "Sequential stream pattern: RAID-0 striping for all streams\n"
			    "Stripe depth: 1024 KB\n"
			    "Number of concurrent IOs per stream: 4\n");
	results->run.has_large = false;
	assert_has(results, "\nIO types: small random IOs\nStripe depth: 1024 KB\nWrites: 0%\n");
}

static void odd_bytes_in_names_are_escaped(void **state)
{
	struct results *results = *state;

	free(results->luns[0].path);
	results->luns[0].path = strdup("/data/b\xff\n c");
	assert_has(results, "Name: /data/b\\xff\\x0a c\tSize: 8589934592\n");
}

static void repeats_are_said_to_be_medians(void **state)
{
	struct results *results = *state;

	assert_has_not(results, "medians");
	results->run.repeat = 3;
	assert_has(results, "Repeats: 3; figures are medians");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_setup, sample_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_simple_run_is_told_in_the_lines_of_orion),
		TEST(a_published_histogram_is_written_byte_for_byte),
		TEST(a_latency_beyond_the_folded_row_has_rows_of_its_own),
		TEST(latency_even_above_the_top_bucket_is_in_the_table),
		TEST(writes_have_lines_of_their_own),
		TEST(one_point_has_one_table),
		TEST(reads_and_writes_of_large_ios_have_a_column_each),
		TEST(what_filled_the_cache_is_told),
		TEST(a_class_that_the_run_does_not_have_has_no_lines),
		TEST(random_large_ios_are_no_streams),
		TEST(a_run_without_a_good_point_has_no_best),
		TEST(the_status_says_how_far_the_run_came),
		TEST(failed_ios_are_summed_over_the_points),
		TEST(suspect_warnings_come_first),
		TEST(the_counts_of_the_kernel_stand_beside_ours),
		TEST(writes_to_a_lun_stand_behind_its_reads),
		TEST(striping_is_told_with_its_depth),
		TEST(odd_bytes_in_names_are_escaped),
		TEST(repeats_are_said_to_be_medians),
	};

	return cmocka_run_group_tests_name("summary_txt", tests, NULL, NULL);
}
