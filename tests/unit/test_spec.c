/* Tests of spec.c and presets.c. SPDX-License-Identifier: MIT */
#include "spec_helpers.h"

static void defaults_are_as_documented(void **state)
{
	(void)state;
	spec_init(&spec);
	assert_int_equal(spec.run, RUN_NONE);
	assert_string_equal(spec.testname, "calib");
	assert_null(spec.lun_path);
	assert_null(spec.out_dir);
	assert_string_equal(spec.engine, "auto");
	assert_int_equal(spec.small_bytes, 8192);
	assert_int_equal(spec.large_bytes, 1048576);
	assert_int_equal(spec.large_type, LARGE_SEQ);
	assert_int_equal(spec.stream_ios, 4);
	assert_int_equal(spec.ramp_ns, 1000000000);
	assert_int_equal(spec.repeat, 1);
	assert_int_equal(spec.order, ORDER_RISING);
	assert_int_equal(spec.given, 0);
}

static void run_types_set_matrix_and_duration(void **state)
{
	static const struct {
		enum run_type run;
		enum matrix_type matrix;
		uint64_t seconds;
		bool small, large;
	} cases[] = {
		{RUN_BASIC, MATRIX_BASIC, 5, true, true},
		{RUN_SIMPLE, MATRIX_BASIC, 60, true, true},
		{RUN_NORMAL, MATRIX_DETAILED, 60, true, true},
		{RUN_OLTP, MATRIX_ROW, 60, true, false},
		{RUN_DSS, MATRIX_COL, 60, false, true},
		{RUN_ADVANCED, MATRIX_BASIC, 60, true, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		spec_make(cases[i].run, ANY_MATRIX, 0);
		settle_is_good();
		assert_int_equal(spec.matrix, cases[i].matrix);
		assert_int_equal(spec.duration_ns, cases[i].seconds * 1000000000);
		assert_int_equal(spec_has_small(&spec), cases[i].small);
		assert_int_equal(spec_has_large(&spec), cases[i].large);
		assert_int_equal(spec_largest_bytes(&spec), cases[i].large ? 1048576 : 8192);
	}
}

static void an_explicit_duration_stays(void **state)
{
	(void)state;
	spec_make(RUN_BASIC, ANY_MATRIX, BIT(SPEC_DURATION));
	spec.duration_ns = 7;
	settle_is_good();
	assert_int_equal(spec.duration_ns, 7);
}

static void a_missing_run_type_is_named_with_those_there_are(void **state)
{
	(void)state;
	spec_make(RUN_NONE, ANY_MATRIX, 0);
	settle_says("-run is missing: -run basic, simple, normal, oltp, dss or advanced");
}

static void options_without_meaning_are_refused(void **state)
{
	static const struct {
		enum run_type run;
		unsigned matrix;
		uint64_t given;
		const char *text;
	} cases[] = {
		{RUN_SIMPLE, MATRIX_BASIC, 0, "-matrix is for -run advanced, not -run simple"},
		{RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_NUM_SMALL),
		 "-num_small is for -matrix point, col and max, not -run simple"},
		{RUN_OLTP, ANY_MATRIX, BIT(SPEC_NUM_LARGE), "-num_large is for"},
		{RUN_BASIC, ANY_MATRIX, BIT(SPEC_NUM_LARGE), "-num_large is for"},
		{RUN_ADVANCED, MATRIX_BASIC, BIT(SPEC_NUM_SMALL), "not -matrix basic"},
		{RUN_ADVANCED, ANY_MATRIX, BIT(SPEC_NUM_SMALL), "not -matrix basic"},
		{RUN_ADVANCED, MATRIX_DETAILED, BIT(SPEC_NUM_LARGE), "not -matrix detailed"},
		{RUN_ADVANCED, MATRIX_ROW, BIT(SPEC_NUM_SMALL) | BIT(SPEC_NUM_LARGE),
		 "-num_small is for -matrix point, col and max, not -matrix row"},
		{RUN_ADVANCED, MATRIX_COL, BIT(SPEC_NUM_SMALL) | BIT(SPEC_NUM_LARGE),
		 "-num_large is for -matrix point, row and max, not -matrix col"},
		{RUN_ADVANCED, MATRIX_POINT, BIT(SPEC_NUM_SMALL), "-matrix point needs -num_large"},
		{RUN_ADVANCED, MATRIX_POINT, BIT(SPEC_NUM_LARGE), "-matrix point needs -num_small"},
		{RUN_ADVANCED, MATRIX_COL, 0, "-matrix col needs -num_small"},
		{RUN_ADVANCED, MATRIX_ROW, 0, "-matrix row needs -num_large"},
		{RUN_ADVANCED, MATRIX_ROW, BIT(SPEC_SMALL_LEVELS), "-matrix row needs -num_large"},
		{RUN_ADVANCED, MATRIX_MAX, BIT(SPEC_NUM_SMALL),
		 "-matrix max needs -num_large or -large_levels"},
		{RUN_ADVANCED, MATRIX_MAX, BIT(SPEC_NUM_LARGE),
		 "-matrix max needs -num_small or -small_levels"},
		{RUN_ADVANCED, MATRIX_MAX,
		 BIT(SPEC_NUM_SMALL) | BIT(SPEC_SMALL_LEVELS) | BIT(SPEC_NUM_LARGE),
		 "-num_small and -small_levels exclude each other"},
		{RUN_ADVANCED, MATRIX_POINT,
		 BIT(SPEC_NUM_SMALL) | BIT(SPEC_NUM_LARGE) | BIT(SPEC_SMALL_LEVELS),
		 "-small_levels is for runs whose small load varies, not -matrix point"},
		{RUN_ADVANCED, MATRIX_COL, BIT(SPEC_NUM_SMALL) | BIT(SPEC_SMALL_LEVELS),
		 "-small_levels is for runs whose small load varies, not -matrix col"},
		{RUN_ADVANCED, MATRIX_ROW, BIT(SPEC_NUM_LARGE) | BIT(SPEC_LARGE_LEVELS),
		 "-large_levels is for runs whose large load varies, not -matrix row"},
		{RUN_OLTP, ANY_MATRIX, BIT(SPEC_SIZE_LARGE),
		 "-size_large is for runs with large I/Os, not -run oltp"},
		{RUN_OLTP, ANY_MATRIX, BIT(SPEC_TYPE), "-type is for"},
		{RUN_OLTP, ANY_MATRIX, BIT(SPEC_STREAM_IOS), "-num_streamIO is for"},
		{RUN_OLTP, ANY_MATRIX, BIT(SPEC_LARGE_LEVELS), "-large_levels is for"},
		{RUN_DSS, ANY_MATRIX, BIT(SPEC_SIZE_SMALL),
		 "-size_small is for runs with small I/Os, not -run dss"},
		{RUN_DSS, ANY_MATRIX, BIT(SPEC_SMALL_LEVELS), "-small_levels is for"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		spec_make(cases[i].run, cases[i].matrix, cases[i].given);
		settle_says(cases[i].text);
	}
}

static void options_with_meaning_are_taken(void **state)
{
	static const struct {
		enum run_type run;
		unsigned matrix;
		uint64_t given;
	} cases[] = {
		{RUN_BASIC, ANY_MATRIX, BIT(SPEC_SMALL_LEVELS) | BIT(SPEC_LARGE_LEVELS)},
		{RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_SIZE_SMALL) | BIT(SPEC_SIZE_LARGE)},
		{RUN_NORMAL, ANY_MATRIX, BIT(SPEC_TYPE) | BIT(SPEC_STREAM_IOS)},
		{RUN_OLTP, ANY_MATRIX, BIT(SPEC_SIZE_SMALL) | BIT(SPEC_SMALL_LEVELS)},
		{RUN_DSS, ANY_MATRIX, BIT(SPEC_SIZE_LARGE) | BIT(SPEC_LARGE_LEVELS)},
		{RUN_ADVANCED, MATRIX_DETAILED, BIT(SPEC_SMALL_LEVELS) | BIT(SPEC_LARGE_LEVELS)},
		{RUN_ADVANCED, MATRIX_POINT, BIT(SPEC_NUM_SMALL) | BIT(SPEC_NUM_LARGE)},
		{RUN_ADVANCED, MATRIX_ROW, BIT(SPEC_NUM_LARGE) | BIT(SPEC_SMALL_LEVELS)},
		{RUN_ADVANCED, MATRIX_COL, BIT(SPEC_NUM_SMALL) | BIT(SPEC_LARGE_LEVELS)},
		{RUN_ADVANCED, MATRIX_MAX, BIT(SPEC_NUM_SMALL) | BIT(SPEC_NUM_LARGE)},
		{RUN_ADVANCED, MATRIX_MAX, BIT(SPEC_NUM_SMALL) | BIT(SPEC_LARGE_LEVELS)},
		{RUN_ADVANCED, MATRIX_MAX, BIT(SPEC_SMALL_LEVELS) | BIT(SPEC_LARGE_LEVELS)},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		spec_make(cases[i].run, cases[i].matrix, cases[i].given);
		settle_is_good();
		assert_true(spec_has_small(&spec) || cases[i].run == RUN_DSS);
		assert_true(spec_has_large(&spec) || cases[i].run == RUN_OLTP);
	}
}

