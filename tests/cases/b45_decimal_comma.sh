#!/usr/bin/env bash
# B45: numbers are written and read as in C, whatever the locale.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

# a locale that is not there would test nothing
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null ||
	skip "localedef cannot make de_DE.UTF-8 here"
[[ $(LOCPATH=$work LC_ALL=de_DE.UTF-8 /usr/bin/printf %.1f 1,5) == 1,5 ]] ||
	skip "de_DE.UTF-8 has no decimal comma here"
mk a 16
echo a >x.lun

# form FILE...: with every digit as 9, runs of them as one: how its numbers are written
form() {
	sed -E 's/[0-9]+/9/g; s/( |\t)+/ /g' "$@"
}

RD x
ran 1
for file in iops.csv mbps.csv lat.csv; do
	form "${prefix}_$file" >"$work/$file"
done
all_files_sound
for variable in LC_ALL LC_NUMERIC LANG; do
	launcher=(env -u LC_ALL LOCPATH="$work" "$variable=de_DE.UTF-8")
	RD x
	ran 1
	for file in iops.csv mbps.csv lat.csv; do
		form "${prefix}_$file" | cmp - "$work/$file" || fail_run "another form of $file"
	done
	! sed -E 's/\[[0-9]+,[0-9]+\)//' "$work/out" "$work/err" "${prefix}_summary.txt" \
		"${prefix}_hist.txt" "${prefix}_trace.txt" | grep '[0-9],[0-9]' ||
		fail_run "a decimal comma"
	all_files_sound

	# options are read the same
	calib -run advanced -matrix point -num_small 2 -num_large 0 -testname x -duration 0.25 -ramp 0.05 \
		-size_small 0.5
	ran 1
	[[ $(result "$prefix" '.settings | [.duration_s, .ramp_s, .small_bytes] | tostring') == \
		"[0.25,0.05,512]" ]] || fail_run "an option was read otherwise"
	all_files_sound
	for value in 0,5 1,5s 1.000,5; do
		refuses 2 "calib -run simple -testname x -duration $value" "-duration" "$value"
	done

	# report, from results and from the ledger
	RD x
	ran 1
	cp "${prefix}_lat.csv" "$work/before"
	calib report "$prefix"
	expect_status 0
	cmp "${prefix}_lat.csv" "$work/before" || fail_run "report has written other numbers"
	rm "${prefix}_results.json"
	calib report "$prefix"
	expect_status 0
	cmp "${prefix}_lat.csv" "$work/before" || fail_run "report from the ledger has other numbers"
	rm x_2*
done
