/* One LUN opened for direct I/O, and all of a list. SPDX-License-Identifier: MIT */
#include "calib/target.h"

#include "calib/limits.h"
#include "calib/text.h"
#include "calib/units.h"
#include "calib/volume.h"
#include "target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define QUOTED 768 /* room for a quoted path in a message; longer ones are cut */

static const char *kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFCHR:
		return "a character device";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	default:
		return "of an unknown kind";
	}
}

static int refuse_kind(const char *path, const struct stat *st, struct error *err)
{
	char name[QUOTED];
	char *real;
	bool under_dev;

	if (S_ISBLK(st->st_mode))
		return 0;
	if (!S_ISREG(st->st_mode))
		return error_say(err, -EINVAL, "'%s' is %s, not a block device or a regular file",
				 text_quote(name, sizeof(name), path), kind_name(st->st_mode));
	real = realpath(path, NULL);
	under_dev = real && strncmp(real, "/dev/", 5) == 0;
	free(real);
	if (under_dev)
		return error_say(err, -EINVAL,
				 "'%s' is a regular file under /dev: a mistyped device?",
				 text_quote(name, sizeof(name), path));
	return 0;
}

/* What direct I/O on a file must be aligned to, as the kernel tells (Linux 6.1), else the
 * smallest that file systems ask for. */
static uint32_t file_block_bytes(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx stx = {0};

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) == 0 &&
	    (stx.stx_mask & STATX_DIOALIGN) && stx.stx_dio_offset_align > 0)
		return stx.stx_dio_offset_align;
#endif
	(void)fd;
	return 512;
}

static int read_block_facts(struct target *target, struct error *err)
{
	char name[QUOTED];
	int logical = 0;
	unsigned physical = 0;
	uint64_t bytes = 0;

	if (ioctl(target->fd, BLKGETSIZE64, &bytes) < 0 ||
	    ioctl(target->fd, BLKSSZGET, &logical) < 0)
		return error_set(err, -errno, "cannot read the size of '%s'",
				 text_quote(name, sizeof(name), target->path));
	if (ioctl(target->fd, BLKPBSZGET, &physical) < 0)
		physical = 0;
	target->size_bytes = bytes;
	target->logical_block_bytes = logical > 0 ? (uint32_t)logical : 512;
	target->physical_block_bytes = physical;
	return 0;
}

static int read_facts(struct target *target, struct error *err)
{
	char name[QUOTED];
	struct stat st;
	int code;

	if (fstat(target->fd, &st) < 0)
		return error_set(err, -errno, "cannot look at '%s'",
				 text_quote(name, sizeof(name), target->path));
	/* Again, from the descriptor: the name may have changed hands since the first look. */
	code = refuse_kind(target->path, &st, err);
	if (code < 0)
		return code;
	target->is_block = S_ISBLK(st.st_mode);
	if (target->is_block) {
		target->device = st.st_rdev;
		return read_block_facts(target, err);
	}
	target->device = st.st_dev;
	target->inode = st.st_ino;
	target->size_bytes = (uint64_t)st.st_size;
	target->logical_block_bytes = file_block_bytes(target->fd);
	return 0;
}

/* A descriptor above the three that libraries write messages to, or -errno. */
static int open_above_stderr(const char *path, int flags)
{
	int fd = open(path, flags);
	int high;

	if (fd < 0)
		return -errno;
	if (fd > STDERR_FILENO)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (high < 0)
		high = -errno;
	close(fd);
	return high;
}

/* Why a LUN cannot be written though it can be read; nothing that permission would mend. */
static bool is_no_permission_matter(int code)
{
	return code == -EBUSY || code == -ETXTBSY || code == -EAGAIN || code == -EROFS;
}

/* Some drivers answer EACCES where a device is read-only; the device itself knows. */
static int read_only_code(int fd, int code)
{
	int read_only = 0;

	if (ioctl(fd, BLKROGET, &read_only) == 0 && read_only)
		return -EROFS;
	return code;
}

/* O_EXCL: the kernel refuses a block device that is mounted or held. O_NONBLOCK: should the name
 * have become a FIFO, opening it must not hang. */
static int open_lun(struct target *target, bool is_block, bool for_writing)
{
	const int common = O_DIRECT | O_NONBLOCK | O_CLOEXEC;
	int code = 0;

	if (for_writing) {
		target->fd =
			open_above_stderr(target->path, common | O_RDWR | (is_block ? O_EXCL : 0));
		if (target->fd >= 0)
			return 0;
		code = target->fd;
		if (!is_block && !is_no_permission_matter(code))
			return code;
	}
	target->fd = open_above_stderr(target->path, common | O_RDONLY);
	if (target->fd < 0)
		return target->fd;
	if (!for_writing)
		return 0;
	target->write_code = is_block ? read_only_code(target->fd, code) : code;
	return is_no_permission_matter(target->write_code) ? 0 : target->write_code;
}

static bool is_open_as(const struct target *target, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	if (target->is_block)
		return S_ISBLK(st.st_mode) && st.st_rdev == target->device;
	return S_ISREG(st.st_mode) && st.st_dev == target->device && st.st_ino == target->inode;
}

void target_silence_stderr(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, STDERR_FILENO);
	close(fd);
}

