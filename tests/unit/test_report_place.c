/* How files and directories of a run come to their place, and go again. SPDX-License-Identifier:
 * MIT
 */
#include "calib/report.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample_results.h"
/* needs the headers above */
#include <cmocka.h>

int __real_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);

/* errno of a call that is refused; 0: as it is */
static struct script {
	int renameat2, link;
} script;

int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	errno = script.renameat2;
	return errno != 0 ? -1 : __real_renameat2(from_fd, from, to_fd, to, flags);
}

int __wrap_link(const char *from, const char *to)
{
	errno = script.link;
	return errno != 0 ? -1 : __real_link(from, to);
}

static char scratch[64];

static int setup(void **state)
{
	struct results *results = malloc(sizeof(*results));

	script = (struct script){0};
	strcpy(scratch, "/tmp/calib-place-XXXXXX");
	if (results == NULL || mkdtemp(scratch) == NULL || chdir(scratch) < 0)
		return -1;
	sample_run(results);
	*state = results;
	return 0;
}

/* fails where a test left something behind */
static int teardown(void **state)
{
	results_release(*state);
	free(*state);
	return chdir("/") < 0 || rmdir(scratch) < 0 ? -1 : 0;
}

static struct ledger claim(const char *dir, char prefix[64])
{
	static const struct timespec start = {1774774620, 0};
	struct ledger ledger;
	struct error err = {0};

	if (ledger_claim(&ledger, dir, "t", start, prefix, 64, &err) < 0)
		fail_msg("%s", err.text);
	ledger.prefix = prefix;
	return ledger;
}

static void directories_made_for_a_run_that_never_began_go_again(void **state)
{
	static const char *const names[] = {"a", "a/", "a/b/c", "a/b/", "./a/b", "a//b"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char prefix[64];
		struct ledger ledger = claim(names[i], prefix);

		assert_int_equal(access("a", F_OK), 0);
		ledger_drop(&ledger);
		assert_int_equal(access("a", F_OK), -1);
	}
}

static void a_directory_that_was_there_stays(void **state)
{
	char prefix[64];
	struct ledger ledger;

	(void)state;
	assert_int_equal(mkdir("a", 0777), 0);
	ledger = claim("a/b/c", prefix);
	ledger_drop(&ledger);
	assert_int_equal(access("a/b", F_OK), -1);
	ledger = claim("a", prefix);
	ledger_drop(&ledger);
	assert_int_equal(rmdir("a"), 0);
}

static void a_directory_that_others_use_meanwhile_stays(void **state)
{
	char prefix[64];
	struct ledger ledger = claim("a/b/c", prefix);

	(void)state;
	assert_int_equal(mkdir("a/b/other", 0777), 0);
	ledger_drop(&ledger);
	assert_int_equal(access("a/b/c", F_OK), -1);
	assert_int_equal(rmdir("a/b/other"), 0);
	assert_int_equal(rmdir("a/b"), 0);
	assert_int_equal(rmdir("a"), 0);
}

static void no_directory_goes_with_a_ledger_in_the_current_one(void **state)
{
	char prefix[64];
	struct ledger ledger = claim(NULL, prefix);

	(void)state;
	assert_int_equal(ledger.made, 0);
	ledger_drop(&ledger);
	assert_int_equal(access(scratch, F_OK), 0);
}

static int render_text(const struct results *results, FILE *out)
{
	(void)results;
	fputs("new\n", out);
	return 0;
}

static int render_half(const struct results *results, FILE *out)
{
	render_text(results, out);
	return -ENOMEM;
}

static const struct report_format whole = {"whole.txt", render_text};
static const struct report_format half = {"whole.txt", render_half};

static void make_old(void)
{
	FILE *file = fopen("x_whole.txt", "w");

	assert_non_null(file);
	fputs("old\n", file);
	assert_int_equal(fclose(file), 0);
}

static void assert_text(int fd, const char *expected)
{
	char text[16] = {0};

	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), strlen(expected));
	assert_string_equal(text, expected);
}

/* the file of that name, with that text, is the only one here; then it goes */
static void assert_only(const char *expected)
{
	int fd = open("x_whole.txt", O_RDONLY);

	assert_true(fd >= 0);
	assert_text(fd, expected);
	close(fd);
	assert_int_equal(unlink("x_whole.txt"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(scratch), 0);
	assert_int_equal(mkdir(scratch, 0777), 0);
	assert_int_equal(chdir(scratch), 0);
}

static const struct script refusals[] = {
	{0, 0},		 {EINVAL, 0},	 {ENOSYS, 0},	       {EPERM, 0},	 {EINVAL, EPERM},
	{ENOSYS, EPERM}, {EPERM, EPERM}, {EINVAL, EOPNOTSUPP}, {ENOSYS, ENOSYS}, {EINVAL, EMLINK},
};

static void a_report_comes_to_its_name_by_whatever_call_works(void **state)
{
	struct error err = {0};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		script = refusals[i];
		if (report_write_to("x", *state, &whole, false, &err) < 0)
			fail_msg("%zu: %s", i, err.text);
		assert_only("new\n");
	}
}

static void a_file_that_is_there_is_never_replaced_by_any_of_them(void **state)
{
	struct error err = {0};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		script = refusals[i];
		make_old();
		assert_int_equal(report_write_to("x", *state, &whole, false, &err), -EEXIST);
		assert_only("old\n");
	}
}

static void another_refusal_is_an_error_and_leaves_nothing(void **state)
{
	struct error err = {0};

	script.renameat2 = EACCES;
	assert_int_equal(report_write_to("x", *state, &whole, false, &err), -EACCES);
	script = (struct script){EINVAL, EDQUOT};
	assert_int_equal(report_write_to("x", *state, &whole, false, &err), -EDQUOT);
}

/* who has the old one open goes on reading it whole: it is replaced, not written over */
static void a_file_under_its_name_is_never_truncated(void **state)
{
	struct error err = {0};
	int fd;

	make_old();
	fd = open("x_whole.txt", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(report_write_to("x", *state, &half, true, &err), -ENOMEM);
	assert_int_equal(report_write_to("x", *state, &half, false, &err), -ENOMEM);
	assert_text(fd, "old\n");
	assert_int_equal(report_write_to("x", *state, &whole, true, &err), 0);
	assert_text(fd, "old\n");
	close(fd);
	assert_only("new\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(directories_made_for_a_run_that_never_began_go_again),
		TEST(a_directory_that_was_there_stays),
		TEST(a_directory_that_others_use_meanwhile_stays),
		TEST(no_directory_goes_with_a_ledger_in_the_current_one),
		TEST(a_report_comes_to_its_name_by_whatever_call_works),
		TEST(a_file_that_is_there_is_never_replaced_by_any_of_them),
		TEST(another_refusal_is_an_error_and_leaves_nothing),
		TEST(a_file_under_its_name_is_never_truncated),
	};

	return cmocka_run_group_tests_name("report_place", tests, NULL, NULL);
}
