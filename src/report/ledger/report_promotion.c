/* SPDX-License-Identifier: Apache-2.0 */
/* Sign-offs and promotions for people: what is owed, what pays it, and what to run for the rest. */
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "report/page/text_table.h"

enum { LINE_SIZE = 512 };

static void put_head(sy_page *page, const sy_ledger_head *head)
{
    char line[LINE_SIZE];

    snprintf(line, sizeof(line), "%llu %s", (unsigned long long)head->number, head->digest);
    sy_page_field(page, "head", line);
}

/* ---- sign-off ---- */

sy_status sy_report_signed_off(const sy_signed_off *signed_off, const sy_report_style *style, char **ret_text,
                               sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", signed_off->run);
    if (signed_off->verdict > 0)
        snprintf(line, sizeof(line), "of event %llu", (unsigned long long)signed_off->verdict);
    sy_page_field(&page, "verdict", signed_off->verdict > 0 ? line : "none");
    put_head(&page, &signed_off->head);
    sy_page_blank(&page);
    sy_page_paragraph(&page, 0, 2, signed_off->done ? SY_TONE_GOOD : SY_TONE_BAD,
                      signed_off->done ? "signed off" : "not signed off:");
    for (size_t i = 0; i < signed_off->reason_count; i++) {
        snprintf(line, sizeof(line), "- %s", signed_off->reasons[i]);
        sy_page_paragraph(&page, 2, 4, SY_TONE_PLAIN, line);
    }
    return sy_page_take(&page, ret_text, err);
}

/* ---- promotion ---- */

enum { C_OWED, C_ANSWER, C_DETAIL, C_RUN, C_COUNT };

static const sy_column columns[C_COUNT] = {
    [C_OWED] = {.title = "Owed", .least = 10, .wraps = true},
    [C_ANSWER] = {.title = "Paid"},
    [C_DETAIL] = {.title = "Because", .least = 16, .wraps = true},
    [C_RUN] = {.title = "By", .least = 8, .wraps = true},
};

static void put_debts(sy_page *page, const sy_promoted *promoted)
{
    sy_text_table *table = sy_text_table_create(page, columns, C_COUNT);

    for (size_t i = 0; table != NULL && i < promoted->debt_count; i++) {
        const sy_promotion_debt *debt = &promoted->debts[i];
        sy_text_table_row(table, debt->paid ? SY_TONE_PLAIN : SY_TONE_BAD,
                          (const char *const[C_COUNT]){debt->name, debt->paid ? "yes" : "NO", debt->detail, debt->run});
    }
    if (table != NULL)
        sy_text_table_print(table);
    else
        page->text.failed = true;
    sy_text_table_destroy(table);
}

static bool is_told(const sy_promoted *promoted, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (!promoted->debts[i].paid && strcmp(promoted->debts[i].command, promoted->debts[at].command) == 0)
            return true;
    }
    return false;
}

/* Each once: several debts may be paid by one run. */
static void put_commands(sy_page *page, const sy_promoted *promoted)
{
    bool any = false;

    for (size_t i = 0; i < promoted->debt_count; i++) {
        const sy_promotion_debt *debt = &promoted->debts[i];

        if (debt->paid || debt->command[0] == '\0' || is_told(promoted, i))
            continue;
        if (!any)
            sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, "To pay what is missing:");
        sy_page_paragraph(page, 2, 4, SY_TONE_PLAIN, debt->command);
        any = true;
    }
}

static void put_row(sy_page *page, const sy_run_promotion *row)
{
    sy_text line = SY_TEXT_INIT;

    sy_page_field(page, "cell", row->cell);
    sy_page_field(page, "gate", row->gate);
    sy_page_field(page, "claim", row->claim);
    sy_text_append_format(&line, "%s of %s%s", row->device, row->host,
                          row->synthetic ? " (its times are made up)" : "");
    sy_page_field(page, "device", sy_text_bytes(&line));
    page->text.failed = page->text.failed || line.failed;
    sy_text_finish(&line);
}

sy_status sy_report_promoted(const sy_promoted *promoted, bool dry_run, const sy_report_style *style, char **ret_text,
                             sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", promoted->run);
    put_row(&page, &promoted->row);
    put_head(&page, &promoted->head);
    sy_page_blank(&page);
    put_debts(&page, promoted);
    sy_page_blank(&page);
    put_commands(&page, promoted);
    if (promoted->promoted)
        snprintf(line, sizeof(line), "promoted: the row is event %llu", (unsigned long long)promoted->number);
    else if (promoted->unpaid_count > 0)
        snprintf(line, sizeof(line), "not promoted: %zu of %zu are missing, nothing was written",
                 promoted->unpaid_count, promoted->debt_count);
    else
        snprintf(line, sizeof(line), "%s", dry_run ? "nothing is missing: it would be promoted" : "not promoted");
    sy_page_paragraph(&page, 0, 2, promoted->unpaid_count == 0 ? SY_TONE_GOOD : SY_TONE_BAD, line);
    return sy_page_take(&page, ret_text, err);
}
