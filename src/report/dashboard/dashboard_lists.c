/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a dashboard's page: gates, keys, alarm rates, changes, self-tests, findings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/dashboard/dashboard_parts.h"
#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"

enum { PRIORITIES = 5, NUMBER_SIZE = 24 };

static sy_text_table *begin_table(sy_page *page, const sy_column *columns, size_t count)
{
    return sy_text_table_create(page, columns, count);
}

static void end_table(sy_text_table *table)
{
    if (table != NULL)
        sy_text_table_print(table);
    sy_text_table_destroy(table);
}

static const char *digits_of(char to[SY_LEDGER_DIGITS + 1], const char *digest)
{
    (void)snprintf(to, SY_LEDGER_DIGITS + 1, "%.*s", SY_LEDGER_DIGITS, digest);
    return to;
}

static const char *number(char to[NUMBER_SIZE], uint64_t value)
{
    (void)snprintf(to, NUMBER_SIZE, "%" PRIu64, value);
    return to;
}

/* ---- gates ---- */

enum { G_PRIORITY, G_STATE, G_GATE, G_COMMAND, G_NEWEST, G_COUNT };

static const sy_column gate_columns[G_COUNT] = {
    [G_PRIORITY] = {.title = "P", .right = true},
    [G_STATE] = {.title = "State"},
    [G_GATE] = {.title = "Gate", .least = 12, .wraps = true, .drop = 1},
    [G_COMMAND] = {.title = "Run next", .least = 24, .wraps = true},
    [G_NEWEST] = {.title = "Newest run", .least = 22, .drop = 2},
};

static void put_gate(sy_page *page, sy_text_table *table, const sy_dashboard_gate *gate)
{
    sy_cut_texts cut = {.page = page};
    char priority[NUMBER_SIZE];

    sy_text_table_row(table, SY_TONE_PLAIN,
                      (const char *const[G_COUNT]){
                          [G_PRIORITY] = number(priority, (uint64_t)gate->priority),
                          [G_STATE] = sy_cut_text(&cut, gate->state),
                          [G_GATE] = sy_cut_text(&cut, gate->id),
                          [G_COMMAND] = sy_cut_text(&cut, gate->command[0] != '\0' ? gate->command : gate->id),
                          [G_NEWEST] = sy_cut_text(&cut, gate->newest),
                      });
    sy_cut_texts_finish(&cut);
}

/* Open ones, the most urgent first, in the order of the registry among equals. */
void sy_dashboard_parts_gates(sy_page *page, const sy_dashboard *dashboard)
{
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    sy_text_table *table;
    size_t put = 0;

    if (dashboard->open_gate_count == 0)
        return;
    sy_dashboard_parts_title(page, "Gates", dashboard->open_gate_count, "open", "open");
    table = begin_table(page, gate_columns, G_COUNT);
    for (int priority = 0; table != NULL && priority <= PRIORITIES; priority++) {
        for (size_t i = 0; i < dashboard->gate_count; i++) {
            const sy_dashboard_gate *gate = &dashboard->gates[i];

            if (gate->is_open && gate->priority == priority && put++ < most)
                put_gate(page, table, gate);
        }
    }
    end_table(table);
    sy_dashboard_parts_more(page, put > most ? put - most : 0, "steelyard gate next");
}

/* ---- keys without a baseline ---- */

enum { K_MISSING, K_ACCEPTED, K_KEY, K_CELL, K_COMMAND, K_COUNT };

static const sy_column key_columns[K_COUNT] = {
    [K_MISSING] = {.title = "Missing", .right = true},
    [K_ACCEPTED] = {.title = "Accepted", .right = true, .drop = 3},
    [K_KEY] = {.title = "Key", .drop = 2},
    [K_CELL] = {.title = "Cell", .least = 10, .wraps = true, .drop = 1},
    [K_COMMAND] = {.title = "Run next", .least = 24, .wraps = true},
};

