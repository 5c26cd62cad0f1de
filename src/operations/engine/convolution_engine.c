/* SPDX-License-Identifier: Apache-2.0 */
/* The cases and tensors of convolution as inference engines store it, and its right values, which are asked of
 * convolution's oracle. */
#include "operations/engine/convolution_engine.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/engine/engine_weights.h"

/* Shapes and most sources are those of convolution.c. Engines store weights as f16; the cases of f32 weights show what
 * wider weights change. */
#define SD15 "Stable Diffusion 1.5 unet/config.json: 320, 640, 1280, 1280 channels, latents 64x64, 1x1 projections"
#define SDXL "SDXL base 1.0 unet/config.json: 320, 640, 1280 channels, latents 128x128"
#define VAE "Stable Diffusion 1.5 vae/config.json, decoder: 512, 512, 256, 128 channels, 64x64 to 512x512"
#define SDXL_VAE "SDXL base 1.0 vae/config.json, decoder: 512, 512, 256, 128 channels, 128x128 to 1024x1024"
#define TAESD "TAESD (Ollin Boer Bohan 2023), decoder: 64 channels in every layer, 64x64 to 512x512"
#define RESNET50 "ResNet-50 (He et al. 2016, table 1), one image of 224x224"
#define ESRGAN "ESRGAN (Wang et al. 2018), residual dense block: 64 channels, growth of 32"
#define CLIP_VIT "CLIP ViT-L/14 config.json: patches of 14 x 14 of an image of 224 x 224, 1024 channels"
#define ASPP "DeepLabv3 over MobileNetV2 (Sandler et al. 2018, table 7): 320 channels, 33x33, rate 12"
#define MOBILENETV2 "MobileNetV2 (Sandler et al. 2018, table 2), depthwise, one image of 224x224"
#define CONVNEXT "ConvNeXt-T (Liu et al. 2022, table 9), depthwise 7x7, one image of 224x224"
#define EFFICIENTNET "EfficientNet-B0 (Tan and Le 2019, table 1), depthwise 5x5, one image of 224x224"

#define OUT(size_, kernel_, stride_, padding_, dilation_) \
    ((int64_t)(((size_) + 2 * (padding_) - ((dilation_) * ((kernel_)-1) + 1)) / (stride_) + 1))
#define TERMS(c_, k_, g_) ((int64_t)(((c_) / (g_)) * (k_) * (k_)))
#define STORED_BYTES(dtype_) ((dtype_) == SY_F32 ? 4.0 : 2.0)

/* name, weight, quick, dtype of the weights, channels, height = width, filters, kernel_h = kernel_w, stride, padding,
 * dilation, groups */
#define ENGINE_CASE(name_, weight_, quick_, dtype_, c_, size_, f_, k_, s_, p_, d_, g_, source_)               \
    {                                                                                                         \
        .name = (name_), .weight = (weight_), .quick = (quick_), .dtype = (dtype_),                           \
        .properties = (const sy_case_property[]){{"batch", 1},       {"channels", (c_)}, {"height", (size_)}, \
                                                 {"width", (size_)}, {"filters", (f_)},  {"kernel_h", (k_)},  \
                                                 {"kernel_w", (k_)}, {"stride", (s_)},   {"padding", (p_)},   \
                                                 {"dilation", (d_)}, {"groups", (g_)}},                       \
        .property_count = 11,                                                                                 \
        .flop_count = 2.0 * (f_)*OUT(size_, k_, s_, p_, d_) * OUT(size_, k_, s_, p_, d_) * TERMS(c_, k_, g_), \
        .byte_count = 4.0 * (c_) * (size_) * (size_) + STORED_BYTES(dtype_) * (f_)*TERMS(c_, k_, g_) +        \
                      4.0 * (f_)*OUT(size_, k_, s_, p_, d_) * OUT(size_, k_, s_, p_, d_),                     \
        .source = (source_), .tolerance = {4.0, 1.0, SY_F16, NAN, NAN}, .exact_stage = true,                  \
        .exact_length = TERMS(c_, k_, g_), .exact_overlap = true, .rounds_inputs_to = SY_F16                  \
    }

