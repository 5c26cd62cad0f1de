# SPDX-License-Identifier: Apache-2.0
# Holds #include lines against tools/include_rules.txt: the rules first, then the sources. Prints FILE:LINE: what.

function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    faults++
}

function has(list, word) {
    return index(" " list " ", " " word " ") > 0
}

# Sets module and part (cpu of src/backends/cpu) for the file that begins.
function place(    folders, count) {
    count = split(FILENAME, folders, "/")
    part = ""
    if (folders[1] == "src") {
        module = folders[2]
        if (count > 3)
            part = folders[3]
    } else if (folders[1] == "include") {
        module = "<" folders[count] ">"
    } else {
        module = folders[1]
    }
    if (folders[1] != "cli" && folders[1] != "examples" && !(module in known))
        complain("no rule for " module " in tools/include_rules.txt")
}

# Whether the folder `part` of the module may not see its folder `other` ("." = the module's own files).
function part_may_not(other) {
    if (other == part)
        return 0
    if (!((module "/" part) in part_sees))
        return other != "."
    return FILENAME !~ /_test\.c$/ && !has(part_sees[module "/" part], other)
}

FILENAME == rules {
    sub(/#.*/, "")
    if (NF == 0)
        next
    colon = index($0, ":")
    left = substr($0, 1, colon - 1)
    right = substr($0, colon + 1)
    if (sub(/^never /, "", left)) {
        never[left] = right
        next
    }
    if (sub(/^folders of /, "", left)) {
        count = split(right, parts, ";")
        for (i = 1; i <= count; i++) {
            colon = split(parts[i], sides, ">")
            gsub(/[ \t]/, "", sides[1])
            part_sees[left "/" sides[1]] = colon > 1 ? sides[2] : ""
        }
        next
    }
    if (sub(/^only /, "", left)) {
        count = split(right, names, " ")
        for (i = 1; i <= count; i++)
            owner[names[i]] = left
        next
    }
    known[left] = 1
    split(right, halves, "|")
    gsub(/[ \t]+/, " ", halves[1])
    gsub(/[ \t]+/, " ", halves[2])
    inner[left] = halves[1]
    public[left] = halves[2]
    next
}

FNR == 1 { place() }

/^[ \t]*#[ \t]*include/ {
    line = $0
    quoted = line ~ /include[ \t]*"/
    sub(/^[^"<]*["<]/, "", line)
    sub(/[">].*$/, "", line)
    if (line ~ /^steelyard\//) {
        sub(/^steelyard\//, "", line)
        if (quoted)
            complain("public headers are included as <steelyard/...>")
        if (module != "cli" && module != "examples" && !has(public[module], line))
            complain(module " may not include <steelyard/" line ">")
        next
    }
    if (!quoted) {
        count = FILENAME ~ /_test\.c$/ ? 0 : split(never[module], banned, " ")
        for (i = 1; i <= count; i++)
            if (line == banned[i] || (banned[i] ~ /\/$/ && index(line, banned[i]) == 1))
                complain(module " may not include <" line ">")
        if (line in owner && module != "examples" && module "/" part != owner[line])
            complain("<" line "> belongs to src/" owner[line])
        if (module ~ /^</ && line !~ /^(stdbool|stddef|stdint)\.h$/)
            complain("a public header may include stdbool.h, stddef.h and stdint.h, not <" line ">")
        next
    }
    if (module == "cli" || module == "examples") {
        if (line ~ /\//)
            complain(module " sees <steelyard/...> and its own folder only")
        next
    }
    count = split(line, folders, "/")
    if (count == 1 && FILENAME ~ /_test\.c$/)
        next # a header of tests/support
    if (count == 1)
        complain("include paths begin at src/: \"" line "\"")
    else if (folders[1] != module && !has(inner[module], folders[1]))
        complain(module " may not include \"" line "\"")
    else if (folders[1] == module && part != "" && part_may_not(count > 2 ? folders[2] : "."))
        complain(module "/" part " may not include \"" line "\"")
}

END { exit faults > 0 }
