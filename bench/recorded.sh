#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The decision rule on recorded GPU timings: recorded.sh BUILD_DIR DIR, where DIR holds auto-tuning files (*.json.gz).
# What it finds, and how far that depends on the coins; then what its guards cost.
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
build=$1
shift 2
"$build/steelyard" replay "$@" --pairs 16 --min-improvement 0.01
echo
echo "called faster without any gain, seeds 1 to 20: mean, least and most, in % of the configurations"
for file in "$@"; do
    seed=1
    while [ $seed -le 20 ]; do
        "$build/steelyard" replay "$file" --pairs 16 --min-improvement 0.01 --seed $seed --json |
            sed -n 's/^ *"false_faster": //p' | head -n 1 | tr -d ','
        seed=$((seed + 1))
    done | awk -v name="$(basename "$file")" '
        { sum += $1; if (NR == 1 || $1 < least) least = $1; if ($1 > most) most = $1 }
        END { printf "%-35s %6.3f %6.3f %6.3f\n", name, 100 * sum / NR, 100 * least, 100 * most }'
done
echo
"$build/bench/recorded_bench" "$@"
