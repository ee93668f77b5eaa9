#!/usr/bin/env bash
# What a container or an administrator takes away: the run goes on without it and names what it
# cost, or is refused before its first I/O. SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

refuse_calls=${TOOLS_DIR:?where refuse_calls is}/refuse_calls
random_file data 16
random_file image 16
make_loop image
printf 'data\n%s\n' "$device" >x.lun
short=(-duration 50ms -ramp 0 -testname x)

any='(io_uring|libaio|psync)' # whichever is the soonest here

# takes ENGINE REASON ARGUMENT...: the run ends well with that engine, and says why
takes() {
	local engine=$1 reason=$2
	shift 2
	calib "${short[@]}" "$@"
	expect_status 0
	prefix=$(prefix_of x)
	[[ $(result "$prefix" .settings.engine) =~ ^$engine$ ]] || fail_run "the engine is not $engine"
	[[ $(result "$prefix" .settings.engine_reason) == *"$reason"* ]] ||
		fail_run "no '$reason' in the reason"
	check_last x
}

# refuses STATUS TEXT... -- ARGUMENT...: one message, and no file
refuses() {
	local expected=$1 texts=() before
	shift
	while [[ $1 != -- ]]; do
		texts+=("$1")
		shift
	done
	shift
	before=$(files_here)
	calib "${short[@]}" "$@"
	refused "$expected" "${texts[@]}"
	expect_unchanged "$before"
}

mixed=(-run advanced -matrix point -num_small 8 -num_large 2)

# io_uring: each of its calls, with each answer of a filter
for code in EPERM ENOSYS EOPNOTSUPP; do
	launcher=("$refuse_calls" "io_uring_register=$code" --)
	takes io_uring "without registered files" "${mixed[@]}" -engine io_uring
	takes io_uring "registered buffers" "${mixed[@]}" -engine io_uring -threads 3
	launcher=("$refuse_calls" "io_uring_enter=$code" "io_submit=$code" --)
	takes psync "no libaio" "${mixed[@]}"
	refuses 4 "'libaio' does not work here" -- "${mixed[@]}" -engine libaio
	launcher=("$refuse_calls" "io_uring_setup=$code" "io_getevents=$code" --)
	takes psync "no libaio" "${mixed[@]}"
done
# a ring that is busy for ever ends in an error, not in a loop
for code in EBUSY EAGAIN EINTR; do
	launcher=("$refuse_calls" "io_uring_enter=$code" --)
	takes "(libaio|psync)" "takes no request" "${mixed[@]}"
	refuses 4 "'io_uring' does not work here" -- "${mixed[@]}" -engine io_uring
done
# all is refused that could be: nothing is left but an error that names all three
launcher=("$refuse_calls" io_uring_setup=EPERM io_setup=EAGAIN --)
refuses 2 io_uring libaio fs.aio-max-nr "1024" -- -run oltp -small_levels 2000
launcher=(env)
takes $any "auto: " "${mixed[@]}"
[[ $(grep -c without "$work/out") == 0 ]] || fail_run "nothing was missing, and something is named"

# locked memory: what the small points may register does not hide what the large ones may not
if prepare_user; then
	random_file data2 16
	mkdir out
	chmod 777 out
	echo data2 >y.lun
	launcher=(prlimit --memlock=6291456:6291456)
	calib_as_user -run dss -large_levels 1,8 -duration 50ms -ramp 0 -testname y -out out \
		-engine io_uring
	expect_status 0
	expect_out "without registered buffers (RLIMIT_MEMLOCK 6 MiB)"
	check_last out/y
	calib_as_user -run oltp -small_levels 1,4 -duration 50ms -ramp 0 -testname y -out out
	expect_status 0
	! grep -q RLIMIT_MEMLOCK "$work/out" || fail_run "one huge page fits into 6 MiB"
	check_last out/y
	# threads: as many as the largest point needs, or none
	launcher=(prlimit --nproc=50:50)
	calib_as_user -run oltp -small_levels 1,600 -engine psync -duration 50ms -ramp 0 -testname y -out out
	refused 2 "of 600" "ulimit -u"
	[[ -z $(ls out) ]] || fail_run "a run that never began has left $(ls out)"
	launcher=(env)
