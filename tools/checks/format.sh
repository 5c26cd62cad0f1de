#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh [--write]: every C file is laid out as .clang-format says; --write lays it out.
set -eu
cd "$(dirname -- "$0")/../.."
mode='--dry-run --Werror'
if [ "${1:-}" = --write ]; then
    mode=-i
fi
# shellcheck disable=SC2046,SC2086 # words
clang-format $mode --style=file $(tools/sources.sh '\.[ch]$')
