#!/usr/bin/env bash
# 'calib report' writes every file of a run again, byte for byte, and refuses what is no run's.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname x -size 4M -count 3 >/dev/null
short=(-engine null -duration 20ms -ramp 5ms)
grid=(-run advanced -matrix detailed -small_levels '1,4' -large_levels '0,2')

# same_files PREFIX DIR: each file of the run in both, the ledger only in the first
same_files() {
	local file name
	for file in "$1"_*; do
		name=${file##*/}
		[[ $name == *_points.jsonl ]] && continue
		cmp "$file" "$2/$name" || fail_run "$name is another in $2"
	done
	[[ $(find "$2" -type f -printf x) == xxxxxxxx ]] || fail_run "not eight files in $2"
	rm -r "$2"
}

# only_prefix NAME: that of its only run, whatever bytes it has
only_prefix() {
	local found
	mapfile -d '' -t found < <(find . -maxdepth 1 -name '*_results.json' -print0)
	((${#found[@]} == 1)) || fail_run "not one result of the test '$1'"
	printf '%s\n' "${found[0]%_results.json}"
}

# same_again PREFIX: what the run has written comes out of report, elsewhere and in its place
same_again() {
	local prefix=$1 saved
	saved=$(sha256sum -- "$prefix"_*)
	calib report "$prefix" -out again/and/again
	expect_status 0
	cmp "$work/out" "${prefix}_summary.txt" || fail_run "it prints another summary"
	[[ ! -s $work/err ]] || fail_run "it says something on standard error"
	same_files "$prefix" again/and/again
	rm -r again
	find . -maxdepth 1 -name '*_[0-9]*_[0-9]*_*' ! -name '*_results.json' ! -name '*_points.jsonl' \
		-delete
	calib report "$prefix" -json
	expect_status 0
	cmp "$work/out" "${prefix}_results.json" || fail_run "-json prints another document"
	sha256sum --quiet -c <<<"$saved" || fail_run "a file came out different"
}

remove_run() {
	find . -maxdepth 1 -name '*_[0-9]*_[0-9]*_*' -delete
}

# reproduces NAME ARGUMENT...
reproduces() {
	local name=$1
	shift
	calib "${short[@]}" -testname="$name" -lun x.lun "$@"
	expect_status 0
	same_again "$(only_prefix "$name")"
	remove_run
}

reproduces x -run simple
reproduces x -run basic
reproduces x -run oltp -num_disks 1 -quiet
reproduces x -run dss -num_disks 1 -type rand
reproduces x "${grid[@]}" -repeat 3 -order shuffled -seed 9007199254740991
reproduces x -run advanced -matrix point -num_small 0 -num_large 9 # it warns: the streams overlap
TZ=Asia/Kolkata reproduces x "${grid[@]}"
TZ=America/St_Johns reproduces x -run advanced -matrix row -num_large 0 -small_levels 1
for name in 'a blank' "quote's" 'double"quote' 'com,ma' $'tab\tinside' $'no\xffutf8' $'new\nline' 'Grün' \
	"%s%n" $'\x01\x7f'; do
	reproduces "$name" -run advanced -matrix point -num_small 2 -num_large 1
done
for name in $'no\xffutf8' $'\x01\x7f' 'a blank'; do
	cp x_1.dat "$name"
	printf '%s\n' "$name"
done >odd.lun
calib "${short[@]}" "${grid[@]}" -testname x -lun odd.lun
same_again "$(only_prefix x)"
remove_run

# several intervals in a series, the last one short
calib -engine null -duration 0.25 -ramp 0 "${grid[@]}" -testname x
expect_status 0
same_again "$(only_prefix x)"
remove_run

# a warning before the first point
ln -s x_1.dat link
printf '%s\n' x_1.dat link >twice.lun
calib "${short[@]}" "${grid[@]}" -testname x -lun twice.lun
expect_status 0
prefix=$(prefix_of x)
grep -q 'after_points":0' "${prefix}_results.json" || fail_run "no warning before the first point"
same_again "$prefix"
remove_run

# I/Os that fail in mid-run: the LUN's end is lost
cp x_1.dat lost
echo lost >lost.lun
(
	wait_for_points 1
	truncate -s 8K lost
) &
calib -engine psync -run oltp -small_levels 1,2,3 -duration 0.4 -ramp 0 -testname x -lun lost.lun
wait $!
expect_status 4
prefix=$(prefix_of x)
result "$prefix" '.points[2].classes.small_read.errors.short > 0' >/dev/null
same_again "$prefix"
remove_run

# an interrupted run
launcher=(timeout --foreground -s INT 0.5)
calib -engine null -run oltp -threads 1 -duration 0.2 -ramp 0 -testname x
launcher=(env)
prefix=$(prefix_of x)
[[ $(result "$prefix" '.status + " " + .points[-1].status') == "interrupted interrupted" ]] ||
	fail_run "it was not interrupted"
same_again "$prefix"

# PREFIX may be the name of any file of the run
for suffix in _results.json _points.jsonl _summary.txt _trace.txt _hist.txt _; do
	calib report "$here/$prefix$suffix" -out "again"
	expect_status 0
	same_files "$prefix" again
done
remove_run

# a run that goes on: not in its place; and when it is killed, its ledger is what is left
"$CALIB" -engine null -run oltp -duration 0.3 -ramp 0 -testname x -quiet &>/dev/null &
pid=$!
wait_for_points 2
prefix=$(compgen -G 'x_*_points.jsonl')
prefix=${prefix%_points.jsonl}
calib report "$prefix"
refused 2 "'$prefix' still goes on" "-out"
calib report "$prefix" -out . -json
refused 2 "/$prefix' still goes on" "-out"
calib report "$prefix" -out so_far -json
expect_status 0
jq -e '.status == "interrupted" and (.points | length) >= 2' "$work/out" >/dev/null ||
	fail_run "-out does not tell what the run has measured so far"
kill -KILL $pid
wait $pid 2>/dev/null || true
points=$(($(wc -l <"${prefix}_points.jsonl") - 1))
calib report "$prefix"
expect_status 0
expect_out "Status: interrupted at point $((points + 1)) of 22" "x_1.dat: not known"
[[ $(result "$prefix" '[.status, (.points | length), .issued] | tostring') == \
	"[\"interrupted\",$points,null]" ]] || fail_run "not the $points points of the ledger"
[[ $(grep -c ' point=[0-9]* small=' "${prefix}_trace.txt") == "$points" ]] || fail_run "the trace has other points"
same_again "$prefix"
rm "$prefix"_[!p]* "$prefix"_points.csv
truncate -s -10 "${prefix}_points.jsonl"
calib report "$prefix"
expect_status 0
[[ $(result "$prefix" '.points | length') == $((points - 1)) ]] || fail_run "a torn line was not left out"

# what cannot be read: one line with the file and the place, and nothing is written
good=$(<"${prefix}_results.json")
before=$(files_here)
wrong() { # TEXT EXPECTED...
	printf '%s' "$1" >"${prefix}_results.json"
	shift
	calib report "$prefix"
	refused 2 "${prefix}_results.json" "$@"
	expect_unchanged "$before"
}
wrong "" ":1:" "cut off"
wrong "${good:0:1000}" "cut off"
wrong "${good/calib-results\/1/calib-results\/2}" "another version"
wrong '{"schema":"other"}' "no file of calib"
wrong '[1,2]' ":1:" "'{' expected"
wrong "${good/\"status\":\"ok\"/\"status\":5}" "points[0].status" "string"
wrong "${good/\"iops\":/\"iops\":1,\"x\":}" "points[0].classes.small_read" "iops"
rm "${prefix}_results.json"
mkdir "${prefix}_results.json"
calib report "$prefix"
refused 2 "${prefix}_results.json" "Is a directory"
rmdir "${prefix}_results.json"
printf 'no JSON\n' >>"${prefix}_points.jsonl"
calib report "$prefix"
refused 2 "${prefix}_points.jsonl"
rm "$prefix"_*
calib report "$prefix"
refused 2 "${prefix}_results.json" "${prefix}_points.jsonl"

# what cannot be written: the others are
calib "${short[@]}" "${grid[@]}" -testname x
prefix=$(prefix_of x)
rm "$prefix"_hist.txt "$prefix"_iops.csv
mkdir "$prefix"_hist.txt
calib report "$prefix"
expect_status 1
expect_err "${prefix}_hist.txt"
[[ $(wc -l <"$work/err") == 1 ]] || fail_run "more than one line for one file"
cmp "$work/out" "${prefix}_summary.txt" || fail_run "it does not print the summary"
[[ -s ${prefix}_iops.csv ]] || fail_run "another file was not written"
rmdir "$prefix"_hist.txt
touch file
for out in file file/sub /proc/sub ""; do
	calib report "$prefix" -out="$out"
	expect_status 2
	[[ $(wc -l <"$work/err") == 1 ]] || fail_run "not one line on standard error"
done

# another run of the same prefix, as of another host: its files are not replaced, this one's are
mkdir collected
calib report "$prefix" -out collected
expect_status 0
calib report "$prefix" -out collected
expect_status 0
jq -c '.host.hostname = "other"' "collected/${prefix}_results.json" >later
mv later "collected/${prefix}_results.json"
saved=$(sha256sum collected/*)
calib report "$prefix" -out collected
refused 2 "'collected/$prefix' are there already, and not of this run" "-out"
sha256sum --quiet -c <<<"$saved" || fail_run "another run's file was replaced"
# the same where that run was killed, and only its ledger tells
mkdir killed
jq -c 'if .host then .host.hostname = "other" else . end' "${prefix}_points.jsonl" \
	>"killed/${prefix}_points.jsonl"
echo "its trace" >"killed/${prefix}_trace.txt"
saved=$(sha256sum killed/*)
calib report "$prefix" -out killed
refused 2 "'killed/$prefix' are there already, and not of this run"
sha256sum --quiet -c <<<"$saved" || fail_run "a killed run's file was replaced"

# a key that this version does not know is not lost
jq -c '.later = [1]' "${prefix}_results.json" >later
mv later "${prefix}_results.json"
saved=$(sha256sum "${prefix}_results.json")
calib report "$prefix"
expect_status 0
expect_err "${prefix}_results.json' is not written again"
sha256sum --quiet -c <<<"$saved" || fail_run "a key of a later version is lost"
