/* SPDX-License-Identifier: Apache-2.0 */
/* A run: one experiment as the ledger remembers it, and the plain data that its events are made of. Texts are UTF-8,
 * borrowed by the calls that take them; "" = not said, in a field's value NULL = unknown. */
#ifndef STEELYARD_RUN_H
#define STEELYARD_RUN_H

#include <steelyard/record.h>
#include <steelyard/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- words ---- */

/* value: word. planned -> running -> ok | failed | refuted | superseded; ok -> superseded; a run that could not begin
 * goes from planned to failed; imported ones stay what they are. */
#define SY_RUN_STATUS_LIST(X)   \
    X(PLANNED, "planned")       \
    X(RUNNING, "running")       \
    X(OK, "ok")                 \
    X(FAILED, "failed")         \
    X(REFUTED, "refuted")       \
    X(SUPERSEDED, "superseded") \
    X(IMPORTED, "imported")

typedef enum sy_run_status {
#define SY_RUN_STATUS_ENUM(name, word) SY_RUN_##name,
    SY_RUN_STATUS_LIST(SY_RUN_STATUS_ENUM)
#undef SY_RUN_STATUS_ENUM
} sy_run_status;

/* What a run is: a process of its own under one lease that measured one implementation; a recorded probe; what another
 * tool measured. */
#define SY_RUN_KIND_LIST(X) \
    X(SESSION, "session")   \
    X(DECISION, "decision") \
    X(IMPORT, "import")

typedef enum sy_run_kind {
#define SY_RUN_KIND_ENUM(name, word) SY_RUN_KIND_##name,
    SY_RUN_KIND_LIST(SY_RUN_KIND_ENUM)
#undef SY_RUN_KIND_ENUM
} sy_run_kind;

/* How far a machine may trust what is said of outputs. */
#define SY_RUN_PARITY_LIST(X)   \
    X(UNKNOWN, "unknown")       \
    X(PASSED, "passed")         \
    X(FAILED, "failed")         \
    X(INCOMPLETE, "incomplete") \
    X(NOT_PERFORMED, "not-performed")

typedef enum sy_run_parity {
#define SY_RUN_PARITY_ENUM(name, word) SY_RUN_PARITY_##name,
    SY_RUN_PARITY_LIST(SY_RUN_PARITY_ENUM)
#undef SY_RUN_PARITY_ENUM
} sy_run_parity;

/* What the samples of a series are; of a control: of the accepted revision, run again under the same lease. */
#define SY_SERIES_ROLE_LIST(X) \
    X(SAMPLE, "sample")        \
    X(WARM_UP, "warm-up")      \
    X(PAIR, "pair")            \
    X(CONTROL, "control")

typedef enum sy_series_role {
#define SY_SERIES_ROLE_ENUM(name, word) SY_SERIES_##name,
    SY_SERIES_ROLE_LIST(SY_SERIES_ROLE_ENUM)
#undef SY_SERIES_ROLE_ENUM
} sy_series_role;

/* What a kept file is. */
#define SY_ARTIFACT_ROLE_LIST(X) \
    X(OUTPUT, "output")          \
    X(LOG, "log")                \
    X(PROFILER, "profiler")      \
    X(TRACE, "trace")            \
    X(DIFF, "diff")              \
    X(MANIFEST, "manifest")      \
    X(PROBE, "probe")            \
    X(SOURCE, "source")

typedef enum sy_artifact_role {
#define SY_ARTIFACT_ROLE_ENUM(name, word) SY_ARTIFACT_##name,
    SY_ARTIFACT_ROLE_LIST(SY_ARTIFACT_ROLE_ENUM)
#undef SY_ARTIFACT_ROLE_ENUM
} sy_artifact_role;

/* How a memory figure came about; only physical and constrained ones can satisfy a minimum-memory gate. */
#define SY_MEMORY_BASIS_LIST(X)   \
    X(PHYSICAL, "physical")       \
    X(CONSTRAINED, "constrained") \
    X(ESTIMATE, "estimate")       \
    X(CALCULATED, "calculated")

typedef enum sy_memory_basis {
#define SY_MEMORY_BASIS_ENUM(name, word) SY_MEMORY_##name,
    SY_MEMORY_BASIS_LIST(SY_MEMORY_BASIS_ENUM)
#undef SY_MEMORY_BASIS_ENUM
} sy_memory_basis;

