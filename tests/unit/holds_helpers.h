/* What probe_holds() finds on a fixture, compared phrase by phrase. SPDX-License-Identifier: MIT */
#ifndef TESTS_HOLDS_HELPERS_H
#define TESTS_HOLDS_HELPERS_H

#include "block_helpers.h"

#define BIT(kind) (1u << (kind))

/**
 * struct holds_case - a LUN by number, and all that is found, in any order
 * @expected: phrases with "; " between them; @ is the fixture's directory
 * @kinds:    0: not checked
 */
struct holds_case {
	const char *what;
	unsigned major_number, minor_number;
	const char *expected;
	unsigned kinds;
};

#define ASSERT_CASES(cases) assert_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static inline void mountinfo(const char *whose, const char *lines)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/%s/mountinfo", whose);
	fixture_file(name, lines);
}

static inline bool is_found(const struct findings *findings, const char *phrase)
{
	for (unsigned i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].text, phrase) == 0)
			return true;
	return false;
}

static inline void fail_with(const char *what, const struct findings *findings, const char *phrase)
{
	for (unsigned i = 0; i < findings->count; i++)
		print_error("found: %s\n", findings->list[i].text);
	fail_msg("%s: %s", what, phrase);
}

/* @text with the fixture's directory for @ */
static inline void fill_in(char *out, size_t size, const char *text)
{
	size_t used = 0;

	for (const char *at; (at = strchr(text, '@')); text = at + 1)
		used += (size_t)snprintf(out + used, size - used, "%.*s%s", (int)(at - text), text,
					 fixture);
	assert_true(used + strlen(text) < size);
	strcpy(out + used, text);
}

static inline bool says_partitions(const char *expected)
{
	const char *has = strstr(expected, "has ");

	return has && strstr(has, " partition");
}

/* That a disk has partitions is of interest to the tests that say so. */
static inline void drop_partitions(struct findings *findings)
{
	const struct findings all = *findings;

	*findings = (struct findings){0};
	for (unsigned i = 0; i < all.count; i++)
		if (all.list[i].kind != FINDING_CARRIES)
			findings_add(findings, all.list[i].kind, "%s", all.list[i].text);
}

static inline void assert_found(const char *what, const struct findings *all, const char *expected)
{
	struct findings some = *all;
	const struct findings *findings = &some;
	char text[2048];
	char *rest = text;
	unsigned count = 0;

	if (!says_partitions(expected))
		drop_partitions(&some);
	fill_in(text, sizeof(text), expected);
	while (rest && *rest) {
		char *next = strstr(rest, "; ");

		if (next)
			*next = '\0';
		if (!is_found(findings, rest))
			fail_with(what, findings, rest);
		count++;
		rest = next ? next + 2 : NULL;
	}
	if (findings->count != count)
		fail_with(what, findings, "found more than expected");
	if (count == 0)
		assert_int_equal(findings->kinds, 0);
}

static inline void assert_finds(const char *what, const struct target *target, bool open_files,
				const char *expected, unsigned kinds)
{
	struct findings findings = {0};

	probe_holds(target, 1, &fixture_roots, open_files, &findings);
	if (!says_partitions(expected))
		drop_partitions(&findings);
	assert_found(what, &findings, expected);
	if (kinds && findings.kinds != kinds)
		fail_msg("%s: kinds %#x, expected %#x", what, findings.kinds, kinds);
}

static inline void assert_cases(const struct holds_case cases[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct target target =
			block_target(cases[i].major_number, cases[i].minor_number);

		assert_finds(cases[i].what, &target, false, cases[i].expected, cases[i].kinds);
	}
}

#endif
