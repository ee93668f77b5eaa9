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
	if (class->ios == 0 || class->unknown & CLASS_HIST)
		return;
	column->packed = results->packed + class->hist.at;
	column->size = class->hist.count;
	column->total = class->ios;
	next_bucket(column);
}

uint64_t hist_row_end(const struct results *results, const struct class_result *class,
		      uint64_t upper_ns)
{
	for (size_t i = 0; i < class->edges.count; i++) {
		uint64_t edge_ns = results->edges[class->edges.at + i];

		if (edge_ns >= upper_ns)
			return edge_ns;
	}
	return upper_ns;
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
