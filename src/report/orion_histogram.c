/* ORION's latency histograms: the table in the summary, and in _hist.txt where it is the same.
 * SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "orion_private.h"
#include "report_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HISTOGRAMS_MAX 10000u
#define PERCENT_CLOSE  0.02 /* it prints 2 decimals */

/**
 * struct row - one row of a table, as it stands
 * @pct:      cumulative, in percent
 * @has_pct:  it has percentages
 */
struct row {
	uint64_t from_us, to_us;
	uint64_t ios[IO_DIRS];
	struct orion_number pct[IO_DIRS];
	bool has_pct;
};

bool orion_histogram_head(const char *line, struct orion_histogram *histogram)
{
	bool is_small = orion_take(&line, "Small Read / Write Latency Histogram");

	if (!is_small && !orion_take(&line, "Large Read / Write Latency Histogram"))
		return false;
	histogram->is_large = !is_small;
	return orion_take_levels(&line, &histogram->small, &histogram->large) && orion_at_end(line);
}

/* "1112243 ( 91.12%)", or the number alone as 12.1 prints it */
static bool take_ios(const char **at, struct row *row, enum io_dir dir)
{
	if (!orion_take_count(at, INT64_MAX, &row->ios[dir]))
		return false;
	if (!orion_take(at, "("))
		return true;
	row->has_pct = true;
	return orion_take_number(at, &row->pct[dir]) && orion_take(at, "%)");
}

static bool take_row(const char *line, struct row *row)
{
	*row = (struct row){0};
	return orion_take_count(&line, UINT32_MAX, &row->from_us) && orion_take(&line, "-") &&
	       orion_take_count(&line, UINT32_MAX, &row->to_us) && orion_take(&line, "us:") &&
	       take_ios(&line, row, IO_READ) && take_ios(&line, row, IO_WRITE) &&
	       orion_at_end(line);
}

static bool pct_fits(const struct orion_histogram *histogram, const struct row *row,
		     const uint64_t seen[IO_DIRS], enum io_dir dir)
{
	uint64_t total = histogram->total[dir];
	double pct = total > 0 ? 100.0 * (double)seen[dir] / (double)total : 0.0;

	return !row->has_pct || fabs(pct - row->pct[dir].value) <= PERCENT_CLOSE;
}

/* the reason not to trust a table, or NULL */
static const char *find_fault(const struct orion_histogram *histogram, const struct row rows[])
{
	uint64_t seen[IO_DIRS] = {0};
	unsigned index;

	if (histogram->rows == 0 || rows[histogram->rows - 1].to_us != ORION_LAST_END_US)
		return "it is cut off";
	for (size_t i = 0; i < histogram->rows; i++) {
		seen[IO_READ] += rows[i].ios[IO_READ];
		seen[IO_WRITE] += rows[i].ios[IO_WRITE];
		if (rows[i].to_us <= rows[i].from_us ||
		    !histogram_ends_at(histogram->end_ns[i], &index))
			return "its rows are empty, or end where no bucket of calib does";
		if (rows[i].from_us != (i == 0 ? 0 : histogram->end_ns[i - 1] / NS_PER_US))
			return "there is a gap between its rows, or they overlap";
		if (!pct_fits(histogram, &rows[i], seen, IO_READ) ||
		    !pct_fits(histogram, &rows[i], seen, IO_WRITE))
			return "its percentages are not those of its counts";
	}
	return NULL;
}

/* 12.1 has "0 - 1" and then "2 - 4" for whole microseconds: what took less than 2. */
static void add_row(struct orion_histogram *histogram, const struct row *row)
{
	size_t i = histogram->rows++;

	if (i > 0 && row->from_us * NS_PER_US == histogram->end_ns[i - 1] + NS_PER_US)
		histogram->end_ns[i - 1] += NS_PER_US;
	histogram->end_ns[i] = row->to_us * NS_PER_US;
	for (unsigned dir = 0; dir < IO_DIRS; dir++) {
		histogram->ios[dir][i] = row->ios[dir];
		histogram->total[dir] += row->ios[dir];
	}
}

static bool sums_fit(const struct orion_histogram *histogram, const struct row *row)
{
	return histogram->total[IO_READ] + row->ios[IO_READ] <= INT64_MAX &&
	       histogram->total[IO_WRITE] + row->ios[IO_WRITE] <= INT64_MAX;
}

