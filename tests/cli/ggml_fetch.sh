#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ./dev ggml says where ggml cannot be had: tools/ggml.sh and npm_file.sh in a tree of their own, with stand-ins for the tools that it
# calls, so that nothing is fetched and nothing is built.
set -eu
: "${SOURCE_DIR:?the root of the project}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0
mkdir -p "$work/tree/tools" "$work/tree/cmake/ggml" "$work/bin" "$work/home"
cp "$SOURCE_DIR/tools/ggml.sh" "$SOURCE_DIR/tools/npm_file.sh" "$work/tree/tools/"
cp "$SOURCE_DIR/cmake/ggml/CMakeLists.txt" "$work/tree/cmake/ggml/"

# stand_in NAME: a tool whose text comes from stdin.
stand_in() {
    { echo '#!/bin/sh' && cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

for tool in cc git cmake ninja; do
    echo 'exit 9' | stand_in $tool
done
echo 'echo a compiler' | stand_in c++
for tool in sh mktemp rm mkdir cat cut uname sha256sum find tar mv touch printf dirname basename tr sleep kill; do
    path=$(command -v $tool) || continue
    case $path in /*) ln -s "$path" "$work/bin/$tool" ;; esac
done

# get OPTION...: the script with nothing but the stand-ins in its path.
get() {
    code=0
    env -i PATH="$work/bin" HOME="${home-$work/home}" sh "$work/tree/tools/ggml.sh" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || code=$?
}

# expect CODE TEXT: the exit code, and what stands on standard error.
expect() {
    checks=$((checks + 1))
    if [ "$code" != "$1" ] || ! grep -qF -e "$2" "$work/err" || [ -s "$work/out" ]; then
        failures=$((failures + 1))
        echo "not so: $2 (exit code $1); exit code $code: $(cat "$work/out" "$work/err")"
    fi
}

expect_nothing_left() {
    checks=$((checks + 1))
    left=$(find "$work/home/.cache/steelyard" -mindepth 1 2>/dev/null || true)
    if [ -n "$left" ]; then
        failures=$((failures + 1))
        echo "left behind: $left"
    fi
}

get GGML_VULKAN=ON
expect 1 "'GGML_VULKAN=ON' is no option of ggml's build: they look like -DGGML_VULKAN=ON"

get
expect 1 'npm was not found'
expect_nothing_left

# No network: the package manager's own words, then ours, and the exit code of a skip.
stand_in npm <<'TEXT'
echo 'npm error network' >&2
exit 1
TEXT
get
expect 77 'npm error network'
expect 77 'the package node-llama-cpp@3.21.1 could not be fetched: no network?'
expect_nothing_left

get --where
checks=$((checks + 1))
[ "$code" = 1 ] && [ ! -s "$work/out" ] || failures=$((failures + 1))
expect_nothing_left

echo 'exit 0' | stand_in npm
get
expect 1 "no package came"
expect_nothing_left

# Another source than the one that was looked at.
stand_in npm <<'TEXT'
mkdir -p package/llama
echo 'something else' >package/llama/gitRelease.bundle
tar -cf fake.tgz package
rm -r package
TEXT
stand_in gzip <<'TEXT'
exec cat
TEXT
get
expect 1 'llama/gitRelease.bundle in node-llama-cpp@3.21.1 is another than it was: its SHA-256 is'
expect_nothing_left

# A home folder that cannot be written: the build folder of the tree, and a word on it.
for home in /dev/null ''; do
    get
    expect 1 "no cache folder can be written in the home folder: $work/tree/build/cache takes its place"
done
unset home

# Ended while it fetches: nothing half-made is left.
stand_in npm <<'TEXT'
: >"$HOME/started"
sleep 1
TEXT
env -i PATH="$work/bin" HOME="$work/home" sh "$work/tree/tools/ggml.sh" >"$work/out" 2>"$work/err" </dev/null &
script=$!
while [ ! -f "$work/home/started" ]; do
    sleep 0.05
done
kill -TERM $script
code=0
wait $script || code=$?
checks=$((checks + 1))
if [ "$code" != 1 ] || [ -s "$work/out" ]; then
    failures=$((failures + 1))
    echo "not so: an end by a signal is no success; exit code $code: $(cat "$work/out")"
fi
expect_nothing_left

echo "$checks checks, $failures failed"
[ $failures = 0 ]
