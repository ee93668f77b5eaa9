/* Read by clang-tidy before each file: what it cannot see across files. SPDX-License-Identifier:
 * MIT */
#ifndef ANALYZER_MODEL_H
#define ANALYZER_MODEL_H

#include "calib/error.h"

#include <errno.h>

/* Expressions, no functions: those are not looked into at the end of a long call chain. */

/* Who reads errno does so after a failed call. Plain numbers, because clang 14 does not know the
 * sign of -errno otherwise. */
#undef errno
#define errno                                                                                      \
	(*(int[]){*__errno_location() == EEXIST	  ? EEXIST                                         \
		  : *__errno_location() == EINVAL ? EINVAL                                         \
		  : *__errno_location() == EAGAIN ? EAGAIN                                         \
						  : EIO})

/* An error's code is negative and comes back: `if (f() < 0) return` is taken where f() failed. */
#define MODEL_CODE(value)                                                                          \
	__extension__({                                                                            \
		int model_code = (value);                                                          \
		model_code < 0 ? model_code : -EIO;                                                \
	})
#define error_set(err, code, ...) ((void)error_set(err, code, __VA_ARGS__), MODEL_CODE(code))
#define error_say(err, code, ...) ((void)error_say(err, code, __VA_ARGS__), MODEL_CODE(code))
#define error_wrap(err, ...)	  ((void)error_wrap(err, __VA_ARGS__), MODEL_CODE((err)->code))

#endif
