/* SPDX-License-Identifier: Apache-2.0 */
/* One digest over what a store would answer, for ranks that must not diverge. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/enquiry.h"

/* The size before the bytes, so that no two lists of texts read the same. */
static void add_bytes(sy_digest_state *state, const void *bytes, size_t size)
{
    uint8_t length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (uint8_t)((uint64_t)size >> (8 * i));
    }
    sy_digest_add(state, length, sizeof length);
    sy_digest_add(state, bytes, size);
}

static void add_text(sy_digest_state *state, const char *text)
{
    add_bytes(state, text, strlen(text));
}

static void add_operator(sy_digest_state *state, const sy_profile_key *key)
{
    add_text(state, key->backend);
    add_text(state, key->operator_name);
    add_text(state, key->implementation_version);
}

static void add_answer(sy_digest_state *state, const sy_profile *profile)
{
    add_text(state, profile == NULL ? "none" : "found");
    if (profile != NULL) {
        add_bytes(state, profile->policy, profile->policy_size);
    }
}

static const sy_profile *answer(const sy_enquiry *enquiry, const sy_snapshot *snapshot)
{
    sy_profile_view view;
    sy_verdict_reason reason;
    sy_error problem;
    return sy_enquiry_ask(enquiry, snapshot, &view, &reason, &problem) ? view.profile : NULL;
}

static sy_status digest_lookups(sy_store *store, const sy_snapshot *snapshot, const sy_lookup *lookups, size_t count,
                                sy_digest_state *state, sy_error *err)
{
    for (size_t i = 0; i < count; i++) {
        sy_enquiry enquiry;
        sy_status status = sy_enquiry_start(&enquiry, store, &lookups[i], NULL, NULL, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "lookup %zu", i);
            return status;
        }
        add_operator(state, &lookups[i].key);
        add_answer(state, answer(&enquiry, snapshot));
    }
    return SY_OK;
}

static int compare_structures(const sy_profile_key *a, const sy_profile_key *b)
{
    size_t count = a->structure_count < b->structure_count ? a->structure_count : b->structure_count;
    for (size_t i = 0; i < count; i++) {
        int order = strcmp(a->structure[i].name, b->structure[i].name);
        if (order == 0) {
            order = strcmp(a->structure[i].value, b->structure[i].value);
        }
        if (order != 0) {
            return order;
        }
    }
    return (a->structure_count > b->structure_count) - (a->structure_count < b->structure_count);
}

static int compare_keys(const void *left, const void *right)
{
    const sy_profile_key *a = *(const sy_profile_key *const *)left;
    const sy_profile_key *b = *(const sy_profile_key *const *)right;
    const char *const texts[][2] = {{a->backend, b->backend},
                                    {a->operator_name, b->operator_name},
                                    {a->implementation_version, b->implementation_version},
                                    {a->model_digest, b->model_digest},
                                    {a->processor, b->processor}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int order = strcmp(texts[i][0], texts[i][1]);
        if (order != 0) {
            return order;
        }
    }
    int order = (a->thread_count > b->thread_count) - (a->thread_count < b->thread_count);
    return order != 0 ? order : compare_structures(a, b);
}

static void add_key(sy_digest_state *state, const sy_profile_key *key)
{
    uint8_t threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = (uint8_t)(key->thread_count >> (8 * i));
    }
    add_operator(state, key);
    add_text(state, key->model_digest);
    add_text(state, key->processor);
    add_bytes(state, threads, sizeof threads);
    for (size_t i = 0; i < key->structure_count; i++) {
        add_text(state, key->structure[i].name);
        add_text(state, key->structure[i].value);
    }
}

/* Each key once, sorted; keys whose profiles all expired or were only imported decide nothing. */
static sy_status digest_all(sy_store *store, const sy_snapshot *snapshot, sy_digest_state *state, sy_error *err)
{
    size_t count = 0;
    for (uint32_t i = 0; i < snapshot->layer_count; i++) {
        count += snapshot->books[i]->count;
    }
    const sy_profile_key **keys = sy_allocate(count, sizeof *keys);
    if (keys == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to digest %zu profiles", count);
    }
    size_t at = 0;
    for (uint32_t i = 0; i < snapshot->layer_count; i++) {
        for (uint32_t j = 0; j < snapshot->books[i]->count; j++) {
            keys[at++] = &snapshot->books[i]->entries[j]->profile.key;
        }
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        if (i > 0 && compare_keys(&keys[i - 1], &keys[i]) == 0) {
            continue;
        }
        sy_lookup lookup = SY_LOOKUP_INIT;
        sy_enquiry enquiry;
        lookup.key = *keys[i];
        status = sy_enquiry_start(&enquiry, store, &lookup, NULL, NULL, err);
        const sy_profile *found = status == SY_OK ? answer(&enquiry, snapshot) : NULL;
        if (found != NULL) {
            add_key(state, keys[i]);
            add_answer(state, found);
        }
    }
    sy_free(keys);
    return status;
}

sy_status sy_store_digest(sy_store *store, const sy_lookup *lookups, size_t count, uint8_t ret_digest[32],
                          sy_error *err)
{
    sy_digest_state state;
    sy_digest digest;
    sy_digest_start(&state);
    sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
    sy_status status = lookups == NULL ? digest_all(store, slot->snapshot, &state, err)
                                       : digest_lookups(store, slot->snapshot, lookups, count, &state, err);
    sy_snapshot_give_back(slot);
    if (status == SY_OK) {
        sy_digest_finish(&state, &digest);
        memcpy(ret_digest, digest.bytes, sizeof digest.bytes);
    }
    return status;
}
