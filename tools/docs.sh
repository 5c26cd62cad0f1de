#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs.sh: writes the parts of the documents that are made from the sources, between the lines
#   <!-- generated: NAME -->   and   <!-- end of NAME -->
# docs.sh --check: says which documents are not up to date, and which links, paths and tests they name do not exist.
set -eu
cd "$(dirname -- "$0")/.."

# The modules' lines of tools/include_rules.txt as a table.
include_table() {
    echo '| module | may include inner headers of | and public headers |'
    echo '|---|---|---|'
    awk -F '[:|]' '/^[a-z]+: *[a-z ]*\|/ {
        gsub(/^ +| +$/, "", $2)
        gsub(/^ +| +$/, "", $3)
        printf "| `%s` | %s | %s |\n", $1, $2 == "" ? "none" : $2, $3
    }' tools/include_rules.txt
}

# The list of statuses in <steelyard/base.h>: X(NAME, value, "word", "advice"), each on one line.
status_table() {
    echo '| value | name | word | what to do |'
    echo '|---|---|---|---|'
    awk -F '"' '/^ *X\([A-Z_]+, [0-9]+, "/ {
        split($1, parts, /[(,]/)
        gsub(/ /, "", parts[3])
        printf "| %s | `SY_%s` | `%s` | %s |\n", parts[3], parts[2], $2, $4
    }' include/steelyard/base.h
}

# The checks of .ci/run in their order, with the first comment line of each script.
check_table() {
    echo '| check | what it holds |'
    echo '|---|---|'
    for script in tools/checks/*.sh; do
        name=${script##*/}
        awk -v name="${name%.sh}" '
            /^# / && !/SPDX-License/ { sub(/^# /, ""); text = text (text == "" ? "" : " ") $0; next }
            text != "" { exit }
            END { printf "| `%s` | %s |\n", name, text }' "$script"
    done
}

# The rules of src/registry/rules.h: one table a list, under the comment above it; X(NAME, "id", "summary"), broken or
# not. A summary that begins with "note: " is one whose breach is a note.
rule_tables() {
    awk '
        /^\/\* .*\*\/$/ { title = $0; gsub(/^\/\* |\.? \*\/$/, "", title) }
        /^#define SY_RULES_OF_/ {
            printf "%s### %s\n\n| id | asks | a breach is |\n|---|---|---|\n", separator, title
            separator = "\n"
            inside = 1
        }
        inside {
            line = line $0
            gsub(/[ \t]*\\[ \t]*$/, "", line)
            while (match(line, /X\([A-Z0-9_]+,[ ]*"[^"]*",[ ]*"[^"]*"\)/)) {
                split(substr(line, RSTART, RLENGTH), parts, "\"")
                kind = sub(/^note: /, "", parts[4]) ? "a note" : "a finding"
                printf "| `%s` | %s | %s |\n", parts[2], parts[4], kind
                line = substr(line, RSTART + RLENGTH)
            }
        }
        inside && !/\\$/ { inside = 0; line = "" }' src/registry/rules.h
}

documents_with_parts() {
    tools/sources.sh '\.md$' | xargs grep -l '^<!-- generated: ' || true
}

render() {
    awk '
        /^<!-- generated: [a-z_]+ -->$/ {
            print
            fflush()
            name = $3
            system("sh tools/docs.sh --part " name)
            inside = 1
            next
        }
        /^<!-- end of [a-z_]+ -->$/ { inside = 0 }
        !inside { print }' "$1"
}

write_all() {
    for document in $(documents_with_parts); do
        fresh=$(mktemp)
        render "$document" >"$fresh"
        if ! cmp -s "$fresh" "$document"; then
            cat "$fresh" >"$document"
            echo "written: $document"
        fi
        rm -f "$fresh"
    done
}

check_generated() {
    for document in $(documents_with_parts); do
        if ! render "$document" | diff -u --label "$document" --label 'as generated' "$document" -; then
            echo "$document is not up to date: ./dev docs" >&2
            failed=1
        fi
    done
}

# Links to files, and words that are paths in our folders, must exist. Names that
# begin with x or hold xname are examples.
check_paths() {
    for document in $(tools/sources.sh '\.md$'); do
        folder=$(dirname "$document")
        # shellcheck disable=SC2013 # a link holds no spaces
        for link in $(sed -n 's/^/ /; s/](\([^)#]*\)/\n](\1\n/gp' "$document" | sed -n 's/^](//p'); do
            case $link in
            *://* | mailto:*) continue ;;
            esac
            if [ ! -e "$folder/$link" ]; then
                echo "$document: the link $link leads nowhere" >&2
                failed=1
            fi
        done
        for path in $(tr -s '`\t ' '\n' <"$document" | sed 's/[.,;:]*$//' |
            grep -E '^(src|include|cli|tests|bench|cmake|docs|examples|tools)/[A-Za-z0-9_./-]*$'); do
            case $path in
            */x*) continue ;;
            *xname*) continue ;;
            esac
            if [ ! -e "${path%/}" ]; then
                echo "$document: there is no $path" >&2
                failed=1
            fi
        done
    done
}

# `x_test.c` and the names behind it, parted by commas, are tests that this file has.
check_tests() {
    for document in $(tools/sources.sh '\.md$'); do
        # shellcheck disable=SC2013,SC2016 # neither paths nor names hold spaces; backquotes of the document
        for pair in $(tr '\n' ' ' <"$document" | grep -oE '`[a-z0-9_/]+_test\.c` [a-z0-9_]+(, *[a-z0-9_]+)*' |
            sed 's/`//g; s/, */,/g; s/ /:/'); do
            file=${pair%%:*}
            for name in $(printf '%s' "${pair#*:}" | tr ',' ' '); do
                case $name in
                *_*_*) ;;
                *) continue ;; # a word of the sentence
                esac
                if ! grep -q "^static void $name(void \*\*state)" "$file"; then
                    echo "$document: $file has no test $name" >&2
                    failed=1
                fi
            done
        done
    done
}

# In docs/origin-*.md `rule:ID` is a rule of the evidence files and `command:WORDS` a command.
check_held_by() {
    for document in docs/origin-*.md; do
        [ -e "$document" ] || continue
        tr '\140' '\n' <"$document" | grep -E '^(rule|command):[a-z0-9_ -]+$' | sort -u >"$found"
        while read -r name; do
            case $name in
            rule:*) grep -q "\"${name#rule:}\"" src/registry/rules.h ;;
            *) grep -q "\.name = \"${name#command:}\"" cli/*.c ;;
            esac || {
                echo "$document: there is no $name" >&2
                failed=1
            }
        done <"$found"
    done
}

failed=0
found=$(mktemp)
trap 'rm -f "$found"' EXIT
case "${1:-}" in
'') write_all ;;
--check)
    check_generated
    check_paths
    check_tests
    check_held_by
    ;;
--part)
    case $2 in
    include_table) include_table ;;
    status_table) status_table ;;
    check_table) check_table ;;
    rule_tables) rule_tables ;;
    *)
        echo "no generated part is named $2" >&2
        exit 2
        ;;
    esac
    ;;
*)
    echo "usage: tools/docs.sh [--check]" >&2
    exit 2
    ;;
esac
exit $failed
