/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: the dashboard's lists as tables, whole. */
#include <inttypes.h>
#include <math.h>

#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"
#include "report/ledger/ledger_words.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

void sy_html_table_begin(sy_json_writer *json, const char *name, const char *title, const char *note,
                         const sy_html_column *columns, size_t count)
{
    static const char *const kinds[] = {"text", "word", "number", "time", "link", "run", "command"};

    sy_json_name(json, name);
    sy_json_begin_object(json);
    sy_json_member_text(json, "title", title);
    sy_json_member_text(json, "note", note);
    sy_json_name(json, "columns");
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        sy_json_begin_object(json);
        sy_json_member_text(json, "name", columns[i].name);
        sy_json_member_text(json, "label", columns[i].label);
        sy_json_member_text(json, "kind", kinds[columns[i].kind]);
        if (columns[i].unit != NULL)
            sy_json_member_text(json, "unit", columns[i].unit);
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

/* A value that was put together, as text. */
static void put_text(sy_json_writer *json, sy_text *text)
{
    if (text->failed)
        sy_json_null(json);
    else
        sy_json_text(json, sy_text_bytes(text));
    sy_text_clear(text);
}

static void put_time(sy_json_writer *json, int64_t utc_s)
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
        {"verdict", "Verdict", SY_HTML_WORD, NULL},   {"run", "Run", SY_HTML_RUN, NULL},
        {"said", "What it says", SY_HTML_TEXT, NULL}, {"command", "Run next", SY_HTML_COMMAND, NULL},
        {"cell", "Cell", SY_HTML_TEXT, NULL},         {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"device", "Device", SY_HTML_WORD, NULL},     {"revision", "Revision", SY_HTML_TEXT, NULL},
        {"reason", "Reason", SY_HTML_WORD, NULL},     {"began", "Began", SY_HTML_TIME, NULL},
    };

    sy_html_table_begin(json, "open", "Open blocks and investigations",
                        "Sessions whose verdict nothing later of their line has settled; blocks first.", columns,
                        COUNT(columns));
    for (size_t i = 0; i < dashboard->alarm_count; i++) {
        const sy_dashboard_alarm *alarm = &dashboard->alarms[i];

        sy_json_begin_array(json);
        sy_json_text(json, alarm->smoke ? "smoke" : sy_judgement_word_text(alarm->verdict));
        sy_json_text(json, alarm->run);
        sy_json_text(json, alarm->text);
        sy_json_text(json, alarm->command);
        sy_json_text(json, alarm->cell);
        sy_json_text(json, alarm->gate);
        sy_json_text(json, alarm->device);
        sy_json_text(json, alarm->revision);
        sy_json_text(json, alarm->smoke ? "" : sy_judgement_reason_text(alarm->reason));
        put_time(json, alarm->began_utc_s);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
}

/* ---- promoted rows ---- */

static void put_row(sy_json_writer *json, const sy_dashboard_row *row, sy_text *text)
{
    sy_json_begin_array(json);
    sy_json_text(json, row->superseded ? "superseded" : sy_dashboard_words_standing(row));
    sy_json_text(json, row->run);
    sy_json_text(json, row->row.cell);
    sy_json_text(json, row->row.gate);
    sy_dashboard_words_figures(text, &row->row, SIZE_MAX);
    put_text(json, text);
    sy_json_text(json, row->row.claim);
    sy_json_text(json, row->blocked_by);
    sy_json_text(json, row->blocked_why);
    sy_json_text(json, row->row.device);
    sy_json_text(json, row->row.revision);
    sy_json_text(json, row->row.by);
    put_time(json, row->at_utc_s);
    sy_json_end_array(json);
}

static void put_rows(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"standing", "Standing", SY_HTML_WORD, NULL},
        {"run", "Run", SY_HTML_RUN, NULL},
        {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"figures", "Figures", SY_HTML_TEXT, NULL},
        {"claim", "Claim", SY_HTML_TEXT, NULL},
        {"blocked_by", "Blocked by", SY_HTML_RUN, NULL},
        {"blocked_why", "Because", SY_HTML_TEXT, NULL},
        {"device", "Device", SY_HTML_WORD, NULL},
        {"revision", "Revision", SY_HTML_TEXT, NULL},
        {"by", "Promoted by", SY_HTML_WORD, NULL},
        {"at", "Promoted", SY_HTML_TIME, NULL},
    };
    sy_text text = SY_TEXT_INIT;

    sy_html_table_begin(json, "promoted", "Promoted rows",
                        "The only results of this page: each owes parity, provenance, a verdict and a sign-off.",
                        columns, COUNT(columns));
    for (size_t i = 0; i < dashboard->row_count; i++)
        put_row(json, &dashboard->rows[i], &text);
    sy_html_table_end(json);
    sy_text_finish(&text);
}