/* What calib says there would go onto the LUN. */
static int check_standard_files(const struct target *target, struct error *err)
{
	static const char *const names[] = {"input", "output", "error"};
	char name[QUOTED];

	for (int fd = STDERR_FILENO; fd >= STDIN_FILENO; fd--) {
		if (!is_open_as(target, fd))
			continue;
		if (fd == STDERR_FILENO)
			target_silence_stderr();
		return error_say(err, -EINVAL, "'%s' is this program's standard %s",
				 text_quote(name, sizeof(name), target->path), names[fd]);
	}
	return 0;
}

int target_open(struct target *target, const char *path, bool for_writing, struct error *err)
{
	char name[QUOTED];
	struct stat st;
	int code;

	/* the smallest block there is, until the facts are read */
	*target = (struct target){.path = path, .fd = -1, .logical_block_bytes = 512};
	/* Look before opening: to open some character devices is to act on them. */
	if (stat(path, &st) < 0)
		return error_set(err, -errno, "cannot open '%s'%s",
				 text_quote(name, sizeof(name), path),
				 path[0] == ' ' ? " (the name begins with a blank)" : "");
	code = refuse_kind(path, &st, err);
	if (code < 0)
		return code;
	code = open_lun(target, S_ISBLK(st.st_mode), for_writing);
	if (code < 0) {
		target_close(target);
		if (code == -EINVAL || code == -EOPNOTSUPP)
			return limits_direct_refused(path, code, err);
		return error_set(err, code, "cannot open '%s' for direct %s",
				 text_quote(name, sizeof(name), path),
				 for_writing ? "reading and writing" : "I/O");
	}
	code = read_facts(target, err);
	if (code == 0)
		code = check_standard_files(target, err);
	if (code == 0 &&
	    target->is_block != (bool)S_ISBLK(st.st_mode)) /* opened as the other kind */
		code = error_say(err, -EINVAL, "'%s' was replaced while it was opened",
				 text_quote(name, sizeof(name), path));
	/* Off again: kernels before 6.5 then refuse (EAGAIN) each io_uring read that cannot be
	 * started without waiting. */
	if (code == 0 && fcntl(target->fd, F_SETFL, O_DIRECT) < 0)
		code = error_set(err, -errno, "cannot prepare '%s' for direct I/O",
				 text_quote(name, sizeof(name), path));
	if (code < 0)
		target_close(target);
	return code;
}

void target_close(struct target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}

static int check_size(const struct target *target, uint64_t io_bytes, const char *io_class,
		      struct error *err)
{
	char name[QUOTED];
	char io[32];

	if (io_bytes == 0)
		return 0;
	units_format_bytes(io, sizeof(io), io_bytes);
	text_quote(name, sizeof(name), target->path);
	if (io_bytes % target->logical_block_bytes != 0)
		return error_say(err, -EINVAL,
				 "'%s': the %s I/O size, %s, must be a multiple of %u, its logical "
				 "block (try -size_%s %u)",
				 name, io_class, io, target->logical_block_bytes, io_class,
				 target->logical_block_bytes / 1024 > 0
					 ? target->logical_block_bytes / 1024
					 : 1);
	if (target->size_bytes < io_bytes)
		return error_say(err, -EINVAL, "'%s' (%llu bytes) is smaller than one %s I/O (%s)",
				 name, (unsigned long long)target->size_bytes, io_class, io);
	return 0;
}

bool target_ask_again(struct target *target)
{
	struct target again = {.path = target->path, .line = target->line};
	struct error unused;

	again.fd = open_above_stderr(target->path,
				     O_RDWR | O_EXCL | O_DIRECT | O_NONBLOCK | O_CLOEXEC);
	if (again.fd < 0)
		return false;
	/* A loop device may have been given another file meanwhile. */
	if (read_facts(&again, &unused) < 0 || !again.is_block || again.device != target->device ||
	    again.size_bytes != target->size_bytes ||
	    again.logical_block_bytes != target->logical_block_bytes ||
	    fcntl(again.fd, F_SETFL, O_DIRECT) < 0) {
		target_close(&again);
		return false;
	}
	target_close(target);
	*target = again;
	return true;
}

static int open_one(struct target *target, const struct lun_list *list, size_t index,
		    const uint64_t io_bytes[2], bool for_writing, struct error *err)
{
	char file[QUOTED];
	int code = target_open(target, list->names[index].path, for_writing, err);

	target->line = list->names[index].line;
	if (code == 0 && !target->is_block && target->inode == list->inode &&
	    target->device == list->device)
		code = error_say(err, -EINVAL, "this file is the list itself, and no LUN");
	if (code == 0)
		code = check_size(target, io_bytes[0], "small", err);
	if (code == 0)
		code = check_size(target, io_bytes[1], "large", err);
	if (code == 0)
		return 0;
	target_close(target);
	return error_wrap(err, "%s:%u", text_quote(file, sizeof(file), list->file),
			  list->names[index].line);
}

int targets_open(struct target targets[], unsigned *count, const struct lun_list *list,
		 uint64_t small_bytes, uint64_t large_bytes, bool for_writing, struct error *err)
{
	const uint64_t io_bytes[2] = {small_bytes, large_bytes};
	int code;

	*count = 0;
	/* one worker's ring at least */
	if (limits_need_descriptors((unsigned)list->count + 1 + LIMITS_OTHER_DESCRIPTORS, err) < 0)
		return error_wrap(err, "%zu LUNs", list->count);
	for (; *count < list->count; (*count)++) {
		code = open_one(&targets[*count], list, *count, io_bytes, for_writing, err);
		if (code < 0) {
			targets_close(targets, *count);
			*count = 0;
			return code;
		}
	}
	return 0;
}

void targets_close(struct target targets[], unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		target_close(&targets[i]);
}