static void a_class_with_nothing_but_zero_is_absent(void **state)
{
	(void)state;
	spec_make(RUN_ADVANCED, MATRIX_ROW, BIT(SPEC_NUM_LARGE));
	spec.num_large = 0;
	settle_is_good();
	assert_true(spec_has_small(&spec));
	assert_false(spec_has_large(&spec));
	assert_int_equal(spec_largest_bytes(&spec), 8192);

	spec_make(RUN_ADVANCED, MATRIX_POINT, BIT(SPEC_NUM_SMALL) | BIT(SPEC_NUM_LARGE));
	spec.num_small = 0;
	settle_is_good();
	assert_false(spec_has_small(&spec));
	assert_true(spec_has_large(&spec));

	spec_make(RUN_NORMAL, ANY_MATRIX, BIT(SPEC_LARGE_LEVELS));
	spec.large_levels.count = 1;
	spec.large_levels.value[0] = 0;
	settle_is_good();
	assert_false(spec_has_large(&spec));
}

static void contradictions_are_refused(void **state)
{
	(void)state;
	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_TYPE) | BIT(SPEC_STREAM_IOS));
	spec.large_type = LARGE_RAND;
	settle_says("-num_streamIO is for -type seq");

	spec_make(RUN_BASIC, ANY_MATRIX, BIT(SPEC_ORDER));
	spec.order = ORDER_SHUFFLED;
	settle_says("-order shuffled is not for -run basic");
	spec.run = RUN_SIMPLE;
	settle_is_good();

	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_DURATION));
	settle_says("-duration must be more than 0");

	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_OUT) | BIT(SPEC_TESTNAME));
	spec.out_dir = "results";
	spec.testname = "there/t1";
	settle_says("-out and a directory in -testname exclude each other");
	spec.testname = "t1";
	settle_is_good();

	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.overwrite = true;
	settle_says("-overwrite is for runs that write");
	spec.write_pct = 1;
	settle_is_good();
	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.force = true;
	settle_says("-force is for runs that write");
	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.write_pct = 100;
	settle_is_good(); /* not confirmed: for the guard to refuse */
	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.quiet = spec.verbose = true;
	settle_says("-quiet and -verbose");
}

