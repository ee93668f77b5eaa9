/* Engines compared on a scripted device and clock: which one is taken, and why.
 * SPDX-License-Identifier: MIT */
#include "calib/engine_probe.h"
#include "calib/stop.h"
#include "calib/units.h"

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

#define LUNS	     2
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int fds[LUNS] = {-1, -1};
static const uint64_t usable[LUNS] = {64 * BYTES_MIB, 64 * BYTES_MIB};
static const unsigned kinds[LUNS] = {0, 1};

/* An engine that adds @costly_ns to each I/O of the fake one. */
static struct engine_ops costly_ops;
static uint64_t costly_ns;

static struct engine *costly_open(const struct engine_config *config, struct error *err)
{
	struct engine *engine = fake_engine_ops.open(config, err);

	if (engine)
		engine->ops = &costly_ops;
	return engine;
}

static int costly_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	int code;

	fake_engine.service_ns += costly_ns;
	code = fake_engine_ops.submit(engine, ios, count);
	fake_engine.service_ns -= costly_ns;
	return code;
}

struct bench {
	struct io_memory memory;
	struct run_target target;
	struct engine_probe probe;
	struct io_count issued[LUNS];
	char reason[512];
	struct error err;
};

/* The costly engine is the one to fall back on; 100 us an I/O and 16 servers. */
static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	fake_engine_reset();
	fake_engine.servers = 16;
	fake_clock_set(5000 * NS_PER_MS);
	fake_clock_step(0);
	costly_ops = fake_engine_ops;
	costly_ops.name = "costly";
	costly_ops.open = costly_open;
	costly_ops.submit = costly_submit;
	costly_ns = 100000;
	assert_int_equal(io_memory_init(&bench->memory, 64 * BYTES_MIB, PAGES_AUTO, &bench->err),
			 0);
	bench->target = (struct run_target){
		.engine = &fake_engine_ops,
		.fds = fds,
		.usable_bytes = usable,
		.lun_count = LUNS,
		.seed = 1,
		.memory = &bench->memory,
	};
	bench->probe = (struct engine_probe){
		.engines = {&costly_ops, &fake_engine_ops},
		.count = 2,
		.luns = kinds,
		.lun_count = 1,
		.bytes = 8192,
		.top = 8,
		.slice_ns = 10 * NS_PER_MS,
	};
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	io_memory_release(&bench->memory);
	free(bench);
	return 0;
}

static int run(struct bench *bench)
{
	return engine_probe_run(&bench->probe, &bench->target, NULL, bench->issued, bench->reason,
				sizeof(bench->reason), &bench->err);
}

static void an_engine_has_to_be_sooner_and_no_slower(void **state)
{
	static const struct {
		struct engine_figures first, other;
		bool better;
	} cases[] = {
		/* perf figures of a device in memory: 26 us against 7, and the same at the top */
		{{26000, 305000}, {7000, 337000}, true},
		{{26000, 305000}, {7000, 300000}, true},
		{{26000, 305000}, {7000, 295000}, false},
		{{26000, 305000}, {4800, 139000}, false},
		/* 10 % sooner, and a little less */
		{{110001, 0}, {100000, 0}, true},
		{{110000, 0}, {100001, 0}, false},
		{{100000, 0}, {100000, 500000}, false},
		{{100000, 0}, {200000, 0}, false},
		/* what could not be measured proves nothing */
		{{0, 0}, {7000, 0}, false},
		{{26000, 0}, {0, 0}, false},
		/* nor does one that could not keep the top */
		{{26000, 305000}, {7000, 0}, false},
		{{26000, 0}, {7000, 305000}, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(engine_is_better(&cases[i].first, &cases[i].other),
				 cases[i].better);
}

/* Each has to be better than the one that it takes the place of. */
static void the_best_of_three_is_picked(void **state)
{
	static const struct {
		struct engine_figures figures[3];
		unsigned picked;
	} cases[] = {
		{{{26000, 305000}, {7000, 337000}, {4800, 139000}}, 1},
		{{{26000, 305000}, {7000, 337000}, {4800, 320000}}, 1},
		{{{26000, 305000}, {7000, 337000}, {4800, 330000}}, 2},
		{{{26000, 305000}, {24000, 337000}, {4800, 305000}}, 2},
		{{{38000, 318000}, {37000, 308000}, {36000, 200000}}, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(engine_pick(cases[i].figures, 3), cases[i].picked);
}

/* In 10 ms 50 and 100 times 8 I/Os, of which the last 8 are back when the time is over. */
static void the_soonest_is_taken_and_the_figures_are_told(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(run(bench), 1);
	assert_string_equal(bench->reason, "for one read at a time costly 200.0 us, fake 100.0 us; "
					   "reads a second at 8 outstanding costly 39200, fake "
					   "79200");
}

static void what_was_read_is_counted(void **state)
{
	struct bench *bench = *state;

	bench->probe.lun_count = 2;
	assert_int_equal(run(bench), 1);
	assert_true(bench->issued[0].reads > 0);
	assert_true(bench->issued[1].reads > 0);
	assert_int_equal(bench->issued[0].reads + bench->issued[1].reads, fake_engine.submitted);
	assert_int_equal(bench->issued[0].read_bytes, bench->issued[0].reads * 8192);
	assert_int_equal(bench->issued[0].writes, 0);
	assert_int_equal(fake_engine.submitted, fake_engine.reaped);
}

static void one_that_is_hardly_sooner_is_not_taken(void **state)
{
	struct bench *bench = *state;

	costly_ns = 9000;
	assert_int_equal(run(bench), 0);
	assert_string_equal(bench->reason, "for one read at a time costly 109.0 us, fake 100.0 us");
}

/* 8 or 9 I/Os of one slice, whatever the other might do. */
static void on_slow_storage_the_first_is_taken_at_once(void **state)
{
	struct bench *bench = *state;

	fake_engine.service_ns = 1180000;
	costly_ns = 20000;
	assert_int_equal(run(bench), 0);
	assert_in_range(fake_engine.submitted, 8, 10);
	assert_string_equal(bench->reason, "for one read at a time costly 1200.0 us");
}

static void an_engine_that_fails_is_not_taken(void **state)
{
	struct bench *bench = *state;

	fake_engine.fail_first = 1000000;
	fake_engine.fail_code = -EIO;
	assert_int_equal(run(bench), 0);
	assert_string_equal(bench->reason, "");
}

static void a_stop_ends_it(void **state)
{
	struct bench *bench = *state;
	struct stop stop = {.fd = eventfd(0, 0)};

	fake_engine.on_reap = &stop;
	assert_int_equal(engine_probe_run(&bench->probe, &bench->target, &stop, bench->issued,
					  bench->reason, sizeof(bench->reason), &bench->err),
			 -EINTR);
	assert_string_equal(bench->err.text, "stopped before the first point");
	close(stop.fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_engine_has_to_be_sooner_and_no_slower),
		cmocka_unit_test(the_best_of_three_is_picked),
		TEST(the_soonest_is_taken_and_the_figures_are_told),
		TEST(what_was_read_is_counted),
		TEST(one_that_is_hardly_sooner_is_not_taken),
		TEST(on_slow_storage_the_first_is_taken_at_once),
		TEST(an_engine_that_fails_is_not_taken),
		TEST(a_stop_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
