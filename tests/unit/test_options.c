/* Tests of the command line (src/cli/options*.c). SPDX-License-Identifier: MIT */
#include "options_helpers.h"

static void every_option_sets_its_member(void **state)
{
	const struct spec *spec = &options.spec;

	(void)state;
	parse_good("-run|advanced|-matrix|max|-testname|t1|-lun|a.lun|-out|there|-num_disks|7|"
		   "-num_small|5|-num_large|0|-size_small|4|-size_large|2M|-type|seq");
	assert_int_equal(options.command, COMMAND_RUN);
	assert_int_equal(spec->run, RUN_ADVANCED);
	assert_int_equal(spec->matrix, MATRIX_MAX);
	assert_string_equal(spec->testname, "t1");
	assert_string_equal(spec->lun_path, "a.lun");
	assert_string_equal(spec->out_dir, "there");
	assert_int_equal(spec->num_disks, 7);
	assert_int_equal(spec->num_small, 5);
	assert_int_equal(spec->num_large, 0);
	assert_int_equal(spec->small_bytes, 4096);
	assert_int_equal(spec->large_bytes, 2097152);
	assert_int_equal(spec->large_type, LARGE_SEQ);
	assert_true(spec_given(spec, SPEC_MATRIX) && spec_given(spec, SPEC_NUM_LARGE));
	assert_true(spec_given(spec, SPEC_LUN) && spec_given(spec, SPEC_OUT));
	assert_false(spec_given(spec, SPEC_SEED) || spec_given(spec, SPEC_DURATION));

	parse_good("-duration|500ms|-ramp|2|-seed|9007199254740991|-threads|1024|-pages|thp|"
		   "-engine|libaio|-repeat|1000|-order|shuffled|-num_streamIO|8|-type|rand|"
		   "-small_levels|1,4,16|-large_levels|0");
	assert_int_equal(spec->duration_ns, 500000000);
	assert_int_equal(spec->ramp_ns, 2000000000);
	assert_int_equal(spec->seed, UINT64_C(9007199254740991));
	assert_int_equal(spec->threads, 1024);
	assert_int_equal(spec->pages, PAGES_THP);
	assert_string_equal(spec->engine, "libaio");
	assert_int_equal(spec->repeat, 1000);
	assert_int_equal(spec->order, ORDER_SHUFFLED);
	assert_int_equal(spec->stream_ios, 8);
	assert_int_equal(spec->large_type, LARGE_RAND);
	assert_int_equal(spec->small_levels.count, 3);
	assert_int_equal(spec->small_levels.value[2], 16);
	assert_int_equal(spec->large_levels.count, 1);
	assert_true(spec_given(spec, SPEC_SEED) && spec_given(spec, SPEC_LARGE_LEVELS));

	parse_good("-verbose|-quiet|-json|-dry_run|-threads|auto|-simulate|concat");
	assert_true(spec->verbose && spec->quiet && spec->json && spec->dry_run);
	assert_int_equal(spec->threads, 0);
	assert_int_equal(spec->write_pct, 0);
	assert_false(spec->overwrite || spec->force);

	parse_good("-simulate|RAID0|-stripe|128");
	assert_int_equal(spec->layout, LAYOUT_RAID0);
	assert_int_equal(spec->stripe_bytes, 131072);
	assert_true(spec_given(spec, SPEC_STRIPE));
	parse_good("-stripe=2M|-simulate|concat");
	assert_int_equal(spec->layout, LAYOUT_CONCAT);
	assert_int_equal(spec->stripe_bytes, 2097152);

	parse_good("-write|30|-overwrite");
	assert_int_equal(spec->write_pct, 30);
	assert_true(spec->overwrite && !spec->force);
	parse_good("--force|-write=100");
	assert_int_equal(spec->write_pct, 100);
	assert_true(spec->force && !spec->overwrite);
	parse_good("-write|0");
	assert_int_equal(spec->write_pct, 0);
}

