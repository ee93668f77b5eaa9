#!/usr/bin/env bash
# B25: an ordinary user who may lock no memory gets his run, and the limit is named.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

prepare_user || skip "no ordinary user can run $work/calib"
calib=calib_as_user
mk image 16
mk a 16
make_loop image
chmod 444 a
make_node "$device" disk
chmod 444 disk
chmod 777 .

for locked in 0 65536; do
	launcher=(prlimit --memlock="$locked:$locked")
	for lun in a disk; do
		echo $lun >x.lun
		RD x
		ran_soundly 1
		# io_uring goes on without what it may not lock, or says that it cannot
		RD x -engine io_uring
		if ((status == 4)); then
			expect_err MEMLOCK
		else
			ran 1
			[[ $(result "$prefix" .settings.engine_reason) == *MEMLOCK* ]] ||
				fail_run "the limit is not named in '$(result "$prefix" .settings.engine_reason)'"
			all_files_sound
		fi
		point 64 4 x
		ran_soundly 1
	done
done

# root has no such limit, and there is nothing to say
calib=calib
launcher=(env)
RD x -engine io_uring
ran 1
[[ $(result "$prefix" .settings.engine_reason) != *MEMLOCK* ]] || fail_run "a limit that was none"
all_files_sound
