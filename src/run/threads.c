/* The workers' threads: their stacks, their CPUs, and whether there can be so many.
 * SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "run_private.h"

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

/* A worker needs little, and there may be a thousand of them under a limit of address space. */
#define STACK_BYTES   (512 * BYTES_KIB)
#define PIN_DEPTH_MAX 4u

/*
 * Keep a worker with few I/Os on one CPU. One that waits for each of them is else moved to an idle
 * CPU at most of its wake-ups, and the CPU that must be woken is measured as latency. With many the
 * kernel's own threads for io_uring, which stay where the worker may run, need the other CPUs: of
 * the LUNs' NUMA node, where there is one. From the last CPU down: the first often serves the
 * interrupts. A machine with more CPUs than the set has room for goes without.
 */
static bool choose_cpus(cpu_set_t *cpus, const cpu_set_t *near, unsigned index, unsigned workers,
			unsigned depth)
{
	cpu_set_t allowed;
	size_t cpu = CPU_SETSIZE;

	if (near)
		allowed = *near;
	else if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return false;
	if (depth > PIN_DEPTH_MAX || workers > (unsigned)CPU_COUNT(&allowed)) {
		*cpus = allowed;
		return near != NULL;
	}
	for (unsigned left = index + 1; left > 0; left--)
		do {
			cpu--;
		} while (!CPU_ISSET(cpu, &allowed));
	CPU_ZERO(cpus);
	CPU_SET(cpu, cpus);
	return true;
}

/* @cpus: NULL: wherever this process may run. Answers an errno value, as pthread_create() does. */
static int create(pthread_t *thread, void *(*run)(void *), void *arg, const cpu_set_t *cpus)
{
	pthread_attr_t attr;
	int code;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	code = cpus ? pthread_attr_setaffinity_np(&attr, sizeof(*cpus), cpus) : 0;
	if (code == 0)
		code = pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return code;
}

int thread_start(struct worker *worker, unsigned index, unsigned workers)
{
	cpu_set_t cpus;

	/* A filter may refuse to pin, and the CPU may have left this process's set just now. */
	if (choose_cpus(&cpus, worker->shared->target->near, index, workers, worker->depth) &&
	    create(&worker->thread, worker_main, worker, &cpus) == 0)
		return 0;
	return -create(&worker->thread, worker_main, worker, NULL);
}

int threads_error(int code, unsigned number, unsigned count, struct error *err)
{
	return error_set(err, code,
			 "cannot start worker %u of %u (ulimit -u, ulimit -v, pids.max of a "
			 "cgroup; or fewer -threads)",
			 number, count);
}

/* Goes on when the gate is opened. */
static void *wait_at(void *gate)
{
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return NULL;
}

/* The C library gives a thread that allocates a heap of its own, 64 MiB of address space, and under
 * a limit these take the room of the stacks. Workers allocate in their set-up only. */
static void share_one_heap(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_ARENA_MAX, 1);
#endif
}

int run_try_threads(unsigned count, struct error *err)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	sigset_t all, before;
	unsigned started = 0;
	int code = 0;

	if (!threads)
		return error_set(err, -ENOMEM, "cannot start %u workers", count);
	share_one_heap();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); /* they are for this thread, not for those */
	pthread_mutex_lock(&gate);
	while (started < count && code == 0) {
		code = create(&threads[started], wait_at, &gate, NULL);
		if (code == 0)
			started++;
	}
	pthread_mutex_unlock(&gate);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_mutex_destroy(&gate);
	free(threads);
	return code == 0 ? 0 : threads_error(-code, started + 1, count, err);
}
