#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# changed.sh PATH...: did one of these change in the work tree or in the three hours of commits that end at HEAD (a piece
# of work, however many commits it took)? Exit 0: yes. 1: no. 2: the history is not here (a shallow clone).
set -eu
cd "$(dirname -- "$0")/.."
head_seconds=$(git log -1 --format=%ct HEAD)
base=$(git rev-list -1 --before="$((head_seconds - 10800))" HEAD)
if [ -z "$base" ]; then
    if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
        exit 2
    fi
    base=$(git hash-object -t tree /dev/null)
fi
if [ -n "$(git ls-files --others --exclude-standard -- "$@")" ] || ! git diff --quiet "$base" -- "$@"; then
    exit 0
fi
exit 1
