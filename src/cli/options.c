/* The table of options: feeds parser, -help and the man-page test. SPDX-License-Identifier: MIT */
#include "calib/options.h"

#include "calib/units.h"
#include "options_private.h"

#include <string.h>

#define ON(command)    (1u << (command))
#define GIVEN(option)  (UINT64_C(1) << (option))
#define MEMBER(member) offsetof(struct options, member)
#define RUN	       ON(COMMAND_RUN)
#define MKLUN	       ON(COMMAND_MKLUN)
#define REPORT	       ON(COMMAND_REPORT)
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

static const char WHAT[] = "What is run";
static const char LOAD[] = "The load";
static const char PLAN[] = "The data points";
static const char HOW[] = "How it is run";
static const char OUTPUT[] = "Output";
static const char FILES[] = "calib mklun";
static const char HELP[] = "Help";
static const char LATER[] = "Not available in this version";

static const struct choice run_words[] = {
	{"basic", RUN_BASIC, false},   {"simple", RUN_SIMPLE, false},
	{"normal", RUN_NORMAL, false}, {"oltp", RUN_OLTP, false},
	{"dss", RUN_DSS, false},       {"advanced", RUN_ADVANCED, false},
	{"calibrate", 0, true},	       {NULL, 0, false},
};

static const struct choice matrix_words[] = {
	{"basic", MATRIX_BASIC, false},
	{"detailed", MATRIX_DETAILED, false},
	{"point", MATRIX_POINT, false},
	{"col", MATRIX_COL, false},
	{"row", MATRIX_ROW, false},
	{"max", MATRIX_MAX, false},
	{NULL, 0, false},
};

static const struct choice type_words[] = {
	{"seq", LARGE_SEQ, false},
	{"rand", LARGE_RAND, false},
	{NULL, 0, false},
};

static const struct choice simulate_words[] = {
	{"concat", LAYOUT_CONCAT, false},
	{"raid0", LAYOUT_RAID0, false},
	{NULL, 0, false},
};

/* ORION's I/O layers. Ours is the operating system's, and how it is called is -engine's matter. */
static const struct choice storax_words[] = {{"skgfr", 0, false}, {NULL, 0, false}};

static const struct refusal storax_refusals[] = {
	{"oss", "calib does not talk to Exadata cells: measure a cell with CellCLI's CALIBRATE"},
	{"asmlib", "calib has no ASMLib: list the block devices of the ASM disks in the .lun file, "
		   "and leave -storax out"},
	{"odmlib", "calib has no Direct NFS: list files on a mounted NFS in the .lun file, and "
		   "leave -storax out"},
	{NULL, NULL},
};

static const struct choice order_words[] = {
	{"rising", ORDER_RISING, false},
	{"shuffled", ORDER_SHUFFLED, false},
	{NULL, 0, false},
};

static const struct choice pages_words[] = {
	{"auto", PAGES_AUTO, false},
	{"huge", PAGES_HUGE, false},
	{"thp", PAGES_THP, false},
	{"small", PAGES_SMALL, false},
	{NULL, 0, false},
};

static const struct choice threads_words[] = {{"auto", 0, false}, {NULL, 0, false}};

