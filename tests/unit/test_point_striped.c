/* One point on striped LUNs, on a scripted device and clock: where its I/Os go, and what counts
 * where one of them lies on several LUNs. SPDX-License-Identifier: MIT */
#include "point_helpers.h"

#define HALF (512 * BYTES_KIB)

static int setup(void **state)
{
	struct bench *bench;

	point_setup(state);
	bench = *state;
	bench->target.lun_count = 2;
	bench->target.stripe_bytes = 256 * BYTES_KIB;
	return 0;
}

static struct load *add_large(struct bench *bench, uint32_t level)
{
	return add(bench, "large", PATTERN_RANDOM, BYTES_MIB, level, 1);
}

/* What calib says it issued to each LUN is what the engine got. */
static void assert_issued_as_seen(const struct bench *bench)
{
	struct io_count seen[LUNS] = {{0}};

	assert_true(fake_engine.submitted < FAKE_SEEN_MAX);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		struct io_count *count = &seen[fake_engine.seen[i].file];
		bool write = fake_engine.seen[i].dir == IO_WRITE;

		count->reads += !write;
		count->read_bytes += write ? 0 : fake_engine.seen[i].bytes;
		count->writes += write;
		count->write_bytes += write ? fake_engine.seen[i].bytes : 0;
	}
	assert_memory_equal(seen, bench->issued, sizeof(seen));
}

/* 64 and 32 MiB: 4 in 6 of the blocks lie on the first; of 8,000 sigma is 42. */
static void random_ios_are_spread_by_the_sizes_of_the_luns(void **state)
{
	struct bench *bench = *state;
	uint64_t on_second = 0;

	bench->usable[1] = 32 * BYTES_MIB;
	fake_engine.servers = 8;
	add_small(bench, 8);
	run(bench);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		assert_int_equal(fake_engine.seen[i].bytes, 8192);
		assert_int_equal(fake_engine.seen[i].offset % 8192, 0);
		assert_true(fake_engine.seen[i].offset + 8192 <=
			    bench->usable[fake_engine.seen[i].file]);
		on_second += fake_engine.seen[i].file;
	}
	assert_in_range(fake_engine.submitted, 7990, 8016);
	assert_in_range(on_second, 2420, 2920);
	assert_issued_as_seen(bench);
}

/* Two streams, each on half of the rows of both LUNs: block after block, from LUN to LUN. */
static void streams_go_from_lun_to_lun_in_their_parts(void **state)
{
	struct bench *bench = *state;
	uint64_t last[2] = {UINT64_MAX, UINT64_MAX};

	bench->target.stripe_bytes = BYTES_MIB;
	add_streams(bench, 2, 4);
	run(bench);
	assert_int_equal(fake_engine.in_flight_most, 8);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		uint64_t row = fake_engine.seen[i].offset / BYTES_MIB;
		uint64_t block = 2 * row + fake_engine.seen[i].file;
		unsigned stream = block >= 64;

		assert_int_equal(fake_engine.seen[i].bytes, BYTES_MIB);
		assert_true(block < 128);
		if (last[stream] != UINT64_MAX)
			assert_int_equal(block % 64, (last[stream] + 1) % 64);
		last[stream] = block % 64;
	}
	assert_issued_as_seen(bench);
}

