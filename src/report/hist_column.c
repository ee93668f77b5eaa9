/* A histogram walked by rows that are wider than its buckets. SPDX-License-Identifier: MIT */
#include "report_private.h"

static void next_bucket(struct hist_column *column)
{
	column->pending = histogram_unpack_next(column->packed, column->size, &column->position,
						&column->bucket) > 0;
}

void hist_column_init(struct hist_column *column, const struct results *results,
		      const struct class_result *class)
{
	*column = (struct hist_column){0};
	if (class->ios == 0)
		return;
	column->packed = results->packed + class->hist.at;
	column->size = class->hist.count;
	column->total = class->ios;
	next_bucket(column);
}

uint64_t hist_column_row(struct hist_column *column, uint64_t upper_ns)
{
	uint64_t ios = 0;

	while (column->pending && histogram_upper_ns(column->bucket.index) <= upper_ns) {
		ios += column->bucket.count;
		next_bucket(column);
	}
	column->seen += ios;
	return ios;
}
