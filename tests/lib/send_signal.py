#!/usr/bin/env python3
"""Starts calib, and sends it a signal when so many points are in its ledger.

send_signal.py [--ignored] SIGNAL POINTS LEDGER-GLOB PROGRAM ARGUMENT...

--ignored: the program is started with that signal ignored, as by nohup. SIGNAL may be several,
INT,INT, sent half a second apart. Prints how the program ended: "signal 2" or "exit 0"; its
output goes to ../out and ../err.

SPDX-License-Identifier: MIT
"""
import glob
import signal
import subprocess
import sys
import time

LIMIT_S = 60


def ledger_points(pattern):
    paths = glob.glob(pattern)
    if not paths:
        return -1
    with open(paths[0], "rb") as file:
        return file.read().count(b"\n") - 1


def start(command, number, ignored):
    def handle_signals():
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_DFL)
        if ignored:
            signal.signal(number, signal.SIG_IGN)

    with open("../out", "wb") as out, open("../err", "wb") as err:
        return subprocess.Popen(command, stdout=out, stderr=err, preexec_fn=handle_signals)


def wait_for_points(process, points, pattern):
    end = time.monotonic() + LIMIT_S
    while ledger_points(pattern) < points and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.05) # into the next point


def main():
    arguments = sys.argv[1:]
    ignored = arguments[0] == "--ignored"
    names, points, pattern, *command = arguments[ignored:]
    numbers = [signal.Signals["SIG" + name] for name in names.split(",")]
    process = start(command, numbers[0], ignored)
    wait_for_points(process, int(points), pattern)
    for index, number in enumerate(numbers):
        time.sleep(0.5 if index else 0)
        process.send_signal(number)
    try:
        code = process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        print("still running")
        return
    print(f"signal {-code}" if code < 0 else f"exit {code}")


if __name__ == "__main__":
    main()
