#!/usr/bin/env python3
"""The speed bars: calib against fio, and against t/io_uring where that is at hand.

usage: bench/devices.sh bench/bars.py [--calib PATH] [--t_io_uring PATH] [--pairs N] [--seconds S]
                                      [--only TEXT]

Of each pair one run is calib's, one the peer's, in turn first. A bar is a ratio of the two figures;
printed are the median of the paired ratios and its 95 % interval (order statistics of the sign test).
It fails, and so does the program, where the whole interval lies below the bar. "fio at its best" is
whichever of the variants was the fastest of two runs each here. All have one thread. SPDX-License-Identifier: MIT
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

BATCH = ["--iodepth_batch_submit={quarter}", "--iodepth_batch_complete_max={depth}"]
FIXED = ["--fixedbufs=1", "--registerfiles=1"]
PLAIN = {
    "io_uring": ["--ioengine=io_uring"],
    "io_uring batch": ["--ioengine=io_uring"] + BATCH,
    "io_uring fixed batch": ["--ioengine=io_uring"] + BATCH + FIXED + ["--norandommap=1"],
    "io_uring best": ["--ioengine=io_uring"] + BATCH + FIXED + ["--norandommap=1", "--gtod_reduce=1"],
    "libaio": ["--ioengine=libaio"],
    "libaio batch": ["--ioengine=libaio"] + BATCH + ["--norandommap=1"],
}
DEFAULT = "io_uring"


def run_json(command, **options):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          **options)
    return json.loads(done.stdout)


def fio(args, lun, large, depth, variant):
    """IOPS or MB/s, and the mean and median `lat` in us (0 where it was not taken)."""
    extra = [text.format(depth=depth, quarter=max(1, depth // 4)) for text in PLAIN[variant]]
    load = ["--rw=read", "--bs=1M"] if large else ["--rw=randread", "--bs=8k"]
    read = run_json(["fio", "--name=x", f"--filename={lun}", "--direct=1", "--readonly", "--thread",
                     "--time_based", f"--runtime={args.seconds}", "--ramp_time=500ms",
                     "--lat_percentiles=1", "--output-format=json", f"--iodepth={depth}"]
                    + load + extra)["jobs"][0]["read"]
    lat = read.get("lat_ns", {})
    return {"rate": read["bw_bytes"] / (1 << 20) if large else read["iops"],
            "mean": lat.get("mean", 0) / 1e3,
            "p50": lat.get("percentile", {}).get("50.000000", 0) / 1e3}


def calib(args, lun, large, depth, scratch, more=()):
    with open(os.path.join(scratch, "x.lun"), "w", encoding="utf-8") as lun_file:
        lun_file.write(lun + "\n")
    load = (["-num_small", "0", "-num_large", "1", "-num_streamIO", str(depth)] if large else
            ["-num_small", str(depth), "-num_large", "0"])
    results = run_json([args.calib, "-run", "advanced", "-matrix", "point", "-duration",
                        str(args.seconds), "-ramp", "0.5", "-threads", "1", "-testname", "x", "-json", "-quiet"]
                       + load + list(more), cwd=scratch)
    one = results["points"][0]["classes"]["large_read" if large else "small_read"]
    cpu = results["points"][0]["cpu"]
    return {"rate": one["mbps"] if large else one["iops"], "mean": one["lat_ns"]["mean"] / 1e3,
            "p50": one["lat_ns"]["p50"] / 1e3, "user_ns": cpu["user_s"] * 1e9 / one["ios"],
            "engine": results["settings"]["engine"]}


def t_io_uring(args, lun, depth):
    """fio's minimal engine test, with its latency measured: the last IOPS line but one."""
    quarter = max(1, min(32, depth // 4))
    seconds = max(2, math.ceil(args.seconds))  # it tells once a second
    done = subprocess.run(["timeout", "-s", "INT", str(seconds + 1), args.t_io_uring, "-d", str(depth),
                           "-s", str(quarter), "-c", str(quarter), "-b", "8192", "-p0", "-B1", "-F1",
                           "-t1", "-n1", "-r", str(seconds), lun],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    rates = [float(number) * {"": 1, "K": 1e3, "M": 1e6}[unit]
             for number, unit in re.findall(r"^IOPS=([0-9.]+)([KM]?)", done.stdout, re.M)]
    return {"rate": statistics.median(rates[1:] or rates)}


def interval(ratios):
    """95 % of the median: the widest order statistics whose cover by the sign test is enough."""
    ranked, count = sorted(ratios), len(ratios)
    for low in range(count // 2, -1, -1):
        cover = sum(math.comb(count, k) for k in range(low + 1, count - low)) / 2 ** count
        if cover >= 0.95:
            return ranked[low], ranked[count - 1 - low]
    return ranked[0], ranked[-1]


def pairs(args, ours, theirs, key="rate"):
    ratios, figures = [], ([], [])
    for number in range(args.pairs):
        if number % 2:
            a, b = ours(), theirs()
        else:
            b, a = theirs(), ours()
        figures[0].append(a[key])
        figures[1].append(b[key])
        ratios.append(a[key] / b[key])
    return ratios, figures


def report(name, ratios, figures, bar, at_most=False):
    low, high = interval(ratios)
    failed = low > bar if at_most else high < bar
    print(f"{name:58} {statistics.median(figures[0]):9.5g} / {statistics.median(figures[1]):9.5g} "
          f"= {statistics.median(ratios):5.3f} ({low:5.3f}..{high:5.3f})  bar {'<=' if at_most else '>='}"
          f" {bar:4.2f} {'MISSED' if failed else 'ok'}", flush=True)
    return not failed


def best_variant(args, lun, large, depth):
    tried = {name: max(fio(args, lun, large, depth, name)["rate"] for _ in range(2)) for name in PLAIN}
    return max(tried, key=tried.get)


def bars(args, scratch):
    loop, zram, ext4, disk = (os.environ[name] for name in ("LOOP", "ZRAM", "EXT4", "FILE"))
    names = {loop: "loop", zram: "zram", ext4: "ext4", disk: "file"}
    for lun in (loop, zram, ext4):
        for depth in (1, 16, 64, 256):
            def ours(lun=lun, depth=depth):
                return calib(args, lun, False, depth, scratch)
            bar = {1: 1.0, 16: 1.25, 64: 1.25, 256: 1.15}[depth] if lun == loop else 1.0
            yield (f"{names[lun]} {depth}: IOPS, fio default", bar, False, "rate", ours,
                   lambda lun=lun, depth=depth: fio(args, lun, False, depth, DEFAULT))
            best = None

            def at_best(lun=lun, depth=depth):
                nonlocal best
                best = best or best_variant(args, lun, False, depth)
                return fio(args, lun, False, depth, best)
            yield f"{names[lun]} {depth}: IOPS, fio at its best", 1.0, False, "rate", ours, at_best
            if args.t_io_uring and lun != ext4:
                yield (f"{names[lun]} {depth}: IOPS, t/io_uring", 1.0, False, "rate", ours,
                       lambda lun=lun, depth=depth: t_io_uring(args, lun, depth))
        for key in ("mean", "p50"):
            for peer in ("io_uring", "libaio"):
                yield (f"{names[lun]} 1: {key} us, fio {peer}", 1.0, True, key,
                       lambda lun=lun: calib(args, lun, False, 1, scratch),
                       lambda lun=lun, peer=peer: fio(args, lun, False, 1, peer))
        for depth in (1, 4):
            best = None

            def large_best(lun=lun, depth=depth):
                nonlocal best
                best = best or best_variant(args, lun, True, depth)
                return fio(args, lun, True, depth, best)
            yield (f"{names[lun]} {depth}: MBPS 1M, fio at its best", 1.0, False, "rate",
                   lambda lun=lun, depth=depth: calib(args, lun, True, depth, scratch), large_best)
    yield ("file 4: MBPS 1M, fio default", 2.0, False, "rate",
           lambda: calib(args, disk, True, 4, scratch), lambda: fio(args, disk, True, 4, DEFAULT))


def user_time(args, scratch):
    """User CPU of an I/O with everything recorded: at most 100 ns, and a tenth of fio's."""
    long = argparse.Namespace(**{**vars(args), "seconds": 30})
    ours = calib(long, os.environ["ZRAM"], False, 64, scratch)
    read = run_json(["fio", "--name=x", f"--filename={os.environ['ZRAM']}", "--direct=1", "--readonly",
                     "--thread", "--time_based", "--runtime=30", "--output-format=json",
                     "--iodepth=64", "--rw=randread", "--bs=8k", "--ioengine=io_uring"])["jobs"][0]
    theirs = read["usr_cpu"] / 100 * read["job_runtime"] * 1e6 / read["read"]["total_ios"]
    good = ours["user_ns"] <= 100 and ours["user_ns"] <= theirs / 10
    print(f"zram 64: user ns of an I/O ({ours['engine']}): {ours['user_ns']:.0f}, fio {theirs:.0f}  "
          f"bar <= 100 and a tenth {'ok' if good else 'MISSED'}", flush=True)
    null = calib(args, os.environ["ZRAM"], False, 16, scratch, ("-engine", "null"))
    fast = null["rate"] >= 10e6
    print(f"null engine 16: {null['rate'] / 1e6:.1f} million I/Os a second on one core  bar >= 10 "
          f"{'ok' if fast else 'MISSED'}", flush=True)
    return good and fast


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--calib", default="calib")
    parser.add_argument("--t_io_uring", default="")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", default="", help="only bars whose name has this in it")
    args = parser.parse_args()
    args.calib = os.path.abspath(args.calib) if os.sep in args.calib else args.calib
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        for name, bar, at_most, key, ours, theirs in bars(args, scratch):
            if args.only in name:
                good &= report(name, *pairs(args, ours, theirs, key), bar, at_most)
        if args.only in "user time null":
            good &= user_time(args, scratch)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
