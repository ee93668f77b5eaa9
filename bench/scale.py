"""What scale.sh runs, in a tmpfs of its own.

Memory is the peak of what was resident, less the I/O buffers; beside it stands what was mapped, where
a thread's stack counts whole. Set-up is from the start of the program to that of the first point,
engine probes and trials of more threads aside: the engine is named, and one thread asked for.
SPDX-License-Identifier: MIT
"""

import argparse
import datetime
import glob
import json
import os
import random
import subprocess
import sys
import time

LUNS = 1024
MIB = 1 << 20
MEMORY_MIB, SETUP_S = 64, 2
MISSED = []


def bar(name, what, value, most, unit):
    missed = most is not None and value >= most
    if missed:
        MISSED.append(name)
    limit = "no limit" if most is None else f"below {most:g} {unit}"
    print(f"{name:44} {what:8} {value:9.2f} {unit:4} {limit:16} {'MISSED' if missed else 'ok'}",
          flush=True)


def run(command):
    """Ended with success: when it began, seconds, its peak in KiB as resident and as mapped.

    Not ru_maxrss: after a vfork() that counts this program too.
    """
    began = time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = mapped = 0
    while True:
        pid, status = os.waitpid(process.pid, os.WNOHANG)
        if pid:
            break
        try:
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as lines:
                figures = dict(line.split(":", 1) for line in lines)
            peak = max(peak, int(figures["VmHWM"].split()[0]))
            mapped = max(mapped, int(figures["VmPeak"].split()[0]))
        except (OSError, KeyError):  # it has just ended
            pass
        time.sleep(0.01)
    if status != 0:
        sys.exit(f"status {os.waitstatus_to_exitcode(status)}: {' '.join(command)}")
    return began, time.time() - began, peak, mapped


def clean(prefix):
    for path in glob.glob(prefix + "_*"):
        os.unlink(path)


def point(args, name, lun_file, buffers_mib, *options, setup=SETUP_S):
    if args.only not in name:
        return
    command = [args.calib, "-run", "advanced", "-matrix", "point", "-testname", "x", "-lun",
               lun_file, "-ramp", "0", "-duration", "0.5", "-quiet", *options]
    began, _, peak, mapped = run(command)
    with open(glob.glob("x_*_results.json")[0], encoding="utf-8") as document:
        started = json.load(document)["points"][0]["started"]
    clean("x")
    seconds = datetime.datetime.fromisoformat(started).timestamp() - began
    bar(name, "memory", peak / 1024 - buffers_mib, MEMORY_MIB, "MiB")
    bar(name, "mapped", mapped / 1024 - buffers_mib, None, "MiB")
    bar(name, "set-up", seconds, setup, "s")


