/* calib report: the reports of a run again. SPDX-License-Identifier: MIT */
#ifndef CALIB_REPORT_CMD_H
#define CALIB_REPORT_CMD_H

#include "calib/options.h"
#include "calib/status.h"

/**
 * report_command - read the results of options->prefix back, write every report of it again, and
 * print the summary or, with -json, the document
 *
 * From the ledger where there are no results, and where there is none either from ORION's files,
 * which stay as they are. Answers the exit status.
 */
int report_command(const struct options *options);

#endif
