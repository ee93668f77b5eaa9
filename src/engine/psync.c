/* One pread or pwrite at a time, as a database reads single blocks. SPDX-License-Identifier: MIT */
#include "engine_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* A worker holds one I/O, so that each outstanding I/O has a thread of its own. */
struct psync {
	struct engine engine;
	struct io *done;
};

static struct engine *psync_open(const struct engine_config *config, struct error *err)
{
	struct psync *psync = calloc(1, sizeof(*psync));

	(void)config;
	if (!psync) {
		error_set(err, -ENOMEM, "cannot set up engine 'psync'");
		return NULL;
	}
	psync->engine.ops = &psync_engine_ops;
	return &psync->engine;
}

static ssize_t transfer(const struct io *io)
{
	const struct iovec iov = {.iov_base = io->buffer, .iov_len = io->bytes};
	off_t offset = (off_t)io->offset;

	if (io->rw_flags != 0)
		return io->dir == IO_WRITE ? pwritev2(io->fd, &iov, 1, offset, (int)io->rw_flags)
					   : preadv2(io->fd, &iov, 1, offset, (int)io->rw_flags);
	return io->dir == IO_WRITE ? pwrite(io->fd, io->buffer, io->bytes, offset)
				   : pread(io->fd, io->buffer, io->bytes, offset);
}

static int psync_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct psync *psync = (struct psync *)engine;
	ssize_t got;

	if (count == 0)
		return 0;
	if (count > 1 || psync->done)
		return -EAGAIN;
	do {
		got = transfer(ios[0]);
	} while (got < 0 && errno == EINTR);
	ios[0]->result = got < 0 ? -errno : (int32_t)got;
	psync->done = ios[0];
	return 0;
}

static int psync_reap(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		      uint64_t timeout_ns)
{
	struct psync *psync = (struct psync *)engine;

	(void)min;
	(void)timeout_ns;
	if (!psync->done || max == 0)
		return 0;
	done[0] = psync->done;
	psync->done = NULL;
	return 1;
}

static void psync_close(struct engine *engine)
{
	free(engine);
}

const struct engine_ops psync_engine_ops = {
	.name = "psync",
	.max_depth = 1,
	.open = psync_open,
	.submit = psync_submit,
	.reap = psync_reap,
	.close = psync_close,
};