static void put_short_key(sy_page *page, sy_text_table *table, const sy_dashboard_key *key)
{
    sy_cut_texts cut = {.page = page};
    char digits[SY_LEDGER_DIGITS + 1];
    char accepted[NUMBER_SIZE];
    char missing[NUMBER_SIZE];

    sy_text_table_row(table, SY_TONE_PLAIN,
                      (const char *const[K_COUNT]){
                          [K_MISSING] = number(missing, key->missing_count),
                          [K_ACCEPTED] = number(accepted, key->accepted_count),
                          [K_KEY] = digits_of(digits, key->key_digest),
                          [K_CELL] = sy_cut_text(&cut, key->cell),
                          [K_COMMAND] = sy_cut_text(&cut, key->command),
                      });
    sy_cut_texts_finish(&cut);
}

void sy_dashboard_parts_short_keys(sy_page *page, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    sy_text_table *table;
    size_t put = 0;

    if (counts.short_keys > 0) {
        sy_dashboard_parts_title(page, "Baselines", counts.short_keys, "key is short of five accepted sessions",
                                 "keys are short of five accepted sessions");
        table = begin_table(page, key_columns, K_COUNT);
        for (size_t i = 0; table != NULL && i < dashboard->key_count; i++) {
            if (dashboard->keys[i].missing_count > 0 && put++ < most)
                put_short_key(page, table, &dashboard->keys[i]);
        }
        end_table(table);
        sy_dashboard_parts_more(page, put > most ? put - most : 0, "steelyard key list");
    }
    if (dashboard->incomplete_count > 0) {
        sy_page_blank(page);
        sy_dashboard_parts_note(page,
                                "%" PRIu64 " of %" PRIu64 " sessions have a key with an unknown field, which "
                                "equals nothing: steelyard key list --incomplete",
                                dashboard->incomplete_count, dashboard->session_count);
    }
}

/* ---- alarms promised and observed ---- */

enum { R_KEY, R_CELL, R_JUDGED, R_RAISED, R_OBSERVED, R_PROMISED, R_COUNT };

static const sy_column rate_columns[R_COUNT] = {
    [R_KEY] = {.title = "Key"},
    [R_CELL] = {.title = "Cell", .least = 10, .wraps = true, .drop = 3},
    [R_JUDGED] = {.title = "Judged", .right = true, .drop = 2},
    [R_RAISED] = {.title = "Alarms", .right = true, .drop = 1},
    [R_OBSERVED] = {.title = "Observed", .right = true},
    [R_PROMISED] = {.title = "Promised a side", .least = 8, .wraps = true, .right = true},
};

static void put_rate(sy_page *page, sy_text_table *table, const sy_dashboard_key *key)
{
    sy_cut_texts cut = {.page = page};
    char digits[SY_LEDGER_DIGITS + 1];
    char judged[NUMBER_SIZE];
    char raised[NUMBER_SIZE];
    char observed[SY_FIGURE_SIZE];
    char promised[SY_FIGURE_SIZE];

    sy_text_table_row(table, key->alarms_exceed ? SY_TONE_BAD : SY_TONE_PLAIN,
                      (const char *const[R_COUNT]){
                          [R_KEY] = digits_of(digits, key->key_digest),
                          [R_CELL] = sy_cut_text(&cut, key->cell),
                          [R_JUDGED] = number(judged, key->judged_count),
                          [R_RAISED] = number(raised, key->raised_count),
                          [R_OBSERVED] = sy_figure_share(observed, key->alarm_observed),
                          [R_PROMISED] = sy_figure_share(promised, key->alarm_promised),
                      });
    sy_cut_texts_finish(&cut);
}

/* 0: more than chance explains; 1: some; 2: none. */
static int rank_of(const sy_dashboard_key *key)
{
    return key->alarms_exceed ? 0 : key->raised_count > 0 ? 1 : 2;
}

static void put_all_rates(sy_page *page, const sy_dashboard *dashboard)
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
    sy_dashboard_parts_note(page, "All together: %" PRIu64 " of %" PRIu64 " judged sessions raised one, %s.", raised,
                            judged, sy_figure_share(share, (double)raised / (double)judged));
    if (exceeding > 0)
        sy_dashboard_parts_note(page, "%zu %s more than chance explains: see if %s sessions drift.", exceeding,
                                exceeding == 1 ? "key raised" : "keys raised", exceeding == 1 ? "its" : "their");
}

