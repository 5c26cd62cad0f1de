/* SPDX-License-Identifier: Apache-2.0 */
/* What every storage of the ledger owes: lists of runs, held against the plain reading of their filters. */
#include "storage_entries.h"

#include "base/random.h"

#define RUNS 400

typedef struct texts {
    char id[16];
    char key[65];
    char revision[54];
} texts;

typedef struct population {
    sy_run_row rows[RUNS];
    texts texts[RUNS];
} population;

static const char *const gates[] = {"", "g1", "g2", "g3", "g'4"};
static const char *const cells[] = {"matmul::cpu", "attention::cpu", ""};
static const char *const tiers[] = {"pr-smoke", "scheduled-profile", "release-signoff"};
static const char *const devices[] = {"", "d0", "d1"};
static const char *const origins[] = {"", "hyperfine"};

#define PICK(random, from) (from)[sy_random_below((random), sizeof(from) / sizeof((from)[0]))]

static void draw_row(sy_random *random, population *p, size_t i)
{
    texts *t = &p->texts[i];
    snprintf(t->id, sizeof t->id, "run-%zu", i);
    unsigned key = (unsigned)sy_random_below(random, 8);
    t->key[0] = '\0';
    if (key > 0) {
        snprintf(t->key, sizeof t->key, "%08x%056x", key < 5 ? 0xabcdef01 : 0xabcdef02, key);
    }
    unsigned revision = (unsigned)sy_random_below(random, 5);
    t->revision[0] = '\0';
    if (revision > 0) {
        snprintf(t->revision, sizeof t->revision, "%07x%033x%s", revision < 4 ? 0xfffffff : 0x1234567, revision / 2,
                 revision % 2 == 0 ? "" : "+0123456789ab");
    }
    p->rows[i] = row_of(t->id, 3 * i + 1);
    sy_run_row *row = &p->rows[i];
    row->kind = (sy_run_kind)sy_random_below(random, 3);
    row->status = (sy_run_status)sy_random_below(random, 7);
    row->parity = (sy_run_parity)sy_random_below(random, 5);
    row->gate = PICK(random, gates);
    row->cell = PICK(random, cells);
    row->tier = PICK(random, tiers);
    row->device = PICK(random, devices);
    row->origin = PICK(random, origins);
    row->accepted = sy_random_below(random, 4) == 0;
    row->judged = sy_random_below(random, 2) == 0;
    row->verdict = row->judged ? (sy_judgement_word)sy_random_below(random, 5) : SY_JUDGEMENT_PASS;
    row->verdict_reason = row->judged ? (sy_judgement_reason)sy_random_below(random, 12) : SY_JUDGEMENT_REASON_EVIDENCE;
    row->key_digest = t->key;
    row->revision = t->revision;
}

static void draw_filter(sy_random *random, sy_run_filter *filter)
{
    static const char *const keys[] = {"abcdef01",
                                       "abcdef02",
                                       "abcdef0",
                                       "ffffffff",
                                       "abcdef010000000000000000000000000000000000000000000000000000000001",
                                       ""};
    static const char *const revisions[] = {"fffffff", "1234567", "fffffff000", "7654321", ""};
    *filter = (sy_run_filter)SY_RUN_FILTER_INIT;
    filter->statuses = sy_random_below(random, 3) == 0 ? (unsigned)sy_random_below(random, 128) : 0;
    filter->kinds = sy_random_below(random, 4) == 0 ? (unsigned)sy_random_below(random, 8) : 0;
    filter->verdicts = sy_random_below(random, 4) == 0 ? (unsigned)sy_random_below(random, 32) : 0;
    filter->gate = sy_random_below(random, 4) == 0 ? PICK(random, gates) : NULL;
    filter->cell = sy_random_below(random, 5) == 0 ? PICK(random, cells) : NULL;
    filter->tier = sy_random_below(random, 5) == 0 ? PICK(random, tiers) : NULL;
    filter->device = sy_random_below(random, 5) == 0 ? PICK(random, devices) : NULL;
    filter->origin = sy_random_below(random, 5) == 0 ? PICK(random, origins) : NULL;
    filter->key_digest = sy_random_below(random, 4) == 0 ? PICK(random, keys) : NULL;
    filter->revision = sy_random_below(random, 4) == 0 ? PICK(random, revisions) : NULL;
    filter->accepted_only = sy_random_below(random, 5) == 0;
    filter->before_number = sy_random_below(random, 3) == 0 ? 1 + sy_random_below(random, 3 * RUNS) : 0;
    filter->limit = sy_random_below(random, 3) == 0 ? 0 : 1 + sy_random_below(random, 12);
}

/* What a list should visit, and where it is. */
typedef struct expectation {
    const sy_run_row *wanted[RUNS];
    size_t count;
    size_t next;
} expectation;

static sy_status expect_row(void *user, const sy_run_row *row, sy_error *err)
{
    expectation *e = user;
    (void)err;
    assert_true(e->next < e->count);
    assert_rows_equal(row, e->wanted[e->next]);
    e->next++;
    return SY_OK;
}

static void check_list(subject *s, const population *p, const sy_run_filter *filter)
{
    expectation e = {.count = 0};
    uint64_t total = 0;
    uint64_t told = 99999;
    for (size_t i = RUNS; i > 0; i--) {
        const sy_run_row *row = &p->rows[i - 1];
        if (sy_run_filter_lets(filter, row)) {
            total++;
            if ((filter->before_number == 0 || row->number < filter->before_number) &&
                (filter->limit == 0 || e.count < filter->limit)) {
                e.wanted[e.count++] = row;
            }
        }
    }
    ALLOWS(s->storage->rows(s->state, filter, expect_row, &e, &told, &s->err));
    assert_int_equal(e.next, e.count);
    assert_int_equal(told, total);
}

static void put_population(subject *s, population *p, sy_random *random)
{
    begin(s);
    for (size_t i = 0; i < RUNS; i++) {
        draw_row(random, p, i);
        put_row(s, &p->rows[i], p->rows[i].key_digest);
    }
    commit(s);
    begin(s); /* and some of them change, as runs do */
    for (size_t i = 0; i < RUNS; i += 3) {
        draw_row(random, p, i);
        put_row(s, &p->rows[i], p->rows[i].key_digest);
    }
    commit(s);
}

static void a_list_is_what_its_filter_says(void **state)
{
    subject *s = *state;
    static population p;
    sy_random random;
    uint64_t seed = 20261129;
    sy_random_start(&random, seed, "storage rows");
    print_message("seed %llu\n", (unsigned long long)seed);
    put_population(s, &p, &random);
    size_t met = 0;
    for (int i = 0; i < 1500; i++) {
        sy_run_filter filter;
        draw_filter(&random, &filter);
        check_list(s, &p, &filter);
        for (size_t j = 0; j < RUNS; j++) {
            met += sy_run_filter_lets(&filter, &p.rows[j]);
        }
    }
    assert_true(met > 10000); /* the filters do let runs through */
    is_sound(s);
}

int main(void)
{
    const clause clauses[] = {
        CLAUSE(a_list_is_what_its_filter_says),
    };
    return run_clauses("lists of the storage of the ledger", clauses, sizeof clauses / sizeof clauses[0]);
}
