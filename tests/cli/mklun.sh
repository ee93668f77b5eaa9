#!/usr/bin/env bash
# calib mklun makes whole files of data that nothing can shorten, and overwrites nothing.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# filled FILE BYTES: of that size, not sparse, not to be compressed
filled() {
	local compressed
	[[ $(stat -c %s "$1") == "$2" ]] || fail_run "$1 has $(stat -c %s "$1") bytes, not $2"
	(($(stat -c '%b * 512' "$1") >= $2)) || fail_run "$1 is sparse: $(stat -c %b "$1") blocks"
	compressed=$(gzip -c "$1" | wc -c)
	((compressed >= $2 * 98 / 100)) || fail_run "gzip makes $compressed bytes of the $2 in $1"
}

# nothing TEXT... -- ARGUMENT...: mklun is refused so, and makes no file
nothing() {
	local texts=() before
	while [[ $1 != -- ]]; do
		texts+=("$1")
		shift
	done
	shift
	before=$(files_here)
	calib mklun "$@"
	((status == 1 || status == 2)) || fail_run "exit status $status, expected 1 or 2"
	expect_err "${texts[@]}"
	[[ $(wc -l <"$work/err") == 1 ]] || fail_run "not one line on standard error"
	expect_unchanged "$before"
}

calib mklun -testname t1 -size 3M
expect_status 0
[[ ! -s $work/err ]] || fail_run "a message"
filled t1_1.dat $((3 << 20))
[[ $(<t1.lun) == "$here/t1_1.dat" ]] || fail_run "t1.lun does not list the file by its path"
[[ $(files_here | wc -l) == 2 ]] || fail_run "other files than t1.lun and t1_1.dat: $(files_here)"

mkdir sub
calib mklun -testname sub/t2.lun -size=1024K -count 3 -dir sub
expect_status 0
[[ $(<sub/t2.lun) == "$here/sub/t2_1.dat"$'\n'"$here/sub/t2_2.dat"$'\n'"$here/sub/t2_3.dat" ]] ||
	fail_run "sub/t2.lun does not list the files by their paths"
for n in 1 2 3; do
	filled "sub/t2_$n.dat" $((1 << 20))
done
(($(cat sub/t2_*.dat t1_1.dat | split -b 4096 --filter='md5sum' | sort | uniq -d | wc -l) == 0)) ||
	fail_run "a block stands twice in the files"
calib mklun -testname t3 -size 1 # MiB
expect_status 0
filled t3_1.dat $((1 << 20))

# a run takes it as it is
calib -run advanced -matrix point -num_small 2 -num_large 1 -duration 0.1 -ramp 0 -testname t1
expect_status 0
check_last t1

# nothing is overwritten
before=$(sha256sum t1* sub/*)
nothing "'t1.lun'" "File exists" -- -testname t1 -size 1M
nothing "sub/t2_1.dat'" "File exists" -- -testname t2 -size 1M -dir sub
rm sub/t2_1.dat
nothing "sub/t2_2.dat'" "File exists" -- -testname t2 -size 1M -count 2 -dir sub
before=$(grep -v t2_1.dat <<<"$before")
sha256sum --quiet -c <<<"$before" || fail "a file was changed"
ln -s nowhere t4.lun
nothing "'t4.lun'" -- -testname t4 -size 1M

# where it cannot be
nothing "'nosuch'" "No such file" -- -testname t5 -size 1M -dir nosuch
nothing "nosuch/t5.lun'" "No such file" -- -testname nosuch/t5 -size 1M
nothing "room" "'$here'" -- -testname t5 -size 1000T
nothing "-size" -- -testname t5 -size 16777216T
if prepare_user; then
	mkdir -m 555 ro
	before=$(files_here)
	calib_as_user mklun -testname ro/t5 -size 1M -dir ro
	refused 2 "ro/t5_1.dat'" "Permission denied"
	expect_unchanged "$before"
else
	skip_part "no ordinary user can run $CALIB"
fi
if ((EUID == 0)) && mkdir full && mount -t tmpfs -o size=4M none full; then
	at_end umount "$here/full"
	head -c 1M /dev/urandom >full/ballast
	nothing "room for 3 MiB" "6 MiB" -- -testname t5 -size 3M -count 2 -dir full
	nothing "room" "'$here/full'" -- -testname t5 -size 16384T -count 1024 -dir full # 2^64 bytes
	# a quota shows only while writing
	before=$(files_here)
	(
		ulimit -f 2048
		calib mklun -testname t5 -size 3M -dir full
		echo "$status" >"$work/status"
	)
	status=$(<"$work/status")
	what="calib mklun (ulimit -f 2048)"
	((status == 1 || status == 2)) || fail_run "exit status $status, expected 1 or 2"
	expect_err "full/t5_1.dat'" "File too large"
	expect_unchanged "$before"
else
	skip_part "a tmpfs cannot be mounted here"
fi

# a signal: what was made is removed
mkdir broken
for pair in INT:2 TERM:15; do
	what="send_signal.py ${pair%:*}"
	status=$(python3 "$SOURCE_DIR/tests/lib/send_signal.py" "${pair%:*}" 0 'broken/t6_3.dat' \
		"$CALIB" mklun -testname t6 -size 64M -count 64 -dir broken)
	[[ $status == "signal ${pair#*:}" ]] || fail_run "ended by $status"
	[[ -z $(ls broken) && ! -e t6.lun ]] || fail_run "files are left: $(ls broken t6.lun)"
done

# a file that took the name of one that was made stays when the rest fails
mkdir taken
"$CALIB" mklun -testname t7 -size 32M -count 40 -dir taken >"$work/out" 2>"$work/err" &
pid=$!
until [[ -e taken/t7_2.dat ]]; do
	kill -0 $pid || fail "mklun has ended too soon"
	sleep 0.01
done
mv taken/t7_1.dat taken/moved
echo precious >taken/t7_1.dat
kill -TERM $pid
wait $pid || true
[[ $(<taken/t7_1.dat) == precious ]] || fail "another's file was removed"
[[ -e taken/moved && ! -e taken/t7_2.dat ]] || fail "not what was made, and only that, was removed"
