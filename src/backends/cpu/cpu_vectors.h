/* SPDX-License-Identifier: Apache-2.0 */
/* The vector units that our own code has kernels for: which are here, and how a function is compiled for one. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_VECTORS_H
#define STEELYARD_BACKENDS_CPU_CPU_VECTORS_H

typedef enum sy_cpu_vectors { SY_CPU_BASELINE, SY_CPU_AVX2, SY_CPU_AVX512 } sy_cpu_vectors;

/* The widest that this processor and this build have; every lower one is there too. */
sy_cpu_vectors sy_cpu_vectors_here(void);
const char *sy_cpu_vectors_word(sy_cpu_vectors vectors); /* "baseline", "avx2", "avx512" */

#if defined(__x86_64__)
#define SY_TARGET_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__) /* both compilers take 256 bits unless told otherwise, each in its own way */
#define SY_TARGET_AVX512 __attribute__((target("avx512f,avx2,fma"), min_vector_width(512)))
#else
#define SY_TARGET_AVX512 __attribute__((target("avx512f,avx2,fma,prefer-vector-width=512")))
#endif
#endif

#endif
