/* One point on a scripted device and clock: its workers, and how it ends before its time.
 * SPDX-License-Identifier: MIT */
#include <sched.h>

#include "point_helpers.h"

#define MS NS_PER_MS

static void slots_are_spread_over_the_workers_asked_for(void **state)
{
	struct bench *bench = *state;

	bench->target.threads = 3;
	fake_engine.meet = 7;
	add_small(bench, 7);
	run(bench);
	assert_int_equal(bench->measure.threads, 3);
	assert_int_equal(fake_engine.in_flight_most, 7);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
	assert_int_equal(bench->issued[0].reads, fake_engine.submitted);
}

static void no_more_workers_than_outstanding_ios(void **state)
{
	struct bench *bench = *state;

	bench->target.threads = 8;
	add_small(bench, 2);
	run(bench);
	assert_int_equal(bench->measure.threads, 2);
}

static unsigned cpus_here(void)
{
	cpu_set_t allowed;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	return (unsigned)CPU_COUNT(&allowed);
}

static void each_worker_has_a_cpu_of_its_own(void **state)
{
	struct bench *bench = *state;
	unsigned workers = cpus_here() < 8 ? cpus_here() : 8;

	bench->target.threads = workers;
	fake_engine.meet = workers;
	add_small(bench, workers);
	run(bench);
	assert_int_equal(fake_engine.pinned, workers);
	assert_int_equal(CPU_COUNT(&fake_engine.cpus), workers);
}

static void more_workers_than_cpus_are_left_alone(void **state)
{
	struct bench *bench = *state;

	if (cpus_here() < 2 || cpus_here() > 255)
		skip();
	bench->target.threads = cpus_here() + 1;
	fake_engine.meet = 256;
	add_small(bench, 256);
	run(bench);
	assert_int_equal(fake_engine.pinned, 0);
}

static void worker_with_many_ios_is_left_alone(void **state)
{
	struct bench *bench = *state;

	if (cpus_here() < 2)
		skip();
	add_small(bench, 5);
	run(bench);
	assert_int_equal(fake_engine.pinned, 0);
}

/* Where completions come sooner than a thread is woken, and the kernel's threads have a CPU. */
static void the_kernel_is_asked_before_a_short_sleep(void **state)
{
	static const struct {
		unsigned level, cpus;
		uint64_t service_ns;
		bool asked;
	} cases[] = {
		{4, 2, 6000, true},   {32, 2, 6000, true},   {3, 2, 6000, false},
		{33, 2, 6000, false}, {8, 2, 100000, false}, {8, 1, 6000, false},
	};
	struct bench *bench = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_engine_reset();
		fake_engine.service_ns = cases[i].service_ns;
		bench->target.cpus = cases[i].cpus;
		bench->point.load_count = 0;
		bench->point.duration_ns = 5 * MS;
		add_small(bench, cases[i].level);
		run(bench);
		if ((fake_engine.spins_most > 0) != cases[i].asked)
			fail_msg("case %zu: %u asks", i, fake_engine.spins_most);
		measure_release(&bench->measure);
	}
}

static void streams_stay_whole_and_no_worker_is_idle(void **state)
{
	struct bench *bench = *state;

	bench->target.threads = 5;
	fake_engine.meet = 9;
	add_small(bench, 1);
	add_streams(bench, 2, 4);
	run(bench);
	/* one small slot and two streams are dealt out */
	assert_int_equal(bench->measure.threads, 3);
	assert_int_equal(fake_engine.in_flight_most, 9);
	assert_int_equal(fake_engine.idle_opens, 0);
}

static void engine_of_depth_one_gets_a_worker_for_each_io(void **state)
{
	struct bench *bench = *state;

	fake_engine_ops.max_depth = 1;
	fake_engine.meet = 5;
	add_small(bench, 3);
	add_streams(bench, 1, 2);
	run(bench);
	assert_int_equal(bench->measure.threads, 5);
	assert_int_equal(fake_engine.in_flight_most, 5);
}

