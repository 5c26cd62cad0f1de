/* SPDX-License-Identifier: Apache-2.0 */
/* The right values of a convolution: plain sums in double, channels outermost, then the kernel's rows. Nothing here is
 * ever timed or weighed; it only has to be right, and quick enough not to spoil the wall limit. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/convolution.h"
#include "operations/half.h"
#include "operations/oracle_panel.h"

typedef struct work {
    sy_convolution_shape shape;
    int64_t terms; /* of one sum */
    sy_dtype dtype;
    const void *source;
    const void *weights;
    const sy_oracle_request *request;
} work;

/* The source's element that term k of the sum at (y, x) takes; plane: index of the group's first channel's first
 * element. Outside of the source it is 0. */
static double source_at(const work *w, int64_t plane, int64_t k, int64_t y, int64_t x)
{
    const sy_convolution_shape *s = &w->shape;
    int64_t row = y * s->stride + k / s->kernel_w % s->kernel_h * s->dilation - s->padding;
    int64_t column = x * s->stride + k % s->kernel_w * s->dilation - s->padding;
    double value = 0;
    if (row >= 0 && row < s->height && column >= 0 && column < s->width) {
        int64_t channel = k / (s->kernel_w * s->kernel_h);
        uint64_t index = (uint64_t)(plane + (channel * s->height + row) * s->width + column);
        sy_elements_to_double(w->dtype, w->source, index, 1, &value);
    }
    return value;
}

/* Where the planes of group g of image n begin in the source and in the output. */
static int64_t source_plane(const sy_convolution_shape *s, int64_t n, int64_t g)
{
    return (n * s->channels + g * (s->channels / s->groups)) * s->height * s->width;
}

static int64_t output_plane(const sy_convolution_shape *s, int64_t n, int64_t g)
{
    return (n * s->filters + g * (s->filters / s->groups)) * s->out_height * s->out_width;
}

