/* SPDX-License-Identifier: Apache-2.0 */
/* What a validation found: one line each, as compilers write them, and as JSON. */
#include <steelyard/report.h>

#include "report/page/finding_lines.h"
#include "report/page/json_frame.h"
#include "report/page/page.h"

static void put_count(sy_page *page, size_t count, const char *word)
{
    if (count == 0)
        sy_text_append_format(&page->text, "no %ss", word);
    else
        sy_text_append_format(&page->text, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

sy_status sy_report_findings(const sy_finding_list *list, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);
    sy_tone tone = list->finding_count > 0 ? SY_TONE_BAD : list->note_count > 0 ? SY_TONE_DOUBT : SY_TONE_GOOD;

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < list->finding_count; i++)
        sy_finding_line(&page, &list->findings[i], false);
    for (size_t i = 0; i < list->note_count; i++)
        sy_finding_line(&page, &list->notes[i], true);
    sy_page_tone_begin(&page, tone);
    put_count(&page, list->finding_count, "finding");
    sy_text_append(&page.text, ", ");
    put_count(&page, list->note_count, "note");
    sy_page_tone_end(&page, tone);
    sy_page_blank(&page);
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_findings_json(const sy_finding_list *list, const char *root, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.findings/1");

    sy_json_member_text(writer, "root", root != NULL ? root : "");
    sy_finding_list_write(writer, "findings", list->findings, list->finding_count);
    sy_finding_list_write(writer, "notes", list->notes, list->note_count);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
