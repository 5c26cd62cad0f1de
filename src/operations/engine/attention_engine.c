/* SPDX-License-Identifier: Apache-2.0 */
/* The cases, tensors and data of attention as inference engines store it. Its right values are asked of attention's
 * oracle in attention_engine_oracle.c. */
#include "operations/engine/attention_engine.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/fill.h"
#include "operations/half.h"

/* Shapes and their sources are those of attention.c, here with the storage that engines on ggml give them: k and v f16
 * by default. A language model's mask is there in decoding too, where it hides nothing. Weights fall with the work. */
#define SD15 \
    "Stable Diffusion 1.5 unet/config.json: 8 heads, 320 to 1280 channels; 64 x 64 latents of a 512 x 512 image"
#define SD15_TEXT "Stable Diffusion 1.5 unet/config.json: 8 heads, beside the 77 tokens of CLIP's text encoder"
#define SDXL "SDXL unet/config.json: heads of 64, 640 and 1280 channels; 128 x 128 latents of a 1024 x 1024 image"
#define SDXL_TEXT "SDXL unet/config.json: heads of 64, beside the 77 tokens of its text encoders"
#define FLUX "FLUX.1 transformer/config.json: 24 heads of 128; 512 text tokens beside those of a 1024 x 1024 image"
#define FLUX_512 "FLUX.1 transformer/config.json: 24 heads of 128; 512 text tokens beside those of a 512 x 512 image"
#define LLAMA2_7B "Llama 2 7B config.json: 32 heads of 128"
#define LLAMA3_8B "Llama 3 8B config.json: 32 heads of 128, 8 key heads"
#define QWEN25_05B "Qwen2.5 0.5B config.json: 14 heads of 64, 2 key heads"
#define GPT2 "GPT-2 small config.json: 12 heads of 64"
#define BERT_BASE "BERT base config.json: 12 heads of 64; a sequence shorter than its batch's longest is padded"

#define STORED_BYTES(dtype_) ((dtype_) == SY_F32 ? 4.0 : 2.0)
/* Scores that are not hidden by the causal rule. */
#define VISIBLE(queries_, keys_, causal_) \
    (1.0 * (queries_) * (keys_) - ((causal_) ? 0.5 * (queries_) * ((queries_)-1.0) : 0.0))
#define HAS_MASK(causal_, masked_) ((causal_) != 0 || (masked_) != 0)

#define WIDER(dtype_, factor_) ((dtype_) == SY_F16 ? (factor_) : 1.0)

/* root_: the square root of keys_, rounded up. What sums over n keys in f16 are off by is within sqrt(n) times of what
 * is allowed where sums are f32 (docs/statistics.md). */
#define ENGINE_CASE(name_, weight_, quick_, dtype_, batch_, heads_, kv_heads_, queries_, keys_, root_, head_dim_,     \
                    causal_, masked_, source_)                                                                        \
    {                                                                                                                 \
        .name = (name_), .weight = (weight_), .quick = (quick_), .dtype = (dtype_),                                   \
        .properties = (const sy_case_property[]){{"batch", (batch_)},       {"heads", (heads_)},                      \
                                                 {"kv_heads", (kv_heads_)}, {"queries", (queries_)},                  \
                                                 {"keys", (keys_)},         {"head_dim", (head_dim_)},                \
                                                 {"causal", (causal_)},     {"mask", (masked_)},                      \
                                                 {"masked_rows", 0}},                                                 \
        .property_count = 9, .flop_count = 4.0 * (batch_) * (heads_) * (head_dim_)*VISIBLE(queries_, keys_, causal_), \
        .byte_count = 2.0 * (batch_) * (head_dim_) *                                                                  \
                          (4.0 * (heads_) * (queries_) + STORED_BYTES(dtype_) * (kv_heads_) * (keys_)) +              \
                      (HAS_MASK(causal_, masked_) ? 2.0 * (queries_) * (keys_) : 0.0),                                \
        .source = (source_), .tolerance = {1.0, 1.0, SY_F32, NAN, NAN},                                               \
        .relaxed = {WIDER(dtype_, 1.0 * (root_)), WIDER(dtype_, 0.25 * (root_)), SY_F32, NAN, NAN},                   \
        .rounds_inputs_to = (dtype_), .own_inputs = HAS_MASK(causal_, masked_)                                        \
    }

