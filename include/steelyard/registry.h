/* SPDX-License-Identifier: Apache-2.0 */
/* What a project owes its users in evidence, as files that people write and review: the profile matrix (a cell for
 * every capability and backend), the gates (exact rows that are measured or open) with their runbooks, and the
 * experiments. Read, held against every rule, joined, shown. Nothing here runs a benchmark; only
 * sy_registry_coverage_write and sy_registry_init write. */
#ifndef STEELYARD_REGISTRY_H
#define STEELYARD_REGISTRY_H

#include <steelyard/finding.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_registry sy_registry;

/* Which files are read; joined with |. */
#define SY_REGISTRY_MATRIX 1u      /* profile matrix, parity matrix, protocol description */
#define SY_REGISTRY_EXPERIMENTS 2u /* manifests and the index of runs */
#define SY_REGISTRY_GATES 4u       /* benchmark registry, imported evidence, rendered coverage */
#define SY_REGISTRY_ALL 7u         /* and what joins them: notes on cells, gates, runbooks and measurements */

/* The nearest folder from `from` upwards that holds steelyard.json, as an absolute path; freed by sy_text_free.
 * SY_NOT_FOUND: none does. SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_registry_find_root(const char *from, char **ret_root, sy_error *err) SY_NODISCARD;

/* Reads the files below root, and no other: names come from steelyard.json where there is one, else the published
 * ones. Whatever is wrong in a file, or that it is missing, is a finding. SY_NOT_FOUND: no such folder.
 * SY_IO, SY_NO_MEMORY. One thread at a time. */
SY_API sy_status sy_registry_open(const char *root, unsigned parts, sy_registry **ret_registry,
                                  sy_error *err) SY_NODISCARD;
SY_API void sy_registry_close(sy_registry *registry); /* NULL is allowed */

/* All that was found; it and what it points to live until sy_registry_close. SY_NO_MEMORY. */
SY_API sy_status sy_registry_findings(sy_registry *registry, sy_finding_list *ret_list, sy_error *err) SY_NODISCARD;

/* One rule: its id as findings carry it, and what it asks in one line. Number index; false behind the last. */
SY_API bool sy_registry_rule(size_t index, const char **ret_id, const char **ret_summary);

/* ---- the matrix ---- */

typedef struct sy_matrix_cell {
    const char *id; /* "capability::backend" */
    const char *capability;
    const char *backend;
    const char *support_level;
    const char *pr_gate;
    const char *scheduled_profile; /* "weekly", "none" */
    bool release_signoff;
    const char *runner;
    const char *state;  /* "ready", "evidence-gap", "unsupported" */
    const char *reason; /* why it is no more than that; "" = none is given */
    size_t gate_count;  /* that the join assigns to it; 0 also where nothing was joined */
    size_t open_gates;  /* of them */
    size_t measured_gates;
    const char *next_gate; /* id of the most urgent open one, by priority, then id; "" = none */
} sy_matrix_cell;

typedef struct sy_matrix {
    const char *protocol_version;
    const char *const *capabilities; /* in file order */
    size_t capability_count;
    const char *const *backends;
    size_t backend_count;
    const sy_matrix_cell *cells; /* those that could be read, in file order */
    size_t cell_count;
} sy_matrix;

/* What could be read of the matrix; lives until sy_registry_close. SY_NOT_FOUND: nothing of it could, the findings say
 * why. */
SY_API sy_status sy_registry_matrix(sy_registry *registry, sy_matrix *ret_matrix, sy_error *err) SY_NODISCARD;

/* What the join found that nobody has to mend at once, counted; each is a note. */
typedef struct sy_registry_coverage {
    size_t ready_with_open_gates;     /* cells called ready while a gate of theirs is open */
    size_t gates_that_cannot_measure; /* open gates whose runbook measures nothing */
    size_t evidence_without_cell;     /* measurements that no cell's gates name */
    size_t schedules_without_runner;  /* scheduled cells whose platform has no ready runner */
    size_t gates_without_cell;        /* gates that belong to no cell of the matrix */
    size_t cells_without_gate;        /* cells, not unsupported ones, that no gate belongs to */
} sy_registry_coverage;

/* SY_REFUSED: not all parts were read. */
SY_API sy_status sy_registry_coverage_count(sy_registry *registry, sy_registry_coverage *ret_coverage,
                                            sy_error *err) SY_NODISCARD;

