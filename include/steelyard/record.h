/* SPDX-License-Identifier: Apache-2.0 */
/* The nouns that modules share, as plain data: tensor description, device, identity, parity figures, samples and the
 * result of a probe, with its JSON form. What a result points to belongs to the result. */
#ifndef STEELYARD_RECORD_H
#define STEELYARD_RECORD_H

#include <steelyard/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names with what they stand for ---- */

typedef struct sy_named_text {
    const char *name;
    const char *value; /* NULL = unknown */
} sy_named_text;

typedef struct sy_named_number {
    const char *name;
    const char *unit; /* "" = a number */
    double value;     /* NaN = unknown */
} sy_named_number;

/* ---- tensors ---- */

/* name, bytes an element, unit roundoff (half of the spacing at 1; 0 for integers), word */
#define SY_DTYPE_LIST(X)       \
    X(F32, 4, 0x1p-24, "f32")  \
    X(F64, 8, 0x1p-53, "f64")  \
    X(F16, 2, 0x1p-11, "f16")  \
    X(BF16, 2, 0x1p-8, "bf16") \
    X(I8, 1, 0.0, "i8")        \
    X(U8, 1, 0.0, "u8")        \
    X(I16, 2, 0.0, "i16")      \
    X(U16, 2, 0.0, "u16")      \
    X(I32, 4, 0.0, "i32")      \
    X(U32, 4, 0.0, "u32")      \
    X(I64, 8, 0.0, "i64")      \
    X(U64, 8, 0.0, "u64")

typedef enum sy_dtype {
#define SY_DTYPE_ENUM(name, size, roundoff, word) SY_##name,
    SY_DTYPE_LIST(SY_DTYPE_ENUM)
#undef SY_DTYPE_ENUM
} sy_dtype;

SY_API const char *sy_dtype_word(sy_dtype dtype);       /* "f32"; "unknown" outside the list */
SY_API size_t sy_dtype_size(sy_dtype dtype);            /* bytes an element; 0 outside the list */
SY_API double sy_dtype_roundoff(sy_dtype dtype);        /* unit roundoff: 2^-24 for f32 */
SY_API double sy_dtype_smallest_normal(sy_dtype dtype); /* 2^-126 for f32; 0 for integers */
SY_API bool sy_dtype_is_integer(sy_dtype dtype);

#define SY_RANK_MAX 8

/* Shape and type of a tensor. dims outermost first, each >= 1. strides in elements; all zero means contiguous,
 * row-major. */
typedef struct sy_tensor_desc {
    const char *name; /* borrowed by the call that receives it, copied by the graph */
    sy_dtype dtype;
    uint32_t rank; /* 1..SY_RANK_MAX */
    int64_t dims[SY_RANK_MAX];
    int64_t strides[SY_RANK_MAX];
} sy_tensor_desc;

/* Elements, and bytes when contiguous. SY_INVALID_ARGUMENT names the field: rank, a dimension below 1, a product above
 * 2^62 bytes. */
SY_API sy_status sy_tensor_desc_check(const sy_tensor_desc *desc, uint64_t *ret_elements, uint64_t *ret_bytes,
                                      sy_error *err) SY_NODISCARD;
SY_API bool sy_tensor_desc_is_contiguous(const sy_tensor_desc *desc);
/* Same dtype, rank, dims and layout; names do not count. */
SY_API bool sy_tensor_desc_equal(const sy_tensor_desc *a, const sy_tensor_desc *b);

/* ---- words ---- */

typedef enum sy_role { SY_ROLE_ORACLE, SY_ROLE_REFERENCE, SY_ROLE_CANDIDATE } sy_role;

/* What an implementation promises of its output. An approximate one is never chosen unless asked for. */
typedef enum sy_error_class {
    SY_CLASS_EXACT,
    SY_CLASS_TOLERANCE,
    SY_CLASS_APPROXIMATE,
    SY_CLASS_NONDETERMINISTIC
} sy_error_class;

typedef enum sy_question { SY_QUESTION_FASTER, SY_QUESTION_NOT_SLOWER } sy_question;
typedef enum sy_preference { SY_PREFER_SPEED, SY_PREFER_MEMORY } sy_preference;
typedef enum sy_rule_kind { SY_RULE_CAPPED, SY_RULE_MEDIANS } sy_rule_kind;
/* What the caches hold when a timed run begins: what the last run left, or other buffers of the same content. */
typedef enum sy_cache_state { SY_CACHE_HOT, SY_CACHE_COLD } sy_cache_state;
typedef enum sy_isolation { SY_ISOLATION_WORKER, SY_ISOLATION_PROCESS, SY_ISOLATION_NONE } sy_isolation;

