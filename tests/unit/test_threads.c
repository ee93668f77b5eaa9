/* Whether so many workers can be started, where the system refuses threads.
 * SPDX-License-Identifier: MIT */
#include "calib/run.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __real_pthread_join(pthread_t thread, void **answer);
int __wrap_pthread_join(pthread_t thread, void **answer);

/* @most: threads at a time that the system allows */
static struct script {
	unsigned most, running, joined;
	size_t stack_bytes;
} script;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	if (script.running >= script.most)
		return EAGAIN;
	pthread_attr_getstacksize(attr, &script.stack_bytes);
	script.running++;
	return __real_pthread_create(thread, attr, run, arg);
}

int __wrap_pthread_join(pthread_t thread, void **answer)
{
	script.joined++;
	return __real_pthread_join(thread, answer);
}

static int setup(void **state)
{
	(void)state;
	script = (struct script){.most = UINT_MAX};
	return 0;
}

static void all_run_at_once_and_end_again(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(run_try_threads(100, &err), 0);
	assert_int_equal(script.running, 100);
	assert_int_equal(script.joined, 100);
	assert_int_equal(script.stack_bytes, 512 * 1024);
}

static void the_first_that_cannot_be_started_is_named_with_the_limits(void **state)
{
	struct error err = {0};

	(void)state;
	script.most = 3;
	assert_int_equal(run_try_threads(5, &err), -EAGAIN);
	assert_int_equal(script.joined, 3);
	assert_non_null(strstr(err.text, "worker 4 of 5"));
	assert_non_null(strstr(err.text, "ulimit -u"));
	assert_non_null(strstr(err.text, "pids.max"));
	assert_non_null(strstr(err.text, "Resource temporarily unavailable"));
	script = (struct script){.most = 0};
	assert_int_equal(run_try_threads(1, &err), -EAGAIN);
	assert_non_null(strstr(err.text, "worker 1 of 1"));
}

static void signals_are_let_through_afterwards(void **state)
{
	struct error err = {0};
	sigset_t before, after;

	(void)state;
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
	assert_int_equal(run_try_threads(2, &err), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	for (int number = 1; number < 32; number++)
		assert_int_equal(sigismember(&after, number), sigismember(&before, number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_run_at_once_and_end_again, setup),
		cmocka_unit_test_setup(the_first_that_cannot_be_started_is_named_with_the_limits,
				       setup),
		cmocka_unit_test_setup(signals_are_let_through_afterwards, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
