/* Engines whose library calls fail: what is fallen back to, and what is said.
 * SPDX-License-Identifier: MIT */
#include "calib/engine.h"

#include <errno.h>
#include <libaio.h>
#include <liburing.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

#define DEPTH	 8u
#define IO_BYTES 512

int __real_io_submit(io_context_t context, long count, struct iocb *blocks[]);
int __real_io_setup(int depth, io_context_t *context);
int __real_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __real_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iov,
				     unsigned count);
int __wrap_io_submit(io_context_t context, long count, struct iocb *blocks[]);
int __wrap_io_setup(int depth, io_context_t *context);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iov,
				     unsigned count);

/* @submit: for each call: how many are taken at most, or -errno; 0: as it is */
static struct script {
	int submit[8];
	unsigned submits;
	int setup;
	int ring;
	unsigned ring_flags_known;
	int register_files, register_buffers;
	unsigned rings_asked;
} script;

int __wrap_io_submit(io_context_t context, long count, struct iocb *blocks[])
{
	int answer = script.submits < 8 ? script.submit[script.submits] : 0;

	script.submits++;
	if (answer < 0)
		return answer;
	if (answer > 0 && answer < count)
		count = answer;
	return __real_io_submit(context, count, blocks);
}

int __wrap_io_setup(int depth, io_context_t *context)
{
	return script.setup < 0 ? script.setup : __real_io_setup(depth, context);
}

int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	script.rings_asked++;
	if (script.ring < 0)
		return script.ring;
	if (flags & ~script.ring_flags_known)
		return -EINVAL;
	return __real_io_uring_queue_init(entries, ring, flags);
}

int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count)
{
	if (script.register_files < 0)
		return script.register_files;
	return __real_io_uring_register_files(ring, files, count);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iov, unsigned count)
{
	if (script.register_buffers < 0)
		return script.register_buffers;
	return __real_io_uring_register_buffers(ring, iov, count);
}

struct bench {
	FILE *file;
	int fd;
	char buffers[DEPTH * IO_BYTES];
	struct io ios[DEPTH];
	struct engine_config config;
	struct error err;
	char reason[512];
};

static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	script = (struct script){.ring_flags_known = ~0u};
	bench->file = tmpfile();
	assert_non_null(bench->file);
	bench->fd = fileno(bench->file);
	for (unsigned i = 0; i < DEPTH; i++) {
		char block[IO_BYTES];

		memset(block, 'a' + (int)i, sizeof(block));
		assert_int_equal(write(bench->fd, block, sizeof(block)), sizeof(block));
		bench->ios[i] = (struct io){
			.offset = i * IO_BYTES,
			.buffer = bench->buffers + i * IO_BYTES,
			.bytes = IO_BYTES,
			.fd = bench->fd,
		};
	}
	bench->config = (struct engine_config){
		.depth = DEPTH,
		.fds = &bench->fd,
		.fd_count = 1,
		.buffers = bench->buffers,
		.buffers_bytes = sizeof(bench->buffers),
	};
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	fclose(bench->file);
	free(bench);
	return 0;
}

static struct engine *open_engine(struct bench *bench, const char *name)
{
	for (unsigned i = 0; engine_table[i]; i++)
		if (strcmp(engine_table[i]->name, name) == 0)
			return engine_table[i]->open(&bench->config, &bench->err);
	fail_msg("no engine '%s'", name);
	return NULL;
}

/* Hand in all, take all back; answers how many failed with @code. */
static unsigned read_all(struct bench *bench, struct engine *engine, int code)
{
	struct io *batch[DEPTH];
	unsigned back = 0;
	unsigned failed = 0;

	for (unsigned i = 0; i < DEPTH; i++)
		batch[i] = &bench->ios[i];
	assert_int_equal(engine->ops->submit(engine, batch, DEPTH), 0);
	for (unsigned calls = 0; back < DEPTH; calls++) {
		int got = engine->ops->reap(engine, batch, 1, DEPTH, UINT64_MAX);

		assert_in_range(got, 0, DEPTH - back);
		assert_true(calls < 100);
		for (int i = 0; i < got; i++) {
			unsigned index = (unsigned)(batch[i] - bench->ios);

			if (batch[i]->result == code) {
				failed++;
				continue;
			}
			assert_int_equal(batch[i]->result, IO_BYTES);
			assert_int_equal(bench->buffers[index * IO_BYTES], 'a' + (int)index);
		}
		back += (unsigned)got;
	}
	return failed;
}

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

