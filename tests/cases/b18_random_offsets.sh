#!/usr/bin/env bash
# B18: random offsets are random: they hit as many blocks as they should, and a seed gives one order.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"
# shellcheck source=tests/device/trace.sh
. "$SOURCE_DIR/tests/device/trace.sh"

check=(--kernel)

make_memory_loop 1G
echo "$device" >x.lun

# offsets FILE ARGUMENT...: of the small reads of a run
offsets() {
	trace_begin "$device"
	calib -run advanced -matrix point -num_large 0 -testname x -ramp 0 \
		-engine io_uring "${@:2}"
	trace_end "$work/trace"
	awk '$3 == 16 { print $2 / 16 }' "$work/trace" >"$1"
	ran 1
	all_files_sound
}

# Of as many draws as there are blocks 1 - 1/e hit a new one: 63.2 %, with a standard deviation of
# 0.09 %.
blocks=131072
for seconds in 2 8 32; do
	offsets "$work/many" -num_small 32 -duration "$seconds" -seed 1
	(($(wc -l <"$work/many") < blocks)) || break
done
head -n "$blocks" "$work/many" | awk -v blocks="$blocks" '
	!seen[$1]++ { distinct++ }
	$1 != int($1) || $1 < 0 || $1 >= blocks { print "no block: " $1; exit 1 }
	END {
		if (NR < blocks) { print "only " NR " reads were seen"; exit 1 }
		share = 100 * distinct / blocks
		if (share < 62.7 || share > 63.7) {
			print share " % of the blocks were read"; exit 1
		}
	}' || fail_run "the offsets are not random"

# the seed is the order, and the same offsets do not come again
short=(-num_small 1 -threads 1 -duration 0.2)
offsets "$work/one" "${short[@]}" -seed 7
offsets "$work/again" "${short[@]}" -seed 7
offsets "$work/other" "${short[@]}" -seed 8
common=$(wc -l "$work/one" "$work/again" | sort -n | awk 'NR == 1 { print $1 }')
((common >= 100)) || fail "only $common reads were seen"
cmp <(head -n "$common" "$work/one") <(head -n "$common" "$work/again") ||
	fail "the same seed, and another order"
! cmp -s <(head -n 100 "$work/one") <(head -n 100 "$work/other") ||
	fail "two seeds, and the same order"
