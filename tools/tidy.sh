#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tidy.sh [FILE]...: clang-tidy by .clang-tidy over the sources of the library and the command (or those named), with
# the flags of the clang preset, assertions on: they tell the analyser what cannot be.
set -eu
cd "$(dirname -- "$0")/.."
[ -f build/clang/compile_commands.json ] || cmake --preset clang >/dev/null
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # our file names hold no spaces
    set -- $(tools/sources.sh '^(src|cli)/.*\.c$' | grep -v '_test\.c$')
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
code=0
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-UNDEBUG -p build/clang >"$log" 2>&1 || code=$?
grep -v 'warnings\{0,1\} generated\.$' "$log" || true
exit $code
