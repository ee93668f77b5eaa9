/* Tests of lun_file.c. SPDX-License-Identifier: MIT */
#include "calib/target.h"
#include "calib/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void lines_become_names(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		struct {
			const char *path;
			unsigned line;
		} name[3];
	} cases[] = {
		{"/dev/sda\n", 1, {{"/dev/sda", 1}}},
		{"/dev/sda", 1, {{"/dev/sda", 1}}},
		{"a\nb\nc\n", 3, {{"a", 1}, {"b", 2}, {"c", 3}}},
		{"a\r\nb\r\n", 2, {{"a", 1}, {"b", 2}}},
		{"a\r", 1, {{"a", 1}}},
		{"a \t\r\nb\t \r \r\n", 2, {{"a", 1}, {"b", 2}}},
		{"\xef\xbb\xbf/dev/sda\r\n", 1, {{"/dev/sda", 1}}},
		{"\xef\xbb\xbf# made by hand\na\n", 1, {{"a", 2}}},
		{"# data disks\n\na\n   \n", 1, {{"a", 3}}},
		{"\n\n\t\r\n#\n#b\na\n", 1, {{"a", 6}}},
		{"my disk\n", 1, {{"my disk", 1}}},
		{"a  b\tc \n", 1, {{"a  b\tc", 1}}},
		{" a\n", 1, {{" a", 1}}},
		{" # b\n", 1, {{" # b", 1}}}, /* only a # at the start is a comment */
		{"a # b\n", 1, {{"a # b", 1}}},
		{"a,b;\"c\"'d'\n", 1, {{"a,b;\"c\"'d'", 1}}},
		{"-a\n", 1, {{"-a", 1}}},
		{"a\rb\n", 1, {{"a\rb", 1}}},
		{"a\vb\x01\n", 1, {{"a\vb\x01", 1}}},
		{"latin\xe4\n", 1, {{"latin\xe4", 1}}},
		{"a\n\xef\xbb\xbf"
		 "b\n",
		 2,
		 {{"a", 1},
		  {"\xef\xbb\xbf"
		   "b",
		   2}}},
		{"a\na\n", 2, {{"a", 1}, {"a", 2}}}, /* told apart when they are opened */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		struct lun_list list;

		if (lun_list_parse(&list, "x.lun", cases[i].text, strlen(cases[i].text), &err))
			fail_msg("case %zu: %s", i, err.text);
		assert_string_equal(list.file, "x.lun");
		assert_int_equal(list.count, cases[i].count);
		for (size_t j = 0; j < list.count; j++) {
			assert_string_equal(list.names[j].path, cases[i].name[j].path);
			assert_int_equal(list.names[j].line, cases[i].name[j].line);
		}
		lun_list_release(&list);
	}
}

static void bad_text_is_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		const char *message;
	} cases[] = {
		{"", 0, "no LUN in x.lun, write one a line"},
		{"\xef\xbb\xbf", 3, "no LUN in x.lun, write one a line"},
		{"# only\n#comments\n", 17, "no LUN in x.lun, write one a line"},
		{"\n  \r\n\t\n", 7, "no LUN in x.lun, write one a line"},
		{"a\nb\0c\n", 6, "x.lun:2: a NUL byte: not a text file, or not in ASCII or UTF-8"},
		{"a\n#\0\n", 5, "x.lun:2: a NUL byte: not a text file, or not in ASCII or UTF-8"},
		{"a\n\0", 3, "x.lun:2: a NUL byte: not a text file, or not in ASCII or UTF-8"},
		{"\xff\xfe"
		 "a\0\n\0",
		 6, "x.lun:1: a NUL byte: not a text file, or not in ASCII or UTF-8"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {0};
		struct lun_list list;

		assert_int_equal(
			lun_list_parse(&list, "x.lun", cases[i].text, cases[i].length, &err),
			-EINVAL);
		assert_int_equal(err.code, -EINVAL);
		assert_string_equal(err.text, cases[i].message);
		lun_list_release(&list);
	}
}

