/* Sizes, times and counts as a user writes them. SPDX-License-Identifier: MIT */
#include "calib/units.h"

#include "calib/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

#define FRACTION_DIGITS 18 /* 10^18 times the largest unit still fits 128 bits */
#define QUOTE_SIZE	96

struct suffix {
	const char *name;
	uint64_t unit;
};

/* what is the same for all sizes, or for all times */
struct kind {
	const struct suffix *suffixes; /* ended by a NULL name */
	int (*compare)(const char *, const char *, size_t);
	const char *use;  /* the suffixes, for messages */
	const char *base; /* what a value must be a whole number of */
	const char *most;
	uint64_t max;
};

static const struct kind size_kind = {
	.suffixes =
		(const struct suffix[]){
			{"K", UINT64_C(1) << 10},
			{"KB", UINT64_C(1) << 10},
			{"KiB", UINT64_C(1) << 10},
			{"M", UINT64_C(1) << 20},
			{"MB", UINT64_C(1) << 20},
			{"MiB", UINT64_C(1) << 20},
			{"G", UINT64_C(1) << 30},
			{"GB", UINT64_C(1) << 30},
			{"GiB", UINT64_C(1) << 30},
			{"T", UINT64_C(1) << 40},
			{"TB", UINT64_C(1) << 40},
			{"TiB", UINT64_C(1) << 40},
			{NULL, 0},
		},
	.compare = strncasecmp,
	.use = "K, M, G or T",
	.base = "bytes",
	.most = "it must be below 16 EiB",
	.max = UINT64_MAX,
};

/* in lower case only, so that M, which is 2^20 elsewhere, is never taken for minutes */
static const struct kind time_kind = {
	.suffixes =
		(const struct suffix[]){
			{"us", NS_PER_US},
			{"ms", NS_PER_MS},
			{"s", NS_PER_S},
			{"m", 60 * NS_PER_S},
			{"h", 3600 * NS_PER_S},
			{NULL, 0},
		},
	.compare = strncmp,
	.use = "us, ms, s, m or h",
	.base = "nanoseconds",
	.most = "at most 292 years are possible",
	.max = INT64_MAX, /* so that the difference of two has a sign */
};

/* a number as written: whole + fraction / scale */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t scale;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "'@text': @format" */
__attribute__((format(printf, 4, 5))) static int refuse(struct error *err, int code,
							const char *text, const char *format, ...)
{
	char quoted[QUOTE_SIZE];
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return error_say(err, code, "'%s': %s", text_quote(quoted, sizeof(quoted), text), reason);
}

/* as bytes: a dash that is no minus and a blank that is none look right on the screen */
static int refuse_odd_character(struct error *err, const char *text, const char *at)
{
	char bytes[4 * 4 + 1];
	size_t used = 0;

	do {
		snprintf(bytes + used, 5, "\\x%02x", (unsigned char)*at++);
		used += 4;
	} while (((unsigned char)*at & 0xc0) == 0x80 && used + 4 < sizeof(bytes));
	return refuse(err, -EINVAL, text, "unexpected character %s", bytes);
}

/* @at: the first character that cannot stand where it does */
static int refuse_stray(struct error *err, const char *text, const char *at)
{
	bool first = at == text;
	unsigned char c = (unsigned char)*at;

	if (c == '\0')
		return refuse(err, -EINVAL, text, "a digit is missing at the end");
	if (c == ' ' || c == '\t')
		return refuse(err, -EINVAL, text, "a blank is not allowed");
	if (c < 0x20 || c >= 0x7f)
		return refuse_odd_character(err, text, at);
	if (first && (c == '-' || c == '+'))
		return refuse(err, -EINVAL, text, "a sign is not allowed");
	if (first && c == '.')
		return refuse(err, -EINVAL, text, "a digit is missing before the point");
	return refuse(err, -EINVAL, text, "unexpected '%c'", c);
}

/* the digits at *@at, one or more; *@at then stands behind them */
static int scan_digits(const char *text, const char **at, uint64_t *value, struct error *err)
{
	if (text[0] == '\0')
		return refuse(err, -EINVAL, text, "a number is missing");
	if (!is_digit(**at))
		return refuse_stray(err, text, *at);
	for (*value = 0; is_digit(**at); (*at)++) {
		unsigned digit = (unsigned)(**at - '0');

		if (*value > (UINT64_MAX - digit) / 10)
			return refuse(err, -ERANGE, text, "too large");
		*value = *value * 10 + digit;
	}
	return 0;
}