else
	skip_part "no ordinary user can run $work/calib"
fi

# CPUs: one of them by the mask, and none that may be chosen
cpu=$(grep -oP 'Cpus_allowed_list:\s*\K[0-9]+' /proc/self/status)
launcher=(taskset -c "$cpu")
for engine in io_uring libaio psync; do
	calib "${short[@]}" "${mixed[@]}" -engine $engine -threads 2
	expect_status 0
	[[ $(result "$(prefix_of x)" .host.cpus) == 1 ]] || fail_run "host.cpus is not 1"
	check_last x
done
for code in EPERM EINVAL ENOSYS; do
	launcher=("$refuse_calls" "sched_setaffinity=$code" --)
	takes $any auto -run oltp -small_levels 1,2
	! sanitized || continue
	launcher=("$refuse_calls" "sched_getaffinity=$code" --)
	calib "${short[@]}" -run oltp -small_levels 1
	expect_status 0
	[[ $(jq .host.cpus "$(prefix_of x)_results.json") == null ]] || fail_run "host.cpus is not unknown"
	check_last x
done
launcher=(env)

# make_group CONTROLLER: a cgroup of its own: $group, and what starts a command in it
make_group() {
	group=/sys/fs/cgroup/$1/calib-test-$$
	mkdir "$group" 2>/dev/null || return
	at_end remove_group "$group"
	# shellcheck disable=SC2016 # the inner shell's
	launcher=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
}

remove_group() {
	local tries=50 # what ran in it may take a moment to be gone
	until rmdir "$1" 2>/dev/null || ((tries-- == 0)); do sleep 0.1; done
}

if make_group cpuset; then
	cat /sys/fs/cgroup/cpuset/cpuset.mems >"$group/cpuset.mems"
	echo "$cpu" >"$group/cpuset.cpus"
	calib "${short[@]}" "${mixed[@]}" -threads 2
	expect_status 0
	[[ $(result "$(prefix_of x)" .host.cpus) == 1 ]] || fail_run "host.cpus is not 1"
	check_last x
else
	skip_part "no cpuset cgroup: $group cannot be made"
fi

if make_group pids; then
	echo 20 >"$group/pids.max"
	refuses 2 "of 64" "pids.max" -- -run oltp -small_levels 1,64 -engine psync
	takes psync "asked for" -run oltp -small_levels 1,4 -engine psync
else
	skip_part "no pids cgroup: $group cannot be made"
fi

# memory: 256 MiB are needed where 100 may be had; nobody is killed, and what fits runs
large=(-run advanced -matrix col -num_small 0 -type rand -size_large 4M)
if make_group memory; then
	echo 100M >"$group/memory.limit_in_bytes"
	refuses 2 "256 MiB" "can be had" -- "${large[@]}" -large_levels 1,2,64
	refuses 2 "256 MiB" "can be had" -- "${large[@]}" -large_levels 1,2,64 -dry_run
	takes "$any" auto "${large[@]}" -large_levels 1,2
	takes "$any" auto -run basic
	[[ $(grep -c 'oom_kill [1-9]' "$group/memory.oom_control") == 0 ]] || fail "a process was killed"
else
	skip_part "no memory cgroup: $group cannot be made"
fi
launcher=(env)

# address space
if ! sanitized; then
	launcher=(prlimit --as=300000000)
	refuses 2 "1 GiB of memory" "Cannot allocate memory" -- "${large[@]}" -large_levels 1,256
	refuses 2 "of 1024" "ulimit -v" -- -run oltp -small_levels 1,1024 -engine psync
	takes psync "asked for" -run oltp -small_levels 1,256 -engine psync
	launcher=(env)
fi

# no completions without interrupts from a loop device
refuses 2 "-poll" "no poll queues" -- -run oltp -small_levels 1 -poll
