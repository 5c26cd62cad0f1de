/* SPDX-License-Identifier: Apache-2.0 */
/* The three-dimensional convolution's shapes and tensors. Its right values are computed in convolution_3d_oracle.c. */
#include "operations/engine/convolution_3d.h"

#include <math.h>

#include "base/error.h"

/* A video model's decoder works on few frames at a time: two of the past and the new one, without padding in time. */
#define WAN_PATCH "Wan 2.1 1.3B config.json: dim 1536, patches of 1 x 2 x 2 of 16-channel latents of an 832 x 480 video"
#define WAN_VAE "Wan 2.1 vae: dim 96, multipliers 1, 2, 4, 4, 16-channel latents, causal 3x3x3, one frame of 832 x 480"
#define R3D_18 "R3D-18 (Tran et al. 2018, table 1), 16 frames of 112 x 112"
#define COGVIDEOX_VAE "CogVideoX vae/config.json: 128, 256, 256, 512 channels, 3x3x3, latents of 720 x 480"

#define OUT(size_, kernel_, stride_, padding_) ((int64_t)(((size_) + 2 * (padding_) - (kernel_)) / (stride_) + 1))
#define TERMS(c_, kd_, k_) ((int64_t)((c_) * (kd_) * (k_) * (k_)))
#define PLACES(d_, h_, w_, kd_, k_, sd_, s_, pd_, p_) \
    (1.0 * OUT(d_, kd_, sd_, pd_) * OUT(h_, k_, s_, p_) * OUT(w_, k_, s_, p_))
#define STORED_BYTES(dtype_) ((dtype_) == SY_F32 ? 4.0 : 2.0)

/* name, weight, quick, dtype of the weights, channels, depth, height, width, filters, kernel_d, kernel_h = kernel_w,
 * stride_d, stride, padding_d, padding */
#define CASE_3D(name_, weight_, quick_, dtype_, c_, d_, h_, w_, f_, kd_, k_, sd_, s_, pd_, p_, source_)         \
    {                                                                                                           \
        .name = (name_), .weight = (weight_), .quick = (quick_), .dtype = (dtype_),                             \
        .properties = (const sy_case_property[]){{"batch", 1},        {"channels", (c_)}, {"depth", (d_)},      \
                                                 {"height", (h_)},    {"width", (w_)},    {"filters", (f_)},    \
                                                 {"kernel_d", (kd_)}, {"kernel_h", (k_)}, {"kernel_w", (k_)},   \
                                                 {"stride_d", (sd_)}, {"stride", (s_)},   {"padding_d", (pd_)}, \
                                                 {"padding", (p_)},   {"dilation_d", 1},  {"dilation", 1}},     \
        .property_count = 15,                                                                                   \
        .flop_count = 2.0 * (f_)*PLACES(d_, h_, w_, kd_, k_, sd_, s_, pd_, p_) * TERMS(c_, kd_, k_),            \
        .byte_count = 4.0 * (c_) * (d_) * (h_) * (w_) + STORED_BYTES(dtype_) * (f_)*TERMS(c_, kd_, k_) +        \
                      4.0 * (f_)*PLACES(d_, h_, w_, kd_, k_, sd_, s_, pd_, p_),                                 \
        .source = (source_), .tolerance = {4.0, 1.0, SY_F16, NAN, NAN}, .exact_stage = true,                    \
        .exact_length = TERMS(c_, kd_, k_), .exact_overlap = true, .rounds_inputs_to = SY_F16                   \
    }

const sy_case sy_convolution_3d_case_table[SY_CONVOLUTION_3D_CASE_COUNT] = {
    CASE_3D("wan-patch-1", 4, true, SY_F16, 16, 1, 60, 104, 1536, 1, 2, 1, 2, 0, 0, WAN_PATCH),
    CASE_3D("wan-patch-21", 1, false, SY_F16, 16, 21, 60, 104, 1536, 1, 2, 1, 2, 0, 0, WAN_PATCH),
    CASE_3D("wan-vae-in", 2, false, SY_F16, 16, 3, 60, 104, 384, 3, 3, 1, 1, 0, 1, WAN_VAE),
    CASE_3D("wan-vae-384-60", 0.0625, false, SY_F16, 384, 3, 60, 104, 384, 3, 3, 1, 1, 0, 1, WAN_VAE),
    CASE_3D("wan-vae-96-480", 0.015625, false, SY_F16, 96, 3, 480, 832, 96, 3, 3, 1, 1, 0, 1, WAN_VAE),
    CASE_3D("cogvideox-vae-512-60", 0.03125, false, SY_F16, 512, 4, 60, 90, 512, 3, 3, 1, 1, 0, 1, COGVIDEOX_VAE),
    CASE_3D("r3d-stem-3-112", 1, false, SY_F16, 3, 16, 112, 112, 64, 3, 7, 1, 2, 1, 3, R3D_18),
    CASE_3D("r3d-3x3x3-256-14", 1, false, SY_F16, 256, 4, 14, 14, 256, 3, 3, 1, 1, 1, 1, R3D_18),
    CASE_3D("r3d-3x3x3-512-7", 2, true, SY_F16, 512, 2, 7, 7, 512, 3, 3, 1, 1, 1, 1, R3D_18),
    CASE_3D("r3d-3x3x3-512-7-f32", 2, false, SY_F32, 512, 2, 7, 7, 512, 3, 3, 1, 1, 1, 1, R3D_18),
};

