/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is about to be measured is what a gate asks for: a run under a gate's name that measured something else
 * would be its evidence. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evidence/recorded/recording.h"
#include "registry/gates/gate_plan.h"
#include "registry/matrix/matrix.h"

enum { PATTERNS_MAX = 64 };

static const char *field_of(const sy_gate_plan *plan, const char *name)
{
    const char *value = sy_gate_plan_field(plan, name);
    return value != NULL ? value : "";
}

/* A project that names its cells by operations means what it says; one that does not is not asked. */
static sy_status check_cell(sy_registry *registry, const sy_gate_plan *plan, const sy_recording_options *options,
                            sy_error *err)
{
    const struct sy_matrix_part *matrix = sy_registry_matrix_part(registry);
    sy_text cell = SY_TEXT_INIT;
    sy_status status = SY_OK;
    if (matrix == NULL || options->suite == NULL || plan->cell[0] == '\0') {
        return SY_OK;
    }
    sy_text_append_format(&cell, "%s::%s", options->suite->operation, options->device->backend);
    if (cell.failed) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the name of a cell");
    } else if (strcmp(plan->cell, sy_text_bytes(&cell)) != 0 &&
               sy_matrix_find_cell(matrix, sy_text_bytes(&cell)) != SIZE_MAX) {
        status = sy_fail(err, SY_REFUSED, "the gate '%s' is for %s, and this is %s", plan->id, plan->cell,
                         sy_text_bytes(&cell));
    }
    sy_text_finish(&cell);
    return status;
}

/* The cases that a list of patterns means, as one bit a case. */
static sy_status mark_cases(const sy_suite *suite, const char *const *patterns, size_t count, bool *to, sy_error *err)
{
    size_t found = 0;
    size_t *indices = sy_allocate(suite->case_count + 1, sizeof *indices);
    if (indices == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the cases of a gate");
    }
    sy_status status = sy_suite_select_cases(suite, patterns, count, indices, &found, err);
    for (size_t i = 0; status == SY_OK && i < found; i++) {
        to[indices[i]] = true;
    }
    sy_free(indices);
    return status;
}

/* "a,b" in its parts, which are cut in text. */
static size_t split(char *text, const char *parts[PATTERNS_MAX])
{
    size_t count = 0;
    for (char *at = text; at != NULL && count < PATTERNS_MAX;) {
        char *comma = strchr(at, ',');
        parts[count++] = at;
        if (comma != NULL) {
            *comma++ = '\0';
        }
        at = comma;
    }
    return count;
}

static sy_status check_cases(const sy_gate_plan *plan, const sy_recording_options *options, sy_error *err)
{
    const sy_suite *suite = options->suite;
    const char *wanted = field_of(plan, "cases");
    const char *parts[PATTERNS_MAX];
    if (suite == NULL || wanted[0] == '\0') {
        return SY_OK;
    }
    char *text = sy_duplicate_text(wanted);
    bool *marks = sy_allocate(2 * suite->case_count + 1, sizeof *marks);
    sy_status status = SY_OK;
    if (text == NULL || marks == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the cases of a gate");
    }
    if (status == SY_OK) {
        status = mark_cases(suite, parts, split(text, parts), marks, err);
    }
    if (status == SY_OK) {
        status = mark_cases(suite, options->cases, options->case_count, marks + suite->case_count, err);
    }
    if (status == SY_OK && memcmp(marks, marks + suite->case_count, suite->case_count * sizeof *marks) != 0) {
        status = sy_fail(err, SY_REFUSED, "the gate '%s' is for other cases: %s", plan->id, wanted);
        sy_error_hint(err, "--cases %s", wanted);
    }
    sy_free(marks);
    sy_free(text);
    return status;
}

sy_status sy_recording_check_gate(sy_registry *registry, const sy_gate_plan *plan, sy_run_kind kind,
                                  const sy_recording_options *options, sy_error *err)
{
    const char *implementation = field_of(plan, "implementation");
    const char *cache = field_of(plan, "cache_state");
    const char *other = sy_cache_state_word(options->cache == SY_CACHE_HOT ? SY_CACHE_COLD : SY_CACHE_HOT);
    sy_status status = check_cell(registry, plan, options, err);
    if (status == SY_OK) {
        status = check_cases(plan, options, err);
    }
    if (status != SY_OK) {
        return status;
    }
    if (kind == SY_RUN_KIND_SESSION && implementation[0] != '\0' && options->implementation != NULL &&
        strcmp(implementation, options->implementation) != 0) {
        return sy_fail(err, SY_REFUSED, "the gate '%s' is for the implementation %s, and this is %s", plan->id,
                       implementation, options->implementation);
    }
    if (strcmp(cache, other) == 0) {
        return sy_fail(err, SY_REFUSED, "the gate '%s' is for %s caches, and these are %s", plan->id, cache,
                       sy_cache_state_word(options->cache));
    }
    return SY_OK;
}
