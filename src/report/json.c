/* The whole run as JSON. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/units.h"
#include "report_private.h"

#include <errno.h>
#include <string.h>

static json_t *levels(const struct level_list *list)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < list->count; i++)
		json_add(&array, json_count(list->value[i]));
	return array;
}

static json_t *seconds(uint64_t ns)
{
	return json_number((double)ns / (double)NS_PER_S);
}

static const char *or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

static json_t *known_count(uint64_t value)
{
	return value != 0 ? json_count(value) : json_null();
}

/* what calib knows of each of its own runs; of another program's, 0 is unknown */
static json_t *own_count(const struct run_info *run, uint64_t value)
{
	return run->source.program == NULL ? json_count(value) : known_count(value);
}

static json_t *own_seconds(const struct run_info *run, uint64_t ns)
{
	return run->source.program == NULL || ns != 0 ? seconds(ns) : json_null();
}

static json_t *word(const struct run_info *run, enum setting setting, const char *name)
{
	return run->unknown & setting ? json_null() : json_string(name);
}

static void put_words(json_t **object, const struct run_info *run)
{
	bool own = run->source.program == NULL;

	json_put(object, "run",
		 own || run->run != RUN_NONE ? json_string(run_type_name(run->run)) : json_null());
	json_put(object, "matrix", word(run, SETTING_MATRIX, matrix_type_name(run->matrix)));
	json_put(object, "small_bytes", own_count(run, run->small_bytes));
	json_put(object, "large_bytes", own_count(run, run->large_bytes));
	json_put(object, "large_type",
		 word(run, SETTING_LARGE_TYPE, large_type_name(run->large_type)));
	json_put(object, "stream_ios", own_count(run, run->stream_ios));
	json_put(object, "simulate", word(run, SETTING_SIMULATE, lun_layout_name(run->layout)));
	json_put(object, "stripe_bytes", known_count(run->stripe_bytes));
	json_put(object, "write_pct",
		 run->unknown & SETTING_WRITE_PCT ? json_null() : json_count(run->write_pct));
	json_put(object, "cache_bytes",
		 run->cache_given ? json_count(run->cache_bytes) : json_null());
}

static json_t *settings(const struct run_info *run)
{
	bool own = run->source.program == NULL;
	json_t *object = json_object();

	put_words(&object, run);
	json_put(&object, "cache_fill_s", own_seconds(run, run->cache_fill_ns));
	json_put(&object, "duration_s", own_seconds(run, run->duration_ns));
	json_put(&object, "ramp_s", own_seconds(run, run->ramp_ns));
	json_put(&object, "num_disks", own_count(run, run->num_disks));
	json_put(&object, "repeat", json_count(run->repeat));
	json_put(&object, "order", own ? json_string(point_order_name(run->order)) : json_null());
	json_put(&object, "has_small", json_boolean(run->has_small));
	json_put(&object, "has_large", json_boolean(run->has_large));
	json_put(&object, "total_points", own_count(run, run->total_points));
	json_put(&object, "run_points", own_count(run, run->run_points));
	json_put(&object, "small_levels", levels(&run->small_levels));
	json_put(&object, "large_levels", levels(&run->large_levels));
	json_put_text(&object, "engine", run->engine);
	json_put_text(&object, "engine_reason", run->engine_reason);
	json_put_text(&object, "buffer_pages", or_null(run->buffer_pages));
	return object;
}

static json_t *host(const struct host_info *host)
{
	json_t *object = json_object();

	json_put_text(&object, "hostname", or_null(host->hostname));
	json_put_text(&object, "kernel", or_null(host->kernel));
	json_put_text(&object, "cpu", or_null(host->cpu));
	json_put(&object, "cpus", known_count(host->cpus));
	json_put(&object, "memory_bytes", known_count(host->memory_bytes));
	return object;
}

