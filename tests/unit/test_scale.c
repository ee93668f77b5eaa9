/* How many workers a point gets, where what a trial shows is a script. SPDX-License-Identifier: MIT
 */
#include "run/run_private.h"

#include "run_helpers.h"

int __wrap_point_run(const struct run_target *target, const struct point *point, struct stop *stop,
		     const struct observer *observer, struct measure *measure,
		     struct io_count issued[], enum point_status *status, struct error *err);

/*
 * @ios:    in a trial, by workers; the last counts for more of them, too
 * @busy:   in percent, by workers
 * @code, @status: what each trial answers
 * @trials: so far; @seeds, @data_seeds: of them; @most: workers of any; @slice_ns: of the last
 */
static struct script {
	uint64_t ios[9];
	unsigned busy[9];
	int code;
	enum point_status status;
	struct stop *stopped_by_first;
	unsigned trials;
	unsigned most;
	unsigned readied;
	uint64_t slice_ns;
	uint64_t seeds[32], data_seeds[32];
} script;

int __wrap_point_run(const struct run_target *target, const struct point *point, struct stop *stop,
		     const struct observer *observer, struct measure *measure,
		     struct io_count issued[], enum point_status *status, struct error *err)
{
	unsigned workers = target->threads;

	*measure = (struct measure){0};
	assert_in_range(workers, 1, 8);
	assert_true(script.trials < 32);
	script.seeds[script.trials] = target->seed;
	script.data_seeds[script.trials++] = target->data_seed;
	script.most = workers > script.most ? workers : script.most;
	script.slice_ns = point->duration_ns;
	assert_int_equal(point->ramp_ns, 0);
	assert_null(observer->tick);
	if (observer->ready && observer->ready(observer->arg, err) < 0)
		return -ECANCELED;
	if (script.stopped_by_first)
		atomic_store(&script.stopped_by_first->signal, 15);
	(void)stop;
	issued[0].reads += script.ios[workers];
	*measure = (struct measure){.start_ns = 1,
				    .end_ns = 1 + point->duration_ns,
				    .lun_count = 1,
				    .interval_count = 1,
				    .busiest = script.busy[workers] / 100.0};
	measure->classes[0][IO_READ] = tally_new(1, 1);
	assert_non_null(measure->classes[0][IO_READ]);
	measure->classes[0][IO_READ]->latency.total = script.ios[workers];
	*status = script.status;
	return script.code;
}

static int setup(void **state)
{
	struct bench *bench;

	bench_setup(state);
	bench = *state;
	script = (struct script){
		.ios = {0, 1000, 1900, 0, 3600, 0, 0, 0, 3700},
		.busy = {0, 100, 100, 0, 99, 0, 0, 0, 98},
	};
	bench->target.cpus = 8;
	bench->point = (struct point){.number = 3,
				      .repeat = 1,
				      .small = 64,
				      .load_count = 1,
				      .ramp_ns = NS_PER_S,
				      .duration_ns = 10 * NS_PER_S};
	bench->point.loads[0] = (struct load){
		.pattern = PATTERN_RANDOM, .bytes = 8192, .level = 64, .per_level = 1};
	*state = bench;
	return 0;
}

static unsigned scaled_with(struct bench *bench, struct stop *stop)
{
	static const struct observer nobody;
	unsigned workers = 77;

	assert_int_equal(scale_workers(&bench->target, &bench->point, stop, &nobody, bench->issued,
				       &workers, &bench->err),
			 0);
	return workers;
}

static unsigned scaled(struct bench *bench)
{
	return scaled_with(bench, NULL);
}

static void workers_double_while_that_brings_more(void **state)
{
	/* one, then three pairs of one and two, two and four, four and eight */
	assert_int_equal(scaled(*state), 4);
	assert_int_equal(script.most, 8);
	assert_int_equal(script.trials, 1 + 3 * 6);
	assert_int_equal(script.slice_ns, 30 * NS_PER_MS);
}

static void an_idle_worker_is_enough(void **state)
{
	script.busy[1] = 89;
	assert_int_equal(scaled(*state), 1);
	assert_int_equal(script.trials, 1);
}

