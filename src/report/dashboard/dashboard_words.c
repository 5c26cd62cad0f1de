/* SPDX-License-Identifier: Apache-2.0 */
/* A dashboard in words: its state, its counts, its rows. */
#include "report/dashboard/dashboard_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/ledger/ledger_words.h"
#include "report/page/characters.h"
#include "report/page/figures.h"
#include "report/verdicts/verdict_words.h"

/* ---- state ---- */

const char *sy_dashboard_state_word(sy_dashboard_state state)
{
    static const char *const words[] = {"empty", "pass", "findings", "investigate", "block"};

    return (unsigned)state < sizeof(words) / sizeof(words[0]) ? words[state] : "unknown";
}

sy_dashboard_counts sy_dashboard_count(const sy_dashboard *dashboard)
{
    sy_dashboard_counts counts = {.investigations = dashboard->alarm_count - dashboard->block_count};

    for (size_t i = 0; i < dashboard->row_count; i++) {
        counts.superseded += dashboard->rows[i].superseded;
        counts.promoted += !dashboard->rows[i].superseded;
        counts.blocked += dashboard->rows[i].blocked && !dashboard->rows[i].superseded;
    }
    for (size_t i = 0; i < dashboard->gate_count; i++)
        counts.cannot_fail += dashboard->gates[i].selftest_failed;
    for (size_t i = 0; i < dashboard->key_count; i++) {
        counts.short_keys += dashboard->keys[i].missing_count > 0;
        counts.judged_keys += dashboard->keys[i].judged_count > 0;
    }
    return counts;
}

sy_dashboard_state sy_dashboard_state_of(const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);

    if (dashboard->block_count > 0 || counts.blocked > 0)
        return SY_DASHBOARD_BLOCK;
    if (counts.investigations > 0)
        return SY_DASHBOARD_INVESTIGATE;
    if (counts.cannot_fail > 0 || dashboard->finding_total > 0)
        return SY_DASHBOARD_FINDINGS;
    return dashboard->head.number == 0 ? SY_DASHBOARD_EMPTY : SY_DASHBOARD_PASS;
}

/* "1 gate", "2 gates". */
static void put_count(sy_text *to, size_t count, const char *one, const char *many)
{
    sy_text_append_format(to, "%zu %s", count, count == 1 ? one : many);
}

static void put_open(sy_text *to, size_t blocks, size_t investigations)
{
    if (blocks > 0)
        put_count(to, blocks, "block", "blocks");
    if (blocks > 0 && investigations > 0)
        sy_text_append(to, " and ");
    if (investigations > 0)
        put_count(to, investigations, "investigation", "investigations");
    sy_text_append(to, blocks + investigations == 1 ? " is open" : " are open");
}

void sy_dashboard_words_state(sy_text *to, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);
    const sy_dashboard_state state = sy_dashboard_state_of(dashboard);
    const char *gap = "";

    if (state == SY_DASHBOARD_EMPTY) {
        sy_text_append(to, "Nothing is recorded yet");
        return;
    }
    if (state == SY_DASHBOARD_PASS) {
        sy_text_append(to, "Nothing is wrong: no block and no investigation is open");
        return;
    }
    sy_text_append(to, state == SY_DASHBOARD_BLOCK         ? "BLOCK: "
                       : state == SY_DASHBOARD_INVESTIGATE ? "INVESTIGATE: "
                                                           : "FINDINGS: ");
    if (dashboard->alarm_count > 0) {
        put_open(to, dashboard->block_count, counts.investigations);
        gap = ", ";
    }
    if (counts.blocked > 0) {
        sy_text_append(to, gap);
        put_count(to, counts.blocked, "promoted row is blocked", "promoted rows are blocked");
        gap = ", ";
    }
    if (counts.cannot_fail > 0) {
        sy_text_append(to, gap);
        put_count(to, counts.cannot_fail, "gate cannot fail", "gates cannot fail");
        gap = ", ";
    }
    if (dashboard->finding_total > 0) {
        sy_text_append(to, gap);
        put_count(to, dashboard->finding_total, "finding in the registry", "findings in the registry");
    }
}

void sy_dashboard_words_progress(sy_text *to, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);

    put_count(to, counts.promoted, "row promoted, ", "rows promoted, ");
    sy_text_append_format(to, "%zu of ", dashboard->open_gate_count);
    put_count(to, dashboard->gate_count, "gate open", "gates open");
    if (counts.short_keys > 0) {
        sy_text_append_format(to, ", %zu of ", counts.short_keys);
        put_count(to, dashboard->key_count, "key short of five sessions", "keys short of five sessions");
    }
    if (dashboard->change_count > 0) {
        sy_text_append(to, ", ");
        put_count(to, dashboard->change_count, "change of a history stands", "changes of histories stand");
    }
}

