/* LUNs in memory, and a watch over each read of them; link with pread and memfd_create wrapped.
 * SPDX-License-Identifier: MIT */
#ifndef MEMORY_LUN_H
#define MEMORY_LUN_H

#include "calib/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB UINT64_C(1048576)
#define TIB UINT64_C(1099511627776)

ssize_t __real_pread(int fd, void *out, size_t length, off_t at);
ssize_t __wrap_pread(int fd, void *out, size_t length, off_t at);
int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);

/* @fail: the errno of reads from @fail_from up to @fail_to; @cut: no read answers more bytes */
static struct {
	unsigned calls;
	uint64_t bytes;
	uint32_t block;
	int fail;
	uint64_t fail_from, fail_to;
	size_t cut;
	int no_copy; /* the errno of memfd_create() */
	int copy;    /* a second descriptor of the copy that libblkid got */
} script;

/* Checks what each read must be, whatever the test. */
ssize_t __wrap_pread(int fd, void *out, size_t length, off_t at)
{
	uint64_t offset = (uint64_t)at;

	assert_in_range(length, 1, 65536);
	assert_int_equal(length % script.block, 0);
	assert_int_equal(offset % script.block, 0);
	assert_int_equal((uintptr_t)out % script.block, 0);
	assert_int_equal(offset / 65536, (offset + length - 1) / 65536);
	script.calls++;
	if (script.fail && offset >= script.fail_from && offset < script.fail_to) {
		errno = script.fail;
		return -1;
	}
	if (script.cut > 0 && length > script.cut)
		length = script.cut;
	return __real_pread(fd, out, length, at);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
	int fd;

	if (script.no_copy) {
		errno = script.no_copy;
		return -1;
	}
	fd = __real_memfd_create(name, flags);
	script.copy = dup(fd);
	return fd;
}

/* A LUN of that size, empty, in memory; its file system need not take direct I/O for these tests */
static struct target lun_new(uint64_t size, uint32_t block)
{
	struct target target = {
		.path = "lun",
		.fd = __real_memfd_create("lun", MFD_CLOEXEC),
		.size_bytes = size,
		.logical_block_bytes = block,
	};

	assert_true(target.fd >= 0);
	assert_int_equal(ftruncate(target.fd, (off_t)size), 0);
	memset(&script, 0, sizeof(script));
	script.block = block;
	script.copy = -1;
	return target;
}

static void lun_write(const struct target *target, uint64_t at, const void *bytes, size_t length)
{
	assert_int_equal(pwrite(target->fd, bytes, length, (off_t)at), length);
}

static void forget_copy(void)
{
	if (script.copy >= 0)
		close(script.copy);
	script.copy = -1;
}

/* All that there is to see; answers the reads. */
static struct io_count look(const struct target *target, struct findings *findings)
{
	struct io_count read = {0};

	*findings = (struct findings){0};
	forget_copy();
	script.calls = 0;
	assert_int_equal(probe_marks(target, UINT64_MAX, &read, findings), 0);
	assert_int_equal(read.reads, script.calls);
	assert_int_equal(read.writes, 0);
	return read;
}

static void lun_close(struct target *target)
{
	forget_copy();
	close(target->fd);
	target->fd = -1;
}

static bool says(const struct findings *findings, const char *text)
{
	for (unsigned i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].text, text) == 0)
			return true;
	return false;
}

static void show(const struct findings *findings)
{
	for (unsigned i = 0; i < findings->count; i++)
		printf("    %s\n", findings->list[i].text);
}

#define assert_says(findings, text)                                                                \
	do {                                                                                       \
		if (!says(findings, text)) {                                                       \
			show(findings);                                                            \
			fail_msg("not among them: %s", text);                                      \
		}                                                                                  \
	} while (0)

#endif
