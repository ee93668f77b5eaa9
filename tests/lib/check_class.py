"""One class of one point: counts, rates, latencies, histogram, shares of LUNs, course over time.

SPDX-License-Identifier: MIT
"""
import math

import run_files

CLASS_KEYS = "ios bytes errors iops mbps outstanding_mean lat_ns hist luns series".split()
LATENCY_KEYS = "min mean stddev max p50 p90 p95 p99 p99_9 p99_99 few".split()
PERCENTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "p99_9": 99.9, "p99_99": 99.99}
# with fewer I/Os than 1 / (1 - p) a percentile is just the largest of them
SAMPLES = {"p50": 2, "p90": 10, "p95": 20, "p99": 100, "p99_9": 1000, "p99_99": 10000}
INTERVALS_MAX = 120


def rank(percentile, count):
    """Nearest rank, in whole numbers: percentile * 100 is one."""
    return -(-round(percentile * 100) * count // 10000)


def check_rates(complaints, what, part, point, bytes_each):
    seconds = point["seconds"]
    complaints.equal(part["bytes"], part["ios"] * bytes_each, what + ".bytes")
    if seconds > 0:
        complaints.close(part["iops"], part["ios"] / seconds, what + ".iops")
        complaints.close(part["mbps"], part["bytes"] / 2**20 / seconds, what + ".mbps")
    else:
        complaints.equal((part["ios"], part["iops"], part["mbps"]), (0, 0, 0), what)


def check_order(complaints, what, part):
    lat = part["lat_ns"]
    missing = [key for key in LATENCY_KEYS if key not in lat]
    if not complaints.check(not missing, f"{what}.lat_ns has no {missing}"):
        return
    rising = [lat["min"]] + [lat[name] for name in PERCENTILES] + [lat["max"]]
    complaints.check(rising == sorted(rising), f"{what}: percentiles out of order: {lat}")
    complaints.check(lat["min"] > 0, f"{what}: a latency of nothing")
    complaints.check(lat["min"] <= lat["mean"] <= lat["max"], f"{what}: mean {lat}")
    complaints.check(0 <= lat["stddev"] <= (lat["max"] - lat["min"]) / 2 + 1, f"{what}: stddev {lat}")
    few = [name for name in PERCENTILES if part["ios"] < SAMPLES[name]]
    complaints.equal(lat["few"], few, what + ".lat_ns.few")


def percentile_from(hist, lat, ios, percentile):
    """The largest whole ns of the bucket that holds the rank, never beyond the largest seen."""
    wanted = rank(percentile, ios)
    for upper, count in hist:
        wanted -= count
        if wanted <= 0:
            return max(lat["min"], min(upper - 1, lat["max"]))
    return None


def check_hist(complaints, what, part):
    hist, lat, ios = part["hist"], part["lat_ns"], part["ios"]
    uppers = [upper for upper, _ in hist]
    complaints.equal(sum(count for _, count in hist), ios, what + ".hist, the sum")
    complaints.check(uppers == sorted(set(uppers)), f"{what}.hist does not rise")
    complaints.check(all(count > 0 for _, count in hist), f"{what}.hist has an empty bucket")
    complaints.check(lat["min"] < uppers[0] <= lat["min"] * 129 / 128 + 1,
                     f"{what}: min {lat['min']} is not in the first bucket, up to {uppers[0]}")
    complaints.check(lat["max"] < uppers[-1] <= lat["max"] * 129 / 128 + 1,
                     f"{what}: max {lat['max']} is not in the last bucket, up to {uppers[-1]}")
    for name, percentile in PERCENTILES.items():
        complaints.equal(lat[name], percentile_from(hist, lat, ios, percentile), f"{what} {name}")
    check_mean(complaints, what, part)


def check_mean(complaints, what, part):
    """A bucket is 1/128 of its lower edge wide, or 1 ns."""
    total = part["lat_ns"]["mean"] * part["ios"]
    most = sum(upper * count for upper, count in part["hist"])
    least = sum((upper * 128 / 129 - 1) * count for upper, count in part["hist"])
    complaints.check(least * (1 - 1e-9) <= total <= most * (1 + 1e-9),
                     f"{what}: a mean of {part['lat_ns']['mean']} does not fit the histogram")


def most_parts(settings, load, lun_count):
    """How many LUNs one I/O may lie on: several where it is larger than a stripe."""
    if settings["simulate"] != "raid0":
        return 1
    return max(1, min(load["bytes"] // settings["stripe_bytes"], lun_count))


def check_shares(complaints, what, part, lun_count, parts):
    rows = part["luns"]
    indices = [row["lun"] for row in rows]
    complaints.check(indices == sorted(set(indices)), f"{what}.luns do not rise")
    complaints.check(all(0 <= index < lun_count for index in indices), f"{what}.luns: {indices}")
    errors, failed = sum(row["errors"] for row in rows), sum(part["errors"].values())
    complaints.check(failed <= errors <= failed * parts, f"{what}.luns: {errors} errors of {failed}")
    if parts == 1:
        check_sums(complaints, what + ".luns", part, rows)
    else:
        check_parts(complaints, what + ".luns", part, rows, parts)


def check_parts(complaints, what, part, rows, parts):
    """I/Os on several LUNs: each counts on all of them, with the bytes and the time of its part."""
    ios = sum(row["ios"] for row in rows)
    complaints.check(part["ios"] <= ios <= part["ios"] * parts, f"{what}: {ios} of {part['ios']}")
    complaints.equal(sum(row["bytes"] for row in rows), part["bytes"], what + ", the sum of bytes")
    for row in rows:
        complaints.check(row["ios"] <= part["ios"], f"{what}: more I/Os than there are")
        complaints.equal(row["mean_ns"] is None, row["ios"] == 0, what + ": no mean")
        complaints.check((row["mean_ns"] or 0) <= (part["lat_ns"] or {"max": 0})["max"],
                         f"{what}: a mean of {row['mean_ns']}")


def check_series(complaints, what, part, point):
    interval, rows = point["series_interval_s"], part["series"]
    expected = math.ceil(round(point["duration_s"] / interval, 6))
    complaints.equal(len(rows), expected, what + ".series, rows")
    complaints.check(len(rows) <= INTERVALS_MAX, f"{what}.series has {len(rows)} rows")
    check_sums(complaints, what + ".series", part, rows)
    for row in rows:
        complaints.equal(row["max_ns"] is None, row["ios"] == 0, what + ".series: no maximum")
    if part["ios"]:
        complaints.equal(max(row["max_ns"] or 0 for row in rows), part["lat_ns"]["max"],
                         what + ".series, the maximum")


def check_sums(complaints, what, part, rows):
    complaints.equal(sum(row["ios"] for row in rows), part["ios"], what + ", the sum of ios")
    complaints.equal(sum(row["bytes"] for row in rows), part["bytes"], what + ", the sum of bytes")
    for row in rows:
        complaints.equal(row["mean_ns"] is None, row["ios"] == 0, what + ": no mean")
    if part["ios"]:
        total = sum(row["mean_ns"] * row["ios"] for row in rows if row["ios"])
        complaints.close(total / part["ios"], part["lat_ns"]["mean"], what + ", the mean")


def check_class(complaints, what, part, point, load, asked, lun_count, parts):
    missing = [key for key in CLASS_KEYS if key not in part]
    if not complaints.check(not missing, f"{what} has no {missing}"):
        return
    complaints.check(0 <= part["outstanding_mean"] <= asked * (1 + 1e-9),
                     f"{what}: {part['outstanding_mean']} outstanding of {asked}")
    complaints.equal(part["lat_ns"] is None, part["ios"] == 0, what + ": no latencies")
    check_rates(complaints, what, part, point, load["bytes"])
    check_shares(complaints, what, part, lun_count, parts)
    check_series(complaints, what, part, point)
    if part["ios"] and complaints.check(part["hist"], f"{what} has no histogram"):
        check_order(complaints, what, part)
        check_hist(complaints, what, part)
    elif part["ios"] == 0:
        complaints.equal(part["hist"], [], what + ".hist")


def check_share(complaints, what, load, parts):
    """Random I/Os are drawn one by one: within six standard deviations, and those in flight."""
    asked = load["level"] * load["per_level"]
    kept = sum(part["outstanding_mean"] for part in parts)
    complaints.check(kept <= asked * (1 + 1e-9), f"{what}: {kept} outstanding of {asked}")
    if load["pattern"] == "stream" or len(parts) < 2 or any(part["errors"] for part in parts):
        return
    ios, share = sum(part["ios"] for part in parts), load["write_pct"] / 100
    apart = abs(parts[1]["ios"] - ios * share)
    complaints.check(apart <= 6 * math.sqrt(ios * share * (1 - share)) + asked,
                     f"{what}: {parts[1]['ios']} writes among {ios} I/Os at {load['write_pct']} %")


def check_classes(complaints, what, point, lun_count, settings):
    loads = [(load, run_files.load_classes(load)) for load in point["loads"]]
    expected = [key for _, classes in loads for key in classes]
    if not complaints.check(list(point["classes"]) == expected,
                            f"{what}.classes: {list(point['classes'])}, not {expected}"):
        return
    for load, classes in loads:
        parts = [point["classes"][key] for key in classes]
        for key, part in zip(classes, parts):
            check_class(complaints, f"{what}.{key}", part, point, load, classes[key], lun_count,
                        most_parts(settings, load, lun_count))
        check_share(complaints, f"{what} {load['name']}", load, parts)
    small = [part["iops"] for key, part in point["classes"].items() if key.startswith("small")]
    large = [part["mbps"] for key, part in point["classes"].items() if key.startswith("large")]
    complaints.close(point["small_iops"], sum(small), what + ".small_iops")
    complaints.close(point["large_mbps"], sum(large), what + ".large_mbps")