/* NULL: it is not known */
static json_t *issued(const struct io_count *count)
{
	json_t *object;

	if (count == NULL)
		return json_null();
	object = json_object();
	json_put(&object, "reads", json_count(count->reads));
	json_put(&object, "read_bytes", json_count(count->read_bytes));
	json_put(&object, "writes", json_count(count->writes));
	json_put(&object, "write_bytes", json_count(count->write_bytes));
	return object;
}

static json_t *kernel(const struct kernel_count *count)
{
	json_t *object;

	if (!count->known)
		return json_null();
	object = json_object();
	json_put(&object, "ios", json_count(count->read_ios + count->write_ios));
	json_put(&object, "merges", json_count(count->read_merges + count->write_merges));
	json_put(&object, "sectors", json_count(count->read_sectors + count->write_sectors));
	json_put(&object, "read_ios", json_count(count->read_ios));
	json_put(&object, "read_merges", json_count(count->read_merges));
	json_put(&object, "read_sectors", json_count(count->read_sectors));
	json_put(&object, "write_ios", json_count(count->write_ios));
	json_put(&object, "write_merges", json_count(count->write_merges));
	json_put(&object, "write_sectors", json_count(count->write_sectors));
	return object;
}

static json_t *lun_count(const struct lun_info *lun, uint64_t value)
{
	return lun->foreign ? json_null() : json_count(value);
}

static json_t *lun(const struct lun_info *lun)
{
	json_t *object = json_object();

	json_put_text(&object, "path", lun->path);
	json_put_text(&object, "kind", lun->foreign ? NULL : lun->is_block ? "block" : "file");
	json_put(&object, "size_bytes", json_count(lun->size_bytes));
	json_put(&object, "used_bytes", lun_count(lun, lun->used_bytes));
	json_put(&object, "logical_block_bytes", lun_count(lun, lun->logical_block_bytes));
	json_put(&object, "physical_block_bytes", known_count(lun->physical_block_bytes));
	json_put(&object, "host", json_count(0));
	json_put(&object, "major", lun_count(lun, lun->major));
	json_put(&object, "minor", lun_count(lun, lun->minor));
	json_put(&object, "rotational",
		 lun->rotational < 0 ? json_null() : json_boolean(lun->rotational));
	json_put_text(&object, "model", lun->model);
	json_put_text(&object, "scheduler", lun->scheduler);
	json_put(&object, "nr_requests",
		 lun->nr_requests < 0 ? json_null() : json_integer(lun->nr_requests));
	json_put_text(&object, "filesystem", lun->filesystem);
	json_put(&object, "issued", issued(lun->issued_known ? &lun->issued : NULL));
	json_put(&object, "kernel", kernel(&lun->kernel));
	return object;
}

static json_t *luns(const struct results *results)
{
	json_t *array = json_array();

	for (size_t i = 0; i < results->lun_count; i++)
		json_add(&array, lun(&results->luns[i]));
	return array;
}

void json_put_names(json_t **object, const struct results *results)
{
	const struct run_info *run = &results->run;

	json_put_text(object, "calib_version", run->version);
	json_put_text(object, "testname", run->testname);
	json_put_text(object, "prefix", run->prefix);
	json_put_text(object, "command_line", run->command_line);
	json_put(object, "seed", results_foreign(results) ? json_null() : json_count(run->seed));
	json_put(object, "started", json_time(results, run->started));
}

void json_put_setup(json_t **object, const struct results *results)
{
	json_put(object, "settings", settings(&results->run));
	json_put(object, "host", host(&results->run.host));
	json_put(object, "luns", luns(results));
}

static json_t *best_value(const struct best_value *best)
{
	json_t *object;

	if (!best->known)
		return json_null();
	object = json_object();
	json_put(&object, "value", json_number(best->value));
	json_put(&object, "small", json_count(best->small));
	json_put(&object, "large", json_count(best->large));
	json_put(&object, "point", json_count(best->point));
	return object;
}

static json_t *best(const struct best *best)
{
	json_t *object = json_object();

	json_put(&object, "max_iops", best_value(&best->max_iops));
	json_put(&object, "max_mbps", best_value(&best->max_mbps));
	json_put(&object, "min_latency_ns", best_value(&best->min_latency_ns));
	return object;
}

