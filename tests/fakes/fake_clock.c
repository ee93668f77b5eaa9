/* A clock that a test sets. SPDX-License-Identifier: MIT */
#include "fake_clock.h"

#include "calib/clock.h"

#include <stdatomic.h>

/* atomic: workers under test look at the clock while the test moves it */
static _Atomic uint64_t now;
static _Atomic uint64_t step;
static _Atomic unsigned busy;
static struct timespec wall_time;

uint64_t clock_now_ns(void)
{
	return atomic_fetch_add(&now, atomic_load(&step));
}

uint64_t clock_thread_ns(void)
{
	return atomic_load(&now) / 100 * atomic_load(&busy);
}

struct timespec clock_wall(void)
{
	return wall_time;
}

void fake_clock_set(uint64_t now_ns)
{
	atomic_store(&now, now_ns);
}

void fake_clock_advance(uint64_t ns)
{
	atomic_fetch_add(&now, ns);
}

void fake_clock_step(uint64_t ns)
{
	atomic_store(&step, ns);
}

void fake_clock_set_busy(unsigned percent)
{
	atomic_store(&busy, percent);
}

void fake_clock_set_wall(struct timespec wall)
{
	wall_time = wall;
}
