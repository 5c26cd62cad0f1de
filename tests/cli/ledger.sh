#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard ledger: what other hands do to a ledger is found, what an anchor vouches for cannot be taken back, and lines
# rebuild it.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

root=$work/project
mkdir "$root"
cd "$root" || exit

# results NAME SECONDS: a file of hyperfine's with one command measured twice.
results() {
    printf '{"results":[{"command":"%s","mean":%s,"median":%s,"user":0,"system":0,"min":%s,"max":%s,' \
        "$1" "$2" "$2" "$2" "$2"
    printf '"times":[%s,%s],"exit_codes":[0,0]}]}\n' "$2" "$2"
}

# verdict_is EXIT: verifies, and the ledger is sound or not.
verdict_is() {
    run ledger verify --json
    expect_exit "$1"
    expect_json /schema steelyard.ledger-verdict/1
    case $1 in
    0) expect_json /sound true ;;
    1) expect_json /sound false ;;
    esac
}

it 'the group lists its commands'
run ledger
expect_exit 2
expect_says err 'all of them: steelyard help ledger'
for verb in verify anchor export import; do
    run ledger $verb --help
    expect_exit 0
    expect_width 80
    expect_says out "Usage: steelyard ledger $verb "
done

it 'outside of a project, and in one without a ledger, there is nothing to prove'
for verb in verify anchor export; do
    run ledger $verb
    expect_exit 2
    expect_nothing_on out
    expect_says err 'steelyard matrix init'
done
run matrix init
expect_exit 0
run ledger verify
expect_exit 2
expect_says err 'no ledger in'

it 'words that mean nothing are refused'
run ledger verify now
expect_exit 2
run ledger anchor one two
expect_exit 2
run ledger import
expect_exit 2
expect_says err 'no FILE is given'

results first 0.011 >first.json
results second 0.022 >second.json
run import hyperfine first.json
expect_exit 0

it 'a ledger that nobody touched is sound, and says that nothing vouches for it'
run ledger verify
expect_exit 0
expect_says out 'All of it is as it was written.'
expect_says out 'unanchored'
verdict_is 0
expect_json /anchored false
expect_json /runs 1
expect_json /unverified 0

it 'an anchor is written once for a head, and verify holds against it'
run ledger anchor
expect_exit 0
expect_says out 'steelyard.anchors'
run ledger anchor
expect_exit 0
[ "$(wc -l <steelyard.anchors)" -eq 1 ] || wrong 'the head was anchored twice'
verdict_is 0
expect_json /anchored true
expect_json /anchors 1

