/* Exit statuses. SPDX-License-Identifier: MIT */
#ifndef CALIB_STATUS_H
#define CALIB_STATUS_H

/**
 * enum status - how calib ends
 *
 * Where several apply: STATUS_SIGNAL + N, then STATUS_INTERNAL, STATUS_IO, STATUS_THRESHOLD.
 */
enum status {
	STATUS_DONE = 0,
	STATUS_INTERNAL = 1,  /* an internal failure, or an output that could not be written */
	STATUS_USAGE = 2,     /* command line, .lun file, target or permission; no I/O was done */
	STATUS_REFUSED = 3,   /* refused for safety; no I/O was done */
	STATUS_IO = 4,	      /* I/O or engine errors; finished points are kept */
	STATUS_THRESHOLD = 5, /* a threshold was missed */
	STATUS_SIGNAL = 128,  /* + N: stopped by signal N; finished points are kept */
};

#endif
