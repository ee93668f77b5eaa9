#!/usr/bin/env bash
# 1,024 LUNs, a thousand threads, 10,000 outstanding, 16 MiB large I/Os, 100 TiB: the memory is that of
# the I/O buffers and under 64 MiB more. SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

# fits WHAT BUFFER_MIB ARGUMENT...: the peak of a run that ends well
fits() {
	peak_of -run advanced -matrix point -ramp 0 -duration 0.2 "${@:3}"
	sanitized || ((peak < ($2 + 64) * 1024)) ||
		fail_run "$1: $peak KiB at most, with $2 MiB of buffers"
}

mkdir memory
mount -t tmpfs none memory || skip "a tmpfs cannot be mounted here"
at_end umount "$here/memory"
for ((i = 0; i < 1024; i++)); do
	echo "memory/$i"
done >many.lun
xargs truncate -s 2M <many.lun
for ((i = 0; i < 4; i++)); do
	echo "memory/large$i"
done >large.lun
xargs truncate -s 100T <large.lun

write=(-write 50 -overwrite)
for engine in null io_uring libaio; do
	fits "$engine, 1,024 LUNs" 8 -testname many -engine "$engine" -num_small 1024 -num_large 0
done
fits "psync, 1,024 LUNs and threads" 8 -testname many -engine psync -num_small 1024 -num_large 0 \
	"${write[@]}"
fits "1,024 LUNs striped" 72 -testname many -engine io_uring -num_small 1024 -num_large 64 \
	-type rand -simulate raid0 -stripe 64
fits "10,000 outstanding" 79 -testname large -engine io_uring -num_small 10000 -num_large 0
fits "16 MiB large I/Os" 256 -testname large -engine io_uring -num_small 0 -num_large 4 \
	-size_large 16384

# 200 MiB of buffers, and 400 I/Os in 1,024 parts each: these are counted before the run, too
group=/sys/fs/cgroup/memory/calib-test-$$
if mkdir "$group" 2>/dev/null; then
	at_end rmdir "$group"
	echo 240M >"$group/memory.limit_in_bytes"
	# shellcheck disable=SC2016 # the inner shell's
	launcher=(bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group")
	calib -run advanced -matrix point -ramp 0 -duration 0.2 -testname many -engine io_uring \
		-num_small 0 -num_large 400 -size_large 512 -type rand -simulate raid0 -stripe 0.5K
	expect_status 2
	expect_err "the largest point needs"
else
	skip_part "no memory group of cgroup v1"
fi
