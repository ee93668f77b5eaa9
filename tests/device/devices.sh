# Sourced by every script of device/: real block devices, taken and given back.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

((EUID == 0)) || skip "devices need root"
device= # what the last of the following made
declare -A attached=() # loop devices that are still the script's own

random_file() { # NAME MIB
	head -c "$(($2 << 20))" /dev/urandom >"$1"
}

# settle: nobody else looks at a new device any more
settle() {
	if command -v udevadm >/dev/null; then udevadm settle || true; fi
}

# make_loop FILE ARGUMENT...: of losetup
make_loop() {
	local file=$1
	shift
	device=$(losetup -f --show --direct-io=on "$@" "$file" 2>"$work/losetup" ||
		losetup -f --show "$@" "$file" 2>>"$work/losetup") ||
		skip "no loop device: $(<"$work/losetup")"
	attached[$device]=yes
	at_end detach "$device"
	forget_the_last "$device"
	[[ " $* " == *" -r "* ]] || blockdev --setrw "$device"
	settle
}

# mount_memory: files in memory/ are fast, and may be sparse
mount_memory() {
	mkdir memory
	mount -t tmpfs none memory || skip "a tmpfs cannot be mounted here"
	at_end umount "$here/memory"
}

# make_memory_loop SIZE: on a sparse file in memory, so that any size can be had
make_memory_loop() {
	mount_memory
	truncate -s "$1" memory/file
	make_loop memory/file
}

# forget_the_last LOOP: the kernel keeps partitions, and whether it is read-only, of whoever had the
# number before and was killed
forget_the_last() {
	local part
	for part in "/sys/block/${1##*/}/${1##*/}p"*; do
		[[ ! -e $part ]] || delpart "$1" "$(<"$part/partition")"
	done
}

# detach LOOP: once, since its name may belong to somebody else then
detach() {
	[[ -v attached[$1] ]] || return 0
	unset "attached[$1]"
	losetup -d "$1" 2>/dev/null || true
}

# make_node DEVICE NAME: a second node of it
make_node() {
	local number
	number=$(cat "/sys/class/block/${1##*/}/dev")
	mknod "$2" b "${number%:*}" "${number#*:}"
}

# make_partition DISK NUMBER FIRST SECTORS: of 512 bytes; the kernel here does not look for them
make_partition() {
	addpart "$1" "$2" "$3" "$4"
	at_end delete_partition "$1" "$2"
	settle
	device=${1}p$2
	[[ -b $device ]] || make_node "$device" "$device"
}

