#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stores and ledgers in folders that several users share: modes, groups, access lists, locks, and layers that are only
# read.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"
cd "$work" || exit 1

# mode_is FILE MODE [GROUP]
mode_is() {
    checks=$((checks + 1))
    found=$(stat -c "%a${3:+ %g}" "$1")
    [ "$found" = "$2${3:+ $3}" ] || wrong "$1 is $found, not $2 $3"
}

put_into() {
    run profile put --store "$1" $common $portable --policy "$2"
    expect_exit 0
}

old_umask=$(umask)

it 'the umask decides for what is new, and folders of a shared one are shared'
mkdir shared
chmod 2775 shared
umask 002
put_into shared/a p
put_into shared/deep/er/a p
umask 077
put_into shared/private p
umask 022
put_into shared/common p
put_into own/deep/a p
mode_is shared/a 664
mode_is shared/a.lock 664
mode_is shared/deep/er 2775
mode_is shared/deep/er/a 664
mode_is shared/private 600
mode_is shared/private.lock 600
mode_is shared/common 644
mode_is own/deep 700

it 'an existing file keeps its mode, and its lock is as wide'
umask 077
put_into shared/a q
mode_is shared/a 664
chmod 660 shared/private
put_into shared/private q
mode_is shared/private 660
mode_is shared/private.lock 660
umask "$old_umask"

it 'the other name of a file is told, since it keeps the old file'
ln shared/a shared/other
put_into shared/a r
expect_says err 'not kept: other hard links'
run profile lookup --store shared/other $common $portable
expect_says out 'q'
put_into shared/a s
expect_nothing_on err

it 'an access list is kept, and one of the folder not taken'
if command -v setfacl >/dev/null && setfacl -m u:12345:r shared/a 2>/dev/null; then
    before=$(getfacl -cn shared/a)
    put_into shared/a t
    checks=$((checks + 1))
    [ "$(getfacl -cn shared/a)" = "$before" ] || wrong "the access list: $(getfacl -cn shared/a)"
    expect_nothing_on err
    setfacl -b shared/a
    setfacl -d -m u:12345:rwx shared
    put_into shared/a u
    checks=$((checks + 1))
    [ "$(getfacl -cn shared/a | grep -c 12345)" = 0 ] || wrong "the access list: $(getfacl -cn shared/a)"
    mode_is shared/a 664
    setfacl -k shared
else
    echo 'not tested here: access lists (no setfacl, or a file system without them)'
fi

it 'a link in the place of the lock is not followed'
echo 'precious' >victim
ln -s ../victim shared/linked.lock
run profile put --store shared/linked $common $portable --policy p
expect_exit 4
expect_says err "cannot open the lock 'shared/linked.lock'"
checks=$((checks + 1))
[ "$(cat victim)" = precious ] || wrong 'the file behind the link was changed'

it 'layers that are damaged, missing, or unreadable are told, and neither written nor locked'
mkdir site
put_into site/profiles layered
rm -f site/profiles.lock
cp site/profiles site/damaged
echo nonsense >>site/damaged
chmod 555 site
STEELYARD_PROFILE_PATH=$work/site/damaged:$work/site/absent:$work/site:$work/site/profiles
export STEELYARD_PROFILE_PATH
sums=$(sha256sum site/* 2>/dev/null)
run profile lookup --store mine $common $portable
expect_exit 4
expect_says out 'layered'
expect_says err "'$work/site/damaged': line"
expect_says err "cannot read '$work/site': it is a folder, not a file"
run select attention --backend cpu --cases quick --mode store-only --store mine
[ "$code" = 0 ] || [ "$code" = 6 ] || wrong "select ended with $code for a damaged layer"
run profile put --store mine $common $portable --policy mine
expect_exit 0
run profile lookup --store mine $common $portable --quiet
expect_says out 'mine'
run profile remove --store mine $common $portable
expect_exit 0
run profile remove --store mine $common $portable
expect_exit 1
expect_says err 'stands in the read-only layer'
checks=$((checks + 1))
[ "$sums" = "$(sha256sum site/* 2>/dev/null)" ] || wrong "the layers' folder holds $(ls site)"
unset STEELYARD_PROFILE_PATH
chmod 755 site

it 'a ledger follows the umask in a shared folder'
umask 002
mkdir project
chmod 2775 project
(cd project && git init -q . && "$STEELYARD" matrix init) >out 2>err || wrong 'no project was made'
run measure ring --backend fake --script "$SOURCE_DIR/tests/data/fake/quiet-win.json" --record --root project
umask "$old_umask"
if [ -e project/.steelyard/ledger.sqlite ]; then
    mode_is project/.steelyard 2775
    mode_is project/.steelyard/ledger.sqlite 664
    mode_is project/.steelyard/ledger.lock 664
else
    wrong "no ledger was made: $(ls -A project project/.steelyard 2>&1)"
fi

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null ||
    ! setpriv --reuid 65534 --clear-groups "$STEELYARD" version >/dev/null 2>&1; then # its libraries may lie where only root reads
    echo 'not tested here: several users (needs root, setpriv and a build that others may read)'
    finish
    exit
fi

# as USER:GROUP WORD...
as() {
    who=$1
    shift
    command_line="$* (as $who)"
    code=0
    (umask 002 && exec setpriv --reuid "${who%:*}" --regid "${who#*:}" --clear-groups "$STEELYARD" "$@") \
        >"$work/out" 2>"$work/err" </dev/null || code=$?
}

it 'two users of one group write one store'
chmod 755 "$work"
mkdir team
chgrp 4321 team
chmod 2775 team
as 1001:4321 profile put --store team/s $common $portable --policy ann
expect_exit 0
mode_is team/s 664 4321
as 1002:4321 profile put --store team/s $common $portable --policy bob
expect_exit 0
expect_says err "'team/s' was replaced; not kept: owner"
mode_is team/s 664 4321
as 1001:4321 profile lookup --store team/s $common $portable
expect_exit 0
expect_says out 'bob'
as 1003:1003 profile lookup --store team/s $common $portable
expect_exit 0
as 1003:1003 profile put --store team/s $common $portable --policy eve
expect_exit 4
expect_says err 'EACCES'

it 'two users of one group write one ledger'
mkdir ours leases
chgrp 4321 ours
chmod 2775 ours
chmod 1777 leases
export STEELYARD_LEASES="$work/leases"
(cd ours && umask 002 && "$STEELYARD" matrix init >/dev/null 2>&1) || wrong 'no project was made'
for user in 1001 1002 1001; do
    as $user:4321 measure ring --backend fake --script "$SOURCE_DIR/tests/data/fake/quiet-win.json" --record --root ours
    expect_exit 0
done
mode_is ours/.steelyard/ledger.sqlite 664 4321
mode_is ours/.steelyard/ledger.lock 664 4321
run ledger verify --root ours
expect_exit 0
expect_says out '3 runs'

it 'a lock that a narrow umask left is widened by who made it, and only read by others'
chmod 644 team/s.lock
as 1002:4321 profile put --store team/s $common $portable --policy carol
expect_exit 0

it 'the group of a file is kept by one who is in it, and its rights go to no other'
chmod 777 team # and not setgid any more
chmod g-s team
as 1003:1003 profile put --store team/s $common $portable --policy dave
expect_exit 0
expect_says err 'not kept: owner, group'
mode_is team/s 644 1003

finish
