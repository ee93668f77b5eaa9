/* From ORION's matrices and result lines to points. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "orion_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 1e-6 /* for what binary fractions make of decimal ones */

/**
 * struct grid - every pair of levels
 * @told:  a row of @small->count for each of @large
 */
struct grid {
	const struct level_list *small, *large;
	struct told *told;
};

static struct told *grid_at(const struct grid *grid, uint32_t small, uint32_t large)
{
	size_t row = (size_t)orion_level_index(grid->large, large);
	size_t column = (size_t)orion_level_index(grid->small, small);

	return &grid->told[row * grid->small->count + column];
}

static bool add_level(struct run_info *run, uint32_t small, uint32_t large)
{
	return level_list_insert(&run->small_levels, small) &&
	       level_list_insert(&run->large_levels, large);
}

static bool add_matrix_levels(struct run_info *run, const struct orion_matrix *matrix)
{
	bool fits = true;

	for (unsigned column = 0; column < matrix->small.count && fits; column++)
		fits = level_list_insert(&run->small_levels, matrix->small.value[column]);
	for (unsigned row = 0; row < matrix->large.count && fits; row++)
		fits = level_list_insert(&run->large_levels, matrix->large.value[row]);
	return fits;
}

/* Those of simple runs list the small levels in the matrices only. False: more than there is room
 * for. */
static bool collect_levels(struct orion *orion)
{
	struct run_info *run = &orion->results->run;
	bool fits = true;

	for (unsigned i = 0; i < FIGURES && fits; i++) {
		if (!orion->matrix[i].left_out)
			fits = add_matrix_levels(run, &orion->matrix[i]);
		if (orion->best[i].known)
			fits = fits && add_level(run, orion->best[i].small, orion->best[i].large);
	}
	for (size_t i = 0; i < orion->spread_count && fits; i++)
		fits = add_level(run, orion->spreads[i].small, orion->spreads[i].large);
	for (size_t i = 0; i < orion->histogram_count && fits; i++)
		fits = add_level(run, orion->histograms[i]->small, orion->histograms[i]->large);
	return fits;
}

/* ns of one in the matrix of latencies, and of a result line without a unit */
static double unit_ns(const struct orion *orion)
{
	return (double)(orion->in_ms ? NS_PER_MS : NS_PER_US);
}

/* a latency in whole ns: no more decimals are printed */
static double scaled(enum figure figure, double value, double unit)
{
	return figure == FIGURE_SMALL_LATENCY_NS ? round(value * unit) : value;
}

static double best_unit_ns(const struct orion *orion, const struct orion_best *best)
{
	return best->usecs ? (double)NS_PER_US : unit_ns(orion);
}

/* A latency of 0.00 is one that was rounded away. */
static bool is_figure(enum figure figure, double value)
{
	return figure != FIGURE_SMALL_LATENCY_NS || value > 0;
}

static void tell(struct told *told, enum figure figure, double value)
{
	told->has |= 1u << figure;
	told->value[figure] = value;
}

static void take_matrix(const struct orion *orion, enum figure figure, const struct grid *grid)
{
	const struct orion_matrix *matrix = &orion->matrix[figure];
	const struct orion_cell *cell = matrix->cells;

	for (unsigned row = 0; row < matrix->large.count; row++)
		for (unsigned column = 0; column < matrix->small.count; column++, cell++)
			if (cell->known && is_figure(figure, cell->number.value))
				tell(grid_at(grid, matrix->small.value[column],
					     matrix->large.value[row]),
				     figure, scaled(figure, cell->number.value, unit_ns(orion)));
}

/* the unit of the last digit of the one that has fewer: rounded or cut, neither is further off */
static bool agree(const struct orion *orion, enum figure figure, const struct orion_best *best,
		  const struct orion_number *cell)
{
	bool latency = figure == FIGURE_SMALL_LATENCY_NS;
	double best_unit = latency ? best_unit_ns(orion, best) : 1;
	double cell_unit = latency ? unit_ns(orion) : 1;
	double apart = fabs(best->number.value * best_unit - cell->value * cell_unit);

	return apart <= (1 + SLACK) * fmax(best_unit * pow(10, -(double)best->number.decimals),
					   cell_unit * pow(10, -(double)cell->decimals));
}

static const char *const figure_label[FIGURES] = {
	[FIGURE_SMALL_IOPS] = "Maximum Small IOPS",
	[FIGURE_LARGE_MBPS] = "Maximum Large MBPS",
	[FIGURE_SMALL_LATENCY_NS] = "Minimum Small Latency",
};

static int contradict(struct orion *orion, enum figure figure, double other)
{
	const struct orion_best *best = &orion->best[figure];

	return orion_warn(
		orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
		"the summary says %s=%.*f @ Small=%u and Large=%u, but %s has %.10g there",
		figure_label[figure], (int)best->number.decimals, best->number.value, best->small,
		best->large, orion->matrix[figure].name, other);
}

/* Where both have it, the one with more decimals counts; where they contradict, the matrix. */
static int take_best(struct orion *orion, enum figure figure, const struct grid *grid)
{
	const struct orion_best *best = &orion->best[figure];
	const struct orion_cell *cell =
		orion_matrix_cell(&orion->matrix[figure], best->small, best->large);
	bool fits = cell == NULL || agree(orion, figure, best, &cell->number);

	if (!best->known || !is_figure(figure, best->number.value))
		return 0;
	if (figure == FIGURE_SMALL_LATENCY_NS && !best->usecs && !orion->unit_known)
		return 0;
	if (!fits)
		return contradict(orion, figure, cell->number.value);
	if (cell == NULL || best->number.decimals > cell->number.decimals)
		tell(grid_at(grid, best->small, best->large), figure,
		     scaled(figure, best->number.value, best_unit_ns(orion, best)));
	return 0;
}