/* ---- gates ---- */

typedef struct sy_gate_row {
    const char *id;
    const char *module;
    const char *operation;
    const char *platform;
    const char *computer;
    const char *state; /* "measured", "partial", ... */
    const char *label; /* as people see it: sign and word */
    const char *runbook;
    const char *next_gate; /* "" */
    int priority;          /* 1..5 */
    bool is_open;          /* partial, pending or blocked */
    bool is_performance;   /* its runbook promises physical performance */
} sy_gate_row;

/* NULL = any; else the whole text, letters of either case. */
typedef struct sy_gate_filter {
    const char *state;
    const char *platform;
    const char *module;
    const char *computer;
    bool performance_only;
} sy_gate_filter;

#define SY_GATE_FILTER_INIT           \
    {                                 \
        NULL, NULL, NULL, NULL, false \
    }

typedef enum sy_gate_order {
    SY_GATES_BY_PLACE,   /* all, by module, platform, id */
    SY_GATES_BY_PRIORITY /* open ones alone, by priority, id */
} sy_gate_order;

/* Gates that could be read and that the filter (NULL = none) lets through. The array lives until sy_registry_close.
 * SY_NO_MEMORY. */
SY_API sy_status sy_registry_gates(sy_registry *registry, const sy_gate_filter *filter, sy_gate_order order,
                                   const sy_gate_row **ret_rows, size_t *ret_count, sy_error *err) SY_NODISCARD;

/* The gate with what it inherits from its configuration, as JSON: keys sorted, two spaces a level, non-ASCII escaped.
 * Freed by sy_text_free. SY_NOT_FOUND: the hint lists near ids. SY_NO_MEMORY. */
SY_API sy_status sy_registry_gate_show(sy_registry *registry, const char *id, char **ret_json,
                                       sy_error *err) SY_NODISCARD;
/* The gate's runbook with its fields filled in, as text: preflight, command, artifacts, promotion boundary. Launches
 * nothing. Freed and errors as above; SY_CORRUPT: the gate names no runbook that could be read. */
SY_API sy_status sy_registry_gate_command(sy_registry *registry, const char *id, char **ret_text,
                                          sy_error *err) SY_NODISCARD;
/* The coverage document, Markdown, byte for byte as it must stand in the file. Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_registry_coverage_render(sy_registry *registry, char **ret_markdown, sy_error *err) SY_NODISCARD;
/* Where the project keeps that document, from the root; NULL: it keeps none. Lives until sy_registry_close. */
SY_API const char *sy_registry_coverage_path(const sy_registry *registry);
/* Writes it durably, over what is there. path: NULL = where the project keeps it, else as the process sees it.
 * SY_NOT_FOUND: path is NULL and the project keeps none. SY_REFUSED: a file of the registry is missing or damaged, and
 * the document would be without what it holds. SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_registry_coverage_write(sy_registry *registry, const char *path, sy_error *err) SY_NODISCARD;
/* Whether that file holds what would be written, byte for byte; false where there is none. path and errors likewise. */
SY_API sy_status sy_registry_coverage_is_current(sy_registry *registry, const char *path, bool *ret_is_current,
                                                 sy_error *err) SY_NODISCARD;

/* ---- a new project ---- */

typedef struct sy_registry_init_options {
    size_t struct_size;
    const char *project; /* NULL = the folder's name */
    const char *backend; /* NULL, "cpu" = of this computer; "fake" = a toy to learn with, whose times are made up */
} sy_registry_init_options;

#define SY_REGISTRY_INIT_OPTIONS_INIT                   \
    {                                                   \
        .struct_size = sizeof(sy_registry_init_options) \
    }

/* Writes a small valid set below root: steelyard.json, a matrix of two capabilities and two backends, runbooks that run
 * steelyard itself, an index without runs; or a toy of one gate, with the script that its runbook runs. root is made
 * where it alone is missing. All of it or nothing. Names what was written through each (may be NULL), at the end.
 * SY_REFUSED: one of the files is there. SY_INVALID_ARGUMENT: there is no set for such a backend. SY_NOT_FOUND: root is
 * no folder, and the one above it is none either. SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_registry_init(const char *root, const sy_registry_init_options *options,
                                  void (*each)(void *user, const char *path), void *user, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
