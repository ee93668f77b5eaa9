/* The buffers of a run: one region in the best pages there are. SPDX-License-Identifier: MIT */
#include "calib/run.h"
#include "calib/units.h"

#include <errno.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE (UINT64_C(2) * BYTES_MIB)

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/*
 * The pages were promised as they were mapped, but a cgroup may still refuse them (a container that
 * was granted none), and the first touch would then end the process by SIGBUS. Linux 5.14 can say
 * so instead; before it nobody can.
 */
static int take_reserved(void *base, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(base, bytes, MADV_POPULATE_WRITE) < 0 && errno != EINVAL)
		return -ENOMEM;
#endif
	(void)base;
	(void)bytes;
	return 0;
}

static int map_reserved(struct io_memory *memory, size_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);

	if (base == MAP_FAILED)
		return -errno;
	if (take_reserved(base, bytes) < 0) {
		munmap(base, bytes);
		return -ENOMEM;
	}
	*memory = (struct io_memory){.base = base, .bytes = bytes, .reserved = true};
	return 0;
}

/* mmap() aligns to a small page: map one huge page more and give back what lies outside. */
static int map_aligned(struct io_memory *memory, size_t bytes, int advice)
{
	uint8_t *raw = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (raw == MAP_FAILED)
		return -errno;
	before = round_up((uintptr_t)raw, HUGE_PAGE) - (uintptr_t)raw;
	if (before > 0)
		munmap(raw, before);
	if (before < HUGE_PAGE)
		munmap(raw + before + bytes, HUGE_PAGE - before);
	*memory = (struct io_memory){.base = raw + before, .bytes = bytes};
	/* Only a hint: a kernel without transparent huge pages says EINVAL, and small pages do. */
	(void)madvise(memory->base, bytes, advice);
	return 0;
}

int io_memory_init(struct io_memory *memory, size_t bytes, enum page_choice choice,
		   struct error *err)
{
	size_t whole = round_up(bytes > 0 ? bytes : 1, HUGE_PAGE);
	char amount[32];
	int code = -ENOMEM;

	*memory = (struct io_memory){0};
	if (bytes > SIZE_MAX - 2 * HUGE_PAGE)
		return error_say(err, -ENOMEM, "too many bytes of I/O buffers");
	if (choice == PAGES_AUTO || choice == PAGES_HUGE)
		code = map_reserved(memory, whole);
	if (code < 0 && choice != PAGES_HUGE)
		code = map_aligned(memory, whole,
				   choice == PAGES_SMALL ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	if (code < 0)
		return error_set(err, code, "cannot get %s of memory for I/O buffers%s",
				 units_format_bytes(amount, sizeof(amount), whole),
				 choice == PAGES_HUGE ? " in reserved huge pages (vm.nr_hugepages)"
						      : "");
	/* who asks for us what may never answer needs none of it; after a fork the next write to
	 * each page would cost a fault, in the middle of a point */
	(void)madvise(memory->base, memory->bytes, MADV_DONTFORK);
	return 0;
}

void io_memory_touch(struct io_memory *memory, size_t bytes)
{
	const size_t page = 4096;

	if (bytes > memory->bytes)
		bytes = memory->bytes;
	for (size_t at = memory->touched; at < bytes; at += page)
		*(volatile uint8_t *)(memory->base + at) = 1;
	if (bytes > memory->touched)
		memory->touched = round_up(bytes, page);
}

/* "AnonHugePages" and "Rss" of the mapping that starts at @base, in KiB; 0 where unknown. */
static void read_smaps(const void *base, unsigned long *huge, unsigned long *resident)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	char start[32];
	bool ours = false;

	*huge = *resident = 0;
	if (!file)
		return;
	snprintf(start, sizeof(start), "%lx-", (unsigned long)(uintptr_t)base);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, start, strlen(start)) == 0)
			ours = true;
		else if (ours && strncmp(line, "VmFlags:", 8) == 0)
			break;
		if (ours && strncmp(line, "Rss:", 4) == 0)
			*resident = strtoul(line + 4, NULL, 10);
		if (ours && strncmp(line, "AnonHugePages:", 14) == 0)
			*huge = strtoul(line + 14, NULL, 10);
	}
	fclose(file);
}

const char *io_memory_pages(const struct io_memory *memory)
{
	unsigned long huge, resident;

	if (memory->reserved)
		return "huge";
	read_smaps(memory->base, &huge, &resident);
	if (huge == 0)
		return "small";
	return huge >= resident ? "thp" : "mixed";
}

void io_memory_release(struct io_memory *memory)
{
	if (memory->base)
		munmap(memory->base, memory->bytes);
	*memory = (struct io_memory){0};
}
