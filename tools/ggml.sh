#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ggml.sh [CMAKE OPTION]...: builds ggml 0.23 with those options (-DGGML_VULKAN=ON), unless that was done before, and
# prints the folder that it is installed in as the last line. Its source is the git bundle in an npm package; bundle and
# builds are kept in the user's cache, outside of the checkout. Exit code 77: the package could not be fetched.
# ggml.sh --where [CMAKE OPTION]...: prints that folder if it is there, and does nothing else.
set -eu
umask 022
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
package=node-llama-cpp@3.21.1
bundle_in_package=llama/gitRelease.bundle
bundle_sha256=9336d8aab8f8e6a8919380f3641fe92e57b02fb55df1b6bd083b82491a6293b8
version=0.23.0

fail() {
    printf 'ggml: %s\n' "$*" >&2
    exit 1
}

say() {
    printf '== %s\n' "$*" >&2
}

where_only=no
if [ "${1:-}" = --where ]; then
    where_only=yes
    shift
fi
for option in "$@"; do
    case $option in
    -D?*) ;;
    *) fail "'$option' is no option of ggml's build: they look like -DGGML_VULKAN=ON" ;;
    esac
done

if [ $where_only = yes ]; then
    cache=$("$root/tools/npm_file.sh" --where-cache) || exit 1
else
    cache=$("$root/tools/npm_file.sh" --cache)
fi

# Which build it is: by options, by this recipe, and by compiler and processor, whose instructions it is made of, so that
# a cache that moves to another machine is not taken there.
for compiler in cc c++; do
    command -v $compiler >/dev/null || {
        [ $where_only = no ] || exit 1
        fail "$compiler was not found: a C and a C++ compiler are needed (Debian: gcc, g++)"
    }
done
key=$({
    printf '%s\n' "$bundle_sha256" "$@"
    cat "$root/cmake/ggml/CMakeLists.txt"
    for name in CC CXX CFLAGS CXXFLAGS LDFLAGS; do # what cmake takes from outside
        eval "[ -z \"\${$name:-}\" ] || printf '%s=%s\n' $name \"\$$name\""
    done
    uname -m
    c++ --version
    c++ -march=native -dM -E -x c++ /dev/null 2>/dev/null || c++ -dM -E -x c++ /dev/null
} | sha256sum | cut -c 1-12)
place=$cache/ggml-$version-$key
if [ -f "$place/complete" ]; then
    printf '%s\n' "$place"
    exit 0
fi
[ $where_only = no ] || exit 1

for tool in git cmake ninja; do
    command -v $tool >/dev/null || fail "$tool was not found (./dev packages demo; Debian: git, cmake, ninja-build)"
done

work=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# What a killed one left a day ago.
find "$cache" -maxdepth 1 -name 'building.*' -mmin +1440 -exec rm -rf {} +

# Runs a command, its output shown only when it fails.
quietly() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        fail "failed: $*"
    fi
}

bundle=$("$root/tools/npm_file.sh" $package $bundle_in_package $bundle_sha256)

say "build: ggml $version in $place"
quietly git -c advice.detachedHead=false clone --quiet "$bundle" "$work/source"
quietly cmake -S "$root/cmake/ggml" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DSTEELYARD_GGML_SOURCE="$work/source/ggml" -DCMAKE_INSTALL_PREFIX="$work/usr" -DCMAKE_INSTALL_LIBDIR=lib "$@"
quietly ninja -C "$work/build"
quietly cmake --install "$work/build"
touch "$work/usr/complete"
# Another one may have been quicker.
mv -T "$work/usr" "$place" 2>/dev/null || [ -f "$place/complete" ] || fail "$place cannot be made"
printf '%s\n' "$place"
