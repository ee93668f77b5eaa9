#!/usr/bin/env bash
# B17: each part of a very large LUN gets its share, to the end.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"
# shellcheck source=tests/device/trace.sh
. "$SOURCE_DIR/tests/device/trace.sh"

check=(--kernel)

make_memory_loop 17T
echo "$device" >x.lun

# spread SECTORS: of one request; 16 equal parts of the device get 5 to 7.5 % of them each, and
# where there are few, what five standard deviations allow
spread() {
	awk -v sectors=$((17 << 31)) -v size="$1" '
		$3 != size { next }
		{ part[int($2 / (sectors / 16))]++; n++; odd += $2 % size; if ($2 > last) last = $2 }
		END {
			if (n < 100) { print "only " n " requests were seen"; exit 1 }
			apart = 5 * sqrt(n * 15) / 16
			low = n * 0.05; high = n * 0.075
			if (n / 16 - apart < low) low = n / 16 - apart
			if (n / 16 + apart > high) high = n / 16 + apart
			for (i = 0; i < 16; i++)
				if (part[i] < low || part[i] > high) {
					print "part " i " of 16 has " part[i] " of " n; exit 1
				}
			if (odd) { print "offsets that are not aligned"; exit 1 }
			if (last * 512 <= 16 * 2^40) { print "nothing beyond 16 TiB"; exit 1 }
		}' "$work/trace" || fail_run "not spread over the LUN"
}

trace_begin "$device"
point 32 0 x -seed 1
trace_end "$work/trace"
spread 16
ran 1
all_files_sound

trace_begin "$device"
point 0 16 x -seed 2 -type rand -size_large 32
trace_end "$work/trace"
spread 64
ran 1
all_files_sound

# streams: each in its own part of the device
trace_begin "$device"
point 0 16 x -seed 3 -num_streamIO 1 -size_large 32
trace_end "$work/trace"
awk -v sectors=$((17 << 31)) '$3 == 64 { part[int($2 / (sectors / 16))] = 1 }
	END { for (i = 0; i < 16; i++) if (!part[i]) { print "no stream in part " i; exit 1 } }' \
	"$work/trace" || fail_run "16 streams are not in 16 parts"
ran 1
all_files_sound
