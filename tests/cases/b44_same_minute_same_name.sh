#!/usr/bin/env bash
# B44: runs within one minute, and at the same time, have files of their own.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
echo a >x.lun

# complete COUNT: so many whole sets of files, and none besides
complete() {
	local found
	mapfile -t found < <(compgen -G 'x_2*_results.json' | sed 's/_results\.json$//')
	((${#found[@]} == $1)) || fail "$1 runs, ${#found[@]} results"
	for prefix in "${found[@]}"; do
		check_run "$prefix"
		! grep -iwE 'nan|inf|infinity' "$prefix"_* || fail "a number that is none"
	done
	(($1 * 9 == $(compgen -G 'x_2*' | wc -l))) || fail "not nine files for each run: $(ls)"
}

for _ in 1 2 3; do
	before=$(sha256sum ./*)
	RD x
	expect_status 0
	sha256sum --quiet -c <<<"$before" || fail_run "a file of an earlier run was changed"
done
complete 3

# at once: each process says which files are its own
for number in 1 2 3 4 5; do
	"$CALIB" -run advanced -matrix point -num_small 2 -num_large 0 -testname x -duration 0.5 -ramp 0 \
		-seed "$number" >"$work/out.$number" 2>&1 &
	pids[number]=$!
done
for number in "${!pids[@]}"; do
	wait "${pids[number]}" || fail "one of several runs at once ended with $?: $(<"$work/out.$number")"
done
complete 8
for number in "${!pids[@]}"; do
	prefix=$(grep -m 1 -oE '^x_[0-9_]+$' "$work/out.$number")
	[[ $(result "$prefix" .seed) == "$number" ]] || fail "$prefix holds another run's results"
done
