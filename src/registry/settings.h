/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard.json at a project's root: where the files of the registry are, and what the project says of its platforms
 * beyond the matrix. Every member is optional; without the file the published names hold. */
#ifndef STEELYARD_REGISTRY_SETTINGS_H
#define STEELYARD_REGISTRY_SETTINGS_H

#include "registry/document.h"

typedef struct sy_settings {
    sy_document *document;     /* NULL: there is no steelyard.json */
    const char *matrix_path;   /* "benchmarks/profile_matrix.json" */
    const char *gates_path;    /* "benchmarks/benchmark_registry.json" */
    const char *experiments;   /* "experiments": the folder of manifests */
    const char *index_path;    /* "experiments/RUNS.md" */
    const char *coverage_path; /* "docs/_generated/benchmark_coverage.md"; NULL: none is kept */
    const char *protocols;     /* folder of protocol descriptions of the project's own; NULL: none */
    const char *evidence;      /* where the ledger is: ".steelyard" */
} sy_settings;

#endif
