#!/usr/bin/env python3
"""check_options.py TABLE HELP SOURCES: the table of options, -help, calib(1) and the README agree.

TABLE is what print_options prints, HELP the output of calib -help. In calib(1) each option is an
item ".It Fl NAME [Ar PLACEHOLDER]" in the subsection of OPTIONS that has its group's name, in the
order of the table; its default is a line "Default: ..."; without one, a required option has a
line "Required.". Options that this version refuses are the lines ".Fl NAME" of their group. The
README's inline code names every option of a run, and none that does not exist.

SPDX-License-Identifier: MIT
"""
import glob
import re
import sys

import man_page

FIELDS = ("name", "argument", "fallback", "group", "help", "status", "run")
EXPLAINED = {"opt"} # stands for any option

complaints = []


def check(fact, text):
    if not fact:
        complaints.append(text)


def read_table(path):
    with open(path, encoding="utf-8") as file:
        return [dict(zip(FIELDS, line.rstrip("\n").split("\t"))) for line in file]


def help_blocks(text):
    """{group: what is said there, each option's lines joined to one}"""
    groups, group = {}, None
    for line in text.split("\n"):
        if re.fullmatch(r"\S.*:", line) and not line.startswith("usage"):
            group = groups.setdefault(line[:-1], [])
        elif group is not None and re.match(r"  -", line):
            group.append(" ".join(line.split()))
        elif group is not None and line.strip():
            group[-1:] = [" ".join([*group[-1:], *line.split()])]
    return groups


def help_line(row):
    parts = ["-" + row["name"], row["argument"], row["help"]]
    if row["fallback"]:
        parts.append(f"[{row['fallback']}]")
    return " ".join(part for part in parts if part)


def check_help(table, text):
    groups = help_blocks(text)
    for group in dict.fromkeys(row["group"] for row in table):
        rows = [row for row in table if row["group"] == group]
        if rows[0]["status"] == "available":
            expected = [help_line(row) for row in rows]
        else:
            expected = [" ".join("-" + row["name"] for row in rows)]
        got = groups.pop(group, None)
        check(got == expected, f"-help, '{group}': {got}, expected {expected}")
    check(not groups, f"-help has more groups than the table: {list(groups)}")


def default_of(item):
    lines = [man_page.plain(line) for line in item.body if line.startswith("Default: ")]
    return lines[0][len("Default: "):].removesuffix(".") if lines else ""


def documented_options(page):
    rows = []
    for item in man_page.read_items(page):
        match = re.fullmatch(r"Fl (\S+)(?: Ar (\S+))?", item.head)
        if item.section != "OPTIONS" or not item.head.startswith("Fl"):
            continue
        check(match, f"calib(1): cannot read '.It {item.head}'")
        if match:
            rows.append((item.subsection, match[1], match[2] or "", default_of(item)))
            check(("Required." in item.body) <= (default_of(item) == ""),
                  f"calib(1): -{match[1]} is required and has a default")
    return rows


def check_available(table, page):
    expected = [(row["group"], row["name"], row["argument"], row["fallback"])
                for row in table if row["status"] == "available"]
    got = documented_options(page)
    for row in expected:
        check(row in got, f"calib(1) has no such item in OPTIONS: {row}")
    for row in got:
        check(row in expected, f"calib(1) has an item that is not in the table: {row}")
    check(complaints or got == expected, "calib(1) has the options in another order")
    required = {row["name"] for row in table if re.search(r"; required$", row["help"])}
    items = [item for item in man_page.read_items(page) if item.section == "OPTIONS"]
    said = {item.head.split()[1] for item in items if "Required." in item.body}
    check(said == required, f"calib(1): required are {sorted(said)}, not {sorted(required)}")


def check_refused(table, page):
    rows = [row for row in table if row["status"] == "refused"]
    for group in {row["group"] for row in rows}:
        lines = man_page.section_lines(page, "OPTIONS", group)
        got = [line.split()[1] for line in lines if line.startswith(".Fl ")]
        expected = [row["name"] for row in rows if row["group"] == group]
        check(got == expected, f"calib(1), '{group}': {got}, expected {expected}")


def check_mentions(table, directory):
    """No page names an option that does not exist."""
    names = {row["name"] for row in table} | EXPLAINED
    for page in glob.glob(directory + "/*.[1-8]"):
        for line in man_page.read_lines(page):
            words = line.split()
            mentioned = {words[i + 1] for i, word in enumerate(words[:-1]) if word in (".Fl", "Fl")}
            check(mentioned <= names, f"{page}: no such option: {sorted(mentioned - names)}")


def check_readme(table, path):
    with open(path, encoding="utf-8") as file:
        codes = re.findall(r"`([^`]+)`", file.read())
    named = {name for code in codes for name in re.findall(r"(?:^|\s)-(\w+)", code)}
    names = {row["name"] for row in table}
    check(named <= names | EXPLAINED, f"README: no such option: {sorted(named - names)}")
    wanted = {row["name"] for row in table if row["status"] == "available" and row["run"] == "run"}
    check(wanted <= named, f"README: these options are missing: {sorted(wanted - named)}")


def main():
    table_path, help_path, sources = sys.argv[1:]
    directory = sources + "/man"
    table = read_table(table_path)
    check(len(table) > 20, "the table is nearly empty")
    with open(help_path, encoding="utf-8") as file:
        check_help(table, file.read())
    check_available(table, directory + "/calib.1")
    check_refused(table, directory + "/calib.1")
    check_mentions(table, directory)
    check_readme(table, sources + "/README.md")
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
