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
    uint64_t wait_ns;     /* for other writers of the ledger */
    const char *leases;   /* the folder of device leases; NULL = the host's own */
    bool may_lack_ledger; /* opens where there is none, too, unless evidence is named: sy_project_ledger is NULL then */
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
SY_API sy_ledger *sy_project_ledger(sy_project *project); /* lives until sy_project_close; see may_lack_ledger */
SY_API const char *
sy_project_leases(const sy_project *project); /* for sy_device_leases; NULL = the host's own folder */
/* Everything of the registry; lives until sy_project_close. Errors as sy_registry_open. */
SY_API sy_status sy_project_registry(sy_project *project, sy_registry **ret_registry, sy_error *err) SY_NODISCARD;

/* ---- the life of a run ---- */

/* Something that is measured on: a file whose digest is found out, and held against that of the gate's fixture of this
 * name. */
typedef struct sy_run_input {
    const char *name;
    const char *path; /* as the process sees it */
} sy_run_input;

/* Texts are borrowed by the call, and cleaned of what is private. */
typedef struct sy_run_start_options {
    size_t struct_size;
    const char *gate;
    const char *question;    /* NULL = the gate's, or its runbook's; without any it cannot start */
    const char *device;      /* NULL = the gate's platform: "cpu" */
    const char *cache_state; /* NULL = as the gate says */
    int hardware;            /* said by a person: 1 = a physical device, 0 = software; -1 = as far as we know */
    const sy_run_input *inputs;
    size_t input_count;
    const sy_named_text *parameters;
    size_t parameter_count;
    const sy_named_text *key; /* fields of the comparison key, said by a person: they win, but over protocol, cell,
                                 device and revision */
    size_t key_count;
    const char *const *planned_outputs; /* besides the artifacts that the runbook requires */
    size_t planned_output_count;
    const char *const *notes;
    size_t note_count;
    const char *const *despite; /* runs whose failed smoke blocks the device, and that shall not */
    size_t despite_count;
    const char *despite_reason;    /* why not */
    const char *machine;           /* NULL = this one; else a folder of its recorded `proc` and `sys` trees */
    const char *git;               /* NULL = the program "git" */
    uint64_t wait_ns;              /* how long to wait for a device that another run owns; 0 = not */
    bool (*cancelled)(void *user); /* NULL, or asked several times a second while it waits */
    void *user;
} sy_run_start_options;

#define SY_RUN_START_OPTIONS_INIT                                   \
    {                                                               \
        .struct_size = sizeof(sy_run_start_options), .hardware = -1 \
    }

/* A run that was begun, or failed before it was. */
typedef struct sy_run_started {
    const char *run;  /* its id */
    const char *gate; /* and so on: as they are recorded */
    const char *tier;
    const char *device;
    const char *revision;       /* of the sources; "" = unknown */
    const char *source_remark;  /* why less is known of them than could be; "" */
    bool planned;               /* false: its preflight failed, and it is recorded as failed */
    const char *reason;         /* "preflight: load, hardware"; "" */
    const sy_run_check *checks; /* all of them, in the order in which they were made */
    size_t check_count;
    const char *unknown_fields; /* of its comparison key, parted by ", "; "" = it is complete */
    const char *command;        /* what it is to run, {fields} filled; private parts taken out */
    const char *smoke;          /* "" = none */
    sy_ledger_head head;        /* after it */
    void *owner;                /* private */
} sy_run_started;

/* Begins a run of a gate: looks at machine, sources and inputs, and records all of it before any work. A preflight that
 * fails is recorded, too, as a failed run: see planned. SY_NOT_FOUND: no such gate; SY_REFUSED: the gate is neither
 * open nor measured, or the smoke of another gate has failed on the device and nobody says despite;
 * SY_INVALID_ARGUMENT: no question, an unknown field of the key; SY_CORRUPT: the gate's runbook could not be read;
 * SY_BUSY, SY_IO, SY_NO_MEMORY. The caller destroys *ret_started. */
SY_API sy_status sy_project_start(sy_project *project, const sy_run_start_options *options,
                                  sy_run_started **ret_started, sy_error *err) SY_NODISCARD;
SY_API void sy_run_started_destroy(sy_run_started *started); /* NULL is allowed */

