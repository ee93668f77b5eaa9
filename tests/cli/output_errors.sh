#!/usr/bin/env bash
# An output that cannot be written is a failure, says so, costs nothing else, and leaves no file
# that is cut off. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname x -size 16M >/dev/null
lun=$here/x.lun
run=(-engine null -run simple -duration 50ms -ramp 0 -testname x -lun "$lun")

# whole DIRECTORY: no file aside, and what is there under a final name is complete
whole() {
	local file
	[[ -z $(find "$1" -name '*.tmp') ]] || fail_run "a file is left aside: $(ls "$1")"
	for file in "$1"/*_results.json; do
		[[ ! -e $file ]] || jq -e .warnings "$file" >/dev/null || fail_run "$file is cut off"
	done
	for file in "$1"/*_summary.txt; do
		[[ ! -e $file ]] || tail -c "$(stat -c %s "$file")" "$work/out" | cmp -s - "$file" ||
			fail_run "$file is cut off"
	done
}

# the size of a file is limited: no room for the JSON document, but for the matrices
mkdir small
calib_limited() {
	(
		ulimit -f 6
		calib "$@"
		echo "$status" >"$work/status"
	)
	status=$(<"$work/status")
	what="calib $* (ulimit -f 6)"
}
calib_limited "${run[@]}" -out small -quiet
expect_status 1
expect_err "_results.json'" "File too large" "_points.jsonl'"
expect_out "Maximum Small IOPS=" "Total Data Points: 8" "Status: complete"
whole small
[[ ! -e $(echo small/*_results.json) ]] || fail_run "a results.json of more than the limit"
for file in small/*_iops.csv small/*_mbps.csv small/*_lat.csv; do
	[[ -s $file ]] || fail_run "the other reports were not written: $(ls small)"
done

# a file system without room
if ((EUID == 0)) && mkdir full && mount -t tmpfs -o size=64k none full; then
	at_end umount "$here/full"
	head -c 1M /dev/zero >full/ballast 2>/dev/null || true
	calib "${run[@]}" -out full
	refused 2 "No space left on device" "'full/x_"
	[[ $(ls full) == ballast ]] || fail_run "a run that never began has left a file: $(ls full)"
	truncate -s -16k full/ballast
	calib "${run[@]}" -out full
	expect_status 1
	expect_err "No space left on device" "'full/x_"
	expect_out "Maximum Small IOPS=" "Total Data Points: 8"
	whole full
else
	skip_part "a tmpfs cannot be mounted here"
fi

# the output directory goes away while the run goes on
(
	until compgen -G 'gone/*.jsonl' >/dev/null; do sleep 0.02; done
	rm -r gone
) &
calib "${run[@]}" -out gone
wait
expect_status 1
expect_err "No such file or directory" "_summary.txt'" "_results.json'"
expect_out "Maximum Small IOPS=" "Status: complete"
[[ ! -e gone ]] || fail_run "the output directory came back"

# standard output: on a full disk, closed, a pipe that nobody reads
failing() {
	status=0
	what="calib $*, standard output not writable"
	"$CALIB" "$@" >/dev/full 2>"$work/err" || status=$?
	: >"$work/out"
	[[ $status == 1 ]] || fail_run "exit status $status, expected 1"
	expect_err "standard output"
}
failing -help
failing -version
failing "${run[@]}" -dry_run
failing "${run[@]}"
check_run "$(prefix_of x)" # the files are as ever
rm x_2*
failing "${run[@]}" -json
check_run "$(prefix_of x)"
rm x_2*
mkdir m
failing mklun -testname y -size 1M -dir m
status=0
"$CALIB" "${run[@]}" >&- 2>"$work/err" || status=$?
what="calib with standard output closed"
expect_status 1
check_run "$(prefix_of x)" --stderr "$work/err"
rm x_2*
status=0
"$CALIB" "${run[@]}" <&- >&- 2>&- || status=$?
what="calib with all three standard files closed"
: >"$work/err"
expect_status 1
check_run "$(prefix_of x)"
rm x_2*
what="calib | true"
set +eo pipefail
trap - ERR
"$CALIB" "${run[@]}" 2>"$work/err" | true
status=${PIPESTATUS[0]}
set -eo pipefail
expect_status 1
check_run "$(prefix_of x)" --stderr "$work/err"
rm x_2*

# messages that cannot be written are lost, and nothing else is
what="calib with standard error full"
status=0
"$CALIB" "${run[@]}" 2>/dev/full >"$work/out" || status=$?
expect_status 0
check_run "$(prefix_of x)" --stdout "$work/out"
