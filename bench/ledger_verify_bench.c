/* SPDX-License-Identifier: Apache-2.0 */
/* Proof of a ledger of 1,000,000 events beside what no proof can do without: SHA-256 of the same bytes by libsodium, in
 * the same run, both in processor time. ledger_verify_bench [FOLDER [EVENTS]]. */
#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "ledger/ledger.h"
#include "ledger_bench.h"

#define RUNS_A_CALL 200
#define EVENTS_A_RUN 5 /* begin, lease, command, parity, end */

static const sy_named_text key_fields[] = {
    {"protocol_version", "steelyard-profile/v1"},
    {"cell_id", "matmul::cpu"},
    {"source_shape", "512x512x512"},
    {"precision", "f32"},
    {"cache_state", "warm"},
    {"device_id", "cpu"},
    {"runtime_version", "openblas 0.3.21"},
    {"source_revision", "0123456789abcdef0123456789abcdef01234567"},
};

typedef struct runs {
    sy_ledger_entry entries[RUNS_A_CALL * EVENTS_A_RUN];
    sy_text bodies[RUNS_A_CALL * EVENTS_A_RUN];
    char ids[RUNS_A_CALL][64];
    size_t count;
} runs;

#define ADD(r, event, id, write, data)                                                             \
    do {                                                                                           \
        sy_error add_err = SY_ERROR_INIT;                                                          \
        sy_text *add_body = &(r)->bodies[(r)->count];                                              \
        sy_text_clear(add_body);                                                                   \
        check(write(data, add_body, &add_err), &add_err);                                          \
        (r)->entries[(r)->count++] = (sy_ledger_entry){                                            \
            .kind = (event), .run = (id), .body = add_body->bytes, .body_size = add_body->length}; \
    } while (0)

static void add_run(runs *r, const char *id)
{
    static const char *const argv[] = {"./bench", "--size", "512", "--iterations", "100"};
    sy_run_begin begin = {
        .id = id,
        .kind = SY_RUN_KIND_SESSION,
        .question = "Is it as fast as it was?",
        .gate = "matmul.cpu.square-512.session",
        .cell = "matmul::cpu",
        .tier = "scheduled-profile",
        .protocol = "steelyard-profile/v1",
        .cache_state = "warm",
        .timing_boundary = "kernel",
        .key = {key_fields, sizeof key_fields / sizeof key_fields[0]},
        .source = {.control = "git",
                   .revision = "0123456789abcdef0123456789abcdef01234567",
                   .branch = "main",
                   .ordinal = 7,
                   .diff_digest = ""},
        .place = {.host = "h", .backend = "cpu", .device = "cpu", .description = "a processor", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = "",
    };
    sy_run_lease lease = {"cpu", 3, "h", "boot", 4711, 1795963459};
    sy_run_command command = {
        .phase = "measure", .argv = argv, .argc = 5, .wall_ns = 1, .fence = 3, .lease_held = true};
    sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "square-512", "openblas", "", 0.5};
    sy_run_end end = {SY_RUN_OK, "as it was", "", ""};
    ADD(r, SY_EVENT_BEGIN, id, sy_run_begin_write, &begin);
    ADD(r, SY_EVENT_LEASE, id, sy_run_lease_write, &lease);
    ADD(r, SY_EVENT_COMMAND, id, sy_run_command_write, &command);
    ADD(r, SY_EVENT_PARITY, id, sy_run_parity_write, &parity);
    ADD(r, SY_EVENT_END, id, sy_run_end_write, &end);
}

static void fill(sy_ledger *ledger, uint64_t events)
{
    runs *r = calloc(1, sizeof *r);
    sy_error err = SY_ERROR_INIT;
    need(r != NULL, "no memory");
    for (uint64_t run = 0; run * EVENTS_A_RUN < events;) {
        r->count = 0;
        for (size_t i = 0; i < RUNS_A_CALL && run * EVENTS_A_RUN < events; i++, run++) {
            snprintf(r->ids[i], sizeof r->ids[i], "20261129-233000-%06" PRIx64, run);
            add_run(r, r->ids[i]);
        }
        check(sy_ledger_append(ledger, r->entries, r->count, NULL, &err), &err);
    }
    for (size_t i = 0; i < sizeof r->bodies / sizeof r->bodies[0]; i++) {
        sy_text_finish(&r->bodies[i]);
    }
    free(r);
}

/* Every event's bytes one after another, with where each ends. */
typedef struct bytes {
    sy_text text;
    size_t *ends;
    size_t count;
} bytes;

static sy_status gather(void *user, const sy_ledger_event *event, sy_error *err)
{
    bytes *b = user;
    (void)err;
    sy_text_append_bytes(&b->text, event->bytes, event->size);
    b->ends[b->count++] = b->text.length;
    return SY_OK;
}

/* Both are work of one thread on pages that are at hand: what other programs take meanwhile is not theirs. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double hash_all(const bytes *b)
{
    double started = processor_seconds();
    uint8_t mixed = 0;
    for (size_t i = 0, at = 0; i < b->count; i++) {
        sy_digest digest;
        sy_digest_of(b->text.bytes + at, b->ends[i] - at, &digest);
        mixed ^= digest.bytes[0];
        at = b->ends[i];
    }
    double took = processor_seconds() - started;
    need(took > 0 || mixed == 0, "the clock stands");
    return took;
}

static double verify(sy_ledger *ledger, uint64_t *ret_count)
{
    sy_ledger_verdict *verdict = NULL;
    sy_error err = SY_ERROR_INIT;
    double started = processor_seconds();
    check(sy_ledger_verify(ledger, NULL, &verdict, &err), &err);
    double took = processor_seconds() - started;
    need(verdict->fault_total == 0, "the ledger is not what was written");
    *ret_count = verdict->event_count;
    sy_ledger_verdict_destroy(verdict);
    return took;
}

int main(int argc, char **argv)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    sy_error err = SY_ERROR_INIT;
    bytes b = {SY_TEXT_INIT, NULL, 0};
    uint64_t count = 0;
    uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    options.folder = argc > 1 ? argv[1] : NULL;
    options.create = true;
    check(sy_ledger_open(&options, &ledger, &err), &err);
    double started = seconds();
    fill(ledger, events);
    double filled = seconds() - started;
    b.ends = calloc(events + 2 * EVENTS_A_RUN, sizeof *b.ends);
    need(b.ends != NULL, "no memory");
    check(sy_ledger_each(ledger, 1, NULL, gather, &b, &err), &err);
    need(!b.text.failed, "no memory");
    for (int round = 0; round < 3; round++) {
        double hashed = hash_all(&b);
        double verified = verify(ledger, &count);
        printf("%" PRIu64 " events of %zu bytes on average: SHA-256 alone %.2f s, verify %.2f s = %.1f times, %.0f "
               "events/s\n",
               count, b.text.length / b.count, hashed, verified, verified / hashed, (double)count / verified);
    }
    printf("appended at %.0f events/s\n", (double)count / filled);
    sy_ledger_close(ledger);
    sy_text_finish(&b.text);
    free(b.ends);
    return 0;
}
