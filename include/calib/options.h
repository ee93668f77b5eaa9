/* The command line: one table of options feeds parser, -help and the man-page test.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_OPTIONS_H
#define CALIB_OPTIONS_H

#include "calib/error.h"
#include "calib/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum command {
	COMMAND_RUN,
	COMMAND_MKLUN,
	COMMAND_REPORT,
	COMMAND_HELP,
	COMMAND_VERSION,
};

#define MKLUN_COUNT_MAX 1024

/** struct mklun - calib mklun: @count files of @size_bytes in @dir, and NAME.lun */
struct mklun {
	const char *dir; /* NULL: the current directory */
	uint64_t size_bytes;
	unsigned count;
};

#define TESTNAME_SIZE 4096

/**
 * struct options - the command line as parsed; strings point into argv
 * @testname:  spec.testname points here where -testname was given: a typed ".lun" is cut off
 */
struct options {
	enum command command;
	char testname[TESTNAME_SIZE];
	struct spec spec;
	struct mklun mklun;
	const char *prefix; /* of -resume and report */
};

/**
 * options_parse - argv -> options; spec_settle() is the caller's next step
 *
 * A negative code with option and value named in @err, and the nearest real option where one is
 * unknown.
 */
int options_parse(struct options *options, int argc, char *const argv[], struct error *err);

/** options_called_orion - whether that is a name (argv[0]) which stands for -orion */
bool options_called_orion(const char *program);

/**
 * struct option_row - one option as -help and the man page show it
 * @name:      without a dash
 * @argument:  placeholder of its value; NULL: takes none
 * @fallback:  its default in words; NULL: none
 * @commands:  bit COMMAND_x of each command that it is for
 * @available: false: this version knows the name and refuses it
 */
struct option_row {
	const char *name;
	const char *argument;
	const char *fallback;
	const char *help;
	const char *group;
	unsigned commands;
	bool available;
};

/** options_row - the @index-th option in the order of -help; NULL past the end */
const struct option_row *options_row(size_t index);

/** options_help - the text of -help */
void options_help(FILE *out);

/** options_command_line - argv as one line that a shell would read back; free() it; NULL: no memory
 */
char *options_command_line(int argc, char *const argv[]);

#endif
