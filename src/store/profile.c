/* SPDX-License-Identifier: Apache-2.0 */
/* Copying and comparing profiles. Checks are profile_check.c. */
#include "store/profile.h"

#include <stdlib.h>
#include <string.h>

#include "store/earlier.h"
#include "store/key_hash.h"

const char *sy_text_or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

bool sy_vault_start(sy_vault *vault)
{
    memset(vault->recent, 0, sizeof vault->recent);
    vault->arena = sy_arena_create(0);
    return vault->arena != NULL;
}

void sy_vault_finish(sy_vault *vault)
{
    sy_arena_destroy(vault->arena);
    vault->arena = NULL;
}

/* A lasting copy of text; one that was kept not long ago is used again. */
static const char *keep_shared(sy_vault *vault, const char *text)
{
    if (text == NULL || *text == '\0') {
        return "";
    }
    size_t size = strlen(text);
    const char **recent = &vault->recent[sy_hash_bytes(0, text, size) % SY_VAULT_RECENT];
    if (*recent != NULL && strcmp(*recent, text) == 0) {
        return *recent;
    }
    const char *copy = sy_arena_copy_bytes(vault->arena, text, size);
    if (copy != NULL) {
        *recent = copy;
    }
    return copy;
}

static const char *keep(sy_vault *vault, const char *text)
{
    if (text == NULL || *text == '\0') {
        return "";
    }
    return sy_arena_copy_text(vault->arena, text);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const sy_property *)a)->name, ((const sy_property *)b)->name);
}

void sy_structure_sort(sy_property *structure, size_t count)
{
    if (count > 1) {
        qsort(structure, count, sizeof *structure, compare_names);
    }
}

static bool copy_key(sy_vault *vault, sy_profile_key *key, const sy_profile_key *from, const char *digest)
{
    key->backend = keep_shared(vault, from->backend);
    key->operator_name = keep_shared(vault, from->operator_name);
    key->implementation_version = keep_shared(vault, from->implementation_version);
    key->model_digest = digest;
    key->processor = keep_shared(vault, from->processor);
    key->thread_count = from->thread_count;
    bool whole = key->backend && key->operator_name && key->implementation_version && key->model_digest &&
                 key->processor;
    key->structure = NULL;
    key->structure_count = from->structure_count;
    if (from->structure_count > 0) {
        sy_property *structure = sy_arena_allocate(vault->arena, from->structure_count, sizeof *structure);
        for (size_t i = 0; structure != NULL && i < from->structure_count; i++) {
            structure[i].name = keep_shared(vault, from->structure[i].name);
            structure[i].value = *sy_text_or_empty(from->structure[i].value) == '\0'
                                     ? ""
                                     : keep_shared(vault, from->structure[i].value);
            whole = whole && structure[i].name && structure[i].value;
        }
        whole = whole && structure != NULL;
        if (whole) {
            sy_structure_sort(structure, from->structure_count);
        }
        key->structure = structure;
    }
    return whole;
}

static bool copy_measurements(sy_vault *vault, sy_profile *profile, const sy_profile *from)
{
    profile->measurements = NULL;
    if (from->measurement_count == 0) {
        return true;
    }
    sy_measurement *list = sy_arena_allocate(vault->arena, from->measurement_count, sizeof *list);
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < from->measurement_count; i++) {
        list[i].name = keep_shared(vault, from->measurements[i].name);
        list[i].value = from->measurements[i].value;
        list[i].unit = keep_shared(vault, from->measurements[i].unit);
        whole = list[i].name && list[i].unit;
    }
    profile->measurements = list;
    return whole;
}

static bool copy_alternatives(sy_vault *vault, sy_profile *profile, const sy_profile *from)
{
    profile->alternatives = NULL;
    if (from->alternative_count == 0) {
        return true;
    }
    sy_alternative *list = sy_arena_allocate(vault->arena, from->alternative_count, sizeof *list);
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < from->alternative_count; i++) {
        list[i].name = keep_shared(vault, from->alternatives[i].name);
        list[i].reason = keep_shared(vault, from->alternatives[i].reason);
        list[i].ratio = from->alternatives[i].ratio;
        whole = list[i].name && list[i].reason;
    }
    profile->alternatives = list;
    return whole;
}