static void name_may_be_as_long_as_a_path_and_no_longer(void **state)
{
	char text[PATH_MAX + 3];
	struct error err = {0};
	struct lun_list list;

	(void)state;
	/* PATH_MAX counts the final NUL */
	memset(text, 'a', PATH_MAX);
	memcpy(text + PATH_MAX - 1, " \n", 2);
	assert_int_equal(lun_list_parse(&list, "x.lun", text, PATH_MAX + 1, &err), 0);
	assert_int_equal(strlen(list.names[0].path), PATH_MAX - 1);
	lun_list_release(&list);

	memset(text, 'a', PATH_MAX + 1);
	assert_int_equal(lun_list_parse(&list, "x.lun", text, PATH_MAX, &err), -EINVAL);
	assert_string_equal(err.text, "x.lun:1: longer than a path can be");
	lun_list_release(&list);
}

static void comment_may_be_longer_than_a_path(void **state)
{
	static char text[3 * PATH_MAX];
	struct error err = {0};
	struct lun_list list;

	(void)state;
	memset(text, '#', sizeof(text));
	memcpy(text + sizeof(text) - 3, "\na\n", 3);
	assert_int_equal(lun_list_parse(&list, "x.lun", text, sizeof(text), &err), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.names[0].line, 2);
	lun_list_release(&list);
}

static void list_holds_1024_luns_and_no_more(void **state)
{
	char text[2 * VOLUME_LUNS_MAX + 3] = "#";
	struct error err = {0};
	struct lun_list list;

	(void)state;
	text[1] = '\n';
	for (size_t i = 2; i < sizeof(text) - 1; i += 2)
		memcpy(text + i, "a\n", 2);
	assert_int_equal(lun_list_parse(&list, "x.lun", text, 2 + 2 * 1024, &err), 0);
	assert_int_equal(list.count, 1024);
	assert_int_equal(list.names[1023].line, 1025);
	lun_list_release(&list);

	text[sizeof(text) - 1] = 'a';
	assert_int_equal(lun_list_parse(&list, "x.lun", text, sizeof(text), &err), -EINVAL);
	assert_string_equal(err.text, "x.lun:1026: more LUNs than the 1024 that calib can use");
	lun_list_release(&list);
}

static void odd_file_name_is_escaped_in_messages(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	assert_int_equal(lun_list_parse(&list, "x\n\xe4.lun", "", 0, &err), -EINVAL);
	assert_string_equal(err.text, "no LUN in x\\x0a\\xe4.lun, write one a line");
	assert_string_equal(list.file, "x\n\xe4.lun");
	lun_list_release(&list);
}

static void releasing_twice_or_nothing_is_harmless(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	assert_int_equal(lun_list_parse(&list, "x.lun", "a\n", 2, &err), 0);
	lun_list_release(&list);
	assert_int_equal(list.count, 0);
	lun_list_release(&list);
	lun_list_release(NULL);
}

/* the working directory of the tests below: empty, under /tmp */
static char directory[] = "/tmp/calib-test-XXXXXX";

static int enter_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	(void)state;
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static void write_file(const char *name, const char *text, size_t length)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void file_is_read_whole(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	write_file("x.lun", "# disks\nmy disk\r\nb", 18);
	assert_int_equal(lun_list_read(&list, "x.lun", &err), 0);
	unlink("x.lun");
	assert_string_equal(list.file, "x.lun");
	assert_int_equal(list.count, 2);
	assert_string_equal(list.names[0].path, "my disk");
	assert_string_equal(list.names[1].path, "b");
	assert_int_equal(list.names[1].line, 3);
	lun_list_release(&list);
}

static void file_of_comments_only_has_no_lun(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	write_file("x.lun", "# disks\n", 8);
	assert_int_equal(lun_list_read(&list, "x.lun", &err), -EINVAL);
	unlink("x.lun");
	assert_string_equal(err.text, "no LUN in x.lun, write one a line");
	lun_list_release(&list);
}

static void missing_file_is_named_and_not_created(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	assert_int_equal(lun_list_read(&list, "no such\t.lun", &err), -ENOENT);
	assert_string_equal(
		err.text, "'no such\\x09.lun' does not exist, write the LUNs into it, one a line");
	assert_int_equal(access("no such\t.lun", F_OK), -1);
	lun_list_release(&list);
}

