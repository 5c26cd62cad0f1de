/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured: an operation, its implementations and the cases that stand for its use. Plain data, usually static
 * const. */
#ifndef STEELYARD_SUITE_H
#define STEELYARD_SUITE_H

#include <steelyard/backend.h>
#include <steelyard/graph.h>
#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A whole-number property of a case: {"m", 4096}. */
typedef struct sy_case_property {
    const char *name;
    int64_t value;
} sy_case_property;

/* What counts as equal (docs/statistics.md, "What counts as equal"): |x - r| <= c u_acc scale + u_out |r| + tiny, and
 * an rms figure <= c_rms, where scale is what the oracle says of each element ((|a||b|)_ij for products; without an
 * oracle the largest |r|). absolute/relative, where not NaN, replace it between candidate and reference: |x - r| <=
 * absolute + relative |r|; the reference itself answers to the oracle by the model as long as c > 0. */
typedef struct sy_tolerance {
    double c;
    double c_rms;
    sy_dtype accumulator; /* that the operation promises */
    double absolute;      /* NaN = the model above */
    double relative;
} sy_tolerance;

typedef struct sy_case {
    const char *name; /* unique in its suite: "square-512" */
    double weight;    /* > 0: how often it stands for use */
    bool quick;       /* in the subset `quick` */
    sy_dtype dtype;   /* of the inputs */
    const sy_case_property *properties;
    size_t property_count;
    double flop_count;  /* floating-point operations a run; 0 = not counted */
    double byte_count;  /* least bytes moved a run */
    const char *source; /* where the shape comes from */
    sy_tolerance tolerance;
    sy_tolerance relaxed;      /* of implementations whose error class is `tolerance`; all zero = tolerance */
    bool exact_stage;          /* the exact stage (small integers) applies */
    uint64_t exact_length;     /* terms in each sum, K: bounds the integers' size */
    bool exact_overlap;        /* an element of input 0 is a term of sums at several places, as in a convolution:
                                  zeros that keep long sums exact are put into input 1 alone */
    sy_dtype rounds_inputs_to; /* f16, bf16: the operation rounds f32 inputs to that type first, so that fills give them
                                  values that it holds and rounding changes nothing; f32 (0): it does not */
    bool own_inputs;           /* initialize brings the case's data */
    bool inputs_declared_equivalent; /* variants' inputs may differ in bytes */
    bool allows_nonfinite;
    bool allows_zeros; /* many zeros in the output are natural */
    bool promises_determinism;
} sy_case;

/* The value of a property; SY_INVALID_ARGUMENT, naming it, if the case has none. */
SY_API sy_status sy_case_get(const sy_case *c, const char *property, int64_t *ret_value, sy_error *err) SY_NODISCARD;

typedef struct sy_implementation {
    const char *name; /* unique in its suite: "openblas" */
    sy_role role;
    sy_error_class error_class;
    const char *summary;
    const char *how_to_get; /* "apt-get install libopenblas0-pthread"; "" when built in */
    bool only_if_named;     /* never among the candidates unless asked for by name */
    bool listed;            /* a library lists it on this machine: what it is follows from library and processor */
} sy_implementation;

/* One output as bytes in host memory, contiguous. */
typedef struct sy_output {
    const sy_tensor_desc *desc;
    const void *bytes;
    uint64_t size;
} sy_output;

/* What the oracle is asked for: the right values of `count` elements of output number `output`. */
typedef struct sy_oracle_request {
    const sy_output *inputs; /* in registration order */
    size_t input_count;
    size_t output;
    const uint64_t *indices; /* NULL: elements 0..count-1 */
    uint64_t count;
    double *values; /* count doubles to fill */
    double *scales; /* count doubles to fill: what the error is measured against */
} sy_oracle_request;

/* What a shortcut is asked: an answer holds for all of it, or is none. Borrowed for the call. */
typedef struct sy_shortcut_question {
    const sy_device_info *device;
    const sy_case *cases; /* those that are asked for, which need not be the suite's own; at least one */
    size_t case_count;
    sy_cache_state cache;
    sy_preference prefer; /* what is known of speed alone says nothing to who prefers memory */
    bool allow_approximate;
} sy_shortcut_question;

/* The answer for a known architecture, which needs no probe. */
typedef struct sy_shortcut {
    const char *implementation; /* NULL = none */
    const char *evidence;       /* where it was shown: an address, a section of a document; NULL without an answer */
    const char *date;           /* of the evidence: "2025-07-28"; NULL = unknown */
    char reason[384];           /* of no answer, for a device that is known: "case 'x': keys 8192 is above ..."; "" */
} sy_shortcut;

/* Callbacks get `user` first, return SY_OK or an error that stops the probe and is passed through, and are called on
 * the thread that runs the implementation: in its worker process, or on the caller's thread; oracle and compare always
 * on the caller's. */
typedef struct sy_suite {
    size_t struct_size; /* sizeof(sy_suite) */
    const char *operation;
    const char *version;                      /* changes when the meaning of a stored decision changes */
    const sy_implementation *implementations; /* exactly one reference */
    size_t implementation_count;
    const sy_case *cases;
    size_t case_count;
    /* Fills the graph; allocates metadata only. No output and SY_OK = unavailable. variant indexes implementations. */
    sy_status (*build)(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err);
    /* NULL, or writes the inputs after allocation, outside timing. Same seed, same logical inputs in every variant. */
    sy_status (*initialize)(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err);
    /* NULL, or replaces the default comparison of the real stage. */
    sy_status (*compare)(void *user, const sy_output *reference, const sy_output *candidate, sy_parity *ret_parity,
                         sy_error *err);
    /* NULL (candidates are then held against the reference alone), or the right values in double. */
    sy_status (*oracle)(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err);
    /* NULL, or the answer for a known architecture, from what is written down alone: called on the caller's thread,
     * nothing is loaded or timed. An unknown device is SY_OK and no answer. */
    sy_status (*shortcut)(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut, sy_error *err);
    /* NULL, or what an implementation is here: version, path, threads. Called after build, in the same process. */
    sy_status (*describe)(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err);
    void *user;
    const sy_metric *metric;   /* NULL = wall time, in ns */
    bool free_names;           /* of implementations and cases: any text on one line, since nobody types them */
    bool outputs_not_compared; /* timing only: parity is not performed */
    /* NULL, or fills what follows from the shape of a case: sy_suite_complete_case. */
    sy_status (*complete)(void *user, sy_case *c, sy_error *err);
} sy_suite;

/* Cases that `patterns` mean, in suite order, each once: "quick" (the subset), "all", a name, or a pattern with * and
 * ?. count 0 means all. ret_indices has room for suite->case_count. SY_NOT_FOUND: the first pattern that means none
 * is named, the hint lists near names. */
SY_API sy_status sy_suite_select_cases(const sy_suite *suite, const char *const *patterns, size_t count,
                                       size_t *ret_indices, size_t *ret_count, sy_error *err) SY_NODISCARD;

/* Makes a case of an engine's own shape: name, weight, dtype, properties and source are set, everything else is filled
 * in as for the suite's own cases: work, tolerances, stages. SY_UNAVAILABLE: the suite cannot. SY_INVALID_ARGUMENT: the
 * shape, named, or what makes it no case. c is as it was then. */
SY_API sy_status sy_suite_complete_case(const sy_suite *suite, sy_case *c, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
