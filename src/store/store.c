/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, closing and looking around. Reading files is layer.c, writing is commit.c, answering is lookup.c. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/format/format.h"
#include "store/state.h"

static int64_t system_utc_s(void *user)
{
    (void)user;
    return sy_clock_system.utc_s(&sy_clock_system);
}

int64_t sy_store_now(const sy_store *store)
{
    return store->now_utc_s(store->user);
}

static sy_status check_options(const sy_store_options *options, sy_error *err)
{
    if (options->struct_size != sizeof(sy_store_options)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the options' struct_size is %zu, not %zu", options->struct_size,
                       sizeof(sy_store_options));
    }
    if (options->new_file_format < SY_FORMAT_INTERCHANGE || options->new_file_format > SY_FORMAT_LATEST) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the format %u for new files is not 1 or 2", options->new_file_format);
    }
    if (options->path != NULL && *options->path == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the store's path is empty");
    }
    if (options->layers == NULL && options->layer_count > 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the list of layers is missing");
    }
    for (size_t i = 0; i < options->layer_count; i++) {
        if (options->layers[i] == NULL) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the path of layer %zu is missing", i);
        }
    }
    return SY_OK;
}

static sy_status make_books(sy_store *store, sy_error *err)
{
    for (uint32_t i = 0; i < store->layer_count; i++) {
        store->layers[i].book = sy_book_create(0);
        if (store->layers[i].book == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for the store's layers");
        }
        store->layers[i].status = SY_NOT_FOUND;
    }
    store->visible = store->layers[0].book;
    sy_book_hold(store->visible);
    return SY_OK;
}

/* What a layer says for itself when it could not be read is kept in it: an engine goes on without. */
static sy_status read_layers(sy_store *store, sy_error *err)
{
    for (uint32_t i = 0; i < store->layer_count; i++) {
        sy_layer *layer = &store->layers[i];
        if (*layer->path == '\0') {
            continue;
        }
        sy_error problem;
        sy_status status = sy_layer_read(store, layer, &problem);
        if (status == SY_NO_MEMORY) {
            if (err != NULL) {
                *err = problem;
            }
            return status;
        }
        if (status != SY_OK) {
            sy_log(SY_LOG_WARNING, "profiles are not read: %s", problem.what);
        }
    }
    return SY_OK;
}

/* The first snapshot, so that sy_store_show has one to replace. */
static sy_status show_first(sy_store *store, sy_error *err)
{
    sy_book *books[] = {store->visible};
    sy_snapshot *first = sy_snapshot_create(books, 1);
    if (first == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the store's snapshot");
    }
    sy_snapshot_start(&store->exchange, first);
    return sy_store_show(store, err);
}

sy_status sy_store_open(const sy_store_options *options, sy_store **ret_store, sy_error *err)
{
    static const sy_store_options defaults = SY_STORE_OPTIONS_INIT;
    const sy_store_options *o = options == NULL ? &defaults : options;
    char note[256];
    sy_status status = check_options(o, err);
    if (status != SY_OK) {
        return status;
    }
    sy_store *store = sy_allocate_aligned(64, 1, sizeof *store);
    if (store == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a store");
    }
    memset(store, 0, sizeof *store);
    sy_snapshot_start(&store->exchange, NULL);
    pthread_mutex_init(&store->mutex, NULL);
    store->now_utc_s = o->now_utc_s == NULL ? system_utc_s : o->now_utc_s;
    store->user = o->user;
    store->lock_timeout_ns = o->lock_timeout_ns;
    store->size_limit_bytes = o->size_limit_bytes;
    store->new_file_format = o->new_file_format;
    if (!sy_vault_start(&store->vault)) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a store");
    }
    if (status == SY_OK) {
        status = sy_places_of_options(o, &store->layers, &store->layer_count, note, err);
    }
    if (status == SY_OK) {
        status = make_books(store, err);
    }
    if (status == SY_OK) {
        status = read_layers(store, err);
    }
    if (status == SY_OK) {
        status = show_first(store, err);
    }
    if (status != SY_OK) {
        sy_store_close(store);
        return status;
    }
    if (note[0] != '\0') {
        if (store->layers[0].status == SY_OK || store->layers[0].status == SY_NOT_FOUND) {
            sy_text_copy(store->layers[0].message, sizeof store->layers[0].message, note);
        }
        sy_log(SY_LOG_WARNING, "%s", note);
    }
    *ret_store = store;
    return SY_OK;
}

void sy_store_close(sy_store *store)
{
    if (store == NULL) {
        return;
    }
    sy_snapshot_finish(&store->exchange);
    sy_book_release(store->visible);
    for (uint32_t i = 0; i < store->layer_count; i++) {
        sy_free(store->layers[i].path);
        sy_book_release(store->layers[i].book);
    }
    sy_free(store->layers);
    sy_free(store->pending);
    sy_vault_finish(&store->vault);
    for (sy_vault_node *node = store->read_vaults; node != NULL;) {
        sy_vault_node *next = node->next;
        sy_vault_finish(&node->vault);
        sy_free(node);
        node = next;
    }
    pthread_mutex_destroy(&store->mutex);
    sy_free_aligned(store);
}

uint64_t sy_store_changes(const sy_store *store)
{
    return atomic_load_explicit(&store->exchange.published, memory_order_acquire);
}

size_t sy_store_layer_count(const sy_store *store)
{
    return store->layer_count;
}

sy_status sy_store_layer(sy_store *store, size_t index, sy_layer_info *ret_info, sy_error *err)
{
    if (index >= store->layer_count) {
        return sy_fail(err, SY_NOT_FOUND, "the store has %u layers: there is no layer %zu", store->layer_count, index);
    }
    pthread_mutex_lock(&store->mutex);
    const sy_layer *layer = &store->layers[index];
    sy_layer_info info = {.path = layer->path, .writable = index == 0, .status = layer->status};
    sy_text_copy(info.message, sizeof info.message, layer->message);
    info.format = layer->book->format;
    info.profile_count = index == 0 ? store->visible->count : layer->book->count;
    info.unsaved_count = index == 0 ? store->pending_count : 0;
    pthread_mutex_unlock(&store->mutex);
    *ret_info = info;
    return SY_OK;
}

sy_status sy_store_reload(sy_store *store, sy_error *err)
{
    sy_status first = SY_OK;
    pthread_mutex_lock(&store->mutex);
    sy_status status = sy_store_check_room(store, err);
    for (uint32_t i = 0; status == SY_OK && i < store->layer_count; i++) {
        if (*store->layers[i].path == '\0') {
            continue;
        }
        sy_status found = sy_layer_read(store, &store->layers[i], first == SY_OK ? err : NULL);
        first = first == SY_OK ? found : first;
    }
    if (status == SY_OK) {
        status = sy_store_show(store, first == SY_OK ? err : NULL);
    }
    pthread_mutex_unlock(&store->mutex);
    return first == SY_OK ? status : first;
}

sy_status sy_store_iterate(sy_store *store, sy_profile_fn each, void *user, sy_error *err)
{
    sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
    const sy_snapshot *snapshot = slot->snapshot;
    sy_status status = SY_OK;
    for (uint32_t i = 0; i < snapshot->layer_count; i++) {
        const sy_book *book = snapshot->books[i];
        for (uint32_t j = 0; status == SY_OK && j < book->count; j++) {
            status = each(user, &book->entries[j]->profile, i, err);
        }
    }
    sy_snapshot_give_back(slot);
    return status;
}
