/* calib mklun: files of incompressible data, and the .lun file that lists them.
 * SPDX-License-Identifier: MIT */
#include "calib/mklun.h"

#include "calib/file.h"
#include "calib/random.h"
#include "calib/text.h"
#include "calib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CHUNK	   (4 * BYTES_MIB)
#define QUOTED	   768
#define PATH_BYTES (PATH_MAX + 64)

/* a file that was made: the name may be another's by now */
struct made {
	dev_t device;
	ino_t inode;
};

/* struct making - what has been made so far, to be removed again should the rest fail */
struct making {
	const struct mklun *mklun;
	const struct stop *stop;
	const char *base; /* testname without its directory */
	char dir[PATH_MAX];
	struct random random;
	uint8_t *chunk;
	unsigned made;
	struct made files[MKLUN_COUNT_MAX];
};

static void file_path(const struct making *making, unsigned index, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/%s_%u.dat", making->dir, making->base, index + 1);
}

static int fill(struct making *making, int fd)
{
	uint64_t left = making->mklun->size_bytes;
	int code = 0;

	while (left > 0 && code == 0) {
		size_t count = left < CHUNK ? (size_t)left : CHUNK;

		if (making->stop && atomic_load(&making->stop->signal) != 0)
			return -EINTR;
		random_fill(&making->random, making->chunk, count);
		code = file_write_all(fd, making->chunk, count);
		left -= count;
	}
	if (code == 0 && fsync(fd) < 0)
		code = -errno;
	/* The first run shall find it on the storage, not in memory. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return code;
}

static struct made made_file(int fd)
{
	struct stat st = {0};

	(void)fstat(fd, &st);
	return (struct made){.device = st.st_dev, .inode = st.st_ino};
}

static void remove_file(const char *path, const struct made *made)
{
	struct stat st;

	if (lstat(path, &st) == 0 && st.st_dev == made->device && st.st_ino == made->inode)
		unlink(path);
}

static int make_file(struct making *making, unsigned index, struct error *err)
{
	char path[PATH_BYTES];
	char name[QUOTED];
	int fd, code;

	file_path(making, index, path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(err, -errno, "cannot make '%s'",
				 text_quote(name, sizeof(name), path));
	making->files[making->made++] = made_file(fd);
	code = fill(making, fd);
	if (close(fd) < 0 && code == 0)
		code = -errno;
	if (code < 0)
		return error_set(err, code, "cannot fill '%s'",
				 text_quote(name, sizeof(name), path));
	return 0;
}

static int write_list(const struct making *making, const char *list, struct error *err)
{
	char name[QUOTED];
	int fd = open(list, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct made made;
	int code = 0;

	if (fd < 0)
		return error_set(err, -errno, "cannot make '%s'",
				 text_quote(name, sizeof(name), list));
	made = made_file(fd);
	for (unsigned i = 0; i < making->mklun->count && code == 0; i++) {
		char path[PATH_BYTES];

		file_path(making, i, path);
		strcat(path, "\n");
		code = file_write_all(fd, path, strlen(path));
	}
	if (code == 0 && fsync(fd) < 0)
		code = -errno;
	if (close(fd) < 0 && code == 0)
		code = -errno;
	if (code < 0) {
		remove_file(list, &made);
		return error_set(err, code, "cannot write '%s'",
				 text_quote(name, sizeof(name), list));
	}
	return 0;
}

static int check_room(const struct making *making, struct error *err)
{
	struct statvfs fs;
	uint64_t needed, room;
	char name[QUOTED];
	char need[32], have[32];

	if (statvfs(making->dir, &fs) < 0)
		return 0;
	if (__builtin_mul_overflow(making->mklun->size_bytes, making->mklun->count, &needed))
		needed = UINT64_MAX;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room >= needed)
		return 0;
	return error_say(err, -ENOSPC, "'%s' has room for %s, not for the %s asked for",
			 text_quote(name, sizeof(name), making->dir),
			 units_format_bytes(have, sizeof(have), room),
			 units_format_bytes(need, sizeof(need), needed));
}

static int prepare(struct making *making, const char *list, struct error *err)
{
	const char *dir = making->mklun->dir ? making->mklun->dir : ".";
	char name[QUOTED];
	uint64_t seed = 0;

	if (access(list, F_OK) == 0)
		return error_set(err, -EEXIST, "cannot make '%s'",
				 text_quote(name, sizeof(name), list));
	if (!realpath(dir, making->dir))
		return error_set(err, -errno, "cannot use the directory '%s'",
				 text_quote(name, sizeof(name), dir));
	if (strpbrk(making->dir, "\r\n") || strpbrk(making->base, "\r\n"))
		return error_say(err, -EINVAL,
				 "a .lun file cannot name '%s': it has a line break in it",
				 text_quote(name, sizeof(name), making->dir));
	if (getrandom(&seed, sizeof(seed), 0) < 0)
		return error_set(err, -errno, "cannot get a random seed");
	random_seed(&making->random, seed, 0);
	making->chunk = malloc(CHUNK);
	if (!making->chunk)
		return error_set(err, -ENOMEM, "cannot fill files");
	return check_room(making, err);
}

static void remove_made(const struct making *making)
{
	char path[PATH_BYTES];

	for (unsigned i = 0; i < making->made; i++) {
		file_path(making, i, path);
		remove_file(path, &making->files[i]);
	}
}

int mklun_make(const struct mklun *mklun, const char *testname, const struct stop *stop,
	       struct error *err)
{
	const char *slash = strrchr(testname, '/');
	struct making making = {.mklun = mklun, .stop = stop, .base = slash ? slash + 1 : testname};
	char list[PATH_MAX];
	int code;

	if ((size_t)snprintf(list, sizeof(list), "%s.lun", testname) >= sizeof(list))
		return error_set(err, -ENAMETOOLONG, "cannot make a .lun file");
	code = prepare(&making, list, err);
	for (unsigned i = 0; i < mklun->count && code == 0; i++)
		code = make_file(&making, i, err);
	if (code == 0)
		code = write_list(&making, list, err);
	if (code < 0)
		remove_made(&making);
	free(making.chunk);
	return code;
}
