/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions with verdicts and promotions of a project, a line each, and its dashboard: what tests of that begin with. */
#ifndef STEELYARD_TESTS_DASHBOARD_SUPPORT_H
#define STEELYARD_TESTS_DASHBOARD_SUPPORT_H

#include "life_support.h"

#include <steelyard/promotion.h>

#include "ledger_fixture.h"

/* One session as a test wants it; zero is a good one of the first revision, of no verdict. */
typedef struct spec {
    const char *id;
    const char *revision; /* NULL = the first */
    const char *gate;     /* NULL = LIFE_GATE */
    uint64_t fence;       /* 0 = of its own */
    const char *smoke;    /* its smoke failed so; NULL = there was none */
    bool unknown_device;  /* its key is incomplete */
    bool accept;
    bool judged;
    sy_judgement_word word;
    sy_judgement_reason reason;
    sy_comparison_mode mode;
    bool raised;
    bool new_baseline;
    const char *against; /* the revision that it is held against; NULL: FIRST_REVISION */
} spec;

#define FIRST_REVISION "1111111111111111111111111111111111111111"
#define SECOND_REVISION "2222222222222222222222222222222222222222"
#define THIRD_REVISION "3333333333333333333333333333333333333333"

static uint64_t last_fence;

static inline sy_run_begin begin_of(const spec *s, sy_named_text fields[3])
{
    sy_run_begin begin = fixture_begin(s->id);
    begin.gate = s->gate != NULL ? s->gate : LIFE_GATE;
    begin.tier = "release-signoff";
    begin.source.revision = s->revision != NULL ? s->revision : FIRST_REVISION;
    fields[0] = (sy_named_text){"cell_id", "matmul::cpu"};
    fields[1] = (sy_named_text){"device_id", s->unknown_device ? NULL : "cpu"};
    fields[2] = (sy_named_text){"source_revision", begin.source.revision};
    begin.key = (sy_comparison_key){fields, 3};
    return begin;
}

static inline void digest_of(const spec *s, char digest[65])
{
    sy_named_text fields[3];
    const sy_run_begin begin = begin_of(s, fields);
    assert_int_equal(sy_comparison_key_digest(&begin.key, digest, NULL), SY_OK);
}

