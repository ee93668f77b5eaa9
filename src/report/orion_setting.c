/* The settings in ORION's summary, in the words of 10.2 to 19c. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "orion_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX  1000000000u
#define SIZE_MAX_KIB (IO_BYTES_MAX / BYTES_KIB)

/* Each reads what follows its label: 0, -EINVAL or -ENOMEM. */
typedef int read_setting(struct orion *orion, const char *rest);

static int keep(char **member, const char *text)
{
	if (strlen(text) > ORION_TEXT_MAX)
		return -EINVAL;
	free(*member);
	*member = strdup(text);
	return *member != NULL ? 0 : -ENOMEM;
}

/* from 10.1 up to 11.1 latencies are in ms, later ones in us; one is "RDBMS_19.3.0.0.0DBRU" */
static void find_unit(struct orion *orion, const char *version)
{
	const char *at = version + strcspn(version, "0123456789");
	uint64_t major, minor;

	if (!orion_take_count(&at, 1000, &major) || *at++ != '.' ||
	    !orion_take_count(&at, 1000, &minor))
		return;
	orion->unit_known = true;
	orion->in_ms = major < 11 || (major == 11 && minor < 2);
}

/* a second one: it is a second run, whose lines would be taken for those of the first */
static int read_version(struct orion *orion, const char *rest)
{
	struct source *source = &orion->results->run.source;

	if (source->version != NULL)
		return -EINVAL;
	find_unit(orion, rest);
	return keep(&source->version, orion_skip_blanks(rest));
}

static int read_testname(struct orion *orion, const char *rest)
{
	return keep(&orion->results->run.testname, orion_skip_blanks(rest));
}

static int read_kib(const char *rest, uint64_t max, uint64_t *bytes)
{
	uint64_t kib;

	if (!orion_take_count(&rest, max, &kib) || !orion_take(&rest, "KB") || !orion_at_end(rest))
		return -EINVAL;
	*bytes = kib * BYTES_KIB;
	return 0;
}

static int read_small_size(struct orion *orion, const char *rest)
{
	return read_kib(rest, SIZE_MAX_KIB, &orion->results->run.small_bytes);
}

static int read_large_size(struct orion *orion, const char *rest)
{
	return read_kib(rest, SIZE_MAX_KIB, &orion->results->run.large_bytes);
}

static int read_types(struct orion *orion, const char *rest)
{
	struct run_info *run = &orion->results->run;
	bool streams = strcasestr(rest, "large sequential streams") != NULL;

	if (!streams && strcasestr(rest, "large random") == NULL)
		return strcasestr(rest, "small random") != NULL ? 0 : -EINVAL;
	run->large_type = streams ? LARGE_SEQ : LARGE_RAND;
	run->unknown &= ~(unsigned)SETTING_LARGE_TYPE;
	return 0;
}

static int read_layout(struct orion *orion, const char *rest)
{
	struct run_info *run = &orion->results->run;
	bool raid0 = orion_take(&rest, "RAID 0") || orion_take(&rest, "RAID-0") ||
		     orion_take(&rest, "RAID0");

	if (!raid0 && !orion_take(&rest, "CONCAT") && !orion_take(&rest, "one LUN per stream"))
		return -EINVAL;
	run->layout = raid0 ? LAYOUT_RAID0 : LAYOUT_CONCAT;
	run->unknown &= ~(unsigned)SETTING_SIMULATE;
	return 0;
}

static int read_stripe(struct orion *orion, const char *rest)
{
	return read_kib(rest, INT64_MAX / BYTES_KIB, &orion->results->run.stripe_bytes);
}

static int read_stream_ios(struct orion *orion, const char *rest)
{
	uint64_t ios;

	if (!orion_take_count(&rest, LEVEL_MAX, &ios) || !orion_at_end(rest))
		return -EINVAL;
	orion->results->run.stream_ios = (unsigned)ios;
	return 0;
}

static int read_writes(struct orion *orion, const char *rest)
{
	struct run_info *run = &orion->results->run;
	uint64_t percent;

	if (!orion_take_count(&rest, 100, &percent) || !orion_take(&rest, "%"))
		return -EINVAL;
	run->write_pct = (unsigned)percent;
	run->unknown &= ~(unsigned)SETTING_WRITE_PCT;
	return 0;
}

static int read_cache(struct orion *orion, const char *rest)
{
	struct run_info *run = &orion->results->run;
	uint64_t mib;

	if (orion_take(&rest, "Not Entered") || orion_take(&rest, "not specified"))
		return 0;
	if (!orion_take_count(&rest, INT64_MAX / BYTES_MIB, &mib))
		return -EINVAL;
	orion_take(&rest, "MB");
	if (!orion_at_end(rest))
		return -EINVAL;
	run->cache_given = true;
	run->cache_bytes = mib * BYTES_MIB;
	return 0;
}

