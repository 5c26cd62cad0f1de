#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# npm_file.sh PACKAGE@VERSION PATH SHA256: prints where that one file of an npm package is kept, in the user's cache and
# outside of the checkout; it is fetched first unless it is there, and never believed without its digest.
# npm_file.sh --cache: prints the cache folder, which is made. --where-cache: prints it if it is there, else fails.
# Exit code 77: the package could not be fetched.
set -eu
umask 022
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say() {
    printf '== %s\n' "$*" >&2
}

fail() {
    printf 'npm: %s\n' "$*" >&2
    exit 1
}

# $XDG_CACHE_HOME, else ~/.cache, else the build folder of the checkout.
for base in "${XDG_CACHE_HOME:-}" "${HOME:+$HOME/.cache}" "$root/build/cache"; do
    case $base in
    /*) cache=$base/steelyard ;;
    *) continue ;;
    esac
    [ "$base" != "$root/build/cache" ] || cache=$base
    if [ "$1" = --where-cache ]; then
        [ ! -d "$cache" ] || break
    elif mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then
        [ "$base" != "$root/build/cache" ] || say "no cache folder can be written in the home folder: $cache takes its place"
        break
    fi
done
case $1 in
--cache | --where-cache)
    [ -d "$cache" ] || exit 1
    printf '%s\n' "$cache"
    exit 0
    ;;
esac

package=$1 path=$2 sha256=$3
digest_of() {
    sha256sum "$1" | cut -d ' ' -f 1
}

file=$cache/$(printf '%s' "$package" | tr '/@' '--')-$(basename -- "$path")
if [ -f "$file" ] && [ "$(digest_of "$file")" != "$sha256" ]; then
    say "$file is damaged: it is fetched again"
    rm -f "$file"
fi
if [ ! -f "$file" ]; then
    command -v npm >/dev/null || fail "npm was not found: it fetches $package (Debian: npm)"
    work=$(mktemp -d "$cache/fetching.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    # What a killed one left a day ago.
    find "$cache" -maxdepth 1 -name 'fetching.*' -mmin +1440 -exec rm -rf {} +
    say "fetch: the npm package $package"
    if ! (cd "$work" && npm pack "$package" --silent --fetch-retries=1 --fetch-timeout=120000) >"$work/log" 2>&1; then
        cat "$work/log" >&2
        echo "npm: the package $package could not be fetched: no network?" >&2
        exit 77
    fi
    tarball=$(find "$work" -maxdepth 1 -name '*.tgz')
    [ -n "$tarball" ] || fail "no package came: 'npm pack $package' is to write one into the folder that it is called in"
    tar -xzf "$tarball" -C "$work" "package/$path" || fail "$package holds no $path"
    found=$(digest_of "$work/package/$path")
    [ "$found" = "$sha256" ] ||
        fail "$path in $package is another than it was: its SHA-256 is $found, not $sha256; it was not taken"
    mv "$work/package/$path" "$file"
fi
printf '%s\n' "$file"
