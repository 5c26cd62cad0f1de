#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A store of 2 GiB, and every errno at every system call of the real command.
set -eu
cd "$(dirname -- "$0")/../.."
ninja -C build/release steelyard_cli json_value >/dev/null
export STEELYARD="$PWD/build/release/steelyard" JSON_VALUE="$PWD/build/release/tests/cli/json_value" SOURCE_DIR="$PWD"
sh tests/cli/profile_large.sh
STEELYARD_ALL_FAULTS=1 sh tests/cli/profile_faults.sh || [ $? = 77 ]
