/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution's shapes and tensors. Its right values are computed in convolution_oracle.c. */
#include "operations/convolution.h"

#include <math.h>

#include "base/error.h"

/* Widths and resolutions are those of the papers and of the configuration files that are published with the weights;
 * an image of 512 x 512 (SDXL: 1024 x 1024) has latents of an eighth of that. Small convolutions are called more often
 * than large ones, so that weights fall with the work: a case's share of the whole stays of one order. */
#define SD15 "Stable Diffusion 1.5 unet/config.json: 320, 640, 1280, 1280 channels, latents 64x64, 1x1 projections"
#define SDXL "SDXL base 1.0 unet/config.json: 320, 640, 1280 channels, latents 128x128"
#define VAE "Stable Diffusion 1.5 vae/config.json, decoder: 512, 512, 256, 128 channels, 64x64 to 512x512"
#define RESNET50 "ResNet-50 (He et al. 2016, table 1), one image of 224x224"
#define RESNET50_V15 "ResNet-50 as torchvision has it: the 3x3 convolution strides"
#define RESNEXT50 "ResNeXt-50 32x4d (Xie et al. 2017, table 1): 32 groups of 4 channels"
#define DEEPLAB "DeepLabv3 (Chen et al. 2017): output stride 16 of 513x513 is 33x33, block 4 with rate 2"
#define ASPP "DeepLabv3 over MobileNetV2 (Sandler et al. 2018, table 7): 320 channels, 33x33, rate 12"
#define MOBILENETV2 "MobileNetV2 (Sandler et al. 2018, table 2), depthwise, one image of 224x224"

#define OUT(size_, kernel_, stride_, padding_, dilation_) \
    ((int64_t)(((size_) + 2 * (padding_) - ((dilation_) * ((kernel_)-1) + 1)) / (stride_) + 1))
#define TERMS(c_, k_, g_) ((int64_t)(((c_) / (g_)) * (k_) * (k_)))

/* name, weight, quick, channels, height = width, filters, kernel_h = kernel_w, stride, padding, dilation, groups */
#define CONVOLUTION_CASE(name_, weight_, quick_, c_, size_, f_, k_, s_, p_, d_, g_, source_)                       \
    {                                                                                                              \
        .name = (name_), .weight = (weight_), .quick = (quick_), .dtype = SY_F32,                                  \
        .properties = (const sy_case_property[]){{"batch", 1},       {"channels", (c_)}, {"height", (size_)},      \
                                                 {"width", (size_)}, {"filters", (f_)},  {"kernel_h", (k_)},       \
                                                 {"kernel_w", (k_)}, {"stride", (s_)},   {"padding", (p_)},        \
                                                 {"dilation", (d_)}, {"groups", (g_)}},                            \
        .property_count = 11,                                                                                      \
        .flop_count = 2.0 * (f_)*OUT(size_, k_, s_, p_, d_) * OUT(size_, k_, s_, p_, d_) * TERMS(c_, k_, g_),      \
        .byte_count = 4.0 * (1.0 * (c_) * (size_) * (size_) + 1.0 * (f_)*TERMS(c_, k_, g_) +                       \
                             1.0 * (f_)*OUT(size_, k_, s_, p_, d_) * OUT(size_, k_, s_, p_, d_)),                  \
        .source = (source_), .tolerance = {16.0, 2.0, SY_F32, NAN, NAN}, .relaxed = {96.0, 8.0, SY_F32, NAN, NAN}, \
        .exact_stage = true, .exact_length = TERMS(c_, k_, g_), .exact_overlap = true                              \
    }

