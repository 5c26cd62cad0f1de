/* SPDX-License-Identifier: Apache-2.0 */
/* One stored profile as the store holds it: checked, copied once into memory that lives until the store is closed, and
 * immutable from then on. */
#ifndef STEELYARD_STORE_PROFILE_H
#define STEELYARD_STORE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

#include "base/arena.h"

/* The hash and what a lookup reads of the profile share the first two cache lines. */
typedef struct sy_entry {
    uint64_t hash; /* sy_hash_key of its key */
    sy_profile profile;
    const char *comment; /* whole lines that stand before it in the file, line ends included; "" */
    size_t comment_size;
} sy_entry;

#define SY_VAULT_RECENT 256

/* Memory for entries, until the store closes. Texts that many profiles share (backend, processor, ...) are kept once,
 * as long as they come up again soon. Not thread-safe. */
typedef struct sy_vault {
    sy_arena *arena;
    const char *recent[SY_VAULT_RECENT];
} sy_vault;

bool sy_vault_start(sy_vault *vault); /* false: no memory */
void sy_vault_finish(sy_vault *vault);

/* Copies from (which passed sy_profile_check; texts may be NULL for "") and comment. NULL: no memory. */
const sy_entry *sy_entry_create(sy_vault *vault, const sy_profile *from, const char *comment, size_t comment_size);
/* An entry that shares all but the counts of another one, which lives as long: attempt, cost and use, and those of its
 * earlier measurements, are those of counts, which has as many. NULL: no memory. */
const sy_entry *sy_entry_recount(sy_vault *vault, const sy_entry *entry, const sy_profile *counts);
/* All fields but the counts, comment included, doubles by their bits. */
bool sy_entry_equal_but_counts(const sy_entry *entry, const sy_profile *profile, const char *comment,
                               size_t comment_size);
/* The counts of two that are equal but for them. */
bool sy_entry_counts_equal(const sy_entry *entry, const sy_profile *profile);
/* One is a recount of the other, or both are the same: they answer alike. */
bool sy_entry_answers_alike(const sy_entry *a, const sy_entry *b);

/* Whether a stored key answers to one that is asked for, in its exact or portable half. The asked structure may stand
 * in any order but names nothing twice. */
bool sy_key_equal(const sy_profile_key *stored, const sy_profile_key *asked, bool portable);

/* SY_INVALID_ARGUMENT naming the field: key, empty policy, measurements, alternatives, evidence, times, figures. */
sy_status sy_profile_check(const sy_profile *profile, sy_error *err) SY_NODISCARD;

sy_status sy_profile_check_counts(const sy_profile_cost *cost, const sy_profile_use *use, sy_error *err) SY_NODISCARD;

/* Copies one sorted structure list; names are unique after sy_profile_key_check. */
void sy_structure_sort(sy_property *structure, size_t count);

/* Where decisions are told apart: INCONCLUSIVE is "undecided" in a profile. */
const char *sy_profile_decision_word(sy_decision decision);
bool sy_profile_decision_of_word(const char *word, size_t size, sy_decision *ret_decision);
/* An unset text and an empty one are the same. */
const char *sy_text_or_empty(const char *text);

#endif
