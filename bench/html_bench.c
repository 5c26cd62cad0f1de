/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a ledger: how long it takes to collect its content and to write it, how large it is, how much memory that
 * needs. html_bench FOLDER runs|keys [SERIES [SESSIONS]] [--judged] [--keep FILE]: FOLDER is filled unless it holds a
 * project; `runs`: sessions of SERIES series each; `keys`: sessions of one series, of SERIES lines. */
#include <string.h>
#include <sys/resource.h>

#include <steelyard/report.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "evidence/open_project.h"
#include "ledger/ledger.h"
#include "ledger_bench.h"

enum { SERIES = 10000, SESSIONS = 60, ENTRIES = 4096, NAME = 96, SAMPLES = 3, ACCEPTED = 5 };

#define GATE "matmul.cpu.square-512.session"

typedef struct shape {
    const char *folder;
    bool of_keys; /* a line has one series, else one line has all */
    size_t series_count;
    size_t session_count;
    bool judged;
    const char *keep; /* NULL = nowhere */
} shape;

/* Events that are appended at once, with their bodies. */
typedef struct writing {
    sy_ledger *ledger;
    sy_ledger_entry entries[ENTRIES];
    sy_text bodies[ENTRIES];
    double samples[ENTRIES][SAMPLES];
    char ids[ENTRIES][32];
    size_t count;
    uint64_t fence;
    sy_random random;
} writing;

static void flush(writing *w)
{
    sy_error err = SY_ERROR_INIT;
    if (w->count > 0) {
        check(sy_ledger_append(w->ledger, w->entries, w->count, NULL, &err), &err);
    }
    for (size_t i = 0; i < w->count; i++) {
        sy_text_finish(&w->bodies[i]);
    }
    w->count = 0;
}

/* Where the body of the next event goes; id is copied. */
static sy_text *next(writing *w, const char *id)
{
    if (w->count == ENTRIES) {
        flush(w);
    }
    w->bodies[w->count] = (sy_text)SY_TEXT_INIT;
    snprintf(w->ids[w->count], sizeof w->ids[0], "%s", id);
    return &w->bodies[w->count];
}

static sy_ledger_entry *put(writing *w, sy_event_kind kind, sy_status written)
{
    need(written == SY_OK, "an event could not be written");
    sy_ledger_entry *entry = &w->entries[w->count];
    *entry = (sy_ledger_entry){.kind = kind,
                               .run = w->ids[w->count],
                               .body = w->bodies[w->count].bytes,
                               .body_size = w->bodies[w->count].length};
    w->count++;
    return entry;
}

/* ---- one session ---- */

static void put_begin(writing *w, size_t line, size_t session, const char *id)
{
    char runtime[32], revision[41];
    snprintf(runtime, sizeof runtime, "%zu", line);
    snprintf(revision, sizeof revision, "%040zx", session / 6 + 1);
    const sy_named_text fields[] = {{"protocol_version", "steelyard-profile/v1"},
                                    {"cell_id", "matmul::cpu"},
                                    {"device_id", "cpu"},
                                    {"runtime_version", runtime},
                                    {"source_revision", revision}};
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
        .key = {fields, 5},
        .source = {.control = "git", .revision = revision, .branch = "main", .ordinal = 7, .diff_digest = ""},
        .place = {.host = "h", .backend = "cpu", .device = "cpu", .description = "a processor", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = ""};
    put(w, SY_EVENT_BEGIN, sy_run_begin_write(&begin, next(w, id), NULL));
    const sy_run_lease lease = {"cpu", ++w->fence, "h", "boot", 4711, 1795963459};
    put(w, SY_EVENT_LEASE, sy_run_lease_write(&lease, next(w, id), NULL));
}

/* A name of 80 characters, as generated benchmarks have them. */
static void name_series(char name[NAME], size_t index)
{
    (void)snprintf(name, NAME, "wall/batch=%03zu/heads=%02zu/sequence=%05zu/dtype=f16/layout=bshd/seed=%07zu",
                   index % 64, index % 32, index % 8192, index);
}

static void put_series(writing *w, size_t index, const char *id)
{
    char name[NAME];
    sy_text *body = next(w, id);
    double *samples = w->samples[w->count];
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = 0.001 * (1 + (double)(index % 100)) * (1 + 0.02 * sy_random_unit(&w->random));
    }
    name_series(name, index);
    sy_run_series series = {.name = name,
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "",
                            .implementation = "",
                            .samples = samples,
                            .count = SAMPLES,
                            .note = ""};
    sy_ledger_entry *entry = put(w, SY_EVENT_SERIES, sy_run_series_write(&series, body, NULL));
    entry->samples = samples;
    entry->sample_count = SAMPLES;
}

