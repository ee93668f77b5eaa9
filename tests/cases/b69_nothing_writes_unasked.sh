#!/usr/bin/env bash
# B69: without -write no byte and no time stamp of a LUN changes, and -write alone is not enough.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
echo a >x.lun
was=$(sha256sum a; stat -c '%Y %Z %s %b' a)

as_it_was() {
	[[ $(sha256sum a; stat -c '%Y %Z %s %b' a) == "$was" ]] || fail_run "the LUN was changed"
}

short=(-testname x -duration 50ms -ramp 0 -num_disks 1)
for line in "basic" "simple" "normal -small_levels 1,2 -large_levels 1,2" "oltp -small_levels 1,8" \
	"dss -large_levels 1,2" "advanced -matrix detailed -small_levels 0,2 -large_levels 0,1" \
	"normal -type rand -small_levels 1 -large_levels 2" "oltp -write 0 -small_levels 4"; do
	# shellcheck disable=SC2086 # several
	calib "${short[@]}" -run $line
	ran 1
	[[ $(result "$prefix" '.issued | .writes == 0 and .write_bytes == 0 and .reads > 0') == true ]] ||
		fail_run "it says that it has written"
	as_it_was
	all_files_sound
done

# the leave to overwrite, and nothing that would: more likely a slip than meant
for options in -overwrite -force "-overwrite -force" "-overwrite -write 0"; do
	refuses 2 "RD x $options" "-write"
	as_it_was
done

# -write without a word that the data may go: what would be lost
for line in "basic" "simple" "normal" "oltp" "dss" "advanced -small_levels 1 -large_levels 1"; do
	for percent in 1 50 100; do
		write_refused "calib ${short[*]} -run $line -write $percent" a "would be overwritten"
		expect_err "-overwrite" "(16 MiB)"
		# shellcheck disable=SC2086 # several
		calib "${short[@]}" -run $line -write "$percent" -dry_run
		expect_status 3
		expect_err "'a' (16 MiB) would be overwritten"
		as_it_was
	done
done
for answer in y yes a; do # nobody is asked, so nobody can answer by accident
	launcher=(bash -c "echo $answer | \"\$@\"" -)
	write_refused "WR x" a "would be overwritten"
	as_it_was
done
launcher=(env)

# all LUNs of the list are named, before any of them is touched
mk b 2
printf 'a\nb\n' >x.lun
write_refused "WR x" a "would be overwritten"
expect_err "x.lun:2: 'b' (2 MiB)"
as_it_was
