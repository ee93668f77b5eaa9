#!/usr/bin/env bash
# Dependencies go one way: which part may include which part's headers. SPDX-License-Identifier: MIT
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

# the part that a header belongs to; "data" is structs without code, open to everyone
declare -A part_of=(
	[clock]=base [divisor]=base [error]=base [file]=base [leb128]=base [random]=base [text]=base [units]=base
	[point]=data [spec]=data
	[plan]=plan
	[pattern]=workload [payload]=workload [volume]=workload
	[histogram]=stats [judge]=stats [results]=stats [tally]=stats
	[engine]=engine
	[limits]=target [safety]=target [target]=target
	[engine_probe]=run [run]=run
	[report]=report
	[mklun]=cli [options]=cli [progress]=cli [report_cmd]=cli [session]=cli [status]=cli [stop]=cli
)

# what a part may include besides base, data and itself; main and cli wire everything together
declare -A may_include=(
	[base]="" [data]="" [workload]="" [stats]="" [engine]=""
	[plan]="stats"
	[target]="stats workload" # the facts about a LUN are results; how many a volume holds
	[run]="plan workload engine stats"
	[report]="stats"
	[cli]="plan workload stats engine target run report"
	[main]="plan workload stats engine target run report cli"
)

wrong=0
complain() {
	echo "$1"
	wrong=1
}

# part_of_file FILE: src/run/point.c -> run, include/calib/plan.h -> plan, src/main.c -> main
part_of_file() {
	local name
	name=$(basename "${1%.[ch]}")
	case $1 in
	src/main.c) echo main ;;
	include/calib/*) echo "${part_of[$name]:-unknown}" ;;
	*) basename "$(dirname "$1")" ;;
	esac
}

check_public() { # FILE PART HEADER
	local to=${part_of[$3]:-}
	if [[ -z $to ]]; then
		complain "$1: calib/$3.h has no part: add it to the table in this test"
	elif [[ " base data $2 ${may_include[$2]} " != *" $to "* ]]; then
		complain "$1: $2 must not include calib/$3.h, which belongs to $to"
	fi
}

check_file() { # FILE
	local file=$1 part include
	part=$(part_of_file "$file")
	if [[ -z ${may_include[$part]+known} ]]; then
		complain "$file: part '$part' is not in the table in this test"
		return
	fi
	while read -r include; do
		if [[ $include == calib/* ]]; then
			check_public "$file" "$part" "$(basename "$include" .h)"
		elif [[ $include == */* || ! -e $(dirname "$file")/$include ]]; then
			complain "$file: '$include' is neither calib/*.h nor a header beside it"
		fi
	done < <(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\(.*\)".*/\1/p' "$file")
}

while read -r file; do
	check_file "$file"
done < <(find src include -name '*.[ch]' | sort)
exit $wrong
