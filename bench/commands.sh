#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Steelyard against hyperfine and google-benchmark on programs of known lengths: commands.sh BUILD_DIR [TRIES [SEED]].
# Twelve tries, the default, take some ten minutes where nothing else runs. What is not installed is left out, saying so.
set -eu
if [ $# -lt 1 ]; then
    echo "usage: commands.sh BUILD_DIR [TRIES [SEED]]" >&2
    exit 2
fi
build=$1
tries=${2:-12}
seed=${3:-1}
here=$(dirname -- "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
google=-
if c++ -O2 -o "$work/spin_google" "$here/spin_google.cc" -lbenchmark -lpthread 2>"$work/errors"; then
    google=$work/spin_google
fi
"$build/bench/commands_bench" "$build/steelyard" "$build/bench/spin_program" "$google" "$tries" "$seed"
