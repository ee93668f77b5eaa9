/* Tests of points_csv.c. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define HEADER                                                                                     \
	"small,large,repeat,status,class,seconds,ios,errors,iops,mbps,mean_us,min_us,max_us,"      \
	"stddev_us,p50_us,p90_us,p95_us,p99_us,p99_9_us,p99_99_us,outstanding_mean\n"

static void assert_renders(const struct results *results, const char *expected)
{
	char *text = sample_render(results, points_csv_render);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void a_run_without_points_is_a_header(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	assert_renders(&results, HEADER);
	results_release(&results);
}

/* 1,000 small reads of 97.677 us and 150 large ones of 3 ms in 50 s: 20 and 3 a second */
static void each_class_of_a_point_is_a_row(void **state)
{
	struct results results;
	struct point point = sample_point(1, 3, 2);

	(void)state;
	sample_run(&results);
	point.repeat = 2;
	assert_int_equal(sample_add(&results, &point, POINT_OK, 1000, 97677, 150), 0);
	assert_renders(&results,
		       HEADER "3,2,2,ok,small_read,50.000000000,1000,0,20.000000,0.156250,97.677,"
			      "97.677,97.677,0.000,97.677,97.677,97.677,97.677,97.677,97.677,"
			      "0.001954\n"
			      "3,2,2,ok,large_read,50.000000000,150,0,3.000000,3.000000,3000.000,"
			      "3000.000,3000.000,0.000,3000.000,3000.000,3000.000,3000.000,"
			      "3000.000,3000.000,0.009000\n");
	results_release(&results);
}

static void what_is_unknown_is_an_empty_field(void **state)
{
	struct results results;
	struct point point = sample_point(1, 1, 0);
	struct measure measure;

	(void)state;
	sample_run(&results);
	sample_measure(&measure, &point);
	tally_count_error(measure.classes[0][IO_READ]->errors, EIO, 3);
	tally_count_error(measure.classes[0][IO_READ]->errors, ERRNO_SHORT, 1);
	measure.end_ns = measure.start_ns + 1234567891;
	assert_int_equal(
		results_add(&results, &point, POINT_FAILED, (struct timespec){1, 0}, &measure), 0);
	measure_release(&measure);
	assert_renders(&results, HEADER "1,0,1,failed,small_read,1.234567891,0,4,0.000000,0.000000,"
					",,,,,,,,,,0.000000\n");
	results_release(&results);
}

static void an_interrupted_point_has_no_row(void **state)
{
	struct results results;
	struct point point = sample_point(1, 1, 0);

	(void)state;
	sample_run(&results);
	assert_int_equal(sample_add(&results, &point, POINT_INTERRUPTED, 10, 1000, 0), 0);
	assert_renders(&results, HEADER);
	results_release(&results);
}

/* 9007199254740993 is 2^53 + 1: no double holds it */
static void no_ns_of_an_extreme_is_lost(void **state)
{
	struct results results;
	struct point point = sample_point(1, 1, 0);
	struct measure measure;
	char *text;

	(void)state;
	sample_run(&results);
	sample_measure(&measure, &point);
	sample_record(measure.classes[0][IO_READ], 1001, 1, 50);
	sample_record(measure.classes[0][IO_READ], UINT64_C(9007199254740993), 1, 50);
	assert_int_equal(results_add(&results, &point, POINT_OK, (struct timespec){1, 0}, &measure),
			 0);
	measure_release(&measure);
	text = sample_render(&results, points_csv_render);
	assert_non_null(text);
	assert_non_null(strstr(text, ",1.001,9007199254740.993,"));
	free(text);
	results_release(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_without_points_is_a_header),
		cmocka_unit_test(each_class_of_a_point_is_a_row),
		cmocka_unit_test(what_is_unknown_is_an_empty_field),
		cmocka_unit_test(an_interrupted_point_has_no_row),
		cmocka_unit_test(no_ns_of_an_extreme_is_lost),
	};

	return cmocka_run_group_tests_name("points_csv", tests, NULL, NULL);
}
