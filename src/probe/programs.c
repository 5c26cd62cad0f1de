/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where each run is a whole program: the backend's own account of a run, and numbers that are no
 * times. The other steps ask only for the backend's trait. */
#include <math.h>

#include "base/text.h"
#include "probe/weighing.h"

/* A run that was fed other outputs than those that were verified proves nothing about speed. */
static void drop_wrong(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, const char *wrong)
{
    sy_parity *parity = &contender->parity[wc - w->cases];
    parity->outcome = SY_PARITY_FAILED;
    parity->deterministic = false;
    (void)sy_text_copy(parity->reason, sizeof(parity->reason), wrong);
    sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "a timed run: %s", wrong);
}

void sy_weighing_take_account(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc,
                              const sy_run_account *account, uint64_t took_ns, sy_measured *ret_measured)
{
    size_t k = (size_t)(wc - w->cases);
    bool usable = account->void_reason[0] == '\0' && account->wrong[0] == '\0';
    bool has_cost = isfinite(account->cost) && account->cost > 0;
    contender->slot_switches = SY_SWITCHES_UNKNOWN; /* of how many processes? */
    w->measured_ns += account->elapsed_ns;
    contender->slot_ns[k] = (double)account->elapsed_ns;
    contender->slot_wall_ns[k] = (double)took_ns;
    if (account->void_reason[0])
        sy_weighing_note(w, "void: %s: %s", contender->name, account->void_reason);
    if (account->wrong[0])
        drop_wrong(w, contender, wc, account->wrong);
    *ret_measured = (sy_measured){.run_ns = usable && has_cost ? account->cost : SY_NAN,
                                  .unusable = !usable    ? SY_UNUSABLE_VOID
                                              : has_cost ? SY_USABLE
                                                         : SY_UNUSABLE_TIMER};
}

static void invert(double *value)
{
    *value = 1 / *value; /* NaN stays NaN */
}

void sy_weighing_state_metric(const sy_weighing *w, sy_probe_result *result, sy_case_result *cases)
{
    const sy_metric *metric = w->suite->metric;
    result->metric = (sy_metric){"wall", "ns", false};
    if (!metric)
        return;
    result->metric = (sy_metric){sy_arena_copy_text(w->arena, metric->name), sy_arena_copy_text(w->arena, metric->unit),
                                 metric->higher_is_better};
    if (!metric->higher_is_better)
        return;
    invert(&result->reference_total_ns);
    invert(&result->candidate_total_ns);
    for (uint32_t k = 0; k < w->case_count; k++) {
        invert(&cases[k].reference_median_ns);
        invert(&cases[k].candidate_median_ns);
    }
    for (size_t i = 0; i < w->sample_count; i++) {
        invert(&w->samples[i].reference_ns);
        invert(&w->samples[i].candidate_ns);
    }
}
