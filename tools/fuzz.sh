#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [NAME] [SECONDS]: fuzzes one parser, or each that there is, for SECONDS (30).
# fuzz.sh --changed: 10 s for each whose files changed lately, none for the others; without a history 5 s for each.
# What the fuzzer learns stays in build/fuzz/corpus; an input that breaks a parser is kept in build/fuzz/found.
set -eu
cd "$(dirname -- "$0")/.."
only=
seconds=30
changed=no
for argument in "$@"; do
    case $argument in
    --changed) changed=yes ;;
    *[!0-9]*) only=$argument ;;
    *) seconds=$argument ;;
    esac
done

# The seconds that a target gets, from its source files.
seconds_for() {
    if [ $changed = no ]; then
        echo "$seconds"
        return
    fi
    code=0
    tools/changed.sh "$@" || code=$?
    case $code in
    0) echo 10 ;;
    1) echo 0 ;;
    *) echo 5 ;;
    esac
}

fuzz_one() {
    name=$1
    corpus=$2
    time=$3
    learnt=build/fuzz/corpus/$name
    mkdir -p "$learnt" build/fuzz/found
    program=$(find build/fuzz/tests/fuzz -name "$name" -type f -perm -u+x)
    if ! ASAN_OPTIONS=allocator_may_return_null=1 "$program" -max_total_time="$time" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/found/$name-" "$learnt" "$corpus" >"$learnt.log" 2>&1; then
        tail -n 60 "$learnt.log"
        echo "fuzz: $name fails; the input is build/fuzz/found/$name-*; add it to $corpus when it is mended" >&2
        return 1
    fi
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$learnt.log")
    if [ "${executed:-0}" -le 1 ]; then
        echo "fuzz: $name ran nothing" >&2
        return 1
    fi
    echo "$name: $executed inputs in $time s"
}

# As many at once as there are processors: the script calls itself for each.
if [ -n "${FUZZ_ONE:-}" ]; then
    # shellcheck disable=SC2086 # its name, its corpus, its seconds
    fuzz_one $FUZZ_ONE
    exit
fi
cmake --preset fuzz >/dev/null
if [ ! -s build/fuzz/fuzz_targets.txt ]; then
    echo "no fuzz target is declared"
    exit 0
fi
cmake --build build/fuzz --target fuzz_targets
count=0
due=build/fuzz/due.txt
: >"$due"
while read -r name corpus reads; do
    if [ -n "$only" ] && [ "$only" != "$name" ]; then
        continue
    fi
    count=$((count + 1))
    # shellcheck disable=SC2086 # a list of files
    time=$(seconds_for $reads "$corpus" "tests/fuzz/$name.c")
    if [ "$time" = 0 ]; then
        echo "$name: its reader did not change"
        continue
    fi
    echo "$name $corpus $time" >>"$due"
done <build/fuzz/fuzz_targets.txt
# shellcheck disable=SC2016 # expanded by the shell of each
xargs -r -P "$(nproc)" -d '\n' -n 1 sh -c 'FUZZ_ONE=$1 exec "$0"' tools/fuzz.sh <"$due"
if [ "$count" = 0 ]; then
    echo "fuzz: no target named $only" >&2
    exit 1
fi
