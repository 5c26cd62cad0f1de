#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sources.sh [PATTERN]: the project's own files, from its root, one a line: what git tracks or would add. PATTERN is an
# extended regular expression on the path.
set -eu
cd "$(dirname -- "$0")/.."
git ls-files --cached --others --exclude-standard | grep -E -- "${1:-.}" | while IFS= read -r file; do
    if [ -f "$file" ] && [ ! -L "$file" ]; then
        printf '%s\n' "$file"
    fi
done
