/* Engines whose library calls answer by a script: linked with --wrap. One .c file includes it.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_TESTS_ENGINE_SCRIPT_H
#define CALIB_TESTS_ENGINE_SCRIPT_H

#include "calib/engine.h"

#include <errno.h>
#include <libaio.h>
#include <liburing.h>
#include <setjmp.h>
#include <stdarg.h>
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
int __real_io_getevents(io_context_t context, long min, long most, struct io_event *events,
			struct timespec *timeout);
int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __real_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __real_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iov,
				     unsigned count);
int __wrap_io_submit(io_context_t context, long count, struct iocb *blocks[]);
int __wrap_io_setup(int depth, io_context_t *context);
int __wrap_io_getevents(io_context_t context, long min, long most, struct io_event *events,
			struct timespec *timeout);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iov,
				     unsigned count);

/*
 * Negative: what the call answers.
 * @submit: for each call: how many are taken at most, or -errno; 0: as it is
 * @enter: for the calls of io_uring_submit_and_wait() from @enter_from on, up to @enter_to
 */
static struct script {
	int submit[8];
	unsigned submits;
	int submit_nothing;
	int getevents;
	int setup;
	int ring;
	int enter;
	unsigned enters, enter_from, enter_to;
	unsigned ring_flags_known;
	int register_files, register_buffers;
	size_t buffers_bytes; /* of the last registration */
	unsigned rings_asked;
	unsigned ring_flags_all; /* in each request for a ring */
} script;

int __wrap_io_submit(io_context_t context, long count, struct iocb *blocks[])
{
	int answer = script.submits < 8 ? script.submit[script.submits] : 0;

	if (count == 0)
		return script.submit_nothing < 0 ? script.submit_nothing
						 : __real_io_submit(context, count, blocks);
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

int __wrap_io_getevents(io_context_t context, long min, long most, struct io_event *events,
			struct timespec *timeout)
{
	return script.getevents < 0 ? script.getevents
				    : __real_io_getevents(context, min, most, events, timeout);
}

int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait)
{
	unsigned call = script.enters++;

	if (script.enter < 0 && call >= script.enter_from && call < script.enter_to)
		return script.enter;
	return __real_io_uring_submit_and_wait(ring, wait);
}

int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	script.rings_asked++;
	script.ring_flags_all &= flags;
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
	script.buffers_bytes = 0;
	for (unsigned i = 0; i < count; i++)
		script.buffers_bytes += iov[i].iov_len;
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
	script = (struct script){.ring_flags_known = ~0u, .ring_flags_all = ~0u, .enter_to = ~0u};
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

/* The engine for a name, or NULL with bench->err; bench->reason is set. */
static const struct engine_ops *choose(struct bench *bench, const char *name)
{
	struct engine_choice choice;

	if (engine_find(name, &bench->config, &choice, &bench->err) < 0)
		return NULL;
	engine_reason(&choice, 0, "asked for", bench->reason, sizeof(bench->reason));
	return choice.candidates[0].ops;
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

#define FAIL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
