/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the ledger's storage under test, and what every test of them does: open one, put something into it,
 * look at what is there. A new entry is one line of `storage_entries`. Needs cmocka. */
#ifndef STEELYARD_TESTS_STORAGE_ENTRIES_H
#define STEELYARD_TESTS_STORAGE_ENTRIES_H

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ledger/storage.h"
#include "temporary_folder.h"

typedef struct storage_entry {
    const sy_storage *storage;
    bool persists; /* what was committed is there when it is opened again, by others too */
} storage_entry;

static const storage_entry storage_entries[] = {
    {&sy_storage_memory, false},
    {&sy_storage_sqlite, true},
};
#define STORAGE_ENTRY_COUNT (sizeof storage_entries / sizeof storage_entries[0])

/* One storage under test, with a folder of its own. */
typedef struct subject {
    const storage_entry *entry;
    const sy_storage *storage;
    void *state;
    char *folder;
    sy_error err;
} subject;

#define ALLOWS(status_expression)                                                                \
    do {                                                                                         \
        sy_status allowed = (status_expression);                                                 \
        if (allowed != SY_OK) {                                                                  \
            fail_msg("%s:%d: %s: %s", __FILE__, __LINE__, sy_status_word(allowed), s->err.what); \
        }                                                                                        \
    } while (false)

#define ANSWERS(status_expression, wanted)                                                        \
    do {                                                                                          \
        sy_status answered = (status_expression);                                                 \
        if (answered != (wanted)) {                                                               \
            fail_msg("%s:%d: %s, not %s", __FILE__, __LINE__, sy_status_word(answered), #wanted); \
        }                                                                                         \
        assert_true(answered == SY_OK || s->err.what[0] != '\0');                                 \
    } while (false)

static inline sy_status try_open(subject *s, bool create, bool read_only, void **ret_state)
{
    const sy_storage_options options = {
        .folder = s->folder, .create = create, .read_only = read_only, .wait_ns = UINT64_C(10000000000)};
    return s->storage->open(&options, ret_state, &s->err);
}

static inline void reopen(subject *s)
{
    s->storage->close(s->state);
    s->state = NULL;
    ALLOWS(try_open(s, false, false, &s->state));
}

/* The storage's own folder lies in one that exists. */
static inline int start_subject(void **state)
{
    const storage_entry *entry = *state;
    void *parent;
    if (make_temporary_folder(&parent) != 0) {
        return -1;
    }
    subject *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return -1;
    }
    size_t size = strlen(parent) + sizeof "/evidence";
    s->folder = malloc(size);
    if (s->folder == NULL) {
        return -1;
    }
    snprintf(s->folder, size, "%s/evidence", (char *)parent);
    free(parent);
    s->entry = entry;
    s->storage = entry->storage;
    *state = s;
    return try_open(s, true, false, &s->state) == SY_OK ? 0 : -1;
}

static inline int finish_subject(void **state)
{
    subject *s = *state;
    s->storage->close(s->state);
    *strrchr(s->folder, '/') = '\0';
    void *parent = s->folder;
    free(s);
    return remove_temporary_folder(&parent);
}

/* ---- putting ---- */

static inline void begin(subject *s)
{
    ALLOWS(s->storage->begin(s->state, true, &s->err));
}

static inline void commit(subject *s)
{
    ALLOWS(s->storage->commit(s->state, &s->err));
}

static inline sy_stored_event event_of(uint64_t number, const char *kind, const char *run, const char *bytes)
{
    sy_stored_event event = {.number = number,
                             .at_utc_s = 1764460800 + (int64_t)number,
                             .kind = kind,
                             .run = run,
                             .bytes = bytes,
                             .size = strlen(bytes)};
    sy_digest_of(bytes, event.size, &event.digest);
    return event;
}

static inline sy_status append_text(subject *s, uint64_t number, const char *run, const char *bytes)
{
    const sy_stored_event event = event_of(number, "note", run, bytes);
    return s->storage->append(s->state, &event, &s->err);
}

static inline sy_stored_series series_of(uint64_t event, const double *samples, size_t count)
{
    sy_stored_series series = {.event = event, .bytes = samples, .count = count, .size = 8 * count};
    sy_digest_of(samples, 8 * count, &series.digest);
    return series;
}

static inline sy_run_row row_of(const char *id, uint64_t number)
{
    return (sy_run_row){.id = id,
                        .number = number,
                        .reason = "",
                        .question = "",
                        .conclusion = "",
                        .gate = "",
                        .cell = "",
                        .tier = "",
                        .protocol = "",
                        .revision = "",
                        .host = "",
                        .device = "",
                        .origin = "",
                        .key_digest = ""};
}

static inline void put_row(subject *s, const sy_run_row *row, const char *key)
{
    ALLOWS(s->storage->put_row(s->state, row, key, &s->err));
}

