/* SPDX-License-Identifier: Apache-2.0 */
/* The coverage document as a file: where it is kept, whether it is current, writing it. Its text is made elsewhere. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "registry/matrix/settings.h"
#include "registry/registry.h"

const char *sy_registry_coverage_path(const sy_registry *registry)
{
    return registry->settings != NULL ? registry->settings->coverage_path : NULL;
}

/* The path as the process sees it, in the arena. */
static sy_status choose(sy_registry *registry, const char *path, const char **ret_path, sy_error *err)
{
    const char *kept = sy_registry_coverage_path(registry);
    if (path != NULL) {
        *ret_path = path;
        return SY_OK;
    }
    if (kept == NULL) {
        (void)sy_fail(err, SY_NOT_FOUND, "the project keeps no coverage document");
        sy_error_hint(err, "steelyard.json may name one: \"coverage\" of its \"files\"");
        return SY_NOT_FOUND;
    }
    const char *absolute = sy_arena_format(registry->arena, "%s/%s", sy_document_set_root(registry->set), kept);
    if (absolute == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the path of the coverage document");
    }
    *ret_path = absolute;
    return SY_OK;
}

/* That the document itself is not there yet, which is told where steelyard.json names it. */
static bool is_first_time(const sy_finding *finding)
{
    return sy_text_equal(finding->rule, sy_rule_word(SY_RULE_FILE_MISSING)) &&
           sy_text_equal(finding->pointer, "/files/coverage");
}

/* A document made while a file is missing or damaged would silently lack what that file holds. */
static sy_status refuse_damage(sy_registry *registry, sy_error *err)
{
    const char *kept = sy_registry_coverage_path(registry);
    sy_finding_list list;
    sy_status status = sy_findings_list(registry->findings, &list, err);
    for (size_t i = 0; status == SY_OK && i < list.finding_count; i++) {
        const sy_finding *finding = &list.findings[i];
        bool is_damage = sy_text_equal(finding->rule, sy_rule_word(SY_RULE_JSON_SYNTAX)) ||
                         sy_text_begins(finding->rule, "file-");
        if (is_damage && !sy_text_equal(finding->file, kept) && !is_first_time(finding)) {
            status = sy_fail(err, SY_REFUSED, "%s: %s", finding->file, finding->message);
            sy_error_hint(err, "the document would lack what stands there: mend that first");
        }
    }
    return status;
}

sy_status sy_registry_coverage_write(sy_registry *registry, const char *path, sy_error *err)
{
    const char *target = NULL;
    char *markdown = NULL;
    sy_status status = choose(registry, path, &target, err);
    if (status == SY_OK) {
        status = refuse_damage(registry, err);
    }
    if (status == SY_OK) {
        status = sy_registry_coverage_render(registry, &markdown, err);
    }
    if (status == SY_OK) {
        status = sy_file_write(target, markdown, strlen(markdown), NULL, err);
    }
    sy_text_free(markdown);
    return status;
}

sy_status sy_registry_coverage_is_current(sy_registry *registry, const char *path, bool *ret_is_current, sy_error *err)
{
    const char *target = NULL;
    char *markdown = NULL;
    char *bytes = NULL;
    size_t size = 0;
    bool is_current = false;
    sy_status status = choose(registry, path, &target, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_registry_coverage_render(registry, &markdown, err);
    if (status != SY_OK) {
        return status;
    }
    sy_error reading = SY_ERROR_INIT;
    status = sy_file_read(target, 0, &bytes, &size, &reading);
    if (status == SY_OK) {
        is_current = size == strlen(markdown) && memcmp(bytes, markdown, size) == 0;
    } else if (status == SY_NOT_FOUND) {
        status = SY_OK;
    } else if (err != NULL) {
        *err = reading;
    }
    sy_free(bytes);
    sy_text_free(markdown);
    if (status == SY_OK) {
        *ret_is_current = is_current;
    }
    return status;
}
