/* Prints the table of options, for the test of the man page. SPDX-License-Identifier: MIT */
#include "calib/options.h"

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* One option a line, tabs between: name, placeholder, default, group, help, whether this version
 * has it, whether it is for a run. */
int main(void)
{
	const struct option_row *row;

	for (size_t i = 0; (row = options_row(i)) != NULL; i++)
		printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row->name, or_empty(row->argument),
		       or_empty(row->fallback), row->group, or_empty(row->help),
		       row->available ? "available" : "refused",
		       row->commands & (1u << COMMAND_RUN) ? "run" : "other");
	return ferror(stdout) ? 1 : 0;
}
