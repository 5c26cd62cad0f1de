/* SPDX-License-Identifier: Apache-2.0 */
/* The words of gates: states, as files and as people write them, and what a text says of parity. */
#include <ctype.h>
#include <string.h>

#include "registry/gates/gates.h"

static const struct {
    const char *word;
    const char *label;
} states[] = {
    [SY_GATE_MEASURED] = {"measured", "\xe2\x9c\x93 Measured"},
    [SY_GATE_PARTIAL] = {"partial", "\xe2\x97\x90 Partial"},
    [SY_GATE_PENDING] = {"pending", "\xe2\x97\x8b Pending"},
    [SY_GATE_BLOCKED] = {"blocked", "! Blocked"},
    [SY_GATE_REFUTED] = {"refuted", "\xc3\x97 Refuted"},
    [SY_GATE_UNSUPPORTED] = {"unsupported", "Not supported"},
    [SY_GATE_SUPERSEDED] = {"superseded", "\xe2\x86\xba Superseded"},
    [SY_GATE_STATE_UNKNOWN] = {"", ""},
};

const char *sy_gate_state_word(sy_gate_state state)
{
    return states[state].word;
}

const char *sy_gate_state_label(sy_gate_state state)
{
    return states[state].label;
}

sy_gate_state sy_gate_state_read(const char *word)
{
    int state = 0;
    while (state < SY_GATE_STATE_UNKNOWN && (word == NULL || strcmp(states[state].word, word) != 0)) {
        state++;
    }
    return (sy_gate_state)state;
}

bool sy_gate_state_is_open(sy_gate_state state)
{
    return state == SY_GATE_PARTIAL || state == SY_GATE_PENDING || state == SY_GATE_BLOCKED;
}

static const char *const parity_words[] = {
    [SY_PARITY_WORD_UNKNOWN] = "unknown",
    [SY_PARITY_WORD_PASSED] = "passed",
    [SY_PARITY_WORD_FAILED] = "failed",
    [SY_PARITY_WORD_INCOMPLETE] = "incomplete",
    [SY_PARITY_WORD_NOT_PERFORMED] = "not performed",
    [SY_PARITY_WORD_ABSENT] = "absent",
};

const char *sy_parity_word_text(sy_parity_word word)
{
    return parity_words[word];
}

/* Whether text begins with word, in letters of either case, and the word ends there. */
static bool begins_with_word(const char *text, const char *word)
{
    for (; *word != '\0'; text++, word++) {
        if (tolower((unsigned char)*text) != *word) {
            return false;
        }
    }
    return *text == '\0' || *text == ':' || *text == ',' || *text == '.';
}

sy_parity_word sy_parity_word_read(const char *text)
{
    static const sy_parity_word words[] = {SY_PARITY_WORD_PASSED, SY_PARITY_WORD_FAILED, SY_PARITY_WORD_INCOMPLETE,
                                           SY_PARITY_WORD_NOT_PERFORMED};
    if (sy_is_blank(text)) {
        return SY_PARITY_WORD_ABSENT;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (begins_with_word(text, parity_words[words[i]])) {
            return words[i];
        }
    }
    return SY_PARITY_WORD_UNKNOWN;
}