/* Keeps a file as an artifact of a run. name: NULL = that of the file; folders are left out. ret_artifact's texts live
 * until the project is closed. SY_NOT_FOUND: no such run or file; SY_LIMIT_EXCEEDED: more than limit_bytes (0 = 1 GiB);
 * SY_REFUSED, SY_BUSY, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_project_attach(sy_project *project, const char *run, sy_artifact_role role, const char *path,
                                   const char *name, uint64_t limit_bytes, sy_run_artifact *ret_artifact,
                                   sy_error *err) SY_NODISCARD;

/* How a run ends, with what was not said before. */
typedef struct sy_run_finish_options {
    size_t struct_size;
    const char *run;
    sy_run_end end;
    const sy_run_memory *memories;
    size_t memory_count;
    const sy_run_parity_event *parities;
    size_t parity_count;
    const sy_run_digest *digests;
    size_t digest_count;
    const char *const *notes;
    size_t note_count;
} sy_run_finish_options;

#define SY_RUN_FINISH_OPTIONS_INIT                   \
    {                                                \
        .struct_size = sizeof(sy_run_finish_options) \
    }

typedef struct sy_run_finished {
    const char *run; /* its whole id */
    sy_run_status status;
    const char *const *remarks; /* "pre-check: ..." of each memory figure that cannot satisfy a minimum-memory gate */
    size_t remark_count;
    sy_ledger_head head;
    void *owner; /* private */
} sy_run_finished;

/* Writes the figures and the end: all or nothing. SY_REFUSED: the run cannot end so; SY_BUSY: it is still executed, by
 * a process of this host that is named, or the ledger is busy; SY_NOT_FOUND: no such run, or none that supersedes it;
 * SY_INVALID_ARGUMENT, SY_IO, SY_NO_MEMORY. The caller destroys *ret_finished. */
SY_API sy_status sy_project_finish(sy_project *project, const sy_run_finish_options *options,
                                   sy_run_finished **ret_finished, sy_error *err) SY_NODISCARD;
SY_API void sy_run_finished_destroy(sy_run_finished *finished); /* NULL is allowed */

typedef struct sy_run_accept_options {
    size_t struct_size;
    const char *by;     /* who decides so */
    const char *reason; /* NULL = none */
    bool new_baseline; /* the change that a verdict confirmed is accepted: the baseline begins anew with this session */
} sy_run_accept_options;

#define SY_RUN_ACCEPT_OPTIONS_INIT                   \
    {                                                \
        .struct_size = sizeof(sy_run_accept_options) \
    }

typedef struct sy_run_acceptance {
    const char *run; /* its whole id */
    bool accepted;
    const char *const *reasons; /* why not, each */
    size_t reason_count;
    const char *const *remarks; /* "its comparison key is not complete: it is the baseline of nothing" */
    size_t remark_count;
    sy_ledger_head head;
    void *owner; /* private */
} sy_run_acceptance;

/* Takes a session into the baseline of its key, if every rule lets it: from the sixth on only with a verdict of pass,
 * or as a new baseline with a confirmed change. SY_OK also when it is not accepted. SY_NOT_FOUND, SY_INVALID_ARGUMENT,
 * SY_BUSY, SY_IO, SY_NO_MEMORY. The caller destroys *ret_acceptance. */
SY_API sy_status sy_project_accept(sy_project *project, const char *run, const sy_run_accept_options *options,
                                   sy_run_acceptance **ret_acceptance, sy_error *err) SY_NODISCARD;
SY_API void sy_run_acceptance_destroy(sy_run_acceptance *acceptance); /* NULL is allowed */

/* One run that says it is running. */
typedef struct sy_swept_run {
    const char *run;
    const char *gate;
    const char *device;
    const char *host;
    int64_t until_utc_s; /* of its last lease */
    bool lost;           /* closed as failed, reason `lost`; in a dry run: would be */
    const char *why;     /* "nobody holds cpu, and no command of it has ended" */
} sy_swept_run;

typedef struct sy_sweep {
    const sy_swept_run *runs; /* every running one, the oldest first */
    size_t run_count;
    size_t lost_count;
    sy_ledger_head head;
    void *owner; /* private */
} sy_sweep;

/* Closes what can never end by itself: its host was started anew, or nobody holds its device though no command of it
 * has ended; of another host, when its lease is over. dry_run: only says so. SY_BUSY, SY_IO, SY_NO_MEMORY. The caller
 * destroys *ret_sweep. */
