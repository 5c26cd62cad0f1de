#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed steelyard with ggml, as a stranger uses it: it finds ggml where it was built with it, and neither a
# program nor a CMake project that links steelyard needs ggml of its own. BUILD: the build folder. GGML_INCLUDE: where ggml.h lies.
set -eu
: "${BUILD:?the build folder}" "${SOURCE_DIR:?the root of the project}" "${GGML_INCLUDE:?the folder of ggml.h}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH

cmake --install "$BUILD" --prefix "$work/usr" >/dev/null
"$work/usr/bin/steelyard" backends >"$work/list"
grep -q '^ggml: available' "$work/list" || {
    cat "$work/list"
    echo "the installed command does not find ggml"
    exit 1
}
library=$(dirname "$(find "$work/usr" -name libsteelyard.so)")
PKG_CONFIG_PATH=$library/pkgconfig
export PKG_CONFIG_PATH
[ -n "$(pkg-config --variable=ggml_version steelyard)" ]

cat >"$work/user.c" <<'TEXT'
#include <steelyard/ggml.h>
#include <steelyard/steelyard.h>
int main(void)
{
    sy_device *device = 0;
    if (sy_device_open("ggml:CPU", 0, &device, 0))
        return 1;
    const int has_none = sy_ggml_backend(device) == 0;
    sy_device_close(device);
    return has_none;
}
TEXT
# shellcheck disable=SC2046 # words
cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$work/user.c" -o "$work/user" $(pkg-config --cflags --libs steelyard) \
    -Wl,-rpath,"$library"
"$work/user"

# A suite of ggml's graphs needs ggml's headers, which its author has, and is weighed by the installed command.
# shellcheck disable=SC2046 # words
cc -std=c17 -O2 -shared -fPIC -isystem "$GGML_INCLUDE" "$SOURCE_DIR/tests/support/plugin_ggml.c" -o "$work/plugin.so" \
    $(pkg-config --cflags --libs steelyard) -lm
code=0
"$work/usr/bin/steelyard" probe "$work/plugin.so" --backend ggml:CPU --threads 1 --cases small --max-pairs 5 --budget 10 \
    --wall-limit 200 >"$work/out" 2>&1 || code=$?
case $code in
0 | 5) ;;
*)
    cat "$work/out"
    echo "the suite could not be weighed: exit code $code"
    exit 1
    ;;
esac

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(steelyard REQUIRED)
add_executable(user ../user.c)
target_link_libraries(user PRIVATE steelyard::steelyard)
TEXT
cmake -S "$work/project" -B "$work/project/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/project/build" >/dev/null
"$work/project/build/user"
echo "installed and used with ggml: command, pkg-config, a plugin, CMake package"