/* As `compare` writes it: what it says of each series, for people too. */
static void put_verdict(writing *w, size_t first, size_t count, const char *id)
{
    const char *const sessions[] = {id};
    const char *const reasons[] = {"it is as fast as it was"};
    char(*names)[NAME] = sy_allocate(count, sizeof *names);
    sy_metric_verdict *metrics = sy_allocate(count, sizeof *metrics);
    need(names != NULL && metrics != NULL, "no memory");
    for (size_t i = 0; i < count; i++) {
        name_series(names[i], first + i);
        metrics[i] = (sy_metric_verdict){
            .metric = {.series = names[i], .case_name = "", .implementation = "", .unit = "s"},
            .reason = "inside the envelope of five accepted sessions",
            .primary = i == 0};
    }
    const sy_run_verdict verdict = {.rule = SY_VERDICT_RULE,
                                    .word = SY_JUDGEMENT_PASS,
                                    .reason = SY_JUDGEMENT_REASON_INSIDE,
                                    .sessions = sessions,
                                    .session_count = 1,
                                    .metrics = metrics,
                                    .metric_count = count,
                                    .alpha = 0.02,
                                    .reasons = reasons,
                                    .reason_count = 1};
    put(w, SY_EVENT_VERDICT, sy_run_verdict_write(&verdict, next(w, id), NULL));
    sy_free(metrics);
    sy_free(names);
}

static void put_session(writing *w, const shape *s, size_t line, size_t session)
{
    char id[32];
    const size_t first = s->of_keys ? line : 0;
    const size_t count = s->of_keys ? 1 : s->series_count;
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", 0.5};
    const sy_run_end end = {SY_RUN_OK, "", "", ""};
    snprintf(id, sizeof id, "s%05zu-k%06zu", session, line);
    put_begin(w, line, session, id);
    for (size_t i = 0; i < count; i++) {
        put_series(w, first + i, id);
    }
    put(w, SY_EVENT_PARITY, sy_run_parity_write(&parity, next(w, id), NULL));
    put(w, SY_EVENT_END, sy_run_end_write(&end, next(w, id), NULL));
    if (s->judged && session >= ACCEPTED) {
        put_verdict(w, first, count, id);
    }
}

static void fill(sy_ledger *ledger, const shape *s)
{
    static writing w;
    const double start = seconds();
    w.ledger = ledger;
    sy_random_start(&w.random, 1, "html");
    for (size_t session = 0; session < s->session_count; session++) {
        for (size_t line = 0; line < (s->of_keys ? s->series_count : 1); line++) {
            put_session(&w, s, line, session);
        }
    }
    flush(&w);
    printf("filled in %.1f s\n", seconds() - start);
}

/* ---- measuring ---- */

static double processor_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void look(sy_project *project, const shape *s)
{
    sy_error err = SY_ERROR_INIT;
    sy_html_content *content = NULL;
    char *html = NULL;
    size_t size = 0;
    struct rusage used;
    double start = seconds(), processor = processor_seconds();
    check(sy_project_html(project, NULL, &content, &err), &err);
    printf("collected %7.2f s, %.2f s of a processor: %zu series, %llu points, %zu sessions, %zu pages of runs\n",
           seconds() - start, processor_seconds() - processor, content->series_count,
           (unsigned long long)content->point_count, content->session_count, content->run_count);
    start = seconds();
    processor = processor_seconds();
    check(sy_report_html(content, NULL, &html, &size, &err), &err);
    printf("written   %7.2f s, %.2f s of a processor: %.2f MB\n", seconds() - start, processor_seconds() - processor,
           1e-6 * (double)size);
    getrusage(RUSAGE_SELF, &used);
    printf("peak memory %.0f MiB\n", (double)used.ru_maxrss / 1024);
    if (s->keep != NULL) {
        check(sy_report_save(html, s->keep, &err), &err);
    }
    sy_text_free(html);
    sy_html_content_destroy(content);
}

static shape read_arguments(int argc, char **argv)
{
    shape s = {.series_count = SERIES, .session_count = SESSIONS};
    size_t *const numbers[] = {&s.series_count, &s.session_count};
    size_t given = 0;
    need(argc >= 3, "html_bench FOLDER runs|keys [SERIES [SESSIONS]] [--judged] [--keep FILE]");
    s.folder = argv[1];
    s.of_keys = strcmp(argv[2], "keys") == 0;
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--judged") == 0) {
            s.judged = true;
        } else if (strcmp(argv[i], "--keep") == 0 && i + 1 < argc) {
            s.keep = argv[++i];
        } else {
            need(given < 2, "too many numbers");
            *numbers[given++] = (size_t)strtoull(argv[i], NULL, 10);
        }
    }
    return s;
}

int main(int argc, char **argv)
{
    const shape s = read_arguments(argc, argv);
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_ledger_head head;
    sy_error err = SY_ERROR_INIT;
    char path[4096];
    struct stat file;
    need(snprintf(path, sizeof path, "%s/steelyard.json", s.folder) < (int)sizeof path, "the folder's name is long");
    if (stat(path, &file) != 0) {
        check(sy_registry_init(s.folder, NULL, NULL, NULL, &err), &err);
    }
    options.root = s.folder;
    options.create = true;
    check(sy_project_open(&options, &project, &err), &err);
    check(sy_ledger_read_head(sy_project_ledger(project), &head, &err), &err);
    if (head.number == 0) {
        fill(sy_project_ledger(project), &s);
        sy_project_close(project); /* what is measured begins as the command does */
        check(sy_project_open(&options, &project, &err), &err);
    }
    look(project, &s);
    sy_project_close(project);
    return 0;
}
