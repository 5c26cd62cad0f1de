/* SPDX-License-Identifier: Apache-2.0 */
/* Applying changes to a copy of a book. */
#include "store/change.h"

#include <string.h>

#include "base/error.h"
#include "store/earlier.h"
#include "store/format/format.h"
#include "store/key_hash.h"

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

/* The profile, which is entry's or has another history, as a file of that format gives it back, with the comment of the
 * one that it replaces. */
static const sy_entry *fit_entry(const sy_entry *entry, const sy_profile *profile, const sy_entry *former,
                                 uint32_t format, unsigned losses, sy_vault *vault)
{
    bool keeps_comment = former == NULL || former->comment_size == 0 || entry->comment_size > 0;
    if (losses == 0 && keeps_comment && sy_profile_counts_equal(profile, &entry->profile)) {
        return entry;
    }
    sy_profile reduced = sy_format_reduce(profile, format);
    const sy_entry *comment = keeps_comment ? entry : former;
    return sy_entry_create(vault, &reduced, comment->comment, comment->comment_size);
}

/* The one that is there stays, but gets the history of the one that is not believed. */
static sy_status unite_former(const sy_entry *former, const sy_profile *other, uint32_t place, sy_book *book,
                              uint32_t format, sy_vault *vault, sy_change_result *result, sy_error *err)
{
    sy_profile united;
    sy_earlier_list history;
    sy_earlier_unite(&former->profile, other, &united, &history);
    if (format == SY_FORMAT_INTERCHANGE || sy_profile_counts_equal(&united, &former->profile)) {
        return SY_OK;
    }
    const sy_entry *entry = sy_entry_create(vault, &united, former->comment, former->comment_size);
    if (entry == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to store a profile");
    }
    sy_book_replace(book, place, entry);
    result->tallied++;
    return SY_OK;
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
    const sy_entry *former = place == SY_BOOK_NOWHERE ? NULL : book->entries[place];
    bool has_history = former != NULL && profile->kind == SY_PROFILE_CALIBRATED;
    if (former != NULL && change->keep_existing) {
        return SY_OK;
    }
    if (former != NULL && change->newest_wins && !sy_profile_supersedes(profile, &former->profile)) {
        return has_history ? unite_former(former, profile, place, book, format, vault, result, err) : SY_OK;
    }
    sy_profile succeeding;
    sy_earlier_list history;
    if (has_history && change->adopted) {
        sy_earlier_unite(profile, &former->profile, &succeeding, &history);
        profile = &succeeding;
    } else if (has_history) {
        sy_earlier_succeed(profile, &former->profile, &succeeding, &history);
        profile = &succeeding;
    }
    unsigned losses = sy_format_losses(profile, format);
    const sy_entry *fitting = fit_entry(entry, profile, former, format, losses, vault);
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

/* Where a tally is added: to the entry itself, or the newest of its earlier measurements with that policy; NULL. */
static sy_profile_use *find_use(sy_profile *profile, sy_profile_earlier *lines, const sy_profile_tally *tally)
{
    if (tally->policy == NULL || (profile->policy_size == tally->policy_size &&
                                  memcmp(profile->policy, tally->policy, tally->policy_size) == 0)) {
        return &profile->use;
    }
    for (size_t i = profile->earlier_count; i > 0; i--) {
        sy_profile_earlier *line = &lines[i - 1];
        if (line->policy_size == tally->policy_size && memcmp(line->policy, tally->policy, tally->policy_size) == 0) {
            return &line->use;
        }
    }
    return NULL;
}

static sy_status apply_tally(const sy_change *change, bool strict, sy_book *book, uint32_t format, sy_vault *vault,
                             sy_change_result *result, sy_error *err)
{
    const sy_profile_tally *tally = change->tally;
    bool portable = tally->key.structure_count > 0;
    uint32_t place = sy_book_find(book, &tally->key, portable, tally->kind, sy_hash_key(&tally->key, portable));
    if (format == SY_FORMAT_INTERCHANGE) {
        return strict ? sy_fail(err, SY_REFUSED, "format 1 cannot hold the use or the cost of a profile") : SY_OK;
    }
    if (place == SY_BOOK_NOWHERE) {
        return SY_OK;
    }
    const sy_entry *entry = book->entries[place];
    sy_profile counted = entry->profile;
    sy_profile_earlier lines[SY_EARLIER_MAX];
    if (counted.earlier_count > 0) {
        memcpy(lines, counted.earlier, counted.earlier_count * sizeof lines[0]);
        counted.earlier = lines;
    }
    sy_profile_use *use = find_use(&counted, lines, tally);
    if (use == NULL) {
        return SY_OK;
    }
    sy_profile_use_add(use, &tally->use);
    sy_profile_cost_add(&counted.cost, &tally->cost);
    if (counted.has_trial) {
        uint32_t left = UINT32_MAX - counted.trial.attempt;
        counted.trial.attempt += tally->attempts < left ? tally->attempts : left;
    }
    const sy_entry *again = sy_entry_recount(vault, entry, &counted);
    if (again == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to add to a profile");
    }
    sy_book_replace(book, place, again);
    result->tallied++;
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
        } else if (change->kind == SY_CHANGE_TALLY) {
            status = apply_tally(change, strict, book, format, vault, result, err);
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
