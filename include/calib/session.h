/* The stages of one run, wired together. SPDX-License-Identifier: MIT */
#ifndef CALIB_SESSION_H
#define CALIB_SESSION_H

#include "calib/plan.h"
#include "calib/progress.h"
#include "calib/report.h"
#include "calib/results.h"
#include "calib/run.h"
#include "calib/spec.h"
#include "calib/stop.h"
#include "calib/target.h"
#include "calib/volume.h"

#define SESSION_SYSFS "/sys"
#define SESSION_PROC  "/proc"
#define SESSION_DEV   "/dev"

/**
 * struct session - everything a run holds
 * @looked_ns:    when the LUNs had been looked at, by clock_now_ns()
 * @begun:        the first I/O of the first point was allowed
 * @never_begun:  exit status of a run where it was not; 0: it was, or was not asked for
 * @engines:      that may be taken; @engine: the one that is
 * @cpus, @near:  for the workers: see struct run_target; @has_near: @near is of use
 * @fills:        points whose cache filling has begun
 * @message_out:  where the lines before the run go: stdout, or stderr under -json
 * @output_error: a report, the ledger or the trace could not be written: exit status 1
 */
struct session {
	struct spec spec;
	struct stop *stop;
	int argc;
	char **argv;
	struct lun_list list;
	struct target targets[VOLUME_LUNS_MAX];
	struct findings *findings; /* one for each target */
	struct kernel_count kernel_before[VOLUME_LUNS_MAX];
	unsigned target_count;
	int fds[VOLUME_LUNS_MAX];
	uint64_t usable_bytes[VOLUME_LUNS_MAX];
	struct plan *plan;
	struct engine_choice engines;
	const struct engine_ops *engine;
	unsigned cpus;
	cpu_set_t near;
	bool has_near;
	struct io_memory memory;
	struct results results;
	struct ledger ledger;
	struct trace trace;
	struct progress progress;
	uint64_t looked_ns;
	bool begun;
	int never_begun;
	size_t fills;
	FILE *message_out;
	bool output_error;
};

struct session *session_new(const struct spec *spec, int argc, char *argv[], struct stop *stop);
void session_free(struct session *session);

/**
 * session_open - from the spec to a run that is ready: nothing is written, and read are only the
 * blocks where signatures lie
 *
 * Answers an enum status; other than STATUS_DONE with @err set. So do the following.
 */
int session_open(struct session *session, struct error *err);

/** session_dry_run - print the plan, and exit as the run would */
int session_dry_run(struct session *session, FILE *out, struct error *err);

/** session_begin - claim the output prefix, start the ledger, say what will be done */
int session_begin(struct session *session, struct error *err);

/**
 * session_measure - run the plan; STATUS_IO with @err where a point could not be run at all
 *
 * STATUS_REFUSED or STATUS_USAGE with @err: the first point was not begun, since something has come
 * over the LUNs. No file is left then, and there is nothing to report.
 */
int session_measure(struct session *session, struct error *err);

/**
 * session_report - write every report, print the summary
 * @status:  of session_measure()
 *
 * Answers the exit status of the run: 128+N, 1, 4 in this order.
 */
int session_report(struct session *session, int status);

#endif
