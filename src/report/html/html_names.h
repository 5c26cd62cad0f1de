/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that columns of a page name again and again: each is written once, and columns hold its number. */
#ifndef STEELYARD_REPORT_HTML_NAMES_H
#define STEELYARD_REPORT_HTML_NAMES_H

#include "base/json.h"

/* Texts are borrowed. Started by zero. */
typedef struct sy_html_names {
    const char **texts; /* by number */
    size_t count;
    uint32_t *slots; /* a hash table of numbers + 1 */
    size_t slot_count;
    bool failed; /* memory was short: numbers are 0 from then on */
} sy_html_names;

/* The number of a text, from 0 in the order in which they come; NULL counts as "". */
uint32_t sy_html_names_number(sy_html_names *names, const char *text);
/* The texts as an array. */
void sy_html_names_write(const sy_html_names *names, sy_json_writer *writer);
void sy_html_names_finish(sy_html_names *names);

#endif