static void spellings_of_one_option_agree(void **state)
{
	static const char *const lines[] = {
		"-run|simple|-size_large|512",	  "--run|simple|--size_large|512",
		"-run=simple|-size_large=512",	  "--size_large=512k|--run=SIMPLE",
		"-size_large|0.5MiB|-run|Simple",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		parse_good(lines[i]);
		assert_int_equal(options.spec.run, RUN_SIMPLE);
		assert_int_equal(options.spec.large_bytes, 524288);
	}
}

static void words_name_what_they_set(void **state)
{
	static const char *const runs[] = {"basic", "simple", "normal", "oltp", "dss", "advanced"};
	static const char *const matrices[] = {"basic", "detailed", "point", "col", "row", "max"};
	char line[64];

	(void)state;
	for (size_t i = 0; i < COUNT(runs); i++) {
		snprintf(line, sizeof(line), "-run|%s", runs[i]);
		parse_good(line);
		assert_string_equal(run_type_name(options.spec.run), runs[i]);
		snprintf(line, sizeof(line), "-matrix|%s", matrices[i]);
		parse_good(line);
		assert_string_equal(matrix_type_name(options.spec.matrix), matrices[i]);
	}
}

static void a_typed_suffix_is_cut_off_the_test_name(void **state)
{
	static const char *const cases[][2] = {
		{"x", "x"},
		{"x.lun", "x"},
		{"a/x.lun", "a/x"},
		{"x.lun.lun", "x.lun"},
		{"xlun", "xlun"},
		{"x.lun.old", "x.lun.old"},
		{"-dash", "-dash"},
		{"a b", "a b"},
		{"a,\"b\"", "a,\"b\""},
		{"\xff\n\t", "\xff\n\t"},
	};
	char line[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(line, sizeof(line), "-testname|%s", cases[i][0]);
		parse_good(line);
		assert_string_equal(options.spec.testname, cases[i][1]);
		assert_true(spec_given(&options.spec, SPEC_TESTNAME));
	}
	parse_says("-testname|.lun", "names no test");
	parse_says("-testname|a/.lun", "names no test");
	parse_says("-testname|a/", "'a/' names no test");
}

static void a_test_name_too_long_is_refused(void **state)
{
	char line[TESTNAME_SIZE + 64] = "-testname|";

	(void)state;
	memset(line + 10, 'x', TESTNAME_SIZE - 1);
	parse_good(line);
	line[10 + TESTNAME_SIZE - 1] = 'x';
	parse_says(line, "is too long");
}

