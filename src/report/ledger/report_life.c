/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a run, for people: its start with every check, its end, its acceptance, the sweep. */
#include <stdio.h>
#include <steelyard/report.h>

#include "report/page/text_table.h"

enum { LINE_SIZE = 512 };

static void put_head(sy_page *page, const sy_ledger_head *head)
{
    char line[LINE_SIZE];

    snprintf(line, sizeof(line), "%llu %s", (unsigned long long)head->number, head->digest);
    sy_page_field(page, "head", line);
}

static void put_list(sy_page *page, const char *const *texts, size_t count, sy_tone tone)
{
    char line[LINE_SIZE];

    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof(line), "- %s", texts[i]);
        sy_page_paragraph(page, 2, 4, tone, line);
    }
}

/* ---- start ---- */

enum { C_CHECK, C_ANSWER, C_FOUND, C_EXPECTED, C_COUNT };

static const sy_column check_columns[C_COUNT] = {
    [C_CHECK] = {.title = "Check"},
    [C_ANSWER] = {.title = "Answer"},
    [C_FOUND] = {.title = "Found", .least = 12, .wraps = true},
    [C_EXPECTED] = {.title = "Expected", .least = 12, .wraps = true, .drop = 1},
};

/* What cannot be found out has not passed; what is not required stops nothing. */
static const char *answer_of(const sy_run_check *check)
{
    if (check->passed == 1)
        return "passed";
    if (check->passed == 0)
        return check->required ? "FAILED" : "no";
    return check->required ? "UNKNOWN" : "unknown";
}

static sy_tone tone_of(const sy_run_check *check)
{
    if (check->passed == 1)
        return SY_TONE_PLAIN;
    return check->required ? SY_TONE_BAD : SY_TONE_FAINT;
}

static void put_checks(sy_page *page, const sy_run_check *checks, size_t count)
{
    sy_text_table *table = sy_text_table_create(page, check_columns, C_COUNT);

    for (size_t i = 0; table != NULL && i < count; i++)
        sy_text_table_row(
            table, tone_of(&checks[i]),
            (const char *const[C_COUNT]){checks[i].name, answer_of(&checks[i]), checks[i].found, checks[i].expected});
    if (table != NULL)
        sy_text_table_print(table);
    else
        page->text.failed = true;
    sy_text_table_destroy(table);
}

sy_status sy_report_run_started(const sy_run_started *started, const sy_report_style *style, char **ret_text,
                                sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", started->run);
    sy_page_field(&page, "gate", started->gate);
    sy_page_field(&page, "tier", started->tier);
    sy_page_field(&page, "device", started->device);
    sy_page_field(&page, "revision", started->revision[0] != '\0' ? started->revision : "unknown");
    sy_page_field(&page, "", started->source_remark);
    snprintf(line, sizeof(line), "%s%s", started->unknown_fields[0] != '\0' ? "unknown: " : "complete",
             started->unknown_fields);
    sy_page_field(&page, "key", line);
    sy_page_field(&page, "smoke", started->smoke);
    sy_page_field(&page, "command", started->command);
    put_head(&page, &started->head);
    sy_page_blank(&page);
    put_checks(&page, started->checks, started->check_count);
    sy_page_blank(&page);
    if (started->planned)
        snprintf(line, sizeof(line), "planned: steelyard run exec %s", started->run);
    else
        snprintf(line, sizeof(line), "failed: %s", started->reason);
    sy_page_paragraph(&page, 0, 2, started->planned ? SY_TONE_GOOD : SY_TONE_BAD, line);
    return sy_page_take(&page, ret_text, err);
}

/* ---- end ---- */

sy_status sy_report_run_finished(const sy_run_finished *finished, const sy_report_style *style, char **ret_text,
                                 sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", finished->run);
    sy_page_field(&page, "status", sy_run_status_word(finished->status));
    put_head(&page, &finished->head);
    put_list(&page, finished->remarks, finished->remark_count, SY_TONE_DOUBT);
    return sy_page_take(&page, ret_text, err);
}

/* ---- acceptance ---- */

sy_status sy_report_run_acceptance(const sy_run_acceptance *acceptance, const sy_report_style *style, char **ret_text,
                                   sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", acceptance->run);
    put_head(&page, &acceptance->head);
    sy_page_blank(&page);
    sy_page_paragraph(&page, 0, 2, acceptance->accepted ? SY_TONE_GOOD : SY_TONE_BAD,
                      acceptance->accepted ? "accepted" : "not accepted:");
    put_list(&page, acceptance->reasons, acceptance->reason_count, SY_TONE_PLAIN);
    put_list(&page, acceptance->remarks, acceptance->remark_count, SY_TONE_DOUBT);
    return sy_page_take(&page, ret_text, err);
}

/* ---- attachments ---- */

sy_status sy_report_attached(const char *run, const sy_run_artifact *artifact, const sy_report_style *style,
                             char **ret_text, sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    char size[32];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_format_bytes(size, sizeof(size), artifact->size);
    snprintf(line, sizeof(line), "%s, %s, %s", artifact->name, sy_artifact_role_word(artifact->role), size);
    sy_page_field(&page, "run", run);
    sy_page_field(&page, "kept", line);
    sy_page_field(&page, "sha256", artifact->digest);
    return sy_page_take(&page, ret_text, err);
}

/* ---- sweep ---- */

sy_status sy_report_sweep(const sy_sweep *sweep, bool dry_run, const sy_report_style *style, char **ret_text,
                          sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < sweep->run_count; i++) {
        const sy_swept_run *run = &sweep->runs[i];

        snprintf(line, sizeof(line), "%s: %s: %s", run->run, run->lost ? "lost" : "left as it is", run->why);
        sy_page_paragraph(&page, 0, 4, run->lost ? SY_TONE_BAD : SY_TONE_PLAIN, line);
    }
    snprintf(line, sizeof(line), "%zu running, %zu of them %s", sweep->run_count, sweep->lost_count,
             dry_run ? "would be closed as lost" : "closed as lost");
    sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, line);
    return sy_page_take(&page, ret_text, err);
}
