#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX lines, banned words and banned calls, over every text file of the project.
set -eu
cd "$(dirname -- "$0")/../.."
# shellcheck disable=SC2046 # our file names hold no spaces
awk -f tools/checks/words.awk $(tools/sources.sh '\.([ch]|sh|awk|cmake|md|txt|json|py|in)$|^dev$|^\.ci/run$' |
    grep -v -E '^tests/(data|fuzz/corpus)/')
