#!/usr/bin/env bash
# Files come whole to names that nobody has, and what was made for a run that never began goes
# again; standard files that are closed or full change nothing else. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

refuse_calls=${TOOLS_DIR:?where refuse_calls is}/refuse_calls
"$CALIB" mklun -testname x -size 16M >/dev/null
lun=$here/x.lun
run=(-engine null -run simple -duration 50ms -ramp 0 -testname x -lun "$lun")

# file systems and filters without one of the calls that never replace a file
for calls in renameat2=EINVAL renameat2=ENOSYS renameat2=EPERM "renameat2=EINVAL link=EPERM" \
	"renameat2=EINVAL link=EOPNOTSUPP" "renameat2=ENOSYS link=ENOSYS" "renameat2=EPERM link=EPERM" \
	fsync=EINVAL fsync=EROFS flock=EOPNOTSUPP; do
	read -r -a launcher <<<"$refuse_calls $calls --"
	calib "${run[@]}" -out out
	expect_status 0
	check_run "$(prefix_of out/x)" --stdout "$work/out" --stderr "$work/err"
	[[ -z $(find out -name '*.tmp') ]] || fail_run "a file is left aside: $(ls out)"
	calib report "$(prefix_of out/x)"
	expect_status 0
	check_run "$(prefix_of out/x)"
	rm -r out
done

# what cannot be synced for another reason is a failure
launcher=("$refuse_calls" fsync=EIO --)
calib "${run[@]}" -out out
expect_status 1
expect_err "Input/output error" "_results.json'"
expect_out "Maximum Small IOPS="
[[ -z $(find out -name '*.tmp' -o -name '*.json') ]] || fail_run "a file that may not be on the disk"
rm -r out
launcher=(env)

# whoever has a report open, or a second link to it, keeps what he has: none is written over
calib "${run[@]}" -out out
expect_status 0
prefix=$(prefix_of out/x)
mkdir links
for file in out/*; do
	ln "$file" "links/${file##*/}"
done
sums=$(cd links && sha256sum -- *)
calib report "$prefix"
expect_status 0
[[ $(cd links && sha256sum -- *) == "$sums" ]] || fail_run "a file was written over"
for suffix in summary.txt iops.csv mbps.csv lat.csv hist.txt points.csv results.json trace.txt; do
	[[ ! ${prefix}_$suffix -ef links/${prefix##*/}_$suffix ]] ||
		fail_run "${suffix} was not replaced by a new file"
done
rm -r out links

# directories that were made for a run that never began
if ((EUID == 0)) && mkdir full && mount -t tmpfs -o size=64k none full; then
	at_end umount "$here/full"
	mkdir full/there
	head -c 1M /dev/zero >full/ballast 2>/dev/null || true
	for dir in full/a full/a/b/c full/there/a/b full/there; do
		calib "${run[@]}" -out $dir
		refused 2 "No space left on device"
		[[ $(find full | sort | xargs) == "full full/ballast full/there" ]] ||
			fail_run "a run that never began has left a directory: $(find full)"
	done
else
	skip_part "a tmpfs cannot be mounted here"
fi
touch file
before=$(files_here)
calib "${run[@]}" -out new/a/../../file/b
refused 2 "Not a directory"
expect_unchanged "$before"

# standard files, each closed or full, alone and together: the run's own files are as ever
# with_streams STATUS REDIRECTION ARGUMENT...
with_streams() {
	local expected=$1 redirection=$2
	shift 2
	: >"$work/out"
	: >"$work/err"
	status=0
	eval "\"\$CALIB\" \"\$@\" $redirection" || status=$?
	what="calib $* $redirection"
	expect_status "$expected"
}
for redirection in "<&- >$work/out 2>$work/err" ">$work/out 2>&-" ">$work/out 2>/dev/full" \
	"<&- >$work/out 2>&-"; do
	with_streams 0 "$redirection" "${run[@]}"
	check_run "$(prefix_of x)" --stdout "$work/out"
	rm x_2*
done
for redirection in ">&- 2>$work/err" ">/dev/full 2>$work/err" "<&- >&- 2>&-" ">/dev/full 2>/dev/full" \
	"<&- >&- 2>$work/err"; do
	for options in "" -quiet -json "-json -quiet"; do
		# shellcheck disable=SC2086 # two options
		with_streams 1 "$redirection" "${run[@]}" $options
		[[ $redirection != *err || $(grep -c "standard output" "$work/err") == 1 ]] ||
			fail_run "not one message about standard output"
		check_run "$(prefix_of x)"
		rm x_2*
	done
done
# LUNs are read through descriptors above them, whatever is closed
long=(-engine psync -run oltp -small_levels 4 -duration 60 -ramp 0 -testname x -lun "$lun")
close_all() {
	exec "$CALIB" "${long[@]}" <&- >&- 2>&-
}
close_two() {
	exec "$CALIB" "${long[@]}" <&- >/dev/null 2>&-
}
for start in close_all close_two; do
	$start &
	pid=$!
	wait_for_points 0
	for fd in 0 1 2; do
		[[ $(readlink "/proc/$pid/fd/$fd") != "$here/"* ]] ||
			fail "after $start descriptor $fd is $(readlink "/proc/$pid/fd/$fd")"
	done
	[[ $(readlink /proc/"$pid"/fd/*) == *"$here/x_1.dat"* ]] || fail "the run has no LUN open"
	kill "$pid"
	wait "$pid" || true
	rm x_2*
done
# and a refusal keeps its exit status where nobody can read why
for redirection in "2>&-" "2>/dev/full" "<&- >&- 2>&-"; do
	with_streams 2 "$redirection" -run simple -lun nosuch.lun
	with_streams 2 "$redirection" -run simpel
done
