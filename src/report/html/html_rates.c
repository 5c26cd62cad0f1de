/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: how far keys are from a baseline, how often they alarm, and whether gates can fail. */
#include <inttypes.h>
#include <math.h>

#include "report/dashboard/dashboard_words.h"
#include "report/html/html_parts.h"
#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"

#define COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])

static void put_baseline(sy_json_writer *json, const sy_dashboard_key *key)
{
    sy_json_begin_array(json);
    sy_json_u64(json, key->missing_count);
    sy_json_u64(json, key->accepted_count);
    sy_json_u64(json, key->session_count);
    sy_json_text(json, key->cell);
    sy_json_text(json, key->gate);
    sy_json_text(json, key->command);
    sy_json_text(json, key->newest);
    sy_json_text(json, key->key_digest);
    sy_json_end_array(json);
}

void sy_html_put_baselines(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"missing", "Missing", SY_HTML_NUMBER, ""},   {"accepted", "Accepted", SY_HTML_NUMBER, ""},
        {"sessions", "Sessions", SY_HTML_NUMBER, ""}, {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"gate", "Gate", SY_HTML_TEXT, NULL},         {"command", "Run next", SY_HTML_COMMAND, NULL},
        {"newest", "Newest run", SY_HTML_RUN, NULL},  {"key", "Key", SY_HTML_DIGEST, NULL},
    };
    sy_html_table table = {.name = "baselines", .title = "Keys short of a baseline", COLUMNS(columns)};
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);
    sy_text note = SY_TEXT_INIT;
    sy_text summary = SY_TEXT_INIT;

    sy_text_append(&note, "A baseline is five accepted sessions of one comparison key; these keys have fewer.");
    if (dashboard->incomplete_count > 0)
        sy_text_append_format(&note,
                              " %" PRIu64 " of %" PRIu64 " sessions have a key with an unknown field, which equals "
                              "nothing: steelyard key list --incomplete",
                              dashboard->incomplete_count, dashboard->session_count);
    table.empty = dashboard->key_count > 0 ? "Every key has a baseline." : "No session has a comparison key yet.";
    sy_text_append_format(&summary, "%zu of %zu keys.", counts.short_keys, dashboard->key_count);
    table.note = sy_text_bytes(&note);
    table.summary = sy_text_bytes(&summary);
    sy_html_table_begin(json, &table);
    for (size_t i = 0; i < dashboard->key_count; i++) {
        if (dashboard->keys[i].missing_count > 0)
            put_baseline(json, &dashboard->keys[i]);
    }
    sy_html_table_end(json);
    sy_text_finish(&note);
    sy_text_finish(&summary);
}

/* ---- alarms promised and observed ---- */

static void put_rate(sy_json_writer *json, const sy_dashboard_key *key)
{
    sy_json_begin_array(json);
    sy_json_text(json, key->alarms_exceed ? "exceeds" : isnan(key->alarm_promised) ? "no baseline" : "within chance");
    sy_json_u64(json, key->judged_count);
    sy_json_u64(json, key->raised_count);
    sy_json_double(json, key->alarm_observed);
    sy_json_double(json, key->alarm_promised);
    sy_json_text(json, key->cell);
    sy_json_text(json, key->gate);
    sy_json_text(json, key->newest);
    sy_json_text(json, key->key_digest);
    sy_json_end_array(json);
}

/* "12 of 90 judged sessions raised an alarm, 13.3 %; 1 key raised more than chance explains." */
static void put_all_rates(sy_text *to, const sy_dashboard *dashboard)
{
    char share[SY_FIGURE_SIZE];
    uint64_t judged = 0;
    uint64_t raised = 0;
    size_t exceeding = 0;

    for (size_t i = 0; i < dashboard->key_count; i++) {
        judged += dashboard->keys[i].judged_count;
        raised += dashboard->keys[i].raised_count;
        exceeding += dashboard->keys[i].alarms_exceed;
    }
    if (judged == 0)
        return;
    sy_text_append_format(to, "%" PRIu64 " of %" PRIu64 " judged sessions raised an alarm, %s", raised, judged,
                          sy_figure_share(share, (double)raised / (double)judged));
    if (exceeding > 0)
        sy_text_append_format(to, "; %zu %s more than chance explains", exceeding,
                              exceeding == 1 ? "key raised" : "keys raised");
    sy_text_append(to, ".");
}

/* 0: more than chance explains; 1: some; 2: none. */
static int rank_of(const sy_dashboard_key *key)
{
    return key->alarms_exceed ? 0 : key->raised_count > 0 ? 1 : 2;
}

