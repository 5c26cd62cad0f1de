/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the storage in SQLite: how a row is put into tables and read back. Lists are in sqlite_lists.c. */
#include <string.h>

#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#define WORD_OF(name, word) word,
static const char *const status_words[] = {SY_RUN_STATUS_LIST(WORD_OF)};
static const char *const kind_words[] = {SY_RUN_KIND_LIST(WORD_OF)};
static const char *const parity_words[] = {SY_RUN_PARITY_LIST(WORD_OF)};
#define JUDGEMENT_WORD_OF(name, word, exit_code) word,
static const char *const verdict_words[] = {SY_JUDGEMENT_LIST(JUDGEMENT_WORD_OF)};
#undef JUDGEMENT_WORD_OF
static const char *const reason_words[] = {SY_JUDGEMENT_REASON_LIST(WORD_OF)};
#undef WORD_OF

const char *sy_sqlite_status_word(unsigned status)
{
    return status < SY_SQLITE_STATUS_COUNT ? status_words[status] : "";
}

const char *sy_sqlite_kind_word(unsigned kind)
{
    return kind < SY_SQLITE_KIND_COUNT ? kind_words[kind] : "";
}

const char *sy_sqlite_verdict_word(unsigned verdict)
{
    return verdict < SY_SQLITE_VERDICT_COUNT ? verdict_words[verdict] : "";
}

/* ---- reading ---- */

int sy_sqlite_find_word(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            return (int)i;
        }
    }
    return -1;
}

sy_status sy_sqlite_read_row(const sy_sqlite *s, const sy_sqlite_query *query, sy_run_row *ret_row, sy_error *err)
{
    sqlite3_stmt *at = query->statement;
    int kind = sy_sqlite_find_word(kind_words, SY_SQLITE_KIND_COUNT, sy_sqlite_text(query, 2));
    int status = sy_sqlite_find_word(status_words, SY_SQLITE_STATUS_COUNT, sy_sqlite_text(query, 3));
    int parity = sy_sqlite_find_word(parity_words, COUNT_OF(parity_words), sy_sqlite_text(query, 4));
    bool judged = *sy_sqlite_text(query, 29) != '\0' || *sy_sqlite_text(query, 30) != '\0';
    int verdict = judged ? sy_sqlite_find_word(verdict_words, SY_SQLITE_VERDICT_COUNT, sy_sqlite_text(query, 29)) : 0;
    int reason = judged ? sy_sqlite_find_word(reason_words, COUNT_OF(reason_words), sy_sqlite_text(query, 30)) : 0;
    if (kind < 0 || status < 0 || parity < 0 || verdict < 0 || reason < 0) {
        return sy_fail(err, SY_CORRUPT, "'%s': the run '%s' has a kind, status, parity or verdict that is none",
                       s->path, sy_sqlite_text(query, 1));
    }
    *ret_row = (sy_run_row){
        .number = (uint64_t)sqlite3_column_int64(at, 0),
        .id = sy_sqlite_text(query, 1),
        .kind = (sy_run_kind)kind,
        .status = (sy_run_status)status,
        .parity = (sy_run_parity)parity,
        .accepted = sqlite3_column_int(at, 5) != 0,
        .gate = sy_sqlite_text(query, 6),
        .cell = sy_sqlite_text(query, 7),
        .tier = sy_sqlite_text(query, 8),
        .device = sy_sqlite_text(query, 9),
        .origin = sy_sqlite_text(query, 10),
        .key_digest = sy_sqlite_text(query, 11),
        .revision = sy_sqlite_text(query, 12),
        .protocol = sy_sqlite_text(query, 13),
        .host = sy_sqlite_text(query, 14),
        .question = sy_sqlite_text(query, 15),
        .reason = sy_sqlite_text(query, 16),
        .conclusion = sy_sqlite_text(query, 17),
        .began_utc_s = sqlite3_column_int64(at, 18),
        .ended_utc_s = sqlite3_column_int64(at, 19),
        .dirty = sqlite3_column_int(at, 20),
        .diff_is_kept = sqlite3_column_int(at, 21) != 0,
        .hardware = sqlite3_column_int(at, 22),
        .synthetic = sqlite3_column_int(at, 23) != 0,
        .lease_whole = sqlite3_column_int(at, 24) != 0,
        .fence = (uint64_t)sqlite3_column_int64(at, 25),
        .lease_until_utc_s = sqlite3_column_int64(at, 26),
        .series_count = (uint64_t)sqlite3_column_int64(at, 27),
        .sample_count = (uint64_t)sqlite3_column_int64(at, 28),
        .judged = judged,
        .verdict = (sy_judgement_word)verdict,
        .verdict_reason = (sy_judgement_reason)reason,
        .verdict_number = (uint64_t)sqlite3_column_int64(at, 31),
        .raised = sqlite3_column_int(at, 32) != 0,
        .signed_off = sqlite3_column_int64(at, 33) != 0,
        .signoff_number = (uint64_t)sqlite3_column_int64(at, 33),
        .promoted = (uint64_t)sqlite3_column_int64(at, 34),
        .begins_baseline = sqlite3_column_int(at, 35) != 0,
    };
    return SY_OK;
}

