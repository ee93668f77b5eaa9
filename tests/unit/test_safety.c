/* Tests of safety.c: what may be written. SPDX-License-Identifier: MIT */
#include "calib/safety.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define BIT(kind) (1u << (kind))

static const struct consent none;
static const struct consent overwrite = {.overwrite = true};
static const struct consent force = {.force = true};
static const struct consent both = {.overwrite = true, .force = true};

static struct findings of(unsigned kinds)
{
	struct findings findings = {0};

	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		if (kinds & BIT(kind))
			findings_add(&findings, kind, "kind %u", kind);
	return findings;
}

static void every_kind_is_judged_as_promised(void **state)
{
	static const struct {
		enum finding_kind kind;
		enum verdict verdict, forced;
	} cases[] = {
		{FINDING_MOUNTED, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_SWAP, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_HELD, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_LOOP, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_OPEN, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_SYSTEM_DISK, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_ZONED, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_READ_ONLY, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_ALIAS, VERDICT_REFUSED, VERDICT_REFUSED},
		{FINDING_CARRIES, VERDICT_NEEDS_FORCE, VERDICT_MAY_WRITE},
		{FINDING_UNKNOWN, VERDICT_NEEDS_FORCE, VERDICT_MAY_WRITE},
	};

	(void)state;
	assert_int_equal(sizeof(cases) / sizeof(cases[0]), FINDING_KINDS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct findings findings = of(BIT(cases[i].kind));

		assert_int_equal(safety_judge(&findings, &none), cases[i].verdict);
		assert_int_equal(safety_judge(&findings, &overwrite), cases[i].verdict);
		assert_int_equal(safety_judge(&findings, &both), cases[i].forced);
	}
}

static void nothing_known_against_it_still_needs_the_users_word(void **state)
{
	struct findings findings = {0};

	(void)state;
	assert_int_equal(safety_judge(&findings, &none), VERDICT_NOT_CONFIRMED);
	assert_int_equal(safety_judge(&findings, &force), VERDICT_NOT_CONFIRMED);
	assert_int_equal(safety_judge(&findings, &overwrite), VERDICT_MAY_WRITE);
	assert_int_equal(safety_judge(&findings, &both), VERDICT_MAY_WRITE);
}

static void force_alone_does_not_confirm(void **state)
{
	struct findings findings = of(BIT(FINDING_CARRIES));

	(void)state;
	assert_int_equal(safety_judge(&findings, &force), VERDICT_NOT_CONFIRMED);
}

static void in_use_outweighs_a_signature(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < FINDING_CARRIES; kind++) {
		struct findings findings =
			of(BIT(kind) | BIT(FINDING_CARRIES) | BIT(FINDING_UNKNOWN));

		assert_int_equal(safety_judge(&findings, &both), VERDICT_REFUSED);
	}
}

/* A LUN may carry more signatures than a message has room for: what comes last counts too. */
static void a_finding_without_room_still_counts(void **state)
{
	struct findings findings = {0};

	(void)state;
	for (unsigned i = 0; i < 3 * FINDINGS_MAX; i++)
		findings_add(&findings, FINDING_CARRIES, "signature %u", i);
	assert_int_equal(findings.count, FINDINGS_MAX);
	assert_int_equal(safety_judge(&findings, &both), VERDICT_MAY_WRITE);
	findings_add(&findings, FINDING_MOUNTED, "mounted");
	assert_true(findings_has(&findings, FINDING_MOUNTED));
	assert_string_equal(findings.list[FINDINGS_MAX - 1].text, "mounted");
	assert_int_equal(safety_judge(&findings, &both), VERDICT_REFUSED);
}

static void the_same_phrase_is_kept_once(void **state)
{
	struct findings findings = {0};

	(void)state;
	findings_add(&findings, FINDING_MOUNTED, "mounted on '%s'", "/a");
	findings_add(&findings, FINDING_MOUNTED, "mounted on '%s'", "/a");
	findings_add(&findings, FINDING_MOUNTED, "mounted on '%s'", "/b");
	assert_int_equal(findings.count, 2);
}

static void reasons_come_by_weight(void **state)
{
	struct findings findings = {0};
	char out[256];

	(void)state;
	assert_string_equal(safety_reason(&findings, out, sizeof(out)), "");
	findings_add(&findings, FINDING_CARRIES, "carries an ext4 file system");
	findings_add(&findings, FINDING_SWAP, "swapped on");
	findings_add(&findings, FINDING_MOUNTED, "mounted on '/a'");
	assert_string_equal(safety_reason(&findings, out, sizeof(out)),
			    "mounted on '/a'; swapped on; carries an ext4 file system");
	assert_string_equal(safety_reason(&findings, out, 8), "mounted");
}

static void long_phrases_are_cut(void **state)
{
	struct findings findings = {0};
	char path[2 * FINDING_TEXT];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	findings_add(&findings, FINDING_MOUNTED, "mounted on '%s'", path);
	assert_int_equal(strlen(findings.list[0].text), FINDING_TEXT - 1);
	assert_int_equal(safety_judge(&findings, &both), VERDICT_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_judged_as_promised),
		cmocka_unit_test(nothing_known_against_it_still_needs_the_users_word),
		cmocka_unit_test(force_alone_does_not_confirm),
		cmocka_unit_test(in_use_outweighs_a_signature),
		cmocka_unit_test(a_finding_without_room_still_counts),
		cmocka_unit_test(the_same_phrase_is_kept_once),
		cmocka_unit_test(reasons_come_by_weight),
		cmocka_unit_test(long_phrases_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
