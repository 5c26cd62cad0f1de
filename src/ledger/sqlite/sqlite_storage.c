/* SPDX-License-Identifier: Apache-2.0 */
/* The storage in SQLite: its table, its events and samples. Runs are in sqlite_rows.c. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

static sy_status get_id(void *state, char ret_id[33], sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    bool row = false;
    char id[33] = "";
    sy_status status = sy_sqlite_take(s, SY_SQLITE_GET_ID, &query, err);
    if (status == SY_OK) {
        status = sy_sqlite_step(s, &query, &row, err);
    }
    if (status == SY_OK && row && sqlite3_column_bytes(query.statement, 0) == 32) {
        memcpy(id, sy_sqlite_text(&query, 0), 32);
    }
    sy_sqlite_put_back(&query);
    if (status == SY_OK) {
        memcpy(ret_id, id, sizeof id);
    }
    return status;
}

static sy_status read_digest(const sy_sqlite *s, const sy_sqlite_query *query, int at, sy_digest *ret_digest,
                             sy_error *err)
{
    if (sy_digest_parse(sy_sqlite_text(query, at), ret_digest, NULL) != SY_OK) {
        return sy_fail(err, SY_CORRUPT, "'%s' holds a digest that is none", s->path);
    }
    return SY_OK;
}

static sy_status head(void *state, uint64_t *ret_number, sy_digest *ret_digest, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    bool row = false;
    uint64_t number = 0;
    sy_digest digest = {{0}};
    sy_status status = sy_sqlite_take(s, SY_SQLITE_HEAD, &query, err);
    if (status == SY_OK) {
        status = sy_sqlite_step(s, &query, &row, err);
    }
    if (status == SY_OK && row) {
        number = (uint64_t)sqlite3_column_int64(query.statement, 0);
        status = read_digest(s, &query, 1, &digest, err);
    }
    sy_sqlite_put_back(&query);
    if (status == SY_OK) {
        *ret_number = number;
        *ret_digest = digest;
    }
    return status;
}

static sy_status put_id(void *state, const char *id, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    char former[33];
    uint64_t number = 0;
    sy_digest digest;
    sy_status status = sy_sqlite_may_change(s, err);
    if (status == SY_OK) {
        status = head(s, &number, &digest, err);
    }
    if (status == SY_OK) {
        status = get_id(s, former, err);
    }
    if (status == SY_OK) {
        status = sy_stored_id_check(id, number > 0 ? former : NULL, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_take(s, SY_SQLITE_PUT_ID, &query, err);
    }
    if (status == SY_OK) {
        sy_sqlite_add_text(&query, id);
        status = sy_sqlite_run(s, &query, err);
    }
    return sy_sqlite_changed(s, status);
}

static sy_status append(void *state, const sy_stored_event *event, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    char digest[SY_DIGEST_TEXT];
    uint64_t number = 0;
    sy_digest last;
    sy_status status = sy_sqlite_may_change(s, err);
    if (status == SY_OK) {
        status = head(s, &number, &last, err);
    }
    if (status == SY_OK) {
        status = sy_stored_event_check(event, number, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_take(s, SY_SQLITE_APPEND, &query, err);
    }
    if (status == SY_OK) {
        sy_digest_format(&event->digest, digest);
        sy_sqlite_add_number(&query, (int64_t)event->number);
        sy_sqlite_add_text(&query, digest);
        sy_sqlite_add_number(&query, event->at_utc_s);
        sy_sqlite_add_text(&query, event->kind);
        sy_sqlite_add_text(&query, event->run);
        sy_sqlite_add_text_of(&query, event->bytes, event->size);
        status = sy_sqlite_run(s, &query, err);
    }
    return sy_sqlite_changed(s, status);
}

/* What other hands wrote in place of a digest is shown as zeros, which are the digest of nothing. */
static sy_digest digest_or_zeros(const sy_sqlite_query *query, int at)
{
    sy_digest digest;
    const sy_digest zeros = {{0}};
    return sy_digest_parse(sy_sqlite_text(query, at), &digest, NULL) == SY_OK ? digest : zeros;
}