const sy_case sy_convolution_case_table[SY_CONVOLUTION_CASE_COUNT] = {
    CONVOLUTION_CASE("sd15-in-64", 8, false, 4, 64, 320, 3, 1, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-3x3-320-64", 0.25, false, 320, 64, 320, 3, 1, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-down-320-64", 1, false, 320, 64, 320, 3, 2, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-3x3-640-32", 0.25, false, 640, 32, 640, 3, 1, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-3x3-1280-16", 0.25, false, 1280, 16, 1280, 3, 1, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-3x3-1280-8", 0.5, false, 1280, 8, 1280, 3, 1, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-1x1-320-64", 2, false, 320, 64, 320, 1, 1, 0, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-1x1-640-32", 2, false, 640, 32, 640, 1, 1, 0, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-1x1-320-640-32", 4, false, 320, 32, 640, 1, 1, 0, 1, 1, SD15),
    CONVOLUTION_CASE("sd15-out-64", 8, false, 320, 64, 4, 3, 1, 1, 1, 1, SD15),
    CONVOLUTION_CASE("sdxl-3x3-320-128", 0.0625, false, 320, 128, 320, 3, 1, 1, 1, 1, SDXL),
    CONVOLUTION_CASE("sdxl-3x3-640-64", 0.0625, false, 640, 64, 640, 3, 1, 1, 1, 1, SDXL),
    CONVOLUTION_CASE("sdxl-3x3-1280-32", 0.0625, false, 1280, 32, 1280, 3, 1, 1, 1, 1, SDXL),
    CONVOLUTION_CASE("sdxl-1x1-640-1280-32", 1, false, 640, 32, 1280, 1, 1, 0, 1, 1, SDXL),
    CONVOLUTION_CASE("vae-in-64", 8, false, 4, 64, 512, 3, 1, 1, 1, 1, VAE),
    CONVOLUTION_CASE("vae-3x3-512-64", 0.125, false, 512, 64, 512, 3, 1, 1, 1, 1, VAE),
    CONVOLUTION_CASE("vae-3x3-512-128", 0.03125, false, 512, 128, 512, 3, 1, 1, 1, 1, VAE),
    CONVOLUTION_CASE("vae-3x3-256-256", 0.03125, false, 256, 256, 256, 3, 1, 1, 1, 1, VAE),
    CONVOLUTION_CASE("vae-3x3-128-512", 0.03125, false, 128, 512, 128, 3, 1, 1, 1, 1, VAE),
    CONVOLUTION_CASE("vae-out-512", 0.125, false, 128, 512, 3, 3, 1, 1, 1, 1, VAE),
    CONVOLUTION_CASE("resnet50-7x7-3-224", 4, true, 3, 224, 64, 7, 2, 3, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-3x3-64-56", 8, true, 64, 56, 64, 3, 1, 1, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-3x3-128-28", 8, false, 128, 28, 128, 3, 1, 1, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-3x3-256-14", 8, false, 256, 14, 256, 3, 1, 1, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-3x3-512-7", 8, false, 512, 7, 512, 3, 1, 1, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-1x1-64-256-56", 16, false, 64, 56, 256, 1, 1, 0, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-1x1-1024-256-14", 16, true, 1024, 14, 256, 1, 1, 0, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-1x1-512-2048-7", 16, false, 512, 7, 2048, 1, 1, 0, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-down-256-512-56", 8, false, 256, 56, 512, 1, 2, 0, 1, 1, RESNET50),
    CONVOLUTION_CASE("resnet50-3x3-128-56-stride-2", 8, false, 128, 56, 128, 3, 2, 1, 1, 1, RESNET50_V15),
    CONVOLUTION_CASE("resnext50-3x3-128-56", 8, false, 128, 56, 128, 3, 1, 1, 1, 32, RESNEXT50),
    CONVOLUTION_CASE("deeplab-3x3-512-33-rate-2", 0.25, false, 512, 33, 512, 3, 1, 2, 2, 1, DEEPLAB),
    CONVOLUTION_CASE("deeplab-3x3-320-33-rate-12", 1, false, 320, 33, 256, 3, 1, 12, 12, 1, ASPP),
    CONVOLUTION_CASE("mobilenetv2-3x3-32-112", 16, false, 32, 112, 32, 3, 1, 1, 1, 32, MOBILENETV2),
    CONVOLUTION_CASE("mobilenetv2-3x3-144-56-stride-2", 16, false, 144, 56, 144, 3, 2, 1, 1, 144, MOBILENETV2),
    CONVOLUTION_CASE("mobilenetv2-3x3-576-14", 16, true, 576, 14, 576, 3, 1, 1, 1, 576, MOBILENETV2),
};

enum { PROPERTY_COUNT = 11 };

static const char *const property_names[PROPERTY_COUNT] = {"batch",   "channels", "height",   "width",
                                                           "filters", "kernel_h", "kernel_w", "stride",
                                                           "padding", "dilation", "groups"};

