/* A clock that a test sets; link fake_clock.c in place of clock.c. SPDX-License-Identifier: MIT */
#ifndef FAKE_CLOCK_H
#define FAKE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** fake_clock_set - what clock_now_ns() answers next; it starts at 0 */
void fake_clock_set(uint64_t now_ns);

/** fake_clock_advance - let time pass */
void fake_clock_advance(uint64_t ns);

/**
 * fake_clock_step - let @ns pass after each look at the clock
 *
 * So that a loop which waits for a time ends. 0, as at the start: time stands still.
 */
void fake_clock_step(uint64_t ns);

/** fake_clock_set_wall - what clock_wall() answers; it starts at 1970-01-01 UTC */
void fake_clock_set_wall(struct timespec wall);

/**
 * fake_clock_set_busy - of the time that passes every thread has this share of a CPU, in percent
 *
 * clock_thread_ns() answers that share of what clock_now_ns() would; 0, as at the start: none.
 */
void fake_clock_set_busy(unsigned percent);

#endif
