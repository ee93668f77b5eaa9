/* Signals that end a run. SPDX-License-Identifier: MIT */
#ifndef CALIB_STOP_H
#define CALIB_STOP_H

#include "calib/run.h"
#include "calib/status.h"

/**
 * stop_catch - have SIGINT, SIGTERM and SIGHUP set @stop; a later one kills
 *
 * A signal that is ignored at the start stays so (nohup). SIGPIPE and SIGXFSZ are ignored: a
 * reader that went away, or a file that may not grow, is an error of that write. @stop must outlive
 * the process's signals: one caller, main.
 */
void stop_catch(struct stop *stop);

/** stop_die - with a @status above STATUS_SIGNAL: die of that signal; else does nothing */
void stop_die(int status);

#endif
