/* SPDX-License-Identifier: Apache-2.0 */
/* Judgements as sentences, with the figures that led to them. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "evidence/compare/judge_session.h"

enum { FIGURE_SIZE = 48 };

#define NANOSECONDS_MAX 9e18

static const char *finish(sy_text *text, sy_arena *arena)
{
    const char *copy = text->failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(text));
    sy_text_finish(text);
    return copy;
}

static void add_value(sy_text *to, const sy_judged_metric *metric, double value)
{
    char figure[FIGURE_SIZE];
    if (strcmp(metric->unit, "s") == 0 && value >= 1e-9 && value * 1e9 < NANOSECONDS_MAX) {
        sy_format_duration(figure, sizeof figure, (uint64_t)llround(value * 1e9));
        sy_text_append(to, figure);
    } else if (strcmp(metric->unit, "bytes") == 0 && value >= 0 && value < NANOSECONDS_MAX) {
        sy_format_bytes(figure, sizeof figure, (uint64_t)llround(value));
        sy_text_append(to, figure);
    } else {
        sy_text_append_format(to, "%.5g%s%s", value, metric->unit[0] != '\0' ? " " : "", metric->unit);
    }
}

static void add_share(sy_text *to, double share)
{
    double percent = 100 * fabs(share);
    sy_text_append_format(to, percent < 10 ? "%.2f %%" : "%.1f %%", percent);
}

/* "31.0 % worse", "2.10 % better" of an effect that is worse above 0. */
static void add_effect(sy_text *to, double effect)
{
    add_share(to, effect);
    sy_text_append(to, effect >= 0 ? " worse" : " better");
}

const char *sy_metric_name(const sy_judged_metric *metric, sy_arena *arena)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append_format(&text, "%s %s", metric->series, sy_statistic_word(metric->statistic));
    if (metric->statistic == SY_STATISTIC_MEMORY && metric->case_name[0] != '\0') {
        sy_text_append_format(&text, " (%s)", metric->case_name);
    } else {
        sy_text_append_format(&text, "%s%s", metric->case_name[0] != '\0' ? " of " : "", metric->case_name);
    }
    if (metric->implementation[0] != '\0') {
        sy_text_append_format(&text, " by %s", metric->implementation);
    }
    return finish(&text, arena);
}

/* "1.31 ms is 31.0 % worse than the median of 5 accepted sessions, 1 ms (alarm above 1.02 ms)" */
static void add_place(sy_text *to, const sy_metric_verdict *verdict)
{
    const sy_judgement *judgement = &verdict->judgement;
    add_value(to, &verdict->metric, judgement->value);
    if (judgement->ratio == 1) {
        sy_text_append(to, " is");
    } else {
        sy_text_append(to, " is ");
        add_effect(to, judgement->ratio - 1);
        sy_text_append(to, " than");
    }
    sy_text_append_format(to, " the median of %zu accepted sessions, ", judgement->baseline_count);
    add_value(to, &verdict->metric, judgement->median);
    sy_text_append_format(to, " (alarm %s ", verdict->metric.higher_is_better ? "below" : "above");
    add_value(to, &verdict->metric, judgement->threshold);
    sy_text_append(to, ")");
}

static void add_still_to_come(sy_text *to, const sy_judgement *judgement)
{
    size_t confirms = judgement->confirms_to_come;
    add_share(to, judgement->effect);
    sy_text_append_format(to, " %s so far in %zu of %zu sessions: ", judgement->effect >= 0 ? "worse" : "better",
                          judgement->session_count, judgement->sessions_needed);
    if (confirms > 0) {
        sy_text_append_format(to, "%zu more %s to confirm it%s", confirms, confirms == 1 ? "has" : "have",
                              judgement->control_missing ? ", with a control arm under one of their leases" : "");
    } else {
        sy_text_append(to, "none of them had a control arm, one more has to have it");
    }
}

