/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard of a project whose ledger has very many keys: how long collecting and drawing take, and how much text
 * comes of it. dashboard_bench FOLDER [KEYS]; the folder is made and kept. */
#include <string.h>
#include <sys/resource.h>

#include <steelyard/report.h>

#include "base/text.h"
#include "evidence/open_project.h"
#include "ledger/ledger.h"
#include "ledger_bench.h"

enum { SESSIONS = 6, REVISIONS = 4, EVENTS = 10, KEYS_OF_APPEND = 40, PROMOTED_EVERY = 50, ALARM_EVERY = 100 };

#define GATE "matmul.cpu.square-512.session"

/* Events that are appended at once, with their bodies. */
typedef struct writing {
    sy_ledger *ledger;
    sy_ledger_entry entries[KEYS_OF_APPEND * SESSIONS * EVENTS];
    sy_text bodies[KEYS_OF_APPEND * SESSIONS * EVENTS];
    char ids[KEYS_OF_APPEND * SESSIONS][32];
    size_t count;
    size_t id_count;
    uint64_t number; /* of the event that comes next */
    uint64_t fence;
} writing;

static void put(writing *w, sy_event_kind kind, const char *run, sy_status written)
{
    need(written == SY_OK, "an event could not be written");
    w->entries[w->count] = (sy_ledger_entry){
        .kind = kind, .run = run, .body = w->bodies[w->count].bytes, .body_size = w->bodies[w->count].length};
    w->count++;
    w->number++;
}

static sy_text *body(writing *w)
{
    return &w->bodies[w->count];
}

static void flush(writing *w)
{
    sy_error err = SY_ERROR_INIT;
    sy_ledger_head head;
    check(sy_ledger_append(w->ledger, w->entries, w->count, &head, &err), &err);
    need(head.number + 1 == w->number, "the ledger has other events");
    for (size_t i = 0; i < w->count; i++) {
        sy_text_finish(&w->bodies[i]);
    }
    w->count = w->id_count = 0;
}

/* ---- one session ---- */

typedef struct key_texts {
    sy_named_text fields[5];
    char digest[65];
    char runtime[32];
    char revision[41];
} key_texts;

static void make_key(uint64_t k, key_texts *t)
{
    sy_error err = SY_ERROR_INIT;
    snprintf(t->runtime, sizeof t->runtime, "%llu", (unsigned long long)(k / REVISIONS));
    snprintf(t->revision, sizeof t->revision, "%040llx", (unsigned long long)(k % REVISIONS + 1));
    t->fields[0] = (sy_named_text){"protocol_version", "steelyard-profile/v1"};
    t->fields[1] = (sy_named_text){"cell_id", "matmul::cpu"};
    t->fields[2] = (sy_named_text){"device_id", "cpu"};
    t->fields[3] = (sy_named_text){"runtime_version", t->runtime};
    t->fields[4] = (sy_named_text){"source_revision", t->revision};
    const sy_comparison_key key = {t->fields, 5};
    check(sy_comparison_key_digest(&key, t->digest, &err), &err);
}

