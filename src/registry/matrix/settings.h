/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard.json at a project's root: where the files of the registry are, and what the project says of its platforms
 * beyond the matrix. Every member is optional; without the file the published names hold. */
#ifndef STEELYARD_REGISTRY_SETTINGS_H
#define STEELYARD_REGISTRY_SETTINGS_H

#include <steelyard/run.h>

#include "registry/files/document.h"
#include "registry/matrix/protocol.h"

#define SY_SETTINGS_FILE "steelyard.json"

/* What a runner must have before a schedule may count on it. */
#define SY_READINESS_LIST(X)                       \
    X(DEVICE_OWNERSHIP, "stable_device_ownership") \
    X(FIXTURE_ACCESS, "fixture_access")            \
    X(ARTIFACT_RETENTION, "artifact_retention")    \
    X(FAIL_CLOSED_PREFLIGHT, "fail_closed_preflight")

enum {
#define SY_READINESS_ENUM(name, word) SY_READINESS_##name,
    SY_READINESS_LIST(SY_READINESS_ENUM)
#undef SY_READINESS_ENUM
        SY_READINESS_COUNT
};

const char *sy_readiness_word(size_t field); /* "fixture_access" */

typedef enum sy_readiness {
    SY_READINESS_NOT_SAID,
    SY_READINESS_NO,
    SY_READINESS_YES,
    SY_READINESS_DAMAGED /* of another type; the finding is made */
} sy_readiness;

typedef struct sy_memory_figure {
    uint64_t bytes;
    sy_memory_basis basis;
    sy_memory_scope scope;
    const char *how; /* of a constrained one; "" = not said */
} sy_memory_figure;

/* Reads {bytes, basis, scope, how}; what is wrong is a finding and gives false. */
bool sy_memory_figure_read(const sy_document *document, const sy_json_value *object, sy_memory_figure *ret_figure);
bool sy_memory_basis_is_signoff(sy_memory_basis basis); /* whether it can satisfy a minimum-memory gate */

typedef struct sy_settings_platform {
    const char *name;
    const sy_json_value *value;
    const char *runner;                   /* NULL: not said */
    const char *scheduled_responsibility; /* NULL: not said */
    const sy_json_value *readiness_at;    /* NULL: not said, or damaged */
    bool readiness_is_damaged;            /* no object; the finding is made */
    sy_readiness ready[SY_READINESS_COUNT];
    bool denies_minimum_memory; /* it says null */
    bool has_minimum_memory;
    sy_memory_figure minimum_memory;
} sy_settings_platform;

/* Whether all four fields say yes. */
bool sy_settings_platform_is_ready(const sy_settings_platform *platform);

typedef struct sy_settings {
    sy_document *document;          /* NULL: there is no steelyard.json */
    const char *project;            /* NULL: it has no name */
    const char *matrix_path;        /* "benchmarks/profile_matrix.json" */
    const char *parity_path;        /* "tests/parity/backend_matrix.json" */
    const char *gates_path;         /* "benchmarks/benchmark_registry.json" */
    const char *experiments;        /* "experiments": the folder of manifests */
    const char *index_path;         /* "experiments/RUNS.md" */
    const char *coverage_path;      /* "docs/_generated/benchmark_coverage.md"; NULL: none is kept */
    const char *protocols;          /* folder of protocol descriptions of the project's own; NULL: none */
    const char *evidence;           /* where the ledger is: ".steelyard"; may lie elsewhere */
    bool checks_parity_gates;       /* a file that the parity matrix names as a gate and that is not there: a note */
    const sy_json_value *matrix_at; /* where steelyard.json names the file; NULL: it does not */
    const sy_json_value *parity_at;
    const sy_json_value *gates_at;
    const sy_json_value *experiments_at;
    const sy_json_value *index_at;
    const sy_json_value *coverage_at;
    const sy_json_value *protocols_at;
    const sy_json_value *evidence_at;
    sy_settings_platform *platforms;
    size_t platform_count;
    sy_protocol *known_protocols; /* shipped ones, then the project's own */
    size_t known_protocol_count;
} sy_settings;

#endif
