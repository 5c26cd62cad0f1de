#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cold buffers at the command line: what is measured, what it costs in memory, and that hot and cold answers are two.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

cat >"$work/toy.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "toy", "device": {"memory_bytes": 3000000}, "cases": [{"name": "only"}],
 "implementations": [
   {"name": "plain", "role": "reference", "law": {"base_ns": 1000000, "model": "quiet"}},
   {"name": "fast", "law": {"base_ns": 800000, "model": "quiet"}}]}
END

toy() {
    verb=$1
    shift
    run "$verb" toy --backend fake --script "$work/toy.json" "$@"
}

it 'hot is what a probe is without a word'
toy probe --seed 1 --json
expect_exit 0
expect_json /cache hot
expect_json /cache_bytes null
expect_json /cases/0/copies 1
toy probe --seed 1
expect_not_says out 'cache '

it 'cold takes copies that exceed the cache three times'
toy probe --seed 1 --cache cold --cache-bytes 256KiB --json
expect_exit 0
expect_json /decision win
expect_json /cache cold
expect_json /cache_bytes 262144
expect_json /cases/0/copies 1025
toy probe --seed 1 --cache cold --cache-bytes 256KiB
expect_says out 'cache cold: each run takes the next of 1025 copies of its case'"'"'s buffers, together more than three times the 256 KiB of the last-level cache'

it 'copies that do not fit are refused before they are made'
toy probe --seed 1 --cache cold --cache-bytes 1023KiB
expect_exit 3
expect_says out 'copies of cold buffers included'

it 'and so are more copies than are made at all'
toy probe --seed 1 --cache cold --cache-bytes 1GiB
expect_exit 3
expect_says out 'case only: cold buffers: '
expect_says out 'at most 4096 are made'

it 'a size without cold buffers is a mistake'
toy probe --cache-bytes 1MiB
expect_exit 2
toy probe --cache lukewarm
expect_exit 2

need_certain_machine

it 'a hot answer is none for a cold question'
toy probe --seed 1 --save --store "$work/store"
expect_exit 0
toy select --store "$work/store"
expect_exit 0
toy select --store "$work/store" --cache cold --mode store-only
expect_exit 6
run profile explain --here toy --backend fake --script "$work/toy.json" --store "$work/store" --cache cold
expect_says out 'answer none'

it 'a cold one is kept under its own key'
toy probe --seed 1 --save --store "$work/store" --cache cold --cache-bytes 256KiB
expect_exit 0
toy select --store "$work/store" --cache cold
expect_exit 0
expect_says out fast
run profile explain --here toy --backend fake --script "$work/toy.json" --store "$work/store" --cache cold
expect_says out 'answer fast'

it 'a cold question that was asked in vain is worked off cold'
toy select --store "$work/later" --cache cold
expect_exit 6
checks=$((checks + 1))
grep -q '"cache_state": *"cold"' "$work/later.misses" || wrong "the miss is not cold: $(cat "$work/later.misses")"
toy select --store "$work/later" --mode store-only
expect_exit 6

it 'select probes cold where it is told the size'
toy select --store "$work/asked" --cache cold --mode probe --cache-bytes 256KiB
expect_exit 0
toy select --store "$work/asked" --cache cold --mode store-only
expect_exit 0
toy select --store "$work/asked" --mode store-only
expect_exit 6

finish
