"""The summary, and the lines printed as points end, against the JSON document.

SPDX-License-Identifier: MIT
"""
import re

import run_files

US = 1000
TYPES = {"seq": "large sequential streams", "rand": "large random IOs"}
PCT = "p50 p90 p95 p99 p99_9 p99_99".split()
WORDS = {"p99_9": "p99.9", "p99_99": "p99.99"}


def number(value):
    return f"{value:.10g}"


def columns(label, levels):
    return label + ",".join([""] + [f"{level:>7}" for level in levels])


def io_types(settings):
    words = []
    if settings["has_small"]:
        words.append("small random IOs")
    if settings["has_large"]:
        words.append(TYPES[settings["large_type"]])
    return ", ".join(words)


def options_of(command_line):
    """ORION shows the options only, without the program."""
    return command_line.split(" ", 1)[1]


def cache_line(settings):
    size = settings["cache_bytes"]
    return "Cache size: " + ("not specified" if size is None else f"{number(size / 2**20)} MB")


def head_lines(results):
    settings = results["settings"]
    lines = [f"CALIB VERSION {results['calib_version']}", "", "Command line:",
             options_of(run_files.shown(results, "command_line")), "", "These options enable these settings:",
             f"Test: {run_files.shown(results, 'testname')}",
             f"Small IO size: {number(settings['small_bytes'] / 1024)} KB",
             f"Large IO size: {number(settings['large_bytes'] / 1024)} KB",
             f"IO types: {io_types(settings)}"]
    striped = settings["simulate"] == "raid0"
    if settings["has_large"]:
        pattern = "RAID-0 striping for all streams" if striped else "one LUN per stream"
        lines.append(f"Sequential stream pattern: {pattern}")
    if striped:
        lines.append(f"Stripe depth: {number(settings['stripe_bytes'] / 1024)} KB")
    if settings["has_large"] and settings["large_type"] == "seq":
        lines.append(f"Number of concurrent IOs per stream: {settings['stream_ios']}")
    lines += [f"Writes: {settings['write_pct']}%", cache_line(settings),
              f"Duration for each data point: {number(settings['duration_s'])} seconds",
              columns("Small Columns:", settings["small_levels"]),
              columns("Large Columns:", settings["large_levels"]),
              f"Total Data Points: {settings['total_points']}", ""]
    lines += [f"Name: {run_files.shown(lun, 'path')}\tSize: {lun['size_bytes']}"
              for lun in results["luns"]]
    return lines + [f"{len(results['luns'])} files found."]


def at(best):
    return f"@ Small={best['small']} and Large={best['large']}"


def latency_lines(results, best):
    """One for each direction in which an I/O completed."""
    lines, classes = [], results["points"][best["point"] - 1]["classes"]
    for way in ("Read", "Write"):
        part = classes.get("small_" + way.lower())
        if part and part["ios"]:
            lat = part["lat_ns"]
            lines.append(f"Small {way} Latency: avg={lat['mean'] / US:.3f} us, "
                         f"min={lat['min'] / US:.3f} us, max={lat['max'] / US:.3f} us, "
                         f"std dev={lat['stddev'] / US:.3f} us {at(best)}")
    return lines


class Column:
    """The reads, or the writes, of the histogram: counted on from row to row."""

    def __init__(self, part):
        self.part, self.seen, self.edge = part or {"ios": 0, "hist": []}, 0, 0

    def row(self, upper):
        """How many I/Os below it that no row had yet, and the share in percent of all so far."""
        ios = sum(c for up, c in self.part["hist"] if self.edge * US < up <= upper * US)
        self.seen, self.edge = self.seen + ios, upper
        return ios, 100 * self.seen / max(1, self.part["ios"])

    def is_done(self):
        return self.seen == self.part["ios"]


def histogram_lines(results, best, load):
    """Rows double from 32 us without gap; the last stands for the empty rest."""
    if not best:
        return []
    classes = results["points"][best["point"] - 1]["classes"]
    columns = [Column(classes.get(f"{load}_{way}")) for way in ("read", "write")]
    lines = [f"{load.capitalize()} Read / Write Latency Histogram {at(best)}",
             f"{'Latency:':>16}{'# of IOs (read)':>40}{'# of IOs (write)':>26}"]
    edge, last = 0, False
    while not last:
        last = all(column.is_done() for column in columns)
        upper = 2**28 if last else max(32, 2 * edge)
        if last and edge >= upper:
            break
        reads, writes = (column.row(upper) for column in columns)
        lines.append(f"{edge:>9} - {upper:<10} us:{reads[0]:>16} ({reads[1]:6.2f}%)"
                     f"{writes[0]:>15} ({writes[1]:6.2f}%)")
        edge = upper
    return lines


