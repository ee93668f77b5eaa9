#!/usr/bin/env python3
"""Reads every file of a run and compares each number that stands in two of them.

check_run.py PREFIX [--status STATUS] [--stdout FILE] [--stderr FILE] [--kernel]
    [--argv ARGUMENT...]

--kernel: the block devices' counters must agree with what calib says it issued. --argv: the
command line must be these arguments, for a shell.
Prints what is wrong, one fact a line, and exits 1; silent when nothing is.

SPDX-License-Identifier: MIT
"""
import argparse
import os
import shlex
import sys

import check_json
import check_matrices
import check_summary
import check_tables
import run_files


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("--status", default="complete")
    parser.add_argument("--stdout", help="what the run printed")
    parser.add_argument("--stderr", help="its lines for each point")
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("--argv", nargs=argparse.REMAINDER)
    return parser.parse_args()


def check_printed(complaints, args, results):
    if args.stdout:
        printed = run_files.read_bytes(args.stdout)
        summary = run_files.read_bytes(args.prefix + "_summary.txt")
        complaints.check(printed.endswith(summary), "stdout does not end with the summary")
    if args.stderr:
        lines = run_files.read_text(args.stderr)
        check_summary.check_point_lines(complaints, lines, results)
    if args.argv:
        line = os.fsdecode(run_files.text_bytes(results, "command_line"))
        complaints.equal(shlex.split(line), args.argv, "command_line")


def check(args):
    complaints = run_files.Complaints()
    expected = sorted(run_files.SUFFIXES)
    complaints.equal(run_files.files_of(args.prefix), expected, "files")
    if complaints:
        return complaints
    results = run_files.read_results(args.prefix)
    check_json.check_results(complaints, results, args)
    if complaints: # the others take the document's form for granted
        return complaints
    check_json.check_ledger(complaints, args.prefix, results)
    check_matrices.check_all(complaints, args.prefix, results)
    check_tables.check_all(complaints, args.prefix, results)
    summary = run_files.read_text(args.prefix + "_summary.txt")
    check_summary.check_summary(complaints, summary, results)
    check_printed(complaints, args, results)
    return complaints


def main():
    args = arguments()
    complaints = check(args)
    for complaint in complaints:
        print(f"{args.prefix}: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
