/* Tests of spec.c: sizes of I/Os and stripes. SPDX-License-Identifier: MIT */
#include "spec_helpers.h"

static void the_larger_size_may_be_that_of_the_small_class(void **state)
{
	(void)state;
	spec_make(RUN_SIMPLE, ANY_MATRIX, 0);
	spec.large_bytes = 4096; /* ORION's users do this */
	settle_is_good();
	assert_int_equal(spec_largest_bytes(&spec), 8192);
}

static void sizes_out_of_range_are_refused(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "must be more than 0"},
		{511, "511 bytes is no multiple of 512"},
		{8193, "8193 bytes is no multiple of 512"},
		{UINT64_C(1073742336), "at most 1 GiB"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_SIZE_SMALL));
		spec.small_bytes = cases[i].bytes;
		settle_says(cases[i].text);
		spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_SIZE_LARGE));
		spec.large_bytes = cases[i].bytes;
		settle_says("-size_large");
	}
	spec_make(RUN_SIMPLE, ANY_MATRIX, BIT(SPEC_SIZE_LARGE));
	spec.large_bytes = UINT64_C(1073741824);
	spec.small_bytes = 512;
	settle_is_good();
}

static void stripe_make(enum run_type run, uint64_t small, uint64_t large, uint64_t stripe)
{
	spec_make(run, ANY_MATRIX, stripe > 0 ? BIT(SPEC_STRIPE) : 0);
	spec.layout = LAYOUT_RAID0;
	spec.small_bytes = small;
	spec.large_bytes = large;
	if (stripe > 0)
		spec.stripe_bytes = stripe;
}

/* used: of a LUN, whole multiples of this */
static void stripe_is_a_multiple_of_the_ios_or_divides_the_large_one(void **state)
{
	static const struct {
		enum run_type run;
		uint64_t small, large, stripe, used;
		uint32_t parts_of_4_luns;
	} cases[] = {
		{RUN_SIMPLE, 8192, 1048576, 0, 1048576, 1},
		{RUN_SIMPLE, 8192, 1048576, 1048576, 1048576, 1},
		{RUN_SIMPLE, 8192, 1048576, 3145728, 3145728, 1},
		{RUN_SIMPLE, 8192, 1048576, 524288, 1048576, 2},
		{RUN_SIMPLE, 8192, 1048576, 65536, 1048576, 4},
		{RUN_SIMPLE, 8192, 786432, 262144, 786432, 3},
		{RUN_SIMPLE, 8192, 4194304, 0, 4194304, 4},
		{RUN_SIMPLE, 12288, 98304, 24576, 98304, 4},
		{RUN_OLTP, 8192, 1048576, 24576, 24576, 4},
		{RUN_DSS, 12288, 1048576, 512, 1048576, 4},
		{RUN_SIMPLE, 8192, 4096, 8192, 8192, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		stripe_make(cases[i].run, cases[i].small, cases[i].large, cases[i].stripe);
		settle_is_good();
		assert_int_equal(spec_largest_bytes(&spec), cases[i].used);
		assert_int_equal(spec_large_parts(&spec, 4), cases[i].parts_of_4_luns);
		assert_int_equal(spec_large_parts(&spec, 1), 1);
	}
}

static void stripe_that_does_not_fit_is_refused_with_the_values(void **state)
{
	static const struct {
		enum run_type run;
		uint64_t small, large, stripe;
		const char *text;
	} cases[] = {
		{RUN_SIMPLE, 8192, 1048576, 4096,
		 "-stripe of 4 KiB is no multiple of -size_small of 8 KiB"},
		{RUN_OLTP, 12288, 1048576, 0,
		 "-stripe of 1024 KiB, the default, is no multiple of -size_small of 12 KiB"},
		{RUN_SIMPLE, 8192, 1048576, 786432,
		 "-stripe of 768 KiB is no multiple of -size_large of 1024 KiB, and does not "
		 "divide it"},
		{RUN_DSS, 8192, 1048576, 1572864, "-stripe of 1536 KiB is no multiple"},
		{RUN_DSS, 8192, 1048576, 1049088, "-stripe of 1024.5 KiB is no multiple"},
		{RUN_SIMPLE, 8192, 786432, 0, "-stripe of 1024 KiB, the default, is no multiple"},
		{RUN_SIMPLE, 8192, 1048576, 1000, "-stripe of 1000 bytes is no multiple of 512"},
		{RUN_SIMPLE, 8192, 1048576, UINT64_C(2147483648), "-stripe of 2 GiB is too large"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		stripe_make(cases[i].run, cases[i].small, cases[i].large, cases[i].stripe);
		settle_says(cases[i].text);
	}
	stripe_make(RUN_SIMPLE, 8192, 1048576, 1048576);
	spec.stripe_bytes = 0;
	settle_says("-stripe must be more than 0");
}

static void stripe_without_raid0_is_refused(void **state)
{
	(void)state;
	stripe_make(RUN_SIMPLE, 8192, 1048576, 1048576);
	spec.layout = LAYOUT_CONCAT;
	settle_says("-stripe is for -simulate raid0, not -simulate concat");
	stripe_make(RUN_SIMPLE, 8192, 65536, 0);
	spec.layout = LAYOUT_CONCAT;
	settle_is_good();
	assert_int_equal(spec.stripe_bytes, 0);
	assert_int_equal(spec_largest_bytes(&spec), 65536);
	assert_int_equal(spec_large_parts(&spec, 4), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_larger_size_may_be_that_of_the_small_class),
		cmocka_unit_test(sizes_out_of_range_are_refused),
		cmocka_unit_test(stripe_is_a_multiple_of_the_ios_or_divides_the_large_one),
		cmocka_unit_test(stripe_that_does_not_fit_is_refused_with_the_values),
		cmocka_unit_test(stripe_without_raid0_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
