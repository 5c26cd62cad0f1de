#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone: the public ones as C17 and C++17 without extensions, the inner ones as C17.
set -eu
cd "$(dirname -- "$0")/../.."
warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
failed=0

# alone HEADER COMPILER...: a file that holds nothing but the include.
alone() {
    header=$1
    shift
    if ! printf '#include <%s>\n' "$header" | "$@" -; then
        printf '%s\n' "does not compile alone: $header ($*)" >&2
        failed=1
    fi
}

# shellcheck disable=SC2086 # words
for file in $(tools/sources.sh '\.h$'); do
    case $file in
    include/*)
        alone "${file#include/}" gcc $warnings -std=c17 -Iinclude -x c
        alone "${file#include/}" clang++ $warnings -std=c++17 -Iinclude -x c++
        ;;
    src/*)
        alone "${file#src/}" gcc $warnings -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -x c
        alone "${file#src/}" gcc $warnings -std=c17 -D_GNU_SOURCE -DSTEELYARD_TESTING -Iinclude -Isrc -x c
        ;;
    cli/*) alone "${file#cli/}" gcc $warnings -std=c17 -D_GNU_SOURCE -Iinclude -Icli -x c ;;
    tests/support/*)
        alone "${file#tests/support/}" gcc $warnings -std=c17 -D_GNU_SOURCE -DSTEELYARD_TESTING -Iinclude -Isrc \
            -Itests/support -x c
        ;;
    esac
done
exit $failed
