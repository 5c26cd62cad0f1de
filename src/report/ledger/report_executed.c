/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a run's commands, for people; and who holds which device. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "report/page/figures.h"
#include "report/page/markdown_text.h"
#include "report/page/text_table.h"

enum { LINE_SIZE = 1024 };

/* "exited with 0 after 1.03 s". */
static void write_end(char *to, size_t size, const sy_run_command *command)
{
    char took[SY_FIGURE_SIZE];

    sy_figure_time(took, (double)command->wall_ns);
    if (command->signal != 0)
        (void)snprintf(to, size, "ended by signal %d after %s", command->signal, took);
    else
        (void)snprintf(to, size, "exited with %d after %s", command->exit_code, took);
}

/* Nothing for a command that did not run. */
static void put_command(sy_page *page, const char *label, const sy_run_command *command)
{
    char line[LINE_SIZE];

    if (command->argc == 0)
        return;
    write_end(line, sizeof(line), command);
    sy_page_field(page, label, line);
}

/* "before the command, 5 samples", "behind the command, does not count: it measured nothing". */
static void write_control(char *to, size_t size, const sy_run_executed *executed)
{
    const char *order = executed->control_first ? "before" : "behind";

    if (executed->no_control[0] != '\0')
        (void)snprintf(to, size, "%s the command, does not count: %.800s", order, executed->no_control);
    else
        (void)snprintf(to, size, "%s the command, %llu samples", order,
                       (unsigned long long)executed->control_sample_count);
}

static void put_control(sy_page *page, const sy_run_executed *executed)
{
    char end[64] = "";
    char arm[LINE_SIZE - 128];
    char line[LINE_SIZE];

    if (!executed->has_control)
        return;
    if (executed->control.argc > 0)
        write_end(end, sizeof(end), &executed->control);
    write_control(arm, sizeof(arm), executed);
    (void)snprintf(line, sizeof(line), "%s%s%s", end, end[0] != '\0' ? "; " : "", arm);
    sy_page_field(page, "control", line);
}

static void put_said(sy_page *page, const sy_run_executed *executed)
{
    char line[LINE_SIZE];

    (void)snprintf(line, sizeof(line), "%llu samples in %llu series, parity %s, %llu memory figures, %llu files",
                   (unsigned long long)executed->sample_count, (unsigned long long)executed->series_count,
                   sy_run_parity_word(executed->parity), (unsigned long long)executed->memory_count,
                   (unsigned long long)executed->artifact_count);
    sy_page_field(page, "recorded", line);
}

sy_status sy_report_executed(const sy_report_executed_view *view, const sy_report_style *style, char **ret_text,
                             sy_error *err)
{
    const sy_run_executed *executed = view->executed;
    char line[LINE_SIZE];
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", executed->run);
    put_command(&page, "smoke", &executed->smoke);
    put_command(&page, "command", &executed->command);
    put_control(&page, executed);
    (void)snprintf(line, sizeof(line), "number %llu, %s", (unsigned long long)executed->fence,
                   executed->lease_held ? "held throughout" : "LOST: the run is never accepted");
    sy_page_field(&page, "lease", line);
    put_said(&page, executed);
    (void)snprintf(line, sizeof(line), "%llu %s", (unsigned long long)executed->head.number, executed->head.digest);
    sy_page_field(&page, "head", line);
    for (size_t i = 0; i < executed->remark_count; i++) {
        (void)snprintf(line, sizeof(line), "- %.1000s", executed->remarks[i]);
        sy_page_paragraph(&page, 2, 4, SY_TONE_DOUBT, line);
    }
    sy_page_blank(&page);
    if (executed->status == SY_RUN_FAILED)
        (void)snprintf(line, sizeof(line), "failed: %.1000s", executed->reason);
    else if (view->finished[0] != '\0')
        (void)snprintf(line, sizeof(line), "finished: %s", view->finished);
    else
        (void)snprintf(line, sizeof(line), "running: steelyard run finish %s --status ok", executed->run);
    sy_page_paragraph(&page, 0, 2, executed->status == SY_RUN_FAILED ? SY_TONE_BAD : SY_TONE_GOOD, line);
    if (view->judgement[0] != '\0' && view->compared == NULL) {
        (void)snprintf(line, sizeof(line), "%s: %s", view->judgement, view->judgement_reason);
        sy_page_paragraph(&page, 0, 2, SY_TONE_DOUBT, line);
    }
    return sy_page_take(&page, ret_text, err);
}

/* ---- Markdown ---- */

static void put_number(sy_text *to, double value)
{
    sy_text_append(to, " | ");
    if (value - value != 0)
        sy_text_append(to, "-");
    else
        sy_text_append_format(to, "%.6g", value);
}

static void put_series(sy_text *to, const sy_run *run)
{
    if (run->series_count == 0)
        return;
    sy_text_append(to, "\n| series | case | implementation | unit | n | p50 | p95 | max |\n"
                       "|---|---|---|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];
        sy_text_append(to, "| ");
        sy_markdown_text(to, series->name);
        if (series->role != SY_SERIES_SAMPLE)
            sy_text_append_format(to, " (%s)", sy_series_role_word(series->role));
        sy_text_append(to, " | ");
        sy_markdown_text(to, series->case_name);
        sy_text_append(to, " | ");
        sy_markdown_text(to, series->implementation);
        sy_text_append(to, " | ");
        sy_markdown_text(to, series->unit);
        sy_text_append_format(to, " | %zu", series->count);
        put_number(to, series->p50);
        put_number(to, series->p95);
        put_number(to, series->maximum);
        sy_text_append(to, " |\n");
    }
}

