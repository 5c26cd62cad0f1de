#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/rank_digest.c as a job would run it: ranks that choose alike start, those that do not are named.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
cd "$work" || exit 1

# choose STORE OPERATOR POLICY [WORD...]
choose() {
    store=$1
    operator=$2
    policy=$3
    shift 3
    "$STEELYARD" profile put --store "$store" --backend cpu --operator "$operator" --implementation 1 \
        --structure dtype=f16 --policy "$policy" "$@" >/dev/null || wrong "no profile in $store"
}

ranks() {
    command_line="rank_digest $*"
    code=0
    "$RANK_DIGEST" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

for node in a b c d; do
    choose $node matmul blis
    choose $node attention flash --measurement "time=1.$(printf %d "'$node")"
done

it 'ranks that choose alike start, whatever they measured'
ranks a b c d
expect_exit 0
expect_says out '4 ranks choose alike: starting'
expect_nothing_on err

it 'a rank that chooses otherwise is named, with both digests and the first key'
choose c matmul openblas
ranks a b c d
expect_exit 1
expect_nothing_on out
expect_says err 'rank 2 decides otherwise than rank 0: nothing is started'
expect_says err 'first at: cpu matmul dtype=f16'
checks=$((checks + 1))
[ "$(grep -cE '^  rank [02]: [0-9a-f]{64}$' err)" = 2 ] || wrong 'not two digests'
choose d attention plain
ranks a b d
expect_says err 'rank 2 decides otherwise'
expect_says err 'first at: cpu attention'

it 'a decision that one rank lacks is a difference, as is an override'
ranks a absent
expect_exit 1
expect_says err 'first at: cpu attention'
choose b attention plain --override --reason 'a test'
ranks a b
expect_exit 1

it 'what no rank asks for does not matter'
choose a other here
ranks a a
expect_exit 0
choose x matmul blis
choose x attention flash
ranks a x
expect_exit 0

it 'a rank that cannot read its file stops the job'
echo nonsense >>b
ranks a b
expect_exit 2
expect_says err "rank 1: 'b': line"
expect_says err 'nothing is started'

finish
