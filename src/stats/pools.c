/* The memory behind results: arrays that grow for many points. SPDX-License-Identifier: MIT */
#include "results_private.h"

#include <errno.h>
#include <stdlib.h>

/* room for @more rows of @size bytes after @count: -ENOMEM, and nothing changed */
static int reserve(void **pool, size_t *capacity, size_t count, size_t more, size_t size)
{
	size_t wanted = *capacity < 16 ? 16 : *capacity;
	void *grown;

	if (more <= *capacity - count)
		return 0;
	while (wanted - count < more)
		if (__builtin_mul_overflow(wanted, 2u, &wanted))
			return -ENOMEM;
	grown = reallocarray(*pool, wanted, size);
	if (grown == NULL)
		return -ENOMEM;
	*pool = grown;
	*capacity = wanted;
	return 0;
}

int reserve_packed(struct results *results, size_t more)
{
	void *pool = results->packed;
	int code = reserve(&pool, &results->packed_capacity, results->packed_count, more, 1);

	results->packed = pool;
	return code;
}

int reserve_lun_rows(struct results *results, size_t more)
{
	void *pool = results->lun_rows;
	int code = reserve(&pool, &results->lun_row_capacity, results->lun_row_count, more,
			   sizeof(results->lun_rows[0]));

	results->lun_rows = pool;
	return code;
}

int reserve_series(struct results *results, size_t more)
{
	void *pool = results->series;
	int code = reserve(&pool, &results->series_capacity, results->series_bytes,
			   more * SERIES_PACKED_MAX, 1);

	results->series = pool;
	return code;
}

int reserve_point(struct results *results)
{
	void *points = results->points;
	void *by_cell = results->by_cell;
	int code = reserve(&points, &results->point_capacity, results->point_count, 1,
			   sizeof(results->points[0]));

	results->points = points;
	if (code < 0)
		return code;
	code = reserve(&by_cell, &results->by_cell_capacity, results->point_count, 1,
		       sizeof(results->by_cell[0]));
	results->by_cell = by_cell;
	return code;
}

int reserve_errors(struct results *results, size_t more)
{
	void *pool = results->errors;
	int code = reserve(&pool, &results->error_capacity, results->error_count, more,
			   sizeof(results->errors[0]));

	results->errors = pool;
	return code;
}

int reserve_warning(struct results *results)
{
	void *pool = results->warnings;
	int code = reserve(&pool, &results->warning_capacity, results->warning_count, 1,
			   sizeof(results->warnings[0]));

	results->warnings = pool;
	return code;
}

int results_push_error(struct results *results, const struct error_count *error)
{
	int code = reserve_errors(results, 1);

	if (code < 0)
		return code;
	results->errors[results->error_count++] = *error;
	return 0;
}

int results_push_lun_row(struct results *results, const struct lun_row *row)
{
	int code = reserve_lun_rows(results, 1);

	if (code < 0)
		return code;
	results->lun_rows[results->lun_row_count++] = *row;
	return 0;
}

int results_push_series(struct results *results, const struct series_row *row)
{
	int code = reserve_series(results, 1);

	if (code < 0)
		return code;
	results->series_bytes += series_pack(row, results->series + results->series_bytes);
	return 0;
}

int results_push_edge(struct results *results, uint64_t upper_ns)
{
	void *pool = results->edges;
	int code = reserve(&pool, &results->edge_capacity, results->edge_count, 1,
			   sizeof(results->edges[0]));

	results->edges = pool;
	if (code < 0)
		return code;
	results->edges[results->edge_count++] = upper_ns;
	return 0;
}