/* Four stripes on two LUNs: two requests of half the size, 100 us and then 200. */
static void split_io_is_one_io_with_one_latency(void **state)
{
	struct bench *bench = *state;
	const struct tally *tally;

	add_large(bench, 1);
	run(bench);
	tally = reads(bench, 0);
	assert_int_equal(bench->status, POINT_OK);
	assert_int_equal(fake_engine.in_flight_most, 2);
	assert_int_equal(tally->latency.total, 499);
	assert_int_equal(tally->latency.min_ns, 200000);
	assert_int_equal(tally->latency.max_ns, 200000);
	assert_int_equal(tally->in_flight_ns, 100 * NS_PER_MS);
	assert_int_equal(tally->luns[0].ios, 499);
	assert_int_equal(tally->luns[1].ios, 499);
	assert_int_equal(tally->luns[0].elsewhere_bytes, 499 * HALF);
	/* a block is two rows, so each begins on the first LUN, whose part is done first */
	assert_int_equal(tally->luns[0].sum_ns, UINT64_C(499) * 100000);
	assert_int_equal(tally->luns[1].sum_ns, UINT64_C(499) * 200000);
	assert_int_equal(bench->issued[0].reads, 500);
	assert_int_equal(bench->issued[0].read_bytes, 500 * HALF);
	assert_issued_as_seen(bench);
}

/* One stream of two I/Os: from one to the next, on both LUNs, the offset rises by half an I/O. */
static void split_streams_stay_in_order(void **state)
{
	struct bench *bench = *state;

	add_streams(bench, 1, 2);
	run(bench);
	assert_int_equal(fake_engine.in_flight_most, 4);
	assert_int_equal(fake_engine.submitted % 2, 0);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		assert_int_equal(fake_engine.seen[i].file, i % 2);
		assert_int_equal(fake_engine.seen[i].bytes, HALF);
		if (i >= 2)
			assert_int_equal(fake_engine.seen[i].offset,
					 (fake_engine.seen[i - 2].offset + HALF) %
						 (64 * BYTES_MIB));
	}
	assert_issued_as_seen(bench);
}

/* 64 and 32 MiB: beyond the end of the smaller one an I/O lies on the larger alone. */
static void io_of_the_last_zone_is_one_request(void **state)
{
	struct bench *bench = *state;
	unsigned alone = 0;

	bench->usable[1] = 32 * BYTES_MIB;
	add_large(bench, 3);
	run(bench);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		bool beyond = fake_engine.seen[i].offset >= 32 * BYTES_MIB;

		assert_int_equal(fake_engine.seen[i].bytes, beyond ? BYTES_MIB : HALF);
		assert_false(beyond && fake_engine.seen[i].file == 1);
		alone += beyond;
	}
	assert_true(alone > 0 && alone < fake_engine.submitted);
	assert_issued_as_seen(bench);
}

static void split_and_whole_ios_share_a_worker(void **state)
{
	struct bench *bench = *state;

	add_small(bench, 3);
	add_large(bench, 2);
	bench->point.ramp_ns = 10 * NS_PER_MS;
	run(bench);
	assert_int_equal(bench->measure.threads, 1);
	assert_int_equal(fake_engine.in_flight_most, 3 + 2 * 2);
	assert_int_equal(reads(bench, 0)->in_flight_ns, 3 * 100 * NS_PER_MS);
	assert_int_equal(reads(bench, 1)->in_flight_ns, 2 * 100 * NS_PER_MS);
	assert_int_equal(reads(bench, 0)->luns[0].elsewhere_bytes, 0);
	assert_issued_as_seen(bench);
}

static void parts_of_writes_have_data_of_their_own(void **state)
{
	struct bench *bench = *state;

	add_large(bench, 3)->write_pct = 100;
	bench->point.duration_ns = 20 * NS_PER_MS;
	run(bench);
	assert_true(fake_engine.submitted >= 200);
	for (uint64_t i = 0; i < fake_engine.submitted; i++)
		for (uint64_t j = 0; j < i; j++)
			assert_true(fake_engine.seen[i].data != fake_engine.seen[j].data);
	assert_issued_as_seen(bench);
}

