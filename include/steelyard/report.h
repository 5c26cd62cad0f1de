/* SPDX-License-Identifier: Apache-2.0 */
/* Results as text for people. */
#ifndef STEELYARD_REPORT_H
#define STEELYARD_REPORT_H

#include <steelyard/backend.h>
#include <steelyard/record.h>
#include <steelyard/select.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_report_style {
    uint32_t columns; /* width to fit, >= 40 */
    bool color;       /* ANSI colours; meaning never rests on colour alone */
    bool utf8;        /* else plain ASCII */
    bool all;         /* also every case of every candidate */
} sy_report_style;

#define SY_REPORT_STYLE_INIT    \
    {                           \
        80, false, false, false \
    }

/* A probe's answer. The caller frees *ret_text with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_probe(const sy_probe_result *result, const sy_report_style *style, char **ret_text,
                                 sy_error *err) SY_NODISCARD;

/* What sy_backends_list gave: every backend with its devices and implementations; what cannot run has its reason. The
 * caller frees *ret_text with sy_text_free. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_backends(const sy_backend_info *list, size_t count, const sy_report_style *style,
                                    char **ret_text, sy_error *err) SY_NODISCARD;

/* The object of docs/formats.md "steelyard.backends/1", indented, with a newline at the end. The caller frees *ret_json
 * with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_backends_json(const sy_backend_info *list, size_t count, char **ret_json,
                                         sy_error *err) SY_NODISCARD;

/* An answer of sy_select; one without an implementation says why there is none. The caller frees *ret_text with
 * sy_text_free. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_selection(const sy_selection *selection, const sy_report_style *style, char **ret_text,
                                     sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.selection/1", indented, with a newline at the end. The caller frees
 * *ret_json with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_selection_json(const sy_selection *selection, char **ret_json, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