static sy_status visit_event(const sy_sqlite_query *query, sy_storage_event_fn visit, void *user, sy_error *err)
{
    sy_stored_event event = {.number = (uint64_t)sqlite3_column_int64(query->statement, 0),
                             .at_utc_s = sqlite3_column_int64(query->statement, 2),
                             .kind = sy_sqlite_text(query, 3),
                             .run = sy_sqlite_text(query, 4),
                             .bytes = sy_sqlite_text(query, 5),
                             .size = (size_t)sqlite3_column_bytes(query->statement, 5)};
    event.digest = digest_or_zeros(query, 1);
    return visit(user, &event, err);
}

static sy_status events(void *state, uint64_t from, const char *run, sy_storage_event_fn visit, void *user,
                        sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    bool row = true;
    sy_status status = sy_sqlite_take(s, run == NULL ? SY_SQLITE_EVENTS : SY_SQLITE_EVENTS_OF_RUN, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_number(&query, from > INT64_MAX ? INT64_MAX : (int64_t)from);
        if (run != NULL) {
            sy_sqlite_add_text(&query, run);
        }
    }
    while (status == SY_OK && row) {
        status = sy_sqlite_step(s, &query, &row, err);
        if (status == SY_OK && row) {
            status = visit_event(&query, visit, user, err);
        }
    }
    sy_sqlite_put_back(&query);
    return status;
}

static sy_status events_of(void *state, sy_event_kind kind, sy_storage_event_fn visit, void *user, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    bool row = true;
    if (kind != SY_EVENT_CHANGE && kind != SY_EVENT_SELFTEST) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "events of kind %s have no list", sy_event_kind_word(kind));
    }
    sy_status status = sy_sqlite_take(
        s, kind == SY_EVENT_CHANGE ? SY_SQLITE_EVENTS_OF_CHANGES : SY_SQLITE_EVENTS_OF_SELFTESTS, &query, err);
    while (status == SY_OK && row) {
        status = sy_sqlite_step(s, &query, &row, err);
        if (status == SY_OK && row) {
            status = visit_event(&query, visit, user, err);
        }
    }
    sy_sqlite_put_back(&query);
    return status;
}

static sy_status put_series(void *state, const sy_stored_series *series, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    char digest[SY_DIGEST_TEXT];
    sy_status status = sy_sqlite_may_change(s, err);
    if (status == SY_OK) {
        status = sy_stored_series_check(series, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_take(s, SY_SQLITE_PUT_SERIES, &query, err);
    }
    if (status == SY_OK) {
        sy_digest_format(&series->digest, digest);
        sy_sqlite_add_text(&query, digest);
        sy_sqlite_add_number(&query, (int64_t)series->event);
        sy_sqlite_add_number(&query, (int64_t)series->count);
        sy_sqlite_add_bytes(&query, series->bytes, 8 * series->count);
        status = sy_sqlite_run(s, &query, err);
    }
    return sy_sqlite_changed(s, status);
}

static sy_status get_series(void *state, const sy_digest *digest, sy_arena *arena, const void **ret_bytes,
                            size_t *ret_count, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    char text[SY_DIGEST_TEXT];
    bool row = false;
    const char *copy = NULL;
    size_t count = 0;
    sy_digest_format(digest, text);
    sy_status status = sy_sqlite_take(s, SY_SQLITE_GET_SERIES, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_text(&query, text);
        status = sy_sqlite_step(s, &query, &row, err);
    }
    if (status == SY_OK && !row) {
        status = sy_fail(err, SY_NOT_FOUND, "no samples have the digest %s", text);
    }
    if (status == SY_OK) {
        count = (size_t)sqlite3_column_int64(query.statement, 0);
        size_t size = (size_t)sqlite3_column_bytes(query.statement, 1);
        if (size % 8 != 0 || size / 8 != count) {
            status = sy_fail(err, SY_CORRUPT, "the samples %s are %zu bytes, not %zu numbers", text, size, count);
        } else {
            copy = sy_arena_copy_bytes(arena, count == 0 ? "" : sqlite3_column_blob(query.statement, 1), size);
            status = copy == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for %zu samples", count) : SY_OK;
        }
    }
    sy_sqlite_put_back(&query);
    if (status == SY_OK) {
        *ret_bytes = copy;
        *ret_count = count;
    }
    return status;
}

static sy_status visit_series(const sy_sqlite_query *query, sy_storage_series_fn visit, void *user, sy_error *err)
{
    const void *bytes = sqlite3_column_blob(query->statement, 3);
    sy_stored_series series = {.event = (uint64_t)sqlite3_column_int64(query->statement, 1),
                               .bytes = bytes == NULL ? "" : bytes,
                               .count = (size_t)sqlite3_column_int64(query->statement, 2),
                               .size = (size_t)sqlite3_column_bytes(query->statement, 3)};
    series.digest = digest_or_zeros(query, 0);
    return visit(user, &series, err);
}

static sy_status each_series(void *state, sy_storage_series_fn visit, void *user, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    bool row = true;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_EACH_SERIES, &query, err);
    while (status == SY_OK && row) {
        status = sy_sqlite_step(s, &query, &row, err);
        if (status == SY_OK && row) {
            status = visit_series(&query, visit, user, err);
        }
    }
    sy_sqlite_put_back(&query);
    return status;
}

