#!/usr/bin/env bash
# A LUN of 17 TiB is read from end to end, and 64 LUNs are one volume; neither takes much memory.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

point=(-run advanced -matrix point -testname x)

mkdir memory
mount -t tmpfs none memory || skip "a tmpfs cannot be mounted here"
at_end umount "$here/memory"
truncate -s 1G memory/small
truncate -s 17T memory/large
make_loop memory/small
small=$device
make_loop memory/large
large=$device

# the kernel tells where reads go to
trace_reads() {
	mkdir tracing
	mount -t tracefs none tracing 2>/dev/null || return 1
	at_end umount "$here/tracing"
	mkdir tracing/instances/calib-test-$$ || return 1
	at_end rmdir "$here/tracing/instances/calib-test-$$"
	trace=$here/tracing/instances/calib-test-$$
	echo 16384 >"$trace/buffer_size_kb"
	numbers=$(cat "/sys/block/${large##*/}/dev")
	echo "dev == $((${numbers%:*} << 20 | ${numbers#*:}))" >"$trace/events/block/block_bio_queue/filter"
	echo 1 >"$trace/events/block/block_bio_queue/enable"
}

# each of 16 equal parts has its share of the reads, by five standard deviations
spread_evenly() {
	sed -n 's/.* block_bio_queue: [0-9,]* R[A-Z]* \([0-9]*\) + 16 .*/\1/p' "$trace/trace" |
		awk -v sectors=$((17 << 31)) '
			{ part[int($1 / (sectors / 16))]++; odd += $1 % 16; if ($1 > last) last = $1 }
			END {
				if (NR < 1000) { print "only " NR " reads were seen"; exit 1 }
				apart = 5 * sqrt(NR * 15) / 16
				for (i = 0; i < 16; i++)
					if (part[i] < NR / 16 - apart || part[i] > NR / 16 + apart) {
						print "part " i " of 16 has " part[i] " of " NR " reads"; exit 1
					}
				if (odd) { print "offsets that are not aligned"; exit 1 }
				if (last * 512 < 16 * 2^40) { print "nothing beyond 16 TiB"; exit 1 }
			}' || fail_run "the reads are not spread over the LUN"
}

echo "$large" >x.lun
if trace_reads; then
	calib "${point[@]}" -num_small 32 -num_large 0 -duration 1 -ramp 0 -seed 1
	expect_status 0
	echo 0 >"$trace/events/block/block_bio_queue/enable"
	spread_evenly
	check_last x --kernel
else
	skip_part "no block events of tracefs"
fi

# memory does not grow with the LUN
short=("${point[@]}" -num_small 64 -num_large 2 -duration 0.2 -ramp 0)
peak_of "${short[@]}"
of_large=$peak
echo "$small" >x.lun
peak_of "${short[@]}"
of_small=$peak
((of_large <= of_small * 110 / 100 + 1024)) ||
	fail "$of_large KiB of memory for 17 TiB, $of_small KiB for 1 GiB"
rm x_*

# 64 LUNs: all get their share
calib mklun -testname x2 -size 1M -count 64
expect_status 0
for engine in io_uring libaio; do
	calib "${point[@]}" -lun x2.lun -num_small 128 -num_large 2 -type rand -duration 0.5 -ramp 0 \
		-engine $engine
	expect_status 0
	expect_out "64 files found."
	[[ $(result "$(prefix_of x)" '.points[0].classes.small_read.luns | length') == 64 ]] ||
		fail_run "not all 64 LUNs were read"
	check_last x
done

# a limit of descriptors is raised where that is allowed, else it is an error before any I/O
launcher=(prlimit --nofile=24:1024)
calib "${point[@]}" -lun x2.lun -num_small 8 -num_large 0 -duration 0.1 -ramp 0
expect_status 0
expect_out "64 files found."
check_last x
launcher=(prlimit --nofile=24:24)
before=$(files_here)
calib "${point[@]}" -lun x2.lun -num_small 8 -num_large 0 -duration 0.1 -ramp 0
refused 2 "64 LUNs" "descriptors" "the limit is 24"
expect_unchanged "$before"
