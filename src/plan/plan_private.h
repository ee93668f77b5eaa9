/* What the files of plan/ share. SPDX-License-Identifier: MIT */
#ifndef CALIB_PLAN_PRIVATE_H
#define CALIB_PLAN_PRIVATE_H

#include "calib/plan.h"

enum load_class {
	CLASS_SMALL,
	CLASS_LARGE,
	CLASSES,
};

/**
 * struct preset - what a run type means
 * @matrix:         for "advanced" the default
 * @orion_ns:       ORION's own duration where it is another one; else 0
 * @per_disk:       the highest level for each disk; 0: the class is not loaded
 * @step_is_disks:  levels rise by the number of disks, not by a twentieth
 * @adaptive:       levels double as long as that brings something; @per_disk is the ceiling
 */
struct preset {
	const char *name;
	enum matrix_type matrix;
	uint64_t duration_ns;
	uint64_t orion_ns;
	uint32_t per_disk[CLASSES];
	bool step_is_disks;
	bool adaptive;
};

/** preset_of - never NULL; an unknown type and RUN_NONE give one without levels */
const struct preset *preset_of(enum run_type run);

/** preset_check - refuse the options that have no meaning in this run type and matrix */
int preset_check(const struct spec *spec, struct error *err);

/**
 * struct shape - the static points: rows and columns, and which of their crossings are run
 * @cross:   only the first row and the first column
 * @single:  the run has one class; its zero is the empty point and no row or column of a report
 * @levels:  rising; an adaptive class has only its 0 here
 */
struct shape {
	bool cross;
	bool single;
	struct level_list levels[CLASSES];
};

int shape_init(struct shape *shape, const struct spec *spec, unsigned disks, struct error *err);

/** shape_has_empty - whether (0,0) is one of the crossings */
bool shape_has_empty(const struct shape *shape);

/** shape_points - the crossings to run, without (0,0) */
size_t shape_points(const struct shape *shape);

/** struct step - one static point of the plan */
struct step {
	uint32_t small;
	uint32_t large;
	uint32_t repeat;
};

/** shape_walk - all shape_points() in rising order, row by row, as @repeat */
void shape_walk(const struct shape *shape, uint32_t repeat, struct step steps[]);

/** spec_levels - the levels given for a class; count 0: none */
const struct level_list *spec_levels(const struct spec *spec, enum load_class class);

/**
 * struct climb - the doubling levels of one adaptive class
 * @top:     the highest doubling that may be tried; 0: this class does not climb
 * @level:   the one being tried
 * @repeat:  how often @level was given so far
 * @tried:   levels given so far
 * @weak:    doublings in a row that brought too little
 */
struct climb {
	enum {
		CLIMB_DOUBLING,
		CLIMB_HALFWAY,
		CLIMB_ENDED,
	} state;
	uint32_t top;
	uint32_t level;
	uint32_t repeat;
	uint32_t tried;
	uint32_t best_level;
	double best;
	unsigned weak;
};

/** climb_init - for levels up to @ceiling, at least 1 */
void climb_init(struct climb *climb, uint32_t ceiling);

/**
 * climb_next - the level after the one being tried; 0: the climb is over
 * @known, @value: what the level being tried brought (whatever, before the first)
 */
uint32_t climb_next(struct climb *climb, bool known, double value);

/** climb_count - levels at most; once the climb is over, those that were tried */
uint32_t climb_count(const struct climb *climb);

/** climb_peek - the @index-th level where each is better than all before; 0 past the end */
uint32_t climb_peek(const struct climb *climb, size_t index);

#endif
