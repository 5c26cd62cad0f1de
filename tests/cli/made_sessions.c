/* SPDX-License-Identifier: Apache-2.0 */
/* made_sessions FOLDER GATE COUNT SPREAD SEED: for shell tests. Adds so many accepted sessions of a gate to the ledger
 * of that folder, each with one sample, whose logarithms scatter by SPREAD: as if days of measurements had gone by. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"
#include "evidence/event_list.h"

enum { COUNT_MAX = 1000 };

static void require(sy_status status, const sy_error *err)
{
    if (status == SY_OK)
        return;
    fprintf(stderr, "made_sessions: %s\n", err->what);
    exit(1);
}

static sy_run_begin begin_of(const char *id, const char *gate)
{
    static const sy_named_text key[] = {{"cell_id", "matmul::cpu"}, {"device_id", "a processor"}};

    return (sy_run_begin){
        .id = id,
        .kind = SY_RUN_KIND_SESSION,
        .status = SY_RUN_PLANNED,
        .question = "Is it as fast as it was?",
        .gate = gate,
        .cell = "matmul::cpu",
        .tier = "release-signoff",
        .protocol = "steelyard-profile/v1",
        .cache_state = "hot",
        .timing_boundary = "one product",
        .key = {key, 2},
        .source = {.control = "git", .revision = "0123456789abcdef", .branch = "main", .ordinal = 7, .diff_digest = ""},
        .place = {.host = "h", .backend = "cpu", .device = "cpu", .description = "a processor", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = "",
    };
}

static void add(sy_ledger *ledger, const char *gate, uint64_t fence, double value)
{
    static const char *const argv[] = {"./work"};
    char id[64];
    sy_error err = SY_ERROR_INIT;
    sy_event_list events = {.arena = sy_arena_create(0), .run = id};
    const sy_run_lease lease = {"cpu", fence, "h", "boot", 4711, INT64_C(1795963459)};
    const sy_run_command command = {
        .phase = "measure", .argv = argv, .argc = 1, .wall_ns = 1000000, .fence = fence, .lease_held = true};
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", NAN};
    const sy_run_end end = {SY_RUN_OK, "", "", ""};
    const sy_run_accept accept = {"somebody", "", false};
    sy_run_series series = {.name = "wall",
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "",
                            .implementation = "",
                            .samples = &value,
                            .count = 1,
                            .note = ""};

    snprintf(id, sizeof(id), "made-%06llu", (unsigned long long)fence);
    const sy_run_begin begin = begin_of(id, gate);
    require(sy_event_list_begin(&events, &begin, &err), &err);
    require(sy_event_list_lease(&events, &lease, &err), &err);
    require(sy_event_list_command(&events, &command, &err), &err);
    require(sy_event_list_series(&events, &series, &err), &err);
    require(sy_event_list_parity(&events, &parity, &err), &err);
    require(sy_event_list_end(&events, &end, &err), &err);
    require(sy_event_list_accept(&events, &accept, &err), &err);
    require(sy_event_list_append(&events, ledger, NULL, &err), &err);
    sy_arena_destroy(events.arena);
}

int main(int argc, char **argv)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    sy_ledger_head head;
    sy_error err = SY_ERROR_INIT;
    uint64_t count = 0, seed = 0;
    double spread = 0;
    sy_random random;

    if (argc != 6 || sy_parse_u64(argv[3], &count, NULL) != SY_OK || count > COUNT_MAX ||
        sy_parse_double(argv[4], &spread, NULL) != SY_OK || sy_parse_u64(argv[5], &seed, NULL) != SY_OK) {
        fputs("usage: made_sessions FOLDER GATE COUNT SPREAD SEED\n", stderr);
        return 2;
    }
    options.folder = argv[1];
    options.create = true;
    require(sy_ledger_open(&options, &ledger, &err), &err);
    require(sy_ledger_read_head(ledger, &head, &err), &err);
    sy_random_start(&random, seed, "made-sessions");
    for (uint64_t i = 0; i < count; i++)
        add(ledger, argv[2], head.number + i + 1, 1e-3 * exp(spread * sy_random_normal(&random)));
    sy_ledger_close(ledger);
    return 0;
}
