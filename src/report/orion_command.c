/* What ORION's options tell of a run. SPDX-License-Identifier: MIT */
#include "orion_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD_SIZE 32

/* what a run type of ORION's is as a matrix */
static const struct run_shape {
	enum run_type run;
	enum matrix_type matrix;
} shapes[] = {
	{RUN_SIMPLE, MATRIX_BASIC}, {RUN_NORMAL, MATRIX_DETAILED}, {RUN_OLTP, MATRIX_ROW},
	{RUN_DSS, MATRIX_COL},	    {RUN_ADVANCED, MATRIX_BASIC}, /* without -matrix */
};

/* the next word between blanks; false at the end. A longer one is cut: it is none of ours. */
static bool next_word(const char **at, char word[WORD_SIZE])
{
	size_t length;

	*at += strspn(*at, " \t");
	length = strcspn(*at, " \t");
	snprintf(word, WORD_SIZE, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), *at);
	*at += length;
	return length > 0;
}

static void take_run(struct run_info *run, const char *value)
{
	for (size_t i = 0; i < COUNT(shapes); i++) {
		if (strcasecmp(value, run_type_name(shapes[i].run)) != 0)
			continue;
		run->run = shapes[i].run;
		if (run->unknown & SETTING_MATRIX)
			run->matrix = shapes[i].matrix;
		run->unknown &= ~(unsigned)SETTING_MATRIX;
	}
}

static void take_matrix(struct run_info *run, const char *value)
{
	for (unsigned i = 0; i <= MATRIX_MAX; i++)
		if (strcasecmp(value, matrix_type_name((enum matrix_type)i)) == 0) {
			run->matrix = (enum matrix_type)i;
			run->unknown &= ~(unsigned)SETTING_MATRIX;
		}
}

static void take_option(struct run_info *run, const char *name, const char *value)
{
	const char *at = value;
	uint64_t disks;

	if (strcasecmp(name, "-run") == 0)
		take_run(run, value);
	else if (strcasecmp(name, "-matrix") == 0)
		take_matrix(run, value);
	else if (strcasecmp(name, "-num_disks") == 0 && orion_take_count(&at, UINT32_MAX, &disks))
		run->num_disks = (unsigned)disks;
}

static void take_options(struct run_info *run, const char *line)
{
	char name[WORD_SIZE], value[WORD_SIZE];
	bool more = next_word(&line, name);

	while (more && next_word(&line, value)) {
		take_option(run, name, value);
		memcpy(name, value, sizeof(name));
	}
}

/* kept behind the program's name, as that of a run of calib is; 0, -EINVAL or -ENOMEM */
int orion_command_read(struct orion *orion, const char *line)
{
	struct run_info *run = &orion->results->run;
	char *command_line;

	if (run->command_line != NULL)
		return 0;
	if (strlen(line) > ORION_TEXT_MAX)
		return -EINVAL;
	if (asprintf(&command_line, "orion %s", line) < 0)
		return -ENOMEM;
	run->command_line = command_line;
	take_options(run, line);
	return 0;
}
