/* SPDX-License-Identifier: Apache-2.0 */
/* Events to be appended, written in a line each, for the tests of the ledger and of what stands on it. Needs cmocka. */
#ifndef STEELYARD_TESTS_LEDGER_FIXTURE_H
#define STEELYARD_TESTS_LEDGER_FIXTURE_H

#include <string.h>

#include "base/clock.h"
#include "cmocka_headers.h"
#include "ledger/ledger.h"

#define BATCH_LIMIT 64

/* Entries of one append with the bodies that they point to. */
typedef struct batch {
    sy_ledger_entry entries[BATCH_LIMIT];
    sy_text bodies[BATCH_LIMIT];
    size_t count;
} batch;

static inline void batch_clear(batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        sy_text_finish(&b->bodies[i]);
    }
    b->count = 0;
}

/* Adds an event whose body write makes of data. */
#define BATCH_ADD(b, event_kind, run_id, write, data)                                                           \
    do {                                                                                                        \
        assert_true((b)->count < BATCH_LIMIT);                                                                  \
        sy_text *batch_body = &(b)->bodies[(b)->count];                                                         \
        *batch_body = (sy_text)SY_TEXT_INIT;                                                                    \
        assert_int_equal(write(data, batch_body, NULL), SY_OK);                                                 \
        (b)->entries[(b)->count++] = (sy_ledger_entry){                                                         \
            .kind = (event_kind), .run = (run_id), .body = batch_body->bytes, .body_size = batch_body->length}; \
    } while (0)

/* Adds an event with any body. */
static inline void batch_raw(batch *b, sy_event_kind kind, const char *run, const char *body)
{
    assert_true(b->count < BATCH_LIMIT);
    b->bodies[b->count] = (sy_text)SY_TEXT_INIT;
    sy_text_append(&b->bodies[b->count], body);
    b->entries[b->count] = (sy_ledger_entry){
        .kind = kind, .run = run, .body = sy_text_bytes(&b->bodies[b->count]), .body_size = strlen(body)};
    b->count++;
}

static const sy_named_text fixture_key_fields[] = {
    {"cell_id", "matmul::cpu"}, {"device_id", "cpu"}, {"source_revision", "0123456789abcdef"}};

