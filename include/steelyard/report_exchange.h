/* SPDX-License-Identifier: Apache-2.0 */
/* Reports on the exchange with other tuners and on lint, as text and as JSON. Texts are freed by sy_text_free; all may
 * return SY_NO_MEMORY, those of text also SY_INVALID_ARGUMENT (columns below 40). */
#ifndef STEELYARD_REPORT_EXCHANGE_H
#define STEELYARD_REPORT_EXCHANGE_H

#include <steelyard/report.h>
#include <steelyard/tuning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of one of their files. */
typedef struct sy_report_tuning_file {
    const char *file;
    const sy_tuning *tuning; /* NULL: it could not be read */
    const sy_error *err;     /* why, or why it could not be stored; NULL */
    size_t added;            /* profiles whose key the store did not have as imported */
    size_t replaced;
    size_t unchanged;
    const char *not_kept; /* "measurements": what the store's file cannot hold; "" = nothing */
} sy_report_tuning_file;

typedef struct sy_report_tuning {
    const char *store; /* the file that took them */
    bool dry_run;
    const sy_report_tuning_file *files;
    size_t file_count;
} sy_report_tuning;

/* A line a file, below it the first findings and notes. */
SY_API sy_status sy_report_tunings(const sy_report_tuning *report, const sy_report_style *style, char **ret_text,
                                   sy_error *err) SY_NODISCARD;
/* All of them: docs/formats.md "steelyard.profile-import/1". */
SY_API sy_status sy_report_tunings_json(const sy_report_tuning *report, char **ret_json, sy_error *err) SY_NODISCARD;
/* Which profiles a tuner's file cannot hold, and why; how many it holds. output: its path; NULL = none. */
SY_API sy_status sy_report_tuning_text(const sy_tuning_text *text, sy_tuning_format format, const char *output,
                                       const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-export/1". */
SY_API sy_status sy_report_tuning_text_json(const sy_tuning_text *text, sy_tuning_format format, const char *output,
                                            char **ret_json, sy_error *err) SY_NODISCARD;
/* What lint found, as sy_report_findings has it, with what was looked at. */
SY_API sy_status sy_report_tuning_lint(const char *path, const sy_tuning_lint *lint, const sy_report_style *style,
                                       char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-lint/1". */
SY_API sy_status sy_report_tuning_lint_json(const char *path, const sy_tuning_lint *lint, char **ret_json,
                                            sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
