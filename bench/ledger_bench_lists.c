/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of very many runs, straight through the storage: each part of a filter alone, and every two of them, the newest
 * first, 50 at most, with the total. Runs are such as a fleet leaves: few gates and devices, many revisions and keys.
 */
#include "ledger_bench.h"

#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "ledger/storage.h"

#define GATES 500
#define RUNS_OF_REVISION 200
#define RUNS_OF_KEY 20
#define LIMIT 50

typedef struct texts {
    char id[32];
    char gate[24];
    char cell[32];
    char device[16];
    char revision[54];
    char key_digest[65];
    char key[900];
} texts;

static const char *const tiers[] = {"pr-smoke", "scheduled-profile", "release-signoff"};
static const char *const origins[] = {"google-benchmark", "hyperfine", "nvbench"};

static void make_run(uint64_t i, sy_random *random, texts *t, sy_run_row *ret_row)
{
    uint64_t gate = sy_random_below(random, GATES);
    uint64_t chance = sy_random_below(random, 1000);
    uint64_t key = i / RUNS_OF_KEY * 0x9e3779b97f4a7c15u;
    uint64_t revision = i / RUNS_OF_REVISION * 0x9e3779b97f4a7c15u;
    bool imported = sy_random_below(random, 10) == 0;
    snprintf(t->id, sizeof t->id, "2026%08llu-%06llx", (unsigned long long)i, (unsigned long long)(key >> 40));
    snprintf(t->gate, sizeof t->gate, "gate-%03llu", (unsigned long long)gate);
    snprintf(t->cell, sizeof t->cell, "capability-%llu::cpu", (unsigned long long)(gate % 100));
    snprintf(t->device, sizeof t->device, "device-%llu", (unsigned long long)(2 * (gate % 4) + chance % 2));
    snprintf(t->revision, sizeof t->revision, "%016llx%024d%s", (unsigned long long)revision, 0,
             i % 10 == 0 ? "+0123456789ab" : "");
    snprintf(t->key_digest, sizeof t->key_digest, "%016llx%048d", (unsigned long long)key, 0);
    snprintf(
        t->key, sizeof t->key,
        "[[\"protocol_version\",\"steelyard-profile/v1\"],[\"cell_id\",\"matmul::cpu\"],[\"source_identity\",\"none\"],"
        "[\"source_shape\",\"512x512\"],[\"source_dtype\",\"f32\"],[\"cache_state\",\"warm\"],"
        "[\"timing_boundary\",\"kernel\"],[\"device_id\",\"cpu\"],[\"runtime_version\",\"%016llx\"],"
        "[\"source_revision\",\"0123456789abcdef0123456789abcdef01234567\"]]",
        (unsigned long long)key);
    *ret_row = (sy_run_row){.id = t->id,
                            .number = 6 * i + 2,
                            .kind = imported ? SY_RUN_KIND_IMPORT : SY_RUN_KIND_SESSION,
                            .status = imported      ? SY_RUN_IMPORTED
                                      : chance < 70 ? SY_RUN_FAILED
                                      : chance < 90 ? SY_RUN_REFUTED
                                                    : SY_RUN_OK,
                            .question = "Is it as fast as it was, on this device, with this runtime?",
                            .gate = t->gate,
                            .cell = t->cell,
                            .tier = tiers[gate % 3],
                            .protocol = "steelyard-profile/v1",
                            .revision = t->revision,
                            .host = "runner",
                            .device = t->device,
                            .origin = imported ? origins[i % 3] : "",
                            .key_digest = t->key_digest,
                            .began_utc_s = 1764460800 + (int64_t)i,
                            .ended_utc_s = 1764460830 + (int64_t)i,
                            .parity = chance < 10 ? SY_RUN_PARITY_FAILED : SY_RUN_PARITY_PASSED,
                            .hardware = 1,
                            .lease_whole = true,
                            .fence = i,
                            .series_count = 1,
                            .sample_count = 1000};
    ret_row->accepted = ret_row->status == SY_RUN_OK && chance > 700;
    if (i == 3) { /* one of a kind, at the far end */
        ret_row->status = SY_RUN_RUNNING;
        ret_row->tier = "diagnostic";
    }
}

