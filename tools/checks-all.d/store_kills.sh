#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What takes long of the store's faults: sixteen writers killed for a minute, every errno at every system call.
set -eu
cd "$(dirname -- "$0")/../.."
ninja -C build/release store_kill_test store_watched_test >/dev/null
STEELYARD_KILL_SECONDS=60 build/release/tests/fault/store_kill_test
STEELYARD_ALL_FAULTS=1 build/release/tests/fault/store_watched_test
