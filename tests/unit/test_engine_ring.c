/* io_uring that is refused, in part or at times: whether it is taken, and what is said.
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "engine_script.h"

static bool forbidden_here(struct bench *bench)
{
	struct engine *engine = open_engine(bench, "io_uring");

	if (engine) {
		engine->ops->close(engine);
		return false;
	}
	print_message("io_uring cannot be had here: %s\n", bench->err.text);
	return true;
}

static void old_kernels_get_a_ring_without_flags(void **state)
{
	struct bench *bench = *state;
	struct engine *engine;

	if (forbidden_here(bench))
		skip();
	script.rings_asked = 0;
	script.ring_flags_known = 0;
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	assert_int_equal(script.rings_asked, 3);
	assert_int_equal(read_all(bench, engine, -1), 0);
	engine->ops->close(engine);
}

static void io_uring_works_without_registration(void **state)
{
	struct bench *bench = *state;
	struct engine *engine;

	if (forbidden_here(bench))
		skip();
	script.register_files = -EMFILE;
	script.register_buffers = -ENOMEM;
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	assert_int_equal(read_all(bench, engine, -1), 0);
	engine->ops->close(engine);
}

/* Opens all right, and the choice says what it has to do without. */
static void assert_without(struct bench *bench, const char *text)
{
	const struct engine_ops *ops = choose(bench, "io_uring");

	assert_non_null(ops);
	if (strcmp(bench->reason, text) != 0)
		fail_msg("'%s', expected '%s'", bench->reason, text);
}

static void what_was_not_registered_is_named(void **state)
{
	struct bench *bench = *state;
	struct rlimit before, limit;

	if (forbidden_here(bench))
		skip();
	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
	assert_without(bench, "asked for");
	script.register_files = -EPERM;
	assert_without(bench, "asked for; without registered files (Operation not permitted)");
	script.register_buffers = -ENOMEM;
	limit = (struct rlimit){.rlim_cur = 16384, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	assert_without(bench, "asked for; without registered files (Operation not permitted) and "
			      "registered buffers (RLIMIT_MEMLOCK 16 KiB)");
	script.register_files = 0;
	assert_without(bench, "asked for; without registered buffers (RLIMIT_MEMLOCK 16 KiB)");
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &before), 0);
}

static void a_trial_does_not_take_all_buffers(void **state)
{
	struct bench *bench = *state;
	const size_t bytes = (size_t)200 << 20;
	struct rlimit before, limit;
	void *buffers;

	if (forbidden_here(bench))
		skip();
	buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(buffers != MAP_FAILED);
	bench->config.buffers = buffers;
	bench->config.buffers_bytes = bytes;
	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
	limit = (struct rlimit){.rlim_cur = 65536, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	assert_non_null(choose(bench, "io_uring"));
	assert_int_equal(script.buffers_bytes, (size_t)64 << 20);
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &before), 0);
	munmap(buffers, bytes);
}

static void a_ring_that_takes_no_request_is_not_taken(void **state)
{
	static const int codes[] = {-EPERM, -ENOSYS, -EOPNOTSUPP, -EBUSY, -EAGAIN};
	struct bench *bench = *state;
	const struct engine_ops *ops;

	if (forbidden_here(bench))
		skip();
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		script.enter = codes[i];
		script.enter_from = script.enters;
		assert_null(open_engine(bench, "io_uring"));
		assert_int_equal(bench->err.code, codes[i]);
		ops = choose(bench, "auto");
		assert_non_null(ops);
		assert_string_equal(ops->name, "libaio");
		assert_non_null(strstr(bench->reason, "no io_uring"));
		assert_non_null(strstr(bench->reason, strerror(-codes[i])));
	}
}

static void a_ring_that_is_busy_at_first_is_taken(void **state)
{
	struct bench *bench = *state;
	struct engine *engine;

	if (forbidden_here(bench))
		skip();
	script.enter = -EBUSY;
	script.enter_from = script.enters;
	script.enter_to = script.enters + 3;
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	assert_int_equal(read_all(bench, engine, -1), 0);
	engine->ops->close(engine);
}

static void a_ring_that_stays_busy_with_nothing_in_it_breaks(void **state)
{
	struct bench *bench = *state;
	struct io *batch[DEPTH] = {&bench->ios[0]};
	struct engine *engine;

	if (forbidden_here(bench))
		skip();
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	script.enter = -EBUSY;
	script.enter_from = script.enters;
	assert_int_equal(engine->ops->submit(engine, batch, 1), 0);
	assert_int_equal(engine->ops->reap(engine, batch, 1, DEPTH, UINT64_MAX), -EBUSY);
	engine->ops->close(engine);
}