def upper_ns(index):
    """The end of a bucket, as histogram.h has it."""
    shift = max(0, (index >> 7) - 1)
    return -(-(((index - (shift << 7) + 1) << shift) * 125) // 128)


def ledger_class(numbers, io_bytes):
    """A minute of one class: 120 intervals, 150 buckets."""
    counts = [numbers.randint(1, 40) * numbers.choice((1, 1, 100)) for _ in range(150)]
    buckets = sorted(numbers.sample(range(1500, 1950), len(counts)))
    ios = sum(counts)
    most = upper_ns(buckets[-1]) - 1
    latency = {"min": upper_ns(buckets[0]) - 1, "mean": (upper_ns(buckets[0]) + most) / 2,
               "stddev": 20000.5, "max": most}
    latency.update({name: most for name in ("p50", "p90", "p95", "p99", "p99_9", "p99_99")})
    latency["few"] = []
    series = []
    for i in range(120):
        part = ios // 120 + (i < ios % 120)
        series.append({"ios": part, "bytes": part * io_bytes,
                       "mean_ns": numbers.randint(10**5 * part, 2 * 10**5 * part) / part,
                       "max_ns": numbers.randint(200000, 900000)})
    return {"ios": ios, "bytes": ios * io_bytes, "errors": {}, "iops": ios / 60,
            "mbps": ios * io_bytes / 60 / MIB, "outstanding_mean": 1.5, "lat_ns": latency,
            "few": [], "hist": [[upper_ns(at), count] for at, count in zip(buckets, counts)],
            "luns": [{"lun": 0, "ios": ios, "bytes": ios * io_bytes, "errors": 0,
                      "mean_ns": 150000.5}],
            "series": series}


def write_ledger(calib, prefix, side, other):
    """As a run leaves it: the header is a run's own, the points are copies of its point."""
    with open("one.lun", "w", encoding="utf-8") as lun_file:
        lun_file.write("0\n")
    subprocess.run([calib, "-run", "advanced", "-matrix", "detailed", "-small_levels", "1",
                    "-large_levels", "1", "-type", "rand", "-engine", "null", "-ramp", "0",
                    "-duration", "0.1", "-testname", "x", "-lun", "one.lun", "-quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(glob.glob("x_*_points.jsonl")[0], encoding="utf-8") as lines:
        head, first = (json.loads(line) for line in lines)
    clean("x")
    head["prefix"] = prefix
    head["settings"].update(small_levels=list(range(1, side + 1)),
                            large_levels=list(range(1, other + 1)), duration_s=60.0,
                            total_points=side * other, run_points=side * other)
    numbers = random.Random(1)
    with open(prefix + "_points.jsonl", "w", encoding="utf-8") as out:
        print(json.dumps(head, separators=(",", ":")), file=out)
        for i in range(side * other):
            classes = {"small_read": ledger_class(numbers, 8192),
                       "large_read": ledger_class(numbers, MIB)}
            first.update(number=i + 1, small=i % side + 1, large=i // side + 1, seconds=60.0,
                         duration_s=60.0, series_interval_s=0.5, classes=classes,
                         small_iops=classes["small_read"]["iops"],
                         large_mbps=classes["large_read"]["mbps"])
            first["loads"][0]["level"] = i % side + 1
            first["loads"][1]["level"] = i // side + 1
            print(json.dumps(first, separators=(",", ":")), file=out)


def report(args, side, other, seconds):
    name = f"report of {side * other} points"
    if args.only not in name:
        return
    write_ledger(args.calib, "p", side, other)
    for source in ("ledger", "document"):
        _, took, peak, _ = run([args.calib, "report", "p"])
        bar(f"{name}, from the {source}", "time", took, seconds, "s")
        bar(f"{name}, from the {source}", "memory", peak / 1024, MEMORY_MIB, "MiB")
    clean("p")


def many_points(args):
    """The run's own writing: each of the last 200 points costs no more than each of the first."""
    name = "run of 2,000 points"
    if args.only not in name:
        return
    run([args.calib, "-run", "advanced", "-matrix", "detailed", "-small_levels",
         ",".join(str(i) for i in range(1, 51)), "-large_levels",
         ",".join(str(i) for i in range(1, 41)), "-type", "rand", "-engine", "null", "-threads",
         "1", "-ramp", "0", "-duration", "1ms", "-testname", "x", "-lun", "large.lun", "-quiet"])
    with open(glob.glob("x_*_results.json")[0], encoding="utf-8") as document:
        root = json.load(document)
    clean("x")
    starts = [datetime.datetime.fromisoformat(point["started"]).timestamp()
              for point in root["points"]]
    bar(name, "first", 1000 * (starts[200] - starts[0]) / 200, None, "ms")
    bar(name, "last", 1000 * (starts[-1] - starts[-201]) / 200,
        3 * 1000 * (starts[200] - starts[0]) / 200 + 1, "ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calib", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    with open("many.lun", "w", encoding="utf-8") as lun_file:
        for i in range(LUNS):
            with open(str(i), "wb") as lun:
                lun.truncate(2 * MIB)
            lun_file.write(f"{i}\n")
    with open("large.lun", "w", encoding="utf-8") as lun_file:
        for i in range(4):
            with open(f"large{i}", "wb") as lun:
                lun.truncate(100 << 40)
            lun_file.write(f"large{i}\n")
    one = ["-num_small", "1024", "-num_large", "0"]
    for engine in ("null", "io_uring", "libaio", "psync"):
        point(args, f"1,024 LUNs, {engine}", "many.lun", 8, "-threads", "1", "-engine", engine, *one)
    point(args, "1,024 LUNs, auto", "many.lun", 8, *one, setup=None)
    point(args, "1,024 LUNs, psync, writes", "many.lun", 8, "-threads", "1", "-engine", "psync",
          "-write", "50", "-overwrite", *one)
    for engine in ("io_uring", "libaio"):
        point(args, f"1,024 LUNs striped, {engine}", "many.lun", 72, "-threads", "1", "-engine",
              engine, "-simulate", "raid0", "-stripe", "64", "-type", "rand", "-num_small", "1024",
              "-num_large", "64")
        point(args, f"10,000 outstanding, {engine}", "large.lun", 79, "-threads", "1", "-engine",
              engine, "-num_small", "10000", "-num_large", "0")
        point(args, f"16 MiB large I/Os, {engine}", "large.lun", 256, "-threads", "1", "-engine",
              engine, "-num_small", "0", "-num_large", "4", "-size_large", "16384")
    many_points(args)
    report(args, 40, 25, 1)
    report(args, 100, 100, 10)
    if MISSED:
        sys.exit("missed: " + ", ".join(dict.fromkeys(MISSED)))


if __name__ == "__main__":
    main()
