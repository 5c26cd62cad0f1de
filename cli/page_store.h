/* SPDX-License-Identifier: Apache-2.0 */
/* The stored profiles that a page for browsers shows: all of a store with its layers, opened as profile list does. */
#ifndef STEELYARD_CLI_PAGE_STORE_H
#define STEELYARD_CLI_PAGE_STORE_H

#include <steelyard/report.h>

typedef struct cli_page_store {
    sy_store *store;
    sy_layer_info *layers;
    sy_report_profile *list;
    size_t capacity;
    sy_report_store report;
    sy_report_profiles profiles; /* for sy_report_html */
} cli_page_store;

/* path: NULL = the user's own. project: where the runs are that prove decisions; NULL = nowhere. A layer that cannot be
 * read is told on stderr and is in the page as such. to: finished by cli_page_store_finish, whatever comes back.
 * SY_IO, SY_NO_MEMORY. */
sy_status cli_page_store_start(cli_page_store *to, const char *path, sy_project *project, sy_error *err) SY_NODISCARD;
void cli_page_store_finish(cli_page_store *store);

#endif
