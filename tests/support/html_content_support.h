/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of what a page shows: runs of any shape in a line each, and the content of a page of them. Needs cmocka. */
#ifndef STEELYARD_TESTS_HTML_CONTENT_SUPPORT_H
#define STEELYARD_TESTS_HTML_CONTENT_SUPPORT_H

#include "dashboard_support.h"

#include <math.h>

#include <steelyard/html.h>

static inline sy_html_content *collect_limited(const life *l, size_t run_limit)
{
    sy_html_options options = SY_HTML_OPTIONS_INIT;
    sy_html_content *content = NULL;
    sy_error error = SY_ERROR_INIT;
    options.run_limit = run_limit;
    if (sy_project_html(l->project, &options, &content, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return content;
}

static inline sy_html_content *collect_page(const life *l)
{
    return collect_limited(l, 200);
}

/* The begin and the lease of a session as s says; what it measures is to be added, and its end. */
static inline void open_session(batch *b, const spec *s)
{
    sy_named_text fields[3];
    const sy_run_begin begin = begin_of(s, fields);
    batch_begin(b, &begin);
    batch_lease(b, s->id, ++last_fence);
}

static inline void close_session(const life *l, batch *b, const char *id)
{
    batch_end(b, id, SY_RUN_OK);
    append(l, b);
}

/* samples live as long as the batch is used. */
static inline void add_samples(batch *b, const char *run, const char *name, const char *unit, const char *case_name,
                               const double *samples, size_t count)
{
    sy_run_series series = {.name = name,
                            .unit = unit,
                            .role = SY_SERIES_SAMPLE,
                            .case_name = case_name,
                            .implementation = "",
                            .samples = samples,
                            .count = count,
                            .note = ""};
    BATCH_ADD(b, SY_EVENT_SERIES, run, sy_run_series_write, &series);
    b->entries[b->count - 1].samples = samples;
    b->entries[b->count - 1].sample_count = count;
}

/* The only series of that name and statistic; NULL: there is none. */
static inline const sy_html_series *series_of(const sy_html_content *content, const char *name, sy_statistic statistic)
{
    const sy_html_series *found = NULL;
    for (size_t i = 0; i < content->series_count; i++) {
        if (strcmp(content->series[i].metric.series, name) == 0 && content->series[i].metric.statistic == statistic) {
            assert_null(found);
            found = &content->series[i];
        }
    }
    return found;
}

static inline const sy_html_run *page_of(const sy_html_content *content, const char *id)
{
    for (size_t i = 0; i < content->run_count; i++) {
        if (strcmp(content->runs[i].run->row.id, id) == 0) {
            return &content->runs[i];
        }
    }
    return NULL;
}

#endif
