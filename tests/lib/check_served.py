#!/usr/bin/env python3
"""What calib says of a run against what tools/serve.c has logged of it.

check_served.py RESULTS.json LOG SERVERS SERVICE_US

Only what is true however slow the machine is: counts, places, and what no latency or rate can be
better than. Prints what is wrong, one fact a line, and exits 1; silent when nothing is.

SPDX-License-Identifier: MIT
"""
import errno
import json
import sys

complaints = []


def check(good, text):
    if not good:
        complaints.append(text)


def read_log(name):
    """A tuple of arrival, end, offset, length, way and answer (bytes or -errno) for each I/O."""
    with open(name, encoding="ascii") as log:
        fields = [line.split() for line in log]
    return [(int(a), int(b), int(c), int(d), way, int(e)) for a, b, c, d, way, e, _ in fields]


def check_counts(lun, log):
    for way, name in (("r", "read"), ("w", "write")):
        lengths = [length for _, _, _, length, other, _ in log if other == way]
        for key, logged in ((f"{name}s", len(lengths)), (f"{name}_bytes", sum(lengths))):
            check(lun["issued"][key] == logged,
                  f"{key}: issued {lun['issued'][key]}, served {logged}")


def check_places(results, log):
    size = results["luns"][0]["used_bytes"]
    for key in ("small_bytes", "large_bytes"):
        block = results["settings"][key]
        seen = {offset for _, _, offset, length, _, _ in log if length == block}
        check(all(offset % block == 0 for offset in seen), f"{key}: an offset is no multiple of it")
        # a load that is there goes everywhere: a LUN here has few blocks for its number of I/Os
        if len(seen) > 1:
            check(max(seen) > size / 2 > min(seen), f"{key}: only a half of the LUN was used")
    check(all(offset + length <= size for _, _, offset, length, _, _ in log),
          "an I/O beyond the end of the LUN")


def check_errors(results, log):
    """In classes of both ways, all points: each I/O that was answered badly, and no other."""
    counted = {}
    for point in results["points"]:
        for one in point["classes"].values():
            for name, count in one["errors"].items():
                counted[name] = counted.get(name, 0) + count
    served = {"EIO": sum(answer == -errno.EIO for *_, answer in log),
              "short": sum(0 <= answer < length for *_, length, _, answer in log)}
    served = {name: count for name, count in served.items() if count}
    check(counted == served, f"failed I/Os: counted {counted}, served {served}")


def check_point(point, servers, service_ns, where):
    """Little's law, up to what is in flight at both ends; the servers' speed."""
    classes = point["classes"].values()
    asked = sum(load["level"] * load["per_level"] for load in point["loads"])
    for name, one in point["classes"].items():
        lat = one["lat_ns"]
        rate = one["iops"]
        little = rate * lat["mean"] / 1e9
        extra = (0.05 * one["outstanding_mean"] + 1e-6 * rate / point["threads"]
                 + asked * lat["max"] / 1e9 / point["seconds"])
        # what failed was outstanding too, but has no latency
        check(one["errors"] or abs(little - one["outstanding_mean"]) <= extra,
              f"{where} {name}: outstanding {one['outstanding_mean']}, rate x latency {little}")
        for key in ("min", "p50", "mean"):
            check(lat[key] >= service_ns, f"{where} {name}: {key} {lat[key]} ns")
    done = sum(one["ios"] for one in classes)
    most = servers * point["seconds"] * 1e9 / service_ns + servers + asked
    check(done <= most, f"{where}: {done} I/Os, the servers can do {most}")
    check(sum(one["outstanding_mean"] for one in classes) <= asked * 1.000001,
          f"{where}: more outstanding than the {asked} asked for")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    log = read_log(sys.argv[2])
    servers, service_ns = int(sys.argv[3]), int(sys.argv[4]) * 1000
    check(all(end - arrival >= service_ns for arrival, end, *_ in log), "served too soon")
    check_counts(results["luns"][0], log)
    check_places(results, log)
    check_errors(results, log)
    for point in results["points"]:
        check_point(point, servers, service_ns, f"{point['small']}/{point['large']}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
