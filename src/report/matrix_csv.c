/* The three matrices, byte for byte as ORION writes them. SPDX-License-Identifier: MIT */
#include "calib/report.h"
#include "calib/units.h"
#include "report_private.h"

#define CELL_SIZE 400 /* the longest double with two decimals, and more */

/**
 * struct matrix - one of the files
 * @small_zero, @large_zero: the column and the row of level 0 belong to it
 * @format: a cell's text in @text; false where the figure was not measured
 */
struct matrix {
	bool small_zero, large_zero;
	bool (*format)(char text[CELL_SIZE], const struct cell *cell);
};

static bool format_iops(char text[CELL_SIZE], const struct cell *cell)
{
	snprintf(text, CELL_SIZE, "%.0f", cell->small_iops);
	return cell->has >> FIGURE_SMALL_IOPS & 1;
}

static bool format_mbps(char text[CELL_SIZE], const struct cell *cell)
{
	snprintf(text, CELL_SIZE, "%.2f", cell->large_mbps);
	return cell->has >> FIGURE_LARGE_MBPS & 1;
}

static bool format_latency(char text[CELL_SIZE], const struct cell *cell)
{
	snprintf(text, CELL_SIZE, "%.2f", cell->small_latency_ns / (double)NS_PER_US);
	return cell->has >> FIGURE_SMALL_LATENCY_NS & 1;
}

static void write_header(const struct matrix *matrix, const struct level_list *small, FILE *out)
{
	fputs("Large/Small", out);
	for (unsigned i = 0; i < small->count; i++)
		if (small->value[i] != 0 || matrix->small_zero)
			fprintf(out, ",%7u", small->value[i]);
	putc('\n', out);
}

/* the row ends after its last measured cell; one that was not measured before it is blank */
static void write_row(const struct matrix *matrix, const struct results *results, uint32_t large,
		      FILE *out)
{
	const struct level_list *small = &results->run.small_levels;
	unsigned blanks = 0;

	fprintf(out, "%11u", large);
	for (unsigned i = 0; i < small->count; i++) {
		char text[CELL_SIZE];
		struct cell cell;

		if (small->value[i] == 0 && !matrix->small_zero)
			continue;
		cell = results_cell(results, small->value[i], large);
		if (!matrix->format(text, &cell)) {
			blanks++;
			continue;
		}
		for (; blanks > 0; blanks--)
			fprintf(out, ",%7s", "");
		fprintf(out, ",%7s", text);
	}
	putc('\n', out);
}

static int render(const struct matrix *matrix, const struct results *results, FILE *out)
{
	const struct level_list *large = &results->run.large_levels;

	write_header(matrix, &results->run.small_levels, out);
	for (unsigned i = 0; i < large->count; i++)
		if (large->value[i] != 0 || matrix->large_zero)
			write_row(matrix, results, large->value[i], out);
	return report_end(out);
}

int iops_csv_render(const struct results *results, FILE *out)
{
	static const struct matrix matrix = {.large_zero = true, .format = format_iops};

	return render(&matrix, results, out);
}

int mbps_csv_render(const struct results *results, FILE *out)
{
	static const struct matrix matrix = {.small_zero = true, .format = format_mbps};

	return render(&matrix, results, out);
}

int lat_csv_render(const struct results *results, FILE *out)
{
	static const struct matrix matrix = {.large_zero = true, .format = format_latency};

	return render(&matrix, results, out);
}
