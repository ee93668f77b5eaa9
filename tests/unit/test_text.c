/* Tests of text.c. SPDX-License-Identifier: MIT */
#include "calib/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

static void utf8_is_told_from_what_only_looks_like_it(void **state)
{
	/* the edges of Unicode's table 3-7, "Well-Formed UTF-8 Byte Sequences" */
	static const struct {
		const char *bytes;
		bool good;
	} cases[] = {
		{"", true},
		{"plain /dev/sda", true},
		{"\x7f", true},
		{"\x80", false},
		{"\xbf", false},
		{"\xc0\x80", false}, /* overlong NUL */
		{"\xc1\xbf", false},
		{"\xc2\x80", true},
		{"\xdf\xbf", true},
		{"\xc3", false},
		{"\xc3(", false},
		{"\xe0\x9f\xbf", false}, /* overlong */
		{"\xe0\xa0\x80", true},
		{"\xe2\x82\xac", true}, /* the euro sign */
		{"\xe2\x82", false},
		{"\xe2\x28\xac", false},
		{"\xe2\x82\x28", false},
		{"\xed\x9f\xbf", true},
		{"\xed\xa0\x80", false}, /* U+D800, a surrogate */
		{"\xed\xbf\xbf", false},
		{"\xee\x80\x80", true},
		{"\xef\xbf\xbf", true},
		{"\xf0\x8f\xbf\xbf", false}, /* overlong */
		{"\xf0\x90\x80\x80", true},
		{"\xf0\x9f\x98\x80", true},
		{"\xf0\x9f\x98", false},
		{"\xf0\x9f\x98(", false},
		{"\xf4\x8f\xbf\xbf", true},  /* U+10FFFF, the last one */
		{"\xf4\x90\x80\x80", false}, /* above it */
		{"\xf5\x80\x80\x80", false},
		{"\xff", false},
		{"good \xc3\xa4, bad \xe4", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (text_is_utf8(cases[i].bytes, strlen(cases[i].bytes)) != cases[i].good)
			fail_msg("case %zu", i);
	}
}

static void utf8_ends_at_the_given_length(void **state)
{
	(void)state;
	assert_false(text_is_utf8("\xe2\x82\xac", 2));
	assert_true(text_is_utf8("a\xff", 1));
	assert_true(text_is_utf8("a\0b", 3));
}

static void quote_escapes_what_a_terminal_would_obey(void **state)
{
	static const struct {
		const char *name, *quoted;
	} cases[] = {
		{"", ""},
		{"/dev/my disk", "/dev/my disk"},
		{"it's \"here\" \\ %s", "it's \"here\" \\ %s"},
		{"/dev/sda\r", "/dev/sda\\x0d"},
		{"a\tb\nc", "a\\x09b\\x0ac"},
		{"\x1b[31mred", "\\x1b[31mred"},
		{"\x7f", "\\x7f"},
		{"Gr\xc3\xb6\xc3\x9f"
		 "e \xe2\x82\xac \xf0\x9f\x98\x80",
		 "Gr\xc3\xb6\xc3\x9f"
		 "e \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"latin \xe4 1", "latin \\xe4 1"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{"\xc2\x9b"
		 "2J",
		 "\\xc2\\x9b"
		 "2J"}, /* a one-character escape sequence */
		{"\xc2\xa0", "\xc2\xa0"},
		{"cut \xe2\x82", "cut \\xe2\\x82"},
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_ptr_equal(text_quote(out, sizeof(out), cases[i].name), out);
		assert_string_equal(out, cases[i].quoted);
	}
}

static void the_last_part_of_a_path_follows_its_last_slash(void **state)
{
	(void)state;
	assert_string_equal(text_last_part("/a/b/orion"), "orion");
	assert_string_equal(text_last_part("./orion"), "orion");
	assert_string_equal(text_last_part("orion"), "orion");
	assert_string_equal(text_last_part("a/"), "");
	assert_string_equal(text_last_part(""), "");
}

static void cut_quote_ends_in_dots_and_whole_characters(void **state)
{
	static const struct {
		const char *name;
		size_t size;
		const char *quoted;
	} cases[] = {
		{"abcdefg", 8, "abcdefg"},
		{"abcdefgh", 8, "abcd..."},
		{"abcd\xe2\x82\xac", 8, "abcd\xe2\x82\xac"},
		{"abcd\xe2\x82\xac!", 8, "abcd..."},
		{"abc\xe2\x82\xac!!", 8, "abc..."}, /* not half of the euro sign */
		{"ab\n!", 8, "ab\\x0a!"},
		{"a\n\n", 8, "a..."}, /* not half of the escape */
		{"\n\n", 8, "\\x0a..."},
		{"abcd", 4, "..."},
		{"abc", 4, "abc"},
		{"abcd", 3, ".."},
		{"abcd", 2, "."},
		{"abcd", 1, ""},
	};
	char out[9];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(out, '#', sizeof(out));
		text_quote(out, cases[i].size, cases[i].name);
		assert_string_equal(out, cases[i].quoted);
		assert_int_equal(out[cases[i].size], '#');
	}
	memset(out, '#', sizeof(out));
	text_quote(out, 0, "a");
	assert_int_equal(out[0], '#');
}