static void fill(const sy_storage *storage, void *state, uint64_t runs)
{
    enum { PER_TRANSACTION = 20000 };
    sy_error err = SY_ERROR_INIT;
    sy_random random;
    texts t;
    sy_random_start(&random, 2, "runs");
    for (uint64_t i = 0; i < runs; i++) {
        sy_run_row row;
        if (i % PER_TRANSACTION == 0) {
            check(storage->begin(state, true, &err), &err);
        }
        make_run(i, &random, &t, &row);
        check(storage->put_row(state, &row, t.key, &err), &err);
        if (i % PER_TRANSACTION == PER_TRANSACTION - 1 || i == runs - 1) {
            check(storage->commit(state, &err), &err);
        }
    }
}

/* One part of a filter. */
typedef struct part {
    const char *name;
    sy_run_filter filter;
} part;

static void join(sy_run_filter *to, const sy_run_filter *from)
{
    to->statuses = from->statuses != 0 ? from->statuses : to->statuses;
    to->kinds = from->kinds != 0 ? from->kinds : to->kinds;
    to->gate = from->gate != NULL ? from->gate : to->gate;
    to->cell = from->cell != NULL ? from->cell : to->cell;
    to->tier = from->tier != NULL ? from->tier : to->tier;
    to->device = from->device != NULL ? from->device : to->device;
    to->key_digest = from->key_digest != NULL ? from->key_digest : to->key_digest;
    to->revision = from->revision != NULL ? from->revision : to->revision;
    to->origin = from->origin != NULL ? from->origin : to->origin;
    to->accepted_only = from->accepted_only || to->accepted_only;
    to->before_number = from->before_number != 0 ? from->before_number : to->before_number;
}

static sy_status visit(void *user, const sy_run_row *row, sy_error *err)
{
    (void)row;
    (void)err;
    (*(size_t *)user)++;
    return SY_OK;
}

/* The first time that it is asked, and the best of three more. */
typedef struct timing {
    double first;
    double best;
    size_t rows;
    uint64_t total;
} timing;

static timing ask(const sy_storage *storage, void *state, sy_run_filter filter)
{
    timing t = {0, 1e9, 0, 0};
    sy_error err = SY_ERROR_INIT;
    filter.limit = LIMIT;
    for (int i = 0; i < 4; i++) {
        t.rows = 0;
        double start = seconds();
        check(storage->rows(state, &filter, visit, &t.rows, &t.total, &err), &err);
        double taken = seconds() - start;
        if (i == 0) {
            t.first = taken;
        } else {
            t.best = taken < t.best ? taken : t.best;
        }
    }
    return t;
}

static void print_timing(const char *name, const char *other, timing t)
{
    printf("  %-14s %-14s %9.2f ms  first %9.2f ms   %3zu of %llu\n", name, other, t.best * 1e3, t.first * 1e3, t.rows,
           (unsigned long long)t.total);
}

#define PART(name, ...)                                       \
    {                                                         \
        name,                                                 \
        {                                                     \
            .struct_size = sizeof(sy_run_filter), __VA_ARGS__ \
        }                                                     \
    }

