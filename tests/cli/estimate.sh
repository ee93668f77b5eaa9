#!/usr/bin/env bash
# The time that is announced before a run is the time that it takes.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname x -size 8M >/dev/null

# holds LOW: what was announced is at most what the points measured with their ramps; at least LOW
# percent of it; and the run took no less than its points. How much longer is the machine's affair.
holds() {
	local announced
	announced=$(sed -n 's/^Calibration will take [a-z ]* \([0-9.]*\) seconds*\.$/\1/p' "$work/out")
	[[ -n $announced ]] || fail_run "no time was announced"
	python3 - "$announced" "$1" "$(prefix_of x)_results.json" <<-'PYTHON' ||
		import datetime, json, sys
		announced, low = (float(argument) for argument in sys.argv[1:3])
		results = json.load(open(sys.argv[3]))
		times = [datetime.datetime.fromisoformat(results[key]) for key in ("started", "finished")]
		taken = (times[1] - times[0]).total_seconds()
		points = sum(point["seconds"] + results["settings"]["ramp_s"] for point in results["points"])
		if not announced * low / 100 - 0.01 <= points <= announced + 0.01:
		    sys.exit(f"announced {announced} s, the points come to {points} s")
		if not points <= taken + 1: # of "started" and "finished" a second is lost at most
		    sys.exit(f"the points come to {points} s, the run took {taken} s")
	PYTHON
		fail_run "the announced time is wrong"
}

calib -run simple -testname x -duration 1 -ramp 0.2
expect_status 0
expect_out "Calibration will take approximately 8.4 seconds."
holds 100
check_last x
calib -run basic -testname x -duration 0.1 -ramp 0.1 # 20 points at most
expect_status 0
expect_out "Calibration will take at most 3.6 seconds."
holds 0
check_last x