SY_API sy_status sy_project_sweep(sy_project *project, bool dry_run, sy_sweep **ret_sweep, sy_error *err) SY_NODISCARD;
SY_API void sy_sweep_destroy(sy_sweep *sweep); /* NULL is allowed */

/* Why a memory figure cannot satisfy the minimum-memory gate: "an estimate; only what was physically so, or
 * constrained, counts"; "" = it can. */
SY_API const char *sy_run_memory_shortcoming(const sy_run_memory *memory);

/* ---- commands of a run ---- */

/* What a run's command is and may do. Texts are borrowed by the call. */
typedef struct sy_run_exec_options {
    size_t struct_size;
    const char *const *argv; /* NULL = the command of the gate's runbook, which runs in the project's folder */
    size_t argc;
    bool shell; /* a runbook's line, or the one word of argv, is given to sh -c */
    /* The control arm: the accepted revision, run once under the same lease, before or behind the command as a coin
     * says. Its words; or a line that is split as a runbook's is (with shell: given to sh -c); or neither, and a
     * folder: then the command itself is run there. All NULL = no control arm. */
    const char *const *control_argv;
    size_t control_argc;
    const char *control_line;
    const char *control_directory;       /* NULL = that of the command */
    bool without_smoke;                  /* only without a gate, or when it has none: else SY_REFUSED */
    const char *directory;               /* NULL = the caller's for argv, the project's for a runbook's command */
    const char *const *environment;      /* what the caller has, NAME=VALUE, NULL behind the last; NULL = nothing */
    const char *const *more_environment; /* NAME or NAME=VALUE: what the command sees besides what is always let by */
    size_t more_environment_count;
    uint64_t timeout_ns;        /* of each command; 0 = none */
    uint64_t wait_ns;           /* for the lease of the device; 0 = one try */
    uint64_t log_limit_bytes;   /* of each stream: its beginning and its end are kept */
    const char *const *imports; /* "FORMAT:FILE": what a command leaves in a file becomes series of the run */
    size_t import_count;
    /* What the command writes, as it comes; stream: 1 or 2. NULL = nobody looks. */
    void (*output)(void *user, int stream, const void *bytes, size_t size);
    bool (*cancelled)(void *user); /* asked often: true ends the command */
    void *user;
} sy_run_exec_options;

#define SY_RUN_EXEC_OPTIONS_INIT                                                         \
    {                                                                                    \
        .struct_size = sizeof(sy_run_exec_options), .log_limit_bytes = (uint64_t)1 << 20 \
    }

/* What became of it. */
typedef struct sy_run_executed {
    const char *run;      /* its whole id */
    sy_run_status status; /* running: it measured, and is to be finished; failed: it has ended */
    const char *reason;   /* "smoke: exited with 3", "command: still ran after 10 s", "interrupted"; "" */
    bool interrupted;
    uint64_t fence;       /* of the lease */
    bool lease_held;      /* throughout */
    sy_run_command smoke; /* as they are recorded; argc 0: it did not run */
    sy_run_command command;
    sy_run_command control;
    bool has_control;              /* one was asked for */
    bool control_first;            /* what the coin said */
    const char *no_control;        /* why there is no control arm though: "its parity is failed"; "" */
    sy_run_parity control_parity;  /* the worst that the control said */
    uint64_t control_sample_count; /* of the control arm; the counts below are without them */
    sy_run_parity parity;          /* the worst that the command said; unknown: nothing */
    uint64_t series_count;
    uint64_t sample_count;
    uint64_t memory_count;
    uint64_t artifact_count;
    const char *const *remarks; /* what a reader should know: lines and files that were not taken */
    size_t remark_count;
    sy_ledger_head head;
    void *owner; /* private */
} sy_run_executed;

/* Runs the command of a run that is planned or running: takes the lease of its device, runs the gate's smoke command
 * and ends the run as failed if that violates parity, memory or ownership; then the command, under the line protocol of
 * docs/runs.md, and records what it said; with a control, that too, which counts for nothing if anything is wrong with
 * it. run: as sy_ledger_run takes it. SY_OK whatever became of the command.
 * SY_NOT_FOUND: no such run; SY_REFUSED: it has ended, or has a gate and is to go without its smoke command; SY_BUSY:
 * the device is another run's, who is named; SY_UNAVAILABLE: the gate needs a variable that is not set;
 * SY_INVALID_ARGUMENT: no command, or one that only a shell understands; SY_INTERRUPTED: before anything ran; SY_IO,
 * SY_NO_MEMORY. The caller destroys *ret_executed. */
