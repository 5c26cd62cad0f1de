#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where a list of values changed its level: from a file, a column or a pipe, as text and as JSON, and what is no history.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# Ten values about 100, ten about 108, in a wave that no step hides in.
values() {
    awk 'BEGIN { for (i = 0; i < 20; i++) print (i < 10 ? 100 : 108) + i * 7 % 10 / 10 }'
}

it 'a step is told with its place, its size and the medians of both sides'
values >"$work/values"
run history --values "$work/values"
expect_exit 0
expect_stdout <<'END'
20 values, 1 change
  ..........@@@@@@@@@@
            ^
Index    Step         Interval                   Medians           Values
-------------------------------------------------------------------------
   10  +8.0 %  worse  +7.6 % .. +8.3 % (95.6 %)  100.45 -> 108.45  0..19
Steps of 2 % or more count, and 1 % of histories that never change show one.
Neighbours are alike by r1 = -0.31.
END
expect_nothing_on err

it 'the JSON has the same figures'
run history --values "$work/values" --json
expect_exit 0
expect_json /schema steelyard.history/1
expect_json /n 20
expect_json /changes/0/index 10
expect_json /changes/0/from 0
expect_json /changes/0/to 20
expect_json /changes/0/worse true
expect_json /changes/0/before 100.45
checks=$((checks + 1))
! "$JSON_VALUE" "$work/out" /changes/1 >/dev/null 2>&1 || wrong 'there is a second change'

it 'a pipe and a column are read, and what is better is said'
code=0
{
    echo 'commit,seconds,throughput'
    values | awk '{ print "c" NR ",1," $1 }'
} | "$STEELYARD" history --values - --column throughput --better higher --json >"$work/out" 2>"$work/err" || code=$?
expect_exit 0
expect_json /changes/0/worse false
expect_json /better higher

it 'a smaller step than asked for is no change, nor is anything among nine values'
run history --values "$work/values" --min-effect 0.1
expect_exit 0
expect_says out '20 values, 0 changes'
head -n 9 "$work/values" >"$work/nine"
run history --values "$work/nine"
expect_exit 0
expect_says out 'Fewer than ten values cannot show one.'

it 'a value without a ratio is named by its index'
{
    cat "$work/values"
    echo -3
} >"$work/bad"
run history --values "$work/bad"
expect_exit 2
expect_says err 'value 20 is not a positive number'
echo nan >>"$work/nine"
run history --values "$work/nine"
expect_exit 2
expect_says err 'value 9 is not a positive number'
echo twelve >>"$work/nine"
run history --values "$work/nine"
expect_exit 4
expect_says err 'twelve'

it 'a question that has no answer is refused'
run history
expect_exit 2
expect_says err 'which values?'
run history --values "$work/missing"
expect_exit 2
run history --values "$work/values" --alpha 0.05
expect_exit 2
expect_says err '0.01 or 0.001'
run history --values "$work/values" --min-effect -1
expect_exit 2
run history key --values "$work/values"
expect_exit 2
: >"$work/empty"
run history --values "$work/empty"
expect_says err "$work/empty"

it 'rows that share a name are no order of time'
printf 'name,value\na,1\nb,2\na,3\n' >"$work/shared"
run history --values "$work/shared"
expect_exit 2
expect_says err '--column says which'

finish
