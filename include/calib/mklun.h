/* calib mklun: scratch LUNs with real data. SPDX-License-Identifier: MIT */
#ifndef CALIB_MKLUN_H
#define CALIB_MKLUN_H

#include "calib/error.h"
#include "calib/options.h"
#include "calib/run.h"

/**
 * mklun_make - make the files, filled with random data and synced, and <testname>.lun that lists
 * them by absolute path
 *
 * Nothing that exists is overwritten (-EEXIST). On an error, or when @stop asks (-EINTR), what was
 * made is removed again.
 */
int mklun_make(const struct mklun *mklun, const char *testname, const struct stop *stop,
	       struct error *err);

#endif
