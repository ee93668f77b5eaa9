/* Whether the devices that a LUN lies on are somebody's: asked of the kernel by an exclusive open,
 * since not every user shows in a table. SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Another calib may be asking at the same moment: ask again, 0.2 s for all LUNs together. */
#define CLAIM_TRIES    20
#define CLAIM_PAUSE_NS 10000000

/**
 * struct asking - @tries: what is left of them
 */
struct asking {
	const struct target *targets;
	unsigned count;
	const char *dev;
	unsigned tries;
};

static bool leads_to(const char *node, const struct block_device *device)
{
	struct storage storage;

	return storage_find(AT_FDCWD, node, &storage) == 0 && storage.is_block &&
	       storage.device == device->device;
}

/* Its node: by the kernel's name, or as whoever made the loop device on it called it. */
static bool find_node(const struct asking *asking, const struct block_device *device,
		      const struct block_device *upper, char node[PATH_MAX])
{
	const size_t directory = strlen(asking->dev) + 1;

	snprintf(node, PATH_MAX, "%s/%s", asking->dev, device->name);
	for (char *c = node + directory; *c; c++)
		if (*c == '!')
			*c = '/'; /* sysfs writes cciss/c0d0 so */
	if (leads_to(node, device))
		return true;
	if (!upper->backing_path)
		return false;
	snprintf(node, PATH_MAX, "%s", upper->backing_path);
	return leads_to(node, device);
}

/* The claim is given back at once: 0, or -errno. */
static int ask(const char *node, dev_t device)
{
	struct stat st;
	int code = 0;
	int fd = open(node, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		code = -errno;
	else if (!S_ISBLK(st.st_mode) || st.st_rdev != device)
		code = -ENODEV;
	close(fd);
	return code;
}

static int ask_patiently(struct asking *asking, const struct block_device *device,
			 const struct block_device *upper)
{
	const struct timespec pause = {.tv_nsec = CLAIM_PAUSE_NS};
	char node[PATH_MAX];
	int code;

	if (!find_node(asking, device, upper, node))
		return -ENOENT;
	while ((code = ask(node, device->device)) == -EBUSY && asking->tries > 0) {
		nanosleep(&pause, NULL);
		asking->tries--;
	}
	return code;
}

/* Only where the list holds both, which is refused for that. */
static bool is_target(const struct asking *asking, const struct block_device *device)
{
	for (unsigned i = 0; i < asking->count; i++)
		if (asking->targets[i].is_block && asking->targets[i].device == device->device)
			return true;
	return false;
}

bool claim_is_explained(const struct findings *findings)
{
	return findings_has(findings, FINDING_MOUNTED) || findings_has(findings, FINDING_SWAP) ||
	       findings_has(findings, FINDING_HELD);
}

static void ask_member(struct asking *asking, const struct family *family,
		       const struct member *member, struct findings *findings)
{
	const struct member *upper = &family->members[member->parent];
	int code;

	if (claim_is_explained(findings) || is_target(asking, member->device))
		return;
	code = ask_patiently(asking, member->device, upper->device);
	if (code == -EBUSY)
		findings_add(findings, FINDING_OPEN,
			     "%s is in use: the kernel refuses an exclusive open", member->subject);
	else if (code < 0)
		findings_add(findings, FINDING_UNKNOWN,
			     "cannot ask the kernel whether %s is in use: %s", member->subject,
			     strerror(-code));
}

/* Whoever claimed the disk or a partition of these shows as well; of the LUN's own, our exclusive
 * open of the LUN has told. */
static bool has_its_own_claim(const struct member *member)
{
	return member->device && (member->kinship == KIN_BACKING || member->kinship == KIN_SAME);
}

void claims_find(const struct target targets[], unsigned count, const struct family families[],
		 const char *dev, struct findings findings[])
{
	struct asking asking = {targets, count, dev, CLAIM_TRIES};

	for (unsigned lun = 0; lun < count; lun++) {
		const struct family *family = &families[lun];

		for (size_t i = 0; target_is_for_writing(&targets[lun]) && i < family->count; i++) {
			const struct member *member = &family->members[i];

			if (has_its_own_claim(member))
				ask_member(&asking, family, member, &findings[lun]);
		}
	}
}
