#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile where files are in odd places: no home, full and read-only disks, folders, pipes, links, mounts,
# shared folders.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"
cd "$work" || exit 1

# Nothing but the named files is in the folder.
expect_only() {
    checks=$((checks + 1))
    found=$(cd "$1" && echo .[!.]* *)
    shift
    [ "$found" = "$*" ] || wrong "found '$found', not '$*'"
}

it 'without a home nothing is kept, which is an error for a put and an empty store for a question'
mkdir empty
cd empty || exit 1
home=$HOME
unset HOME
run profile put $common $portable --policy p
expect_exit 4
expect_nothing_on out
expect_stderr <<'END'
steelyard profile put: none writable (no home folder): decisions are kept for this process only
  nothing was stored: name a file with --store FILE
END
run profile lookup $common $portable
expect_exit 6
expect_stderr <<'END'
steelyard: none writable (no home folder): decisions are kept for this process only
steelyard profile lookup: no profile of 'cpu' 'attention' answers
  there is no store: name one with --store FILE
END
run profile list --quiet
expect_exit 0
expect_nothing_on err
run profile check
expect_exit 6
run profile put $common $portable --policy p --store "$work/named"
expect_exit 0

it 'the root folder is no home, nor is one that does not exist'
HOME=/
export HOME
run profile put $common $portable --policy p
expect_exit 4
expect_says err "HOME '/' is the root folder and is passed over; none writable (no home folder)"
run profile lookup $common $portable
expect_exit 6
HOME=$work/nowhere/home
run profile put $common $portable --policy p
expect_exit 4
expect_says err 'the home folder does not exist'
expect_only . '.[!.]*' '*'
[ ! -e "$work/nowhere" ] || wrong 'a home was made'

it 'a relative XDG_CACHE_HOME is passed over, with one note, and nothing is made in the working folder'
HOME=$home
XDG_CACHE_HOME=cache
export XDG_CACHE_HOME
run profile put $common $portable --policy p
expect_exit 0
expect_stderr <<'END'
steelyard: XDG_CACHE_HOME 'cache' is not absolute and is passed over
END
expect_stdout <<END
$HOME/.cache/steelyard/profiles: 1 added (format 2)
END
expect_only . '.[!.]*' '*'
unset XDG_CACHE_HOME
run profile lookup $common $portable
expect_exit 0
expect_nothing_on err
run profile check
expect_exit 0
XDG_CACHE_HOME=$work/xdg
export XDG_CACHE_HOME
run profile put $common $portable --policy q
expect_exit 0
[ -f "$work/xdg/steelyard/profiles" ] || wrong 'XDG_CACHE_HOME is not used'
[ "$(stat -c %a "$work/xdg/steelyard")" = 700 ] || wrong 'the folder that was made is not private'
unset XDG_CACHE_HOME
cd "$work" || exit 1

it 'a folder or a pipe in place of the file is refused at once'
mkdir folder
mkfifo pipe
for verb in "put $common $portable --policy p" "lookup $common $portable" list digest check repair 'convert --format 1' \
    "remove $common $portable"; do
    run profile $verb --store folder
    expect_exit 4
    expect_says err "cannot read 'folder': it is a folder, not a file"
    run profile $verb --store pipe
    expect_exit 4
    expect_says err "cannot read 'pipe': it is a pipe, not a file"
done

it 'a link stays a link, and its target is written'
ln -s target link
run profile put --store link $common $portable --policy p
expect_exit 0
[ -L link ] || wrong 'the link was replaced'
run profile lookup --store target $common $portable
expect_exit 0

it 'a shared store follows the umask, and a file keeps its mode'
mkdir shared
chmod 2775 shared
old=$(umask)
umask 002
run profile put --store shared/a $common $portable --policy p
umask 077
run profile put --store shared/b $common $portable --policy p
chmod 640 shared/a
run profile put --store shared/a $common $portable --policy q
umask "$old"
[ "$(stat -c %a shared/a) $(stat -c %a shared/b)" = '640 600' ] || wrong "modes: $(stat -c '%a %n' shared/*)"
[ "$(stat -c %a shared/a.lock)" = 664 ] || wrong "the lock's mode: $(stat -c %a shared/a.lock)"

# What follows needs mounts of its own.
mkdir small
for mounts in 'unshare -m' 'unshare -rm' ''; do
    [ -n "$mounts" ] || break
    $mounts mount -t tmpfs none small 2>/dev/null && break
done
if [ -z "$mounts" ]; then
    echo 'not tested here, since it needs mounts: full, read-only and mounted files, files of other users'
    finish
    exit
fi

# in_mounts SCRIPT: with a file system of 16 KiB at $work/small; what it prints is $work/out.
in_mounts() {
    code=0
    command_line=$1
    # shellcheck disable=SC2016 # the inner shell expands
    PLACE=$work $mounts sh -c 'mount -t tmpfs -o size=16k none "$PLACE/small" && cd "$PLACE/small" && eval "$1"' \
        sh "$1" >"$work/out" 2>"$work/err" || code=$?
}
export STEELYARD
put_words="profile put --store s $common $portable --policy"
ask_words="profile lookup --store s $common $portable"

it 'a full disk is exit 4, leaves the old file whole and nothing beside it'
in_mounts "\"\$STEELYARD\" $put_words old && cp s s.before && cat /dev/zero >fill 2>/dev/null
    \"\$STEELYARD\" $put_words new; test \$? = 4 && cmp s s.before && echo \$(ls) && \"\$STEELYARD\" $ask_words"
expect_exit 0
expect_says err 'No space left on device (ENOSPC) nothing was changed: mend that, or name another file with --store'
expect_says out 'fill s s.before s.lock old rank'

it 'a read-only disk answers questions and refuses a put'
in_mounts "\"\$STEELYARD\" $put_words old && mount -o remount,bind,ro . && \"\$STEELYARD\" $ask_words &&
    \"\$STEELYARD\" $put_words new"
expect_exit 4
expect_says out 'old rank'
expect_says err 'Read-only file system (EROFS)'

it 'a file that is a mount point is written in place, and nothing is left beside it'
in_mounts "\"\$STEELYARD\" $put_words old && mv s host && : >s && mount --bind host s && \"\$STEELYARD\" $put_words new &&
    echo \$(ls) && \"\$STEELYARD\" $ask_words && cmp s host"
expect_exit 0
expect_says out 'host s s.lock new rank'

it 'a file of another user that cannot be read or written is exit 4'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && \
    setpriv --reuid 65534 --clear-groups "$STEELYARD" version >/dev/null 2>&1; then # its libraries may lie where only root reads
    chmod 755 "$work"
    cp target other
    chmod 600 other
    command_line='profile lookup as another user'
    code=0
    setpriv --reuid 65534 --clear-groups "$STEELYARD" profile lookup --store "$work/other" $common $portable \
        >"$work/out" 2>"$work/err" || code=$?
    expect_exit 4
    expect_says err "cannot open '$work/other': Permission denied (EACCES)"
    chmod 644 other
    code=0
    setpriv --reuid 65534 --clear-groups "$STEELYARD" profile put --store "$work/other" $common $portable --policy q \
        >"$work/out" 2>"$work/err" || code=$?
    expect_exit 4
    expect_nothing_on out
    expect_says err 'Permission denied (EACCES)'
fi

finish
