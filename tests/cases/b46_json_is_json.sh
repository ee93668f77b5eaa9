#!/usr/bin/env bash
# B46: with warnings or without, what is called JSON is JSON and nothing else.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
ln -s a b
printf '%s\n' a b >x.lun # a warning

# one_document: strictly one, on standard output and in the file
one_document() {
	expect_status 0
	prefix=$(prefix_of x)
	[[ $(jq -es length "$work/out") == 1 ]] || fail_run "not one document on standard output"
	cmp "$work/out" "${prefix}_results.json" || fail_run "two different documents"
	python3 - "$work/out" <<-'PYTHON' || fail_run "a number that JSON does not know"
		import json, sys
		def refuse(name):
		    raise ValueError(name)
		json.load(open(sys.argv[1], encoding="utf-8"), parse_constant=refuse)
	PYTHON
	while read -r line; do
		jq -e . <<<"$line" >/dev/null || fail_run "a line of the ledger is no JSON"
	done <"${prefix}_points.jsonl"
	! grep -qE '(-nan|nan|inf)[,} ]' "$work/out" || fail_run "a number that is none"
}

for options in "" -quiet -verbose; do
	# shellcheck disable=SC2086 # none or one
	RD x -json $options
	one_document
	[[ $(result "$prefix" '.warnings | length > 0') == true ]] || fail_run "the warning is lost"
	expect_err "'b'"
	rm x_2*
	# shellcheck disable=SC2086
	GRID x -json $options
	one_document
	rm x_2*
done

# what cannot be known is null: no large I/Os, nothing best
RD x -json
one_document
[[ $(jq -r '.best.max_mbps | type' "$work/out") == null ]] || fail_run "a best of nothing"
rm x_2*

# figures that could divide by nothing
calib -engine null -run simple -testname x -duration 1ms -ramp 0 -json
one_document
rm x_2*
calib -run advanced -matrix detailed -small_levels 0,1 -large_levels 0,1 -testname x -duration 1ms \
	-ramp 0 -json
one_document
rm x_2*
