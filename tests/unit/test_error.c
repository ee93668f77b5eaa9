/* Tests of error.c. SPDX-License-Identifier: MIT */
#include "calib/error.h"
#include "calib/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

static const char *end_of(const char *text, size_t length)
{
	return text + strlen(text) - length;
}

static void set_appends_the_words_of_the_system(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(error_set(&err, -ENOENT, "cannot open '%s'", "/dev/sdz"), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.text, "cannot open '/dev/sdz': No such file or directory");
}

static void set_names_a_code_that_the_system_does_not_know(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(error_set(&err, -12345, "cannot read"), -12345);
	assert_string_equal(err.text, "cannot read: Unknown error 12345");
}

static void say_appends_nothing(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(error_say(&err, -EINVAL, "no LUN in %s", "x.lun"), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_string_equal(err.text, "no LUN in x.lun");
}

static void a_later_error_replaces_an_earlier_one(void **state)
{
	struct error err = {0};

	(void)state;
	error_say(&err, -EINVAL, "a first text that is rather long");
	error_say(&err, -ERANGE, "second");
	assert_int_equal(err.code, -ERANGE);
	assert_string_equal(err.text, "second");
}

static void wrap_puts_the_place_in_front(void **state)
{
	struct error err = {0};

	(void)state;
	error_set(&err, -EACCES, "cannot open '/dev/sda'");
	assert_int_equal(error_wrap(&err, "%s:%d", "mytest.lun", 3), -EACCES);
	assert_int_equal(err.code, -EACCES);
	assert_string_equal(err.text, "mytest.lun:3: cannot open '/dev/sda': Permission denied");
}

static void an_error_can_be_made_from_its_own_text(void **state)
{
	struct error err = {0};

	(void)state;
	error_say(&err, -EINVAL, "inner");
	error_say(&err, -EINVAL, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
	error_wrap(&err, "again %s", err.text);
	assert_string_equal(err.text, "again outer (inner): outer (inner)");
}

static void text_of_1023_bytes_is_kept_and_one_more_is_cut(void **state)
{
	struct error err = {0};
	char text[1025];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[1023] = '\0';
	error_say(&err, -EINVAL, "%s", text);
	assert_string_equal(err.text, text);

	text[1023] = 'a';
	text[1024] = '\0';
	error_say(&err, -EINVAL, "%s", text);
	assert_int_equal(strlen(err.text), 1023);
	assert_string_equal(end_of(err.text, 5), "aa...");
}

static void long_name_gives_way_to_the_reason(void **state)
{
	struct error err = {0};
	char name[5000];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	error_set(&err, -ENOENT, "cannot open '%s'", name);
	assert_true(strlen(err.text) < sizeof(err.text));
	assert_string_equal(end_of(err.text, 32), "nn...: No such file or directory");
}

static void wrapping_a_full_error_cuts_it(void **state)
{
	struct error err = {0};
	char text[1024];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	error_say(&err, -EIO, "%s", text);
	assert_int_equal(error_wrap(&err, "place"), -EIO);
	assert_int_equal(strlen(err.text), 1023);
	assert_memory_equal(err.text, "place: aaa", 10);
	assert_string_equal(end_of(err.text, 4), "a...");
}

static void cut_text_keeps_characters_whole(void **state)
{
	struct error err = {0};
	char text[1200];

	(void)state;
	/* each of these has its cut at another byte of the three-byte euro signs */
	for (size_t lead = 0; lead < 3; lead++) {
		memset(text, 'a', lead);
		for (size_t at = lead; at + 4 < sizeof(text); at += 3)
			memcpy(text + at, "\xe2\x82\xac", 4);
		error_say(&err, -EINVAL, "%s", text);
		assert_in_range(strlen(err.text), 1021, 1023);
		assert_true(text_is_utf8(err.text, strlen(err.text)));
		assert_string_equal(end_of(err.text, 6), "\xe2\x82\xac...");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_appends_the_words_of_the_system),
		cmocka_unit_test(set_names_a_code_that_the_system_does_not_know),
		cmocka_unit_test(say_appends_nothing),
		cmocka_unit_test(a_later_error_replaces_an_earlier_one),
		cmocka_unit_test(wrap_puts_the_place_in_front),
		cmocka_unit_test(an_error_can_be_made_from_its_own_text),
		cmocka_unit_test(text_of_1023_bytes_is_kept_and_one_more_is_cut),
		cmocka_unit_test(long_name_gives_way_to_the_reason),
		cmocka_unit_test(wrapping_a_full_error_cuts_it),
		cmocka_unit_test(cut_text_keeps_characters_whole),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
