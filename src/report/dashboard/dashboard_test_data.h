/* SPDX-License-Identifier: Apache-2.0 */
/* A dashboard filled by hand, as tests of its drawing want it: something in every part. */
#ifndef STEELYARD_REPORT_DASHBOARD_TEST_DATA_H
#define STEELYARD_REPORT_DASHBOARD_TEST_DATA_H

#include <steelyard/report.h>
#include <string.h>

#define DATA_BEGAN INT64_C(1796081400) /* 2026-11-30T23:30:00Z */
#define DATA_REVISION "0123456789abcdef0123456789abcdef01234567"
#define DATA_KEY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DATA_OTHER_KEY "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* What a test may change before it draws. */
typedef struct dashboard_data {
    sy_named_number figures[4];
    sy_dashboard_row rows[3];
    sy_dashboard_alarm alarms[2];
    sy_dashboard_gate gates[3];
    const char *capabilities[2];
    const char *backends[2];
    sy_matrix_cell cells[4];
    sy_matrix matrix;
    sy_registry_coverage coverage;
    sy_dashboard_key keys[2];
    sy_dashboard_change changes[1];
    const char *next[2];
    const char *findings[1];
    const char *reasons[2];
    const char *sessions[1];
    const char *baseline[5];
    sy_metric_verdict metrics[3];
    sy_run_verdict verdict;
    sy_run judged;
    sy_dashboard dashboard;
} dashboard_data;

static inline void fill_rows(dashboard_data *d)
{
    d->figures[0] = (sy_named_number){"wall p50", "s", 0.0124};
    d->figures[1] = (sy_named_number){"wall p95", "s", 0.0131};
    d->figures[2] = (sy_named_number){"peak memory", "bytes", 1572864};
    d->figures[3] = (sy_named_number){"wall max", "s", 0.02};
    for (int i = 0; i < 3; i++) {
        d->rows[i] = (sy_dashboard_row){
            .run = i == 0   ? "20261130-120000-aaaaaa"
                   : i == 1 ? "20261129-120000-bbbbbb"
                            : "20261128-120000-cccccc",
            .number = 100 - (uint64_t)i,
            .at_utc_s = DATA_BEGAN - i * INT64_C(86400),
            .row = {.by = "J. Doe",
                    .claim = "",
                    .cell = i == 1 ? "attention::cpu" : "matmul::cpu",
                    .gate = i == 1 ? "attention.cpu.session" : "matmul.cpu.square-512.session",
                    .tier = "release-signoff",
                    .key_digest = i == 1 ? DATA_OTHER_KEY : DATA_KEY,
                    .revision = DATA_REVISION,
                    .host = "runner",
                    .device = "cpu",
                    .word = SY_JUDGEMENT_PASS,
                    .verdict = 90,
                    .signoff = 91,
                    .figures = d->figures,
                    .figure_count = i == 0 ? 4 : 1},
            .blocked = i == 1,
            .blocked_by = i == 1 ? "20261130-130000-dddddd" : "",
            .blocked_why = i == 1 ? "p50 of wall is 5.1 % above its baseline" : "",
            .superseded = i == 2,
        };
    }
}

static inline void fill_alarms(dashboard_data *d)
{
    for (int i = 0; i < 2; i++) {
        d->alarms[i] = (sy_dashboard_alarm){
            .run = i == 0 ? "20261130-130000-dddddd" : "20261130-140000-eeeeee",
            .cell = i == 0 ? "attention::cpu" : "matmul::cpu",
            .gate = i == 0 ? "attention.cpu.session" : "matmul.cpu.square-512.session",
            .device = "cpu",
            .revision = DATA_REVISION,
            .key_digest = i == 0 ? DATA_OTHER_KEY : DATA_KEY,
            .verdict = i == 0 ? SY_JUDGEMENT_BLOCK : SY_JUDGEMENT_INVESTIGATE,
            .reason = i == 0 ? SY_JUDGEMENT_REASON_CONFIRMED : SY_JUDGEMENT_REASON_UNCONFIRMED,
            .text = i == 0 ? "p50 of wall is 5.1 % above its baseline"
                           : "p95 of wall is 8 % above its baseline, 2 confirms to come",
            .command = i == 0 ? "steelyard history bbbbbbbbbbbb"
                              : "steelyard run exec --gate matmul.cpu.square-512.session --judge",
            .began_utc_s = DATA_BEGAN + i * 3600,
        };
    }
}