/* Elements of the output along one axis; below 1: the kernel does not fit. Nothing overflows: all are below 2^31. */
static int64_t out_size(int64_t size, int64_t kernel, const sy_convolution_shape *s)
{
    int64_t room = size + 2 * s->padding - (s->dilation * (kernel - 1) + 1);
    return room < 0 ? 0 : room / s->stride + 1;
}

sy_status sy_convolution_shape_of(const sy_case *c, sy_convolution_shape *ret_shape, sy_error *err)
{
    sy_convolution_shape s = {0};
    int64_t *const fields[PROPERTY_COUNT] = {&s.batch,    &s.channels, &s.height,  &s.width,    &s.filters, &s.kernel_h,
                                             &s.kernel_w, &s.stride,   &s.padding, &s.dilation, &s.groups};
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        int64_t least = fields[i] == &s.padding ? 0 : 1;
        sy_status status = sy_case_get(c, property_names[i], fields[i], err);
        if (status != SY_OK) {
            return status;
        }
        if (*fields[i] < least || *fields[i] > INT32_MAX) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': %s is %lld, it must be %lld to %d", c->name,
                           property_names[i], (long long)*fields[i], (long long)least, INT32_MAX);
        }
    }
    if (s.channels % s.groups != 0 || s.filters % s.groups != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': %lld groups do not divide %lld channels and %lld filters",
                       c->name, (long long)s.groups, (long long)s.channels, (long long)s.filters);
    }
    s.out_height = out_size(s.height, s.kernel_h, &s);
    s.out_width = out_size(s.width, s.kernel_w, &s);
    if (s.out_height < 1 || s.out_width < 1) {
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "case '%s': a kernel of %lld x %lld with dilation %lld does not fit into %lld x %lld with "
                       "padding %lld",
                       c->name, (long long)s.kernel_h, (long long)s.kernel_w, (long long)s.dilation,
                       (long long)s.height, (long long)s.width, (long long)s.padding);
    }
    *ret_shape = s;
    return SY_OK;
}

int64_t sy_convolution_terms(const sy_convolution_shape *shape)
{
    return shape->channels / shape->groups * shape->kernel_h * shape->kernel_w;
}

sy_status sy_convolution_tensors(const sy_case *c, sy_tensor_desc *ret_source, sy_tensor_desc *ret_weights,
                                 sy_tensor_desc *ret_output, sy_error *err)
{
    sy_convolution_shape s = {0};
    sy_status status = sy_convolution_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    sy_tensor_desc all[] = {
        {.name = "source", .dtype = c->dtype, .rank = 4, .dims = {s.batch, s.channels, s.height, s.width}},
        {.name = "weights",
         .dtype = c->dtype,
         .rank = 4,
         .dims = {s.filters, s.channels / s.groups, s.kernel_h, s.kernel_w}},
        {.name = "output", .dtype = c->dtype, .rank = 4, .dims = {s.batch, s.filters, s.out_height, s.out_width}}};
    for (size_t i = 0; i < 3; i++) {
        uint64_t elements;
        uint64_t bytes;
        status = sy_tensor_desc_check(&all[i], &elements, &bytes, err);
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

sy_status sy_convolution_complete(void *user, sy_case *c, sy_error *err)
{
    sy_convolution_shape s = {0};
    (void)user;
    sy_status status = sy_convolution_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    const double images = (double)s.batch;
    const double out = images * (double)s.filters * (double)s.out_height * (double)s.out_width;
    const int64_t terms = sy_convolution_terms(&s);
    c->flop_count = 2.0 * out * (double)terms;
    c->byte_count = (double)sy_dtype_size(c->dtype) *
                    (images * (double)s.channels * (double)s.height * (double)s.width +
                     (double)s.filters * (double)terms + out);
    c->tolerance = (sy_tolerance){16.0, 2.0, SY_F32, NAN, NAN};
    c->relaxed = (sy_tolerance){96.0, 8.0, SY_F32, NAN, NAN};
    c->exact_stage = true;
    c->exact_length = (uint64_t)terms;
    c->exact_overlap = true;
    return SY_OK;
}
