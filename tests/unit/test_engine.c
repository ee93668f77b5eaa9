/* One conformance test for all engines, and the choice among them. SPDX-License-Identifier: MIT */
#include "calib/engine.h"
#include "calib/random.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

#define FILES	   4 /* three to read, one that cannot be read */
#define WRITE_ONLY 3
#define FILE_BYTES (512 * 1024 + 512) /* not a multiple of the I/O: the last one is short */
#define IO_BYTES   4096
#define ROUNDS	   20 /* submissions of each slot, in the mean */

struct bench {
	char paths[FILES][64];
	int fds[FILES];
};

/* What each 8 bytes of a file hold: which file, and where. */
static uint64_t word_at(uint32_t file, uint64_t offset)
{
	return ((uint64_t)(file + 1) << 48) + offset;
}

static void fill_file(int fd, uint32_t file)
{
	uint64_t *words = malloc(FILE_BYTES);

	assert_non_null(words);
	for (uint64_t i = 0; i < FILE_BYTES / 8; i++)
		words[i] = word_at(file, i * 8);
	assert_int_equal(write(fd, words, FILE_BYTES), FILE_BYTES);
	free(words);
}

static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	for (uint32_t i = 0; i < FILES; i++) {
		int fd;

		strcpy(bench->paths[i], "/tmp/calib_engine_XXXXXX");
		fd = mkstemp(bench->paths[i]);
		assert_true(fd >= 0);
		fill_file(fd, i);
		close(fd);
		bench->fds[i] = open(bench->paths[i], i == WRITE_ONLY ? O_WRONLY : O_RDONLY);
		assert_true(bench->fds[i] >= 0);
	}
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	for (unsigned i = 0; i < FILES; i++) {
		close(bench->fds[i]);
		unlink(bench->paths[i]);
	}
	free(bench);
	return 0;
}

static void on_alarm(int number)
{
	(void)number;
}

/* A signal every millisecond, whose handler lets system calls end with EINTR. */
static void interrupt_calls(bool on)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const struct itimerval timer = {
		.it_interval = {.tv_usec = on ? 1000 : 0},
		.it_value = {.tv_usec = on ? 1000 : 0},
	};

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

struct slot {
	struct io io;
	bool in_flight;
	int32_t expected;
};

static void prepare(struct slot *slot, struct random *random, const int fds[])
{
	struct io *io = &slot->io;

	io->file = (uint32_t)random_below(random, FILES);
	io->fd = fds[io->file];
	io->offset = random_below(random, FILE_BYTES / IO_BYTES + 2) * IO_BYTES;
	io->bytes = IO_BYTES;
	io->dir = IO_READ;
	io->result = 12345;
	if (io->file == WRITE_ONLY)
		slot->expected = -EBADF;
	else if (io->offset >= FILE_BYTES)
		slot->expected = 0;
	else if (io->offset + IO_BYTES > FILE_BYTES)
		slot->expected = (int32_t)(FILE_BYTES - io->offset);
	else
		slot->expected = IO_BYTES;
	memset(io->buffer, 0xee, IO_BYTES);
}

static void check(struct slot *slot)
{
	const uint64_t *words = slot->io.buffer;

	assert_true(slot->in_flight);
	slot->in_flight = false;
	assert_int_equal(slot->io.result, slot->expected);
	for (int32_t i = 0; i < slot->io.result / 8; i++)
		assert_int_equal(words[i],
				 word_at(slot->io.file, slot->io.offset + (uint64_t)i * 8));
}

/*
 * Keep up to @depth slots going: batches of random size in and out, until @total came back.
 */
static void exercise(struct engine *engine, struct slot slots[], unsigned depth, uint64_t total,
		     const int fds[])
{
	struct io **batch = calloc(depth, sizeof(*batch));
	struct random random;
	uint64_t submitted = 0;
	uint64_t reaped = 0;

	assert_non_null(batch);
	random_seed(&random, 7, depth);
	while (reaped < total) {
		unsigned wanted = (unsigned)random_below(&random, depth) + 1;
		unsigned count = 0;
		int got;

		for (unsigned i = 0; i < depth && count < wanted && submitted < total; i++) {
			if (slots[i].in_flight)
				continue;
			prepare(&slots[i], &random, fds);
			slots[i].in_flight = true;
			batch[count++] = &slots[i].io;
			submitted++;
		}
		assert_int_equal(engine->ops->submit(engine, batch, count), 0);
		got = engine->ops->reap(engine, batch, 1, depth, UINT64_MAX);
		assert_true(got >= 0);
		for (int i = 0; i < got; i++)
			check(batch[i]->source);
		reaped += (uint64_t)got;
		assert_true(reaped <= submitted);
	}
	assert_int_equal(engine->ops->reap(engine, batch, 0, depth, 0), 0);
	free(batch);
}

