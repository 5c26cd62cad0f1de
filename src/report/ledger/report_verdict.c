/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk through a ledger found, for people; its anchoring, export and import. */
#include <stdio.h>
#include <steelyard/report.h>

#include "report/page/text_table.h"

enum { LINE_SIZE = 512 };

enum { C_EVENT, C_WHAT, C_MESSAGE, C_COUNT };

static const sy_column columns[C_COUNT] = {
    [C_EVENT] = {.title = "Event", .right = true},
    [C_WHAT] = {.title = "What"},
    [C_MESSAGE] = {.title = "Found", .least = 16, .wraps = true},
};

static unsigned long long whole(uint64_t value)
{
    return (unsigned long long)value;
}

/* "1 run", "2 runs"; "series" is both. Each call has its own room in the line. */
static size_t add_count(char *to, size_t size, size_t at, uint64_t count, const char *one, const char *many,
                        const char *behind)
{
    int length = snprintf(to + at, size - at, "%llu %s%s", whole(count), count == 1 ? one : many, behind);

    return length < 0 || (size_t)length >= size - at ? size - 1 : at + (size_t)length;
}

static void put_faults(sy_page *page, const sy_ledger_verdict *verdict)
{
    char number[24];
    sy_text_table *table = sy_text_table_create(page, columns, C_COUNT);

    for (size_t i = 0; table != NULL && i < verdict->fault_count; i++) {
        const sy_ledger_fault *fault = &verdict->faults[i];

        snprintf(number, sizeof(number), "%llu", whole(fault->number));
        sy_text_table_row(table, SY_TONE_BAD,
                          (const char *const[C_COUNT]){fault->number == 0 ? "-" : number, fault->what, fault->message});
    }
    if (table != NULL)
        sy_text_table_print(table);
    else
        page->text.failed = true;
    sy_text_table_destroy(table);
}

static void put_head(sy_page *page, const sy_ledger_head *head)
{
    char line[LINE_SIZE];

    sy_page_field(page, "ledger", head->ledger);
    snprintf(line, sizeof(line), "%llu %s", whole(head->number), head->digest);
    sy_page_field(page, "head", line);
}

static void put_counts(sy_page *page, const sy_ledger_verdict *verdict)
{
    char line[LINE_SIZE];
    size_t at = add_count(line, sizeof(line), 0, verdict->event_count, "event", "events", ", ");

    at = add_count(line, sizeof(line), at, verdict->run_count, "run", "runs", ", ");
    at = add_count(line, sizeof(line), at, verdict->series_count, "series", "series", " with ");
    at = add_count(line, sizeof(line), at, verdict->sample_count, "sample", "samples", ", ");
    (void)add_count(line, sizeof(line), at, verdict->artifact_count, "file", "files", "");
    sy_page_field(page, "holds", line);
}

static void put_anchors(sy_page *page, const sy_ledger_verdict *verdict, const char *anchors)
{
    char line[LINE_SIZE];

    if (verdict->anchor_count == 0)
        snprintf(line, sizeof(line),
                 "unanchored: events cut off at the end, or all written anew, would not be noticed%s%s%s",
                 anchors != NULL ? " (" : "", anchors != NULL ? anchors : "",
                 anchors != NULL ? " has no anchor of this ledger)" : "");
    else if (verdict->last_anchor_number == 0)
        snprintf(line, sizeof(line), "%llu, of which none holds: nothing vouches for this ledger",
                 whole(verdict->anchor_count));
    else
        snprintf(line, sizeof(line), "%llu, the newest that holds is of event %llu of %llu",
                 whole(verdict->anchor_count), whole(verdict->last_anchor_number), whole(verdict->head.number));
    sy_page_field(page, "anchors", line);
}

/* Files that are not here are no fault, but nothing was proven of them. */
static void put_missing(sy_page *page, const sy_ledger_verdict *verdict)
{
    char line[LINE_SIZE];

    (void)add_count(
        line, sizeof(line), 0, verdict->unverified_count, "kept file is not here", "kept files are not here",
        verdict->unverified_count > verdict->missing_count ? ": what is here is as it was written. The first of them:"
                                                           : ": what is here is as it was written. Not here:");
    sy_page_paragraph(page, 0, 0, SY_TONE_DOUBT, line);
    for (size_t i = 0; i < verdict->missing_count; i++) {
        snprintf(line, sizeof(line), "event %llu: %s", whole(verdict->missing[i].number), verdict->missing[i].digest);
        sy_page_paragraph(page, 2, 2, SY_TONE_DOUBT, line);
    }
}

sy_status sy_report_ledger_verdict(const sy_ledger_verdict *verdict, const char *anchors, const sy_report_style *style,
                                   char **ret_text, sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_head(&page, &verdict->head);
    put_counts(&page, verdict);
    put_anchors(&page, verdict, anchors);
    if (verdict->unverified_count > 0) {
        (void)add_count(line, sizeof(line), 0, verdict->unverified_count, "reference", "references",
                        " unverified: kept files that are not here");
        sy_page_field(&page, "files", line);
    }
    for (size_t i = 0; i < verdict->note_count; i++)
        sy_page_field(&page, i == 0 ? "notes" : "", verdict->notes[i]);
    sy_page_blank(&page);
    if (verdict->fault_total == 0 && verdict->unverified_count > 0) {
        put_missing(&page, verdict);
    } else if (verdict->fault_total == 0) {
        sy_page_paragraph(&page, 0, 0, SY_TONE_GOOD, "All of it is as it was written.");
    } else {
        (void)add_count(line, sizeof(line), 0, verdict->fault_total, "fault", "faults",
                        verdict->fault_total > verdict->fault_count ? ": this is not what was written. The first:"
                                                                    : ": this is not what was written.");
        sy_page_paragraph(&page, 0, 0, SY_TONE_BAD, line);
        put_faults(&page, verdict);
    }
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_ledger_anchor(const sy_ledger_head *head, const char *path, const sy_report_style *style,
                                  char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_head(&page, head);
    sy_page_field(&page, "anchored in", path);
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_ledger_import(const sy_ledger_head *head, uint64_t added, const sy_report_style *style,
                                  char **ret_text, sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_head(&page, head);
    (void)add_count(line, sizeof(line), 0, added, "event", "events", added == 0 ? ": all were here already" : "");
    sy_page_field(&page, "added", line);
    return sy_page_take(&page, ret_text, err);
}
