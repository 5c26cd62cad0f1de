/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page of courses and runs that the browser's tests of charts open: each kind that draws badly if nobody has
 * thought of it. make_charts FILE [SERIES POINTS]: or so many series of so many points, with names of 80 letters. */
#include "report/html/html_test_data.h"

enum { SERIES = 17, POINTS = 60, SAMPLES = 1000000, RUNS = 3 };

/* Samples of a run, long enough that they are reduced. */
typedef struct runs_data {
    sy_run_series series[RUNS][COUNT(series)];
    sy_html_strip strips[RUNS][COUNT(series)];
    double *samples[RUNS];
    double *sorted;
    sy_key_difference differences[3];
    uint64_t verdict_number;
    sy_run runs[RUNS];
    sy_html_run pages[RUNS];
} runs_data;

static void name_series(html_test_data *d)
{
    const char *const cases[SERIES] = {"step",
                                       "one session",
                                       "all equal",
                                       "one far away",
                                       "negative and zero",
                                       "memory",
                                       NULL,
                                       "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe2\x80\xaetxet",
                                       "\xf0\x9f\x90\x8c snail \xf0\x9f\x87\xa8\xf0\x9f\x87\xad",
                                       "Case",
                                       "case",
                                       "</script><img src=x onerror=alert(1)>",
                                       "__proto__",
                                       "missing values",
                                       "rate",
                                       "negative with one far away",
                                       ""};

    for (size_t s = 0; s < SERIES; s++)
        d->series[s].metric.case_name = cases[s] != NULL ? cases[s] : d->long_name;
    d->series[9].line = d->series[10].line; /* only the case of the name parts them */
}

static void bend_values(html_test_data *d)
{
    d->series[1].point_count = 1;
    for (size_t k = 0; k < POINTS; k++) {
        *html_test_value(d, 2, k) = 0.0125;
        *html_test_value(d, 4, k) = ((double)k - 30) / 4;
        *html_test_value(d, 5, k) = 1572864 + 4096 * (double)(k % 3);
        *html_test_value(d, 14, k) = 3.2e9 * *html_test_value(d, 14, k) / 0.0124;
        *html_test_value(d, 15, k) = *html_test_value(d, 15, k) - 0.0124;
    }
    *html_test_value(d, 3, 33) *= 1e9;
    *html_test_value(d, 15, 20) = 1000;
    d->series[4].metric.unit = d->series[15].metric.unit = "";
    d->series[5].metric = (sy_judged_metric){"peak", "", "", SY_STATISTIC_MEMORY, "bytes", false};
    d->series[14].metric.unit = "1/s";
    d->series[14].metric.higher_is_better = true;
    /* Every other session of the last series' line. */
    d->series[13].line = d->series[16].line;
    d->series[13].point_count = POINTS / 2;
    for (size_t k = 0; k < POINTS / 2; k++)
        d->indexes[13 * POINTS + k] = d->series[16].sessions[2 * k];
    d->content.point_count -= POINTS - 1 + POINTS / 2;
    html_test_session(d, 12, 40)->imported = true;
    html_test_session(d, 12, 40)->judged = false;
    html_test_session(d, 12, 40)->accepted = false;
    html_test_session(d, 12, 41)->verdict = SY_JUDGEMENT_NO_BASELINE;
}

/* A run whose samples drift, warm up, and have a tail. */
static void fill_samples(runs_data *r, size_t run, size_t count)
{
    uint64_t state = run + 1;

    r->samples[run] = sy_allocate(count, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        double far = html_test_noise(&state) > 2 ? 1.3 : 1;

        r->samples[run][i] = (0.002 + 0.0001 * (double)run) * far *
                             (1 + 0.03 * html_test_noise(&state) + 0.05 * (double)i / (double)count);
    }
    r->samples[run][0] = 0.0085;
    r->samples[run][count / 2] = NAN;
}

