/* SPDX-License-Identifier: Apache-2.0 */
/* Copies within a limit, and unpacking gzip through zlib, which a build may lack. What is unpacked has a limit, too: a
 * small file can hold very many bytes. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "importers/unpack.h"

sy_status sy_unpack_copy(const void *bytes, size_t size, uint64_t limit_bytes, char **ret_copy, sy_error *err)
{
    if (limit_bytes > 0 && size > limit_bytes)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "%zu bytes are more than the limit of %" PRIu64, size, limit_bytes);
    char *copy = size < SIZE_MAX ? sy_allocate(size + 1, 1) : NULL;
    if (copy == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu bytes of a file", size);
    if (size > 0)
        memcpy(copy, bytes, size);
    *ret_copy = copy;
    return SY_OK;
}

bool sy_unpack_is_gzip(const char *bytes, size_t size)
{
    return size >= 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b;
}

#ifdef STEELYARD_HAVE_ZLIB
#define ZLIB_CONST /* its input is not written to */
#include <limits.h>
#include <zlib.h>

enum { GZIP_WINDOW = 16 + MAX_WBITS, FIRST_SIZE = 1 << 16 };

typedef struct unpacking {
    z_stream stream;
    const char *bytes;
    size_t left; /* of bytes, not yet given to the stream */
    char *text;
    size_t size;
    size_t capacity;
    uint64_t limit_bytes;
} unpacking;

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

static sy_status make_room(unpacking *u, sy_error *err)
{
    size_t capacity = u->capacity == 0 ? FIRST_SIZE : 2 * u->capacity;
    char *larger;

    if (u->limit_bytes > 0 && u->size > u->limit_bytes) {
        sy_fail(err, SY_LIMIT_EXCEEDED, "unpacked it is larger than the limit of %" PRIu64 " bytes", u->limit_bytes);
        return SY_LIMIT_EXCEEDED;
    }
    if (u->size + 1 < u->capacity)
        return SY_OK;
    larger = u->capacity > SIZE_MAX / 4 ? NULL : sy_reallocate(u->text, capacity, 1);
    if (larger == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the %zu bytes that were packed", capacity);
    u->text = larger;
    u->capacity = capacity;
    return SY_OK;
}

static uInt at_most(size_t size)
{
    return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

/* One call of inflate: *ret_ended when a member has come to its end. */
static sy_status unpack_some(unpacking *u, bool *ret_ended, sy_error *err)
{
    uInt given = at_most(u->left);
    uInt room;
    int result;
    sy_status status = make_room(u, err);

    if (status != SY_OK)
        return status;
    room = at_most(u->capacity - u->size - 1);
    u->stream.next_in = (const Bytef *)u->bytes;
    u->stream.avail_in = given;
    u->stream.next_out = (Bytef *)u->text + u->size;
    u->stream.avail_out = room;
    result = inflate(&u->stream, Z_NO_FLUSH);
    u->bytes += given - u->stream.avail_in;
    u->left -= given - u->stream.avail_in;
    u->size += room - u->stream.avail_out;
    *ret_ended = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return sy_fail(err, SY_NO_MEMORY, "no memory to unpack a gzip file");
    if (result == Z_BUF_ERROR || (result == Z_OK && u->left == 0 && u->stream.avail_out > 0))
        return sy_fail(err, SY_CORRUPT, "the gzip file is cut: it ends after %zu bytes of text", u->size);
    if (result != Z_OK && result != Z_STREAM_END)
        return sy_fail(err, SY_CORRUPT, "the gzip file is damaged: %s",
                       u->stream.msg != NULL ? u->stream.msg : "not readable");
    return SY_OK;
}

static sy_status unpack_all(unpacking *u, sy_error *err)
{
    sy_status status = SY_OK;

    while (status == SY_OK) {
        bool ended = false;

        status = unpack_some(u, &ended, err);
        if (status != SY_OK || !ended)
            continue;
        if (u->left == 0)
            break;
        if (!sy_unpack_is_gzip(u->bytes, u->left))
            return sy_fail(err, SY_CORRUPT, "%zu bytes behind the end of the gzip stream are none of it", u->left);
        if (inflateReset(&u->stream) != Z_OK)
            return sy_fail(err, SY_CORRUPT, "the gzip file is damaged behind its first part");
    }
    if (status == SY_OK && u->limit_bytes > 0 && u->size > u->limit_bytes)
        status = sy_fail(err, SY_LIMIT_EXCEEDED, "unpacked it is larger than the limit of %" PRIu64 " bytes",
                         u->limit_bytes);
    return status;
}

sy_status sy_unpack_gzip(const char *bytes, size_t size, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                         sy_error *err)
{
    unpacking u = {.bytes = bytes, .left = size, .limit_bytes = limit_bytes};
    sy_status status;

    u.stream.zalloc = allocate;
    u.stream.zfree = release;
    if (inflateInit2(&u.stream, GZIP_WINDOW) != Z_OK)
        return sy_fail(err, SY_NO_MEMORY, "no memory to unpack a gzip file");
    status = unpack_all(&u, err);
    (void)inflateEnd(&u.stream);
    if (status != SY_OK) {
        sy_free(u.text);
        return status;
    }
    u.text[u.size] = '\0';
    *ret_bytes = u.text;
    *ret_size = u.size;
    return SY_OK;
}

#else

sy_status sy_unpack_gzip(const char *bytes, size_t size, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                         sy_error *err)
{
    (void)bytes;
    (void)size;
    (void)limit_bytes;
    (void)ret_bytes;
    (void)ret_size;
    sy_fail(err, SY_UNAVAILABLE, "gzip files cannot be read: this steelyard was built without zlib");
    sy_error_hint(err, "unpack it first with gunzip -c, and read what it prints: -");
    return SY_UNAVAILABLE;
}

#endif
