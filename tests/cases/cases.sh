# Sourced by every script of cases/, after devices.sh where it takes devices: the runs that the
# cases have in common, and what is expected of each run beyond the case's own words.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # T and prefix are for the scripts
# shellcheck source=tests/lib.sh
[[ -v work ]] || . "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

T=$here
calib=calib # or calib_as_user
seconds=0.1 # measured in each point
prefix=     # of the last run's files
check=()    # of them, beyond the usual: options of check_run.py

# mk FILE MIB: of random data, all of it on the disk
mk() {
	free_file "$1" "$2"
	sync "$1"
}

# point SMALL LARGE NAME ARGUMENT...: one data point on the LUNs of NAME.lun
point() {
	"$calib" -run advanced -matrix point -num_small "$1" -num_large "$2" -testname "$3" \
		-duration "$seconds" -ramp 0 "${@:4}"
}

# RD, LG, WR NAME ARGUMENT...: two small reads, one stream of large ones, two small writes
RD() {
	point 2 0 "$@"
}

LG() {
	point 0 1 "$@"
}

WR() {
	RD "$@" -write 100
}

GRID() {
	"$calib" -run simple -num_disks 1 -testname "$1" -duration "$seconds" -ramp 0 "${@:2}"
}

# ran LUNS: the last run came to its end on so many LUNs, without a failed I/O; sets $prefix
ran() {
	expect_status 0
	prefix=$(prefix_of x)
	[[ $(result "$prefix" '.luns | length') == "$1" ]] || fail_run "not $1 LUNs"
	[[ $(result "$prefix" '[.points[].classes[].errors | length] | add') == 0 ]] ||
		fail_run "I/Os failed"
	[[ $(result "$prefix" '.issued | .reads + .writes > 0') == true ]] || fail_run "no I/Os"
}

# all_files_sound: the last run's files agree and hold no number that is none; then they go
all_files_sound() {
	jq -e . "${prefix}_results.json" >/dev/null || fail_run "${prefix}_results.json is no JSON"
	! grep -iwE 'nan|inf|infinity' "$prefix"_* || fail_run "a number that is none"
	! grep -q $'\r' "$prefix"_* "$work/out" "$work/err" || fail_run "a carriage return"
	check_last x "${check[@]}"
}

# ran_soundly LUNS: both
ran_soundly() {
	ran "$1"
	all_files_sound
}

# messages COUNT TEXT...: calib said so many lines beside those for its points; all texts are there.
# Where a busy machine does not let it keep its load, it may say that too.
messages() {
	[[ $(grep '^calib: ' "$work/err" | grep -vc ' kept on average: ') == "$1" ]] ||
		fail_run "not $1 messages"
	expect_err "${@:2}"
}

# warned CODE: the result has this warning
warned() {
	[[ $(result "$prefix" "[.warnings[].code] | index(\"$1\") != null") == true ]] ||
		fail_run "no warning '$1' in the result"
}

# refuses STATUS COMMAND TEXT...: the command is refused with one line, and no file comes or goes,
# nor changes
refuses() {
	local expected=$1 command=$2 before
	shift 2
	before=$(files_here)
	$command
	refused "$expected" "$@"
	expect_unchanged "$before"
}

# write_refused COMMAND LUN TEXT...: exit status 3; the line of this LUN has all texts, the last line
# says that nothing was written; no file comes or goes
write_refused() {
	local command=$1 lun=$2 before text
	shift 2
	before=$(files_here)
	$command
	expect_status 3
	[[ ! -s $work/out ]] || fail_run "output of a run that was refused"
	for text; do
		grep -F "'$lun'" "$work/err" | grep -qiF -- "$text" ||
			fail_run "'$text' is not in the line of '$lun'"
	done
	tail -n 1 "$work/err" | grep -qE '^calib: .*nothing was written' ||
		fail_run "the last line does not say that nothing was written"
	expect_unchanged "$before"
}

# twice_refused FILE: x.lun names that storage twice, so it is not written whatever the options
twice_refused() {
	local sum
	sum=$(sha256sum "$1")
	for options in -overwrite "-overwrite -force"; do
		# shellcheck disable=SC2086 # two options
		WR x $options
		expect_status 3
		expect_err "listed twice" "whatever the options"
		tail -n 1 "$work/err" | grep -q '^calib: nothing was written' ||
			fail_run "the last line does not say that nothing was written"
	done
	sync "$1"
	[[ $(sha256sum "$1") == "$sum" ]] || fail_run "$1 was changed"
}
