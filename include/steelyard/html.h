/* SPDX-License-Identifier: Apache-2.0 */
/* What a page for browsers shows: a project's dashboard, its sessions as courses of figures, its runs and decisions one
 * by one. Collected here, drawn by sy_report_html of <steelyard/report.h>. */
#ifndef STEELYARD_HTML_H
#define STEELYARD_HTML_H

#include <steelyard/promotion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One session, as a dot of every chart of its line. */
typedef struct sy_html_session {
    const char *run;
    uint64_t number; /* of the event that began it */
    int64_t began_utc_s;
    const char *revision;   /* "" */
    const char *key_digest; /* "" = some field is unknown */
    bool imported;          /* another tool measured it */
    bool accepted;
    bool begins_baseline;
    bool judged;
    bool raised;
    sy_judgement_word verdict; /* the last one's; meaningful only if judged */
} sy_html_session;

/* The course of one figure: sessions whose comparison keys agree in every field but the revision. */
typedef struct sy_html_series {
    const char *line; /* digest that is common to its sessions */
    const char *cell;
    const char *gate;
    const char *device;
    sy_judged_metric metric;
    bool primary;             /* the gate's verdict rests on it, or nobody says on which */
    const uint32_t *sessions; /* indexes into content.sessions, the oldest first */
    const double *values;     /* one each, finite, in the metric's unit */
    size_t point_count;
    const sy_metric_verdict
        *judged;           /* what the last verdict of its line says of it; NULL = nothing, or it was not read */
    const size_t *changes; /* indexes into dashboard->changes */
    size_t change_count;
} sy_html_series;

#define SY_HTML_STRIP_BINS 100

/* The samples of one series of a run, reduced to what a strip of a few hundred pixels can show. */
typedef struct sy_html_strip {
    const sy_run_series *series;
    double low; /* of the first bin; the last one ends at high; NaN = no sample is usable */
    double high;
    uint32_t below; /* usable samples left of low, ... */
    uint32_t above; /* ... right of high: few far ones do not flatten the rest */
    uint32_t bins[SY_HTML_STRIP_BINS];
    double p5; /* nearest rank, as p25, p75, p95 and p99; with series->p50 */
    double p25;
    double p75;
    double p99;
    double first;        /* as it was measured first; NaN = unusable, as an infinite one is */
    const double *drawn; /* in order of measurement, at most so many that a chart shows: all, or one of each equal part
                            of the series; NaN = unusable */
    size_t drawn_count;
    bool samples_missing; /* they are gone or were changed, as `steelyard ledger verify` says: nothing else is known */
} sy_html_strip;

/* One run with what its page shows besides the record itself. */
typedef struct sy_html_run {
    const sy_run *run;
    const sy_html_strip *strips; /* of each of run->series, in that order; NULL: the run has none, or more than a page
                                    shows, row.series_count says which, and run->series is left out too */
    const char *baseline_run;    /* the accepted session that it is held against: the newest of its baseline; "" */
    const sy_key_difference *differences; /* of key, place, source and software against that one */
    size_t difference_count;
    const sy_probe_result *probe; /* of a decision run whose result is kept; else NULL */
    const char *probe_missing;    /* why not, where a decision run has none; "" */
} sy_html_run;

/* One decision of a probe that is shown without a ledger, or with what was stored of it. */
typedef struct sy_html_decision {
    const char *run; /* that recorded it; "" = none did */
    const sy_probe_result *result;
    const char *stored; /* "kept as exact matmul in ~/.cache/steelyard/profiles"; "" = it was not stored */
} sy_html_decision;

/* All of a page; what is not there is NULL and its count 0. */
typedef struct sy_html_content {
    const char *title;                 /* the project's name, or the operation that was probed */
    const char *tool;                  /* "steelyard 0.1.0" */
    int64_t written_utc_s;             /* when the page was made */
    const sy_dashboard *dashboard;     /* NULL: a page of decisions alone */
    const sy_gate_selftest *selftests; /* the newest of each gate and metric */
    size_t selftest_count;
    const sy_html_session *sessions; /* sessions and imports of the ledger, all, the oldest first; a decision run has
                                        its page instead, and no dots */
    size_t session_count;
    const sy_html_series *series; /* all of them */
    size_t series_count;
    uint64_t point_count;    /* of all series */
    uint64_t unusable_count; /* figures that would be points and are no numbers */
    const sy_html_run *runs; /* those with a page of their own, the newest first */
    size_t run_count;
    uint64_t run_total; /* runs of the ledger: the others are named in their charts and have no page here */
    const sy_html_decision *decisions;
    size_t decision_count;
    void *owner; /* private; NULL: the caller made it */
} sy_html_content;

typedef struct sy_html_options {
    size_t struct_size;
    const char *run;    /* whose verdict comes first, as in sy_dashboard_options */
    size_t run_limit;   /* runs with a page of their own at most: what stands open or is promoted, the newest of each
                           line, decisions, then the newest; SIZE_MAX = all. Fewer where their series are very many */
    size_t drawn_limit; /* of sy_html_strip.drawn */
} sy_html_options;

#define SY_HTML_OPTIONS_INIT                                                                    \
    {                                                                                           \
        .struct_size = sizeof(sy_html_options), .run = 0, .run_limit = 200, .drawn_limit = 2000 \
    }

/* All of it from one snapshot of the ledger, which may change meanwhile; nothing is judged anew and nothing is written.
 * A project without a ledger has an empty page. options may be NULL. Errors as sy_project_dashboard; an artifact that
 * is missing or damaged is said in its run. The caller destroys *ret_content. */
SY_API sy_status sy_project_html(sy_project *project, const sy_html_options *options, sy_html_content **ret_content,
                                 sy_error *err) SY_NODISCARD;
SY_API void sy_html_content_destroy(sy_html_content *content); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
