/* The cgroups that this process is in. SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* where the cgroups are mounted, and which of them that shows as its root */
struct cgroup_mount {
	char point[PATH_MAX];
	char root[PATH_MAX];
};

/* struct visitor - who looks at the cgroups of which controller */
struct visitor {
	const char *proc;
	const char *controller;
	void (*visit)(const char *directory, bool is_v2, void *arg);
	void *arg;
};

/* "a,memory,b" has "memory" */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, length) == 0 && strchr(", \n", at[length]))
			return true;
	}
	return false;
}

static bool is_cgroup_mount(char *text, const char *controller, bool is_v2,
			    struct cgroup_mount *mount)
{
	struct mount_line line;

	if (!mount_line_cut(text, &line))
		return false;
	if (is_v2 ? strcmp(line.type, "cgroup2") != 0
		  : strcmp(line.type, "cgroup") != 0 || !has_word(line.options, controller))
		return false;
	return snprintf(mount->root, sizeof(mount->root), "%s", line.root) <
		       (int)sizeof(mount->root) &&
	       snprintf(mount->point, sizeof(mount->point), "%s", line.point) <
		       (int)sizeof(mount->point);
}

static bool find_cgroup_mount(const struct visitor *visitor, bool is_v2, struct cgroup_mount *mount)
{
	char path[PATH_MAX];
	char *line = NULL;
	size_t size = 0;
	bool found = false;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/self/mountinfo", visitor->proc);
	stream = fopen(path, "re");
	while (stream && !found && getline(&line, &size, stream) > 0)
		found = is_cgroup_mount(line, visitor->controller, is_v2, mount);
	free(line);
	if (stream)
		fclose(stream);
	return found;
}

/* The part of a cgroup's path that lies below the mount; "" where it lies elsewhere, as seen from a
 * container whose own root is all that is mounted. */
static const char *below_mount(const char *path, const struct cgroup_mount *mount)
{
	size_t length = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);

	if (strncmp(path, mount->root, length) != 0 || strstr(path, "/..") || path[length] != '/')
		return "";
	return path + length;
}

/* The cgroup itself and all above it: each has a limit of its own for all below it. */
static void visit_hierarchy(const struct visitor *visitor, const char *path, bool is_v2)
{
	struct cgroup_mount mount;
	char directory[2 * PATH_MAX];
	char *end;

	if (!find_cgroup_mount(visitor, is_v2, &mount))
		return;
	snprintf(directory, sizeof(directory), "%s%s", mount.point, below_mount(path, &mount));
	for (;;) {
		visitor->visit(directory, is_v2, visitor->arg);
		end = strrchr(directory, '/');
		if (!end || end < directory + strlen(mount.point))
			return;
		*end = '\0';
	}
}

/* Lines of <proc>/self/cgroup: "4:memory:/a/b" in version 1, "0::/a/b" in version 2. */
void cgroups_visit(const char *proc, const char *controller,
		   void (*visit)(const char *directory, bool is_v2, void *arg), void *arg)
{
	const struct visitor visitor = {proc, controller, visit, arg};
	char name[PATH_MAX];
	char *line = NULL;
	size_t size = 0;
	FILE *stream;

	snprintf(name, sizeof(name), "%s/self/cgroup", proc);
	stream = fopen(name, "re");
	while (stream && getline(&line, &size, stream) > 0) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		list++;
		if (list[0] == '\0' || has_word(list, controller))
			visit_hierarchy(&visitor, path, list[0] == '\0');
	}
	free(line);
	if (stream)
		fclose(stream);
}
