#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files of other tools imported as a user would: each format, twice, from pipes, packed, damaged; what is said, what is
# recorded, and that all of it is JSON again.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

data=$SOURCE_DIR/tests/data/import
mkdir "$work/project" && cd "$work/project" || exit 1

it 'outside of a project nothing is recorded; a dry run only looks'
run import auto "$data/go-lines.txt"
expect_exit 2
expect_says err 'steelyard matrix init'
run import auto "$data/go-verbose.txt" --dry-run
expect_exit 0
expect_says out '2 runs would be recorded'
[ ! -e .steelyard ] || wrong 'a dry run made .steelyard'
"$STEELYARD" matrix init >/dev/null 2>&1 || wrong 'matrix init failed'
run import auto "$data/go-verbose.txt" --dry-run
expect_exit 0
[ ! -e .steelyard/ledger.sqlite ] || wrong 'a dry run made a ledger'

it 'usage is told'
run import
expect_exit 2
expect_says err 'no format is given'
run import hyperfin x
expect_exit 2
expect_says err "'hyperfin' is no format"
run import "$data/go-lines.txt"
expect_exit 2
expect_says err 'the format stands first: steelyard import auto '
run import hyperfine "$data/go-lines.txt" --dry-run
expect_exit 4
expect_says err 'steelyard import auto finds out'
run import go
expect_exit 2
expect_says err 'no file is given'
run import auto - - </dev/null
expect_exit 2
expect_says err 'standard input can be read once'
run import auto "$work/absent.json"
expect_exit 2
expect_says err 'absent.json'

# rows_of FORMAT: how many imported runs of that format the ledger has.
rows_of() {
    "$STEELYARD" run list --kind import --json >"$work/list" || wrong 'run list failed'
    grep -c "\"origin\": \"$1\"" "$work/list" || true
}

# imports FORMAT FILE RUNS EXIT [option...]: the file becomes so many runs, by its content and by its name; again: none.
imports() {
    format=$1 file=$2 runs=$3 exit=$4
    shift 4
    it "$format: $file"
    before=$(rows_of "$format")
    run import auto "$data/$file" "$@"
    expect_exit "$exit"
    expect_says out "($format)"
    expect_says out "$runs runs recorded"
    expect_says out 'steelyard run list --kind import'
    [ "$(rows_of "$format")" = "$((before + runs))" ] || wrong "$(rows_of "$format") runs of $format, not $runs more"
    run import "$format" "$data/$file" "$@"
    expect_exit "$exit"
    expect_says out 'recorded before, from these very bytes; nothing was added'
    [ "$(rows_of "$format")" = "$((before + runs))" ] || wrong 'the same file was recorded again'
    run import "$format" "$data/$file" "$@" --json
    expect_exit "$exit"
    expect_json /schema steelyard.import/1
    expect_json /files/0/format "$format"
    expect_json /files/0/known "$runs"
    expect_json /files/0/added 0
}

imports google-benchmark google-benchmark-1.7.1.json 4 0
imports hyperfine hyperfine-parameters.json 2 0
imports hyperfine hyperfine-failing.json 2 0
imports pytest-benchmark pytest-benchmark-3.2.2.json 2 0
imports nvbench nvbench.json 2 0
imports nvbench nvbench-wrong.json 2 1
imports asv asv.json 3 0 --units "$data/asv-benchmarks.json"
imports go go-lines.txt 3 1
imports go go-verbose.txt 2 0

it 'what is not understood is told with its place and cause, and the rest is recorded'
cp "$data/go-lines.txt" lines.txt
printf '\n' >>lines.txt
run import go lines.txt
expect_exit 1
expect_says out '3 runs recorded; 7 things not understood'
expect_says out 'lines.txt:8:21: missing iteration count'
expect_says out 'lines.txt:9:18: iteration count syntax'
expect_says out 'lines.txt:10:19: iteration count out of range'
expect_says out 'lines.txt:11:24: missing measurements'
expect_says out 'lines.txt:12:21: measurement syntax'
expect_says out 'lines.txt:13:27: missing unit'
expect_says out 'lines.txt:14:36: missing unit'
expect_says out 'line 17: metadata a of ns/op already set to 1'

it 'of a failed benchmark the reason is kept'
run import go "$data/go-verbose.txt" --json
id=$(json /files/0/rows/1/run)
run run show "$id" --json
expect_exit 0
expect_json /status imported
expect_json /parity unknown
expect_json /checks/0/passed false
expect_json /checks/0/found 'tree_test.go:31: not balanced'
expect_json /begin/protocol import/go/1
expect_json /begin/cell 'go::Delete{pkg=example.com/tree,procs=2}'
expect_json /artifacts/0/role source

it 'figures are seconds, whatever the tool wrote'
run import go "$data/go-verbose.txt" --json
run run show "$(json /files/0/rows/0/run)" --json
expect_json /series/0/name sec/op
expect_json /series/0/unit s
expect_json /series/0/minimum 2.105e-06
expect_json /series/0/count 2

it 'units of asv come from benchmarks.json'
run import asv "$data/asv.json" --units "$data/asv-benchmarks.json" --json
expect_json /files/0/known 3
expect_json /files/0/rows/0/series/0/samples/0 0.00025
expect_json /files/0/rows/0/parameters/0/name n
expect_json /files/0/notes/0 '1 results are NaN: the benchmark skipped them'

