/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger beside raw SQLite in the same run: 1,000,000 samples appended in sessions of 1,000, each with its events
 * in a transaction, against a row a sample in transactions of 1,000; and lists of 1,000,000 runs. Budget: 1,000,000
 * samples <= 3 s; a list <= 100 ms. ledger_bench [FOLDER [append|lists|figures [COUNT]]]; what FOLDER lies on decides
 * what a commit costs; figures: of COUNT / 100 keys. */
#include "ledger_bench.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include <steelyard/ledger.h>

#include "base/file.h"
#include "base/random.h"
#include "ledger/ledger.h"

#define SESSION_SAMPLES 1000

static const sy_named_text key_fields[] = {
    {"protocol_version", "steelyard-profile/v1"},
    {"cell_id", "matmul::cpu"},
    {"source_identity", "none"},
    {"source_shape", "512x512x512"},
    {"source_dtype", "f32"},
    {"scan_region", "none"},
    {"detector_region", "none"},
    {"scan_bin", "1"},
    {"detector_bin", "1"},
    {"mask_signature", "none"},
    {"precision", "f32"},
    {"cache_state", "warm"},
    {"timing_boundary", "kernel"},
    {"device_id", "cpu"},
    {"runtime_version", "openblas 0.3.21"},
    {"source_revision", "0123456789abcdef0123456789abcdef01234567"},
};

/* The events of one session, as the commands write them. */
typedef struct session {
    sy_ledger_entry entries[4];
    sy_text bodies[4];
    char id[64];
    double samples[SESSION_SAMPLES];
} session;

static void add(session *s, size_t at, sy_event_kind kind)
{
    s->entries[at] = (sy_ledger_entry){
        .kind = kind, .run = s->id, .body = s->bodies[at].bytes, .body_size = s->bodies[at].length};
}

