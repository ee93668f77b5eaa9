/* Tests of json.c, json_point.c, json_value.c. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static json_t *document(const struct results *results)
{
	char *text = sample_render(results, json_render);
	json_error_t error;
	json_t *root;

	assert_non_null(text);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (root == NULL)
		fail_msg("%s at %d in %s", error.text, error.position, text);
	free(text);
	return root;
}

/* "points.0.classes": members and array indices; NULL where there is none */
static const json_t *at(const json_t *value, const char *path)
{
	char key[64];

	while (value != NULL && *path != '\0') {
		size_t length = strcspn(path, ".");

		assert_true(length < sizeof(key));
		memcpy(key, path, length);
		key[length] = '\0';
		value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
					     : json_object_get(value, key);
		path += length + (path[length] == '.');
	}
	return value;
}

static void assert_value(const json_t *root, const char *path, const char *expected)
{
	const json_t *value = at(root, path);
	char *text;

	if (value == NULL)
		fail_msg("no '%s'", path);
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text == NULL || strcmp(text, expected) != 0)
		fail_msg("'%s' is %s, not %s", path, text, expected);
	free(text);
}

struct member {
	const char *path, *value;
};

static void assert_members(const json_t *root, const struct member members[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_value(root, members[i].path, members[i].value);
}

static void the_run_is_told_whole(void **state)
{
	static const struct member members[] = {
		{"schema", "\"calib-results/1\""},
		{"calib_version", "\"0.1.0\""},
		{"testname", "\"mytest\""},
		{"prefix", "\"mytest_20260329_1057\""},
		{"command_line", "\"calib -run simple -testname mytest -num_disks 1\""},
		{"seed", "4711"},
		{"started", "\"2026-03-29T10:57:00.123+02:00\""},
		{"finished", "\"2026-03-29T11:03:20.000+02:00\""},
		{"status", "\"complete\""},
		{"signal", "null"},
		{"settings.run", "\"simple\""},
		{"settings.matrix", "\"basic\""},
		{"settings.small_bytes", "8192"},
		{"settings.large_bytes", "1048576"},
		{"settings.large_type", "\"seq\""},
		{"settings.stream_ios", "4"},
		{"settings.simulate", "\"concat\""},
		{"settings.stripe_bytes", "null"},
		{"settings.write_pct", "0"},
		{"settings.cache_bytes", "null"},
		{"settings.duration_s", "50.0"},
		{"settings.ramp_s", "1.0"},
		{"settings.num_disks", "1"},
		{"settings.repeat", "1"},
		{"settings.order", "\"rising\""},
		{"settings.total_points", "8"},
		{"settings.run_points", "7"},
		{"settings.has_small", "true"},
		{"settings.has_large", "true"},
		{"settings.small_levels", "[0,1,2,3,4,5]"},
		{"settings.large_levels", "[0,1,2]"},
		{"settings.engine", "\"libaio\""},
		{"settings.engine_reason", "\"io_uring is not allowed here\""},
		{"settings.buffer_pages", "\"thp\""},
		{"host", "{\"hostname\":\"box\",\"kernel\":\"Linux 6.1.0\",\"cpu\":\"Some CPU\","
			 "\"cpus\":2,\"memory_bytes\":8589934592}"},
		{"luns.0.path", "\"/data/a\""},
		{"luns.0.kind", "\"file\""},
		{"luns.0.size_bytes", "8589934592"},
		{"luns.0.used_bytes", "8589934592"},
		{"luns.0.logical_block_bytes", "512"},
		{"luns.0.host", "0"},
		{"luns.0.issued",
		 "{\"reads\":1000,\"read_bytes\":8192000,\"writes\":0,\"write_bytes\":0}"},
		{"issued",
		 "{\"reads\":1000,\"read_bytes\":8192000,\"writes\":0,\"write_bytes\":0}"},
		{"points", "[]"},
		{"warnings", "[]"},
	};
	json_t *root = document(*state);

	assert_members(root, members, COUNT(members));
	json_decref(root);
}

static void what_is_unknown_is_null(void **state)
{
	static const char *const paths[] = {
		"finished",
		"settings.engine_reason",
		"settings.buffer_pages",
		"host.hostname",
		"host.cpu",
		"host.cpus",
		"host.memory_bytes",
		"luns.0.physical_block_bytes",
		"luns.0.rotational",
		"luns.0.model",
		"luns.0.scheduler",
		"luns.0.nr_requests",
		"luns.0.filesystem",
		"luns.0.issued",
		"luns.0.kernel",
		"issued",
		"best.max_iops",
		"best.max_mbps",
		"best.min_latency_ns",
	};
	struct results *results = *state;
	json_t *root;

	results->run.finished = (struct timespec){0, 0};
	free(results->run.engine_reason);
	results->run.engine_reason = NULL;
	results->run.buffer_pages[0] = '\0';
	results->luns[0].issued_known = false;
	memset(&results->run.host, 0, sizeof(results->run.host));
	root = document(results);
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_value(root, paths[i], "null");
	json_decref(root);
}

static void what_is_known_of_a_block_device_is_told(void **state)
{
	static const struct member members[] = {
		{"luns.0.kind", "\"block\""},
		{"luns.0.physical_block_bytes", "4096"},
		{"luns.0.major", "8"},
		{"luns.0.minor", "16"},
		{"luns.0.rotational", "false"},
		{"luns.0.model", "\"Disk\""},
		{"luns.0.nr_requests", "64"},
		{"luns.0.kernel",
		 "{\"ios\":33,\"merges\":11,\"sectors\":1100,\"read_ios\":30,\"read_merges\":10,"
		 "\"read_sectors\":1000,\"write_ios\":3,\"write_merges\":1,\"write_sectors\":"
		 "100}"},
	};
	struct results *results = *state;
	struct lun_info *lun = &results->luns[0];
	json_t *root;

	lun->is_block = true;
	lun->physical_block_bytes = 4096;
	lun->major = 8;
	lun->minor = 16;
	lun->rotational = 0;
	lun->model = strdup("Disk");
	lun->nr_requests = 64;
	lun->kernel = (struct kernel_count){true, 30, 10, 1000, 3, 1, 100};
	root = document(results);
	assert_members(root, members, COUNT(members));
	json_decref(root);
}

static void a_point_is_told_whole(void **state)
{
	static const struct member members[] = {
		{"points.0.number", "1"},
		{"points.0.small", "3"},
		{"points.0.large", "2"},
		{"points.0.repeat", "1"},
		{"points.0.status", "\"ok\""},
		{"points.0.started", "\"2026-03-29T10:57:00.123+02:00\""},
		{"points.0.seconds", "50.0"},
		{"points.0.threads", "1"},
		{"points.0.small_iops", "20.0"},
		{"points.0.large_mbps", "3.0"},
		{"points.0.cpu", "{\"user_s\":0.25,\"system_s\":2.0}"},
		{"points.0.series_interval_s", "1.0"},
		{"points.0.ramp_s", "1.0"},
		{"points.0.duration_s", "50.0"},
		{"points.0.loads.1",
		 "{\"name\":\"large\",\"pattern\":\"stream\",\"bytes\":1048576,\"level\":2,"
		 "\"per_level\":4,\"write_pct\":0,\"rw_flags\":0,\"rate_per_s\":null}"},
		{"points.0.warnings", "[]"},
		{"points.0.classes.small_read.ios", "1000"},
		{"points.0.classes.small_read.bytes", "8192000"},
		{"points.0.classes.small_read.errors", "{}"},
		{"points.0.classes.small_read.iops", "20.0"},
		{"points.0.classes.small_read.mbps", "0.15625"},
		{"points.0.classes.small_read.lat_ns",
		 "{\"min\":200000,\"mean\":200000.0,\"stddev\":0.0,\"max\":200000,\"p50\":200000,"
		 "\"p90\":200000,\"p95\":200000,\"p99\":200000,\"p99_9\":200000,\"p99_99\":"
		 "200000,\"few\":[\"p99_99\"]}"},
		{"points.0.classes.small_read.few", "[\"p99_99\"]"},
		/* 200 us is x = 204800, in octave 10: buckets of 1024 from 131072, 1 us each */
		{"points.0.classes.small_read.hist", "[[201000,1000]]"},
		{"points.0.classes.small_read.luns",
		 "[{\"lun\":0,\"ios\":1000,\"bytes\":8192000,\"errors\":0,\"mean_ns\":200000.0}]"},
		{"points.0.classes.small_read.series.49",
		 "{\"ios\":20,\"bytes\":163840,\"mean_ns\":200000.0,\"max_ns\":200000}"},
		{"points.0.classes.large_read.ios", "150"},
		{"best.max_iops", "{\"value\":20.0,\"small\":3,\"large\":2,\"point\":1}"},
		{"best.max_mbps", "{\"value\":3.0,\"small\":3,\"large\":2,\"point\":1}"},
		{"best.min_latency_ns", "{\"value\":200000.0,\"small\":3,\"large\":2,\"point\":1}"},
	};
	struct results *results = *state;
	json_t *root;

	sample_append(results, 3, 2, POINT_OK, 1000, 200000, 150);
	root = document(results);
	assert_members(root, members, COUNT(members));
	assert_int_equal(json_object_size(at(root, "points.0.classes")), 2);
	assert_int_equal(json_array_size(at(root, "points.0.classes.small_read.series")), 50);
	json_decref(root);
}

static void a_class_without_ios_has_no_latency(void **state)
{
	static const struct member members[] = {
		{"points.0.status", "\"failed\""},
		{"points.0.classes.small_read.ios", "0"},
		{"points.0.classes.small_read.lat_ns", "null"},
		{"points.0.classes.small_read.few", "[]"},
		{"points.0.classes.small_read.hist", "[]"},
		{"points.0.classes.small_read.luns.0.mean_ns", "null"},
		{"points.0.classes.small_read.series.0",
		 "{\"ios\":0,\"bytes\":0,\"mean_ns\":null,\"max_ns\":null}"},
		{"points.0.classes.small_read.errors", "{\"EIO\":3,\"short\":1}"},
	};
	struct results *results = *state;
	struct point point = sample_point(1, 1, 0);
	struct measure measure;
	json_t *root;

	sample_measure(&measure, &point);
	tally_count_error(measure.classes[0][IO_READ]->errors, EIO, 3);
	tally_count_error(measure.classes[0][IO_READ]->errors, ERRNO_SHORT, 1);
	measure.classes[0][IO_READ]->luns[0].errors = 4;
	assert_int_equal(
		results_add(results, &point, POINT_FAILED, (struct timespec){1, 0}, &measure), 0);
	measure_release(&measure);
	root = document(results);
	assert_members(root, members, COUNT(members));
	json_decref(root);
}

static void there_is_no_nan_and_no_infinity(void **state)
{
	struct results *results = *state;
	json_t *root;

	sample_append(results, 1, 0, POINT_OK, 10, 1000, 0);
	results->points[0].seconds = NAN;
	results->points[0].cpu_user_s = INFINITY;
	root = document(results); /* the parser takes neither */
	assert_value(root, "points.0.seconds", "null");
	assert_value(root, "points.0.cpu.user_s", "null");
	json_decref(root);
}

static void doubles_are_read_back_as_they_were(void **state)
{
	static const double values[] = {0.1, 1.0 / 3.0, 271.58, 1e-300, 123456789.12345678};
	struct results *results = *state;
	char path[32];
	json_t *root;

	for (uint32_t i = 0; i < COUNT(values); i++) {
		sample_append(results, i + 1, 0, POINT_OK, 10, 1000, 0);
		results->points[i].seconds = values[i];
	}
	root = document(results);
	for (unsigned i = 0; i < COUNT(values); i++) {
		snprintf(path, sizeof(path), "points.%u.seconds", i);
		assert_true(json_number_value(at(root, path)) == values[i]);
	}
	json_decref(root);
}

static void bytes_that_are_no_utf8_stand_in_hex_beside(void **state)
{
	struct results *results = *state;
	json_t *root;

	free(results->luns[0].path);
	results->luns[0].path = strdup("/d/\xff\xc3\xa4");
	root = document(results);
	assert_string_equal(json_string_value(at(root, "luns.0.path")), "/d/\\xff\xc3\xa4");
	assert_value(root, "luns.0.path_hex", "\"2f642fffc3a4\"");
	assert_null(at(root, "testname_hex"));
	json_decref(root);
}

static void odd_but_valid_names_are_kept_as_they_are(void **state)
{
	static const char name[] = "a \"b\"\\,\t\n\x01\xe2\x82\xac";
	struct results *results = *state;
	json_t *root;

	free(results->run.testname);
	results->run.testname = strdup(name);
	root = document(results);
	assert_string_equal(json_string_value(at(root, "testname")), name);
	assert_null(at(root, "testname_hex"));
	json_decref(root);
}

static void times_carry_the_offset_of_the_run(void **state)
{
	static const struct {
		int32_t offset_s;
		const char *expected;
	} cases[] = {
		{0, "\"2026-03-29T08:57:00.123+00:00\""},
		{-12600, "\"2026-03-29T05:27:00.123-03:30\""},
		{20700, "\"2026-03-29T14:42:00.123+05:45\""},
	};
	struct results *results = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *root;

		results->run.utc_offset_s = cases[i].offset_s;
		root = document(results);
		assert_value(root, "started", cases[i].expected);
		json_decref(root);
	}
}

