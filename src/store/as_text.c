/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as text in memory: checked, taken in, given out. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/format/format.h"
#include "store/state.h"

#define CHECK_LIMIT_BYTES (UINT64_C(4) << 30)

typedef struct reading {
    sy_vault vault;
    sy_store_findings findings;
    sy_format_result result;
} reading;

static void finish_reading(reading *r)
{
    sy_book_release(r->result.book);
    sy_store_findings_finish(&r->findings);
    sy_vault_finish(&r->vault);
}

/* Reads bytes, which it changes. On failure nothing is left to finish. */
static sy_status start_reading(reading *r, char *bytes, size_t size, sy_error *err)
{
    memset(r, 0, sizeof *r);
    if (!sy_vault_start(&r->vault)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read %zu bytes of profiles", size);
    }
    sy_format_source source = {bytes, size, &r->vault, NULL};
    sy_status status = sy_format_read(&source, &r->findings, &r->result, err);
    if (status != SY_OK) {
        r->result.book = NULL;
        finish_reading(r);
    }
    return status;
}

static char *copy_text(const char *text, size_t size)
{
    char *copy = size == SIZE_MAX ? NULL : sy_allocate(size + 1, 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

typedef struct owned_report {
    sy_store_report report;
    sy_store_findings findings;
} owned_report;

static sy_status check_bytes(char *bytes, size_t size, sy_store_report **ret_report, sy_error *err)
{
    reading r;
    owned_report *owned = sy_allocate(1, sizeof *owned);
    if (owned == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a report");
    }
    sy_status status = start_reading(&r, bytes, size, err);
    if (status != SY_OK) {
        sy_free(owned);
        return status;
    }
    owned->findings = r.findings; /* moved: the report owns them */
    memset(&r.findings, 0, sizeof r.findings);
    owned->report = (sy_store_report){
        .status = r.result.status,
        .format = r.result.book->format,
        .profile_count = r.result.book->count,
        .findings = owned->findings.items,
        .finding_count = owned->findings.count,
        .finding_total = owned->findings.total,
        .owner = owned,
    };
    finish_reading(&r);
    *ret_report = &owned->report;
    return SY_OK;
}

sy_status sy_store_check_text(const char *text, size_t size, sy_store_report **ret_report, sy_error *err)
{
    char *copy = copy_text(text, size);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read %zu bytes of profiles", size);
    }
    sy_status status = check_bytes(copy, size, ret_report, err);
    sy_free(copy);
    return status;
}

sy_status sy_store_check_file(const char *path, sy_store_report **ret_report, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read(path, CHECK_LIMIT_BYTES, &bytes, &size, err);
    if (status == SY_OK) {
        status = check_bytes(bytes, size, ret_report, err);
    }
    sy_free(bytes);
    return status;
}

void sy_store_report_destroy(sy_store_report *report)
{
    if (report != NULL) {
        owned_report *owned = report->owner;
        sy_store_findings_finish(&owned->findings);
        sy_free(owned);
    }
}

static sy_status adopt_book(sy_store *store, const sy_book *book, sy_put_result *ret_result, sy_error *err)
{
    const sy_profile **profiles = sy_allocate(book->count, sizeof *profiles);
    if (profiles == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %u profiles", book->count);
    }
    for (uint32_t i = 0; i < book->count; i++) {
        profiles[i] = &book->entries[i]->profile;
    }
    sy_status status = sy_store_adopt(store, profiles, book->count, NULL, ret_result, err);
    sy_free(profiles);
    return status;
}

sy_status sy_store_read_text(sy_store *store, const char *text, size_t size, sy_put_result *ret_result, sy_error *err)
{
    reading r;
    char *copy = copy_text(text, size);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read %zu bytes of profiles", size);
    }
    sy_status status = start_reading(&r, copy, size, err);
    if (status == SY_OK) {
        status = r.result.status == SY_OK ? adopt_book(store, r.result.book, ret_result, err)
                                          : sy_store_findings_tell(&r.findings, r.result.status, err);
        finish_reading(&r);
    }
    sy_free(copy);
    return status;
}

/* Whether that format can hold all of a book, and what it would drop. */
static sy_status check_book(const sy_book *book, uint32_t format, unsigned *ret_losses, sy_error *err)
{
    unsigned losses = 0;
    for (uint32_t i = 0; i < book->count; i++) {
        const sy_profile *profile = &book->entries[i]->profile;
        sy_status status = sy_format_check(profile, format, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "profile %u ('%.40s' '%.40s')", i, profile->key.backend, profile->key.operator_name);
            return status;
        }
        losses |= sy_format_losses(profile, format);
    }
    *ret_losses = losses;
    return SY_OK;
}

sy_status sy_store_write_text(sy_store *store, uint32_t format, char **ret_text, size_t *ret_size,
                              sy_put_result *ret_result, sy_error *err)
{
    if (format < SY_FORMAT_INTERCHANGE || format > SY_FORMAT_LATEST) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the format %u is not 1 or 2", format);
    }
    sy_text text = SY_TEXT_INIT;
    unsigned losses = 0;
    sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
    const sy_book *book = slot->snapshot->books[0];
    size_t count = book->count;
    sy_status status = check_book(book, format, &losses, err);
    if (status == SY_OK) {
        sy_format_write(book, format, &text);
    }
    sy_snapshot_give_back(slot);
    size_t size = text.length;
    char *taken = status == SY_OK ? sy_text_take(&text) : NULL;
    sy_text_finish(&text);
    if (status == SY_OK && taken == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to write %zu profiles", count);
    }
    if (status == SY_OK) {
        *ret_text = taken;
        *ret_size = size;
        if (ret_result != NULL) {
            ret_result->stored = count;
            ret_result->format = format;
            sy_format_describe_losses(losses, ret_result->not_kept);
        }
    }
    return status;
}
