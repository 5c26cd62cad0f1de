#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Containers: no environment at all, a home that is /, is absent, or is somebody else's, and a user without a passwd
# entry; XDG_CACHE_HOME and STEELYARD_... that are relative, empty or no folder. Every command comes to its decision.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
none='decisions are kept for this process only'
here=$work/here
mkdir "$here" "$work/home" "$work/file.d"
: >"$work/file"
chmod 755 "$work"
before_root=$(ls -A /)

# in_place VARIABLES WORD...: the command with these variables and no others, as $user, in an empty folder.
user=
in_place() {
    variables=$1
    shift
    command_line="$* ($variables; ${user:-this user})"
    code=0
    # shellcheck disable=SC2086 # words, both
    (cd "$here" && exec $user env -i $variables "$STEELYARD" "$@") >"$work/out" 2>"$work/err" </dev/null || code=$?
}

# told_once TEXT: exactly one line of stderr says it.
told_once() {
    checks=$((checks + 1))
    [ "$(grep -cF -e "$1" "$work/err")" = 1 ] || wrong "stderr does not say once '$1'"
}

nothing_was_made() {
    checks=$((checks + 2))
    [ -z "$(ls -A "$here")" ] || wrong "made in the working folder: $(ls -A "$here")"
    [ "$before_root" = "$(ls -A /)" ] || wrong "made in /: $(ls -A /)"
}

# all_decide VARIABLES: without a place, probe, select and the list run to their end.
all_decide() {
    in_place "$1" probe ring --backend fake --script "$script" --seed 1 --save
    expect_exit 0
    expect_says out 'win: use fast'
    told_once "$none"
    in_place "$1" select ring --backend fake --script "$script" --mode probe
    expect_exit 0
    expect_says out 'use fast for ring'
    told_once "$none"
    in_place "$1" profile list
    expect_exit 0
    expect_says out '0 profiles in memory'
    told_once "none writable ("
    nothing_was_made
}

it 'without a place all of them decide, and say once that nothing is kept'
all_decide ''
all_decide 'HOME=/'
all_decide 'HOME='
all_decide "HOME=$work/nonexistent"
all_decide "HOME=$work/nonexistent/deeper"
all_decide 'HOME=relative'
all_decide "HOME=$work/file"
expect_says err "none writable ('$work/file/.cache/steelyard/profiles': Not a directory (ENOTDIR))"
checks=$((checks + 1))
[ ! -e "$work/nonexistent" ] || wrong 'a home was made'

it 'a file that is named stands above all of that'
in_place 'HOME=/' probe ring --backend fake --script "$script" --seed 1 --save --store "$work/named"
expect_exit 0
expect_not_says err "$none"
if [ -e "$work/named" ]; then
    in_place '' select ring --backend fake --script "$script" --store "$work/named"
    expect_exit 0
    expect_says out 'source store'
    expect_not_says err "$none"
fi
nothing_was_made

it 'XDG_CACHE_HOME that cannot be meant is passed over with one note'
in_place "HOME=$work/home XDG_CACHE_HOME=cache" probe ring --backend fake --script "$script" --seed 1 --save
expect_exit 0
told_once "XDG_CACHE_HOME 'cache' is not absolute and is passed over"
expect_not_says err "$none"
nothing_was_made
for given in ./cache ..; do
    in_place "HOME=$work/home XDG_CACHE_HOME=$given" profile list
    expect_exit 0
    told_once "XDG_CACHE_HOME '$given' is not absolute and is passed over"
done
in_place "HOME=$work/home XDG_CACHE_HOME=//" profile list
told_once "XDG_CACHE_HOME '//' is the root folder and is passed over"
in_place "HOME=$work/home XDG_CACHE_HOME=" profile list
expect_exit 0
expect_nothing_on err
expect_says out "in $work/home/.cache/steelyard/profiles"
in_place "HOME=/ XDG_CACHE_HOME=cache" profile list
expect_exit 0
told_once "XDG_CACHE_HOME 'cache' is not absolute and is passed over; HOME '/' is the root folder"
nothing_was_made

it 'slashes at its end do not matter, and a folder that is missing is made, private'
put='profile put --backend b --operator o --implementation 1 --structure k=v --policy p'
# shellcheck disable=SC2086 # words
in_place "XDG_CACHE_HOME=$work/xdg///" $put
expect_exit 0
expect_says out "$work/xdg/steelyard/profiles: 1 added"
checks=$((checks + 1))
[ "$(stat -c %a "$work/xdg" "$work/xdg/steelyard" | sort -u)" = 700 ] || wrong 'the folders are not private'

it 'one that is a file is no place'
all_decide "XDG_CACHE_HOME=$work/file"
# shellcheck disable=SC2086 # words
in_place "XDG_CACHE_HOME=$work/file" $put
expect_exit 4
expect_says err "'$work/file/steelyard/profiles': Not a directory (ENOTDIR)"

it 'relative layers are passed over, absolute ones are read'
cp "$work/xdg/steelyard/profiles" "$here/layer"
in_place 'STEELYARD_PROFILE_PATH=layer' profile list
expect_exit 0
expect_says out '0 profiles'
expect_says err "'layer' of STEELYARD_PROFILE_PATH is not absolute and is passed over"
in_place "STEELYARD_PROFILE_PATH=./layer:$here/layer:" profile list
expect_exit 0
expect_says out 'portable'
rm "$here/layer"

it 'a relative STEELYARD_LEASES is refused: each folder would have leases of its own'
in_place 'STEELYARD_LEASES=leases' run leases
expect_exit 2
expect_says err "STEELYARD_LEASES 'leases' is not absolute"
nothing_was_made

it 'a user without a passwd entry, in a home of somebody else'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null &&
    setpriv --reuid 1002700000 --regid 0 --clear-groups "$STEELYARD" version >/dev/null 2>&1 && # its libraries may lie where only root reads
    setpriv --reuid 1002700000 --regid 0 --clear-groups cat "$script" >/dev/null 2>&1; then
    user='setpriv --reuid 1002700000 --regid 0 --clear-groups'
    chmod 755 "$work/home"
    all_decide 'HOME=/'
    all_decide ''
    all_decide "HOME=$work/nonexistent"
    mkdir -m 700 "$work/closed"
    mkdir -m 755 "$work/open"
    all_decide "HOME=$work/closed"
    expect_says err 'Permission denied (EACCES)'
    all_decide "HOME=$work/open"
    expect_says err 'Permission denied (EACCES)'
    all_decide "XDG_CACHE_HOME=$work/open"
    user=
else
    echo 'not tested here: another user (needs root, setpriv and a build that others may read)'
fi

finish
