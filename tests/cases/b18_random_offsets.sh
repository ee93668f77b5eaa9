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

# of n draws from N blocks N (1 - exp(-n / N)) are distinct: 63.2 % when n = N; or every draw is
# another block, where each is taken once. Six standard deviations are allowed, and with n = N the
# 60 to 66 % of them that this makes sure of.
offsets "$work/many" -num_small 32 -duration 1.5 -seed 1
head -n 131072 "$work/many" | awk '
	!seen[$1]++ { distinct++ }
	$1 != int($1) || $1 < 0 || $1 >= 131072 { print "no block: " $1; exit 1 }
	END {
		if (NR < 2000) { print "only " NR " reads were seen"; exit 1 }
		blocks = 131072
		load = NR / blocks
		expected = blocks * (1 - exp(-load))
		apart = 6 * sqrt(blocks * exp(-load) * (1 - (1 + load) * exp(-load)))
		if (distinct != NR && (distinct < expected - apart || distinct > expected + apart)) {
			print distinct " distinct blocks of " NR " reads, expected " expected; exit 1
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
