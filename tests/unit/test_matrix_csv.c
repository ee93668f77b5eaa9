/* Tests of matrix_csv.c. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

typedef int render_fn(const struct results *results, FILE *out);

static void assert_renders(const struct results *results, render_fn *render, const char *expected)
{
	char *text = sample_render(results, render);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

/* the published figures of an ORION 11.1 run with -num_disks 1; 50 seconds a point */
static void a_published_simple_run_is_written_byte_for_byte(void **state)
{
	static const uint64_t iops[] = {2302, 4398, 5450, 6006, 6210};
	static const uint64_t latency_ns[] = {430, 450, 550, 670, 800};
	static const uint64_t large_ios[] = {13579, 18713}; /* 271.58 and 374.26 MB/s */
	static const char iops_csv[] = "Large/Small,      1,      2,      3,      4,      5\n"
				       "          0,   2302,   4398,   5450,   6006,   6210\n"
				       "          1\n"
				       "          2\n";
	static const char lat_csv[] = "Large/Small,      1,      2,      3,      4,      5\n"
				      "          0,   0.43,   0.45,   0.55,   0.67,   0.80\n"
				      "          1\n"
				      "          2\n";
	static const char mbps_csv[] =
		"Large/Small,      0,      1,      2,      3,      4,      5\n"
		"          1, 271.58\n"
		"          2, 374.26\n";
	struct results results;

	(void)state;
	sample_run(&results);
	for (uint32_t i = 0; i < 5; i++)
		sample_append(&results, i + 1, 0, POINT_OK, iops[i] * 50, latency_ns[i], 0);
	for (uint32_t i = 0; i < 2; i++)
		sample_append(&results, 0, i + 1, POINT_OK, 0, 0, large_ios[i]);
	assert_int_equal(strlen(iops_csv), 128);
	assert_int_equal(strlen(lat_csv), 128);
	assert_int_equal(strlen(mbps_csv), 100);
	assert_renders(&results, iops_csv_render, iops_csv);
	assert_renders(&results, lat_csv_render, lat_csv);
	assert_renders(&results, mbps_csv_render, mbps_csv);
	results_release(&results);
}

static void a_full_grid_has_every_cell(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	sample_levels(&results.run.small_levels, 0, 2);
	for (uint32_t large = 0; large <= 2; large++)
		for (uint32_t small = 0; small <= 2; small++)
			if (small + large > 0)
				sample_append(&results, small, large, POINT_OK,
					      500 * small + 50 * large, (small + large) * 1234560,
					      60 * large);
	assert_renders(&results, iops_csv_render,
		       "Large/Small,      1,      2\n"
		       "          0,     10,     20\n"
		       "          1,     11,     21\n"
		       "          2,     12,     22\n");
	assert_renders(&results, lat_csv_render,
		       "Large/Small,      1,      2\n"
		       "          0,1234.56,2469.12\n"
		       "          1,2469.12,3703.68\n"
		       "          2,3703.68,4938.24\n");
	assert_renders(&results, mbps_csv_render,
		       "Large/Small,      0,      1,      2\n"
		       "          1,   1.20,   1.20,   1.20\n"
		       "          2,   2.40,   2.40,   2.40\n");
	results_release(&results);
}

static void a_cell_that_was_not_measured_is_blank_and_the_last_ends_the_row(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	results.run.large_levels.count = 1; /* 0 only */
	sample_append(&results, 1, 0, POINT_FAILED, 50, 1000, 0);
	sample_append(&results, 2, 0, POINT_OK, 100, 1000, 0);
	sample_append(&results, 3, 0, POINT_INTERRUPTED, 100, 1000, 0);
	sample_append(&results, 4, 0, POINT_OK, 0, 1000, 0);
	sample_append(&results, 5, 0, POINT_FAILED, 50, 1000, 0);
	assert_renders(&results, iops_csv_render,
		       "Large/Small,      1,      2,      3,      4,      5\n"
		       "          0,       ,      2,       ,      0\n");
	assert_renders(&results, lat_csv_render,
		       "Large/Small,      1,      2,      3,      4,      5\n"
		       "          0,       ,   1.00\n");
	assert_renders(&results, mbps_csv_render,
		       "Large/Small,      0,      1,      2,      3,      4,      5\n");
	results_release(&results);
}

static void values_wider_than_the_column_are_not_cut(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	sample_levels(&results.run.small_levels, 10000, 10000);
	sample_levels(&results.run.large_levels, 0, 0);
	sample_append(&results, 10000, 0, POINT_OK, 50, UINT64_C(123456789120), 0);
	assert_renders(&results, lat_csv_render,
		       "Large/Small,  10000\n"
		       "          0,123456789.12\n");
	results_release(&results);
}

static void repeats_show_their_median(void **state)
{
	struct results results;

	(void)state;
	sample_run(&results);
	results.run.repeat = 3;
	sample_levels(&results.run.small_levels, 1, 1);
	sample_levels(&results.run.large_levels, 0, 0);
	sample_append(&results, 1, 0, POINT_OK, 1000, 3000, 0);
	sample_append(&results, 1, 0, POINT_OK, 5000, 1000, 0);
	sample_append(&results, 1, 0, POINT_OK, 1500, 2500, 0);
	assert_renders(&results, iops_csv_render,
		       "Large/Small,      1\n"
		       "          0,     30\n");
	assert_renders(&results, lat_csv_render,
		       "Large/Small,      1\n"
		       "          0,   2.50\n");
	results_release(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_published_simple_run_is_written_byte_for_byte),
		cmocka_unit_test(a_full_grid_has_every_cell),
		cmocka_unit_test(a_cell_that_was_not_measured_is_blank_and_the_last_ends_the_row),
		cmocka_unit_test(values_wider_than_the_column_are_not_cut),
		cmocka_unit_test(repeats_show_their_median),
	};

	return cmocka_run_group_tests_name("matrix_csv", tests, NULL, NULL);
}