static void csv_field_is_quoted_only_where_it_must_be(void **state)
{
	static const struct {
		const char *field, *written;
	} cases[] = {
		{"", ""},
		{"/dev/sda", "/dev/sda"},
		{"my disk", "my disk"},
		{"a;b'c", "a;b'c"},
		{"a,b", "\"a,b\""},
		{"say \"hi\"", "\"say \"\"hi\"\"\""},
		{"\"", "\"\"\"\""},
		{"two\nlines", "\"two\nlines\""},
		{"cr\r", "\"cr\r\""},
		{" led", "\" led\""},
		{"trailed\t", "\"trailed\t\""},
		{" ", "\" \""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *written = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&written, &size);

		assert_non_null(out);
		text_csv(out, cases[i].field);
		fclose(out);
		assert_string_equal(written, cases[i].written);
		free(written);
	}
}

static const char *const options[] = {"run",	   "testname",	"matrix",      "num_disks",
				      "duration",  "ramp",	"size_small",  "size_large",
				      "num_small", "num_large", "num_streamIO"};

static const char *nearest(const char *word)
{
	return text_nearest(word, options, sizeof(options) / sizeof(options[0]));
}

static void nearest_finds_a_mistyped_option(void **state)
{
	static const struct {
		const char *word, *meant;
	} cases[] = {
		{"run", "run"},
		{"rnu", "run"}, /* two swapped letters are one mistake */
		{"testnam", "testname"},
		{"tsetname", "testname"},
		{"matrxi", "matrix"},
		{"numdisks", "num_disks"},
		{"num-disks", "num_disks"},
		{"durration", "duration"},
		{"duratoin", "duration"},
		{"sizesmal", "size_small"},
		{"num_smell", "num_small"},
		{"num_streamio", "num_streamIO"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *found = nearest(cases[i].word);

		if (!found || strcmp(found, cases[i].meant) != 0)
			fail_msg("'%s' gives '%s'", cases[i].word, found ? found : "nothing");
	}
}

static void nearest_counts_a_swap_as_one_change(void **state)
{
	static const char *const swapped[] = {"abdcef"};
	static const char *const twice[] = {"abc"};

	(void)state;
	assert_non_null(text_nearest("bacdef", swapped, 1)); /* 2 swaps, else 4 changes */
	assert_null(text_nearest("ca", twice, 1)); /* no letter is moved twice: 3, not 2 */
}

static void first_of_the_nearest_is_taken(void **state)
{
	static const char *const names[] = {"abcX", "abdd", "abcY", "abcd"};

	(void)state;
	assert_ptr_equal(text_nearest("abcZ", names, 3), names[0]);
	assert_ptr_equal(text_nearest("abcd", names, 3), names[0]);
	assert_ptr_equal(text_nearest("abcd", names, 4), names[3]);
}

static void nothing_is_near_beyond_a_third_of_the_word(void **state)
{
	static const char *const nine[] = {"abcdefghi"};
	static const char *const three[] = {"abc"};

	(void)state;
	assert_non_null(text_nearest("abcdefXYZ", nine, 1));
	assert_null(text_nearest("abcdeVXYZ", nine, 1));
	assert_non_null(text_nearest("aXY", three, 1)); /* 2 is always near */
	assert_null(text_nearest("XYZ", three, 1));
	assert_null(text_nearest("colour", NULL, 0));
	assert_null(nearest("colour"));
}

static void endless_word_is_near_to_nothing(void **state)
{
	static char word[100001];

	(void)state;
	memset(word, 'r', sizeof(word) - 1);
	assert_null(nearest(word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_told_from_what_only_looks_like_it),
		cmocka_unit_test(utf8_ends_at_the_given_length),
		cmocka_unit_test(quote_escapes_what_a_terminal_would_obey),
		cmocka_unit_test(the_last_part_of_a_path_follows_its_last_slash),
		cmocka_unit_test(cut_quote_ends_in_dots_and_whole_characters),
		cmocka_unit_test(csv_field_is_quoted_only_where_it_must_be),
		cmocka_unit_test(nearest_finds_a_mistyped_option),
		cmocka_unit_test(nearest_counts_a_swap_as_one_change),
		cmocka_unit_test(first_of_the_nearest_is_taken),
		cmocka_unit_test(nothing_is_near_beyond_a_third_of_the_word),
		cmocka_unit_test(endless_word_is_near_to_nothing),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
