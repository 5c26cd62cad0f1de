#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The corpora of the readers of profiles reach 90 % of their lines by themselves.
set -eu
cd "$(dirname -- "$0")/../.."
tools/corpus_coverage.sh store_fuzz
