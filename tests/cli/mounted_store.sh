#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A store that is a single file mounted into a container: it cannot be replaced (EBUSY), so it is written in place with
# a journal beside it. Real mounts in a name space of this script's own.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

if [ -z "${IN_MOUNTS-}" ]; then
    for mounts in 'unshare -m' 'unshare -rm' ''; do
        [ -n "$mounts" ] || skip 'no mounts may be made here (neither as root nor as a user of a name space)'
        mkdir -p "$work/try" && $mounts mount -t tmpfs none "$work/try" 2>/dev/null && break
    done
    rm -rf "$work"
    trap - EXIT
    IN_MOUNTS=1 exec $mounts sh "$0"
fi

cd "$work" || exit 1
mkdir a b c
touch host a/store b/store
trap 'umount -l "$work"/a/store "$work"/b/store "$work"/c/store "$work"/c 2>/dev/null; rm -rf "$work"' EXIT

# The names in a folder, on one line.
expect_only() {
    checks=$((checks + 1))
    found=$(cd "$1" && echo *)
    shift
    [ "$found" = "$*" ] || wrong "found '$found', not '$*'"
}

bind() {
    mount --bind "$1" "$2" || wrong "cannot mount $1 on $2"
}

it 'rename over a mounted file is EBUSY: it is written in place, and one message says so'
run profile put --store host $common $portable --policy old
bind host a/store
inode=$(stat -c %i host)
run profile put --store a/store $common $portable --policy new
expect_exit 0
checks=$((checks + 1))
[ "$(grep -c EBUSY "$work/err")" = 1 ] || wrong 'not one message of EBUSY'
expect_says err "'a/store' is a mount point and cannot be replaced (EBUSY): it is written in place, journalled"
run profile lookup --store host $common $portable
expect_says out 'new'
expect_only a store store.lock
checks=$((checks + 1))
[ "$(stat -c %i host)" = "$inode" ] || wrong 'the file of the host was replaced'

it 'what a killed writer left half written is read from its journal, and completed by the next one'
cp host newer
run profile put --store newer $common $exact --policy second
cp newer a/store.steelyard-journal
head -c 40 newer >host
run profile lookup --store a/store $common $exact
expect_exit 0
expect_says out 'second'
expect_only a store store.lock store.steelyard-journal
run profile put --store a/store $common --structure k=v --policy third
expect_exit 0
expect_only a store store.lock
run profile list --store host --json
expect_exit 0
expect_json /profiles 'array of 3'

it 'a killed writer anywhere loses nothing that was there'
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    n=1
    killed=0
    while [ $n -le 60 ]; do
        for call in openat write ftruncate fsync rename unlink; do
            strace -f -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=$n \
                "$STEELYARD" profile put --store a/store $common --structure k=killed --policy "p$n" \
                >/dev/null 2>&1 || killed=$((killed + 1))
            run profile lookup --store a/store $common $exact
            expect_exit 0
            run profile lookup --store a/store $common --structure k=v
            expect_says out 'third'
        done
        n=$((n + n / 3 + 1))
    done
    checks=$((checks + 1))
    [ $killed -ge 20 ] || wrong "only $killed writers were killed"
    run profile put --store a/store $common --structure k=killed --policy last
    expect_exit 0
    expect_only a store store.lock
else
    echo 'not tested here: writers killed at each call (no strace)'
fi

it 'two containers with the same file and folders of their own lose nothing of each other'
bind host b/store
write_many() {
    n=0
    while [ $n -lt 12 ]; do
        "$STEELYARD" profile put --store "$1/store" $common --structure "writer=$1$n" --policy p >/dev/null 2>&1 || return 1
        n=$((n + 1))
    done
}
write_many a &
first=$!
write_many b &
second=$!
wait $first || wrong 'a writer of the first container failed'
wait $second || wrong 'a writer of the second container failed'
checks=$((checks + 1))
found=$("$STEELYARD" profile list --store host --json | grep -o '"[ab][0-9]*"' | sort -u | wc -l)
[ "$found" = 24 ] || wrong "$found of 24 profiles are there"
expect_only b store store.lock

it 'a file that is mounted read-only is exit 4, and nothing is left beside it'
mount -o remount,bind,ro a/store
before=$(sha256sum <host)
run profile put --store a/store $common $portable --policy refused
expect_exit 4
expect_says err 'EROFS'
expect_only a store store.lock
run profile lookup --store a/store $common $portable
expect_says out 'new'
checks=$((checks + 1))
[ "$before" = "$(sha256sum <host)" ] || wrong 'the file was changed'

it 'a folder that is read-only, around a file that is not, keeps decisions in memory and says so'
touch c/store
bind c c
bind host c/store
mount -o remount,bind,ro c
run probe ring --backend fake --script "$SOURCE_DIR/tests/data/fake/quiet-win.json" --seed 1 --save --store c/store
expect_says out 'win: use fast'
[ "$code" = 0 ] || [ "$code" = 4 ] || wrong "exit code $code"
run profile put --store c/store $common $portable --policy refused
expect_exit 4
expect_says err "'c/store.lock': Read-only file system (EROFS)"
run profile lookup --store c/store $common $portable
expect_exit 0
expect_says out 'new'

it 'repair writes in place as well'
umount b/store
bind host b/store
echo nonsense >>host
run profile repair --store b/store
expect_exit 0
run profile lookup --store host $common $portable
expect_exit 0
expect_says out 'new'

finish
