/* Command lines of ORION's users: what each sets, how many points it is, what ORION would announce.
 * SPDX-License-Identifier: MIT */
#include "calib/plan.h"

#include "options_helpers.h"

static int setup(void **state)
{
	(void)state;
	strcpy(program, "calib");
	between = " |";
	return 0;
}

/* The plan of a line, on so many LUNs. */
static struct plan *plan_of(const char *line, unsigned luns)
{
	const struct plan_limits limits = {
		.lun_count = luns, .buffer_bytes = UINT64_C(1) << 40, .outstanding = LEVEL_MAX};
	struct plan *plan;

	parse_good(line);
	if (spec_settle(&options.spec, &err) < 0)
		fail_msg("%s: %s", line, err.text);
	plan = plan_new(&options.spec, &limits, &err);
	if (!plan)
		fail_msg("%s: %s", line, err.text);
	return plan;
}

static void orions_own_options_are_taken(void **state)
{
	const struct spec *spec = &options.spec;

	(void)state;
	parse_good("-run|simple|-storax|skgfr|-hugenotneeded|-cache_size|64");
	assert_int_equal(spec->cache_bytes, 67108864);
	assert_true(spec->huge_not_needed && spec_given(spec, SPEC_CACHE_SIZE));
	assert_false(spec->orion);
	parse_good("-run|simple|-orion|-storax|SKGFR|-cache_size|2G");
	assert_int_equal(spec->cache_bytes, 2147483648);
	assert_true(spec->orion);
	parse_good("-cache_size|0");
	assert_int_equal(spec->cache_bytes, 0);
	assert_true(spec_given(spec, SPEC_CACHE_SIZE));
	parse_good("-run|simple");
	assert_false(spec_given(spec, SPEC_CACHE_SIZE));
	parse_says("-cache_size|-1", "-cache_size: '-1'");
	parse_says("-hugenotneeded|yes", "stray argument 'yes'");
	parse_says("-orion=1", "-orion takes no value");
}

