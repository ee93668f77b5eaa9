#!/usr/bin/env bash
# A command line that is wrong is refused with exit status 2 and one line that names option and
# value; nothing is ignored, nothing is written. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname calib -size 8M >/dev/null
before=$(files_here)

# bad 'ARGUMENTS as typed in a shell' TEXT...: refused with each TEXT in the message
bad() {
	local line=$1
	shift
	eval "calib $line"
	refused 2 "$@"
	expect_unchanged "$before"
}

bad ''                                      "-run basic" "-help"
bad '-testname calib'                       "-run"

# no such option
bad '-runn simple'                          "-runn" "'-run'"
bad '-run simple -foo 1'                    "-foo" "-help"
bad '-run simple -durations 5'              "-durations" "'-duration'"
bad '-run simple --duraton=5'               "-duraton" "'-duration'"
bad '-run simple -num_disk 5'               "-num_disk" "'-num_disks'"
bad '-run simple -Duration 5'               "-Duration" "'-duration'"
bad '-run simple -typerand'                 "-typerand" "'-type rand'"
bad '-run simple -duration5'                "-duration5" "'-duration 5'"
bad '-run simple -'                         "'-'"
bad '-run simple --'                        "'--'"
bad 'simple'                                "'simple'" "-run"
bad 'run simple'                            "'run'" "-run"
bad '-run simple oltp'                      "'oltp'"
bad '-run simple -verbose yes'              "'yes'" "-verbose"
bad '-run simple –type rand'                "–type" "U+2013" "'-type'"
bad '-run simple -write20 -overwrite'       "-write20" "'-write 20'"
bad '–write 0 –type seq –cache_size 0'      "–write" "U+2013"
bad '-run simple —duration 5'               "—duration" "U+2014"
bad '-run simple −duration 5'               "−duration" "U+2212"

# values that are missing, too many or twice
bad '-run'                                  "-run" "value"
bad '-run simple -duration'                 "-duration" "value"
bad '-run simple -duration -verbose'        "-duration" "-verbose"
bad '-run simple -duration='                "-duration" "value"
bad '-run simple -duration ""'              "-duration" "value"
bad '-run simple -testname ""'              "-testname" "value"
bad '-run simple -verbose=1'                "-verbose"
bad '-run simple -run basic'                "-run" "twice"
bad '-run simple -duration 5 --duration=5'  "-duration" "twice"
bad '-run simple -quiet --quiet'            "-quiet" "twice"

# times
for value in 0 -1 1e3 9999999999999999999 5q +5 "5 s" 1,5 0x10 nan inf 1.2.3 . s 300y ' 5'; do
	bad "-run simple -duration '$value'"    "-duration" "${value# }"
done
bad '-run simple -duration 0s'              "more than 0"
for value in -1 1e3 5q x 1.5.; do
	bad "-run simple -ramp $value"          "-ramp" "$value"
done

# sizes
for value in 0 0.3 0.75 -8 8X 8KK 1e3 99999999999999999999 0x8 "8 K" 8,5 16777216T 2G; do
	bad "-run simple -size_small '$value'"  "-size_small"
	bad "-run simple -size_large '$value'"  "-size_large"
done
bad '-run simple -size_small 8X'            "8X"
bad '-run simple -size_large 2G'            "2 GiB"
bad '-run simple -size_small 0.75'          "768" "512"

# numbers
for option in num_disks num_streamIO threads repeat; do
	for value in 0 -1 1.5 1e1 4K +4 x 99999 99999999999999999999; do
		bad "-run simple -$option $value"   "-$option" "$value"
	done
done
for value in -1 1.0 9007199254740992 x; do
	bad "-run simple -seed $value"          "-seed" "$value"
done
for value in 101 -1 30% 1.5 1e1 +4 0x10 x 4294967296 99999999999999999999; do
	bad "-run simple -overwrite -write $value" "-write" "$value"
done
for value in -1 x 10001; do
	bad "-run advanced -matrix point -num_large 1 -num_small $value" "-num_small" "$value"
	bad "-run advanced -matrix point -num_small 1 -num_large $value" "-num_large" "$value"
