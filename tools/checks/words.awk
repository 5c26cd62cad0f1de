# SPDX-License-Identifier: Apache-2.0
# What no file may hold: paths of one machine, notes to self, dead code, banned calls, a missing SPDX line. Comments are
# taken out before calls are looked for. Prints FILE:LINE: what.

function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    faults++
}

function calls(text, names) {
    return text ~ ("(^|[^A-Za-z0-9_.>])(" names ")[ \t]*\\(")
}

# The line without comments, and with its texts empty; in_comment carries over the lines of a long one.
function code_of(text,    result, at) {
    result = ""
    gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
    while (text != "") {
        if (in_comment) {
            at = index(text, "*/")
            if (at == 0)
                return result
            text = substr(text, at + 2)
            in_comment = 0
        } else if ((at = index(text, "/*")) > 0) {
            result = result substr(text, 1, at - 1)
            text = substr(text, at + 2)
            in_comment = 1
        } else {
            at = index(text, "//")
            return result (at > 0 ? substr(text, 1, at - 1) : text)
        }
    }
    return result
}

function end_head() {
    if (wants_spdx && !has_spdx) {
        printf "%s:1: no SPDX line\n", head_file
        faults++
    }
}

FNR == 1 {
    end_head()
    head_file = FILENAME
    has_spdx = 0
    in_comment = 0
    is_c = FILENAME ~ /\.[ch]$/
    is_test = FILENAME ~ /_test\.c$/ || FILENAME ~ /^tests\//
    is_rule = FILENAME ~ /^tools\/checks\/words\./
    in_library = FILENAME ~ /^(src|include)\// && !is_test
    wants_spdx = is_c || FILENAME ~ /\.(sh|awk|cmake|cl|glsl|cu|in)$/ || FILENAME ~ /(^dev|^\.ci\/run|CMakeLists\.txt)$/
}
FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ { has_spdx = 1 }
is_rule { next }
/[ \t]$/ && FILENAME ~ /\.([ch]|sh|awk|cmake|md)$/ { complain("blanks at the end of the line") }
/(^|[^A-Za-z0-9_.\/])\/(work|root)\// || (!is_test && /(^|[^A-Za-z0-9_.\/])\/home\//) {
    complain("the path of one machine")
}
/(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ { complain("a note to self: do it, or say what is not done in the docs") }
/^[ \t]*#[ \t]*if[ \t]+0[ \t]*$/ { complain("dead code") }
is_c {
    code = code_of($0)
    if (calls(code, "strcpy|strcat|sprintf|strtok|system|popen|gmtime|localtime|atoi"))
        complain("a banned call: see src/base/banned.h")
    if (!in_library)
        next
    if (FILENAME != "src/base/memory.c" && calls(code, "malloc|calloc|realloc|free|strdup|strndup|aligned_alloc|posix_memalign"))
        complain("the heap is reached through base/memory.h only")
    if (calls(code, "printf|puts|putchar|vprintf|perror"))
        complain("the library is silent")
    # The fake backend dies when its script says so; a child that could not exec must end at once.
    if (FILENAME !~ /^src\/backends\/fake\// && calls(code, "abort|exit|quick_exit"))
        complain("the library never ends the process")
    if (FILENAME !~ /^src\/(backends\/fake|base\/process|backends\/command\/command_launcher)/ && calls(code, "_exit|_Exit"))
        complain("the library never ends the process")
    if (code ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/)
        complain("the library is silent")
    if (FILENAME !~ /^src\/base\// && (calls(code, "freopen|creat|mkstemp|tmpfile") ||
                                      calls(code, "fopen") && $0 !~ /fopen\(.*, "r[be]*"\)/ ||
                                      code ~ /O_(WRONLY|RDWR|CREAT|APPEND|TRUNC)([^A-Z_]|$)/))
        complain("files are written through base/file.h")
    # base looks a program up in PATH, as execvp does.
    if (FILENAME !~ /^src\/(identity|store)\/|^src\/base\/process/ && calls(code, "getenv|secure_getenv"))
        complain("the environment is read by identity and cli, and by store for its documented paths")
}
END { end_head(); exit faults > 0 }
