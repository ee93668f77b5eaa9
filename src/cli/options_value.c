/* An option's value: text to member. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "calib/units.h"
#include "options_private.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define QUOTE_SIZE 128

static void store(struct options *options, const struct option *option, const void *value,
		  size_t size)
{
	memcpy((char *)options + option->member, value, size);
}

static void store_unsigned(struct options *options, const struct option *option, unsigned value)
{
	store(options, option, &value, sizeof(value));
}

static const struct choice *choice_find(const struct choice *choices, const char *value)
{
	for (const struct choice *choice = choices; choice && choice->word; choice++) {
		if (strcasecmp(choice->word, value) == 0)
			return choice;
	}
	return NULL;
}

static int refuse_later(const struct option *option, const struct choice *choice, struct error *err)
{
	return error_say(err, -EINVAL, "-%s %s is not available in this version", option->row.name,
			 choice->word);
}

static const struct refusal *refusal_find(const struct refusal *refusals, const char *value)
{
	for (; refusals && refusals->word; refusals++) {
		if (strcasecmp(refusals->word, value) == 0)
			return refusals;
	}
	return NULL;
}

static int refuse_word(const struct option *option, const char *value, struct error *err)
{
	const struct refusal *refusal = refusal_find(option->refusals, value);
	char quoted[QUOTE_SIZE];
	char words[QUOTE_SIZE] = "";

	if (refusal)
		return error_say(err, -EINVAL, "-%s %s: %s", option->row.name, refusal->word,
				 refusal->instead);
	for (const struct choice *choice = option->choices; choice->word; choice++) {
		if (choice->later)
			continue;
		if (words[0])
			strncat(words, ", ", sizeof(words) - strlen(words) - 1);
		strncat(words, choice->word, sizeof(words) - strlen(words) - 1);
	}
	return error_say(err, -EINVAL, "-%s '%s' is none of: %s", option->row.name,
			 text_quote(quoted, sizeof(quoted), value), words);
}

static int set_choice(const struct option *option, struct options *options, const char *value,
		      struct error *err)
{
	const struct choice *choice = choice_find(option->choices, value);

	if (!choice)
		return refuse_word(option, value, err);
	if (choice->later)
		return refuse_later(option, choice, err);
	if (option->member) /* 0, that of the command: there is but one word as yet */
		store_unsigned(options, option, choice->value);
	return 0;
}

static int set_text(const struct option *option, struct options *options, const char *value,
		    struct error *err)
{
	const struct choice *choice = choice_find(option->choices, value);

	if (choice && choice->later)
		return refuse_later(option, choice, err);
	store(options, option, &value, sizeof(value));
	return 0;
}

static int set_testname(struct options *options, const char *value, struct error *err)
{
	const char *base = strrchr(value, '/') ? strrchr(value, '/') + 1 : value;
	size_t length = strlen(value);
	char quoted[QUOTE_SIZE];

	text_quote(quoted, sizeof(quoted), value);
	if (length >= sizeof(options->testname))
		return error_say(err, -EINVAL, "-testname '%s' is too long", quoted);
	options->spec.lun_suffix = strlen(base) >= 4 && strcmp(value + length - 4, ".lun") == 0;
	if (options->spec.lun_suffix)
		length -= 4;
	if (value + length == base)
		return error_say(err, -EINVAL, "-testname '%s' names no test: NAME or DIR/NAME",
				 quoted);
	memcpy(options->testname, value, length);
	options->testname[length] = '\0';
	options->spec.testname = options->testname;
	return 0;
}

static int set_count(const struct option *option, struct options *options, const char *value,
		     struct error *err)
{
	const struct choice *choice = choice_find(option->choices, value);
	uint64_t count = choice ? choice->value : 0;
	int code = 0;

	if (!choice)
		code = units_parse_count(value, option->min, option->max, &count, err);
	if (code < 0)
		return error_wrap(err, "-%s", option->row.name);
	if (option->kind == VALUE_COUNT64)
		store(options, option, &count, sizeof(count));
	else
		store_unsigned(options, option, (unsigned)count);
	return 0;
}

/* As many bytes as nobody wants, where the user gave a bare number of what is KiB. */
static int check_unit(const struct option *option, const char *value, uint64_t bytes,
		      struct error *err)
{
	bool is_bare = value[strspn(value, "0123456789")] == '\0';
	uint64_t kib = bytes / BYTES_KIB;
	char meant[64] = "";
	char size[32];

	if (option->kind != VALUE_SIZE || option->unit != BYTES_KIB || !is_bare ||
	    bytes <= IO_BYTES_MAX)
		return 0;
	if (kib % BYTES_KIB == 0)
		snprintf(meant, sizeof(meant), ": is -%s %ju meant", option->row.name,
			 (uintmax_t)(kib / BYTES_KIB));
	return error_say(err, -EINVAL, "-%s %s is %s, since a bare number is KiB%s",
			 option->row.name, value, units_format_bytes(size, sizeof(size), bytes),
			 meant);
}

static int set_amount(const struct option *option, struct options *options, const char *value,
		      struct error *err)
{
	uint64_t amount;
	int code = option->kind == VALUE_SIZE ? units_parse_size(value, option->unit, &amount, err)
					      : units_parse_time(value, option->unit, &amount, err);

	if (code < 0)
		return error_wrap(err, "-%s", option->row.name);
	store(options, option, &amount, sizeof(amount));
	return check_unit(option, value, amount, err);
}

static int set_levels(const struct option *option, struct options *options, const char *value,
		      struct error *err)
{
	struct level_list *levels = option->given & (UINT64_C(1) << SPEC_SMALL_LEVELS)
					    ? &options->spec.small_levels
					    : &options->spec.large_levels;
	/* one place is left for the 0 that a row or column implies */
	int count = units_parse_levels(value, (uint32_t)option->max, levels->value, LEVELS_MAX - 1,
				       err);

	if (count < 0)
		return error_wrap(err, "-%s", option->row.name);
	levels->count = (unsigned)count;
	return 0;
}

static int set_value(const struct option *option, struct options *options, const char *value,
		     struct error *err)
{
	const bool on = true;

	switch (option->kind) {
	case VALUE_NONE:
		store(options, option, &on, sizeof(on));
		return 0;
	case VALUE_TEXT:
		return set_text(option, options, value, err);
	case VALUE_TESTNAME:
		return set_testname(options, value, err);
	case VALUE_CHOICE:
		return set_choice(option, options, value, err);
	case VALUE_COUNT:
	case VALUE_COUNT64:
		return set_count(option, options, value, err);
	case VALUE_SIZE:
	case VALUE_TIME:
		return set_amount(option, options, value, err);
	case VALUE_LEVELS:
		return set_levels(option, options, value, err);
	}
	return -EINVAL;
}

int option_set(const struct option *option, struct options *options, const char *value,
	       struct error *err)
{
	int code = set_value(option, options, value, err);

	if (code == 0)
		options->spec.given |= option->given;
	return code;
}