static void add_interval(sy_text *to, const sy_judgement *judgement)
{
    add_effect(to, judgement->effect);
    sy_text_append(to, " (from ");
    add_effect(to, judgement->effect_low);
    sy_text_append(to, " to ");
    add_effect(to, judgement->effect_high);
    sy_text_append_format(to, ", level %.1f %%) in %zu sessions, p %.3g at alpha %.3g", 100 * judgement->effect_level,
                          judgement->session_count, judgement->p, judgement->alpha);
}

static void add_inside(sy_text *to, const sy_metric_verdict *verdict)
{
    add_place(to, verdict);
    if (isfinite(verdict->judgement.visible_effect)) {
        sy_text_append(to, "; a change of ");
        add_share(to, verdict->judgement.visible_effect);
        sy_text_append(to, " would have been seen four times in five");
    }
}

static void add_confirmed(sy_text *to, const sy_metric_verdict *verdict)
{
    add_interval(to, &verdict->judgement);
    if (verdict->judgement.hard) {
        return;
    }
    sy_text_append(to, verdict->metric.statistic == SY_STATISTIC_MAXIMUM ? "; a maximum is never blocked on"
                       : !verdict->primary ? "; the gate does not name it as primary: reported, not blocked on"
                                           : "; reported, not blocked on: the thresholds of this key are soft");
}

static void add_reason(sy_text *to, const sy_metric_verdict *verdict)
{
    const sy_judgement *judgement = &verdict->judgement;
    switch (judgement->reason) {
    case SY_JUDGEMENT_REASON_EVIDENCE:
        sy_text_append(to, "not looked at: evidence comes before any figure");
        return;
    case SY_JUDGEMENT_REASON_NO_VALUE:
        sy_text_append(to, "it has no usable value");
        return;
    case SY_JUDGEMENT_REASON_FEW_SESSIONS:
        sy_text_append_format(to, "%zu accepted %s, and a baseline begins with %d: %zu to come",
                              judgement->baseline_count, judgement->baseline_count == 1 ? "session" : "sessions",
                              SY_BASELINE_SESSIONS, judgement->sessions_to_baseline);
        return;
    case SY_JUDGEMENT_REASON_INSIDE:
        add_inside(to, verdict);
        return;
    case SY_JUDGEMENT_REASON_UNCONFIRMED:
        add_place(to, verdict);
        sy_text_append(to, "; ");
        add_still_to_come(to, judgement);
        return;
    case SY_JUDGEMENT_REASON_MACHINE_CHANGED:
        add_place(to, verdict);
        sy_text_append(to, "; the control arm is outside, too: the machine has changed");
        return;
    case SY_JUDGEMENT_REASON_REFUTED:
        add_place(to, verdict);
        sy_text_append_format(to, "; the alarm did not repeat in %zu sessions: refuted, and counted",
                              judgement->session_count);
        return;
    case SY_JUDGEMENT_REASON_BELOW_DELTA:
        add_interval(to, judgement);
        sy_text_append(to, ", less than the ");
        add_share(to, judgement->delta);
        sy_text_append(to, " that matter");
        return;
    case SY_JUDGEMENT_REASON_NOT_AGAINST_CONTROL:
        add_interval(to, judgement);
        sy_text_append(to, ", but against the control arm ");
        add_effect(to, judgement->control_effect);
        return;
    case SY_JUDGEMENT_REASON_CONFIRMED:
        add_confirmed(to, verdict);
        return;
    case SY_JUDGEMENT_REASON_IMPROVED:
        add_interval(to, judgement);
        return;
    case SY_JUDGEMENT_REASON_DRIFT:
        add_place(to, verdict);
        sy_text_append(to, "; inside, and yet its level climbs slowly over its sessions");
        return;
    }
}

const char *sy_judgement_sentence(const sy_metric_verdict *verdict, sy_arena *arena)
{
    sy_text text = SY_TEXT_INIT;
    add_reason(&text, verdict);
    return finish(&text, arena);
}
