/* SPDX-License-Identifier: Apache-2.0 */
/* The right values of a three-dimensional convolution. The frames that one output plane sees stand as channels of a
 * two-dimensional one, whose oracle sums them: c outermost, then the kernel's planes, as the weights lie. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/convolution.h"
#include "operations/engine/convolution_3d.h"
#include "operations/engine/engine_weights.h"

enum { PROPERTY_COUNT = 11 };

typedef struct plane_problem {
    sy_convolution_3d_shape shape;
    sy_case c; /* of one output plane */
    sy_case_property properties[PROPERTY_COUNT];
    sy_tensor_desc tensors[3];
    sy_output inputs[2];
    const float *source; /* whole */
    float *frames;       /* those that the plane sees, zeros for those outside */
    float *widened;      /* NULL, or the weights as f32 */
} plane_problem;

/* An element that is asked for: its output plane, its index there, its place in the request. */
typedef struct asked {
    uint64_t plane;
    uint64_t index;
    uint64_t place;
} asked;

static sy_status no_memory(const sy_case *c, sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "case '%s': no memory for the right values of a convolution", c->name);
}

static sy_status start(plane_problem *p, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    const sy_convolution_3d_shape *s = &p->shape;
    const sy_case_property properties[PROPERTY_COUNT] = {{"batch", 1},
                                                         {"channels", s->channels * s->kernel_d},
                                                         {"height", s->height},
                                                         {"width", s->width},
                                                         {"filters", s->filters},
                                                         {"kernel_h", s->kernel_h},
                                                         {"kernel_w", s->kernel_w},
                                                         {"stride", s->stride},
                                                         {"padding", s->padding},
                                                         {"dilation", s->dilation},
                                                         {"groups", 1}};
    memcpy(p->properties, properties, sizeof properties);
    p->c = *c;
    p->c.dtype = SY_F32;
    p->c.properties = p->properties;
    p->c.property_count = PROPERTY_COUNT;
    p->source = request->inputs[0].bytes;
    sy_tensor_desc weights = *request->inputs[1].desc;
    sy_status status = sy_engine_widen(c, &request->inputs[1], &weights, &p->inputs[1], &p->widened, err);
    if (status == SY_OK) {
        status = sy_convolution_tensors(&p->c, &p->tensors[0], &p->tensors[1], &p->tensors[2], err);
    }
    if (status == SY_OK) {
        status = sy_tensor_desc_check(&p->tensors[0], NULL, &p->inputs[0].size, err);
    }
    if (status == SY_OK) {
        p->frames = sy_allocate(1, (size_t)p->inputs[0].size);
        status = p->frames != NULL ? SY_OK : no_memory(c, err);
    }
    p->inputs[0].desc = &p->tensors[0];
    p->inputs[0].bytes = p->frames;
    p->inputs[1].desc = &p->tensors[1];
    return status;
}

/* plane: number of an output plane, n out_depth + z. */
static void gather_frames(plane_problem *p, uint64_t plane)
{
    const sy_convolution_3d_shape *s = &p->shape;
    int64_t n = (int64_t)plane / s->out_depth;
    int64_t first = (int64_t)plane % s->out_depth * s->stride_d - s->padding_d;
    size_t size = (size_t)(s->height * s->width);
    for (int64_t at = 0; at < s->channels * s->kernel_d; at++) {
        int64_t frame = first + at % s->kernel_d * s->dilation_d;
        float *to = p->frames + (size_t)at * size;
        if (frame >= 0 && frame < s->depth) {
            int64_t from = (n * s->channels + at / s->kernel_d) * s->depth + frame;
            memcpy(to, p->source + (size_t)from * size, size * sizeof *to);
        } else {
            memset(to, 0, size * sizeof *to);
        }
    }
}

/* Index of an element of the output (N F, out_depth, out_height, out_width). */
static asked place_of(const sy_convolution_3d_shape *s, uint64_t index, uint64_t place)
{
    uint64_t size = (uint64_t)(s->out_height * s->out_width);
    uint64_t z = index / size % (uint64_t)s->out_depth;
    uint64_t filter = index / size / (uint64_t)s->out_depth;
    uint64_t n = filter / (uint64_t)s->filters;
    return (asked){n * (uint64_t)s->out_depth + z, filter % (uint64_t)s->filters * size + index % size, place};
}

static int by_plane_and_index(const void *a, const void *b)
{
    const asked *x = a;
    const asked *y = b;
    int order = (x->plane > y->plane) - (x->plane < y->plane);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* count elements of one output plane; all of them where they are as many. indices, answers: room for twice count. */
static sy_status ask_plane(plane_problem *p, const sy_oracle_request *request, const asked *order, uint64_t count,
                           uint64_t *indices, double *answers, sy_error *err)
{
    uint64_t elements = 0;
    sy_status status = sy_tensor_desc_check(&p->tensors[2], &elements, NULL, err);
    if (status != SY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < count; i++) {
        indices[i] = order[i].index;
    }
    gather_frames(p, order[0].plane);
    sy_oracle_request inner = {p->inputs, 2, 0, count == elements ? NULL : indices, count, answers, answers + count};
    status = sy_convolution_oracle(NULL, &p->c, &inner, err);
    for (uint64_t i = 0; status == SY_OK && i < count; i++) {
        request->values[order[i].place] = answers[i];
        request->scales[order[i].place] = answers[count + i];
    }
    return status;
}

static sy_status ask_all(plane_problem *p, const sy_oracle_request *request, uint64_t elements, sy_error *err)
{
    size_t count = (size_t)request->count;
    asked *order = sy_allocate(count, sizeof *order);
    uint64_t *indices = sy_allocate(count, sizeof *indices);
    double *answers = sy_allocate(count, 2 * sizeof *answers);
    sy_status status = order != NULL && indices != NULL && answers != NULL ? SY_OK : no_memory(&p->c, err);
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        uint64_t index = request->indices != NULL ? request->indices[i] : i;
        if (index >= elements) {
            status = sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': the oracle is asked for element %llu of %llu",
                             p->c.name, (unsigned long long)index, (unsigned long long)elements);
        }
        order[i] = place_of(&p->shape, index, i);
    }
    if (status == SY_OK) {
        qsort(order, count, sizeof *order, by_plane_and_index);
    }
    for (size_t first = 0; status == SY_OK && first < count;) {
        size_t end = first;
        while (end < count && order[end].plane == order[first].plane) {
            end++;
        }
        status = ask_plane(p, request, order + first, end - first, indices, answers, err);
        first = end;
    }
    sy_free(order);
    sy_free(indices);
    sy_free(answers);
    return status;
}

sy_status sy_convolution_3d_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    sy_tensor_desc tensors[3];
    plane_problem p = {0};
    uint64_t elements = 0;
    sy_status status = sy_convolution_3d_tensors(c, &tensors[0], &tensors[1], &tensors[2], err);
    if (status == SY_OK) {
        status = sy_engine_check_inputs(c, tensors, 2, request, err);
    }
    if (status == SY_OK) {
        status = sy_convolution_3d_shape_of(c, &p.shape, err);
    }
    if (status == SY_OK) {
        status = sy_tensor_desc_check(&tensors[2], &elements, NULL, err);
    }
    if (status == SY_OK) {
        status = start(&p, c, request, err);
    }
    if (status == SY_OK && request->count > 0) {
        status = ask_all(&p, request, elements, err);
    }
    sy_free(p.frames);
    sy_free(p.widened);
    return status;
}