SY_API sy_status sy_project_exec(sy_project *project, const char *run, const sy_run_exec_options *options,
                                 sy_run_executed **ret_executed, sy_error *err) SY_NODISCARD;
SY_API void sy_run_executed_destroy(sy_run_executed *executed); /* NULL is allowed */

/* ---- files of other tools ---- */

typedef struct sy_project_import_options {
    size_t struct_size;
    const char *name; /* the file's, as people know it; folders are left out; NULL = none */
    const char *cell; /* of every row; NULL = "<format>::<name>{<parameter>=<value>,...}" */
    bool keep_file;   /* as an artifact even if something private stands in it */
    bool dry_run;     /* only says what would be recorded */
} sy_project_import_options;

#define SY_PROJECT_IMPORT_OPTIONS_INIT                    \
    {                                                     \
        .struct_size = sizeof(sy_project_import_options), \
    }

/* What became of a file. Counts are of its rows. */
typedef struct sy_import_account {
    uint64_t added_count;    /* recorded now; in a dry run: that would be */
    uint64_t known_count;    /* that the ledger has already, from a file of these very bytes */
    uint64_t failed_count;   /* of all: recorded as failed */
    uint64_t repeated_count; /* that equal an earlier one in name and parameters: each is a run of its own */
    const char *const *runs; /* the id of every row, in the file's order */
    size_t run_count;
    bool file_is_kept;
    const char *not_kept; /* why: "a path into somebody's home stands in it"; "" */
    sy_ledger_head head;  /* after it */
    void *owner;          /* private */
} sy_import_account;

/* Records each row as a run of kind and status `imported`, with an event `import` for the file as a whole behind the
 * last of them: each row whole or not at all, in the file's order and in transactions of bounded size. After a failure
 * or a kill the same file again goes on behind what is recorded; when all of it is, it adds nothing. Names and values
 * are cleaned of what is private; the file itself is kept as an artifact, unless something private stands in it.
 * options may be NULL; project too, in a dry run: then none of the rows is known. SY_REFUSED (read only), SY_BUSY,
 * SY_IO, SY_NO_MEMORY. The caller destroys *ret_account. */
SY_API sy_status sy_project_import(sy_project *project, const sy_imported *imported,
                                   const sy_project_import_options *options, sy_import_account **ret_account,
                                   sy_error *err) SY_NODISCARD;
SY_API void sy_import_account_destroy(sy_import_account *account); /* NULL is allowed */

/* ---- what is measured here, recorded ---- */

/* What is about to be probed or measured. Texts are borrowed by the call, and cleaned of what is private. */
typedef struct sy_recording_options {
    size_t struct_size;
    const char *question;         /* NULL = made of what is asked */
    const char *gate;             /* whose configuration is measured: its cell, tier and key; NULL = none */
    const sy_device_info *device; /* NULL = that of the result, where there is one */
    const sy_identity *identity;  /* the same */
    const char *software;         /* of sy_suite_software; NULL = not known beyond the identity */
    const sy_suite *suite;        /* NULL: shapes are not known, and the key is not complete */
    const char *const *cases;     /* as in sy_probe_options */
    size_t case_count;
    const char *implementation; /* of a session */
    sy_cache_state cache;
    const sy_named_text *key; /* fields of the comparison key, said by a person: they win, but over protocol, cell,
                                 device and revision */
    size_t key_count;
    const char *const *argv; /* the command that measures; NULL = it is a call of the library */
    size_t argc;
    uint64_t wait_ns;              /* for the device, while another campaign owns it; 0 = one try */
    uint64_t hold_ns;              /* how long it may take at most: before that it is not called lost; 0 = an hour */
    bool (*cancelled)(void *user); /* NULL, or asked while it waits */
    void *user;
} sy_recording_options;

#define SY_RECORDING_OPTIONS_INIT                   \
    {                                               \
        .struct_size = sizeof(sy_recording_options) \
    }

/* A run that owns its device from its beginning, before anything is timed, to its end. */
typedef struct sy_recording sy_recording;