typedef enum sy_parity_outcome {
    SY_PARITY_NOT_PERFORMED,
    SY_PARITY_PASSED,
    SY_PARITY_QUALIFIED, /* failed the exact stage, passed the real one: class tolerance */
    SY_PARITY_FAILED
} sy_parity_outcome;

/* value: word, completed (a winner or a clear no), the command's exit code */
#define SY_DECISION_LIST(X)                     \
    X(WIN, "win", true, 0)                      \
    X(NO_GAIN, "no-gain", true, 0)              \
    X(TIE, "tie", true, 0)                      \
    X(NOT_SLOWER, "not-slower", true, 0)        \
    X(SLOWER, "slower", true, 1)                \
    X(INCONCLUSIVE, "inconclusive", false, 5)   \
    X(PARITY_FAILED, "parity-failed", false, 1) \
    X(VACUOUS, "vacuous", false, 5)             \
    X(UNAVAILABLE, "unavailable", false, 3)

typedef enum sy_decision {
#define SY_DECISION_ENUM(name, word, completed, exit_code) SY_DECISION_##name,
    SY_DECISION_LIST(SY_DECISION_ENUM)
#undef SY_DECISION_ENUM
} sy_decision;

SY_API const char *sy_role_word(sy_role role);
SY_API const char *sy_error_class_word(sy_error_class error_class);
SY_API const char *sy_question_word(sy_question question);
SY_API const char *sy_preference_word(sy_preference preference);
SY_API const char *sy_rule_kind_word(sy_rule_kind kind);
SY_API const char *sy_isolation_word(sy_isolation isolation);
SY_API const char *sy_cache_state_word(sy_cache_state cache); /* "hot", "cold" */
SY_API const char *sy_parity_outcome_word(sy_parity_outcome outcome);
SY_API const char *sy_decision_word(sy_decision decision);
SY_API bool sy_decision_completed(sy_decision decision);
SY_API int sy_decision_exit_code(sy_decision decision);

/* ---- who measured ---- */

/* One fact about host, device or software. A key field separates profiles; the others are only recorded. */
typedef struct sy_identity_field {
    const char *name;
    const char *value; /* "unknown" is a value that equals nothing */
    bool key;
} sy_identity_field;

/* Fields sorted by name (bytes), each name once. */
typedef struct sy_identity {
    const sy_identity_field *fields;
    size_t field_count;
} sy_identity;

/* The value of the field of that name, or NULL. */
SY_API const char *sy_identity_get(const sy_identity *identity, const char *name);
/* True when some key field could not be found out: such an identity equals none, itself included. */
SY_API bool sy_identity_is_uncertain(const sy_identity *identity);

/* What a device is, as far as its backend tells. Values never change; new ones are appended. */
typedef enum sy_device_kind {
    SY_DEVICE_UNKNOWN,
    SY_DEVICE_CPU,
    SY_DEVICE_GPU,            /* with memory of its own */
    SY_DEVICE_INTEGRATED_GPU, /* that shares the host's */
    SY_DEVICE_ACCELERATOR     /* any other */
} sy_device_kind;

SY_API const char *sy_device_kind_word(sy_device_kind kind); /* "integrated-gpu"; "unknown" outside the list too */

typedef struct sy_device_info {
    char name[64]; /* "cpu", "fake" */
    char backend[32];
    char description[128]; /* "Intel Xeon, 2 cores" */
    uint32_t threads;      /* that implementations are told to use; 0 = not applicable */
    uint64_t memory_bytes; /* of the device; 0 = unknown */
    sy_device_kind kind;
} sy_device_info;

/* What an implementation is on this machine; texts may be "". */
typedef struct sy_implementation_info {
    char version[128]; /* "OpenBLAS 0.3.21 SkylakeX" */
    char path[512];    /* resolved path of the library that runs */
    uint32_t threads;  /* as the library itself reports; 0 = unknown */
} sy_implementation_info;

/* ---- parity figures ---- */

typedef struct sy_parity {
    sy_parity_outcome outcome;
    char reason[160];           /* of a failure: "nonfinite: candidate"; "" when passed */
    double error_in_tolerances; /* the largest error / its allowance; <= 1 passes */
    double rms_in_tolerances;   /* the rms figure / c_rms; <= 1 passes */
    double max_abs;             /* largest |candidate - right value| */
    double max_rel;
    double nmse;          /* sum of squared errors / sum of squared right values */
    uint64_t worst_index; /* element with the largest error in tolerances */
    double worst_expected;
    double worst_found;
    uint64_t wrong_count; /* elements outside of their allowance */
    uint64_t element_count;
    bool against_oracle;       /* else against the reference only */
    bool deterministic;        /* three runs were bitwise equal */
    char digest[65];           /* SHA-256 of the first output of the real stage */
    char reference_digest[65]; /* the same of the reference's */
    char input_digest[65];     /* SHA-256 over all inputs of the real stage */
} sy_parity;