static void layers_that_are_not_there_say_what_to_do_instead(void **state)
{
	static const char *const cases[][2] = {
		{"-storax|oss", "-storax oss: calib does not talk to Exadata cells"},
		{"-storax|OSS", "CellCLI's CALIBRATE"},
		{"-storax|asmlib", "list the block devices of the ASM disks"},
		{"-storax|odmlib", "list files on a mounted NFS"},
		{"-storax|aio", "-storax 'aio' is none of: skgfr"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		parse_says(cases[i][0], cases[i][1]);
}

static void the_name_orion_stands_for_its_defaults(void **state)
{
	static const struct {
		const char *program;
		bool orion;
	} cases[] = {
		{"orion", true},
		{"/u01/app/oracle/bin/orion", true},
		{"./orion_linux_x86-64", true},
		{"calib", false},
		{"/opt/orion/calib", false},
		{"orionx", false},
		{"orion/", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(program, sizeof(program), "%s", cases[i].program);
		parse_good("-run simple");
		assert_int_equal(options.spec.orion, cases[i].orion);
	}
}

/* Published figures: disks, "Total Data Points" and minutes, as far as they are known. */
static void counts_and_minutes_are_those_that_orion_printed(void **state)
{
	static const struct {
		const char *line;
		unsigned luns;
		size_t total;
		uint64_t minutes;
	} cases[] = {
		{"-run simple -testname mytest -num_disks 1", 1, 8, 9},
		{"-run simple", 2, 15, 16},
		{"-run simple -testname t -num_disks 4", 4, 29, 30},
		{"-run simple", 6, 43, 44},
		{"-run simple -testname mytest -num_disks 8", 1, 38, 39},
		{"-run normal", 1, 18, 19},
		{"-run normal -num_disks 4", 1, 189, 190},
		{"-run oltp", 1, 21, 22},
		{"-run oltp", 3, 23, 24},
		{"-run oltp -write 50 -num_disks 4", 1, 24, 25},
		{"-run dss", 1, 16, 65},
		{"-run dss -write 100", 4, 19, 77},
	};

	(void)state;
	strcpy(program, "orion");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct plan *plan = plan_of(cases[i].line, cases[i].luns);

		assert_int_equal(plan_total_points(plan), cases[i].total);
		assert_int_equal(plan_orion_minutes(plan), cases[i].minutes);
		plan_free(plan);
	}
}

#define LONG "-size_small 8 -size_large 1024 -type rand -simulate concat -write 0 -duration 60 "

static void assert_same_points(struct plan *plan, struct plan *other)
{
	struct point a, b;
	size_t i = 0;

	for (; plan_peek(plan, i, &a); i++) {
		assert_true(plan_peek(other, i, &b));
		assert_memory_equal(&a, &b, sizeof(a));
	}
	assert_false(plan_peek(other, i, &b));
}

static void run_types_are_advanced_with_every_flag_spelled_out(void **state)
{
	static const char *const pairs[][2] = {
		{"-run simple", "-run advanced " LONG "-matrix basic"},
		{"-run normal", "-run advanced " LONG "-matrix detailed"},
		{"-run simple", "-run advanced"},
		{"-run simple -testname t", "-testname t -run simple"},
	};

	(void)state;
	strcpy(program, "orion");
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct plan *plan = plan_of(pairs[i][0], 3);
		struct plan *other = plan_of(pairs[i][1], 3);

		assert_same_points(plan, other);
		plan_free(plan);
		plan_free(other);
	}
}

/* The last point of a line on two LUNs, and ORION's count. */
static void assert_last(const char *line, size_t total, uint32_t small, uint32_t large)
{
	struct plan *plan = plan_of(line, 2);
	struct point point;

	assert_int_equal(plan_total_points(plan), total);
	assert_true(plan_peek(plan, total - 2, &point)); /* the empty one is counted only */
	assert_int_equal(point.small, small);
	assert_int_equal(point.large, large);
	assert_false(plan_peek(plan, total - 1, &point));
	plan_free(plan);
}

/* oltp and dss have higher limits than these; what is loaded, and how, is the same. */
static void oltp_and_dss_spelled_out_load_one_class(void **state)
{
	(void)state;
	assert_last("-run advanced -num_large 0 -size_small 8 -type rand -simulate concat "
		    "-write 0 -duration 60 -matrix row",
		    11, 10, 0);
	assert_last("-run advanced -num_small 0 -size_large 1024 -type rand -simulate concat "
		    "-write 0 -matrix col",
		    5, 0, 4);
}

static void matrices_of_scripts_are_valid(void **state)
{
	static const struct {
		const char *line;
		size_t total;
	} cases[] = {
		{"-run advanced -matrix col -num_small 0", 3},
		{"-run advanced -matrix row -num_large 0", 6},
		{"-run advanced -matrix point -num_small 4 -num_large 1", 1},
		{"-run advanced -matrix max -num_small 4 -num_large 2", 15},
		{"-run Advanced -Matrix", 0},
		{"-run ADVANCED -matrix DETAILED -type RAND -simulate CONCAT", 18},
		{"-run advanced -testname /tmp/o.lun -matrix basic -size_small 8 -size_large 8", 8},
		{"-run advanced -write 0 -type seq -num_streamIO 8 -cache_size 0", 8},
		{"-run simple -verbose -hugenotneeded -storax skgfr", 8},
		{"-duration 10 -verbose -num_disks 2 -run oltp", 22},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct plan *plan;

		if (cases[i].total == 0) {
			parse_says(cases[i].line, "did you mean '-matrix'");
			continue;
		}
		plan = plan_of(cases[i].line, 1);
		assert_int_equal(plan_total_points(plan), cases[i].total);
		plan_free(plan);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		TEST(orions_own_options_are_taken),
		TEST(layers_that_are_not_there_say_what_to_do_instead),
		TEST(the_name_orion_stands_for_its_defaults),
		TEST(counts_and_minutes_are_those_that_orion_printed),
		TEST(run_types_are_advanced_with_every_flag_spelled_out),
		TEST(oltp_and_dss_spelled_out_load_one_class),
		TEST(matrices_of_scripts_are_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
