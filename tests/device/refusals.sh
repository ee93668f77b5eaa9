# Sourced after devices.sh by scripts that try to write what must not be written.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # status, what, work and here, of lib.sh

# in_memory: the current directory is a tmpfs from here on, where that takes direct I/O: a refused run
# looks at many places of a LUN, and there are hundreds of such runs
in_memory() {
	mount -t tmpfs none "$here" || return 0
	at_end umount -R -l "$here"
	cd "$here" || exit
	head -c 4096 /dev/zero >try
	dd if=try of=/dev/null bs=4096 iflag=direct status=none 2>/dev/null || {
		cd / || exit
		umount "$here"
		cd "$here" || exit
	}
	rm -f try
}

write_options=(-run advanced -matrix point -num_small 2 -num_large 0 -duration 50ms -ramp 0 -testname x
	-write 100)

# make_small_xfs NAME: of 16 MiB, which mkfs.xfs does not make willingly
make_small_xfs() {
	free_file "$1" 16
	mkfs.xfs -q -f --unsupported "$1" 2>"$work/mkfs" || fail "$(<"$work/mkfs")"
}

# let_go: end the process $holder, which uses a device
let_go() {
	[[ -z ${holder:-} ]] || {
		kill "$holder" 2>/dev/null
		wait "$holder" 2>/dev/null
	} || true
	holder=
	rm -f "$work/holder"
}

# put FILE OFFSET BYTES: with escapes of printf
put() {
	# shellcheck disable=SC2059
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# other_names DEVICE: sets $names to it, a second node and a symbolic link
other_names() {
	rm -f node link
	make_node "$1" node
	ln -s "$1" link
	names="$1 node link"
}

# device_sum NAME: of the bytes of a device or file, as they are on the storage
device_sum() {
	if [[ -b $1 ]]; then blockdev --flushbufs "$1"; else sync "$1"; fi
	dd if="$1" iflag=direct bs=1M status=none | sha256sum
}

# refuses_writing ARGUMENT...: x.lun's LUN is not written, its line and the last one say so, and no
# file comes or goes
refuses_writing() {
	local before lun
	before=$(files_here)
	calib "${write_options[@]}" "$@"
	expect_status 3
	[[ ! -s $work/out ]] || fail_run "output of a run that was refused"
	read -r lun <x.lun
	grep -qF "calib: x.lun:1: '$lun'" "$work/err" || fail_run "'$lun' is not named"
	tail -n 1 "$work/err" | grep -q '^calib: nothing was written' ||
		fail_run "the last line does not say that nothing was written"
	expect_unchanged "$before"
}

# as_it_was NAME SUM: device_sum gives what it gave before the runs
as_it_was() {
	[[ $(device_sum "$1") == "$2" ]] || fail "'$1' was changed by: $what, or one before it"
}

# never_written STORAGE "NAME..." TEXT...: as each of these LUNs it is refused whatever the options,
# for reasons that have the texts in them, and stays as it is
never_written() {
	local storage=$1 names=$2 sum name options
	shift 2
	sum=$(device_sum "$storage")
	for name in $names; do
		echo "$name" >x.lun
		for options in "" -overwrite -force "-overwrite -force"; do
			# shellcheck disable=SC2086 # two options
			refuses_writing $options
			expect_err "$@" "whatever the options"
		done
	done
	as_it_was "$storage" "$sum"
}

# forced_only STORAGE NAME TEXT...: as this LUN it is refused and stays as it is, and is written with
# -overwrite and -force
forced_only() {
	local storage=$1 sum options
	echo "$2" >x.lun
	shift 2
	sum=$(device_sum "$storage")
	for options in "" -overwrite -force; do
		# shellcheck disable=SC2086 # none or one
		refuses_writing $options
		expect_err "$@"
		[[ $options == -force ]] || expect_err "-force"
		[[ $options == -overwrite ]] || expect_err "-overwrite"
	done
	as_it_was "$storage" "$sum"
	calib "${write_options[@]}" -overwrite -force
	really_written "$storage" "$sum"
}

# written_when_told STORAGE NAME: nothing speaks against it; with -overwrite it is written
written_when_told() {
	local sum options
	echo "$2" >x.lun
	sum=$(device_sum "$1")
	for options in "" -force; do
		# shellcheck disable=SC2086 # none or one
		refuses_writing $options
		expect_err "would be overwritten" "-overwrite"
	done
	as_it_was "$1" "$sum"
	calib "${write_options[@]}" -overwrite
	really_written "$1" "$sum"
}

# really_written STORAGE SUM: by the last run, whose files agree
really_written() {
	expect_status 0
	[[ $(device_sum "$1") != "$2" ]] || fail_run "'$1' was not written"
	[[ $(result "$(prefix_of x)" '.issued.writes > 0') == true ]] || fail_run "no writes in the result"
	check_last x
}
