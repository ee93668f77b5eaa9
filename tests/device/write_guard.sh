#!/usr/bin/env bash
# What is in use is not written, under any of its names, whatever the options, and not a byte of it
# changes. SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

in_memory

free_file free 16
mkdir m

unmount() {
	umount "$here/m" 2>/dev/null || true
}
at_end unmount

# swap_on NAME: until swap_off
swap_on() {
	swapon "$1"
	swapped=$1
	at_end swap_off
}

swap_off() {
	[[ -z ${swapped:-} ]] || swapoff "$swapped" || true
	swapped=
}

# hold HOW NAME: start a process that has it open, mapped or leased; its number to $holder
hold() {
	python3 - "$@" >"$work/holder" <<-'PYTHON' &
		import fcntl, mmap, os, signal, sys
		how, name = sys.argv[1:]
		flags = os.O_RDWR if how in ("write", "map") else os.O_RDONLY
		fd = os.open(name, flags | (os.O_EXCL if how == "exclusive" else 0))
		if how == "map":
		    memory = mmap.mmap(fd, 4096)
		    os.close(fd)
		if how == "lease":
		    signal.signal(signal.SIGIO, signal.SIG_IGN)
		    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
		print("ready", flush=True)
		signal.pause()
	PYTHON
	holder=$!
	at_end let_go
	wait_for "$work/holder"
}

# wait_for FILE: until the process $holder has written something into it
wait_for() {
	until [[ -s $1 ]]; do
		kill -0 "$holder" || fail "the process that should use it has ended"
		sleep 0.02
	done
}

# swap_outs: pages that the kernel has ever swapped out
swap_outs() {
	awk '$1 == "pswpout" { print $2 }' /proc/vmstat
}

# never_written_swap ARGUMENT...: as never_written; once more where the kernel has swapped meanwhile,
# which it may do with memory to spare
never_written_swap() {
	local was
	for _ in {1..10}; do
		was=$(swap_outs)
		! (never_written "$@") >"$work/never" 2>&1 || return 0
		[[ $(swap_outs) != "$was" ]] || break
	done
	fail "$(<"$work/never")"
}

# ---- mounted, swapped on ----

# mounted TYPE: 'image' is of that type
mounted() {
	make_loop image
	mount -o ro -t "$1" "$device" m
	other_names "$device"
	never_written "$device" "$names" "mounted on '$here/m'" "$1"
	never_written image image "mounted on '$here/m'" "$1"
	unmount
	detach "$device"
	rm image
}
cp free image && mkfs.ext4 -q -F image
mounted ext4
make_small_xfs image
mounted xfs
cp free image && mkfs.btrfs -q -f -M image >/dev/null
mounted btrfs

# the second device of a file system that spans two
cp free image
cp free image2
make_loop image
first=$device
make_loop image2
second=$device
mkfs.btrfs -q -f -M "$first" "$second" >/dev/null
btrfs device scan "$first" "$second" >/dev/null
mount -o ro "$first" m
never_written "$first" "$first" "mounted on '$here/m'"
never_written "$second" "$second" "mounted on '$here/m'"
unmount
btrfs device scan --forget "$first" "$second" 2>/dev/null || true
detach "$first"
detach "$second"
rm image image2

cp free image && chmod 600 image && mkswap image &>/dev/null
make_loop image
swap_on "$device"
other_names "$device"
never_written_swap "$device" "$names" "swap"
never_written_swap image image "swap"
swap_off
detach "$device"
file=$work/swap # a tmpfs cannot be swapped to
cp --sparse=never image "$file"
chmod 600 "$file"
ln "$file" "$file.hard"
swap_on "$file"
never_written_swap "$file" "$file $file.hard" "swap"
swap_off
rm image "$file" "$file.hard"

# ---- another device lies on it ----

cp free image
make_loop image
lower=$device
never_written image image "loop device ${lower##*/}"
make_loop "$lower"
other_names "$lower"
never_written "$lower" "$names" "loop device ${device##*/}"
never_written image image "loop device ${lower##*/}" "loop device ${device##*/}"
detach "$device"
# a second one on the same file; then the first is mounted
mkfs.ext4 -q -F "$lower"
make_loop image
other_names "$device"
never_written "$device" "$names" "loop device ${lower##*/}"
mount -o ro "$lower" m
never_written "$device" "$device" "mounted on '$here/m'"
unmount
detach "$device"
detach "$lower"

