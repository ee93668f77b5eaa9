/* Every number of every point as a table: a row for each class. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/text.h"
#include "calib/units.h"
#include "report_private.h"

static const char header[] =
	"small,large,repeat,status,class,seconds,ios,errors,iops,mbps,mean_us,min_us,max_us,"
	"stddev_us,p50_us,p90_us,p95_us,p99_us,p99_9_us,p99_99_us,outstanding_mean\n";

/* in whole numbers, so that no ns is lost however large it is */
static void put_us(uint64_t ns, FILE *out)
{
	fprintf(out, ",%ju.%03u", (uintmax_t)(ns / NS_PER_US), (unsigned)(ns % NS_PER_US));
}

static void put_latency(const struct latency *latency, FILE *out)
{
	fprintf(out, ",%.3f", latency->mean_ns / (double)NS_PER_US);
	put_us(latency->min_ns, out);
	put_us(latency->max_ns, out);
	fprintf(out, ",%.3f", latency->stddev_ns / (double)NS_PER_US);
	for (unsigned i = 0; i < PCT_COUNT; i++)
		put_us(latency->pct_ns[i], out);
}

static void put_unknown_latency(FILE *out)
{
	fputs(",,,,", out);
	for (unsigned i = 0; i < PCT_COUNT; i++)
		putc(',', out);
}

static void put_class(const struct point_result *point, const struct class_result *class,
		      const char *name, FILE *out)
{
	fprintf(out, "%u,%u,%u,%s,", point->point.small, point->point.large, point->point.repeat,
		point_status_name(point->status));
	text_csv(out, name);
	fprintf(out, ",%.9f,%ju,%ju,%.6f,%.6f", point->seconds, (uintmax_t) class->ios,
		(uintmax_t)class_failed_ios(class), class->iops, class->mbps);
	if (class->ios > 0)
		put_latency(&class->latency, out);
	else
		put_unknown_latency(out);
	fprintf(out, ",%.6f\n", class->outstanding_mean);
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