delete_partition() { # DISK NUMBER, while the disk is attached
	[[ ! -v attached[$1] ]] || delpart "$1" "$2" 2>/dev/null || true
	[[ -e /sys/class/block/${1##*/}p$2 ]] || rm -f "${1}p$2"
}

# make_zram MIB: filled, since a page that was never written is read without work
make_zram() {
	local number control=/sys/class/zram-control
	[[ -e $control/hot_add ]] || modprobe zram 2>/dev/null || true
	number=$(cat $control/hot_add 2>/dev/null) || skip "no zram device: no $control/hot_add"
	at_end remove_zram "$number"
	echo "${1}M" >"/sys/block/zram$number/disksize"
	device=/dev/zram$number
	[[ -b $device ]] || mknod "$device" b "$(cut -d: -f1 "/sys/block/zram$number/dev")" \
		"$(cut -d: -f2 "/sys/block/zram$number/dev")"
	dd if=/dev/urandom of="$device" bs=1M count="$1" oflag=direct status=none
	settle
}

remove_zram() { # NUMBER
	local tries=100 # a program that was killed holds it until its last I/O has ended
	until { echo 1 >"/sys/block/zram$1/reset"; } 2>/dev/null || ((tries-- == 0)); do sleep 0.1; done
	echo "$1" >/sys/class/zram-control/hot_remove
}

# serve SIZE ARGUMENT...: ./served, a file of SIZE bytes with known service times, see tools/serve.c
serve() {
	[[ -x $TOOLS_DIR/serve ]] || skip "no $TOOLS_DIR/serve: libfuse3-dev was missing at the build"
	touch served
	mkfifo "$work/serve"
	"$TOOLS_DIR/serve" served "$@" -l "$work/served" >"$work/serve" 2>"$work/serve_err" &
	server=$!
	at_end stop_serving
	read -r _ <"$work/serve" || skip "no FUSE file system: $(<"$work/serve_err")"
}

# stop_serving: then $work/served has a line for each I/O
stop_serving() {
	[[ -v server ]] || return 0
	kill "$server" 2>/dev/null || true
	wait "$server" || true
	unset server
	rm "$work/serve"
}

# device_reads DEVICE: requests completed and merged, and sectors, since it was made
device_reads() {
	local ios merges sectors
	read -r ios merges sectors _ <"/sys/class/block/${1##*/}/stat"
	echo "$((ios + merges)) $sectors"
}

# device_counts DEVICE: the same, then those of the writes
device_counts() {
	local ios merges sectors writes write_merges write_sectors
	read -r ios merges sectors _ writes write_merges write_sectors _ \
		<"/sys/class/block/${1##*/}/stat"
	echo "$((ios + merges)) $sectors $((writes + write_merges)) $write_sectors"
}

# expect_counted LUN INDEX AT: what the kernel counted between $was and $is, reads (AT is 0) or
# writes (2), is what was issued to it
expect_counted() {
	local way="read" ios=$((is[$3] - was[$3])) sectors=$((is[$3 + 1] - was[$3 + 1])) issued
	(($3 == 0)) || way="write"
	issued=$(result "$prefix" ".luns[$2].issued.${way}_bytes / 512")
	[[ $issued == "$sectors" ]] ||
		fail_run "$1: the kernel counted $sectors sectors of ${way}s, issued were $issued"
	[[ $(result "$prefix" '[.points[].large] | max') == 0 ]] || return 0
	issued=$(result "$prefix" ".luns[$2].issued.${way}s")
	[[ $issued == "$ios" ]] || fail_run "$1: the kernel counted $ios ${way}s, issued were $issued"
}

# measure ARGUMENT...: run calib on x.lun to its end; what the block devices of the list counted
# meanwhile, as this script reads it, is what calib says it issued to them
measure() {
	local lun index=0
	local -a was is
	local -A counts=()
	while read -r lun; do
		if [[ -b $lun ]]; then counts[$lun]=$(device_counts "$lun"); fi
	done <x.lun
	calib "$@" -testname x
	expect_status 0
	prefix=$(prefix_of x)
	while read -r lun; do
		if [[ -b $lun ]]; then
			read -r -a was <<<"${counts[$lun]}"
			read -r -a is <<<"$(device_counts "$lun")"
			expect_counted "$lun" $index 0
			expect_counted "$lun" $index 2
		fi
		index=$((index + 1))
	done <x.lun
	check_last x --kernel
}

# measure_everything: each run type that is quick enough, each matrix, each engine
measure_everything() {
	local engine short
	for engine in io_uring libaio psync; do
		short=(-engine "$engine" -duration 60ms -ramp 20ms)
		measure "${short[@]}" -run simple -num_disks 1 -threads 3
		measure "${short[@]}" -run dss -large_levels 1,5
		measure "${short[@]}" -run advanced -matrix row -num_large 0 -small_levels 1,16,256 -threads 2
		measure "${short[@]}" -run advanced -matrix point -num_small 1 -num_large 1 -threads 5
		measure "${short[@]}" -run advanced -matrix detailed -small_levels 0,5 -large_levels 0,2
		[[ $engine != psync ]] || continue # the rest shows nothing more about an engine
		measure "${short[@]}" -run basic
		measure "${short[@]}" -run normal -small_levels 0,2,5 -large_levels 0,1,2 -type rand
		measure "${short[@]}" -run oltp -small_levels 1,64
		short+=(-run advanced)
		measure "${short[@]}" -matrix basic -small_levels 2,9 -large_levels 3
		measure "${short[@]}" -matrix col -num_small 1 -large_levels 0,2 -repeat 2
		measure "${short[@]}" -matrix max -num_small 1 -num_large 1 -size_small 16 -size_large 256
	done
}

# peak_of ARGUMENT...: $peak gets what calib, run to its end, had in memory at most, in KiB
peak_of() {
	calib "$@"
	expect_status 0
	# shellcheck disable=SC2034 # for the script
	peak=$(
		python3 - "$CALIB" "$@" <<-'PYTHON'
			import resource, subprocess, sys
			subprocess.run(sys.argv[1:], check=True, capture_output=True)
			print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
		PYTHON
	)
}
