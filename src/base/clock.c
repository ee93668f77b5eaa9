/* The clocks. SPDX-License-Identifier: MIT */
#include "calib/clock.h"

#include "calib/units.h"

#include <stdio.h>

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

struct timespec clock_wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

/* schedstat: ns on a CPU, ns waiting for one, and how often */
static uint64_t waited_ns(void)
{
	unsigned long long waited = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%*u %llu", &waited) != 1)
		waited = 0;
	fclose(file);
	return waited;
}

uint64_t clock_thread_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * NS_PER_S + (uint64_t)spent.tv_nsec + waited_ns();
}
