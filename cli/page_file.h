/* SPDX-License-Identifier: Apache-2.0 */
/* A page for browsers as a file: whether a name will do, writing it, telling where it is, opening it. */
#ifndef STEELYARD_CLI_PAGE_FILE_H
#define STEELYARD_CLI_PAGE_FILE_H

#include <steelyard/html.h>

/* Before anything is collected or measured. SY_INVALID_ARGUMENT: "-", "" or a folder, since a browser reads a file;
 * SY_IO: nothing can be written where it is to be. */
sy_status cli_page_check(const char *path, sy_error *err) SY_NODISCARD;
/* Says on stderr where it is, how large it is, and how many runs have no page of their own. */
void cli_page_tell(const char *path, size_t size, const sy_html_content *content);
/* Hands the file to the program that BROWSER names, else to xdg-open; no shell takes part. SY_UNAVAILABLE: there is no
 * such program, or it says that it failed. */
sy_status cli_page_open(const char *path, sy_error *err) SY_NODISCARD;

#endif
