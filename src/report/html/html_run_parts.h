/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of one run in a page's data. Rows are arrays whose columns the page's script names; words for people are
 * made here. */
#ifndef STEELYARD_REPORT_HTML_RUN_PARTS_H
#define STEELYARD_REPORT_HTML_RUN_PARTS_H

#include <steelyard/html.h>

#include "base/json.h"
#include "base/text.h"

/* words: empty between the calls; its `failed` stays. */
typedef struct sy_html_run_writer {
    sy_json_writer *json;
    sy_text words;
    bool failed; /* words had no memory once */
} sy_html_run_writer;

/* The words as an element or, with a name, as a member; they are empty then. */
void sy_html_run_put_words(sy_html_run_writer *writer, const char *name);

/* "title" to "facts": what it is. */
void sy_html_run_put_head(sy_html_run_writer *writer, const sy_run *run);
/* "strips": its samples. */
void sy_html_run_put_strips(sy_html_run_writer *writer, const sy_html_run *page);
/* "verdicts", "changes", "signoffs", "promotions": what was said of it. */
void sy_html_run_put_said(sy_html_run_writer *writer, const sy_run *run);
/* "parity" to "files": evidence besides times. */
void sy_html_run_put_evidence(sy_html_run_writer *writer, const sy_run *run);
/* "key", "identity", "baseline", "differences". */
void sy_html_run_put_identity(sy_html_run_writer *writer, const sy_html_run *page);

#endif
