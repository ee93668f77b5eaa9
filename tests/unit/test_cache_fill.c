/* Cache filling on a scripted device and clock, run by calibrate(). SPDX-License-Identifier: MIT */
#include "calib/run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_engine.h"
/* needs the headers above */
#include <cmocka.h>

#define LUN_BYTES (UINT64_C(64) << 20)
#define MIB	  (UINT64_C(1) << 20)
#define MS	  UINT64_C(1000000)

struct bench {
	struct spec spec;
	struct io_memory memory;
	struct run_target target;
	struct results results;
	struct error err;
};

static const int fds[2] = {-1, -1};
static const uint64_t usable[2] = {LUN_BYTES, LUN_BYTES};

static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	fake_engine_reset();
	fake_clock_set(5000 * MS);
	fake_clock_step(0);
	spec_init(&bench->spec);
	bench->spec.run = RUN_ADVANCED;
	bench->spec.matrix = MATRIX_POINT;
	bench->spec.num_large = 1;
	bench->spec.ramp_ns = 0;
	bench->spec.duration_ns = 100 * MS;
	bench->spec.given = UINT64_C(1) << SPEC_MATRIX | UINT64_C(1) << SPEC_NUM_SMALL |
			    UINT64_C(1) << SPEC_NUM_LARGE | UINT64_C(1) << SPEC_DURATION;
	assert_int_equal(io_memory_init(&bench->memory, 64 << 20, PAGES_AUTO, &bench->err), 0);
	bench->target = (struct run_target){
		.engine = &fake_engine_ops,
		.fds = fds,
		.usable_bytes = usable,
		.lun_count = 1,
		.seed = 1,
		.data_seed = 1,
		.memory = &bench->memory,
	};
	bench->results.luns = calloc(1, sizeof(bench->results.luns[0]));
	bench->results.luns[0].path = strdup("/dev/sdx");
	bench->results.lun_count = 1;
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	results_release(&bench->results);
	io_memory_release(&bench->memory);
	free(bench);
	return 0;
}

static int run_with(struct bench *bench, struct stop *stop)
{
	const struct plan_limits limits = {
		.lun_count = bench->target.lun_count,
		.buffer_bytes = UINT64_C(1) << 40,
		.outstanding = LEVEL_MAX,
	};
	const struct observer nobody = {0};
	struct plan *plan;
	int code;

	assert_int_equal(spec_settle(&bench->spec, &bench->err), 0);
	plan = plan_new(&bench->spec, &limits, &bench->err);
	assert_non_null(plan);
	code = calibrate(plan, &bench->target, stop, &nobody, &bench->results, &bench->err);
	plan_free(plan);
	return code;
}

static void run(struct bench *bench)
{
	assert_int_equal(run_with(bench, NULL), 0);
}

/* Each I/O of 1 MiB has a part on either LUN, and is moved once. */
static void split_ios_are_moved_once(void **state)
{
	struct bench *bench = *state;

	bench->results.luns = realloc(bench->results.luns, 2 * sizeof(bench->results.luns[0]));
	assert_non_null(bench->results.luns);
	bench->results.luns[1] = (struct lun_info){.path = strdup("/dev/sdy")};
	bench->results.lun_count = bench->target.lun_count = 2;
	bench->target.stripe_bytes = MIB / 2;
	bench->spec.layout = LAYOUT_RAID0;
	bench->spec.stripe_bytes = MIB / 2;
	bench->spec.given |= UINT64_C(1) << SPEC_STRIPE;
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
	bench->spec.given |= UINT64_C(1) << SPEC_CACHE_SIZE;
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
	assert_non_null(strstr(bench->results.warnings[0].text,
			       "filling the cache before small=0 large=1: I/Os failed; first: read "
			       "of 1048576 bytes"));
	assert_int_equal(results_failed_ios(&bench->results), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