static int read_duration(struct orion *orion, const char *rest)
{
	uint64_t seconds;

	if (!orion_take_count(&rest, SECONDS_MAX, &seconds) || !orion_take(&rest, "second"))
		return -EINVAL;
	orion->results->run.duration_ns = seconds * NS_PER_S;
	return 0;
}

/* ",      0,      1": each level behind a comma */
static int read_levels(const char *rest, struct level_list *levels)
{
	uint64_t level;

	while (orion_take(&rest, ",") && !orion_at_end(rest)) {
		if (!orion_take_count(&rest, LEVEL_MAX, &level) ||
		    !level_list_insert(levels, (uint32_t)level))
			return -EINVAL;
	}
	return orion_at_end(rest) ? 0 : -EINVAL;
}

static int read_small_levels(struct orion *orion, const char *rest)
{
	return read_levels(rest, &orion->results->run.small_levels);
}

static int read_large_levels(struct orion *orion, const char *rest)
{
	return read_levels(rest, &orion->results->run.large_levels);
}

static int read_total(struct orion *orion, const char *rest)
{
	uint64_t total;

	if (!orion_take_count(&rest, UINT32_MAX, &total) || !orion_at_end(rest))
		return -EINVAL;
	orion->results->run.total_points = (size_t)total;
	return 0;
}

static int add_lun(struct results *results, const char *path, size_t length, uint64_t size_bytes)
{
	struct lun_info *grown =
		reallocarray(results->luns, results->lun_count + 1, sizeof(*grown));
	char *copy = strndup(path, length);

	if (grown != NULL)
		results->luns = grown;
	if (grown == NULL || copy == NULL) {
		free(copy);
		return -ENOMEM;
	}
	results->luns[results->lun_count++] = (struct lun_info){
		.foreign = true,
		.path = copy,
		.size_bytes = size_bytes,
		.rotational = -1,
		.nr_requests = -1,
	};
	return 0;
}

/* "/dev/sda2	Size: 629143441920": the path may have blanks, so the last "Size:" counts */
static int read_lun(struct orion *orion, const char *rest)
{
	const char *path = orion_skip_blanks(rest);
	const char *size = NULL, *after;
	uint64_t bytes;

	for (const char *at = strstr(path, "Size:"); at != NULL; at = strstr(at + 1, "Size:"))
		size = at;
	if (size == NULL || orion->results->lun_count == ORION_LUNS_MAX)
		return -EINVAL;
	after = size + strlen("Size:");
	if (!orion_take_count(&after, INT64_MAX, &bytes) || !orion_at_end(after))
		return -EINVAL;
	while (size > path && (size[-1] == ' ' || size[-1] == '\t'))
		size--;
	if (size == path || (size_t)(size - path) > ORION_TEXT_MAX)
		return -EINVAL;
	return add_lun(orion->results, path, (size_t)(size - path), bytes);
}

static const struct label {
	const char *label;
	read_setting *read;
} labels[] = {
	{"ORION VERSION", read_version},
	{"ORION: ORacle IO Numbers -- Version", read_version},
	{"Test:", read_testname},
	{"Small IO size:", read_small_size},
	{"Large IO size:", read_large_size},
	{"IO types:", read_types},
	{"Simulated Array Type:", read_layout},
	{"Sequential stream pattern:", read_layout},
	{"Stripe Depth:", read_stripe},
	{"Number of concurrent IOs per stream:", read_stream_ios},
	{"Write:", read_writes},
	{"Writes:", read_writes},
	{"Cache size:", read_cache},
	{"Duration for each data point:", read_duration},
	{"Small Columns:", read_small_levels},
	{"Large Columns:", read_large_levels},
	{"Total Data Points:", read_total},
	{"Name:", read_lun},
};

/* "4 FILEs found." */
static bool take_files(struct orion *orion, const char *line)
{
	uint64_t files;

	if (!orion_take_count(&line, ORION_LUNS_MAX, &files) || !orion_take(&line, "files found"))
		return false;
	orion->files_found = files;
	return true;
}

int orion_setting_read(struct orion *orion, const char *line)
{
	for (size_t i = 0; i < COUNT(labels); i++) {
		const char *rest = line;
		int code;

		if (!orion_take(&rest, labels[i].label))
			continue;
		code = labels[i].read(orion, rest);
		return code < 0 ? code : 1;
	}
	return take_files(orion, line);
}