static void two_that_are_not_busy_are_enough(void **state)
{
	script.busy[2] = 50;
	assert_int_equal(scaled(*state), 2);
}

static void a_tenth_more_is_worth_a_worker(void **state)
{
	script.ios[2] = 1099;
	assert_int_equal(scaled(*state), 1);
	script.ios[2] = 1101;
	script.busy[2] = 0;
	assert_int_equal(scaled(*state), 2);
}

static void never_more_than_cpus_or_slots(void **state)
{
	struct bench *bench = *state;

	bench->target.cpus = 2;
	assert_int_equal(scaled(bench), 2);
	assert_int_equal(script.most, 2);
	bench->target.cpus = 1;
	script.trials = 0;
	assert_int_equal(scaled(bench), 0);
	bench->target.cpus = 8;
	bench->point.loads[0].level = 1;
	assert_int_equal(scaled(bench), 0);
	assert_int_equal(script.trials, 0);
}

static void what_was_asked_for_is_not_tried(void **state)
{
	struct bench *bench = *state;

	bench->target.threads = 5;
	assert_int_equal(scaled(bench), 5);
	bench->target.threads = 0;
	fake_engine_ops.max_depth = 1; /* a thread for each I/O anyway */
	assert_int_equal(scaled(bench), 0);
	assert_int_equal(script.trials, 0);
}

static void short_points_have_short_trials(void **state)
{
	struct bench *bench = *state;

	bench->point.duration_ns = 100 * NS_PER_MS;
	scaled(bench);
	assert_int_equal(script.slice_ns, 5 * NS_PER_MS);
	bench->point.duration_ns = NS_PER_MS;
	script.trials = 0;
	scaled(bench);
	assert_int_equal(script.slice_ns, NS_PER_MS);
}

static void trials_leave_the_point_its_places_and_data(void **state)
{
	struct bench *bench = *state;

	scaled(bench);
	for (unsigned i = 0; i < script.trials; i++) {
		assert_int_not_equal(script.seeds[i], bench->target.seed);
		assert_int_not_equal(script.data_seeds[i], bench->target.data_seed);
		for (unsigned j = 0; j < i; j++)
			assert_true(script.data_seeds[i] != script.data_seeds[j] &&
				    script.seeds[i] != script.seeds[j]);
	}
	assert_int_equal(bench->issued[0].reads,
			 1000 + 3 * (1000 + 1900 + 1900 + 3600 + 3600 + 3700));
}

static void trials_that_fail_decide_nothing(void **state)
{
	script.code = -EIO;
	assert_int_equal(scaled(*state), 1);
	script.code = 0;
	script.status = POINT_FAILED;
	assert_int_equal(scaled(*state), 1);
}

static void a_stop_ends_the_trials(void **state)
{
	struct stop stop = {.fd = -1};

	script.stopped_by_first = &stop;
	assert_int_equal(scaled_with(*state, &stop), 1);
	assert_int_equal(script.trials, 1);
}

static int refuse(void *arg, struct error *err)
{
	(void)arg;
	return error_say(err, -EBUSY, "not now");
}

static void the_last_look_comes_before_a_trial(void **state)
{
	struct bench *bench = *state;
	const struct observer refusing = {.ready = refuse};
	unsigned workers;

	assert_int_equal(scale_workers(&bench->target, &bench->point, NULL, &refusing,
				       bench->issued, &workers, &bench->err),
			 -ECANCELED);
	assert_string_equal(bench->err.text, "not now");
	assert_int_equal(script.trials, 1);
	assert_int_equal(bench->issued[0].reads, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(workers_double_while_that_brings_more),
		TEST(an_idle_worker_is_enough),
		TEST(two_that_are_not_busy_are_enough),
		TEST(a_tenth_more_is_worth_a_worker),
		TEST(never_more_than_cpus_or_slots),
		TEST(what_was_asked_for_is_not_tried),
		TEST(short_points_have_short_trials),
		TEST(trials_leave_the_point_its_places_and_data),
		TEST(trials_that_fail_decide_nothing),
		TEST(a_stop_ends_the_trials),
		TEST(the_last_look_comes_before_a_trial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
