/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a registry: every reader in its turn, then the join; and what is asked of it as a whole. */
#include "registry/registry.h"

#include "base/error.h"
#include "base/memory.h"
#include "registry/files/private_path.h"
#include "registry/matrix/settings.h"

/* In whatever was read but the settings, which may say where a private archive lies. */
static void check_private_paths(const sy_registry *registry)
{
    for (const sy_document *each = sy_document_next(registry->set, NULL); each != NULL;
         each = sy_document_next(registry->set, each)) {
        if (each->json != NULL && each != registry->settings->document) {
            sy_complain_private_paths(each, sy_json_root(each->json));
        }
    }
}

static sy_status read_parts(sy_registry *registry, sy_error *err)
{
    sy_status status = sy_registry_read_settings(registry, err);
    if (status == SY_OK && (registry->parts & SY_REGISTRY_MATRIX) != 0) {
        status = sy_registry_read_matrix(registry, err);
    }
    if (status == SY_OK && (registry->parts & SY_REGISTRY_GATES) != 0) {
        status = sy_registry_read_gates(registry, err);
    }
    if (status == SY_OK && (registry->parts & SY_REGISTRY_EXPERIMENTS) != 0) {
        status = sy_registry_read_experiments(registry, err);
    }
    if (status == SY_OK) {
        check_private_paths(registry);
    }
    if (status == SY_OK && registry->parts == SY_REGISTRY_ALL) {
        status = sy_registry_join(registry, err);
    }
    if (status == SY_OK && sy_document_set_failed(registry->set)) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the files of the registry");
    }
    return status;
}

sy_status sy_registry_open(const char *root, unsigned parts, sy_registry **ret_registry, sy_error *err)
{
    if (parts == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no parts of a registry are asked for");
    }
    return sy_registry_open_with(root, parts, NULL, 0, ret_registry, err);
}

sy_status sy_registry_open_with(const char *root, unsigned parts, const sy_document_bytes *files, size_t file_count,
                                sy_registry **ret_registry, sy_error *err)
{
    if ((parts & ~SY_REGISTRY_ALL) != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no such parts of a registry: %u", parts);
    }
    sy_registry *registry = sy_allocate(1, sizeof *registry);
    if (registry == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a registry");
    }
    sy_status status = SY_OK;
    registry->parts = parts;
    registry->findings = sy_findings_create();
    if (registry->findings == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a registry");
        goto out;
    }
    status = sy_document_set_create(root, registry->findings, &registry->set, err);
    if (status != SY_OK) {
        goto out;
    }
    registry->files = files;
    registry->file_count = file_count;
    sy_document_set_put(registry->set, files, file_count);
    registry->arena = sy_document_set_arena(registry->set);
    status = read_parts(registry, err);
out:
    if (status != SY_OK) {
        sy_registry_close(registry);
        return status;
    }
    *ret_registry = registry;
    return SY_OK;
}

void sy_registry_close(sy_registry *registry)
{
    if (registry == NULL) {
        return;
    }
    sy_registry_close(registry->aside);
    sy_document_set_destroy(registry->set);
    sy_findings_destroy(registry->findings);
    sy_free(registry);
}

sy_status sy_registry_findings(sy_registry *registry, sy_finding_list *ret_list, sy_error *err)
{
    return sy_findings_list(registry->findings, ret_list, err);
}
