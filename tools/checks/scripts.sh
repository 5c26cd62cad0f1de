#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every shell script passes shellcheck.
set -eu
cd "$(dirname -- "$0")/../.."
# shellcheck disable=SC2046 # our file names hold no spaces
shellcheck -x $(tools/sources.sh '\.sh$|^dev$|^\.ci/run$|^tools/[a-z_]*$')
