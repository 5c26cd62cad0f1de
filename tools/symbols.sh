#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# symbols.sh [--update]: the shared library exports what tools/exported_symbols.txt lists, no more and no less, and holds
# nothing of the test seams. --update writes the list: read the difference before you commit it.
set -eu
cd "$(dirname -- "$0")/.."
library=build/release/libsteelyard.so
list=tools/exported_symbols.txt
exported=$(mktemp)
trap 'rm -f "$exported"' EXIT
nm --dynamic --defined-only --format=posix "$library" | awk '{ print $1 }' | LC_ALL=C sort >"$exported"
if [ "${1:-}" = --update ]; then
    cp "$exported" "$list"
    echo "$list: $(wc -l <"$list") symbols"
    exit 0
fi
if ! diff -u --label "$list" --label "$library" "$list" "$exported"; then
    echo "the exported symbols differ from $list; if that is meant: tools/symbols.sh --update" >&2
    exit 1
fi
while read -r symbol; do
    grep -qw "$symbol" include/steelyard/*.h || {
        echo "$symbol is exported and stands in no public header" >&2
        exit 1
    }
done <"$exported"
if nm --format=posix "$library" | awk '{ print $1 }' | grep -E 'sy_fault_|mutant'; then
    echo "$library holds a test seam" >&2
    exit 1
fi
