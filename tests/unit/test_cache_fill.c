/* Cache filling on a scripted device and clock, run by calibrate(). SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "calibrate_helpers.h"

#define MIB BYTES_MIB
#define MS  NS_PER_MS

/* asked so often; the @refused-th time it is not ready */
static unsigned asked, refused;

static int setup(void **state)
{
	struct bench *bench;

	calibrate_setup(state);
	bench = *state;
	asked = refused = 0;
	bench->spec.num_large = 1;
	return 0;
}

/* Each I/O of 1 MiB has a part on either LUN, and is moved once. */
static void split_ios_are_moved_once(void **state)
{
	struct bench *bench = *state;

	use_luns(bench, 2);
	bench->target.stripe_bytes = MIB / 2;
	bench->spec.layout = LAYOUT_RAID0;
	bench->spec.stripe_bytes = MIB / 2;
	given(bench, SPEC_STRIPE);
	bench->spec.cache_bytes = 8 * MIB;
	run(bench);
	assert_int_equal(bench->results.points[0].filled_bytes, 8 * MIB);
}

/* A size that is no multiple: 11 I/Os for 10.5 MiB, before the first of the stream's. */
static void a_size_is_moved_in_whole_ios(void **state)
{
	struct bench *bench = *state;
	const struct point_result *point;

	bench->spec.cache_bytes = 10 * MIB + MIB / 2;
	run(bench);
	assert_int_equal(bench->results.point_count, 1);
	point = &bench->results.points[0];
	assert_int_equal(point->filled_bytes, 11 * MIB);
	/* 11 at 100 us each, one after the other */
	assert_true(point->filled_s >= 0.0011);
	assert_int_equal(bench->results.luns[0].issued.reads, fake_engine.submitted);
	assert_int_equal(bench->results.luns[0].issued.read_bytes, fake_engine.submitted * MIB);
	/* the first 11 are all on their way before one is back */
	assert_int_equal(fake_engine.in_flight_most, 11);
	assert_int_equal(point->classes[0][IO_READ].ios, 999);
}

static void filling_is_random_and_the_streams_go_on_from_elsewhere(void **state)
{
	struct bench *bench = *state;
	unsigned in_order = 0;

	bench->spec.cache_bytes = 64 * MIB;
	run(bench);
	for (unsigned i = 1; i < 64; i++) {
		assert_int_equal(fake_engine.seen[i].offset % MIB, 0);
		in_order += fake_engine.seen[i].offset == fake_engine.seen[i - 1].offset + MIB;
	}
	assert_in_range(in_order, 0, 8); /* one in 64 by chance */
	for (unsigned i = 65; i < 128; i++)
		assert_int_equal(fake_engine.seen[i].offset,
				 (fake_engine.seen[i - 1].offset + MIB) % LUN_BYTES);
}

/* The clock goes on with each I/O: 100 ms are 1,000 of them. */
static void a_time_is_kept(void **state)
{
	struct bench *bench = *state;

	bench->spec.cache_fill_ns = 100 * MS;
	run(bench);
	assert_in_range(bench->results.points[0].filled_bytes, 1000 * MIB, 1033 * MIB);
	assert_true(bench->results.points[0].filled_s >= 0.1);
	assert_int_equal(fake_engine.in_flight_most, 32);
}

static void nothing_is_filled_where_nobody_asks(void **state)
{
	struct bench *bench = *state;

	run(bench);
	assert_int_equal(bench->results.points[0].filled_bytes, 0);
	assert_true(bench->results.points[0].filled_s == 0);
	assert_int_equal(fake_engine.in_flight_most, 4);
}

static void random_points_are_not_filled_before(void **state)
{
	struct bench *bench = *state;

	bench->spec.orion = true; /* which takes the option, and random large I/Os */
	bench->spec.cache_bytes = 64 * MIB;
	bench->spec.num_small = 1;
	given(bench, SPEC_CACHE_SIZE);
	run(bench);
	assert_int_equal(bench->results.points[0].filled_bytes, 0);
}

static void junk_is_read_before_reads_and_written_before_writes(void **state)
{
	struct bench *bench = *state;

	bench->spec.cache_bytes = 16 * MIB;
	bench->spec.write_pct = 100;
	bench->spec.overwrite = true;
	run(bench);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(fake_engine.seen[i].dir, IO_WRITE);
	for (uint64_t i = 0; i < fake_engine.submitted; i++)
		for (uint64_t j = 0; j < i; j++)
			assert_true(fake_engine.seen[i].data != fake_engine.seen[j].data);
	assert_int_equal(bench->results.luns[0].issued.writes, fake_engine.submitted);
	assert_int_equal(bench->results.luns[0].issued.reads, 0);
}

