/* SPDX-License-Identifier: Apache-2.0 */
/* How the rule's tests make, feed and end a rule. */
#ifndef STEELYARD_PROBE_RULE_TEST_SUPPORT_H
#define STEELYARD_PROBE_RULE_TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/rule/rule.h"

static const double rule_test_one_weight[] = {1};

/* The defaults of a probe: alpha .05, beta .2, X = 3 %, Z = 3 %, Y = 10 %, 60 pairs, one case. */
static inline sy_rule_options rule_test_options(void)
{
    return (sy_rule_options){
        .question = SY_QUESTION_FASTER,
        .kind = SY_RULE_CAPPED,
        .max_pairs = 60,
        .alpha = .05,
        .beta = .2,
        .min_improvement = .03,
        .margin = .03,
        .veto = .10,
        .case_count = 1,
        .weights = rule_test_one_weight,
    };
}

static inline sy_rule *rule_test_make(const sy_rule_options *options)
{
    sy_error err = SY_ERROR_INIT;
    sy_rule *rule = NULL;

    if (sy_rule_create(options, &rule, &err) != SY_OK)
        fail_msg("%s", err.what);
    return rule;
}

static inline sy_rule_state rule_test_feed(sy_rule *rule, const sy_rule_pair *pairs)
{
    sy_rule_state state;

    memset(&state, 0, sizeof state);
    assert_int_equal(sy_rule_step(rule, pairs, &state, NULL), SY_OK);
    return state;
}

/* One case, log ratio d. */
static inline sy_rule_state rule_test_feed_d(sy_rule *rule, double d, bool reference_first)
{
    const sy_rule_pair pair = {100 * exp(d), 100, reference_first, SY_USABLE};

    return rule_test_feed(rule, &pair);
}

/* One case, one letter a pair: W a gain of 20 %, L none, t c v unusable (timer, crashed, void). Stops at an answer;
 * *ret_fed counts the letters used. */
static inline sy_rule_state rule_test_feed_letters(sy_rule *rule, const char *letters, size_t *ret_fed)
{
    sy_rule_state state;
    size_t fed = 0;

    memset(&state, 0, sizeof state);
    for (; letters[fed] != '\0' && state.answer == SY_RULE_CONTINUE; fed++) {
        sy_rule_pair pair = {100, letters[fed] == 'W' ? 80 : 100, fed % 2 == 0, SY_USABLE};

        pair.unusable = letters[fed] == 't'   ? SY_UNUSABLE_TIMER
                        : letters[fed] == 'c' ? SY_UNUSABLE_CRASHED
                        : letters[fed] == 'v' ? SY_UNUSABLE_VOID
                                              : SY_USABLE;
        state = rule_test_feed(rule, &pair);
    }
    *ret_fed = fed;
    return state;
}

static inline sy_rule_evidence rule_test_evidence(sy_rule_end end)
{
    return (sy_rule_evidence){.end = end, .resolvable_gain = NAN};
}

static inline sy_rule_state rule_test_finish(sy_rule *rule, const sy_rule_evidence *evidence)
{
    sy_rule_state state;
    sy_error err = SY_ERROR_INIT;

    memset(&state, 0, sizeof state);
    if (sy_rule_finish(rule, evidence, &state, &err) != SY_OK)
        fail_msg("%s", err.what);
    return state;
}

/* Whether some note begins with this text. */
static inline bool rule_test_has_note(const sy_rule *rule, const char *beginning)
{
    size_t count = 0;
    const char *const *notes = sy_rule_notes(rule, &count);

    for (size_t i = 0; i < count; i++) {
        if (strncmp(notes[i], beginning, strlen(beginning)) == 0)
            return true;
    }
    return false;
}

#endif
