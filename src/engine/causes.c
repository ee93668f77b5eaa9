/* Why the kernel refuses: the limits and switches of this machine, with their values.
 * SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "engine_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

bool cause_sysctl(const char *path, unsigned long *value)
{
	char name[128];
	FILE *file;
	bool found;

	snprintf(name, sizeof(name), "/proc/sys/%s", path);
	file = fopen(name, "re");
	if (!file)
		return false;
	found = fscanf(file, "%lu", value) == 1;
	fclose(file);
	return found;
}

bool cause_memlock(char *out, size_t size)
{
	struct rlimit limit;
	char bytes[32];

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return false;
	snprintf(out, size, "RLIMIT_MEMLOCK %s",
		 units_format_bytes(bytes, sizeof(bytes), limit.rlim_cur));
	return true;
}

char *cause_of(char *out, size_t size, int code)
{
	char buffer[128];

	if (code != -ENOMEM || !cause_memlock(out, size))
		snprintf(out, size, "%s", strerror_r(-code, buffer, sizeof(buffer)));
	return out;
}
