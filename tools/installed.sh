#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the release build into a folder of its own and uses it as a stranger would: the command runs; a C program
# and a C++ program build by pkg-config; a CMake project finds the package; each program and plugin of examples/ builds
# and runs; a plugin in C++ exports its table.
set -eu
cd "$(dirname -- "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
prefix=$place/usr

cmake --preset release -DSTEELYARD_TESTS=ON >/dev/null
cmake --build build/release >"$place/build.log" || {
    tail -n 30 "$place/build.log" >&2
    exit 1
}
cmake --install build/release --prefix "$prefix" >/dev/null
library=$(dirname "$(find "$prefix" -name libsteelyard.so)")
export PKG_CONFIG_PATH="$library/pkgconfig" LD_LIBRARY_PATH="$library"
"$prefix/bin/steelyard" help >/dev/null
if find "$prefix" -name '*testing*' | grep .; then
    echo "the testing library must not be installed" >&2
    exit 1
fi

cat >"$place/user.c" <<'TEXT'
#include <steelyard/steelyard.h>
#include <stdio.h>
int main(void) { return puts(sy_version()) < 0; }
TEXT
cp "$place/user.c" "$place/user.cc"
flags=$(pkg-config --cflags --libs steelyard)
# shellcheck disable=SC2086 # words
{
    gcc -std=c17 -Wall -Wextra -Wpedantic -Werror "$place/user.c" -o "$place/user_c" $flags
    clang++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$place/user.cc" -o "$place/user_cc" $flags
}
version=$(pkg-config --modversion steelyard)
for program in user_c user_cc; do
    [ "$("$place/$program")" = "$version" ]
done

mkdir "$place/project"
cat >"$place/project/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(steelyard REQUIRED)
add_executable(user ../user.c)
target_link_libraries(user PRIVATE steelyard::steelyard)
TEXT
cmake -S "$place/project" -B "$place/project/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$place/project/build" >/dev/null
[ "$("$place/project/build/user")" = "$version" ]

# A plugin in C++: a const object would stay inside its file, but for the header's declaration.
cat >"$place/plugin.cc" <<'TEXT'
#include <steelyard/plugin.h>
static const sy_suite *const suites[] = {nullptr};
SY_PLUGIN_EXPORT const sy_plugin steelyard_plugin = {sizeof(sy_plugin), suites, 1};
TEXT
for compiler in g++ clang++; do
    # shellcheck disable=SC2086 # words
    "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Werror -shared -fPIC "$place/plugin.cc" -o "$place/plugin.so" $flags
    nm -D --defined-only "$place/plugin.so" | grep -q ' steelyard_plugin$'
done

# A suite of one's own is a shared object, which the installed command weighs.
for suite in examples/*_suite.c; do
    name=${suite##*/}
    name=${name%.c}
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror -shared -fPIC "$suite" -o "$place/$name.so" $flags -lm
    code=0
    "$prefix/bin/steelyard" probe "$place/$name.so" --cases quick --budget 2 --quiet >"$place/$name.out" || code=$?
    case $code in
    0 | 5) ;;
    *)
        cat "$place/$name.out"
        echo "$suite could not be weighed: exit code $code" >&2
        exit 1
        ;;
    esac
done

# Each example runs twice with a store of its own: what the first run decides the second may find.
count=0
for example in examples/*.c; do
    [ -f "$example" ] || continue
    name=${example##*/}
    name=${name%.c}
    # A suite is no program; an engine on ggml needs ggml: tests/cli/embed_ggml.sh.
    case $name in *_suite | *_ggml) continue ;; esac
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror "$example" -o "$place/$name" $flags -lm
    set -- "$place/$name.profiles"
    [ "$name" != rank_digest ] || set -- "$1" "$1" # two ranks
    "$place/$name" "$@" >/dev/null
    "$place/$name" "$@" >/dev/null
    count=$((count + 1))
done
echo "installed and used: command, pkg-config, CMake package, a plugin, $count examples"
