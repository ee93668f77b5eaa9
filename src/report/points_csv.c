/* Every number of every point as a table: a row for each class. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/text.h"
#include "calib/units.h"
#include "report_private.h"

#define SPREAD_COLUMNS 2 /* max_us, stddev_us */

static const char header[] =
	"small,large,repeat,status,class,seconds,ios,errors,iops,mbps,mean_us,min_us,max_us,"
	"stddev_us,p50_us,p90_us,p95_us,p99_us,p99_9_us,p99_99_us,outstanding_mean\n";

/* in whole numbers, so that no ns is lost however large it is */
static void put_us(uint64_t ns, FILE *out)
{
	fprintf(out, ",%ju.%03u", (uintmax_t)(ns / NS_PER_US), (unsigned)(ns % NS_PER_US));
}

static void put_commas(unsigned count, FILE *out)
{
	for (; count > 0; count--)
		putc(',', out);
}

static void put_percentiles(const struct latency *latency, FILE *out)
{
	for (unsigned i = 0; i < PCT_COUNT; i++)
		put_us(latency->pct_ns[i], out);
}

static void put_spread(const struct latency *latency, FILE *out)
{
	put_us(latency->max_ns, out);
	fprintf(out, ",%.3f", latency->stddev_ns / (double)NS_PER_US);
}

static void put_latency(const struct class_result *class, FILE *out)
{
	const struct latency *latency = &class->latency;

	putc(',', out);
	if (class_knows(class, CLASS_MEAN))
		fprintf(out, "%.3f", latency->mean_ns / (double)NS_PER_US);
	if (class_knows(class, CLASS_MIN))
		put_us(latency->min_ns, out);
	else
		put_commas(1, out);
	if (class_knows(class, CLASS_SPREAD))
		put_spread(latency, out);
	else
		put_commas(SPREAD_COLUMNS, out);
	if (class_knows(class, CLASS_PERCENTILES))
		put_percentiles(latency, out);
	else
		put_commas(PCT_COUNT, out);
}

/* blank where it is unknown; behind a comma */
static void put_count(uint64_t count, bool known, FILE *out)
{
	putc(',', out);
	if (known)
		fprintf(out, "%ju", (uintmax_t)count);
}

static void put_number(double value, bool known, FILE *out)
{
	putc(',', out);
	if (known)
		fprintf(out, "%.6f", value);
}

static void put_class(const struct point_result *point, const struct class_result *class,
		      const char *name, FILE *out)
{
	fprintf(out, "%u,%u,%u,%s,", point->point.small, point->point.large, point->point.repeat,
		point_status_name(point->status));
	text_csv(out, name);
	putc(',', out);
	if (point->seconds > 0 || !point->told.is)
		fprintf(out, "%.9f", point->seconds);
	put_count(class->ios, !(class->unknown & CLASS_IOS), out);
	put_count(class->failed, !(class->unknown & CLASS_ERRORS), out);
	put_number(class->iops, !(class->unknown & CLASS_IOPS), out);
	put_number(class->mbps, !(class->unknown & CLASS_MBPS), out);
	put_latency(class, out);
	put_number(class->outstanding_mean, !(class->unknown & CLASS_OUTSTANDING), out);
	putc('\n', out);
}

static void put_point(const struct point_result *point, FILE *out)
{
	char name[CLASS_NAME_SIZE];

	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (point->classes[load][dir].present)
				put_class(point, &point->classes[load][dir],
					  report_class_name(name, &point->point.loads[load], dir),
					  out);
}

int points_csv_render(const struct results *results, FILE *out)
{
	fputs(header, out);
	for (size_t i = 0; i < results->point_count; i++)
		if (results->points[i].status != POINT_INTERRUPTED)
			put_point(&results->points[i], out);
	return report_end(out);
}
