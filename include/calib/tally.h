/* What one point measures while it runs: dense, one class each, merged over the workers.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_TALLY_H
#define CALIB_TALLY_H

#include "calib/error.h"
#include "calib/histogram.h"
#include "calib/point.h"

#include <stdint.h>

#define ERROR_KINDS_MAX 8
#define ERRNO_SHORT	4096 /* no errno: a transfer that ended early; "short" in the reports */

/** struct error_count - how many I/Os of a class failed with one errno (or ERRNO_SHORT) */
struct error_count {
	int code; /* positive errno; 0: unused */
	uint64_t count;
};

/**
 * struct lun_tally - one LUN's share of a class
 *
 * An I/O that lies on several LUNs counts on each, with the latency of the part there. Bytes are
 * those of whole I/Os, less what lay on other LUNs: nothing to add up where no I/O is split.
 */
struct lun_tally {
	uint64_t ios;		  /* good, within the measured window */
	uint64_t sum_ns;	  /* their latencies */
	uint64_t errors;	  /* failed, whenever: ramp, window or drain */
	uint64_t unmeasured;	  /* good, outside the window or in an I/O that failed elsewhere */
	uint64_t elsewhere_bytes; /* of @ios */
	uint64_t other_elsewhere_bytes; /* of @errors and @unmeasured */
};

/** struct series_tally - one interval of the measured window */
struct series_tally {
	uint64_t ios;
	uint64_t sum_ns;
	uint64_t max_ns;
};

/**
 * struct tally - one class (a load in one direction) of one point
 * @in_flight_ns: integral of the number of I/Os in flight over the measured window
 */
struct tally {
	struct histogram latency;
	struct error_count errors[ERROR_KINDS_MAX];
	uint64_t in_flight_ns;
	struct lun_tally *luns;
	struct series_tally *series;
};

/** struct io_failure - the first failed I/O of a point, for the message */
struct io_failure {
	int code; /* positive errno or ERRNO_SHORT; 0: none failed */
	uint32_t lun;
	enum io_dir dir;
	uint32_t bytes;
	uint64_t offset;
	uint64_t at_ns; /* monotonic: the earliest of several workers' wins */
};

/**
 * struct measure - everything one point measured, merged
 * @moved_bytes: of all good I/Os, also those outside the measured window
 * @busiest:     share of its time, 0..1, that the worker with the most of it did not sleep
 * @classes:     NULL where the point does not have that load in that direction
 */
struct measure {
	unsigned lun_count;
	unsigned interval_count;
	uint64_t interval_ns;
	uint64_t start_ns, end_ns; /* the measured window, monotonic */
	unsigned threads;
	double busiest;
	uint64_t cpu_user_ns, cpu_system_ns; /* of the process, over the window */
	uint64_t moved_bytes;
	uint64_t filled_bytes, filled_ns; /* moved before it to fill a cache */
	struct io_failure first_failure;
	struct tally *classes[POINT_LOADS_MAX][IO_DIRS];
};

/** tally_new - a zeroed tally for so many LUNs and intervals, its memory touched; NULL: no memory
 */
struct tally *tally_new(unsigned lun_count, unsigned interval_count);
void tally_reset(struct tally *tally, unsigned lun_count, unsigned interval_count);
void tally_free(struct tally *tally);
void tally_merge(struct tally *tally, const struct tally *other, unsigned lun_count,
		 unsigned interval_count);

/** measure_release - free the tallies; an empty or released one is left as it is */
void measure_release(struct measure *measure);

/** tally_count_error - one more failed I/O; codes beyond ERROR_KINDS_MAX count with the last */
void tally_count_error(struct error_count errors[ERROR_KINDS_MAX], int code, uint64_t count);

/** error_code_name - "EIO", "short", or "errno 4097" in @out where unknown */
const char *error_code_name(int code, char *out, size_t size);
/** error_code_from_name - the inverse; 0 where unknown */
int error_code_from_name(const char *name);

/**
 * series_interval_ns - the interval for a measured time: of 0.1, 0.2, 0.5, 1, 2, 5, ... s the
 * smallest that gives at most 120 intervals
 */
uint64_t series_interval_ns(uint64_t duration_ns);

#endif
