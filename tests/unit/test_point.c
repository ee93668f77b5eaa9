/* One point on a scripted device and clock: what is counted, and when a LUN is given up.
 * SPDX-License-Identifier: MIT */
#include "point_helpers.h"

#define MS NS_PER_MS

static uint64_t failures(const struct tally *tally)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ERROR_KINDS_MAX; i++)
		sum += tally->errors[i].count;
	return sum;
}

/* One server, 100 us, 100 ms: 1,000 I/Os; the last ends as the window does and is not in it. */
static void one_outstanding_completes_once_a_service_time(void **state)
{
	struct bench *bench = *state;

	add_small(bench, 1);
	run(bench);
	assert_int_equal(bench->status, POINT_OK);
	assert_int_equal(reads(bench, 0)->latency.total, 999);
	assert_int_equal(reads(bench, 0)->latency.min_ns, 100000);
	assert_int_equal(reads(bench, 0)->latency.max_ns, 100000);
	assert_int_equal(bench->measure.end_ns - bench->measure.start_ns, 100 * MS);
	assert_int_equal(reads(bench, 0)->in_flight_ns, 100 * MS);
	assert_int_equal(bench->issued[0].reads, 1000);
	assert_int_equal(bench->issued[0].read_bytes, 1000 * 8192);
	assert_int_equal(bench->issued[0].writes, 0);
}

/* Little: 4 servers and 16 outstanding make 40,000 a second and 400 us each. */
static void asked_outstanding_are_kept(void **state)
{
	struct bench *bench = *state;
	const struct tally *tally;

	fake_engine.servers = 4;
	add_small(bench, 16);
	bench->point.ramp_ns = 10 * MS;
	run(bench);
	tally = reads(bench, 0);
	assert_int_equal(fake_engine.in_flight_most, 16);
	assert_int_equal(tally->in_flight_ns, 16 * 100 * MS);
	assert_in_range(tally->latency.total, 3990, 4004);
	assert_int_equal(tally->latency.min_ns, 400000);
	assert_int_equal(tally->latency.max_ns, 400000);
}

static void ramp_and_drain_are_issued_but_not_counted(void **state)
{
	struct bench *bench = *state;
	const struct lun_tally *lun;

	add_small(bench, 1);
	bench->point.ramp_ns = 50 * MS;
	run(bench);
	lun = &reads(bench, 0)->luns[0];
	/* completions at 0.1, 0.2, ... 150.0 ms; counted are those from 50.0 to 149.9 */
	assert_int_equal(lun->ios, 1000);
	assert_int_equal(lun->unmeasured, 500);
	assert_int_equal(bench->issued[0].reads, 1500);
	assert_int_equal(fake_engine.submitted, 1500);
	assert_int_equal(fake_engine.reaped, 1500);
}

static void series_sums_equal_the_totals(void **state)
{
	struct bench *bench = *state;
	uint64_t ios = 0, sum_ns = 0;

	fake_engine.servers = 3;
	add_small(bench, 7);
	bench->point.duration_ns = 1050 * MS;
	run(bench);
	assert_int_equal(bench->measure.interval_ns, 100 * MS);
	assert_int_equal(bench->measure.interval_count, 11);
	for (unsigned i = 0; i < 11; i++) {
		assert_true(reads(bench, 0)->series[i].ios > 0);
		ios += reads(bench, 0)->series[i].ios;
		sum_ns += reads(bench, 0)->series[i].sum_ns;
	}
	assert_int_equal(ios, reads(bench, 0)->latency.total);
	assert_int_equal(sum_ns, reads(bench, 0)->latency.sum_ns);
	assert_in_range(reads(bench, 0)->series[0].ios, 2990, 3003);
	assert_in_range(reads(bench, 0)->series[10].ios, 1490, 1503);
}

/* Two streams of 4 I/Os on 64 blocks: halves, each in order, wrapping. */
static void streams_keep_to_their_parts_in_order(void **state)
{
	struct bench *bench = *state;
	uint64_t last[2] = {UINT64_MAX, UINT64_MAX};

	add_streams(bench, 2, 4);
	run(bench);
	assert_int_equal(fake_engine.in_flight_most, 8);
	assert_in_range(fake_engine.submitted, 1000, 1010);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		uint64_t block = fake_engine.seen[i].offset >> 20;
		unsigned stream = block >= 32;

		assert_int_equal(fake_engine.seen[i].bytes, 1 << 20);
		assert_true(block < 64);
		if (last[stream] != UINT64_MAX)
			assert_int_equal(block, 32 * stream + (last[stream] + 1) % 32);
		last[stream] = block % 32;
	}
}

static void classes_are_counted_apart(void **state)
{
	struct bench *bench = *state;

	add_small(bench, 3);
	add_streams(bench, 1, 2);
	run(bench);
	assert_int_equal(fake_engine.in_flight_most, 5);
	assert_int_equal(bench->measure.classes[0][IO_READ]->in_flight_ns, 3 * 100 * MS);
	assert_int_equal(bench->measure.classes[1][IO_READ]->in_flight_ns, 2 * 100 * MS);
	assert_null(bench->measure.classes[0][IO_WRITE]);
	assert_null(bench->measure.classes[2][IO_READ]);
	assert_int_equal(bench->issued[0].read_bytes,
			 fake_engine.submitted * 8192 +
				 (bench->measure.classes[1][IO_READ]->luns[0].ios +
				  bench->measure.classes[1][IO_READ]->luns[0].unmeasured) *
					 ((1 << 20) - 8192));
}