static sy_status complain(sy_sqlite *s, sy_sqlite_which which, sy_storage_complaint_fn visit, void *user, sy_error *err)
{
    sy_sqlite_query query;
    bool row = true;
    sy_status status = sy_sqlite_take(s, which, &query, err);
    while (status == SY_OK && row) {
        status = sy_sqlite_step(s, &query, &row, err);
        if (status == SY_OK && row && strcmp(sy_sqlite_text(&query, 0), "ok") != 0) {
            status = visit(user, sy_sqlite_text(&query, 0), err);
        }
    }
    sy_sqlite_put_back(&query);
    return status;
}

/* What comparison keys are found by. */
static sy_status check_keys(sy_sqlite *s, sy_storage_complaint_fn visit, void *user, sy_error *err)
{
    sy_sqlite_query query;
    bool row = true;
    char complaint[80];
    sy_status status = sy_sqlite_take(s, SY_SQLITE_EACH_KEY, &query, err);
    while (status == SY_OK && row) {
        sy_digest identity;
        status = sy_sqlite_step(s, &query, &row, err);
        if (status != SY_OK || !row) {
            break;
        }
        const void *kept = sqlite3_column_blob(query.statement, 1);
        bool has_size = sqlite3_column_bytes(query.statement, 1) == SY_DIGEST_BYTES;
        sy_digest_of(sy_sqlite_text(&query, 2), (size_t)sqlite3_column_bytes(query.statement, 2), &identity);
        if (!has_size || memcmp(kept, identity.bytes, SY_DIGEST_BYTES) != 0) {
            snprintf(complaint, sizeof complaint, "comparison key %lld is kept under an identity of another",
                     (long long)sqlite3_column_int64(query.statement, 0));
            status = visit(user, complaint, err);
        }
    }
    sy_sqlite_put_back(&query);
    return status;
}

static sy_status check(void *state, sy_storage_complaint_fn visit, void *user, sy_error *err)
{
    static const sy_sqlite_which questions[] = {SY_SQLITE_CHECK, SY_SQLITE_CHECK_REFERENCES, SY_SQLITE_CHECK_COUNTS};
    sy_status status = sy_sqlite_check_schema(state, visit, user, err);
    for (size_t i = 0; status == SY_OK && i < sizeof questions / sizeof questions[0]; i++) {
        status = complain(state, questions[i], visit, user, err);
    }
    return status == SY_OK ? check_keys(state, visit, user, err) : status;
}

const sy_storage sy_storage_sqlite = {
    .struct_size = sizeof(sy_storage),
    .name = "sqlite",
    .open = sy_sqlite_open,
    .close = sy_sqlite_close,
    .begin = sy_sqlite_begin,
    .commit = sy_sqlite_commit,
    .rollback = sy_sqlite_rollback,
    .get_id = get_id,
    .put_id = put_id,
    .head = head,
    .append = append,
    .events = events,
    .put_series = put_series,
    .get_series = get_series,
    .put_row = sy_sqlite_put_row,
    .get_row = sy_sqlite_get_row,
    .rows = sy_sqlite_rows,
    .rows_like = sy_sqlite_rows_like,
    .keys = sy_sqlite_keys,
    .put_figure = sy_sqlite_put_figure,
    .figures = sy_sqlite_figures,
    .events_of = events_of,
    .each_series = each_series,
    .each_row = sy_sqlite_each_row,
    .each_figure = sy_sqlite_each_figure,
    .check = check,
};
