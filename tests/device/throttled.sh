#!/usr/bin/env bash
# A device that lets 2,000 reads a second through, and one that lets hardly any through.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

cgroup=/sys/fs/cgroup/blkio/calib-test-$$
mkdir "$cgroup" 2>/dev/null || skip "no blkio cgroup: $cgroup cannot be made"
at_end rmdir "$cgroup"
make_zram 64
echo "$device" >x.lun
number=$(cat "/sys/block/${device##*/}/dev")

throttle() { # READS-A-SECOND, 0: no limit
	echo "$number $1" >"$cgroup/blkio.throttle.read_iops_device"
}

throttle 2000 || skip "no throttling of reads: $cgroup/blkio.throttle.read_iops_device"
launcher=(bash -c "echo \$\$ >$cgroup/cgroup.procs; exec \"\$@\"" -)
for pair in io_uring:8,32 libaio:32; do
	calib -engine "${pair%:*}" -run oltp -small_levels "${pair#*:}" -duration 2 -ramp 0.5 -testname x
	expect_status 0
	# the rate is the limit, by ten percent; what is outstanding was kept; Little's law
	# shellcheck disable=SC2016 # jq's variables
	[[ $(result "$(prefix_of x)" '.points | map(.small as $asked | .classes.small_read |
		(.iops * .lat_ns.mean / 1e9 / .outstanding_mean) as $little |
		.iops > 1800 and .iops < 2200 and .outstanding_mean > 0.95 * $asked and
		$little > 0.9 and $little < 1.1) | all') == true ]] ||
		fail_run "not 2000 reads a second with all outstanding"
	check_last x --kernel
done

# the first signal waits for what is in flight, the second does not
throttle 1
status=$(python3 "$SOURCE_DIR/tests/lib/send_signal.py" INT,INT 0 'x_*_points.jsonl' \
	"${launcher[@]}" "$CALIB" -run oltp -small_levels 8 -duration 60 -ramp 0 -testname x)
throttle 0
what="calib and SIGINT twice"
[[ $status == "signal 2" ]] || fail_run "ended by '$status', expected 'signal 2'"
[[ -z $(compgen -G 'x_*_results.json') ]] || fail_run "the second signal did not end the run at once"