/* Whose memory it is; of a device used: with its other occupants. */
#define SY_MEMORY_SCOPE_LIST(X)             \
    X(PROCESS, "process")                   \
    X(PROCESS_TREE, "process-tree")         \
    X(DEVICE_ALLOCATED, "device-allocated") \
    X(DEVICE_USED, "device-used")           \
    X(UNIFIED, "unified")

typedef enum sy_memory_scope {
#define SY_MEMORY_SCOPE_ENUM(name, word) SY_MEMORY_##name,
    SY_MEMORY_SCOPE_LIST(SY_MEMORY_SCOPE_ENUM)
#undef SY_MEMORY_SCOPE_ENUM
} sy_memory_scope;

SY_API const char *sy_run_status_word(sy_run_status status); /* "unknown" outside the list, as all of these */
SY_API const char *sy_run_kind_word(sy_run_kind kind);
SY_API const char *sy_run_parity_word(sy_run_parity parity);
SY_API const char *sy_series_role_word(sy_series_role role);
SY_API const char *sy_artifact_role_word(sy_artifact_role role);
SY_API const char *sy_memory_basis_word(sy_memory_basis basis);
SY_API const char *sy_memory_scope_word(sy_memory_scope scope);
SY_API bool sy_run_status_read(const char *word, sy_run_status *ret_status); /* false: no such word */
SY_API bool sy_run_parity_read(const char *word, sy_run_parity *ret_parity);
SY_API bool sy_artifact_role_read(const char *word, sy_artifact_role *ret_role);

/* ---- the comparison key ---- */

/* What must agree before two runs are compared: the fields in the order of the matrix. An unknown one equals nothing,
 * not even another unknown. */
typedef struct sy_comparison_key {
    const sy_named_text *fields;
    size_t field_count;
} sy_comparison_key;

SY_API bool sy_comparison_key_is_complete(const sy_comparison_key *key); /* has fields, and each is known */
/* SHA-256 of the key's canonical JSON (an array of [name, value]) as 64 lower-case hexadecimal digits; "" when some
 * field is unknown. SY_NO_MEMORY. */
SY_API sy_status sy_comparison_key_digest(const sy_comparison_key *key, char ret_digest[65],
                                          sy_error *err) SY_NODISCARD;

/* One field of two keys. */
typedef struct sy_key_difference {
    const char *name;
    const char *a; /* NULL = unknown, or not there */
    const char *b;
    bool in_a; /* the key has such a field at all */
    bool in_b;
    bool agrees;
} sy_key_difference;

typedef struct sy_key_difference_list {
    const sy_key_difference *fields; /* those of a in their order, then those of b alone */
    size_t field_count;
    size_t differing_count; /* 0: comparable */
    void *owner;            /* private */
} sy_key_difference_list;

/* Every field of both; texts are borrowed from the keys. The caller destroys *ret_list. SY_NO_MEMORY. */
SY_API sy_status sy_comparison_key_diff(const sy_comparison_key *a, const sy_comparison_key *b,
                                        sy_key_difference_list **ret_list, sy_error *err) SY_NODISCARD;
SY_API void sy_key_difference_list_destroy(sy_key_difference_list *list); /* NULL is allowed */

/* ---- what a run's events say ---- */

/* Which state of which sources was measured. Flags: 1, 0, -1 = unknown. */
typedef struct sy_run_source {
    const char *control;  /* "git"; "" = none was found */
    const char *revision; /* the commit, whole; "" = unknown */
    const char *branch;   /* "" = detached, or none */
    int shallow;
    int dirty;
    int64_t ordinal;          /* commits up to this one; -1 = unknown, as in a shallow clone */
    uint64_t untracked_count; /* files that the system does not know; they alone make nothing dirty */
    const char *const *dirty_submodules;
    size_t dirty_submodule_count;
    const char *diff_digest; /* SHA-256 of the difference to the revision, kept as an artifact; "" = none */
} sy_run_source;

/* Where a run was. */
typedef struct sy_run_place {
    const char *host;
    const char *backend;     /* "cpu" */
    const char *device;      /* as it was asked for: "cpu", "ggml:Vulkan0" */
    const char *description; /* "Intel Xeon, 2 cores" */
    int hardware;            /* 1 = a physical device, 0 = software that plays one, -1 = unknown */
    bool synthetic;          /* the fake backend: times are made up */
    sy_identity identity;    /* of host, device and software, as far as known */
} sy_run_place;

