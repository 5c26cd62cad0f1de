/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of a file of decisions: what its reader found, and what is suspicious in it. A file of our own is read by the
 * store, in memory; its records are told by their line. */
#include <steelyard/store.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "importers/tuning/tuning_inside.h"
#include "importers/unpack.h"

typedef struct own_profiles {
    sy_tuning_draft *draft;
    sy_tuning_cursor cursor; /* moves on to the record at hand */
} own_profiles;

/* The line at which the next record begins. */
static sy_position next_record(own_profiles *own)
{
    sy_tuning_span line;

    while (sy_tuning_next_line(&own->cursor, &line)) {
        if (sy_tuning_span_begins(line, "profile ") || sy_tuning_span_begins(line, "profile\t"))
            break;
    }
    return (sy_position){0, own->cursor.number, 1};
}

static sy_status gather(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    own_profiles *own = user;
    sy_tuning_structure none = {.count = 0};
    sy_tuned *tuned = sy_tuning_add(own->draft, "", "", "", &none, "", next_record(own));

    (void)layer;
    own->draft->entries++;
    if (tuned == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the profiles of '%s'", own->draft->name);
    tuned->profile = *profile; /* borrowed from the store, which outlives the rules */
    return SY_OK;
}

static sy_status tell_damage(sy_tuning_draft *draft, const char *text, size_t size, bool *ret_whole, sy_error *err)
{
    sy_store_report *report = NULL;
    sy_status status = sy_store_check_text(text, size, &report, err);

    if (status != SY_OK)
        return status;
    *ret_whole = report->status == SY_OK;
    for (size_t i = 0; i < report->finding_count; i++)
        sy_tuning_find(draft, SY_TUNING_RULE_DAMAGE, (sy_position){0, report->findings[i].line, 1}, NULL, "%s",
                       report->findings[i].text);
    if (!*ret_whole && report->finding_count == 0)
        sy_tuning_find(draft, SY_TUNING_RULE_DAMAGE, (sy_position){0, 1, 1}, NULL,
                       "a version of the format that is not known");
    sy_store_report_destroy(report);
    return SY_OK;
}

static sy_status lint_own(sy_tuning_draft *draft, const char *text, size_t size, sy_error *err)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    own_profiles own = {draft, {text, text + size, 0, text}};
    sy_store *store = NULL;
    bool whole = false;
    sy_status status = tell_damage(draft, text, size, &whole, err);

    if (status != SY_OK || !whole)
        return status;
    options.persistence = false;
    options.environment_layers = false;
    status = sy_store_open(&options, &store, err);
    if (status == SY_OK)
        status = sy_store_read_text(store, text, size, NULL, err);
    if (status == SY_OK)
        status = sy_store_iterate(store, gather, &own, err);
    if (status == SY_OK) {
        sy_tuning_suspect_each(draft, draft->list, draft->count);
        status = sy_tuning_suspect_sizes(draft, draft->list, draft->count, err);
    }
    sy_store_close(store);
    return status;
}

static sy_status take(sy_tuning_draft *draft, sy_tuning_lint **ret_lint, sy_error *err)
{
    sy_tuning_lint *lint = sy_arena_allocate(draft->arena, 1, sizeof *lint);
    sy_tuning_owner *owner = NULL;
    sy_finding_list findings;
    sy_status status;

    if (lint == NULL || draft->failed)
        return sy_fail(err, SY_NO_MEMORY, "no memory for what '%s' holds", draft->name);
    status = sy_tuning_own(draft, &owner, &findings, err);
    if (status != SY_OK)
        return status;
    *lint = (sy_tuning_lint){.format = draft->format,
                             .entry_count = draft->entries,
                             .profile_count = draft->count,
                             .findings = findings,
                             .finding_total = draft->finding_total,
                             .owner = owner};
    *ret_lint = lint;
    return SY_OK;
}

/* bytes[size] is readable and 0. */
static sy_status lint(const char *bytes, size_t size, const char *name, const sy_tuning_options *options,
                      sy_tuning_lint **ret_lint, sy_error *err)
{
    sy_tuning_draft draft;
    char *own = NULL;
    size_t own_size = 0;
    sy_status status = sy_tuning_draft_init(&draft, name, options, err);

    draft.lints = true;
    if (status == SY_OK)
        status = sy_tuning_read_bytes(bytes, size, &draft, &own, &own_size, err);
    if (status == SY_OK && draft.format == SY_TUNING_PROFILES) {
        status = lint_own(&draft, own != NULL ? own : bytes, own_size, err);
    } else if (status == SY_OK) {
        sy_tuning_suspect_each(&draft, draft.list, draft.count);
        status = sy_tuning_suspect_sizes(&draft, draft.list, draft.count, err);
    }
    if (status == SY_OK)
        status = take(&draft, ret_lint, err);
    sy_free(own);
    sy_tuning_draft_finish(&draft);
    return status;
}

static uint64_t limit_of(const sy_tuning_options *options)
{
    const sy_tuning_options known = SY_TUNING_OPTIONS_INIT;

    return options != NULL && options->struct_size >= sizeof *options ? options->limit_bytes : known.limit_bytes;
}

sy_status sy_tuning_lint_file(const char *path, const sy_tuning_options *options, sy_tuning_lint **ret_lint,
                              sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read_stream(path, limit_of(options), &bytes, &size, err);

    if (status == SY_OK)
        status = lint(bytes, size, path, options, ret_lint, err);
    sy_free(bytes);
    return status;
}

sy_status sy_tuning_lint_text(const void *bytes, size_t size, const char *name, const sy_tuning_options *options,
                              sy_tuning_lint **ret_lint, sy_error *err)
{
    char *copy = NULL;
    sy_status status = sy_unpack_copy(bytes, size, limit_of(options), &copy, err);

    if (status == SY_OK)
        status = lint(copy, size, name, options, ret_lint, err);
    sy_free(copy);
    return status;
}

void sy_tuning_lint_destroy(sy_tuning_lint *result)
{
    if (result != NULL)
        sy_tuning_disown(result->owner);
}
