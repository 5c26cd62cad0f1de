#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tidy.sh [--changed | FILE...]: clang-tidy by .clang-tidy over the sources of the library and the command: all, those
# that changed lately, or those named; with the flags of the clang preset, assertions on: they tell the analyser what
# cannot be. The analyser gives up on a function after 60,000 steps: three times as fast, and it found as much.
set -eu
cd "$(dirname -- "$0")/.."
[ -f build/clang/compile_commands.json ] || cmake --preset clang >/dev/null
case "${1:-}" in
'' | --changed)
    changed=${1:-}
    set --
    for file in $(tools/sources.sh '^(src|cli)/.*\.c$' | grep -v '_test\.c$'); do
        code=0
        [ -z "$changed" ] || tools/changed.sh "$file" || code=$?
        [ $code = 1 ] || set -- "$@" "$file"
    done
    ;;
esac
if [ $# -eq 0 ]; then
    echo "no source file changed"
    exit 0
fi
log=$(mktemp)
files=$(mktemp)
trap 'rm -f "$log" "$files"' EXIT
# What needs ggml is compiled in a build with it alone, and where there is none its flags are not known.
failed=0
count=0
for build in build/clang build/ggml; do
    [ -f $build/compile_commands.json ] || continue
    for file in "$@"; do
        case $build in
        build/ggml) ! grep -qF "/$file\"" build/clang/compile_commands.json || continue ;;
        esac
        ! grep -qF "/$file\"" $build/compile_commands.json || printf '%s\n' "$file"
    done >"$files"
    code=0
    xargs -r -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-UNDEBUG \
        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=60000 -p $build \
        <"$files" >"$log" 2>&1 || code=$?
    grep -v 'warnings\{0,1\} generated\.$' "$log" || true
    [ $code = 0 ] || failed=$code
    count=$((count + $(wc -l <"$files")))
done
echo "$count of $# files"
exit "$failed"