void sy_dashboard_words_source(sy_text *to, const sy_dashboard *dashboard)
{
    if (!dashboard->has_ledger)
        sy_text_append(to, "There is no ledger yet: the first run that is recorded makes it");
    else
        sy_text_append_format(to, "Event %" PRIu64 " (%.*s) of ledger %.*s; all times are UTC", dashboard->head.number,
                              SY_LEDGER_DIGITS, dashboard->head.digest, SY_LEDGER_DIGITS, dashboard->head.ledger);
}

/* ---- texts ---- */

void sy_dashboard_words_cut(sy_text *to, const char *raw, uint32_t columns, bool utf8)
{
    static const char mark[] = "...";
    sy_text clean = SY_TEXT_INIT;
    const char *bytes;

    sy_characters_clean(&clean, raw, utf8);
    bytes = sy_text_bytes(&clean);
    if (sy_characters_width(bytes) <= columns) {
        sy_text_append(to, bytes);
    } else {
        sy_text_append_bytes(to, bytes, sy_characters_fit(bytes, columns - (uint32_t)(sizeof(mark) - 1)));
        sy_text_append(to, mark);
    }
    to->failed = to->failed || clean.failed;
    sy_text_finish(&clean);
}

char *sy_dashboard_words_time(char to[24], int64_t utc_s)
{
    char whole[SY_LEDGER_TIME_SIZE];

    sy_ledger_words_utc(whole, utc_s);
    (void)snprintf(to, 24, "%.16s", whole);
    for (char *at = to; *at != '\0'; at++)
        *at = *at == 'T' ? ' ' : *at;
    return to;
}

/* ---- figures ---- */

static void put_signed(sy_text *to, double share)
{
    char figure[SY_FIGURE_SIZE];

    sy_text_append_format(to, "%s%s", share > 0 ? "+" : "", sy_figure_share(figure, share));
}

void sy_dashboard_words_effect(sy_text *to, double effect, double low, double high)
{
    if (isnan(effect))
        return;
    put_signed(to, effect);
    if (isnan(low) || isnan(high))
        return;
    sy_text_append(to, " (");
    put_signed(to, low);
    sy_text_append(to, " to ");
    put_signed(to, high);
    sy_text_append(to, ")");
}

void sy_dashboard_words_figures(sy_text *to, const sy_run_promotion *row, size_t most)
{
    for (size_t i = 0; i < row->figure_count && i < most; i++) {
        const sy_named_number *figure = &row->figures[i];

        sy_text_append_format(to, "%s%s ", i > 0 ? ", " : "", figure->name);
        sy_ledger_words_value(to, figure->unit != NULL ? figure->unit : "", figure->value);
    }
    if (row->figure_count > most)
        sy_text_append_format(to, ", %zu more", row->figure_count - most);
}

/* ---- rows ---- */

const char *sy_dashboard_words_standing(const sy_dashboard_row *row)
{
    if (row->blocked)
        return "BLOCKED";
    return row->row.verdict == 0 ? "first baseline" : sy_judgement_word_text(row->row.word);
}

void sy_dashboard_words_change(sy_text *to, const sy_dashboard_change *change)
{
    const sy_run_change *said = &change->row.change;

    sy_verdict_words_metric(to, &said->metric);
    sy_text_append(to, ": ");
    sy_dashboard_words_effect(to, said->effect, said->effect_low, said->effect_high);
    sy_text_append_format(to, ", %s, since ", said->worse ? "worse" : "better");
    if (said->revision[0] != '\0')
        sy_text_append_format(to, "%.*s (run %s)", SY_LEDGER_DIGITS, said->revision, change->row.run);
    else
        sy_text_append_format(to, "run %s", change->row.run);
    sy_text_append_format(to, ", %s", sy_change_state_word(said->state));
}

const sy_run_verdict *sy_dashboard_last_verdict(const sy_run *run)
{
    return run != NULL && run->verdict_count > 0 ? &run->verdicts[run->verdict_count - 1] : NULL;
}

void sy_dashboard_words_verdict(sy_text *to, const sy_run *run)
{
    const sy_run_verdict *verdict = sy_dashboard_last_verdict(run);

    if (verdict == NULL)
        sy_text_append_format(to, "%s is not judged", run->row.id);
    else
        sy_text_append_format(to, "%s: %s (%s)", run->row.id, sy_judgement_word_text(verdict->word),
                              sy_judgement_reason_text(verdict->reason));
}
