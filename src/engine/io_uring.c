/* I/Os through io_uring: one system call hands in a batch and waits for the next,
 * unless completions come sooner than a thread is woken: then it is asked a few times first.
 * SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "engine_private.h"

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SHIFT 30 /* the kernel registers at most 1 GiB as one buffer */
#define CHUNKS_MAX  1024
#define DEPTH_MAX   32768u /* IORING_MAX_ENTRIES of the kernel */
#define NOP_TRIES   100

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

/* Where the kernel polls, a flag that it does not know together with it is left out as well. */
static int ring_init(struct io_uring *ring, unsigned depth, bool poll)
{
	int code = -EINVAL;

	for (size_t i = 0; i < sizeof(setup_flags) / sizeof(setup_flags[0]) && code == -EINVAL; i++)
		code = io_uring_queue_init(depth, ring,
					   setup_flags[i] | (poll ? IORING_SETUP_IOPOLL : 0));
	return code;
}

/*
 * One request that does nothing, there and back: a filter may allow io_uring_setup() and refuse
 * io_uring_enter(), which must not show in the middle of a run. A busy ring is asked again, but not
 * for ever.
 */
static int try_ring(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int code = -EIO;

	io_uring_prep_nop(io_uring_get_sqe(ring));
	for (unsigned tries = 0; tries < NOP_TRIES; tries++) {
		code = io_uring_submit_and_wait(ring, 1);
		if (code < 0 && code != -EINTR && code != -EAGAIN && code != -EBUSY)
			return code;
		if (io_uring_cq_ready(ring) > 0 && io_uring_peek_cqe(ring, &cqe) == 0) {
			code = cqe->res;
			io_uring_cqe_seen(ring, cqe);
			return code;
		}
	}
	return code < 0 ? code : -EIO;
}

/* A time-out for one wait came with Linux 5.11; it has reads and writes without an iovec too, so
 * that nothing needs to be asked with io_uring_register(), which a filter may refuse. */
static int check_ring(struct io_uring *ring, bool poll, struct error *err)
{
	int code;

	if (!(ring->features & IORING_FEAT_EXT_ARG))
		return error_say(err, -ENOSYS,
				 "this kernel's io_uring is too old (Linux 5.11 will do)");
	if (poll) /* such a ring takes reads and writes, and on many kernels nothing else */
		code = io_uring_get_events(ring);
	else
		code = try_ring(ring);
	if (code < 0)
		return error_set(err, code, "io_uring can be set up, but takes no request");
	return 0;
}

/* What follows only saves time: the I/O is the same without it, but a reader of the figures should
 * know. */
static void note_without(struct uring *uring, const char *what, int code)
{
	char *out = uring->engine.without;
	size_t used = strlen(out);
	char cause[64];

	snprintf(out + used, ENGINE_WITHOUT - used, "%s%s (%s)", used > 0 ? " and " : "", what,
		 cause_of(cause, sizeof(cause), code));
}

static void register_files(struct uring *uring, const struct engine_config *config)
{
	int code;

	if (config->fd_count == 0)
		return;
	code = io_uring_register_files(&uring->ring, config->fds, config->fd_count);
	uring->files = code == 0;
	if (code < 0)
		note_without(uring, "registered files", code);
}

static void register_buffers(struct uring *uring, const struct engine_config *config)
{
	size_t chunk = (size_t)1 << CHUNK_SHIFT;
	size_t count = (config->buffers_bytes + chunk - 1) >> CHUNK_SHIFT;
	struct iovec *iov;
	int code;

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
	code = io_uring_register_buffers(&uring->ring, iov, (unsigned)count);
	if (code == 0)
		uring->chunks = (unsigned)count;
	else
		note_without(uring, "registered buffers", code);
	uring->base = (uintptr_t)config->buffers;
	free(iov);
}

static int permission_error(int code, struct error *err)
{
	unsigned long disabled;

	if (!cause_sysctl("kernel/io_uring_disabled", &disabled))
		return error_set(err, code, "cannot set up io_uring (a container's filter?)");
	return error_set(err, code, "cannot set up io_uring (kernel.io_uring_disabled is %lu%s)",
			 disabled, disabled == 0 ? ": a container's filter?" : "");
}