json_t *json_warning(const struct results *results, const struct warning *warning)
{
	json_t *object = json_object();

	json_put_text(&object, "code", warning->code);
	json_put(&object, "severity", json_string(severity_name(warning->severity)));
	json_put_text(&object, "text", warning->text);
	json_put(&object, "lun",
		 warning->lun == WARNING_NO_LUN ? json_null() : json_integer(warning->lun));
	json_put(&object, "point",
		 warning->point == WARNING_NO_POINT ? json_null() : json_count(warning->point));
	json_put(&object, "raised", json_time(results, warning->raised));
	json_put(&object, "after_points", json_count(warning->after));
	return object;
}

json_t *json_warnings(const struct results *results)
{
	json_t *array = json_array();

	for (size_t i = 0; i < results->warning_count; i++)
		json_add(&array, json_warning(results, &results->warnings[i]));
	return array;
}

/* NULL: it did not end by a signal; a number where the signal has no name */
static json_t *signal_json(int number)
{
	const char *name = number > 0 ? sigabbrev_np(number) : NULL;

	if (number == 0)
		return json_null();
	return name != NULL ? json_sprintf("SIG%s", name) : json_integer(number);
}

static json_t *source(const struct source *source)
{
	json_t *object = json_object();
	json_t *files = json_array();

	for (size_t i = 0; i < source->file_count; i++)
		json_add(&files, json_string(source->files[i]));
	json_put_text(&object, "program", source->program);
	json_put_text(&object, "version", source->version);
	json_put(&object, "files", files);
	json_put_text(&object, "latency_unit", source->latency_unit);
	return object;
}

static json_t *head(const struct results *results)
{
	json_t *object = json_object();

	json_put(&object, "schema", json_string("calib-results/1"));
	if (results_foreign(results))
		json_put(&object, "source", source(&results->run.source));
	json_put_names(&object, results);
	json_put(&object, "finished", json_time(results, results->run.finished));
	json_put(&object, "status", json_string(run_status_name(results->run.status)));
	json_put(&object, "signal", signal_json(results->run.signal));
	json_put_setup(&object, results);
	return object;
}

static json_t *tail(const struct results *results)
{
	struct io_count sum;
	bool known = results_issued(results, &sum);
	json_t *object = json_object();

	json_put(&object, "best", best(&results->best));
	json_put(&object, "issued", issued(known ? &sum : NULL));
	json_put(&object, "warnings", json_warnings(results));
	return object;
}

/* each member on a line of its own, as if @object's braces were not there; frees it */
static int write_members(json_t *object, const char *between, FILE *out)
{
	const char *key;
	json_t *value;
	int code;

	if (object == NULL)
		return -ENOMEM;
	json_object_foreach(object, key, value)
	{
		fprintf(out, "%s\"%s\":", between, key);
		if (json_dumpf(value, out, REPORT_JSON_FLAGS) < 0)
			break;
		between = ",\n";
	}
	code = key == NULL ? 0 : -ENOMEM;
	json_decref(object);
	return code;
}

/* one by one: 10,000 of them in one text would take gigabytes */
static int write_points(const struct results *results, FILE *out)
{
	struct json_text text = {0};
	int code = 0;

	fputs(",\n\"points\":[", out);
	for (size_t i = 0; i < results->point_count && code == 0; i++) {
		code = json_point(&text, results, &results->points[i]);
		fputs(i == 0 ? "\n" : ",\n", out);
		fwrite(text.bytes, 1, text.length, out);
	}
	fputs("]", out);
	json_text_release(&text);
	return code;
}

int json_render(const struct results *results, FILE *out)
{
	int code, end;

	fputs("{\n", out);
	code = write_members(head(results), "", out);
	if (code == 0)
		code = write_points(results, out);
	if (code == 0)
		code = write_members(tail(results), ",\n", out);
	fputs("\n}\n", out);
	end = report_end(out);
	return end < 0 ? end : code;
}
