#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compare_builds.sh BASE BUILD COMMAND: is what stands here slower than the revision BASE? BUILD makes the program in a
# checkout, COMMAND runs it there: compare_builds.sh origin/main 'make prog' './prog data.txt'
# Exit code 0: not slower by more than 3 %, and the same output; 1: slower, or another output; 5: undecided.
set -eu
base=$1
build=$2
command=$3
here=$(pwd)
there=$(mktemp -d)
trap 'git worktree remove --force "$there/base"; rmdir "$there"' EXIT
git worktree add --quiet --detach "$there/base" "$(git merge-base HEAD "$base")"
(cd "$there/base" && sh -c "$build")
sh -c "$build"
steelyard probe --shell sh --question not-slower --margin .03 --name base --name here \
    --reference "cd '$there/base' && exec $command" --candidate "cd '$here' && exec $command"