sy_status sy_sqlite_get_row(void *state, const char *id, sy_arena *arena, sy_run_row *ret_row, sy_error *err)
{
    sy_sqlite *s = state;
    sy_sqlite_query query;
    sy_run_row found;
    bool row = false;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_GET_ROW, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_text(&query, id);
        status = sy_sqlite_step(s, &query, &row, err);
    }
    if (status == SY_OK && !row) {
        status = sy_fail(err, SY_NOT_FOUND, "no run '%s'", id);
    }
    if (status == SY_OK) {
        status = sy_sqlite_read_row(s, &query, &found, err);
    }
    if (status == SY_OK) {
        status = sy_run_row_copy(arena, &found, ret_row, err);
    }
    sy_sqlite_put_back(&query);
    return status;
}

/* ---- putting ---- */

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

sy_status sy_sqlite_find_or_put(sy_sqlite *s, sy_sqlite_which find, sy_sqlite_which put, sy_sqlite_add_fn add,
                                const void *what, int64_t *ret_id, sy_error *err)
{
    sy_sqlite_query query;
    bool row = false;
    sy_status status = sy_sqlite_take(s, find, &query, err);
    if (status == SY_OK) {
        add(&query, what);
        status = sy_sqlite_step(s, &query, &row, err);
    }
    int64_t id = status == SY_OK && row ? sqlite3_column_int64(query.statement, 0) : 0;
    sy_sqlite_put_back(&query);
    if (status == SY_OK && !row) {
        status = sy_sqlite_take(s, put, &query, err);
        if (status == SY_OK) {
            add(&query, what);
            status = sy_sqlite_run(s, &query, err);
        }
        id = sqlite3_last_insert_rowid(s->database);
    }
    if (status == SY_OK) {
        *ret_id = id;
    }
    return status;
}

static void add_facet(sy_sqlite_query *query, const void *what)
{
    const sy_run_row *row = what;
    sy_sqlite_add_text(query, text_of(row->gate));
    sy_sqlite_add_text(query, text_of(row->cell));
    sy_sqlite_add_text(query, text_of(row->tier));
    sy_sqlite_add_text(query, text_of(row->device));
    sy_sqlite_add_text(query, text_of(row->origin));
    sy_sqlite_add_text(query, kind_words[row->kind]);
    sy_sqlite_add_text(query, status_words[row->status]);
    sy_sqlite_add_text(query, parity_words[row->parity]);
    sy_sqlite_add_number(query, row->accepted);
    sy_sqlite_add_text(query, row->judged ? verdict_words[row->verdict] : "");
    sy_sqlite_add_text(query, row->judged ? reason_words[row->verdict_reason] : "");
}

typedef struct key_text {
    const char *digest;
    const char *fields;
    sy_digest identity;
} key_text;

static void add_key(sy_sqlite_query *query, const void *what)
{
    const key_text *key = what;
    sy_sqlite_add_text(query, key->digest);
    sy_sqlite_add_bytes(query, key->identity.bytes, sizeof key->identity.bytes);
    if (sqlite3_bind_parameter_count(query->statement) > 2) { /* to be put, not only found */
        sy_sqlite_add_text(query, key->fields);
    }
}

static void add_revision(sy_sqlite_query *query, const void *what)
{
    sy_sqlite_add_text(query, text_of(((const sy_run_row *)what)->revision));
}

/* What is kept of a run, and the ids of what it shares with others. */
typedef struct place {
    bool is_there;
    uint64_t number;
    int64_t facet;
    int64_t key; /* 0 = none */
    int64_t revision;
} place;

