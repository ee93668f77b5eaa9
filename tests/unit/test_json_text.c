/* Tests of json_text.c, through the document. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define VALUES	     20000u

/* of every size, some of them half way between two decimals */
static double value_at(unsigned i)
{
	static const double special[] = {1.0,
					 9.9999999999999996e15,
					 4503599627370495.5,
					 1.0e16,
					 1.7976931348623157e308,
					 0.99999999999999989,
					 2.5e-310,
					 1024.5,
					 9007199254740993.0};
	static uint64_t bits = 88172645463325252u;

	bits ^= bits << 13;
	bits ^= bits >> 7;
	bits ^= bits << 17;
	if (i < COUNT(special))
		return special[i];
	return (double)(bits >> 11) / (double)(UINT64_C(1) << (bits % 60));
}

/* a document whose first class has a series with these means */
static json_t *document(const double values[VALUES])
{
	struct point point = sample_point(1, 1, 0);
	struct results results;
	char *text;
	json_t *root;

	sample_run(&results);
	assert_int_equal(sample_add(&results, &point, POINT_OK, 10, 1000, 0), 0);
	results.points[0].classes[0][IO_READ].series = (struct slice){results.series_bytes, VALUES};
	for (unsigned i = 0; i < VALUES; i++) {
		struct series_row row = {.ios = 1, .mean_ns = values[i]};

		assert_int_equal(results_push_series(&results, &row), 0);
	}
	text = sample_render(&results, json_render);
	results_release(&results);
	assert_non_null(text);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(root);
	return root;
}

static void every_double_is_read_back_as_it_was(void **state)
{
	static double values[VALUES];
	const json_t *points, *class, *series;
	json_t *root;

	(void)state;
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = value_at(i);
	root = document(values);
	points = json_object_get(root, "points");
	class = json_object_get(json_object_get(json_array_get(points, 0), "classes"),
				"small_read");
	series = json_object_get(class, "series");
	assert_int_equal(json_array_size(series), VALUES);
	for (unsigned i = 0; i < VALUES; i++) {
		const json_t *mean = json_object_get(json_array_get(series, i), "mean_ns");

		assert_true(json_is_real(mean));
		if (json_real_value(mean) != values[i])
			fail_msg("%.17g is not %.17g", json_real_value(mean), values[i]);
	}
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_double_is_read_back_as_it_was),
	};

	return cmocka_run_group_tests_name("json_text", tests, NULL, NULL);
}
