/* What loop devices lie on, by their driver's own word. SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* what the child says of one device; small enough to be written as one piece */
struct answer {
	size_t index;
	int code;
	bool found; /* @backing is set: by the driver, or by the name in sysfs */
	struct storage backing;
};

static int ask(const struct block_device *device, struct storage *backing)
{
	char path[PATH_MAX];
	struct loop_info64 info;
	struct stat st;
	int code = -ENODEV;
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", device->name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == device->device)
		code = ioctl(fd, LOOP_GET_STATUS64, &info) < 0 ? -errno : 0;
	close(fd);
	if (code < 0)
		return code;
	*backing = (struct storage){
		.is_block = info.lo_rdevice != 0,
		.device = (dev_t)(info.lo_rdevice ? info.lo_rdevice : info.lo_device),
		.inode = info.lo_rdevice ? 0 : (ino_t)info.lo_inode,
	};
	return 0;
}

struct questions {
	const struct block_tree *tree;
	size_t first;
};

static void ask_all(const void *context, int out)
{
	const struct questions *questions = context;
	const struct block_tree *tree = questions->tree;

	for (size_t i = questions->first; i < tree->count; i++) {
		struct answer answer;

		if (!tree->devices[i].backed)
			continue;
		memset(&answer, 0, sizeof(answer)); /* its padding is written too */
		answer.index = i;
		answer.code = ask(&tree->devices[i], &answer.backing);
		answer.found =
			answer.code == 0 ||
			storage_find(AT_FDCWD, tree->devices[i].backing_path, &answer.backing) == 0;
		if (write(out, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
			return;
	}
}

static void take_answer(struct block_tree *tree, const struct answer *answer)
{
	struct block_device *device = &tree->devices[answer->index];

	if (answer->code == -ENXIO) /* it was given back since it was listed */
		device->backed = false;
	device->backing = answer->backing;
	device->found = answer->found;
	device->known = answer->code == 0;
}

/* Ask from @first on; answers where to go on: behind a device that did not answer. */
static size_t ask_from(struct block_tree *tree, size_t first)
{
	const struct questions questions = {tree, first};
	struct answer answer;
	struct child child;

	if (!child_start(&child, ask_all, &questions))
		return tree->count;
	while (child_answer(&child, &answer, sizeof(answer))) {
		take_answer(tree, &answer);
		first = answer.index + 1;
	}
	child_end(&child);
	while (first < tree->count && !tree->devices[first].backed)
		first++;
	return first + 1;
}

/*
 * To answer, the driver looks at the backing file, and where that is on a server which is dead it
 * never does. So a child asks, which can be given up.
 */
void loop_driver_ask(struct block_tree *tree)
{
	size_t next = 0;

	while (next < tree->count) {
		while (next < tree->count && !tree->devices[next].backed)
			next++;
		if (next < tree->count)
			next = ask_from(tree, next);
	}
}
