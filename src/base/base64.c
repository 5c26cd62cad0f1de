/* SPDX-License-Identifier: Apache-2.0 */
/* Three bytes in four letters, through a small buffer. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#define GROUPS 256 /* in the buffer */

static void write_group(const uint8_t *bytes, size_t size, char to[4])
{
    uint32_t bits = (uint32_t)bytes[0] << 16 | (size > 1 ? (uint32_t)bytes[1] << 8 : 0) | (size > 2 ? bytes[2] : 0u);
    to[0] = letters[bits >> 18];
    to[1] = letters[bits >> 12 & 63];
    to[2] = size > 1 ? letters[bits >> 6 & 63] : '=';
    to[3] = size > 2 ? letters[bits & 63] : '=';
}

void sy_base64_write(const void *bytes, size_t size, sy_text *to)
{
    char buffer[GROUPS * 4];
    const uint8_t *at = bytes;
    while (size > 0) {
        size_t groups = 0;
        for (; groups < GROUPS && size > 0; groups++) {
            size_t some = size < 3 ? size : 3;
            write_group(at, some, buffer + 4 * groups);
            at += some;
            size -= some;
        }
        sy_text_append_bytes(to, buffer, 4 * groups);
    }
}

/* The value of a letter, 64 and more for what is none. */
static uint32_t value_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z') {
        return (uint32_t)(letter - 'A');
    }
    if (letter >= 'a' && letter <= 'z') {
        return (uint32_t)(letter - 'a') + 26;
    }
    if (letter >= '0' && letter <= '9') {
        return (uint32_t)(letter - '0') + 52;
    }
    return letter == '+' ? 62 : letter == '/' ? 63 : 64;
}

/* Reads four letters of which the last `padding` are '='. false: they are none, or bits behind the last byte are set.
 */
static bool read_group(const char *text, size_t padding, uint8_t to[3])
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t value = i < 4 - padding ? value_of(text[i]) : 0;
        if (value > 63) {
            return false;
        }
        bits = bits << 6 | value;
    }
    to[0] = (uint8_t)(bits >> 16);
    to[1] = (uint8_t)(bits >> 8);
    to[2] = (uint8_t)bits;
    return (padding < 1 || to[2] == 0) && (padding < 2 || to[1] == 0);
}

bool sy_base64_read(const char *text, size_t length, sy_text *to)
{
    uint8_t buffer[GROUPS * 3];
    size_t filled = 0;
    if (length % 4 != 0) {
        return false;
    }
    for (size_t at = 0; at < length; at += 4) {
        bool last = at + 4 == length;
        size_t padding = !last ? 0 : text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
        if (!read_group(text + at, padding, buffer + filled)) {
            return false;
        }
        filled += 3 - padding;
        if (filled == sizeof buffer || last) {
            sy_text_append_bytes(to, buffer, filled);
            filled = 0;
        }
    }
    return !to->failed;
}