def best_lines(results):
    """ORION's result lines, in its order; a table at most IOPS only where that is another point."""
    best, lines = results["best"], []
    mbps, iops, latency = best["max_mbps"], best["max_iops"], best["min_latency_ns"]
    if mbps:
        lines += ["", f"Maximum Large MBPS={mbps['value']:.2f} {at(mbps)}"]
    if iops:
        lines += ["", f"Maximum Small IOPS={iops['value']:.0f} {at(iops)}"]
        lines += latency_lines(results, iops)
        if not latency or at(latency) != at(iops):
            lines += histogram_lines(results, iops, "small")
    if latency:
        lines += ["", f"Minimum Small Latency={latency['value'] / US:.3f} usecs {at(latency)}",
                  *latency_lines(results, latency), *histogram_lines(results, latency, "small")]
    return lines


def status_line(results):
    if results["status"] == "complete":
        return "Status: complete"
    by = f" by {results['signal']}" if results["signal"] else ""
    return f"Status: {results['status']}{by} at point "


def percentile_lines(results):
    lines = []
    for name in ("max_mbps", "max_iops", "min_latency_ns"):
        best = results["best"][name]
        point = results["points"][best["point"] - 1] if best else {"classes": {}}
        for key, part in point["classes"].items():
            if not part["ios"]:
                continue
            texts = [f"{WORDS.get(pct, pct)}={part['lat_ns'][pct] / US:.3f} us"
                     f"{'*' if pct in part['lat_ns']['few'] else ''}" for pct in PCT]
            lines.append(f"  {key.replace('_', ' ')}s: {', '.join(texts)}")
    return lines


def outstanding_lines(results):
    lines = []
    for best in results["best"].values():
        point = results["points"][best["point"] - 1] if best else {"loads": []}
        for load in point["loads"]:
            kept = sum(part["outstanding_mean"] for key, part in point["classes"].items()
                       if key.startswith(load["name"]))
            lines.append(f"  {load['name']} outstanding: {load['level'] * load['per_level']} asked, "
                         f"{kept:.2f} kept on average")
    return lines


def issued_text(issued):
    text = f"{issued['reads']} reads, {issued['read_bytes']} bytes"
    if issued["writes"]:
        text += f"; {issued['writes']} writes, {issued['write_bytes']} bytes"
    return text


def kernel_text(kernel):
    text = (f"; counted by the kernel: {kernel['read_ios']} reads, {kernel['read_merges']} merged, "
            f"{kernel['read_sectors']} sectors")
    if kernel["write_sectors"]:
        text += (f"; {kernel['write_ios']} writes, {kernel['write_merges']} merged, "
                 f"{kernel['write_sectors']} sectors")
    return text


def lun_lines(results):
    lines = []
    for lun in results["luns"]:
        kernel = kernel_text(lun["kernel"]) if lun["kernel"] else ""
        lines.append(f"  {run_files.shown(lun, 'path')}: {issued_text(lun['issued'])}{kernel}")
    if len(results["luns"]) > 1:
        lines.append(f"  in all: {issued_text(results['issued'])}")
    return lines


def detail_lines(results):
    settings = results["settings"]
    lines = [f"Engine: {settings['engine']} ({settings['engine_reason']})",
             f"Seed: {results['seed']}", f"I/O buffers in pages: {settings['buffer_pages']}"]
    lines += percentile_lines(results) + outstanding_lines(results) + lun_lines(results)
    return lines


def check_summary(complaints, text, results):
    lines = text.split("\n")
    expected = head_lines(results) + best_lines(results)
    for index, line in enumerate(expected):
        got = lines[index] if index < len(lines) else None
        if not complaints.check(got == line, f"summary line {index + 1}: {got!r}, expected {line!r}"):
            return
    rest = lines[len(expected):]
    large = "\n".join(["", *histogram_lines(results, results["best"]["max_mbps"], "large"), ""])
    complaints.check(large in text, f"summary: not this table of the large I/Os: {large}")
    for line in detail_lines(results):
        complaints.check(line in rest, f"summary: no line {line!r}")
    complaints.check(any(line.startswith(status_line(results)) for line in rest),
                     f"summary: no line {status_line(results)!r}")
    for warning in results["warnings"]:
        complaints.check(any(line.startswith(f"  {warning['severity']}: {warning['text']}")
                             for line in rest), f"summary: no warning {warning['text']!r}")


def point_line(point, run_points):
    figures = []
    if point["small"]:
        latency_ns = run_files.small_latency_ns(point) or 0
        figures.append(f"{point['small_iops']:.0f} IOPS, mean {latency_ns / US:.2f} us")
    if point["large"]:
        figures.append(f"{point['large_mbps']:.2f} MBPS")
    status = "" if point["status"] == "ok" else f" ({point['status']})"
    return (f"point {point['number']} of {run_points}: small={point['small']} "
            f"large={point['large']}: {', '.join(figures)}{status}")


def check_point_lines(complaints, text, results):
    """The number of points may fall while an adaptive plan goes on."""
    lines = [re.sub(r"^(point \d+ of) \d+:", r"\1 N:", line) for line in text.splitlines()]
    got = [line for line in lines if re.match(r"point \d+ of", line)]
    expected = [point_line(point, "N") for point in results["points"]]
    complaints.equal(got, expected, "lines of the points")