it 'comments, lines of other ledgers and line ends of other systems stay as they are'
other=steelyard-anchor/1\ 00000000000000000000000000000000\ 7
other="$other 0000000000000000000000000000000000000000000000000000000000000000 2026-01-01T00:00:00Z"
{
    printf '# who vouches for what\r\n\r\n'
    sed 's/$/\r/' steelyard.anchors
    printf '%s\r\n' "$other"
} >mixed.anchors
run import hyperfine second.json
expect_exit 0
run ledger anchor mixed.anchors
expect_exit 0
[ "$(grep -c "^# who\|^$other" mixed.anchors)" -eq 2 ] || wrong 'a line was lost'
[ "$(wc -l <mixed.anchors)" -eq 5 ] || wrong 'the new line is missing'
run ledger verify --anchors mixed.anchors --json
expect_exit 0
expect_json /anchors 2
run ledger verify --anchors none.anchors
expect_exit 2
printf '<<<<<<< HEAD\n' >broken.anchors
run ledger verify --anchors broken.anchors
expect_exit 4
expect_says err 'line 1'
run ledger anchor broken.anchors
expect_exit 4
[ "$(cat broken.anchors)" = '<<<<<<< HEAD' ] || wrong 'a damaged file was written'

it 'anchors of which none holds vouch for nothing'
sed -n "s/^\(steelyard-anchor\/1 [0-9a-f]* [0-9]*\) [0-9a-f]*/\1 $(printf '%064d' 0)/p" steelyard.anchors >false.anchors
run ledger verify --anchors false.anchors
expect_exit 1
expect_says out 'of which none holds'
grep -q 'of event 0' "$work/out" && wrong 'event 0 is spoken of'

it 'an altered file is a fault; one that is elsewhere is counted'
file=$(find .steelyard/artifacts -type f | head -1)
cp "$file" kept
printf 'x' >>"$file"
verdict_is 1
expect_json /faults/0/what artifact
rm "$file"
verdict_is 0
expect_json /unverified 1
run ledger verify
expect_says out '1 reference unverified'
run ledger verify --require-evidence
expect_exit 7
expect_says out '1 kept file is not here'
expect_says out "${file##*/}"
grep -q 'All of it' "$work/out" && wrong 'a file is missing, and all of it is said to be there'
run ledger verify --json
expect_json /missing/0/sha256 "${file##*/}"
cp kept "$file"
run ledger verify --require-evidence
expect_exit 0

it 'lines rebuild the same ledger elsewhere, and bring a copy up to date'
run ledger export --artifacts whole.jsonl
expect_exit 0
expect_nothing_on out
events=$(grep -c '"schema":"steelyard.event/1"' whole.jsonl)
expect_says err "exported $events events of "
expect_says err ", $(wc -c <whole.jsonl) bytes"
run ledger export --artifacts whole.jsonl --json
expect_exit 0
expect_json /schema steelyard.ledger-export/1
expect_json /events "$events"
expect_json /bytes "$(wc -c <whole.jsonl)"
expect_json /file whole.jsonl
run ledger export --json
expect_exit 2
expect_says err 'needs a FILE'
run ledger import whole.jsonl --evidence "$work/copy"
expect_exit 0
run ledger export --artifacts --evidence "$work/copy" -
expect_exit 0
cmp -s "$work/out" whole.jsonl || wrong 'the copy is another ledger'
run ledger verify --require-evidence --anchors mixed.anchors --evidence "$work/copy"
expect_exit 0
results third 0.033 >third.json
run import hyperfine third.json
expect_exit 0
"$STEELYARD" ledger export >newer.jsonl
"$STEELYARD" ledger import - --evidence "$work/copy" --json <newer.jsonl >"$work/out" 2>"$work/err" ||
    wrong 'the newer events were not added'
expect_json /schema steelyard.ledger-import/1
run ledger import newer.jsonl --evidence "$work/copy" --json
expect_exit 0
expect_json /added 0

it 'a cut file, another ledger and one that went another way add nothing'
before=$("$STEELYARD" ledger export --evidence "$work/copy" | sha256sum)
head -n 4 newer.jsonl >cut.jsonl
run ledger import cut.jsonl --evidence "$work/new"
expect_exit 4
expect_says err 'the file is cut'
run import hyperfine first.json --evidence "$work/other"
expect_exit 0
run ledger import newer.jsonl --evidence "$work/other"
expect_exit 1
expect_says err 'it is the ledger'
results fourth 0.044 >fourth.json
run import hyperfine fourth.json
expect_exit 0
results fifth 0.055 >fifth.json
run import hyperfine fifth.json --evidence "$work/copy"
expect_exit 0
"$STEELYARD" ledger export >ours.jsonl
run ledger import ours.jsonl --evidence "$work/copy"
expect_exit 1
expect_says err 'the two went separate ways: event'
run ledger import none.jsonl --evidence "$work/copy"
expect_exit 2
[ "$before" != '' ] || wrong 'there was no copy'

it 'a full disk behind the export is told'
if [ -w /dev/full ]; then
    "$STEELYARD" ledger export >/dev/full 2>"$work/err" && wrong 'nothing was lost, it says'
    expect_says err 'No space left on device'
else
    echo 'skipped: there is no /dev/full'
fi

if ! command -v sqlite3 >/dev/null; then
    echo 'skipped: what other hands do, for there is no sqlite3 here'
    finish
    exit
fi

it 'sqlite3 alone reads it, and is not allowed to change it'
[ "$(sqlite3 .steelyard/ledger.sqlite 'SELECT count(*) FROM runs')" -eq 4 ] || wrong 'the view runs is not what it was'
for change in "UPDATE event SET bytes = 'x' WHERE number = 2" 'DELETE FROM event WHERE number = 2' \
    'UPDATE series SET count = 0' 'DELETE FROM series'; do
    sqlite3 .steelyard/ledger.sqlite "$change" >/dev/null 2>&1 && wrong "allowed: $change"
done
verdict_is 0
"$STEELYARD" ledger anchor >/dev/null || wrong 'no anchor'
cp .steelyard/ledger.sqlite "$work/good"

# after EXIT WHAT SQL: a change below the triggers, and what verify finds of it; then the ledger is as it was.
after() {
    sqlite3 .steelyard/ledger.sqlite "PRAGMA ignore_check_constraints = ON;
        DROP TRIGGER event_is_not_changed; DROP TRIGGER event_is_not_deleted;
        DROP TRIGGER series_is_not_changed; DROP TRIGGER series_is_not_deleted; $3" >/dev/null
    verdict_is "$1"
    if [ "$1" -eq 1 ]; then
        grep -q "\"what\": \"$2\"" "$work/out" || wrong "no '$2' after $3"
    fi
    cp "$work/good" .steelyard/ledger.sqlite
    rm -f .steelyard/ledger.sqlite-wal .steelyard/ledger.sqlite-shm
}

it 'whoever changes it below its triggers is found'
after 1 changed "UPDATE event SET bytes = replace(bytes, 'second', 'sekond') WHERE kind = 'begin'"
after 1 changed "UPDATE event SET kind = 'note' WHERE number = 3"
after 1 missing 'DELETE FROM event WHERE number = 3'
after 1 out-of-order 'UPDATE event SET number = 99 WHERE number = 3; UPDATE event SET number = 3 WHERE number = 4;
    UPDATE event SET number = 4 WHERE number = 99'
after 1 samples "UPDATE series SET samples = CAST(x'0000000000000000' || substr(samples, 9) AS BLOB) WHERE rowid = 1"
after 1 samples 'DELETE FROM series WHERE rowid = 1'
after 1 list "UPDATE run SET question = 'another' WHERE number = (SELECT min(number) FROM run)"
after 1 list 'DELETE FROM run WHERE number = (SELECT max(number) FROM run)'
after 1 damaged 'UPDATE facet SET runs = 7 WHERE id = (SELECT min(facet) FROM run)'
after 1 truncated "DELETE FROM event WHERE number = (SELECT max(number) FROM event)"

it 'what an anchor vouches for cannot be taken back'
sqlite3 .steelyard/ledger.sqlite 'DROP TRIGGER event_is_not_deleted;
    DELETE FROM event WHERE number = (SELECT max(number) FROM event)'
run ledger anchor
expect_exit 1
expect_says err 'the ledger ends before it'
run ledger verify
expect_exit 1
expect_says out 'truncated'

it 'a file that is no database is told, and stays'
printf 'this is no database, but a text of some length, which is kept\n' >.steelyard/ledger.sqlite
rm -f .steelyard/ledger.sqlite-wal .steelyard/ledger.sqlite-shm
run ledger verify
expect_exit 4
grep -q 'this is no database' .steelyard/ledger.sqlite || wrong 'it was written to'

finish
