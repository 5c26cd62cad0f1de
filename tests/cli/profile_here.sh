#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The key of this machine, filled in for an operation: nobody types a processor string.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
need_certain_machine

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
store=$work/profiles
profile() {
    subcommand=$1
    shift
    run profile "$subcommand" --here ring --backend fake --script "$script" --store "$store" "$@"
}

it 'what probe keeps is what the key of this machine finds'
run probe ring --backend fake --script "$script" --store "$store" --save --quiet --seed 1
expect_exit 0
profile lookup --json
expect_exit 0
expect_json /selected/policy fast
expect_json /selected/rank calibrated-exact
profile explain
expect_exit 0
expect_says out 'calibrated-exact: selected: fast'

it 'what is given stays'
profile explain --model-digest abc
expect_exit 6
expect_says out 'different model'
profile explain --threads 64 --json
expect_exit 6
expect_json /others/0/reason 'different thread count'

it 'an override for this machine is one line'
profile override --policy plain --reason 'by hand'
expect_exit 0
run select ring --backend fake --script "$script" --store "$store" --json
expect_json /implementation plain
expect_json /rank override-exact
profile override --clear
expect_exit 0
run select ring --backend fake --script "$script" --store "$store" --json
expect_json /implementation fast

it 'the key of an answer is taken whole'
run select ring --backend fake --script "$script" --store "$store" --model-digest abc --json --quiet
whole=$("$JSON_VALUE" "$work/out" /key/model_digest)
profile override --model-digest "$whole" --policy plain --reason 'for that model'
expect_exit 0
run select ring --backend fake --script "$script" --store "$store" --model-digest abc --json
expect_json /implementation plain
profile explain --model-digest "$whole"
expect_says out 'for that model'
run select ring --backend fake --script "$script" --store "$store" --json
expect_json /implementation fast
profile override --model-digest "$whole" --cases only --policy plain --reason 'said twice'
expect_exit 2
expect_says err 'says already which cases and settings'

it 'what is wrong is said'
run profile explain --cases quick --store "$store"
expect_exit 2
expect_says err 'only with --here'
run profile explain --here nothing --store "$store"
expect_exit 2
expect_says err "no operation 'nothing'"
run profile explain --here matmul --cases nosuch --store "$store"
expect_exit 2
expect_says err nosuch

finish
