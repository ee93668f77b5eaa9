/* ORION's three matrices, with and without the text above them. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "orion_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD	   "Large/Small"
#define CELL_WIDTH 7 /* of a cell as ORION writes it */

/**
 * struct table - a matrix as it is read
 * @wide: the header has each cell in ORION's width: no copy took the blanks away
 */
struct table {
	struct orion_matrix *matrix;
	enum figure figure;
	struct orion_text text;
	struct error *err;
	bool wide;
};

static int refuse(const struct table *table, const char *expected, const char *field)
{
	char quoted[64];

	return error_say(table->err, -EINVAL, "'%s':%u: %s is expected, not '%s'", table->text.name,
			 table->text.line, expected, text_quote(quoted, sizeof(quoted), field));
}

/* the next field up to a comma, blanks trimmed; @width: with them; NULL: none is left */
static char *next_field(char **rest, size_t *width)
{
	char *field = strsep(rest, ",");
	char *end;

	if (field == NULL)
		return NULL;
	*width = strlen(field);
	field += strspn(field, " \t");
	end = field + strlen(field);
	while (end > field && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	return field;
}

/* one more level of a list that rises */
static int add_level(const struct table *table, struct level_list *levels, const char *field)
{
	const char *at = field;
	uint64_t level;

	if (!orion_take_count(&at, LEVEL_MAX, &level) || !orion_at_end(at))
		return refuse(table, "a load level of at most 10000", field);
	if (levels->count > 0 && level <= levels->value[levels->count - 1])
		return refuse(table, "a level that rises", field);
	if (levels->count == LEVELS_MAX)
		return refuse(table, "the end of the levels", field);
	levels->value[levels->count++] = (uint32_t)level;
	return 0;
}

static int read_header(struct table *table, char *line)
{
	size_t width;
	char *field;
	int code = 0;

	next_field(&line, &width);
	table->wide = true;
	while (code == 0 && (field = next_field(&line, &width)) != NULL) {
		if (*field == '\0' && line == NULL)
			break; /* a comma at the end */
		table->wide = table->wide && width >= CELL_WIDTH;
		code = add_level(table, &table->matrix->small, field);
	}
	return code;
}

/* of a class that the point does not load there is no figure: a blank, or 0 */
static bool is_loaded(const struct table *table, unsigned column)
{
	const struct orion_matrix *matrix = table->matrix;

	return table->figure == FIGURE_LARGE_MBPS ? matrix->large.value[matrix->large.count - 1] > 0
						  : matrix->small.value[column] > 0;
}

static int read_cell(const struct table *table, const char *field, unsigned column,
		     struct orion_cell *cell)
{
	const char *at = field;

	if (*field == '\0')
		return 0;
	if (column >= table->matrix->small.count)
		return refuse(table, "the end of the row", field);
	if (!orion_take_number(&at, &cell->number) || !orion_at_end(at))
		return refuse(table, "a number of at most 10^12", field);
	cell->known = is_loaded(table, column);
	if (!cell->known && cell->number.value > 0 && table->matrix->stray_line == 0)
		table->matrix->stray_line = table->text.line;
	return 0;
}

static int add_row(struct table *table, struct orion_cell **row)
{
	struct orion_matrix *matrix = table->matrix;
	size_t columns = matrix->small.count;
	size_t before = (matrix->large.count - 1) * columns;
	struct orion_cell *grown;

	if (before + columns > ORION_CELLS_MAX)
		return error_say(table->err, -EINVAL, "'%s' has too many cells", table->text.name);
	grown = reallocarray(matrix->cells, before + columns + 1, sizeof(*grown));
	if (grown == NULL)
		return error_set(table->err, -ENOMEM, "cannot read '%s'", table->text.name);
	matrix->cells = grown;
	*row = grown + before;
	memset(*row, 0, (columns + 1) * sizeof(**row));
	return 0;
}

static int read_row(struct table *table, char *line)
{
	struct orion_cell *row = NULL, unused = {0}, *last = &unused;
	size_t width, columns = table->matrix->small.count;
	char *field = next_field(&line, &width);
	int code = add_level(table, &table->matrix->large, field);

	if (code == 0)
		code = add_row(table, &row);
	for (unsigned i = 0; code == 0 && (field = next_field(&line, &width)) != NULL; i++) {
		last = i < columns ? &row[i] : &unused;
		code = read_cell(table, field, i, last);
	}
	table->matrix->torn = table->text.torn;
	/* where the file was cut off in a number, what is left of it is another */
	if (table->text.torn && table->wide && width < CELL_WIDTH)
		last->known = false;
	return code;
}

static int read_rows(struct table *table)
{
	char *line;
	int code = 0;

	while (code == 0 && (line = orion_text_line(&table->text)) != NULL)
		if (*line != '\0')
			code = read_row(table, line);
	return code;
}

static int read_table(struct table *table)
{
	const char *at;
	char *line;
	int code;

	do {
		line = orion_text_line(&table->text);
		if (line == NULL)
			return error_say(table->err, -EINVAL,
					 "'%s' has no line that begins with '" HEAD "'",
					 table->text.name);
		at = line;
	} while (!orion_take(&at, HEAD));
	code = read_header(table, line);
	return code < 0 ? code : read_rows(table);
}

int orion_matrix_read(struct orion_matrix *matrix, enum figure figure, const char *path,
		      struct error *err)
{
	struct table table = {.matrix = matrix, .figure = figure, .err = err};
	int code = orion_text_open(&table.text, path, err);

	if (code < 0)
		return code;
	matrix->read = true;
	matrix->name = strdup(text_last_part(table.text.name));
	code = matrix->name == NULL ? error_set(err, -ENOMEM, "cannot read '%s'", table.text.name)
				    : read_table(&table);
	orion_text_close(&table.text);
	return code;
}

void orion_matrix_release(struct orion_matrix *matrix)
{
	free(matrix->name);
	free(matrix->cells);
	matrix->name = NULL;
	matrix->cells = NULL;
}

int orion_level_index(const struct level_list *levels, uint32_t level)
{
	unsigned low = 0;
	unsigned high = levels->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (levels->value[middle] < level)
			low = middle + 1;
		else
			high = middle;
	}
	return low < levels->count && levels->value[low] == level ? (int)low : -1;
}

const struct orion_cell *orion_matrix_cell(const struct orion_matrix *matrix, uint32_t small,
					   uint32_t large)
{
	int column = orion_level_index(&matrix->small, small);
	int row = orion_level_index(&matrix->large, large);
	const struct orion_cell *cell;

	if (column < 0 || row < 0 || matrix->left_out)
		return NULL;
	cell = &matrix->cells[(size_t)row * matrix->small.count + (size_t)column];
	return cell->known ? cell : NULL;
}