static void make_session(session *s, uint64_t number, sy_random *random)
{
    sy_error err = SY_ERROR_INIT;
    snprintf(s->id, sizeof s->id, "20261129-233000-%06llx", (unsigned long long)number);
    for (size_t i = 0; i < SESSION_SAMPLES; i++) {
        s->samples[i] = 1e-3 * (1 + 0.01 * fabs(sy_random_normal(random)));
    }
    const sy_run_begin begin = {
        .id = s->id,
        .kind = SY_RUN_KIND_SESSION,
        .status = SY_RUN_PLANNED,
        .question = "Is the product of 512 by 512 as fast as it was?",
        .gate = "matmul-512-f32-warm",
        .cell = "matmul::cpu",
        .tier = "scheduled-profile",
        .protocol = "steelyard-profile/v1",
        .cache_state = "warm",
        .timing_boundary = "kernel",
        .key = {key_fields, sizeof key_fields / sizeof key_fields[0]},
        .source = {.control = "git",
                   .revision = "0123456789abcdef0123456789abcdef01234567",
                   .branch = "main",
                   .ordinal = 1200,
                   .diff_digest = ""},
        .place = {.host = "runner", .backend = "cpu", .device = "cpu", .description = "a processor", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = "",
    };
    const sy_run_lease lease = {"cpu", number + 1, "runner", "boot", 4711, 1795963459};
    sy_run_series series = {.name = "wall",
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "512",
                            .implementation = "openblas",
                            .samples = s->samples,
                            .count = SESSION_SAMPLES,
                            .note = ""};
    const sy_run_end end = {SY_RUN_OK, "as fast as it was", "", ""};
    for (size_t i = 0; i < 4; i++) {
        sy_text_clear(&s->bodies[i]);
    }
    check(sy_run_begin_write(&begin, &s->bodies[0], &err), &err);
    check(sy_run_lease_write(&lease, &s->bodies[1], &err), &err);
    check(sy_run_series_write(&series, &s->bodies[2], &err), &err);
    check(sy_run_end_write(&end, &s->bodies[3], &err), &err);
    add(s, 0, SY_EVENT_BEGIN);
    add(s, 1, SY_EVENT_LEASE);
    add(s, 2, SY_EVENT_SERIES);
    s->entries[2].samples = s->samples;
    s->entries[2].sample_count = SESSION_SAMPLES;
    add(s, 3, SY_EVENT_END);
}

static double append_sessions(const char *folder, uint64_t sessions)
{
    static session s;
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger;
    sy_error err = SY_ERROR_INIT;
    sy_random random;
    sy_ledger_head head;
    double taken = 0;
    sy_random_start(&random, 1, "samples");
    options.folder = folder;
    options.create = true;
    check(sy_ledger_open(&options, &ledger, &err), &err);
    for (uint64_t i = 0; i < sessions; i++) {
        double start = seconds();
        make_session(&s, i, &random);
        check(sy_ledger_append(ledger, s.entries, 4, &head, &err), &err);
        taken += seconds() - start;
    }
    double start = seconds();
    sy_ledger_close(ledger);
    taken += seconds() - start;
    need(head.number == 4 * sessions + 1, "events were lost");
    for (size_t i = 0; i < 4; i++) {
        sy_text_finish(&s.bodies[i]);
    }
    return taken;
}

static void sql(sqlite3 *database, const char *text)
{
    need(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(database));
}

/* The least that keeps a sample in SQLite with the same promise: a row each, as durable as ours. */
static double insert_rows(const char *path, uint64_t sessions)
{
    sqlite3 *database;
    sqlite3_stmt *insert;
    sy_random random;
    sy_random_start(&random, 1, "samples");
    double start = seconds();
    need(sqlite3_open(path, &database) == SQLITE_OK, "sqlite does not open");
    sql(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                  "CREATE TABLE sample (run INTEGER NOT NULL, position INTEGER NOT NULL, value REAL NOT NULL) STRICT");
    need(sqlite3_prepare_v2(database, "INSERT INTO sample VALUES (?1, ?2, ?3)", -1, &insert, NULL) == SQLITE_OK,
         "insert");
    for (uint64_t run = 0; run < sessions; run++) {
        sql(database, "BEGIN");
        for (int i = 0; i < SESSION_SAMPLES; i++) {
            sqlite3_bind_int64(insert, 1, (int64_t)run);
            sqlite3_bind_int(insert, 2, i);
            sqlite3_bind_double(insert, 3, 1e-3 * (1 + 0.01 * fabs(sy_random_normal(&random))));
            need(sqlite3_step(insert) == SQLITE_DONE, sqlite3_errmsg(database));
            sqlite3_reset(insert);
        }
        sql(database, "COMMIT");
    }
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return seconds() - start;
}

static void bench_append(const char *folder, uint64_t samples)
{
    char evidence[400];
    char path[400];
    char database[440];
    uint64_t sessions = samples / SESSION_SAMPLES;
    snprintf(evidence, sizeof evidence, "%s/append", folder);
    snprintf(path, sizeof path, "%s/raw.sqlite", folder);
    snprintf(database, sizeof database, "%s/ledger.sqlite", evidence);
    double best = 1e9;
    double best_raw = 1e9;
    for (int i = 0; i < 3; i++) { /* in turn: what the machine does meanwhile meets both */
        remove(database);
        remove(path);
        double raw = insert_rows(path, sessions);
        double ours = append_sessions(evidence, sessions);
        best_raw = raw < best_raw ? raw : best_raw;
        best = ours < best ? ours : best;
    }
    printf("append %llu samples, %llu sessions of %d  %8.3f s    budget 3 s for 1,000,000\n",
           (unsigned long long)samples, (unsigned long long)sessions, SESSION_SAMPLES, best);
    printf("  raw SQLite, a row a sample             %8.3f s    %.2f times as long as ours\n", best_raw,
           best_raw / best);
    printf("  bytes a run                            %8.0f      of them %d samples; raw rows alone: %.0f\n",
           file_bytes(database) / (double)sessions, 8 * SESSION_SAMPLES, file_bytes(path) / (double)sessions);
    remove(database);
    remove(path);
    snprintf(database, sizeof database, "%s/ledger.lock", evidence);
    remove(database);
    remove(evidence);
}

int main(int argc, char **argv)
{
    char folder[300];
    const char *what = argc < 3 ? "all" : argv[2];
    bool all = strcmp(what, "all") == 0;
    uint64_t count = argc < 4 ? 1000000 : strtoull(argv[3], NULL, 10);
    need(count >= 10000, "COUNT: 10,000 or more");
    snprintf(folder, sizeof folder, "%s/steelyard-bench-XXXXXX", argc < 2 ? "/tmp" : argv[1]);
    need(mkdtemp(folder) != NULL, "the folder cannot be made");
    printf("sqlite %s, in %s\n", sqlite3_libversion(), folder);
    if (all || strcmp(what, "append") == 0) {
        bench_append(folder, count);
    }
    if (all || strcmp(what, "lists") == 0) {
        bench_lists(folder, count);
    }
    if (all || strcmp(what, "figures") == 0) {
        bench_figures(folder, count / 100);
    }
    rmdir(folder);
    return 0;
}
