#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file is named in a CMakeLists.txt of its folder or of one above (a forgotten file is never built, a forgotten
# test never runs), and no two C files share a name.
set -eu
cd "$(dirname -- "$0")/../.."
failed=0
for file in $(tools/sources.sh '\.c$' | grep -E '^(src|cli|tests|bench)/'); do
    folder=$file
    found=no
    while [ "$folder" != "${folder%/*}" ]; do
        folder=${folder%/*}
        if [ -f "$folder/CMakeLists.txt" ] && sed 's/#.*//' "$folder/CMakeLists.txt" | grep -qwF "${file#"$folder"/}"; then
            found=yes
            break
        fi
    done
    if [ $found = no ]; then
        echo "$file: in no CMakeLists.txt"
        failed=1
    fi
done
for name in $(tools/sources.sh '\.[ch]$' | grep -E '^(src|cli|tests)/' | sed 's|.*/||' | sort | uniq -d); do
    echo "two files are named $name: $(tools/sources.sh "/$name\$" | tr '\n' ' ')"
    failed=1
done
exit $failed