/* which of two comes first: below, at or above 0 */
static int compare(const struct orion_histogram *histogram, uint32_t small, uint32_t large,
		   bool is_large)
{
	if (histogram->small != small)
		return histogram->small < small ? -1 : 1;
	if (histogram->large != large)
		return histogram->large < large ? -1 : 1;
	return (int)histogram->is_large - (int)is_large;
}

/* the place of a histogram, or where one would go */
static size_t find_place(const struct orion *orion, uint32_t small, uint32_t large, bool is_large)
{
	size_t low = 0;
	size_t high = orion->histogram_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(orion->histograms[middle], small, large, is_large) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct orion_histogram *orion_histogram_find(const struct orion *orion, uint32_t small,
						   uint32_t large, bool is_large)
{
	size_t at = find_place(orion, small, large, is_large);

	if (at == orion->histogram_count ||
	    compare(orion->histograms[at], small, large, is_large) != 0)
		return NULL;
	return orion->histograms[at];
}

static int insert(struct orion *orion, const struct orion_histogram *histogram)
{
	size_t at = find_place(orion, histogram->small, histogram->large, histogram->is_large);
	struct orion_histogram **grown =
		reallocarray(orion->histograms, orion->histogram_count + 1, sizeof(*grown));
	struct orion_histogram *copy = malloc(sizeof(*copy));

	if (grown != NULL)
		orion->histograms = grown;
	if (grown == NULL || copy == NULL) {
		free(copy);
		return orion_no_memory(orion);
	}
	*copy = *histogram;
	memmove(grown + at + 1, grown + at, (orion->histogram_count - at) * sizeof(*grown));
	grown[at] = copy;
	orion->histogram_count++;
	return 0;
}

static bool is_same(const struct orion_histogram *one, const struct orion_histogram *other)
{
	return one->rows == other->rows &&
	       memcmp(one->end_ns, other->end_ns, sizeof(one->end_ns)) == 0 &&
	       memcmp(one->ios, other->ios, sizeof(one->ios)) == 0;
}

static int leave_out(struct orion *orion, const struct orion_text *text, unsigned head,
		     const char *why)
{
	if (!orion_may_complain(orion))
		return 0;
	return orion_warn(orion, ORION_UNREAD, SEVERITY_SUSPECT,
			  "'%s':%u: the histogram is left out: %s", text->name, head, why);
}

/* _hist.txt may have that of the summary again */
static int keep(struct orion *orion, const struct orion_histogram *histogram,
		const struct orion_text *text, unsigned head)
{
	const struct orion_histogram *before = orion_histogram_find(
		orion, histogram->small, histogram->large, histogram->is_large);

	if (before != NULL && is_same(before, histogram))
		return 0;
	if (before != NULL)
		return leave_out(orion, text, head, "an earlier one of this point says otherwise");
	if (orion->histogram_count == HISTOGRAMS_MAX)
		return leave_out(orion, text, head, "there are too many");
	return insert(orion, histogram);
}

int orion_histogram_read(struct orion *orion, struct orion_text *text,
			 struct orion_histogram *histogram, char **more)
{
	struct row rows[ORION_EDGES_MAX] = {0};
	unsigned head = text->line;
	const char *fault;

	while ((*more = orion_text_line(text)) != NULL) {
		const char *at = *more;

		if (orion_take(&at, "Latency:") && histogram->rows == 0)
			continue;
		if (histogram->rows == ORION_EDGES_MAX ||
		    !take_row(*more, &rows[histogram->rows]) ||
		    !sums_fit(histogram, &rows[histogram->rows]))
			break;
		add_row(histogram, &rows[histogram->rows]);
	}
	fault = find_fault(histogram, rows);
	return fault != NULL ? leave_out(orion, text, head, fault)
			     : keep(orion, histogram, text, head);
}

int orion_hist_txt_read(struct orion *orion, const char *path)
{
	struct orion_text text;
	char *line, *next;
	bool found = false;
	int code = orion_text_open(&text, path, orion->err);

	if (code < 0)
		return code;
	for (line = orion_text_line(&text); code == 0 && line != NULL;
	     line = next != NULL ? next : orion_text_line(&text)) {
		struct orion_histogram histogram = {0};

		next = NULL;
		if (!orion_histogram_head(line, &histogram))
			continue;
		found = true;
		code = orion_histogram_read(orion, &text, &histogram, &next);
	}
	if (code == 0 && !found)
		code = orion_warn(orion, ORION_UNREAD, SEVERITY_NOTE,
				  "'%s' is not read: its layout is not known", text.name);
	orion_text_close(&text);
	return code;
}
