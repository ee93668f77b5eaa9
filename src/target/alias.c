/* Two LUNs that are the same storage, whatever they are called. SPDX-License-Identifier: MIT */
#include "target_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* how one comes down from a LUN to what it lies on */
enum step {
	STEP_PARTITION = 1, /* to the disk */
	STEP_LOOP = 2,	    /* to the backing file or device */
	STEP_STACK = 4,	    /* to what a dm or MD device is made of */
};

/**
 * struct piece - a stretch of a device or file that a LUN has bytes in
 * @length: 0: to the end
 * @steps:  enum step, all that were taken to come here
 * @wwid:   of a disk; "" where there is none
 *
 * After STEP_STACK it is not known which part of the stretch is the LUN's: volumes of one volume
 * group have a disk in common and no byte.
 */
struct piece {
	struct storage storage;
	const struct block_device *device;
	uint64_t offset, length;
	unsigned steps;
	char wwid[128];
	uint64_t disk_sectors;
};

struct pieces {
	const struct block_tree *tree;
	struct piece *list;
	size_t count;
};

static void read_wwid(struct piece *piece)
{
	if (block_wwid(piece->device, piece->wwid, sizeof(piece->wwid)))
		piece->disk_sectors = block_number(piece->device, "size");
}

/* No memory: what lies below stays unknown, as on a machine without sysfs. */
static void add_piece(struct pieces *pieces, struct piece piece)
{
	struct piece *grown;

	for (size_t i = 0; i < pieces->count; i++)
		if (storage_same(&pieces->list[i].storage, &piece.storage))
			return;
	grown = list_room(pieces->list, pieces->count, sizeof(piece));
	if (!grown)
		return;
	if (piece.storage.is_block && !piece.device)
		piece.device = block_find(pieces->tree, piece.storage.device);
	if (piece.device)
		read_wwid(&piece);
	pieces->list = grown;
	pieces->list[pieces->count++] = piece;
}

static void add_disk(struct pieces *pieces, const struct piece *upper)
{
	const struct block_device *disk = block_disk(pieces->tree, upper->device);
	uint64_t bytes = block_number(upper->device, "size") * 512;

	if (disk)
		add_piece(pieces,
			  (struct piece){
				  .storage = storage_of_device(disk),
				  .device = disk,
				  .offset = block_number(upper->device, "start") * 512 +
					    upper->offset,
				  .length = upper->length ? upper->length : bytes - upper->offset,
				  .steps = upper->steps | STEP_PARTITION,
			  });
}

static void add_backing(struct pieces *pieces, const struct piece *upper)
{
	const struct block_device *loop = upper->device;
	uint64_t length = upper->length;

	if (!loop->backed || !loop->found)
		return;
	if (length == 0 && loop->limit > upper->offset)
		length = loop->limit - upper->offset;
	add_piece(pieces, (struct piece){
				  .storage = loop->backing,
				  .offset = loop->offset + upper->offset,
				  .length = length,
				  .steps = upper->steps | STEP_LOOP,
			  });
}

/* where the slaves of a piece go */
struct stack {
	struct pieces *pieces;
	unsigned steps;
};

static void add_slave(void *context, const char *name, const struct block_device *slave)
{
	const struct stack *stack = context;

	(void)name;
	if (slave)
		add_piece(stack->pieces, (struct piece){
						 .storage = storage_of_device(slave),
						 .device = slave,
						 .steps = stack->steps | STEP_STACK,
					 });
}

/* A LUN and all that it lies on, from above. */
static void find_pieces(struct pieces *pieces, const struct target *target,
			const struct block_tree *tree)
{
	*pieces = (struct pieces){.tree = tree};
	add_piece(pieces, (struct piece){.storage = storage_of_target(target)});
	/* the list grows under the loop */
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece upper = pieces->list[i];
		struct stack stack = {.pieces = pieces, .steps = upper.steps};

		if (!upper.device)
			continue;
		add_disk(pieces, &upper);
		add_backing(pieces, &upper);
		block_neighbours(tree, upper.device, "slaves", add_slave, &stack);
	}
}

/* The same device or file, or the same disk by two paths. */
static bool same_thing(const struct piece *a, const struct piece *b)
{
	return storage_same(&a->storage, &b->storage) ||
	       (a->wwid[0] && a->disk_sectors == b->disk_sectors && strcmp(a->wwid, b->wwid) == 0);
}

static bool overlap(const struct piece *a, const struct piece *b)
{
	return same_thing(a, b) && !(a->steps & b->steps & STEP_STACK) &&
	       ranges_meet(a->offset, a->length, b->offset, b->length);
}

static bool same_range(const struct piece *a, const struct piece *b)
{
	return a->offset == b->offset && a->length == b->length;
}

/* @lower is a whole LUN, @upper a LUN that came down to it. */
static void relate_levels(struct relation *relation, unsigned lower, unsigned upper, unsigned steps)
{
	if (steps & STEP_STACK)
		*relation = (struct relation){upper, lower, "lies below"};
	else if (steps == STEP_PARTITION)
		*relation = (struct relation){lower, upper, "is a partition of"};
	else
		*relation = (struct relation){lower, upper, "lies on"};
}

static const char *how_shared(const struct piece *a, const struct piece *b)
{
	if (a->steps == 0 && !a->storage.is_block)
		return "is the same file as";
	if (a->steps == b->steps && !(a->steps & STEP_LOOP) && same_range(a, b))
		return "is the same device as";
	return a->storage.is_block ? "shares storage with" : "lies on the same file as";
}

static void relate(struct relation *relation, unsigned first, const struct piece *a,
		   unsigned second, const struct piece *b)
{
	if (a->steps == 0 && b->steps != 0)
		relate_levels(relation, first, second, b->steps);
	else if (b->steps == 0 && a->steps != 0)
		relate_levels(relation, second, first, a->steps);
	else
		*relation = (struct relation){first, second, how_shared(a, b)};
}

static bool are_related(const struct pieces all[], unsigned first, unsigned second,
			struct relation *relation)
{
	for (size_t i = 0; i < all[first].count; i++)
		for (size_t j = 0; j < all[second].count; j++)
			if (overlap(&all[first].list[i], &all[second].list[j])) {
				relate(relation, first, &all[first].list[i], second,
				       &all[second].list[j]);
				return true;
			}
	return false;
}

static bool find_relation(const struct pieces all[], unsigned count, struct relation *relation)
{
	for (unsigned first = 0; first < count; first++)
		for (unsigned second = first + 1; second < count; second++)
			if (are_related(all, first, second, relation))
				return true;
	return false;
}

bool targets_related(const struct target targets[], unsigned count, const struct probe_roots *roots,
		     struct relation *relation)
{
	struct pieces *all;
	struct block_tree tree;
	bool found;

	if (count < 2)
		return false;
	all = calloc(count, sizeof(*all));
	block_tree_read(&tree, roots->sysfs);
	for (unsigned i = 0; all && i < count; i++)
		find_pieces(&all[i], &targets[i], &tree);
	found = all && find_relation(all, count, relation);
	for (unsigned i = 0; all && i < count; i++)
		free(all[i].list);
	free(all);
	block_tree_release(&tree);
	return found;
}
