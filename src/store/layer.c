/* SPDX-License-Identifier: Apache-2.0 */
/* From a file to a layer's book: read whole, told apart by content, parsed, and never replaced by something damaged. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/format/format.h"
#include "store/state.h"

#define TRIES 3
#define SHARED_VAULT_BYTES ((size_t)1 << 20)

static void note_state(sy_layer *layer, sy_status status, const char *message)
{
    layer->status = status;
    sy_text_copy(layer->message, sizeof layer->message, message);
}

static void take_book(sy_layer *layer, sy_book *book, sy_content_mark mark)
{
    sy_book_release(layer->book);
    layer->book = book;
    layer->mark = mark;
}

/* why: what there is to say of the file; static text. */
static sy_status empty_layer(sy_layer *layer, const char *why, sy_error *err)
{
    sy_book *book = sy_book_create(0);
    if (book == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for an empty layer");
    }
    take_book(layer, book, (sy_content_mark){.known = false});
    note_state(layer, SY_NOT_FOUND, why);
    return SY_OK;
}

/* Where a read's entries go. A store that merges with others reads again and again and finds little that is new: those
 * reads share one vault, until it is large. What a damaged file leaves in it is lost until close, so a layer that was
 * damaged the last time gets a vault of its own. NULL: no memory. */
static sy_vault_node *choose_vault(const sy_store *store, const sy_layer *layer)
{
    sy_vault_node *newest = store->read_vaults;
    if (newest != NULL && layer->status == SY_OK && sy_arena_used(newest->vault.arena) < SHARED_VAULT_BYTES) {
        return newest;
    }
    sy_vault_node *node = sy_allocate(1, sizeof *node);
    if (node != NULL && !sy_vault_start(&node->vault)) {
        sy_free(node);
        return NULL;
    }
    return node;
}

static void keep_vault(sy_store *store, sy_vault_node *node, bool in_use)
{
    if (node == store->read_vaults) {
        return;
    }
    if (in_use) {
        node->next = store->read_vaults;
        store->read_vaults = node;
    } else {
        sy_vault_finish(&node->vault);
        sy_free(node);
    }
}

/* Parses bytes, which it changes. */
static sy_status parse(sy_store *store, sy_layer *layer, char *bytes, sy_content_mark mark, sy_error *err)
{
    sy_vault_node *node = choose_vault(store, layer);
    if (node == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", layer->path);
    }
    sy_store_findings findings = {0};
    sy_format_result result;
    sy_format_source source = {bytes, (size_t)mark.size, &node->vault, layer->book};
    sy_status status = sy_format_read(&source, &findings, &result, err);
    bool in_use = false;
    if (status == SY_OK && result.status != SY_OK) {
        status = sy_store_findings_tell(&findings, result.status, err);
        sy_book_release(result.book);
    } else if (status == SY_OK) {
        in_use = result.fresh > 0 || result.book->tail_comment_size > 0;
        take_book(layer, result.book, mark);
        note_state(layer, SY_OK, "");
    }
    keep_vault(store, node, in_use);
    sy_store_findings_finish(&findings);
    return status;
}

static sy_status read_once(sy_store *store, sy_layer *layer, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read(layer->path, store->size_limit_bytes, &bytes, &size, err);
    if (status == SY_NOT_FOUND && layer->mark.known) {
        /* Where other hosts replace it, a file that is there can be missing for a moment. */
        status = sy_file_read(layer->path, store->size_limit_bytes, &bytes, &size, err);
    }
    layer->absent = status == SY_NOT_FOUND;
    if (status == SY_NOT_FOUND) {
        return empty_layer(layer, "no file yet", err);
    }
    if (status != SY_OK) {
        return status;
    }
    if (size == 0) {
        /* A file that was only touched (a mount point must exist) holds nothing that a write could destroy. */
        sy_free(bytes);
        return empty_layer(layer, "the file is empty", err);
    }
    sy_content_mark mark = sy_content_mark_of(bytes, size);
    if (sy_content_mark_equal(&mark, &layer->mark)) {
        note_state(layer, SY_OK, "");
    } else {
        status = parse(store, layer, bytes, mark, err);
    }
    sy_free(bytes);
    return status;
}

sy_status sy_layer_read(sy_store *store, sy_layer *layer, sy_error *err)
{
    sy_error problem = SY_ERROR_INIT;
    sy_status status = SY_CORRUPT;
    /* A file that cannot be replaced (a mount point) is written in place: a reader without the lock may have met the
     * writer half-way, and finds the file whole, or its journal, the next time. */
    for (int i = 1; status == SY_CORRUPT && i <= TRIES; i++) {
        status = read_once(store, layer, &problem);
        if (status == SY_CORRUPT && !sy_file_is_mount_point(layer->path)) {
            break;
        }
    }
    if (status == SY_OK) {
        return SY_OK;
    }
    if (status == SY_CORRUPT || status == SY_VERSION_UNSUPPORTED) {
        sy_error_prefix(&problem, "'%s'", layer->path);
        sy_error_hint(&problem, status == SY_CORRUPT ? "see all findings with `steelyard profile check`; "
                                                       "`steelyard profile repair` salvages the whole profiles"
                                                     : "use a newer steelyard, or another file");
    }
    note_state(layer, status, problem.what);
    if (err != NULL) {
        *err = problem;
    }
    return status;
}
