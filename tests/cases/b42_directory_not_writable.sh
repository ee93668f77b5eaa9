#!/usr/bin/env bash
# B42: an output directory that cannot be written is an error before any I/O.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

prepare_user || skip "no ordinary user can run $CALIB"
mk a 16
chmod 644 a
mkdir ro open
chmod 777 open
echo "$T/a" | tee ro/x.lun >open/x.lun
chmod 555 ro
at_end chmod 755 "$here/ro"
calib=calib_as_user

cd ro
refuses 2 "RD x" "'.'" "Permission denied"
refuses 2 "GRID x" "'.'" "Permission denied"
RD x -dry_run
expect_status 2
messages 1 "'.'" "Permission denied"
refuses 2 "RD x -quiet -json" "'.'" "Permission denied"
# elsewhere it may
RD x -out "$here/open"
expect_status 0
check_run "$(prefix_of "$here/open/x")" --stdout "$work/out" --stderr "$work/err"
cd ..
rm open/x_*
for where in "ro" "$here/ro" "ro/sub" "ro/sub/sub"; do
	refuses 2 "RD x -lun open/x.lun -out $where" "ro" "Permission denied"
done
refuses 2 "RD ro/x" "'ro'" "Permission denied"

# directories that were made for a run that never began do not stay
cd open
launcher=(prlimit --fsize=0)
before=$(files_here)
RD x -out new/dir
[[ $status != 0 ]] || fail_run "a run without room for its ledger"
expect_unchanged "$before"
launcher=(env)
cd ..

# nor on a file system mounted for reading
if ((EUID == 0)) && mkdir memory && mount -t tmpfs -o ro none memory; then
	at_end umount "$here/memory"
	calib=calib
	refuses 2 "RD x -lun open/x.lun -out memory" "'memory'" "Read-only file system"
	refuses 2 "RD x -lun open/x.lun -out memory/sub" "memory" "Read-only file system"
else
	skip_part "a tmpfs cannot be mounted here"
fi
