#!/usr/bin/env bash
# A run that a signal ends dies of that signal, and keeps every finished point in every file.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname x -size 16M >/dev/null
run=("$CALIB" -engine null -run simple -testname x -duration 0.3 -ramp 0)

# ends HOW ARGUMENT...: of send_signal.py
ends() {
	local how=$1
	shift
	what="send_signal.py $*"
	status=$(python3 "$SOURCE_DIR/tests/lib/send_signal.py" "$@")
	[[ $status == "$how" ]] || fail_run "ended by '$status', expected '$how'"
}

for pair in INT:2 TERM:15 HUP:1; do
	name=${pair%:*}
	ends "signal ${pair#*:}" "$name" 2 'x_*_points.jsonl' "${run[@]}"
	prefix=$(prefix_of x)
	[[ $(result "$prefix" .signal) == SIG$name ]] || fail_run "the signal is not named in the JSON"
	points=$(result "$prefix" '[.points[] | select(.status == "ok")] | length')
	((points >= 2 && points < 7)) || fail_run "$points points kept, expected 2 or a few more"
	grep -qE "^Status: interrupted by SIG$name at point $((points + 1)) of 7$" "$work/out" ||
		fail_run "the summary does not say where the run ended"
	check_last x --status interrupted
done

# a shell that started the run sees 128 and the number
what="${run[*]}"
status=0
bash -c '"$@" & sleep 0.5; kill -TERM $!; wait $!' - "${run[@]}" >"$work/out" 2>"$work/err" ||
	status=$?
expect_status 143
rm x_2*

# twice at once, as timeout(1) sends it to the process and to its group: that is one signal
status=0
bash -c '"$@" & sleep 0.5; kill -TERM $!; kill -TERM $!; kill -INT $!; wait $!' - "${run[@]}" \
	>"$work/out" 2>"$work/err" || status=$?
expect_status 143
check_last x --status interrupted

# in the ramp of the first point: nothing was measured, and every file says so
ends "signal 2" INT 0 'x_*_points.jsonl' "$CALIB" -engine null -run oltp -testname x -ramp 30
prefix=$(prefix_of x)
[[ $(result "$prefix" '[.points[] | select(.seconds > 0)] | length') == 0 ]] ||
	fail_run "a point broken off in its ramp has a measured time"
[[ $(jq '.best | to_entries | map(.value) | unique | tostring' "${prefix}_results.json") == '"[null]"' ]] ||
	fail_run "something is best of nothing"
check_last x --status interrupted

# -json: the document on stdout is whole
ends "signal 15" TERM 1 'x_*_points.jsonl' "${run[@]}" -json
cmp "$work/out" "$(prefix_of x)_results.json" || fail_run "another document on standard output"
rm x_2*

# basic, whose plan is not known to its end
ends "signal 2" INT 2 'x_*_points.jsonl' "$CALIB" -engine null -run basic -testname x -duration 0.3 \
	-ramp 0
check_last x --status interrupted

# SIGKILL: ledger and trace are what is left, with every finished point
ends "signal 9" KILL 2 'x_*_points.jsonl' "${run[@]}"
mapfile -t left < <(compgen -G 'x_2*' | sort)
[[ ${#left[@]} == 2 && ${left[0]} == *_points.jsonl && ${left[1]} == *_trace.txt ]] ||
	fail_run "other files than ledger and trace: ${left[*]}"
(($(grep -c ' point=.* status=ok ' "${left[1]}") >= 2)) || fail_run "the trace lacks finished points"
jq -es '.[0].schema == "calib-ledger/1" and .[0].luns[0].size_bytes == 16777216 and
	(.[1:] | length >= 2 and all(.status == "ok" and .small > 0))' "${left[0]}" >/dev/null ||
	fail_run "the ledger lacks a header or finished points"
rm x_2*

# nohup: a signal that is ignored ends nothing
ends "exit 0" --ignored HUP 1 'x_*_points.jsonl' "${run[@]}"
check_last x
