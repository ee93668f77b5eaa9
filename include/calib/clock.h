/* The clocks; tests link a fake in place of clock.c. SPDX-License-Identifier: MIT */
#ifndef CALIB_CLOCK_H
#define CALIB_CLOCK_H

#include <stdint.h>
#include <time.h>

/** clock_now_ns - CLOCK_MONOTONIC in nanoseconds: the clock of every interval and latency */
uint64_t clock_now_ns(void);

/** clock_wall - CLOCK_REALTIME, for the time stamps in reports and nothing else */
struct timespec clock_wall(void);

/**
 * clock_thread_ns - how long the calling thread did not sleep, ns; it only grows
 *
 * On a CPU, in the kernel and outside, or waiting for one (/proc/thread-self/schedstat, where that
 * can be read: proc_pid_schedstat(5)). Not for a hot loop: it reads a file.
 */
uint64_t clock_thread_ns(void);

#endif
