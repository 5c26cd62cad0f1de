/* SPDX-License-Identifier: Apache-2.0 */
/* Courses and runs filled by hand, for the tests of what a page draws: ordinary ones and each kind that draws badly if
 * nobody has thought of it. */
#ifndef STEELYARD_REPORT_HTML_TEST_DATA_H
#define STEELYARD_REPORT_HTML_TEST_DATA_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/memory.h"
#include "report/dashboard/dashboard_test_data.h"
#include "report/ledger/report_run_test_data.h"

#define HTML_TEST_LINE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789%06zu"

/* Content with what it points to. */
typedef struct html_test_data {
    sy_html_session *sessions;
    sy_html_series *series;
    uint32_t *indexes; /* of all points */
    double *values;
    char (*runs)[32];
    char (*revisions)[16];
    char (*lines)[96];
    char long_name[4097];
    sy_metric_verdict verdict;
    sy_dashboard_change change;
    size_t changes[1];
    dashboard_data dashboard;
    sy_html_content content;
} html_test_data;

/* The same figures on every computer: about 0, deviation 1. */
static inline double html_test_noise(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum - 6;
}

/* Series of as many points each, one a line, their sessions one after another. They are all alike until a test says
 * otherwise. */
static inline void html_test_start(html_test_data *d, size_t series_count, size_t point_count)
{
    const size_t total = series_count * point_count;
    uint64_t state = 1;

    *d = (html_test_data){.sessions = sy_allocate(total, sizeof(*d->sessions)),
                          .series = sy_allocate(series_count, sizeof(*d->series)),
                          .indexes = sy_allocate(total, sizeof(*d->indexes)),
                          .values = sy_allocate(total, sizeof(*d->values)),
                          .runs = sy_allocate(total, sizeof(*d->runs)),
                          .revisions = sy_allocate(point_count, sizeof(*d->revisions)),
                          .lines = sy_allocate(series_count, sizeof(*d->lines))};
    memset(d->long_name, 'x', sizeof(d->long_name) - 1);
    for (size_t i = 0; i < total; i++) {
        size_t at = i / series_count;

        (void)snprintf(d->runs[i], sizeof(d->runs[i]), "20261130-%06zu-%06zx", at * 7 % 240000, i & 0xffffff);
        (void)snprintf(d->revisions[at], sizeof(d->revisions[at]), "%08zx", (at / 5 + 1) * 0x9e3779b1u & 0xffffffff);
        d->sessions[i] = (sy_html_session){.run = d->runs[i],
                                           .number = 10 + 9 * (uint64_t)i,
                                           .began_utc_s = INT64_C(1790000000) + (int64_t)i * 40000,
                                           .revision = d->revisions[at],
                                           .key_digest = DATA_KEY,
                                           .accepted = at < 6 || at % 3 == 0,
                                           .judged = at >= 5,
                                           .verdict = SY_JUDGEMENT_PASS};
    }
    for (size_t s = 0; s < series_count; s++) {
        (void)snprintf(d->lines[s], sizeof(d->lines[s]), HTML_TEST_LINE, s);
        d->series[s] = (sy_html_series){.line = d->lines[s],
                                        .cell = "matmul::cpu",
                                        .gate = "matmul.cpu.square-512.session",
                                        .device = "cpu",
                                        .metric = {"wall", "", "", SY_STATISTIC_P50, "s", false},
                                        .primary = true,
                                        .sessions = &d->indexes[s * point_count],
                                        .values = &d->values[s * point_count],
                                        .point_count = point_count};
        for (size_t k = 0; k < point_count; k++) {
            d->indexes[s * point_count + k] = (uint32_t)(k * series_count + s);
            d->values[s * point_count + k] = 0.0124 * (1 + 0.006 * html_test_noise(&state));
        }
    }
    fill_dashboard(&d->dashboard);
    d->content = (sy_html_content){.title = "charts",
                                   .tool = "steelyard 0.1.0",
                                   .written_utc_s = DATA_BEGAN,
                                   .dashboard = &d->dashboard.dashboard,
                                   .sessions = d->sessions,
                                   .session_count = total,
                                   .series = d->series,
                                   .series_count = series_count,
                                   .point_count = total};
}

static inline void html_test_finish(html_test_data *d)
{
    sy_free(d->sessions);
    sy_free(d->series);
    sy_free(d->indexes);
    sy_free(d->values);
    sy_free(d->runs);
    sy_free(d->revisions);
    sy_free(d->lines);
}

/* The value of a point, to be changed. */
static inline double *html_test_value(html_test_data *d, size_t which, size_t point)
{
    return &d->values[(size_t)(d->series[which].values - d->values) + point];
}

