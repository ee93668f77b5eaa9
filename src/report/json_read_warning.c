/* A warning of a run read back. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <stdlib.h>

#define WARNING(member) offsetof(struct warning, member)
#define CODE_SIZE	64

static const char *severity_name_at(unsigned index)
{
	return severity_name((enum severity)index);
}

/**
 * struct warning_read - a warning, and its code where it is kept until the results have a copy
 */
struct warning_read {
	struct warning warning;
	char code[CODE_SIZE];
};

static const struct field warning_fields[] = {
	{.key = "code",
	 .kind = FIELD_CHARS,
	 .offset = offsetof(struct warning_read, code),
	 .max = CODE_SIZE},
	{.key = "severity",
	 .kind = FIELD_WORD,
	 .offset = WARNING(severity),
	 .max = SEVERITY_SUSPECT + 1,
	 .word = severity_name_at},
	{.key = "text", .kind = FIELD_TEXT, .offset = WARNING(text)},
	{.key = "lun",
	 .kind = FIELD_COUNT32,
	 .offset = WARNING(lun),
	 .max = READ_LUNS_MAX,
	 .nullable = true},
	{.key = "point",
	 .kind = FIELD_COUNT32,
	 .offset = WARNING(point),
	 .max = UINT32_MAX,
	 .nullable = true},
	{.key = "raised", .kind = FIELD_TIME, .offset = WARNING(raised), .nullable = true},
	{.key = "after_points", .kind = FIELD_SIZE, .offset = WARNING(after), .max = UINT32_MAX},
};

int read_warning(struct reader *reader, const json_t *object)
{
	struct warning_read read = {.warning = {.lun = WARNING_NO_LUN}};
	int code = reader_fields(reader, object, warning_fields, COUNT(warning_fields), &read, 0);

	read.warning.code = read.code;
	if (code == 0 && reader->results->warning_count == READ_WARNINGS_MAX)
		code = reader_refuse(reader, "there are more than %u warnings", READ_WARNINGS_MAX);
	if (code == 0 && results_push_warning(reader->results, &read.warning) < 0)
		code = reader_no_memory(reader);
	free(read.warning.text);
	return code;
}