/* ---- gates ---- */

static void put_gates(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"open", "Open", SY_HTML_WORD, NULL},           {"priority", "Priority", SY_HTML_NUMBER, ""},
        {"gate", "Gate", SY_HTML_TEXT, NULL},           {"state", "State", SY_HTML_WORD, NULL},
        {"command", "Run next", SY_HTML_COMMAND, NULL}, {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"newest", "Newest run", SY_HTML_RUN, NULL},    {"selftest", "Self-test", SY_HTML_TEXT, NULL},
    };

    sy_html_table_begin(json, "gates", "Gates", "Priority 1 is the most urgent.", columns, COUNT(columns));
    for (size_t i = 0; i < dashboard->gate_count; i++) {
        const sy_dashboard_gate *gate = &dashboard->gates[i];

        sy_json_begin_array(json);
        sy_json_text(json, gate->is_open ? "open" : "closed");
        sy_json_i64(json, gate->priority);
        sy_json_text(json, gate->id);
        sy_json_text(json, gate->state);
        sy_json_text(json, gate->command);
        sy_json_text(json, gate->cell);
        sy_json_text(json, gate->newest);
        sy_json_text(json, gate->selftest);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
}

/* ---- keys ---- */

static void put_keys(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"missing", "Missing", SY_HTML_NUMBER, ""},     {"accepted", "Accepted", SY_HTML_NUMBER, ""},
        {"sessions", "Sessions", SY_HTML_NUMBER, ""},   {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"gate", "Gate", SY_HTML_TEXT, NULL},           {"key", "Key", SY_HTML_TEXT, NULL},
        {"command", "Run next", SY_HTML_COMMAND, NULL}, {"newest", "Newest run", SY_HTML_RUN, NULL},
    };
    sy_text note = SY_TEXT_INIT;

    sy_text_append(&note, "A baseline needs five accepted sessions of one key; these have fewer.");
    if (dashboard->incomplete_count > 0)
        sy_text_append_format(&note,
                              " %" PRIu64 " of %" PRIu64 " sessions have a key with an unknown field, which equals "
                              "nothing: steelyard key list --incomplete",
                              dashboard->incomplete_count, dashboard->session_count);
    sy_html_table_begin(json, "baselines", "Keys short of a baseline", sy_text_bytes(&note), columns, COUNT(columns));
    sy_text_finish(&note);
    for (size_t i = 0; i < dashboard->key_count; i++) {
        const sy_dashboard_key *key = &dashboard->keys[i];

        if (key->missing_count == 0)
            continue;
        sy_json_begin_array(json);
        sy_json_u64(json, key->missing_count);
        sy_json_u64(json, key->accepted_count);
        sy_json_u64(json, key->session_count);
        sy_json_text(json, key->cell);
        sy_json_text(json, key->gate);
        sy_json_text(json, key->key_digest);
        sy_json_text(json, key->command);
        sy_json_text(json, key->newest);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
}

static void put_rates(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"standing", "Standing", SY_HTML_WORD, NULL},
        {"judged", "Judged", SY_HTML_NUMBER, ""},
        {"raised", "Alarms", SY_HTML_NUMBER, ""},
        {"observed", "Observed", SY_HTML_NUMBER, "share"},
        {"promised", "Promised", SY_HTML_NUMBER, "share"},
        {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"key", "Key", SY_HTML_TEXT, NULL},
        {"newest", "Newest run", SY_HTML_RUN, NULL},
    };

    sy_html_table_begin(
        json, "alarms", "Alarm rates",
        "Promised: the chance of an alarm on either side of one unchanged session. A key exceeds it when "
        "it raised more than chance explains (95 %): see if its sessions drift.",
        columns, COUNT(columns));
    for (size_t i = 0; i < dashboard->key_count; i++) {
        const sy_dashboard_key *key = &dashboard->keys[i];

        if (key->judged_count == 0)
            continue;
        sy_json_begin_array(json);
        sy_json_text(json, key->alarms_exceed ? "exceeds" : "as promised");
        sy_json_u64(json, key->judged_count);
        sy_json_u64(json, key->raised_count);
        sy_json_double(json, key->alarm_observed);
        sy_json_double(json, key->alarm_promised);
        sy_json_text(json, key->cell);
        sy_json_text(json, key->gate);
        sy_json_text(json, key->key_digest);
        sy_json_text(json, key->newest);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
}