/* 150 are more than have tallies of their own */
static void workers_that_share_tallies_count_each_io_once(void **state)
{
	struct bench *bench = *state;
	const struct tally *tally;

	fake_engine_ops.max_depth = 1;
	fake_engine.meet = 150;
	add_small(bench, 150)->write_pct = 50;
	run(bench);
	assert_int_equal(bench->measure.threads, 150);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
	assert_int_equal(bench->issued[0].reads + bench->issued[0].writes, fake_engine.submitted);
	for (unsigned dir = 0; dir < IO_DIRS; dir++) {
		tally = bench->measure.classes[0][dir];
		assert_true(tally->latency.total > 0);
		assert_int_equal(tally->luns[0].ios, tally->latency.total);
		assert_int_equal(tally->series[0].ios, tally->latency.total);
	}
	assert_in_range(bench->measure.classes[0][IO_READ]->in_flight_ns +
				bench->measure.classes[0][IO_WRITE]->in_flight_ns,
			135 * 100 * MS, 150 * 100 * MS);
}

static void stop_ends_the_point_as_interrupted(void **state)
{
	struct bench *bench = *state;
	struct stop stop = {.fd = -1};

	atomic_store(&stop.signal, 15);
	bench->point.duration_ns = UINT64_C(1000000) * MS;
	fake_engine.service_ns = MS;
	add_small(bench, 1);
	assert_int_equal(run_with(bench, &stop), 0);
	assert_int_equal(bench->status, POINT_INTERRUPTED);
	assert_true(bench->measure.end_ns - bench->measure.start_ns < bench->point.duration_ns);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
}

static void stop_within_the_ramp_measures_nothing(void **state)
{
	struct bench *bench = *state;
	struct stop stop = {.fd = -1};

	atomic_store(&stop.signal, 2);
	bench->point.ramp_ns = UINT64_C(1000000) * MS;
	fake_engine.service_ns = MS;
	add_small(bench, 1);
	assert_int_equal(run_with(bench, &stop), 0);
	assert_int_equal(bench->status, POINT_INTERRUPTED);
	assert_int_equal(bench->measure.end_ns, bench->measure.start_ns);
	assert_int_equal(reads(bench, 0)->latency.total, 0);
}

static void stop_in_the_drain_leaves_the_point_whole(void **state)
{
	struct bench *bench = *state;
	struct stop stop = {.fd = -1};

	/* the only I/O outlasts the window: the stop is seen when that is over */
	fake_engine.service_ns = 500 * MS;
	add_small(bench, 1);
	fake_engine.on_reap = &stop;
	assert_int_equal(run_with(bench, &stop), 0);
	assert_int_equal(bench->status, POINT_OK);
	assert_int_equal(bench->measure.end_ns - bench->measure.start_ns, 100 * MS);
}

static void a_broken_engine_ends_the_other_workers(void **state)
{
	struct bench *bench = *state;

	bench->target.threads = 2;
	fake_engine.meet = 2;
	fake_engine.break_after = 100;
	fake_engine.service_ns = MS;
	bench->point.duration_ns = UINT64_C(1000000000) * MS;
	add_small(bench, 2);
	assert_int_equal(run_with(bench, NULL), -EIO);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
}

static void engine_that_does_not_open_is_an_error(void **state)
{
	struct bench *bench = *state;

	fake_engine.refuse_open = true;
	bench->target.threads = 2;
	add_small(bench, 4);
	assert_int_equal(run_with(bench, NULL), -EPERM);
	assert_non_null(strstr(bench->err.text, "refuses to open"));
	assert_int_equal(fake_engine.submitted, 0);
}

static void engine_that_breaks_is_an_error_and_its_ios_come_back(void **state)
{
	struct bench *bench = *state;

	fake_engine.break_after = 100;
	add_small(bench, 4);
	assert_int_equal(run_with(bench, NULL), -EIO);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
	assert_int_equal(bench->issued[0].reads, fake_engine.submitted);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, point_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(slots_are_spread_over_the_workers_asked_for),
		TEST(no_more_workers_than_outstanding_ios),
		TEST(each_worker_has_a_cpu_of_its_own),
		TEST(more_workers_than_cpus_are_left_alone),
		TEST(worker_with_many_ios_is_left_alone),
		TEST(the_kernel_is_asked_before_a_short_sleep),
		TEST(streams_stay_whole_and_no_worker_is_idle),
		TEST(engine_of_depth_one_gets_a_worker_for_each_io),
		TEST(workers_that_share_tallies_count_each_io_once),
		TEST(stop_ends_the_point_as_interrupted),
		TEST(stop_within_the_ramp_measures_nothing),
		TEST(stop_in_the_drain_leaves_the_point_whole),
		TEST(a_broken_engine_ends_the_other_workers),
		TEST(engine_that_does_not_open_is_an_error),
		TEST(engine_that_breaks_is_an_error_and_its_ios_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
