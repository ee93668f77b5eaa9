#!/usr/bin/env bash
# What may stand in a .lun file, and what is refused before any I/O, with file and line.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

random_file() { # NAME KIB
	head -c "$(($2 * 1024))" /dev/urandom >"$1"
}

point=(-run advanced -matrix point -duration 0.1 -ramp 0)
small=("${point[@]}" -num_small 2 -num_large 0)
large=("${point[@]}" -num_small 0 -num_large 1)

# refuse TEXT...: x.lun, as it is now, is refused so, and no file comes or goes
refuse() {
	local before
	before=$(files_here)
	calib "${small[@]}" -testname x
	refused 2 "$@"
	expect_unchanged "$before"
	calib "${small[@]}" -testname x -dry_run
	refused 2 "$@"
}

# accept COUNT: x.lun, as it is now, is a run with so many LUNs, none of it contradictory
accept() {
	calib "${small[@]}" -testname x
	expect_status 0
	expect_out "$1 files found."
	check_last x
}

random_file a 4096
random_file 'my disk' 1024
random_file -dash 1024

# the file itself
refuse "'x.lun'" "does not exist"
: >x.lun
refuse "no LUN in x.lun"
printf '# data disks\n#\n\n   \n\r\n' >x.lun
refuse "no LUN in x.lun"
rm x.lun
mkdir x.lun
refuse "'x.lun'" "directory"
rmdir x.lun
head -c 100000 /dev/zero >x.lun
refuse "x.lun:1:" "NUL"
head -c 5000 /dev/zero | tr '\0' a >x.lun
refuse "x.lun:1:" "longer"
seq 1025 >x.lun
refuse "x.lun:" # a name that is not there, or one LUN too many
echo a >x.lun
chmod 000 x.lun
if prepare_user; then
	before=$(files_here)
	calib_as_user "${small[@]}" -testname x
	refused 2 "'x.lun'" "Permission denied"
	expect_unchanged "$before"
else
	skip_part "no ordinary user can run $CALIB"
fi
chmod 644 x.lun

# how a line is read
printf '# data disks\n\n%s\n   \n' "$here/a" >x.lun
accept 1
printf '%s\r\n' "$here/a" >x.lun
accept 1
printf '\xef\xbb\xbf%s\r\n' "$here/a" >x.lun
accept 1
printf 'a  \t \nmy disk\n-dash' >x.lun # relative names; no line end after the last
accept 3
printf '\xef\xbb\xbf# a list\r\n\r\nmy disk\t\r\n' >x.lun
accept 1
calib "${small[@]}" -testname x -json
expect_status 0
[[ $(jq -r '.luns[0].path' "$work/out") == 'my disk' ]] || fail_run "the name is not 'my disk'"
rm x_*
printf ' a\n' >x.lun
refuse "x.lun:1:" "' a'" "blank"
printf 'a\n  # no comment\n' >x.lun
refuse "x.lun:2:"

# names of the list
echo a >x.lun
calib "${small[@]}" -testname x.lun
expect_status 0
check_last x
mkdir lists
mv x.lun lists/y.lun
calib "${small[@]}" -lun lists/y.lun -out results/of/today
expect_status 0
check_run "$(prefix_of results/of/today/calib)" --stdout "$work/out" --stderr "$work/err"
calib "${small[@]}" -testname z -lun lists/y.lun
expect_status 0
check_last z

# what is no LUN
printf 'a\n%s\n' "$here/nosuch" >x.lun
refuse "x.lun:2:" "'$here/nosuch'" "No such file"
[[ ! -e nosuch ]] || fail "a LUN that does not exist was made"
mkdir directory
mkfifo fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
for kind in "directory:directory" "fifo:FIFO" "socket:socket" "/dev/null:character device" \
	"/dev/zero:character device" "/dev/tty:character device"; do
	printf 'a\n\n%s\n' "${kind%:*}" >x.lun
	refuse "x.lun:3:" "'${kind%:*}'" "${kind#*:}"
done
ln -s nosuch dangling
echo dangling >x.lun
refuse "x.lun:1:" "'dangling'"
[[ ! -e nosuch ]] || fail "the target of a dangling link was made"
ln -s loop loop
echo loop >x.lun
refuse "x.lun:1:" "'loop'"
if prepare_user; then
	random_file secret 1024
	chmod 000 secret
	printf 'a\nsecret\n' >x.lun
	before=$(files_here)
	calib_as_user "${small[@]}" -testname x
	refused 2 "x.lun:2:" "'secret'" "Permission denied"
	expect_unchanged "$before"
fi
if ((EUID == 0)); then
	dev=$(mktemp /dev/calib-test.XXXXXX)
	at_end rm -f "$dev"
	random_file "$dev" 1024
	echo "$dev" >x.lun
	refuse "x.lun:1:" "'$dev'" "regular file under /dev"
	ln -s "$dev" link
	echo link >x.lun
	refuse "x.lun:1:" "regular file under /dev"
else
	skip_part "a file under /dev needs root"
fi

# sizes
random_file tiny 4
random_file small 512
: >empty
printf 'a\ntiny\n' >x.lun
refuse "x.lun:2:" "'tiny'" "(4096 bytes)" "smaller than one small I/O (8 KiB)"
printf 'empty\n' >x.lun
refuse "x.lun:1:" "'empty'" "smaller than one small I/O"
printf 'a\nsmall\n' >x.lun
before=$(files_here)
calib "${large[@]}" -testname x
refused 2 "x.lun:2:" "'small'" "(524288 bytes)" "smaller than one large I/O (1 MiB)"
calib -run simple -testname x
refused 2 "x.lun:2:" "'small'" "smaller than one large I/O"
calib "${small[@]}" -size_small 1 -testname x -dry_run
expect_status 0 # without large I/Os it is large enough
expect_unchanged "$before"
random_file odd 1032 # 1 MiB and 8 KiB
echo odd >x.lun
calib "${point[@]}" -num_small 0 -num_large 4 -testname x
expect_status 0
prefix=$(prefix_of x)
expect_err "overlap"
[[ $(result "$prefix" '.luns[0].used_bytes') == 1048576 ]] || fail "not 1 MiB of 'odd' is used"
[[ $(result "$prefix" '[.warnings[].code] | index("overlap") != null') == true ]] ||
	fail "no warning of streams that overlap"
check_last x

# one LUN under two names
ln -s a b
ln a c
printf '%s\nb\nc\na\n' "$here/a" >x.lun
calib "${small[@]}" -testname x
expect_status 0
for line in 2 3 4; do
	expect_err "x.lun:$line:"
done
expect_err "'b' is the same file as '$here/a'" "'c' is the same file as '$here/a'"
expect_out "1 files found." "Size: 4194304"
[[ $(grep -c '^Name: ' "$work/out") == 1 ]] || fail_run "counted more than once"
[[ $(result "$(prefix_of x)" '.warnings | length') == 3 ]] || fail "not three warnings"
check_last x

# the list itself is no LUN
{
	printf '# %0100d\n' {1..20000}
	echo x.lun
} >x.lun
refuse "x.lun:20001:" "the list itself"
