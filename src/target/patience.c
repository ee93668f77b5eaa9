/* What may never answer, as a server that is dead, is asked by a child, which can be given up.
 * SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Longer than a server that is alive lets one wait. */
#define PATIENCE_MS 1000

/* A child that is never answered does not even die, and would keep the LUNs open, for the next run
 * to find. Where there is no such call they stay open. */
static void keep_only(int fd)
{
#ifdef SYS_close_range
	if (fd > STDERR_FILENO + 1)
		(void)syscall(SYS_close_range, STDERR_FILENO + 1, fd - 1, 0);
	(void)syscall(SYS_close_range, fd + 1, ~0U, 0);
#else
	(void)fd;
#endif
}

bool child_start(struct child *child, void (*ask)(const void *context, int out),
		 const void *context)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	child->pid = fork();
	if (child->pid == 0) {
		keep_only(ends[1]);
		ask(context, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	child->answers = ends[0];
	if (child->pid < 0)
		close(ends[0]);
	return child->pid > 0;
}

bool child_answer(const struct child *child, void *answer, size_t size)
{
	struct pollfd wait = {.fd = child->answers, .events = POLLIN};
	int ready;

	do {
		ready = poll(&wait, 1, PATIENCE_MS);
	} while (ready < 0 && errno == EINTR);
	return ready > 0 && read(child->answers, answer, size) == (ssize_t)size;
}

/* One that waits for a dead server may not even die: it is not waited for long. */
void child_end(const struct child *child)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	close(child->answers);
	kill(child->pid, SIGKILL);
	for (unsigned tries = 0; tries < 100 && waitpid(child->pid, NULL, WNOHANG) == 0; tries++)
		nanosleep(&pause, NULL);
}

/* small enough to be written as one piece */
struct answer {
	int code;
	struct storage storage;
};

static void find(const void *path, int out)
{
	struct answer answer;

	memset(&answer, 0, sizeof(answer)); /* its padding is written too */
	answer.code = storage_find(AT_FDCWD, path, &answer.storage);
	if (write(out, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		_exit(1);
}

int storage_find_patiently(const char *path, struct storage *storage)
{
	struct answer answer = {.code = -ETIMEDOUT};
	struct child child;

	/* the kernel's own; and where there can be no child, we ask ourselves */
	if (strncmp(path, "/dev/", 5) == 0 || !child_start(&child, find, path))
		return storage_find(AT_FDCWD, path, storage);
	if (!child_answer(&child, &answer, sizeof(answer)))
		answer.code = -ETIMEDOUT;
	child_end(&child);
	*storage = answer.storage;
	return answer.code;
}
