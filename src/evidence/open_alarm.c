/* SPDX-License-Identifier: Apache-2.0 */
/* The last verdict on each question that was asked of a run. */
#include "evidence/open_alarm.h"

#include <string.h>

bool sy_verdicts_share_question(const sy_run_verdict *a, const sy_run_verdict *b)
{
    bool own = a->mode == SY_COMPARISON_SAME_KEY;
    bool other_own = b->mode == SY_COMPARISON_SAME_KEY;
    return own == other_own && (own || strcmp(a->baseline_key, b->baseline_key) == 0);
}

const sy_run_verdict *sy_verdict_of_own_key(const sy_run *run)
{
    for (size_t i = run->verdict_count; i > 0; i--) {
        if (run->verdicts[i - 1].mode == SY_COMPARISON_SAME_KEY) {
            return &run->verdicts[i - 1];
        }
    }
    return NULL;
}

static bool is_replaced(const sy_run *run, size_t place)
{
    for (size_t i = place + 1; i < run->verdict_count; i++) {
        if (sy_verdicts_share_question(&run->verdicts[i], &run->verdicts[place])) {
            return true;
        }
    }
    return false;
}

size_t sy_open_alarm(const sy_run *run, const sy_run_verdict *but)
{
    for (size_t i = run->verdict_count; i > 0; i--) {
        const sy_run_verdict *verdict = &run->verdicts[i - 1];
        bool counts = but == NULL || !sy_verdicts_share_question(verdict, but);
        if (counts && verdict->word >= SY_JUDGEMENT_INVESTIGATE && !is_replaced(run, i - 1)) {
            return i;
        }
    }
    return 0;
}