static bool copy_earlier(sy_vault *vault, sy_profile *profile, const sy_profile *from)
{
    profile->earlier = NULL;
    if (from->earlier_count == 0) {
        return true;
    }
    sy_profile_earlier *list = sy_arena_allocate(vault->arena, from->earlier_count, sizeof *list);
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < from->earlier_count; i++) {
        list[i] = from->earlier[i];
        list[i].policy = sy_arena_copy_bytes(vault->arena, from->earlier[i].policy, from->earlier[i].policy_size);
        list[i].origin = keep_shared(vault, from->earlier[i].origin);
        list[i].tool = keep_shared(vault, from->earlier[i].tool);
        list[i].evidence_run = keep(vault, from->earlier[i].evidence_run);
        list[i].evidence_digest = keep(vault, from->earlier[i].evidence_digest);
        whole = list[i].policy && list[i].origin && list[i].tool && list[i].evidence_run && list[i].evidence_digest;
    }
    profile->earlier = list;
    return whole;
}

/* An entry with its model digest right before it: the one text of an exact key that few profiles share, so that a
 * lookup waits once for both. */
static sy_entry *allocate_entry(sy_vault *vault, const sy_profile *from, char **ret_digest)
{
    const char *digest = sy_text_or_empty(from->key.model_digest);
    size_t size = strlen(digest) + 1;
    size_t before = (size + _Alignof(sy_entry) - 1) / _Alignof(sy_entry) * _Alignof(sy_entry);
    char *block = sy_arena_allocate(vault->arena, 1, before + sizeof(sy_entry));
    if (block == NULL) {
        return NULL;
    }
    *ret_digest = block + (before - size);
    memcpy(*ret_digest, digest, size);
    return (sy_entry *)(void *)(block + before);
}

const sy_entry *sy_entry_create(sy_vault *vault, const sy_profile *from, const char *comment, size_t comment_size)
{
    char *digest;
    sy_entry *entry = allocate_entry(vault, from, &digest);
    if (entry == NULL) {
        return NULL;
    }
    sy_profile *profile = &entry->profile;
    *profile = *from;
    profile->portable = from->key.structure_count > 0;
    profile->policy = sy_arena_copy_bytes(vault->arena, from->policy, from->policy_size);
    profile->trial.rule = keep_shared(vault, from->trial.rule);
    profile->evidence_run = keep(vault, from->evidence_run);
    profile->evidence_digest = keep(vault, from->evidence_digest);
    profile->reason = keep(vault, from->reason);
    profile->tool = keep_shared(vault, from->tool);
    profile->signed_by = keep_shared(vault, from->signed_by);
    entry->comment = comment_size == 0 ? "" : sy_arena_copy_bytes(vault->arena, comment, comment_size);
    entry->comment_size = comment_size;
    if (!copy_key(vault, &profile->key, &from->key, digest) || !copy_measurements(vault, profile, from) ||
        !copy_alternatives(vault, profile, from) || !copy_earlier(vault, profile, from) || !profile->policy ||
        !profile->trial.rule || !profile->evidence_run || !profile->evidence_digest || !profile->reason ||
        !profile->tool || !profile->signed_by || !entry->comment) {
        return NULL;
    }
    entry->hash = sy_hash_key(&profile->key, profile->portable);
    return entry;
}

const sy_entry *sy_entry_recount(sy_vault *vault, const sy_entry *entry, const sy_profile *counts)
{
    char *digest;
    sy_entry *again = allocate_entry(vault, &entry->profile, &digest);
    if (again == NULL) {
        return NULL;
    }
    *again = *entry;
    again->profile.key.model_digest = digest;
    again->profile.cost = counts->cost;
    again->profile.use = counts->use;
    again->profile.trial.attempt = counts->trial.attempt;
    sy_profile_earlier *list = NULL;
    if (counts->earlier_count > 0) {
        list = sy_arena_allocate(vault->arena, counts->earlier_count, sizeof *list);
        if (list == NULL) {
            return NULL;
        }
    }
    for (size_t i = 0; i < counts->earlier_count; i++) {
        list[i] = entry->profile.earlier[i];
        list[i].cost = counts->earlier[i].cost;
        list[i].use = counts->earlier[i].use;
    }
    again->profile.earlier = list;
    return again;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || strcmp(sy_text_or_empty(a), sy_text_or_empty(b)) == 0;
}

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static bool same_lists(const sy_profile *a, const sy_profile *b)
{
    if (a->measurement_count != b->measurement_count || a->alternative_count != b->alternative_count) {
        return false;
    }
    for (size_t i = 0; i < a->measurement_count; i++) {
        const sy_measurement *x = &a->measurements[i];
        const sy_measurement *y = &b->measurements[i];
        if (!same_double(x->value, y->value) || !same_text(x->name, y->name) || !same_text(x->unit, y->unit)) {
            return false;
        }
    }
    for (size_t i = 0; i < a->alternative_count; i++) {
        const sy_alternative *x = &a->alternatives[i];
        const sy_alternative *y = &b->alternatives[i];
        if (!same_double(x->ratio, y->ratio) || !same_text(x->name, y->name) || !same_text(x->reason, y->reason)) {
            return false;
        }
    }
    return true;
}

