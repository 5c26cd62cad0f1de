/* SPDX-License-Identifier: Apache-2.0 */
/* The page for browsers of very many series and gates: how long it takes to write, and how large it is.
 * page_bench [FILE [SERIES [SESSIONS [GATES]]]]; FILE is written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/report.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

enum { SERIES = 10000, SESSIONS = 60, GATES = 77000, CAPABILITIES = 400, BACKENDS = 6, NAME = 96, LINES = 100 };

typedef struct made {
    size_t series_count;
    size_t session_count;
    size_t gate_count;
    char (*names)[NAME]; /* of series, sessions, gates, capabilities, each its part */
    sy_html_session *sessions;
    sy_html_series *series;
    uint32_t *indexes;
    double *values;
    sy_dashboard_gate *gates;
    const char *capabilities[CAPABILITIES];
    const char *backends[BACKENDS];
    sy_matrix_cell *cells;
    sy_matrix matrix;
    sy_dashboard dashboard;
    sy_html_content content;
} made;

static void *take(size_t count, size_t size)
{
    void *block = sy_allocate(count, size);

    if (block == NULL) {
        (void)fprintf(stderr, "no memory\n");
        exit(1);
    }
    return block;
}

/* A name of 80 characters, as generated benchmarks have them. */
static const char *name(made *m, size_t index, const char *kind)
{
    (void)snprintf(m->names[index], NAME, "%s/batch=%03zu/heads=%02zu/sequence=%05zu/dtype=f16/layout=bshd/seed=%07zu",
                   kind, index % 64, index % 32, index % 8192, index);
    return m->names[index];
}

static void make_sessions(made *m)
{
    m->sessions = take(m->session_count, sizeof *m->sessions);
    for (size_t i = 0; i < m->session_count; i++) {
        char *id = m->names[m->series_count + i];

        (void)snprintf(id, NAME, "20261130-%06zu-%06zx", i, i * 7919 % 0xffffff);
        m->sessions[i] = (sy_html_session){.run = id,
                                           .number = 7 * i + 2,
                                           .began_utc_s = 1790000000 + (int64_t)i * 3600,
                                           .revision = "0123456789abcdef0123456789abcdef01234567",
                                           .key_digest = "",
                                           .accepted = i % 3 == 0,
                                           .judged = i % 3 != 0,
                                           .verdict = SY_JUDGEMENT_PASS};
    }
}

/* Each of LINES has sessions of its own, and its share of the series. */
static void make_series(made *m, size_t points)
{
    sy_random random;

    sy_random_start(&random, 1, "page");
    m->series = take(m->series_count, sizeof *m->series);
    m->indexes = take(m->session_count, sizeof *m->indexes);
    m->values = take(m->series_count * points, sizeof *m->values);
    for (size_t i = 0; i < m->session_count; i++)
        m->indexes[i] = (uint32_t)i;
    for (size_t i = 0; i < m->series_count; i++) {
        for (size_t k = 0; k < points; k++)
            m->values[i * points + k] = 0.001 * (1 + (double)(i % 100)) * (1 + .02 * sy_random_unit(&random));
        m->series[i] = (sy_html_series){
            .line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            .cell = "attention::cuda",
            .gate = "attention.cuda.session",
            .device = "cuda0",
            .metric = {"wall", name(m, i, "attention"), "flash", SY_STATISTIC_P50, "s", false},
            .primary = true,
            .sessions = m->indexes + i % LINES * points,
            .values = m->values + i * points,
            .point_count = points};
    }
}

static void make_registry(made *m)
{
    static const char *const backends[BACKENDS] = {"cpu", "cuda", "hip", "metal", "opencl", "vulkan"};
    const size_t first = m->series_count + m->session_count;

    m->gates = take(m->gate_count, sizeof *m->gates);
    m->cells = take(CAPABILITIES * BACKENDS, sizeof *m->cells);
    for (size_t i = 0; i < m->gate_count; i++) {
        m->gates[i] = (sy_dashboard_gate){.id = name(m, first + i, "gate"),
                                          .state = i % 3 == 0 ? "measured" : "pending",
                                          .cell = "attention::cuda",
                                          .priority = (int)(i % 5) + 1,
                                          .is_open = i % 3 != 0,
                                          .command = i % 3 != 0 ? "steelyard run exec --gate attention --judge" : "",
                                          .newest = "",
                                          .selftest = ""};
    }
    memcpy(m->backends, backends, sizeof backends);
    for (size_t i = 0; i < CAPABILITIES; i++)
        m->capabilities[i] = name(m, first + m->gate_count + i, "capability");
    for (size_t i = 0; i < (size_t)CAPABILITIES * BACKENDS; i++) {
        m->cells[i] = (sy_matrix_cell){.id = m->capabilities[i / BACKENDS],
                                       .capability = m->capabilities[i / BACKENDS],
                                       .backend = m->backends[i % BACKENDS],
                                       .state = i % 7 == 0   ? "unsupported"
                                                : i % 2 == 0 ? "ready"
                                                             : "evidence-gap",
                                       .reason = i % 7 == 0 ? "there is no such device" : "",
                                       .gate_count = 5,
                                       .open_gates = i % 5,
                                       .measured_gates = 5 - i % 5,
                                       .next_gate = ""};
    }
    m->matrix = (sy_matrix){"own/v1", m->capabilities, CAPABILITIES,           m->backends,
                            BACKENDS, m->cells,        CAPABILITIES * BACKENDS};
}

static size_t number(int argc, char **argv, int at, size_t usual)
{
    return argc > at ? (size_t)strtoul(argv[at], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    const size_t points = number(argc, argv, 3, SESSIONS);
    made m = {.series_count = number(argc, argv, 2, SERIES), .gate_count = number(argc, argv, 4, GATES)};
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    size_t size = 0;
    uint64_t before;

    m.session_count = LINES * points;
    m.names = take(m.series_count + m.session_count + m.gate_count + CAPABILITIES, sizeof *m.names);
    make_sessions(&m);
    make_series(&m, points);
    make_registry(&m);
    m.dashboard = (sy_dashboard){.project = "bench",
                                 .has_ledger = true,
                                 .gates = m.gates,
                                 .gate_count = m.gate_count,
                                 .open_gate_count = m.gate_count / 3 * 2,
                                 .matrix = &m.matrix,
                                 .head = {.number = 7 * m.session_count}};
    m.content = (sy_html_content){.title = "bench",
                                  .tool = "steelyard",
                                  .written_utc_s = 1796000000,
                                  .dashboard = &m.dashboard,
                                  .sessions = m.sessions,
                                  .session_count = m.session_count,
                                  .series = m.series,
                                  .series_count = m.series_count,
                                  .point_count = m.series_count * points,
                                  .run_total = m.session_count};
    before = sy_clock_now(&sy_clock_system);
    if (sy_report_html(&m.content, NULL, &html, &size, &err) != SY_OK) {
        (void)fprintf(stderr, "%s\n", err.what);
        return 1;
    }
    printf("%zu series x %zu sessions, %zu gates: %.2f s, %.2f MiB\n", m.series_count, points, m.gate_count,
           (double)(sy_clock_now(&sy_clock_system) - before) * 1e-9, (double)size / 1048576);
    return argc > 1 && sy_report_save(html, argv[1], &err) != SY_OK;
}
