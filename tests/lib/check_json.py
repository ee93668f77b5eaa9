"""_results.json and the ledger: every key of the schema, and every sum that must come out.

SPDX-License-Identifier: MIT
"""
import datetime
import math
import os
import re

import check_class
import run_files

RESULT_KEYS = """schema calib_version testname prefix command_line seed started finished status
    settings host luns points best issued warnings""".split()
SETTING_KEYS = """run matrix small_bytes large_bytes large_type stream_ios simulate stripe_bytes
    write_pct cache_bytes cache_fill_s duration_s ramp_s num_disks small_levels large_levels engine
    engine_reason buffer_pages""".split()
HOST_KEYS = "hostname kernel cpu cpus memory_bytes".split()
LUN_KEYS = "path kind size_bytes used_bytes logical_block_bytes host issued kernel".split()
POINT_KEYS = """small large repeat status started seconds threads small_iops large_mbps cpu
    series_interval_s filled_bytes filled_s warnings classes""".split()
ISSUED_KEYS = "reads read_bytes writes write_bytes".split()
KERNEL_KEYS = [part + key for part in ("", "read_", "write_")
               for key in ("ios", "merges", "sectors")]
WARNING_KEYS = "code severity text lun point".split()
LEDGER_KEYS = "schema settings host luns seed engine".split()


def has_keys(complaints, what, value, keys):
    missing = [key for key in keys if key not in value]
    return complaints.check(not missing, f"{what} has no {missing}")


def check_time(complaints, what, text):
    try:
        stamp = datetime.datetime.fromisoformat(text)
        complaints.check(stamp.tzinfo is not None, f"{what} {text!r} has no offset from UTC")
    except ValueError:
        complaints.append(f"{what} {text!r} is not ISO 8601")


def check_counts(complaints, what, counts, keys):
    if has_keys(complaints, what, counts, keys):
        good = all(isinstance(counts[key], int) and counts[key] >= 0 for key in keys)
        complaints.check(good, f"{what}: {counts}")


def check_settings(complaints, results):
    settings = results["settings"]
    if not has_keys(complaints, "settings", settings, SETTING_KEYS):
        return
    complaints.check(settings["large_type"] in ("seq", "rand"), f"large_type {settings}")
    complaints.check(settings["buffer_pages"] in ("huge", "thp", "small", "mixed"),
                     f"buffer_pages {settings['buffer_pages']!r}")
    complaints.check(settings["duration_s"] > 0, f"duration_s {settings['duration_s']}")
    complaints.check(settings["write_pct"] in range(101), f"write_pct {settings['write_pct']}")
    complaints.check(settings["cache_bytes"] is None or settings["cache_fill_s"] == 0,
                     "the cache is filled by size and by time")
    complaints.check(settings["simulate"] in ("concat", "raid0"), f"simulate {settings['simulate']}")
    complaints.equal(settings["stripe_bytes"] is not None, settings["simulate"] == "raid0",
                     "stripe_bytes where it is striped")
    complaints.check(settings["engine"] and settings["engine_reason"], "no engine or reason")


def check_luns(complaints, results, kernel):
    luns = results["luns"]
    complaints.check(luns, "no luns")
    for index, lun in enumerate(luns):
        what = f"luns[{index}]"
        if not has_keys(complaints, what, lun, LUN_KEYS):
            continue
        complaints.check(lun["kind"] in ("block", "file"), f"{what}.kind {lun['kind']!r}")
        complaints.equal(lun["host"], 0, what + ".host")
        check_counts(complaints, what + ".issued", lun["issued"], ISSUED_KEYS)
        check_lun_writes(complaints, what, lun, results["settings"])
        largest = max(load["bytes"] for point in results["points"] for load in point["loads"])
        complaints.check(lun["used_bytes"] <= lun["size_bytes"], f"{what}: more used than there is")
        complaints.equal(lun["used_bytes"] % largest, 0, f"{what}.used_bytes beyond whole I/Os")
        complaints.equal(lun["used_bytes"] % (results["settings"]["stripe_bytes"] or 1), 0,
                         f"{what}.used_bytes beyond whole stripes")
        check_kernel(complaints, what, lun, results, kernel)


def check_lun_writes(complaints, what, lun, settings):
    """None where the run only reads; each of the size of a small or of a large I/O, or a stripe."""
    issued = lun["issued"]
    if settings["write_pct"] == 0:
        complaints.equal(issued["writes"] + issued["write_bytes"], 0, what + " writes")
    sizes = [settings[axis + "_bytes"] for axis in ("small", "large") if settings["has_" + axis]]
    sizes.append(settings["stripe_bytes"] or max(sizes))
    complaints.check(issued["writes"] * min(sizes) <= issued["write_bytes"] <=
                     issued["writes"] * max(sizes), f"{what}: {issued}")