static inline void fill_registry(dashboard_data *d)
{
    const char *const ids[] = {"matmul.cpu.square-512.session", "attention.cpu.session", "matmul.gpu.session"};
    for (int i = 0; i < 3; i++) {
        d->gates[i] = (sy_dashboard_gate){.id = ids[i],
                                          .state = i == 0 ? "measured" : "pending",
                                          .cell = "",
                                          .priority = 4 - i,
                                          .is_open = i > 0,
                                          .command = i == 0 ? ""
                                                     : i == 1
                                                         ? "steelyard run exec --gate attention.cpu.session --judge"
                                                         : "steelyard gate command matmul.gpu.session",
                                          .newest = i == 1 ? "20261130-130000-dddddd" : "",
                                          .selftest_failed = i == 0,
                                          .selftest = i == 0 ? "1.10 fails 3 % of the time" : ""};
    }
    d->capabilities[0] = "matmul";
    d->capabilities[1] = "attention";
    d->backends[0] = "cpu";
    d->backends[1] = "gpu";
    for (int i = 0; i < 4; i++) {
        const char *const cell_ids[] = {"matmul::cpu", "matmul::gpu", "attention::cpu", "attention::gpu"};
        d->cells[i] = (sy_matrix_cell){.id = cell_ids[i],
                                       .capability = d->capabilities[i / 2],
                                       .backend = d->backends[i % 2],
                                       .state = i == 0   ? "ready"
                                                : i == 3 ? "unsupported"
                                                         : "evidence-gap",
                                       .reason = i == 3 ? "nobody wrote it" : "",
                                       .gate_count = i == 3 ? 0 : 1,
                                       .open_gates = i == 1 || i == 2,
                                       .measured_gates = i == 0,
                                       .next_gate = i == 1   ? "matmul.gpu.session"
                                                    : i == 2 ? "attention.cpu.session"
                                                             : ""};
    }
    d->matrix = (sy_matrix){"own/v1", d->capabilities, 2, d->backends, 2, d->cells, 4};
}

static inline void fill_keys(dashboard_data *d)
{
    d->keys[0] = (sy_dashboard_key){.key_digest = DATA_KEY,
                                    .cell = "matmul::cpu",
                                    .gate = "matmul.cpu.square-512.session",
                                    .session_count = 24,
                                    .accepted_count = 5,
                                    .judged_count = 20,
                                    .raised_count = 9,
                                    .alarm_promised = 1.0 / 6,
                                    .alarm_observed = 0.45,
                                    .alarms_exceed = true,
                                    .newest = "20261130-140000-eeeeee",
                                    .command = ""};
    d->keys[1] = (sy_dashboard_key){.key_digest = DATA_OTHER_KEY,
                                    .cell = "attention::cpu",
                                    .gate = "attention.cpu.session",
                                    .session_count = 3,
                                    .accepted_count = 2,
                                    .missing_count = 3,
                                    .alarm_promised = SY_NAN,
                                    .alarm_observed = SY_NAN,
                                    .newest = "20261130-130000-dddddd",
                                    .command = "steelyard run exec --gate attention.cpu.session --judge"};
    d->changes[0] = (sy_dashboard_change){
        .row = {.number = 80,
                .run = "20261129-130000-ffffff",
                .change = {.state = SY_CHANGE_REPORTED,
                           .line = DATA_KEY,
                           .key_digest = "",
                           .metric = {"wall", "square-512", "blis", SY_STATISTIC_P50, "s", false},
                           .before = "20261128-120000-cccccc",
                           .revision = DATA_REVISION,
                           .revision_before = "89abcdef0123456789abcdef0123456789abcdef",
                           .effect = 0.051,
                           .effect_low = 0.03,
                           .effect_high = 0.07,
                           .effect_level = 0.95,
                           .statistic = 4,
                           .critical = 3.2,
                           .alpha = 0.001,
                           .worse = true,
                           .point_count = 40,
                           .reason = ""}},
        .cell = "matmul::cpu",
        .command = "steelyard history aaaaaaaaaaaa"};
}

