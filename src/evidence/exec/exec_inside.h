/* SPDX-License-Identifier: Apache-2.0 */
/* One call of sy_project_exec as the files of this folder see it. */
#ifndef STEELYARD_EVIDENCE_EXEC_INSIDE_H
#define STEELYARD_EVIDENCE_EXEC_INSIDE_H

#include <steelyard/evidence.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "evidence/event_list.h"
#include "evidence/exec/exec_child.h"
#include "evidence/exec/exec_clean.h"
#include "evidence/lease/lease.h"
#include "registry/gates/gate_plan.h"

/* A program that is to run. */
typedef struct sy_exec_command {
    const char *phase;       /* "smoke", "measure", "control" */
    const char *const *argv; /* NULL behind the last; argv NULL = there is none */
    size_t argc;
    const char **environment; /* NULL behind the last; with those of steelyard */
    const char *directory;
    const char *const *shown_argv; /* as they are recorded */
    const sy_named_text *shown_environment;
    size_t shown_environment_count;
} sy_exec_command;

/* Remarks for whoever looks, in order. */
typedef struct sy_exec_remarks {
    const char *about; /* in front of each: "control: "; NULL = nothing */
    const char **texts;
    size_t count;
    size_t capacity;
} sy_exec_remarks;

typedef struct sy_exec {
    sy_project *project;
    const sy_run_exec_options *options;
    sy_ledger *ledger;
    const sy_clock *clock;
    sy_arena *arena; /* becomes the result's */
    const char *run; /* its whole id */
    const char *gate;
    const char *device;
    const char *host; /* of the run's beginning */
    bool synthetic;   /* its times are made up */
    bool has_plan;
    sy_gate_plan plan;
    bool departs; /* the command is not that of the gate's runbook */
    sy_exec_command smoke;
    sy_exec_command measure;
    sy_exec_command control;    /* argv NULL = none is wanted */
    const char *control_source; /* "control: sources 0123 of main"; NULL = nothing to say */
    sy_lease *lease;
    bool lease_unbroken;     /* up to the end of the last command */
    sy_event_list extension; /* of the lease, that the ledger was too busy to take */
    sy_ledger *impatient;    /* the same ledger, without waiting; NULL until it is needed */
    sy_exec_cleaner cleaner;
    sy_event_list events; /* that are to be appended next */
    sy_exec_remarks remarks;
    struct stat *before;    /* of each import's file; st_nlink 0 = it was not there */
    sy_imported **imported; /* one an import and command; they hold the samples of their series */
    size_t imported_count;
    sy_run_executed *result;
} sy_exec;

/* exec_prepare.c: the run, its gate's plan and the commands, before anything happens. Errors as sy_project_exec. */
sy_status sy_exec_prepare(sy_exec *exec, const char *run, sy_error *err) SY_NODISCARD;

/* exec_record.c: what a command did and said becomes events; nothing is appended. reason: why the run ends as failed;
 * NULL = it goes on. SY_NO_MEMORY, SY_INVALID_ARGUMENT, SY_IO. */
sy_status sy_exec_record_smoke(sy_exec *exec, const sy_exec_child *child, const char *reason, bool held,
                               sy_error *err) SY_NODISCARD;
sy_status sy_exec_record_measure(sy_exec *exec, sy_exec_child *child, bool held, sy_error *err) SY_NODISCARD;
sy_status sy_exec_record_failure(sy_exec *exec, const char *reason, sy_error *err) SY_NODISCARD;
/* The same of a control: series of role `control` unless there is a reason why it does not count. */
sy_status sy_exec_record_control(sy_exec *exec, sy_exec_child *child, const char *why_not, bool held,
                                 sy_error *err) SY_NODISCARD;

/* A series of a command: of a control with its own role and counts. SY_NO_MEMORY. */
sy_status sy_exec_add_series(sy_exec *exec, const sy_exec_command *command, sy_run_series *series,
                             sy_error *err) SY_NODISCARD;

/* exec_files.c: keeps logs, and files that the command named, and adds their events; what is not kept is a remark. */
sy_status sy_exec_keep_logs(sy_exec *exec, const sy_exec_command *command, const sy_exec_child *child,
                            sy_error *err) SY_NODISCARD;
sy_status sy_exec_keep_files(sy_exec *exec, const sy_exec_command *command, const sy_protocol_account *account,
                             sy_error *err) SY_NODISCARD;
/* Before a command: what is there already where --import looks is not the command's. SY_NO_MEMORY. */
sy_status sy_exec_look_at_imports(sy_exec *exec, const sy_exec_command *command, sy_error *err) SY_NODISCARD;
/* Reads what --import names and adds its series, up to the first that is not taken: then *reason, "" before, says why.
 * SY_NO_MEMORY. */
sy_status sy_exec_import(sy_exec *exec, const sy_exec_command *command, const char **reason,
                         sy_error *err) SY_NODISCARD;

/* exec_lost.c: appends what the command said, with a second try where the ledger is busy. What cannot be appended is
 * written to a file, `lost-<run>-<fence>.jsonl` in the evidence folder, else in the caller's TMPDIR: the error's hint
 * names it. Errors as sy_ledger_append. */
sy_status sy_exec_append_said(sy_exec *exec, sy_error *err) SY_NODISCARD;

/* exec.c: sy_project_exec with the seed of its coin. */
sy_status sy_exec_seeded(sy_project *project, const char *run, const sy_run_exec_options *options, uint64_t seed,
                         sy_run_executed **ret_executed, sy_error *err) SY_NODISCARD;
/* Runs one of the commands to its end; *ret_held: the lease was held from the first command to this one's end. */
sy_status sy_exec_run_command(sy_exec *exec, const sy_exec_command *command, sy_exec_child *child, bool *ret_held,
                              sy_error *err) SY_NODISCARD;

/* exec_control.c: draws which goes first. */
void sy_exec_control_toss(sy_exec *exec, uint64_t seed);
/* What is said of the control before anything runs. SY_NO_MEMORY. */
sy_status sy_exec_control_announce(sy_exec *exec, sy_error *err) SY_NODISCARD;
/* Runs it and appends what it said. Whatever is wrong with it, the run goes on; only an interrupted one ends it. Errors
 * as sy_ledger_append. */
sy_status sy_exec_control_run(sy_exec *exec, sy_error *err) SY_NODISCARD;
/* Says in a remark why there is no control arm. SY_NO_MEMORY. */
sy_status sy_exec_control_void(sy_exec *exec, const char *why, sy_error *err) SY_NODISCARD;

/* exec_verdict.c: why a command ended the run, in the run's arena; "" = it did not; NULL: no memory. */
const char *sy_exec_failure(const sy_exec *exec, const sy_exec_child *child);
/* The same, and what else a smoke command must not do. */
const char *sy_exec_violation(const sy_exec *exec, const sy_exec_child *child, bool held);
/* "parity failed in tiny: too far off" of the first that did; "" = none did; NULL: no memory. */
const char *sy_exec_parity_failure(const sy_exec *exec, const sy_protocol_account *account);
/* The worst outcome that was said; unknown: none. */
sy_run_parity sy_exec_worst_parity(const sy_protocol_account *account);

/* Adds a remark, cleaned. SY_NO_MEMORY. */
sy_status sy_exec_remark(sy_exec *exec, sy_error *err, const char *format, ...) SY_PRINTF(3, 4) SY_NODISCARD;

#endif
