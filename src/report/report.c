/* How reports are written: each file aside, then renamed. SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include "calib/file.h"
#include "calib/text.h"
#include "calib/units.h"
#include "report_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUOTED_SIZE (4 * PATH_MAX + 1)
#define ASIDE_TRIES 100u

const struct report_format report_table[] = {
	{SUMMARY_SUFFIX, summary_txt_render}, {"iops.csv", iops_csv_render},
	{"mbps.csv", mbps_csv_render},	      {"lat.csv", lat_csv_render},
	{"hist.txt", hist_txt_render},	      {"points.csv", points_csv_render},
	{"results.json", json_render},	      {NULL, NULL},
};

const struct report_format report_trace = {"trace.txt", trace_txt_render};

int report_end(FILE *out)
{
	if (fflush(out) != 0)
		return -errno;
	return ferror(out) ? -EIO : 0;
}

int report_open_new(const char *prefix, const char *suffix)
{
	char *path;
	int fd, code;

	if (asprintf(&path, "%s_%s", prefix, suffix) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	code = fd < 0 ? -errno : fd;
	free(path);
	return code;
}

char *report_class_name(char out[CLASS_NAME_SIZE], const struct load *load, enum io_dir dir)
{
	snprintf(out, CLASS_NAME_SIZE, "%s_%s", load->name, dir == IO_READ ? "read" : "write");
	return out;
}

const char *report_pattern_name(enum pattern_type pattern)
{
	return pattern == PATTERN_STREAM ? "stream" : "random";
}

const char *report_time(char out[TIME_SIZE], const struct results *results, struct timespec time)
{
	int offset_min = results->run.utc_offset_s / 60;
	time_t local = time.tv_sec + (time_t)offset_min * 60;
	struct tm tm;
	size_t length;

	if ((time.tv_sec == 0 && time.tv_nsec == 0) || gmtime_r(&local, &tm) == NULL)
		return NULL;
	length = strftime(out, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + length, TIME_SIZE - length, ".%03u%c%02u:%02u",
		 (unsigned)((uint64_t)time.tv_nsec / NS_PER_MS) % 1000, offset_min < 0 ? '-' : '+',
		 (unsigned)abs(offset_min) / 60, (unsigned)abs(offset_min) % 60);
	return out;
}

void report_put_name(FILE *out, const char *name)
{
	char small[QUOTED_SIZE];
	size_t size = 4 * strlen(name != NULL ? name : "") + 1; /* each byte as \xNN at most */
	char *quoted = size > sizeof(small) ? malloc(size) : NULL;

	if (quoted == NULL)
		fputs(text_quote(small, sizeof(small), name != NULL ? name : ""), out);
	else
		fputs(text_quote(quoted, size, name), out);
	free(quoted);
}

void report_unmake_levels(const char *path, size_t made)
{
	char *level = made > 0 ? strdup(path) : NULL;

	if (level == NULL)
		return;
	for (char *at = level + strlen(level) - 1; at >= level + made; at--)
		if (*at == '/') {
			*at = '\0';
			rmdir(level);
		}
	free(level);
}

void report_sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
	int fd;

	if (directory == NULL)
		return;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* a new file beside the final one; *@path is the caller's to free */
static int open_aside(const char *prefix, char **path)
{
	for (unsigned i = 0;; i++) {
		int fd, code;

		/* shorter than any suffix: where the ledger's name fits, this one does */
		if (asprintf(path, "%s_%x.tmp", prefix, (unsigned)getpid() + i) < 0) {
			*path = NULL;
			return -ENOMEM;
		}
		fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		code = -errno;
		free(*path);
		*path = NULL;
		if (code != -EEXIST || i == ASIDE_TRIES)
			return code;
	}
}

/**
 * struct sink - the descriptor behind a stream
 * @code: why the first write failed: a stdio stream only keeps that one did
 */
struct sink {
	int fd;
	int code;
};

static ssize_t sink_write(void *cookie, const char *bytes, size_t size)
{
	struct sink *sink = cookie;
	int code = file_write_all(sink->fd, bytes, size);

	if (code == 0)
		return (ssize_t)size;
	if (sink->code == 0)
		sink->code = code;
	errno = -code;
	return 0;
}

static int render_to(int fd, const struct results *results, const struct report_format *format)
{
	struct sink sink = {.fd = fd};
	FILE *out = fopencookie(&sink, "w", (cookie_io_functions_t){.write = sink_write});
	int code;

	if (out == NULL)
		return -ENOMEM;
	code = format->render(results, out);
	if (fclose(out) != 0 && code == 0)
		code = -EIO;
	return sink.code != 0 ? sink.code : code;
}

/* closes @fd */
static int render_and_sync(int fd, const struct results *results,
			   const struct report_format *format)
{
	int code = render_to(fd, results, format);

	/* EINVAL, EROFS: it cannot be synced at all, fsync(2) */
	if (code == 0 && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		code = -errno;
	if (close(fd) < 0 && code == 0)
		code = -errno;
	return code;
}

/* rename, but never over an existing file, not even one that appears just now */
static int rename_to_new(const char *from, const char *to)
{
	int code;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	code = -errno;
	if (code != -EINVAL && code != -ENOSYS && code != -EPERM)
		return code;
	/* this file system, or the container's filter, cannot do it in one step */
	if (link(from, to) == 0) {
		unlink(from);
		return 0;
	}
	code = -errno;
	if (code != -EPERM && code != -EOPNOTSUPP && code != -ENOSYS && code != -EMLINK)
		return code;
	/* nor has it links: the ledger, made with O_EXCL, holds the prefix, so nobody else is here
	 */
	if (access(to, F_OK) == 0)
		return -EEXIST;
	return rename(from, to) < 0 ? -errno : 0;
}

static int put_in_place(const char *from, const char *to, bool replace)
{
	if (!replace)
		return rename_to_new(from, to);
	return rename(from, to) < 0 ? -errno : 0;
}

static int write_file(const struct results *results, const struct report_format *format,
		      const char *prefix, const char *path, bool replace)
{
	char *aside;
	int fd = open_aside(prefix, &aside);
	int code;

	if (fd < 0)
		return fd;
	code = render_and_sync(fd, results, format);
	if (code == 0)
		code = put_in_place(aside, path, replace);
	if (code < 0)
		unlink(aside);
	else
		report_sync_directory(path);
	free(aside);
	return code;
}

int report_write_to(const char *prefix, const struct results *results,
		    const struct report_format *format, bool replace, struct error *err)
{
	char quoted[sizeof(err->text)];
	char *path;
	int code;

	if (asprintf(&path, "%s_%s", prefix, format->suffix) < 0)
		return error_set(err, -ENOMEM, "cannot write the %s", format->suffix);
	code = write_file(results, format, prefix, path, replace);
	if (code < 0)
		error_set(err, code, "cannot write '%s'", text_quote(quoted, sizeof(quoted), path));
	free(path);
	return code;
}

int report_write(const struct results *results, const struct report_format *format, bool replace,
		 struct error *err)
{
	return report_write_to(results->run.prefix, results, format, replace, err);
}
