/* SPDX-License-Identifier: Apache-2.0 */
/* The BLAS libraries that a machine may have: where each is looked for, how it is loaded by full path, told its number
 * of threads and asked what it is. A process that runs oneDNN must not take signals on the stack that it runs on: its
 * generated code (2.6, AVX-512) keeps data further below the stack pointer than a signal leaves alone, and a handler
 * without SA_ONSTACK and a stack of its own corrupts the heap. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_LIBRARY_H
#define STEELYARD_BACKENDS_CPU_CPU_LIBRARY_H

#include <steelyard/record.h>

typedef enum sy_cpu_library_id { SY_CPU_OPENBLAS, SY_CPU_BLIS, SY_CPU_ONEDNN, SY_CPU_LIBRARY_COUNT } sy_cpu_library_id;

typedef void (*sy_cblas_sgemm_fn)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef int (*sy_dnnl_sgemm_fn)(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                                const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                                int64_t ldc);

typedef struct sy_cpu_library {
    bool loaded;
    sy_cblas_sgemm_fn cblas_sgemm; /* OpenBLAS and BLIS */
    sy_dnnl_sgemm_fn dnnl_sgemm;   /* oneDNN */
    void *handle;                  /* dlopen's, for more functions of the same library; never closed */
    sy_implementation_info info;   /* path resolved; threads as the library itself reports */
} sy_cpu_library;

/* Looks for the library's file below root ("" = the system) without loading it; path gets the first that is there.
 * Otherwise false, and reason says what was looked for and where. */
bool sy_cpu_library_find(sy_cpu_library_id id, const char *root, char *path, size_t path_size, char *reason,
                         size_t reason_size);

/* Loads it by full path (symbols stay local to it), tells it to use `threads` threads (0 = nothing is told, for those
 * who only ask it what it has) and reads back how many it will.
 * False, with the reason: not found, cannot be loaded, a function missing or found in another library, integers of an
 * unknown size. Loading twice is the same as once, but for the threads. The thread count holds for calls from the
 * calling thread. */
bool sy_cpu_library_load(sy_cpu_library_id id, const char *root, uint32_t threads, sy_cpu_library *library,
                         char *reason, size_t reason_size);

#endif
