#!/usr/bin/env python3
"""stalled_pipe.py FREE MEANWHILE COMMAND ARGUMENT...: run it with a pipe as standard output that has
room for FREE bytes only. Once it waits there, run MEANWHILE, a line of shell; then read on. Prints the
exit status. SPDX-License-Identifier: MIT"""
import fcntl
import os
import subprocess
import sys
import time

SIZE = 4096


def ticks(pid):
    """CPU time, in ticks."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def wait_until_idle(process):
    """For a second without a tick of CPU time."""
    still = 0
    before = -1
    while still < 10 and process.poll() is None:
        now = ticks(process.pid)
        still = still + 1 if now == before else 0
        before = now
        time.sleep(0.1)


def main():
    free, meanwhile, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    out, into = os.pipe()
    fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, SIZE)
    os.write(into, b"\n" * (SIZE - free))
    with subprocess.Popen(command, stdout=into) as process:
        os.close(into)
        wait_until_idle(process)
        if process.poll() is not None:
            sys.exit("it did not wait")
        subprocess.run(["bash", "-ec", meanwhile], check=True, stdout=sys.stderr)
        while os.read(out, SIZE):
            pass
        print(process.wait())


main()
