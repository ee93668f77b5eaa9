/* Tests of results.c. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

static void rates_are_counts_over_measured_seconds(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 3, 2);
	const struct point_result *added;

	(void)state;
	assert_int_equal(sample_add(&results, &point, POINT_OK, 1000, 200 * NS_PER_US, 150), 0);
	added = &results.points[0];
	assert_true(added->seconds == 50.0);
	assert_int_equal(added->classes[0][IO_READ].ios, 1000);
	assert_int_equal(added->classes[0][IO_READ].bytes, 8192000);
	assert_true(added->classes[0][IO_READ].iops == 20.0);
	assert_true(added->classes[0][IO_READ].mbps == 0.15625);
	assert_int_equal(added->classes[1][IO_READ].bytes, 157286400);
	assert_true(added->classes[1][IO_READ].mbps == 3.0);
	/* 1,000 I/Os of 200 us in 50 s */
	assert_true(added->classes[0][IO_READ].outstanding_mean == 0.004);
	assert_true(added->cpu_user_s == 0.25);
	assert_true(added->cpu_system_s == 2.0);
	assert_true(added->series_interval_s == 1.0);
	assert_true(point_small_iops(added) == 20.0);
	assert_true(point_large_mbps(added) == 3.0);
	assert_true(point_small_latency_ns(added) == 200000.0);
	results_release(&results);
}

static void classes_that_a_point_does_not_load_are_absent(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 0, 2);

	(void)state;
	assert_int_equal(sample_add(&results, &point, POINT_OK, 0, 0, 50), 0);
	assert_true(results.points[0].classes[0][IO_READ].present);
	assert_false(results.points[0].classes[0][IO_WRITE].present);
	assert_false(results.points[0].classes[1][IO_READ].present);
	assert_true(point_small_iops(&results.points[0]) == 0.0);
	assert_true(point_small_latency_ns(&results.points[0]) == 0.0);
	results_release(&results);
}

static void percentiles_from_too_few_ios_are_marked(void **state)
{
	static const struct {
		uint64_t ios;
		unsigned few; /* bit 0: p50 ... bit 5: p99.99 */
	} cases[] = {
		{1, 0x3f},  {2, 0x3e},	 {9, 0x3e},   {10, 0x3c},   {19, 0x3c},	  {20, 0x38},
		{99, 0x38}, {100, 0x30}, {999, 0x30}, {1000, 0x20}, {9999, 0x20}, {10000, 0},
	};
	struct point point = sample_point(1, 1, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct results results = {0};

		assert_int_equal(sample_add(&results, &point, POINT_OK, cases[i].ios, 682000, 0),
				 0);
		assert_int_equal(results.points[0].classes[0][IO_READ].latency.few, cases[i].few);
		for (unsigned pct = 0; pct < PCT_COUNT; pct++)
			assert_int_equal(results.points[0].classes[0][IO_READ].latency.pct_ns[pct],
					 682000);
		results_release(&results);
	}
}

static void a_window_of_no_length_divides_by_nothing(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 1, 0);
	struct measure measure;

	(void)state;
	sample_measure(&measure, &point);
	measure.end_ns = measure.start_ns;
	assert_int_equal(
		results_add(&results, &point, POINT_INTERRUPTED, (struct timespec){0}, &measure),
		0);
	measure.end_ns = measure.start_ns - 1;
	assert_int_equal(
		results_add(&results, &point, POINT_INTERRUPTED, (struct timespec){0}, &measure),
		0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(results.points[i].seconds == 0.0);
		assert_true(results.points[i].classes[0][IO_READ].iops == 0.0);
		assert_true(results.points[i].classes[0][IO_READ].outstanding_mean == 0.0);
		assert_int_equal(results.points[i].classes[0][IO_READ].latency.min_ns, 0);
	}
	measure_release(&measure);
	results_release(&results);
}

