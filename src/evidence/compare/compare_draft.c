/* SPDX-License-Identifier: Apache-2.0 */
/* From an answer to what the event `verdict` says: names of sessions, and reasons for people, parity first.
 */
#include <string.h>

#include "base/error.h"
#include "evidence/compare/compare_inside.h"
#include "record/run_words.h"

enum { REASONS_MAX = 12, METRIC_REASONS_MAX = 7 /* with parity, which comes first */ };

typedef struct reasons {
    sy_comparing *c;
    const char **texts;
    size_t count;
} reasons;

static void add(reasons *to, const char *text)
{
    to->c->failed = to->c->failed || text == NULL;
    if (text != NULL && to->count < REASONS_MAX) {
        to->texts[to->count++] = text;
    }
}

static const char *metric_reason(sy_comparing *c, const sy_metric_verdict *metric)
{
    const char *name = sy_metric_name(&metric->metric, c->arena);
    return name == NULL ? NULL : sy_arena_format(c->arena, "%s: %s", name, metric->reason);
}

/* Metrics of the verdict's own word, primary ones first; then how many more there are. */
static void add_metrics(reasons *to, const sy_session_answer *answer)
{
    size_t left = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < answer->metric_count; i++) {
            const sy_metric_verdict *metric = &answer->metrics[i];
            bool says_it = metric->judgement.word == answer->word && metric->primary == (turn == 0);
            if (says_it && to->count < METRIC_REASONS_MAX) {
                add(to, metric_reason(to->c, metric));
            } else if (says_it) {
                left++;
            }
        }
    }
    if (left > 0) {
        add(to, sy_arena_format(to->c->arena, "and %zu more %s", left, left == 1 ? "metric" : "metrics"));
    }
    for (size_t i = 0; i < answer->metric_count; i++) {
        const sy_metric_verdict *metric = &answer->metrics[i];
        if (metric->primary && metric->judgement.word != answer->word && to->count < METRIC_REASONS_MAX + 1) {
            add(to, metric_reason(to->c, metric));
        }
    }
}

static void add_baseline(reasons *to, const sy_run_verdict *verdict)
{
    sy_comparing *c = to->c;
    const char *unknown = c->run->row.key_digest[0] == '\0' ? "a field of its comparison key is unknown, which equals "
                                                              "nothing: steelyard key show names it"
                                                            : NULL;
    if (unknown != NULL) {
        add(to, unknown);
        return;
    }
    switch (verdict->mode) {
    case SY_COMPARISON_SAME_KEY:
        add(to, sy_arena_format(c->arena, "held against %zu accepted %s of the same comparison key",
                                verdict->baseline_count, verdict->baseline_count == 1 ? "session" : "sessions"));
        break;
    case SY_COMPARISON_REVISION:
        add(to, sy_arena_format(c->arena,
                                "a comparison of revisions: held against %zu accepted %s of %.40s, all other "
                                "fields alike; it replaces no baseline",
                                verdict->baseline_count, verdict->baseline_count == 1 ? "session" : "sessions",
                                verdict->baseline_revision));
        break;
    case SY_COMPARISON_REVISIONS:
        add(to, sy_arena_format(c->arena,
                                "a comparison of revisions: held against %zu accepted sessions of several "
                                "earlier ones together, each of which has fewer than %d; it replaces no "
                                "baseline",
                                verdict->baseline_count, SY_BASELINE_SESSIONS));
        break;
    }
}

/* Whether the alarm's sessions are of one machine that stayed the same. */
static void add_alarm(reasons *to, const sy_compare_draft *draft)
{
    if (draft->session_count > 1) {
        add(to, sy_arena_format(to->c->arena, "the alarm began with %s; %zu sessions belong to it",
                                draft->sessions[0]->row->id, draft->session_count));
    }
}

static const char *const *ids_of(sy_comparing *c, const sy_session *const *sessions, size_t count)
{
    const char **ids = sy_arena_allocate(c->arena, count + 1, sizeof *ids);
    for (size_t i = 0; ids != NULL && i < count; i++) {
        ids[i] = sessions[i]->row->id;
    }
    c->failed = c->failed || ids == NULL;
    return ids;
}

sy_status sy_compare_finish_draft(sy_comparing *c, sy_compare_draft *draft, sy_error *err)
{
    const sy_session_answer *answer = &draft->answer;
    const char **texts = sy_arena_allocate(c->arena, REASONS_MAX, sizeof *texts);
    const char *evidence = draft->session == c->judged ? c->evidence : "";
    if (texts == NULL) {
        return sy_compare_no_memory(err);
    }
    sy_run_verdict *verdict = &draft->verdict;
    *verdict = (sy_run_verdict){.rule = SY_VERDICT_RULE,
                                .mode = c->mode,
                                .word = answer->word,
                                .reason = answer->reason,
                                .evidence = evidence,
                                .key_digest = c->run->row.key_digest,
                                .baseline_key = c->baseline_key,
                                .baseline_revision = c->baseline_revision,
                                .baseline = ids_of(c, draft->baseline, draft->baseline_count),
                                .baseline_count = draft->baseline_count,
                                .sessions = ids_of(c, draft->sessions, draft->session_count),
                                .session_count = draft->session_count,
                                .metrics = answer->metrics,
                                .metric_count = answer->metric_count,
                                .alpha = c->rules.alpha,
                                .raised = answer->raised,
                                .replaces = draft->replaces,
                                .leaves_open = draft->leaves_open,
                                .recalibrate = "",
                                .recalibrate_run = ""};
    verdict->judged_count = sy_compare_judged_before(&c->own, draft->sessions[0]->row->number, &verdict->raised_count);
    reasons to = {c, texts, 0};
    if (evidence[0] != '\0') {
        add(&to, evidence);
        add(&to, "nothing is said of its times: evidence comes first");
    } else {
        add(&to, SY_REASON_PARITY_PASSED);
        add_metrics(&to, answer);
    }
    add_alarm(&to, draft);
    add_baseline(&to, verdict);
    verdict->reasons = to.texts;
    verdict->reason_count = to.count;
    return c->failed ? sy_compare_no_memory(err) : SY_OK;
}
