#!/usr/bin/env bash
# An engine that the machine does not allow: auto takes the next and says why, a named one fails.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

random_file data 8
echo data >x.lun
run=(-run simple -num_disks 1 -duration 50ms -ramp 0 -testname x)
disabled=/proc/sys/kernel/io_uring_disabled
aio_max=/proc/sys/fs/aio-max-nr
[[ -w $disabled ]] || skip "this kernel has no kernel.io_uring_disabled"

set_sysctl() { # FILE VALUE
	echo "$2" >"$1"
}
at_end set_sysctl $disabled "$(<$disabled)"
at_end set_sysctl $aio_max "$(<$aio_max)"

# fails_with TEXT... : exit status 4 before any I/O, and no file
fails_with() {
	local before
	before=$(files_here)
	calib "${run[@]}" -engine "$engine"
	refused 4 "$@"
	expect_unchanged "$before"
	calib "${run[@]}" -engine "$engine" -dry_run
	refused 4 "$@"
}

any='(io_uring|libaio|psync)' # whichever is the soonest here

# takes ENGINE TEXT: auto does so, and gives this reason in every place
takes() {
	calib "${run[@]}"
	expect_status 0
	prefix=$(prefix_of x)
	[[ $(result "$prefix" .settings.engine) =~ ^$1$ ]] || fail_run "the engine is not $1"
	expect_out "Engine: $(result "$prefix" .settings.engine) ("
	[[ $(result "$prefix" .settings.engine_reason) == *"$2"* ]] || fail_run "no '$2' in the reason"
	grep '^Engine: ' "$work/out" | grep -qF "$2" || fail_run "no '$2' in the line of the engine"
	check_last x
}

takes $any auto
set_sysctl $disabled 2
takes '(libaio|psync)' io_uring
takes '(libaio|psync)' "Operation not permitted"
takes '(libaio|psync)' "kernel.io_uring_disabled"
engine=io_uring
fails_with io_uring "Operation not permitted"

set_sysctl $aio_max 0
engine=libaio
fails_with libaio fs.aio-max-nr
takes psync io_uring
takes psync libaio
takes psync fs.aio-max-nr

set_sysctl $disabled 0
takes $any auto
engine=libaio
fails_with libaio fs.aio-max-nr