static void put_control_words(sy_text *to, const sy_run_executed *executed)
{
    char arm[LINE_SIZE];

    if (!executed->has_control)
        return;
    write_control(arm, sizeof(arm), executed);
    sy_text_append(to, "\nControl: ");
    sy_markdown_text(to, arm);
    sy_text_append(to, ".\n");
}

static void put_memories(sy_text *to, const sy_run *run)
{
    for (size_t i = 0; i < run->memory_count; i++) {
        char bytes[32];
        sy_format_bytes(bytes, sizeof(bytes), run->memories[i].bytes);
        sy_text_append(to, i == 0 ? "\nMemory: " : "; ");
        sy_markdown_text(to, run->memories[i].name);
        sy_text_append_format(to, " %s (%s, %s, %s)", bytes, sy_memory_basis_word(run->memories[i].basis),
                              sy_memory_scope_word(run->memories[i].scope),
                              run->memories[i].counted ? "counted by the kernel" : "as it was told");
    }
    sy_text_append(to, run->memory_count > 0 ? ".\n" : "");
}

sy_status sy_report_executed_markdown(const sy_report_executed_view *view, char **ret_markdown, sy_error *err)
{
    const sy_run_executed *executed = view->executed;
    const sy_run *run = view->run;
    sy_text text = SY_TEXT_INIT;

    sy_text_append_format(&text, "### Run %s: %s", executed->run,
                          executed->status == SY_RUN_FAILED ? "failed"
                          : view->finished[0] != '\0'       ? view->finished
                                                            : "running");
    sy_text_append(&text, view->judgement[0] != '\0' ? ", " : "");
    sy_text_append(&text, view->judgement);
    sy_text_append(&text, "\n\n");
    sy_markdown_text(&text, run->row.question);
    sy_text_append(&text, "\n\nGate ");
    sy_markdown_text(&text, run->row.gate[0] != '\0' ? run->row.gate : "none");
    sy_text_append(&text, ", revision ");
    sy_markdown_text(&text, run->row.revision[0] != '\0' ? run->row.revision : "unknown");
    sy_text_append(&text, ", device ");
    sy_markdown_text(&text, run->row.device);
    sy_text_append_format(&text, ", parity %s.", sy_run_parity_word(run->row.parity));
    if (executed->reason[0] != '\0') {
        sy_text_append(&text, "\n\n**");
        sy_markdown_text(&text, executed->reason);
        sy_text_append(&text, "**");
    }
    if (view->judgement_reason[0] != '\0') {
        sy_text_append(&text, "\n\n");
        sy_markdown_text(&text, view->judgement_reason);
    }
    sy_text_append(&text, "\n");
    put_series(&text, run);
    put_control_words(&text, executed);
    put_memories(&text, run);
    for (size_t i = 0; i < executed->remark_count; i++) {
        sy_text_append(&text, i == 0 ? "\n- " : "- ");
        sy_markdown_text(&text, executed->remarks[i]);
        sy_text_append(&text, "\n");
    }
    sy_text_append_format(&text, "\nLedger head: %llu `%s`\n", (unsigned long long)executed->head.number,
                          executed->head.digest);
    char *markdown = sy_text_take(&text);
    if (markdown == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a report");
    *ret_markdown = markdown;
    return SY_OK;
}

sy_status sy_report_save(const char *text, const char *path, sy_error *err)
{
    return sy_file_write(path, text, strlen(text), NULL, err);
}

/* ---- leases ---- */

enum { C_DEVICE, C_STATE, C_RUN, C_HOLDER, C_SINCE, C_FOR, C_COUNT };

static const sy_column lease_columns[C_COUNT] = {
    [C_DEVICE] = {.title = "Device"},          [C_STATE] = {.title = "State"},
    [C_RUN] = {.title = "Run", .least = 22},   [C_HOLDER] = {.title = "Holder", .least = 12, .wraps = true},
    [C_SINCE] = {.title = "Since", .drop = 1}, [C_FOR] = {.title = "Held for"},
};

sy_status sy_report_device_leases(const sy_device_lease_list *list, const sy_report_style *style, char **ret_text,
                                  sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    if (list->lease_count == 0) {
        sy_page_paragraph(&page, 0, 2, SY_TONE_PLAIN, "No device of this host is leased.");
        return sy_page_take(&page, ret_text, err);
    }
    sy_text_table *table = sy_text_table_create(&page, lease_columns, C_COUNT);
    for (size_t i = 0; table != NULL && i < list->lease_count; i++) {
        const sy_device_lease *lease = &list->leases[i];
        char holder[64];
        char since[32];
        char held_for[32] = "-";
        if (sy_time_format_utc(lease->since_utc_s, since, sizeof(since), NULL) != SY_OK)
            (void)snprintf(since, sizeof(since), "-");
        if (lease->held && list->now_utc_s >= lease->since_utc_s)
            sy_format_duration(held_for, sizeof(held_for),
                               (uint64_t)(list->now_utc_s - lease->since_utc_s) * UINT64_C(1000000000));
        (void)snprintf(holder, sizeof(holder), "process %lld, user %u", (long long)lease->process, lease->user);
        sy_text_table_row(table, lease->held ? SY_TONE_STRONG : SY_TONE_PLAIN,
                          (const char *const[C_COUNT]){
                              lease->device,
                              lease->held           ? "held"
                              : lease->process == 0 ? "free"
                                                    : "lost: free",
                              lease->run[0] == '\0' ? "-" : lease->run,
                              lease->process == 0 ? "-" : holder,
                              since,
                              held_for,
                          });
    }
    if (table != NULL)
        sy_text_table_print(table);
    else
        page.text.failed = true;
    sy_text_table_destroy(table);
    return sy_page_take(&page, ret_text, err);
}
