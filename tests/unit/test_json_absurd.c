/* Documents that json_read.c and those beside it must refuse. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* needs the headers above */
#include <cmocka.h>

#include "read_helpers.h"

static const struct absurd absurd_documents[] = {
	/* another's, or another version's */
	{"calib-results/1", "calib-results/2", "its schema 'calib-results/2'"},
	{"calib-results/1", "calib-results/10", "another version"},
	{"calib-results/1", "else", "it is no file of calib"},
	{"\"schema\":\"calib-results/1\",", "", "it is no file of calib"},
	{"\"schema\":\"calib-results/1\"", "\"schema\":1", "it is no file of calib"},
	/* the form */
	{"{\n\"schema\"", "[\n\"schema\"", ":1: '{' expected"},
	{"\"points\":[", "\"points\":[,", "unexpected token"},
	{"\"points\":[", "\"points\":{", ":16: '[' expected"},
	{"\"points\":[", "\"points\":[1,", "points[0]: an object is expected, not a whole number"},
	{"\"host\":{", "\"host\":{\"cpu\":null,", "duplicate"},
	{"\"signal\":", "\"status\":\"failed\",\"signal\":", "twice"},
	{"\n}\n", "\n}\n{}", "something follows the end"},
	{"\n}\n", ",\n\"points\":[]}\n", "there is 'points' twice"},
	{"\"testname\":", "\"testname", ""},
	/* types */
	{"\"seed\":4711", "\"seed\":\"4711\"", "seed: a whole number is expected, not a string"},
	{"\"seed\":4711", "\"seed\":4711.5", "seed: a whole number is expected, not a number"},
	{"\"seed\":4711", "\"seed\":9007199254740992", "is more than"},
	{"\"seed\":4711", "\"seed\":9223372036854775808", "too big integer"},
	{"\"seed\":4711", "\"seed\":1e999", "real number overflow"},
	{"\"seed\":4711", "\"seed\":-1", "seed: -1 is negative"},
	{"\"seed\":4711", "\"seed\":NaN", "invalid token"},
	{"\"seed\":4711,", "", "there is no 'seed'"},
	{"\"seed\":4711", "\"seed\":null", "not null"},
	{"\"run\":\"simple\"", "\"run\":\"simpel\"", "settings.run: 'simpel' is none"},
	{"\"run\":\"simple\"", "\"run\":2", "settings.run: a string is expected"},
	{"\"has_small\":true", "\"has_small\":1", "settings.has_small: true or false is expected"},
	{"\"duration_s\":", "\"duration_s\":-", "is negative"},
	{"\"duration_s\":", "\"duration_s\":1e300,\"x\":", "seconds are too long"},
	{"\"small_levels\":[0", "\"small_levels\":[1,0",
	 "settings.small_levels[1]: 0 does not rise"},
	{"\"small_levels\":[0", "\"small_levels\":[\"0\"", "settings.small_levels[0]"},
	{"4,5]", "4,10001]", "settings.small_levels[5]: 10001 is more than 10000"},
	{"\"small_levels\":[0,1,2,3", "\"small_levels\":[0,2,3", "small 1, large 0 are no levels"},
	{"\"calib_version\":\"0.1.0\"", "\"calib_version\":\"\\u001b[2J\"", "calib_version"},
	{"\"calib_version\":\"0.1.0\"", "\"calib_version\":\"0.1.000000000000000000000000000000\"",
	 "longer than 31 bytes"},
	{"\"buffer_pages\":\"thp\"", "\"buffer_pages\":\"\\n\"", "buffer_pages"},
	{"\"testname_hex\":\"6e6f", "\"testname_hex\":\"6e70", "testname: the hexadecimal bytes"},
	{"\"testname_hex\":\"6e6f", "\"testname_hex\":\"6e6g", "testname: the hexadecimal bytes"},
	{"\"testname_hex\":\"6e6f", "\"testname_hex\":\"006f", "testname: the hexadecimal bytes"},
	{"\"testname_hex\":\"6e6f", "\"testname_hex\":\"6e6", "testname: the hexadecimal bytes"},
	{"\"signal\":\"SIGTERM\"", "\"signal\":\"SIGNAL\"", "signal: it is no signal"},
	{"\"signal\":\"SIGTERM\"", "\"signal\":99", "signal: it is no signal"},
	/* times */
	{"\"started\":\"2026-03-29T05:27:00.123-03:30\"", "\"started\":\"yesterday\"",
	 "is no time"},
	{"\"started\":\"2026-03-29T05:27:00.123-03:30\"",
	 "\"started\":\"2026-02-30T05:27:00.123-03:30\"", "is no time"},
	{"\"finished\":\"2026-03-29T05:33:20.000-03:30\"",
	 "\"finished\":\"2026-03-29T05:33:20.000+00:00\"", "another offset"},
	/* LUNs */
	{"\"kind\":\"file\"", "\"kind\":\"tape\"", "luns[0]: it is of an unknown kind"},
	{"\"host\":0", "\"host\":1", "luns[0].host: 1 is more than 0"},
	{"\"ios\":5,", "\"ios\":6,", "luns[1].kernel: its sums are not those"},
	{"\"read_ios\":1,", "\"read_ios\":-1,", "luns[1].kernel.read_ios: -1 is negative"},
	{"\"reads\":1000", "\"reads\":1001", "issued: it is not the sum"},
	{"\"size_bytes\":8589934592", "\"size_bytes\":18446744073709551615", "too big integer"},
	/* points */
	{"\"number\":1,", "\"number\":0,", "points[0]: number and repeat begin with 1"},
	{"\"number\":3,", "\"number\":2,", "points[2]: number 2 does not rise"},
	{"\"repeat\":2,\"status\"", "\"repeat\":3,\"status\"",
	 "points[1]: repeat 3 is more than 2"},
	{"\"small\":3,", "\"small\":2,", "points[0]: small and large are not the levels"},
	{"\"small_iops\":0.41999999999999998", "\"small_iops\":0.5", "small_iops is not that"},
	{"\"status\":\"ok\"", "\"status\":\"fine\"", "points[0].status"},
	{"\"level\":3", "\"level\":10001", "points[0].loads[0].level"},
	{"\"level\":3", "\"level\":0", "points[0].loads[0]: it is a load of nothing"},
	{"\"name\":\"large\"", "\"name\":\"small\"", "points[0].loads[1]: its name is no name"},
	{"\"name\":\"redo\"", "\"name\":\"re do\"", "points[0].loads[2]: its name is no name"},
	{"\"name\":\"redo\"", "\"name\":\"sixteen_and_more\"", "longer than 15 bytes"},
	{"\"redo_read\":", "\"undo_read\":", "points[0]: there is a class of no load"},
	{"\"cpu\":{", "\"cpu\":[],\"x\":{", "points[0].cpu: an object is expected"},
	/* classes */
	{"\"ios\":21,\"bytes\":172032", "\"ios\":22,\"bytes\":172032", "bytes are not 8192"},
	{"\"ios\":21,\"bytes\":172032", "\"ios\":22,\"bytes\":180224", "iops is not ios a second"},
	{"\"iops\":0.41999999999999998", "\"iops\":1", "iops is not ios a second"},
	{"\"mbps\":0.0032", "\"mbps\":0.0042", "mbps is not bytes a second"},
	{"\"lat_ns\":{", "\"lat_ns\":null,\"x\":{", "lat_ns must be there if"},
	{"\"lat_ns\":{\"min\":1,", "\"lat_ns\":{\"min\":99999999999,", "p50 does not rise"},
	{"\"max\":9007199254740993", "\"max\":9007199254", "max is less than p99_99"},
	{"\"p90\":", "\"p90\":0,\"x\":", "small_read.lat_ns: p90 does not rise"},
	{"\"few\":[", "\"few\":[\"p42\",", "lat_ns.few[0]: it is no percentile"},
	{"\"few\":[", "\"few\":[\"p50\",", "few is another than beside it"},
	{"\"hist\":[[2,1]", "\"hist\":[[2,2]", "small_read.hist: the sum of counts is 22, not 21"},
	{"\"hist\":[[2,1]", "\"hist\":[[2,-1]", "hist[0]: -1 is negative"},
	{"\"hist\":[[2,1]", "\"hist\":[[2,0]", "hist[0]: a count of 0"},
	{"\"hist\":[[2,1]", "\"hist\":[[0,1]", "hist[0]: 0 ns is no edge"},
	{"\"hist\":[[2,1]", "\"hist\":[[9,1]", "hist: min or max lies in another bucket"},
	{"\"hist\":[[2,1]", "\"hist\":[[99,1]", "hist[1]: 18 ns does not rise"},
	{"\"hist\":[[2,1]", "\"hist\":[[2,1],[2,1]", "hist[1]: 2 ns does not rise"},
	{"\"hist\":[[2,1]", "\"hist\":[[1025,1]", "hist[0]: 1025 ns is no edge"},
	{"\"hist\":[[2,1]", "\"hist\":[[2]", "hist[0]: it is no pair"},
	{"\"hist\":[[2,1]", "\"hist\":[[2,9223372036854775807]", "a count of 2 cannot be"},
	{"\"luns\":[{\"lun\":0,\"ios\":21", "\"luns\":[{\"lun\":7,\"ios\":21",
	 "points[0]: it has a LUN beyond the 2"},
	{"\"luns\":[{\"lun\":0,\"ios\":21", "\"luns\":[{\"lun\":-1,\"ios\":21", "-1 is negative"},
	{"\"luns\":[{\"lun\":0,\"ios\":21", "\"luns\":[{\"lun\":0,\"ios\":20",
	 "small_read.luns: the sum of ios is 20, not 21"},
	{"\"luns\":[{\"lun\":0,\"ios\":21", "\"luns\":[{\"lun\":0,\"ios\":22",
	 "points[0]: its LUNs have more small I/Os than there are"},
	{"\"errors\":{\"EIO\":3", "\"errors\":{\"EIO\":4", "the sum of errors is 6, not 7"},
	{"\"errors\":{\"EIO\":3", "\"errors\":{\"EIO\":2", "more small I/Os than there are"},
	{"\"errors\":{\"EIO\":3", "\"errors\":{\"ENONE\":3", "errors.ENONE: it is no error"},
	{"\"errors\":{\"EIO\":3", "\"errors\":{\"EIO\":9223372036854775807",
	 "the sum is too large"},
	{"\"series\":[{\"ios\":6,", "\"series\":[{\"ios\":7,", "series: the sum of ios is 22"},
	{"\"series\":[{\"ios\":6,\"bytes\":49152", "\"series\":[{\"ios\":6,\"bytes\":49153",
	 "series: the sum of bytes"},
	{"\"series\":[{\"ios\":6,\"bytes\":49152,\"mean_ns\":",
	 "\"series\":[{\"ios\":6,\"bytes\":49152,\"mean_ns\":null,\"x\":", "mean_ns must be known"},
	/* what follows from the points */
	{"\"max_iops\":{\"value\":", "\"max_iops\":{\"value\":9",
	 "best.max_iops: it does not follow"},
	{"\"max_iops\":{", "\"max_iops\":null,\"x\":{", "best.max_iops: it does not follow"},
	{"\"warnings\":[{", "\"warnings\":[],\"x\":[{", "warnings of the points are not those"},
	{"\"after_points\":0", "\"after_points\":3", "does not rise"},
	{"\"lun\":1,\"point\":null", "\"lun\":2,\"point\":null", "LUN 2 is beyond"},
};

