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
bundle_in_package=package/llama/gitRelease.bundle
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

# The cache: $XDG_CACHE_HOME, else ~/.cache, else the build folder of the checkout.
cache=
for base in "${XDG_CACHE_HOME:-}" "${HOME:+$HOME/.cache}"; do
    case $base in
    /*) ;;
    *) continue ;;
    esac
    if [ $where_only = yes ] && [ -d "$base/steelyard" ]; then
        cache=$base/steelyard
        break
    fi
    if [ $where_only = no ] && mkdir -p "$base/steelyard" 2>/dev/null && [ -w "$base/steelyard" ]; then
        cache=$base/steelyard
        break
    fi
done
if [ -z "$cache" ]; then
    cache=$root/build/cache
    [ $where_only = yes ] || mkdir -p "$cache"
    [ $where_only = yes ] || say "no cache folder can be written in the home folder: $cache takes its place"
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

digest_of() {
    sha256sum "$1" | cut -d ' ' -f 1
}

# Runs a command, its output shown only when it fails.
quietly() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        fail "failed: $*"
    fi
}

bundle=$cache/ggml-$version.bundle
if [ -f "$bundle" ] && [ "$(digest_of "$bundle")" != $bundle_sha256 ]; then
    say "$bundle is damaged: it is fetched again"
    rm -f "$bundle"
fi
if [ ! -f "$bundle" ]; then
    command -v npm >/dev/null || fail "npm was not found: it fetches the package that holds ggml's source (Debian: npm)"
    say "fetch: ggml's source, in the npm package $package (35 MB)"
    if ! (cd "$work" && npm pack "$package" --silent --fetch-retries=1 --fetch-timeout=120000) >"$work/log" 2>&1; then
        cat "$work/log" >&2
        echo "ggml: the npm package $package could not be fetched: no network?" >&2
        exit 77
    fi
    tarball=$(find "$work" -maxdepth 1 -name '*.tgz')
    [ -n "$tarball" ] || fail "npm left no package: 'npm pack $package' is to write one into the folder that it is called in"
    quietly tar -xzf "$tarball" -C "$work" $bundle_in_package
    found=$(digest_of "$work/$bundle_in_package")
    [ "$found" = $bundle_sha256 ] ||
        fail "the source in $package is another than it was: its SHA-256 is $found, not $bundle_sha256; nothing was built"
    mv "$work/$bundle_in_package" "$bundle"
fi

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
