/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe --html: what was weighed as a page for browsers, without a ledger. */
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>
#include <time.h>

#include "command_probe.h"
#include "message.h"
#include "page_file.h"

/* What is said of a result besides itself. */
struct cli_probe_shown {
    sy_html_decision decision;
    char run[129];
    char stored[640];
};

sy_status cli_probe_page_add(probe_arguments *arguments, const sy_probe_result *result, const sy_recorded *recorded,
                             const char *stored, sy_error *err)
{
    cli_probe_page *page = &arguments->page;
    struct cli_probe_shown *shown;
    struct cli_probe_shown **grown;

    if (page->path == NULL || result == NULL)
        return SY_OK;
    shown = calloc(1, sizeof(*shown));
    grown = realloc(page->shown, (page->count + 1) * sizeof(*grown));
    page->shown = grown != NULL ? grown : page->shown;
    if (shown == NULL || grown == NULL) {
        free(shown);
        return cli_fail(err, SY_NO_MEMORY, "no memory for a page");
    }
    if (recorded != NULL)
        (void)snprintf(shown->run, sizeof(shown->run), "%s", recorded->run);
    (void)snprintf(shown->stored, sizeof(shown->stored), "%s", stored);
    shown->decision = (sy_html_decision){shown->run, result, shown->stored};
    page->shown[page->count++] = shown;
    return SY_OK;
}

/* "matmul", "matmul and 2 more", "commands". */
static void name_page(const cli_probe_page *page, char *title, size_t size)
{
    const char *operation = page->shown[0]->decision.result->operation;

    if (page->count == 1)
        (void)snprintf(title, size, "%.80s", operation);
    else
        (void)snprintf(title, size, "%.80s and %zu more", operation, page->count - 1);
}

sy_status cli_probe_page_write(const probe_arguments *arguments, sy_error *err)
{
    const cli_probe_page *page = &arguments->page;
    char title[128];
    char tool[64];
    char *html = NULL;
    size_t size = 0;
    sy_html_decision *decisions;
    sy_status status;

    if (page->path == NULL || page->count == 0)
        return SY_OK;
    decisions = calloc(page->count, sizeof(*decisions));
    if (decisions == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for a page");
    for (size_t i = 0; i < page->count; i++)
        decisions[i] = page->shown[i]->decision;
    name_page(page, title, sizeof(title));
    (void)snprintf(tool, sizeof(tool), "steelyard %s", sy_version());
    const sy_html_content content = {.title = title,
                                     .tool = tool,
                                     .written_utc_s = (int64_t)time(NULL),
                                     .decisions = decisions,
                                     .decision_count = page->count};
    status = sy_report_html(&content, NULL, &html, &size, err);
    if (status == SY_OK)
        status = sy_report_save(html, page->path, err);
    if (status == SY_OK && !arguments->common.quiet)
        cli_page_tell(page->path, size, &content);
    sy_text_free(html);
    free(decisions);
    return status;
}

void cli_probe_page_finish(cli_probe_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free(page->shown[i]);
    free(page->shown);
    *page = (cli_probe_page){.path = NULL};
}
