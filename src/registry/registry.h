/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of src/registry share: the open registry. Each kind of file has its reader, which fills its part once,
 * when the registry is opened, and complains of what it finds; the join comes last and only remarks. */
#ifndef STEELYARD_REGISTRY_REGISTRY_H
#define STEELYARD_REGISTRY_REGISTRY_H

#include <steelyard/registry.h>

#include "registry/files/look.h"

/* Parts, each private to its reader but for what its header says. They live in the registry's arena. */
struct sy_settings;    /* settings.h: steelyard.json, and where files are */
struct sy_matrix_part; /* matrix.h: profile matrix, parity matrix, protocol description, platforms */
struct sy_gates_part;  /* gates.h: gates, runbooks, measurements */
struct sy_runs_part;   /* experiments.h: manifests and the index of runs */

struct sy_registry {
    unsigned parts;
    sy_arena *arena; /* of the set */
    sy_findings *findings;
    sy_document_set *set;
    const struct sy_settings *settings;
    struct sy_matrix_part *matrix; /* NULL: not read */
    struct sy_gates_part *gates;
    struct sy_runs_part *runs;
    const sy_registry_coverage *coverage; /* NULL: nothing was joined */
    const sy_document_bytes *files;       /* borrowed: those of sy_registry_open_with */
    size_t file_count;
    sy_registry *aside; /* the matrix of a registry that does not hold it to its rules; see sy_registry_matrix_part */
};

/* The matrix for readers of other parts: the registry's own, or one that is read aside, whose faults are not told.
 * NULL: no memory, or there is no such file. */
const struct sy_matrix_part *sy_registry_matrix_part(sy_registry *registry);

/* sy_registry_open with files that stand before those of the folder; borrowed until sy_registry_close. parts 0:
 * steelyard.json alone. */
sy_status sy_registry_open_with(const char *root, unsigned parts, const sy_document_bytes *files, size_t file_count,
                                sy_registry **ret_registry, sy_error *err) SY_NODISCARD;

/* The readers. Each returns SY_NO_MEMORY or SY_OK: what is wrong in files is a finding. */
sy_status sy_registry_read_settings(sy_registry *registry, sy_error *err) SY_NODISCARD;
sy_status sy_registry_read_matrix(sy_registry *registry, sy_error *err) SY_NODISCARD;
sy_status sy_registry_read_gates(sy_registry *registry, sy_error *err) SY_NODISCARD;
sy_status sy_registry_read_experiments(sy_registry *registry, sy_error *err) SY_NODISCARD;
sy_status sy_registry_join(sy_registry *registry, sy_error *err) SY_NODISCARD;

#endif
