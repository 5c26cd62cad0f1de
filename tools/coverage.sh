#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs those tests of a build that counts lines that the floors are about and prints the share reached, by file and by folder. The folders named in
# floors must reach 90 %: there a line without a test is a line that nobody knows.
set -eu
cd "$(dirname -- "$0")/.."
floors='base stats record store decide ledger'
labels=
for folder in $floors; do
    if [ -d "src/$folder" ]; then
        labels="${labels:+$labels|}$folder"
    fi
done

find build/coverage -name '*.gcda' -exec rm -f {} + 2>/dev/null || true
tools/preset.sh coverage test:counted_tests --label-regex "^($labels|fuzz)\$" >build/coverage_tests.log 2>&1 || {
    cat build/coverage_tests.log
    exit 1
}

# gcov reads the notes of every object, so that a file that no test reached counts as 0 %.
find build/coverage/CMakeFiles/steelyard_testing.dir/src -name '*.gcno' | sort | while IFS= read -r notes; do
    gcov --no-output --source-prefix "$PWD" --relative-only "$notes" 2>/dev/null
done | awk -v floors="$floors" '
    /^File / { file = $2; gsub(/\047/, "", file); next }
    /^Lines executed:/ && file ~ /^src\/.*\.c$/ {
        sub(/^Lines executed:/, "")
        split($0, parts, "% of ")
        lines[file] = parts[2]
        reached[file] = parts[1] * parts[2] / 100
        measured++
        file = ""
    }
    END {
        count = split(floors, names, " ")
        for (i = 1; i <= count; i++)
            floor[names[i]] = 1
        for (file in lines) {
            split(file, folders, "/")
            total[folders[2]] += lines[file]
            sum[folders[2]] += reached[file]
            if (folders[2] in floor)
                printf "%6.1f %%  %5d lines  %s\n", 100 * reached[file] / lines[file], lines[file], file | "sort -k4"
        }
        close("sort -k4")
        if (measured == 0) {
            print "no file was measured"
            exit 1
        }
        for (folder in total) {
            share = 100 * sum[folder] / total[folder]
            if (folder in floor) {
                below = share < 90 ? "  below the floor of 90 %" : ""
                faults += share < 90
                printf "%6.1f %%  %5d lines  src/%s/%s\n", share, total[folder], folder, below
            }
        }
        exit faults > 0
    }'
