/* SPDX-License-Identifier: Apache-2.0 */
/* The words that events, JSON and people use for what steelyard/run.h enumerates, made from its lists. */
#include "record/run_words.h"

#include <steelyard/run.h>
#include <steelyard/verdict.h>
#include <string.h>

#include "base/text.h"
#include "record/run_events.h"

#define WORD(name, word) word,

/* NAME_words from a list of the header. */
#define WORD_TABLE(table, LIST)                              \
    static const char *const table##_texts[] = {LIST(WORD)}; \
    const sy_word_list table##_words = {table##_texts, sizeof table##_texts / sizeof table##_texts[0]}

WORD_TABLE(sy_run_status, SY_RUN_STATUS_LIST);
WORD_TABLE(sy_run_kind, SY_RUN_KIND_LIST);
WORD_TABLE(sy_run_parity, SY_RUN_PARITY_LIST);
WORD_TABLE(sy_series_role, SY_SERIES_ROLE_LIST);
WORD_TABLE(sy_artifact_role, SY_ARTIFACT_ROLE_LIST);
WORD_TABLE(sy_memory_basis, SY_MEMORY_BASIS_LIST);
WORD_TABLE(sy_memory_scope, SY_MEMORY_SCOPE_LIST);
WORD_TABLE(sy_event_kind, SY_EVENT_KIND_LIST);
WORD_TABLE(sy_comparison_mode, SY_COMPARISON_MODE_LIST);
WORD_TABLE(sy_statistic, SY_STATISTIC_LIST);
WORD_TABLE(sy_change_state, SY_CHANGE_STATE_LIST);
WORD_TABLE(sy_judgement_reason, SY_JUDGEMENT_REASON_LIST);

#define JUDGEMENT_WORD(name, word, exit_code) word,
static const char *const judgement_texts[] = {SY_JUDGEMENT_LIST(JUDGEMENT_WORD)};
const sy_word_list sy_judgement_words = {judgement_texts, sizeof judgement_texts / sizeof judgement_texts[0]};

#define DECISION_WORD(name, word, completed, exit_code) word,
static const char *const decision_texts[] = {SY_DECISION_LIST(DECISION_WORD)};
const sy_word_list sy_run_decision_words = {decision_texts, sizeof decision_texts / sizeof decision_texts[0]};

const char *sy_word_of(const sy_word_list *list, unsigned value)
{
    return value < list->count ? list->words[value] : "unknown";
}

bool sy_word_read(const sy_word_list *list, const char *word, unsigned *ret_value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (sy_text_equal(list->words[i], word)) {
            *ret_value = (unsigned)i;
            return true;
        }
    }
    return false;
}

const char *sy_run_status_word(sy_run_status status)
{
    return sy_word_of(&sy_run_status_words, (unsigned)status);
}

const char *sy_run_kind_word(sy_run_kind kind)
{
    return sy_word_of(&sy_run_kind_words, (unsigned)kind);
}

const char *sy_run_parity_word(sy_run_parity parity)
{
    return sy_word_of(&sy_run_parity_words, (unsigned)parity);
}

const char *sy_series_role_word(sy_series_role role)
{
    return sy_word_of(&sy_series_role_words, (unsigned)role);
}

const char *sy_artifact_role_word(sy_artifact_role role)
{
    return sy_word_of(&sy_artifact_role_words, (unsigned)role);
}

const char *sy_memory_basis_word(sy_memory_basis basis)
{
    return sy_word_of(&sy_memory_basis_words, (unsigned)basis);
}

const char *sy_memory_scope_word(sy_memory_scope scope)
{
    return sy_word_of(&sy_memory_scope_words, (unsigned)scope);
}

const char *sy_comparison_mode_word(sy_comparison_mode mode)
{
    return sy_word_of(&sy_comparison_mode_words, (unsigned)mode);
}

const char *sy_statistic_word(sy_statistic statistic)
{
    return sy_word_of(&sy_statistic_words, (unsigned)statistic);
}

const char *sy_change_state_word(sy_change_state state)
{
    return sy_word_of(&sy_change_state_words, (unsigned)state);
}

const char *sy_event_kind_word(sy_event_kind kind)
{
    return sy_word_of(&sy_event_kind_words, (unsigned)kind);
}

bool sy_run_status_read(const char *word, sy_run_status *ret_status)
{
    unsigned value;
    if (!sy_word_read(&sy_run_status_words, word, &value)) {
        return false;
    }
    *ret_status = (sy_run_status)value;
    return true;
}

bool sy_run_parity_read(const char *word, sy_run_parity *ret_parity)
{
    unsigned value;
    if (!sy_word_read(&sy_run_parity_words, word, &value)) {
        return false;
    }
    *ret_parity = (sy_run_parity)value;
    return true;
}

bool sy_artifact_role_read(const char *word, sy_artifact_role *ret_role)
{
    unsigned value;
    if (!sy_word_read(&sy_artifact_role_words, word, &value)) {
        return false;
    }
    *ret_role = (sy_artifact_role)value;
    return true;
}

bool sy_statistic_read(const char *word, sy_statistic *ret_statistic)
{
    unsigned value;
    if (!sy_word_read(&sy_statistic_words, word, &value)) {
        return false;
    }
    *ret_statistic = (sy_statistic)value;
    return true;
}

sy_event_kind sy_event_kind_read(const char *word)
{
    unsigned value = SY_EVENT_UNKNOWN;
    (void)sy_word_read(&sy_event_kind_words, word, &value);
    return (sy_event_kind)value;
}

const char *sy_run_verdict_decisive(const sy_run_verdict *verdict)
{
    size_t at = 0;
    if (verdict->evidence != NULL && verdict->evidence[0] != '\0') {
        return verdict->evidence;
    }
    if (verdict->reason_count > 1 && strcmp(verdict->reasons[0], SY_REASON_PARITY_PASSED) == 0) {
        at = 1;
    }
    return at < verdict->reason_count ? verdict->reasons[at] : "";
}