static void luns_without_ios_or_errors_have_no_row(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 1, 0);
	struct measure measure;
	struct slice luns;

	(void)state;
	sample_measure(&measure, &point);
	assert_int_equal(results_add(&results, &point, POINT_OK, (struct timespec){0}, &measure),
			 0);
	measure.classes[0][IO_READ]->luns[1] =
		(struct lun_tally){.ios = 4, .sum_ns = 1000, .errors = 0};
	assert_int_equal(results_add(&results, &point, POINT_OK, (struct timespec){0}, &measure),
			 0);
	measure.classes[0][IO_READ]->luns[0] = (struct lun_tally){.errors = 3, .unmeasured = 9};
	assert_int_equal(results_add(&results, &point, POINT_OK, (struct timespec){0}, &measure),
			 0);
	assert_int_equal(results.points[0].classes[0][IO_READ].luns.count, 0);
	luns = results.points[1].classes[0][IO_READ].luns;
	assert_int_equal(luns.count, 1);
	assert_int_equal(results.lun_rows[luns.at].lun, 1);
	assert_int_equal(results.lun_rows[luns.at].bytes, 32768);
	assert_true(results.lun_rows[luns.at].mean_ns == 250.0);
	luns = results.points[2].classes[0][IO_READ].luns;
	assert_int_equal(luns.count, 2);
	assert_int_equal(results.lun_rows[luns.at].lun, 0);
	assert_int_equal(results.lun_rows[luns.at].errors, 3);
	assert_int_equal(results.lun_rows[luns.at + 1].lun, 1);
	measure_release(&measure);
	results_release(&results);
}

static void the_intervals_sum_up_to_the_total(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 1, 0);
	const struct class_result *class;
	uint64_t ios = 0, bytes = 0;
	size_t position;

	(void)state;
	assert_int_equal(sample_add(&results, &point, POINT_OK, 1234, 9000, 0), 0);
	class = &results.points[0].classes[0][IO_READ];
	assert_int_equal(class->series.count, 50);
	position = class->series.at;
	for (size_t i = 0; i < class->series.count; i++) {
		struct series_row row;

		series_next(&results, &position, &row);
		ios += row.ios;
		bytes += row.bytes;
		assert_true(row.mean_ns == 9000.0);
		assert_int_equal(row.max_ns, 9000);
	}
	assert_int_equal(ios, 1234);
	assert_int_equal(bytes, UINT64_C(1234) * 8192);
	results_release(&results);
}

static void each_point_keeps_its_own_histogram(void **state)
{
	struct results results = {0};
	struct bucket bucket;

	(void)state;
	for (uint32_t number = 1; number <= 40; number++) {
		struct point point = sample_point(number, number, 0);

		assert_int_equal(sample_add(&results, &point, POINT_OK, number, number * 1000, 0),
				 0);
	}
	for (uint32_t number = 1; number <= 40; number++) {
		struct slice slice = results.points[number - 1].classes[0][IO_READ].hist;
		size_t position = 0;

		bucket = (struct bucket){0};
		assert_int_equal(histogram_unpack_next(results.packed + slice.at, slice.count,
						       &position, &bucket),
				 1);
		assert_int_equal(bucket.count, number);
		assert_int_equal(bucket.index, histogram_index(number * 1000));
		assert_int_equal(position, slice.count);
	}
	results_release(&results);
}

static void without_memory_nothing_is_added(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 1, 0);
	size_t true_count, true_capacity;

	(void)state;
	assert_int_equal(sample_add(&results, &point, POINT_OK, 10, 1000, 0), 0);
	/* a pool so full that it cannot be doubled */
	true_count = results.series_bytes;
	true_capacity = results.series_capacity;
	results.series_bytes = results.series_capacity = SIZE_MAX / 2 + 1;
	assert_int_equal(sample_add(&results, &point, POINT_OK, 10, 1000, 0), -ENOMEM);
	assert_int_equal(results.series_bytes, SIZE_MAX / 2 + 1);
	results.series_bytes = true_count;
	results.series_capacity = true_capacity;
	assert_int_equal(results.point_count, 1);
	assert_int_equal(results.packed_count, results.points[0].classes[0][IO_READ].hist.count);
	assert_int_equal(results.lun_row_count, 1);
	assert_int_equal(sample_add(&results, &point, POINT_OK, 10, 1000, 0), 0);
	assert_int_equal(results.point_count, 2);
	results_release(&results);
}