done
for value in ',' '1,' ',1' '1,,2' '1,2,x' '1,1' 10001 -1 1-4 '1 2' 1:2 99999999999999999999; do
	bad "-run simple -small_levels '$value'" "-small_levels" "$value"
	bad "-run simple -large_levels '$value'" "-large_levels" "$value"
done

# what an ORION user may type, and what helps
bad '-run simple -cache_size 64 MB'         "'MB'" "'64MB'"
bad '-run simple -cache_size 64X'           "-cache_size" "64X"
bad '-run simple -cache_size64'             "-cache_size64" "'-cache_size 64'"
bad '-run simple -num_disks 4K'             "-num_disks" "4K" "plain number"
bad '-run simple -storax'                   "-storax" "value"
bad '-run simple -storax oss'               "-storax oss" "CellCLI"
bad '-run simple -storax asmlib'            "-storax asmlib" "block devices"
bad '-run simple -storax ODMLIB'            "-storax odmlib" "NFS"
bad '-run simple -storax raw'               "-storax 'raw'" "skgfr"
bad '-run simple -hugenotneeded -pages huge' "-hugenotneeded" "-pages huge"
bad '-run simple -poll -engine psync'       "-poll" "-engine psync"
bad '-run simple -hugenotneeded=1'          "-hugenotneeded"
bad '-run simple -type rand -cache_size 64' "-cache_size" "-type rand"
bad '-run oltp -cache_size 64'              "-cache_size" "large I/Os"
bad '-run simple -orion -num_streamIO 2'    "-num_streamIO" "-type seq"

# words
bad '-run fast'                             "-run" "'fast'" "simple" "basic"
bad '-run advanced -matrix square'          "-matrix" "'square'" "detailed"
bad '-run simple -type seqential'           "-type" "'seqential'" "seq"
bad '-run simple -order up'                 "-order" "'up'" "rising"
bad '-run simple -pages big'                "-pages" "'big'" "small"
bad '-run simple -simulate raid5'           "-simulate" "'raid5'" "concat"
bad '-run simple -engine aio'               "aio" "libaio"

# not in this version, refused by name
for option in resume max_latency io_timeout require strict accept_changes anonymous; do
	bad "-run simple -$option"              "-$option" "not available"
	bad "-run simple -$option 0"            "-$option" "not available"
done
bad '-run calibrate'                        "-run" "calibrate" "not available"
bad 'compare a b'                           "compare" "not available"
bad 'report'                                "'calib report'" "PREFIX"
bad 'report calib'                          "neither 'calib_results.json' nor 'calib_points.jsonl'"

# options that contradict each other
for value in "" " -write 0"; do
	bad "-run simple -overwrite$value"      "-overwrite" "-write"
	bad "-run simple -force$value"          "-force" "-write"
done
bad '-run simple -write -overwrite'         "-write" "-overwrite"
bad '-run simple -write 10 -overwrite=yes'  "-overwrite"
bad '-run simple -write 10 -force -force'   "-force" "twice"
bad '-run simple -stripe 1M'                "-stripe" "raid0" "concat"
bad '-run simple -simulate concat -stripe 1M' "-stripe" "raid0" "concat"
bad '-run simple -simulate raid0 -stripe'   "-stripe"
for value in 0 -1 1X x 2G 0.1 12 768 1025 1500; do
	bad "-run simple -simulate raid0 -stripe $value" "-stripe"
