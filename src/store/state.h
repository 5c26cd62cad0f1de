/* SPDX-License-Identifier: Apache-2.0 */
/* What an open store consists of, for the files of this folder. */
#ifndef STEELYARD_STORE_STATE_H
#define STEELYARD_STORE_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

#include "store/book.h"
#include "store/change.h"
#include "store/key_hash.h"
#include "store/snapshot.h"

typedef struct sy_layer {
    char *path; /* "" = memory only; heap */
    sy_status status;
    char message[256];
    bool absent;          /* no file was there when it was last read */
    sy_book *book;        /* the file as last read or written; empty at first, never NULL */
    sy_content_mark mark; /* of that content */
} sy_layer;

/* The memory of one read, kept because entries of it are in use. */
typedef struct sy_vault_node sy_vault_node;
struct sy_vault_node {
    sy_vault vault;
    sy_vault_node *next;
};

struct sy_store {
    sy_snapshot_exchange exchange; /* the only member that readers touch, besides the next two */
    int64_t (*now_utc_s)(void *user);
    void *user;

    pthread_mutex_t mutex; /* guards all below; held by one writer while it waits for the file's lock */
    sy_layer *layers;      /* layer_count of them; 0 is the writable one */
    uint32_t layer_count;
    sy_book *visible; /* layer 0 as readers see it: its file and the pending changes */
    sy_change *pending;
    size_t pending_count;
    size_t pending_capacity;
    sy_vault vault; /* of what was put here */
    sy_vault_node *read_vaults;
    uint64_t lock_timeout_ns;
    uint64_t size_limit_bytes;
    uint32_t new_file_format;
    bool warned;        /* that the disk refuses; once until it works again */
    bool told_in_place; /* that the file cannot be replaced */
};

/* The time for expiry, from the caller's clock or the system's. */
int64_t sy_store_now(const sy_store *store);

/* Reads a layer's file if its content is not the one at hand. A file that is not there empties the layer. On damage the
 * book stays, the layer says why, and the status is returned. Mutex held. */
sy_status sy_layer_read(sy_store *store, sy_layer *layer, sy_error *err) SY_NODISCARD;

/* What readers are to see next: all that can fail is done before the disk is touched. Zeroed is empty. */
typedef struct sy_picture {
    sy_book *visible;
    sy_snapshot *snapshot;
} sy_picture;

/* The writable layer as that book with the changes made to it, and the other layers as they are. Mutex held. */
sy_status sy_picture_prepare(sy_store *store, sy_book *book, const sy_change *changes, size_t count,
                             sy_picture *ret_picture, sy_error *err) SY_NODISCARD;
/* Shows it to readers and empties it. Mutex held; the exchange has room. */
void sy_picture_publish(sy_store *store, sy_picture *picture);
/* Frees one that was not published. */
void sy_picture_drop(sy_picture *picture);
/* Prepares and publishes the layers and pending changes as they are. */
sy_status sy_store_show(sy_store *store, sy_error *err) SY_NODISCARD;
/* SY_BUSY when a snapshot cannot be published. Mutex held. */
sy_status sy_store_check_room(sy_store *store, sy_error *err) SY_NODISCARD;

/* Makes the changes durable, or keeps them in memory: see sy_store_put for the statuses. convert_to: 0, or the format
 * that the file gets. The result is added to. Mutex held, since before the changes' entries were made. */
sy_status sy_store_commit(sy_store *store, const sy_change *changes, size_t count, uint32_t convert_to,
                          sy_change_result *result, uint32_t *ret_format, sy_error *err) SY_NODISCARD;

/* The writable path and the read-only ones of the options, in order of precedence, as new layers. ret_note is what
 * there is to say of the location; "" = nothing. */
sy_status sy_places_of_options(const sy_store_options *options, sy_layer **ret_layers, uint32_t *ret_count,
                               char note[256], sy_error *err) SY_NODISCARD;

#endif
