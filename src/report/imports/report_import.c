/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the files of other tools, as text: counts first, then what failed and what was not understood, each
 * with its place. */
#include <inttypes.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/error.h"
#include "report/page/page.h"

/* So many of a kind are told one by one. */
enum { TOLD_MAX = 20 };

static void append_name(sy_text *text, const sy_imported_row *row)
{
    sy_text_append(text, row->name);
    for (size_t i = 0; i < row->parameter_count; i++)
        sy_text_append_format(text, "%s%s=%s", i == 0 ? "{" : ",", row->parameters[i].name,
                              row->parameters[i].value != NULL ? row->parameters[i].value : "");
    sy_text_append(text, row->parameter_count > 0 ? "}" : "");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "run.json (hyperfine): 3 runs recorded, 1 of them failed; 2 things not understood" */
static void put_title(sy_page *page, const sy_report_import *file, bool dry_run)
{
    const sy_imported *imported = file->imported;
    const sy_import_account *account = file->account;
    sy_text text = SY_TEXT_INIT;

    sy_text_append_format(&text, "%s (%s): ", file->path, sy_import_format_word(imported->format));
    if (account->added_count == 0 && account->known_count > 0)
        sy_text_append_format(&text, "recorded before, from these very bytes; nothing was added");
    else
        sy_text_append_format(&text, "%" PRIu64 " run%s %s", account->added_count, plural(account->added_count),
                              dry_run ? "would be recorded" : "recorded");
    if (account->failed_count > 0)
        sy_text_append_format(&text, "; %" PRIu64 " of its %zu rows failed", account->failed_count,
                              imported->row_count);
    if (imported->reject_count > 0)
        sy_text_append_format(&text, "; %zu thing%s not understood", imported->reject_count,
                              plural(imported->reject_count));
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&text));
    sy_text_finish(&text);
}

static void put_facts(sy_page *page, const sy_report_import *file)
{
    const sy_imported *imported = file->imported;
    const sy_import_account *account = file->account;
    sy_text text = SY_TEXT_INIT;

    sy_page_field(page, "tool", imported->tool);
    sy_page_field(page, "host", imported->host);
    sy_page_field(page, "device", imported->device);
    if (imported->time[0] != '\0') {
        sy_text_append_format(&text, "%s%s", imported->time, imported->zone_known ? "" : " (zone unknown)");
        sy_page_field(page, "measured", sy_text_bytes(&text));
        sy_text_clear(&text);
    }
    if (account->added_count > 0 && account->known_count > 0) {
        sy_text_append_format(&text, "%" PRIu64 " of the rows were recorded before", account->known_count);
        sy_page_field(page, "known", sy_text_bytes(&text));
        sy_text_clear(&text);
    }
    if (account->repeated_count > 0) {
        sy_text_append_format(&text, "%" PRIu64 " row%s with the name and parameters of another: each is a run",
                              account->repeated_count, plural(account->repeated_count));
        sy_page_field(page, "repeated", sy_text_bytes(&text));
        sy_text_clear(&text);
    }
    if (!account->file_is_kept) {
        sy_text_append_format(&text, "not kept: %s (--keep-file keeps it all the same)", account->not_kept);
        sy_page_field(page, "file", sy_text_bytes(&text));
    }
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_rest(sy_page *page, const char *label, size_t count, const char *where)
{
    char text[80];

    if (count <= TOLD_MAX)
        return;
    (void)snprintf(text, sizeof text, "and %zu more%s", count - TOLD_MAX, where);
    sy_page_field(page, label, text);
}

static void put_failed(sy_page *page, const sy_imported *imported)
{
    sy_text text = SY_TEXT_INIT;
    size_t count = 0;

    for (size_t i = 0; i < imported->row_count; i++) {
        const sy_imported_row *row = &imported->rows[i];

        if (!row->failed || count++ >= TOLD_MAX)
            continue;
        sy_text_clear(&text);
        append_name(&text, row);
        sy_text_append_format(&text, ": %s", row->reason);
        sy_page_field(page, "failed", sy_text_bytes(&text));
    }
    put_rest(page, "failed", count, "");
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_rejects(sy_page *page, const sy_report_import *file)
{
    const sy_imported *imported = file->imported;
    sy_text text = SY_TEXT_INIT;

    for (size_t i = 0; i < imported->reject_count && i < TOLD_MAX; i++) {
        const sy_import_reject *reject = &imported->rejects[i];

        sy_text_clear(&text);
        sy_text_append_format(&text, "%s:%" PRIu32 ":%" PRIu32 ": ", file->path, reject->position.line,
                              reject->position.column);
        if (reject->pointer[0] != '\0')
            sy_text_append_format(&text, "%s: ", reject->pointer);
        sy_text_append(&text, reject->what);
        sy_page_field(page, "rejected", sy_text_bytes(&text));
    }
    put_rest(page, "rejected", imported->reject_count, ": --json has all of them");
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

/* Notes of rows are mostly the same ones: each is told once, with how many rows have it. */
static void put_row_notes(sy_page *page, const sy_imported *imported)
{
    const char *told[TOLD_MAX];
    size_t counts[TOLD_MAX] = {0};
    size_t count = 0;
    size_t left = 0;
    sy_text text = SY_TEXT_INIT;

    for (size_t i = 0; i < imported->row_count; i++) {
        for (size_t n = 0; n < imported->rows[i].note_count; n++) {
            size_t at = 0;

            while (at < count && strcmp(told[at], imported->rows[i].notes[n]) != 0)
                at++;
            if (at == count && count < TOLD_MAX)
                told[count++] = imported->rows[i].notes[n];
            if (at < count)
                counts[at]++;
            else
                left++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        sy_text_clear(&text);
        sy_text_append_format(&text, "%s (%zu row%s)", told[i], counts[i], plural(counts[i]));
        sy_page_field(page, "note", sy_text_bytes(&text));
    }
    if (left > 0)
        put_rest(page, "note", TOLD_MAX + left, " of single rows: --json has all of them");
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_notes(sy_page *page, const sy_imported *imported)
{
    for (size_t i = 0; i < imported->note_count && i < TOLD_MAX; i++)
        sy_page_field(page, "note", imported->notes[i]);
    put_rest(page, "note", imported->note_count, ": --json has all of them");
    put_row_notes(page, imported);
}

sy_status sy_report_imports(const sy_report_import *files, size_t count, bool dry_run, const sy_report_style *style,
                            char **ret_text, sy_error *err)
{
    sy_page page;
    uint64_t recorded = 0;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (files[i].imported == NULL || files[i].account == NULL)
            continue;
        recorded += files[i].account->added_count + files[i].account->known_count;
        put_title(&page, &files[i], dry_run);
        if (files[i].account->added_count == 0 && files[i].account->known_count > 0)
            continue; /* all of it was told then */
        put_facts(&page, &files[i]);
        put_notes(&page, files[i].imported);
        put_failed(&page, files[i].imported);
        put_rejects(&page, &files[i]);
    }
    if (recorded > 0 && !dry_run)
        sy_page_paragraph(&page, 0, 0, SY_TONE_PLAIN, "Look at them: steelyard run list --kind import");
    return sy_page_take(&page, ret_text, err);
}
