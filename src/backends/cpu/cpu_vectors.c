/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the processor which of our kernels it can run. */
#include "backends/cpu/cpu_vectors.h"

sy_cpu_vectors sy_cpu_vectors_here(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return SY_CPU_AVX512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return SY_CPU_AVX2;
    }
#endif
    return SY_CPU_BASELINE;
}

const char *sy_cpu_vectors_word(sy_cpu_vectors vectors)
{
    static const char *const words[] = {"baseline", "avx2", "avx512"};
    return words[vectors];
}