static void a_busy_ring_waits_for_what_it_holds(void **state)
{
	struct bench *bench = *state;
	int ends[2];
	struct io *batch[2] = {&bench->ios[0], &bench->ios[1]};
	struct engine *engine;

	if (forbidden_here(bench))
		skip();
	assert_int_equal(pipe(ends), 0);
	bench->config.fds = ends;
	bench->config.fd_count = 2;
	bench->ios[0].fd = bench->ios[1].fd = ends[0];
	bench->ios[0].offset = bench->ios[1].offset = 0;
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	assert_int_equal(engine->ops->submit(engine, batch, 1), 0);
	assert_int_equal(engine->ops->reap(engine, batch, 1, 2, 1000000), 0); /* handed in */
	script.enter = -EBUSY;
	script.enter_from = script.enters;
	assert_int_equal(engine->ops->submit(engine, batch + 1, 1), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(engine->ops->reap(engine, batch, 1, 2, UINT64_MAX), 1);
	assert_ptr_equal(batch[0], &bench->ios[0]);
	assert_int_equal(bench->ios[0].result, 1);
	script.enter = 0;
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(engine->ops->reap(engine, batch, 1, 2, UINT64_MAX), 1);
	engine->ops->close(engine);
	close(ends[0]);
	close(ends[1]);
}

/* A write lease is given only where nobody else has the file open. */
static void a_ring_that_is_closed_holds_no_file(void **state)
{
	struct bench *bench = *state;
	char path[64];
	static int fd;

	if (forbidden_here(bench))
		skip();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	bench->config.fds = &fd;
	for (unsigned round = 0; round < 50; round++) {
		struct engine *engine;

		fd = open(path, O_RDONLY);
		assert_true(fd >= 0);
		engine = open_engine(bench, "io_uring");
		assert_non_null(engine);
		assert_int_equal(read_all(bench, engine, -1), 0);
		engine->ops->close(engine);
		close(fd);
		assert_int_equal(fcntl(bench->fd, F_SETLEASE, F_WRLCK), 0);
		assert_int_equal(fcntl(bench->fd, F_SETLEASE, F_UNLCK), 0);
	}
}

/* What lies on a file system in memory has nothing to poll: each read is refused, and comes back.
 */
static void a_ring_that_polls_is_asked_for_and_gives_all_back(void **state)
{
	struct bench *bench = *state;
	struct io *batch[DEPTH];
	struct engine *engine;
	unsigned back = 0;

	if (forbidden_here(bench))
		skip();
	bench->config.poll = true;
	script.rings_asked = 0;
	script.ring_flags_all = ~0u;
	script.ring_flags_known = IORING_SETUP_IOPOLL;
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	assert_int_equal(script.rings_asked, 3);
	assert_true(script.ring_flags_all & IORING_SETUP_IOPOLL);
	for (unsigned i = 0; i < DEPTH; i++)
		batch[i] = &bench->ios[i];
	assert_int_equal(engine->ops->submit(engine, batch, DEPTH), 0);
	while (back < DEPTH) {
		int got = engine->ops->reap(engine, batch, 1, DEPTH, UINT64_MAX);

		assert_in_range(got, 1, DEPTH - back);
		for (int i = 0; i < got; i++)
			assert_true(batch[i]->result == -EOPNOTSUPP ||
				    batch[i]->result == IO_BYTES);
		back += (unsigned)got;
	}
	engine->ops->close(engine);
}

/* What has come back by then is taken without a call that waits. */
static void a_ring_is_asked_before_it_waits(void **state)
{
	struct bench *bench = *state;
	struct io *batch[DEPTH];
	struct engine *engine;
	unsigned back = 0, waits;

	if (forbidden_here(bench))
		skip();
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	for (unsigned i = 0; i < DEPTH; i++)
		batch[i] = &bench->ios[i];
	engine->spins = 1000000; /* reads of a file in memory are back long before */
	waits = script.enters;
	assert_int_equal(engine->ops->submit(engine, batch, DEPTH), 0);
	while (back < DEPTH)
		back += (unsigned)engine->ops->reap(engine, batch, 1, DEPTH, UINT64_MAX);
	assert_int_equal(script.enters, waits);
	for (unsigned i = 0; i < DEPTH; i++)
		assert_int_equal(bench->ios[i].result, IO_BYTES);
	engine->ops->close(engine);
}

static void a_ring_that_waits_is_asked_for_without_poll(void **state)
{
	struct bench *bench = *state;
	struct engine *engine;

	if (forbidden_here(bench))
		skip();
	script.ring_flags_all = ~0u;
	engine = open_engine(bench, "io_uring");
	assert_non_null(engine);
	assert_false(script.ring_flags_all & IORING_SETUP_IOPOLL);
	engine->ops->close(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAIL_TEST(old_kernels_get_a_ring_without_flags),
		FAIL_TEST(io_uring_works_without_registration),
		FAIL_TEST(what_was_not_registered_is_named),
		FAIL_TEST(a_trial_does_not_take_all_buffers),
		FAIL_TEST(a_ring_that_takes_no_request_is_not_taken),
		FAIL_TEST(a_ring_that_is_busy_at_first_is_taken),
		FAIL_TEST(a_ring_that_stays_busy_with_nothing_in_it_breaks),
		FAIL_TEST(a_busy_ring_waits_for_what_it_holds),
		FAIL_TEST(a_ring_that_is_closed_holds_no_file),
		FAIL_TEST(a_ring_that_polls_is_asked_for_and_gives_all_back),
		FAIL_TEST(a_ring_is_asked_before_it_waits),
		FAIL_TEST(a_ring_that_waits_is_asked_for_without_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
