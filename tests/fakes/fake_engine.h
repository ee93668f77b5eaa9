/* An engine whose device is a script: service time, servers, errors, short transfers.
 * SPDX-License-Identifier: MIT */
#ifndef FAKE_ENGINE_H
#define FAKE_ENGINE_H

#include "calib/engine.h"
#include "calib/run.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_SEEN_MAX 65536

/**
 * struct fake_engine - the script, and what was seen; one for all engines that are opened
 *
 * A device of @servers, each of which takes @service_ns for an I/O, first come first served:
 * reap() moves the fake clock on to the next completion (link fake_clock.c).
 *
 * @fail_file, @fail_begin, @fail_end: I/Os of that file that begin in [begin, end) fail with
 *   @fail_code (negative errno)
 * @fail_first: the first so many I/Os fail with @fail_code, wherever they are
 * @on_reap: is asked to stop (SIGTERM) when an I/O comes back
 * @short_every: each n-th I/O transfers half of its bytes; 0: none
 * @break_after: reap() answers -EIO once so many I/Os were handed in; 0: never
 * @refuse_open: open() fails
 * @meet: reap() answers nothing before so many I/Os were in flight at once: several workers
 * @idle_opens: engines that were opened for no I/O at all
 * @spins_most: of engine.spins, at any reap()
 * @pinned, @cpus: engines opened on a thread that may run on one CPU only, and those CPUs
 * @seen: the I/Os in the order of their submission
 */
struct fake_engine {
	uint64_t service_ns;
	unsigned servers;
	uint32_t fail_file;
	uint64_t fail_begin, fail_end;
	int32_t fail_code;
	uint64_t fail_first;
	struct stop *on_reap;
	unsigned short_every;
	uint64_t break_after;
	bool refuse_open;
	unsigned meet;

	uint64_t submitted, reaped;
	unsigned in_flight, in_flight_most;
	unsigned idle_opens;
	unsigned spins_most;
	unsigned pinned;
	cpu_set_t cpus;
	struct {
		uint32_t file;
		uint32_t bytes;
		uint64_t offset;
		enum io_dir dir;
		uint64_t data; /* the first 8 bytes of the buffer, of a write */
	} seen[FAKE_SEEN_MAX];
};

extern struct fake_engine fake_engine;
extern struct engine_ops fake_engine_ops;

/** fake_engine_reset - 1 server, 100 us, no errors, nothing seen */
void fake_engine_reset(void);

#endif
