/* SPDX-License-Identifier: Apache-2.0 */
/* The words that JSON, messages and files use for the enumerations of steelyard/record.h. */
#include <steelyard/record.h>

#define WORD_OF(table, value) \
    ((size_t)(value) < sizeof(table) / sizeof((table)[0]) ? (table)[(size_t)(value)] : "unknown")

const char *sy_role_word(sy_role role)
{
    static const char *const words[] = {
        [SY_ROLE_ORACLE] = "oracle", [SY_ROLE_REFERENCE] = "reference", [SY_ROLE_CANDIDATE] = "candidate"};
    return WORD_OF(words, role);
}

const char *sy_error_class_word(sy_error_class error_class)
{
    static const char *const words[] = {[SY_CLASS_EXACT] = "exact",
                                        [SY_CLASS_TOLERANCE] = "tolerance",
                                        [SY_CLASS_APPROXIMATE] = "approximate",
                                        [SY_CLASS_NONDETERMINISTIC] = "nondeterministic"};
    return WORD_OF(words, error_class);
}

const char *sy_question_word(sy_question question)
{
    static const char *const words[] = {[SY_QUESTION_FASTER] = "faster", [SY_QUESTION_NOT_SLOWER] = "not-slower"};
    return WORD_OF(words, question);
}

const char *sy_preference_word(sy_preference preference)
{
    static const char *const words[] = {[SY_PREFER_SPEED] = "speed", [SY_PREFER_MEMORY] = "memory"};
    return WORD_OF(words, preference);
}

const char *sy_rule_kind_word(sy_rule_kind kind)
{
    static const char *const words[] = {[SY_RULE_CAPPED] = "capped", [SY_RULE_MEDIANS] = "medians"};
    return WORD_OF(words, kind);
}

const char *sy_isolation_word(sy_isolation isolation)
{
    static const char *const words[] = {
        [SY_ISOLATION_WORKER] = "worker", [SY_ISOLATION_PROCESS] = "process", [SY_ISOLATION_NONE] = "none"};
    return WORD_OF(words, isolation);
}

const char *sy_cache_state_word(sy_cache_state cache)
{
    static const char *const words[] = {[SY_CACHE_HOT] = "hot", [SY_CACHE_COLD] = "cold"};
    return WORD_OF(words, cache);
}

const char *sy_device_kind_word(sy_device_kind kind)
{
    static const char *const words[] = {[SY_DEVICE_UNKNOWN] = "unknown",
                                        [SY_DEVICE_CPU] = "cpu",
                                        [SY_DEVICE_GPU] = "gpu",
                                        [SY_DEVICE_INTEGRATED_GPU] = "integrated-gpu",
                                        [SY_DEVICE_ACCELERATOR] = "accelerator"};
    return WORD_OF(words, kind);
}

const char *sy_parity_outcome_word(sy_parity_outcome outcome)
{
    static const char *const words[] = {[SY_PARITY_NOT_PERFORMED] = "not-performed",
                                        [SY_PARITY_PASSED] = "passed",
                                        [SY_PARITY_QUALIFIED] = "qualified",
                                        [SY_PARITY_FAILED] = "failed"};
    return WORD_OF(words, outcome);
}

typedef struct decision_row {
    const char *word;
    bool completed;
    int exit_code;
} decision_row;

static const decision_row decision_rows[] = {
#define DECISION_ROW(name, word, completed, exit_code) [SY_DECISION_##name] = {word, completed, exit_code},
    SY_DECISION_LIST(DECISION_ROW)
#undef DECISION_ROW
};

static const decision_row *find_decision(sy_decision decision)
{
    size_t index = (size_t)decision;
    return index < sizeof decision_rows / sizeof decision_rows[0] ? &decision_rows[index] : NULL;
}

const char *sy_decision_word(sy_decision decision)
{
    const decision_row *row = find_decision(decision);
    return row != NULL ? row->word : "unknown";
}

bool sy_decision_completed(sy_decision decision)
{
    const decision_row *row = find_decision(decision);
    return row != NULL && row->completed;
}

int sy_decision_exit_code(sy_decision decision)
{
    const decision_row *row = find_decision(decision);
    return row != NULL ? row->exit_code : 4;
}
