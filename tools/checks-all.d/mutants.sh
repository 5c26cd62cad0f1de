#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every mutant of matmul is refused at every case of the table, through the command. Takes some minutes and, at the
# largest cases, some gigabytes: each mutant holds its inputs and a copy of them.
set -eu
cd "$(dirname -- "$0")/../.."
build=$PWD/build/release
MUTANT_CASES=$(sed -n 's/.*MATMUL_CASE("\([^"]*\)".*/\1/p' src/operations/matmul.c)
export MUTANT_CASES
STEELYARD=$build/steelyard-testing JSON_VALUE=$build/tests/cli/json_value SOURCE_DIR=$PWD sh tests/cli/mutants.sh
