#!/usr/bin/env bash
# B48: reads and writes are counted as the kernel counts them, in the share that was asked for.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

mk data 64
make_zram 64
dd if=data of="$device" bs=1M oflag=direct status=none
echo "$device" >x.lun

# counts: reads, bytes read, writes and bytes written, as the kernel has seen them
counts() {
	local -a counted
	read -r -a counted <<<"$(device_counts "$device")"
	echo "${counted[0]} $((counted[1] * 512)) ${counted[2]} $((counted[3] * 512))"
}

# mixed PERCENT COMMAND: run it; the kernel has seen what calib has issued, by 1 %, and the share of
# writes is right, by 2 points, or what five standard deviations are where the I/Os are few
mixed() {
	local was is
	read -r -a was <<<"$(counts)"
	$2
	read -r -a is <<<"$(counts)"
	ran 1
	for index in 0 1 2 3; do
		was[index]=$((is[index] - was[index]))
	done
	[[ $(result "$prefix" ".issued | [[.reads, ${was[0]}], [.read_bytes, ${was[1]}],
		[.writes, ${was[2]}], [.write_bytes, ${was[3]}]] |
		map((.[0] - .[1]) as \$apart | \$apart * 100 <= .[1] and -\$apart * 100 <= .[1]) | all") \
		== true ]] || fail_run "the kernel has seen ${was[*]}"
	# shellcheck disable=SC2016 # jq's variables
	[[ $(result "$prefix" "$1"' as $share | .points[0].classes |
		((.small_write // .large_write).ios // 0) as $writes |
		($writes + ((.small_read // .large_read).ios // 0)) as $all |
		(500 * ($share / 100 * (1 - $share / 100) / $all | sqrt)) as $five |
		([$five, 2] | max) as $apart | 100 * $writes / $all - $share |
		. <= $apart and . >= -$apart') == true ]] || fail_run "not $1 % of writes"
	all_files_sound
}

seconds=0.2
for engine in io_uring libaio psync; do
	mixed 30 "point 8 0 x -write 30 -overwrite -engine $engine"
	mixed 100 "point 8 0 x -write 100 -overwrite -engine $engine"
	mixed 60 "point 0 8 x -write 60 -overwrite -engine $engine -type rand -size_large 64"
done
mixed 0 "point 8 0 x"
mixed 1 "point 64 0 x -write 1 -overwrite"
mixed 99 "point 64 0 x -write 99 -overwrite"
