/* SPDX-License-Identifier: Apache-2.0 */
/* The right values of a matrix product: plain sums in double, terms in ascending order. Nothing here is ever timed or
 * weighed; it only has to be right, and quick enough not to spoil the wall limit. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/half.h"
#include "operations/matmul.h"
#include "operations/oracle_panel.h"

typedef struct work {
    sy_matmul_shape shape;
    sy_dtype dtype;
    const void *a;
    const void *b;
    const sy_oracle_request *request;
} work;

/* All rows of one batch element against columns first_column..+columns and terms first_term..+terms. */
static void add_panel(const work *w, sy_oracle_panel *p, sy_oracle_add_fn add_terms, int64_t z, int64_t first_column,
                      int64_t columns, int64_t first_term, int64_t terms)
{
    const sy_matmul_shape *s = &w->shape;
    for (int64_t k = 0; k < terms; k++) {
        uint64_t from = (uint64_t)((z * s->k + first_term + k) * s->n + first_column);
        sy_elements_to_double(w->dtype, w->b, from, (uint64_t)columns, p->right[k]);
    }
    size_t size = (size_t)columns * sizeof(double);
    for (int64_t i = 0; i < s->m; i++) {
        int64_t at = (z * s->m + i) * s->n + first_column;
        uint64_t from = (uint64_t)((z * s->m + i) * s->k + first_term);
        sy_elements_to_double(w->dtype, w->a, from, (uint64_t)terms, p->left);
        memcpy(p->value, w->request->values + at, size);
        memcpy(p->scale, w->request->scales + at, size);
        add_terms(p, terms);
        memcpy(w->request->values + at, p->value, size);
        memcpy(w->request->scales + at, p->scale, size);
    }
}

static sy_status compute_all(const work *w, sy_error *err)
{
    const sy_matmul_shape *s = &w->shape;
    sy_oracle_panel *p = sy_allocate(1, sizeof *p);
    if (p == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the matmul oracle's panel of %zu bytes", sizeof *p);
    }
    sy_oracle_add_fn add_terms = sy_oracle_add_here();
    memset(w->request->values, 0, w->request->count * sizeof(double));
    memset(w->request->scales, 0, w->request->count * sizeof(double));
    for (int64_t z = 0; z < s->batch; z++) {
        for (int64_t j = 0; j < s->n; j += SY_ORACLE_COLUMNS) {
            int64_t columns = s->n - j < SY_ORACLE_COLUMNS ? s->n - j : SY_ORACLE_COLUMNS;
            for (int64_t k = 0; k < s->k; k += SY_ORACLE_TERMS) {
                add_panel(w, p, add_terms, z, j, columns, k, s->k - k < SY_ORACLE_TERMS ? s->k - k : SY_ORACLE_TERMS);
            }
        }
    }
    sy_free(p);
    return SY_OK;
}

static sy_status compute_some(const work *w, sy_error *err)
{
    const sy_matmul_shape *s = &w->shape;
    const sy_oracle_request *request = w->request;
    double *row = sy_allocate((size_t)s->k, sizeof *row);
    int64_t row_held = -1;
    if (row == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a row of %lld doubles in the matmul oracle", (long long)s->k);
    }
    for (uint64_t at = 0; at < request->count; at++) {
        int64_t index = (int64_t)(request->indices != NULL ? request->indices[at] : at);
        int64_t i = index / s->n; /* counts through the batch */
        int64_t j = index % s->n;
        if (i != row_held) {
            sy_elements_to_double(w->dtype, w->a, (uint64_t)(i * s->k), (uint64_t)s->k, row);
            row_held = i;
        }
        double value = 0;
        double scale = 0;
        int64_t z = i / s->m;
        for (int64_t k = 0; k < s->k; k++) {
            double right;
            sy_elements_to_double(w->dtype, w->b, (uint64_t)((z * s->k + k) * s->n + j), 1, &right);
            double product = row[k] * right;
            value += product;
            scale += fabs(product);
        }
        request->values[at] = value;
        request->scales[at] = scale;
    }
    sy_free(row);
    return SY_OK;
}

static sy_status check_request(const sy_case *c, const sy_oracle_request *request, uint64_t *ret_elements,
                               sy_error *err)
{
    sy_tensor_desc want[2];
    sy_tensor_desc product;
    sy_status status = sy_matmul_tensors(c, &want[0], &want[1], &product, err);
    if (status != SY_OK) {
        return status;
    }
    if (sy_dtype_is_integer(c->dtype)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': the matmul oracle takes no integers", c->name);
    }
    if (request->input_count != 2 || request->output != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "case '%s': a matrix product has 2 inputs and 1 output, not %zu and %zu", c->name,
                       request->input_count, request->output + 1);
    }
    for (size_t i = 0; i < 2; i++) {
        uint64_t elements = 0;
        uint64_t bytes = 0;
        status = sy_tensor_desc_check(&want[i], &elements, &bytes, err);
        if (status != SY_OK) {
            return status;
        }
        if (!sy_tensor_desc_equal(&want[i], request->inputs[i].desc) || request->inputs[i].size != bytes) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': input %zu is not the case's matrix '%s'", c->name, i,
                           want[i].name);
        }
    }
    uint64_t bytes = 0;
    return sy_tensor_desc_check(&product, ret_elements, &bytes, err);
}

sy_status sy_matmul_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    uint64_t elements = 0;
    work w = {.dtype = c->dtype, .request = request};
    sy_status status = check_request(c, request, &elements, err);
    if (status == SY_OK) {
        status = sy_matmul_shape_of(c, &w.shape, err);
    }
    if (status != SY_OK) {
        return status;
    }
    w.a = request->inputs[0].bytes;
    w.b = request->inputs[1].bytes;
    if (request->indices == NULL && request->count == elements) {
        return compute_all(&w, err);
    }
    for (uint64_t i = 0; i < request->count; i++) {
        uint64_t index = request->indices != NULL ? request->indices[i] : i;
        if (index >= elements) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': the oracle is asked for element %llu of %llu", c->name,
                           (unsigned long long)index, (unsigned long long)elements);
        }
    }
    return compute_some(&w, err);
}