static void directory_is_no_list(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	assert_int_equal(mkdir("x.lun", 0700), 0);
	assert_int_equal(lun_list_read(&list, "x.lun", &err), -EISDIR);
	rmdir("x.lun");
	assert_string_equal(err.text, "cannot read 'x.lun': Is a directory");
	lun_list_release(&list);
}

static void file_that_cannot_be_opened_is_named(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	write_file("a", "", 0);
	assert_int_equal(lun_list_read(&list, "a/x.lun", &err), -ENOTDIR);
	unlink("a");
	assert_string_equal(err.text, "cannot open 'a/x.lun': Not a directory");
	lun_list_release(&list);
}

static void file_that_cannot_be_read_is_named(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	/* the first page of a process is never mapped: the open works, the read does not */
	if (access("/proc/self/mem", R_OK) != 0)
		skip();
	assert_int_equal(lun_list_read(&list, "/proc/self/mem", &err), -EIO);
	assert_string_equal(err.text, "cannot read '/proc/self/mem': Input/output error");
	lun_list_release(&list);
}

static void file_of_16_mib_is_read_and_a_larger_one_refused(void **state)
{
	struct error err = {0};
	struct lun_list list;

	(void)state;
	/* a hole reads as NUL bytes, so the list says on which line they stand */
	write_file("x.lun", "a\n", 2);
	assert_int_equal(truncate("x.lun", 16 << 20), 0);
	assert_int_equal(lun_list_read(&list, "x.lun", &err), -EINVAL);
	assert_non_null(strstr(err.text, "x.lun:2: a NUL byte"));
	lun_list_release(&list);

	assert_int_equal(truncate("x.lun", (16 << 20) + 1), 0);
	assert_int_equal(lun_list_read(&list, "x.lun", &err), -EFBIG);
	assert_string_equal(err.text, "'x.lun' is larger than 16 MiB: no list of LUNs");
	lun_list_release(&list);
	unlink("x.lun");
}

/* in two pieces: one read does not give all */
static void *write_to_fifo(void *arg)
{
	int fd = open("x.lun", O_WRONLY);

	for (size_t i = 0; i < 2; i++) {
		if (write(fd, "a\nb", 3) != 3)
			break;
	}
	close(fd);
	return arg;
}

static void list_may_come_through_a_pipe(void **state)
{
	struct error err = {0};
	struct lun_list list;
	pthread_t writer;

	(void)state;
	assert_int_equal(mkfifo("x.lun", 0600), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_to_fifo, NULL), 0);
	assert_int_equal(lun_list_read(&list, "x.lun", &err), 0);
	pthread_join(writer, NULL);
	unlink("x.lun");
	assert_int_equal(list.count, 3);
	assert_string_equal(list.names[1].path, "ba");
	lun_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_names),
		cmocka_unit_test(bad_text_is_refused_with_file_and_line),
		cmocka_unit_test(name_may_be_as_long_as_a_path_and_no_longer),
		cmocka_unit_test(comment_may_be_longer_than_a_path),
		cmocka_unit_test(list_holds_1024_luns_and_no_more),
		cmocka_unit_test(odd_file_name_is_escaped_in_messages),
		cmocka_unit_test(releasing_twice_or_nothing_is_harmless),
		cmocka_unit_test(file_is_read_whole),
		cmocka_unit_test(file_of_comments_only_has_no_lun),
		cmocka_unit_test(missing_file_is_named_and_not_created),
		cmocka_unit_test(directory_is_no_list),
		cmocka_unit_test(file_that_cannot_be_opened_is_named),
		cmocka_unit_test(file_that_cannot_be_read_is_named),
		cmocka_unit_test(file_of_16_mib_is_read_and_a_larger_one_refused),
		cmocka_unit_test(list_may_come_through_a_pipe),
	};

	return cmocka_run_group_tests_name("lun_file", tests, enter_directory, leave_directory);
}
