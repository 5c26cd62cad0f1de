#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file holds at most 500 lines, a function at most 60. The list of exceptions, size_exceptions.txt in the folder of the
# tools, need not exist; a line of it: PATH LINES reason, for a function PATH:NAME LINES reason.
set -eu
cd "$(dirname -- "$0")/../.."
exceptions=tools/size_exceptions.txt
[ -f $exceptions ] || exceptions=/dev/null
# shellcheck disable=SC2046 # our file names hold no spaces
awk -v exceptions=$exceptions '
    function limit(what, usual) {
        return what in allowed ? allowed[what] : usual
    }
    function end_file() {
        if (file != "" && lines > limit(file, 500)) {
            printf "%s: %d lines, more than %d\n", file, lines, limit(file, 500)
            faults++
        }
    }
    FILENAME == exceptions {
        if ($1 !~ /^#/ && NF >= 3)
            allowed[$1] = $2
        next
    }
    FNR == 1 { end_file(); file = FILENAME; start = 0 }
    { lines = FNR }
    # C: the brace of a function stands alone in the first column, after the line that ends the signature.
    /^[A-Za-z].*\(/ { signature = $0; signature_line = FNR }
    /^\{$/ || /^[a-z_]+\(\) \{$/ { start = FNR; if ($0 != "{") { signature = $0; signature_line = FNR } }
    /^\}/ && start {
        length_lines = FNR - start + 1
        name = signature
        sub(/\(.*/, "", name)
        sub(/^.*[ *]/, "", name)
        if (length_lines > limit(FILENAME ":" name, 60)) {
            printf "%s:%d: %s has %d lines, more than %d\n", FILENAME, signature_line, name, length_lines,
                   limit(FILENAME ":" name, 60)
            faults++
        }
        start = 0
    }
    END { end_file(); exit faults > 0 }' \
    $exceptions $(tools/sources.sh '\.([ch]|sh|awk|cmake)$|^dev$|^\.ci/run$|CMakeLists\.txt$')