/* Keys with the most to say come first. */
void sy_html_put_rates(sy_json_writer *json, const sy_dashboard *dashboard)
{
    static const sy_html_column columns[] = {
        {"standing", "Standing", SY_HTML_WORD, NULL},
        {"judged", "Judged", SY_HTML_NUMBER, ""},
        {"raised", "Alarms", SY_HTML_NUMBER, ""},
        {"observed", "Observed", SY_HTML_NUMBER, "share"},
        {"promised", "Promised", SY_HTML_NUMBER, "share"},
        {"cell", "Cell", SY_HTML_TEXT, NULL},
        {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"newest", "Newest run", SY_HTML_RUN, NULL},
        {"key", "Key", SY_HTML_DIGEST, NULL},
    };
    sy_html_table table = {
        .name = "alarms",
        .title = "Alarm rates",
        .note = "Promised: the chance that one unchanged session alarms on one side of a metric, at "
                "its key's baseline. A key exceeds it when it alarmed more often than chance explains "
                "(95 %): see if its sessions drift.",
        .empty = "No session was judged yet: steelyard compare RUN.",
        COLUMNS(columns)};
    sy_text summary = SY_TEXT_INIT;

    put_all_rates(&summary, dashboard);
    table.summary = sy_text_bytes(&summary);
    sy_html_table_begin(json, &table);
    for (int rank = 0; rank <= 2; rank++) {
        for (size_t i = 0; i < dashboard->key_count; i++) {
            if (dashboard->keys[i].judged_count > 0 && rank_of(&dashboard->keys[i]) == rank)
                put_rate(json, &dashboard->keys[i]);
        }
    }
    sy_html_table_end(json);
    sy_text_finish(&summary);
}

/* ---- self-tests ---- */

static double share_of(uint64_t count, const sy_selftest_effect *effect)
{
    return effect->trial_count > 0 ? (double)count / (double)effect->trial_count : NAN;
}

/* One planted slowdown of one metric; NULL: nothing was planted. */
static void put_effect(sy_json_writer *json, const sy_gate_selftest *test, const sy_selftest_effect *effect,
                       sy_text *text)
{
    sy_json_begin_array(json);
    sy_json_text(json, test->can_fail ? "can fail" : "cannot fail");
    sy_json_text(json, test->gate);
    sy_ledger_words_metric(text, &test->metric);
    sy_html_put_text(json, text);
    sy_json_double(json, effect != NULL ? effect->ratio - 1 : NAN);
    sy_json_double(json, effect != NULL ? share_of(effect->alarm_count, effect) : NAN);
    sy_json_double(json, effect != NULL ? share_of(effect->block_count, effect) : NAN);
    sy_json_double(json, effect != NULL && effect->ratio == 1 ? test->alpha : NAN);
    sy_json_double(json, test->visible_effect);
    sy_json_u64(json, effect != NULL ? effect->trial_count : 0);
    sy_json_u64(json, test->session_count);
    sy_json_text(json, test->reason);
    sy_json_end_array(json);
}

/* "3 metrics of 2 gates were tested; 1 cannot fail." */
static void put_tested(sy_text *to, const sy_html_content *content)
{
    size_t cannot = 0;

    for (size_t i = 0; i < content->selftest_count; i++)
        cannot += !content->selftests[i].can_fail;
    sy_text_append_format(to, "%zu metric%s of gates %s tested; %zu cannot fail.", content->selftest_count,
                          content->selftest_count == 1 ? "" : "s", content->selftest_count == 1 ? "was" : "were",
                          cannot);
}

void sy_html_put_selftests(sy_json_writer *json, const sy_html_content *content)
{
    static const sy_html_column columns[] = {
        {"result", "Result", SY_HTML_WORD, NULL},         {"gate", "Gate", SY_HTML_TEXT, NULL},
        {"metric", "Metric", SY_HTML_TEXT, NULL},         {"planted", "Slowdown", SY_HTML_NUMBER, "share"},
        {"alarmed", "Alarms", SY_HTML_NUMBER, "share"},   {"blocked", "Blocks", SY_HTML_NUMBER, "share"},
        {"promised", "At most", SY_HTML_NUMBER, "share"}, {"visible", "Sees from", SY_HTML_NUMBER, "share"},
        {"trials", "Trials", SY_HTML_NUMBER, ""},         {"sessions", "Sessions", SY_HTML_NUMBER, ""},
        {"why", "Why it cannot", SY_HTML_TEXT, NULL},
    };
    sy_html_table table = {.name = "selftests",
                           .title = "Self-tests of gates",
                           .note = "Slowdowns are planted into sessions of a gate: how often does it alarm, and how "
                                   "often does it block? With none planted it may block at most as often as promised.",
                           .empty = "No gate was tested yet: steelyard gate selftest GATE.",
                           COLUMNS(columns)};
    sy_text summary = SY_TEXT_INIT;
    sy_text text = SY_TEXT_INIT;

    put_tested(&summary, content);
    table.summary = sy_text_bytes(&summary);
    sy_html_table_begin(json, &table);
    for (int can_fail = 0; can_fail <= 1; can_fail++) {
        for (size_t i = 0; i < content->selftest_count; i++) {
            const sy_gate_selftest *test = &content->selftests[i];

            if (test->can_fail != (can_fail == 1))
                continue;
            for (size_t j = 0; j < test->effect_count; j++)
                put_effect(json, test, &test->effects[j], &text);
            if (test->effect_count == 0)
                put_effect(json, test, NULL, &text);
        }
    }
    sy_html_table_end(json);
    sy_text_finish(&text);
    sy_text_finish(&summary);
}
