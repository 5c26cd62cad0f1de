/* SPDX-License-Identifier: Apache-2.0 */
/* The block of data: JSON that no text of it can end, deflated where it is large. Inside of a script element only
 * "</script" and "<!--" mean anything, and no byte of either is left as it was. */
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "report/html/html_parts.h"

#define PLAIN_MOST ((size_t)64 << 10)
#define BLOCK_BEGIN "<script type=\"application/json\" id=\"steelyard-data\" data-encoding=\"%s\">"

/* U+2028 and U+2029, which end a line of a script, are spelled too. */
static const char *spelling_of(const char *at)
{
    switch (*at) {
    case '<':
        return "\\u003c";
    case '>':
        return "\\u003e";
    case '&':
        return "\\u0026";
    case '\xe2':
        return at[1] != '\x80' ? NULL : at[2] == '\xa8' ? "\\u2028" : at[2] == '\xa9' ? "\\u2029" : NULL;
    default:
        return NULL;
    }
}

/* These bytes stand in strings alone, where they may be spelled. */
static void put_plain(sy_text *to, const sy_text *json)
{
    const char *written = sy_text_bytes(json);
    const char *at;

    for (at = written; *at != '\0'; at++) {
        const char *spelling = spelling_of(at);

        if (spelling == NULL)
            continue;
        sy_text_append_bytes(to, written, (size_t)(at - written));
        sy_text_append(to, spelling);
        at += *at == '\xe2' ? 2 : 0;
        written = at + 1;
    }
    sy_text_append_bytes(to, written, (size_t)(at - written));
}

#ifdef STEELYARD_HAVE_ZLIB
#define ZLIB_CONST /* its input is not written to */
#include <limits.h>
#include <zlib.h>

#include "base/memory.h"

enum { LEVEL = 4, MEMORY = 9, OUTPUT = 48 << 10 }; /* OUTPUT: a multiple of 3, so that base64 has no padding inside */

static void *allocate(void *user, unsigned int count, unsigned int size)
{
    (void)user;
    return sy_allocate(count, size);
}

static void release(void *user, void *block)
{
    (void)user;
    sy_free(block);
}

/* Deflates json->bytes and appends them in base64 as they come. buffer: OUTPUT bytes. */
static void pour(z_stream *stream, const sy_text *json, unsigned char *buffer, sy_text *to)
{
    size_t left = json->length;
    int result = Z_OK;

    stream->next_in = (const Bytef *)json->bytes;
    stream->next_out = buffer;
    stream->avail_out = OUTPUT;
    while (result == Z_OK || result == Z_BUF_ERROR) {
        if (stream->avail_in == 0 && left > 0) {
            stream->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
            left -= stream->avail_in;
        }
        result = deflate(stream, left > 0 ? Z_NO_FLUSH : Z_FINISH);
        if (stream->avail_out == 0 || result == Z_STREAM_END) {
            sy_base64_write(buffer, OUTPUT - stream->avail_out, to);
            stream->next_out = buffer;
            stream->avail_out = OUTPUT;
        }
    }
    to->failed = to->failed || result != Z_STREAM_END;
}

/* The bytes between the element's marks; false: no memory. */
static bool put_deflated(sy_text *to, const sy_text *json)
{
    z_stream stream = {.zalloc = allocate, .zfree = release};
    unsigned char *buffer = sy_allocate(OUTPUT, 1);
    bool ready = buffer != NULL &&
                 deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;

    if (ready) {
        pour(&stream, json, buffer, to);
        (void)deflateEnd(&stream);
    }
    sy_free(buffer);
    return ready && !to->failed;
}
#endif

sy_status sy_html_put_data(sy_text *to, const sy_text *json, sy_error *err)
{
#ifdef STEELYARD_HAVE_ZLIB
    const bool is_deflated = json->length > PLAIN_MOST;
#else
    const bool is_deflated = false;
#endif

    sy_text_append_format(to, BLOCK_BEGIN, is_deflated ? "deflate-raw" : "none");
    if (!is_deflated)
        put_plain(to, json);
#ifdef STEELYARD_HAVE_ZLIB
    else if (!put_deflated(to, json))
        to->failed = true;
#endif
    sy_text_append(to, "</script>\n");
    return to->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the data of a page") : SY_OK;
}