static void bad_lines_are_refused_with_the_reason(void **state)
{
	static const char *const cases[][2] = {
		/* names */
		{"", "type 'calib -run basic -testname NAME'"},
		{"-testnam|x", "no option '-testnam': did you mean '-testname'"},
		{"-num_streamio|4", "did you mean '-num_streamIO'"},
		{"-dur|4", "did you mean '-duration'"},
		{"-rnu|simple", "did you mean '-run'"},
		{"-zzzzzzzz", "there is no option '-zzzzzzzz': 'calib -help' lists all"},
		{"-typerand", "did you mean '-type rand'"},
		{"--duration10", "did you mean '-duration 10'"},
		{"-num_disks4", "did you mean '-num_disks 4'"},
		{"-testnamemytest", "did you mean '-testname mytest'"},
		{"-b\x1b[31m", "-b\\x1b[31m"},
		{"\xe2\x80\x93run|simple",
		 "begins with an en dash U+2013, not with '-': type '-run'"},
		{"-run|simple|\xe2\x80\x94size_small|8", "an em dash U+2014"},
		{"\xe2\x80\x93\xe2\x80\x93json", "an en dash U+2013, not with '-': type '-json'"},
		{"-\xe2\x80\x93json", "an en dash U+2013, not with '-': type '-json'"},
		{"-run\xc2\xa0simple", "a no-break space U+00A0 behind '-run': type a plain blank"},
		{"-run|simple|-seed\xe2\x80\xaf"
		 "5",
		 "a narrow no-break space U+202F behind '-seed'"},
		{"\xe2\x88\x92run|simple", "a minus sign U+2212"},
		{"-ramp|\xe2\x80\x93"
		 "5",
		 "-ramp"},
		/* places */
		{"simple", "'simple' is neither an option nor a command"},
		{"-run|simple|now", "stray argument 'now'"},
		{"-run|simple|-", "stray argument '-'"},
		{"-run|simple|--", "stray argument '--'"},
		{"-verbose|yes", "stray argument 'yes'"},
		{"-size_small|8|K",
		 "stray argument 'K': a number and its unit are one word, as in '8K'"},
		{"-duration|60|s", "as in '60s'"},
		{"-run|simple|oltp", "stray argument 'oltp': it follows 'simple'"},
		{"-write|30|%", "stray argument '%': it follows '30'"},
		{"-run|simple|mklun", "stray argument 'mklun'"},
		{"-run|simple|", "stray argument ''"},
		{"-run", "-run needs a value: -run TYPE"},
		{"-run|", "-run needs a value"},
		{"-run=", "-run needs a value"},
		{"-duration|-run|simple", "-duration needs a value, and '-run' is an option"},
		{"-verbose=1", "-verbose takes no value"},
		{"-help=1", "-help takes no value"},
		{"-run|simple|-run|simple", "-run is given twice"},
		{"-ramp|1|--ramp=2", "-ramp is given twice"},
		{"-json|-json", "-json is given twice"},
		/* values */
		{"-run|baisc",
		 "-run 'baisc' is none of: basic, simple, normal, oltp, dss, advanced"},
		{"-type|seq,rand", "-type 'seq,rand' is none of: seq, rand"},
		{"-order|up", "is none of: rising, shuffled"},
		{"-pages|big", "is none of: auto, huge, thp, small"},
		{"-matrix|all", "-matrix 'all'"},
		{"-size_small|8 K", "-size_small: '8 K'"},
		{"-size_small|-8", "-size_small: '-8'"},
		{"-size_small|8388608", "-size_small 8388608 is 8 GiB, since a bare number is KiB: "
					"is -size_small 8192 meant"},
		{"-stripe|1048577", "-stripe 1048577 is 1 GiB"},
		{"-size_large|1X", "-size_large: '1X'"},
		{"-size_large|0.3", "-size_large: '0.3'"},
		{"-duration|10x", "-duration: '10x'"},
		{"-duration|1e3", "-duration"},
		{"-num_disks|0", "-num_disks"},
		{"-num_disks|10001", "-num_disks"},
		{"-num_disks|3.5", "-num_disks"},
		{"-num_small|10001", "-num_small"},
		{"-num_large|-1", "-num_large"},
		{"-num_streamIO|0", "-num_streamIO"},
		{"-repeat|0", "-repeat"},
		{"-repeat|1001", "-repeat"},
		{"-threads|0", "-threads"},
		{"-threads|1025", "-threads"},
		{"-threads|all", "-threads"},
		{"-seed|9007199254740992", "-seed"},
		{"-write|101", "-write"},
		{"-write|-1", "-write"},
		{"-write|30%", "-write: '30%': it takes a plain number, without '%'"},
		{"-num_disks|4K", "-num_disks: '4K': it takes a plain number, without 'K'"},
		{"-write|1.5", "-write"},
		{"-write|-overwrite", "-write needs a value, and '-overwrite' is an option"},
		{"-overwrite|yes", "stray argument 'yes'"},
		{"-overwrite=1", "-overwrite takes no value"},
		{"-small_levels|1,,2", "-small_levels"},
		{"-small_levels|1,2,1", "-small_levels"},
		{"-large_levels|1,10001", "-large_levels"},
		/* the other command's */
		{"-run|simple|-size|8", "-size is for 'calib mklun', not for a run"},
		{"-count|2", "-count is for 'calib mklun'"},
		{"mklun|-run|simple", "-run is for a run, not for 'calib mklun'"},
		{"mklun|-testname|x|-duration|1", "-duration is for a run"},
		{"mklun|-testname|x|-size|1|-force", "-force is for a run"},
		{"report|x|-write|1", "-write is for a run"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		parse_says(cases[i][0], cases[i][1]);
}

static void what_is_not_there_yet_is_refused_by_name(void **state)
{
	static const char *const lines[] = {
		"-resume|t1", "-io_timeout|10",	 "-require|x",	"-strict",	  "-accept_changes",
		"-anonymous", "-max_latency|20", "compare|a|b", "-run|calibrate", "-run|CALIBRATE",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		parse_says(lines[i], "not available in this version");
	parse_says("compare|a", "'calib compare' is not available");
}

static void report_takes_a_prefix_and_its_own_options(void **state)
{
	(void)state;
	parse_good("report|t1_20260329_1057");
	assert_int_equal(options.command, COMMAND_REPORT);
	assert_string_equal(options.prefix, "t1_20260329_1057");
	parse_good("report|-json|-out|there|./-t1_20260329_1057");
	assert_string_equal(options.prefix, "./-t1_20260329_1057");
	assert_string_equal(options.spec.out_dir, "there");
	assert_true(options.spec.json);
	parse_says("report", "'calib report' needs the PREFIX");
	parse_says("report|-json", "'calib report' needs the PREFIX");
	parse_says("report|", "the PREFIX is empty");
	parse_says("report|a|b", "stray argument 'b'");
	parse_says("report|a|-run|basic", "-run is for a run, not for 'calib report'");
	parse_says("report|a|-size|1M", "-size is for 'calib mklun', not for 'calib report'");
}

static void help_and_version_ignore_the_rest(void **state)
{
	(void)state;
	parse_good("-help");
	assert_int_equal(options.command, COMMAND_HELP);
	parse_good("-run|nonsense|-foo|--help");
	assert_int_equal(options.command, COMMAND_HELP);
	parse_good("mklun|-help");
	assert_int_equal(options.command, COMMAND_HELP);
	parse_good("--version|-bar");
	assert_int_equal(options.command, COMMAND_VERSION);
	parse_good("-version|-help");
	assert_int_equal(options.command, COMMAND_HELP);
}

static void mklun_takes_its_own_options(void **state)
{
	(void)state;
	parse_good("mklun|-testname|t1.lun|-size|64|-count|3|-dir|/tmp/x");
	assert_int_equal(options.command, COMMAND_MKLUN);
	assert_string_equal(options.spec.testname, "t1");
	assert_int_equal(options.mklun.size_bytes, 67108864);
	assert_int_equal(options.mklun.count, 3);
	assert_string_equal(options.mklun.dir, "/tmp/x");

	parse_good("mklun|-size=1G|-testname=t1");
	assert_int_equal(options.mklun.size_bytes, 1073741824);
	assert_int_equal(options.mklun.count, 1);
	assert_null(options.mklun.dir);

	parse_says("mklun", "'calib mklun' needs -testname NAME");
	parse_says("mklun|-testname|t1", "'calib mklun' needs -size SIZE");
	parse_says("mklun|-testname|t1|-size|0", "'calib mklun' needs -size SIZE");
	parse_says("mklun|-testname|t1|-size|1.5", "1572864 bytes is no multiple of 1M");
	parse_says("mklun|-testname|t1|-size|512K", "524288 bytes is no multiple of 1M");
	parse_says("mklun|-testname|t1|-size|1|-count|0", "-count");
	parse_says("mklun|-testname|t1|-size|1|-count|1025", "-count");
}

/* What -help shows as default is what a run without the option has. */
static void shown_defaults_are_the_real_ones(void **state)
{
	static const char *const names[] = {
		"testname", "size_small", "size_large", "type",	  "num_streamIO",
		"simulate", "repeat",	  "order",	"ramp",	  "engine",
		"threads",  "pages",	  "write",	"storax", "stripe",
	};
	const struct option_row *row;
	struct options *without = malloc(sizeof(*without));
	char line[64];

	(void)state;
	assert_non_null(without);
	for (size_t i = 0; i < COUNT(names); i++) {
		size_t at = 0;

		while ((row = options_row(at)) != NULL && strcmp(row->name, names[i]) != 0)
			at++;
		assert_non_null(row);
		parse_good("-json");
		*without = options;
		snprintf(line, sizeof(line), "-json|-%s|%s", row->name, row->fallback);
		parse_good(line);
		assert_string_equal(options.spec.testname, without->spec.testname);
		assert_string_equal(options.spec.engine, without->spec.engine);
		options.spec.testname = without->spec.testname;
		options.spec.engine = without->spec.engine;
		options.spec.given = without->spec.given;
		assert_memory_equal(&options.spec, &without->spec, sizeof(options.spec));
	}
	free(without);
}

static char *help_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	options_help(out);
	fclose(out);
	return text;
}

static void help_names_every_option(void **state)
{
	const struct option_row *row;
	char *text = help_text();
	char name[64];

	(void)state;
	for (size_t i = 0; (row = options_row(i)) != NULL; i++) {
		snprintf(name, sizeof(name), row->available ? "\n  -%s%s" : " -%s%s", row->name,
			 row->available ? " " : "");
		if (!strstr(text, name))
			fail_msg("-%s is missing", row->name);
		if (row->available)
			assert_non_null(row->help);
	}
	free(text);
}

static void help_fits_ninety_columns(void **state)
{
	char *text = help_text();
	char *next = text;

	(void)state;
	while (next) {
		const char *line = strsep(&next, "\n");
		size_t length = strlen(line);

		assert_in_range(length, 0, 90);
		assert_true(length == 0 || line[length - 1] != ' ');
	}
	free(text);
}

static void option_names_are_unique(void **state)
{
	const struct option_row *row, *other;

	(void)state;
	for (size_t i = 0; (row = options_row(i)) != NULL; i++) {
		for (size_t j = i + 1; (other = options_row(j)) != NULL; j++)
			assert_string_not_equal(row->name, other->name);
	}
}

static void command_line_is_quoted_where_a_shell_needs_it(void **state)
{
	static const struct {
		const char *argument;
		const char *quoted;
	} cases[] = {
		{"-run=basic", "-run=basic"},
		{"/dev/mapper/vg-lv_1", "/dev/mapper/vg-lv_1"},
		{"1,4,16", "1,4,16"},
		{"a b", "'a b'"},
		{"it's", "'it'\\''s'"},
		{"", "''"},
		{"$HOME", "'$HOME'"},
		{"a\nb", "'a\nb'"},
		{"~x", "'~x'"},
		{"*.lun", "'*.lun'"},
		{"\xff", "'\xff'"},
	};
	char expected[256];
	char word[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *argv[] = {program, word};
		char *line;

		snprintf(word, sizeof(word), "%s", cases[i].argument);
		line = options_command_line(2, argv);
		snprintf(expected, sizeof(expected), "calib %s", cases[i].quoted);
		assert_string_equal(line, expected);
		free(line);
	}
}

static void command_line_of_nothing_is_empty(void **state)
{
	char *argv[] = {NULL};
	char *line = options_command_line(0, argv);

	(void)state;
	assert_string_equal(line, "");
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_sets_its_member),
		cmocka_unit_test(spellings_of_one_option_agree),
		cmocka_unit_test(words_name_what_they_set),
		cmocka_unit_test(a_typed_suffix_is_cut_off_the_test_name),
		cmocka_unit_test(a_test_name_too_long_is_refused),
		cmocka_unit_test(bad_lines_are_refused_with_the_reason),
		cmocka_unit_test(what_is_not_there_yet_is_refused_by_name),
		cmocka_unit_test(report_takes_a_prefix_and_its_own_options),
		cmocka_unit_test(help_and_version_ignore_the_rest),
		cmocka_unit_test(mklun_takes_its_own_options),
		cmocka_unit_test(shown_defaults_are_the_real_ones),
		cmocka_unit_test(help_names_every_option),
		cmocka_unit_test(help_fits_ninety_columns),
		cmocka_unit_test(option_names_are_unique),
		cmocka_unit_test(command_line_is_quoted_where_a_shell_needs_it),
		cmocka_unit_test(command_line_of_nothing_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