/* Takes the device's lease and writes the run's beginning. kind: decision (a probe follows) or session (a measurement).
 * SY_UNAVAILABLE: another campaign owns the device, what names its run, process and since when; SY_INVALID_ARGUMENT: a
 * field that the key does not have; SY_NOT_FOUND: a gate or case by that name; SY_REFUSED: the gate is for another
 * operation, implementation, case or cache state, or the ledger is read only; SY_INTERRUPTED: while it waited; SY_BUSY,
 * SY_CORRUPT (the gate's runbook), SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_recording_begin(sy_project *project, sy_run_kind kind, const sy_recording_options *options,
                                    sy_recording **ret_recording, sy_error *err) SY_NODISCARD;
SY_API const char *sy_recording_run(const sy_recording *recording);     /* its id */
SY_API const char *sy_recording_unknown(const sy_recording *recording); /* fields of its key, parted by ", "; "" */

/* Writes all that was found, and the end: ok where the probe completed, or every case was measured; else failed, with
 * the reason. *ret_recorded is the run with the digest of its end. One transaction: all of it is on the disk, or the
 * run still stands as running. SY_REFUSED, SY_BUSY, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_recording_keep_probe(sy_recording *recording, const sy_probe_result *result,
                                         sy_recorded *ret_recorded, sy_error *err) SY_NODISCARD;
SY_API sy_status sy_recording_keep_measure(sy_recording *recording, const sy_measure_result *result,
                                           sy_recorded *ret_recorded, sy_error *err) SY_NODISCARD;
/* Ends a run that has no result: failed, with that reason. */
SY_API sy_status sy_recording_fail(sy_recording *recording, const char *reason, sy_error *err) SY_NODISCARD;
/* Gives the device back. A run without an end is closed as failed, if the ledger still takes it. NULL is allowed. */
SY_API void sy_recording_close(sy_recording *recording);

/* A probe that was made already, as one call: for sy_selector_options.record. The lease is held while it is written,
 * which says nothing of the time before. Errors as above. */
SY_API sy_status sy_project_record_probe(sy_project *project, const sy_probe_result *result,
                                         const sy_recording_options *options, sy_recorded *ret_recorded,
                                         sy_error *err) SY_NODISCARD;

/* What a result says as lines of the protocol by which a command tells what it measured (docs/runs.md): samples in
 * order, parity, memory, digests. The caller frees *ret_lines with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_run_lines_of_probe(const sy_probe_result *result, char **ret_lines, sy_error *err) SY_NODISCARD;
SY_API sy_status sy_run_lines_of_measure(const sy_measure_result *result, char **ret_lines, sy_error *err) SY_NODISCARD;

/* Says in the run where its decision was stored. SY_NOT_FOUND: no such run; else as above. */
SY_API sy_status sy_project_link_profile(sy_project *project, const char *run, const sy_run_profile *profile,
                                         sy_error *err) SY_NODISCARD;

typedef enum sy_proof_state {
    SY_PROOF_HOLDS, /* the run is here, and an event of it has that digest */
    SY_PROOF_DIFFERS,
    SY_PROOF_ABSENT /* no such run in this ledger */
} sy_proof_state;

/* Whether the ledger has the run that a stored decision names as its evidence. SY_CORRUPT, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_project_prove(sy_project *project, const sy_recorded *recorded, sy_proof_state *ret_state,
                                  sy_error *err) SY_NODISCARD;

/* ---- devices ---- */

/* Who owns a device of this host, or owned it last. */
typedef struct sy_device_lease {
    const char *device;
    bool held;       /* now */
    uint64_t fence;  /* grows with every holder */
    int64_t process; /* of the holder; 0 = it was given back */
    unsigned user;   /* the holder's number */
    const char *host;
    const char *run;      /* "" = none */
    const char *project;  /* SHA-256 of the project's folder; "" */
    int64_t since_utc_s;  /* as the host's clock said */
    int64_t until_utc_s;  /* when the holder means to be done, or to have said more */
    bool of_another_boot; /* the holder is gone for certain */
} sy_device_lease;

typedef struct sy_device_lease_list {
    const sy_device_lease *leases; /* sorted by device */
    size_t lease_count;
    const char *folder; /* where they are kept; "" = nobody of this host has leased a device yet */
    void *owner;        /* private */
    int64_t now_utc_s;  /* when they were looked at */
} sy_device_lease_list;

/* Every device of this host that was ever leased since it was started, whichever project did. folder: NULL = the host's
 * own. The caller destroys *ret_list. SY_REFUSED: the folder is not one that can be trusted, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_device_leases(const char *folder, sy_device_lease_list **ret_list, sy_error *err) SY_NODISCARD;
SY_API void sy_device_lease_list_destroy(sy_device_lease_list *list); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
