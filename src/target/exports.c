/* What this machine's kernel serves to other hosts. SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Where the kernel's storage servers keep the path of each device, below sysfs. That of NVMe does
 * not open it exclusively, and no process has it open. */
static const struct server {
	const char *pattern, *type;
	bool by_number; /* "8:1a", in hexadecimal */
} servers[] = {
	{"kernel/config/nvmet/subsystems/*/namespaces/*/device_path", "NVMe", false},
	{"kernel/config/target/core/*/*/udev_path", "SCSI", false},
	{"kernel/config/usb_gadget/*/functions/mass_storage.*/lun.*/file", "USB", false},
	{"bus/xen-backend/devices/vbd-*/physical_device", "Xen", true},
};

static void add_export(struct use_list *exports, const char *file, const struct server *server,
		       const struct block_tree *tree)
{
	FILE *stream = fopen(file, "re");
	char path[PATH_MAX] = "";

	if (!stream) {
		if (errno != ENOENT) /* it may just have been taken away */
			exports->readable = false;
		return;
	}
	if (fgets(path, sizeof(path), stream))
		path[strcspn(path, "\n")] = '\0';
	fclose(stream);
	if (server->by_number)
		use_list_add_device(exports, path, server->type);
	else
		use_list_add_path(exports, path, NULL, server->type, tree);
}

static int glob_failed(const char *path, int code)
{
	(void)path;
	return code != ENOENT && code != ENOTDIR; /* ends glob() */
}

void exports_read(struct use_list *exports, const char *sysfs, const struct block_tree *tree)
{
	*exports = (struct use_list){.readable = true};
	for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
		char pattern[PATH_MAX];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/%s", sysfs, servers[i].pattern);
		switch (glob(pattern, GLOB_NOSORT, glob_failed, &found)) {
		case 0:
			for (size_t at = 0; at < found.gl_pathc; at++)
				add_export(exports, found.gl_pathv[at], &servers[i], tree);
			break;
		case GLOB_NOMATCH:
			break;
		default:
			exports->readable = false;
		}
		globfree(&found);
	}
}
