/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts and their reasons as words. */
#include <steelyard/judge.h>

const char *sy_judgement_word_text(sy_judgement_word word)
{
    static const char *const words[] = {
#define VERDICT_WORD(name, text, exit_code) text,
        SY_JUDGEMENT_LIST(VERDICT_WORD)
#undef VERDICT_WORD
    };

    return (size_t)word < sizeof words / sizeof words[0] ? words[word] : "unknown";
}

int sy_judgement_exit_code(sy_judgement_word word)
{
    static const int codes[] = {
#define VERDICT_CODE(name, text, exit_code) exit_code,
        SY_JUDGEMENT_LIST(VERDICT_CODE)
#undef VERDICT_CODE
    };

    return (size_t)word < sizeof codes / sizeof codes[0] ? codes[word] : 4;
}

const char *sy_judgement_reason_text(sy_judgement_reason reason)
{
    static const char *const words[] = {
#define REASON_WORD(name, text) text,
        SY_JUDGEMENT_REASON_LIST(REASON_WORD)
#undef REASON_WORD
    };

    return (size_t)reason < sizeof words / sizeof words[0] ? words[reason] : "unknown";
}
