#!/usr/bin/env python3
"""check_results.py MAN-PAGE SAMPLE-PREFIX ORION-PREFIX PREFIX...: calib-results(5) describes the files of runs.

Everything found in the files must be described, and everything described must be found in one of
them. The first prefix is that of a run made up, which has what a run with the null engine has not;
the second one that of a run of ORION's, of which much is unknown.

Members of JSON objects: items ".It Va NAME Pq TYPE[, UNIT][, sometimes]" in subsections named after
the object's path, "points[].loads[]". A TYPE is string, integer, number, boolean, object, "array of
<type>s", "object of <type>s" or one of these "or null"; what is not marked "sometimes" is in every
object of that path. Columns: items ".It Va NAME". Lines of text files: items '.It Li "LINE"' with
<placeholders>; blanks are compared as one. Files: items ".It Pa prefix_SUFFIX".

SPDX-License-Identifier: MIT
"""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import man_page
import run_files

DOCUMENT, LEDGER = "RESULTS DOCUMENT", "LEDGER"
TOP = "results document"
# sections on text files, and the file that each describes
TEXTS = {"SUMMARY": "summary.txt", "HISTOGRAMS": "hist.txt", "TRACE": "trace.txt"}
MATRICES = ("iops.csv", "mbps.csv", "lat.csv")
UNITS = {"_bytes": "bytes", "_s": "seconds", "_ns": "ns", "_pct": "percent",
         "_sectors": "512 bytes"}
ALWAYS_NULL = "always null in this version"
# what the placeholders of lines stand for, where not just anything will do
KINDS = {
    r"\d+": """small large number repeat ios errors reads writes issued bytes merged sectors from
               to level index""",
    r" ?\d+(?:\.\d+)?|-": "KiB seconds percent mbps iops rate latency mean min max stddev",
    r"small|large": "load",
    r"(?:small|large)_(?:read|write)": "class",
    r"\d+ [\w ]+(?:, \d+ [\w ]+)*": "failures",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d": "time",
}
PLACEHOLDERS = {name: kind for kind, names in KINDS.items() for name in names.split()}
# one class in a line of the trace
TRACED = "".join(rf" {key}=\S+" for key in "class ios iops mbps mean_us p99_us errors".split())

Member = collections.namedtuple("Member", "types unit sometimes text")
complaints = []


def check(fact, text):
    if not fact and text not in complaints:
        complaints.append(text)


def paths_of(subsection):
    return ["" if path == TOP else path for path in subsection.split(", ")]


def parse_member(item):
    match = re.fullmatch(r"Va (\S+) Pq ([^,]+)(?:, (.*?))??(, sometimes)?",
                         man_page.plain(item.head))
    check(match, f"cannot read '.It {item.head}'")
    if not match:
        return None, None
    types = match[2].split(" or ")
    return match[1], Member(types, match[3], bool(match[4]), " ".join(item.body))


def read_members(page):
    """{path: {name: Member}}; "ledger" is the path of the ledger's header."""
    objects = {}
    for item in man_page.read_items(page):
        if item.section not in (DOCUMENT, LEDGER) or not item.head.startswith("Va"):
            continue
        name, member = parse_member(item)
        paths = ["ledger"] if item.section == LEDGER else paths_of(item.subsection)
        for path in paths if name else []:
            check(name not in objects.get(path, {}), f"'{name}' is described twice in '{path}'")
            objects.setdefault(path, {})[name] = member
    return objects


def is_type(value, name):
    if name.startswith(("array of ", "object of ")):
        kind, _, elements = name.partition(" of ")
        values = value if isinstance(value, list) else list(getattr(value, "values", list)())
        return isinstance(value, {"array": list, "object": dict}[kind]) and all(
            is_type(each, elements[:-1]) for each in values)
    if name == "pair":
        return is_type(value, "array of integers") and len(value) == 2
    if isinstance(value, bool):
        return name == "boolean"
    types = {"string": str, "integer": int, "number": (int, float), "object": dict,
             "null": type(None), "boolean": bool}
    check(name in types, f"unknown type '{name}'")
    return isinstance(value, types.get(name, ()))


class Walk:
    """Goes through documents and keeps what was seen of what the page describes."""

    def __init__(self, objects):
        self.objects, self.seen, self.filled = objects, set(), set()

    def described(self, path):
        """Every class has the same members."""
        path = re.sub(r"^(points\[\]\.classes\.)\w+", r"\1CLASS", path)
        return path, self.objects.get(path)

    def walk_object(self, path, value, where, foreign=False):
        path, members = self.described(path)
        check(members is not None, f"{where}: the object '{path}' is not described")
        if members is None:
            return
        for name, member in members.items():
            check(name in value or member.sometimes, f"{where}: no '{name}' in '{path}'")
        foreign = foreign or "source" in value # what it does not tell is null
        for name, each in value.items():
            base = name.removesuffix("_hex")
            if name not in members and base in members and "string" in members[base].types:
                continue
            check(name in members, f"{where}: '{name}' in '{path}' is not described")
            if name in members:
                self.walk_value(path, name, each, where, foreign)

    def walk_value(self, path, name, value, where, foreign):
        member = self.objects[path][name]
        check(any(is_type(value, each) for each in member.types) or (foreign and value is None),
              f"{where}: '{name}' in '{path}' is {value!r:.60}, not {' or '.join(member.types)}")
        self.seen.add((path, name))
        if value is not None and value != [] and value != {}:
            self.filled.add((path, name))
        inner = name if path in ("", "ledger") else f"{path}.{name}"
        if isinstance(value, dict) and "object" in member.types:
            self.walk_object(inner, value, where, foreign)
        elif isinstance(value, list) and "array of objects" in member.types:
            for each in value:
                self.walk_object(inner + "[]", each, where, foreign)

    def check_all_seen(self):
        for path, members in self.objects.items():
            for name, member in members.items():
                null = ALWAYS_NULL in member.text.lower()
                check((path, name) in self.seen,
                      f"'{name}' in '{path}' is described, but in no file")
                check(path == "ledger" or null != ((path, name) in self.filled),
                      f"'{name}' in '{path}': " + ("not null" if null else "never a value"))


