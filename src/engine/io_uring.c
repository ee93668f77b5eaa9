/* I/Os through io_uring: one system call hands in a batch and waits for the next.
 * SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "engine_private.h"

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SHIFT 30 /* the kernel registers at most 1 GiB as one buffer */
#define CHUNKS_MAX  1024
#define DEPTH_MAX   32768u /* IORING_MAX_ENTRIES of the kernel */

struct uring {
	struct engine engine;
	struct io_uring ring;
	bool files;	 /* registered */
	unsigned held;	 /* I/Os taken and not yet given back */
	unsigned chunks; /* of the buffers, registered; 0: none */
	uintptr_t base;
};

/* Newest first: a kernel that does not know a flag answers EINVAL. Deferred task work runs when
 * this thread waits, and so never interrupts it; it needs a single issuer. */
static const unsigned setup_flags[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL,
	IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL,
	0,
};

static int ring_init(struct io_uring *ring, unsigned depth)
{
	int code = -EINVAL;

	for (size_t i = 0; i < sizeof(setup_flags) / sizeof(setup_flags[0]) && code == -EINVAL; i++)
		code = io_uring_queue_init(depth, ring, setup_flags[i]);
	return code;
}

/* Reads and writes without an iovec came with Linux 5.6, a time-out for one wait with 5.11. */
static bool has_what_we_need(struct io_uring *ring)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
	bool has = probe && io_uring_opcode_supported(probe, IORING_OP_READ) &&
		   io_uring_opcode_supported(probe, IORING_OP_WRITE) &&
		   (ring->features & IORING_FEAT_EXT_ARG);

	io_uring_free_probe(probe);
	return has;
}

static void register_buffers(struct uring *uring, const struct engine_config *config)
{
	size_t chunk = (size_t)1 << CHUNK_SHIFT;
	size_t count = (config->buffers_bytes + chunk - 1) >> CHUNK_SHIFT;
	struct iovec *iov;

	if (!config->buffers || count == 0 || count > CHUNKS_MAX)
		return;
	iov = calloc(count, sizeof(*iov));
	if (!iov)
		return;
	for (size_t i = 0; i < count; i++) {
		size_t left = config->buffers_bytes - (i << CHUNK_SHIFT);

		iov[i].iov_base = (char *)config->buffers + (i << CHUNK_SHIFT);
		iov[i].iov_len = left < chunk ? left : chunk;
	}
	/* Fails under a small RLIMIT_MEMLOCK: then each I/O pins its own pages. */
	if (io_uring_register_buffers(&uring->ring, iov, (unsigned)count) == 0)
		uring->chunks = (unsigned)count;
	uring->base = (uintptr_t)config->buffers;
	free(iov);
}

static int setup_error(int code, struct error *err)
{
	if (code == -EPERM)
		return error_set(err, code,
				 "cannot set up io_uring (kernel.io_uring_disabled or a filter)");
	if (code == -ENOMEM)
		return error_set(err, code, "cannot set up io_uring (RLIMIT_MEMLOCK too small?)");
	return error_set(err, code, "cannot set up io_uring");
}

static struct engine *uring_open(const struct engine_config *config, struct error *err)
{
	struct uring *uring = calloc(1, sizeof(*uring));
	int code;

	if (!uring) {
		error_set(err, -ENOMEM, "cannot set up io_uring");
		return NULL;
	}
	uring->engine.ops = &io_uring_engine_ops;
	code = ring_init(&uring->ring, config->depth);
	if (code < 0) {
		setup_error(code, err);
		free(uring);
		return NULL;
	}
	if (!has_what_we_need(&uring->ring)) {
		error_say(err, -ENOSYS, "this kernel's io_uring is too old (Linux 5.11 will do)");
		io_uring_queue_exit(&uring->ring);
		free(uring);
		return NULL;
	}
	/* Each of the three only saves time; without it the I/O is the same. */
	io_uring_register_ring_fd(&uring->ring);
	uring->files = io_uring_register_files(&uring->ring, config->fds, config->fd_count) == 0;
	register_buffers(uring, config);
	return &uring->engine;
}