static void an_absurd_document_is_refused_and_says_where(void **state)
{
	char *good = sample_render(*state, json_render);

	for (size_t i = 0; i < COUNT(absurd_documents); i++) {
		const struct absurd *absurd = &absurd_documents[i];
		char *bad = replaced(good, absurd->from, absurd->to);

		assert_refused(bad, strlen(bad), false, absurd->reason);
		free(bad);
	}
	free(good);
}

static void a_document_that_is_cut_off_anywhere_is_refused(void **state)
{
	char *good = sample_render(*state, json_render);
	size_t size = strlen(good);

	for (size_t cut = 0; cut < size - 1; cut += 1 + cut / 50)
		assert_refused(good, cut, false, cut == 0 ? ":1: the file is cut off" : "");
	assert_refused(good, size - 3, false, ": the file is cut off");
	free(good);
}

static void more_than_can_be_is_refused(void **state)
{
	static const char *const loads[] = {"a", "b", "c", "d", "e"};
	char *good = sample_render(*state, json_render);
	char *text = malloc(100000);
	size_t length = 0;
	char *bad;

	assert_non_null(text);
	for (size_t i = 0; i < COUNT(loads); i++)
		length += (size_t)sprintf(text + length,
					  "{\"name\":\"%s\",\"pattern\":\"random\",\"bytes\":1,"
					  "\"level\":1,\"per_level\":1,\"write_pct\":0,"
					  "\"rw_flags\":0,\"rate_per_s\":null},",
					  loads[i]);
	bad = replaced(good, "\"loads\":[", "\"loads\":[@");
	free(good);
	good = replaced(bad, "@", text);
	assert_refused(good, strlen(good), false,
		       "points[0].loads[3]: there are more than 3 loads");
	free(good);
	free(bad);
	length = (size_t)sprintf(text, "{\"schema\":\"calib-results/1\",\"luns\":");
	memset(text + length, '[', 50000);
	assert_refused(text, length + 50000, false, "maximum parsing depth reached");
	free(text);
}

