#!/usr/bin/env bash
# Uses of a device that are hard to see: threads, mappings, io_uring, containers, a loop device
# without a node, partitions without a table, files of overlayfs. None of them is written.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

free_file image 16
make_loop image
disk=$device
echo "$disk" >x.lun
sum=$(device_sum "$disk")
dd if="$disk" of="$work/first" bs=4096 count=1 status=none

at_end let_go
holder_launcher=(env)

# held HOW [NAME]: by a process outside
held() {
	: >"$work/ready"
	"${holder_launcher[@]}" "$TOOLS_DIR/hold_open" "$1" "${2:-$disk}" >"$work/ready" &
	holder=$!
	until [[ -s $work/ready ]]; do
		kill -0 "$holder" || fail "hold_open $1 has ended"
		sleep 0.02
	done
}

for how in open map ring own-table dead-leader dead-leader-map; do
	held $how
	refuses_writing -overwrite -force
	expect_err "held open by process $holder (hold_open)"
	as_it_was "$disk" "$sum"
	let_go
done

# What a ring has is told by name. One that begins above the root of its process: chrooted, in a
# mount namespace of its own.
mkdir jail
cat >"$work/jailed" <<-SCRIPT
	mount --rbind / jail
	mount -t tmpfs none jail/dev
	mknod jail/dev/lun b $(tr : ' ' <"/sys/class/block/${disk##*/}/dev")
	exec chroot jail "\$@"
SCRIPT
holder_launcher=(unshare --mount sh "$work/jailed")
held ring /dev/lun
refuses_writing -overwrite -force
expect_err "held open by process $holder (hold_open)"
holder_launcher=(env)
as_it_was "$disk" "$sum"
let_go

# One that leads nowhere any more: of a node that was removed, or whose file system was unmounted.
in_ring="cannot find out which files process"
mkdir dev gone
make_node "$disk" dev/lun
held ring dev/lun
rm dev/lun
refuses_writing -overwrite
expect_err "$in_ring $holder (hold_open)"
let_go
mount -t tmpfs none gone
make_node "$disk" gone/lun
held ring gone/lun
umount -l gone
refuses_writing -overwrite
expect_err "$in_ring $holder (hold_open)"
let_go
as_it_was "$disk" "$sum"

# And that of an image that was deleted.
free_file unlinked 16
make_loop unlinked
held ring unlinked
rm unlinked
echo "$device" >x.lun
image_sum=$(device_sum "$device")
refuses_writing -overwrite -force
expect_err "$here/unlinked (deleted)' is held open by process $holder (hold_open)"
as_it_was "$device" "$image_sum"
let_go
detach "$device"
echo "$disk" >x.lun

# Where a filter does not know statx(), another call tells.
for code in EPERM ENOSYS EACCES; do
	held open
	launcher=("$TOOLS_DIR/refuse_calls" "statx=$code" --)
	refuses_writing -overwrite
	[[ $code == EACCES ]] || expect_err "held open by process $holder (hold_open)"
	launcher=(env)
	let_go
	as_it_was "$disk" "$sum"
done

# Somebody who holds it open may be about to write: what it carries is looked at again.
held mark
refuses_writing -overwrite
expect_err "XFS"
let_go
dd if="$work/first" of="$disk" bs=4096 count=1 oflag=direct conv=notrunc status=none
as_it_was "$disk" "$sum"

# In a container the processes outside do not show.
held open
launcher=(unshare --pid --fork --mount-proc)
refuses_writing -overwrite
expect_err "cannot see which processes have it open"
launcher=(env)
let_go
as_it_was "$disk" "$sum"

# With only some of root's rights, descriptors and mappings cannot be followed.
for pair in open:sys_ptrace map:sys_admin,-checkpoint_restore; do
	held "${pair%%:*}"
	launcher=(setpriv --bounding-set="-${pair#*:}" --inh-caps="-${pair#*:}")
	refuses_writing -overwrite
	expect_err "cannot see which processes have it open"
	launcher=(env)
	let_go
	as_it_was "$disk" "$sum"
done