/* The event `begin`: everything that is known before the work. */
typedef struct sy_run_begin {
    const char *id; /* letters, digits, '.', '_', '-', at most 128, beginning with a letter or digit */
    sy_run_kind kind;
    sy_run_status status; /* planned, or imported */
    const char *question;
    const char *gate;     /* "" = none */
    const char *cell;     /* "capability::backend" */
    const char *tier;     /* as the matrix names them */
    const char *protocol; /* "steelyard-profile/v1", "steelyard-probe/1" */
    const char *cache_state;
    const char *timing_boundary;
    sy_comparison_key key;
    sy_run_source source;
    sy_run_place place;
    const sy_named_text *inputs; /* name, SHA-256 */
    size_t input_count;
    const sy_named_text *parameters;
    size_t parameter_count;
    const char *const *planned_outputs;
    size_t planned_output_count;
    const char *origin;        /* of an import: "google-benchmark"; "" = measured by us */
    const char *origin_digest; /* SHA-256 of the file that it came from; "" */
    const char *origin_time;   /* when it was measured, as the file says; "" = it does not */
    bool origin_zone_known;    /* false: origin_time is in an unknown zone and orders nothing */
    const char *const *notes;
    size_t note_count;
} sy_run_begin;

/* The event `lease`: the run owns a device from here on; taken again for every command. */
typedef struct sy_run_lease {
    const char *device;
    uint64_t fence; /* grows with every holder of the device on that host */
    const char *host;
    const char *boot; /* the host's boot id: a later boot holds nothing */
    int64_t process;
    int64_t until_utc_s; /* when it may be called lost, if nothing more is heard */
} sy_run_lease;

/* The event `check`: one thing that had to be so before anything was timed. */
typedef struct sy_run_check {
    const char *name; /* "exclusive-device", "free-memory" */
    int passed;       /* 1, 0, -1 = could not be found out */
    bool required;    /* not passed: the run fails */
    const char *found;
    const char *expected;
} sy_run_check;

/* The event `command`: a program that ran to its end. */
typedef struct sy_run_command {
    const char *phase;       /* "smoke", "measure", "control" */
    const char *const *argv; /* private paths and secrets taken out */
    size_t argc;
    const sy_named_text *environment; /* of the allow-list */
    size_t environment_count;
    int exit_code; /* -1 = ended by a signal, or never started */
    int signal;    /* 0 = none */
    uint64_t wall_ns;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t peak_memory_bytes;
    uint64_t fence;          /* of the lease under which it ran; 0 = none */
    bool lease_held;         /* from its start to its end */
    uint64_t line_count;     /* of the protocol */
    uint64_t rejected_count; /* lines that said nothing known */
} sy_run_command;

/* The event `series`. Samples are in order of measurement; NaN = unusable. */
typedef struct sy_run_series {
    const char *name; /* of the metric: "wall" */
    const char *unit; /* "s", "ns", "bytes", "1/s"; "" = a number */
    bool higher_is_better;
    sy_series_role role;
    const char *case_name;      /* "" */
    const char *implementation; /* "" */
    const double *samples;
    size_t count;
    char digest[65];     /* SHA-256 of the samples as little-endian doubles; filled on writing */
    size_t usable_count; /* those that are numbers, and figures of them: filled on writing, NaN when there are none */
    double minimum;
    double p50; /* nearest rank, as p95 */
    double p95;
    double maximum;
    const sy_named_number *figures; /* more that was said of it: "stddev" */
    size_t figure_count;
    const char *note; /* "summary only, 68536 rounds, 4 of them shown"; "" */
} sy_run_series;

/* The event `parity`. */
typedef struct sy_run_parity_event {
    sy_run_parity outcome;
    const char *case_name;
    const char *implementation;
    const char *reason;
    double error_in_tolerances; /* NaN = not said */
} sy_run_parity_event;

/* The event `memory`. */
typedef struct sy_run_memory {
    const char *name; /* "peak" */
    uint64_t bytes;
    sy_memory_basis basis;
    sy_memory_scope scope;
    const char *how;       /* of a constrained one: by what */
    double swap_bytes;     /* read from and written to swap meanwhile by the whole host; NaN = unknown */
    double pressure_share; /* of the time meanwhile, some task waited for memory; NaN = unknown */
    bool counted;          /* by the kernel, seen from outside; false: whoever measured says so */
} sy_run_memory;

/* The event `artifact`: a file kept by its digest. */
typedef struct sy_run_artifact {
    sy_artifact_role role;
    const char *name; /* as people know it; no path */
    const char *digest;
    uint64_t size;
} sy_run_artifact;

/* The event `digest`: of an output that is not kept. */
typedef struct sy_run_digest {
    const char *role;
    const char *digest; /* 64 hexadecimal digits */
} sy_run_digest;

