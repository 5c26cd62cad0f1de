/* SPDX-License-Identifier: Apache-2.0 */
/* How a page names a series in its links, and how exactly it draws a value. */
#ifndef STEELYARD_REPORT_HTML_SERIES_H
#define STEELYARD_REPORT_HTML_SERIES_H

#include <steelyard/html.h>

#define SY_HTML_SERIES_DIGITS 16
#define SY_HTML_SERIES_ID (SY_HTML_SERIES_DIGITS + 1)

/* The name of a series in links, the same on every page: the first digits of a SHA-256 over its line and metric. */
void sy_html_series_id(const sy_html_series *series, char to[SY_HTML_SERIES_ID]);
/* The value as it is drawn: nine digits of it, whole numbers up to 2^53 exactly. */
double sy_html_series_rounded(double value);

#endif
