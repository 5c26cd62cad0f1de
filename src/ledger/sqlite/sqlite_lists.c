/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of runs and of keys: a filter as values of a statement, and which statement finds its runs the shortest way. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger/sqlite/sqlite_inside.h"

/* Lists of more runs that are a good part of all go through all of them, from the newest on. */
#define LONG_LIST 100
#define GOOD_PART 8

static const char *some(const char *text)
{
    return text == NULL || text[0] == '\0' ? NULL : text;
}

/* The least text that is greater than all that begin with this one: no byte of UTF-8 is 255. NULL: no memory. */
static char *end_of(const char *beginning)
{
    char *end = sy_duplicate_text(beginning);
    if (end != NULL) {
        unsigned char *last = (unsigned char *)end + strlen(end) - 1;
        (*last)++;
    }
    return end;
}

static void join_words(char *to, size_t size, unsigned bits, unsigned count, const char *(*word_of)(unsigned value))
{
    size_t length = 0;
    to[0] = '\0';
    if (bits == 0) {
        return;
    }
    to[length++] = ',';
    for (unsigned i = 0; i < count; i++) {
        size_t word = strlen(word_of(i));
        if ((bits >> i & 1u) != 0 && length + word + 2 <= size) {
            memcpy(to + length, word_of(i), word);
            length += word;
            to[length++] = ',';
        }
    }
    to[length] = '\0';
}

void sy_sqlite_filter_finish(sy_sqlite_filter *values)
{
    sy_free(values->key_end);
    sy_free(values->revision_end);
}

sy_status sy_sqlite_filter_start(const sy_run_filter *filter, sy_sqlite_filter *values, sy_error *err)
{
    *values = (sy_sqlite_filter){.filter = SY_RUN_FILTER_INIT};
    if (filter != NULL) {
        values->filter = *filter;
    }
    sy_run_filter *f = &values->filter;
    f->key_digest = some(f->key_digest);
    f->revision = some(f->revision);
    join_words(values->statuses, sizeof values->statuses, f->statuses, SY_SQLITE_STATUS_COUNT, sy_sqlite_status_word);
    join_words(values->kinds, sizeof values->kinds, f->kinds, SY_SQLITE_KIND_COUNT, sy_sqlite_kind_word);
    join_words(values->verdicts, sizeof values->verdicts, f->verdicts, SY_SQLITE_VERDICT_COUNT, sy_sqlite_verdict_word);
    if (f->key_digest != NULL) {
        values->key_end = end_of(f->key_digest);
    }
    if (f->revision != NULL) {
        values->revision_end = end_of(f->revision);
    }
    if ((f->key_digest != NULL && values->key_end == NULL) || (f->revision != NULL && values->revision_end == NULL)) {
        sy_sqlite_filter_finish(values);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a filter of runs");
    }
    return SY_OK;
}

bool sy_sqlite_filter_has_facets(const sy_sqlite_filter *values)
{
    const sy_run_filter *f = &values->filter;
    return f->statuses != 0 || f->kinds != 0 || f->gate != NULL || f->cell != NULL || f->tier != NULL ||
           f->device != NULL || f->origin != NULL || f->accepted_only || f->verdicts != 0;
}

void sy_sqlite_add_filter(sy_sqlite_query *query, const sy_sqlite_filter *values)
{
    const sy_run_filter *f = &values->filter;
    int count = sqlite3_bind_parameter_count(query->statement);
    const char *const texts[] = {
        some(values->statuses), some(values->kinds), f->gate, f->cell, f->tier, f->device, f->origin};
    const char *const ranges[] = {f->key_digest, values->key_end, f->revision, values->revision_end};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sy_sqlite_add_text(query, texts[i]);
    }
    sy_sqlite_add_number(query, f->accepted_only);
    sy_sqlite_add_text(query, some(values->verdicts));
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && query->value_count < count; i++) {
        sy_sqlite_add_text(query, ranges[i]);
    }
    if (query->value_count < count) {
        sy_sqlite_add_number(query, f->before_number == 0 || f->before_number > INT64_MAX ? INT64_MAX
                                                                                          : (int64_t)f->before_number);
    }
    if (query->value_count < count) {
        sy_sqlite_add_number(query, f->limit == 0 || f->limit > INT64_MAX ? -1 : (int64_t)f->limit);
    }
}

/* How many runs the filter lets through. */
typedef struct run_total {
    uint64_t count;
    uint64_t of_all; /* where neither key nor revision is asked for */
} run_total;

static sy_status read_total(sy_sqlite *s, const sy_sqlite_filter *values, run_total *ret_total, sy_error *err)
{
    sy_sqlite_which which = SY_SQLITE_TOTAL_BY_FACET;
    if (values->filter.key_digest != NULL) {
        which = SY_SQLITE_TOTAL_BY_KEY;
    } else if (values->filter.revision != NULL) {
        which = SY_SQLITE_TOTAL_BY_REVISION;
    }
    sy_sqlite_query query;
    bool row = false;
    sy_status status = sy_sqlite_take(s, which, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_filter(&query, values);
        status = sy_sqlite_step(s, &query, &row, err);
    }
    if (status == SY_OK) {
        *ret_total = (run_total){(uint64_t)sqlite3_column_int64(query.statement, 0),
                                 (uint64_t)sqlite3_column_int64(query.statement, 1)};
    }
    sy_sqlite_put_back(&query);
    return status;
}