/* The event `decision`: what a recorded probe found. */
typedef struct sy_run_decision {
    sy_decision decision;
    const char *reason;
    const char *operation;
    const char *reference;
    const char *winner; /* "" */
    double gain;        /* NaN = none, as the others */
    double gain_low;
    double gain_high;
    uint32_t pairs;
    uint32_t wins;
    double alpha;
} sy_run_decision;

/* The event `profile`: where the decision was kept for programs that ask. */
typedef struct sy_run_profile {
    const char *store; /* the file's name, without private folders */
    const char *key;   /* as people know it: "exact matmul" */
    const char *implementation;
} sy_run_profile;

/* The event `end`. */
typedef struct sy_run_end {
    sy_run_status status;      /* ok, failed, refuted, superseded */
    const char *conclusion;    /* of a refuted run never "" */
    const char *reason;        /* of a failed one: "smoke: ...", "preflight: ...", "lost" */
    const char *superseded_by; /* a run; "" */
} sy_run_end;

/* The event `accept`: from here on the session belongs to its key's baseline. */
typedef struct sy_run_accept {
    const char *by;
    const char *reason; /* "" */
    bool new_baseline;  /* the baseline begins anew with this session: an accepted change */
} sy_run_accept;

/* ---- a run as a whole ---- */

/* One line of a list. Texts live as long as the list. */
typedef struct sy_run_row {
    const char *id;
    uint64_t number; /* of the event that began it: runs are ordered by it, never by clocks */
    sy_run_kind kind;
    sy_run_status status;
    const char *reason;
    const char *question;
    const char *conclusion;
    const char *gate;
    const char *cell;
    const char *tier;
    const char *protocol;
    const char *revision; /* "rev", "rev+<12 digits of the difference's digest>" of a dirty tree; "" */
    const char *host;
    const char *device;
    const char *origin;
    const char *key_digest; /* "" = some field is unknown */
    int64_t began_utc_s;    /* as the clock of its host said */
    int64_t ended_utc_s;    /* 0 = has not */
    sy_run_parity parity;   /* the worst of all that was said; unknown before */
    int dirty;              /* as in sy_run_source */
    bool diff_is_kept;
    int hardware;
    bool synthetic;
    bool accepted;
    bool begins_baseline;      /* accepted as the first of a new one; that stays so when it is superseded */
    bool judged;               /* there is a verdict, whose last one is this: */
    sy_judgement_word verdict; /* SY_JUDGEMENT_PASS while there is none */
    sy_judgement_reason verdict_reason;
    uint64_t verdict_number; /* of its event; 0 = none */
    bool raised;             /* its first verdict by a baseline saw its own figures outside of that */
    bool signed_off;         /* and no later verdict took that back by investigate or block */
    uint64_t signoff_number; /* of the event that did, the last one; 0 = none, or taken back */
    uint64_t promoted;       /* number of the event that promoted it last; 0 = none did */
    bool lease_whole;        /* every command that measured ran under one from its start to its end */
    uint64_t fence;          /* of the last lease; 0 = none */
    int64_t lease_until_utc_s;
    uint64_t series_count;
    uint64_t sample_count;
} sy_run_row;

/* One run with all that was said of it, in order. */
typedef struct sy_run {
    sy_run_row row;
    sy_run_begin begin;
    const sy_run_lease *leases;
    size_t lease_count;
    const sy_run_check *checks;
    size_t check_count;
    const sy_run_command *commands;
    size_t command_count;
    const sy_run_series *series; /* without samples: sy_ledger_samples reads those */
    size_t series_count;
    const sy_run_parity_event *parities;
    size_t parity_count;
    const sy_run_memory *memories;
    size_t memory_count;
    const sy_run_artifact *artifacts;
    size_t artifact_count;
    const sy_run_digest *digests;
    size_t digest_count;
    const sy_run_decision *decision; /* NULL = none */
    const sy_run_profile *profiles;
    size_t profile_count;
    const char *const *notes;
    size_t note_count;
    const sy_run_end *ends;
    size_t end_count;
    const sy_run_accept *accept; /* NULL = not accepted */
    const sy_run_verdict *verdicts;
    size_t verdict_count;
    const uint64_t *verdict_numbers; /* of their events */
    const sy_run_change *changes;
    size_t change_count;
    const sy_run_signoff *signoffs;
    size_t signoff_count;
    const sy_run_promotion *promotions;
    size_t promotion_count;
    uint64_t event_count;
    const char *digest; /* of its last event */
    void *owner;        /* private */
} sy_run;

SY_API void sy_run_destroy(sy_run *run); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
