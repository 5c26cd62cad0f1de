/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of one run's text: series, parity, memory, key, checks, commands, kept files. */
#include "report/ledger/report_run_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"
#include "report/page/strip.h"
#include "report/page/text_table.h"

enum { WIDE_COLUMNS = 64, STRIP_LEAST = 8, STRIP_COLUMNS = 60 };

static void put_heading(sy_page *page, const char *heading)
{
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, heading);
}

static void put_words(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_paragraph(page, first, rest, tone, sy_text_bytes(words));
    sy_text_clear(words);
}

/* ---- decision ---- */

void sy_run_put_decision(sy_page *page, const sy_run *run, sy_text *words)
{
    const sy_run_decision *decision = run->decision;

    if (decision != NULL) {
        put_heading(page, "Decision");
        sy_text_append_format(words, "%s: ", decision->operation);
        sy_ledger_words_decision(words, decision);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
        if (decision->reference[0] != '\0')
            sy_text_append_format(words, "against %s; ", decision->reference);
        sy_text_append_format(words, "%" PRIu32 " wins in %" PRIu32 " pairs", decision->wins, decision->pairs);
        if (!isnan(decision->alpha))
            sy_text_append_format(words, ", error rate %g", decision->alpha);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
    for (size_t i = 0; i < run->profile_count; i++) {
        const sy_run_profile *profile = &run->profiles[i];

        sy_text_append_format(words, "stored in %s as %s: %s", profile->store, profile->key, profile->implementation);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
}

/* ---- series ---- */

enum { S_NAME, S_ROLE, S_CASE, S_BY, S_COUNT, S_P50, S_P95, S_MAX, S_COLUMNS };

static const sy_column series_columns[S_COLUMNS] = {
    [S_NAME] = {.title = "Series", .least = 8, .wraps = true},
    [S_ROLE] = {.title = "Role", .drop = 3},
    [S_CASE] = {.title = "Case", .least = 8, .wraps = true, .drop = 2},
    [S_BY] = {.title = "By", .least = 8, .wraps = true, .drop = 1},
    [S_COUNT] = {.title = "n", .right = true},
    [S_P50] = {.title = "p50", .right = true},
    [S_P95] = {.title = "p95", .right = true},
    [S_MAX] = {.title = "max", .right = true},
};

static void put_series_row(sy_page *page, sy_text_table *table, const sy_run_series *series)
{
    const double values[] = {series->p50, series->p95, series->maximum};
    sy_text cells[4] = {SY_TEXT_INIT, SY_TEXT_INIT, SY_TEXT_INIT, SY_TEXT_INIT};

    sy_ledger_words_count(&cells[0], series);
    for (size_t i = 0; i < 3; i++)
        sy_ledger_words_value(&cells[i + 1], series->unit, values[i]);
    sy_text_table_row(table, SY_TONE_PLAIN,
                      (const char *const[S_COLUMNS]){
                          [S_NAME] = series->name,
                          [S_ROLE] = series->role == SY_SERIES_SAMPLE ? "-" : sy_series_role_word(series->role),
                          [S_CASE] = series->case_name,
                          [S_BY] = series->implementation,
                          [S_COUNT] = sy_text_bytes(&cells[0]),
                          [S_P50] = sy_text_bytes(&cells[1]),
                          [S_P95] = sy_text_bytes(&cells[2]),
                          [S_MAX] = sy_text_bytes(&cells[3]),
                      });
    for (size_t i = 0; i < 4; i++) {
        page->text.failed = page->text.failed || cells[i].failed;
        sy_text_finish(&cells[i]);
    }
}

/* Where a table would not fit: the same in a line. */
static void put_series_line(sy_page *page, const sy_run_series *series, sy_text *words)
{
    sy_ledger_words_series(words, series);
    sy_text_append(words, ": n ");
    sy_ledger_words_count(words, series);
    sy_text_append(words, ", p50 ");
    sy_ledger_words_value(words, series->unit, series->p50);
    sy_text_append(words, ", p95 ");
    sy_ledger_words_value(words, series->unit, series->p95);
    sy_text_append(words, ", max ");
    sy_ledger_words_value(words, series->unit, series->maximum);
    put_words(page, 2, 4, SY_TONE_PLAIN, words);
}

static void put_series_remarks(sy_page *page, const sy_run_series *series, const double *samples, sy_text *words)
{
    sy_text remark = SY_TEXT_INIT;

    sy_ledger_words_first(&remark, series, samples);
    if (series->note[0] != '\0')
        sy_text_append_format(&remark, "%s%s", remark.length > 0 ? "; " : "", series->note);
    for (size_t i = 0; i < series->figure_count; i++) {
        sy_text_append_format(&remark, "%s%s ", remark.length > 0 ? "; " : "", series->figures[i].name);
        sy_ledger_words_value(&remark, series->figures[i].unit, series->figures[i].value);
    }
    if (remark.length > 0) {
        sy_ledger_words_series(words, series);
        sy_text_append_format(words, ": %s", sy_text_bytes(&remark));
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
    page->text.failed = page->text.failed || remark.failed;
    sy_text_finish(&remark);
}

/* How the main series went on in time, in one line. */
static void put_course(sy_page *page, const sy_report_run_view *view)
{
    const sy_run_series *series = sy_ledger_main_series(view->run);
    const double *samples;
    uint32_t room = page->style.columns - 10;

    if (series == NULL || view->samples == NULL || series->usable_count < STRIP_LEAST)
        return;
    samples = view->samples[series - view->run->series];
    if (samples == NULL || !(series->minimum < series->maximum))
        return;
    sy_page_spaces(page, 2);
    sy_text_append(&page->text, "course ");
    (void)sy_strip_course(page, samples, series->count, series->minimum, series->maximum,
                          room < STRIP_COLUMNS ? room : STRIP_COLUMNS);
    sy_page_blank(page);
}

void sy_run_put_series(sy_page *page, const sy_report_run_view *view, sy_text *words)
{
    const sy_run *run = view->run;
    bool wide = page->style.columns >= WIDE_COLUMNS;
    sy_text_table *table = NULL;

    if (run->series_count == 0)
        return;
    put_heading(page, "Series (p50 and p95 are of nearest rank)");
    if (wide)
        table = sy_text_table_create(page, series_columns, S_COLUMNS);
    for (size_t i = 0; i < run->series_count; i++) {
        if (table != NULL)
            put_series_row(page, table, &run->series[i]);
        else if (!wide)
            put_series_line(page, &run->series[i], words);
    }
    if (table != NULL)
        sy_text_table_print(table);
    sy_text_table_destroy(table);
    put_course(page, view);
    for (size_t i = 0; i < run->series_count; i++)
        put_series_remarks(page, &run->series[i], view->samples != NULL ? view->samples[i] : NULL, words);
}

/* ---- parity and memory ---- */

void sy_run_put_parity(sy_page *page, const sy_run *run, sy_text *words)
{
    char figure[SY_FIGURE_SIZE];

    sy_text_append_format(words, "Parity: %s", sy_run_parity_word(run->row.parity));
    sy_page_blank(page);
    put_words(page, 0, 2,
              run->row.parity == SY_RUN_PARITY_PASSED   ? SY_TONE_GOOD
              : run->row.parity == SY_RUN_PARITY_FAILED ? SY_TONE_BAD
                                                        : SY_TONE_DOUBT,
              words);
    for (size_t i = 0; i < run->parity_count; i++) {
        const sy_run_parity_event *parity = &run->parities[i];

        sy_text_append(words, sy_run_parity_word(parity->outcome));
        if (parity->case_name[0] != '\0')
            sy_text_append_format(words, " for %s", parity->case_name);
        if (parity->implementation[0] != '\0')
            sy_text_append_format(words, " by %s", parity->implementation);
        if (!isnan(parity->error_in_tolerances))
            sy_text_append_format(words, ", the largest error is %s of its tolerance",
                                  sy_figure_ratio(figure, parity->error_in_tolerances));
        if (parity->reason[0] != '\0')
            sy_text_append_format(words, ": %s", parity->reason);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
}

void sy_run_put_memory(sy_page *page, const sy_run *run, sy_text *words)
{
    char figure[SY_FIGURE_SIZE];

    if (run->memory_count == 0)
        return;
    put_heading(page, "Memory");
    for (size_t i = 0; i < run->memory_count; i++) {
        const sy_run_memory *memory = &run->memories[i];

        sy_format_bytes(figure, sizeof(figure), memory->bytes);
        sy_text_append_format(words, "%s %s: ", memory->name, figure);
        sy_ledger_words_memory(words, memory);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
}

/* ---- the key ---- */

enum { K_NAME, K_VALUE, K_COLUMNS };

static const sy_column key_columns[K_COLUMNS] = {
    [K_NAME] = {.title = "Field", .least = 12, .wraps = true},
    [K_VALUE] = {.title = "Value", .least = 12, .wraps = true},
};

void sy_run_put_key(sy_page *page, const sy_run *run, sy_text *words)
{
    const sy_comparison_key *key = &run->begin.key;
    size_t unknown = sy_ledger_unknown_fields(key);
    sy_text_table *table;

    if (key->field_count == 0)
        return;
    if (unknown == 0)
        sy_text_append_format(words, "Comparison key %.*s", SY_LEDGER_DIGITS, run->row.key_digest);
    else
        sy_text_append_format(words, "Comparison key, incomplete: %zu of %zu fields %s", unknown, key->field_count,
                              unknown == 1 ? "is unknown, and equals nothing" : "are unknown, and equal nothing");
    sy_page_blank(page);
    put_words(page, 0, 2, SY_TONE_STRONG, words);
    table = sy_text_table_create(page, key_columns, K_COLUMNS);
    for (size_t i = 0; table != NULL && i < key->field_count; i++) {
        bool known = sy_ledger_field_is_known(&key->fields[i]);

        sy_text_table_row(table, known ? SY_TONE_PLAIN : SY_TONE_DOUBT,
                          (const char *const[K_COLUMNS]){
                              [K_NAME] = key->fields[i].name,
                              [K_VALUE] = known ? key->fields[i].value : "(unknown)",
                          });
    }
    if (table != NULL)
        sy_text_table_print(table);
    sy_text_table_destroy(table);
}

/* ---- what was done ---- */

void sy_run_put_checks(sy_page *page, const sy_run *run, sy_text *words)
{
    if (run->check_count == 0)
        return;
    put_heading(page, run->row.kind == SY_RUN_KIND_IMPORT ? "Checks" : "Checks before the work");
    for (size_t i = 0; i < run->check_count; i++) {
        const sy_run_check *check = &run->checks[i];
        bool bad = check->passed <= 0 && check->required;

        sy_text_append_format(words, "%s %s",
                              check->passed > 0    ? "ok"
                              : check->passed == 0 ? "failed"
                                                   : "unknown",
                              check->name);
        if (check->passed <= 0 && !check->required)
            sy_text_append(words, " (not required)");
        if (check->found[0] != '\0')
            sy_text_append_format(words, ": %s", check->found);
        if (check->expected[0] != '\0' && check->passed <= 0)
            sy_text_append_format(words, ", expected %s", check->expected);
        put_words(page, 2, 4, bad ? SY_TONE_BAD : SY_TONE_PLAIN, words);
    }
}

void sy_run_put_commands(sy_page *page, const sy_run *run, sy_text *words)
{
    char figure[SY_FIGURE_SIZE];
    char time[SY_LEDGER_TIME_SIZE];

    if (run->command_count > 0)
        put_heading(page, "Commands");
    for (size_t i = 0; i < run->command_count; i++) {
        const sy_run_command *command = &run->commands[i];

        sy_text_append_format(words, "%s: ", command->phase);
        sy_ledger_words_command(words, command);
        put_words(page, 2, 6, SY_TONE_PLAIN, words);
        sy_ledger_words_command_end(words, command);
        if (command->peak_memory_bytes > 0) {
            sy_format_bytes(figure, sizeof(figure), command->peak_memory_bytes);
            sy_text_append_format(words, ", peak memory %s", figure);
        }
        put_words(page, 6, 6, command->exit_code == 0 ? SY_TONE_FAINT : SY_TONE_BAD, words);
    }
    if (run->row.status == SY_RUN_RUNNING && run->lease_count > 0) {
        const sy_run_lease *lease = &run->leases[run->lease_count - 1];

        sy_page_blank(page);
        sy_text_append_format(words, "Leased %s on %s, number %" PRIu64 ", process %" PRId64 ", until %s",
                              lease->device, lease->host, lease->fence, lease->process,
                              sy_ledger_words_time(time, lease->until_utc_s, true));
        put_words(page, 0, 2, SY_TONE_DOUBT, words);
    }
}

void sy_run_put_artifacts(sy_page *page, const sy_run *run, sy_text *words)
{
    char figure[SY_FIGURE_SIZE];

    if (run->artifact_count + run->digest_count == 0)
        return;
    put_heading(page, "Files, by SHA-256");
    for (size_t i = 0; i < run->artifact_count; i++) {
        const sy_run_artifact *artifact = &run->artifacts[i];

        sy_format_bytes(figure, sizeof(figure), artifact->size);
        sy_text_append_format(words, "%s, %s, %s", artifact->name, figure, artifact->digest);
        page->text.failed = page->text.failed || words->failed;
        sy_page_field(page, sy_artifact_role_word(artifact->role), sy_text_bytes(words));
        sy_text_clear(words);
    }
    for (size_t i = 0; i < run->digest_count; i++) {
        sy_text_append_format(words, "%s (not kept) %s", run->digests[i].role, run->digests[i].digest);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
}