static void prepare(const struct uring *uring, struct io_uring_sqe *sqe, struct io *io)
{
	uintptr_t first = (uintptr_t)io->buffer - uring->base;
	size_t chunk = first >> CHUNK_SHIFT;
	bool fixed = chunk < uring->chunks && (first + io->bytes - 1) >> CHUNK_SHIFT == chunk;
	int opcode;

	if (io->dir == IO_WRITE)
		opcode = fixed ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE;
	else
		opcode = fixed ? IORING_OP_READ_FIXED : IORING_OP_READ;
	io_uring_prep_rw(opcode, sqe, uring->files ? (int)io->file : io->fd, io->buffer, io->bytes,
			 io->offset);
	if (uring->files)
		sqe->flags = IOSQE_FIXED_FILE;
	if (fixed)
		sqe->buf_index = (uint16_t)chunk;
	sqe->rw_flags = (int)io->rw_flags;
	io_uring_sqe_set_data(sqe, io);
}

static int uring_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct uring *uring = (struct uring *)engine;

	/* Only queued here: uring_reap() hands them in with the call that waits. */
	if (count > io_uring_sq_space_left(&uring->ring))
		return -EAGAIN;
	for (unsigned i = 0; i < count; i++)
		prepare(uring, io_uring_get_sqe(&uring->ring), ios[i]);
	uring->held += count;
	return 0;
}

static unsigned collect(struct uring *uring, struct io *done[], unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned head;
	unsigned count = 0;

	io_uring_for_each_cqe(&uring->ring, head, cqe)
	{
		if (count == max)
			break;
		done[count] = io_uring_cqe_get_data(cqe);
		done[count]->result = cqe->res;
		count++;
	}
	io_uring_cq_advance(&uring->ring, count);
	uring->held -= count;
	return count;
}

static int enter(struct uring *uring, unsigned min, uint64_t timeout_ns)
{
	struct __kernel_timespec ts = {
		.tv_sec = (long long)(timeout_ns / NS_PER_S),
		.tv_nsec = (long long)(timeout_ns % NS_PER_S),
	};
	struct io_uring_cqe *cqe;

	if (min == 0 || timeout_ns == 0)
		return io_uring_submit_and_get_events(&uring->ring);
	if (timeout_ns == UINT64_MAX)
		return io_uring_submit_and_wait(&uring->ring, min);
	return io_uring_submit_and_wait_timeout(&uring->ring, &cqe, min, &ts, NULL);
}

/*
 * The kernel had no memory for the I/Os that were handed in. What it holds already will free some:
 * wait for that alone. Where it holds nothing, there is nothing to wait for.
 */
static int wait_for_memory(struct uring *uring, int code, struct io *done[], unsigned max)
{
	struct io_uring_cqe *cqe;

	if (uring->held == io_uring_sq_ready(&uring->ring))
		return code;
	do {
		code = io_uring_wait_cqe(&uring->ring, &cqe);
	} while (code == -EINTR);
	return code < 0 ? code : (int)collect(uring, done, max);
}

static int uring_reap(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		      uint64_t timeout_ns)
{
	struct uring *uring = (struct uring *)engine;
	unsigned count;
	int code;

	do {
		code = enter(uring, min, timeout_ns);
	} while (code == -EINTR);
	if (code < 0 && code != -ETIME && code != -EAGAIN && code != -EBUSY)
		return code;
	count = collect(uring, done, max);
	if (count == 0 && (code == -EAGAIN || code == -EBUSY))
		return wait_for_memory(uring, code, done, max);
	return (int)count;
}

static void uring_close(struct engine *engine)
{
	struct uring *uring = (struct uring *)engine;

	io_uring_queue_exit(&uring->ring);
	free(uring);
}

const struct engine_ops io_uring_engine_ops = {
	.name = "io_uring",
	.max_depth = DEPTH_MAX,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
