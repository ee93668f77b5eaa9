/* Ways of handing I/Os to the kernel. SPDX-License-Identifier: MIT */
#ifndef CALIB_ENGINE_H
#define CALIB_ENGINE_H

#include "calib/error.h"
#include "calib/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct io - one I/O, from submit() to reap()
 * @offset, @bytes: on the LUN; both and @buffer's address are multiples of its logical block
 * @dir, @rw_flags: IO_READ or IO_WRITE, with RWF_* of preadv2(2)
 * @file, @fd:     index into engine_config.fds, and the descriptor itself
 * @result:        set by reap(): bytes transferred, or -errno
 * @submitted_ns:  just before the submission, for the caller's use
 * @intended_ns:   when it should have started (a fixed rate), for the caller's use
 * @load, @lun, @source:  the caller's
 */
struct io {
	uint64_t offset;
	void *buffer;
	uint32_t bytes;
	enum io_dir dir;
	uint32_t rw_flags;
	uint32_t file;
	int fd;
	int32_t result;
	uint64_t submitted_ns;
	uint64_t intended_ns;
	uint32_t load;
	uint32_t lun;
	void *source;
};

/**
 * struct engine_config - what one worker needs of an engine
 * @depth:         I/Os in flight at most, 1..engine_ops.max_depth
 * @requests:      for engine_find(): what @depth I/Os come to where some are sent in parts
 * @buffers:       one region that all io.buffer lie in; an engine may register it (it must outlive
 *                 the engine). NULL: the I/Os' buffers lie anywhere
 * @poll:          ask the device for completions, which needs poll queues there; io_uring only
 */
struct engine_config {
	unsigned depth;
	unsigned requests;
	const int *fds;
	unsigned fd_count;
	void *buffers;
	size_t buffers_bytes;
	bool poll;
};

#define ENGINE_WITHOUT 200

/**
 * struct engine - every engine's struct begins with this
 * @spins:   how often reap() may ask the kernel for completions before it sleeps: set by the caller
 *           where it is woken more slowly than they come. An engine that cannot ask does not
 * @without: what would only save time and was refused here: "registered buffers (RLIMIT_MEMLOCK
 *           64 KiB)"; "" where nothing was
 */
struct engine {
	const struct engine_ops *ops;
	unsigned spins;
	char without[ENGINE_WITHOUT];
};

/**
 * struct engine_ops - one way of handing I/Os to the kernel
 * @open:   NULL with @err set where this kernel or machine cannot do it, which it tries out as
 *          far as it can without an I/O on a LUN. To be called, like all others, in the thread that
 *          uses the engine
 * @submit: takes all @count, or answers -errno and has taken none; the engine's until reap()
 *          gives them back. Room for them is the caller's care: never more than depth in flight.
 *          An engine may hold them back until the next reap(), which the caller makes at once
 * @reap:   waits until @min are back or @timeout_ns passed (0: does not wait); answers how many
 *          are in @done, at most @max, or -errno when the engine itself broke. Retries -EINTR by
 *          itself. UINT64_MAX: no time-out. 0 may be answered early
 * @close:  no I/O is in flight
 */
struct engine_ops {
	const char *name;     /* as in -engine */
	unsigned max_depth;   /* outstanding I/Os that one worker's engine can hold */
	unsigned descriptors; /* that an open engine holds */
	struct engine *(*open)(const struct engine_config *config, struct error *err);
	int (*submit)(struct engine *engine, struct io *const ios[], unsigned count);
	int (*reap)(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		    uint64_t timeout_ns);
	void (*close)(struct engine *engine);
};

/** engine_table - the engines built in, best first, ended by NULL; auto skips "null" */
extern const struct engine_ops *const engine_table[];

/* workers of one run: -threads, or one for each I/O where the engine holds no more */
#define WORKERS_MAX 1024u

/**
 * engine_outstanding_max - the most I/Os that a point may keep with the engine of that name
 *
 * WORKERS_MAX times what one worker's engine holds, at most @limit; @limit for "auto" and for
 * names that are not in the table.
 */
uint32_t engine_outstanding_max(const char *name, uint32_t limit);

/* engines in the table at most */
#define ENGINES_MAX 4u

/** struct engine_candidate - an engine that works here, and what it has to do without ("": nothing)
 */
struct engine_candidate {
	const struct engine_ops *ops;
	char without[ENGINE_WITHOUT];
};

/** engine_names - the table as text: "io_uring, libaio, psync, null" */
const char *engine_names(char *out, size_t size);

/**
 * struct engine_choice - the engines that may be taken
 * @candidates: @count of them, best first
 * @refused:    what "auto" has to leave, and why: "no io_uring (cannot ...); "; "" where nothing
 */
struct engine_choice {
	struct engine_candidate candidates[ENGINES_MAX];
	unsigned count;
	char refused[512];
};

/**
 * engine_find - the engines for a name, tried on this machine
 * @name:    that one and no other; "auto": all that work here
 * @config:  each is opened once with it (and at most its own max_depth) and closed again. Of the
 *           buffers only the first 64 MiB are registered for the trial (under a limit on locked
 *           memory as much as shows whether it counts, at most 1 GiB): they are not in memory yet
 *
 * 0, or with @err set: no such engine (-ENOENT), it cannot keep so many I/Os (-ERANGE), or none
 * works here (the system's code).
 */
int engine_find(const char *name, const struct engine_config *config, struct engine_choice *choice,
		struct error *err);

/**
 * engine_reason - one line on the engine that was taken: what was refused, @why, and what would
 * save time and cannot be had ("asked for; without registered buffers (RLIMIT_MEMLOCK 64 KiB)")
 */
void engine_reason(const struct engine_choice *choice, unsigned taken, const char *why, char *out,
		   size_t size);

#endif