def unit_of(name):
    """The unit that the name of a member promises."""
    if name.endswith("_per_s"):
        return None
    return next((unit for end, unit in UNITS.items() if name.endswith(end)), None)


def check_members(objects):
    for path, members in objects.items():
        for name, member in members.items():
            check(path == "ledger" or member.text, f"'{name}' in '{path}' has no explanation")
            in_lat = path.endswith(".lat_ns") and name != "few"
            unit = "ns" if in_lat else unit_of(name)
            numeric = {"integer", "number"} & set(member.types)
            check(not unit or not numeric or path == "ledger" or member.unit == unit,
                  f"'{name}' in '{path}' is in {member.unit}, expected {unit}")


def check_json(objects, prefixes):
    walk = Walk(objects)
    for prefix in prefixes:
        walk.walk_object("", run_files.read_results(prefix), prefix + "_results.json")
        if os.path.exists(prefix + "_points.jsonl"):
            header, points = run_files.read_ledger(prefix)
            walk.walk_object("ledger", header, prefix + "_points.jsonl")
            for point in points:
                walk.walk_object("points[]", point, prefix + "_points.jsonl")
    walk.check_all_seen()


def pattern_of(template):
    """The regular expression for a line with <placeholders>; blanks are one."""
    parts = re.split(r"<(\w+)>", template)
    for index in range(len(parts)):
        placeholder = f"(?:{PLACEHOLDERS.get(parts[index], '.+?')})"
        parts[index] = placeholder if index % 2 else re.escape(parts[index])
    return re.compile("".join(parts))


def simplified(line):
    """As the page describes it: blanks as one, no star at a percentile, no writes, one class."""
    line = " ".join(line.split()).replace(" us*", " us")
    line = re.sub(r"; \d+ writes(, \d+ \w+)+", "", line)
    return re.sub(f"({TRACED})(?:{TRACED})+", r"\1", line)


def read_lines(prefix, suffix):
    """Without blank lines, and without the line of options that follows "Command line:"."""
    lines = run_files.read_text(f"{prefix}_{suffix}").split("\n")
    lines = [line for at, line in enumerate(lines) if at == 0 or lines[at - 1] != "Command line:"]
    return [simplified(line) for line in lines if line.strip()]


def check_text(page, section, suffix, prefixes):
    templates = [man_page.quoted(item.head, "Li") for item in man_page.read_items(page)
                 if item.section == section and item.head.startswith("Li")]
    patterns = {template: pattern_of(template) for template in templates}
    unseen = set(templates)
    check(templates, f"no line of {suffix} is described")
    for prefix in prefixes:
        if not os.path.exists(f"{prefix}_{suffix}"):
            continue
        for line in read_lines(prefix, suffix):
            fitting = [text for text, pattern in patterns.items() if pattern.fullmatch(line)]
            check(fitting, f"{prefix}_{suffix}: a line that is not described: {line!r}")
            unseen -= set(fitting)
    check(not unseen, f"lines of {suffix} that are described, but in no file: {sorted(unseen)}")


def first_line(prefix, suffix):
    """Empty where there is no such file, which check_files() says."""
    path = f"{prefix}_{suffix}"
    return run_files.read_text(path).split("\n")[0] if os.path.exists(path) else ""


def check_columns(page, prefixes):
    items = [item for item in man_page.read_items(page) if item.section == "COLUMNS"]
    names = [item.head.removeprefix("Va ") for item in items]
    for item in items:
        check(item.body, f"the column '{item.head}' has no explanation")
    for prefix in prefixes:
        header = first_line(prefix, "points.csv")
        check(header.split(",") == names,
              f"{prefix}_points.csv has {header}, described are {names}")


def check_matrices(prefixes):
    for prefix in prefixes:
        for suffix in MATRICES:
            first = first_line(prefix, suffix).split(",")
            levels = [int(level) for level in first[1:]]
            wanted = run_files.read_results(prefix)["settings"]["small_levels"]
            expected = [level for level in wanted if level or suffix == "mbps.csv"]
            check(first[0] == "Large/Small" and levels == expected, f"{prefix}_{suffix}: {first}")


def check_files(page, prefixes):
    items = [item for item in man_page.read_items(page) if item.section == "DESCRIPTION"]
    described = sorted(item.head.removeprefix("Pa prefix_") for item in items)
    for prefix in prefixes:
        got = run_files.files_of(prefix)
        check(got == described, f"{prefix}: files {got}, described are {described}")


def main():
    page, *prefixes = sys.argv[1:]
    runs = prefixes[2:]
    objects = read_members(page)
    check_members(objects)
    check_json(objects, prefixes)
    for section, suffix in TEXTS.items():
        check_text(page, section, suffix, prefixes)
    check_columns(page, runs)
    check_matrices(runs)
    check_files(page, runs)
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
