#!/usr/bin/env bash
# B43: where the disk is full the run goes on, the summary is printed, and no report is cut off.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
lun=$here/x.lun
echo "$T/a" >x.lun

# short TEXT...: the run went on and says which files are missing; what is there is complete
short() {
	local file
	expect_status 1
	expect_err "$@"
	expect_out "Maximum Small IOPS=" "Status: complete"
	[[ -z $(find full -name '*.tmp') ]] || fail_run "a file is left aside"
	for file in full/*_results.json; do
		[[ ! -e $file ]] || jq -e . "$file" >/dev/null || fail_run "$file is cut off"
	done
	for file in full/*_summary.txt; do
		[[ ! -e $file ]] || tail -c "$(stat -c %s "$file")" "$work/out" | cmp -s - "$file" ||
			fail_run "$file is cut off"
	done
}

if ((EUID == 0)) && mkdir full && mount -t tmpfs -o size=64k none full; then
	at_end umount "$here/full"
	head -c 1M /dev/zero >full/ballast 2>/dev/null || true
	refuses 2 "RD x -out full" "No space left on device" "'full/x_"
	[[ $(ls full) == ballast ]] || fail_run "a run that never began has left a file: $(ls full)"
	for room in 8k 16k 24k; do
		truncate -s 64k full/ballast
		head -c 1M /dev/zero >full/ballast 2>/dev/null || true
		truncate -s -$room full/ballast
		RD x -out full -lun "$lun"
		short "No space left on device" "'full/x_"
		rm full/x_*
	done
else
	skip_part "a tmpfs cannot be mounted here"
fi

# a name that leads to a full device is somebody's: left alone, and another one is taken
for minute in now '1 minute'; do
	ln -s /dev/full "x_$(date -d "$minute" +%Y%m%d_%H%M)_summary.txt"
done
RD x
expect_status 0
prefix=$(prefix_of x)
[[ $prefix =~ _[0-9]{6}$ ]] || fail_run "a prefix that was taken was used"
all_files_sound
for link in x_*_summary.txt; do
	[[ $(readlink "$link") == /dev/full ]] || fail_run "$link was replaced"
done
rm x_*

# report writes the reports of that prefix again: the link makes room, and is not followed
RD x
ran 1
rm "${prefix}_summary.txt"
ln -s /dev/full "${prefix}_summary.txt"
calib report "$prefix"
expect_status 0
[[ ! -L ${prefix}_summary.txt && -s ${prefix}_summary.txt ]] || fail_run "the summary is not a file"
check_run "$prefix"
rm x_2*

# standard output is a report as well
status=0
what="calib with standard output full"
"$CALIB" -run oltp -small_levels 2 -testname x -duration 0.1 -ramp 0 >/dev/full 2>"$work/err" ||
	status=$?
: >"$work/out"
expect_status 1
expect_err "standard output"
check_run "$(prefix_of x)"
