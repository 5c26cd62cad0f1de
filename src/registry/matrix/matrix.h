/* SPDX-License-Identifier: Apache-2.0 */
/* The profile matrix and the parity matrix as they were read: cells, pairs, platforms. What could not be read is left
 * out or NULL; the findings are made already. */
#ifndef STEELYARD_REGISTRY_MATRIX_H
#define STEELYARD_REGISTRY_MATRIX_H

#include "registry/files/id_table.h"
#include "registry/files/words_list.h"
#include "registry/matrix/settings.h"
#include "registry/registry.h"

typedef struct sy_matrix_platform {
    const char *name;
    const sy_json_value *value;
    const char *authority;                /* the computer's id; NULL: could not be read */
    const char *runner;                   /* NULL: could not be read */
    const char *minimum_memory;           /* in the matrix's words; NULL: none, or it could not be read */
    bool denies_minimum_memory;           /* it says null */
    const sy_settings_platform *settings; /* what steelyard.json adds; NULL: nothing */
    size_t scheduled_count;               /* of its cells */
} sy_matrix_platform;

typedef struct sy_matrix_capability {
    const char *name;
    const sy_json_value *value;
    sy_words_list required_metrics;
} sy_matrix_capability;

/* What the parity matrix owes: one capability on one backend. */
typedef struct sy_parity_pair {
    const char *id;
    size_t capability; /* of parity.capabilities */
    size_t backend;    /* of parity.backends */
    const char *level; /* NULL: could not be read */
    const sy_json_value *value;
    const sy_json_value *level_at; /* NULL as well */
    bool is_claimed;               /* a cell is there for it */
} sy_parity_pair;

typedef struct sy_parity_capability {
    const char *name;
    const sy_json_value *value;
    const char *parity; /* what parity means here; NULL: could not be read */
} sy_parity_capability;

typedef struct sy_parity_matrix {
    sy_document *document;         /* NULL: not looked for */
    const sy_json_value *contract; /* NULL: could not be read */
    bool is_whole; /* backends and capabilities are there, without damage: what they do not name is not owed */
    const char *const *backends; /* listed ones, then those that most capabilities cover all the same */
    const sy_json_value *backends_at;
    size_t backend_count;
    const char *const *owed_backends; /* those of backends that any capability covers */
    size_t owed_backend_count;
    sy_parity_capability *capabilities;
    const sy_json_value *capabilities_at;
    size_t capability_count;
    size_t unread_capabilities; /* that have no id of their own; told */
    sy_parity_pair *pairs;      /* by capability, then in file order */
    size_t pair_count;
    sy_id_table *backend_ids;    /* to a place in backends */
    sy_id_table *capability_ids; /* to sy_parity_capability */
    sy_id_table *pair_ids;       /* "capability::backend" to sy_parity_pair */
} sy_parity_matrix;

struct sy_matrix_part {
    sy_document *document;
    const sy_protocol *protocol; /* NULL: none is known that fits */
    const char *protocol_version;
    sy_parity_matrix parity;
    sy_matrix_capability *capabilities;
    size_t capability_count;
    sy_matrix_platform *platforms;
    size_t platform_count;
    sy_words_list comparison_key; /* in the matrix's order */
    sy_words_list required_statistics;
    sy_words_list required_run_fields;
    int64_t minimum_accepted_sessions; /* 0: could not be read */
    sy_matrix_cell *cells; /* whose id, capability and backend are texts; the join fills in counts, reason */
    const sy_json_value **cell_values; /* of each */
    size_t cell_count;
    sy_id_table *cell_ids;       /* to a place in cells */
    sy_id_table *platform_ids;   /* to sy_matrix_platform */
    sy_id_table *runner_ids;     /* to the first sy_matrix_platform that it runs */
    sy_id_table *capability_ids; /* to sy_matrix_capability */
    const char *const *capability_names;
};

#define SY_LEVEL_NOT_IMPLEMENTED "not-implemented"

/* The parts' readers; false: no memory. */
bool sy_parity_matrix_read(sy_registry *registry, sy_document *named_by, const sy_json_value *named_at,
                           sy_parity_matrix *ret_parity);
/* The contract of a parity matrix against what a protocol owes. */
void sy_parity_check_contract(const sy_parity_matrix *parity, const sy_protocol *protocol);
bool sy_matrix_read_platforms(sy_registry *registry, struct sy_matrix_part *matrix, const sy_json_value *root);
bool sy_matrix_read_cells(sy_registry *registry, struct sy_matrix_part *matrix, const sy_json_value *root);
/* Schedules against the readiness that steelyard.json declares. */
void sy_matrix_check_runners(sy_registry *registry, const struct sy_matrix_part *matrix);

/* The cell of that id; SIZE_MAX: none. */
size_t sy_matrix_find_cell(const struct sy_matrix_part *matrix, const char *id);
/* The platform of that name; NULL: none. */
const sy_matrix_platform *sy_matrix_find_platform(const struct sy_matrix_part *matrix, const char *name);
/* The size that the words of a minimum-memory gate begin with, in the larger meaning of its unit; 0: they begin with
 * none. */
uint64_t sy_matrix_memory_words_bytes(const char *words);
/* Whether a scheduled cell has a runner that it can count on: its platform declares one with all four fields. */
bool sy_matrix_has_ready_runner(const struct sy_matrix_part *matrix, const sy_matrix_cell *cell);
bool sy_matrix_is_scheduled(const sy_matrix_cell *cell); /* any schedule but "none" */

#endif
