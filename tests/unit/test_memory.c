/* The buffers of a run where the kernel refuses memory. SPDX-License-Identifier: MIT */
#include "calib/run.h"

#include <errno.h>
#include <linux/mman.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
/* needs the headers above */
#include <cmocka.h>

#define MIB ((size_t)1048576)

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __real_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice);

/* @huge: reserved pages there are; @populate: errno of taking them */
static struct script {
	bool huge;
	int populate;
	int small;
	size_t mapped;
} script;

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *base;

	errno = flags & MAP_HUGETLB ? (script.huge ? 0 : ENOMEM) : script.small;
	if (errno != 0)
		return MAP_FAILED;
	base = __real_mmap(at, bytes, protection, flags & (MAP_PRIVATE | MAP_ANONYMOUS), fd,
			   offset);
	if (base != MAP_FAILED)
		script.mapped += bytes;
	return base;
}

int __wrap_munmap(void *at, size_t bytes)
{
	script.mapped -= bytes;
	return __real_munmap(at, bytes);
}

int __wrap_madvise(void *at, size_t bytes, int advice)
{
	if (advice != MADV_POPULATE_WRITE)
		return __real_madvise(at, bytes, advice);
	errno = script.populate;
	return script.populate != 0 ? -1 : 0;
}

static struct io_memory memory;
static struct error err;

static int setup(void **state)
{
	(void)state;
	script = (struct script){0};
	err = (struct error){0};
	return 0;
}

/* Nothing stays mapped, whether it was got or not. */
static int teardown(void **state)
{
	(void)state;
	io_memory_release(&memory);
	io_memory_release(&memory);
	return script.mapped == 0 ? 0 : -1;
}

static void reserved_pages_are_taken_where_there_are_enough(void **state)
{
	(void)state;
	script.huge = true;
	assert_int_equal(io_memory_init(&memory, 5 * MIB, PAGES_AUTO, &err), 0);
	assert_true(memory.reserved);
	assert_int_equal(memory.bytes, 6 * MIB);
	assert_string_equal(io_memory_pages(&memory), "huge");
}

static void a_kernel_that_cannot_tell_is_believed(void **state)
{
	(void)state;
	script.huge = true;
	script.populate = EINVAL;
	assert_int_equal(io_memory_init(&memory, MIB, PAGES_HUGE, &err), 0);
	assert_true(memory.reserved);
}

static void reserved_pages_that_a_cgroup_refuses_are_not_taken(void **state)
{
	(void)state;
	script.huge = true;
	script.populate = EFAULT;
	assert_int_equal(io_memory_init(&memory, MIB, PAGES_AUTO, &err), 0);
	assert_false(memory.reserved);
	assert_int_equal((uintptr_t)memory.base % (2 * MIB), 0);
	io_memory_touch(&memory, MIB);
	assert_int_equal(memory.base[0], 1);
}

static void a_page_size_that_cannot_be_had_is_an_error_with_the_amount(void **state)
{
	(void)state;
	script.huge = true;
	script.populate = EFAULT;
	assert_int_equal(io_memory_init(&memory, 7 * MIB, PAGES_HUGE, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "8 MiB"));
	assert_non_null(strstr(err.text, "vm.nr_hugepages"));
	assert_null(memory.base);
}

static void refused_memory_is_an_error_with_the_amount(void **state)
{
	(void)state;
	script.small = ENOMEM;
	assert_int_equal(io_memory_init(&memory, 1024 * MIB, PAGES_AUTO, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "1 GiB"));
	assert_int_equal(io_memory_init(&memory, 3 * MIB, PAGES_SMALL, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "4 MiB"));
	assert_int_equal(io_memory_init(&memory, SIZE_MAX, PAGES_AUTO, &err), -ENOMEM);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMORY_TEST(reserved_pages_are_taken_where_there_are_enough),
		MEMORY_TEST(a_kernel_that_cannot_tell_is_believed),
		MEMORY_TEST(reserved_pages_that_a_cgroup_refuses_are_not_taken),
		MEMORY_TEST(a_page_size_that_cannot_be_had_is_an_error_with_the_amount),
		MEMORY_TEST(refused_memory_is_an_error_with_the_amount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