static int setup_error(int code, struct error *err)
{
	char limit[64];

	switch (code) {
	case -EPERM:
	case -EACCES:
		return permission_error(code, err);
	case -ENOSYS:
		return error_set(err, code,
				 "cannot set up io_uring (a container's filter, or a kernel "
				 "without it)");
	case -ENOMEM:
		if (cause_memlock(limit, sizeof(limit)))
			return error_set(err, code,
					 "cannot set up io_uring (%s: try ulimit -l unlimited)",
					 limit);
		break;
	case -EMFILE:
		return error_set(err, code, "cannot set up io_uring (try a larger ulimit -n)");
	default:
		break;
	}
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
	code = ring_init(&uring->ring, config->depth, config->poll);
	if (code < 0) {
		setup_error(code, err);
		free(uring);
		return NULL;
	}
	if (check_ring(&uring->ring, config->poll, err) < 0) {
		io_uring_queue_exit(&uring->ring);
		free(uring);
		return NULL;
	}
	/* Saves a look-up for each call, and came with Linux 5.18: like the flags above, not worth
	 * a word where it is missing. */
	io_uring_register_ring_fd(&uring->ring);
	register_files(uring, config);
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

static struct __kernel_timespec timespec_of(uint64_t ns)
{
	return (struct __kernel_timespec){
		.tv_sec = (long long)(ns / NS_PER_S),
		.tv_nsec = (long long)(ns % NS_PER_S),
	};
}

/* Hand in, and ask for completions without sleeping; false where there are still less than @min. */
static bool spin(struct uring *uring, unsigned min, int *code)
{
	*code = io_uring_submit_and_get_events(&uring->ring);
	for (unsigned i = 0; i < uring->engine.spins; i++) {
		if (*code < 0 || io_uring_cq_ready(&uring->ring) >= min)
			return true;
		*code = io_uring_get_events(&uring->ring);
	}
	return *code < 0;
}

static int enter(struct uring *uring, unsigned min, uint64_t timeout_ns)
{
	int code;
	struct __kernel_timespec ts = timespec_of(timeout_ns);
	struct io_uring_cqe *cqe;

	if (uring->engine.spins > 0 && min > 0 && timeout_ns > 0 && spin(uring, min, &code))
		return code;
	if (min == 0 || timeout_ns == 0)
		return io_uring_submit_and_get_events(&uring->ring);
	if (timeout_ns == UINT64_MAX)
		return io_uring_submit_and_wait(&uring->ring, min);
	return io_uring_submit_and_wait_timeout(&uring->ring, &cqe, min, &ts, NULL);
}

/*
 * The kernel had no memory for the I/Os that were handed in. What it holds already will free some:
 * wait for that alone. Where it holds nothing, or cannot be asked even for that, asking again would
 * have no end: the engine is broken.
 */
static int wait_for_memory(struct uring *uring, int code, struct io *done[], unsigned max,
			   uint64_t timeout_ns)
{
	struct __kernel_timespec ts = timespec_of(timeout_ns);
	struct io_uring_cqe *cqe;

	if (uring->held == io_uring_sq_ready(&uring->ring))
		return code;
	do {
		code = io_uring_wait_cqe_timeout(&uring->ring, &cqe,
						 timeout_ns == UINT64_MAX ? NULL : &ts);
	} while (code == -EINTR);
	return code < 0 && code != -ETIME ? code : (int)collect(uring, done, max);
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
		return wait_for_memory(uring, code, done, max, timeout_ns);
	return (int)count;
}

static void uring_close(struct engine *engine)
{
	struct uring *uring = (struct uring *)engine;

	/* The kernel takes a ring apart later, and until then would hold the LUNs open: a run that
	 * writes, right after this one, would be refused. With I/Os in flight this would wait. */
	if (uring->files && uring->held == 0)
		io_uring_unregister_files(&uring->ring);
	io_uring_queue_exit(&uring->ring);
	free(uring);
}

const struct engine_ops io_uring_engine_ops = {
	.name = "io_uring",
	.max_depth = DEPTH_MAX,
	.descriptors = 1,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
