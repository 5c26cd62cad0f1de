#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Attention from end to end: what is listed, the quick cases weighed whichever way they fall, right in every storage
# type, masked ones too, and the memory that the score matrix takes.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

it 'attention is listed with its reference and its oracle'
run backends
expect_exit 0
expect_says out 'attention plain'
expect_says out 'attention flash available candidate exact'
expect_says out 'attention double available oracle exact'

if "$STEELYARD" backends 2>/dev/null | grep -q 'openblas.*not found'; then
    skip 'libopenblas.so.0, the reference, is not here'
fi

it 'the quick cases are weighed, and parity holds'
run probe attention --cases quick --json --seed 5 --max-pairs 5 --budget 5 --wall-limit 100
checks=$((checks + 1))
case $code in
    0 | 1 | 5) ;;
    *) wrong "exit code $code: $(cat "$work/err" "$work/out")" ;;
esac
expect_json /reference plain
expect_json /candidates/0/name flash
expect_json /candidates/0/parity passed
expect_json /candidates/0/error_class exact
for i in 0 1 2 3; do
    expect_json "/cases/$i/parity/outcome" passed
    expect_json "/cases/$i/parity/against_oracle" true
    expect_json "/cases/$i/parity/deterministic" true
done

it 'a case with a mask of its own is weighed, rows that see no key in it'
run probe attention --cases gpt2-left-padded-128 --json --seed 5 --max-pairs 5 --wall-limit 100
expect_json /candidates/0/parity passed

it 'plain holds the scores of all heads, flash none'
checks=$((checks + 1))
plain=$(json /reference_info/scratch_bytes)
flash=$(json /candidates/0/scratch_bytes)
[ "$plain" -ge $((12 * 128 * 128 * 4)) ] || wrong "plain has scratch of $plain bytes"
checks=$((checks + 1))
[ "$flash" -gt 0 ] || wrong "flash has scratch of $flash bytes"

finish