const sy_case sy_engine_convolution_case_table[SY_ENGINE_CONVOLUTION_CASE_COUNT] = {
    ENGINE_CASE("sd15-in-64", 8, false, SY_F16, 4, 64, 320, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-in-64-f32", 8, true, SY_F32, 4, 64, 320, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-3x3-320-64", 0.25, false, SY_F16, 320, 64, 320, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-3x3-320-64-f32", 0.25, false, SY_F32, 320, 64, 320, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-down-320-64", 1, false, SY_F16, 320, 64, 320, 3, 2, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-3x3-640-32", 0.25, false, SY_F16, 640, 32, 640, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-3x3-1280-16", 0.25, false, SY_F16, 1280, 16, 1280, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-3x3-1280-8", 0.5, false, SY_F16, 1280, 8, 1280, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sd15-1x1-320-64", 2, true, SY_F16, 320, 64, 320, 1, 1, 0, 1, 1, SD15),
    ENGINE_CASE("sd15-1x1-1280-8", 16, false, SY_F16, 1280, 8, 1280, 1, 1, 0, 1, 1, SD15),
    ENGINE_CASE("sd15-out-64", 8, true, SY_F16, 320, 64, 4, 3, 1, 1, 1, 1, SD15),
    ENGINE_CASE("sdxl-3x3-320-128", 0.0625, false, SY_F16, 320, 128, 320, 3, 1, 1, 1, 1, SDXL),
    ENGINE_CASE("sdxl-3x3-1280-32", 0.0625, false, SY_F16, 1280, 32, 1280, 3, 1, 1, 1, 1, SDXL),
    ENGINE_CASE("vae-in-64", 8, false, SY_F16, 4, 64, 512, 3, 1, 1, 1, 1, VAE),
    ENGINE_CASE("vae-3x3-512-64", 0.125, false, SY_F16, 512, 64, 512, 3, 1, 1, 1, 1, VAE),
    ENGINE_CASE("vae-3x3-256-256", 0.03125, false, SY_F16, 256, 256, 256, 3, 1, 1, 1, 1, VAE),
    ENGINE_CASE("vae-3x3-128-512", 0.03125, false, SY_F16, 128, 512, 128, 3, 1, 1, 1, 1, VAE),
    ENGINE_CASE("vae-out-512", 0.125, false, SY_F16, 128, 512, 3, 3, 1, 1, 1, 1, VAE),
    ENGINE_CASE("sdxl-vae-3x3-128-1024", 0.015625, false, SY_F16, 128, 1024, 128, 3, 1, 1, 1, 1, SDXL_VAE),
    ENGINE_CASE("taesd-3x3-64-64", 4, false, SY_F16, 64, 64, 64, 3, 1, 1, 1, 1, TAESD),
    ENGINE_CASE("taesd-3x3-64-512", 0.125, false, SY_F16, 64, 512, 64, 3, 1, 1, 1, 1, TAESD),
    ENGINE_CASE("esrgan-3x3-64-32-128", 2, false, SY_F16, 64, 128, 32, 3, 1, 1, 1, 1, ESRGAN),
    ENGINE_CASE("clip-patch-14-224", 4, false, SY_F16, 3, 224, 1024, 14, 14, 0, 1, 1, CLIP_VIT),
    ENGINE_CASE("resnet50-7x7-3-224", 4, false, SY_F16, 3, 224, 64, 7, 2, 3, 1, 1, RESNET50),
    ENGINE_CASE("resnet50-3x3-64-56", 8, false, SY_F16, 64, 56, 64, 3, 1, 1, 1, 1, RESNET50),
    ENGINE_CASE("resnet50-3x3-64-56-f32", 8, false, SY_F32, 64, 56, 64, 3, 1, 1, 1, 1, RESNET50),
    ENGINE_CASE("deeplab-3x3-320-33-rate-12", 1, false, SY_F16, 320, 33, 256, 3, 1, 12, 12, 1, ASPP),
};