/* On the upper half of the second LUN nothing can be read: one in two of 500, sigma is 11. */
static void failed_part_fails_the_io(void **state)
{
	struct bench *bench = *state;
	const struct tally *tally;

	fake_engine.fail_code = -EIO;
	fake_engine.fail_file = 1;
	fake_engine.fail_begin = 32 * BYTES_MIB;
	fake_engine.fail_end = UINT64_MAX;
	add_large(bench, 1);
	run(bench);
	tally = reads(bench, 0);
	assert_int_equal(bench->status, POINT_OK);
	assert_int_equal(tally->errors[0].code, EIO);
	assert_in_range(tally->errors[0].count, 190, 310);
	assert_int_equal(tally->luns[1].errors, tally->errors[0].count);
	assert_int_equal(tally->luns[0].errors, 0);
	assert_int_equal(tally->latency.total, tally->luns[0].ios);
	assert_int_equal(tally->latency.total, tally->luns[1].ios);
	assert_in_range(tally->latency.total + tally->errors[0].count, 499, 500);
	assert_int_equal(bench->measure.first_failure.code, EIO);
	assert_int_equal(bench->measure.first_failure.lun, 1);
	assert_int_equal(bench->measure.first_failure.bytes, HALF);
	assert_issued_as_seen(bench);
}

/* Both LUNs fail: one I/O, but an error of each. */
static void each_lun_has_its_own_errors(void **state)
{
	struct bench *bench = *state;

	fake_engine.fail_first = 2;
	fake_engine.fail_code = -ETIMEDOUT;
	add_large(bench, 1);
	run(bench);
	assert_int_equal(reads(bench, 0)->errors[0].count, 1);
	assert_int_equal(reads(bench, 0)->luns[0].errors, 1);
	assert_int_equal(reads(bench, 0)->luns[1].errors, 1);
	assert_issued_as_seen(bench);
}

static void short_part_is_a_failure(void **state)
{
	struct bench *bench = *state;

	fake_engine.short_every = 10;
	add_large(bench, 1);
	run(bench);
	assert_int_equal(reads(bench, 0)->errors[0].code, ERRNO_SHORT);
	assert_int_equal(reads(bench, 0)->errors[0].count, 100);
}

static void lun_that_only_fails_ends_all_ios_that_need_it(void **state)
{
	struct bench *bench = *state;

	fake_engine.fail_code = -EIO;
	fake_engine.fail_file = 1;
	fake_engine.fail_end = UINT64_MAX;
	fake_engine.service_ns = 1000;
	add_large(bench, 1);
	run(bench);
	assert_int_equal(bench->status, POINT_FAILED);
	assert_int_equal(reads(bench, 0)->errors[0].count, 1000);
	assert_int_equal(reads(bench, 0)->luns[0].errors, 0);
	assert_int_equal(fake_engine.submitted, 2000);
	assert_issued_as_seen(bench);
}

/* The second LUN is shorter and fails: what lies on the other two alone goes on. */
static void ios_beside_a_dropped_lun_go_on(void **state)
{
	struct bench *bench = *state;
	const struct tally *tally;

	bench->target.lun_count = 3;
	bench->usable[1] = 32 * BYTES_MIB;
	fake_engine.fail_code = -EIO;
	fake_engine.fail_file = 1;
	fake_engine.fail_end = UINT64_MAX;
	fake_engine.service_ns = 10000;
	bench->point.duration_ns = 300 * NS_PER_MS;
	add_large(bench, 1);
	run(bench);
	tally = reads(bench, 0);
	assert_int_equal(bench->status, POINT_FAILED);
	assert_int_equal(tally->luns[1].ios, 0);
	assert_int_equal(tally->luns[1].errors, 1000);
	assert_true(fake_engine.seen[fake_engine.submitted - 1].offset >= 32 * BYTES_MIB);
	assert_int_equal(bench->measure.end_ns - bench->measure.start_ns, 300 * NS_PER_MS);
	assert_issued_as_seen(bench);
}

