/* The program that has measured, where it was not calib, read back. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <stdlib.h>
#include <string.h>

#define FILES_MAX      64u
#define SOURCE(member) offsetof(struct source, member)

static const struct field source_fields[] = {
	{.key = "program", .kind = FIELD_TEXT, .offset = SOURCE(program)},
	{.key = "version", .kind = FIELD_TEXT, .offset = SOURCE(version), .nullable = true},
	{.key = "latency_unit",
	 .kind = FIELD_TEXT,
	 .offset = SOURCE(latency_unit),
	 .nullable = true},
};

static int read_file(struct reader *reader, const json_t *value, void *arg)
{
	struct source *source = arg;
	const char *name = json_string_value(value);
	char **grown;

	if (name == NULL || source->file_count == FILES_MAX)
		return reader_refuse(reader, "it is no name of a file, or one too many");
	grown = reallocarray(source->files, source->file_count + 1, sizeof(*grown));
	if (grown == NULL)
		return reader_no_memory(reader);
	source->files = grown;
	source->files[source->file_count] = strdup(name);
	if (source->files[source->file_count] == NULL)
		return reader_no_memory(reader);
	source->file_count++;
	return 0;
}

int read_source(struct reader *reader, const json_t *object)
{
	struct source *source = &reader->results->run.source;
	int code = reader_fields(reader, object, source_fields, COUNT(source_fields), source, 1);

	return code < 0 ? code : reader_array(reader, object, "files", read_file, source);
}
