/* What was meant by an option that does not exist. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "options_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define QUOTE_SIZE 128

/* dashes and minus signs that editors and web pages put in place of '-' */
static const struct {
	const char *bytes;
	const char *name;
} dashes[] = {
	{"\xe2\x80\x90", "a hyphen U+2010"},	   {"\xe2\x80\x91", "a no-break hyphen U+2011"},
	{"\xe2\x80\x92", "a figure dash U+2012"},  {"\xe2\x80\x93", "an en dash U+2013"},
	{"\xe2\x80\x94", "an em dash U+2014"},	   {"\xe2\x80\x95", "a horizontal bar U+2015"},
	{"\xe2\x88\x92", "a minus sign U+2212"},   {"\xef\xb9\x98", "a small em dash U+FE58"},
	{"\xef\xb9\xa3", "a small hyphen U+FE63"}, {"\xef\xbc\x8d", "a full-width hyphen U+FF0D"},
};

/* and blanks that a shell takes for a part of the word */
static const struct {
	const char *bytes;
	const char *name;
} blanks[] = {
	{"\xc2\xa0", "a no-break space U+00A0"},
	{"\xe2\x80\x87", "a figure space U+2007"},
	{"\xe2\x80\xaf", "a narrow no-break space U+202F"},
	{"\xe3\x80\x80", "an ideographic space U+3000"},
};

/* Which of them a word begins with, or NULL. */
static const char *leading_dash(const char *word)
{
	for (size_t i = 0; i < sizeof(dashes) / sizeof(dashes[0]); i++)
		if (strncmp(word, dashes[i].bytes, 3) == 0)
			return dashes[i].name;
	return NULL;
}

static const char *after_all_dashes(const char *word)
{
	while (*word == '-' || leading_dash(word))
		word += *word == '-' ? 1 : 3;
	return word;
}

static int blank_check(const char *argument, struct error *err)
{
	char name[QUOTE_SIZE], quoted[QUOTE_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument, "="), argument);
	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++) {
		char *blank = strstr(name, blanks[i].bytes);

		if (!blank)
			continue;
		*blank = '\0';
		return error_say(err, -EINVAL, "there is %s behind '%s': type a plain blank",
				 blanks[i].name, text_quote(quoted, sizeof(quoted), name));
	}
	return 0;
}

int paste_check(const char *argument, struct error *err)
{
	const char *dash = leading_dash(argument);
	char quoted[QUOTE_SIZE], meant[QUOTE_SIZE];

	if (!dash && argument[0] == '-')
		dash = leading_dash(argument + 1);
	if (!dash)
		return argument[0] == '-' ? blank_check(argument, err) : 0;
	return error_say(err, -EINVAL, "'%s' begins with %s, not with '-': type '-%s'",
			 text_quote(quoted, sizeof(quoted), argument), dash,
			 text_quote(meant, sizeof(meant), after_all_dashes(argument)));
}

static bool takes_any_text(const struct option *option)
{
	return option->kind == VALUE_TEXT || option->kind == VALUE_TESTNAME;
}

/* Whether the rest of a word would do as the option's value. */
static bool is_value(const struct option *option, const char *rest)
{
	struct options *scratch = calloc(1, sizeof(*scratch));
	struct error err;
	bool good = scratch && option_set(option, scratch, rest, &err) == 0;

	free(scratch);
	return good;
}

/* "typerand": the option that a lost blank has joined with its value; the longest name wins. */
static const struct option *lost_blank(const char *word, bool any_text)
{
	const struct option *option, *best = NULL;
	size_t best_length = 0;

	for (size_t i = 0; (option = option_at(i)) != NULL; i++) {
		size_t length = strlen(option->row.name);

		if (!option->row.available || !option->row.argument || length <= best_length ||
		    takes_any_text(option) != any_text)
			continue;
		if (strncmp(word, option->row.name, length) == 0 && word[length] &&
		    is_value(option, word + length)) {
			best = option;
			best_length = length;
		}
	}
	return best;
}

/* "dur", "RUN": the only option that begins so */
static const char *only_completion(const char *word)
{
	const struct option *option;
	const char *found = NULL;

	for (size_t i = 0; (option = option_at(i)) != NULL; i++) {
		if (strncasecmp(option->row.name, word, strlen(word)) != 0)
			continue;
		if (strlen(option->row.name) == strlen(word))
			return option->row.name;
		if (found)
			return NULL;
		found = option->row.name;
	}
	return found;
}

static const char *nearest(const char *word)
{
	const char *names[OPTIONS_MAX];
	const struct option *option;
	const char *found = only_completion(word);
	size_t count = 0;

	for (; (option = option_at(count)) != NULL; count++)
		names[count] = option->row.name;
	return found ? found : text_nearest(word, names, count);
}

int option_unknown(const char *word, struct error *err)
{
	const struct option *joined = lost_blank(word, false);
	const struct option *with_text = lost_blank(word, true);
	const char *near = nearest(word);
	char quoted[QUOTE_SIZE];

	text_quote(quoted, sizeof(quoted), word);
	/* any rest is good as a text, so a name that is nearer comes first */
	if (!joined && with_text && (!near || strcmp(near, with_text->row.name) == 0))
		joined = with_text;
	if (joined)
		return error_say(err, -EINVAL, "there is no option '-%s': did you mean '-%s %s'",
				 quoted, joined->row.name, quoted + strlen(joined->row.name));
	if (near)
		return error_say(err, -EINVAL, "there is no option '-%s': did you mean '-%s'",
				 quoted, near);
	return error_say(err, -EINVAL, "there is no option '-%s': 'calib -help' lists all", quoted);
}