static bool is_better(enum figure figure, double value, double than)
{
	return figure == FIGURE_SMALL_LATENCY_NS ? value < than : value > than;
}

/* a cell of the matrix that is better than the best of the summary */
static const struct orion_cell *find_better(const struct orion *orion, enum figure figure)
{
	const struct orion_matrix *matrix = &orion->matrix[figure];
	const struct orion_best *best = &orion->best[figure];
	double unit =
		figure == FIGURE_SMALL_LATENCY_NS ? best_unit_ns(orion, best) / unit_ns(orion) : 1;
	size_t cells = (size_t)matrix->large.count * matrix->small.count;

	for (size_t i = 0; i < cells && best->known; i++) {
		const struct orion_cell *cell = &matrix->cells[i];

		if (cell->known && is_figure(figure, cell->number.value) &&
		    is_better(figure, cell->number.value, best->number.value * unit) &&
		    !agree(orion, figure, best, &cell->number))
			return cell;
	}
	return NULL;
}

static int check_better(struct orion *orion, enum figure figure)
{
	const struct orion_cell *better = find_better(orion, figure);

	if (better == NULL)
		return 0;
	return orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
			  "the summary says %s=%.*f, but %s has a better one: %.*f",
			  figure_label[figure], (int)orion->best[figure].number.decimals,
			  orion->best[figure].number.value, orion->matrix[figure].name,
			  (int)better->number.decimals, better->number.value);
}

static int fill_grid(struct orion *orion, const struct grid *grid)
{
	int code = 0;

	for (unsigned i = 0; i < FIGURES && code == 0; i++) {
		bool counts = !orion->matrix[i].left_out;

		if (counts)
			take_matrix(orion, (enum figure)i, grid);
		code = take_best(orion, (enum figure)i, grid);
		if (code == 0 && counts)
			code = check_better(orion, (enum figure)i);
	}
	return code;
}

static void add_load(struct point *point, const struct run_info *run, bool large)
{
	struct load *load = &point->loads[point->load_count++];
	bool streams = large && run->large_type == LARGE_SEQ;
	bool unknown = large && run->unknown & SETTING_LARGE_TYPE;

	strcpy(load->name, large ? "large" : "small");
	load->bytes = (uint32_t)(large ? run->large_bytes : run->small_bytes);
	load->level = large ? point->large : point->small;
	load->write_pct = run->write_pct;
	load->pattern = streams && !unknown ? PATTERN_STREAM : PATTERN_RANDOM;
	load->per_level = 1;
	if (streams || unknown)
		load->per_level = unknown ? 0 : run->stream_ios;
}

static int add_point(struct orion *orion, struct told told, uint32_t small, uint32_t large)
{
	struct results *results = orion->results;
	struct point_result result = {
		.point =
			{
				.number = (uint32_t)results->point_count + 1,
				.repeat = 1,
				.small = small,
				.large = large,
				.duration_ns = results->run.duration_ns,
			},
		.told = told,
	};
	int code = 0;

	result.told.is = true;
	if (small > 0)
		add_load(&result.point, &results->run, false);
	if (large > 0)
		add_load(&result.point, &results->run, true);
	for (unsigned load = 0; load < result.point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS && code == 0; dir++)
			code = orion_class_fill(orion, &result, load, (enum io_dir)dir);
	if (code == 0 && results_append(results, &result) < 0)
		code = orion_no_memory(orion);
	return code;
}

/* points of which only the spread of their latencies is known */
static void mark_others(const struct orion *orion, const struct grid *grid)
{
	for (size_t i = 0; i < orion->spread_count; i++)
		grid_at(grid, orion->spreads[i].small, orion->spreads[i].large)->is = true;
	for (size_t i = 0; i < orion->histogram_count; i++)
		grid_at(grid, orion->histograms[i]->small, orion->histograms[i]->large)->is = true;
}

/* The order of a simple run: the small row first, then the large column. That of others is not
 * known: row by row. */
static int add_points(struct orion *orion, const struct grid *grid)
{
	int code = 0;

	mark_others(orion, grid);
	for (unsigned row = 0; row < grid->large->count; row++)
		for (unsigned column = 0; column < grid->small->count && code == 0; column++) {
			uint32_t small = grid->small->value[column];
			uint32_t large = grid->large->value[row];
			struct told told = grid->told[(size_t)row * grid->small->count + column];

			if ((small > 0 || large > 0) && (told.has != 0 || told.is))
				code = add_point(orion, told, small, large);
		}
	return code;
}

int orion_points_make(struct orion *orion)
{
	struct run_info *run = &orion->results->run;
	struct grid grid = {.small = &run->small_levels, .large = &run->large_levels};
	size_t cells;
	int code;

	if (!collect_levels(orion))
		return error_say(orion->err, -EINVAL,
				 "there are too many load levels: more than %u of one kind",
				 LEVELS_MAX);
	cells = (size_t)grid.small->count * grid.large->count;
	if (cells > ORION_CELLS_MAX)
		return error_say(orion->err, -EINVAL, "there are too many load levels: %u and %u",
				 grid.small->count, grid.large->count);
	grid.told = calloc(cells + 1, sizeof(*grid.told));
	if (grid.told == NULL)
		return orion_no_memory(orion);
	code = fill_grid(orion, &grid);
	if (code == 0)
		code = add_points(orion, &grid);
	free(grid.told);
	return code;
}
