#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# preset.sh PRESET build [CMAKE OPTION]...: configures and builds a preset of CMakePresets.json.
# preset.sh PRESET test[:TARGET] [CTEST OPTION]...: the same (or TARGET alone), then runs its tests.
set -eu
cd "$(dirname -- "$0")/.."
preset=$1
action=$2
shift 2
if [ "$action" = build ]; then
    cmake --preset "$preset" "$@" >/dev/null
    cmake --build "build/$preset"
else
    cmake --preset "$preset" >/dev/null
    target=${action#test}
    target=${target:-:all}
    cmake --build "build/$preset" --target "${target#:}"
    # An allocation that is refused must come back as NULL, as it does for users.
    export ASAN_OPTIONS="allocator_may_return_null=1:detect_stack_use_after_return=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
    export TSAN_OPTIONS="allocator_may_return_null=1:halt_on_error=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$(nproc)" "$@"
fi
