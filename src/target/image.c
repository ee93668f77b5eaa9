/* A copy of the blocks of a LUN where marks lie, read once. SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "calib/units.h"
#include "marks_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No read is longer, and none crosses a multiple of it: that much every block layer sends to a
 * disk as one request, so that calib's count of reads and the kernel's can be compared. */
#define READ_BYTES (64 * BYTES_KIB)
#define PAGE	   4096 /* what a buffer is aligned to at least */

#define WANTED_FROM_END 2

struct range {
	uint64_t at, end;
};

static const struct range wanted[] = {
	{0, 516 * BYTES_KIB}, /* nearly all; the last 4 KiB for a header of LUKS2 */
	{BYTES_MIB, BYTES_MIB + 64 * BYTES_KIB},			  /* LUKS2, VMFS */
	{2 * BYTES_MIB - 64 * BYTES_KIB, 2 * BYTES_MIB + 64 * BYTES_KIB}, /* ASM, bcachefs, VMFS */
	{4 * BYTES_MIB - 8 * BYTES_KIB, 4 * BYTES_MIB + 4 * BYTES_KIB},	  /* ASM, LUKS2 */
	{8 * BYTES_MIB - 8 * BYTES_KIB, 8 * BYTES_MIB - 4 * BYTES_KIB},	  /* ASM */
	{16 * BYTES_MIB - 8 * BYTES_KIB, 16 * BYTES_MIB - 4 * BYTES_KIB},
	{32 * BYTES_MIB - 8 * BYTES_KIB, 32 * BYTES_MIB - 4 * BYTES_KIB},
	{64 * BYTES_MIB - 8 * BYTES_KIB, 64 * BYTES_MIB + 4 * BYTES_KIB}, /* ASM, btrfs */
	{128 * BYTES_MIB - 8 * BYTES_KIB, 128 * BYTES_MIB - 4 * BYTES_KIB},
	{256 * BYTES_GIB, 256 * BYTES_GIB + 4 * BYTES_KIB}, /* btrfs */
};

#define WANTED (sizeof(wanted) / sizeof(wanted[0]) + WANTED_FROM_END)

_Static_assert(WANTED <= IMAGE_WINDOWS, "a window for each range");

static uint64_t round_down(uint64_t value, uint64_t unit)
{
	return value - value % unit;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return round_down(value + unit - 1, unit);
}

static uint64_t before(uint64_t value, uint64_t bytes)
{
	return value > bytes ? value - bytes : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct range *left = a;
	const struct range *right = b;

	return (left->at > right->at) - (left->at < right->at);
}

/* All that is wanted, in whole blocks, from the start to the end. */
static void choose_ranges(struct range ranges[WANTED], uint64_t size, uint64_t block)
{
	const size_t fixed = WANTED - WANTED_FROM_END;

	memcpy(ranges, wanted, sizeof(wanted));
	/* bcachefs keeps a super-block there */
	ranges[fixed].at = before(round_down(size, 512), BYTES_MIB);
	ranges[fixed].end = ranges[fixed].at + 4 * BYTES_KIB;
	/* the last two labels of ZFS, and all other marks that are counted from the end */
	ranges[fixed + 1].at = before(round_down(size, 256 * BYTES_KIB), 512 * BYTES_KIB);
	ranges[fixed + 1].end = size;
	for (size_t i = 0; i < WANTED; i++) {
		uint64_t end = ranges[i].end < size ? ranges[i].end : size;

		ranges[i].at = round_down(ranges[i].at, block);
		ranges[i].end = round_up(end, block);
	}
	qsort(ranges, WANTED, sizeof(ranges[0]), by_start);
}

/* The windows, without memory yet: ranges that meet become one. */
static void choose_windows(struct image *image, uint64_t block)
{
	struct range ranges[WANTED];

	choose_ranges(ranges, image->size_bytes, block);
	for (size_t i = 0; i < WANTED; i++) {
		struct window *last = image->count > 0 ? &image->windows[image->count - 1] : NULL;
		uint64_t at = ranges[i].at;

		if (at >= ranges[i].end)
			continue;
		if (!last || at > last->at + last->length)
			image->windows[image->count++] =
				(struct window){.at = at, .length = ranges[i].end - at};
		else if (ranges[i].end > last->at + last->length)
			last->length = ranges[i].end - last->at;
	}
}