done
bad '-run simple -simulate raid0 -stripe 12' "12 KiB" "-size_small of 8 KiB"
bad '-run simple -simulate raid0 -size_large 768' "1024 KiB, the default" "-size_large of 768 KiB"
bad '-run dss -simulate raid0 -stripe 1500' "1500 KiB" "-size_large of 1024 KiB"
bad '-run simple -simulate raid0 -stripe 64M' "calib_1.dat" "smaller than one stripe" "-stripe"
bad 'mklun -testname m -size 1M -stripe 1M' "-stripe" "mklun"
bad '-run simple -matrix point'             "-matrix" "simple"
bad '-run basic -num_small 1'               "-num_small" "basic"
bad '-run normal -num_large 1'              "-num_large" "normal"
bad '-run advanced -num_small 1'            "-num_small" "-matrix basic"
bad '-run advanced -matrix detailed -num_large 1' "-num_large" "detailed"
bad '-run advanced -matrix point'           "point" "-num_small"
bad '-run advanced -matrix point -num_small 1' "point" "-num_large"
bad '-run advanced -matrix col'             "col" "-num_small"
bad '-run advanced -matrix col -num_small 1 -num_large 1' "-num_large" "col"
bad '-run advanced -matrix row'             "row" "-num_large"
bad '-run advanced -matrix row -num_small 1 -num_large 1' "-num_small" "row"
bad '-run advanced -matrix max -num_small 3' "max" "-num_large"
bad '-run advanced -matrix max -num_large 3' "max" "-num_small"
bad '-run advanced -matrix max -num_small 3 -num_large 1 -small_levels 1,2' \
	"-num_small" "-small_levels"
bad '-run advanced -matrix point -num_small 1 -num_large 1 -small_levels 1' "-small_levels"
bad '-run advanced -matrix row -num_large 1 -large_levels 1' "-large_levels"
bad '-run advanced -matrix col -num_small 1 -small_levels 1' "-small_levels"
bad '-run advanced -matrix point -num_small 0 -num_large 0' "nothing to run"
bad '-run simple -small_levels 0 -large_levels 0' "nothing to run"
for option in "large_levels 1" "size_large 512" "type rand" "num_streamIO 2"; do
	bad "-run oltp -$option"                "-${option% *}" "oltp"
done
bad '-run dss -small_levels 1'              "-small_levels" "dss"
bad '-run dss -size_small 16'               "-size_small" "dss"
bad '-run simple -type rand -num_streamIO 2' "-num_streamIO" "-type rand"
bad '-run basic -order shuffled'            "-order shuffled" "basic"
bad '-run simple -quiet -verbose'           "-quiet" "-verbose"
bad '-run simple -testname ./calib -out o'  "-out" "-testname"
bad '-run oltp -engine psync -small_levels 1025' "psync" "1024"
bad '-run simple -num_disks 5000'           "-num_disks" "10000"

# names
bad '-run simple -testname here/'           "-testname" "'here/'"
bad '-run simple -testname .lun'            "-testname" "'.lun'"
bad '-run simple -lun ""'                   "-lun"
bad '-run simple -out ""'                   "-out"

# calib mklun
bad 'mklun'                                 "-testname"
bad 'mklun -testname m'                     "-size"
bad 'mklun -size 1M'                        "-testname"
for value in 0 -1 1.5M 512K 1X x; do
	bad "mklun -testname m -size $value"    "-size"
done
for value in 0 -1 1025 x; do
	bad "mklun -testname m -size 1M -count $value" "-count" "$value"
done
bad 'mklun -testname m -size 1M -run simple' "-run" "mklun"
bad 'mklun -testname m -size 1M -duration 5' "-duration" "mklun"
bad 'mklun -testname m -size 1M m2'         "'m2'"
bad 'mklun -testname m -size 1M -write 1'   "-write" "mklun"
bad 'report calib -overwrite'               "-overwrite" "calib report"
bad '-run simple -size 1M'                  "-size" "mklun"
bad '-run simple -count 1'                  "-count" "mklun"

# what is asked for goes to standard output
for line in -help --help "-run simple -help" "mklun -help"; do
	eval "calib $line"
	expect_status 0
	[[ ! -s $work/err ]] || fail_run "a message beside the help"
	expect_out "usage: calib -run TYPE" "-num_disks" "-small_levels" "calib mklun"
done
calib -version
expect_status 0
[[ ! -s $work/err ]] || fail_run "a message beside the version"
grep -qE '^calib [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail_run "no version"
expect_out "null"
expect_unchanged "$before"

# letters of a word's value may be of either case, options come in any order and spelling
calib --duration=10s -type=RAND --run=SIMPLE -size_small 8K -dry_run -engine null
expect_status 0
expect_unchanged "$before"

# not confirmed: refused for safety, not as a bad line
calib -run simple -write 10
expect_status 3
expect_err "calib_1.dat' (8 MiB) would be overwritten" "-overwrite"
expect_unchanged "$before"