/* ---- the result of a probe ---- */

/* What the numbers of a run are. */
typedef struct sy_metric {
    const char *name;      /* "wall", "memory", "line:score" */
    const char *unit;      /* "ns", "bytes"; "" = a number */
    bool higher_is_better; /* the rule then works on the reciprocal: twice as much is half the cost */
} sy_metric;

/* One pair. Times are a single run's: the slot's time over its inner batch. NaN = unusable. */
typedef struct sy_sample {
    uint32_t round; /* from 0; counts per phase */
    uint32_t case_index;
    uint32_t candidate; /* index into candidates[] */
    bool reference_first;
    bool final; /* of the final; else of the halving that chose the finalist */
    bool fed;   /* its round was complete and went to the rule */
    double reference_ns;
    double candidate_ns;
    const char *unusable;        /* of the final: "timer", "crashed", "void", static; NULL = usable */
    uint32_t process;            /* which fresh process of each implementation it was, from 0 */
    uint32_t reference_switches; /* how often its timed runs were switched away involuntarily */
    uint32_t candidate_switches; /* SY_SWITCHES_UNKNOWN where the device does not tell */
} sy_sample;

#define SY_SWITCHES_UNKNOWN UINT32_MAX

typedef struct sy_case_result {
    const char *name;
    double weight;
    const char *left_out;       /* "" or NULL = covered by the decision; else why it is not: "wall-limit", "memory" */
    double predicted_wall_ns;   /* the least that a decision about this case was expected to take; NaN or 0 = unknown */
    double share;               /* of the reference's weighted total: 0..1; NaN before any time */
    double gain;                /* 1 - exp(-median pair log ratio); NaN while unknown */
    double reference_median_ns; /* NaN while unknown */
    double candidate_median_ns;
    double flop_count; /* 0 = not counted */
    uint32_t batch;    /* runs a timed slot */
    uint32_t copies;   /* of its buffers, that runs take in turn; 1 = the same ones each time */
    sy_parity parity;  /* the finalist's; worst of all stages */
    bool regression;   /* mirrored events crossed: slower by more than the veto */
    bool resolved;     /* shown not to be slower by more than the veto */
} sy_case_result;

typedef struct sy_candidate_result {
    const char *name;
    sy_role role;
    sy_decision decision;
    const char *reason; /* one word or two: "parity", "slower", "within noise", "library missing" */
    const char *detail; /* a sentence for people; may be "" */
    sy_error_class error_class;
    double gain;                /* best known: final, else halving; NaN */
    sy_parity_outcome parity;   /* worst over the cases */
    double error_in_tolerances; /* largest over the cases; NaN */
    uint64_t memory_bytes;      /* peak of its process, or device memory; 0 = unknown */
    uint64_t device_bytes;      /* inputs, outputs and scratch of the case that needs most; 0 = unknown */
    uint64_t scratch_bytes;     /* scratch of the case that needs most of it; meaningful if device_bytes is */
    uint32_t rounds;            /* it took part in */
    sy_implementation_info info;
    const char *float_environment; /* NULL: the host's; "FTZ, DAZ": in what its own differed while it ran */
} sy_candidate_result;

typedef struct sy_carry_over {
    double a; /* median ln(reference after candidate / reference after reference) */
    double b; /* the same for the candidate */
    double p; /* exact one-sided Mann-Whitney, the smaller of the two; several processes: of all, corrected for their
                 number, and a, b the medians over them */
} sy_carry_over;

/* The final's rounds in one fresh process of each of the two. */
typedef struct sy_process_result {
    uint32_t rounds; /* fed to the rule */
    uint32_t wins;
    double gain; /* 1 - exp(-median d) of its rounds; NaN */
    bool has_carry_over;
    sy_carry_over carry_over;
    uint64_t seed; /* of its inputs: the recorded one, then drawn from it */
} sy_process_result;

/* How far fresh processes lie apart. NaN with fewer than two processes that have a gain. */
typedef struct sy_process_spread {
    double deviation; /* standard deviation of the processes' gains */
    double expected;  /* the same if the rounds within the processes were all that scatters */
    double low;       /* smallest gain of a process */
    double high;
    double p; /* that the processes on both sides of the threshold are alike: exact two-sided Mann-Whitney, corrected
                 for the choice of the sides; NaN: all are on one side */
} sy_process_spread;

/* What the device said of itself at one moment; NaN or -1 = unknown. */
typedef struct sy_machine_state {
    double clock_hz;
    double temperature_celsius;
    double load_average; /* over the last minute */
    int throttled;       /* 0, 1, -1 = unknown */
} sy_machine_state;

