#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The decision rule on recorded GPU timings: recorded.sh BUILD_DIR DIR, where DIR holds auto-tuning files (*.json.gz).
set -eu
if [ $# -ne 2 ]; then
    echo "usage: recorded.sh BUILD_DIR DIR" >&2
    exit 2
fi
set -- "$1" "$2" "$2"/*.json.gz
if [ ! -e "$3" ]; then
    echo "skipped: no *.json.gz in $2"
    exit 0
fi
echo "16 pairs at most, X = 1 %, alpha .05, beta .2. Won, in %, by an equal candidate, at X and at X + 2 points;"
echo "the mean number of pairs at X + 2; right wins there overturned by a guard, in %"
row() {
    printf '%-25s %6s | %23s | %17s | %17s | %17s\n' "$@"
}
row "" "" "the rule" "32 runs, blocks" "32 runs, ABBA" "overturned"
row set probes "0     X   X+2  pairs" "0     X   X+2" "0     X   X+2" "order drift carry"
build=$1
shift 2
for file in "$@"; do
    gzip -dc "$file" | "$build/bench/recorded_bench" "$(basename "$file" .json.gz)"
done
