#!/usr/bin/env bash
# B29: buffers that do not fit are refused with their amount; the size of a LUN takes no memory.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

mk a 16
truncate -s 65G big # room for 64 large I/Os, and nothing in it
echo "$T/big" >x.lun

# 64 GiB of buffers where 2 GB may be had. A sanitizer alone takes far more than that.
large=(-type rand -size_large 1048576)
if ! sanitized; then
	launcher=(prlimit --as=2048000000)
	refuses 2 "point 0 64 x ${large[*]}" "64 GiB" "memory"
	refuses 2 "point 0 2 x ${large[*]}" "2 GiB" "memory"
	refuses 2 "point 0 4 x -num_streamIO 1 -size_large 1048576" "4 GiB" "memory"
	launcher=(env)
fi
if (($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) < 64 << 20)); then
	refuses 2 "point 0 64 x ${large[*]}" "64 GiB" "memory"
	refuses 2 "point 0 64 x ${large[*]} -dry_run" "64 GiB" "memory"
fi

# a limit of the cgroup is one, too: an error, and nobody is killed
group=/sys/fs/cgroup/memory/calib-test-$$
if mkdir "$group" 2>/dev/null; then
	at_end rmdir "$group"
	echo 400M >"$group/memory.limit_in_bytes"
	# shellcheck disable=SC2016 # the inner shell's
	launcher=(bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group")
	refuses 2 "point 0 64 x -type rand -size_large 16M" "1 GiB" "memory"
	point 0 4 x -type rand -size_large 4M
	ran_soundly 1
	launcher=(env)
else
	skip_part "no memory cgroup of version 1: $group cannot be made"
fi

# peak_kib COMMAND: what the program had in memory at most
peak_kib() {
	launcher=(python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)' "$work/peak")
	$1
	launcher=(env)
	ran_soundly 1
	peak=$(<"$work/peak")
}

mkdir memory
mount -t tmpfs none memory || skip "a tmpfs cannot be mounted here"
at_end umount "$here/memory"
for size in 1G 100T; do
	truncate -s $size memory/$size
	make_loop memory/$size
	echo "$device" >x.lun
	peak_kib "point 64 2 x"
	of[${size%%[GT]}]=$peak
done
((of[100] <= of[1] * 110 / 100 + 1024)) ||
	fail "${of[100]} KiB of memory for 100 TiB, ${of[1]} KiB for 1 GiB"