static int scan_fraction(const char *text, const char **at, struct decimal *number,
			 struct error *err)
{
	const char *from = *at;
	const char *end = from;

	if (!is_digit(*from))
		return refuse_stray(err, text, from);
	for (; is_digit(**at); (*at)++) {
		if (**at != '0') /* zeros at the end say nothing */
			end = *at + 1;
	}
	if (end - from > FRACTION_DIGITS)
		return refuse(err, -EINVAL, text, "too many decimals");
	for (; from < end; from++) {
		number->fraction = number->fraction * 10 + (unsigned)(*from - '0');
		number->scale *= 10;
	}
	return 0;
}

static int refuse_suffix(struct error *err, const char *text, const char *at, size_t length,
			 const struct kind *kind)
{
	if ((*at == 'e' || *at == 'E') && (is_digit(at[1]) || at[1] == '-' || at[1] == '+'))
		return refuse(err, -EINVAL, text, "an exponent is not allowed");
	if ((*at == 'x' || *at == 'X') && at == text + 1)
		return refuse(err, -EINVAL, text, "hexadecimal is not allowed");
	return refuse(err, -EINVAL, text, "unknown suffix '%.*s', use %s",
		      length < QUOTE_SIZE ? (int)length : QUOTE_SIZE, at, kind->use);
}

/* what 1 means with the suffix at @at, which must be the end of @text */
static int scan_suffix(const char *text, const char *at, const struct kind *kind, uint64_t *unit,
		       struct error *err)
{
	const struct suffix *suffix = kind->suffixes;
	size_t length = 0;

	while (is_letter(at[length]))
		length++;
	while (suffix->name &&
	       (strlen(suffix->name) != length || kind->compare(suffix->name, at, length) != 0))
		suffix++;
	if (length > 0 && !suffix->name)
		return refuse_suffix(err, text, at, length, kind);
	if (at[length] == ',')
		return refuse(err, -EINVAL, text, "unexpected ',', a fraction has a point");
	if (at[length] != '\0')
		return refuse_stray(err, text, at + length);
	if (length > 0)
		*unit = suffix->unit;
	return 0;
}

static int parse_quantity(const char *text, const struct kind *kind, uint64_t unit, uint64_t *value,
			  struct error *err)
{
	struct decimal number = {.scale = 1};
	const char *at = text;
	wide whole, part;
	int code = scan_digits(text, &at, &number.whole, err);

	if (code == 0 && *at == '.') {
		at++;
		code = scan_fraction(text, &at, &number, err);
	}
	if (code == 0)
		code = scan_suffix(text, at, kind, &unit, err);
	if (code < 0)
		return code;
	part = (wide)number.fraction * unit;
	if (part % number.scale != 0)
		return refuse(err, -EINVAL, text, "not a whole number of %s", kind->base);
	whole = (wide)number.whole * unit + part / number.scale;
	if (whole > kind->max)
		return refuse(err, -ERANGE, text, "too large, %s", kind->most);
	*value = (uint64_t)whole;
	return 0;
}

int units_parse_size(const char *text, uint64_t bare_bytes, uint64_t *bytes, struct error *err)
{
	return parse_quantity(text, &size_kind, bare_bytes, bytes, err);
}

int units_parse_time(const char *text, uint64_t bare_ns, uint64_t *ns, struct error *err)
{
	return parse_quantity(text, &time_kind, bare_ns, ns, err);
}

/* "K", "MB", "%": meant as a unit, where a number has none */
static bool is_unit(const char *text)
{
	size_t letters = 0;

	while (is_letter(text[letters]))
		letters++;
	return strcmp(text, "%") == 0 || (letters > 0 && text[letters] == '\0');
}

int units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value,
		      struct error *err)
{
	const char *at = text;
	uint64_t number;
	int code = scan_digits(text, &at, &number, err);

	if (code < 0)
		return code;
	if (is_unit(at))
		return refuse(err, -EINVAL, text, "it takes a plain number, without '%s'", at);
	if (*at != '\0')
		return refuse_stray(err, text, at);
	if (number < min || number > max)
		return refuse(err, -ERANGE, text, "it must be from %" PRIu64 " to %" PRIu64, min,
			      max);
	*value = number;
	return 0;
}

