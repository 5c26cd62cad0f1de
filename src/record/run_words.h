/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a run's enumerations as tables, so that one reader and one writer serve all of them. */
#ifndef STEELYARD_RECORD_RUN_WORDS_H
#define STEELYARD_RECORD_RUN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The word of value v is words[v]. */
typedef struct sy_word_list {
    const char *const *words;
    size_t count;
} sy_word_list;

extern const sy_word_list sy_run_status_words;
extern const sy_word_list sy_run_kind_words;
extern const sy_word_list sy_run_parity_words;
extern const sy_word_list sy_series_role_words;
extern const sy_word_list sy_artifact_role_words;
extern const sy_word_list sy_memory_basis_words;
extern const sy_word_list sy_memory_scope_words;
extern const sy_word_list sy_run_decision_words; /* of sy_decision */
extern const sy_word_list sy_event_kind_words;
extern const sy_word_list sy_comparison_mode_words;
extern const sy_word_list sy_statistic_words;
extern const sy_word_list sy_change_state_words;
extern const sy_word_list sy_judgement_words;
extern const sy_word_list sy_judgement_reason_words;

/* The first reason of a verdict on a run whose evidence is in order. */
#define SY_REASON_PARITY_PASSED "parity passed"

/* "unknown" outside of the list. */
const char *sy_word_of(const sy_word_list *list, unsigned value);
/* false: no such word; *ret_value is untouched then. word may be NULL. */
bool sy_word_read(const sy_word_list *list, const char *word, unsigned *ret_value);

#endif
