/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of runs: what they are of is kept once, the numbers a row each. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#define WORD_OF(name, word) word,
static const char *const role_words[] = {SY_SERIES_ROLE_LIST(WORD_OF)};
static const char *const basis_words[] = {SY_MEMORY_BASIS_LIST(WORD_OF)};
static const char *const scope_words[] = {SY_MEMORY_SCOPE_LIST(WORD_OF)};
#undef WORD_OF

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

static void add_metric(sy_sqlite_query *query, const void *what)
{
    const sy_figure_row *figure = what;
    sy_sqlite_add_number(query, figure->is_memory);
    sy_sqlite_add_text(query, text_of(figure->name));
    sy_sqlite_add_text(query, text_of(figure->unit));
    sy_sqlite_add_text(query, text_of(figure->case_name));
    sy_sqlite_add_text(query, text_of(figure->implementation));
    sy_sqlite_add_text(query, figure->is_memory ? "" : role_words[figure->role]);
    sy_sqlite_add_number(query, figure->higher_is_better);
    sy_sqlite_add_text(query, figure->is_memory ? basis_words[figure->basis] : "");
    sy_sqlite_add_text(query, figure->is_memory ? scope_words[figure->scope] : "");
}

sy_status sy_sqlite_put_figure(void *state, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    int64_t metric = 0;
    const double numbers[] = {figure->p50, figure->p95, figure->minimum, figure->maximum};
    sy_status status = sy_sqlite_may_change(s, err);
    if (status == SY_OK) {
        status = sy_stored_figure_check(event, figure, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_find_or_put(s, SY_SQLITE_FIND_METRIC, SY_SQLITE_PUT_METRIC, add_metric, figure, &metric,
                                       err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_take(s, SY_SQLITE_PUT_FIGURE, &query, err);
    }
    if (status == SY_OK) {
        sy_sqlite_add_number(&query, (int64_t)figure->run_number);
        sy_sqlite_add_number(&query, (int64_t)event);
        sy_sqlite_add_number(&query, metric);
        sy_sqlite_add_number(&query, (int64_t)figure->usable_count);
        for (size_t i = 0; i < COUNT_OF(numbers); i++) {
            sy_sqlite_add_double(&query, numbers[i]);
        }
        status = sy_sqlite_run(s, &query, err);
    }
    return sy_sqlite_changed(s, status);
}

static double number_at(const sy_sqlite_query *query, int at)
{
    return sqlite3_column_type(query->statement, at) == SQLITE_NULL ? NAN : sqlite3_column_double(query->statement, at);
}

/* The value of a word; where none may stand, 0 of none. -1: it is no such word. */
static int word_at(const sy_sqlite_query *query, int at, const char *const *words, size_t count, bool may_stand)
{
    const char *word = sy_sqlite_text(query, at);
    return may_stand ? sy_sqlite_find_word(words, count, word) : -(*word != '\0');
}

static sy_status read_figure(const sy_sqlite *s, const sy_sqlite_query *query, sy_figure_row *ret_figure, sy_error *err)
{
    sqlite3_stmt *at = query->statement;
    bool is_memory = sqlite3_column_int(at, 3) != 0;
    int role = word_at(query, 8, role_words, COUNT_OF(role_words), !is_memory);
    int basis = word_at(query, 10, basis_words, COUNT_OF(basis_words), is_memory);
    int scope = word_at(query, 11, scope_words, COUNT_OF(scope_words), is_memory);
    if (role < 0 || basis < 0 || scope < 0) {
        return sy_fail(err, SY_CORRUPT, "'%s': figures have a role, basis or scope that is none", s->path);
    }
    *ret_figure = (sy_figure_row){
        .run = sy_sqlite_text(query, 1),
        .run_number = (uint64_t)sqlite3_column_int64(at, 0),
        .is_memory = is_memory,
        .name = sy_sqlite_text(query, 4),
        .unit = sy_sqlite_text(query, 5),
        .case_name = sy_sqlite_text(query, 6),
        .implementation = sy_sqlite_text(query, 7),
        .role = (sy_series_role)role,
        .higher_is_better = sqlite3_column_int(at, 9) != 0,
        .basis = (sy_memory_basis)basis,
        .scope = (sy_memory_scope)scope,
        .usable_count = (uint64_t)sqlite3_column_int64(at, 12),
        .p50 = number_at(query, 13),
        .p95 = number_at(query, 14),
        .minimum = number_at(query, 15),
        .maximum = number_at(query, 16),
    };
    return SY_OK;
}

static sy_status visit_figures(sy_sqlite *s, sy_sqlite_query *query, sy_storage_figure_fn visit, void *user,
                               sy_error *err)
{
    bool is_row = true;
    sy_status status = SY_OK;
    while (status == SY_OK && is_row) {
        sy_figure_row figure;
        status = sy_sqlite_step(s, query, &is_row, err);
        if (status == SY_OK && is_row) {
            status = read_figure(s, query, &figure, err);
        }
        if (status == SY_OK && is_row) {
            status = visit(user, (uint64_t)sqlite3_column_int64(query->statement, 2), &figure, err);
        }
    }
    return status;
}

static sy_sqlite_which shortest_way(const sy_sqlite_filter *values)
{
    if (values->filter.key_digest != NULL) {
        return SY_SQLITE_FIGURES_BY_KEY;
    }
    if (values->filter.revision != NULL) {
        return SY_SQLITE_FIGURES_BY_REVISION;
    }
    return sy_sqlite_filter_has_facets(values) ? SY_SQLITE_FIGURES_BY_FACET : SY_SQLITE_FIGURES;
}

sy_status sy_sqlite_figures(void *state, const sy_run_filter *filter, sy_storage_figure_fn visit, void *user,
                            sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    sy_sqlite_filter values;
    sy_status status = sy_sqlite_filter_start(filter, &values, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_sqlite_take(s, shortest_way(&values), &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_filter(&query, &values);
        status = visit_figures(s, &query, visit, user, err);
    }
    sy_sqlite_put_back(&query);
    sy_sqlite_filter_finish(&values);
    return status;
}

sy_status sy_sqlite_each_figure(void *state, sy_storage_figure_fn visit, void *user, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_EACH_FIGURE, &query, err);
    if (status == SY_OK) {
        status = visit_figures(s, &query, visit, user, err);
    }
    sy_sqlite_put_back(&query);
    return status;
}