/* What the machine did to the pairs of the final. */
typedef struct sy_probe_condition {
    sy_machine_state before; /* the first pair */
    sy_machine_state after;  /* the last one */
    double steal_share;      /* of the machine's processor time meanwhile, taken by a hypervisor; NaN = unknown */
    double pressure_share;   /* of the time meanwhile, some task waited for a processor; NaN = unknown */
    double throttle_events;  /* that the processor counted meanwhile; NaN = unknown */
    bool switches_known;
    uint64_t reference_switches; /* involuntary context switches in timed runs, all cases together */
    uint64_t candidate_switches;
    uint32_t preempted_pairs; /* pairs with at least one of them */
} sy_probe_condition;

typedef struct sy_probe_result {
    const char *operation;
    const char *backend;
    const char *device; /* description */
    sy_device_info device_info;
    sy_question question;
    sy_rule_kind rule;
    sy_preference prefer;
    const char *reference; /* name */
    sy_implementation_info reference_info;
    uint64_t reference_memory_bytes; /* as of a candidate */
    uint64_t reference_device_bytes;
    uint64_t reference_scratch_bytes;
    const char *winner; /* the implementation to use; NULL when there is none */
    sy_decision decision;
    const char *reason; /* "" or: budget, wall-limit, noise, carry-over, order, drift, timer, crashed, void,
                           case-regression, ... */
    const char *error;  /* a sentence when not completed, else "" */
    const char *advice; /* what would decide it, or what to mend; may be "" */
    bool completed;
    bool candidate_faster; /* meaningful only if completed */
    double gain;           /* 1 - exp(-median d): .051 = 5.1 % of the reference's time saved; NaN = unknown */
    double gain_low;       /* holds with 1 - alpha; NaN = too few pairs */
    double gain_high;
    double total_gain;          /* 1 - weighted sum of candidate medians / of reference medians; NaN */
    double geometric_mean_gain; /* over cases, unweighted; NaN */
    double reference_total_ns;  /* weighted sum of medians; partial if incomplete; NaN */
    double candidate_total_ns;
    double e_value; /* the mixture E(n, S); NaN before the first round */
    uint32_t pairs; /* rounds fed to the rule */
    uint32_t wins;
    uint32_t max_pairs;
    double alpha;
    double beta;
    double min_improvement;
    double margin; /* of not-slower */
    double veto;
    uint64_t seed;
    bool seed_fixed;
    sy_isolation isolation;
    const char *reference_float_environment; /* as a candidate's */
    sy_cache_state cache;
    uint64_t cache_bytes; /* cold: the last-level cache that the buffers exceed three times; hot: 0 */
    uint32_t processes;   /* fresh ones of each implementation that were asked for */
    const sy_process_result *process_results; /* those that gave rounds, in order */
    size_t process_count;
    sy_process_spread process_spread;
    bool has_carry_over;
    sy_carry_over carry_over;
    double resolvable_gain; /* smallest gain this budget finds with power .8; NaN */
    double noise;           /* s of reference against reference: median |d| / .6745; NaN */
    bool has_condition;     /* there was a final */
    sy_probe_condition condition;
    const char *timer; /* "CLOCK_MONOTONIC_RAW" */
    double timer_resolution_ns;
    uint32_t timed_slots; /* timed runs or batches of them: noise, halving, control and pairs together */
    uint64_t measured_ns; /* inside timed regions */
    uint64_t wall_ns;
    uint64_t budget_ns;
    uint64_t wall_limit_ns;
    const char *const *notes;
    size_t note_count;
    const sy_candidate_result *candidates;
    size_t candidate_count;
    size_t finalist; /* index into candidates */
    const sy_case_result *cases;
    size_t case_count;
    const sy_sample *samples;
    size_t sample_count;
    sy_identity identity;
    bool interrupted;
    sy_metric metric; /* whatever it is, members named _ns hold its values, in its unit */
    void *owner;      /* private */
} sy_probe_result;

/* What proves a decision: the run that a ledger keeps of it, and that run's SHA-256. Both "" = nothing was recorded. */
typedef struct sy_recorded {
    char run[129];
    char digest[65]; /* 64 hexadecimal digits */
} sy_recorded;

/* Frees the result and all that it points to; NULL is allowed. */
SY_API void sy_probe_result_destroy(sy_probe_result *result);

/* The object of docs/formats.md "steelyard.probe/1", indented, with a newline at the end. The caller frees *ret_json
 * with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_probe_result_to_json(const sy_probe_result *result, char **ret_json, sy_error *err) SY_NODISCARD;
/* Reads what that wrote, also after private texts were cleaned out of it; members that it does not know are passed
 * over. SY_CORRUPT: it is no such object, or a member is of another type or out of range, with its position;
 * SY_NO_MEMORY. The caller destroys *ret_result. */
SY_API sy_status sy_probe_result_read_json(const char *json, size_t size, sy_probe_result **ret_result,
                                           sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
