/* The text of -help, and a command line as a shell reads it. SPDX-License-Identifier: MIT */
#include "calib/options.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN 22 /* where the explanations begin */
#define WIDTH  90

static const char usage[] =
	"usage: calib -run TYPE [-testname NAME] [options]\n"
	"       calib mklun -testname NAME -size SIZE [-count N] [-dir D]\n"
	"       calib report PREFIX [-out DIR] [-json]\n"
	"\n"
	"calib measures what the LUNs listed in NAME.lun can do: small random and large I/Os at\n"
	"rising loads. It only reads, unless -write and -overwrite say otherwise. mklun makes\n"
	"files filled with random data, and NAME.lun.\n"
	"report writes the reports of a run again, from PREFIX_results.json or else its ledger,\n"
	"and reads the files of a run of ORION's, too.\n"
	"Options take one dash or two, '-opt value' or '-opt=value', in any order. Sizes: 512, "
	"8K,\n"
	"1M, 2G (1024-based). Times: 500ms, 10s, 2m, 1h.\n";

/* Write a word, on a new line where it does not fit any more; answers the new column. */
static int put_word(FILE *out, const char *word, int length, int column)
{
	if (column + 1 + length > WIDTH) {
		fprintf(out, "\n%*s", MARGIN, "");
		column = MARGIN;
	} else if (column > MARGIN) {
		fputc(' ', out);
		column++;
	}
	fprintf(out, "%.*s", length, word);
	return column + length;
}

static int put_words(FILE *out, const char *text, int column)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		column = put_word(out, text, length, column);
		text += length;
		text += strspn(text, " ");
	}
	return column;
}

static void put_row(FILE *out, const struct option_row *row)
{
	int column = fprintf(out, "  -%s%s%s", row->name, row->argument ? " " : "",
			     row->argument ? row->argument : "");
	char fallback[64];

	if (column < MARGIN)
		fprintf(out, "%*s", MARGIN - column, "");
	else
		fprintf(out, "\n%*s", MARGIN, "");
	column = put_words(out, row->help, MARGIN);
	if (row->fallback) {
		snprintf(fallback, sizeof(fallback), "[%s]", row->fallback);
		put_words(out, fallback, column);
	}
	fputc('\n', out);
}

static void put_names(FILE *out, const struct option_row *row, int *column)
{
	char name[32];

	snprintf(name, sizeof(name), "-%s", row->name);
	*column = put_word(out, name, (int)strlen(name), *column);
}

void options_help(FILE *out)
{
	const struct option_row *row;
	const char *group = NULL;
	int column = MARGIN;

	fputs(usage, out);
	for (size_t i = 0; (row = options_row(i)) != NULL; i++) {
		if (row->group != group) {
			fprintf(out, "\n%s:\n", row->group);
			if (!row->available)
				fprintf(out, "%*s", MARGIN, "");
		}
		group = row->group;
		if (row->available)
			put_row(out, row);
		else
			put_names(out, row, &column);
	}
	fputc('\n', out);
}

static bool is_plain(const char *argument)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./,:=+@%";

	return argument[0] && argument[strspn(argument, plain)] == '\0';
}

/* In single quotes; one in the argument ends them, stands by itself, and begins them again. */
static void put_quoted(FILE *out, const char *argument)
{
	fputc('\'', out);
	for (; *argument; argument++) {
		if (*argument == '\'')
			fputs("'\\''", out);
		else
			fputc(*argument, out);
	}
	fputc('\'', out);
}

char *options_command_line(int argc, char *const argv[])
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	bool failed;

	if (!out)
		return NULL;
	for (int i = 0; i < argc; i++) {
		if (i > 0)
			fputc(' ', out);
		if (is_plain(argv[i]))
			fputs(argv[i], out);
		else
			put_quoted(out, argv[i]);
	}
	failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(line);
		return NULL;
	}
	return line;
}