static void libaio_takes_a_batch_in_pieces(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = 1;
	script.submit[1] = -EINTR;
	script.submit[2] = 3;
	assert_int_equal(read_all(bench, engine, -1), 0);
	assert_int_equal(script.submits, 4);
	engine->ops->close(engine);
}

static void libaio_waits_while_the_kernel_has_no_memory(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = 2;
	script.submit[1] = -EAGAIN;
	assert_int_equal(read_all(bench, engine, -EAGAIN), 0);
	assert_true(script.submits >= 3);
	engine->ops->close(engine);
}

static void libaio_fails_an_io_that_nothing_will_make_room_for(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = -EAGAIN;
	assert_int_equal(read_all(bench, engine, -EAGAIN), 1);
	engine->ops->close(engine);
}

static void libaio_fails_only_the_io_that_is_refused(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = 2;
	script.submit[1] = -EINVAL;
	assert_int_equal(read_all(bench, engine, -EINVAL), 1);
	assert_int_equal(bench->ios[2].result, -EINVAL);
	engine->ops->close(engine);
}

static void exhausted_aio_names_the_limit(void **state)
{
	struct bench *bench = *state;

	script.setup = -EAGAIN;
	assert_null(engine_choose("libaio", &bench->config, bench->reason, sizeof(bench->reason),
				  &bench->err));
	assert_int_equal(bench->err.code, -EAGAIN);
	assert_non_null(strstr(bench->err.text, "fs.aio-max-nr"));
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

static void forbidden_io_uring_makes_auto_take_libaio_and_say_why(void **state)
{
	struct bench *bench = *state;
	const struct engine_ops *ops;

	script.ring = -EPERM;
	ops = engine_choose("auto", &bench->config, bench->reason, sizeof(bench->reason),
			    &bench->err);
	assert_non_null(ops);
	assert_string_equal(ops->name, "libaio");
	assert_non_null(strstr(bench->reason, "no io_uring"));
	assert_non_null(strstr(bench->reason, "Operation not permitted"));
}

static void both_forbidden_make_auto_take_psync(void **state)
{
	struct bench *bench = *state;
	const struct engine_ops *ops;

	script.ring = -ENOSYS;
	script.setup = -EAGAIN;
	ops = engine_choose("auto", &bench->config, bench->reason, sizeof(bench->reason),
			    &bench->err);
	assert_non_null(ops);
	assert_string_equal(ops->name, "psync");
	assert_non_null(strstr(bench->reason, "Function not implemented"));
	assert_non_null(strstr(bench->reason, "fs.aio-max-nr"));
}

static void nothing_that_works_is_an_error_that_names_them_all(void **state)
{
	struct bench *bench = *state;

	script.ring = -EPERM;
	script.setup = -EAGAIN;
	bench->config.depth = 2000; /* more than psync keeps */
	assert_null(engine_choose("auto", &bench->config, bench->reason, sizeof(bench->reason),
				  &bench->err));
	assert_non_null(strstr(bench->err.text, "io_uring"));
	assert_non_null(strstr(bench->err.text, "libaio"));
	assert_non_null(strstr(bench->err.text, "psync"));
}

static void named_engine_that_fails_is_never_replaced(void **state)
{
	struct bench *bench = *state;

	script.ring = -EPERM;
	assert_null(engine_choose("io_uring", &bench->config, bench->reason, sizeof(bench->reason),
				  &bench->err));
	assert_int_equal(bench->err.code, -EPERM);
	assert_non_null(strstr(bench->err.text, "'io_uring' does not work here"));
}

#define FAIL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAIL_TEST(libaio_takes_a_batch_in_pieces),
		FAIL_TEST(libaio_waits_while_the_kernel_has_no_memory),
		FAIL_TEST(libaio_fails_an_io_that_nothing_will_make_room_for),
		FAIL_TEST(libaio_fails_only_the_io_that_is_refused),
		FAIL_TEST(exhausted_aio_names_the_limit),
		FAIL_TEST(old_kernels_get_a_ring_without_flags),
		FAIL_TEST(io_uring_works_without_registration),
		FAIL_TEST(forbidden_io_uring_makes_auto_take_libaio_and_say_why),
		FAIL_TEST(both_forbidden_make_auto_take_psync),
		FAIL_TEST(nothing_that_works_is_an_error_that_names_them_all),
		FAIL_TEST(named_engine_that_fails_is_never_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