/* 1,000 I/Os: 300 +/- 4.1 standard deviations of 14.5. */
static void random_ios_write_with_the_given_probability(void **state)
{
	struct bench *bench = *state;
	uint64_t writes = 0;

	add_small(bench, 1);
	bench->point.loads[0].write_pct = 30;
	run(bench);
	for (uint64_t i = 0; i < fake_engine.submitted; i++)
		writes += fake_engine.seen[i].dir == IO_WRITE;
	assert_in_range(writes, 240, 360);
	assert_int_equal(bench->issued[0].writes, writes);
	assert_int_equal(bench->issued[0].write_bytes, writes * 8192);
	assert_int_equal(bench->issued[0].reads, fake_engine.submitted - writes);
	assert_in_range(bench->measure.classes[0][IO_WRITE]->latency.total, writes - 1, writes);
}

static void each_write_has_data_of_its_own(void **state)
{
	struct bench *bench = *state;

	add_small(bench, 4);
	bench->target.threads = 2;
	bench->point.loads[0].write_pct = 100;
	run(bench);
	assert_null(bench->measure.classes[0][IO_READ]);
	assert_true(fake_engine.submitted >= 1000);
	for (uint64_t i = 0; i < fake_engine.submitted; i++)
		for (uint64_t j = 0; j < i; j++)
			assert_true(fake_engine.seen[i].data != fake_engine.seen[j].data);
}

/* Four streams on 64 blocks, half of them: the second and the fourth write, and nothing else. */
static void streams_read_or_write_as_a_whole(void **state)
{
	struct bench *bench = *state;

	add_streams(bench, 4, 2);
	bench->point.loads[0].write_pct = 50;
	run(bench);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		uint64_t stream = (fake_engine.seen[i].offset >> 20) / 16;

		assert_int_equal(fake_engine.seen[i].dir == IO_WRITE, stream % 2);
	}
	assert_true(bench->issued[0].writes > 0 && bench->issued[0].reads > 0);
}

/* One stream at 30 %: none writes, and the class of writes is not there. */
static void a_share_too_small_for_one_stream_writes_nothing(void **state)
{
	struct bench *bench = *state;

	add_streams(bench, 1, 4);
	bench->point.loads[0].write_pct = 30;
	run(bench);
	assert_int_equal(bench->issued[0].writes, 0);
	assert_null(bench->measure.classes[0][IO_WRITE]);
	assert_non_null(bench->measure.classes[0][IO_READ]);
}

static void random_offsets_are_aligned_and_cover_both_luns(void **state)
{
	struct bench *bench = *state;
	uint64_t on_second = 0;

	bench->target.lun_count = 2;
	fake_engine.servers = 8;
	add_small(bench, 8);
	run(bench);
	assert_in_range(fake_engine.submitted, 7990, 8016);
	for (uint64_t i = 0; i < fake_engine.submitted; i++) {
		assert_int_equal(fake_engine.seen[i].offset % 8192, 0);
		assert_true(fake_engine.seen[i].offset <= LUN_BYTES - 8192);
		on_second += fake_engine.seen[i].file;
	}
	/* half of 8,000: sigma is 45 */
	assert_in_range(on_second, 3730, 4270);
	assert_int_equal(bench->issued[0].reads + bench->issued[1].reads, fake_engine.submitted);
	assert_int_equal(bench->issued[1].reads, on_second);
}

static void same_seed_gives_the_same_offsets(void **state)
{
	struct bench *bench = *state;
	uint64_t first[64];

	add_small(bench, 4);
	run(bench);
	for (unsigned i = 0; i < 64; i++)
		first[i] = fake_engine.seen[i].offset;
	measure_release(&bench->measure);
	fake_engine_reset();
	run(bench);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(fake_engine.seen[i].offset, first[i]);
	measure_release(&bench->measure);
	fake_engine_reset();
	bench->target.seed = 2;
	run(bench);
	assert_int_not_equal(fake_engine.seen[0].offset, first[0]);
}

static void failed_ios_take_no_part_in_latency(void **state)
{
	struct bench *bench = *state;
	const struct tally *tally;

	fake_engine.fail_code = -EIO;
	fake_engine.fail_begin = LUN_BYTES / 2;
	fake_engine.fail_end = UINT64_MAX;
	add_small(bench, 1);
	run(bench);
	tally = reads(bench, 0);
	assert_int_equal(bench->status, POINT_OK);
	assert_int_equal(tally->errors[0].code, EIO);
	/* half of 1,000: sigma is 16 */
	assert_in_range(tally->errors[0].count, 420, 580);
	assert_int_equal(tally->errors[0].count, tally->luns[0].errors);
	assert_int_equal(tally->latency.total + tally->luns[0].unmeasured + tally->luns[0].errors,
			 bench->issued[0].reads);
	assert_int_equal(bench->measure.first_failure.code, EIO);
	assert_true(bench->measure.first_failure.offset >= LUN_BYTES / 2);
	assert_int_equal(bench->measure.first_failure.bytes, 8192);
}

