#!/usr/bin/env bash
# usage: bench/devices.sh COMMAND...
#
# Runs COMMAND with the devices of the speed bars in its environment, made for it and given back
# after it, all filled with random data: LOOP (a loop device over tmpfs), ZRAM, EXT4 (a file on ext4
# on another such loop device), each of 1 GiB, and FILE, 4 GiB in BENCH_DIR (default: a directory in
# the file system of TMPDIR). Needs root. SPDX-License-Identifier: MIT
set -euo pipefail

memory=$(mktemp -d)
files=$(mktemp -d -p "${BENCH_DIR:-${TMPDIR:-/tmp}}")
loops=()
zram=

give_back() {
	local loop
	mountpoint -q "$memory/ext4" && umount "$memory/ext4"
	for loop in "${loops[@]}"; do losetup -d "$loop"; done
	if [[ -n $zram ]]; then
		echo 1 >"/sys/block/zram$zram/reset"
		echo "$zram" >/sys/class/zram-control/hot_remove
	fi
	# the kernel gives a loop device's file back a little late
	mountpoint -q "$memory" && umount -l "$memory"
	rmdir "$memory"
	rm -rf "$files"
}
trap give_back EXIT

random() { # NAME MIB
	dd if=/dev/urandom of="$1" bs=1M count="$2" oflag=direct conv=notrunc status=none
}

mount -t tmpfs -o size=3G none "$memory"
truncate -s 1G "$memory/loop"
truncate -s 1200M "$memory/disk"
loops+=("$(losetup -f --show --direct-io=on "$memory/loop")")
export LOOP=${loops[0]}
random "$LOOP" 1024
loops+=("$(losetup -f --show --direct-io=on "$memory/disk")")
mkfs.ext4 -q "${loops[1]}"
mkdir "$memory/ext4"
mount "${loops[1]}" "$memory/ext4"
export EXT4=$memory/ext4/file
truncate -s 1G "$EXT4"
random "$EXT4" 1024
zram=$(cat /sys/class/zram-control/hot_add)
echo 1G >"/sys/block/zram$zram/disksize"
export ZRAM=/dev/zram$zram
random "$ZRAM" 1024
export FILE=$files/file
truncate -s 4G "$FILE"
random "$FILE" 4096
sync "$FILE"
"$@"
