/* The story of a run on one page; each stage's failure has its exit status.
 * SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "calib/engine.h"
#include "calib/mklun.h"
#include "calib/options.h"
#include "calib/plan.h"
#include "calib/report_cmd.h"
#include "calib/session.h"
#include "calib/stop.h"
#include "calib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(int status, const struct error *err)
{
	fprintf(stderr, "calib: %s\n", err->text);
	return status;
}

static int show_version(void)
{
	char names[128];

	printf("calib %s\nengines: %s\n", CALIB_VERSION, engine_names(names, sizeof(names)));
	return STATUS_DONE;
}

/* What another command line would mend; the rest is a failure of the output. */
static bool is_users_fault(int code)
{
	switch (code) {
	case -EEXIST:
	case -EINVAL:
	case -ENOENT:
	case -ENOTDIR:
	case -EACCES:
	case -EPERM:
	case -EROFS:
	case -ENAMETOOLONG:
		return true;
	default:
		return false;
	}
}

static int make_luns(const struct options *options, struct stop *stop)
{
	const struct mklun *mklun = &options->mklun;
	struct error err = {0};
	int code = mklun_make(mklun, options->spec.testname, stop, &err);

	if (code == -EINTR && atomic_load(&stop->signal) != 0)
		return STATUS_SIGNAL + atomic_load(&stop->signal);
	if (code < 0)
		return complain(is_users_fault(code) ? STATUS_USAGE : STATUS_INTERNAL, &err);
	printf("%u file%s filled with random data, listed in %s.lun\n", mklun->count,
	       mklun->count == 1 ? "" : "s", options->spec.testname);
	return STATUS_DONE;
}

static int run(struct session *session, struct error *err)
{
	int status = session_open(session, err); /* .lun file, LUNs, plan, engine, memory */

	if (status != STATUS_DONE)
		return complain(status, err);
	if (session->spec.dry_run) {
		status = session_dry_run(session, stdout, err);
		return status == STATUS_DONE ? status : complain(status, err);
	}
	status = session_begin(session, err); /* claims the names of the output files */
	if (status != STATUS_DONE)
		return complain(status, err);
	status = session_measure(session, err);
	if (status != STATUS_DONE)
		complain(status, err);
	if (status == STATUS_REFUSED || status == STATUS_USAGE) /* it has not begun */
		return status;
	return session_report(session, status);
}

static int run_command(const struct options *options, int argc, char *argv[], struct stop *stop)
{
	struct session *session = session_new(&options->spec, argc, argv, stop);
	struct error err = {0};
	int status;

	if (!session) {
		error_set(&err, -ENOMEM, "cannot start");
		return complain(STATUS_INTERNAL, &err);
	}
	status = run(session, &err);
	session_free(session);
	return status;
}

/* What was written to stdout must have arrived: a full disk is no success. */
static int flush_stdout(int status)
{
	int code = fflush(stdout) != 0 ? errno : ferror(stdout) ? EIO : 0;

	if (code == 0)
		return status;
	fprintf(stderr, "calib: cannot write to standard output: %s\n", strerror(code));
	return status == STATUS_DONE || status == STATUS_IO ? STATUS_INTERNAL : status;
}

/*
 * A closed 0, 1 or 2 would be taken by the next file that is opened, and our messages would go into
 * a LUN's or a report's descriptor. Fill it the wrong way round, so that its use still fails.
 */
static void occupy_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char *argv[])
{
	struct options options;
	struct error err = {0};
	struct stop stop;
	int status;

	occupy_standard_files();
	if (options_parse(&options, argc, argv, &err) < 0)
		return complain(STATUS_USAGE, &err);
	stop_catch(&stop);
	switch (options.command) {
	case COMMAND_HELP:
		options_help(stdout);
		status = STATUS_DONE;
		break;
	case COMMAND_VERSION:
		status = show_version();
		break;
	case COMMAND_MKLUN:
		status = make_luns(&options, &stop);
		break;
	case COMMAND_REPORT:
		status = report_command(&options);
		break;
	default:
		status = run_command(&options, argc, argv, &stop);
		break;
	}
	status = flush_stdout(status);
	/* also where it broke off the set-up, which then says that something was interrupted */
	if ((status == STATUS_DONE || status == STATUS_USAGE) && atomic_load(&stop.signal) != 0)
		status = STATUS_SIGNAL + atomic_load(&stop.signal);
	stop_die(status); /* of the signal that ended the run, so that a shell's loop ends too */
	return status;
}
