/* SPDX-License-Identifier: Apache-2.0 */
/* Salvage, only when asked: the damaged file is first kept aside, whole, then replaced by one with its whole profiles.
 * Cut at any step, the old file or the new one is in place. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "store/format/format.h"
#include "store/guard.h"
#include "store/state.h"

#define NAMES_TRIED 100 /* files kept aside within one second */

typedef struct repair {
    const char *path; /* resolved */
    int64_t now_utc_s;
    uint64_t size_limit_bytes;
    sy_repair_result result;
} repair;

/* Writes the damaged bytes to a new file beside it. */
static sy_status keep_aside(repair *r, const char *bytes, size_t size, sy_error *err)
{
    char time[32];
    char compact[32];
    size_t length = 0;
    sy_status status = sy_time_format_utc(r->now_utc_s, time, sizeof time, err);
    if (status != SY_OK) {
        return status;
    }
    for (const char *at = time; *at != '\0'; at++) {
        if (*at != '-' && *at != ':') {
            compact[length++] = *at;
        }
    }
    compact[length] = '\0';
    status = SY_REFUSED;
    for (int i = 1; status == SY_REFUSED && i <= NAMES_TRIED; i++) {
        sy_text name = SY_TEXT_INIT;
        sy_text_append_format(&name, i == 1 ? "%s.corrupt-%s" : "%s.corrupt-%s-%d", r->path, compact, i);
        sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
        options.refuse_existing = true;
        status = name.failed ? sy_fail(err, SY_NO_MEMORY, "no memory to name the damaged file")
                             : sy_file_write(name.bytes, bytes, size, &options, err);
        if (status == SY_OK) {
            sy_text_copy(r->result.moved_to, sizeof r->result.moved_to, name.bytes);
        }
        sy_text_finish(&name);
    }
    return status;
}

static sy_status write_salvaged(repair *r, const sy_book *book, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_format_write(book, book->format, &text);
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    sy_status status = text.failed ? sy_fail(err, SY_NO_MEMORY, "no memory to write %u profiles", book->count)
                                   : sy_file_write(r->path, text.bytes, text.length, &options, err);
    sy_text_finish(&text);
    return status;
}

/* bytes: the file's. */
static sy_status repair_bytes(repair *r, const char *bytes, size_t size, sy_error *err)
{
    sy_vault vault;
    sy_store_findings findings = {0};
    sy_format_result read = {0};
    char *copy = sy_allocate(size + 1, 1);
    bool started = copy != NULL && sy_vault_start(&vault);
    sy_status status = SY_OK;
    if (!started) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", r->path);
        goto out;
    }
    memcpy(copy, bytes, size);
    sy_format_source source = {copy, size, &vault, NULL};
    status = sy_format_read(&source, &findings, &read, err);
    if (status == SY_OK && read.status == SY_VERSION_UNSUPPORTED) {
        status = sy_store_findings_tell(&findings, SY_VERSION_UNSUPPORTED, err);
    }
    if (status == SY_OK && read.status == SY_CORRUPT) {
        status = keep_aside(r, bytes, size, err);
        if (status == SY_OK) {
            status = write_salvaged(r, read.book, err);
        }
        r->result.repaired = status == SY_OK;
    }
    if (status == SY_OK) {
        r->result.salvaged = read.book->count;
        r->result.finding_total = findings.total;
    }
out:
    sy_book_release(read.book);
    sy_store_findings_finish(&findings);
    if (started) {
        sy_vault_finish(&vault);
    }
    sy_free(copy);
    return status;
}

/* With the lock held. */
static sy_status repair_locked(repair *r, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_recover(r->path, err);
    if (status == SY_OK) {
        sy_file_remove_leftovers(r->path);
        status = sy_file_read(r->path, r->size_limit_bytes, &bytes, &size, err);
    }
    if (status == SY_OK) {
        status = repair_bytes(r, bytes, size, err);
    }
    sy_free(bytes);
    return status;
}

sy_status sy_store_repair(const char *path, const sy_store_options *options, sy_repair_result *ret_result,
                          sy_error *err)
{
    static const sy_store_options defaults = SY_STORE_OPTIONS_INIT;
    const sy_store_options *o = options == NULL ? &defaults : options;
    sy_store_guard guard = SY_STORE_GUARD_INIT;
    repair r = {.size_limit_bytes = o->size_limit_bytes};
    r.now_utc_s = o->now_utc_s == NULL ? sy_clock_system.utc_s(&sy_clock_system) : o->now_utc_s(o->user);
    sy_arena *arena = sy_arena_create(0);
    if (arena == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to repair '%s'", path);
    }
    sy_status status = sy_file_resolve(arena, path, &r.path, err);
    struct stat found;
    if (status == SY_OK && sy_system_stat(r.path, &found) != 0) {
        /* No lock file is made for a file that is not there. */
        status = sy_fail_errno(err, sy_status_of_errno(errno), errno, "cannot read '%s'", path);
    }
    if (status == SY_OK) {
        status = sy_store_guard_take(r.path, o->lock_timeout_ns, &guard, err);
    }
    if (status == SY_OK) {
        status = repair_locked(&r, err);
    }
    sy_store_guard_release(&guard);
    if (status == SY_OK) {
        *ret_result = r.result;
    }
    sy_arena_destroy(arena);
    return status;
}
