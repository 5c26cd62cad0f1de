/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: what stands open, promoted rows, gates, changes and findings as tables, whole. Those of keys and
 * of self-tests are html_rates.c's. */
#include <inttypes.h>

#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"

#define COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])

void sy_html_table_begin(sy_json_writer *json, const sy_html_table *table)
{
    static const char *const kinds[] = {"text", "word", "number", "time", "link", "run", "command", "digest"};

    sy_json_name(json, table->name);
    sy_json_begin_object(json);
    sy_json_member_text(json, "title", table->title);
    sy_json_member_text(json, "note", table->note);
    sy_json_member_text(json, "empty", table->empty);
    sy_json_member_text(json, "summary", table->summary);
    sy_json_name(json, "columns");
    sy_json_begin_array(json);
    for (size_t i = 0; i < table->column_count; i++) {
        const sy_html_column *column = &table->columns[i];

        sy_json_begin_object(json);
        sy_json_member_text(json, "name", column->name);
        sy_json_member_text(json, "label", column->label);
        sy_json_member_text(json, "kind", kinds[column->kind]);
        if (column->unit != NULL)
            sy_json_member_text(json, "unit", column->unit);
        sy_json_end_object(json);
    }
    sy_json_end_array(json);
    sy_json_name(json, "rows");
    sy_json_begin_array(json);
}

void sy_html_table_end(sy_json_writer *json)
{
    sy_json_end_array(json);
    sy_json_end_object(json);
}

void sy_html_put_text(sy_json_writer *json, sy_text *text)
{
    if (text->failed)
        sy_json_null(json);
    else
        sy_json_text(json, sy_text_bytes(text));
    sy_text_clear(text);
}

static void put_moment(sy_json_writer *json, int64_t utc_s)
{
    if (utc_s == 0)
        sy_json_null(json);
    else
        sy_json_i64(json, utc_s);
}

/* ---- what stands open ---- */

static void put_alarms(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"verdict", "Verdict", SY_HTML_WORD, NULL},     {"said", "What it says", SY_HTML_TEXT, NULL},
        {"command", "Run next", SY_HTML_COMMAND, NULL}, {"run", "Run", SY_HTML_RUN, NULL},
        {"cell", "Cell", SY_HTML_TEXT, NULL},           {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"device", "Device", SY_HTML_WORD, NULL},       {"revision", "Revision", SY_HTML_DIGEST, NULL},
        {"reason", "Reason", SY_HTML_WORD, NULL},       {"began", "Began", SY_HTML_TIME, NULL},
    };
    static const sy_html_table table = {
        .name = "open",
        .title = "Open blocks and investigations",
        .note = "Sessions whose verdict nothing later of their line has settled, blocks first, and smokes that stop a "
                "device.",
        .empty = "No block and no investigation is open.",
        COLUMNS(columns)};

    sy_html_table_begin(json, &table);
    for (size_t i = 0; i < dashboard->alarm_count; i++) {
        const sy_dashboard_alarm *alarm = &dashboard->alarms[i];

        sy_json_begin_array(json);
        sy_json_text(json, alarm->smoke ? "smoke" : sy_judgement_word_text(alarm->verdict));
        sy_json_text(json, alarm->text);
        sy_json_text(json, alarm->command);
        sy_json_text(json, alarm->run);
        sy_json_text(json, alarm->cell);
        sy_json_text(json, alarm->gate);
        sy_json_text(json, alarm->device);
        sy_json_text(json, alarm->revision);
        sy_json_text(json, alarm->smoke ? "" : sy_judgement_reason_text(alarm->reason));
        put_moment(json, alarm->began_utc_s);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
}

/* ---- promoted rows ---- */

