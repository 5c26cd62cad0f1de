#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who measured: two runs agree in every key field, another set of processors is told by name, and so is a fact that
# could not be found out.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
store=$work/profiles
turns=0

# probed FILE [COMMAND...]: the key fields of a probe's identity, one a line; COMMAND runs the probe's.
probed() {
    file=$1
    shift
    "$@" "$STEELYARD" probe ring --backend fake --script "$script" --json --quiet >"$work/out" 2>"$work/err" || true
    sed -n '/"identity"/,$p' "$work/out" | sed -n '/"key"/,/}/p' | grep '": "' >"$file"
}

it 'two runs with a load between agree in every key field'
probed "$work/first" env
# Ends by itself if nobody stops it, and holds no stream of this script: a runner of tests waits for those.
(while [ "$((turns = turns + 1))" -lt 20000000 ]; do :; done) >/dev/null 2>&1 &
busy=$!
probed "$work/second" env
kill "$busy"
checks=$((checks + 2))
grep -q '"cpu.usable"' "$work/first" || wrong "no key fields: $(cat "$work/first")"
diff -u "$work/first" "$work/second" >"$work/diff" || wrong "$(cat "$work/diff")"

it 'what is recorded only is there and is no key'
run probe ring --backend fake --script "$script" --json --quiet
expect_members /identity/recorded host.load host.uptime_s cpu.governor os.kernel host.container memory.page_size

it 'a fact that could not be found out is named'
OMP_PLACES=unknown
export OMP_PLACES
run select ring --backend fake --script "$script" --store "$store" --mode store-only
expect_exit 6
expect_says out 'env.OMP_PLACES'
run probe ring --backend fake --script "$script" --store "$store" --save --quiet --seed 1
expect_says err 'a key fact of this machine is unknown: '
expect_says err 'env.OMP_PLACES'
run profile override --here ring --backend fake --script "$script" --store "$store" --policy plain --reason test
expect_exit 3
expect_says err 'a key fact of this machine is unknown ('
expect_says err 'env.OMP_PLACES'
run profile lookup --here ring --backend fake --script "$script" --store "$store" --structure n=64
expect_exit 6
unset OMP_PLACES

it 'another set of processors is told by name'
need_certain_machine
if ! command -v taskset >/dev/null; then
    skip 'there is no taskset'
fi
one=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
if [ "$(taskset -pc $$ | sed 's/.*: *//')" = "$one" ]; then
    skip 'this process may use one processor only'
fi
run probe ring --backend fake --script "$script" --store "$store" --save --quiet --seed 1
expect_exit 0
code=0
taskset -c "$one" "$STEELYARD" profile explain --here ring --backend fake --script "$script" --store "$store" \
    >"$work/out" 2>"$work/err" || code=$?
command_line='profile explain, on one processor'
expect_exit 6
expect_says out 'different processor'
expect_says out cpu.usable

finish
