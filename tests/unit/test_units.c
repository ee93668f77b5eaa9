/* Tests of units.c. SPDX-License-Identifier: MIT */
#include "calib/units.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct good {
	const char *text;
	uint64_t bare;
	uint64_t value;
};

struct bad {
	const char *text;
	int code;
	const char *message;
};

static void sizes_are_1024_based(void **state)
{
	static const struct good cases[] = {
		{"0", 1, 0},
		{"0K", 1, 0},
		{"8", 1024, 8192},
		{"8", 1, 8},
		{"8K", 1024, 8192},
		{"8k", 1, 8192},
		{"8KB", 1, 8192},
		{"8KiB", 1, 8192},
		{"8kib", 1, 8192},
		{"1M", 1024, 1048576},
		{"1mb", 1024, 1048576},
		{"2G", 1024, UINT64_C(2147483648)},
		{"1T", 1024, UINT64_C(1099511627776)},
		{"17TiB", 1, UINT64_C(18691697672192)},
		{"1.5M", 1024, 1572864},
		{"0.5", 1024, 512},
		{"1.50000000000000000000000000000", 1024, 1536},
		{"1.0", 1, 1},
		{"0.0009765625K", 1, 1},
		{"0.000000000000K", 1, 0},
		{"008", 1024, 8192},
		{"18446744073709551615", 1, UINT64_MAX},
		{"16777215T", 1, UINT64_C(18446742974197923840)},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		uint64_t value = 77;

		if (units_parse_size(cases[i].text, cases[i].bare, &value, &err) != 0)
			fail_msg("%s", err.text);
		if (value != cases[i].value)
			fail_msg("'%s' gives %" PRIu64, cases[i].text, value);
	}
}