static void warnings_stand_at_the_run_and_at_their_point(void **state)
{
	struct results *results = *state;
	json_t *root;

	sample_append(results, 1, 0, POINT_OK, 10, 1000, 0);
	sample_append(results, 2, 0, POINT_OK, 10, 1000, 0);
	results_warn(results, "sparse", SEVERITY_SUSPECT, WARNING_NO_POINT, 0, "a hole");
	results_warn(results, "slow", SEVERITY_NOTE, 2, WARNING_NO_LUN, "it was slow");
	for (unsigned i = 0; i < 2; i++)
		results->warnings[i].raised = (struct timespec){1774774680, 500000000};
	root = document(results);
	assert_value(root, "warnings.0",
		     "{\"code\":\"sparse\",\"severity\":\"suspect\",\"text\":\"a hole\",\"lun\":0,"
		     "\"point\":null,\"raised\":\"2026-03-29T10:58:00.500+02:00\","
		     "\"after_points\":2}");
	assert_value(root, "points.0.warnings", "[]");
	assert_value(root, "points.1.warnings",
		     "[{\"code\":\"slow\",\"severity\":\"note\",\"text\":\"it was slow\",\"lun\":"
		     "null,\"point\":2,\"raised\":\"2026-03-29T10:58:00.500+02:00\","
		     "\"after_points\":2}]");
	json_decref(root);
}