static inline void append(const life *l, batch *b)
{
    sy_error error = SY_ERROR_INIT;
    if (batch_append(b, sy_project_ledger(l->project), &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
}

static inline void add_verdict(batch *b, const spec *s, uint64_t replaces)
{
    static const char *const baseline[] = {"b1", "b2", "b3", "b4", "b5"};
    const char *const sessions[] = {s->id};
    const char *const reasons[] = {s->word == SY_JUDGEMENT_PASS ? "it is as fast as it was" : "it is slower"};
    const char *against = s->against != NULL ? s->against : FIRST_REVISION;
    spec other = *s;
    char digest[65], other_digest[65];
    digest_of(s, digest);
    other.revision = s->mode == SY_COMPARISON_SAME_KEY ? s->revision : against;
    digest_of(&other, other_digest);
    const sy_run_verdict verdict = {.rule = SY_VERDICT_RULE,
                                    .mode = s->mode,
                                    .word = s->word,
                                    .reason = s->reason,
                                    .evidence = s->reason == SY_JUDGEMENT_REASON_EVIDENCE ? "parity failed" : "",
                                    .key_digest = digest,
                                    .baseline_key = other_digest,
                                    .baseline_revision = against,
                                    .baseline = baseline,
                                    .baseline_count = 5,
                                    .sessions = sessions,
                                    .session_count = 1,
                                    .alpha = 0.02,
                                    .raised = s->raised,
                                    .replaces = replaces,
                                    .reasons = reasons,
                                    .reason_count = 1,
                                    .recalibrate = "",
                                    .recalibrate_run = ""};
    BATCH_ADD(b, SY_EVENT_VERDICT, s->id, sy_run_verdict_write, &verdict);
}

static inline void add_session(const life *l, const spec *s)
{
    static const double samples[] = {0.25, 0.5, 0.125};
    batch b = {.count = 0};
    sy_named_text fields[3];
    const sy_run_begin begin = begin_of(s, fields);
    const uint64_t fence = s->fence != 0 ? s->fence : ++last_fence;
    batch_begin(&b, &begin);
    batch_lease(&b, s->id, fence);
    if (s->smoke != NULL) {
        const sy_run_end end = {SY_RUN_FAILED, "", s->smoke, ""};
        BATCH_ADD(&b, SY_EVENT_END, s->id, sy_run_end_write, &end);
        append(l, &b);
        return;
    }
    batch_command(&b, s->id, "smoke", fence, true);
    batch_command(&b, s->id, "measure", fence, true);
    batch_series(&b, s->id, "wall", samples, 3);
    batch_parity(&b, s->id, SY_RUN_PARITY_PASSED);
    batch_end(&b, s->id, SY_RUN_OK);
    if (s->judged) {
        add_verdict(&b, s, 0);
    }
    if (s->accept) {
        const sy_run_accept accept = {"somebody", s->new_baseline ? "faster for good" : "", s->new_baseline};
        BATCH_ADD(&b, SY_EVENT_ACCEPT, s->id, sy_run_accept_write, &accept);
    }
    append(l, &b);
}

/* prefix0, prefix1, ... */
static inline void add_accepted(const life *l, const char *prefix, size_t count, const char *revision)
{
    for (size_t i = 0; i < count; i++) {
        char id[64];
        snprintf(id, sizeof id, "%s%zu", prefix, i);
        add_session(l, &(spec){.id = id, .revision = revision, .accept = true});
    }
}

static inline void add_promotion(const life *l, const spec *s)
{
    batch b = {.count = 0};
    char digest[65];
    digest_of(s, digest);
    sy_run *run = life_run(l, s->id);
    const sy_run_signoff signoff = {"J. Doe", "looked at the samples", run->row.verdict_number};
    sy_run_destroy(run);
    BATCH_ADD(&b, SY_EVENT_SIGNOFF, s->id, sy_run_signoff_write, &signoff);
    append(l, &b);
    run = life_run(l, s->id);
    sy_ledger_head head;
    assert_int_equal(sy_ledger_read_head(sy_project_ledger(l->project), &head, NULL), SY_OK);
    const sy_named_number figure = {"wall p50", "s", 0.25};
    const sy_run_promotion promotion = {.by = "J. Doe",
                                        .claim = "",
                                        .cell = "matmul::cpu",
                                        .gate = run->row.gate,
                                        .tier = "release-signoff",
                                        .key_digest = digest,
                                        .revision = run->row.revision,
                                        .host = "h",
                                        .device = "cpu",
                                        .word = run->row.verdict,
                                        .verdict = run->row.verdict_number,
                                        .signoff = head.number,
                                        .figures = &figure,
                                        .figure_count = 1};
    BATCH_ADD(&b, SY_EVENT_PROMOTE, s->id, sy_run_promotion_write, &promotion);
    append(l, &b);
    sy_run_destroy(run);
}

static inline sy_dashboard *collect_for(const life *l, const char *run)
{
    sy_dashboard_options options = SY_DASHBOARD_OPTIONS_INIT;
    sy_dashboard *dashboard = NULL;
    sy_error error = SY_ERROR_INIT;
    options.run = run;
    if (sy_project_dashboard(l->project, &options, &dashboard, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return dashboard;
}

static inline sy_dashboard *collect(const life *l)
{
    return collect_for(l, NULL);
}

static inline const sy_dashboard_gate *gate_of(const sy_dashboard *d, const char *id)
{
    for (size_t i = 0; i < d->gate_count; i++) {
        if (strcmp(d->gates[i].id, id) == 0) {
            return &d->gates[i];
        }
    }
    fail_msg("no gate %s", id);
    return NULL;
}

#endif
