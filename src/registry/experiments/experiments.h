/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a project: one folder each with a manifest, and the index that people read. */
#ifndef STEELYARD_REGISTRY_EXPERIMENTS_H
#define STEELYARD_REGISTRY_EXPERIMENTS_H

#include "registry/registry.h"

typedef enum sy_experiment_status {
    SY_EXPERIMENT_NO_STATUS, /* none that could be read */
    SY_EXPERIMENT_PLANNED,
    SY_EXPERIMENT_RUNNING,
    SY_EXPERIMENT_COMPLETED,
    SY_EXPERIMENT_FAILED,
    SY_EXPERIMENT_REFUTED,
    SY_EXPERIMENT_SUPERSEDED
} sy_experiment_status;

/* One manifest that stands in its folder, whatever is wrong in it. */
typedef struct sy_run_manifest {
    const char *id; /* the folder's name */
    sy_document *document;
    sy_experiment_status status;
} sy_run_manifest;

/* One row of the index. */
typedef struct sy_run_index_row {
    const char *id;
    uint32_t line;
    uint32_t id_column;
    uint32_t status_column; /* 0: the row has no cell for it */
    const char *status_text;
    sy_experiment_status status;
    const char *linked; /* the run whose manifest its artifact links to, when that is another; NULL: it does not */
    uint32_t link_column;
    const char *link_text;
} sy_run_index_row;

struct sy_runs_part {
    const sy_run_manifest *manifests; /* sorted by id */
    size_t manifest_count;
    sy_document *index;           /* NULL: none is kept */
    bool has_table;               /* the index could be read, as far as it goes */
    const sy_run_index_row *rows; /* in file order; rows without an id are left out */
    size_t row_count;
};

/* The word of manifests, matched whole; SY_EXPERIMENT_NO_STATUS: it is none. */
sy_experiment_status sy_experiment_status_read(const char *word);
const char *sy_experiment_status_word(sy_experiment_status status); /* "completed" */
bool sy_experiment_status_is_final(sy_experiment_status status);

/* Holds a manifest against its rules. id: the name of its folder. Returns its status. */
sy_experiment_status sy_manifest_check(sy_document *document, const char *id);

/* Reads the index's tables into the part's rows; every line is held against the rules that need no manifest. False: no
 * memory. */
bool sy_run_index_read(sy_document_set *set, struct sy_runs_part *part);

/* Remarks on what manifests claim of things beyond themselves: a dataset that another manifest digests otherwise, a
 * file that is here with another digest than its output says. False: no memory. */
bool sy_run_claims_check(sy_registry *registry, const struct sy_runs_part *part);

#endif
