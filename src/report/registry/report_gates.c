/* SPDX-License-Identifier: Apache-2.0 */
/* Gates as a table for people, as lines for programs and as JSON. */
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "report/page/characters.h"
#include "report/page/json_frame.h"
#include "report/page/text_table.h"

enum { G_PRIORITY, G_STATE, G_ID, G_PLATFORM, G_COMPUTER, G_RUNBOOK, G_COUNT };

static const sy_column columns[G_COUNT] = {
    [G_PRIORITY] = {.title = "P", .right = true},
    [G_STATE] = {.title = "State"},
    [G_ID] = {.title = "Gate", .least = 18, .wraps = true},
    [G_PLATFORM] = {.title = "Platform", .least = 8, .wraps = true, .drop = 1},
    [G_COMPUTER] = {.title = "Computer", .least = 10, .wraps = true, .drop = 2},
    [G_RUNBOOK] = {.title = "Runbook", .least = 8, .wraps = true, .drop = 3},
};

static void put_row(sy_page *page, sy_text_table *table, const sy_gate_row *row)
{
    char priority[12];

    snprintf(priority, sizeof(priority), "%d", row->priority);
    sy_text_table_row(table, SY_TONE_PLAIN,
                      (const char *const[G_COUNT]){
                          [G_PRIORITY] = priority,
                          /* The label's signs are no ASCII; the state says the same in a word. */
                          [G_STATE] = page->style.utf8 ? row->label : row->state,
                          [G_ID] = row->id,
                          [G_PLATFORM] = row->platform,
                          [G_COMPUTER] = row->computer,
                          [G_RUNBOOK] = row->runbook,
                      });
}

sy_status sy_report_gates(const sy_gate_row *rows, size_t count, size_t total, const sy_report_style *style,
                          char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text_table *table;
    sy_text line = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    table = count > 0 ? sy_text_table_create(&page, columns, G_COUNT) : NULL;
    for (size_t i = 0; table != NULL && i < count; i++)
        put_row(&page, table, &rows[i]);
    if (table != NULL) {
        sy_text_table_print(table);
        sy_page_blank(&page);
    }
    sy_text_table_destroy(table);
    sy_text_append_format(&line, "%zu", count);
    if (total > count)
        sy_text_append_format(&line, " of %zu gates; all: --limit %zu", total, total);
    else
        sy_text_append(&line, count == 1 ? " gate" : " gates");
    page.text.failed = page.text.failed || line.failed;
    sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&line));
    sy_text_finish(&line);
    return sy_page_take(&page, ret_text, err);
}

static void put_cell(sy_text *text, const char *cell, const char *end)
{
    sy_characters_clean(text, cell, true);
    sy_text_append(text, end);
}

sy_status sy_report_gates_tsv(const sy_gate_row *rows, size_t count, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, NULL, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        put_cell(&page.text, rows[i].id, "\t");
        put_cell(&page.text, rows[i].label, "\t");
        put_cell(&page.text, rows[i].platform, "\t");
        put_cell(&page.text, rows[i].computer, "\t");
        put_cell(&page.text, rows[i].runbook, "\n");
    }
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_lines(const char *text, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        sy_text line = SY_TEXT_INIT;

        sy_text_append_bytes(&line, text, length);
        sy_characters_clean(&page.text, sy_text_bytes(&line), page.style.utf8);
        page.text.failed = page.text.failed || line.failed;
        sy_text_finish(&line);
        text += length;
        if (*text == '\n') {
            sy_page_blank(&page);
            text++;
        }
    }
    return sy_page_take(&page, ret_text, err);
}

static void write_row(sy_json_writer *writer, const sy_gate_row *row)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "id", row->id);
    sy_json_member_text(writer, "module", row->module);
    sy_json_member_text(writer, "operation", row->operation);
    sy_json_member_text(writer, "platform", row->platform);
    sy_json_member_text(writer, "computer", row->computer);
    sy_json_member_text(writer, "state", row->state);
    sy_json_member_text(writer, "label", row->label);
    sy_json_member_text(writer, "runbook", row->runbook);
    sy_json_member_text(writer, "next_gate", row->next_gate);
    sy_json_member_i64(writer, "priority", row->priority);
    sy_json_member_bool(writer, "open", row->is_open);
    sy_json_member_bool(writer, "performance", row->is_performance);
    sy_json_end_object(writer);
}

sy_status sy_report_gates_json(const sy_gate_row *rows, size_t count, size_t total, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.gates/1");

    sy_json_member_u64(writer, "total", total);
    sy_json_name(writer, "gates");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        write_row(writer, &rows[i]);
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
