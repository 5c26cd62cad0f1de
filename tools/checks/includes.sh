#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Include lines of src, include, cli and examples against tools/include_rules.txt.
set -eu
cd "$(dirname -- "$0")/../.."
# shellcheck disable=SC2046 # our file names hold no spaces
awk -v rules=tools/include_rules.txt -f tools/checks/includes.awk tools/include_rules.txt \
    $(tools/sources.sh '\.[ch]$' | grep -E '^(src|include|cli|examples)/')
