/* A command line that is parsed. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEST_OPTIONS_HELPERS_H
#define CALIB_TEST_OPTIONS_HELPERS_H

#include "calib/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ARGS_MAX     40

static struct options options; /* large for a stack */
static struct error err;
static char program[64] = "calib";
static const char *between = "|"; /* what splits a line: no blank, so arguments may hold them */

static inline int parse(const char *line)
{
	static char copy[8192];
	char *argv[ARGS_MAX] = {program};
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *next = copy; *line && next; argc++) {
		assert_true(argc < ARGS_MAX);
		argv[argc] = strsep(&next, between);
	}
	memset(&err, 0, sizeof(err));
	return options_parse(&options, argc, argv, &err);
}

static inline void parse_good(const char *line)
{
	if (parse(line) != 0)
		fail_msg("%s: %s", line, err.text);
}

static inline void parse_says(const char *line, const char *text)
{
	assert_true(parse(line) < 0);
	if (!strstr(err.text, text))
		fail_msg("%s: '%s' is not in '%s'", line, text, err.text);
}

#endif