static void orion_sets_its_defaults(void **state)
{
	static const struct {
		enum run_type run;
		uint64_t seconds;
	} cases[] = {
		{RUN_SIMPLE, 60}, {RUN_NORMAL, 60},   {RUN_OLTP, 60},
		{RUN_DSS, 240},	  {RUN_ADVANCED, 60},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		spec_make(cases[i].run, ANY_MATRIX, 0);
		spec.orion = true;
		settle_is_good();
		assert_int_equal(spec.duration_ns, cases[i].seconds * 1000000000);
		assert_int_equal(spec.large_type, LARGE_RAND);
		assert_int_equal(spec.ramp_ns, 0);
		assert_int_equal(spec.cache_fill_ns, 0);
		assert_string_equal(spec.testname, "orion");
	}
}

static void explicit_values_override_those_of_orion(void **state)
{
	(void)state;
	spec_make(RUN_DSS, ANY_MATRIX,
		  BIT(SPEC_TYPE) | BIT(SPEC_DURATION) | BIT(SPEC_RAMP) | BIT(SPEC_TESTNAME));
	spec.orion = true;
	spec.duration_ns = 7;
	spec.testname = "t1";
	settle_is_good();
	assert_int_equal(spec.duration_ns, 7);
	assert_int_equal(spec.large_type, LARGE_SEQ);
	assert_int_equal(spec.ramp_ns, 1000000000);
	assert_string_equal(spec.testname, "t1");
}