static void conform(const struct bench *bench, const struct engine_ops *ops, unsigned depth)
{
	size_t bytes = (size_t)depth * IO_BYTES;
	void *buffers =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct slot *slots = calloc(depth, sizeof(*slots));
	const struct engine_config config = {
		.depth = depth,
		.fds = bench->fds,
		.fd_count = FILES,
		.buffers = buffers,
		.buffers_bytes = bytes,
	};
	struct error err = {0};
	struct engine *engine;

	assert_true(buffers != MAP_FAILED);
	assert_non_null(slots);
	for (unsigned i = 0; i < depth; i++)
		slots[i].io = (struct io){.buffer = (char *)buffers + (size_t)i * IO_BYTES,
					  .source = &slots[i]};
	engine = ops->open(&config, &err);
	if (!engine)
		fail_msg("%s at depth %u: %s", ops->name, depth, err.text);
	exercise(engine, slots, depth, (uint64_t)depth * ROUNDS, bench->fds);
	ops->close(engine);
	free(slots);
	munmap(buffers, bytes);
}

/* io_uring is forbidden in many containers: then the others are tested. */
static bool works_here(const struct engine_ops *ops)
{
	const struct engine_config config = {.depth = 1};
	struct error err = {0};
	struct engine *engine = ops->open(&config, &err);

	if (!engine && err.code != -EPERM && err.code != -ENOSYS)
		fail_msg("%s: %s", ops->name, err.text);
	if (!engine) {
		print_message("left out: %s\n", err.text);
		return false;
	}
	ops->close(engine);
	return true;
}

static void every_io_comes_back_once_with_its_result(void **state)
{
	static const unsigned depths[] = {1, 7, 256, 4096};

	for (unsigned e = 0; engine_table[e]; e++) {
		if (strcmp(engine_table[e]->name, "null") == 0 || !works_here(engine_table[e]))
			continue;
		for (unsigned d = 0; d < 4; d++) {
			if (depths[d] > engine_table[e]->max_depth)
				continue;
			conform(*state, engine_table[e], depths[d]);
			interrupt_calls(true);
			conform(*state, engine_table[e], depths[d]);
			interrupt_calls(false);
		}
	}
}

static void buffers_outside_the_region_work_too(void **state)
{
	const struct bench *bench = *state;
	static uint64_t buffer[IO_BYTES / 8];

	for (unsigned e = 0; engine_table[e]; e++) {
		const struct engine_config config = {
			.depth = 1, .fds = bench->fds, .fd_count = FILES};
		struct io io = {.buffer = buffer,
				.bytes = IO_BYTES,
				.file = 1,
				.fd = bench->fds[1],
				.offset = 8192};
		struct io *ios[1] = {&io};
		struct error err = {0};
		struct engine *engine;

		if (!works_here(engine_table[e]))
			continue;
		engine = engine_table[e]->open(&config, &err);
		assert_non_null(engine);
		assert_int_equal(engine->ops->submit(engine, ios, 1), 0);
		assert_int_equal(engine->ops->reap(engine, ios, 1, 1, UINT64_MAX), 1);
		assert_ptr_equal(ios[0], &io);
		assert_int_equal(io.result, IO_BYTES);
		if (strcmp(engine_table[e]->name, "null") != 0)
			assert_int_equal(buffer[1], word_at(1, 8200));
		engine->ops->close(engine);
	}
}