enum { PROPERTY_COUNT = 15 };

static const char *const property_names[PROPERTY_COUNT] = {
    "batch",    "channels", "depth",  "height",    "width",   "filters",    "kernel_d", "kernel_h",
    "kernel_w", "stride_d", "stride", "padding_d", "padding", "dilation_d", "dilation"};

/* Elements of the output along one axis; 0: the kernel does not fit. Nothing overflows: all are below 2^31. */
static int64_t out_size(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation)
{
    int64_t room = size + 2 * padding - (dilation * (kernel - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
}

sy_status sy_convolution_3d_shape_of(const sy_case *c, sy_convolution_3d_shape *ret_shape, sy_error *err)
{
    sy_convolution_3d_shape s = {0};
    int64_t *const fields[PROPERTY_COUNT] = {&s.batch,   &s.channels,  &s.depth,    &s.height,     &s.width,
                                             &s.filters, &s.kernel_d,  &s.kernel_h, &s.kernel_w,   &s.stride_d,
                                             &s.stride,  &s.padding_d, &s.padding,  &s.dilation_d, &s.dilation};
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        int64_t least = fields[i] == &s.padding || fields[i] == &s.padding_d ? 0 : 1;
        sy_status status = sy_case_get(c, property_names[i], fields[i], err);
        if (status != SY_OK) {
            return status;
        }
        if (*fields[i] < least || *fields[i] > INT32_MAX) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': %s is %lld, it must be %lld to %d", c->name,
                           property_names[i], (long long)*fields[i], (long long)least, INT32_MAX);
        }
    }
    s.out_depth = out_size(s.depth, s.kernel_d, s.stride_d, s.padding_d, s.dilation_d);
    s.out_height = out_size(s.height, s.kernel_h, s.stride, s.padding, s.dilation);
    s.out_width = out_size(s.width, s.kernel_w, s.stride, s.padding, s.dilation);
    if (s.out_depth < 1 || s.out_height < 1 || s.out_width < 1) {
        return sy_fail(
            err, SY_INVALID_ARGUMENT,
            "case '%s': a kernel of %lld x %lld x %lld does not fit into %lld x %lld x %lld with its padding", c->name,
            (long long)s.kernel_d, (long long)s.kernel_h, (long long)s.kernel_w, (long long)s.depth,
            (long long)s.height, (long long)s.width);
    }
    *ret_shape = s;
    return SY_OK;
}

sy_status sy_convolution_3d_tensors(const sy_case *c, sy_tensor_desc *ret_source, sy_tensor_desc *ret_weights,
                                    sy_tensor_desc *ret_output, sy_error *err)
{
    sy_convolution_3d_shape s = {0};
    sy_status status = sy_convolution_3d_shape_of(c, &s, err);
    if (status == SY_OK && c->dtype != SY_F32 && c->dtype != SY_F16) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': weights are f32 or f16, not %s", c->name,
                         sy_dtype_word(c->dtype));
    }
    if (status != SY_OK) {
        return status;
    }
    sy_tensor_desc all[] = {
        {.name = "source", .dtype = SY_F32, .rank = 4, .dims = {s.batch * s.channels, s.depth, s.height, s.width}},
        {.name = "weights",
         .dtype = c->dtype,
         .rank = 4,
         .dims = {s.filters * s.channels, s.kernel_d, s.kernel_h, s.kernel_w}},
        {.name = "output",
         .dtype = SY_F32,
         .rank = 4,
         .dims = {s.batch * s.filters, s.out_depth, s.out_height, s.out_width}}};
    for (size_t i = 0; i < 3; i++) {
        status = sy_tensor_desc_check(&all[i], NULL, NULL, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "case '%s'", c->name);
            return status;
        }
    }
    *ret_source = all[0];
    *ret_weights = all[1];
    *ret_output = all[2];
    return SY_OK;
}

sy_status sy_convolution_3d_complete(void *user, sy_case *c, sy_error *err)
{
    sy_convolution_3d_shape s = {0};
    (void)user;
    sy_status status = sy_convolution_3d_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    const double images = (double)s.batch;
    const double out = images * (double)s.filters * (double)s.out_depth * (double)s.out_height * (double)s.out_width;
    const double terms = (double)s.channels * (double)s.kernel_d * (double)s.kernel_h * (double)s.kernel_w;
    c->flop_count = 2.0 * out * terms;
    c->byte_count = 4.0 * images * (double)s.channels * (double)s.depth * (double)s.height * (double)s.width +
                    STORED_BYTES(c->dtype) * (double)s.filters * terms + 4.0 * out;
    c->tolerance = (sy_tolerance){4.0, 1.0, SY_F16, NAN, NAN};
    c->exact_stage = true;
    c->exact_length = (uint64_t)terms;
    c->exact_overlap = true;
    c->rounds_inputs_to = SY_F16;
    return SY_OK;
}
