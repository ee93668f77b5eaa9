/* The histogram of one class read back. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <errno.h>

bool read_add(uint64_t *sum, uint64_t value)
{
	*sum += value;
	return *sum <= INT64_MAX;
}

int read_check_sum(struct reader *reader, const char *what, uint64_t sum, uint64_t total)
{
	if (sum == total)
		return 0;
	return reader_refuse(reader, "the sum of %s is %ju, not %ju", what, (uintmax_t)sum,
			     (uintmax_t)total);
}

/**
 * struct hist_read - the histogram as far as it is read
 * @edges: of results.edges, where a bucket may end; none: wherever one of calib's ends
 * @next:  the next bucket is this or a later one
 */
struct hist_read {
	struct slice edges;
	unsigned first, next;
	uint64_t ios;
};

static bool has_edge(const struct results *results, struct slice edges, uint64_t upper_ns)
{
	for (size_t i = 0; i < edges.count; i++)
		if (results->edges[edges.at + i] == upper_ns)
			return true;
	return edges.count == 0;
}

static int read_edge(struct reader *reader, const json_t *value, void *arg)
{
	struct slice *edges = arg;
	const struct results *results = reader->results;
	uint64_t upper_ns = 0;
	unsigned index;

	if (reader_count(reader, value, INT64_MAX, &upper_ns) < 0)
		return -EINVAL;
	if (!histogram_ends_at(upper_ns, &index))
		return reader_refuse(reader, "%ju ns is no edge of a bucket", (uintmax_t)upper_ns);
	if (edges->count > 0 && upper_ns <= results->edges[edges->at + edges->count - 1])
		return reader_refuse(reader, "%ju ns does not rise", (uintmax_t)upper_ns);
	edges->count++;
	return results_push_edge(reader->results, upper_ns) < 0 ? reader_no_memory(reader) : 0;
}

/* of another program's buckets, which are wider */
static int read_edges(struct reader *reader, const json_t *object, struct slice *edges)
{
	*edges = (struct slice){.at = reader->results->edge_count};
	if (json_object_get(object, HIST_EDGES_KEY) == NULL)
		return 0;
	reader_refuse(reader, "'" HIST_EDGES_KEY "' is not of a run of calib");
	reader_defer(reader);
	return reader_array(reader, object, HIST_EDGES_KEY, read_edge, edges);
}

static int read_bucket(struct reader *reader, const json_t *pair, void *arg)
{
	struct hist_read *hist = arg;
	uint64_t upper_ns = 0, count = 0;
	unsigned index;

	if (!json_is_array(pair) || json_array_size(pair) != 2)
		return reader_refuse(reader, "it is no pair of edge and count");
	if (reader_count(reader, json_array_get(pair, 0), INT64_MAX, &upper_ns) < 0 ||
	    reader_count(reader, json_array_get(pair, 1), INT64_MAX, &count) < 0)
		return -EINVAL;
	if (!histogram_ends_at(upper_ns, &index))
		return reader_refuse(reader, "%ju ns is no edge of a bucket", (uintmax_t)upper_ns);
	if (!has_edge(reader->results, hist->edges, upper_ns))
		return reader_refuse(reader, "%ju ns is none of the edges beside it",
				     (uintmax_t)upper_ns);
	if (index < hist->next)
		return reader_refuse(reader, "%ju ns does not rise", (uintmax_t)upper_ns);
	if (count == 0 || !read_add(&hist->ios, count))
		return reader_refuse(reader, "a count of %ju cannot be", (uintmax_t)count);
	if (hist->next == 0)
		hist->first = index;
	hist->next = index + 1;
	reader->histogram->count[index] = count;
	return 0;
}

static int check_ends(struct reader *reader, const struct hist_read *hist,
		      const struct class_result *class)
{
	const struct latency *latency = &class->latency;

	if (hist->edges.count > 0 || class->ios == 0 || class->unknown & (CLASS_MIN | CLASS_SPREAD))
		return 0;
	if (hist->first == histogram_index(latency->min_ns) &&
	    hist->next - 1 == histogram_index(latency->max_ns))
		return 0;
	return reader_refuse(reader, "min or max lies in another bucket");
}

static int read_buckets(struct reader *reader, const json_t *object, struct class_result *class)
{
	struct hist_read hist = {.edges = class->edges};
	size_t depth;
	int code;

	histogram_reset(reader->histogram);
	code = reader_array(reader, object, "hist", read_bucket, &hist);
	if (code < 0)
		return code;
	depth = reader_enter(reader, "hist", 0);
	code = class->unknown & CLASS_IOS ? 0
					  : read_check_sum(reader, "counts", hist.ios, class->ios);
	if (code == 0)
		code = check_ends(reader, &hist, class);
	reader_leave(reader, depth);
	if (code < 0)
		return code;
	return results_push_histogram(reader->results, reader->histogram, &class->hist) < 0
		       ? reader_no_memory(reader)
		       : 0;
}

int read_hist(struct reader *reader, const json_t *object, struct class_result *class)
{
	int code;

	if (reader_is_null(reader, object, "hist")) {
		class->unknown |= CLASS_HIST;
		return 0;
	}
	code = read_edges(reader, object, &class->edges);
	return code < 0 ? code : read_buckets(reader, object, class);
}
