/* What the files of a session share. SPDX-License-Identifier: MIT */
#ifndef CALIB_SESSION_PRIVATE_H
#define CALIB_SESSION_PRIVATE_H

#include "calib/session.h"
#include "calib/status.h"

/** session_drop_aliases - each storage once in the list; makes session.findings */
int session_drop_aliases(struct session *session, struct error *err);

/** session_look - find out what the LUNs are used for and carry; warnings where they are only read
 */
int session_look(struct session *session, struct error *err);

/**
 * session_look_again - right before the first write: who uses the LUNs now, since to print and to
 * claim the names may have taken long; where it has, what they carry, too
 *
 * Answers as session_may_write(), or STATUS_USAGE where a look fails or a signal came.
 */
int session_look_again(struct session *session, struct error *err);

/**
 * session_may_write - STATUS_DONE, or STATUS_REFUSED with @err set and each LUN's reasons on
 * standard error
 */
int session_may_write(const struct session *session, struct error *err);

/** session_choose_engine - one that works here and can hold the plan; an enum status */
int session_choose_engine(struct session *session, struct error *err);

/** session_probe_engines - under -engine auto: the one that is soonest on these LUNs; reads them */
int session_probe_engines(struct session *session, struct error *err);

/** session_run_target - the LUNs and means of the run, as point_run() wants them */
struct run_target session_run_target(struct session *session);

/** session_start_kernel_counts - before the first read of a LUN */
void session_start_kernel_counts(struct session *session);

#endif
