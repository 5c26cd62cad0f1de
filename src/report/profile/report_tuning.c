/* SPDX-License-Identifier: Apache-2.0 */
/* Exchange with other tuners and lint, as texts: what was taken, what was passed over and why, what cannot be written.
 */
#include <steelyard/report_exchange.h>

#include "report/page/characters.h"
#include "report/page/finding_lines.h"

/* Of a file; all of them are in the JSON. */
#define LINES_SHOWN 20

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void put_list(sy_page *page, const sy_finding *list, size_t count, size_t total, bool is_note)
{
    for (size_t i = 0; i < count && i < LINES_SHOWN; i++)
        sy_finding_line(page, &list[i], is_note);
    if (total > LINES_SHOWN)
        sy_text_append_format(&page->text, "and %zu more %s; --json has %s\n", total - LINES_SHOWN,
                              is_note ? "notes" : "findings", total <= count ? "all" : "the first 10000");
}

static void put_file(sy_page *page, const sy_report_tuning *report, const sy_report_tuning_file *file)
{
    const sy_tuning *tuning = file->tuning;
    sy_text line = SY_TEXT_INIT;

    if (tuning == NULL)
        return; /* its error is told where errors are */
    put_list(page, tuning->findings.findings, tuning->findings.finding_count, tuning->finding_total, false);
    put_list(page, tuning->findings.notes, tuning->findings.note_count, tuning->findings.note_count, true);
    sy_text_append_format(&line, "%s: %s, %zu entr%s, %zu passed over: %zu profile%s", file->file,
                          sy_tuning_format_word(tuning->format), tuning->entry_count,
                          tuning->entry_count == 1 ? "y" : "ies", tuning->passed_over, tuning->count,
                          plural(tuning->count));
    if (file->err != NULL)
        sy_text_append(&line, ", not stored");
    else
        sy_text_append_format(&line, "%s: %zu new, %zu replaced, %zu as before",
                              report->dry_run ? " would be stored" : "", file->added, file->replaced, file->unchanged);
    if (file->not_kept[0] != '\0')
        sy_text_append_format(&line, "; not kept: %s", file->not_kept);
    page->text.failed = page->text.failed || line.failed;
    sy_page_tone_begin(page, file->err != NULL           ? SY_TONE_BAD
                             : tuning->finding_total > 0 ? SY_TONE_DOUBT
                                                         : SY_TONE_GOOD);
    sy_characters_clean(&page->text, sy_text_bytes(&line), page->style.utf8);
    sy_page_tone_end(page, file->err != NULL ? SY_TONE_BAD : tuning->finding_total > 0 ? SY_TONE_DOUBT : SY_TONE_GOOD);
    sy_text_append(&page->text, "\n");
    sy_text_finish(&line);
}

sy_status sy_report_tunings(const sy_report_tuning *report, const sy_report_style *style, char **ret_text,
                            sy_error *err)
{
    sy_page page;
    size_t taken = 0;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < report->file_count; i++) {
        put_file(&page, report, &report->files[i]);
        taken += report->files[i].added + report->files[i].replaced;
    }
    if (taken > 0 && !report->dry_run) {
        sy_text_append(&page.text, "in ");
        sy_characters_clean(&page.text, report->store, page.style.utf8);
        sy_text_append(&page.text, "; none of them is selected until it was probed here\n");
    }
    return sy_page_take(&page, ret_text, err);
}

/* Enough of a profile to find it again: "hip matmul k=4096 m=1 n=4096: openblas". */
static void put_name(sy_page *page, const sy_profile *profile)
{
    sy_text name = SY_TEXT_INIT;

    sy_text_append_format(&name, "%s %s", profile->key.backend, profile->key.operator_name);
    for (size_t i = 0; i < profile->key.structure_count; i++)
        sy_text_append_format(&name, " %s=%.60s", profile->key.structure[i].name, profile->key.structure[i].value);
    sy_text_append_format(&name, ": %.100s", profile->policy);
    page->text.failed = page->text.failed || name.failed;
    sy_characters_clean(&page->text, sy_text_bytes(&name), page->style.utf8);
    sy_text_finish(&name);
}

sy_status sy_report_tuning_text(const sy_tuning_text *text, sy_tuning_format format, const char *output,
                                const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < text->unwritten_count && i < LINES_SHOWN; i++) {
        sy_text_append(&page.text, "not written: ");
        put_name(&page, text->unwritten[i].profile);
        sy_text_append_format(&page.text, ": %s\n", text->unwritten[i].why);
    }
    if (text->unwritten_count > LINES_SHOWN)
        sy_text_append_format(&page.text, "and %zu more; --json has all\n", text->unwritten_count - LINES_SHOWN);
    if (output != NULL) {
        sy_characters_clean(&page.text, output, page.style.utf8);
        sy_text_append(&page.text, ": ");
    }
    sy_text_append_format(&page.text, "%s: %zu profile%s written, %zu not", sy_tuning_format_word(format),
                          text->written, plural(text->written), text->unwritten_count);
    if (text->alternatives_left_out > 0)
        sy_text_append_format(&page.text, "; %zu alternative%s left out", text->alternatives_left_out,
                              plural(text->alternatives_left_out));
    sy_text_append(&page.text, "\n");
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_tuning_lint(const char *path, const sy_tuning_lint *lint, const sy_report_style *style,
                                char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < lint->findings.finding_count; i++)
        sy_finding_line(&page, &lint->findings.findings[i], false);
    for (size_t i = 0; i < lint->findings.note_count; i++)
        sy_finding_line(&page, &lint->findings.notes[i], true);
    if (lint->finding_total > lint->findings.finding_count)
        sy_text_append_format(&page.text, "at most 10000 findings are told of %zu\n", lint->finding_total);
    sy_characters_clean(&page.text, path, page.style.utf8);
    sy_text_append_format(&page.text, ": %s, %zu entr%s, %zu profile%s: ", sy_tuning_format_word(lint->format),
                          lint->entry_count, lint->entry_count == 1 ? "y" : "ies", lint->profile_count,
                          plural(lint->profile_count));
    if (lint->finding_total == 0)
        sy_text_append(&page.text, "no findings");
    else
        sy_text_append_format(&page.text, "%zu finding%s", lint->finding_total, plural(lint->finding_total));
    sy_text_append_format(&page.text, ", %zu note%s\n", lint->findings.note_count, plural(lint->findings.note_count));
    return sy_page_take(&page, ret_text, err);
}
