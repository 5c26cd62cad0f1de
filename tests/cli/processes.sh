#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Probes over several fresh processes: a start that decides by itself is seen, and a decision says how many starts it
# rests on. What differs from start to start is scripted.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

scripts=$SOURCE_DIR/tests/data/fake

weigh() {
    script=$1
    shift
    run probe ring --backend fake --script "$scripts/$script.json" --seed 1 "$@"
}

it 'one start is taken for the truth'
weigh lottery --json
expect_exit 0
expect_json /decision win
expect_json /processes 1
expect_json /process_results/0/rounds 5
expect_json /process_deviation null

it 'four starts are not'
weigh lottery --json --processes 4
expect_exit 0
expect_json /decision no-gain
expect_json /winner plain
expect_json /processes 4
expect_json /process_results/3/wins 0

it 'the report shows the median of each process and their spread'
weigh processes-quiet --processes 4
expect_exit 0
expect_says out 'win: use fast in place of plain'
expect_says out 'processes over 4 processes: medians 10.'
expect_says out '%, spread 2.'
expect_says out 'expected of their pairs)'
expect_not_says out 'note processes:'

it 'a win that one start denies is undecided'
weigh lottery-denied --processes 6 --max-pairs 30
expect_exit 5
expect_says out 'undecided after 30 of at most 30 pairs: processes'
expect_says out 'more processes tell how often each wins'
expect_says out 'on both sides of what was asked for, p = '

it 'several cases say rounds'
cat >"$work/two.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "ring", "isolation": "worker", "cases": [{"name": "a"}, {"name": "b"}],
 "implementations": [
   {"name": "plain", "role": "reference", "law": {"base_ns": 1000000, "model": "quiet"}},
   {"name": "fast", "law": {"base_ns": 800000, "model": "quiet"}}]}
END
run probe ring --backend fake --script "$work/two.json" --seed 1 --processes 2
expect_exit 0
expect_says out 'expected of their rounds)'

it 'more processes than pairs for them are refused'
weigh lottery --processes 21
expect_exit 2
expect_says err '60 pairs are fewer than 3 for each of 21 processes'
weigh lottery --processes 65
expect_exit 2
weigh lottery --processes 0
expect_exit 2

it 'processes need workers'
weigh lottery --processes 2 --isolation none
expect_exit 2
expect_says err '2 processes, but the implementations run in this one'

need_certain_machine

it 'a kept decision of one start says so'
weigh lottery --save --store "$work/one"
expect_exit 0
expect_says err 'from one process of each implementation: --processes 4 tells'
run select ring --backend fake --script "$scripts/lottery.json" --store "$work/one"
expect_exit 0
expect_says out 'from one process of each implementation'
run profile explain --here ring --backend fake --script "$scripts/lottery.json" --store "$work/one"
expect_exit 0
expect_says out 'measured in 1 process of each implementation'

it 'and one of several how many'
weigh processes-quiet --save --store "$work/four" --processes 4
expect_exit 0
expect_not_says err 'from one process'
run select ring --backend fake --script "$scripts/processes-quiet.json" --store "$work/four"
expect_exit 0
expect_says out 'over 4 processes of each implementation'
run profile explain --here ring --backend fake --script "$scripts/processes-quiet.json" --store "$work/four"
expect_says out 'measured in 4 processes of each implementation'
run profile show --store "$work/four"
expect_says out 'processes = 4; process_spread = '

finish
