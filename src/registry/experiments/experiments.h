/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a project: one folder each with a manifest, and the index that people read. */
#ifndef STEELYARD_REGISTRY_EXPERIMENTS_H
#define STEELYARD_REGISTRY_EXPERIMENTS_H

#include "registry/registry.h"

typedef enum sy_run_status {
    SY_RUN_NO_STATUS, /* none that could be read */
    SY_RUN_PLANNED,
    SY_RUN_RUNNING,
    SY_RUN_COMPLETED,
    SY_RUN_FAILED,
    SY_RUN_REFUTED,
    SY_RUN_SUPERSEDED
} sy_run_status;

/* One manifest that stands in its folder, whatever is wrong in it. */
typedef struct sy_run_manifest {
    const char *id; /* the folder's name */
    sy_document *document;
    sy_run_status status;
} sy_run_manifest;

/* One row of the index. */
typedef struct sy_run_row {
    const char *id;
    uint32_t line;
    uint32_t id_column;
    uint32_t status_column; /* 0: the row has no cell for it */
    const char *status_text;
    sy_run_status status;
    const char *linked; /* the run whose manifest its artifact links to, when that is another; NULL: it does not */
    uint32_t link_column;
    const char *link_text;
} sy_run_row;

struct sy_runs_part {
    const sy_run_manifest *manifests; /* sorted by id */
    size_t manifest_count;
    sy_document *index;     /* NULL: none is kept */
    bool has_table;         /* the index could be read, as far as it goes */
    const sy_run_row *rows; /* in file order; rows without an id are left out */
    size_t row_count;
};

/* The word of manifests, matched whole; SY_RUN_NO_STATUS: it is none. */
sy_run_status sy_run_status_read(const char *word);
const char *sy_run_status_word(sy_run_status status); /* "completed" */
bool sy_run_status_is_final(sy_run_status status);

/* Holds a manifest against its rules. id: the name of its folder. Returns its status. */
sy_run_status sy_manifest_check(sy_document *document, const char *id);

/* Reads the index's tables into the part's rows; every line is held against the rules that need no manifest. False: no
 * memory. */
bool sy_run_index_read(sy_document_set *set, struct sy_runs_part *part);

/* Remarks on what manifests claim of things beyond themselves: a dataset that another manifest digests otherwise, a
 * file that is here with another digest than its output says. False: no memory. */
bool sy_run_claims_check(sy_registry *registry, const struct sy_runs_part *part);

#endif
