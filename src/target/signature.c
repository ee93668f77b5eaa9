/* WHAT A LUN CARRIES: libblkid's word, and the marks that it does not take.
 * SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "marks_private.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* libblkid names one thing after the other; this many, and it is going round in circles. */
#define ANSWERS_MAX 100

/* The windows at their places in a file in memory, all holes otherwise. */
static int copy_fill(int fd, const struct image *image)
{
	struct rlimit limit;

	/* Beyond RLIMIT_FSIZE ftruncate() would not only fail, but raise SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && image->size_bytes > limit.rlim_cur)
		return -EFBIG;
	if (ftruncate(fd, (off_t)image->size_bytes) < 0)
		return -errno;
	for (unsigned i = 0; i < image->count; i++) {
		const struct window *window = &image->windows[i];
		uint64_t left = image->size_bytes - window->at;
		size_t length = left < window->length ? left : window->length;
		ssize_t written;

		if (!window->bytes)
			continue;
		written = pwrite(fd, window->bytes, length, (off_t)window->at);
		if (written < 0)
			return -errno;
		if ((size_t)written != length)
			return -ENOSPC;
	}
	return 0;
}

/* A descriptor of a copy of the LUN, for libblkid to read instead of the LUN, or -errno. */
static int copy_open(const struct image *image)
{
	int fd = memfd_create("calib", MFD_CLOEXEC);
	struct rlimit limit, most;
	int code;

	if (fd < 0)
		return -errno;
	/* what the user set is meant for files on disks, and this one is nearly all holes */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
		/* the hard limit, too, where we may: CAP_SYS_RESOURCE */
		most = (struct rlimit){.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
		if (setrlimit(RLIMIT_FSIZE, &most) < 0) {
			most.rlim_cur = most.rlim_max = limit.rlim_max;
			(void)setrlimit(RLIMIT_FSIZE, &most);
		}
		code = copy_fill(fd, image);
		(void)setrlimit(RLIMIT_FSIZE, &limit);
	} else {
		code = copy_fill(fd, image);
	}
	if (code < 0) {
		close(fd);
		return code;
	}
	return fd;
}

static const char *value(blkid_probe probe, const char *name)
{
	const char *data = NULL;

	return blkid_probe_lookup_value(probe, name, &data, NULL) == 0 ? data : NULL;
}

/* ", label 'x'", ", damaged": what there is to say besides the type. */
static void describe(blkid_probe probe, char *out, size_t size)
{
	const char *label = value(probe, "LABEL");
	char quoted[80];
	char name[96] = "";

	if (label && label[0])
		snprintf(name, sizeof(name), ", label '%s'",
			 text_quote(quoted, sizeof(quoted), label));
	snprintf(out, size, "%s%s", name, value(probe, "SBBADCSUM") ? ", damaged" : "");
}

/* ASM disks and the like are "filesystem" to libblkid, but not to their owner. */
static bool is_filesystem(const char *usage, const char *name)
{
	return usage && strcmp(usage, "filesystem") == 0 && (!name || strstr(name, "file system"));
}

/* One thing that libblkid has found. */
static void add_answer(blkid_probe probe, struct mark_set *known, struct findings *findings)
{
	const char *type = value(probe, "TYPE");
	const char *table = value(probe, "PTTYPE");
	const char *usage = value(probe, "USAGE");
	const char *name;
	char more[128];

	describe(probe, more, sizeof(more));
	name = type ? marks_know(known, type) : NULL;
	if (type && is_filesystem(usage, name))
		findings_add(findings, FINDING_CARRIES, "carries %s (file system%s)", type, more);
	else if (type && name)
		findings_add(findings, FINDING_CARRIES, "carries %s (%s%s)", name, type, more);
	else if (type)
		findings_add(findings, FINDING_CARRIES, "carries %s (%s%s)", type,
			     usage ? usage : "a signature", more);
	if (!table)
		return;
	name = marks_know(known, table);
	findings_add(findings, FINDING_CARRIES, "carries %s (%s)",
		     name ? name : "a partition table", table);
}

static void prepare(blkid_probe probe)
{
	blkid_probe_enable_superblocks(probe, 1);
	/* a damaged one is somebody's data too */
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_LABEL | BLKID_SUBLKS_TYPE |
							 BLKID_SUBLKS_USAGE | BLKID_SUBLKS_MAGIC |
							 BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
}

/* All that libblkid finds in the copy; false: it failed. */
static bool ask(blkid_probe probe, int fd, unsigned block, struct mark_set *known,
		struct findings *findings)
{
	int answer = 0;

	if (blkid_probe_set_device(probe, fd, 0, 0) < 0 ||
	    (block > 512 && blkid_probe_set_sectorsize(probe, block) < 0))
		return false;
	prepare(probe);
	for (int i = 0; i < ANSWERS_MAX && answer == 0; i++) {
		answer = blkid_do_probe(probe);
		if (answer == 0)
			add_answer(probe, known, findings);
	}
	return answer >= 0;
}

static void ask_libblkid(const struct image *image, unsigned block, struct mark_set *known,
			 struct findings *findings)
{
	char words[128];
	int fd = copy_open(image);
	blkid_probe probe;

	if (fd < 0) {
		findings_add(findings, FINDING_UNKNOWN, "libblkid could not look at it (%s%s)",
			     strerror_r(-fd, words, sizeof(words)),
			     fd == -EFBIG ? ": a limit on the size of files, ulimit -f" : "");
		return;
	}
	probe = blkid_new_probe();
	if (!probe || !ask(probe, fd, block, known, findings))
		findings_add(findings, FINDING_UNKNOWN, "libblkid could not look at it");
	blkid_free_probe(probe);
	close(fd);
}

int probe_marks(const struct target *target, uint64_t until_ns, struct io_count *read,
		struct findings *findings)
{
	struct mark_set known = {0};
	struct image image;
	int code = image_read(&image, target, until_ns, read, findings);

	if (code == 0 && image.count > 0) {
		ask_libblkid(&image, target->logical_block_bytes, &known, findings);
		marks_find(&image, &known, findings);
	}
	image_release(&image);
	return code;
}