static void bad_size_is_refused_with_the_reason(void **state)
{
	static const struct bad cases[] = {
		{"", -EINVAL, "'': a number is missing"},
		{"-5", -EINVAL, "'-5': a sign is not allowed"},
		{"+5", -EINVAL, "'+5': a sign is not allowed"},
		{" 5", -EINVAL, "' 5': a blank is not allowed"},
		{"5 ", -EINVAL, "'5 ': a blank is not allowed"},
		{"5 K", -EINVAL, "'5 K': a blank is not allowed"},
		{"5\t", -EINVAL, "'5\\x09': a blank is not allowed"},
		{"5\n", -EINVAL, "'5\\x0a': unexpected character \\x0a"},
		{"K", -EINVAL, "'K': unexpected 'K'"},
		{"5q", -EINVAL, "'5q': unknown suffix 'q', use K, M, G or T"},
		{"5KM", -EINVAL, "'5KM': unknown suffix 'KM', use K, M, G or T"},
		{"5B", -EINVAL, "'5B': unknown suffix 'B', use K, M, G or T"},
		{"5P", -EINVAL, "'5P': unknown suffix 'P', use K, M, G or T"},
		{"5Ki", -EINVAL, "'5Ki': unknown suffix 'Ki', use K, M, G or T"},
		{"5K5", -EINVAL, "'5K5': unexpected '5'"},
		{"5K;", -EINVAL, "'5K;': unexpected ';'"},
		{"5K ", -EINVAL, "'5K ': a blank is not allowed"},
		{"8-16", -EINVAL, "'8-16': unexpected '-'"},
		{"1e3", -EINVAL, "'1e3': an exponent is not allowed"},
		{"1E+3", -EINVAL, "'1E+3': an exponent is not allowed"},
		{"0x10", -EINVAL, "'0x10': hexadecimal is not allowed"},
		{"nan", -EINVAL, "'nan': unexpected 'n'"},
		{"1,5M", -EINVAL, "'1,5M': unexpected ',', a fraction has a point"},
		{"1.", -EINVAL, "'1.': a digit is missing at the end"},
		{"1.K", -EINVAL, "'1.K': unexpected 'K'"},
		{".5", -EINVAL, "'.5': a digit is missing before the point"},
		{"1.5.5", -EINVAL, "'1.5.5': unexpected '.'"},
		{"1.2K", -EINVAL, "'1.2K': not a whole number of bytes"},
		{"0.00000000000000000001K", -EINVAL,
		 "'0.00000000000000000001K': too many decimals"},
		{"18446744073709551616", -ERANGE, "'18446744073709551616': too large"},
		{"16777216T", -ERANGE, "'16777216T': too large, it must be below 16 EiB"},
		/* an en dash, a no-break space, a full-width digit, a Latin-1 byte */
		{"\xe2\x80\x93"
		 "8",
		 -EINVAL,
		 "'\xe2\x80\x93"
		 "8': unexpected character \\xe2\\x80\\x93"},
		{"8\xc2\xa0K", -EINVAL, "'8\xc2\xa0K': unexpected character \\xc2\\xa0"},
		{"\xef\xbc\x98", -EINVAL, "'\xef\xbc\x98': unexpected character \\xef\\xbc\\x98"},
		{"8\xb5", -EINVAL, "'8\\xb5': unexpected character \\xb5"},
		{"8\x1b[2J", -EINVAL, "'8\\x1b[2J': unexpected character \\x1b"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		uint64_t value = 77;
		int code = units_parse_size(cases[i].text, 1, &value, &err);

		if (code != cases[i].code || err.code != code)
			fail_msg("'%s' gives %d", cases[i].text, code);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(value, 77); /* not touched */
	}
}

static void long_nonsense_is_cut_in_the_message(void **state)
{
	struct error err = {0};
	char text[4001];
	uint64_t value;

	(void)state;
	memset(text, 'z', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	text[0] = '1';
	assert_int_equal(units_parse_size(text, 1, &value, &err), -EINVAL);
	assert_in_range(strlen(err.text), 100, 300);
	assert_non_null(strstr(err.text, "zzz...': unknown suffix 'zzz"));
}

static void times_are_seconds_when_bare(void **state)
{
	static const struct good cases[] = {
		{"0", NS_PER_S, 0},
		{"10", NS_PER_S, UINT64_C(10000000000)},
		{"0.5", NS_PER_S, 500000000},
		{"20", NS_PER_MS, 20000000},
		{"500us", NS_PER_S, 500000},
		{"500ms", NS_PER_S, 500000000},
		{"10s", NS_PER_S, UINT64_C(10000000000)},
		{"2m", NS_PER_S, UINT64_C(120000000000)},
		{"1h", NS_PER_S, UINT64_C(3600000000000)},
		{"1.5h", NS_PER_S, UINT64_C(5400000000000)},
		{"0.001us", NS_PER_S, 1},
		{"0.1h", NS_PER_S, UINT64_C(360000000000)},
		{"9223372036.854775807", NS_PER_S, UINT64_C(9223372036854775807)},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		uint64_t value = 77;

		if (units_parse_time(cases[i].text, cases[i].bare, &value, &err) != 0)
			fail_msg("%s", err.text);
		if (value != cases[i].value)
			fail_msg("'%s' gives %" PRIu64, cases[i].text, value);
	}
}

static void bad_time_is_refused_with_the_reason(void **state)
{
	static const struct bad cases[] = {
		{"", -EINVAL, "'': a number is missing"},
		{"-1", -EINVAL, "'-1': a sign is not allowed"},
		{"10 s", -EINVAL, "'10 s': a blank is not allowed"},
		{"10sec", -EINVAL, "'10sec': unknown suffix 'sec', use us, ms, s, m or h"},
		{"2M", -EINVAL, "'2M': unknown suffix 'M', use us, ms, s, m or h"},
		{"5ns", -EINVAL, "'5ns': unknown suffix 'ns', use us, ms, s, m or h"},
		{"1h30m", -EINVAL, "'1h30m': unexpected '3'"},
		{"1:30", -EINVAL, "'1:30': unexpected ':'"},
		{"500\xc2\xb5s", -EINVAL, "'500\xc2\xb5s': unexpected character \\xc2\\xb5"},
		{"0.0001us", -EINVAL, "'0.0001us': not a whole number of nanoseconds"},
		{"9223372036.854775808", -ERANGE,
		 "'9223372036.854775808': too large, at most 292 years are possible"},
		{"18446744073709551615h", -ERANGE,
		 "'18446744073709551615h': too large, at most 292 years are possible"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		uint64_t value = 77;
		int code = units_parse_time(cases[i].text, NS_PER_S, &value, &err);

		if (code != cases[i].code || err.code != code)
			fail_msg("'%s' gives %d", cases[i].text, code);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(value, 77);
	}
}

static void count_includes_both_limits(void **state)
{
	struct error err = {0};
	uint64_t value = 77;

	(void)state;
	assert_int_equal(units_parse_count("1", 1, 64, &value, &err), 0);
	assert_int_equal(value, 1);
	assert_int_equal(units_parse_count("64", 1, 64, &value, &err), 0);
	assert_int_equal(value, 64);
	assert_int_equal(units_parse_count("0", 0, 0, &value, &err), 0);
	assert_int_equal(value, 0);
	assert_int_equal(units_parse_count("18446744073709551615", 0, UINT64_MAX, &value, &err), 0);
	assert_true(value == UINT64_MAX);
}

static void bad_count_is_refused_with_the_reason(void **state)
{
	static const struct bad cases[] = {
		{"", -EINVAL, "'': a number is missing"},
		{"0", -ERANGE, "'0': it must be from 1 to 64"},
		{"65", -ERANGE, "'65': it must be from 1 to 64"},
		{"18446744073709551617", -ERANGE, "'18446744073709551617': too large"},
		{"-1", -EINVAL, "'-1': a sign is not allowed"},
		{"1.5", -EINVAL, "'1.5': unexpected '.'"},
		{"4K", -EINVAL, "'4K': it takes a plain number, without 'K'"},
		{"30%", -EINVAL, "'30%': it takes a plain number, without '%'"},
		{"4 ", -EINVAL, "'4 ': a blank is not allowed"},
		{"0x4", -EINVAL, "'0x4': unexpected 'x'"},
		{"four", -EINVAL, "'four': unexpected 'f'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		uint64_t value = 77;
		int code = units_parse_count(cases[i].text, 1, 64, &value, &err);

		if (code != cases[i].code || err.code != code)
			fail_msg("'%s' gives %d", cases[i].text, code);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(value, 77);
	}
}

static void levels_keep_the_order_given(void **state)
{
	struct error err = {0};
	uint32_t levels[4] = {77, 77, 77, 77};

	(void)state;
	assert_int_equal(units_parse_levels("8,0,10000,1", 10000, levels, 4, &err), 4);
	assert_int_equal(levels[0], 8);
	assert_int_equal(levels[1], 0);
	assert_int_equal(levels[2], 10000);
	assert_int_equal(levels[3], 1);
	assert_int_equal(units_parse_levels("5", 10000, levels, 4, &err), 1);
	assert_int_equal(levels[0], 5);
}

static void bad_levels_are_refused_with_the_reason(void **state)
{
	static const struct bad cases[] = {
		{"", -EINVAL, "'': a number is missing"},
		{",", -EINVAL, "',': a number is missing beside a comma"},
		{"1,", -EINVAL, "'1,': a number is missing beside a comma"},
		{",1", -EINVAL, "',1': a number is missing beside a comma"},
		{"1,,2", -EINVAL, "'1,,2': a number is missing beside a comma"},
		{"1, 2", -EINVAL, "'1, 2': a blank is not allowed"},
		{"1;2", -EINVAL, "'1;2': unexpected ';'"},
		{"1-4", -EINVAL, "'1-4': unexpected '-'"},
		{"1,-2", -EINVAL, "'1,-2': unexpected '-'"},
		{"1,2K", -EINVAL, "'1,2K': unexpected 'K'"},
		{"1,2\xe2\x80\x93"
		 "4",
		 -EINVAL,
		 "'1,2\xe2\x80\x93"
		 "4': unexpected character \\xe2\\x80\\x93"},
		{"1,2,1", -EINVAL, "'1,2,1': 1 is given twice"},
		{"1,01", -EINVAL, "'1,01': 1 is given twice"},
		{"1,10001", -ERANGE, "'1,10001': 10001 is above 10000"},
		{"1,4294967297", -ERANGE, "'1,4294967297': 4294967297 is above 10000"},
		{"1,2,3,4,5", -E2BIG, "'1,2,3,4,5': more than 4 values"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		uint32_t levels[4];
		int code = units_parse_levels(cases[i].text, 10000, levels, 4, &err);

		if (code != cases[i].code || err.code != code)
			fail_msg("'%s' gives %d", cases[i].text, code);
		assert_string_equal(err.text, cases[i].message);
	}
}

static void times_are_rounded_for_a_person(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 s"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1499, "1 us"},
		{1500, "2 us"},
		{999499, "999 us"},
		{999500, "1 ms"},
		{UINT64_C(850000000), "850 ms"},
		{UINT64_C(999500000), "1 s"},
		{UINT64_C(1500000000), "1.5 s"},
		{UINT64_C(9949999999), "9.9 s"},
		{UINT64_C(9950000000), "10 s"},
		{UINT64_C(48000000000), "48 s"},
		{UINT64_C(59499999999), "59 s"},
		{UINT64_C(59500000000), "1 min"},
		{UINT64_C(65000000000), "1 min 05 s"},
		{UINT64_C(750000000000), "12 min 30 s"},
		{UINT64_C(3599499999999), "59 min 59 s"},
		{UINT64_C(3599500000000), "1 h"},
		{UINT64_C(11100000000000), "3 h 05 min"},
		{UINT64_C(360000000000000), "100 h"},
		{UINT64_MAX, "5124095 h 35 min"}, /* 2^64 / 60e9 = 307445734.56 min */
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_ptr_equal(units_format_time(out, sizeof(out), cases[i].ns), out);
		assert_string_equal(out, cases[i].text);
	}
}

static void bytes_have_at_most_one_decimal(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023, "1023 B"},
		{1024, "1 KiB"},
		{8192, "8 KiB"},
		{1074, "1 KiB"},   /* 1.049 */
		{1076, "1.1 KiB"}, /* 1.051 */
		{1048524, "1023.9 KiB"},
		{1048575, "1 MiB"},
		{1048576, "1 MiB"},
		{UINT64_C(1610612736), "1.5 GiB"},
		{UINT64_C(17592186044416), "16 TiB"},
		{UINT64_C(1125899906842624), "1 PiB"},
		{UINT64_C(1) << 63, "8 EiB"},
		{UINT64_MAX, "16 EiB"},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_ptr_equal(units_format_bytes(out, sizeof(out), cases[i].bytes), out);
		assert_string_equal(out, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_1024_based),
		cmocka_unit_test(bad_size_is_refused_with_the_reason),
		cmocka_unit_test(long_nonsense_is_cut_in_the_message),
		cmocka_unit_test(times_are_seconds_when_bare),
		cmocka_unit_test(bad_time_is_refused_with_the_reason),
		cmocka_unit_test(count_includes_both_limits),
		cmocka_unit_test(bad_count_is_refused_with_the_reason),
		cmocka_unit_test(levels_keep_the_order_given),
		cmocka_unit_test(bad_levels_are_refused_with_the_reason),
		cmocka_unit_test(times_are_rounded_for_a_person),
		cmocka_unit_test(bytes_have_at_most_one_decimal),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