/* one field of a list, and the check against the @count before it */
static int scan_level(const char *text, const char **at, uint32_t max, uint32_t levels[],
		      unsigned count, struct error *err)
{
	uint64_t number = 0;
	int code;

	if (text[0] != '\0' && (**at == ',' || **at == '\0'))
		return refuse(err, -EINVAL, text, "a number is missing beside a comma");
	code = scan_digits(text, at, &number, err);
	if (code < 0)
		return code;
	if (**at != ',' && **at != '\0')
		return refuse_stray(err, text, *at);
	if (number > max)
		return refuse(err, -ERANGE, text, "%" PRIu64 " is above %" PRIu32, number, max);
	for (unsigned i = 0; i < count; i++) {
		if (levels[i] == number)
			return refuse(err, -EINVAL, text, "%" PRIu64 " is given twice", number);
	}
	levels[count] = (uint32_t)number;
	return 0;
}

int units_parse_levels(const char *text, uint32_t max, uint32_t levels[], unsigned capacity,
		       struct error *err)
{
	const char *at = text;
	unsigned count = 0;

	do {
		int code;

		if (count == capacity)
			return refuse(err, -E2BIG, text, "more than %u values", capacity);
		code = scan_level(text, &at, max, levels, count, err);
		if (code < 0)
			return code;
		count++;
	} while (*at++ == ',');
	return (int)count;
}

static uint64_t rounded(uint64_t value, uint64_t unit)
{
	return value / unit + (value % unit >= unit - unit / 2);
}

/* "12 min 30 s": @value in the smaller of two units, 60 of which make the larger */
static void format_sixtieths(char *out, size_t size, uint64_t value, const char *larger,
			     const char *smaller)
{
	if (value % 60 == 0)
		snprintf(out, size, "%" PRIu64 " %s", value / 60, larger);
	else
		snprintf(out, size, "%" PRIu64 " %s %02u %s", value / 60, larger,
			 (unsigned)(value % 60), smaller);
}

/* @tenths of a unit, without the decimal where it is 0 */
static void format_tenths(char *out, size_t size, uint64_t tenths, const char *unit)
{
	if (tenths % 10 == 0)
		snprintf(out, size, "%" PRIu64 " %s", tenths / 10, unit);
	else
		snprintf(out, size, "%" PRIu64 ".%u %s", tenths / 10, (unsigned)(tenths % 10),
			 unit);
}

char *units_format_time(char *out, size_t size, uint64_t ns)
{
	/* rounded first, then compared: 59.9 s is "1 min", not "60 s" */
	if (ns == 0)
		snprintf(out, size, "0 s");
	else if (ns < NS_PER_US)
		snprintf(out, size, "%" PRIu64 " ns", ns);
	else if (rounded(ns, NS_PER_US) < 1000)
		snprintf(out, size, "%" PRIu64 " us", rounded(ns, NS_PER_US));
	else if (rounded(ns, NS_PER_MS) < 1000)
		snprintf(out, size, "%" PRIu64 " ms", rounded(ns, NS_PER_MS));
	else if (rounded(ns, NS_PER_S / 10) < 100)
		format_tenths(out, size, rounded(ns, NS_PER_S / 10), "s");
	else if (rounded(ns, NS_PER_S) < 60)
		snprintf(out, size, "%" PRIu64 " s", rounded(ns, NS_PER_S));
	else if (rounded(ns, NS_PER_S) < 3600)
		format_sixtieths(out, size, rounded(ns, NS_PER_S), "min", "s");
	else
		format_sixtieths(out, size, rounded(ns, 60 * NS_PER_S), "h", "min");
	return out;
}

char *units_format_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned power = 0;
	uint64_t unit = 1;
	uint64_t tenths;

	for (; bytes / unit >= 1024 && power < 6; power++)
		unit *= 1024;
	tenths = bytes / unit * 10 + rounded(bytes % unit * 10, unit);
	if (tenths == 10240 && power < 6) { /* a byte less than 1 MiB is "1 MiB" */
		tenths = 10;
		power++;
	}
	format_tenths(out, size, tenths, names[power]);
	return out;
}