static void an_interrupted_run_names_its_signal(void **state)
{
	struct results *results = *state;
	json_t *root;

	results->run.status = RUN_INTERRUPTED;
	results->run.signal = SIGINT;
	root = document(results);
	assert_value(root, "status", "\"interrupted\"");
	assert_value(root, "signal", "\"SIGINT\"");
	json_decref(root);
}

static void each_point_is_a_line_of_its_own(void **state)
{
	struct results *results = *state;
	char *text;
	unsigned lines = 0;

	for (uint32_t i = 1; i <= 30; i++)
		sample_append(results, i, 0, POINT_OK, i, 1000, 0);
	text = sample_render(results, json_render);
	assert_non_null(text);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		if (strncmp(line, "{\"number\":", 10) == 0)
			lines++;
	assert_int_equal(lines, 30);
	free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_setup, sample_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_run_is_told_whole),
		TEST(what_is_unknown_is_null),
		TEST(what_is_known_of_a_block_device_is_told),
		TEST(a_point_is_told_whole),
		TEST(a_class_without_ios_has_no_latency),
		TEST(there_is_no_nan_and_no_infinity),
		TEST(doubles_are_read_back_as_they_were),
		TEST(bytes_that_are_no_utf8_stand_in_hex_beside),
		TEST(odd_but_valid_names_are_kept_as_they_are),
		TEST(times_carry_the_offset_of_the_run),
		TEST(warnings_stand_at_the_run_and_at_their_point),
		TEST(an_interrupted_run_names_its_signal),
		TEST(each_point_is_a_line_of_its_own),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