static void what_is_no_file_of_calib_is_refused(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"", ":1: the file is cut off"},
		{" \n\n", ":3: the file is cut off"},
		{"{}", "it is no file of calib"},
		{"{\"a\":1,\"b\":[1,2]}", "it is no file of calib"},
		{"#!/bin/sh\n", ":1: '{' expected"},
		{"\x7f"
		 "ELF",
		 ":1: '{' expected"},
		{"{\"a\"}", ":1: ':' expected"},
		{"{\"a\":1 \"b\"", ":1: ',' expected"},
		{"{1:2}", ":1: '\"' expected"},
		{"{\"a\":1,}", ":1: '\"' expected"},
		{"{\n\"a\":tru\n}", ":2: invalid token near 'tru'"},
		{"{\"\\u0000\":1}", "\\u0000"},
		{"{\"\xff\":1}", "unable to decode byte 0xff"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), false, cases[i].reason);
	assert_refused("{\"a\":1\0}", 9, false, "',' expected");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_absurd_document_is_refused_and_says_where),
		TEST(a_document_that_is_cut_off_anywhere_is_refused),
		TEST(more_than_can_be_is_refused),
		TEST(what_is_no_file_of_calib_is_refused),
	};

	return cmocka_run_group_tests_name("json_absurd", tests, NULL, NULL);
}