static void put_begin(writing *w, const key_texts *t, const char *id)
{
    const sy_run_begin begin = {
        .id = id,
        .kind = SY_RUN_KIND_SESSION,
        .status = SY_RUN_PLANNED,
        .question = "Is it as fast as it was?",
        .gate = GATE,
        .cell = "matmul::cpu",
        .tier = "release-signoff",
        .protocol = "steelyard-profile/v1",
        .cache_state = "warm",
        .timing_boundary = "kernel",
        .key = {t->fields, 5},
        .source = {.control = "git", .revision = t->revision, .branch = "main", .ordinal = 7, .diff_digest = ""},
        .place = {.host = "h", .backend = "cpu", .device = "cpu", .description = "a processor", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = ""};
    put(w, SY_EVENT_BEGIN, id, sy_run_begin_write(&begin, body(w), NULL));
}

static void put_work(writing *w, const char *id)
{
    static const double samples[] = {0.25, 0.5, 0.125};
    static const char *const argv[] = {"./bench"};
    const sy_run_lease lease = {"cpu", ++w->fence, "h", "boot", 4711, 1795963459};
    const sy_run_command command = {
        .phase = "measure", .argv = argv, .argc = 1, .wall_ns = 1000000, .fence = w->fence, .lease_held = true};
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", 0.5};
    const sy_run_end end = {SY_RUN_OK, "", "", ""};
    sy_run_series series = {.name = "wall",
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "",
                            .implementation = "",
                            .samples = samples,
                            .count = 3,
                            .note = ""};
    put(w, SY_EVENT_LEASE, id, sy_run_lease_write(&lease, body(w), NULL));
    put(w, SY_EVENT_COMMAND, id, sy_run_command_write(&command, body(w), NULL));
    put(w, SY_EVENT_SERIES, id, sy_run_series_write(&series, body(w), NULL));
    w->entries[w->count - 1].samples = samples;
    w->entries[w->count - 1].sample_count = 3;
    put(w, SY_EVENT_PARITY, id, sy_run_parity_write(&parity, body(w), NULL));
    put(w, SY_EVENT_END, id, sy_run_end_write(&end, body(w), NULL));
}

/* One key in a hundred has an alarm, half of them a block. */
static void put_verdict(writing *w, const key_texts *t, uint64_t k, const char *id)
{
    const bool alarm = k % ALARM_EVERY == 0;
    const char *const sessions[] = {id};
    const char *const reasons[] = {alarm ? "it is slower than it was" : "it is as fast as it was"};
    const char *const baseline[] = {"b1", "b2", "b3", "b4", "b5"};
    const sy_run_verdict verdict = {.rule = SY_VERDICT_RULE,
                                    .word = !alarm                       ? SY_JUDGEMENT_PASS
                                            : k % (2 * ALARM_EVERY) == 0 ? SY_JUDGEMENT_BLOCK
                                                                         : SY_JUDGEMENT_INVESTIGATE,
                                    .reason = !alarm                       ? SY_JUDGEMENT_REASON_INSIDE
                                              : k % (2 * ALARM_EVERY) == 0 ? SY_JUDGEMENT_REASON_CONFIRMED
                                                                           : SY_JUDGEMENT_REASON_UNCONFIRMED,
                                    .evidence = "",
                                    .key_digest = t->digest,
                                    .baseline_key = t->digest,
                                    .baseline_revision = t->revision,
                                    .baseline = baseline,
                                    .baseline_count = 5,
                                    .sessions = sessions,
                                    .session_count = 1,
                                    .alpha = 0.02,
                                    .raised = alarm,
                                    .reasons = reasons,
                                    .reason_count = 1,
                                    .recalibrate = "",
                                    .recalibrate_run = ""};
    put(w, SY_EVENT_VERDICT, id, sy_run_verdict_write(&verdict, body(w), NULL));
}

static void put_promotion(writing *w, const key_texts *t, const char *id)
{
    const sy_named_number figure = {"wall p50", "s", 0.25};
    const uint64_t verdict = w->number - 1;
    const sy_run_signoff signoff = {"somebody", "looked at it", verdict};
    put(w, SY_EVENT_SIGNOFF, id, sy_run_signoff_write(&signoff, body(w), NULL));
    const sy_run_promotion promotion = {.by = "somebody",
                                        .claim = "",
                                        .cell = "matmul::cpu",
                                        .gate = GATE,
                                        .tier = "release-signoff",
                                        .key_digest = t->digest,
                                        .revision = t->revision,
                                        .host = "h",
                                        .device = "cpu",
                                        .word = SY_JUDGEMENT_PASS,
                                        .verdict = verdict,
                                        .signoff = w->number - 1,
                                        .figures = &figure,
                                        .figure_count = 1};
    put(w, SY_EVENT_PROMOTE, id, sy_run_promotion_write(&promotion, body(w), NULL));
}

static void put_session(writing *w, const key_texts *t, uint64_t k, int s)
{
    char *id = w->ids[w->id_count++];
    snprintf(id, sizeof w->ids[0], "k%06llu-s%d", (unsigned long long)k, s);
    put_begin(w, t, id);
    put_work(w, id);
    if (s < SY_BASELINE_SESSIONS - (k % 3 == 0 ? 1 : 0)) { /* a third of the keys is one short */
        const sy_run_accept accept = {"somebody", "", false};
        put(w, SY_EVENT_ACCEPT, id, sy_run_accept_write(&accept, body(w), NULL));
    } else if (k % 3 != 0) {
        put_verdict(w, t, k, id);
        if (k % PROMOTED_EVERY == 1 && k % ALARM_EVERY != 0) {
            put_promotion(w, t, id);
        }
    }
}

static void fill(sy_ledger *ledger, uint64_t keys)
{
    static writing w;
    sy_ledger_head head;
    sy_error err = SY_ERROR_INIT;
    w.ledger = ledger;
    check(sy_ledger_read_head(ledger, &head, &err), &err);
    w.number = head.number == 0 ? 2 : head.number + 1; /* the first append also opens the ledger */
    for (uint64_t k = 0; k < keys; k++) {
        key_texts t;
        make_key(k, &t);
        for (int s = 0; s < SESSIONS; s++) {
            put_session(&w, &t, k, s);
        }
        if (k % KEYS_OF_APPEND == KEYS_OF_APPEND - 1 || k == keys - 1) {
            flush(&w);
        }
    }
}

/* ---- measuring ---- */

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

static void draw(const char *what, sy_status status, char *text, double taken, const sy_error *err)
{
    check(status, err);
    printf("%-10s %8.1f ms  %zu lines, %zu bytes\n", what, 1e3 * taken, lines_of(text), strlen(text));
    sy_text_free(text);
}

static void look(sy_project *project)
{
    sy_error err = SY_ERROR_INIT;
    sy_dashboard *d = NULL;
    char *text = NULL;
    struct rusage used;
    for (int i = 0; i < 3; i++) {
        double start = seconds();
        check(sy_project_dashboard(project, NULL, &d, &err), &err);
        printf("%-10s %8.1f ms\n", i == 0 ? "collected" : "again", 1e3 * (seconds() - start));
        if (i < 2) {
            sy_dashboard_destroy(d);
        }
    }
    printf("%zu keys, %llu sessions, %zu open, %zu promoted\n", d->key_count, (unsigned long long)d->session_count,
           d->alarm_count, d->row_count);
    double start = seconds();
    sy_status status = sy_report_dashboard(d, NULL, &text, &err);
    draw("text", status, text, seconds() - start, &err);
    start = seconds();
    status = sy_report_dashboard_markdown(d, &text, &err);
    draw("markdown", status, text, seconds() - start, &err);
    start = seconds();
    status = sy_report_dashboard_json(d, &text, &err);
    draw("json", status, text, seconds() - start, &err);
    sy_dashboard_destroy(d);
    getrusage(RUSAGE_SELF, &used);
    printf("peak memory %.0f MiB\n", (double)used.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_error err = SY_ERROR_INIT;
    need(argc >= 2, "dashboard_bench FOLDER [KEYS]");
    uint64_t keys = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000;
    check(sy_registry_init(argv[1], NULL, NULL, NULL, &err), &err);
    options.root = argv[1];
    options.create = true;
    check(sy_project_open(&options, &project, &err), &err);
    double start = seconds();
    fill(sy_project_ledger(project), keys);
    printf("filled in %.1f s\n", seconds() - start);
    look(project);
    sy_project_close(project);
    return 0;
}