/* 30 % of one stream is none: the point only reads, and so does what comes before it. */
static void a_point_that_only_reads_is_never_written_before(void **state)
{
	struct bench *bench = *state;

	bench->spec.cache_bytes = 64 * MIB;
	bench->spec.write_pct = 30;
	bench->spec.overwrite = true;
	run(bench);
	assert_int_equal(bench->results.luns[0].issued.writes, 0);
	assert_int_equal(bench->results.points[0].filled_bytes, 64 * MIB);
}

static void a_stop_ends_the_filling_without_a_point(void **state)
{
	struct bench *bench = *state;
	struct stop stop = {.fd = eventfd(0, 0)};

	bench->spec.cache_fill_ns = 3600 * 1000 * MS;
	fake_engine.on_reap = &stop;
	assert_int_equal(run_with(bench, &stop), 0);
	close(stop.fd);
	assert_int_equal(bench->results.point_count, 0);
	assert_int_equal(bench->results.run.status, RUN_INTERRUPTED);
	assert_true(bench->results.luns[0].issued.reads > 0);
	assert_int_equal(bench->results.luns[0].issued.reads, fake_engine.submitted);
}

static int ready(void *arg, struct error *err)
{
	(void)arg;
	return ++asked == refused ? error_say(err, -EPERM, "not now") : 0;
}

static void nothing_is_sent_before_all_is_ready(void **state)
{
	static const struct observer observer = {.ready = ready};
	struct bench *bench = *state;

	bench->spec.cache_bytes = 10 * MIB;
	refused = 1;
	assert_int_equal(run_seen(bench, NULL, &observer), -ECANCELED);
	assert_string_equal(bench->err.text, "not now");
	assert_int_equal(fake_engine.submitted, 0);
	assert_int_equal(bench->results.point_count, 0);
	/* the filling was, the point is not */
	refused = 3;
	assert_int_equal(run_seen(bench, NULL, &observer), -ECANCELED);
	assert_int_equal(fake_engine.submitted, 10);
	assert_int_equal(bench->results.point_count, 0);
}

static void a_failed_io_of_the_filling_is_told(void **state)
{
	struct bench *bench = *state;

	bench->spec.cache_bytes = 8 * MIB;
	fake_engine.fail_code = -EIO;
	fake_engine.fail_first = 1;
	run(bench);
	assert_int_equal(bench->results.points[0].filled_bytes, 7 * MIB);
	assert_int_equal(bench->results.warning_count, 1);
	assert_string_equal(bench->results.warnings[0].code, "io_errors");
	assert_int_equal(bench->results.warnings[0].point, WARNING_NO_POINT);
	assert_non_null(
		strstr(bench->results.warnings[0].text,
		       "filling the cache before small=0 large=1: 1 I/Os failed; first: read "
		       "of 1048576 bytes"));
	assert_int_equal(results_failed_ios(&bench->results), 0);
}

/* The second of two LUNs answers nothing: given up after 1,000, and the rest goes to the first. */
static void a_lun_that_is_given_up_in_the_filling_is_told(void **state)
{
	struct bench *bench = *state;
	const struct warning *warning;
	unsigned long long failed = 0;
	int length = 0;

	use_luns(bench, 2);
	bench->spec.cache_bytes = 4096 * MIB;
	fake_engine.fail_code = -EIO;
	fake_engine.fail_file = 1;
	fake_engine.fail_end = LUN_BYTES;
	run(bench);
	/* once for the filling, and once for the point, whose stream gets there too */
	assert_int_equal(bench->results.warning_count, 2);
	warning = &bench->results.warnings[0];
	assert_string_equal(warning->code, "io_errors");
	assert_int_equal(warning->point, WARNING_NO_POINT);
	assert_int_equal(warning->lun, 1);
	assert_int_equal(sscanf(warning->text,
				"filling the cache before small=0 large=1: %llu I/Os failed, LUN "
				"given up for the filling; first: read of 1048576 bytes%n",
				&failed, &length),
			 1);
	assert_true(length > 0);
	assert_non_null(strstr(warning->text, "'/dev/sdy': Input/output error (EIO)"));
	/* those in flight as it was given up may fail, too */
	assert_in_range(failed, 1000, 1031);
	assert_int_equal(bench->results.points[0].filled_bytes, (4096 - failed) * MIB);
	assert_int_equal(bench->results.warnings[1].point, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_size_is_moved_in_whole_ios),
		TEST(split_ios_are_moved_once),
		TEST(filling_is_random_and_the_streams_go_on_from_elsewhere),
		TEST(a_time_is_kept),
		TEST(nothing_is_filled_where_nobody_asks),
		TEST(random_points_are_not_filled_before),
		TEST(junk_is_read_before_reads_and_written_before_writes),
		TEST(a_point_that_only_reads_is_never_written_before),
		TEST(a_stop_ends_the_filling_without_a_point),
		TEST(a_failed_io_of_the_filling_is_told),
		TEST(a_lun_that_is_given_up_in_the_filling_is_told),
		TEST(nothing_is_sent_before_all_is_ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
