#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corpus_coverage.sh [TARGET]...: how much of the lines of what a fuzz target reads (READS) the files of its corpus reach
# alone, each given whole and cut at each byte. Without names for store_fuzz. Below 90 % it fails: a fuzzer that starts
# there must first find what nobody showed it. --lines names the lines that were not reached.
set -eu
cd "$(dirname -- "$0")/.."
lines=no
if [ "${1:-}" = --lines ]; then
    lines=yes
    shift
fi
[ $# -gt 0 ] || set -- store_fuzz
floor=90
cmake --preset coverage >/dev/null
objects=build/coverage/CMakeFiles/steelyard_testing.dir
faults=0
for target in "$@"; do
    reads=$(awk -v target="$target" '$1 == target { $1 = $2 = ""; print }' build/coverage/fuzz_targets.txt)
    corpus=$(awk -v target="$target" '$1 == target { print $2 }' build/coverage/fuzz_targets.txt)
    if [ -z "$reads" ]; then
        echo "corpus_coverage: no target named $target" >&2
        exit 2
    fi
    cmake --build build/coverage --target "${target}_replay" >build/coverage/corpus_build.log || {
        cat build/coverage/corpus_build.log
        exit 1
    }
    find build/coverage -name '*.gcda' -exec rm -f {} +
    program=$(find build/coverage -name "${target}_replay" -type f -perm -u+x)
    "$program" "$corpus" >/dev/null
    for file in $reads; do
        # -t: the lines themselves, with how often each was run.
        gcov -t --source-prefix "$PWD" --relative-only "$objects/$file.gcno" 2>/dev/null |
            awk -v file="$file" -F : '
                $1 == "        -" && $3 == "Source" { mine = $4 == file }
                mine { count = $1; gsub(/[ *]/, "", count) }
                mine && count ~ /^([0-9]+|#####|=====)$/ { print file, (count ~ /[1-9]/), $2 + 0 }'
    done | awk -v target="$target" -v floor=$floor -v lines=$lines '
        { total++; reached += $2; of[$1]++; by[$1] += $2 }
        lines == "yes" && !$2 { print $1 ":" $3 ": not reached" }
        END {
            for (file in of)
                printf "%6.1f %%  %4d lines  %s\n", 100 * by[file] / of[file], of[file], file | "sort -k5"
            close("sort -k5")
            share = total == 0 ? 0 : 100 * reached / total
            printf "%6.1f %%  %4d lines  %s%s\n", share, total, target, share < floor ? "  below the floor of " floor " %" : ""
            exit share < floor
        }' || faults=1
done
exit $faults