run import asv "$data/asv.json"
expect_exit 0
expect_says out 'recorded before, from these very bytes'

it 'samples of nvbench are found beside the file and in a folder that is named'
mkdir out elsewhere
sed 's|"summaries": \[|"summaries": [{"tag": "nv/json/bin:nv/cold/sample_times", "data": [{"name": "filename", "value": "x/nvbench.json-bin/0.bin"}, {"name": "size", "value": "2"}]},|' \
    "$data/nvbench.json" >out/nvbench.json
printf '\000\000\200\077\000\000\040\100' >elsewhere/0.bin
run import nvbench out/nvbench.json --dry-run --json
expect_exit 0
expect_says out 'summary only'
run import nvbench out/nvbench.json --samples-folder elsewhere --dry-run --json
expect_json /files/0/rows/0/series/1/samples/1 2.5
mkdir out/nvbench.json-bin && cp elsewhere/0.bin out/nvbench.json-bin/
run import nvbench out/nvbench.json --json
expect_exit 0
expect_json /files/0/rows/0/series/1/samples/0 1

it 'a pipe, gzip and UTF-16 are read'
sed 's/2105/2205/' "$data/go-verbose.txt" >again.txt
command_line='import go - <again.txt'
code=0
"$STEELYARD" import go - <again.txt >"$work/out" 2>"$work/err" || code=$?
expect_exit 0
expect_says out '- (go): 2 runs recorded'
if command -v gzip >/dev/null; then
    sed 's/2105/2305/' "$data/go-verbose.txt" | gzip -c >again.txt.gz
    run import auto again.txt.gz
    expect_exit 0
    expect_says out '2 runs recorded'
    head -c 60 again.txt.gz >cut.gz
    run import auto cut.gz
    expect_exit 4
    expect_says err 'cut.gz'
fi
if command -v iconv >/dev/null; then
    { printf '\377\376'; sed 's/0.25/0.75/' "$data/asv.json" | iconv -f UTF-8 -t UTF-16LE; } >utf16.json
    run import auto utf16.json
    expect_exit 0
    expect_says out '3 runs recorded'
    expect_says out 'UTF-16'
fi

it 'a damaged file gives what is whole'
sed '/track_ops/,$d' "$data/asv.json" >cut.json
run import auto cut.json
expect_exit 1
expect_says out '2 runs recorded'
expect_says out 'cut.json:'
printf '{"results": [' >nothing.json
run import hyperfine nothing.json
expect_exit 4
echo 'just words' >words.txt
run import auto words.txt
expect_exit 4
expect_says err 'words.txt'

it 'of several files the worst answer counts, and the others are recorded'
sed 's/2105/2405/' "$data/go-verbose.txt" >one.txt
run import go one.txt words.txt
expect_exit 4
expect_says out 'one.txt (go): 2 runs recorded'
run import go one.txt words.txt --json
expect_exit 4
expect_json /files/0/status ok
expect_json /files/1/status unreadable
expect_json /files/1/error/status corrupt

it 'nothing private is recorded, and such a file is not kept unless that is said'
cat >private.json <<'END'
{"results":[{"command":"/home/somebody/bin/prog --token=abcdef0123456789abcd","mean":1,"times":[1]}]}
END
run import auto private.json
expect_exit 0
expect_says out "not kept: a path into somebody's home stands in it"
run import auto private.json --json
id=$(json /files/0/rows/0/run)
run run show "$id" --json
expect_says out '/bin/prog --token=[secret]'
expect_not_says out somebody
if grep -q -r 'somebody/\|abcdef0123456789abcd' .steelyard; then
    wrong 'something private is in .steelyard'
fi
sed 's/somebody/anybody/' private.json >other.json
run import auto other.json --keep-file
expect_exit 0
expect_not_says out 'not kept'
grep -q -r 'anybody/' .steelyard/artifacts || wrong 'the file was not kept'

it 'names that break lines or steer terminals are shown as such'
printf '{"results":[{"command":"a\\nb \\u001b[31m","mean":1,"times":[1]}]}' >steer.json
run import auto steer.json
expect_exit 0
run run list --kind import
expect_exit 0
if LC_ALL=C grep -q "$(printf '\033')" "$work/out"; then
    wrong 'an escape reached the terminal'
fi

it 'the ledger is whole, and all that it exports is strict JSON'
run ledger verify
expect_exit 0
run ledger export
expect_exit 0
cp "$work/out" exported
if command -v python3 >/dev/null; then
    python3 - exported <<'END' || wrong 'the export is no strict JSON'
import json, sys

def refuse(word):
    raise ValueError(word)

def once(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)

for line in open(sys.argv[1], encoding="utf-8"):
    json.loads(line, parse_constant=refuse, object_pairs_hook=once)
END
fi
run run list --kind import --json
for row in 0 5 10; do
    id=$(json "/runs/$row/id")
    "$STEELYARD" run show "$id" --json --samples >shown || wrong "run show $id failed"
    "$JSON_VALUE" shown /schema >/dev/null || wrong "run show $id is no JSON"
done

it 'a ledger that cannot be written refuses, and says so'
if [ "$(id -u)" != 0 ]; then
    chmod a-w .steelyard .steelyard/*
    sed 's/2105/2505/' "$data/go-verbose.txt" >last.txt
    run import go last.txt
    [ "$code" -ne 0 ] || wrong 'it was recorded'
    chmod u+w .steelyard .steelyard/*
fi

finish
