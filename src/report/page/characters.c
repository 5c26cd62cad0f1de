/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 decoding, character widths and escapes. The ranges are those of East Asian Width W and F (Unicode Standard
 * Annex 11) and of combining marks, rounded to whole blocks. */
#include "report/page/characters.h"

typedef struct code_range {
    uint32_t first;
    uint32_t last;
} code_range;

static const code_range wide_ranges[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x1b2ff},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};

static const code_range narrow_ranges[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},
    {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

/* C1 controls, marks and overrides of direction, separators of lines, the byte order mark. */
static const code_range steering_ranges[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200e, 0x200f},
    {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
};

static bool in_ranges(uint32_t code, const code_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

#define IN(code, ranges) in_ranges(code, ranges, sizeof(ranges) / sizeof((ranges)[0]))

/* The bytes of the character at `at` (terminated text), its code in *ret_code; 0 if it is not well-formed UTF-8. */
static size_t decode(const unsigned char *at, uint32_t *ret_code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    uint32_t code = length == 1 ? at[0] : at[0] & (0x7fu >> length);

    if ((at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *ret_code = code;
    return length;
}

void sy_characters_clean(sy_text *to, const char *raw, bool utf8)
{
    const unsigned char *at = (const unsigned char *)raw;

    while (at != NULL && *at != '\0') {
        uint32_t code = 0;
        size_t length = decode(at, &code);

        if (length == 0 || (length == 1 && IN(code, steering_ranges) && code != '\n' && code != '\t'))
            sy_text_append_format(to, "\\x%02x", *at);
        else if (code == '\n' || code == '\t')
            sy_text_append(to, " ");
        else if (length > 1 && (!utf8 || IN(code, steering_ranges)))
            sy_text_append_format(to, code > 0xffff ? "\\U%08x" : "\\u%04x", code);
        else
            sy_text_append_bytes(to, at, length);
        at += length == 0 ? 1 : length;
    }
}

static uint32_t width_of(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (IN(code, narrow_ranges))
        return 0;
    return IN(code, wide_ranges) ? 2 : 1;
}

size_t sy_characters_fit(const char *clean, uint32_t columns)
{
    const unsigned char *start = (const unsigned char *)clean;
    const unsigned char *at = start;
    uint32_t used = 0;

    while (*at != '\0') {
        uint32_t code = 0;
        size_t length = decode(at, &code);
        uint32_t width = length == 0 ? 1 : width_of(code);

        if (used + width > columns)
            break;
        used += width;
        at += length == 0 ? 1 : length;
    }
    return (size_t)(at - start);
}

uint32_t sy_characters_width(const char *clean)
{
    const unsigned char *at = (const unsigned char *)clean;
    uint32_t width = 0;

    while (*at != '\0') {
        uint32_t code = 0;
        size_t length = decode(at, &code);

        width += length == 0 ? 1 : width_of(code);
        at += length == 0 ? 1 : length;
    }
    return width;
}