static const struct option table[] = {
	{.row = {"run", "TYPE", NULL,
		 "basic (a quick look), simple, normal, oltp, dss or advanced; required", WHAT, RUN,
		 true},
	 .kind = VALUE_CHOICE,
	 .member = MEMBER(spec.run),
	 .choices = run_words},
	{.row = {"testname", "NAME", "calib",
		 "the LUNs are listed in NAME.lun, and all output files' names begin with NAME; a "
		 "directory in it is where they go (mklun: required)",
		 WHAT, RUN | MKLUN, true},
	 .kind = VALUE_TESTNAME,
	 .member = MEMBER(spec.testname),
	 .given = GIVEN(SPEC_TESTNAME)},
	{.row = {"lun", "FILE", "NAME.lun", "the list of LUNs, one a line", WHAT, RUN, true},
	 .kind = VALUE_TEXT,
	 .member = MEMBER(spec.lun_path),
	 .given = GIVEN(SPEC_LUN)},
	{.row = {"orion", NULL, NULL,
		 "ORION's defaults, as when called under the name orion: -type rand, -ramp 0, "
		 "-testname "
		 "orion, 240s a point with -run dss, and before each point of -type seq two "
		 "minutes "
		 "that fill the cache",
		 WHAT, RUN, true},
	 .member = MEMBER(spec.orion)},
	{.row = {"dry_run", NULL, NULL, "show the plan and the LUNs, and measure nothing", WHAT,
		 RUN, true},
	 .member = MEMBER(spec.dry_run)},

	{.row = {"size_small", "SIZE", "8K", "size of a small I/O; a bare number is KiB", LOAD, RUN,
		 true},
	 .kind = VALUE_SIZE,
	 .member = MEMBER(spec.small_bytes),
	 .unit = BYTES_KIB,
	 .given = GIVEN(SPEC_SIZE_SMALL)},
	{.row = {"size_large", "SIZE", "1M", "size of a large I/O; a bare number is KiB", LOAD, RUN,
		 true},
	 .kind = VALUE_SIZE,
	 .member = MEMBER(spec.large_bytes),
	 .unit = BYTES_KIB,
	 .given = GIVEN(SPEC_SIZE_LARGE)},
	{.row = {"type", "TYPE", "seq",
		 "large I/Os: seq (a large level is a number of sequential streams) or rand (of "
		 "outstanding random I/Os)",
		 LOAD, RUN, true},
	 .kind = VALUE_CHOICE,
	 .member = MEMBER(spec.large_type),
	 .choices = type_words,
	 .given = GIVEN(SPEC_TYPE)},
	{.row = {"num_streamIO", "N", "4", "outstanding I/Os of one sequential stream", LOAD, RUN,
		 true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.stream_ios),
	 .min = 1,
	 .max = LEVEL_MAX,
	 .given = GIVEN(SPEC_STREAM_IOS)},
	{.row = {"write", "PCT", "0",
		 "percent of the I/Os that write, or of the sequential streams, which read or "
		 "write "
		 "as a whole; DESTROYS THE DATA ON THE LUNS, and so needs -overwrite",
		 LOAD, RUN, true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.write_pct),
	 .max = 100},
	{.row = {"overwrite", NULL, NULL,
		 "with -write: the data on the LUNs may be destroyed; a LUN that is in use is "
		 "refused all the same",
		 LOAD, RUN, true},
	 .member = MEMBER(spec.overwrite)},
	{.row = {"force", NULL, NULL,
		 "with -write and -overwrite: also where a LUN carries a file system, a partition "
		 "table or another signature, or cannot be looked at in every respect",
		 LOAD, RUN, true},
	 .member = MEMBER(spec.force)},
	{.row = {"simulate", "TYPE", "concat",
		 "how the LUNs are joined to one volume: concat (end to end) or raid0 (striped)",
		 LOAD, RUN, true},
	 .kind = VALUE_CHOICE,
	 .member = MEMBER(spec.layout),
	 .choices = simulate_words},
	{.row = {"stripe", "SIZE", "1M",
		 "of -simulate raid0: how much lies on one LUN before the next one's turn, a "
		 "multiple of both I/O sizes, or of the small one and a divisor of the large one; "
		 "a "
		 "bare number is KiB",
		 LOAD, RUN, true},
	 .kind = VALUE_SIZE,
	 .member = MEMBER(spec.stripe_bytes),
	 .unit = BYTES_KIB,
	 .given = GIVEN(SPEC_STRIPE)},
	{.row = {"cache_size", "SIZE", NULL,
		 "before each point with sequential streams: random I/O that is not measured, "
		 "until so "
		 "much was moved, to drive its blocks out of the array's cache; a bare number is "
		 "MiB, "
		 "0 is none",
		 LOAD, RUN, true},
	 .kind = VALUE_SIZE,
	 .member = MEMBER(spec.cache_bytes),
	 .unit = BYTES_MIB,
	 .given = GIVEN(SPEC_CACHE_SIZE)},

	{.row = {"num_disks", "N", "the number of LUNs",
		 "number of disks behind the LUNs: scales the load levels", PLAN, RUN, true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.num_disks),
	 .min = 1,
	 .max = LEVEL_MAX,
	 .given = GIVEN(SPEC_NUM_DISKS)},
	{.row = {"matrix", "TYPE", "basic",
		 "of -run advanced: basic (small loads alone, then large loads alone), detailed "
		 "(all "
		 "combinations), point, col (small load fixed), row (large load fixed) or max "
		 "(combinations up to two limits)",
		 PLAN, RUN, true},
	 .kind = VALUE_CHOICE,
	 .member = MEMBER(spec.matrix),
	 .choices = matrix_words,
	 .given = GIVEN(SPEC_MATRIX)},
	{.row = {"num_small", "N", NULL, "small load of -matrix point and col, highest one of max",
		 PLAN, RUN, true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.num_small),
	 .max = LEVEL_MAX,
	 .given = GIVEN(SPEC_NUM_SMALL)},
	{.row = {"num_large", "N", NULL, "large load of -matrix point and row, highest one of max",
		 PLAN, RUN, true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.num_large),
	 .max = LEVEL_MAX,
	 .given = GIVEN(SPEC_NUM_LARGE)},
	{.row = {"small_levels", "LIST", "chosen by the run type",
		 "small loads in place of the derived ones, as in 1,4,16,64", PLAN, RUN, true},
	 .kind = VALUE_LEVELS,
	 .member = MEMBER(spec.small_levels),
	 .max = LEVEL_MAX,
	 .given = GIVEN(SPEC_SMALL_LEVELS)},
	{.row = {"large_levels", "LIST", "chosen by the run type", "large loads likewise", PLAN,
		 RUN, true},
	 .kind = VALUE_LEVELS,
	 .member = MEMBER(spec.large_levels),
	 .max = LEVEL_MAX,
	 .given = GIVEN(SPEC_LARGE_LEVELS)},
	{.row = {"repeat", "N", "1", "measure each point N times; reports show medians", PLAN, RUN,
		 true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.repeat),
	 .min = 1,
	 .max = 1000,
	 .given = GIVEN(SPEC_REPEAT)},
	{.row = {"order", "ORDER", "rising",
		 "of the points: rising, or shuffled (not with -run basic)", PLAN, RUN, true},
	 .kind = VALUE_CHOICE,
	 .member = MEMBER(spec.order),
	 .choices = order_words,
	 .given = GIVEN(SPEC_ORDER)},

	{.row = {"duration", "TIME", "5s with -run basic, else 60s",
		 "measured time of each point; a bare number is seconds", HOW, RUN, true},
	 .kind = VALUE_TIME,
	 .member = MEMBER(spec.duration_ns),
	 .unit = NS_PER_S,
	 .given = GIVEN(SPEC_DURATION)},
	{.row = {"ramp", "TIME", "1s", "time at the start of each point that is not measured", HOW,
		 RUN, true},
	 .kind = VALUE_TIME,
	 .member = MEMBER(spec.ramp_ns),
	 .unit = NS_PER_S,
	 .given = GIVEN(SPEC_RAMP)},
	{.row = {"engine", "NAME", "auto",
		 "io_uring, libaio, psync (a thread for each I/O), null (no I/O), or auto: the "
		 "one that is soonest on these LUNs, by a short probe before the first point",
		 HOW, RUN, true},
	 .kind = VALUE_TEXT,
	 .member = MEMBER(spec.engine)},
	{.row = {"threads", "N", "auto", "worker threads, 1 to 1024", HOW, RUN, true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(spec.threads),
	 .min = 1,
	 .max = 1024,
	 .choices = threads_words},
	{.row = {"poll", NULL, NULL,
		 "wait for completions by asking the device, not by its interrupts: for devices "
		 "with poll queues, by io_uring",
		 HOW, RUN, true},
	 .member = MEMBER(spec.poll)},
	{.row = {"pages", "TYPE", "auto", "memory of the I/O buffers: auto, huge, thp or small",
		 HOW, RUN, true},
	 .kind = VALUE_CHOICE,
	 .member = MEMBER(spec.pages),
	 .choices = pages_words},
	{.row = {"storax", "NAME", "skgfr",
		 "ORION's I/O layer: skgfr, the operating system's, is the only one here; how it "
		 "is "
		 "called is -engine",
		 HOW, RUN, true},
	 .kind = VALUE_CHOICE,
	 .choices = storax_words,
	 .refusals = storax_refusals},
	{.row = {"hugenotneeded", NULL, NULL,
		 "ORION's: go on without huge pages, as calib always does unless -pages huge is "
		 "given",
		 HOW, RUN, true},
	 .member = MEMBER(spec.huge_not_needed)},
	{.row = {"seed", "N", "a new one",
		 "start of the random offsets: the same seed, the same I/Os", HOW, RUN, true},
	 .kind = VALUE_COUNT64,
	 .member = MEMBER(spec.seed),
	 .max = (UINT64_C(1) << 53) - 1,
	 .given = GIVEN(SPEC_SEED)},

	{.row = {"out", "DIR", "the directory in NAME",
		 "where the output files go; made when missing", OUTPUT, RUN | REPORT, true},
	 .kind = VALUE_TEXT,
	 .member = MEMBER(spec.out_dir),
	 .given = GIVEN(SPEC_OUT)},
	{.row = {"verbose", NULL, NULL, "say more while running", OUTPUT, RUN, true},
	 .member = MEMBER(spec.verbose)},
	{.row = {"quiet", NULL, NULL, "no progress: only warnings, errors and the summary", OUTPUT,
		 RUN, true},
	 .member = MEMBER(spec.quiet)},
	{.row = {"json", NULL, NULL,
		 "the results as JSON on standard output, and nothing else there", OUTPUT,
		 RUN | REPORT, true},
	 .member = MEMBER(spec.json)},

	{.row = {"size", "SIZE", NULL,
		 "size of each file, a multiple of 1M; a bare number is MiB; required", FILES,
		 MKLUN, true},
	 .kind = VALUE_SIZE,
	 .member = MEMBER(mklun.size_bytes),
	 .unit = BYTES_MIB},
	{.row = {"count", "N", "1", "number of files, up to 1024", FILES, MKLUN, true},
	 .kind = VALUE_COUNT,
	 .member = MEMBER(mklun.count),
	 .min = 1,
	 .max = MKLUN_COUNT_MAX},
	{.row = {"dir", "DIR", "the current one", "directory of the files", FILES, MKLUN, true},
	 .kind = VALUE_TEXT,
	 .member = MEMBER(mklun.dir)},

	{.row = {"help", NULL, NULL, "this text", HELP, RUN | MKLUN | REPORT, true}},
	{.row = {"version", NULL, NULL, "the version, and the engines built in", HELP,
		 RUN | MKLUN | REPORT, true}},

	{.row = {"resume", "PREFIX", NULL, NULL, LATER, RUN, false}},
	{.row = {"max_latency", "TIME", NULL, NULL, LATER, RUN, false}},
	{.row = {"io_timeout", "TIME", NULL, NULL, LATER, RUN, false}},
	{.row = {"require", "EXPR", NULL, NULL, LATER, RUN, false}},
	{.row = {"strict", NULL, NULL, NULL, LATER, RUN, false}},
	{.row = {"accept_changes", NULL, NULL, NULL, LATER, RUN, false}},
	{.row = {"anonymous", NULL, NULL, NULL, LATER, RUN, false}},
};

_Static_assert(COUNT(table) <= OPTIONS_MAX, "OPTIONS_MAX is too small");

const struct option *option_at(size_t index)
{
	return index < COUNT(table) ? &table[index] : NULL;
}

const struct option_row *options_row(size_t index)
{
	return index < COUNT(table) ? &table[index].row : NULL;
}

const struct option *option_find(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		const char *other = table[i].row.name;

		if (strlen(other) == length && memcmp(other, name, length) == 0)
			return &table[i];
	}
	return NULL;
}
