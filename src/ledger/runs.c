/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of runs and of comparison keys, and the samples of a series: what the storage keeps, copied for the caller. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger/ledger_state.h"
#include "ledger/lists/grown_list.h"
#include "record/run_events.h"

#define KEY_DIGITS 8
#define REVISION_DIGITS 7

sy_status sy_ledger_check_filter(const sy_run_filter *filter, sy_error *err)
{
    if (filter == NULL) {
        return SY_OK;
    }
    if (filter->struct_size != sizeof(sy_run_filter)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the filter's struct_size is %zu, not %zu", filter->struct_size,
                       sizeof(sy_run_filter));
    }
    if (filter->key_digest != NULL && strlen(filter->key_digest) < KEY_DIGITS) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is too short for a key's digest: %d digits or more",
                       filter->key_digest, KEY_DIGITS);
    }
    if (filter->revision != NULL && strlen(filter->revision) < REVISION_DIGITS) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is too short for a revision: %d digits or more",
                       filter->revision, REVISION_DIGITS);
    }
    return SY_OK;
}

/* What a list shown to callers owns. */
typedef struct owned_list {
    union {
        sy_run_list runs;
        sy_key_list keys;
    };
    sy_grown_list list;
} owned_list;

static void destroy_list(owned_list *list)
{
    if (list != NULL) {
        sy_grown_list_finish(&list->list);
        sy_free(list);
    }
}

static owned_list *create_list(void)
{
    owned_list *list = sy_allocate(1, sizeof *list);
    if (list != NULL && !sy_grown_list_start(&list->list)) {
        destroy_list(list);
        return NULL;
    }
    return list;
}

static sy_status visit_row(void *user, const sy_run_row *row, sy_error *err)
{
    sy_grown_list *list = user;
    sy_run_row *copy = sy_grown_list_next(list, sizeof *copy);
    return copy == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a list of runs")
                        : sy_run_row_copy(list->arena, row, copy, err);
}

sy_status sy_ledger_runs(sy_ledger *ledger, const sy_run_filter *filter, sy_run_list **ret_list, sy_error *err)
{
    uint64_t total = 0;
    sy_status status = sy_ledger_check_filter(filter, err);
    if (status != SY_OK) {
        return status;
    }
    owned_list *list = create_list();
    if (list == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a list of runs");
    }
    status = ledger->storage->rows(ledger->state, filter, visit_row, &list->list, &total, err);
    if (status != SY_OK) {
        destroy_list(list);
        return status;
    }
    list->runs = (sy_run_list){list->list.items, list->list.count, total, list};
    *ret_list = &list->runs;
    return SY_OK;
}

void sy_run_list_destroy(sy_run_list *list)
{
    destroy_list(list == NULL ? NULL : list->owner);
}

static const char *copy_text(sy_arena *arena, const char *text)
{
    return text == NULL ? "" : sy_arena_copy_text(arena, text);
}

static sy_status read_key(sy_arena *arena, const char *text, sy_comparison_key *ret_key, sy_error *err)
{
    sy_json *json = NULL;
    sy_status status = sy_json_parse(text, strlen(text), &(sy_json_limits)SY_JSON_LIMITS_INIT, &json, err);
    if (status == SY_OK) {
        status = sy_comparison_key_read(json, sy_json_root(json), arena, ret_key, err);
    }
    sy_json_destroy(json);
    if (status != SY_OK) {
        sy_error_prefix(err, "the comparison key of the list");
    }
    return status;
}

static sy_status visit_key(void *user, const sy_key_row *row, const char *key, sy_error *err)
{
    sy_grown_list *list = user;
    sy_key_row *copy = sy_grown_list_next(list, sizeof *copy);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a list of comparison keys");
    }
    *copy = *row;
    copy->key_digest = copy_text(list->arena, row->key_digest);
    copy->cell = copy_text(list->arena, row->cell);
    copy->newest = copy_text(list->arena, row->newest);
    if (copy->key_digest == NULL || copy->cell == NULL || copy->newest == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a list of comparison keys");
    }
    copy->key = (sy_comparison_key){0};
    return key == NULL || *key == '\0' ? SY_OK : read_key(list->arena, key, &copy->key, err);
}

sy_status sy_ledger_keys(sy_ledger *ledger, const sy_run_filter *filter, bool incomplete_too, sy_key_list **ret_list,
                         sy_error *err)
{
    sy_status status = sy_ledger_check_filter(filter, err);
    if (status != SY_OK) {
        return status;
    }
    owned_list *list = create_list();
    if (list == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a list of comparison keys");
    }
    status = ledger->storage->keys(ledger->state, filter, incomplete_too, visit_key, &list->list, err);
    if (status != SY_OK) {
        destroy_list(list);
        return status;
    }
    list->keys = (sy_key_list){list->list.items, list->list.count, list};
    *ret_list = &list->keys;
    return SY_OK;
}

void sy_key_list_destroy(sy_key_list *list)
{
    destroy_list(list == NULL ? NULL : list->owner);
}

/* The packed bytes must be those of the digest. */
static sy_status unpack_checked(const sy_digest *wanted, const void *bytes, size_t count, double **ret_samples,
                                sy_error *err)
{
    sy_digest found;
    char text[SY_DIGEST_TEXT];
    sy_digest_of(bytes, count * sizeof(double), &found);
    if (!sy_digest_equal(&found, wanted)) {
        sy_digest_format(wanted, text);
        return sy_fail(err, SY_CORRUPT, "the samples %.12s... were changed: they have another digest", text);
    }
    double *samples = sy_allocate(count, sizeof *samples);
    if (samples == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu samples", count);
    }
    sy_samples_unpack(bytes, count, samples);
    *ret_samples = samples;
    return SY_OK;
}

sy_status sy_ledger_samples(sy_ledger *ledger, const char *digest, double **ret_samples, size_t *ret_count,
                            sy_error *err)
{
    sy_digest wanted;
    const void *bytes = "";
    size_t count = 0;
    double *samples = NULL;
    sy_digest nothing;
    sy_status status = sy_digest_parse(digest, &wanted, err);
    if (status != SY_OK) {
        return status;
    }
    sy_arena *arena = sy_arena_create(0);
    if (arena == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for samples");
    }
    sy_digest_of("", 0, &nothing);
    if (!sy_digest_equal(&wanted, &nothing)) { /* a series without samples has no bytes to keep */
        status = ledger->storage->get_series(ledger->state, &wanted, arena, &bytes, &count, err);
    }
    if (status == SY_NOT_FOUND) {
        status = sy_fail(err, SY_NOT_FOUND, "there are no samples %.12s...", digest);
    }
    if (status == SY_OK) {
        status = unpack_checked(&wanted, bytes, count, &samples, err);
    }
    sy_arena_destroy(arena);
    if (status == SY_OK) {
        *ret_samples = samples;
        *ret_count = count;
    }
    return status;
}

void sy_samples_free(double *samples)
{
    sy_free(samples);
}