static void short_transfers_are_failures(void **state)
{
	struct bench *bench = *state;

	fake_engine.short_every = 10;
	add_small(bench, 1);
	run(bench);
	assert_int_equal(reads(bench, 0)->errors[0].code, ERRNO_SHORT);
	assert_in_range(reads(bench, 0)->errors[0].count, 99, 100);
}

static void lun_is_given_up_after_a_thousand_failures_in_a_row(void **state)
{
	struct bench *bench = *state;

	fake_engine.fail_code = -EIO;
	fake_engine.fail_end = UINT64_MAX;
	fake_engine.service_ns = 1000;
	add_small(bench, 1);
	run(bench);
	assert_int_equal(bench->status, POINT_FAILED);
	assert_int_equal(failures(reads(bench, 0)), 1000);
	assert_int_equal(fake_engine.submitted, 1000);
	assert_true(bench->measure.end_ns <= bench->measure.start_ns + 2 * MS);
}

static void lun_is_given_up_after_a_second_of_nothing_but_failures(void **state)
{
	struct bench *bench = *state;

	fake_engine.fail_code = -EIO;
	fake_engine.fail_end = UINT64_MAX;
	fake_engine.service_ns = 10 * MS;
	bench->point.duration_ns = 5000 * MS;
	add_small(bench, 1);
	run(bench);
	assert_int_equal(bench->status, POINT_FAILED);
	/* failures at 10, 20, ... 1010 ms: the last one is a second after the first */
	assert_int_equal(failures(reads(bench, 0)), 101);
}

static void workers_that_fail_at_the_same_moment_do_not_end_a_lun(void **state)
{
	struct bench *bench = *state;

	/* each of 8 workers fails once, all with the clock standing still */
	bench->target.threads = 8;
	fake_engine.meet = 8;
	fake_engine.fail_first = 8;
	fake_engine.fail_code = -EIO;
	add_small(bench, 8);
	run(bench);
	assert_int_equal(bench->status, POINT_OK);
	assert_int_equal(failures(reads(bench, 0)), 8);
}

static void a_new_streak_begins_after_a_good_io(void **state)
{
	struct bench *bench = *state;

	/* one in three is short, so that failures of one streak never span a second */
	fake_engine.short_every = 3;
	fake_engine.service_ns = 400 * MS;
	bench->point.duration_ns = 10000 * MS;
	add_small(bench, 1);
	run(bench);
	assert_int_equal(bench->status, POINT_OK);
	assert_in_range(failures(reads(bench, 0)), 8, 9);
}

static void other_luns_go_on_without_the_one_given_up(void **state)
{
	struct bench *bench = *state;

	fake_engine.fail_code = -EIO;
	fake_engine.fail_file = 1;
	fake_engine.fail_end = UINT64_MAX;
	fake_engine.service_ns = 10000;
	bench->target.lun_count = 2;
	bench->point.duration_ns = 1000 * MS;
	add_small(bench, 2);
	run(bench);
	assert_int_equal(bench->status, POINT_FAILED);
	assert_in_range(reads(bench, 0)->luns[1].errors, 1000, 1001);
	assert_int_equal(reads(bench, 0)->luns[1].ios, 0);
	assert_true(reads(bench, 0)->luns[0].ios > 90000);
	assert_int_equal(bench->measure.end_ns - bench->measure.start_ns, 1000 * MS);
}

#define POINT_TEST(name) cmocka_unit_test_setup_teardown(name, point_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		POINT_TEST(one_outstanding_completes_once_a_service_time),
		POINT_TEST(asked_outstanding_are_kept),
		POINT_TEST(ramp_and_drain_are_issued_but_not_counted),
		POINT_TEST(series_sums_equal_the_totals),
		POINT_TEST(streams_keep_to_their_parts_in_order),
		POINT_TEST(classes_are_counted_apart),
		POINT_TEST(random_ios_write_with_the_given_probability),
		POINT_TEST(each_write_has_data_of_its_own),
		POINT_TEST(streams_read_or_write_as_a_whole),
		POINT_TEST(a_share_too_small_for_one_stream_writes_nothing),
		POINT_TEST(random_offsets_are_aligned_and_cover_both_luns),
		POINT_TEST(same_seed_gives_the_same_offsets),
		POINT_TEST(failed_ios_take_no_part_in_latency),
		POINT_TEST(short_transfers_are_failures),
		POINT_TEST(lun_is_given_up_after_a_thousand_failures_in_a_row),
		POINT_TEST(lun_is_given_up_after_a_second_of_nothing_but_failures),
		POINT_TEST(workers_that_fail_at_the_same_moment_do_not_end_a_lun),
		POINT_TEST(a_new_streak_begins_after_a_good_io),
		POINT_TEST(other_luns_go_on_without_the_one_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