static sy_sqlite_which shortest_way(const sy_sqlite_filter *values, const run_total *total)
{
    if (values->filter.key_digest != NULL) {
        return SY_SQLITE_ROWS_BY_KEY;
    }
    if (values->filter.revision != NULL) {
        return SY_SQLITE_ROWS_BY_REVISION;
    }
    uint64_t limit = values->filter.limit;
    bool is_long = (limit == 0 || limit > LONG_LIST) && total->count > LONG_LIST;
    return !sy_sqlite_filter_has_facets(values) || (is_long && total->count > total->of_all / GOOD_PART)
               ? SY_SQLITE_ROWS
               : SY_SQLITE_ROWS_BY_FACET;
}

static sy_status visit_rows(sy_sqlite *s, sy_sqlite_query *query, sy_storage_row_fn visit, void *user, sy_error *err)
{
    bool is_row = true;
    sy_status status = SY_OK;
    while (status == SY_OK && is_row) {
        sy_run_row row;
        status = sy_sqlite_step(s, query, &is_row, err);
        if (status == SY_OK && is_row) {
            status = sy_sqlite_read_row(s, query, &row, err);
        }
        if (status == SY_OK && is_row) {
            status = visit(user, &row, err);
        }
    }
    return status;
}

sy_status sy_sqlite_rows(void *state, const sy_run_filter *filter, sy_storage_row_fn visit, void *user,
                         uint64_t *ret_total, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query = {NULL, 0, SQLITE_OK};
    sy_sqlite_filter values;
    bool began = false;
    run_total total = {0, 0};
    sy_status status = sy_sqlite_filter_start(filter, &values, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_sqlite_begin_reading(s, &began, err);
    if (status == SY_OK) {
        status = read_total(s, &values, &total, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_take(s, shortest_way(&values, &total), &query, err);
    }
    if (status == SY_OK) {
        sy_sqlite_add_filter(&query, &values);
        status = visit_rows(s, &query, visit, user, err);
    }
    sy_sqlite_put_back(&query);
    sy_sqlite_end_reading(s, began);
    sy_sqlite_filter_finish(&values);
    if (status == SY_OK && ret_total != NULL) {
        *ret_total = total.count;
    }
    return status;
}

sy_status sy_sqlite_rows_like(void *state, const char *beginning, size_t limit, sy_storage_row_fn visit, void *user,
                              sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    char *end = NULL;
    if (beginning[0] != '\0') {
        end = end_of(beginning);
        if (end == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for the runs '%s'", beginning);
        }
    }
    sy_status status = sy_sqlite_take(s, SY_SQLITE_ROWS_LIKE, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_text(&query, beginning);
        sy_sqlite_add_text(&query, end);
        sy_sqlite_add_number(&query, limit == 0 || limit > INT64_MAX ? -1 : (int64_t)limit);
        status = visit_rows(s, &query, visit, user, err);
    }
    sy_sqlite_put_back(&query);
    sy_free(end);
    return status;
}

sy_status sy_sqlite_each_row(void *state, sy_storage_keyed_row_fn visit, void *user, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    bool is_row = true;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_EACH_ROW, &query, err);
    while (status == SY_OK && is_row) {
        sy_run_row row;
        status = sy_sqlite_step(s, &query, &is_row, err);
        if (status == SY_OK && is_row) {
            status = sy_sqlite_read_row(s, &query, &row, err);
        }
        if (status == SY_OK && is_row) {
            status = visit(user, &row, sy_sqlite_text(&query, SY_SQLITE_ROW_COLUMN_COUNT), err);
        }
    }
    sy_sqlite_put_back(&query);
    return status;
}

sy_status sy_sqlite_keys(void *state, const sy_run_filter *filter, bool incomplete_too, sy_storage_key_fn visit,
                         void *user, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    sy_sqlite_filter values;
    bool is_row = true;
    sy_status status = sy_sqlite_filter_start(filter, &values, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_sqlite_take(s, SY_SQLITE_KEYS, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_filter(&query, &values);
        sy_sqlite_add_number(&query, incomplete_too);
    }
    while (status == SY_OK && is_row) {
        status = sy_sqlite_step(s, &query, &is_row, err);
        if (status == SY_OK && is_row) {
            const sy_key_row row = {.key_digest = sy_sqlite_text(&query, 0),
                                    .cell = sy_sqlite_text(&query, 1),
                                    .session_count = (uint64_t)sqlite3_column_int64(query.statement, 2),
                                    .accepted_count = (uint64_t)sqlite3_column_int64(query.statement, 3),
                                    .newest = sy_sqlite_text(&query, 4),
                                    .failed_count = (uint64_t)sqlite3_column_int64(query.statement, 6)};
            status = visit(user, &row, sy_sqlite_text(&query, 5), err);
        }
    }
    sy_sqlite_put_back(&query);
    sy_sqlite_filter_finish(&values);
    return status;
}
