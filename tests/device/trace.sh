# Sourced after devices.sh by scripts that ask the kernel where a device is read and written.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # here, of lib.sh

# trace_begin DEVICE: from now on its I/Os are kept, by the block events of tracefs; skips the whole
# script where there are none
trace_begin() {
	local numbers
	if [[ ! -d $work/tracing ]]; then
		mkdir "$work/tracing"
		mount -t tracefs none "$work/tracing" || skip "no tracefs, for the kernel's block events"
		at_end umount "$work/tracing"
		trace=$work/tracing/instances/calib-test-$$
		mkdir "$trace" || skip "no instance of tracefs"
		at_end rmdir "$trace"
		echo 32768 >"$trace/buffer_size_kb"
	fi
	numbers=$(cat "/sys/class/block/${1##*/}/dev")
	echo "dev == $((${numbers%:*} << 20 | ${numbers#*:}))" \
		>"$trace/events/block/block_bio_queue/filter"
	echo >"$trace/trace"
	echo 1 >"$trace/events/block/block_bio_queue/enable"
}

# trace_end FILE: gets a line for each I/O of the program, in the order of submission: R or W, its
# first sector, how many
trace_end() {
	echo 0 >"$trace/events/block/block_bio_queue/enable"
	! grep -qE 'overrun: [1-9]' "$trace"/per_cpu/cpu*/stats || fail "the trace has lost events"
	sed -nE 's/.* block_bio_queue: [0-9,]+ ([RW])[A-Z]* ([0-9]+) \+ ([0-9]+) .*/\1 \2 \3/p' \
		"$trace/trace" >"$1"
}
