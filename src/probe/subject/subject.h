/* SPDX-License-Identifier: Apache-2.0 */
/* A subject is one implementation made ready to be weighed: built, allocated, filled, run, timed and read, here or in a
 * worker process. The runner knows subjects only; where they live is behind this table. */
#ifndef STEELYARD_PROBE_SUBJECT_H
#define STEELYARD_PROBE_SUBJECT_H

#include <steelyard/probe.h>

#include "backends/backend.h"
#include "operations/fill.h"

#define SY_SUBJECT_TENSORS_MAX 8 /* inputs, and outputs, of one graph */
#define SY_SUBJECT_NO_CHANGE UINT64_MAX

/* What a build said of one case. Names are not kept. */
typedef struct sy_subject_shape {
    bool available;
    char reason[256];       /* why not */
    uint64_t memory_bytes;  /* of one copy */
    uint32_t copies;        /* of its buffers, that timed runs take in turn */
    uint64_t scratch_bytes; /* of it */
    uint32_t input_count;
    uint32_t output_count;
    sy_tensor_desc inputs[SY_SUBJECT_TENSORS_MAX];
    sy_tensor_desc outputs[SY_SUBJECT_TENSORS_MAX];
} sy_subject_shape;

/* What one checked run or one slot showed beside its output. */
typedef struct sy_subject_run {
    bool has_account; /* the backend's own word on the run */
    sy_run_account account;
    uint64_t elapsed_ns;  /* of the timed runs together */
    uint64_t switches;    /* involuntary, while they ran; UINT64_MAX = unknown; slots only */
    bool canaries_intact; /* checked runs only */
    char canary_reason[96];
    uint32_t
        float_changed;     /* SY_FLOAT_* bits in which its environment is another than the host's, which was restored */
    uint32_t float_loaded; /* of them, those that building it changed; checked runs only */
    uint64_t input_checksum; /* checked runs only: of all inputs, after the run */
} sy_subject_run;

typedef struct sy_slot {
    uint32_t case_index;
    uint32_t untimed; /* runs first, not timed */
    uint32_t count;   /* runs timed together */
    uint64_t change;  /* which one-element change of the inputs is in force; SY_SUBJECT_NO_CHANGE = none */
    uint64_t seed;    /* of the changes */
} sy_slot;

typedef struct sy_subject sy_subject;

/* Every function: deadline_ns bounds it where it can be bounded (a worker is killed: SY_TIMED_OUT). SY_DIED: the worker
 * ended; restart makes a new one, to be built and filled again. */
typedef struct sy_subject_table {
    sy_status (*build)(sy_subject *subject, uint32_t case_index, sy_subject_shape *ret_shape, sy_error *err);
    sy_status (*allocate)(sy_subject *subject, uint32_t case_index, sy_error *err);
    /* own: the suite's initialize in place of the fill. */
    sy_status (*fill)(sy_subject *subject, uint32_t case_index, sy_fill fill, bool own, uint64_t seed,
                      uint64_t *ret_checksum, sy_error *err);
    sy_status (*run)(sy_subject *subject, uint32_t case_index, uint8_t poison, sy_subject_run *ret_run, sy_error *err);
    /* Without runs: makes the buffers ready that they will take. */
    sy_status (*slot)(sy_subject *subject, const sy_slot *slot, sy_subject_run *ret_run, sy_error *err);
    /* Canaries and input checksum as they are now, without a run. */
    sy_status (*inspect)(sy_subject *subject, uint32_t case_index, sy_subject_run *ret_run, sy_error *err);
    sy_status (*read)(sy_subject *subject, uint32_t case_index, bool output, uint32_t index, void *bytes, uint64_t size,
                      sy_error *err);
    sy_status (*describe)(sy_subject *subject, sy_implementation_info *ret_info, uint64_t *ret_memory_peak,
                          sy_error *err);
    sy_status (*suspend)(sy_subject *subject, sy_error *err);
    sy_status (*resume)(sy_subject *subject, sy_error *err);
    sy_status (*restart)(sy_subject *subject, sy_error *err);
    void (*destroy)(sy_subject *subject);
} sy_subject_table;

struct sy_subject {
    const sy_subject_table *table;
    const sy_suite *suite;
    uint32_t variant;
    uint64_t working_set_bytes; /* set before build: timed runs take copies in turn that exceed it; 0 = the same one */
    uint32_t process;           /* which fresh one of a probe a restart makes, from 0 */
    uint64_t deadline_ns;       /* of the next call, on sy_clock_system; 0 = none */
    bool (*cancelled)(void *user); /* NULL, or asked while waiting: SY_INTERRUPTED */
    void *user;
};

/* In this process, on device. */
sy_status sy_subject_create_local(sy_device *device, const sy_suite *suite, uint32_t variant,
                                  uint64_t metadata_capacity_bytes, sy_subject **ret_subject,
                                  sy_error *err) SY_NODISCARD;

typedef struct sy_worker_options {
    const char *path; /* the binary to execute */
    uint64_t metadata_capacity_bytes;
    uint64_t memory_limit_bytes;
} sy_worker_options;

/* In a process of its own, which opens the device and finds the suite by name again. */
sy_status sy_subject_create_worker(sy_device *device, const sy_suite *suite, uint32_t variant,
                                   const sy_worker_options *options, sy_subject **ret_subject,
                                   sy_error *err) SY_NODISCARD;
void sy_subject_destroy(sy_subject *subject); /* NULL is allowed */

/* 64 bits over bytes: equal inputs give equal sums, when each tensor is added in pieces of SY_CHECKSUM_PIECE_BYTES (the
 * last one shorter), sum by sum, from SY_CHECKSUM_START. For telling apart, not against malice. */
#define SY_CHECKSUM_START 1
#define SY_CHECKSUM_PIECE_BYTES ((uint64_t)1 << 18)
uint64_t sy_checksum_piece(uint64_t sum, const void *bytes, uint64_t size);
uint64_t sy_checksum_tensor(uint64_t sum, const void *bytes, uint64_t size);

/* Applies change number `change` of case c's inputs to host copies (the same element and value that a slot writes into
 * every float input): element index and its new bytes. Returns false for inputs that are not changed. */
bool sy_input_change(uint64_t seed, uint64_t change, uint32_t case_index, const sy_case *c, uint32_t input_index,
                     const sy_tensor_desc *desc, uint64_t *ret_element, uint8_t ret_bytes[8]);

#endif
