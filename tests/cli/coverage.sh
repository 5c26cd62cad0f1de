#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cases that do not fit the wall limit: named with their prediction, in text and JSON, and never kept as the suite's.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

cat >"$work/toy.json" <<'EOF'
{"schema": "steelyard.fake/1", "operation": "toy",
 "cases": [{"name": "small"}, {"name": "huge", "factor": 3000}, {"name": "medium", "factor": 5}],
 "implementations": [
   {"name": "slow", "role": "reference", "law": {"base_ns": 1000000}},
   {"name": "fast", "law": {"base_ns": 700000}, "memory_bytes": 4096}]}
EOF
probe() { run probe toy --backend fake --script "$work/toy.json" --seed 7 "$@"; }

it 'a case that does not fit is named with what it needs'
probe
expect_exit 0
expect_says out 'win: use fast in place of slow, on 2 of 3 cases'
expect_says out 'covers 2 of 3 cases; left out: huge (wall-limit: needs about'
expect_says out 'of 45.0 s); a larger --wall-limit covers more'
expect_says out 'right in 2 of 2 cases'
probe --json
expect_json /cases/0/covered true
expect_json /cases/0/left_out ''
expect_json /cases/2/name huge
expect_json /cases/2/covered false
expect_json /cases/2/left_out wall-limit
expect_json /decision win

it 'the memory of each implementation stands beside its time'
probe
expect_says out 'memory scratch of the largest case: slow 0 B, fast 4 KiB'
probe --json
expect_json /candidates/0/scratch_bytes 4096
expect_json /reference_info/scratch_bytes 0

it 'with a larger limit it is covered'
probe --wall-limit 2000 --budget 2000 --json
expect_exit 0
expect_json /cases/1/name huge
expect_json /cases/1/covered true

it 'where nothing fits, the probe says so and what would do'
probe --cases huge
expect_exit 5
expect_says out 'inconclusive: keep slow'
expect_says out 'no case fits the wall limit of 45 s: huge needs about'
expect_says out 'What would decide it: a wall limit of about'
expect_says out 'covers 0 of 1 cases; left out: huge'

need_certain_machine
store=$work/profiles

it 'a decision about some of the cases is not kept as that of all'
probe --save --store "$store"
expect_exit 0
expect_says err 'this probe is not stored: it covers 2 of 3 cases, not huge (wall-limit)'
expect_says err 'ask for the covered cases by name, or raise the wall limit'
run select toy --backend fake --script "$work/toy.json" --store "$store" --mode store-only
expect_exit 6

it 'a decision about exactly those cases is kept when they are asked for'
probe --cases small,medium --save --store "$store"
expect_exit 0
expect_says err "kept in $store"
run select toy --backend fake --script "$work/toy.json" --store "$store" --cases small,medium --json
expect_json /implementation fast


it 'memory preferred: the leaner one that is not slower, kept under a key of its own'
cat >"$work/lean.json" <<'EOF'
{"schema": "steelyard.fake/1", "operation": "lean",
 "cases": [{"name": "one"}],
 "implementations": [
   {"name": "fat", "role": "reference", "law": {"base_ns": 1000000}, "memory_bytes": 1048576},
   {"name": "thin", "law": {"base_ns": 1010000}, "memory_bytes": 4096},
   {"name": "fatter", "law": {"base_ns": 500000}, "memory_bytes": 2097152}]}
EOF
lean() {
    subcommand=$1
    shift
    run "$subcommand" lean --backend fake --script "$work/lean.json" --store "$store" "$@"
}
lean probe --prefer memory --seed 7 --save
expect_exit 0
expect_says out 'not-slower: use thin in place of fat, for its memory'
expect_says out 'memory: its scratch is 2 MiB; fat 1 MiB'
expect_says out 'scratch of the largest case: fat 1 MiB, thin 4 KiB'
expect_says err "kept in $store"
lean select --prefer memory --json
expect_json /implementation thin
lean select --mode store-only
expect_exit 6
lean probe --seed 7 --save
expect_exit 0
expect_says out 'win: use fatter in place of fat'
lean select --json
expect_json /implementation fatter
lean select --prefer memory --json
expect_json /implementation thin
run profile lookup --here lean --backend fake --script "$work/lean.json" --store "$store" --prefer memory --json
expect_json /selected/policy thin

it 'where nobody needs less, nothing is timed'
lean probe --prefer memory --implementations fatter --json
expect_exit 0
expect_json /decision no-gain
expect_json /reason memory
expect_json /timed_slots 0
expect_json /prefer memory
expect_json /error ''
lean probe --prefer memory --implementations fatter
expect_says out 'No candidate that can be used needs less memory than fat.'

it 'a miss remembers what was preferred'
rm -f "$store" "$store.misses"
lean select --prefer memory
expect_exit 6
run select --work-off "$store.misses" --save --store "$store" --quiet
expect_exit 0
lean select --prefer memory --json
expect_json /implementation thin
lean probe --prefer tidiness
expect_exit 2
expect_says err '--prefer tidiness: must be speed or memory'

finish
