/* What the files of the command line share. SPDX-License-Identifier: MIT */
#ifndef CALIB_OPTIONS_PRIVATE_H
#define CALIB_OPTIONS_PRIVATE_H

#include "calib/options.h"

#define OPTIONS_MAX 64 /* rows of the table, for what is kept for each */

enum value_kind {
	VALUE_NONE, /* a switch */
	VALUE_TEXT,
	VALUE_TESTNAME,
	VALUE_CHOICE,
	VALUE_COUNT,   /* into an unsigned */
	VALUE_COUNT64, /* into a uint64_t */
	VALUE_SIZE,
	VALUE_TIME,
	VALUE_LEVELS,
};

/** struct choice - one word that an option takes, and what it stands for; @later: not yet */
struct choice {
	const char *word;
	unsigned value;
	bool later;
};

/** struct refusal - a word that ORION takes and calib does not, and what to do instead */
struct refusal {
	const char *word;
	const char *instead;
};

/**
 * struct option - a row of the table, and how its value is read
 * @member:   offset in struct options; the type there goes with @kind
 * @given:    bit of spec.given, or 0
 * @choices:  ended by a NULL word; with VALUE_TEXT and VALUE_COUNT words beside other values
 * @unit:     what 1 means without a suffix
 * @refusals: ended by a NULL word
 */
struct option {
	struct option_row row;
	enum value_kind kind;
	size_t member;
	uint64_t given;
	const struct choice *choices;
	uint64_t min, max;
	uint64_t unit;
	const struct refusal *refusals;
};

/** option_at - the @index-th row; NULL past the end */
const struct option *option_at(size_t index);

/** option_find - the row with that name (@length bytes of it), or NULL */
const struct option *option_find(const char *name, size_t length);

/** option_set - read a value into @options; an error names option and value */
int option_set(const struct option *option, struct options *options, const char *value,
	       struct error *err);

/** option_unknown - say that there is no such option, and which is meant; -EINVAL */
int option_unknown(const char *word, struct error *err);

/** paste_check - refuse an option with what word processors put for '-' and blanks; 0 or -EINVAL */
int paste_check(const char *argument, struct error *err);

#endif
