/* SPDX-License-Identifier: Apache-2.0 */
/* Applying changes to a copy of a book. */
#include "store/change.h"

#include <string.h>

#include "base/error.h"
#include "store/format/format.h"

static bool same_identity(const void *user, const sy_profile *profile)
{
    const sy_entry *wanted = user;
    return profile->kind == wanted->profile.kind && profile->portable == wanted->profile.portable &&
           sy_key_equal(&profile->key, &wanted->profile.key, profile->portable);
}

static bool is_invalidated(const void *user, const sy_profile *profile)
{
    const sy_change *change = user;
    return strcmp(profile->key.backend, change->backend) == 0 &&
           (change->version == NULL || strcmp(profile->key.implementation_version, change->version) == 0) &&
           (change->overrides || profile->kind != SY_PROFILE_OVERRIDE);
}

/* The entry as a file of that format gives it back, with the comment of the one that it replaces. */
static const sy_entry *fit_entry(const sy_entry *entry, const sy_entry *former, uint32_t format, unsigned losses,
                                 sy_vault *vault)
{
    bool keeps_comment = former == NULL || former->comment_size == 0 || entry->comment_size > 0;
    if (losses == 0 && keeps_comment) {
        return entry;
    }
    sy_profile reduced = sy_format_reduce(&entry->profile, format);
    const sy_entry *comment = keeps_comment ? entry : former;
    return sy_entry_create(vault, &reduced, comment->comment, comment->comment_size);
}

static sy_status apply_put(const sy_change *change, bool strict, sy_book *book, uint32_t format, sy_vault *vault,
                           sy_change_result *result, sy_error *err)
{
    const sy_entry *entry = change->entry;
    const sy_profile *profile = &entry->profile;
    sy_status status = sy_format_check(profile, format, strict ? err : NULL);
    if (status != SY_OK) {
        result->refused++;
        return strict ? status : SY_OK;
    }
    uint32_t place = sy_book_find(book, &profile->key, profile->portable, profile->kind, entry->hash);
    if (place != SY_BOOK_NOWHERE &&
        (change->keep_existing ||
         (change->newest_wins && !sy_profile_supersedes(profile, &book->entries[place]->profile)))) {
        return SY_OK;
    }
    unsigned losses = sy_format_losses(profile, format);
    const sy_entry *former = place == SY_BOOK_NOWHERE ? NULL : book->entries[place];
    const sy_entry *fitting = fit_entry(entry, former, format, losses, vault);
    if (fitting == NULL || (place == SY_BOOK_NOWHERE && !sy_book_append(book, fitting))) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to store a profile");
    }
    if (place != SY_BOOK_NOWHERE) {
        sy_book_replace(book, place, fitting);
    }
    result->stored++;
    result->losses |= losses;
    return SY_OK;
}

sy_status sy_changes_apply(const sy_change *changes, size_t count, bool strict, const sy_book *from, uint32_t format,
                           sy_vault *vault, sy_book **ret_book, sy_change_result *result, sy_error *err)
{
    size_t puts = 0;
    for (size_t i = 0; i < count; i++) {
        puts += changes[i].kind == SY_CHANGE_PUT;
    }
    sy_book *book = puts > UINT32_MAX / 4 ? NULL : sy_book_copy(from, (uint32_t)puts);
    if (book == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu more profiles", puts);
    }
    for (size_t i = 0; i < count; i++) {
        const sy_change *change = &changes[i];
        sy_status status = SY_OK;
        if (change->kind == SY_CHANGE_PUT) {
            status = apply_put(change, strict, book, format, vault, result, err);
        } else if (change->kind == SY_CHANGE_REMOVE) {
            result->removed += sy_book_remove(book, same_identity, change->entry);
        } else {
            result->removed += sy_book_remove(book, is_invalidated, change);
        }
        if (status != SY_OK) {
            sy_book_release(book);
            return status;
        }
    }
    *ret_book = book;
    return SY_OK;
}