const sy_case sy_engine_depthwise_case_table[SY_ENGINE_DEPTHWISE_CASE_COUNT] = {
    ENGINE_CASE("mobilenetv2-3x3-32-112", 16, false, SY_F16, 32, 112, 32, 3, 1, 1, 1, 32, MOBILENETV2),
    ENGINE_CASE("mobilenetv2-3x3-144-56-stride-2", 16, true, SY_F16, 144, 56, 144, 3, 2, 1, 1, 144, MOBILENETV2),
    ENGINE_CASE("mobilenetv2-3x3-576-14", 16, true, SY_F16, 576, 14, 576, 3, 1, 1, 1, 576, MOBILENETV2),
    ENGINE_CASE("efficientnet-5x5-240-28", 16, false, SY_F16, 240, 28, 240, 5, 1, 2, 1, 240, EFFICIENTNET),
    ENGINE_CASE("efficientnet-5x5-672-14", 16, false, SY_F16, 672, 14, 672, 5, 1, 2, 1, 672, EFFICIENTNET),
    ENGINE_CASE("convnext-7x7-96-56", 4, true, SY_F16, 96, 56, 96, 7, 1, 3, 1, 96, CONVNEXT),
    ENGINE_CASE("convnext-7x7-192-28", 8, false, SY_F16, 192, 28, 192, 7, 1, 3, 1, 192, CONVNEXT),
    ENGINE_CASE("convnext-7x7-384-14", 16, false, SY_F16, 384, 14, 384, 7, 1, 3, 1, 384, CONVNEXT),
    ENGINE_CASE("convnext-7x7-768-7", 16, false, SY_F16, 768, 7, 768, 7, 1, 3, 1, 768, CONVNEXT),
};

sy_status sy_engine_convolution_tensors(const sy_case *c, sy_tensor_desc *ret_source, sy_tensor_desc *ret_weights,
                                        sy_tensor_desc *ret_output, sy_error *err)
{
    sy_case wide = *c;
    sy_tensor_desc source;
    sy_tensor_desc weights;
    sy_tensor_desc output;
    if (c->dtype != SY_F32 && c->dtype != SY_F16) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': weights are f32 or f16, not %s", c->name,
                       sy_dtype_word(c->dtype));
    }
    wide.dtype = SY_F32;
    sy_status status = sy_convolution_tensors(&wide, &source, &weights, &output, err);
    if (status == SY_OK) {
        weights.dtype = c->dtype;
        *ret_source = source;
        *ret_weights = weights;
        *ret_output = output;
    }
    return status;
}

sy_status sy_engine_convolution_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    sy_case wide = *c;
    sy_tensor_desc tensors[3];
    sy_output inputs[2];
    float *widened = NULL;
    wide.dtype = SY_F32;
    sy_status status = sy_engine_convolution_tensors(c, &tensors[0], &tensors[1], &tensors[2], err);
    if (status == SY_OK) {
        status = sy_engine_check_inputs(c, tensors, 2, request, err);
    }
    if (status == SY_OK) {
        status = sy_engine_widen(c, &request->inputs[1], &tensors[1], &inputs[1], &widened, err);
    }
    if (status == SY_OK) {
        inputs[0] = request->inputs[0];
        sy_oracle_request inner = *request;
        inner.inputs = inputs;
        status = sy_convolution_oracle(user, &wide, &inner, err);
    }
    sy_free(widened);
    return status;
}

sy_status sy_engine_convolution_complete(void *user, sy_case *c, sy_error *err)
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
    c->byte_count = 4.0 * images * (double)s.channels * (double)s.height * (double)s.width +
                    STORED_BYTES(c->dtype) * (double)s.filters * (double)terms + 4.0 * out;
    c->tolerance = (sy_tolerance){4.0, 1.0, SY_F16, NAN, NAN};
    c->exact_stage = true;
    c->exact_length = (uint64_t)terms;
    c->exact_overlap = true;
    c->rounds_inputs_to = SY_F16;
    return SY_OK;
}
