/* SPDX-License-Identifier: Apache-2.0 */
/* What every storage of the ledger owes: figures of runs, and events that are found by their kind. */
#include "storage_entries.h"

#include <math.h>

#include "base/error.h"
#include "base/random.h"

static sy_figure_row series_figure(uint64_t run_number)
{
    return (sy_figure_row){.run_number = run_number,
                           .name = "wall 'q'",
                           .unit = "s",
                           .case_name = "square; DROP TABLE figure",
                           .implementation = "blis \xc3\xa9",
                           .role = SY_SERIES_CONTROL,
                           .higher_is_better = true,
                           .usable_count = INT64_MAX,
                           .p50 = 0.1,
                           .p95 = 1e308,
                           .minimum = -5e-324,
                           .maximum = NAN};
}

static sy_figure_row memory_figure(uint64_t run_number)
{
    return (sy_figure_row){.run_number = run_number,
                           .is_memory = true,
                           .name = "peak",
                           .unit = "bytes",
                           .usable_count = 1,
                           .p50 = 4096,
                           .p95 = 4096,
                           .minimum = 4096,
                           .maximum = 4096,
                           .basis = SY_MEMORY_CALCULATED,
                           .scope = SY_MEMORY_UNIFIED};
}

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

static bool is_same_number(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void assert_figures_equal(const sy_figure_row *a, const sy_figure_row *b)
{
    assert_string_equal(a->name, text_of(b->name));
    assert_string_equal(a->unit, text_of(b->unit));
    assert_string_equal(a->case_name, text_of(b->case_name));
    assert_string_equal(a->implementation, text_of(b->implementation));
    assert_true(a->run_number == b->run_number && a->is_memory == b->is_memory && a->role == b->role);
    assert_true(a->higher_is_better == b->higher_is_better && a->usable_count == b->usable_count);
    assert_true(a->basis == b->basis && a->scope == b->scope);
    assert_true(is_same_number(a->p50, b->p50) && is_same_number(a->p95, b->p95));
    assert_true(is_same_number(a->minimum, b->minimum) && is_same_number(a->maximum, b->maximum));
}

/* ---- what is put ---- */

typedef struct walk {
    const sy_figure_row *wanted[8];
    uint64_t events[8];
    const char *run; /* of all of them */
    size_t count;
    size_t next;
} walk;

static sy_status check_next(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    walk *w = user;
    (void)err;
    assert_true(w->next < w->count);
    assert_int_equal(event, w->events[w->next]);
    assert_string_equal(figure->run, w->run);
    assert_figures_equal(figure, w->wanted[w->next]);
    w->next++;
    return SY_OK;
}

static void figures_come_back_as_they_were_put(void **state)
{
    subject *s = *state;
    const sy_figure_row series = series_figure(3);
    const sy_figure_row memory = memory_figure(3);
    const sy_figure_row bare = {.run_number = 3};
    const sy_run_row row = row_of("a", 3);
    walk w = {{&series, &memory, &bare}, {4, 6, 9}, "a", 3, 0};
    begin(s);
    put_row(s, &row, "");
    ALLOWS(s->storage->put_figure(s->state, 4, &series, &s->err));
    ALLOWS(s->storage->put_figure(s->state, 6, &memory, &s->err));
    ALLOWS(s->storage->put_figure(s->state, 9, &bare, &s->err));
    commit(s);
    if (s->entry->persists) {
        reopen(s);
    }
    ALLOWS(s->storage->figures(s->state, NULL, check_next, &w, &s->err));
    assert_int_equal(w.next, 3);
    w.next = 0;
    w.run = "";
    ALLOWS(s->storage->each_figure(s->state, check_next, &w, &s->err));
    assert_int_equal(w.next, 3);
    is_sound(s);
}

static sy_status count_figure(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    (void)event;
    (void)figure;
    (void)err;
    (*(size_t *)user)++;
    return SY_OK;
}

static size_t count_figures(subject *s)
{
    size_t count = 0;
    ALLOWS(s->storage->each_figure(s->state, count_figure, &count, &s->err));
    return count;
}

static void figures_follow_the_transaction_and_what_cannot_be_is_refused(void **state)
{
    subject *s = *state;
    sy_figure_row figure = series_figure(1);
    ANSWERS(s->storage->put_figure(s->state, 2, &figure, &s->err), SY_INVALID_ARGUMENT); /* no transaction */
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    ALLOWS(append_text(s, 2, "a", "y"));
    ALLOWS(s->storage->put_figure(s->state, 2, &figure, &s->err));
    s->storage->rollback(s->state);
    assert_int_equal(count_figures(s), 0);
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    ALLOWS(append_text(s, 2, "a", "y"));
    ALLOWS(s->storage->put_figure(s->state, 2, &figure, &s->err));
    commit(s);
    begin(s);
    ANSWERS(s->storage->put_figure(s->state, 2, &figure, &s->err), SY_CORRUPT); /* again */
    s->storage->rollback(s->state);
    assert_int_equal(count_figures(s), 1);
    const struct {
        uint64_t event;
        uint64_t run;
        sy_series_role role;
    } wrong[] = {{0, 1, SY_SERIES_SAMPLE},
                 {3, 0, SY_SERIES_SAMPLE},
                 {3, 4, SY_SERIES_SAMPLE},
                 {UINT64_MAX, 1, SY_SERIES_SAMPLE},
                 {3, 1, (sy_series_role)4}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        figure.run_number = wrong[i].run;
        figure.role = wrong[i].role;
        begin(s);
        ANSWERS(s->storage->put_figure(s->state, wrong[i].event, &figure, &s->err), SY_INVALID_ARGUMENT);
        s->storage->rollback(s->state);
    }
}

static sy_status stop_at_first(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    (*(size_t *)user)++;
    (void)event;
    (void)figure;
    return sy_fail(err, SY_INTERRUPTED, "enough");
}

static void a_visit_ends_the_walk(void **state)
{
    subject *s = *state;
    const sy_figure_row figure = series_figure(1);
    const sy_run_row row = row_of("a", 1);
    size_t count = 0;
    begin(s);
    put_row(s, &row, "");
    ALLOWS(s->storage->put_figure(s->state, 2, &figure, &s->err));
    ALLOWS(s->storage->put_figure(s->state, 3, &figure, &s->err));
    commit(s);
    ANSWERS(s->storage->figures(s->state, NULL, stop_at_first, &count, &s->err), SY_INTERRUPTED);
    ANSWERS(s->storage->each_figure(s->state, stop_at_first, &count, &s->err), SY_INTERRUPTED);
    assert_int_equal(count, 2);
}

/* ---- of which runs ---- */

#define RUNS 60
#define PER_RUN 3

static const char *const gates[] = {"g0", "g1", "g2"};
static const char *const keys[] = {"", "aaaaaaaa01", "aaaaaaaa02", "bbbbbbbb01"};
static const char *const revisions[] = {"1111111a", "2222222b"};

typedef struct expectation {
    const sy_run_row *runs[RUNS];
    size_t count; /* of runs, the newest first */
    size_t next;  /* of figures */
} expectation;

static sy_status expect_figure(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    expectation *e = user;
    (void)err;
    assert_true(e->next < e->count * PER_RUN);
    const sy_run_row *run = e->runs[e->count - 1 - e->next / PER_RUN];
    assert_string_equal(figure->run, run->id);
    assert_int_equal(figure->run_number, run->number);
    assert_int_equal(event, run->number + 1 + e->next % PER_RUN);
    e->next++;
    return SY_OK;
}

static void draw_filter(sy_random *random, sy_run_filter *filter)
{
    *filter = (sy_run_filter)SY_RUN_FILTER_INIT;
    filter->gate = sy_random_coin(random) ? gates[sy_random_below(random, 3)] : NULL;
    filter->accepted_only = sy_random_below(random, 4) == 0;
    filter->verdicts = sy_random_below(random, 3) == 0 ? (unsigned)sy_random_below(random, 32) : 0;
    filter->key_digest = sy_random_below(random, 3) == 0 ? keys[1 + sy_random_below(random, 3)] : NULL;
    filter->revision = sy_random_below(random, 3) == 0 ? revisions[sy_random_below(random, 2)] : NULL;
    filter->before_number = sy_random_below(random, 3) == 0 ? 1 + sy_random_below(random, 10 * RUNS) : 0;
    filter->limit = sy_random_below(random, 3) == 0 ? 1 + sy_random_below(random, 9) : 0;
}

static void put_population(subject *s, sy_random *random, sy_run_row *rows, char ids[][8])
{
    begin(s);
    for (size_t i = 0; i < RUNS; i++) {
        snprintf(ids[i], sizeof ids[i], "r%zu", (i * 37) % RUNS);
        rows[i] = row_of(ids[i], 10 * i + 1);
        rows[i].gate = gates[sy_random_below(random, 3)];
        rows[i].key_digest = keys[sy_random_below(random, 4)];
        rows[i].revision = revisions[sy_random_below(random, 2)];
        rows[i].accepted = sy_random_coin(random);
        rows[i].judged = sy_random_coin(random);
        rows[i].verdict = rows[i].judged ? (sy_judgement_word)sy_random_below(random, 5) : SY_JUDGEMENT_PASS;
        put_row(s, &rows[i], rows[i].key_digest);
        for (size_t j = PER_RUN; j > 0; j--) { /* the later event first */
            const sy_figure_row figure = j == 2 ? memory_figure(rows[i].number) : series_figure(rows[i].number);
            ALLOWS(s->storage->put_figure(s->state, rows[i].number + j, &figure, &s->err));
        }
    }
    commit(s);
}

static void figures_are_told_of_the_runs_that_the_filter_lets_through(void **state)
{
    subject *s = *state;
    static sy_run_row rows[RUNS];
    static char ids[RUNS][8];
    sy_random random;
    size_t met = 0;
    sy_random_start(&random, 20261130, "figures");
    put_population(s, &random, rows, ids);
    for (int i = 0; i < 600; i++) {
        sy_run_filter filter;
        expectation e = {.count = 0};
        draw_filter(&random, &filter);
        for (size_t j = RUNS; j > 0; j--) {
            const sy_run_row *row = &rows[j - 1];
            bool before = filter.before_number == 0 || row->number < filter.before_number;
            if (before && sy_run_filter_lets(&filter, row) && (filter.limit == 0 || e.count < filter.limit)) {
                e.runs[e.count++] = row;
            }
        }
        ALLOWS(s->storage->figures(s->state, &filter, expect_figure, &e, &s->err));
        assert_int_equal(e.next, e.count * PER_RUN);
        met += e.next;
    }
    assert_true(met > 3000); /* the filters do let runs through */
    is_sound(s);
}

/* ---- events by kind ---- */

static sy_status note_number(void *user, const sy_stored_event *event, sy_error *err)
{
    char *text = user;
    (void)err;
    size_t length = strlen(text);
    snprintf(text + length, 64 - length, "%d %s|", (int)event->number, event->run);
    return SY_OK;
}

static void append_kind(subject *s, uint64_t number, const char *kind, const char *run)
{
    const sy_stored_event event = event_of(number, kind, run, "{}");
    ALLOWS(s->storage->append(s->state, &event, &s->err));
}

static void changes_and_self_tests_are_found_by_their_kind(void **state)
{
    subject *s = *state;
    char found[64] = "";
    begin(s);
    append_kind(s, 1, "change", "b");
    append_kind(s, 2, "selftest", "");
    append_kind(s, 3, "note", "a");
    append_kind(s, 4, "change", "a");
    commit(s);
    ALLOWS(s->storage->events_of(s->state, SY_EVENT_CHANGE, note_number, found, &s->err));
    assert_string_equal(found, "1 b|4 a|");
    found[0] = '\0';
    ALLOWS(s->storage->events_of(s->state, SY_EVENT_SELFTEST, note_number, found, &s->err));
    assert_string_equal(found, "2 |");
    ANSWERS(s->storage->events_of(s->state, SY_EVENT_NOTE, note_number, found, &s->err), SY_INVALID_ARGUMENT);
}

int main(void)
{
    const clause clauses[] = {
        CLAUSE(figures_come_back_as_they_were_put),
        CLAUSE(figures_follow_the_transaction_and_what_cannot_be_is_refused),
        CLAUSE(a_visit_ends_the_walk),
        CLAUSE(figures_are_told_of_the_runs_that_the_filter_lets_through),
        CLAUSE(changes_and_self_tests_are_found_by_their_kind),
    };
    return run_clauses("figures of the storage of the ledger", clauses, sizeof clauses / sizeof clauses[0]);
}