def check_kernel(complaints, what, lun, results, exact):
    counts = lun["kernel"]
    complaints.equal(counts is not None, lun["kind"] == "block", what + " has kernel counters")
    if counts is None:
        return
    check_counts(complaints, what + ".kernel", counts, KERNEL_KEYS)
    if not exact:
        return
    for key in ("ios", "merges", "sectors"):
        complaints.equal(counts[key], counts["read_" + key] + counts["write_" + key],
                         f"{what}.kernel.{key}, the sum")
    for way in ("read", "write"):
        complaints.equal(counts[way + "_sectors"] * 512, lun["issued"][way + "_bytes"],
                         f"{what}: bytes of {way}s counted by the kernel, and issued")
        if all(point["large"] == 0 for point in results["points"]): # which are split
            complaints.equal(counts[way + "_ios"] + counts[way + "_merges"],
                             lun["issued"][way + "s"],
                             f"{what}: {way}s counted by the kernel, and issued")


def check_point(complaints, results, index):
    point = results["points"][index]
    what = f"points[{index}]"
    if not has_keys(complaints, what, point, POINT_KEYS):
        return
    complaints.equal(point["number"], index + 1, what + ".number")
    complaints.check(point["status"] in ("ok", "failed", "interrupted"), f"{what} {point['status']}")
    complaints.check(point["threads"] >= 1, f"{what}.threads {point['threads']}")
    complaints.check(point["small"] or point["large"], f"{what} is the empty point")
    complaints.check(min(point["cpu"]["user_s"], point["cpu"]["system_s"]) >= 0, f"{what}.cpu")
    check_time(complaints, what + ".started", point["started"])
    duration = results["settings"]["duration_s"]
    complaints.check(0 <= point["seconds"] <= duration * (1 + 1e-9), f"{what}: {point['seconds']} s")
    if point["status"] == "ok":
        complaints.close(point["seconds"], duration, what + ".seconds")
    check_loads(complaints, what, point, results["settings"])
    check_fill(complaints, what, point, results["settings"])
    check_class.check_classes(complaints, what, point, len(results["luns"]), results["settings"])


def check_loads(complaints, what, point, settings):
    loads = {load["name"]: load for load in point["loads"]}
    levels = {axis: point[axis] for axis in ("small", "large") if point[axis]}
    complaints.equal({name: load["level"] for name, load in loads.items()}, levels, what + ".loads")
    streams = settings["large_type"] == "seq"
    for name, load in loads.items():
        is_stream = name == "large" and streams
        complaints.equal(load["bytes"], settings[name + "_bytes"], f"{what} {name} bytes")
        complaints.equal(load["per_level"], settings["stream_ios"] if is_stream else 1,
                         f"{what} {name} per_level")
        complaints.equal(load["pattern"], "stream" if is_stream else "random",
                         f"{what} {name} pattern")
        complaints.equal(load["write_pct"], settings["write_pct"], f"{what} {name} write_pct")