static inline sy_metric_verdict data_metric(sy_statistic statistic, bool primary, sy_judgement_word word, double value)
{
    return (sy_metric_verdict){.metric = {statistic == SY_STATISTIC_MEMORY ? "peak" : "wall", "", "", statistic,
                                          statistic == SY_STATISTIC_MEMORY ? "bytes" : "s", false},
                               .primary = primary,
                               .sample_count = 100,
                               .control = SY_NAN,
                               .judgement = {.word = word,
                                             .reason = word == SY_JUDGEMENT_PASS ? SY_JUDGEMENT_REASON_INSIDE
                                                                                 : SY_JUDGEMENT_REASON_UNCONFIRMED,
                                             .value = value,
                                             .median = value / 1.08,
                                             .effect = word == SY_JUDGEMENT_PASS ? SY_NAN : 0.08,
                                             .effect_low = 0.05,
                                             .effect_high = 0.11},
                               .reason = ""};
}

static inline void fill_judged(dashboard_data *d)
{
    d->metrics[0] = data_metric(SY_STATISTIC_P50, true, SY_JUDGEMENT_PASS, 0.0124);
    d->metrics[1] = data_metric(SY_STATISTIC_P95, true, SY_JUDGEMENT_INVESTIGATE, 0.0142);
    d->metrics[2] = data_metric(SY_STATISTIC_MEMORY, false, SY_JUDGEMENT_PASS, 1572864);
    d->reasons[0] = d->alarms[1].text;
    d->reasons[1] = "the control arm is missing";
    d->sessions[0] = d->alarms[1].run;
    for (int i = 0; i < 5; i++) {
        static const char *const ids[] = {"20261120-120000-000001", "20261120-120000-000002", "20261120-120000-000003",
                                          "20261120-120000-000004", "20261120-120000-000005"};
        d->baseline[i] = ids[i];
    }
    d->verdict = (sy_run_verdict){.rule = SY_VERDICT_RULE,
                                  .mode = SY_COMPARISON_SAME_KEY,
                                  .word = SY_JUDGEMENT_INVESTIGATE,
                                  .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
                                  .evidence = "",
                                  .key_digest = DATA_KEY,
                                  .baseline_key = DATA_KEY,
                                  .baseline_revision = DATA_REVISION,
                                  .baseline = d->baseline,
                                  .baseline_count = 5,
                                  .sessions = d->sessions,
                                  .session_count = 1,
                                  .metrics = d->metrics,
                                  .metric_count = 3,
                                  .alpha = 0.02,
                                  .raised = true,
                                  .reasons = d->reasons,
                                  .reason_count = 2,
                                  .recalibrate = "",
                                  .recalibrate_run = ""};
    d->judged.row.id = d->alarms[1].run;
    d->judged.row.gate = d->alarms[1].gate;
    d->judged.row.cell = d->alarms[1].cell;
    d->judged.row.device = "cpu";
    d->judged.row.revision = DATA_REVISION;
    d->judged.row.parity = SY_RUN_PARITY_PASSED;
    d->judged.verdicts = &d->verdict;
    d->judged.verdict_count = 1;
}

static inline void fill_dashboard(dashboard_data *d)
{
    *d = (dashboard_data){.figures = {{0}}};
    fill_rows(d);
    fill_alarms(d);
    fill_registry(d);
    fill_keys(d);
    fill_judged(d);
    d->next[0] = d->alarms[0].command;
    d->next[1] = d->alarms[1].command;
    d->findings[0] = "evidence/gates.json:3:4: json-syntax: a comma is missing";
    d->dashboard = (sy_dashboard){.project = "demo",
                                  .has_ledger = true,
                                  .judged = &d->judged,
                                  .rows = d->rows,
                                  .row_count = 3,
                                  .alarms = d->alarms,
                                  .alarm_count = 2,
                                  .block_count = 1,
                                  .gates = d->gates,
                                  .gate_count = 3,
                                  .open_gate_count = 2,
                                  .matrix = &d->matrix,
                                  .coverage = &d->coverage,
                                  .keys = d->keys,
                                  .key_count = 2,
                                  .session_count = 27,
                                  .changes = d->changes,
                                  .change_count = 1,
                                  .next = d->next,
                                  .next_count = 2,
                                  .findings = d->findings,
                                  .finding_count = 1,
                                  .finding_total = 1,
                                  .head = {.number = 120}};
    memcpy(d->dashboard.head.digest, DATA_REVISION "0123456789abcdef01234567", 65);
    memcpy(d->dashboard.head.ledger, "89abcdef0123456789abcdef01234567", 33);
}

#endif
