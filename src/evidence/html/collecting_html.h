/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a page while it is collected. Private to this folder. */
#ifndef STEELYARD_EVIDENCE_COLLECTING_HTML_H
#define STEELYARD_EVIDENCE_COLLECTING_HTML_H

#include <steelyard/html.h>

#include "base/arena.h"
#include "base/text.h"
#include "ledger/ledger.h"
#include "registry/files/id_table.h"

/* What sessions of a line record under one name, whatever its unit. Private to collect_courses.c. */
typedef struct sy_html_figure sy_html_figure;

/* What sessions have in common that are drawn in one chart. */
typedef struct sy_html_line {
    const char *digest; /* of the key without the revision; of sessions without a whole key, of what they say */
    const char *cell;
    const char *gate;
    const char *device;
    const char *const *primary; /* as the gate names its primary metrics */
    size_t primary_count;
    const char *first_series; /* what counts where the gate names none; NULL: none was seen yet */
    bool judged;              /* some session of it was held against a baseline */
    uint64_t verdict_number;  /* of the event with the last verdict on one of its sessions; 0 = none */
    sy_html_figure **order;   /* as sessions record them: mostly each one as the one before it */
    size_t order_count;
} sy_html_line;

#define SY_HTML_NO_SESSION UINT32_MAX

/* What is known of a session besides what is shown. */
typedef struct sy_html_place {
    sy_html_line *line;
    uint32_t accepted_before; /* index of the newest accepted one of its key before it, or SY_HTML_NO_SESSION */
} sy_html_place;

typedef struct sy_html_owner {
    sy_html_content content;
    sy_arena *arena;
    sy_dashboard *dashboard;
    sy_selftest_list *selftests;
    sy_html_session *sessions; /* those of content, from the heap */
    sy_run **runs;             /* those of content.runs, then the baselines that they were held against */
    size_t run_count;
    sy_probe_result **probes;
    size_t probe_count;
} sy_html_owner;

typedef struct sy_html_collecting {
    sy_html_owner *owner;
    sy_project *project;
    sy_registry *registry;
    sy_ledger *ledger; /* NULL: there is none */
    const sy_html_options *options;
    sy_id_table *texts; /* each once */
    sy_html_session *sessions;
    sy_html_place *places; /* of each session, from the heap */
    size_t session_count;
    sy_id_table *figures;         /* line, name, case, implementation -> sy_html_figure */
    sy_text id;                   /* of the one that is looked for */
    const char *const *decisions; /* ids of decision runs, the newest first, as many as can have a page */
    size_t decision_count;
} sy_html_collecting;

sy_status sy_html_no_memory(sy_error *err);
/* One copy for all that are equal; NULL: no memory. */
const char *sy_html_text(sy_html_collecting *c, const char *text);

/* collect_lines.c: sessions, the oldest first, each with its line. */
sy_status sy_html_collect_sessions(sy_html_collecting *c, sy_error *err) SY_NODISCARD;
/* collect_courses.c: series and their points. */
sy_status sy_html_collect_courses(sy_html_collecting *c, sy_error *err) SY_NODISCARD;
/* The series of a figure of a line; NULL: there is none, or (*ret_failed) no memory to look. */
sy_html_series *sy_html_find_series(sy_html_collecting *c, const char *line, const sy_judged_metric *metric,
                                    bool *ret_failed);
/* collect_pages.c: runs with a page of their own, and what the last verdicts say of series. */
sy_status sy_html_collect_runs(sy_html_collecting *c, sy_error *err) SY_NODISCARD;
/* html_strip.c: what a chart shows of samples. drawn_limit: samples that are kept in their order. */
sy_status sy_html_strip_make(const sy_run_series *series, const double *samples, size_t count, size_t drawn_limit,
                             sy_arena *arena, sy_html_strip *ret_strip, sy_error *err) SY_NODISCARD;

#endif
