/* SPDX-License-Identifier: Apache-2.0 */
/* The joined calls for maintainers: a project with its registry and its ledger; runs that are started, executed under a
 * lease of their device, finished and accepted; probes, measurements and files of other tools recorded. */
#ifndef STEELYARD_EVIDENCE_H
#define STEELYARD_EVIDENCE_H

#include <steelyard/import.h>
#include <steelyard/ledger.h>
#include <steelyard/measure.h>
#include <steelyard/probe.h>
#include <steelyard/registry.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the project ---- */

typedef struct sy_project sy_project;

typedef struct sy_project_options {
    size_t struct_size;
    const char *root;     /* NULL = the nearest folder from here upwards that holds steelyard.json */
    const char *evidence; /* the folder of the ledger; NULL = as steelyard.json says, else .steelyard beside it */
    bool create;          /* makes the ledger where there is none: only what records does that */
    bool read_only;
    uint64_t wait_ns; /* for other writers of the ledger */
} sy_project_options;

#define SY_PROJECT_OPTIONS_INIT                                                     \
    {                                                                               \
        .struct_size = sizeof(sy_project_options), .wait_ns = UINT64_C(60000000000) \
    }

/* SY_NOT_FOUND: there is no steelyard.json (nothing is ever recorded outside of a project), or no ledger and it is not
 * to be made. Else as sy_ledger_open. The registry is read when it is asked for. */
SY_API sy_status sy_project_open(const sy_project_options *options, sy_project **ret_project,
                                 sy_error *err) SY_NODISCARD;
SY_API void sy_project_close(sy_project *project);                 /* NULL is allowed */
SY_API const char *sy_project_root(const sy_project *project);     /* absolute */
SY_API const char *sy_project_evidence(const sy_project *project); /* the folder, as the process sees it */
SY_API sy_ledger *sy_project_ledger(sy_project *project);          /* lives until sy_project_close */
/* Everything of the registry; lives until sy_project_close. Errors as sy_registry_open. */
SY_API sy_status sy_project_registry(sy_project *project, sy_registry **ret_registry, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
