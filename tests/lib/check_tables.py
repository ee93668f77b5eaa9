"""_points.csv, _hist.txt and _trace.txt against the JSON document.

SPDX-License-Identifier: MIT
"""
import csv
import io
import re

import run_files

PERCENTILES = "p50 p90 p95 p99 p99_9 p99_99".split()
COLUMNS = ("small,large,repeat,status,class,seconds,ios,errors,iops,mbps,mean_us,min_us,max_us,"
           "stddev_us,p50_us,p90_us,p95_us,p99_us,p99_9_us,p99_99_us,outstanding_mean")
BUCKET = re.compile(r"\s*\[(\d+),(\d+|inf)\)\s+(\d+)\s+(\d+\.\d{4})%")
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d ")


def us(ns):
    """Whole ns as us without rounding; a mean has more digits and is rounded."""
    return f"{ns // 1000}.{ns % 1000:03}" if isinstance(ns, int) else f"{ns / 1000:.3f}"


def failed(part):
    return sum(part["errors"].values())


def csv_row(point, name, part):
    row = [point["small"], point["large"], point["repeat"], point["status"], name,
           f"{point['seconds']:.9f}", part["ios"], failed(part),
           f"{part['iops']:.6f}", f"{part['mbps']:.6f}"]
    lat = part["lat_ns"]
    keys = ["mean", "min", "max", "stddev"] + PERCENTILES
    row += [us(lat[key]) if lat else "" for key in keys]
    return [str(field) for field in row + [f"{part['outstanding_mean']:.6f}"]]


def check_points_csv(complaints, text, results):
    rows = list(csv.reader(io.StringIO(text)))
    expected = [COLUMNS.split(",")]
    expected += [csv_row(point, name, part) for point in results["points"]
                 if point["status"] != "interrupted" for name, part in point["classes"].items()]
    complaints.equal(len(rows), len(expected), "points.csv: rows")
    for index, (got, row) in enumerate(zip(rows, expected)):
        complaints.equal(got, row, f"points.csv line {index + 1}")


def buckets_of(lines):
    rows = []
    for line in lines:
        match = BUCKET.fullmatch(line)
        if match:
            rows.append(match.groups())
        elif rows:
            break
    return rows


def check_buckets(complaints, what, rows, part):
    edge, seen = 0, 0
    for lower, upper, count, percent in rows:
        complaints.equal(int(lower), edge, what + ": lower edge")
        end = float("inf") if upper == "inf" else int(upper)
        complaints.check(end in (max(1, 2 * edge), float("inf")), f"{what}: upper edge {upper}")
        ios = [c for up, c in part["hist"] if edge * 1000 < up and up <= end * 1000]
        complaints.equal(int(count), sum(ios), f"{what} from {lower} us")
        seen += int(count)
        parts = seen * 1000000 // part["ios"]
        complaints.equal(percent, f"{parts // 10000}.{parts % 10000:04}", f"{what} from {lower} us")
        edge = end
    complaints.equal(seen, part["ios"], what + ": the sum")
    complaints.check(not rows or int(rows[-1][2]) > 0, what + ": an empty row at the end")


def check_hist_txt(complaints, text, results):
    """Tables in the order of points and classes, each under a line with its counts."""
    lines = iter(text.split("\n"))
    for point in results["points"]:
        title = (f"Point {point['number']}: Small={point['small']} and Large={point['large']}, "
                 f"repeat {point['repeat']}, {point['status']}")
        if not complaints.check(title in lines, f"hist.txt: no line {title!r} in its place"):
            return
        for name, part in point["classes"].items():
            head = f"{name}: {part['ios']} I/Os, {failed(part)} errors"
            if not complaints.check(head in lines, f"hist.txt: no line {head!r} in its place"):
                return
            rest = list(lines)
            rows = buckets_of(rest) if part["ios"] else []
            check_buckets(complaints, f"hist.txt {title} {name}", rows, part)
            lines = iter(rest[len(rows):])


def trace_point(point):
    line = (f"point={point['number']} small={point['small']} large={point['large']} "
            f"repeat={point['repeat']} status={point['status']} seconds={point['seconds']:.6f}")
    if point["filled_bytes"]:
        line += f" filled_bytes={point['filled_bytes']} filled_s={point['filled_s']:.6f}"
    for name, part in point["classes"].items():
        lat = part["lat_ns"]
        line += (f" class={name} ios={part['ios']} iops={part['iops']:.2f} mbps={part['mbps']:.2f} "
                 f"mean_us={us(lat['mean']) if lat else '-'} p99_us={us(lat['p99']) if lat else '-'} "
                 f"errors={failed(part)}")
    return line


def trace_warning(warning):
    where = "".join(f" {key}={warning[key]}" for key in ("point", "lun") if warning[key] is not None)
    text = run_files.shown(warning, "text")
    return f"warning={warning['code']} severity={warning['severity']}{where} text={text}"


def trace_head(results):
    settings = results["settings"]
    lines = [f"CALIB VERSION {results['calib_version']}",
             f"Command line: {run_files.shown(results, 'command_line')}",
             f"Engine: {settings['engine']} ({settings['engine_reason']})"]
    lines += [f"LUN {index}: {run_files.shown(lun, 'path')}, {lun['kind']}, {lun['size_bytes']} bytes"
              for index, lun in enumerate(results["luns"])]
    return lines + [results["started"] + " started"]


def check_trace_txt(complaints, text, results):
    """A line for each point and each warning, with the time, in the order of the JSON."""
    head = trace_head(results)
    lines = text.rstrip("\n").split("\n")
    complaints.equal(lines[:len(head)], head, "trace.txt: its head")
    lines = [line for line in lines if STAMP.match(line)]
    happened = [STAMP.sub("", line) for line in lines[1:]]
    points = [line for line in happened if line.startswith("point=")]
    warnings = [line for line in happened if line.startswith("warning=")]
    complaints.equal(points, [trace_point(point) for point in results["points"]], "trace.txt: points")
    ends = [line.split(" ")[0] for line in lines if " point=" in line and " status=" in line]
    complaints.equal(ends, [point["finished"] for point in results["points"]], "trace.txt: times")
    complaints.equal(warnings, [trace_warning(warning) for warning in results["warnings"]],
                     "trace.txt: warnings")
    complaints.equal(len(points) + len(warnings), len(happened), "trace.txt: lines")


def check_all(complaints, prefix, results):
    check_points_csv(complaints, run_files.read_text(prefix + "_points.csv"), results)
    check_hist_txt(complaints, run_files.read_text(prefix + "_hist.txt"), results)
    check_trace_txt(complaints, run_files.read_text(prefix + "_trace.txt"), results)