/* ---- looking ---- */

static inline uint64_t head_of(subject *s)
{
    uint64_t number = 99;
    sy_digest digest;
    ALLOWS(s->storage->head(s->state, &number, &digest, &s->err));
    return number;
}

static inline sy_status count_event(void *user, const sy_stored_event *event, sy_error *err)
{
    sy_digest digest;
    (void)err;
    sy_digest_of(event->bytes, event->size, &digest);
    assert_true(sy_digest_equal(&digest, &event->digest));
    assert_int_equal(event->bytes[event->size], '\0');
    (*(size_t *)user)++;
    return SY_OK;
}

static inline size_t count_events(subject *s, uint64_t from, const char *run)
{
    size_t count = 0;
    ALLOWS(s->storage->events(s->state, from, run, count_event, &count, &s->err));
    return count;
}

static inline sy_status count_row(void *user, const sy_run_row *row, sy_error *err)
{
    (void)row;
    (void)err;
    (*(size_t *)user)++;
    return SY_OK;
}

static inline size_t count_rows(subject *s)
{
    size_t count = 0;
    uint64_t total = 99;
    ALLOWS(s->storage->rows(s->state, NULL, count_row, &count, &total, &s->err));
    assert_int_equal(count, total);
    return count;
}

static inline sy_status count_series(void *user, const sy_stored_series *series, sy_error *err)
{
    (void)err;
    assert_int_equal(series->size, 8 * series->count);
    (*(size_t *)user)++;
    return SY_OK;
}

static inline size_t series_there(subject *s)
{
    size_t count = 0;
    ALLOWS(s->storage->each_series(s->state, count_series, &count, &s->err));
    return count;
}

static inline sy_status no_complaint(void *user, const char *complaint, sy_error *err)
{
    (void)user;
    (void)err;
    fail_msg("%s", complaint);
    return SY_OK;
}

static inline void is_sound(subject *s)
{
    ALLOWS(s->storage->check(s->state, no_complaint, NULL, &s->err));
}

static inline void assert_rows_equal(const sy_run_row *a, const sy_run_row *b)
{
    const char *const left[] = {a->id,       a->reason,   a->question, a->conclusion, a->gate,   a->cell,      a->tier,
                                a->protocol, a->revision, a->host,     a->device,     a->origin, a->key_digest};
    const char *const right[] = {b->id,       b->reason,   b->question, b->conclusion, b->gate,   b->cell,      b->tier,
                                 b->protocol, b->revision, b->host,     b->device,     b->origin, b->key_digest};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        assert_string_equal(left[i], right[i]);
    }
    assert_true(a->number == b->number && a->kind == b->kind && a->status == b->status && a->parity == b->parity);
    assert_true(a->began_utc_s == b->began_utc_s && a->ended_utc_s == b->ended_utc_s && a->dirty == b->dirty);
    assert_true(a->diff_is_kept == b->diff_is_kept && a->hardware == b->hardware && a->synthetic == b->synthetic);
    assert_true(a->accepted == b->accepted && a->lease_whole == b->lease_whole && a->fence == b->fence);
    assert_true(a->lease_until_utc_s == b->lease_until_utc_s && a->series_count == b->series_count);
    assert_true(a->sample_count == b->sample_count && a->judged == b->judged && a->raised == b->raised);
    assert_true(!a->judged || (a->verdict == b->verdict && a->verdict_reason == b->verdict_reason));
    assert_true(a->verdict_number == b->verdict_number && a->signed_off == b->signed_off);
    assert_true(a->signoff_number == b->signoff_number && a->promoted == b->promoted);
    assert_true(a->begins_baseline == b->begins_baseline);
}

/* ---- running: every test on every entry ---- */

typedef struct clause {
    const char *name;
    CMUnitTestFunction test;
} clause;

#define CLAUSE(test) \
    {                \
#test, test  \
    }

static inline int run_clauses(const char *group, const clause *clauses, size_t count)
{
    struct CMUnitTest *tests = calloc(count * STORAGE_ENTRY_COUNT, sizeof *tests);
    char(*names)[160] = calloc(count * STORAGE_ENTRY_COUNT, sizeof *names);
    if (tests == NULL || names == NULL) {
        return 1;
    }
    for (size_t i = 0; i < count * STORAGE_ENTRY_COUNT; i++) {
        const storage_entry *entry = &storage_entries[i / count];
        snprintf(names[i], sizeof names[i], "%s: %s", entry->storage->name, clauses[i % count].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = clauses[i % count].test,
                                       .setup_func = start_subject,
                                       .teardown_func = finish_subject,
                                       .initial_state = (void *)(uintptr_t)entry};
    }
    int failed = _cmocka_run_group_tests(group, tests, count * STORAGE_ENTRY_COUNT, NULL, NULL);
    free(names);
    free(tests);
    return failed;
}

#endif