# ---- partitions ----

cp free image
make_loop image
disk=$device
make_partition "$disk" 1 2048 16384
first=$device
make_partition "$disk" 2 20480 8192
second=$device
mkfs.ext4 -q -F "$first"
mount -o ro "$first" m
other_names "$disk"
never_written "$disk" "$names" "partition ${first##*/}" "mounted on '$here/m'"
other_names "$first"
never_written "$first" "$names" "mounted on '$here/m'"
unmount
hold read "$disk"
other_names "$first"
never_written "$first" "$names" "held open by process $holder"
let_go
hold read "$second"
other_names "$disk"
never_written "$disk" "$names" "${second##*/}" "held open by process $holder"
let_go
mkswap "$second" &>/dev/null
swap_on "$second"
never_written_swap "$disk" "$disk" "${second##*/}" "swap"
swap_off
# a neighbour is none of its business
dd if=free of="$first" bs=1M count=8 oflag=direct status=none
mkfs.ext4 -q -F "$second"
mount -o ro "$second" m
written_when_told "$first" "$first"
unmount
delete_partition "$disk" 1
delete_partition "$disk" 2
detach "$disk"

# ---- a process has it open ----

cp free image
ln image hard
limit=20 # a lease must not hang
for how in read write map lease; do
	hold $how hard
	case $how in
	read | write) never_written image image "held open by process $holder" "python" ;;
	map) never_written image image "held open" ;;
	lease) never_written image image "lease" ;;
	esac
	let_go
done
make_loop image
for how in read write map exclusive; do
	other_names "$device"
	hold $how node
	case $how in
	exclusive) never_written "$device" link "process $holder" ;;
	*) never_written "$device" "$names" "held open by process $holder" ;;
	esac
	let_go
done
hold read image # below the device
never_written "$device" "$device" "held open by process $holder"
let_go
detach "$device"
rm image hard

# a program that runs
cp "$(readlink -f "$(command -v sleep)")" image
head -c 1M free >>image
chmod +x image
./image 300 &
holder=$!
at_end let_go
never_written image image "is a program that runs"
let_go
rm image

# ---- the machine's own disk: nothing but the plan, and by the engine that does no I/O ----

root=$(findmnt -no SOURCE / | sed 's/\[.*//')
if [[ -b $root ]]; then
	other_names "$root"
	for name in $names; do
		echo "$name" >x.lun
		calib "${write_options[@]}" -overwrite -force -engine null -dry_run
		expect_err "'$name'"
		if head -c 512 "$root" >"$work/head" 2>/dev/null; then
			expect_status 3
			expect_err "mounted on" "whatever the options"
		else # a container's root may see its name, and no more
			expect_status 2
		fi
	done
else
	skip_part "the root file system is on '$root', which is no block device"
fi

# ---- read-only; twice in the list; one of two ----

cp free image
make_loop image -r
other_names "$device"
never_written "$device" "$names" "read-only"
detach "$device"
make_loop image
other_names "$device"
make_partition "$device" 1 2048 16384
disk=${device%p1}
sum=$(device_sum image)
for pair in "$disk image" "image $disk" "$disk node" "$disk $device" "$device $disk"; do
	tr ' ' '\n' <<<"$pair" >x.lun
	calib "${write_options[@]}" -overwrite -force
	expect_status 3
	expect_err "listed twice" "whatever the options"
done
as_it_was image "$sum"
delete_partition "$disk" 1
detach "$disk"
free_file other 8
make_loop other
printf 'image\nother\n' >x.lun
calib "${write_options[@]}" -overwrite -force
expect_status 3
expect_err "x.lun:2: 'other'" "loop device"
as_it_was image "$sum"
detach "$device"

# nothing of all that is left behind
! losetup -a | grep -F "$work" || fail "loop devices are left"
rm x.lun link node image other
[[ $(files_here) == $'./free\n./m' ]] || fail "files are left: $(files_here)"
