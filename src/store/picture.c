/* SPDX-License-Identifier: Apache-2.0 */
/* From books to what readers see. */
#include "base/error.h"
#include "base/memory.h"
#include "store/state.h"

sy_status sy_store_check_room(sy_store *store, sy_error *err)
{
    if (sy_snapshot_has_room(&store->exchange)) {
        return SY_OK;
    }
    return sy_fail(err, SY_BUSY, "readers hold %d older pictures of the store", SY_SNAPSHOT_SLOTS - 1);
}

sy_status sy_picture_prepare(sy_store *store, sy_book *book, const sy_change *changes, size_t count,
                             sy_picture *ret_picture, sy_error *err)
{
    sy_book *visible = book;
    if (count > 0) {
        sy_change_result ignored = {0};
        sy_status status = sy_changes_apply(changes, count, false, book, 0, &store->vault, &visible, &ignored, err);
        if (status != SY_OK) {
            return status;
        }
    } else {
        sy_book_hold(visible);
    }
    sy_snapshot *snapshot = NULL;
    sy_book **books = sy_allocate(store->layer_count, sizeof *books);
    if (books != NULL) {
        books[0] = visible;
        for (uint32_t i = 1; i < store->layer_count; i++) {
            books[i] = store->layers[i].book;
        }
        snapshot = sy_snapshot_create(books, store->layer_count);
        sy_free(books);
    }
    if (snapshot == NULL) {
        sy_book_release(visible);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the store's snapshot");
    }
    *ret_picture = (sy_picture){visible, snapshot};
    return SY_OK;
}

/* Whether any lookup may be answered otherwise: counts alone are no news. */
static bool is_news(const sy_snapshot *before, const sy_snapshot *after)
{
    if (before->layer_count != after->layer_count) {
        return true;
    }
    for (uint32_t layer = 0; layer < after->layer_count; layer++) {
        const sy_book *a = before->books[layer];
        const sy_book *b = after->books[layer];
        if (a->count != b->count) {
            return true;
        }
        for (uint32_t i = 0; a != b && i < b->count; i++) {
            if (!sy_entry_answers_alike(a->entries[i], b->entries[i])) {
                return true;
            }
        }
    }
    return false;
}

void sy_picture_publish(sy_store *store, sy_picture *picture)
{
    bool news = is_news(sy_snapshot_current(&store->exchange), picture->snapshot);
    sy_book_release(store->visible);
    store->visible = picture->visible;
    sy_snapshot_publish(&store->exchange, picture->snapshot, news);
    *picture = (sy_picture){NULL, NULL};
}

void sy_picture_drop(sy_picture *picture)
{
    if (picture->snapshot != NULL) {
        sy_snapshot_destroy(picture->snapshot);
    }
    sy_book_release(picture->visible);
    *picture = (sy_picture){NULL, NULL};
}

sy_status sy_store_show(sy_store *store, sy_error *err)
{
    sy_picture picture;
    sy_status status = sy_picture_prepare(store, store->layers[0].book, store->pending, store->pending_count, &picture,
                                          err);
    if (status == SY_OK) {
        sy_picture_publish(store, &picture);
    }
    return status;
}
