#!/usr/bin/env bash
# A device whose service time is known, and that logs every I/O: what calib says of it is true.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

size=$((64 << 20))
echo served >x.lun
expected=0 # exit status

# served SERVERS SERVICE-US ARGUMENT...: of serve, then of calib behind --
served() {
	local servers=$1 service=$2 of_serve=(-k "$1" -s "$2")
	shift 2
	while [[ $1 != -- ]]; do
		of_serve+=("$1")
		shift
	done
	shift
	serve $size "${of_serve[@]}"
	calib -testname x "$@"
	stop_serving
	expect_status $expected
	prefix=$(prefix_of x)
	python3 "$SOURCE_DIR/tests/lib/check_served.py" "${prefix}_results.json" "$work/served" \
		"$servers" "$service" || fail_run "calib contradicts the server"
}

for engine in io_uring libaio psync; do
	common=(-engine "$engine" -duration 250ms -ramp 50ms)
	served 4 2000 -- "${common[@]}" -run oltp -small_levels 1,4,16,64
	check_last x
	served 1 200 -- "${common[@]}" -run advanced -matrix point -num_small 3 -num_large 2
	check_last x
	served 4 1000 -- "${common[@]}" -run normal -small_levels 0,8 -large_levels 0,2 -write 50 -overwrite
	check_last x
done

# one I/O in 20 takes 30 ms: they are seen, but for those in flight at the end. The point's I/Os are the
# last ones that arrived
served 16 1000 -n 20 -t 30000 -- -engine libaio -run oltp -small_levels 8 -ramp 0 -duration 1.5
count=$(result "$prefix" '.points[0].classes.small_read.ios')
slow=$(awk '$4 == 8192' "$work/served" | sort -n | tail -n "$count" | awk '$2 - $1 >= 30000000' | wc -l)
seen=$(result "$prefix" '[.points[0].classes.small_read.hist[] | select(.[0] > 30000000) | .[1]] | add // 0')
((slow > 16 && seen >= slow - 8)) || fail "$slow I/Os took 30 ms and more, calib has seen $seen"
check_last x

# bad answers in a part of it: each is counted, and nothing else is; with engine and threads given, all
# I/Os of that size are of the point
part=$((18 << 20))-$((30 << 20)) # where no signature is looked for
expected=4
for bad in -e -p; do
	served 8 500 "$bad" "$part" -- -engine io_uring -threads 1 -run oltp \
		-small_levels 16 -duration 500ms -ramp 50ms
	result "$prefix" '.points[0].classes.small_read.errors | add > 100' >"$work/many"
	check_last x
done