static void orion_fills_the_cache_for_two_minutes_before_streams(void **state)
{
	(void)state;
	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_TYPE));
	spec.orion = true;
	settle_is_good();
	assert_int_equal(spec.cache_fill_ns, UINT64_C(120000000000));

	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_TYPE) | BIT(SPEC_CACHE_SIZE));
	spec.orion = true; /* and a size of 0: none */
	settle_is_good();
	assert_int_equal(spec.cache_fill_ns, 0);

	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_TYPE));
	settle_is_good();
	assert_int_equal(spec.cache_fill_ns, 0);

	spec_make(RUN_OLTP, ANY_MATRIX, 0);
	spec.orion = true;
	settle_is_good();
	assert_int_equal(spec.cache_fill_ns, 0);
}

/* ORION takes it with every run; of calib's own command lines it is refused where it does nothing.
 */
static void a_cache_size_needs_streams(void **state)
{
	(void)state;
	spec_make(RUN_OLTP, ANY_MATRIX, BIT(SPEC_CACHE_SIZE));
	spec.cache_bytes = 1048576;
	settle_says("-cache_size is for points with large sequential streams, and a run without "
		    "large I/Os has none");
	spec.orion = true;
	settle_is_good();

	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_CACHE_SIZE) | BIT(SPEC_TYPE));
	spec.cache_bytes = UINT64_C(1) << 62;
	settle_is_good();
	spec.cache_bytes++;
	settle_says("-cache_size of 4 EiB is too large: at most 4 EiB");
	spec.cache_bytes = 1048576;
	settle_is_good();
	spec.large_type = LARGE_RAND;
	settle_says("and -type rand has none");
	spec.cache_bytes = 0;
	settle_is_good();
}

static void huge_pages_are_not_both_needed_and_not(void **state)
{
	(void)state;
	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.huge_not_needed = true;
	settle_is_good();
	spec.pages = PAGES_HUGE;
	settle_says("-hugenotneeded and -pages huge exclude each other");
}

static void only_io_uring_polls(void **state)
{
	(void)state;
	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.poll = true;
	settle_is_good();
	spec.engine = "IO_uring";
	settle_is_good();
	spec.engine = "libaio";
	settle_says(
		"-poll and -engine libaio exclude each other: only io_uring can ask a device for "
		"its completions");
}

static void names_are_those_of_the_command_line(void **state)
{
	(void)state;
	assert_string_equal(run_type_name(RUN_BASIC), "basic");
	assert_string_equal(run_type_name(RUN_SIMPLE), "simple");
	assert_string_equal(run_type_name(RUN_NORMAL), "normal");
	assert_string_equal(run_type_name(RUN_OLTP), "oltp");
	assert_string_equal(run_type_name(RUN_DSS), "dss");
	assert_string_equal(run_type_name(RUN_ADVANCED), "advanced");
	assert_string_equal(matrix_type_name(MATRIX_DETAILED), "detailed");
	assert_string_equal(matrix_type_name(MATRIX_MAX), "max");
	assert_string_equal(large_type_name(LARGE_SEQ), "seq");
	assert_string_equal(large_type_name(LARGE_RAND), "rand");
	assert_string_equal(point_order_name(ORDER_RISING), "rising");
	assert_string_equal(point_order_name(ORDER_SHUFFLED), "shuffled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_as_documented),
		cmocka_unit_test(run_types_set_matrix_and_duration),
		cmocka_unit_test(an_explicit_duration_stays),
		cmocka_unit_test(a_missing_run_type_is_named_with_those_there_are),
		cmocka_unit_test(options_without_meaning_are_refused),
		cmocka_unit_test(options_with_meaning_are_taken),
		cmocka_unit_test(a_class_with_nothing_but_zero_is_absent),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(orion_sets_its_defaults),
		cmocka_unit_test(explicit_values_override_those_of_orion),
		cmocka_unit_test(orion_fills_the_cache_for_two_minutes_before_streams),
		cmocka_unit_test(a_cache_size_needs_streams),
		cmocka_unit_test(only_io_uring_polls),
		cmocka_unit_test(huge_pages_are_not_both_needed_and_not),
		cmocka_unit_test(names_are_those_of_the_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