static bool same_figures(const sy_profile *a, const sy_profile *b)
{
    if (a->has_trial != b->has_trial || a->has_gain != b->has_gain || a->has_parity != b->has_parity) {
        return false;
    }
    const sy_profile_trial *t = &a->trial;
    const sy_profile_trial *u = &b->trial;
    if (a->has_trial && (t->decision != u->decision || !same_text(t->rule, u->rule) || t->max_pairs != u->max_pairs ||
                         t->pairs != u->pairs || t->wins != u->wins || !same_double(t->e_value, u->e_value))) {
        return false;
    }
    const sy_profile_gain *g = &a->gain;
    const sy_profile_gain *h = &b->gain;
    if (a->has_gain && (!same_double(g->gain, h->gain) || !same_double(g->low, h->low) ||
                        !same_double(g->high, h->high) || g->pairs != h->pairs)) {
        return false;
    }
    return !a->has_parity || (a->parity.outcome == b->parity.outcome &&
                              same_double(a->parity.error_in_tolerances, b->parity.error_in_tolerances));
}

static bool same_history(const sy_profile *a, const sy_profile *b)
{
    bool same = a->earlier_count == b->earlier_count && a->earlier_dropped == b->earlier_dropped &&
                sy_profile_cost_equal(&a->dropped_cost, &b->dropped_cost);
    for (size_t i = 0; same && i < a->earlier_count; i++) {
        sy_profile_earlier uncounted = a->earlier[i];
        uncounted.cost = b->earlier[i].cost;
        uncounted.use = b->earlier[i].use;
        same = sy_earlier_equal(&uncounted, &b->earlier[i]);
    }
    return same;
}

bool sy_entry_equal_but_counts(const sy_entry *entry, const sy_profile *profile, const char *comment,
                               size_t comment_size)
{
    const sy_profile *a = &entry->profile;
    bool portable = profile->key.structure_count > 0;
    return a->kind == profile->kind && a->portable == portable && sy_key_equal(&a->key, &profile->key, portable) &&
           a->policy_size == profile->policy_size && memcmp(a->policy, profile->policy, a->policy_size) == 0 &&
           same_lists(a, profile) && same_figures(a, profile) && same_text(a->evidence_run, profile->evidence_run) &&
           same_text(a->evidence_digest, profile->evidence_digest) && same_text(a->reason, profile->reason) &&
           same_text(a->tool, profile->tool) && a->created_utc_s == profile->created_utc_s &&
           a->expires_utc_s == profile->expires_utc_s && same_text(a->signed_by, profile->signed_by) &&
           same_history(a, profile) && entry->comment_size == comment_size &&
           (comment_size == 0 || memcmp(entry->comment, comment, comment_size) == 0);
}

bool sy_entry_counts_equal(const sy_entry *entry, const sy_profile *profile)
{
    return entry->profile.trial.attempt == profile->trial.attempt && sy_profile_counts_equal(&entry->profile, profile);
}

bool sy_entry_answers_alike(const sy_entry *a, const sy_entry *b)
{
    return a == b || a->profile.policy == b->profile.policy; /* which only a recount shares */
}

static bool same_structure(const sy_profile_key *stored, const sy_profile_key *asked)
{
    if (stored->structure_count != asked->structure_count) {
        return false;
    }
    for (size_t i = 0; i < asked->structure_count; i++) {
        const sy_property *wanted = &asked->structure[i];
        /* Engines mostly ask in sorted order; then the place is the same. */
        const sy_property *found = &stored->structure[i];
        if (strcmp(found->name, wanted->name) != 0) {
            found = bsearch(wanted, stored->structure, stored->structure_count, sizeof *found, compare_names);
        }
        if (found == NULL || strcmp(found->value, sy_text_or_empty(wanted->value)) != 0) {
            return false;
        }
    }
    return true;
}

bool sy_key_equal(const sy_profile_key *stored, const sy_profile_key *asked, bool portable)
{
    if (strcmp(stored->backend, asked->backend) != 0 || strcmp(stored->operator_name, asked->operator_name) != 0 ||
        strcmp(stored->implementation_version, asked->implementation_version) != 0) {
        return false;
    }
    if (portable) {
        return same_structure(stored, asked);
    }
    return stored->thread_count == asked->thread_count && strcmp(stored->model_digest, asked->model_digest) == 0 &&
           strcmp(stored->processor, asked->processor) == 0;
}
