#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fresh.sh demo|test...: proves each command in a bare Debian 12. debootstrap makes the system (kept in build/ for the
# next command of this call only), the checkout is copied in, and the command must
#   say which packages to install when it runs as nobody; work as root; do no set-up work the second time, without network.
# Needs root and a Debian mirror; exit 77 when the mirror cannot be reached. Mounts live in a namespace of their own and go when it goes.
set -eu
cd "$(dirname -- "$0")/.."
project=$PWD

fail() {
    printf 'fresh: %s\n' "$*" >&2
    exit 1
}

[ $# -gt 0 ] || fail "usage: tools/fresh.sh demo|test..."
for command in "$@"; do
    case $command in
    demo | test) ;;
    *) fail "no command named $command: demo or test" ;;
    esac
done
[ "$(id -u)" = 0 ] || fail "needs root"
command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap"

# The mirror that this machine's apt uses for Debian 12, if it does; debootstrap knows another.
mirror=$(apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Codename: bookworm' 'Component: main' \
    2>/dev/null | head -n 1 || true)

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 1' HUP INT TERM

elapsed() {
    echo "$(($(date +%s) - $1)) s"
}

# bare COMMAND...: runs it in the system, in the checkout, with nothing of this machine's environment. The system is the
# root of a mount namespace, as in a container: its mounts are this machine's /sys and /dev, and a /proc of its own.
bare() {
    # shellcheck disable=SC2016 # expanded inside
    unshare --mount --pid --fork --kill-child --propagation private $network sh -c '
        system=$1
        shift
        mount --bind "$system" "$system"
        mount -t proc proc "$system/proc"
        mount --rbind /sys "$system/sys"
        mount --rbind /dev "$system/dev"
        mkdir -p "$system/machine"
        cd "$system"
        pivot_root . machine
        exec chroot . sh -c "
            umount -l /machine
            cd /steelyard
            exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \"\$@\"
        " sh "$@"
    ' sh "$folder/system" "$@" </dev/null
}

prove() {
    command=$1
    network=
    rm -rf --one-file-system "$folder/system"
    cp -a "$folder/bare" "$folder/system"
    mkdir "$folder/system/steelyard"
    tools/sources.sh | tar -C "$project" -cf - --files-from - | tar -C "$folder/system/steelyard" -xf - --no-same-owner

    code=0
    bare setpriv --reuid 65534 --regid 65534 --clear-groups ./dev "$command" >"$folder/log" 2>&1 || code=$?
    if [ $code != 1 ] || ! grep -q 'run as root: apt-get update && apt-get install' "$folder/log"; then
        cat "$folder/log"
        fail "./dev $command does not say, to a user without rights, what to install (exit code $code)"
    fi

    start=$(date +%s)
    bare ./dev "$command" || fail "./dev $command fails in a bare Debian 12 (exit code $?)"
    echo "fresh: ./dev $command in a bare Debian 12 took $(elapsed "$start")"

    network=--net
    start=$(date +%s)
    bare ./dev "$command" >"$folder/log" 2>&1 || {
        cat "$folder/log"
        fail "the second ./dev $command fails without a network"
    }
    if grep -E '^== (install|configure|build)' "$folder/log"; then
        fail "the second ./dev $command does set-up work again"
    fi
    echo "fresh: the second ./dev $command, without a network, took $(elapsed "$start")"
}

start=$(date +%s)
debootstrap --variant=minbase bookworm "$folder/bare" ${mirror:+"$mirror"} >"$folder/log" 2>&1 || {
    tail -n 20 "$folder/log"
    if grep -q 'Failed getting release file' "$folder/log"; then
        echo "skipped: the Debian mirror cannot be reached"
        exit 77
    fi
    fail "debootstrap failed"
}
echo "fresh: a bare Debian 12 took $(elapsed "$start")"
for command in "$@"; do
    prove "$command"
done
