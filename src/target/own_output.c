/* Whether what calib says would go onto a LUN by way of another device or file.
 * SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "target_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUOTED 768

static bool is_open_on(int fd, const struct storage *storage)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	if (storage->is_block)
		return S_ISBLK(st.st_mode) && st.st_rdev == storage->device;
	return S_ISREG(st.st_mode) && st.st_dev == storage->device && st.st_ino == storage->inode;
}

static int check(const struct target *target, const struct family *family, struct error *err)
{
	static const char *const names[] = {"input", "output", "error"};
	char name[QUOTED];

	for (size_t i = 0; i < family->count; i++)
		for (int fd = STDERR_FILENO; fd >= STDIN_FILENO; fd--) {
			const struct member *member = &family->members[i];

			if (!is_open_on(fd, &member->storage))
				continue;
			if (fd == STDERR_FILENO)
				target_silence_stderr();
			return error_say(err, -EINVAL, "'%s': %s is this program's standard %s",
					 text_quote(name, sizeof(name), target->path),
					 member->subject, names[fd]);
		}
	return 0;
}

int targets_check_output(const struct target targets[], unsigned count,
			 const struct probe_roots *roots, struct error *err)
{
	struct block_tree tree;
	int code = 0;

	block_tree_read(&tree, roots->sysfs);
	for (unsigned i = 0; i < count && code == 0; i++) {
		struct family family;

		family_find(&family, &targets[i], &tree);
		code = check(&targets[i], &family, err);
		family_release(&family);
	}
	block_tree_release(&tree);
	return code;
}
