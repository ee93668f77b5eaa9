"""The files of one run, read strictly: what a reader could misread is an error here.

SPDX-License-Identifier: MIT
"""
import json
import os
import re

SUFFIXES = ("summary.txt", "iops.csv", "mbps.csv", "lat.csv", "hist.txt", "trace.txt", "points.csv",
            "results.json", "points.jsonl")


class Complaints(list):
    """What is wrong, in words; empty when nothing is."""

    def check(self, fact, text):
        if not fact:
            self.append(text)
        return fact

    def equal(self, got, expected, what):
        self.check(got == expected, f"{what}: {got!r}, expected {expected!r}")

    def close(self, got, expected, what, relative=1e-9):
        scale = max(abs(got), abs(expected))
        self.check(abs(got - expected) <= relative * scale, f"{what}: {got!r}, expected {expected!r}")


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice among {keys}")
    return dict(pairs)


def parse_json(text):
    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_twice)


def text_bytes(value, key):
    """A name as the bytes that it has: what is no UTF-8 stands under another key."""
    if key + "_hex" in value:
        return bytes.fromhex(value[key + "_hex"])
    return value[key].encode()


def shown(value, key):
    """A name as text reports show it: control bytes and what is no UTF-8 as \\xNN."""
    if key + "_hex" in value:
        return value[key]
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match.group()):02x}", value[key])


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def read_text(path):
    return read_bytes(path).decode("utf-8")


def files_of(prefix):
    """Suffixes of the files with that prefix, less those of a later run's prefix_2 and so on."""
    directory, name = os.path.split(prefix)
    start = name + "_"
    names = [other for other in os.listdir(directory or ".") if other.startswith(start)]
    suffixes = [other[len(start):] for other in names]
    return sorted(suffix for suffix in suffixes if not re.match(r"\d+_", suffix))


def read_results(prefix):
    return parse_json(read_text(prefix + "_results.json"))


def read_ledger(prefix):
    """The header and the points; a line that a crash has cut off is dropped."""
    text = read_text(prefix + "_points.jsonl")
    lines = text.split("\n")[:-1]
    return parse_json(lines[0]), [parse_json(line) for line in lines[1:]]


def median(values):
    values = sorted(values)
    lower, upper = values[(len(values) - 1) // 2], values[len(values) // 2]
    return lower + (upper - lower) / 2


def cells(points, figure):
    """{(small, large): median over the good repeats}; figure(point) is None where it has none."""
    found = {}
    for point in points:
        value = figure(point) if point["status"] == "ok" else None
        if value is not None:
            found.setdefault((point["small"], point["large"]), []).append(value)
    return {cell: median(values) for cell, values in found.items()}


def writing_streams(load):
    """How many of a load's streams only write; the others only read."""
    return (load["level"] * load["write_pct"] + 50) // 100


def load_classes(load):
    """{name of a class: the most I/Os that it can have outstanding}, of those the load has."""
    asked = load["level"] * load["per_level"]
    if load["pattern"] == "stream":
        writes = writing_streams(load) * load["per_level"]
        most = {"_read": asked - writes, "_write": writes}
    else:
        most = {"_read": asked if load["write_pct"] < 100 else 0,
                "_write": asked if load["write_pct"] > 0 else 0}
    return {load["name"] + end: ios for end, ios in most.items() if ios}


def small_iops(point):
    return point["small_iops"] if point["small"] else None


def large_mbps(point):
    return point["large_mbps"] if point["large"] else None


def small_latency_ns(point):
    """Mean over small reads and writes together; None where none completed."""
    parts = [c for key, c in point["classes"].items() if key.startswith("small_") and c["ios"]]
    if len(parts) == 1:
        return parts[0]["lat_ns"]["mean"]
    ios = sum(part["ios"] for part in parts)
    return sum(part["lat_ns"]["mean"] * part["ios"] for part in parts) / ios if ios else None
