/* What the engines' files share: the rows of the table, and words for what the kernel refuses.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_ENGINE_PRIVATE_H
#define CALIB_ENGINE_PRIVATE_H

#include "calib/engine.h"

#include <stdbool.h>

#ifdef CALIB_HAVE_IO_URING
extern const struct engine_ops io_uring_engine_ops;
#endif
#ifdef CALIB_HAVE_LIBAIO
extern const struct engine_ops libaio_engine_ops;
#endif
extern const struct engine_ops psync_engine_ops;
extern const struct engine_ops null_engine_ops;

/** cause_sysctl - the number in /proc/sys/@path; false where it cannot be read */
bool cause_sysctl(const char *path, unsigned long *value);

/** cause_memlock - "RLIMIT_MEMLOCK 64 KiB"; false where nothing is limited */
bool cause_memlock(char *out, size_t size);

/** cause_of - why memory could not be pinned: the limit behind -ENOMEM, else the system's words */
char *cause_of(char *out, size_t size, int code);

#endif