static sy_status find_run(sy_sqlite *s, const char *id, place *ret_place, sy_error *err)
{
    sy_sqlite_query query;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_FIND_RUN, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_text(&query, id);
        status = sy_sqlite_step(s, &query, &ret_place->is_there, err);
    }
    if (status == SY_OK && ret_place->is_there) {
        ret_place->number = (uint64_t)sqlite3_column_int64(query.statement, 0);
        ret_place->key = sqlite3_column_int64(query.statement, 1);
    }
    sy_sqlite_put_back(&query);
    return status;
}

static sy_status check_number(sy_sqlite *s, uint64_t number, sy_error *err)
{
    sy_sqlite_query query;
    bool row = false;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_RUN_OF_NUMBER, &query, err);
    if (status == SY_OK) {
        sy_sqlite_add_number(&query, (int64_t)number);
        status = sy_sqlite_step(s, &query, &row, err);
    }
    sy_sqlite_put_back(&query);
    if (status == SY_OK && row) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "another run began with event %llu", (unsigned long long)number);
    }
    return status;
}

static sy_status find_places(sy_sqlite *s, const sy_run_row *row, const char *key, place *p, sy_error *err)
{
    sy_status status = sy_sqlite_find_or_put(s, SY_SQLITE_FIND_FACET, SY_SQLITE_PUT_FACET, add_facet, row, &p->facet,
                                             err);
    if (status == SY_OK) {
        status = sy_sqlite_find_or_put(s, SY_SQLITE_FIND_REVISION, SY_SQLITE_PUT_REVISION, add_revision, row,
                                       &p->revision, err);
    }
    if (status == SY_OK && key != NULL) {
        key_text text = {text_of(row->key_digest), key, {{0}}};
        p->key = 0;
        if (key[0] != '\0' || text.digest[0] != '\0') {
            sy_digest_of(key, strlen(key), &text.identity);
            status = sy_sqlite_find_or_put(s, SY_SQLITE_FIND_KEY, SY_SQLITE_PUT_KEY, add_key, &text, &p->key, err);
        }
    }
    return status;
}

static sy_status write_row(sy_sqlite *s, const sy_run_row *row, const place *p, sy_error *err)
{
    sy_sqlite_query query;
    sy_status status = sy_sqlite_take(s, p->is_there ? SY_SQLITE_CHANGE_RUN : SY_SQLITE_PUT_RUN, &query, err);
    if (status != SY_OK) {
        return status;
    }
    sy_sqlite_add_number(&query, (int64_t)row->number);
    sy_sqlite_add_text(&query, row->id);
    sy_sqlite_add_number(&query, p->facet);
    if (p->key == 0) {
        sy_sqlite_add_null(&query);
    } else {
        sy_sqlite_add_number(&query, p->key);
    }
    sy_sqlite_add_number(&query, p->revision);
    const char *const texts[] = {row->protocol, row->host, row->question, row->reason, row->conclusion};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sy_sqlite_add_text(&query, text_of(texts[i]));
    }
    const int64_t numbers[] = {row->began_utc_s,
                               row->ended_utc_s,
                               row->dirty,
                               row->diff_is_kept,
                               row->hardware,
                               row->synthetic,
                               row->lease_whole,
                               (int64_t)row->fence,
                               row->lease_until_utc_s,
                               (int64_t)row->series_count,
                               (int64_t)row->sample_count,
                               (int64_t)row->verdict_number,
                               row->raised,
                               (int64_t)row->signoff_number,
                               (int64_t)row->promoted,
                               row->begins_baseline};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        sy_sqlite_add_number(&query, numbers[i]);
    }
    return sy_sqlite_run(s, &query, err);
}

sy_status sy_sqlite_put_row(void *state, const sy_run_row *row, const char *key, sy_error *err)
{
    sy_sqlite *s = state;
    place p = {0};
    sy_status status = sy_sqlite_may_change(s, err);
    if (status == SY_OK && row->id != NULL) {
        status = find_run(s, row->id, &p, err);
    }
    if (status == SY_OK) {
        sy_run_row former = {.number = p.number};
        status = sy_stored_row_check(row, p.is_there ? &former : NULL, key, err);
    }
    if (status == SY_OK && !p.is_there) {
        status = check_number(s, row->number, err);
    }
    if (status == SY_OK) {
        status = find_places(s, row, key, &p, err);
    }
    if (status == SY_OK) {
        status = write_row(s, row, &p, err);
    }
    return sy_sqlite_changed(s, status);
}