/* A thread for each I/O, whose parts it reads one after the other. */
static void engine_of_depth_one_takes_parts_in_turn(void **state)
{
	struct bench *bench = *state;

	fake_engine_ops.max_depth = 1;
	add_large(bench, 1);
	run(bench);
	assert_int_equal(bench->measure.threads, 1);
	assert_int_equal(fake_engine.in_flight_most, 1);
	assert_int_equal(reads(bench, 0)->latency.total, 499);
	assert_int_equal(reads(bench, 0)->latency.max_ns, 200000);
	assert_int_equal(reads(bench, 0)->luns[0].sum_ns, UINT64_C(499) * 100000);
	assert_int_equal(reads(bench, 0)->in_flight_ns, 100 * NS_PER_MS);
	assert_issued_as_seen(bench);
}

static void workers_are_as_many_as_the_parts_need(void **state)
{
	struct bench *bench = *state;

	fake_engine_ops.max_depth = 4;
	fake_engine.meet = 8;
	add_large(bench, 4);
	run(bench);
	assert_int_equal(bench->measure.threads, 2);
	assert_int_equal(fake_engine.in_flight_most, 8);
	assert_issued_as_seen(bench);
}

/* One stream cannot be dealt to two workers: of its four requests the engine holds three. */
static void parts_beyond_the_engines_depth_wait(void **state)
{
	struct bench *bench = *state;

	fake_engine_ops.max_depth = 3;
	add_streams(bench, 1, 2);
	run(bench);
	assert_int_equal(fake_engine.in_flight_most, 3);
	assert_int_equal(reads(bench, 0)->in_flight_ns, 2 * 100 * NS_PER_MS);
	assert_in_range(reads(bench, 0)->latency.total, 498, 500);
	assert_issued_as_seen(bench);
}

static void parts_come_back_from_a_broken_engine(void **state)
{
	struct bench *bench = *state;

	fake_engine.break_after = 101;
	add_large(bench, 3);
	assert_int_equal(run_with(bench, NULL), -EIO);
	assert_issued_as_seen(bench);
}

static void stripe_that_fits_no_load_is_an_error(void **state)
{
	struct bench *bench = *state;

	bench->target.stripe_bytes = 384 * BYTES_KIB;
	add_large(bench, 1);
	assert_int_equal(run_with(bench, NULL), -EINVAL);
	assert_int_equal(fake_engine.submitted, 0);
}

#define POINT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, bench_teardown)

/* The second part of each I/O waits for the first, since the engine holds only one. */
static void parts_that_wait_are_not_handed_in_after_a_failure(void **state)
{
	struct bench *bench = *state;

	fake_engine_ops.max_depth = 1;
	fake_engine.break_after = 101; /* the first part of the 51st I/O */
	add_large(bench, 1);
	assert_int_equal(run_with(bench, NULL), -EIO);
	assert_int_equal(fake_engine.submitted, 101);
	assert_issued_as_seen(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POINT_TEST(random_ios_are_spread_by_the_sizes_of_the_luns),
		POINT_TEST(streams_go_from_lun_to_lun_in_their_parts),
		POINT_TEST(split_io_is_one_io_with_one_latency),
		POINT_TEST(split_streams_stay_in_order),
		POINT_TEST(io_of_the_last_zone_is_one_request),
		POINT_TEST(split_and_whole_ios_share_a_worker),
		POINT_TEST(parts_of_writes_have_data_of_their_own),
		POINT_TEST(failed_part_fails_the_io),
		POINT_TEST(each_lun_has_its_own_errors),
		POINT_TEST(short_part_is_a_failure),
		POINT_TEST(lun_that_only_fails_ends_all_ios_that_need_it),
		POINT_TEST(ios_beside_a_dropped_lun_go_on),
		POINT_TEST(engine_of_depth_one_takes_parts_in_turn),
		POINT_TEST(workers_are_as_many_as_the_parts_need),
		POINT_TEST(parts_beyond_the_engines_depth_wait),
		POINT_TEST(parts_come_back_from_a_broken_engine),
		POINT_TEST(parts_that_wait_are_not_handed_in_after_a_failure),
		POINT_TEST(stripe_that_fits_no_load_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