def check_fill(complaints, what, point, settings):
    """Before streams: whole I/Os up to the size asked for, or whatever a time brings; else none."""
    streams = any(load["pattern"] == "stream" for load in point["loads"])
    large, size = settings["large_bytes"], settings["cache_bytes"] or 0
    got = point["filled_bytes"]
    complaints.equal(got % large, 0, what + ".filled_bytes, in whole I/Os")
    if not streams or not (size or settings["cache_fill_s"]):
        complaints.equal((got, point["filled_s"]), (0, 0), what + ": filling that nobody asked for")
    elif size:
        complaints.equal(got, -(-size // large) * large, what + ".filled_bytes")
    else:
        complaints.check(got > 0 and point["filled_s"] >= settings["cache_fill_s"],
                         f"{what}: filled for {point['filled_s']} s only")


def check_repeats(complaints, results):
    seen = [(p["small"], p["large"], p["repeat"]) for p in results["points"]]
    complaints.equal(len(set(seen)), len(seen), "points, each level and repeat once")
    repeats = range(1, results["settings"].get("repeat", 1) + 1)
    complaints.check(all(repeat in repeats for _, _, repeat in seen), "a repeat out of range")


def check_status(complaints, results, expected):
    statuses = [point["status"] for point in results["points"]]
    complaints.equal(results["status"], expected, "status")
    if expected == "complete":
        complaints.check("interrupted" not in statuses, "complete, with an interrupted point")
        complaints.equal(len(statuses), results["settings"]["run_points"], "points run")
        check_total(complaints, results)
    elif expected == "interrupted":
        complaints.check("interrupted" not in statuses[:-1], "points after an interrupted one")


def check_total(complaints, results):
    """ORION counts the empty point, where the matrix has it."""
    cells = {(point["small"], point["large"]) for point in results["points"]}
    total = results["settings"]["total_points"]
    complaints.check(total in (len(cells), len(cells) + 1),
                     f"total_points {total}, with {len(cells)} measured")


def check_best(complaints, results):
    wanted = {"max_iops": (run_files.small_iops, max), "max_mbps": (run_files.large_mbps, max),
              "min_latency_ns": (run_files.small_latency_ns, min)}
    for name, (figure, choose) in wanted.items():
        cells = run_files.cells(results["points"], figure)
        best = results["best"][name]
        if not cells or not best:
            complaints.equal(best, None if not cells else "a value", "best." + name)
            continue
        complaints.equal(best["value"], choose(cells.values()), f"best.{name}.value")
        complaints.equal(cells.get((best["small"], best["large"])), best["value"],
                         f"best.{name}: the figure at its levels")


def check_issued(complaints, results):
    check_counts(complaints, "issued", results["issued"], ISSUED_KEYS)
    for key in ISSUED_KEYS:
        total = sum(lun["issued"][key] for lun in results["luns"])
        complaints.equal(results["issued"][key], total, f"issued.{key}, the sum over luns")
    for index, lun in enumerate(results["luns"]):
        for way in ("read", "write"):
            rows = [row for point in results["points"] for key, part in point["classes"].items()
                    if key.endswith(way) for row in part["luns"] if row["lun"] == index]
            counted = sum(row["ios"] + row["errors"] for row in rows)
            moved = sum(row["bytes"] for row in rows)
            complaints.check(lun["issued"][way + "s"] >= counted,
                             f"luns[{index}]: more {way}s counted than issued")
            complaints.check(lun["issued"][way + "_bytes"] >= moved,
                             f"luns[{index}]: more bytes of {way}s than issued")
    measured = sum(part["bytes"] for point in results["points"] for part in point["classes"].values())
    filled = sum(point["filled_bytes"] for point in results["points"])
    issued = results["issued"]["read_bytes"] + results["issued"]["write_bytes"]
    complaints.check(issued >= measured + filled, "issued: without what filled the cache")


def check_warnings(complaints, results):
    for warning in results["warnings"]:
        if has_keys(complaints, "a warning", warning, WARNING_KEYS):
            complaints.check(warning["severity"] in ("suspect", "note"), f"{warning}")
            complaints.check(warning["text"], "a warning without text")
    for point in results["points"]:
        own = [w for w in results["warnings"] if w["point"] == point["number"]]
        complaints.equal(point["warnings"], own, f"warnings of point {point['number']}")


def check_finite(complaints, value, what):
    if isinstance(value, dict):
        for key, part in value.items():
            check_finite(complaints, part, f"{what}.{key}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            check_finite(complaints, part, f"{what}[{index}]")
    elif isinstance(value, float):
        complaints.check(math.isfinite(value), f"{what}: {value}")


def check_results(complaints, results, args):
    if not has_keys(complaints, "the document", results, RESULT_KEYS):
        return
    complaints.equal(results["schema"], "calib-results/1", "schema")
    check_prefix(complaints, results, args.prefix)
    complaints.check(0 <= results["seed"] < 2**53, f"seed {results['seed']}")
    has_keys(complaints, "host", results["host"], HOST_KEYS)
    check_time(complaints, "started", results["started"])
    check_time(complaints, "finished", results["finished"])
    check_finite(complaints, results, "results")
    check_settings(complaints, results)
    for index in range(len(results["points"])):
        check_point(complaints, results, index)
    if results["points"]:
        check_luns(complaints, results, args.kernel)
    check_repeats(complaints, results)
    check_status(complaints, results, args.status)
    check_best(complaints, results)
    check_issued(complaints, results)
    check_warnings(complaints, results)


def check_prefix(complaints, results, prefix):
    """The name of the files: the test's, and the local time of the start."""
    name = os.path.basename(run_files.text_bytes(results, "prefix"))
    complaints.equal(name, os.path.basename(os.fsencode(prefix)), "prefix")
    testname = os.path.basename(run_files.text_bytes(results, "testname"))
    stamp = re.sub(r"[-:]", "", results["started"][:19]).replace("T", "_").encode()
    stamps = [testname + b"_" + stamp[:13], testname + b"_" + stamp]
    numbered = re.fullmatch(re.escape(stamps[1]) + rb"_\d+", name)
    complaints.check(name in stamps or numbered, f"prefix {name}, not one of {stamps}")


def check_ledger(complaints, prefix, results):
    header, points = run_files.read_ledger(prefix)
    complaints.equal(header.get("schema"), "calib-ledger/1", "ledger: schema")
    if not has_keys(complaints, "the ledger's header", header, LEDGER_KEYS):
        return
    complaints.equal(header["engine"], results["settings"]["engine"], "ledger: engine")
    for key in ("calib_version", "testname", "prefix", "command_line", "seed", "started", "host"):
        complaints.equal(header[key], results[key], f"ledger: {key}")
    finished = [point for point in results["points"] if point["status"] != "interrupted"]
    complaints.equal(len(points), len(finished), "ledger: points")
    for index, (line, point) in enumerate(zip(points, finished)):
        complaints.check(line == point, f"ledger: line {index + 2} differs from points[{index}]")
    for key in ("path", "kind", "size_bytes", "used_bytes"):
        complaints.equal([lun[key] for lun in header["luns"]],
                         [lun[key] for lun in results["luns"]], f"ledger: luns[].{key}")
