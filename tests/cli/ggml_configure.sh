#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which ggml a build takes, and what is said of one that it cannot take: cmake/ggml.cmake in a project of its own, with
# packages of ggml that hold nothing but what is asked of them.
set -eu
: "${SOURCE_DIR:?the root of the project}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CMAKE_PREFIX_PATH ggml_DIR ggml_ROOT
failures=0
checks=0

mkdir -p "$work/project/cmake/ggml"
cp "$SOURCE_DIR/cmake/ggml.cmake" "$work/project/cmake/"
cp "$SOURCE_DIR/cmake/ggml/functions.c" "$SOURCE_DIR/cmake/ggml/CMakeLists.txt" "$work/project/cmake/ggml/"
cat >"$work/project/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(user ${LANGUAGES})
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF) # whatever this machine has
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
include(cmake/ggml.cmake)
message(STATUS "taken: '${steelyard_ggml_version}'")
TEXT

# package NAME VERSION SHARED: a package of ggml in $work/NAME.
package() {
    folder=$work/$1/lib/cmake/ggml
    mkdir -p "$folder" "$work/$1/include"
    cat >"$folder/ggml-config.cmake" <<TEXT
set(GGML_SHARED_LIB $3)
set(GGML_INCLUDE_DIR $work/$1/include)
set(GGML_LIBRARY "")
set(GGML_BASE_LIBRARY "")
TEXT
    cat >"$folder/ggml-config-version.cmake" <<TEXT
set(PACKAGE_VERSION $2)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
TEXT
}

# configure OPTION...
configure() {
    rm -rf "$work/build"
    code=0
    cmake -S "$work/project" -B "$work/build" -G Ninja -DLANGUAGES="${languages:-NONE}" "$@" >"$work/out" 2>&1 || code=$?
}

# expect CODE TEXT: runs of spaces and newlines count as one space.
expect() {
    checks=$((checks + 1))
    if [ "$code" != "$1" ] || ! tr -s ' \n' '  ' <"$work/out" | grep -qF -e "$2"; then
        failures=$((failures + 1))
        echo "not so: $2 (exit code $1); exit code $code: $(cat "$work/out")"
    fi
}

configure
expect 0 'ggml backend: not built, ggml was not found (./dev ggml builds one)'
expect 0 "taken: ''"
configure -DSTEELYARD_GGML=ON
expect 1 'ggml backend: ggml was not found (./dev ggml builds one)'
configure -DSTEELYARD_GGML=MAYBE
expect 1 'STEELYARD_GGML=MAYBE: AUTO, ON or OFF'

package old 0.9.4 ON
configure -Dggml_DIR="$work/old/lib/cmake/ggml"
expect 0 "not built, ggml 0.9.4 in $work/old/lib/cmake/ggml is too old: 0.23 or newer is needed"
expect 0 "taken: ''"
configure -DSTEELYARD_GGML=ON -Dggml_DIR="$work/old/lib/cmake/ggml"
expect 1 'is too old: 0.23 or newer is needed'
configure -DSTEELYARD_GGML=OFF -Dggml_DIR="$work/old/lib/cmake/ggml"
expect 0 "taken: ''"

package nameless '""' ON
configure -Dggml_DIR="$work/nameless/lib/cmake/ggml"
expect 0 "not built, the ggml in $work/nameless/lib/cmake/ggml does not tell its version: 0.23 or newer is needed"

package static 0.23.0 OFF
configure -DSTEELYARD_GGML=ON -Dggml_DIR="$work/static/lib/cmake/ggml"
expect 1 'is static: it must be built with -DBUILD_SHARED_LIBS=ON'

# One of a version to come, whose headers are not what they were.
package other 0.31.0 ON
printf 'int ggml_of_the_future(void);\n' | tee "$work/other/include/ggml.h" "$work/other/include/ggml-backend.h" \
    >"$work/other/include/ggml-alloc.h"
languages=C
configure -DSTEELYARD_GGML=ON -Dggml_DIR="$work/other/lib/cmake/ggml"
expect 1 "ggml 0.31.0 in $work/other/lib/cmake/ggml is not the ggml that this source was written for (0.23)"
expect 1 'error:'
configure -Dggml_DIR="$work/other/lib/cmake/ggml"
expect 0 "taken: ''"

configure -DSTEELYARD_GGML_SOURCE="$work/nothing"
expect 1 "STEELYARD_GGML_SOURCE=$work/nothing: no include/ggml-backend.h in it or in its ggml/"

echo "$checks checks, $failures failed"
[ $failures = 0 ]