static bool window_allocate(struct window *window, size_t block)
{
	void *memory;

	if (posix_memalign(&memory, block > PAGE ? block : PAGE, window->length) != 0)
		return false;
	memset(memory, 0, window->length);
	window->bytes = memory;
	return true;
}

/* One read, counted; answers its bytes or -errno. */
static ssize_t read_counted(int fd, void *out, size_t length, uint64_t at, struct io_count *read)
{
	ssize_t got = pread(fd, out, length, (off_t)at);
	int code = got < 0 ? -errno : 0;

	read->reads++;
	read->read_bytes += got < 0 ? length : (uint64_t)got;
	return got < 0 ? code : got;
}

/* All of a stretch that one read can hold, or to the end of the LUN; 0 or -errno. */
static int read_stretch(const struct target *target, unsigned char *out, size_t length, uint64_t at,
			struct io_count *read)
{
	size_t done = 0;

	while (done < length && at + done < target->size_bytes) {
		ssize_t got = read_counted(target->fd, out + done, length - done, at + done, read);

		if (got == -EINTR)
			continue;
		if (got < 0)
			return (int)got;
		done += (size_t)got;
		/* It became shorter, or answers in pieces that direct I/O cannot go on from. */
		if (got == 0 ||
		    (done % target->logical_block_bytes != 0 && at + done < target->size_bytes))
			return -EIO;
	}
	return 0;
}

static void cannot_read(const struct image *image, uint64_t at, int code, struct findings *findings)
{
	char words[128];
	bool is_last = at >= 516 * BYTES_KIB && at >= before(image->size_bytes, BYTES_MIB);

	findings_add(findings, FINDING_UNKNOWN, "its %s blocks cannot be read (%s)",
		     is_last ? "last" : "first", strerror_r(-code, words, sizeof(words)));
}

/* 0; -ETIME: the time is up; -errno of the very first read where it says "no direct I/O". */
static int read_window(struct image *image, const struct window *window,
		       const struct target *target, uint64_t until_ns, struct io_count *read,
		       struct findings *findings)
{
	uint64_t end = window->at + window->length;
	uint64_t next;

	for (uint64_t at = window->at; at < end; at = next) {
		int code;

		next = round_down(at, READ_BYTES) + READ_BYTES;
		if (next > end)
			next = end;
		if (clock_now_ns() >= until_ns)
			return -ETIME;
		code = read_stretch(target, window->bytes + (at - window->at), next - at, at, read);
		if (at == 0 && (code == -EINVAL || code == -EOPNOTSUPP))
			return code;
		if (code < 0)
			cannot_read(image, at, code, findings);
	}
	return 0;
}

int image_read(struct image *image, const struct target *target, uint64_t until_ns,
	       struct io_count *read, struct findings *findings)
{
	*image = (struct image){.size_bytes = target->size_bytes};
	choose_windows(image, target->logical_block_bytes);
	for (unsigned i = 0; i < image->count; i++) {
		int code = -ENOMEM;

		if (window_allocate(&image->windows[i], target->logical_block_bytes))
			code = read_window(image, &image->windows[i], target, until_ns, read,
					   findings);
		else
			cannot_read(image, image->windows[i].at, code, findings);
		if (code < 0)
			return code == -EINVAL || code == -EOPNOTSUPP ? code : 0;
	}
	return 0;
}

void image_release(struct image *image)
{
	for (unsigned i = 0; i < image->count; i++)
		free(image->windows[i].bytes);
	*image = (struct image){0};
}

const unsigned char *image_at(const struct image *image, uint64_t at, size_t length)
{
	for (unsigned i = 0; i < image->count; i++) {
		const struct window *window = &image->windows[i];

		if (window->bytes && at >= window->at && at - window->at <= window->length &&
		    length <= window->length - (at - window->at))
			return window->bytes + (at - window->at);
	}
	return NULL;
}
