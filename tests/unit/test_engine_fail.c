/* libaio whose calls fail, and the choice of another engine: what is fallen back to, what is said.
 * SPDX-License-Identifier: MIT */
#include "engine_script.h"

static void libaio_takes_a_batch_in_pieces(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = 1;
	script.submit[1] = -EINTR;
	script.submit[2] = 3;
	assert_int_equal(read_all(bench, engine, -1), 0);
	assert_int_equal(script.submits, 4);
	engine->ops->close(engine);
}

static void libaio_waits_while_the_kernel_has_no_memory(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = 2;
	script.submit[1] = -EAGAIN;
	assert_int_equal(read_all(bench, engine, -EAGAIN), 0);
	assert_true(script.submits >= 3);
	engine->ops->close(engine);
}

static void libaio_fails_an_io_that_nothing_will_make_room_for(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = -EAGAIN;
	assert_int_equal(read_all(bench, engine, -EAGAIN), 1);
	engine->ops->close(engine);
}

static void libaio_fails_only_the_io_that_is_refused(void **state)
{
	struct bench *bench = *state;
	struct engine *engine = open_engine(bench, "libaio");

	script.submit[0] = 2;
	script.submit[1] = -EINVAL;
	assert_int_equal(read_all(bench, engine, -EINVAL), 1);
	assert_int_equal(bench->ios[2].result, -EINVAL);
	engine->ops->close(engine);
}

static void exhausted_aio_names_the_limit(void **state)
{
	struct bench *bench = *state;

	script.setup = -EAGAIN;
	assert_null(choose(bench, "libaio"));
	assert_int_equal(bench->err.code, -EAGAIN);
	assert_non_null(strstr(bench->err.text, "fs.aio-max-nr"));
}

static unsigned long number_in(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[64];

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	return strtoul(line, NULL, 10);
}

static void exhausted_aio_tells_how_much_there_is(void **state)
{
	struct bench *bench = *state;
	char expected[64];

	script.setup = -EAGAIN;
	assert_null(open_engine(bench, "libaio"));
	snprintf(expected, sizeof(expected),
		 "fs.aio-max-nr %lu:", number_in("/proc/sys/fs/aio-max-nr"));
	assert_non_null(strstr(bench->err.text, expected));
	assert_non_null(strstr(bench->err.text, "fs.aio-nr is "));
	assert_non_null(strstr(bench->err.text, "for 8 I/Os"));
}

static void aio_that_takes_no_request_is_not_taken(void **state)
{
	struct bench *bench = *state;

	script.submit_nothing = -EPERM;
	assert_null(open_engine(bench, "libaio"));
	assert_int_equal(bench->err.code, -EPERM);
	script.submit_nothing = 0;
	script.getevents = -ENOSYS;
	assert_null(open_engine(bench, "libaio"));
	assert_int_equal(bench->err.code, -ENOSYS);
}

static void forbidden_io_uring_makes_auto_take_libaio_and_say_why(void **state)
{
	struct bench *bench = *state;
	const struct engine_ops *ops;

	script.ring = -EPERM;
	ops = choose(bench, "auto");
	assert_non_null(ops);
	assert_string_equal(ops->name, "libaio");
	assert_non_null(strstr(bench->reason, "no io_uring"));
	assert_non_null(strstr(bench->reason, "Operation not permitted"));
}

static void both_forbidden_make_auto_take_psync(void **state)
{
	struct bench *bench = *state;
	const struct engine_ops *ops;

	script.ring = -ENOSYS;
	script.setup = -EAGAIN;
	ops = choose(bench, "auto");
	assert_non_null(ops);
	assert_string_equal(ops->name, "psync");
	assert_non_null(strstr(bench->reason, "Function not implemented"));
	assert_non_null(strstr(bench->reason, "fs.aio-max-nr"));
}

static void nothing_that_works_is_an_error_that_names_them_all(void **state)
{
	struct bench *bench = *state;

	script.ring = -EPERM;
	script.setup = -EAGAIN;
	bench->config.depth = 2000; /* more than psync keeps */
	assert_null(choose(bench, "auto"));
	assert_non_null(strstr(bench->err.text, "io_uring"));
	assert_non_null(strstr(bench->err.text, "libaio"));
	assert_non_null(strstr(bench->err.text, "psync"));
}

static void named_engine_that_fails_is_never_replaced(void **state)
{
	struct bench *bench = *state;

	script.ring = -EPERM;
	assert_null(choose(bench, "io_uring"));
	assert_int_equal(bench->err.code, -EPERM);
	assert_non_null(strstr(bench->err.text, "'io_uring' does not work here"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAIL_TEST(libaio_takes_a_batch_in_pieces),
		FAIL_TEST(libaio_waits_while_the_kernel_has_no_memory),
		FAIL_TEST(libaio_fails_an_io_that_nothing_will_make_room_for),
		FAIL_TEST(libaio_fails_only_the_io_that_is_refused),
		FAIL_TEST(exhausted_aio_names_the_limit),
		FAIL_TEST(exhausted_aio_tells_how_much_there_is),
		FAIL_TEST(aio_that_takes_no_request_is_not_taken),
		FAIL_TEST(forbidden_io_uring_makes_auto_take_libaio_and_say_why),
		FAIL_TEST(both_forbidden_make_auto_take_psync),
		FAIL_TEST(nothing_that_works_is_an_error_that_names_them_all),
		FAIL_TEST(named_engine_that_fails_is_never_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
