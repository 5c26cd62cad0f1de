/* SPDX-License-Identifier: Apache-2.0 */
/* The one way by which anything changes: under the writers' lock the newest complete file is read, the changes are made
 * to it and the result replaces it. When the disk refuses, they wait in memory for the next write. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/format/format.h"
#include "store/guard.h"
#include "store/state.h"

/* Room for count more pending changes, made before anything else so that a refused write cannot lose them. */
static bool reserve_pending(sy_store *store, size_t count)
{
    if (count <= store->pending_capacity - store->pending_count) {
        return true;
    }
    size_t capacity = store->pending_count + count;
    sy_change *pending = sy_reallocate(store->pending, capacity, sizeof *pending);
    if (pending != NULL) {
        store->pending = pending;
        store->pending_capacity = capacity;
    }
    return pending != NULL;
}

/* What the format of the file cannot hold stays pending: it is answered from memory. The caller frees *ret_list. */
static sy_status list_unheld(const sy_store *store, uint32_t format, sy_change **ret_list, size_t *ret_count,
                             sy_error *err)
{
    sy_change *list = sy_allocate(store->pending_count, sizeof *list);
    size_t count = 0;
    if (list == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu changes", store->pending_count);
    }
    for (size_t i = 0; i < store->pending_count; i++) {
        const sy_change *change = &store->pending[i];
        if (change->kind == SY_CHANGE_PUT && sy_format_check(&change->entry->profile, format, NULL) != SY_OK) {
            list[count++] = *change;
        }
    }
    *ret_list = list;
    *ret_count = count;
    return SY_OK;
}

typedef struct commit {
    sy_store *store;
    const sy_change *changes;
    size_t count;
    uint32_t convert_to;
    sy_change_result *result;
    uint32_t format;     /* of the file, once it is known */
    bool stored_nothing; /* the status is about the changes, not about the disk */
    bool shown;          /* readers see the outcome */
    const char *path;    /* resolved */
} commit;

/* The book that the file is to hold: the newest one with pending and new changes. */
static sy_status make_book(commit *c, sy_book **ret_book, sy_error *err)
{
    sy_store *store = c->store;
    const sy_book *newest = store->layers[0].book;
    sy_change_result ignored = {0};
    sy_book *merged = NULL;
    c->format = c->convert_to != 0 ? c->convert_to : newest->format != 0 ? newest->format : store->new_file_format;
    sy_status status = sy_changes_apply(store->pending, store->pending_count, false, newest, c->format, &store->vault,
                                        &merged, &ignored, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_changes_apply(c->changes, c->count, true, merged, c->format, &store->vault, ret_book, c->result, err);
    sy_book_release(merged);
    if (status == SY_OK) {
        (*ret_book)->format = c->format;
    }
    return status;
}

/* Every profile of the book as the new format holds it. */
static sy_status convert_book(commit *c, sy_book *book, sy_error *err)
{
    for (uint32_t i = 0; i < book->count; i++) {
        const sy_entry *entry = book->entries[i];
        sy_status status = sy_format_check(&entry->profile, c->convert_to, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "profile %u ('%.40s' '%.40s')", i, entry->profile.key.backend,
                            entry->profile.key.operator_name);
            return status;
        }
        unsigned losses = sy_format_losses(&entry->profile, c->convert_to);
        if (losses != 0) {
            sy_profile reduced = sy_format_reduce(&entry->profile, c->convert_to);
            const sy_entry *fitting = sy_entry_create(&c->store->vault, &reduced, entry->comment, entry->comment_size);
            if (fitting == NULL) {
                return sy_fail(err, SY_NO_MEMORY, "no memory to convert a profile");
            }
            sy_book_replace(book, i, fitting);
        }
        c->result->losses |= losses;
        c->result->stored++;
    }
    return SY_OK;
}

/* The file now holds the book: it is the layer's. */
static void take_written(sy_layer *layer, sy_book *book, const sy_text *text)
{
    sy_book_hold(book);
    sy_book_release(layer->book);
    layer->book = book;
    layer->mark = sy_content_mark_of(text->bytes, text->length);
    layer->status = SY_OK;
    layer->message[0] = '\0';
}

/* Once a store: who mounts the file alone should know what that costs. */
static void tell_in_place(sy_store *store, const sy_file_write_options *options)
{
    if (options->outcome == SY_FILE_WRITTEN_IN_PLACE && !store->told_in_place) {
        const char *name = strerrorname_np(options->refused_errno);
        sy_log(SY_LOG_WARNING, "'%s' is a mount point and cannot be replaced (%s): it is written in place, journalled",
               store->layers[0].path, name == NULL ? "unknown" : name);
        store->told_in_place = true;
    }
}

/* Replaces the file by the book and shows it. Memory is asked for before the disk is. */
static sy_status write_book(commit *c, sy_book *book, sy_error *err)
{
    sy_store *store = c->store;
    sy_text text = SY_TEXT_INIT;
    sy_change *unheld = NULL;
    size_t unheld_count = 0;
    sy_picture picture = {NULL, NULL};
    sy_format_write(book, c->format, &text);
    sy_status status = text.failed ? sy_fail(err, SY_NO_MEMORY, "no memory to write %u profiles", book->count)
                                   : list_unheld(store, c->format, &unheld, &unheld_count, err);
    if (status == SY_OK) {
        status = sy_picture_prepare(store, book, unheld, unheld_count, &picture, err);
    }
    if (status != SY_OK) {
        c->stored_nothing = true;
        goto out;
    }
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.refuse_existing = store->layers[0].absent;
    status = sy_file_write(c->path, text.bytes, text.length, &options, err);
    if (status != SY_OK) {
        goto out;
    }
    tell_in_place(store, &options);
    take_written(&store->layers[0], book, &text);
    for (size_t i = 0; i < unheld_count; i++) {
        store->pending[i] = unheld[i];
    }
    store->pending_count = unheld_count;
    store->warned = false;
    sy_picture_publish(store, &picture);
    c->shown = true;
out:
    sy_picture_drop(&picture);
    sy_free(unheld);
    sy_text_finish(&text);
    return status;
}

