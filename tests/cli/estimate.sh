#!/usr/bin/env bash
# The time that is announced before a run is the time that it takes.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname x -size 8M >/dev/null

# takes LOW HIGH: what was announced, and what the last run took, in percent of it and a second
takes() {
	local announced
	announced=$(sed -n 's/^Calibration will take [a-z ]* \([0-9.]*\) seconds*\.$/\1/p' "$work/out")
	[[ -n $announced ]] || fail_run "no time was announced"
	python3 - "$announced" "$1" "$2" "$(prefix_of x)_results.json" <<-'PYTHON' ||
		import datetime, json, sys
		announced, low, high = (float(argument) for argument in sys.argv[1:4])
		results = json.load(open(sys.argv[4]))
		times = [datetime.datetime.fromisoformat(results[key]) for key in ("started", "finished")]
		taken = (times[1] - times[0]).total_seconds()
		if not announced * low / 100 - 1 <= taken <= announced * high / 100 + 1:
		    sys.exit(f"announced {announced} s, took {taken} s")
	PYTHON
		fail_run "the announced time is wrong"
}

calib -run simple -testname x -duration 1 -ramp 0.2
expect_status 0
expect_out "Calibration will take approximately 8.4 seconds."
takes 95 105
check_last x
calib -run basic -testname x -duration 0.1 -ramp 0.1 # 20 points at most
expect_status 0
expect_out "Calibration will take at most 3.6 seconds."
takes 0 105
check_last x