static void rows_pushed_by_a_reader_are_found_by_their_slices(void **state)
{
	static const uint8_t packed[] = {0x05, 0x02}; /* 2 I/Os in bucket 5 */
	static struct histogram histogram;
	struct results results = {0};
	struct slice none;
	struct series_row row;
	size_t at = 0;
	struct point_result point = {.point = sample_point(9, 1, 0), .status = POINT_OK};
	struct class_result *class = &point.classes[0][IO_READ];

	(void)state;
	class->present = true;
	class->ios = 2;
	class->iops = 17.0;
	histogram_reset(&histogram);
	assert_int_equal(results_push_histogram(&results, &histogram, &none), 0);
	assert_int_equal(none.count, 0);
	histogram.count[5] = 2;
	assert_int_equal(results_push_histogram(&results, &histogram, &class->hist), 0);
	assert_int_equal(class->hist.at, 0);
	assert_int_equal(class->hist.count, sizeof(packed));
	assert_int_equal(results_push_lun_row(&results, &(struct lun_row){.lun = 3}), 0);
	assert_int_equal(results_push_series(&results, &(struct series_row){.ios = 2}), 0);
	assert_int_equal(results_append(&results, &point), 0);
	assert_memory_equal(results.packed, packed, sizeof(packed));
	assert_int_equal(results.lun_rows[0].lun, 3);
	series_next(&results, &at, &row);
	assert_int_equal(row.ios, 2);
	assert_ptr_equal(results_point(&results, 9), &results.points[0]);
	assert_null(results_point(&results, 1));
	assert_true(results.best.max_iops.value == 17.0);
	results_release(&results);
}

static void intervals_are_read_as_they_were_pushed(void **state)
{
	/* a mean that no sum gives, bytes that no I/O size gives, nothing, and the largest */
	static const struct series_row rows[] = {
		{3, 24576, 100.0 / 3, 77},
		{3, 24576, 33.3, 77},
		{7, 24577, 1e300, 5},
		{0},
		{UINT64_C(1) << 62, INT64_MAX, 0x1p63, INT64_MAX},
		{1, UINT64_MAX, 0.0, UINT64_MAX},
	};
	struct results results = {0};
	size_t position = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(results_push_series(&results, &rows[i]), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct series_row row;

		series_next(&results, &position, &row);
		assert_true(row.ios == rows[i].ios && row.bytes == rows[i].bytes &&
			    row.max_ns == rows[i].max_ns);
		assert_memory_equal(&row.mean_ns, &rows[i].mean_ns, sizeof(row.mean_ns));
	}
	assert_int_equal(position, results.series_bytes);
	results_release(&results);
}

/* a grid of 100 x 100 at a minute each: 120 intervals in both classes, of 300 latencies */
/* 64 MiB for 10,000, of which 200 show how much that is. */
static void ten_thousand_points_take_less_than_64_mib(void **state)
{
	static struct results results;
	const struct point point = sample_point(1, 1, 1);
	struct measure measure;

	(void)state;
	sample_measure(&measure, &point);
	for (uint32_t i = 0; i < point.load_count; i++) {
		struct tally *tally = tally_new(1, 120);

		tally_free(measure.classes[i][IO_READ]);
		measure.classes[i][IO_READ] = tally;
		for (uint64_t ns = 60000; ns < 600000; ns += 1800)
			sample_record(tally, ns, 240 + ns % 7, 120);
	}
	measure.lun_count = 1;
	measure.interval_count = 120;
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(
			results_add(&results, &point, POINT_OK, (struct timespec){0}, &measure), 0);
	assert_in_range(results.point_count * sizeof(results.points[0]) + results.packed_count +
				results.series_bytes +
				results.lun_row_count * sizeof(results.lun_rows[0]) +
				results.point_count * sizeof(results.by_cell[0]),
			1, 64 * BYTES_MIB / 50);
	measure_release(&measure);
	results_release(&results);
}