static void put_row(sy_json_writer *json, const sy_dashboard_row *row, sy_text *text)
{
    sy_json_begin_array(json);
    sy_json_text(json, row->superseded ? "superseded" : sy_dashboard_words_standing(row));
    sy_json_text(json, row->row.cell);
    sy_dashboard_words_figures(text, &row->row, SIZE_MAX);
    sy_html_put_text(json, text);
    sy_json_text(json, row->row.claim);
    sy_json_text(json, row->blocked_why);
    sy_json_text(json, row->blocked_by);
    sy_json_text(json, row->run);
    sy_json_text(json, row->row.gate);
    sy_json_text(json, row->row.device);
    sy_json_text(json, row->row.revision);
    sy_json_text(json, row->row.by);
    put_moment(json, row->at_utc_s);
    sy_json_end_array(json);
}

/* Those that stand come first: a superseded row is history. */
static void put_rows(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"standing", "Standing", SY_HTML_WORD, NULL},
        {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"figures", "Figures", SY_HTML_TEXT, NULL},
        {"claim", "Claim", SY_HTML_TEXT, NULL},
        {"blocked_why", "Because", SY_HTML_TEXT, NULL},
        {"blocked_by", "Blocked by", SY_HTML_RUN, NULL},
        {"run", "Run", SY_HTML_RUN, NULL},
        {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"device", "Device", SY_HTML_WORD, NULL},
        {"revision", "Revision", SY_HTML_DIGEST, NULL},
        {"by", "Promoted by", SY_HTML_WORD, NULL},
        {"at", "Promoted", SY_HTML_TIME, NULL},
    };
    static const sy_html_table table = {
        .name = "promoted",
        .title = "Promoted rows",
        .note = "The only results here: each owes parity, provenance, a verdict and a sign-off. A later verdict can "
                "block one.",
        .empty = "No row is promoted yet: steelyard promote RUN says what a run owes.",
        COLUMNS(columns)};
    sy_text text = SY_TEXT_INIT;

    sy_html_table_begin(json, &table);
    for (int superseded = 0; superseded <= 1; superseded++) {
        for (size_t i = 0; i < dashboard->row_count; i++) {
            if (dashboard->rows[i].superseded == (superseded == 1))
                put_row(json, &dashboard->rows[i], &text);
        }
    }
    sy_html_table_end(json);
    sy_text_finish(&text);
}

/* ---- gates ---- */

enum { PRIORITIES = 5 };

static void put_gate(sy_json_writer *json, const sy_dashboard_gate *gate)
{
    sy_json_begin_array(json);
    sy_json_text(json, gate->is_open ? "open" : "closed");
    sy_json_i64(json, gate->priority);
    sy_json_text(json, gate->id);
    sy_json_text(json, gate->state);
    sy_json_text(json, gate->command);
    sy_json_text(json, gate->cell);
    sy_json_text(json, gate->newest);
    sy_json_text(json, gate->selftest_failed ? "cannot fail" : "");
    sy_json_text(json, gate->selftest);
    sy_json_end_array(json);
}

/* Open ones, the most urgent first, then the others, each in the order of the registry. */
static void put_gates(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"open", "Open", SY_HTML_WORD, NULL},           {"priority", "Priority", SY_HTML_NUMBER, ""},
        {"gate", "Gate", SY_HTML_TEXT, NULL},           {"state", "State", SY_HTML_WORD, NULL},
        {"command", "Run next", SY_HTML_COMMAND, NULL}, {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"newest", "Newest run", SY_HTML_RUN, NULL},    {"selftest", "Self-test", SY_HTML_WORD, NULL},
        {"why", "Why it cannot", SY_HTML_TEXT, NULL},
    };
    sy_text summary = SY_TEXT_INIT;
    sy_html_table table = {.name = "gates",
                           .title = "Gates",
                           .note = "Open ones first, the most urgent on top: priority 1 comes before 5.",
                           .empty = "The registry has no gates.",
                           COLUMNS(columns)};

    sy_text_append_format(&summary, "%zu open of %zu.", dashboard->open_gate_count, dashboard->gate_count);
    table.summary = sy_text_bytes(&summary);
    sy_html_table_begin(json, &table);
    for (int priority = 0; priority <= PRIORITIES; priority++) {
        for (size_t i = 0; i < dashboard->gate_count; i++) {
            if (dashboard->gates[i].is_open && dashboard->gates[i].priority == priority)
                put_gate(json, &dashboard->gates[i]);
        }
    }
    for (size_t i = 0; i < dashboard->gate_count; i++) {
        if (!dashboard->gates[i].is_open)
            put_gate(json, &dashboard->gates[i]);
    }
    sy_html_table_end(json);
    sy_text_finish(&summary);
}

