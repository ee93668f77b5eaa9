/* I/Os through Linux native AIO: io_submit and io_getevents. SPDX-License-Identifier: MIT */
#include "engine_private.h"

#include <errno.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 65536u

/*
 * @spare:   control blocks that are not in flight, a stack
 * @failed:  I/Os that the kernel did not take; the next reap() gives them back with their errno
 */
struct aio {
	struct engine engine;
	io_context_t context;
	unsigned depth;
	unsigned spare_count;
	unsigned failed_count;
	struct iocb *blocks;
	struct iocb **spare;
	struct iocb **batch;
	struct io_event *events;
	struct io **failed;
};

static void aio_free(struct aio *aio)
{
	free(aio->blocks);
	free(aio->spare);
	free(aio->batch);
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
	aio->batch = calloc(depth, sizeof(*aio->batch));
	aio->events = calloc(depth, sizeof(*aio->events));
	aio->failed = calloc(depth, sizeof(*aio->failed));
	if (!aio->blocks || !aio->spare || !aio->batch || !aio->events || !aio->failed) {
		aio_free(aio);
		return NULL;
	}
	for (unsigned i = 0; i < depth; i++)
		aio->spare[aio->spare_count++] = &aio->blocks[i];
	return aio;
}

static unsigned long read_number(const char *path)
{
	unsigned long value = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

static void setup_error(int code, unsigned depth, struct error *err)
{
	if (code == -EAGAIN)
		error_set(err, code,
			  "cannot set up libaio for %u I/Os (fs.aio-nr is %lu, fs.aio-max-nr %lu: "
			  "try sysctl fs.aio-max-nr=1048576)",
			  depth, read_number("/proc/sys/fs/aio-nr"),
			  read_number("/proc/sys/fs/aio-max-nr"));
	else
		error_set(err, code, "cannot set up libaio");
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

static int aio_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct aio *aio = (struct aio *)engine;
	unsigned taken = 0;

	if (count > aio->spare_count)
		return -EAGAIN;
	for (unsigned i = 0; i < count; i++) {
		aio->batch[i] = aio->spare[--aio->spare_count];
		prepare(aio->batch[i], ios[i]);
	}
	while (taken < count) {
		int code = io_submit(aio->context, (long)(count - taken), aio->batch + taken);

		if (code > 0) {
			taken += (unsigned)code;
		} else if (code != -EINTR) {
			/* The kernel refuses the first of what is left: that I/O has failed. */
			struct iocb *block = aio->batch[taken++];
			struct io *io = block->data;

			io->result = code < 0 ? code : -EIO;
			aio->failed[aio->failed_count++] = io;
			aio->spare[aio->spare_count++] = block;
		}
	}
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
		.tv_sec = (time_t)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000),
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
	unsigned count = give_failed(aio, done, max);
	int code;

	if (max > aio->depth)
		max = aio->depth;
	if (count >= max)
		return (int)count;
	code = wait_events(aio, min > count ? min - count : 0, max - count, timeout_ns);
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
