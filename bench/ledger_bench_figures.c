/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of all sessions of very many keys, as a dashboard or a history of everything reads them: keys of 6 sessions,
 * each with two series and a memory figure. Budget: those of 10,000 keys in 1 s. */
#include "ledger_bench.h"

#include <string.h>

#include <steelyard/ledger.h>

#include "ledger/storage.h"

#define SESSIONS 6
#define FIGURES 3
#define PER_TRANSACTION 2000 /* keys */

static void put_figures(const sy_storage *storage, void *state, uint64_t number, uint64_t key)
{
    char case_name[32];
    sy_error err = SY_ERROR_INIT;
    snprintf(case_name, sizeof case_name, "shape-%llu", (unsigned long long)(key % 300));
    for (uint64_t i = 0; i < FIGURES; i++) {
        bool is_memory = i == FIGURES - 1;
        const sy_figure_row figure = {.run_number = number,
                                      .is_memory = is_memory,
                                      .name = is_memory ? "peak"
                                              : i == 0  ? "wall"
                                                        : "step",
                                      .unit = is_memory ? "bytes" : "s",
                                      .case_name = is_memory ? "" : case_name,
                                      .implementation = is_memory ? "" : "openblas",
                                      .usable_count = 31,
                                      .p50 = 1e-3 * (double)(number + i),
                                      .p95 = 1.1e-3 * (double)(number + i),
                                      .minimum = 0.9e-3 * (double)(number + i),
                                      .maximum = 1.2e-3 * (double)(number + i),
                                      .basis = SY_MEMORY_PHYSICAL,
                                      .scope = SY_MEMORY_PROCESS};
        check(storage->put_figure(state, number + 2 + i, &figure, &err), &err);
    }
}

static void put_key(const sy_storage *storage, void *state, uint64_t keys, uint64_t key)
{
    char id[48];
    char digest[65];
    char text[96];
    char gate[24];
    sy_error err = SY_ERROR_INIT;
    uint64_t hash = (key + 1) * 0x9e3779b97f4a7c15u;
    snprintf(digest, sizeof digest, "%016llx%048d", (unsigned long long)hash, 0);
    snprintf(text, sizeof text, "[[\"cell_id\",\"matmul::cpu\"],[\"source_revision\",\"%016llx\"]]",
             (unsigned long long)hash);
    snprintf(gate, sizeof gate, "gate-%03llu", (unsigned long long)(key % 500));
    for (uint64_t session = 0; session < SESSIONS; session++) { /* of all keys in turn, as they come in a fleet */
        uint64_t number = 10 * (session * keys + key) + 2;
        snprintf(id, sizeof id, "20261130-%06llu-%06llx", (unsigned long long)number, (unsigned long long)(hash >> 40));
        const sy_run_row row = {.id = id,
                                .number = number,
                                .status = SY_RUN_OK,
                                .gate = gate,
                                .cell = "matmul::cpu",
                                .tier = "scheduled-profile",
                                .revision = digest,
                                .host = "runner",
                                .device = "cpu",
                                .key_digest = digest,
                                .parity = SY_RUN_PARITY_PASSED,
                                .accepted = session < 5,
                                .judged = session == 5,
                                .verdict = key % 50 == 0 ? SY_JUDGEMENT_INVESTIGATE : SY_JUDGEMENT_PASS,
                                .verdict_reason = SY_JUDGEMENT_REASON_INSIDE,
                                .series_count = 2,
                                .sample_count = 62};
        check(storage->put_row(state, &row, text, &err), &err);
        put_figures(storage, state, number, key);
    }
}

static double fill(const char *folder, uint64_t keys)
{
    const sy_storage *storage = &sy_storage_sqlite;
    const sy_storage_options options = {.folder = folder, .create = true, .wait_ns = UINT64_C(1000000000)};
    void *state;
    sy_error err = SY_ERROR_INIT;
    check(storage->open(&options, &state, &err), &err);
    double start = seconds();
    for (uint64_t key = 0; key < keys; key++) {
        if (key % PER_TRANSACTION == 0) {
            check(storage->begin(state, true, &err), &err);
        }
        put_key(storage, state, keys, key);
        if (key % PER_TRANSACTION == PER_TRANSACTION - 1 || key == keys - 1) {
            check(storage->commit(state, &err), &err);
        }
    }
    double taken = seconds() - start;
    storage->close(state);
    return taken;
}

static void ask(sy_ledger *ledger, const char *name, const sy_run_filter *filter, size_t expected)
{
    sy_error err = SY_ERROR_INIT;
    double best = 1e9;
    double first = 0;
    size_t rows = 0;
    for (int i = 0; i < 4; i++) {
        sy_figure_list *list;
        double start = seconds();
        check(sy_ledger_figures(ledger, filter, &list, &err), &err);
        double taken = seconds() - start;
        rows = list->row_count;
        sy_figure_list_destroy(list);
        first = i == 0 ? taken : first;
        best = i > 0 && taken < best ? taken : best;
    }
    need(rows == expected, "figures are missing");
    printf("  %-14s %9zu rows %9.2f ms  first %9.2f ms   %.2f million rows/s\n", name, rows, best * 1e3, first * 1e3,
           (double)rows / best * 1e-6);
}

void bench_figures(const char *folder, uint64_t keys)
{
    char evidence[400];
    char path[440];
    char digest[65];
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger;
    sy_error err = SY_ERROR_INIT;
    snprintf(evidence, sizeof evidence, "%s/figures", folder);
    snprintf(path, sizeof path, "%s/ledger.sqlite", evidence);
    double taken = fill(evidence, keys);
    printf("fill %llu keys of %d sessions           %8.1f s    %.1f us a session with its %d figures\n",
           (unsigned long long)keys, SESSIONS, taken, taken / (double)(keys * SESSIONS) * 1e6, FIGURES);
    printf("  bytes of a session in the lists      %8.0f\n", file_bytes(path) / (double)(keys * SESSIONS));
    options.folder = evidence;
    check(sy_ledger_open(&options, &ledger, &err), &err);
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    printf("figures, budget of all of 10,000 keys 1000 ms:\n");
    ask(ledger, "(all)", NULL, keys * SESSIONS * FIGURES);
    filter.accepted_only = true;
    ask(ledger, "accepted", &filter, keys * (SESSIONS - 1) * FIGURES);
    filter = (sy_run_filter)SY_RUN_FILTER_INIT;
    filter.verdicts = 1u << SY_JUDGEMENT_INVESTIGATE;
    ask(ledger, "investigate", &filter, (keys + 49) / 50 * FIGURES);
    filter = (sy_run_filter)SY_RUN_FILTER_INIT;
    snprintf(digest, sizeof digest, "%016llx%048d", 0x9e3779b97f4a7c15ull, 0);
    filter.key_digest = digest;
    ask(ledger, "of one key", &filter, SESSIONS * FIGURES);
    sy_ledger_close(ledger);
    remove(path);
    snprintf(path, sizeof path, "%s/ledger.lock", evidence);
    remove(path);
    remove(evidence);
}
