/* The engines' tables, for engine.c only. SPDX-License-Identifier: MIT */
#ifndef CALIB_ENGINE_PRIVATE_H
#define CALIB_ENGINE_PRIVATE_H

#include "calib/engine.h"

#ifdef CALIB_HAVE_IO_URING
extern const struct engine_ops io_uring_engine_ops;
#endif
#ifdef CALIB_HAVE_LIBAIO
extern const struct engine_ops libaio_engine_ops;
#endif
extern const struct engine_ops psync_engine_ops;
extern const struct engine_ops null_engine_ops;

#endif
