#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The generated parts of the documents are up to date, and the files and tests that documents name exist.
set -eu
cd "$(dirname -- "$0")/../.."
exec tools/docs.sh --check