/* A session of the cell matmul::cpu, from a clean tree, on hardware, for a gate of tier scheduled-profile. */
static inline sy_run_begin fixture_begin(const char *id)
{
    return (sy_run_begin){
        .id = id,
        .kind = SY_RUN_KIND_SESSION,
        .status = SY_RUN_PLANNED,
        .question = "Is it as fast as it was?",
        .gate = "matmul-small",
        .cell = "matmul::cpu",
        .tier = "scheduled-profile",
        .protocol = "steelyard-profile/v1",
        .cache_state = "warm",
        .timing_boundary = "kernel",
        .key = {fixture_key_fields, 3},
        .source = {.control = "git", .revision = "0123456789abcdef", .branch = "main", .ordinal = 7, .diff_digest = ""},
        .place = {.host = "h", .backend = "cpu", .device = "cpu", .description = "a processor", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = "",
    };
}

static inline sy_run_begin fixture_import(const char *id)
{
    sy_run_begin begin = fixture_begin(id);
    begin.kind = SY_RUN_KIND_IMPORT;
    begin.status = SY_RUN_IMPORTED;
    begin.gate = "";
    begin.origin = "hyperfine";
    return begin;
}

static inline void batch_begin(batch *b, const sy_run_begin *begin)
{
    BATCH_ADD(b, SY_EVENT_BEGIN, begin->id, sy_run_begin_write, begin);
}

static inline void batch_lease(batch *b, const char *run, uint64_t fence)
{
    sy_run_lease lease = {"cpu", fence, "h", "boot", 4711, 1795963459};
    BATCH_ADD(b, SY_EVENT_LEASE, run, sy_run_lease_write, &lease);
}

static inline void batch_command(batch *b, const char *run, const char *phase, uint64_t fence, bool held)
{
    static const char *const argv[] = {"./bench", "--fast"};
    sy_run_command command = {
        .phase = phase, .argv = argv, .argc = 2, .wall_ns = 1000000, .fence = fence, .lease_held = held};
    BATCH_ADD(b, SY_EVENT_COMMAND, run, sy_run_command_write, &command);
}

/* samples live as long as the batch is used. */
static inline void batch_series(batch *b, const char *run, const char *name, const double *samples, size_t count)
{
    sy_run_series series = {.name = name,
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "",
                            .implementation = "",
                            .samples = samples,
                            .count = count,
                            .note = ""};
    BATCH_ADD(b, SY_EVENT_SERIES, run, sy_run_series_write, &series);
    b->entries[b->count - 1].samples = samples;
    b->entries[b->count - 1].sample_count = count;
}

static inline void batch_parity(batch *b, const char *run, sy_run_parity outcome)
{
    sy_run_parity_event parity = {outcome, "", "", "", 0.5};
    BATCH_ADD(b, SY_EVENT_PARITY, run, sy_run_parity_write, &parity);
}

static inline void batch_artifact(batch *b, const char *run, sy_artifact_role role, const char *digest, uint64_t size)
{
    sy_run_artifact artifact = {role, "file", digest, size};
    BATCH_ADD(b, SY_EVENT_ARTIFACT, run, sy_run_artifact_write, &artifact);
}

static inline void batch_note(batch *b, const char *run, const char *note)
{
    BATCH_ADD(b, SY_EVENT_NOTE, run, sy_run_note_write, note);
}

static inline void batch_end(batch *b, const char *run, sy_run_status status)
{
    sy_run_end end = {status, status == SY_RUN_REFUTED ? "it is not so" : "", status == SY_RUN_FAILED ? "lost" : "",
                      ""};
    BATCH_ADD(b, SY_EVENT_END, run, sy_run_end_write, &end);
}

static inline void batch_accept(batch *b, const char *run)
{
    sy_run_accept accept = {"somebody", "", false};
    BATCH_ADD(b, SY_EVENT_ACCEPT, run, sy_run_accept_write, &accept);
}

static inline void batch_memory(batch *b, const char *run, uint64_t bytes)
{
    sy_run_memory memory = {"peak", bytes, SY_MEMORY_CONSTRAINED, SY_MEMORY_PROCESS_TREE, "a limit", 0, 0, false};
    BATCH_ADD(b, SY_EVENT_MEMORY, run, sy_run_memory_write, &memory);
}

/* replaces: number of the event with the run's last verdict; 0 = none. */
static inline void batch_verdict(batch *b, const char *run, sy_judgement_word word, sy_judgement_reason reason,
                                 uint64_t replaces)
{
    const char *const sessions[] = {run};
    bool alarms = word == SY_JUDGEMENT_INVESTIGATE || word == SY_JUDGEMENT_BLOCK;
    sy_run_verdict verdict = {.rule = SY_VERDICT_RULE,
                              .word = word,
                              .reason = reason,
                              .sessions = sessions,
                              .session_count = 1,
                              .alpha = 0.02,
                              .raised = alarms,
                              .replaces = replaces};
    BATCH_ADD(b, SY_EVENT_VERDICT, run, sy_run_verdict_write, &verdict);
}

/* verdict: number of the event with the verdict that was seen; 0 = none. */
static inline void batch_signoff(batch *b, const char *run, uint64_t verdict)
{
    sy_run_signoff signoff = {"somebody", "looked at all of it", verdict};
    BATCH_ADD(b, SY_EVENT_SIGNOFF, run, sy_run_signoff_write, &signoff);
}

static inline void batch_promote(batch *b, const char *run, sy_judgement_word word, uint64_t verdict, uint64_t signoff)
{
    sy_run_promotion promotion = {.by = "somebody", .word = word, .verdict = verdict, .signoff = signoff};
    BATCH_ADD(b, SY_EVENT_PROMOTE, run, sy_run_promotion_write, &promotion);
}

static inline void batch_change(batch *b, const char *run, const char *line, const char *before)
{
    sy_run_change change = {.line = line, .metric = {.series = "wall", .unit = "s"}, .before = before, .effect = 0.125};
    BATCH_ADD(b, SY_EVENT_CHANGE, run, sy_run_change_write, &change);
}

static inline void batch_selftest(batch *b, const char *gate, bool can_fail)
{
    sy_gate_selftest selftest = {
        .gate = gate, .metric = {.series = "wall", .unit = "s"}, .seed = 7, .alpha = 0.02, .can_fail = can_fail};
    BATCH_ADD(b, SY_EVENT_SELFTEST, "", sy_gate_selftest_write, &selftest);
}

/* Appends what was gathered, and clears it. */
static inline sy_status batch_append(batch *b, sy_ledger *ledger, sy_error *err)
{
    sy_status status = sy_ledger_append(ledger, b->entries, b->count, NULL, err);
    batch_clear(b);
    return status;
}

static const double fixture_samples[] = {0.25, 0.5, 0.125};

/* A whole good session, from its begin to its end, in one append. */
static inline void append_session(sy_ledger *ledger, const char *id)
{
    batch b = {.count = 0};
    sy_error err = SY_ERROR_INIT;
    sy_run_begin begin = fixture_begin(id);
    batch_begin(&b, &begin);
    batch_lease(&b, id, 3);
    batch_command(&b, id, "measure", 3, true);
    batch_series(&b, id, "wall", fixture_samples, 3);
    batch_parity(&b, id, SY_RUN_PARITY_PASSED);
    batch_end(&b, id, SY_RUN_OK);
    sy_status status = batch_append(&b, ledger, &err);
    if (status != SY_OK) {
        print_message("%s\n", err.what);
    }
    assert_int_equal(status, SY_OK);
}

/* A ledger in memory (folder NULL) or in a folder, made. */
static inline sy_ledger *open_ledger(const char *folder, const sy_clock *clock)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    sy_error err = SY_ERROR_INIT;
    options.folder = folder;
    options.create = true;
    sy_status status = sy_ledger_open_with(&options, clock, &ledger, &err);
    if (status != SY_OK) {
        print_message("%s\n", err.what);
    }
    assert_int_equal(status, SY_OK);
    return ledger;
}

#endif