/* With the lock held. */
static sy_status merge_and_write(commit *c, sy_error *err)
{
    sy_store *store = c->store;
    sy_book *book = NULL;
    sy_status status = sy_file_recover(c->path, err);
    if (status != SY_OK) {
        return status;
    }
    sy_file_remove_leftovers(c->path);
    status = sy_layer_read(store, &store->layers[0], err);
    if (status != SY_OK) {
        return status;
    }
    if (c->convert_to != 0 && store->layers[0].status == SY_NOT_FOUND) {
        c->stored_nothing = true;
        return sy_fail(err, SY_NOT_FOUND, "there is no file '%s' to convert", store->layers[0].path);
    }
    status = make_book(c, &book, err);
    if (status == SY_OK && c->convert_to != 0) {
        status = convert_book(c, book, err);
    }
    if (status != SY_OK) {
        c->stored_nothing = true;
        sy_book_release(book);
        return status;
    }
    const sy_change_result *made = c->result;
    bool changed = made->stored + made->removed + made->tallied + store->pending_count > 0 || c->convert_to != 0;
    if (changed) {
        status = write_book(c, book, err);
    }
    sy_book_release(book);
    return status;
}

static sy_status commit_to_disk(commit *c, sy_error *err)
{
    const char *path = c->store->layers[0].path;
    sy_store_guard guard = SY_STORE_GUARD_INIT;
    sy_arena *arena = sy_arena_create(0);
    if (arena == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to write '%s'", path);
    }
    /* The lock stands beside the file itself, so that writers through different links share it. */
    sy_status status = sy_file_resolve(arena, path, &c->path, err);
    if (status == SY_OK) {
        status = sy_file_make_parents(c->path, err);
    }
    if (status == SY_OK) {
        status = sy_store_guard_take(c->path, c->store->lock_timeout_ns, &guard, err);
    }
    if (status == SY_OK) {
        status = merge_and_write(c, err);
    }
    if (status == SY_REFUSED && c->store->layers[0].absent && !c->stored_nothing) {
        /* It was missing when it was read, and is there: what it holds is not to be replaced unread. */
        *c->result = (sy_change_result){0};
        status = merge_and_write(c, err);
    }
    sy_store_guard_release(&guard);
    sy_arena_destroy(arena);
    return status;
}

/* The disk refused: the changes wait in memory, and one warning is given until it works again. */
static sy_status keep_in_memory(commit *c, sy_status reason, sy_error *problem)
{
    sy_store *store = c->store;
    sy_picture picture;
    for (size_t i = 0; i < c->count; i++) {
        store->pending[store->pending_count + i] = c->changes[i];
    }
    sy_status status = sy_picture_prepare(store, store->layers[0].book, store->pending, store->pending_count + c->count,
                                          &picture, problem);
    if (status != SY_OK) {
        return status;
    }
    store->pending_count += c->count;
    sy_picture_publish(store, &picture);
    if (!store->warned) {
        sy_log(SY_LOG_WARNING, "decisions are kept for this process only: %s", problem->what);
        store->warned = true;
    }
    return reason;
}

static sy_status commit_to_memory(commit *c, sy_error *err)
{
    sy_store *store = c->store;
    sy_layer *layer = &store->layers[0];
    sy_book *book;
    sy_picture picture;
    sy_status status = sy_changes_apply(c->changes, c->count, true, layer->book, 0, &store->vault, &book, c->result,
                                        err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_picture_prepare(store, book, NULL, 0, &picture, err);
    if (status != SY_OK) {
        sy_book_release(book);
        return status;
    }
    sy_book_release(layer->book);
    layer->book = book;
    sy_picture_publish(store, &picture);
    return SY_OK;
}

/* What is counted is the caller's until it is on disk: waiting here as well it would be added twice. */
static bool may_wait(const commit *c)
{
    return c->convert_to == 0 && (c->count == 0 || c->changes[0].kind != SY_CHANGE_TALLY);
}

static sy_status commit_with_room(commit *c, sy_error *err)
{
    sy_error problem = SY_ERROR_INIT;
    sy_status status = commit_to_disk(c, &problem);
    if (status != SY_OK && status != SY_NO_MEMORY && !c->stored_nothing && may_wait(c)) {
        status = keep_in_memory(c, status, &problem);
    } else if (!c->shown && sy_store_show(c->store, NULL) != SY_OK) {
        sy_log(SY_LOG_DEBUG, "what was read on the way is shown by the next change");
    }
    if (status != SY_OK && err != NULL) {
        *err = problem;
    }
    return status;
}

sy_status sy_store_commit(sy_store *store, const sy_change *changes, size_t count, uint32_t convert_to,
                          sy_change_result *result, uint32_t *ret_format, sy_error *err)
{
    commit c = {.store = store, .changes = changes, .count = count, .convert_to = convert_to, .result = result};
    sy_status status = sy_store_check_room(store, err);
    if (status == SY_OK && !reserve_pending(store, count)) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for %zu changes", count);
    }
    if (status == SY_OK) {
        status = *store->layers[0].path == '\0' ? commit_to_memory(&c, err) : commit_with_room(&c, err);
    }
    *ret_format = c.format;
    return status;
}