/* Keys with the most to say come first. */
void sy_dashboard_parts_rates(sy_page *page, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    sy_text_table *table;
    size_t put = 0;

    if (counts.judged_keys == 0)
        return;
    sy_dashboard_parts_title(page, "Alarm rates", counts.judged_keys, "key was judged", "keys were judged");
    table = begin_table(page, rate_columns, R_COUNT);
    for (int rank = 0; table != NULL && rank <= 2; rank++) {
        for (size_t i = 0; i < dashboard->key_count; i++) {
            const sy_dashboard_key *key = &dashboard->keys[i];

            if (key->judged_count > 0 && rank_of(key) == rank && put++ < most)
                put_rate(page, table, key);
        }
    }
    end_table(table);
    sy_dashboard_parts_more(page, put > most ? put - most : 0, SY_DASHBOARD_ALL);
    put_all_rates(page, dashboard);
}

/* ---- histories, self-tests, findings ---- */

void sy_dashboard_parts_changes(sy_page *page, const sy_dashboard *dashboard)
{
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    sy_text line = SY_TEXT_INIT;
    sy_text said = SY_TEXT_INIT;

    if (dashboard->change_count == 0)
        return;
    sy_dashboard_parts_title(page, "Histories", dashboard->change_count, "change stands", "changes stand");
    for (size_t i = 0; i < dashboard->change_count && i < most; i++) {
        const sy_dashboard_change *change = &dashboard->changes[i];

        sy_text_clear(&said);
        sy_dashboard_words_change(&said, change);
        sy_dashboard_words_cut(&line, change->cell, SY_DASHBOARD_NAME_COLUMNS, page->style.utf8);
        sy_text_append(&line, ": ");
        sy_dashboard_words_cut(&line, sy_text_bytes(&said), SY_DASHBOARD_SENTENCE_COLUMNS, page->style.utf8);
        sy_dashboard_parts_paragraph(page, 0, 4, change->row.change.worse ? SY_TONE_DOUBT : SY_TONE_PLAIN, &line);
        sy_dashboard_parts_command(page, 4, "", change->command);
    }
    page->text.failed = page->text.failed || said.failed;
    sy_text_finish(&said);
    sy_text_finish(&line);
    sy_dashboard_parts_more(page, dashboard->change_count > most ? dashboard->change_count - most : 0,
                            SY_DASHBOARD_ALL);
}

void sy_dashboard_parts_selftests(sy_page *page, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    sy_text line = SY_TEXT_INIT;
    size_t put = 0;

    if (counts.cannot_fail == 0)
        return;
    sy_dashboard_parts_title(page, "Self-tests", counts.cannot_fail, "gate cannot fail", "gates cannot fail");
    for (size_t i = 0; i < dashboard->gate_count; i++) {
        const sy_dashboard_gate *gate = &dashboard->gates[i];

        if (!gate->selftest_failed || put++ >= most)
            continue;
        sy_dashboard_words_cut(&line, gate->id, SY_DASHBOARD_NAME_COLUMNS, page->style.utf8);
        sy_text_append(&line, gate->selftest[0] != '\0' ? ": " : "");
        sy_dashboard_words_cut(&line, gate->selftest, SY_DASHBOARD_SENTENCE_COLUMNS, page->style.utf8);
        sy_dashboard_parts_paragraph(page, 0, 4, SY_TONE_BAD, &line);
    }
    sy_text_finish(&line);
    sy_dashboard_parts_more(page, put > most ? put - most : 0, SY_DASHBOARD_ALL);
}

void sy_dashboard_parts_findings(sy_page *page, const sy_dashboard *dashboard)
{
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    size_t put = 0;
    sy_text line = SY_TEXT_INIT;

    if (dashboard->finding_total == 0)
        return;
    sy_dashboard_parts_title(page, "Registry", dashboard->finding_total, "finding", "findings");
    for (; put < dashboard->finding_count && put < most; put++) {
        sy_dashboard_words_cut(&line, dashboard->findings[put], SY_DASHBOARD_SENTENCE_COLUMNS, page->style.utf8);
        sy_dashboard_parts_paragraph(page, 0, 4, SY_TONE_DOUBT, &line);
    }
    sy_text_finish(&line);
    sy_dashboard_parts_more(page, dashboard->finding_total - put, "steelyard matrix validate");
}
