#!/usr/bin/env python3
"""Whether calib and fio say the same of a LUN: same engine, same load, runs alternated.

usage: bench/agree.py [--rounds N] [--seconds S] [--calib PATH] LUN...

For each LUN, engine and load it prints a line: the median of fio's and calib's rate (IOPS, or
MB/s of 2^20 bytes) with their ranges, the median of the paired ratios calib / fio, and at one
outstanding I/O the mean and median latency (fio's `lat`, never its `clat`). Only reads.
SPDX-License-Identifier: MIT
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

SMALL = [1, 4, 16, 64]
STREAMS = [1, 4]
STREAM_IOS = 4
ENGINES = ["io_uring", "libaio", "psync"]


def run_json(command, **options):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, **options)
    return json.loads(done.stdout)


def figures(rate, mean_ns, p50_ns):
    return {"rate": rate, "mean_us": mean_ns / 1e3, "p50_us": p50_ns / 1e3}


def fio(lun, engine, large, level, seconds):
    command = ["fio", "--name=x", f"--filename={lun}", "--direct=1", "--readonly",
               f"--runtime={seconds}", "--ramp_time=1", "--time_based", "--thread",
               "--lat_percentiles=1", "--output-format=json", "--group_reporting"]
    jobs = level if engine == "psync" or large else 1
    depth = STREAM_IOS if large else level
    if engine == "psync":
        jobs, depth = level * (STREAM_IOS if large else 1), 1
    size = os.stat(lun).st_size or device_bytes(lun)
    if large:
        part = size // jobs // (1 << 20)
        command += ["--rw=read", "--bs=1M", f"--offset_increment={part}M", f"--size={part}M"]
    else:
        command += ["--rw=randread", "--bs=8k"]
    command += [f"--ioengine={engine}", f"--iodepth={depth}", f"--numjobs={jobs}"]
    read = run_json(command)["jobs"][0]["read"]
    rate = read["bw_bytes"] / (1 << 20) if large else read["iops"]
    return figures(rate, read["lat_ns"]["mean"], read["lat_ns"]["percentile"]["50.000000"])


def device_bytes(lun):
    with open(lun, "rb") as device:
        return device.seek(0, os.SEEK_END)


def calib(program, lun, engine, large, level, seconds, scratch):
    with open(os.path.join(scratch, "x.lun"), "w", encoding="utf-8") as lun_file:
        lun_file.write(os.path.abspath(lun) + "\n")
    small, streams = (0, level) if large else (level, 0)
    command = [program, "-run", "advanced", "-matrix", "point", "-num_small", str(small),
               "-num_large", str(streams), "-num_streamIO", str(STREAM_IOS),
               "-duration", str(seconds), "-ramp", "1", "-engine", engine, "-testname", "x",
               "-json"]
    if not large:
        del command[9:11]
    results = run_json(command, cwd=scratch)
    one = results["points"][0]["classes"]["large_read" if large else "small_read"]
    return figures(one["mbps"] if large else one["iops"], one["lat_ns"]["mean"],
                   one["lat_ns"]["p50"])


def spread(values):
    return f"{statistics.median(values):.5g} ({min(values):.5g}..{max(values):.5g})"


def compare(lun, engine, large, level, args, scratch):
    pairs = []
    for number in range(args.rounds):
        one = [lambda: fio(lun, engine, large, level, args.seconds),
               lambda: calib(args.calib, lun, engine, large, level, args.seconds, scratch)]
        if number % 2:
            theirs, ours = one[0](), one[1]()
        else:
            ours, theirs = one[1](), one[0]()
        pairs.append((theirs, ours))
    keys = ["rate"] + (["mean_us", "p50_us"] if not large and level == 1 else [])
    for key in keys:
        theirs = [pair[0][key] for pair in pairs]
        ours = [pair[1][key] for pair in pairs]
        ratio = statistics.median(b / a for a, b in zip(theirs, ours))
        inside = min(theirs) <= statistics.median(ours) <= max(theirs)
        unit = "MBPS" if large and key == "rate" else "IOPS" if key == "rate" else key
        print(f"{lun} {engine:8} {'1M seq' if large else '8K random':9} {level:3} {unit:7} "
              f"fio {spread(theirs):32} calib {spread(ours):32} ratio {ratio:.3f}"
              f"{' inside' if inside else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--calib", default="calib")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--small", default=",".join(map(str, SMALL)))
    parser.add_argument("--streams", default=",".join(map(str, STREAMS)))
    parser.add_argument("luns", nargs="+")
    args = parser.parse_args()
    loads = [(False, int(level)) for level in args.small.split(",") if level]
    loads += [(True, int(level)) for level in args.streams.split(",") if level]
    with tempfile.TemporaryDirectory() as scratch:
        for lun in args.luns:
            for engine in args.engines.split(","):
                for large, level in loads:
                    compare(lun, engine, large, level, args, scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
