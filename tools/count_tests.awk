# SPDX-License-Identifier: Apache-2.0
# Reads ctest's JUnit file and prints the skipped tests, those of one reason together, then "N passed, N failed, N skipped".
# A cmocka program counts as its tests, anything else as one. A program that fails after its tests passed (a leak, a
# crash) is one failure more. Exits 1 when something failed or nothing ran.

function attribute(line, name,    rest) {
    rest = line
    if (!sub("^.* " name "=\"", "", rest))
        return ""
    sub("\".*$", "", rest)
    return rest
}

function skip(name) {
    sub(/^skipped: */, "", said)
    if (said == "")
        said = "no reason given"
    if (!(said in skips))
        reasons[++reason_count] = said
    if (skips[said]++ == 0)
        first[said] = name
    said = ""
}

function finish() {
    if (program == "")
        return
    if (inner_passed + inner_failed + inner_skipped > 0) {
        passed += inner_passed
        skipped += inner_skipped
        failed += inner_failed
        if (status == "fail" && inner_failed == 0)
            failed++
    } else if (status == "run") {
        passed++
    } else if (status == "fail") {
        failed++
    } else {
        skipped++
        skip(program)
    }
    program = ""
}

/<testcase / {
    finish()
    program = attribute($0, "name")
    status = attribute($0, "status")
    said = ""
    inner_passed = inner_failed = inner_skipped = 0
    next
}
{ sub(/^[ \t]*<system-out>/, "") }
/^\[ RUN      \]/ { said = ""; next }
/^\[  PASSED  \] [0-9]+ test/ { inner_passed += $4; next }
/^\[  FAILED  \] [0-9]+ test/ { inner_failed += $4; next }
/^\[  SKIPPED \] [0-9]+ test/ { inner_skipped += $4; listed = 1; next }
/^\[  SKIPPED \]/ { if (!listed) skip(program ": " $4); next }
/^\[==========\] Running/ { listed = 0; next }
/^\[/ || /^<\/system-out>/ || /<\/?(failure|skipped|testsuite|properties|property)/ || /^[ \t]*$/ { next }
!/<\/testcase>/ { said = $0 }
END {
    finish()
    for (i = 1; i <= reason_count; i++) {
        said = reasons[i]
        more = (skips[said] > 1) ? " and " (skips[said] - 1) " more" : ""
        printf "skipped: %s%s (%s)\n", first[said], more, said
    }
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit (failed > 0 || passed + failed == 0) ? 1 : 0
}