const sy_case sy_engine_attention_case_table[SY_ENGINE_ATTENTION_CASE_COUNT] = {
    ENGINE_CASE("sd15-self-4096", 0.25, false, SY_F16, 1, 8, 8, 4096, 4096, 64, 40, 0, 0, SD15),
    ENGINE_CASE("sd15-self-1024", 1, false, SY_F16, 1, 8, 8, 1024, 1024, 32, 80, 0, 0, SD15),
    ENGINE_CASE("sd15-self-1024-f32", 1, false, SY_F32, 1, 8, 8, 1024, 1024, 32, 80, 0, 0, SD15),
    ENGINE_CASE("sd15-self-256", 4, true, SY_F16, 1, 8, 8, 256, 256, 16, 160, 0, 0, SD15),
    ENGINE_CASE("sd15-self-256-f32", 4, false, SY_F32, 1, 8, 8, 256, 256, 16, 160, 0, 0, SD15),
    ENGINE_CASE("sd15-self-64", 16, false, SY_F16, 1, 8, 8, 64, 64, 8, 160, 0, 0, SD15),
    ENGINE_CASE("sd15-cross-4096", 2, false, SY_F16, 1, 8, 8, 4096, 77, 9, 40, 0, 0, SD15_TEXT),
    ENGINE_CASE("sd15-cross-1024", 4, false, SY_F16, 1, 8, 8, 1024, 77, 9, 80, 0, 0, SD15_TEXT),
    ENGINE_CASE("sd15-cross-256", 8, false, SY_F16, 1, 8, 8, 256, 77, 9, 160, 0, 0, SD15_TEXT),
    ENGINE_CASE("sd15-cross-64", 16, false, SY_F16, 1, 8, 8, 64, 77, 9, 160, 0, 0, SD15_TEXT),
    ENGINE_CASE("sdxl-self-4096", 0.25, false, SY_F16, 1, 10, 10, 4096, 4096, 64, 64, 0, 0, SDXL),
    ENGINE_CASE("sdxl-self-1024", 1, false, SY_F16, 1, 20, 20, 1024, 1024, 32, 64, 0, 0, SDXL),
    ENGINE_CASE("sdxl-cross-4096", 2, false, SY_F16, 1, 10, 10, 4096, 77, 9, 64, 0, 0, SDXL_TEXT),
    ENGINE_CASE("sdxl-cross-1024", 4, true, SY_F16, 1, 20, 20, 1024, 77, 9, 64, 0, 0, SDXL_TEXT),
    ENGINE_CASE("flux-4608", 0.0625, false, SY_F16, 1, 24, 24, 4608, 4608, 68, 128, 0, 0, FLUX),
    ENGINE_CASE("flux-1536", 0.25, false, SY_F16, 1, 24, 24, 1536, 1536, 40, 128, 0, 0, FLUX_512),
    ENGINE_CASE("llama2-7b-prefill-512", 0.5, false, SY_F16, 1, 32, 32, 512, 512, 23, 128, 1, 0, LLAMA2_7B),
    ENGINE_CASE("llama2-7b-decode-77", 32, false, SY_F16, 1, 32, 32, 1, 77, 9, 128, 1, 0, LLAMA2_7B),
    ENGINE_CASE("llama2-7b-decode-1024", 16, false, SY_F16, 1, 32, 32, 1, 1024, 32, 128, 1, 0, LLAMA2_7B),
    ENGINE_CASE("llama2-7b-decode-4096", 8, false, SY_F16, 1, 32, 32, 1, 4096, 64, 128, 1, 0, LLAMA2_7B),
    ENGINE_CASE("llama3-8b-prefill-512", 0.5, false, SY_F16, 1, 32, 8, 512, 512, 23, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("llama3-8b-prefill-2048", 0.25, false, SY_F16, 1, 32, 8, 2048, 2048, 46, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("llama3-8b-chunk-64", 2, true, SY_F16, 1, 32, 8, 64, 1024, 32, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("llama3-8b-decode-512", 16, false, SY_F16, 1, 32, 8, 1, 512, 23, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("llama3-8b-decode-512-f32", 16, false, SY_F32, 1, 32, 8, 1, 512, 23, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("llama3-8b-decode-512-bf16", 16, false, SY_BF16, 1, 32, 8, 1, 512, 23, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("llama3-8b-decode-4096", 8, false, SY_F16, 1, 32, 8, 1, 4096, 64, 128, 1, 0, LLAMA3_8B),
    ENGINE_CASE("qwen2.5-0.5b-prefill-256", 2, false, SY_F16, 1, 14, 2, 256, 256, 16, 64, 1, 0, QWEN25_05B),
    ENGINE_CASE("qwen2.5-0.5b-prefill-256-bf16", 2, false, SY_BF16, 1, 14, 2, 256, 256, 16, 64, 1, 0, QWEN25_05B),
    ENGINE_CASE("qwen2.5-0.5b-decode-256", 32, false, SY_F16, 1, 14, 2, 1, 256, 16, 64, 1, 0, QWEN25_05B),
    ENGINE_CASE("qwen2.5-0.5b-decode-4096-f32", 16, false, SY_F32, 1, 14, 2, 1, 4096, 64, 64, 1, 0, QWEN25_05B),
    ENGINE_CASE("gpt2-prefill-256", 4, true, SY_F16, 1, 12, 12, 256, 256, 16, 64, 1, 0, GPT2),
    ENGINE_CASE("gpt2-prefill-1024-f32", 1, false, SY_F32, 1, 12, 12, 1024, 1024, 32, 64, 1, 0, GPT2),
    ENGINE_CASE("gpt2-decode-512", 32, false, SY_F16, 1, 12, 12, 1, 512, 23, 64, 1, 0, GPT2),
    ENGINE_CASE("bert-padded-128", 4, false, SY_F16, 1, 12, 12, 128, 128, 12, 64, 0, 1, BERT_BASE),
};

static sy_tensor_desc of_heads(const char *name, sy_dtype dtype, int64_t d0, int64_t d1, int64_t d2, int64_t d3)
{
    return (sy_tensor_desc){.name = name, .dtype = dtype, .rank = 4, .dims = {d0, d1, d2, d3}};
}

sy_status sy_engine_attention_tensors_of(const sy_case *c, sy_engine_attention_tensors *ret_tensors, sy_error *err)
{
    sy_attention_shape s = {0};
    sy_attention_tensors plain; /* checks dtype and sizes */
    sy_status status = sy_attention_tensors_of(c, &plain, err);
    if (status == SY_OK) {
        status = sy_attention_shape_of(c, &s, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_engine_attention_tensors tensors = {
        .inputs = {of_heads("q", SY_F32, s.batch, s.heads, s.queries, s.head_dim),
                   of_heads("k", c->dtype, s.batch, s.kv_heads, s.keys, s.head_dim),
                   of_heads("v", c->dtype, s.batch, s.kv_heads, s.keys, s.head_dim),
                   of_heads("mask", SY_F16, 1, 1, s.queries, s.keys)},
        .input_count = s.masked || s.causal ? 4 : 3,
        .output = of_heads("o", SY_F32, s.batch, s.queries, s.heads, s.head_dim),
    };
    status = sy_tensor_desc_check(&tensors.inputs[0], NULL, NULL, err); /* twice as large as there */
    if (status == SY_OK) {
        *ret_tensors = tensors;
    }
    return status;
}

/* The bias and padding of attention's own mask where the case has one, else zeros; then what the causal rule hides. */
static sy_status fill_mask(const sy_case *c, const sy_attention_shape *s, uint64_t seed, uint16_t *mask, sy_error *err)
{
    uint64_t count = (uint64_t)s->queries * (uint64_t)s->keys;
    float *wide = sy_allocate((size_t)count, sizeof *wide);
    if (wide == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "case '%s': no memory for a mask of %llu elements", c->name,
                       (unsigned long long)count);
    }
    sy_status status = SY_OK;
    if (s->masked) {
        sy_tensor_desc desc = {.name = "mask", .dtype = SY_F32, .rank = 2, .dims = {s->queries, s->keys}};
        status = sy_attention_fill(c, seed, 3, &desc, wide, err);
    }
    for (int64_t i = 0; i < s->queries; i++) {
        for (int64_t j = 0; j < s->keys; j++) {
            bool is_hidden = s->causal && j > s->keys - s->queries + i;
            mask[i * s->keys + j] = sy_f16_from_f32(is_hidden ? -INFINITY : wide[i * s->keys + j]);
        }
    }
    sy_free(wide);
    return status;
}

sy_status sy_engine_attention_fill(const sy_case *c, uint64_t seed, uint32_t input_index, const sy_tensor_desc *desc,
                                   void *bytes, sy_error *err)
{
    sy_engine_attention_tensors tensors;
    sy_attention_shape shape = {0};
    sy_status status = sy_engine_attention_tensors_of(c, &tensors, err);
    if (status == SY_OK) {
        status = sy_attention_shape_of(c, &shape, err);
    }
    if (status == SY_OK &&
        (input_index >= tensors.input_count || !sy_tensor_desc_equal(desc, &tensors.inputs[input_index]))) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': input %u is none of attention's", c->name, input_index);
    }
    if (status == SY_OK && input_index < 3) {
        return sy_fill_input(SY_FILL_REAL, seed, input_index, c, desc, bytes, err);
    }
    return status == SY_OK ? fill_mask(c, &shape, seed, bytes, err) : status;
}

sy_status sy_engine_attention_complete(void *user, sy_case *c, sy_error *err)
{
    sy_attention_shape s = {0};
    (void)user;
    sy_status status = sy_attention_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    const double queries = (double)s.queries;
    const double keys = (double)s.keys;
    const double root = ceil(sqrt(keys));
    const bool has_mask = HAS_MASK(s.causal, s.masked);
    c->flop_count = 4.0 * (double)s.batch * (double)s.heads * (double)s.head_dim * VISIBLE(queries, keys, s.causal);
    c->byte_count = 2.0 * (double)s.batch * (double)s.head_dim *
                        (4.0 * (double)s.heads * queries + STORED_BYTES(c->dtype) * (double)s.kv_heads * keys) +
                    (has_mask ? 2.0 * queries * keys : 0.0);
    c->tolerance = (sy_tolerance){1.0, 1.0, SY_F32, NAN, NAN};
    /* Of few keys, with which a decoder begins, f16 sums need no more room than others. */
    c->relaxed = (sy_tolerance){WIDER(c->dtype, root), WIDER(c->dtype, fmax(1.0, 0.25 * root)), SY_F32, NAN, NAN};
    c->rounds_inputs_to = c->dtype;
    c->own_inputs = has_mask;
    return SY_OK;
}
