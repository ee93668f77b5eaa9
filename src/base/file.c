/* Writing to a descriptor. SPDX-License-Identifier: MIT */
#include "calib/file.h"

#include <errno.h>
#include <unistd.h>

int file_write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t written = write(fd, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		at += written;
		size -= (size_t)written;
	}
	return 0;
}