static void ask_all(const sy_storage *storage, void *state, uint64_t runs)
{
    uint64_t middle = runs / 2 / RUNS_OF_REVISION * RUNS_OF_REVISION;
    sy_random random;
    texts t;
    sy_run_row row;
    sy_random_start(&random, 3, "chosen");
    make_run(middle, &random, &t, &row);
    char key_beginning[9];
    char revision_beginning[8];
    snprintf(key_beginning, sizeof key_beginning, "%.8s", t.key_digest);
    snprintf(revision_beginning, sizeof revision_beginning, "%.7s", t.revision);
    const part parts[] = {
        PART("(all)", .limit = 0),
        PART("status ok", .statuses = 1u << SY_RUN_OK),
        PART("status failed", .statuses = 1u << SY_RUN_FAILED),
        PART("status running", .statuses = 1u << SY_RUN_RUNNING),
        PART("kind import", .kinds = 1u << SY_RUN_KIND_IMPORT),
        PART("gate", .gate = "gate-123"),
        PART("cell", .cell = "capability-23::cpu"),
        PART("tier", .tier = "release-signoff"),
        PART("tier, rare", .tier = "diagnostic"),
        PART("device", .device = "device-6"),
        PART("key", .key_digest = t.key_digest),
        PART("key, 8 digits", .key_digest = key_beginning),
        PART("revision", .revision = t.revision),
        PART("revision, 7", .revision = revision_beginning),
        PART("origin", .origin = "hyperfine"),
        PART("accepted", .accepted_only = true),
        PART("second half", .before_number = 6 * middle),
    };
    enum { COUNT = sizeof parts / sizeof parts[0] };
    timing worst = {0};
    double worst_first = 0;
    double sum = 0;
    size_t pairs = 0;
    const char *names[2] = {"", ""};
    for (size_t i = 0; i < COUNT; i++) {
        print_timing(parts[i].name, "", ask(storage, state, parts[i].filter));
        for (size_t j = i + 1; j < COUNT; j++) {
            sy_run_filter both = parts[i].filter;
            join(&both, &parts[j].filter);
            timing one = ask(storage, state, both);
            sum += one.best;
            pairs++;
            worst_first = one.first > worst_first ? one.first : worst_first;
            if (one.best > worst.best) {
                worst = one;
                names[0] = parts[i].name;
                names[1] = parts[j].name;
            }
        }
    }
    printf("every two of them: %zu lists, mean %.2f ms, the slowest when first asked %.2f ms; the slowest:\n", pairs,
           sum / (double)pairs * 1e3, worst_first * 1e3);
    print_timing(names[0], names[1], worst);
    printf("budget: 100 ms\n");
}

static sy_status visit_key(void *user, const sy_key_row *row, const char *key, sy_error *err)
{
    (void)row;
    (void)key;
    (void)err;
    (*(size_t *)user)++;
    return SY_OK;
}

void bench_lists(const char *folder, uint64_t runs)
{
    const sy_storage *storage = &sy_storage_sqlite;
    char evidence[400];
    char path[440];
    void *state;
    sy_error err = SY_ERROR_INIT;
    snprintf(evidence, sizeof evidence, "%s/lists", folder);
    snprintf(path, sizeof path, "%s/ledger.sqlite", evidence);
    const sy_storage_options options = {.folder = evidence, .create = true, .wait_ns = UINT64_C(1000000000)};
    check(storage->open(&options, &state, &err), &err);
    double start = seconds();
    fill(storage, state, runs);
    double taken = seconds() - start;
    storage->close(state);
    printf("fill %llu runs                       %8.1f s    %.1f us a run\n", (unsigned long long)runs, taken,
           taken / (double)runs * 1e6);
    printf("  bytes of a run in the list           %8.0f      its comparison key's share included\n",
           file_bytes(path) / (double)runs);
    check(storage->open(&options, &state, &err), &err);
    printf("lists of at most %d among %llu runs, with their totals:\n", LIMIT, (unsigned long long)runs);
    ask_all(storage, state, runs);
    size_t keys = 0;
    start = seconds();
    check(storage->keys(state, NULL, false, visit_key, &keys, &err), &err);
    printf("all %zu keys with their sessions      %8.1f ms\n", keys, (seconds() - start) * 1e3);
    storage->close(state);
    remove(path);
    snprintf(path, sizeof path, "%s/ledger.lock", evidence);
    remove(path);
    remove(evidence);
}
