#!/usr/bin/env python3
"""What calib reports against devices whose truth is known; see truth.sh, which starts it.

Prints a line for each check: what was asked for, what was got, how far it may be off, and whether it
is; exits 1 if one is. A point has a window of S seconds (20) on throttled devices, of S / 5 or less
on others. --quick: S is 5. --only: the checks whose group has the text in it:
throttle, served, tail, kernel, outstanding, mixed. SPDX-License-Identifier: MIT
"""

import argparse
import collections
import contextlib
import datetime
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

ENGINES = ["io_uring", "libaio"]
SLICE_S = 0.1  # of the kernel's throttle
MIB = 1 << 20
# The servers have a real-time priority, so that they keep their times. As a device takes nothing from
# the processors, calib comes before them.
FIRST = ["chrt", "-f", "2"]
NS = 1e9

Io = collections.namedtuple("Io", "arrival end offset length")


class Table:
    """The lines, and how many were missed."""

    def __init__(self):
        self.count = 0
        self.missed = 0
        self.pending = []  # of the attempt that is being made
        self.little = []   # distance in bounds, name, kept, rate x latency, bound

    def line(self, name, asked, got, bound, good):
        self.pending.append((name, asked, got, bound, good))

    def near(self, name, asked, got, bound, unit=""):
        asked_text, got_text = (f"{value:.0f}{unit}" if value >= 1e6 else f"{value:.6g}{unit}"
                                for value in (asked, got))
        self.line(name, asked_text, got_text, f"+-{bound:.4g}", abs(got - asked) <= bound)

    def add_little(self, name, point):
        """Little's law in each class: a line where it is missed; the others are told by their worst."""
        for label, one in point["classes"].items():
            if not one["ios"]:
                continue
            little = one["iops"] * one["lat_ns"]["mean"] / NS
            kept = one["outstanding_mean"]
            bound = 0.01 * kept + 150e-9 * one["iops"] / point["threads"]
            where = f"{name} {point['small']}/{point['large']}"
            self.little.append((abs(little - kept) / bound, where, kept, little, bound))
            if abs(little - kept) > bound:
                self.near(f"Little: {where} {label}", kept, little, bound)

    def attempt(self, check, *arguments):
        """A machine that does something else for a moment spoils a check, so each has three tries;
        what calib does wrong it does wrong in all of them. Of the others only what was missed is shown,
        in small letters."""
        for number in (1, 2, 3):
            self.pending.clear()
            before = len(self.little)
            check(*arguments)
            good = all(line[-1] for line in self.pending)
            for *line, is_good in self.pending:
                if good or number == 3:
                    self.show(line, "ok" if is_good else "MISSED", number)
                elif not is_good:
                    self.show(line, "missed", number)
            if good:
                break
            if number < 3:
                del self.little[before:]
        self.count += len(self.pending)
        self.missed += sum(not line[-1] for line in self.pending)

    @staticmethod
    def show(line, verdict, number):
        name, asked, got, bound = line
        print(f"{name:58} {asked:>16} {got:>16} {bound:>12}  {verdict}"
              f"{f' (try {number})' if number > 1 or verdict == 'missed' else ''}", flush=True)

    def end(self):
        self.pending.clear()
        if self.little:
            _, where, kept, little, bound = max(self.little)
            print(f"Little's law, worst of {len(self.little)}: {where}: outstanding {kept:.5g}, rate x "
                  f"latency {little:.5g}, bound +-{bound:.3g}")
        print(f"{self.count} checks, {self.missed} missed")


@contextlib.contextmanager
def awake():
    """No processor sleeps meanwhile: each has a task that gives way to any other. To wake one up
    takes a virtual machine tens of microseconds, which are neither the server's nor calib's."""
    spin = "while True: pass"
    spinners = []
    try:
        for cpu in os.sched_getaffinity(0):
            spinners.append(subprocess.Popen(["taskset", "-c", str(cpu), "chrt", "-i", "0", sys.executable,
                                              "-c", spin]))
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


