/* SPDX-License-Identifier: Apache-2.0 */
/* Memory preferred: who needs less of it than the reference, and which of those that are not slower needs least. What
 * memory is: scratch, then the peak of the process in whole MiB. */
#include "probe/leanest.h"

#include <math.h>

#include "base/text.h"

/* "12 KiB of scratch"; where the reference takes the same, the peaks. */
static void describe(const sy_weighing *w, const sy_contender *contender, bool by_peak, char *to, size_t size)
{
    uint64_t bytes = by_peak ? contender->memory_bytes : sy_contender_memory(w, contender, true);
    char figure[16];
    sy_format_bytes(figure, sizeof(figure), bytes);
    (void)sy_text_copy(to, size, figure);
}

static void drop_for_memory(sy_weighing *w, sy_contender *contender, const sy_contender *against, sy_decision decision)
{
    char own[16];
    char other[16];
    bool by_peak = sy_contender_memory(w, contender, true) == sy_contender_memory(w, against, true);
    describe(w, contender, by_peak, own, sizeof(own));
    describe(w, against, by_peak, other, sizeof(other));
    sy_weighing_drop(w, contender, decision, "memory", "%s %s; %s %s", by_peak ? "its process took" : "its scratch is",
                     own, against->name, other);
}

void sy_leanest_drop_others(sy_weighing *w)
{
    for (uint32_t i = 1; i < w->contender_count && !w->ended; i++) {
        sy_contender *contender = &w->contenders[i];
        if (contender->live && !sy_contender_is_leaner(w, contender, &w->contenders[0]))
            drop_for_memory(w, contender, &w->contenders[0], SY_DECISION_NO_GAIN);
    }
}

void sy_leanest_choose(sy_weighing *w, const double *ratios)
{
    double threshold = -log1p(w->options->margin);
    uint32_t quickest = 0;
    uint32_t leanest = 0;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        if (!contender->live)
            continue;
        if (isfinite(ratios[i]))
            contender->gain = 1 - exp(-ratios[i]);
        if (quickest == 0 || ratios[i] > ratios[quickest])
            quickest = i;
        if (ratios[i] >= threshold && (leanest == 0 || sy_contender_less_memory(w, contender, &w->contenders[leanest])))
            leanest = i;
    }
    w->finalist = leanest ? leanest : quickest; /* all seem slower: the pairs of the best of them say so */
    for (uint32_t i = 1; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        if (!contender->live || i == w->finalist)
            continue;
        if (ratios[i] >= threshold)
            drop_for_memory(w, contender, &w->contenders[w->finalist], SY_DECISION_INCONCLUSIVE);
        else
            sy_weighing_drop(w, contender, SY_DECISION_INCONCLUSIVE, "slower",
                             "slower than the reference by more than the margin after %u rounds", contender->rounds);
    }
}
