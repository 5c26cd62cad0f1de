/* SPDX-License-Identifier: Apache-2.0 */
/* A panel's sums in double, compiled once for each width of vectors. Contraction to FMA is off, so that every clone
 * gives the same bits. */
#include "operations/oracle_panel.h"

#include <math.h>

static inline __attribute__((always_inline)) void add_terms_body(sy_oracle_panel *p, int64_t terms)
{
    double *restrict value = p->value;
    double *restrict scale = p->scale;
    for (int64_t k = 0; k < terms; k++) {
        const double *restrict right = p->right[k];
        double left = p->left[k];
        for (int j = 0; j < SY_ORACLE_COLUMNS; j++) {
            double product = left * right[j];
            value[j] += product;
            scale[j] += fabs(product);
        }
    }
}

static void add_terms_plain(sy_oracle_panel *p, int64_t terms)
{
    add_terms_body(p, terms);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_terms_avx2(sy_oracle_panel *p, int64_t terms)
{
    add_terms_body(p, terms);
}

__attribute__((target("avx512f"))) static void add_terms_avx512(sy_oracle_panel *p, int64_t terms)
{
    add_terms_body(p, terms);
}

sy_oracle_add_fn sy_oracle_add_here(void)
{
    if (__builtin_cpu_supports("avx512f")) {
        return add_terms_avx512;
    }
    return __builtin_cpu_supports("avx2") ? add_terms_avx2 : add_terms_plain;
}
#else
sy_oracle_add_fn sy_oracle_add_here(void)
{
    return add_terms_plain;
}
#endif