/* Term k of the sums at columns x..x+count of output row y, count neighbours at a time where the source has them so. */
static void gather_row(const work *w, int64_t plane, int64_t k, int64_t y, int64_t x, int64_t count, double *to)
{
    const sy_convolution_shape *s = &w->shape;
    int64_t row = y * s->stride + k / s->kernel_w % s->kernel_h * s->dilation - s->padding;
    int64_t column = x + k % s->kernel_w * s->dilation - s->padding;
    bool is_whole = s->stride == 1 && row >= 0 && row < s->height && column >= 0 && column + count <= s->width;
    if (is_whole) {
        int64_t channel = k / (s->kernel_w * s->kernel_h);
        uint64_t from = (uint64_t)(plane + (channel * s->height + row) * s->width + column);
        sy_elements_to_double(w->dtype, w->source, from, (uint64_t)count, to);
        return;
    }
    for (int64_t j = 0; j < count; j++) {
        to[j] = source_at(w, plane, k, y, x + j);
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* All filters of a group at places first_place..+places of the output's plane, terms first_term..+terms. */
static void add_panel(const work *w, sy_oracle_panel *p, sy_oracle_add_fn add_terms, int64_t n, int64_t g,
                      int64_t first_place, int64_t places, int64_t first_term, int64_t terms)
{
    const sy_convolution_shape *s = &w->shape;
    int64_t plane = source_plane(s, n, g);
    int64_t filters = s->filters / s->groups;
    size_t size = (size_t)places * sizeof(double);
    for (int64_t k = 0; k < terms; k++) {
        for (int64_t j = 0; j < places;) {
            int64_t y = (first_place + j) / s->out_width;
            int64_t x = (first_place + j) % s->out_width;
            int64_t count = smaller(places - j, s->out_width - x);
            gather_row(w, plane, first_term + k, y, x, count, &p->right[k][j]);
            j += count;
        }
    }
    for (int64_t f = 0; f < filters; f++) {
        int64_t at = output_plane(s, n, g) + f * s->out_height * s->out_width + first_place;
        uint64_t from = (uint64_t)((g * filters + f) * w->terms + first_term);
        sy_elements_to_double(w->dtype, w->weights, from, (uint64_t)terms, p->left);
        memcpy(p->value, w->request->values + at, size);
        memcpy(p->scale, w->request->scales + at, size);
        add_terms(p, terms);
        memcpy(w->request->values + at, p->value, size);
        memcpy(w->request->scales + at, p->scale, size);
    }
}

static sy_status compute_all(const work *w, sy_error *err)
{
    const sy_convolution_shape *s = &w->shape;
    int64_t places = s->out_height * s->out_width;
    sy_oracle_add_fn add_terms = sy_oracle_add_here();
    sy_oracle_panel *p = sy_allocate(1, sizeof *p);
    if (p == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the convolution oracle's panel of %zu bytes", sizeof *p);
    }
    memset(w->request->values, 0, w->request->count * sizeof(double));
    memset(w->request->scales, 0, w->request->count * sizeof(double));
    for (int64_t group = 0; group < s->batch * s->groups; group++) {
        for (int64_t j = 0; j < places; j += SY_ORACLE_COLUMNS) {
            for (int64_t k = 0; k < w->terms; k += SY_ORACLE_TERMS) {
                add_panel(w, p, add_terms, group / s->groups, group % s->groups, j,
                          smaller(SY_ORACLE_COLUMNS, places - j), k, smaller(SY_ORACLE_TERMS, w->terms - k));
            }
        }
    }
    sy_free(p);
    return SY_OK;
}

static sy_status compute_some(const work *w, sy_error *err)
{
    const sy_convolution_shape *s = &w->shape;
    const sy_oracle_request *request = w->request;
    double *row = sy_allocate((size_t)w->terms, sizeof *row);
    int64_t row_held = -1;
    if (row == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a row of %lld doubles in the convolution oracle",
                       (long long)w->terms);
    }
    for (uint64_t at = 0; at < request->count; at++) {
        int64_t index = (int64_t)(request->indices != NULL ? request->indices[at] : at);
        int64_t place = index % (s->out_height * s->out_width);
        int64_t filter = index / (s->out_height * s->out_width) % s->filters;
        int64_t image = index / (s->out_height * s->out_width) / s->filters;
        int64_t plane = source_plane(s, image, filter / (s->filters / s->groups));
        if (filter != row_held) {
            sy_elements_to_double(w->dtype, w->weights, (uint64_t)(filter * w->terms), (uint64_t)w->terms, row);
            row_held = filter;
        }
        double value = 0;
        double scale = 0;
        for (int64_t k = 0; k < w->terms; k++) {
            double product = row[k] * source_at(w, plane, k, place / s->out_width, place % s->out_width);
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
    sy_tensor_desc output;
    sy_status status = sy_convolution_tensors(c, &want[0], &want[1], &output, err);
    if (status != SY_OK) {
        return status;
    }
    if (sy_dtype_is_integer(c->dtype)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': the convolution oracle takes no integers", c->name);
    }
    if (request->input_count != 2 || request->output != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': a convolution has 2 inputs and 1 output, not %zu and %zu",
                       c->name, request->input_count, request->output + 1);
    }
    for (size_t i = 0; i < 2; i++) {
        uint64_t elements = 0;
        uint64_t bytes = 0;
        status = sy_tensor_desc_check(&want[i], &elements, &bytes, err);
        if (status != SY_OK) {
            return status;
        }
        if (!sy_tensor_desc_equal(&want[i], request->inputs[i].desc) || request->inputs[i].size != bytes) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': input %zu is not the case's tensor '%s'", c->name, i,
                           want[i].name);
        }
    }
    uint64_t bytes = 0;
    return sy_tensor_desc_check(&output, ret_elements, &bytes, err);
}

sy_status sy_convolution_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    uint64_t elements = 0;
    work w = {.dtype = c->dtype, .request = request};
    sy_status status = check_request(c, request, &elements, err);
    if (status == SY_OK) {
        status = sy_convolution_shape_of(c, &w.shape, err);
    }
    if (status != SY_OK) {
        return status;
    }
    w.terms = sy_convolution_terms(&w.shape);
    w.source = request->inputs[0].bytes;
    w.weights = request->inputs[1].bytes;
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
