/* SPDX-License-Identifier: Apache-2.0 */
/* Which sessions of a key are its baseline: accepted ones, by the order of their begin events and nothing else. */
#include "evidence/compare/baseline.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "registry/matrix/matrix.h"

#define REVISION_FACT "{run_revision}"
#define REVISION_FIELD "source_revision"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the sessions of a key");
}

const char *sy_revision_field(sy_registry *registry)
{
    const struct sy_matrix_part *matrix = sy_registry_matrix_part(registry);
    const sy_json_value *sources = matrix != NULL && matrix->protocol != NULL ? matrix->protocol->key_sources : NULL;
    for (const sy_json_value *field = sources != NULL ? sources->first : NULL; field != NULL; field = field->next) {
        for (const sy_json_value *source = field->first; source != NULL; source = source->next) {
            if (source->kind == SY_JSON_TEXT && strcmp(source->text, REVISION_FACT) == 0) {
                return field->name;
            }
        }
    }
    return REVISION_FIELD;
}

/* ---- sessions ---- */

const sy_session *sy_session_find(const sy_session_set *set, const char *run)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->sessions[i].row->id, run) == 0) {
            return &set->sessions[i];
        }
    }
    return NULL;
}

bool sy_session_shares_lease(const sy_session *a, const sy_session *b)
{
    return a->row->fence != 0 && a->row->fence == b->row->fence && strcmp(a->row->host, b->row->host) == 0 &&
           strcmp(a->row->device, b->row->device) == 0;
}

/* ---- the baseline ---- */

static bool shares_lease_with_any(const sy_session *const *sessions, size_t count, const sy_session *session)
{
    for (size_t i = count; i > 0; i--) {
        if (sy_session_shares_lease(sessions[i - 1], session)) {
            return true;
        }
    }
    return false;
}

/* A session that began a new baseline and was superseded since is no part of it; the change stays accepted. */
void sy_baseline_add(sy_baseline *baseline, const sy_session **to, const sy_session *session)
{
    if (session->row->begins_baseline) {
        baseline->begins = session;
        baseline->earlier_count += baseline->count + baseline->doubled_count;
        baseline->count = 0;
        baseline->doubled_count = 0;
        baseline->doubled = NULL;
    }
    if (!session->row->accepted) {
        return;
    }
    if (!shares_lease_with_any(to, baseline->count, session)) {
        to[baseline->count++] = session;
        return;
    }
    baseline->doubled = baseline->doubled == NULL ? session : baseline->doubled;
    baseline->doubled_count++;
}

sy_status sy_baseline_find(const sy_session_set *set, uint64_t before, sy_arena *arena, sy_baseline *ret_baseline,
                           sy_error *err)
{
    sy_baseline baseline = {0};
    const sy_session **sessions = sy_arena_allocate(arena, set->count + 1, sizeof *sessions);
    if (sessions == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < set->count; i++) {
        const sy_session *session = &set->sessions[i];
        if (before == 0 || session->row->number < before) {
            sy_baseline_add(&baseline, sessions, session);
        }
    }
    baseline.sessions = sessions;
    *ret_baseline = baseline;
    return SY_OK;
}

/* ---- one figure ---- */

static bool is_memory_of(const sy_figure_row *figure, const sy_judged_metric *metric)
{
    return figure->is_memory && strcmp(figure->name, metric->series) == 0 &&
           (metric->case_name[0] == '\0' || strcmp(sy_memory_scope_word(figure->scope), metric->case_name) == 0);
}

static bool is_series_of(const sy_figure_row *figure, const sy_judged_metric *metric, sy_series_role role)
{
    return !figure->is_memory && figure->role == role && strcmp(figure->name, metric->series) == 0 &&
           strcmp(figure->case_name, metric->case_name) == 0 &&
           strcmp(figure->implementation, metric->implementation) == 0;
}

static bool is_figure_of(const sy_figure_row *figure, const sy_judged_metric *metric, sy_series_role role)
{
    return metric->statistic == SY_STATISTIC_MEMORY ? role == SY_SERIES_SAMPLE && is_memory_of(figure, metric)
                                                    : is_series_of(figure, metric, role);
}

const sy_figure_row *sy_session_figure(const sy_session *session, const sy_judged_metric *metric, sy_series_role role)
{
    for (size_t i = 0; i < session->figure_count; i++) {
        if (is_figure_of(&session->figures[i], metric, role)) {
            return &session->figures[i];
        }
    }
    return NULL;
}

const sy_figure_row *sy_session_figure_near(const sy_session *session, const sy_judged_metric *metric, size_t place)
{
    bool is_there = place < session->figure_count && is_figure_of(&session->figures[place], metric, SY_SERIES_SAMPLE);
    return is_there ? &session->figures[place] : sy_session_figure(session, metric, SY_SERIES_SAMPLE);
}

double sy_session_value(const sy_figure_row *figure, sy_statistic statistic)
{
    if (figure == NULL) {
        return NAN;
    }
    switch (statistic) {
    case SY_STATISTIC_P95:
        return figure->p95;
    case SY_STATISTIC_MAXIMUM:
        return figure->maximum;
    case SY_STATISTIC_P50:
    case SY_STATISTIC_MEMORY:
        break;
    }
    return figure->p50;
}