/* ---- histories, self-tests, findings ---- */

static void put_changes(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"direction", "Direction", SY_HTML_WORD, NULL}, {"said", "Change", SY_HTML_TEXT, NULL},
        {"effect", "Effect", SY_HTML_NUMBER, "share"},  {"run", "Since run", SY_HTML_RUN, NULL},
        {"command", "Run next", SY_HTML_COMMAND, NULL}, {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"state", "State", SY_HTML_WORD, NULL},         {"revision", "Revision", SY_HTML_TEXT, NULL},
    };
    sy_text text = SY_TEXT_INIT;

    sy_html_table_begin(json, "changes", "Changes of histories", "Reported, and neither refuted nor superseded.",
                        columns, COUNT(columns));
    for (size_t i = 0; i < dashboard->change_count; i++) {
        const sy_dashboard_change *change = &dashboard->changes[i];

        sy_json_begin_array(json);
        sy_json_text(json, change->row.change.worse ? "worse" : "better");
        sy_dashboard_words_change(&text, change);
        put_text(json, &text);
        sy_json_double(json, change->row.change.effect);
        sy_json_text(json, change->row.run);
        sy_json_text(json, change->command);
        sy_json_text(json, change->cell);
        sy_json_text(json, sy_change_state_word(change->row.change.state));
        sy_json_text(json, change->row.change.revision);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
    sy_text_finish(&text);
}

static void put_selftests(sy_json_writer *json, const sy_html_content *content)
{
    static const sy_html_column columns[] = {
        {"result", "Result", SY_HTML_WORD, NULL},     {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"metric", "Metric", SY_HTML_TEXT, NULL},     {"visible", "Sees from", SY_HTML_NUMBER, "share"},
        {"sessions", "Sessions", SY_HTML_NUMBER, ""}, {"reason", "Why it cannot", SY_HTML_TEXT, NULL},
    };
    sy_text text = SY_TEXT_INIT;

    sy_html_table_begin(json, "selftests", "Self-tests of gates",
                        "Slowdowns are planted into a gate's own sessions: does it fail when it should?", columns,
                        COUNT(columns));
    for (size_t i = 0; i < content->selftest_count; i++) {
        const sy_gate_selftest *tested = &content->selftests[i];

        sy_json_begin_array(json);
        sy_json_text(json, tested->can_fail ? "can fail" : "cannot fail");
        sy_json_text(json, tested->gate);
        sy_ledger_words_metric(&text, &tested->metric);
        put_text(json, &text);
        sy_json_double(json, tested->visible_effect);
        sy_json_u64(json, tested->session_count);
        sy_json_text(json, tested->reason);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
    sy_text_finish(&text);
}

static void put_findings(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {{"finding", "Finding", SY_HTML_TEXT, NULL}};
    sy_text note = SY_TEXT_INIT;

    if (dashboard->finding_total > dashboard->finding_count)
        sy_text_append_format(&note, "The first %zu of %zu: ", dashboard->finding_count, dashboard->finding_total);
    sy_text_append(&note, "steelyard matrix validate prints all of them.");
    sy_html_table_begin(json, "findings", "Findings of the registry", sy_text_bytes(&note), columns, COUNT(columns));
    sy_text_finish(&note);
    for (size_t i = 0; i < dashboard->finding_count; i++) {
        sy_json_begin_array(json);
        sy_json_text(json, dashboard->findings[i]);
        sy_json_end_array(json);
    }
    sy_html_table_end(json);
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
        put_keys(data->json, dashboard);
        put_rates(data->json, dashboard);
        put_changes(data->json, dashboard);
        put_selftests(data->json, data->content);
        put_findings(data->json, dashboard);
    }
    sy_json_end_object(data->json);
}
