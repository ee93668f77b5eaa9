/* What this machine allows: memory, descriptors, CPUs, direct I/O. SPDX-License-Identifier: MIT */
#ifndef CALIB_LIMITS_H
#define CALIB_LIMITS_H

#include "calib/error.h"

#include <stdint.h>

/**
 * struct memory_room - how much memory this process may have; UINT64_MAX: unknown
 * @available_bytes: without swapping, and without the kernel ending a process of its cgroups
 * @total_bytes:     of the machine, or what a cgroup grants of it
 */
struct memory_room {
	uint64_t available_bytes;
	uint64_t total_bytes;
};

/**
 * limits_memory - the least of MemAvailable and the room in each memory cgroup above this process
 * @proc: "/proc", or a fixture tree in tests, whose self/mountinfo says where the cgroups are
 *
 * Versions 1 and 2. What a cgroup holds of files and has not touched lately is given up first, so
 * it counts as available.
 */
void limits_memory(const char *proc, struct memory_room *room);

/** limits_memory_total, limits_memory_available - limits_memory() of this machine */
uint64_t limits_memory_total(void);
uint64_t limits_memory_available(void);

/* what a run opens besides its LUNs and a ring for each worker: ledger, trace, a file that is being
 * written, an event; before that, what it reads of sysfs and proc */
#define LIMITS_OTHER_DESCRIPTORS 6

/**
 * limits_need_descriptors - let this process open @more descriptors than it has open now
 *
 * Raises the soft limit where the hard one allows it. Else -EMFILE with both numbers in @err ("need
 * about 59 descriptors, ..."); the caller puts in front what needs them.
 */
int limits_need_descriptors(unsigned more, struct error *err);

/** limits_cpus - how many CPUs this process may run on; 0: unknown */
unsigned limits_cpus(void);

/**
 * limits_cpus_granted - how many CPUs this process can keep busy, at least 1
 *
 * limits_cpus(), or what the CPU quota of a cgroup leaves of them, rounded down. @proc as of
 * limits_memory().
 */
unsigned limits_cpus_granted(const char *proc);

/**
 * limits_direct_refused - the message for a LUN that takes no direct I/O; answers @code
 * @code: of open() or of the first read: -EINVAL, -EOPNOTSUPP
 */
int limits_direct_refused(const char *path, int code, struct error *err);

#endif