static void null_gives_back_what_it_was_given(void **state)
{
	const struct bench *bench = *state;
	const struct engine_config config = {.depth = 3, .fds = bench->fds, .fd_count = FILES};
	struct io ios[3] = {{.bytes = 1}, {.bytes = 2}, {.bytes = 3}};
	struct io *batch[3] = {&ios[0], &ios[1], &ios[2]};
	struct error err = {0};
	struct engine_choice choice;
	const struct engine_ops *ops;
	struct engine *engine;

	assert_int_equal(engine_find("null", &config, &choice, &err), 0);
	assert_int_equal(choice.count, 1);
	ops = choice.candidates[0].ops;
	engine = ops->open(&config, &err);
	assert_non_null(engine);
	assert_int_equal(ops->submit(engine, batch, 3), 0);
	assert_int_equal(ops->submit(engine, batch, 1), -EAGAIN);
	assert_int_equal(ops->reap(engine, batch, 1, 2, UINT64_MAX), 2);
	assert_int_equal(ops->reap(engine, batch + 2, 1, 2, UINT64_MAX), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(batch[i]->result, batch[i]->bytes);
	assert_int_equal(ops->reap(engine, batch, 1, 3, 0), 0);
	ops->close(engine);
}

static void unknown_engine_is_a_usage_error(void **state)
{
	const struct engine_config config = {.depth = 1};
	struct error err = {0};
	struct engine_choice choice;

	(void)state;
	assert_int_equal(engine_find("sync", &config, &choice, &err), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_non_null(strstr(err.text, "'sync'"));
}

static void nothing_in_flight_ends_a_wait_in_time(void **state)
{
	const struct bench *bench = *state;

	for (unsigned e = 0; engine_table[e]; e++) {
		const struct engine_config config = {
			.depth = 4, .fds = bench->fds, .fd_count = FILES};
		struct error err = {0};
		struct engine *engine;
		struct io *done[4];

		if (!works_here(engine_table[e]))
			continue;
		engine = engine_table[e]->open(&config, &err);
		assert_non_null(engine);
		assert_int_equal(engine->ops->reap(engine, done, 1, 4, 1000000), 0);
		assert_int_equal(engine->ops->reap(engine, done, 0, 4, 0), 0);
		engine->ops->close(engine);
	}
}

static void more_than_an_engine_keeps_is_refused(void **state)
{
	const struct engine_config config = {.depth = 1025};
	struct error err = {0};
	struct engine_choice choice;

	(void)state;
	assert_int_equal(engine_find("psync", &config, &choice, &err), -ERANGE);
	assert_int_equal(err.code, -ERANGE);
	assert_non_null(strstr(err.text, "1024"));
	assert_int_equal(engine_outstanding_max("psync", 10000), 1024);
	assert_int_equal(engine_outstanding_max("PSYNC", 100), 100);
	assert_int_equal(engine_outstanding_max("libaio", 10000), 10000);
	assert_int_equal(engine_outstanding_max("auto", 10000), 10000);
}

static void auto_finds_all_of_the_table_that_work(void **state)
{
	const struct bench *bench = *state;
	unsigned count = 0;
	const struct engine_config config = {.depth = 8, .fds = bench->fds, .fd_count = FILES};
	struct error err = {0};
	struct engine_choice choice;
	char reason[256], expected[256];

	assert_int_equal(engine_find("AUTO", &config, &choice, &err), 0);
	for (unsigned i = 0; strcmp(engine_table[i]->name, "null") != 0; i++)
		if (works_here(engine_table[i])) {
			assert_true(count < choice.count);
			assert_ptr_equal(choice.candidates[count++].ops, engine_table[i]);
		}
	assert_int_equal(count, choice.count);
	strcpy(choice.refused, "no such (why); ");
	strcpy(choice.candidates[0].without, "that");
	engine_reason(&choice, 0, "auto: first", reason, sizeof(reason));
	snprintf(expected, sizeof(expected), "no such (why); auto: first; without that");
	assert_string_equal(reason, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_io_comes_back_once_with_its_result),
		cmocka_unit_test(buffers_outside_the_region_work_too),
		cmocka_unit_test(null_gives_back_what_it_was_given),
		cmocka_unit_test(unknown_engine_is_a_usage_error),
		cmocka_unit_test(nothing_in_flight_ends_a_wait_in_time),
		cmocka_unit_test(more_than_an_engine_keeps_is_refused),
		cmocka_unit_test(auto_finds_all_of_the_table_that_work),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