/* ---- histories, findings ---- */

static void put_change(sy_json_writer *json, const sy_dashboard_change *change, sy_text *text)
{
    sy_json_begin_array(json);
    sy_json_text(json, change->row.change.worse ? "worse" : "better");
    sy_dashboard_words_change(text, change);
    sy_html_put_text(json, text);
    sy_json_double(json, change->row.change.effect);
    sy_json_text(json, change->row.run);
    sy_json_text(json, change->command);
    sy_json_text(json, change->cell);
    sy_json_text(json, sy_change_state_word(change->row.change.state));
    sy_json_text(json, change->row.change.revision);
    sy_json_end_array(json);
}

static void put_changes(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"direction", "Direction", SY_HTML_WORD, NULL}, {"said", "Change", SY_HTML_TEXT, NULL},
        {"effect", "Effect", SY_HTML_NUMBER, "share"},  {"run", "Since run", SY_HTML_RUN, NULL},
        {"command", "Run next", SY_HTML_COMMAND, NULL}, {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"state", "State", SY_HTML_WORD, NULL},         {"revision", "Revision", SY_HTML_DIGEST, NULL},
    };
    sy_html_table table = {.name = "changes",
                           .title = "Changes of histories",
                           .note = "Where the course of a figure has changed for good: reported, and neither refuted "
                                   "nor superseded.",
                           .empty = "No change of a history stands.",
                           COLUMNS(columns)};
    sy_text summary = SY_TEXT_INIT;
    sy_text text = SY_TEXT_INIT;
    size_t worse = 0;

    for (size_t i = 0; i < dashboard->change_count; i++)
        worse += dashboard->changes[i].row.change.worse;
    sy_text_append_format(&summary, "%zu for the worse, %zu for the better.", worse, dashboard->change_count - worse);
    table.summary = sy_text_bytes(&summary);
    sy_html_table_begin(json, &table);
    for (size_t i = 0; i < dashboard->change_count; i++)
        put_change(json, &dashboard->changes[i], &text);
    sy_html_table_end(json);
    sy_text_finish(&text);
    sy_text_finish(&summary);
}

static void put_findings(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {{"finding", "Finding", SY_HTML_TEXT, NULL}};
    sy_html_table table = {.name = "findings",
                           .title = "Findings of the registry",
                           .note = "steelyard matrix validate prints them with their places.",
                           .empty = "The registry has no findings.",
                           COLUMNS(columns)};
    sy_text summary = SY_TEXT_INIT;

    sy_text_append_format(&summary, "%zu to be mended", dashboard->finding_total);
    if (dashboard->finding_total > dashboard->finding_count)
        sy_text_append_format(&summary, ", the first %zu are here", dashboard->finding_count);
    sy_text_append(&summary, ".");
    table.summary = sy_text_bytes(&summary);
    sy_html_table_begin(json, &table);
    for (size_t i = 0; i < dashboard->finding_count; i++) {
        sy_json_begin_array(json);
        sy_json_text(json, dashboard->findings[i]);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
    sy_text_finish(&summary);
}

void sy_html_put_tables(const sy_html_data *data)
{
    const sy_dashboard *dashboard = data->content->dashboard;

    sy_json_name(data->json, "tables");
    sy_json_begin_object(data->json);
    if (dashboard != NULL) {
        put_alarms(data->json, dashboard);
        put_rows(data->json, dashboard);
        put_gates(data->json, dashboard);
        sy_html_put_baselines(data->json, dashboard);
        sy_html_put_rates(data->json, dashboard);
        put_changes(data->json, dashboard);
        sy_html_put_selftests(data->json, data->content);
        put_findings(data->json, dashboard);
    }
    sy_json_end_object(data->json);
}
