/* I/Os through Linux native AIO: io_submit and io_getevents. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "engine_private.h"

#include <errno.h>
#include <libaio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 65536u

/*
 * @spare:   control blocks that are not in flight, a stack
 * @waiting: blocks that the kernel has not taken yet: it had no memory for them (EAGAIN)
 * @failed:  I/Os that the kernel refused; the next reap() gives them back with their errno
 */
struct aio {
	struct engine engine;
	io_context_t context;
	unsigned depth;
	unsigned in_kernel;
	unsigned spare_count;
	unsigned waiting_count;
	unsigned failed_count;
	struct iocb *blocks;
	struct iocb **spare;
	struct iocb **waiting;
	struct io_event *events;
	struct io **failed;
};

static void aio_free(struct aio *aio)
{
	free(aio->blocks);
	free(aio->spare);
	free(aio->waiting);
	free(aio->events);
	free(aio->failed);
	free(aio);
}

static struct aio *aio_alloc(unsigned depth)
{
	struct aio *aio = calloc(1, sizeof(*aio));

	if (!aio)
		return NULL;
	aio->engine.ops = &libaio_engine_ops;
	aio->depth = depth;
	aio->blocks = calloc(depth, sizeof(*aio->blocks));
	aio->spare = calloc(depth, sizeof(*aio->spare));
	aio->waiting = calloc(depth, sizeof(*aio->waiting));
	aio->events = calloc(depth, sizeof(*aio->events));
	aio->failed = calloc(depth, sizeof(*aio->failed));
	if (!aio->blocks || !aio->spare || !aio->waiting || !aio->events || !aio->failed) {
		aio_free(aio);
		return NULL;
	}
	for (unsigned i = 0; i < depth; i++)
		aio->spare[aio->spare_count++] = &aio->blocks[i];
	return aio;
}

static int setup_error(int code, unsigned depth, struct error *err)
{
	unsigned long used, most;

	if (code != -EAGAIN || !cause_sysctl("fs/aio-nr", &used) ||
	    !cause_sysctl("fs/aio-max-nr", &most))
		return error_set(err, code, "cannot set up libaio for %u I/Os%s", depth,
				 code == -EAGAIN ? " (fs.aio-max-nr)" : "");
	return error_set(err, code,
			 "cannot set up libaio for %u I/Os (fs.aio-nr is %lu, fs.aio-max-nr %lu: "
			 "try sysctl fs.aio-max-nr=1048576)",
			 depth, used, most);
}

/* A filter may allow io_setup() and refuse what follows, which must not show as failed I/Os. */
static int check_calls(struct aio *aio, struct error *err)
{
	struct timespec moment = {.tv_nsec = 1}; /* with 0 the library does not ask the kernel */
	int code = io_submit(aio->context, 0, aio->waiting);

	if (code == 0)
		code = io_getevents(aio->context, 0, 1, aio->events, &moment);
	if (code < 0 && code != -EINTR)
		return error_set(err, code, "libaio can be set up, but takes no request");
	return 0;
}

static struct engine *aio_open(const struct engine_config *config, struct error *err)
{
	struct aio *aio = aio_alloc(config->depth);
	int code;

	if (!aio) {
		error_set(err, -ENOMEM, "cannot set up libaio");
		return NULL;
	}
	code = io_setup((int)config->depth, &aio->context);
	if (code < 0) {
		setup_error(code, config->depth, err);
		aio_free(aio);
		return NULL;
	}
	if (check_calls(aio, err) < 0) {
		io_destroy(aio->context);
		aio_free(aio);
		return NULL;
	}
	return &aio->engine;
}

static void prepare(struct iocb *block, struct io *io)
{
	if (io->dir == IO_WRITE)
		io_prep_pwrite(block, io->fd, io->buffer, io->bytes, (long long)io->offset);
	else
		io_prep_pread(block, io->fd, io->buffer, io->bytes, (long long)io->offset);
	block->aio_rw_flags = io->rw_flags;
	block->data = io;
}

static void fail_block(struct aio *aio, struct iocb *block, int code)
{
	struct io *io = block->data;

	io->result = code;
	aio->failed[aio->failed_count++] = io;
	aio->spare[aio->spare_count++] = block;
}

/* Hand in what waits. A block that is refused has failed; one for which there is no memory stays,
 * as long as the kernel holds others that will free some. */
static void push_waiting(struct aio *aio)
{
	unsigned taken = 0;

	while (taken < aio->waiting_count) {
		unsigned left = aio->waiting_count - taken;
		int code = io_submit(aio->context, (long)left, aio->waiting + taken);

		if (code > 0) {
			taken += (unsigned)code;
			aio->in_kernel += (unsigned)code;
		} else if (code == -EAGAIN && aio->in_kernel > 0) {
			break;
		} else if (code != -EINTR) {
			fail_block(aio, aio->waiting[taken++], code < 0 ? code : -EIO);
		}
	}
	aio->waiting_count -= taken;
	for (unsigned i = 0; taken > 0 && i < aio->waiting_count; i++)
		aio->waiting[i] = aio->waiting[taken + i];
}

static int aio_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct aio *aio = (struct aio *)engine;

	if (count > aio->spare_count)
		return -EAGAIN;
	for (unsigned i = 0; i < count; i++) {
		struct iocb *block = aio->spare[--aio->spare_count];

		prepare(block, ios[i]);
		aio->waiting[aio->waiting_count++] = block;
	}
	push_waiting(aio);
	return 0;
}

static unsigned give_failed(struct aio *aio, struct io *done[], unsigned max)
{
	unsigned count = 0;

	while (count < max && aio->failed_count > 0)
		done[count++] = aio->failed[--aio->failed_count];
	return count;
}

static int wait_events(struct aio *aio, unsigned min, unsigned max, uint64_t timeout_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(timeout_ns / NS_PER_S),
		.tv_nsec = (long)(timeout_ns % NS_PER_S),
	};
	int code;

	do {
		code = io_getevents(aio->context, (long)min, (long)max, aio->events,
				    timeout_ns == UINT64_MAX ? NULL : &ts);
	} while (code == -EINTR);
	return code;
}

static int aio_reap(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		    uint64_t timeout_ns)
{
	struct aio *aio = (struct aio *)engine;
	unsigned count;
	int code;

	if (aio->waiting_count > 0)
		push_waiting(aio);
	if (max > aio->depth)
		max = aio->depth;
	count = give_failed(aio, done, max);
	if (count >= max)
		return (int)count;
	min = min > count ? min - count : 0;
	if (min > aio->in_kernel)
		min = aio->in_kernel; /* the rest still waits to be handed in */
	code = wait_events(aio, min, max - count, timeout_ns);
	if (code < 0)
		return count > 0 ? (int)count : code;
	for (int i = 0; i < code; i++) {
		struct iocb *block = aio->events[i].obj;
		struct io *io = block->data;

		/* res is a signed result in an unsigned long */
		io->result = (int32_t)(long)aio->events[i].res;
		aio->spare[aio->spare_count++] = block;
		done[count++] = io;
	}
	aio->in_kernel -= (unsigned)code;
	return (int)count;
}

static void aio_close(struct engine *engine)
{
	struct aio *aio = (struct aio *)engine;

	io_destroy(aio->context);
	aio_free(aio);
}

const struct engine_ops libaio_engine_ops = {
	.name = "libaio",
	.max_depth = DEPTH_MAX,
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.close = aio_close,
};
