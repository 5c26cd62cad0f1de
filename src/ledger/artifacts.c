/* SPDX-License-Identifier: Apache-2.0 */
/* Kept files: `artifacts/ab/<64 digits>` in the ledger's folder, or in memory. A file is found by what it holds, and
 * whoever reads it learns when it holds something else. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "ledger/ledger_state.h"

bool sy_ledger_is_digest(const char *text)
{
    return strlen(text) == SY_DIGEST_TEXT - 1 && strspn(text, "0123456789abcdef") == SY_DIGEST_TEXT - 1;
}

void sy_ledger_kept_finish(sy_ledger *ledger)
{
    for (size_t i = 0; i < ledger->kept_count; i++) {
        sy_free(ledger->kept[i].bytes);
    }
    sy_free(ledger->kept);
    ledger->kept = NULL;
    ledger->kept_count = 0;
}

static const sy_kept_bytes *find_in_memory(const sy_ledger *ledger, const sy_digest *digest)
{
    for (size_t i = 0; i < ledger->kept_count; i++) {
        if (sy_digest_equal(&ledger->kept[i].digest, digest)) {
            return &ledger->kept[i];
        }
    }
    return NULL;
}

/* A heap copy with a 0 byte behind it; NULL = no memory. */
static char *copy_bytes(const void *bytes, size_t size)
{
    char *copy = size == SIZE_MAX ? NULL : sy_allocate(size + 1, 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static sy_status keep_in_memory(sy_ledger *ledger, const sy_digest *digest, const void *bytes, size_t size,
                                sy_error *err)
{
    if (find_in_memory(ledger, digest) != NULL) {
        return SY_OK;
    }
    if (ledger->kept_count == ledger->kept_capacity) {
        size_t capacity = ledger->kept_capacity == 0 ? 8 : ledger->kept_capacity * 2;
        sy_kept_bytes *kept = sy_reallocate(ledger->kept, capacity, sizeof *kept);
        if (kept == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for a kept file");
        }
        ledger->kept = kept;
        ledger->kept_capacity = capacity;
    }
    char *copy = copy_bytes(bytes, size);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a kept file of %zu bytes", size);
    }
    ledger->kept[ledger->kept_count++] = (sy_kept_bytes){*digest, copy, size};
    return SY_OK;
}

static void append_path(const sy_ledger *ledger, const char *digest, sy_text *path)
{
    sy_text_append_format(path, "%s/artifacts/%.2s/%s", ledger->folder, digest, digest);
}

/* The bytes of the file at path, which must have that digest. */
static sy_status read_checked(const char *path, const char *digest, char **ret_bytes, size_t *ret_size, sy_error *err)
{
    char found[SY_DIGEST_TEXT];
    sy_digest hashed;
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read(path, 0, &bytes, &size, err);
    if (status != SY_OK) {
        return status;
    }
    sy_digest_of(bytes, size, &hashed);
    sy_digest_format(&hashed, found);
    if (strcmp(found, digest) != 0) {
        sy_free(bytes);
        return sy_fail(err, SY_CORRUPT, "the kept file %.12s... was altered: it has the digest %.12s...", digest,
                       found);
    }
    *ret_bytes = bytes;
    *ret_size = size;
    return SY_OK;
}

/* Bytes that are there and whole are not written again; an altered file is replaced by what it was. */
static sy_status keep_in_folder(sy_ledger *ledger, const char *digest, const void *bytes, size_t size, sy_error *err)
{
    sy_text path = SY_TEXT_INIT;
    char *there = NULL;
    size_t there_size;
    append_path(ledger, digest, &path);
    sy_status status = path.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a path") : SY_OK;
    if (status == SY_OK && read_checked(path.bytes, digest, &there, &there_size, NULL) != SY_OK) {
        status = sy_file_write(path.bytes, bytes, size, NULL, err);
    }
    sy_free(there);
    sy_text_finish(&path);
    return status;
}

sy_status sy_ledger_keep(sy_ledger *ledger, const void *bytes, size_t size, char ret_digest[65], sy_error *err)
{
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    if (ledger->read_only) {
        return sy_fail(err, SY_REFUSED, "the ledger is open for reading alone: no file is kept");
    }
    sy_digest_of(bytes, size, &digest);
    sy_digest_format(&digest, text);
    sy_status status = ledger->folder == NULL ? keep_in_memory(ledger, &digest, bytes, size, err)
                                              : keep_in_folder(ledger, text, bytes, size, err);
    if (status == SY_OK) {
        memcpy(ret_digest, text, sizeof text);
    }
    return status;
}

static sy_status fetch_from_memory(sy_ledger *ledger, const char *digest, char **ret_bytes, size_t *ret_size,
                                   sy_error *err)
{
    sy_digest wanted;
    sy_status status = sy_digest_parse(digest, &wanted, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_kept_bytes *kept = find_in_memory(ledger, &wanted);
    if (kept == NULL) {
        return sy_fail(err, SY_NOT_FOUND, "the file %.12s... is not kept here", digest);
    }
    char *copy = copy_bytes(kept->bytes, kept->size);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a kept file of %zu bytes", kept->size);
    }
    *ret_bytes = copy;
    *ret_size = kept->size;
    return SY_OK;
}

sy_status sy_ledger_fetch(sy_ledger *ledger, const char *digest, char **ret_bytes, size_t *ret_size, sy_error *err)
{
    sy_text path = SY_TEXT_INIT;
    if (!sy_ledger_is_digest(digest)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.70s' is no digest of 64 lower-case hexadecimal digits", digest);
    }
    if (ledger->folder == NULL) {
        return fetch_from_memory(ledger, digest, ret_bytes, ret_size, err);
    }
    append_path(ledger, digest, &path);
    sy_status status = path.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a path")
                                   : read_checked(path.bytes, digest, ret_bytes, ret_size, err);
    if (status == SY_NOT_FOUND) {
        status = sy_fail(err, SY_NOT_FOUND, "the file %.12s... is not kept here", digest);
    }
    sy_text_finish(&path);
    return status;
}

sy_status sy_ledger_kept_size(sy_ledger *ledger, const char *digest, uint64_t *ret_size, sy_error *err)
{
    sy_text path = SY_TEXT_INIT;
    sy_digest wanted;
    struct stat found;
    sy_status status = sy_digest_parse(digest, &wanted, err);
    if (status != SY_OK) {
        return status;
    }
    if (ledger->folder == NULL) {
        const sy_kept_bytes *kept = find_in_memory(ledger, &wanted);
        if (kept == NULL) {
            return sy_fail(err, SY_NOT_FOUND, "the file %.12s... is not kept here", digest);
        }
        *ret_size = kept->size;
        return SY_OK;
    }
    append_path(ledger, digest, &path);
    if (path.failed) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a path");
    } else if (sy_system_stat(path.bytes, &found) != 0) {
        status = errno == ENOENT ? sy_fail(err, SY_NOT_FOUND, "the file %.12s... is not kept here", digest)
                                 : sy_fail_errno(err, SY_IO, errno, "the kept file %.12s...", digest);
    } else {
        *ret_size = (uint64_t)found.st_size;
    }
    sy_text_finish(&path);
    return status;
}

sy_status sy_ledger_kept_check(sy_ledger *ledger, const char *digest, sy_error *err)
{
    char *bytes = NULL;
    size_t size;
    sy_status status = sy_ledger_fetch(ledger, digest, &bytes, &size, err);
    sy_free(bytes);
    return status;
}
