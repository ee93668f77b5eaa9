/* The command line read against the table of options. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "calib/units.h"
#include "options_private.h"

#include <errno.h>
#include <string.h>

#define QUOTE_SIZE 128

/* what the reader of argv is at */
struct reader {
	struct options *options;
	char *const *argv;
	int argc;
	int at;
	bool seen[OPTIONS_MAX];
};

static const struct {
	const char *word;
	enum command command;
	bool available;
} commands[] = {
	{"mklun", COMMAND_MKLUN, true},
	{"report", COMMAND_REPORT, true},
	{"compare", COMMAND_REPORT, false},
};

/* The option's name in an argument of one dash or two, or NULL. */
static const char *after_dashes(const char *argument)
{
	if (argument[0] != '-')
		return NULL;
	argument += argument[1] == '-' ? 2 : 1;
	return argument[0] ? argument : NULL;
}

static bool has_option(int argc, char *const argv[], const char *name)
{
	for (int i = 1; i < argc; i++) {
		const char *word = after_dashes(argv[i]);

		if (word && strcmp(word, name) == 0)
			return true;
	}
	return false;
}

static bool is_option(const char *argument)
{
	const char *word = after_dashes(argument);

	return word && option_find(word, strcspn(word, "="));
}

/* "8 K": a number, and behind a blank what looks like its unit */
static bool is_lost_unit(const char *before, const char *stray)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t digits = strspn(before, "0123456789.");

	return digits > 0 && before[digits] == '\0' && strlen(stray) <= 3 && stray[0] &&
	       stray[strspn(stray, letters)] == '\0';
}

static int refuse_stray(const struct reader *reader, struct error *err)
{
	char quoted[QUOTE_SIZE];
	char before[QUOTE_SIZE];

	text_quote(quoted, sizeof(quoted), reader->argv[reader->at]);
	if (reader->at == 1)
		return error_say(err, -EINVAL,
				 "'%s' is neither an option nor a command: to run, type 'calib "
				 "-run TYPE', or see 'calib -help'",
				 quoted);
	if (is_lost_unit(reader->argv[reader->at - 1], reader->argv[reader->at]))
		return error_say(err, -EINVAL,
				 "stray argument '%s': a number and its unit are one word, as in "
				 "'%s%s'",
				 quoted, reader->argv[reader->at - 1], quoted);
	return error_say(err, -EINVAL,
			 "stray argument '%s': it follows '%s' but is no option, and no value "
			 "belongs there",
			 quoted, text_quote(before, sizeof(before), reader->argv[reader->at - 1]));
}

static int read_command(struct reader *reader, struct error *err)
{
	const char *word = reader->argv[1];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(word, commands[i].word) != 0)
			continue;
		if (!commands[i].available)
			return error_say(err, -EINVAL,
					 "'calib %s' is not available in this version", word);
		reader->options->command = commands[i].command;
		reader->at = 2;
	}
	return 0;
}

static const char *command_name(enum command command)
{
	switch (command) {
	case COMMAND_MKLUN:
		return "'calib mklun'";
	case COMMAND_REPORT:
		return "'calib report'";
	default:
		return "a run";
	}
}

static enum command first_command(unsigned bits)
{
	enum command command = COMMAND_RUN;

	while (!(bits >> command & 1))
		command++;
	return command;
}

static int check_option(struct reader *reader, const struct option *option, struct error *err)
{
	enum command command = reader->options->command;
	const struct option_row *row = &option->row;
	bool *seen = &reader->seen[option - option_at(0)];

	if (!row->available)
		return error_say(err, -EINVAL, "-%s is not available in this version", row->name);
	if (!(row->commands & (1u << command)))
		return error_say(err, -EINVAL, "-%s is for %s, not for %s", row->name,
				 command_name(first_command(row->commands)), command_name(command));
	if (*seen)
		return error_say(err, -EINVAL, "-%s is given twice", row->name);
	*seen = true;
	return 0;
}