# A loop device on the LUN whose node is not here: what it lies on cannot be asked for.
make_loop "$disk"
numbers=$(cat "/sys/class/block/${disk##*/}/dev")
cat >"$work/without_nodes" <<-SCRIPT
	mount -t tmpfs none /dev
	mknod /dev/null c 1 3
	mknod /dev/lun b ${numbers%:*} ${numbers#*:}
	exec "\$@"
SCRIPT
echo /dev/lun >x.lun
launcher=(unshare --mount sh "$work/without_nodes")
refuses_writing -overwrite
expect_err "cannot find out what lies below loop device"
launcher=(env)
detach "$device"
as_it_was "$disk" "$sum"
echo "$disk" >x.lun

# The kernel knows partitions, and the disk shows no table.
make_partition "$disk" 1 2048 8192
refuses_writing -overwrite
expect_err "has 1 partition"
delete_partition "$disk" 1
as_it_was "$disk" "$sum"

# A file of overlayfs is another one below.
mkdir lower upper work merged
if mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged 2>"$work/mount"; then
	at_end umount "$here/merged"
	free_file merged/file 16
	file_sum=$(device_sum upper/file)
	echo merged/file >x.lun
	refuses_writing -overwrite
	expect_err "overlayfs"
	as_it_was upper/file "$file_sum"
	# also below a loop device, where its name leads elsewhere by now, or nowhere
	make_loop merged/file
	echo "$device" >x.lun
	mount -t tmpfs none merged
	refuses_writing -overwrite
	expect_err "is on overlayfs"
	umount merged
	rm merged/file
	refuses_writing -overwrite
	expect_err "is on overlayfs"
	detach "$device"
else
	skip_part "overlayfs: $(<"$work/mount")"
fi

# What calib says itself would go onto the LUN, also where it only reads.
echo "$disk" >x.lun
before=$(files_here)
for fd in 0 1 2; do
	status=0
	case $fd in
	0) "$CALIB" -run simple -duration 50ms -testname x <"$disk" >"$work/out" 2>"$work/err" || status=$? ;;
	1) "$CALIB" -run simple -duration 50ms -testname x 1<>"$disk" 2>"$work/err" || status=$? ;;
	*) "$CALIB" -run simple -duration 50ms -testname x >"$work/out" 2<>"$disk" || status=$? ;;
	esac
	[[ $status == 2 ]] || fail "exit status $status with the LUN as descriptor $fd"
	expect_unchanged "$before"
	as_it_was "$disk" "$sum"
done

# Nor onto what the LUN lies on, a part of it, or what lies on it.
make_loop "$disk"
upper=$device
make_partition "$disk" 1 2048 8192
for name in image "$upper" "${disk}p1"; do
	sum_before=$(device_sum image)
	status=0
	"$CALIB" -run simple -duration 50ms -testname x 1<>"$name" 2>"$work/err" || status=$?
	what="calib with standard output on $name"
	expect_status 2
	expect_err "is this program's standard output"
	as_it_was image "$sum_before"
done
delete_partition "$disk" 1
detach "$upper"

# ten_runs: each writes, and goes well
ten_runs() {
	for _ in {1..10}; do
		calib "${write_options[@]}" -overwrite
		expect_status 0
		rm x_2*
	done
}

# What follows hides nothing; it is the last, since the LUN is written: a process that makes io_urings
# meanwhile, and keeps no file there; one with a ring that is hardly ever idle; one whose ring has a
# temporary file.
free_file unlinked 1
for how in rings busy-ring ring; do
	held $how unlinked
	[[ $how != ring ]] || rm unlinked
	ten_runs
	let_go
done

# Nor does another calib, whose rings are hardly ever idle.
mkdir beside
free_file beside/file 16
echo file >beside/y.lun
(cd beside && exec "$CALIB" -run advanced -matrix point -num_small 1000 -num_large 0 -threads 8 -duration 60 \
	-testname y -quiet >out 2>err) &
holder=$!
until compgen -G 'beside/y_*_points.jsonl' >"$work/ready"; do
	kill -0 "$holder" || fail "the other calib has ended: $(<beside/err)"
	sleep 0.02
done
ten_runs
let_go

# No file of overlayfs: one whose name is gone, on btrfs, which gives each subvolume a number that no
# table has. And a limit on the size of files is none on that of a LUN.
free_file pool 128
mkfs.btrfs -q -f -M pool
make_loop pool
pool=$device
mkdir mounted
mount "$pool" mounted
at_end umount "$here/mounted"
free_file mounted/image 16
make_loop mounted/image
rm mounted/image
echo "$device" >x.lun
launcher=(prlimit --fsize=8388608:unlimited)
calib "${write_options[@]}" -overwrite
expect_status 0
launcher=(env)
detach "$device"