static void fill_run(runs_data *r, html_test_data *d, size_t at, size_t count)
{
    size_t drawn = count < 2000 ? count : 2000;
    double *measured;

    fill_samples(r, at, count);
    memcpy(r->series[at], series, sizeof(series));
    r->strips[at][0] = html_test_strip(&r->series[at][0], wall_samples, r->sorted, 1, 1);
    r->strips[at][1] = html_test_strip(&r->series[at][1], r->samples[at], r->sorted, count, drawn);
    r->strips[at][2] = html_test_strip(&r->series[at][2], NULL, r->sorted, 0, 0);
    measured = r->samples[at];
    for (size_t i = 0; i < drawn; i++)
        measured[i] = measured[i * (count / drawn)];
    r->runs[at] = whole_run;
    r->runs[at].row.id = html_test_session(d, 0, POINTS - 1 - at)->run;
    r->runs[at].series = r->series[at];
    r->runs[at].verdicts = &d->dashboard.verdict;
    r->runs[at].verdict_count = 1;
    r->runs[at].verdict_numbers = &r->verdict_number;
    r->pages[at] = (sy_html_run){.run = &r->runs[at], .strips = r->strips[at], .baseline_run = "", .probe_missing = ""};
}

static void fill_runs(runs_data *r, html_test_data *d)
{
    const size_t counts[RUNS] = {40, SAMPLES, 200};

    *r = (runs_data){.sorted = sy_allocate(SAMPLES, sizeof(double)),
                     .differences = {{"device_id", "cpu", "cpu", true, true, true},
                                     {"governor", NULL, "performance", false, true, false},
                                     {"source_revision", "0123456789ab", "fedcba987654", true, true, false}},
                     .verdict_number = 1234};
    for (size_t i = 0; i < RUNS; i++)
        fill_run(r, d, i, counts[i]);
    for (size_t i = 0; i + 1 < RUNS; i++) {
        r->pages[i].baseline_run = r->runs[i + 1].row.id;
        r->pages[i].differences = r->differences;
        r->pages[i].difference_count = COUNT(r->differences);
    }
    d->content.runs = r->pages;
    d->content.run_count = RUNS;
    d->content.run_total = d->content.session_count;
}

static sy_status write_page(const html_test_data *d, const char *path, sy_error *err)
{
    char *html = NULL;
    size_t size = 0;
    sy_status status = sy_report_html(&d->content, NULL, &html, &size, err);

    if (status == SY_OK)
        status = sy_report_save(html, path, err);
    sy_text_free(html);
    return status;
}

/* As a large project has them. */
static int write_large(const char *path, size_t series_count, size_t point_count)
{
    static html_test_data d;
    char(*names)[96] = sy_allocate(series_count, sizeof(*names));
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    html_test_start(&d, series_count, point_count);
    for (size_t i = 0; names != NULL && i < series_count; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "case %06zu %068zu", i, i * 7919);
        d.series[i].metric.case_name = names[i];
    }
    d.content.run_total = d.content.session_count;
    status = names != NULL ? write_page(&d, path, &err) : SY_NO_MEMORY;
    if (status != SY_OK)
        (void)fprintf(stderr, "make_charts: %s\n", err.what);
    sy_free(names);
    html_test_finish(&d);
    return status == SY_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    static html_test_data d;
    static runs_data r;
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    if (argc == 4)
        return write_large(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    if (argc != 2) {
        (void)fprintf(stderr, "make_charts FILE [SERIES POINTS]\n");
        return 2;
    }
    html_test_start(&d, SERIES, POINTS);
    name_series(&d);
    bend_values(&d);
    html_test_step(&d);
    fill_runs(&r, &d);
    status = write_page(&d, argv[1], &err);
    if (status != SY_OK)
        (void)fprintf(stderr, "make_charts: %s\n", err.what);
    for (size_t i = 0; i < RUNS; i++)
        sy_free(r.samples[i]);
    sy_free(r.sorted);
    html_test_finish(&d);
    return status == SY_OK ? 0 : 1;
}
