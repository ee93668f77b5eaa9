/* What is asked by a child. SPDX-License-Identifier: MIT */
#include "target/target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

struct question {
	int fds[3];
};

/* How many of the descriptors are open here, too. */
static void count_open(const void *context, int out)
{
	const struct question *question = context;
	int open = 0;

	for (unsigned i = 0; i < 3; i++)
		open += fcntl(question->fds[i], F_GETFD) >= 0;
	if (write(out, &open, sizeof(open)) != sizeof(open))
		_exit(1);
}

/* A child that is never answered stays: the LUNs must not stay open with it. */
static void a_child_keeps_no_descriptor_open(void **state)
{
	struct question question;
	struct child child;
	int open = -1;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		question.fds[i] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3 + 50 * (int)i);
		assert_true(question.fds[i] >= 3);
	}
	assert_true(child_start(&child, count_open, &question));
	assert_true(child_answer(&child, &open, sizeof(open)));
	assert_int_equal(open, 0);
	child_end(&child);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(fcntl(question.fds[i], F_GETFD) >= 0);
		close(question.fds[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_keeps_no_descriptor_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