class Bench:
    """What every check needs: the programs, the window, the table."""

    def __init__(self, args):
        self.args = args
        self.table = Table()
        self.scratch = os.environ["SCRATCH"]

    def calib(self, name, lun, engine, load, seconds, ramp=0.5, start=()):
        """The document of one run; Little's law holds in each of its points."""
        with open(os.path.join(self.scratch, "x.lun"), "w", encoding="utf-8") as file:
            file.write(lun + "\n")
        command = [*start, self.args.calib, *load, "-engine", engine, "-duration", str(seconds),
                   "-ramp", str(ramp), "-testname", "x", "-json", "-quiet"]
        done = subprocess.run(command, cwd=self.scratch, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
        document = json.loads(done.stdout)
        for point in document["points"]:
            self.table.add_little(name, point)
        return document

    @contextlib.contextmanager
    def served(self, *arguments):
        """A file of known service times. Yields its path and a list that has its log afterwards."""
        path = os.path.join(self.scratch, "served")
        log = os.path.join(self.scratch, "log")
        with open(path, "w", encoding="ascii"):
            pass
        command = ["chrt", "-f", "1", self.args.serve, path, str(1 << 30), "-l", log, *map(str, arguments)]
        with awake(), subprocess.Popen(command, stdout=subprocess.PIPE) as server:
            server.stdout.readline()
            ios = []
            try:
                yield path, ios
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait()
        with open(log, encoding="ascii") as file:
            for fields in map(str.split, file):
                ios.append(Io(int(fields[0]), int(fields[6]), int(fields[2]), int(fields[3])))

    @staticmethod
    @contextlib.contextmanager
    def loop_over(path):
        device = subprocess.run(["losetup", "-f", "--show", "--direct-io=on", path], check=True,
                                stdout=subprocess.PIPE, text=True).stdout.strip()
        try:
            yield device
        finally:
            subprocess.run(["losetup", "-d", device], check=True)


def small(*levels):
    return ["-run", "oltp", "-small_levels", ",".join(map(str, levels))]


def streams(level):
    return ["-run", "dss", "-large_levels", str(level)]


def window_of(point):
    """Start and end of the measured time, in ns of the wall clock, good to a millisecond."""
    started = datetime.datetime.fromisoformat(point["started"]).timestamp()
    first = started + point["ramp_s"]
    return first * NS, (first + point["seconds"]) * NS


def wall_minus_monotonic():
    return time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def logged_in(point, ios, length=8192):
    """Service latencies, ascending, of what ended in the point's window."""
    first, last = (edge - wall_minus_monotonic() for edge in window_of(point))
    return sorted(io.end - io.arrival for io in ios if first <= io.end < last and io.length == length)


def nearest_rank(ranked, share):
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


# ---- throttled devices -------------------------------------------------------------------------

THROTTLES = [  # what, limit, load, class, outstanding
    ("read_iops", 500, small(16), "small_read"),
    ("read_iops", 2000, small(32), "small_read"),
    ("read_iops", 20000, small(64), "small_read"),
    ("read_bps", 10 * MIB, streams(1), "large_read"),
    ("read_bps", 100 * MIB, streams(1), "large_read"),
    ("read_bps", 10 * MIB, small(16), "small_read"),
    ("write_iops", 2000, small(32), "small_write"),
    ("write_bps", 100 * MIB, streams(1), "large_write"),
]


def set_limit(what, value):
    with open(f"/sys/block/{os.path.basename(os.environ['ZRAM'])}/dev", encoding="ascii") as file:
        number = file.read().strip()
    with open(f"{os.environ['CGROUP']}/blkio.throttle.{what}_device", "w", encoding="ascii") as file:
        file.write(f"{number} {value}")


def throttled(bench, what, value, load, label, engine):
    start = ["sh", "-c", f'echo $$ >{os.environ["CGROUP"]}/cgroup.procs; exec "$@"', "sh"]
    name = f"throttle {what} {value} {label} {engine}"
    more = ["-write", "100", "-overwrite", "-force"] if "write" in what else []
    set_limit(what, value)
    try:
        document = bench.calib(name, os.environ["ZRAM"], engine, load + more, bench.args.seconds, 2, start)
    finally:
        set_limit(what, 0)
    point = document["points"][0]
    one = point["classes"][label]
    unit = one["bytes"] / one["ios"] if "bps" in what else 1  # of the limit, for one I/O
    free = (SLICE_S * value + unit) / point["seconds"]
    bench.table.near(name, value, one["iops"] * unit, 0.01 * value + free)


def throttle(bench):
    for one in THROTTLES:
        for engine in ENGINES if one[0] == "read_iops" else ENGINES[:1]:
            bench.table.attempt(throttled, bench, *one, engine)


# ---- servers with a known service time ---------------------------------------------------------

SERVED = [(1, 200), (1, 1000), (1, 5000), (4, 1000), (4, 5000), (16, 5000)]  # servers, us


def served_one(bench, servers, service_us, engine):
    name = f"served k={servers} s={service_us}us {engine}"
    levels = sorted({1, max(1, servers // 2), servers, 2 * servers, 4 * servers})
    with bench.served("-k", servers, "-s", service_us) as (path, ios):
        document = bench.calib(name, path, engine, small(*levels), bench.args.seconds / 5, start=FIRST)
    ceiling = servers * 1e6 / service_us
    for point in document["points"]:
        one = point["classes"]["small_read"]
        at = f"{name} at {point['small']}"
        if point["small"] > servers:
            bench.table.near(f"{at}: IOPS", ceiling, one["iops"], 0.02 * ceiling)
        else:
            true = nearest_rank(logged_in(point, ios), 0.5) / 1e3
            bench.table.near(f"{at}: p50", true, one["lat_ns"]["p50"] / 1e3, max(60, 0.03 * true), " us")


def served(bench):
    for servers, service_us in SERVED:
        for engine in ENGINES:
            bench.table.attempt(served_one, bench, servers, service_us, engine)


def tail_one(bench, every, engine):
    """1 I/O in N takes 50 ms: which percentiles are of those is a matter of counting."""
    name = f"tail k=4 s=1ms, 1 in {every} 50ms {engine} at 4"
    with bench.served("-k", 4, "-s", 1000, "-n", every, "-t", 50000) as (path, ios):
        document = bench.calib(name, path, engine, small(4), bench.args.seconds / 5, start=FIRST)
    point = document["points"][0]
    one = point["classes"]["small_read"]
    ranked = logged_in(point, ios)
    count = sum(latency >= 50e6 for latency in ranked)
    seen = sum(number for upper, number in one["hist"] if upper > 50e6)
    bench.table.near(f"{name}: slow ones", count, seen, 4)
    for key, share in (("p99", 0.99), ("p99_9", 0.999)):
        slow = math.ceil(share * one["ios"]) > one["ios"] - seen
        got = one["lat_ns"][key]
        bench.table.line(f"{name}: {key}", "slow" if slow else "fast", f"{got / 1e6:.3f} ms", "",
                         (got >= 50e6) == slow)
        # the log's figure is of the same kind only where the border between both is not near
        true = nearest_rank(ranked, share)
        if (true >= 50e6) == slow and key != "p99" or every < 100:
            bench.table.near(f"{name}: {key} as logged", true / 1e6, got / 1e6,
                             max(0.06, 0.03 * true / 1e6), " ms")


def tail(bench):
    for every in (100, 50):
        for engine in ENGINES:
            bench.table.attempt(tail_one, bench, every, engine)


# ---- what the kernel counted -------------------------------------------------------------------

class Stat:
    """The reads of a block device, sampled all the time that calib runs."""

    def __init__(self, device):
        self.path = f"/sys/block/{os.path.basename(device)}/stat"
        self.samples = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.sample)

    def read(self):
        with open(self.path, encoding="ascii") as file:
            reads, merges, sectors, ms = map(int, file.read().split()[:4])
        return time.time_ns(), reads + merges, sectors, ms

    def sample(self):
        while not self.ended.wait(0.02):
            self.samples.append(self.read())

    def __enter__(self):
        self.samples.append(self.read())
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.samples.append(self.read())

    def mean_us(self, point):
        """Of the window, less a little at both sides."""
        first, last = window_of(point)
        inside = [one for one in self.samples if first <= one[0] <= last]
        return (inside[-1][3] - inside[0][3]) * 1e3 / (inside[-1][1] - inside[0][1])


def counted(bench, device, engine, load, label):
    name = f"kernel loop {engine} {label}"
    with Stat(device) as stat:
        document = bench.calib(name, device, engine, load, bench.args.seconds / 10)
    issued = document["luns"][0]["issued"]
    reads, sectors = (stat.samples[-1][i] - stat.samples[0][i] for i in (1, 2))
    bench.table.near(f"{name}: sectors", sectors, issued["read_bytes"] / 512, 0)
    if label == "small":
        bench.table.near(f"{name}: requests", reads, issued["reads"], 0)
    else:  # the queue's max_sectors_kb may be smaller than a large I/O
        bench.table.line(f"{name}: requests", f"{reads}", f"{issued['reads']}", ">= issued",
                         reads >= issued["reads"])


def loop_over_served(bench, servers, service_us, engine):
    name = f"kernel loop over k={servers} s={service_us}us {engine}"
    with bench.served("-k", servers, "-s", service_us) as (path, _), \
         bench.loop_over(path) as device, Stat(device) as stat:
        document = bench.calib(name, device, engine, small(16, 64), bench.args.seconds / 5, start=FIRST)
    for point in document["points"]:
        true = stat.mean_us(point)
        mean = point["classes"]["small_read"]["lat_ns"]["mean"] / 1e3
        bench.table.near(f"{name} at {point['small']}: mean", true, mean, 0.05 * true, " us")


def kernel(bench):
    for engine in ENGINES + ["psync"]:
        bench.table.attempt(counted, bench, os.environ["LOOP"], engine, small(1, 16, 64), "small")
        bench.table.attempt(counted, bench, os.environ["LOOP"], engine, streams(2), "large")
    for servers, service_us in ((4, 1000), (16, 5000), (64, 20000)):
        for engine in ENGINES:
            bench.table.attempt(loop_over_served, bench, servers, service_us, engine)


# ---- the number outstanding --------------------------------------------------------------------

def kept(bench, where, lun, engine, start):
    name = f"outstanding {where} {engine}"
    document = bench.calib(name, lun, engine, small(*(1 << i for i in range(9))), bench.args.seconds / 10,
                           start=start)
    for point in document["points"]:
        one = point["classes"]["small_read"]
        # zram is as fast as the processor: what calib itself takes for an I/O is seen there
        own = 150e-9 * one["iops"] if where == "zram" else 0
        bench.table.near(name, point["small"], one["outstanding_mean"], 0.01 * point["small"] + own)


def outstanding(bench):
    for engine in ENGINES:
        with bench.served("-k", 16, "-s", 5000) as (path, _):
            bench.table.attempt(kept, bench, "served", path, engine, FIRST)
        for where in ("LOOP", "ZRAM"):
            bench.table.attempt(kept, bench, where.lower(), os.environ[where], engine, ())


# ---- small and large together ------------------------------------------------------------------

def fio_mixed(path, engine, seconds):
    """8 small I/Os and 4 streams of 4: the mean latency of the small ones, in us."""
    common = [f"--filename={path}", f"--ioengine={engine}", "--direct=1", "--thread", "--time_based",
              f"--runtime={seconds}", "--ramp_time=500ms", "--readonly", "--output-format=json"]
    part = (1 << 30) // 4
    jobs = ["--name=small", "--rw=randread", "--bs=8k", "--iodepth=8", "--norandommap"]
    for number in range(4):
        jobs += [f"--name=stream{number}", "--rw=read", "--bs=1M", "--iodepth=4",
                 f"--offset={number * part}", f"--size={part}"]
    done = subprocess.run(["fio", *common, *jobs], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    job = json.loads(done.stdout)["jobs"][0]
    assert job["jobname"] == "small"
    return job["read"]["lat_ns"]["mean"] / 1e3


def mixed_one(bench, servers, service_us, engine):
    name = f"mixed k={servers} s={service_us}us {engine}"
    seconds = max(2, int(bench.args.seconds / 7))
    load = ["-run", "advanced", "-matrix", "point", "-num_small", "8", "-num_large", "4", "-num_streamIO", "4"]
    pairs = []

    def ours(path):
        point = bench.calib(name, path, engine, load, seconds)["points"][0]
        return point["classes"]["small_read"]["lat_ns"]["mean"] / 1e3

    with bench.served("-k", servers, "-s", service_us) as (path, _):
        for number in range(5):
            first = ours(path) if number % 2 else 0
            theirs = fio_mixed(path, engine, seconds)
            pairs.append((first or ours(path), theirs))
    ratio = statistics.median(a / b for a, b in pairs)
    fio = statistics.median(b for _, b in pairs)
    bench.table.near(f"{name}: small mean, true is fio's", fio, fio * ratio, 0.05 * fio, " us")


def mixed(bench):
    for servers, service_us in ((4, 5000), (24, 20000)):
        for engine in ENGINES:
            bench.table.attempt(mixed_one, bench, servers, service_us, engine)


GROUPS = [throttle, served, tail, kernel, outstanding, mixed]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--calib", default="build/release/calib")
    parser.add_argument("--serve", default="build/dev/tests/serve")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--quick", action="store_const", const=5.0, dest="seconds")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and give back what is made
    args.calib, args.serve = os.path.abspath(args.calib), os.path.abspath(args.serve)
    bench = Bench(args)
    print(f"{'check':58} {'asked or true':>16} {'got':>16} {'bound':>12}")
    for group in GROUPS:
        if args.only in group.__name__:
            group(bench)
    bench.table.end()
    return 1 if bench.table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