/* The option's value: behind the "=", else the next argument. */
static int read_value(struct reader *reader, const struct option *option, const char *equals,
		      const char **value, struct error *err)
{
	const char *next = reader->at < reader->argc ? reader->argv[reader->at] : NULL;
	const struct option_row *row = &option->row;
	char quoted[QUOTE_SIZE];

	*value = equals ? equals + 1 : NULL;
	if (!row->argument && equals)
		return error_say(err, -EINVAL, "-%s takes no value", row->name);
	if (!row->argument)
		return 0;
	if (!equals && next && !is_option(next)) {
		*value = next;
		reader->at++;
	}
	if (*value && (*value)[0])
		return 0;
	if (!equals && next && next[0])
		return error_say(err, -EINVAL, "-%s needs a value, and '%s' is an option",
				 row->name, text_quote(quoted, sizeof(quoted), next));
	return error_say(err, -EINVAL, "-%s needs a value: -%s %s", row->name, row->name,
			 row->argument);
}

static int read_option(struct reader *reader, struct error *err)
{
	const char *argument = reader->argv[reader->at];
	const char *word = after_dashes(argument);
	const struct option *option;
	const char *value;
	int code = paste_check(argument, err);

	if (code < 0)
		return code;
	if (!word && reader->options->command == COMMAND_REPORT && !reader->options->prefix) {
		reader->options->prefix = argument;
		reader->at++;
		return argument[0] ? 0 : error_say(err, -EINVAL, "the PREFIX is empty");
	}
	if (!word)
		return refuse_stray(reader, err);
	reader->at++;
	option = option_find(word, strcspn(word, "="));
	if (!option)
		return option_unknown(word, err);
	code = check_option(reader, option, err);
	if (code == 0)
		code = read_value(reader, option, strchr(word, '='), &value, err);
	if (code == 0)
		code = option_set(option, reader->options, value, err);
	return code;
}

static int check_mklun(const struct options *options, struct error *err)
{
	uint64_t bytes = options->mklun.size_bytes;

	if (!spec_given(&options->spec, SPEC_TESTNAME))
		return error_say(err, -EINVAL, "'calib mklun' needs -testname NAME");
	if (bytes == 0)
		return error_say(err, -EINVAL,
				 "'calib mklun' needs -size SIZE of more than 0, as in -size 1G");
	if (bytes % BYTES_MIB)
		return error_say(err, -EINVAL, "-size of %llu bytes is no multiple of 1M",
				 (unsigned long long)bytes);
	return 0;
}

static int check_report(const struct options *options, struct error *err)
{
	if (options->prefix)
		return 0;
	return error_say(err, -EINVAL,
			 "'calib report' needs the PREFIX of a run's files, as in 'calib report "
			 "t1_20260329_1057'");
}

static int read_all(struct reader *reader, struct error *err)
{
	int code = read_command(reader, err);

	while (code == 0 && reader->at < reader->argc)
		code = read_option(reader, err);
	if (code == 0 && reader->options->command == COMMAND_MKLUN)
		code = check_mklun(reader->options, err);
	if (code == 0 && reader->options->command == COMMAND_REPORT)
		code = check_report(reader->options, err);
	return code;
}

/* Under that name a script expects ORION's defaults; ORION's own programs are orion,
 * orion_linux_x86-64 and the like. */
bool options_called_orion(const char *program)
{
	const char *name = text_last_part(program);

	return strcmp(name, "orion") == 0 || strncmp(name, "orion_", 6) == 0;
}

int options_parse(struct options *options, int argc, char *const argv[], struct error *err)
{
	struct reader reader = {.options = options, .argv = argv, .argc = argc, .at = 1};

	memset(options, 0, sizeof(*options));
	spec_init(&options->spec);
	options->mklun.count = 1;
	options->command = COMMAND_RUN;
	options->spec.orion = argc > 0 && options_called_orion(argv[0]);
	if (has_option(argc, argv, "help"))
		options->command = COMMAND_HELP;
	else if (has_option(argc, argv, "version"))
		options->command = COMMAND_VERSION;
	else if (argc < 2)
		return error_say(err, -EINVAL,
				 "nothing to do: type 'calib -run basic -testname NAME', with the "
				 "LUNs in NAME.lun, or 'calib -help'");
	else
		return read_all(&reader, err);
	return 0;
}