static void warnings_keep_their_own_copies(void **state)
{
	struct results results = {0};
	char code[] = "sparse_file";
	char name[] = "x";

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_equal(results_warn(&results, code, SEVERITY_SUSPECT, 4, 2,
					      "'%s' is sparse", name),
				 0);
	memset(code, 0, sizeof(code));
	memset(name, 0, sizeof(name));
	assert_int_equal(results.warning_count, 20);
	assert_string_equal(results.warnings[19].code, "sparse_file");
	assert_string_equal(results.warnings[19].text, "'x' is sparse");
	assert_int_equal(results.warnings[19].severity, SEVERITY_SUSPECT);
	assert_int_equal(results.warnings[19].point, 4);
	assert_int_equal(results.warnings[19].lun, 2);
	results_release(&results);
}

static void issued_is_the_sum_over_the_luns_where_all_are_known(void **state)
{
	struct lun_info luns[] = {
		{.issued_known = true, .issued = {1, 10, 100, 1000}},
		{.issued_known = true, .issued = {2, 20, 200, 2000}},
	};
	struct results results = {.luns = luns, .lun_count = 2};
	struct io_count sum;

	(void)state;
	assert_true(results_issued(&results, &sum));
	assert_int_equal(sum.reads, 3);
	assert_int_equal(sum.read_bytes, 30);
	assert_int_equal(sum.writes, 300);
	assert_int_equal(sum.write_bytes, 3000);
	luns[0].issued_known = false;
	assert_false(results_issued(&results, &sum));
}

static void failed_ios_are_counted_in_every_class(void **state)
{
	struct results results = {0};
	struct point point = sample_point(1, 1, 1);
	struct measure measure;

	(void)state;
	sample_measure(&measure, &point);
	tally_count_error(measure.classes[0][IO_READ]->errors, EIO, 3);
	tally_count_error(measure.classes[0][IO_READ]->errors, ERRNO_SHORT, 4);
	tally_count_error(measure.classes[1][IO_READ]->errors, EIO, 10);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			results_add(&results, &point, POINT_FAILED, (struct timespec){0}, &measure),
			0);
	assert_int_equal(results_failed_ios(&results), 34);
	measure_release(&measure);
	results_release(&results);
}

static void releasing_twice_does_nothing(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	results_release(&results);
	results_release(&results);
	assert_int_equal(results.point_count, 0);
	assert_null(results.run.testname);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_counts_over_measured_seconds),
		cmocka_unit_test(classes_that_a_point_does_not_load_are_absent),
		cmocka_unit_test(percentiles_from_too_few_ios_are_marked),
		cmocka_unit_test(a_window_of_no_length_divides_by_nothing),
		cmocka_unit_test(luns_without_ios_or_errors_have_no_row),
		cmocka_unit_test(the_intervals_sum_up_to_the_total),
		cmocka_unit_test(each_point_keeps_its_own_histogram),
		cmocka_unit_test(without_memory_nothing_is_added),
		cmocka_unit_test(rows_pushed_by_a_reader_are_found_by_their_slices),
		cmocka_unit_test(intervals_are_read_as_they_were_pushed),
		cmocka_unit_test(ten_thousand_points_take_less_than_64_mib),
		cmocka_unit_test(warnings_keep_their_own_copies),
		cmocka_unit_test(issued_is_the_sum_over_the_luns_where_all_are_known),
		cmocka_unit_test(failed_ios_are_counted_in_every_class),
		cmocka_unit_test(releasing_twice_does_nothing),
	};

	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
