#!/usr/bin/env bash
# No run writes over another's files; they go where they should, whatever bytes a name has and
# whatever language numbers are written in. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname x -size 2M >/dev/null
short=(-engine null -duration 20ms -ramp 0)
point=("${short[@]}" -run advanced -matrix point -num_small 2 -num_large 1)

prefixes_of() { # NAME
	compgen -G "$1_[0-9]*_results.json" | sed 's/_results\.json$//'
}

# a second run, a third, and several at once: all have their own files
for _ in 1 2 3 4; do
	before=$(sha256sum ./*)
	calib "${point[@]}" -testname x
	expect_status 0
	sha256sum --quiet -c <<<"$before" || fail_run "a file of an earlier run was changed"
done
pids=()
for _ in 1 2 3 4 5 6; do
	"$CALIB" "${point[@]}" -testname x -quiet &>/dev/null &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || fail "one of several runs at once ended with $?"
done
mapfile -t prefixes < <(prefixes_of x)
((${#prefixes[@]} == 10)) || fail "10 runs, ${#prefixes[@]} results"
for prefix in "${prefixes[@]}"; do
	check_run "$prefix"
done
((10 * 9 == $(compgen -G 'x_2*' | wc -l))) || fail "not nine files for each run: $(ls)"
rm x_2*

# anything that begins with the prefix makes it taken
for name in "x_$(date +%Y%m%d_%H%M)_notes" "x_$(date -d '1 minute' +%Y%m%d_%H%M)"; do
	touch "$name"
done
calib "${point[@]}" -testname x
expect_status 0
[[ $(prefix_of x) =~ _[0-9]{6}$ ]] || fail_run "a prefix that was taken was used"
check_last x
rm x_*_notes "$name"

# the local time of the start
TZ=Asia/Kolkata calib "${point[@]}" -testname x
expect_status 0
[[ $(result "$(prefix_of x)" .started) == *+05:30 ]] || fail_run "no offset of +05:30"
check_last x

# a directory in the test name is where .lun and output are
mkdir -p sub/dir
sed "s|.*/|$here/|" x.lun >sub/dir/y.lun
calib "${point[@]}" -testname sub/dir/y
expect_status 0
[[ $(files_here | grep -c '/sub/dir/y_2.*_') == 9 ]] || fail_run "not all nine files are in sub/dir"
check_last sub/dir/y
calib "${point[@]}" -testname nosuch/y
refused 2 "nosuch/y.lun"
calib "${point[@]}" -testname nosuch/y -lun x.lun
refused 2 "'nosuch" "No such file"
[[ ! -e nosuch ]] || fail "the directory in a test name was made"

# -out is made where it is missing, and only by a run
calib "${point[@]}" -testname x -out o/p/q -dry_run
expect_status 0
[[ ! -e o ]] || fail_run "-dry_run has made the output directory"
calib "${point[@]}" -testname nosuch -out o/p/q
refused 2 "nosuch.lun"
[[ ! -e o ]] || fail_run "a run that never began has made the output directory"
for out in o/p/q "$here/o/p/q/" o; do
	calib "${point[@]}" -testname x -out "$out"
	expect_status 0
	check_last "$out/x"
done
touch file
before=$(files_here)
for out in file file/sub /proc/sub /dev/null; do
	calib "${point[@]}" -testname x -out "$out"
	refused 2 "'$out'"
	expect_unchanged "$before"
	[[ $out != /proc/* ]] || continue # nothing but an attempt shows that it cannot be
	calib "${point[@]}" -testname x -out "$out" -dry_run
	[[ $status == 2 ]] || fail_run "exit status $status of -dry_run, and 2 of the run"
done

# a directory that cannot be written: before any I/O
if prepare_user; then
	mkdir ro
	sed "s|.*/|$here/|" x.lun >ro/x.lun
	chmod 644 x_1.dat
	chmod 555 ro
	at_end chmod 755 "$here/ro"
	before=$(files_here)
	calib_as_user "${point[@]}" -testname x -out ro
	refused 2 "'ro'" "Permission denied"
	calib_as_user "${point[@]}" -testname x -out ro/sub
	refused 2 "'ro/sub'" "Permission denied"
	calib_as_user "${point[@]}" -testname ro/x
	refused 2 "'ro'" "Permission denied"
	cd ro
	calib_as_user "${point[@]}" -testname x
	refused 2 "'.'" "Permission denied"
	cd "$here"
	for where in "-testname ro/x" "-testname x -out ro" "-testname x -out ro/sub/sub"; do
		# shellcheck disable=SC2086 # two options
		calib_as_user "${point[@]}" $where -dry_run
		expect_status 2
		expect_err "'ro" "Permission denied"
	done
	expect_unchanged "$before"
else
	skip_part "no ordinary user can run $CALIB"
fi

# two LUNs of one base name are two
mkdir one other
cp x_1.dat one/disk
cp x_1.dat other/disk
printf 'one/disk\nother/disk\n' >twins.lun
calib "${point[@]}" -testname x -lun twins.lun
expect_status 0
expect_out "Name: one/disk" "Name: other/disk" "2 files found."
check_last x

# names with odd bytes, of the test and of LUNs: every file has them right
# shellcheck disable=SC2016 # the dollar is one of them
odd=('a blank' "quote's" 'double"quote' 'com,ma' 'back\slash' $'tab\tinside' $'no\xffutf8' 'glob*[a]?'
	'Grün' '-dash' "%s%n" '$HOME`' '#hash' $'\x01\x7f')
mkdir odd
for name in "${odd[@]}"; do
	cp x_1.dat "odd/$name"
	printf 'odd/%s\n' "$name"
done >all.lun
calib "${point[@]}" -testname x -lun all.lun
expect_status 0
check_last x
for name in "${odd[@]}" $'new\nline'; do
	calib "${point[@]}" -lun x.lun -testname="$name" -seed 1
	expect_status 0
	mapfile -d '' -t found < <(find . -maxdepth 1 -name '*_results.json' -print0)
	((${#found[@]} == 1)) || fail_run "not one result of the test '$name'"
	prefix=${found[0]%_results.json}
	[[ $prefix == "./${name}_"2* ]] || fail_run "the files of the test '$name' are named '$prefix'"
	check_run "$prefix" --stdout "$work/out" --stderr "$work/err" --argv calib "${point[@]}" \
		-lun x.lun -testname="$name" -seed 1
	rm -- "$prefix"_*
done

# numbers are written and read as in C, whatever the locale
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null &&
	[[ $(LOCPATH=$work LC_ALL=de_DE.UTF-8 /usr/bin/printf %.1f 1,5) == 1,5 ]]; then
	for variable in LC_ALL LC_NUMERIC LANG; do
		launcher=(env -u LC_ALL LOCPATH="$work" "$variable=de_DE.UTF-8")
		calib -engine null -run simple -duration 0.02 -ramp 0.01 -testname x
		expect_status 0
		! grep -q '[0-9],[0-9]' "$work/out" "$work/err" || fail_run "a decimal comma"
		check_last x
	done
else
	skip_part "localedef cannot make de_DE.UTF-8 here"
fi
