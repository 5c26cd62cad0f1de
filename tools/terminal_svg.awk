# SPDX-License-Identifier: Apache-2.0
# Lines of text with SGR escapes (0, 1, 2, 31, 32, 33) to SVG. Every run of one style is placed by its column, so that
# tables stand, whatever the monospaced font is. Run by terminal_svg.sh.

# The number of characters of a UTF-8 text, also in an awk that counts bytes: continuation bytes do not count.
function width(text) {
    gsub(/[\200-\277]/, "", text)
    return length(text)
}

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

# Appends one run to the picture, in pieces without two spaces in a row: renderers differ in what they do with those.
function put(text, style,    piece) {
    while (text != "") {
        while (substr(text, 1, 1) == " ") {
            column++
            text = substr(text, 2)
        }
        piece = match(text, /  /) ? substr(text, 1, RSTART - 1) : text
        text = substr(text, length(piece) + 1)
        sub(/ +$/, "", piece)
        if (piece == "")
            continue
        body = body sprintf("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\">%s</text>\n", style,
            margin + column * advance, top + rows * leading, width(piece) * advance, escaped(piece))
        column += width(piece)
        if (column > columns)
            columns = column
    }
}

function class_of(codes) {
    if (codes ~ /31/)
        return "bad"
    if (codes ~ /32/)
        return "good"
    if (codes ~ /33/)
        return "doubt"
    if (codes ~ /^2$/)
        return "faint"
    return codes ~ /^1$/ ? "strong" : "plain"
}

BEGIN {
    advance = 8.4
    leading = 18
    margin = 20
    top = 62
    columns = 80
    style = "plain"
}

{
    placed = 0
    rest = $0
    while (match(rest, /\033\[[0-9;]*m/)) {
        before = substr(rest, 1, RSTART - 1)
        codes = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        column = placed
        put(before, style)
        placed += width(before)
        style = class_of(codes)
    }
    column = placed
    put(rest, style)
    rows++
}

END {
    wide = 2 * margin + columns * advance
    high = top + rows * leading + 4
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" " \
        "role=\"img\">\n<title>%s</title>\n", wide, high, wide, high, escaped(title)
    print "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;" \
        "white-space:pre}.plain{fill:#d7dae0}.strong{fill:#fff;font-weight:bold}.good{fill:#7fd88f;font-weight:bold}" \
        ".bad{fill:#ff7b72;font-weight:bold}.doubt{fill:#e8c36a;font-weight:bold}.faint{fill:#6b7280}" \
        ".title{fill:#9aa1ad}</style>"
    printf "<rect width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"#14171c\"/>\n", wide, high
    print "<circle cx=\"22\" cy=\"20\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"42\" cy=\"20\" r=\"6\" fill=\"#febc2e\"/>" \
        "<circle cx=\"62\" cy=\"20\" r=\"6\" fill=\"#28c840\"/>"
    printf "<text class=\"title\" x=\"%.1f\" y=\"25\" text-anchor=\"middle\">%s</text>\n", wide / 2, escaped(title)
    printf "%s</svg>\n", body
}
