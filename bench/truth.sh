#!/usr/bin/env bash
# usage: bench/truth.sh [--calib PATH] [--serve PATH] [--seconds S | --quick] [--only TEXT]
#
# Whether what calib reports is true: bench/truth.py with its devices, made for it and given back
# after it. These are ZRAM (1 GiB of random data), LOOP (the same over tmpfs), CGROUP (a blkio cgroup
# that throttles whoever is in it), and SCRATCH, a directory in memory. Needs root, cgroup v1's blkio,
# fio, and tests/tools/serve.c, which is built with the tests where libfuse3-dev is installed.
# SPDX-License-Identifier: MIT
set -euo pipefail

scratch=$(mktemp -d)
cgroup=/sys/fs/cgroup/blkio/calib-truth-$$
loop=
zram=

give_back() {
	local tries=100 # a program that was killed holds them until its last I/O has ended
	set +e
	[[ -z $loop ]] || losetup -d "$loop"
	if [[ -n $zram ]]; then
		until { echo 1 >"/sys/block/zram$zram/reset"; } 2>/dev/null || ((tries-- == 0)); do sleep 0.1; done
		echo "$zram" >/sys/class/zram-control/hot_remove
	fi
	[[ ! -d $cgroup ]] || rmdir "$cgroup"
	# the kernel gives a loop device's file back a little late
	! mountpoint -q "$scratch" || umount -l "$scratch"
	rmdir "$scratch"
}
trap give_back EXIT

random() { # NAME
	dd if=/dev/urandom of="$1" bs=1M count=1024 oflag=direct conv=notrunc status=none
}

mount -t tmpfs -o size=3G none "$scratch"
mkdir "$cgroup"
truncate -s 1G "$scratch/loop"
loop=$(losetup -f --show --direct-io=on "$scratch/loop")
zram=$(cat /sys/class/zram-control/hot_add)
echo 1G >"/sys/block/zram$zram/disksize"
random "$loop"
random "/dev/zram$zram"
export LOOP=$loop ZRAM=/dev/zram$zram CGROUP=$cgroup SCRATCH=$scratch
python3 "$(dirname "$0")/truth.py" "$@"
