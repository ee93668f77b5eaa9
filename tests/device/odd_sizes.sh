#!/usr/bin/env bash
# A LUN is used up to its last whole multiple of the larger I/O, and not a byte beyond.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

run=(-duration 0.1 -ramp 0)

# make_cut NAME BYTES USED: a loop device of that size, of which only so much can be read
make_cut() {
	head -c "$2" /dev/urandom >"$1"
	make_loop "$1"
	[[ $(blockdev --getsize64 "$device") == "$2" ]] || fail "$device is not of $2 bytes"
	truncate -s "$3" "$1"
}

# used BYTES...: of each LUN of the last run, and none of its I/Os failed
used() {
	[[ $(result "$prefix" '[.luns[].used_bytes] | join(" ")') == "$*" ]] ||
		fail_run "used_bytes $(result "$prefix" '[.luns[].used_bytes] | join(" ")'), expected $*"
	[[ $(result "$prefix" '[.points[].classes[].errors | length] | add') == 0 ]] ||
		fail_run "I/Os went beyond used_bytes"
}

mib=1048576
make_cut a $((64 * mib + 512)) $((64 * mib))
if dd if="$device" of=/dev/null bs=512 skip=$((64 * mib / 512)) iflag=direct status=none 2>/dev/null; then
	fail "the end of $device, which is gone, can be read"
fi
large=$device
make_cut b $((3 * mib + 24 * 1024)) $((3 * mib))
middle=$device
make_cut c $((mib + 8192 + 1024)) $mib
small=$device
for engine in io_uring libaio psync; do
	for list in "$large" "$middle $large" "$small $middle $large" "$large $small"; do
		tr ' ' '\n' <<<"$list" >x.lun
		calib "${run[@]}" -engine "$engine" -run advanced -matrix detailed -small_levels 0,64 \
			-large_levels 0,1,3 -testname x
		expect_status 0
		prefix=$(prefix_of x)
		for device in $list; do
			case $device in
			"$large") echo $((64 * mib)) ;;
			"$middle") echo $((3 * mib)) ;;
			"$small") echo $mib ;;
			esac
		done >"$work/used"
		mapfile -t sizes <"$work/used"
		used "${sizes[@]}"
		check_last x --kernel
	done
done

# without large I/Os a multiple of the small one counts
truncate -s $((3 * mib + 24 * 1024)) b
truncate -s $((mib + 8192)) c
printf '%s\n' "$middle" "$small" >x.lun
calib "${run[@]}" -run oltp -small_levels 64 -testname x
expect_status 0
prefix=$(prefix_of x)
used $((3 * mib + 24 * 1024)) $((mib + 8192))
check_last x --kernel
