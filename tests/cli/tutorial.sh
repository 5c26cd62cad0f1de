#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/tutorial.md, typed from its first command to its last in an empty folder: what is printed has to be what the page
# shows. With --write the page gets the outputs as they are now, where they differ.
#
# In a block ~~~console a line "$ COMMAND" is typed ("> " begins its further lines), the lines behind it are what it
# prints, both streams as they come; "..." stands for any lines, "(exit code N)" for an exit code other than 0. Volatile
# words are made alike on both sides: run ids, times, durations, numbers of leases, and hexadecimal digests of seven
# digits or more.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

command -v git >/dev/null || skip 'no git here'
page=$SOURCE_DIR/docs/tutorial.md
export STEELYARD_LEASES="$work/leases" HOME="$work/home" TZ=UTC COLUMNS=80
export GIT_AUTHOR_NAME=ann GIT_AUTHOR_EMAIL=ann@example.org GIT_COMMITTER_NAME=ann GIT_COMMITTER_EMAIL=ann@example.org
export GIT_CONFIG_NOSYSTEM=1
unset STEELYARD_RUN_FD DAY
mkdir -p "$STEELYARD_LEASES" "$HOME" "$work/bin" "$work/empty"
chmod 700 "$STEELYARD_LEASES"
ln -s "$STEELYARD" "$work/bin/steelyard"
PATH=$work/bin:$PATH

alike() {
    sed -E -e 's/[0-9]{8}-[0-9]{6}-[0-9a-f]{6}/RUN/g' -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}/DATE/g' \
        -e 's/[0-9]{2}:[0-9]{2}(:[0-9]{2})?/TIME/g' -e 's/ (after|for) [0-9.]+ (ns|us|ms|s)/ \1 TIME/g' \
        -e 's/lease number [0-9]{16}/lease number N/g; s/(number|lease) [0-9]{16}/\1 N/g' \
        -e 's/[0-9a-f]{7,64}/HEX/g' -e 's/ on [a-z0-9.-]+$/ on HOST/' -e 's/ +$//' "$1"
}

# The expected lines stand in the printed ones, in order and without a gap but where "..." is.
# shellcheck disable=SC2016 # awk's own
fits() {
    awk -v expected="$1" '
        { printed[++count] = $0 }
        END {
            at = 1; anywhere = 0
            while ((getline line <expected) > 0) {
                if (line == "...") { anywhere = 1; continue }
                if (anywhere) { # the next lines up to another "..." are searched for by the first of them
                    while (at <= count && printed[at] != line) at++
                    anywhere = 0
                }
                if (at > count || printed[at] != line) exit 1
                at++
            }
            exit !(anywhere || at > count)
        }' "$2"
}

# Types the command that was read, holds what it prints against the page, and writes what the page should have.
type_it() {
    [ -n "$command" ] || return 0
    checks=$((checks + 1))
    command_line=$command
    code=0
    eval "$command" >"$work/out" 2>&1 </dev/null || code=$?
    [ $code = 0 ] || echo "(exit code $code)" >>"$work/out"
    : >"$work/err"
    alike "$work/shown" >"$work/shown.alike"
    alike "$work/out" >"$work/out.alike"
    if fits "$work/shown.alike" "$work/out.alike"; then
        cat "$work/shown" >>"$work/page"
    else
        wrong "line $number of the page: $(diff -u "$work/shown.alike" "$work/out.alike" | tail -n +3)"
        cat "$work/out" >>"$work/page"
    fi
    command=
    : >"$work/shown"
}

it 'the page is what happens'
cd "$work/empty" || exit
: >"$work/page"
: >"$work/shown"
command=
inside=false
number=0
while IFS= read -r line <&3; do
    number=$((number + 1))
    case $inside$line in
    'false~~~console') inside=true ;;
    'true~~~') type_it && inside=false ;;
    'true$ '*)
        type_it
        command=${line#'$ '}
        ;;
    'true> '*) command="$command
${line#'> '}" ;;
    true*)
        printf '%s\n' "$line" >>"$work/shown"
        continue
        ;;
    esac
    printf '%s\n' "$line" >>"$work/page"
done 3<"$page"
[ "$checks" -gt 20 ] || wrong "only $checks commands stand in $page"

if [ "${1:-}" = --write ]; then
    cp "$work/page" "$page"
fi
finish