static inline sy_html_session *html_test_session(html_test_data *d, size_t which, size_t point)
{
    return &d->sessions[d->series[which].sessions[point]];
}

/* A step in the middle of the first series, reported, confirmed, blocked on, then a new baseline. */
static inline void html_test_step(html_test_data *d)
{
    size_t at = d->series[0].point_count * 2 / 3;

    for (size_t k = at; k < d->series[0].point_count; k++)
        *html_test_value(d, 0, k) *= 1.044;
    html_test_session(d, 0, at)->verdict = SY_JUDGEMENT_INVESTIGATE;
    html_test_session(d, 0, at)->accepted = false;
    for (size_t k = at + 1; k < at + 3; k++) {
        html_test_session(d, 0, k)->verdict = SY_JUDGEMENT_BLOCK;
        html_test_session(d, 0, k)->accepted = false;
        html_test_session(d, 0, k)->raised = true;
    }
    html_test_session(d, 0, at + 3)->begins_baseline = true;
    html_test_session(d, 0, at + 3)->accepted = true;
    d->verdict = (sy_metric_verdict){.metric = d->series[0].metric,
                                     .primary = true,
                                     .reason = "p50 of wall lies inside its baseline",
                                     .judgement = {.word = SY_JUDGEMENT_PASS,
                                                   .reason = SY_JUDGEMENT_REASON_INSIDE,
                                                   .value = 0.0129,
                                                   .median = 0.01295,
                                                   .threshold = 0.0132}};
    d->change = (sy_dashboard_change){.row = {.number = 400,
                                              .run = html_test_session(d, 0, at)->run,
                                              .change = {.state = SY_CHANGE_CONFIRMED,
                                                         .line = d->lines[0],
                                                         .key_digest = "",
                                                         .metric = d->series[0].metric,
                                                         .before = html_test_session(d, 0, at - 1)->run,
                                                         .revision = html_test_session(d, 0, at)->revision,
                                                         .revision_before = "",
                                                         .effect = 0.044,
                                                         .effect_low = 0.039,
                                                         .effect_high = 0.05,
                                                         .worse = true,
                                                         .reason = ""}},
                                      .cell = "matmul::cpu",
                                      .command = "steelyard history 0123456789ab"};
    d->series[0].judged = &d->verdict;
    d->series[0].changes = d->changes;
    d->series[0].change_count = 1;
    d->dashboard.dashboard.changes = &d->change;
    d->dashboard.dashboard.change_count = 1;
}

static inline int html_test_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of nearest rank. */
static inline double html_test_quantile(const double *sorted, size_t count, double share)
{
    size_t rank = (size_t)ceil(share * (double)count);

    return sorted[rank > 0 ? rank - 1 : 0];
}

/* A strip of samples that are in order of measurement; sorted: room for as many. At most `most` are drawn. */
static inline sy_html_strip html_test_strip(sy_run_series *of, const double *measured, double *sorted, size_t count,
                                            size_t most)
{
    sy_html_strip strip = {.series = of, .drawn = measured, .drawn_count = count < most ? count : most};
    size_t usable = 0;

    for (size_t i = 0; i < count; i++) {
        if (isfinite(measured[i]))
            sorted[usable++] = measured[i];
    }
    qsort(sorted, usable, sizeof(*sorted), html_test_ascending);
    of->count = count;
    of->usable_count = usable;
    strip.first = count > 0 ? measured[0] : NAN;
    if (usable == 0) {
        of->minimum = of->p50 = of->p95 = of->maximum = NAN;
        strip.low = strip.high = strip.p5 = strip.p25 = strip.p75 = strip.p99 = NAN;
        return strip;
    }
    of->minimum = sorted[0];
    of->p50 = html_test_quantile(sorted, usable, 0.5);
    of->p95 = html_test_quantile(sorted, usable, 0.95);
    of->maximum = sorted[usable - 1];
    strip.p5 = html_test_quantile(sorted, usable, 0.05);
    strip.p25 = html_test_quantile(sorted, usable, 0.25);
    strip.p75 = html_test_quantile(sorted, usable, 0.75);
    strip.p99 = html_test_quantile(sorted, usable, 0.99);
    strip.low = sorted[0];
    strip.high = strip.p99 > strip.low ? strip.p99 : sorted[usable - 1];
    for (size_t i = 0; i < usable; i++) {
        double share = strip.high > strip.low ? (sorted[i] - strip.low) / (strip.high - strip.low) : 0;

        if (sorted[i] > strip.high)
            strip.above++;
        else
            strip.bins[share < 1 ? (size_t)(share * SY_HTML_STRIP_BINS) : SY_HTML_STRIP_BINS - 1]++;
    }
    return strip;
}

#endif
