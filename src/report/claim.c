/* How the files of a run get their name, which no other run has. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/text.h"
#include "report_private.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_TRIED 100000u

/**
 * struct claim - where the files go
 * @directory: "" for the current one, else its name with a "/" at the end
 * @name:      last part of the test name
 * @made:      so many bytes of @directory name the first level that was made here; 0: none was
 */
struct claim {
	char *directory;
	const char *name;
	size_t made;
};

static int directory_error(struct claim *claim, int code, struct error *err)
{
	char *directory = claim->directory;
	size_t length = strlen(directory);
	char quoted[sizeof(err->text)];

	if (length > 1)
		directory[length - 1] = '\0'; /* the "/" */
	text_quote(quoted, sizeof(quoted), length == 0 ? "." : directory);
	return error_set(err, code, "cannot write to directory '%s'", quoted);
}

/* "a/b/" and "a/b" make the same; "" is an error of the user */
static int split_names(struct claim *claim, const char *dir, const char *testname,
		       struct error *err)
{
	const char *slash = strrchr(testname, '/');
	char quoted[sizeof(err->text)];

	claim->name = slash != NULL ? slash + 1 : testname;
	if (claim->name[0] == '\0')
		return error_say(err, -EINVAL, "no name at the end of the test name '%s'",
				 text_quote(quoted, sizeof(quoted), testname));
	if (dir != NULL && dir[0] == '\0')
		return error_say(err, -EINVAL, "the name of the output directory is empty");
	if (dir != NULL &&
	    asprintf(&claim->directory, "%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/") < 0)
		claim->directory = NULL;
	if (dir == NULL)
		claim->directory = strndup(testname, (size_t)(claim->name - testname));
	if (claim->directory == NULL)
		return error_set(err, -ENOMEM, "cannot name the output files");
	return 0;
}

/* "a", "a/b", ...: those that are not there */
static int make_levels(struct claim *claim)
{
	for (char *slash = strchr(claim->directory + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		int code;

		*slash = '\0';
		code = mkdir(claim->directory, 0777) < 0 ? -errno : 0;
		if (code == 0 && claim->made == 0)
			claim->made = (size_t)(slash - claim->directory);
		/* a level that is there may answer EROFS or EACCES just as well as EEXIST */
		if (code < 0 && access(claim->directory, F_OK) == 0)
			code = 0;
		*slash = '/';
		if (code < 0)
			return code;
	}
	return 0;
}

/* 1: something of that name, or that begins with it and a "_", is there already */
static int name_taken(const struct claim *claim, const char *name)
{
	DIR *directory = opendir(claim->directory[0] == '\0' ? "." : claim->directory);
	size_t length = strlen(name);
	const struct dirent *entry;
	int taken = 0;

	if (directory == NULL)
		return -errno;
	for (errno = 0; (entry = readdir(directory)) != NULL; errno = 0) {
		if (strncmp(entry->d_name, name, length) != 0)
			continue;
		if (entry->d_name[length] == '\0' || entry->d_name[length] == '_')
			break;
	}
	if (entry != NULL)
		taken = 1;
	else if (errno != 0)
		taken = -errno;
	closedir(directory);
	return taken;
}

/* the @attempt-th name to try: to the minute, to the second, numbered */
static char *make_name(const struct claim *claim, const struct tm *start, unsigned attempt)
{
	char stamp[64];
	char *name;
	int length;

	strftime(stamp, sizeof(stamp), attempt == 0 ? "%Y%m%d_%H%M" : "%Y%m%d_%H%M%S", start);
	if (attempt < 2)
		length = asprintf(&name, "%s_%s", claim->name, stamp);
	else
		length = asprintf(&name, "%s_%s_%u", claim->name, stamp, attempt);
	return length < 0 ? NULL : name;
}

/* the ledger: made by this process and no other, or -EEXIST */
static int create_ledger(const char *prefix)
{
	int fd = report_open_new(prefix, "points.jsonl");

	/* tells others that the run goes on, see ledger_in_use(); where it cannot be had, nobody
	 * asks */
	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* a descriptor, or -EEXIST where the name is taken */
static int try_name(const struct claim *claim, const char *name, char *prefix, size_t prefix_size)
{
	int taken = name_taken(claim, name);
	int length;

	if (taken != 0)
		return taken < 0 ? taken : -EEXIST;
	length = snprintf(prefix, prefix_size, "%s%s", claim->directory, name);
	if (length < 0 || (size_t)length >= prefix_size)
		return -ENAMETOOLONG;
	return create_ledger(prefix);
}

static int claim_name(const struct claim *claim, time_t start, char *prefix, size_t prefix_size)
{
	struct tm local;
	int code = -EEXIST;

	if (localtime_r(&start, &local) == NULL)
		return -EOVERFLOW;
	for (unsigned attempt = 0; code == -EEXIST && attempt < NAMES_TRIED; attempt++) {
		char *name = make_name(claim, &local, attempt);

		if (name == NULL)
			return -ENOMEM;
		code = try_name(claim, name, prefix, prefix_size);
		free(name);
	}
	return code;
}

int ledger_claim(struct ledger *ledger, const char *dir, const char *testname,
		 struct timespec start, char *prefix, size_t prefix_size, struct error *err)
{
	struct claim claim = {0};
	int code = split_names(&claim, dir, testname, err);

	*ledger = (struct ledger){.fd = -1};
	if (code < 0)
		return code;
	if (dir != NULL)
		code = make_levels(&claim);
	if (code == 0)
		code = claim_name(&claim, start.tv_sec, prefix, prefix_size);
	if (code >= 0) {
		report_sync_directory(prefix);
		ledger->fd = code;
		ledger->made = claim.made;
		code = 0;
	} else {
		report_unmake_levels(claim.directory, claim.made);
		directory_error(&claim, code, err);
	}
	free(claim.directory);
	return code;
}

int report_prefix_in(const char *dir, const char *prefix, char **moved, struct error *err)
{
	struct claim claim = {0};
	int code = split_names(&claim, dir, prefix, err);

	*moved = NULL;
	if (code == 0) {
		code = make_levels(&claim);
		/* with its "/": a file of that name is no directory */
		if (code == 0 && access(claim.directory, W_OK | X_OK) < 0)
			code = -errno;
		if (code == 0 && asprintf(moved, "%s%s", claim.directory, claim.name) < 0) {
			*moved = NULL;
			code = -ENOMEM;
		}
		if (code < 0) {
			report_unmake_levels(claim.directory, claim.made);
			directory_error(&claim, code, err);
		}
	}
	free(claim.directory);
	return code;
}
