#!/usr/bin/env bash
# B07: a directory, a character device, a FIFO or a socket is no LUN, and says so at once.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

limit=20 # a FIFO must not hang
mk a 2
mkdir directory
mkfifo fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
ln -s fifo link

for pair in "$T:directory" "$T/directory/:directory" "/dev/null:character device" \
	"/dev/zero:character device" "/dev/full:character device" "/dev/tty:character device" \
	"fifo:FIFO" "link:FIFO" "socket:socket" "/dev:directory"; do
	printf 'a\n%s\n' "${pair%:*}" >x.lun
	for command in "RD x" "LG x -dry_run" "WR x -overwrite -force"; do
		refuses 2 "$command" "x.lun:2:" "'${pair%:*}'" "${pair#*:}"
	done
done

# nor is a file whose size says nothing
for name in /proc/kcore /proc/self/mem /proc/version /sys/kernel/notes; do
	[[ ! -e $name ]] || {
		echo "$name" >x.lun
		refuses 2 "RD x" "x.lun:1:" "'$name'"
	}
done
