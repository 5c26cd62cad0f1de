/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page for browsers: who writes which member of its data, and what stands in its markup. A part puts
 * whole members and leaves the writer as it found it; no memory is told by the writer at the end, so parts without
 * another error return nothing. */
#ifndef STEELYARD_REPORT_HTML_PARTS_H
#define STEELYARD_REPORT_HTML_PARTS_H

#include <steelyard/report.h>

#include "base/json.h"

/* The data of a page at work. */
typedef struct sy_html_data {
    const sy_html_content *content;     /* its dashboard may be NULL */
    const sy_report_profiles *profiles; /* NULL = no store was looked into */
    sy_json_writer *json;               /* compact, inside of the object of "steelyard.page/1" */
} sy_html_data;

/* "project", "tool", "written", "head", "state", "counts": what the frame itself says. */
void sy_html_put_project(const sy_html_data *data);
typedef enum sy_html_kind {
    SY_HTML_TEXT,    /* any text */
    SY_HTML_WORD,    /* one of few: a filter is offered */
    SY_HTML_NUMBER,  /* in the unit of the column, or null */
    SY_HTML_TIME,    /* seconds UTC, or null */
    SY_HTML_LINK,    /* a text, or [route, text]: "#/run/..." */
    SY_HTML_RUN,     /* the id of a run: a link where it has a page */
    SY_HTML_COMMAND, /* a command line to be copied, or "" */
    SY_HTML_DIGEST,  /* a digest or a revision, of which the first digits are shown */
} sy_html_kind;

typedef struct sy_html_column {
    const char *name;  /* for permalinks: a-z and _ */
    const char *label; /* for people */
    sy_html_kind kind;
    const char *unit; /* of a number: "s", "bytes", "share", "" */
} sy_html_column;

typedef struct sy_html_table {
    const char *name;
    const char *title;
    const char *note;    /* what its rows are, and how to read them */
    const char *empty;   /* what stands there without rows, and what would bring some */
    const char *summary; /* in a sentence, what its rows come to; NULL = nothing */
    const sy_html_column *columns;
    size_t column_count;
} sy_html_table;

/* A member that is a table: {title, note, empty, summary, columns, rows}, its array of rows left open for rows that are
 * arrays of as many values as there are columns. */
void sy_html_table_begin(sy_json_writer *json, const sy_html_table *table);
void sy_html_table_end(sy_json_writer *json);

/* A value that was put together; the text is empty then. */
void sy_html_put_text(sy_json_writer *json, sy_text *text);
/* Tables of keys and of self-tests. */
void sy_html_put_baselines(sy_json_writer *json, const sy_dashboard *dashboard);
void sy_html_put_rates(sy_json_writer *json, const sy_dashboard *dashboard);
void sy_html_put_selftests(sy_json_writer *json, const sy_html_content *content);
/* "tables": name -> {title, note, empty, summary, columns, rows}. */
void sy_html_put_tables(const sy_html_data *data);
/* "matrix": capabilities, backends and their cells; null where there is none. */
sy_status sy_html_put_matrix(const sy_html_data *data, sy_error *err) SY_NODISCARD;
/* "sessions": columnar arrays, and "series": likewise, each with its points as indexes into sessions and numbers. */
sy_status sy_html_put_series(const sy_html_data *data, sy_error *err) SY_NODISCARD;
/* "runs": those with a page of their own. */
sy_status sy_html_put_runs(const sy_html_data *data, sy_error *err) SY_NODISCARD;
/* "decisions": of content->decisions, and of runs whose probe is kept. */
sy_status sy_html_put_decisions(const sy_html_data *data, sy_error *err) SY_NODISCARD;
/* "profiles": what is stored. */
sy_status sy_html_put_profiles(const sy_html_data *data, sy_error *err) SY_NODISCARD;

/* The first screen, which needs no script. */
void sy_html_put_first_screen(sy_text *to, const sy_html_content *content);

/* Text of content or of an attribute in double quotes: markup is escaped, and what could mislead a reader is shown as
 * \u202e or \x1b. */
void sy_html_escape(sy_text *to, const char *raw);
/* A moment as "2026-11-29 23:30 UTC". */
void sy_html_put_time(sy_text *to, int64_t utc_s);

/* The script element with the data: plain with <, > and & as \u003c, or, above 64 KiB where the build has zlib,
 * deflated. json: the whole object, as it is. SY_LIMIT_EXCEEDED, SY_NO_MEMORY. */
sy_status sy_html_put_data(sy_text *to, const sy_text *json, sy_error *err) SY_NODISCARD;

/* Hands a page over. SY_LIMIT_EXCEEDED, SY_NO_MEMORY. The text is finished either way. */
sy_status sy_html_take(sy_text *page, char **ret_html, size_t *ret_size, sy_error *err) SY_NODISCARD;

/* What stands in the page's style and script elements; each ends with a 0 that is not counted. */
extern const unsigned char sy_html_style[];
extern const size_t sy_html_style_size;
extern const unsigned char sy_html_script[];
extern const size_t sy_html_script_size;

#endif
