/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a matrix that was read. */
#include "registry/matrix/matrix.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

size_t sy_matrix_find_cell(const struct sy_matrix_part *matrix, const char *id)
{
    const sy_matrix_cell *cell = sy_id_table_get(matrix->cell_ids, id);
    return cell != NULL ? (size_t)(cell - matrix->cells) : SIZE_MAX;
}

const sy_matrix_platform *sy_matrix_find_platform(const struct sy_matrix_part *matrix, const char *name)
{
    return sy_id_table_get(matrix->platform_ids, name);
}

bool sy_matrix_is_scheduled(const sy_matrix_cell *cell)
{
    return cell->scheduled_profile[0] != '\0' && strcmp(cell->scheduled_profile, "none") != 0;
}

bool sy_matrix_has_ready_runner(const struct sy_matrix_part *matrix, const sy_matrix_cell *cell)
{
    const sy_matrix_platform *platform = sy_matrix_find_platform(matrix, cell->backend);
    return platform != NULL && platform->settings != NULL && sy_settings_platform_is_ready(platform->settings);
}

const struct sy_matrix_part *sy_registry_matrix_part(sy_registry *registry)
{
    if (registry->matrix != NULL) {
        return registry->matrix;
    }
    if (registry->aside == NULL &&
        sy_registry_open_with(sy_document_set_root(registry->set), SY_REGISTRY_MATRIX, registry->files,
                              registry->file_count, &registry->aside, NULL) != SY_OK) {
        return NULL;
    }
    return registry->aside->matrix;
}

sy_status sy_registry_matrix(sy_registry *registry, sy_matrix *ret_matrix, sy_error *err)
{
    const struct sy_matrix_part *matrix = registry->matrix;
    if (matrix == NULL || (matrix->cell_count == 0 && matrix->capability_count == 0)) {
        return sy_fail(err, SY_NOT_FOUND, "nothing of the profile matrix could be read");
    }
    *ret_matrix = (sy_matrix){.protocol_version = matrix->protocol_version != NULL ? matrix->protocol_version : "",
                              .capabilities = matrix->capability_names,
                              .capability_count = matrix->capability_count,
                              .backends = matrix->parity.backends,
                              .backend_count = matrix->parity.backend_count,
                              .cells = matrix->cells,
                              .cell_count = matrix->cell_count};
    return SY_OK;
}
