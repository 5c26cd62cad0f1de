/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's shapes, tensors and masks. Its right values are computed in attention_oracle.c. */
#include "operations/attention.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "operations/fill.h"

/* Head counts, head dimensions and tokens are those of the configuration files that are published with the models'
 * weights. A diffusion model runs each of its layers some tens of times for an image, a language model each of its
 * layers once for a prompt and once for every token that follows: decoding weighs most. Weights fall with the work, so
 * that a case's share of the whole stays of one order. */
#define SD15 \
    "Stable Diffusion 1.5 unet/config.json: 8 heads, 320 to 1280 channels; 64 x 64 latents of a 512 x 512 image"
#define SD15_TEXT "Stable Diffusion 1.5 unet/config.json: 8 heads, beside the 77 tokens of CLIP's text encoder"
#define SD15_GUIDED SD15_TEXT "; with and without the prompt (classifier-free guidance, Ho and Salimans 2022)"
#define SDXL "SDXL unet/config.json: heads of 64, 640 and 1280 channels; 128 x 128 latents of a 1024 x 1024 image"
#define SDXL_TEXT "SDXL unet/config.json: heads of 64, beside the 77 tokens of its text encoders"
#define FLUX "FLUX.1 transformer/config.json: 24 heads of 128; 512 text tokens beside those of a 1024 x 1024 image"
#define FLUX_512 "FLUX.1 transformer/config.json: 24 heads of 128; 512 text tokens beside those of a 512 x 512 image"
#define LLAMA2_7B "Llama 2 7B config.json: 32 heads of 128"
#define LLAMA3_8B "Llama 3 8B config.json: 32 heads of 128, 8 key heads"
#define QWEN25_05B "Qwen2.5 0.5B config.json: 14 heads of 64, 2 key heads"
#define GPT2 "GPT-2 small config.json: 12 heads of 64"
#define BERT_BASE "BERT base config.json: 12 heads of 64; a sequence shorter than its batch's longest is padded"
#define LEFT_PADDED "GPT-2 small config.json: 12 heads of 64; prompts of a batch padded on the left see no key"

#define ELEMENT_BYTES(dtype_) ((dtype_) == SY_F32 ? 4.0 : 2.0)
/* Scores that are not hidden by the causal rule. */
#define VISIBLE(queries_, keys_, causal_) \
    (1.0 * (queries_) * (keys_) - ((causal_) ? 0.5 * (queries_) * ((queries_)-1.0) : 0.0))

/* masked_: 0, or 1 + the mask's rows that see no key. */
#define ATTENTION_CASE(name_, weight_, quick_, dtype_, batch_, heads_, kv_heads_, queries_, keys_, head_dim_, causal_, \
                       masked_, source_)                                                                               \
    {                                                                                                                  \
        .name = (name_), .weight = (weight_), .quick = (quick_), .dtype = (dtype_),                                    \
        .properties =                                                                                                  \
            (const sy_case_property[]){                                                                                \
                {"batch", (batch_)},     {"heads", (heads_)},      {"kv_heads", (kv_heads_)},                          \
                {"queries", (queries_)}, {"keys", (keys_)},        {"head_dim", (head_dim_)},                          \
                {"causal", (causal_)},   {"mask", (masked_) != 0}, {"masked_rows", (masked_) != 0 ? (masked_)-1 : 0}}, \
        .property_count = 9, .flop_count = 4.0 * (batch_) * (heads_) * (head_dim_)*VISIBLE(queries_, keys_, causal_),  \
        .byte_count = ELEMENT_BYTES(dtype_) * 2.0 * (batch_) * (head_dim_) *                                           \
                          (1.0 * (heads_) * (queries_) + 1.0 * (kv_heads_) * (keys_)) +                                \
                      ((masked_) != 0 ? 4.0 * (queries_) * (keys_) : 0.0),                                             \
        .source = (source_), .tolerance = {1.0, 1.0, SY_F32, NAN, NAN}, .own_inputs = (masked_) != 0                   \
    }

const sy_case sy_attention_case_table[SY_ATTENTION_CASE_COUNT] = {
    ATTENTION_CASE("sd15-self-4096", 0.25, false, SY_F32, 1, 8, 8, 4096, 4096, 40, 0, 0, SD15),
    ATTENTION_CASE("sd15-self-1024", 1, false, SY_F32, 1, 8, 8, 1024, 1024, 80, 0, 0, SD15),
    ATTENTION_CASE("sd15-self-256", 4, true, SY_F32, 1, 8, 8, 256, 256, 160, 0, 0, SD15),
    ATTENTION_CASE("sd15-self-64", 16, false, SY_F32, 1, 8, 8, 64, 64, 160, 0, 0, SD15),
    ATTENTION_CASE("sd15-cross-4096", 2, false, SY_F32, 1, 8, 8, 4096, 77, 40, 0, 0, SD15_TEXT),
    ATTENTION_CASE("sd15-cross-1024", 4, false, SY_F32, 1, 8, 8, 1024, 77, 80, 0, 0, SD15_TEXT),
    ATTENTION_CASE("sd15-cross-256", 8, false, SY_F32, 1, 8, 8, 256, 77, 160, 0, 0, SD15_TEXT),
    ATTENTION_CASE("sd15-cross-64", 16, false, SY_F32, 1, 8, 8, 64, 77, 160, 0, 0, SD15_TEXT),
    ATTENTION_CASE("sd15-guided-1024", 4, false, SY_F16, 2, 8, 8, 1024, 77, 80, 0, 0, SD15_GUIDED),
    ATTENTION_CASE("sdxl-self-4096", 0.25, false, SY_F32, 1, 10, 10, 4096, 4096, 64, 0, 0, SDXL),
    ATTENTION_CASE("sdxl-self-1024", 1, false, SY_F16, 1, 20, 20, 1024, 1024, 64, 0, 0, SDXL),
    ATTENTION_CASE("sdxl-cross-4096", 2, false, SY_F16, 1, 10, 10, 4096, 77, 64, 0, 0, SDXL_TEXT),
    ATTENTION_CASE("sdxl-cross-1024", 4, true, SY_F16, 1, 20, 20, 1024, 77, 64, 0, 0, SDXL_TEXT),
    ATTENTION_CASE("flux-4608", 0.0625, false, SY_BF16, 1, 24, 24, 4608, 4608, 128, 0, 0, FLUX),
    ATTENTION_CASE("flux-1536", 0.25, false, SY_BF16, 1, 24, 24, 1536, 1536, 128, 0, 0, FLUX_512),
    ATTENTION_CASE("llama2-7b-prefill-512", 0.5, false, SY_F16, 1, 32, 32, 512, 512, 128, 1, 0, LLAMA2_7B),
    ATTENTION_CASE("llama2-7b-decode-77", 32, false, SY_F16, 1, 32, 32, 1, 77, 128, 0, 0, LLAMA2_7B),
    ATTENTION_CASE("llama2-7b-decode-1024", 16, false, SY_F32, 1, 32, 32, 1, 1024, 128, 0, 0, LLAMA2_7B),
    ATTENTION_CASE("llama2-7b-decode-4096", 8, false, SY_F16, 1, 32, 32, 1, 4096, 128, 0, 0, LLAMA2_7B),
    ATTENTION_CASE("llama3-8b-prefill-512", 0.5, false, SY_BF16, 1, 32, 8, 512, 512, 128, 1, 0, LLAMA3_8B),
    ATTENTION_CASE("llama3-8b-prefill-2048", 0.25, false, SY_BF16, 1, 32, 8, 2048, 2048, 128, 1, 0, LLAMA3_8B),
    ATTENTION_CASE("llama3-8b-chunk-64", 2, false, SY_BF16, 1, 32, 8, 64, 1024, 128, 1, 0, LLAMA3_8B),
    ATTENTION_CASE("llama3-8b-decode-512", 16, true, SY_BF16, 1, 32, 8, 1, 512, 128, 0, 0, LLAMA3_8B),
    ATTENTION_CASE("llama3-8b-decode-4096", 8, false, SY_BF16, 1, 32, 8, 1, 4096, 128, 0, 0, LLAMA3_8B),
    ATTENTION_CASE("qwen2.5-0.5b-prefill-256", 2, false, SY_BF16, 1, 14, 2, 256, 256, 64, 1, 0, QWEN25_05B),
    ATTENTION_CASE("qwen2.5-0.5b-decode-256", 32, false, SY_F32, 1, 14, 2, 1, 256, 64, 0, 0, QWEN25_05B),
    ATTENTION_CASE("qwen2.5-0.5b-decode-4096", 16, false, SY_F32, 1, 14, 2, 1, 4096, 64, 0, 0, QWEN25_05B),
    ATTENTION_CASE("gpt2-prefill-256", 4, true, SY_F32, 1, 12, 12, 256, 256, 64, 1, 0, GPT2),
    ATTENTION_CASE("gpt2-prefill-1024", 1, false, SY_F32, 1, 12, 12, 1024, 1024, 64, 1, 0, GPT2),
    ATTENTION_CASE("gpt2-decode-512", 32, false, SY_F32, 1, 12, 12, 1, 512, 64, 0, 0, GPT2),
    ATTENTION_CASE("bert-padded-128", 4, false, SY_F32, 1, 12, 12, 128, 128, 64, 0, 1, BERT_BASE),
    ATTENTION_CASE("gpt2-left-padded-128", 4, false, SY_F32, 1, 12, 12, 128, 128, 64, 0, 6, LEFT_PADDED),
};

enum { BATCH, HEADS, KV_HEADS, QUERIES, KEYS, HEAD_DIM, SIZE_COUNT, CAUSAL = SIZE_COUNT, MASK, MASKED_ROWS, COUNT };

static const char *const names[COUNT] = {"batch",    "heads",  "kv_heads", "queries",    "keys",
                                         "head_dim", "causal", "mask",     "masked_rows"};

static sy_status check_values(const sy_case *c, const int64_t values[COUNT], sy_error *err)
{
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        if (values[i] < 1) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': %s is %lld, it must be 1 or more", c->name, names[i],
                           (long long)values[i]);
        }
    }
    for (size_t i = CAUSAL; i <= MASK; i++) {
        if (values[i] != 0 && values[i] != 1) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': %s is %lld, it must be 0 or 1", c->name, names[i],
                           (long long)values[i]);
        }
    }
    if (values[HEADS] % values[KV_HEADS] != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': kv_heads is %lld, which does not divide heads, %lld",
                       c->name, (long long)values[KV_HEADS], (long long)values[HEADS]);
    }
    if (values[CAUSAL] == 1 && values[QUERIES] > values[KEYS]) {
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "case '%s': causal with %lld queries and %lld keys: queries are the last of the keys, and the "
                       "first would see none",
                       c->name, (long long)values[QUERIES], (long long)values[KEYS]);
    }
    int64_t most = values[MASK] == 1 ? values[QUERIES] : 0;
    if (values[MASKED_ROWS] < 0 || values[MASKED_ROWS] > most) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': masked_rows is %lld, it must be 0 to %lld%s", c->name,
                       (long long)values[MASKED_ROWS], (long long)most, values[MASK] == 1 ? "" : " without a mask");
    }
    return SY_OK;
}

sy_status sy_attention_shape_of(const sy_case *c, sy_attention_shape *ret_shape, sy_error *err)
{
    int64_t values[COUNT] = {0};
    sy_status status = SY_OK;
    for (size_t i = 0; i < COUNT && status == SY_OK; i++) {
        status = sy_case_get(c, names[i], &values[i], err);
    }
    if (status == SY_OK) {
        status = check_values(c, values, err);
    }
    if (status == SY_OK) {
        *ret_shape = (sy_attention_shape){.batch = values[BATCH],
                                          .heads = values[HEADS],
                                          .kv_heads = values[KV_HEADS],
                                          .queries = values[QUERIES],
                                          .keys = values[KEYS],
                                          .head_dim = values[HEAD_DIM],
                                          .masked_rows = values[MASKED_ROWS],
                                          .causal = values[CAUSAL] == 1,
                                          .masked = values[MASK] == 1};
    }
    return status;
}

static sy_tensor_desc of_heads(const char *name, sy_dtype dtype, int64_t batch, int64_t heads, int64_t rows,
                               int64_t columns)
{
    return (sy_tensor_desc){.name = name, .dtype = dtype, .rank = 4, .dims = {batch, heads, rows, columns}};
}

sy_status sy_attention_tensors_of(const sy_case *c, sy_attention_tensors *ret_tensors, sy_error *err)
{
    sy_attention_shape s = {0};
    sy_status status = sy_attention_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    if (c->dtype != SY_F32 && c->dtype != SY_F16 && c->dtype != SY_BF16) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': attention takes f32, f16 or bf16, not %s", c->name,
                       sy_dtype_word(c->dtype));
    }
    sy_attention_tensors tensors = {
        .inputs = {of_heads("q", c->dtype, s.batch, s.heads, s.queries, s.head_dim),
                   of_heads("k", c->dtype, s.batch, s.kv_heads, s.keys, s.head_dim),
                   of_heads("v", c->dtype, s.batch, s.kv_heads, s.keys, s.head_dim),
                   {.name = "mask", .dtype = SY_F32, .rank = 2, .dims = {s.queries, s.keys}}},
        .input_count = s.masked ? 4 : 3,
        .output = of_heads("o", c->dtype, s.batch, s.heads, s.queries, s.head_dim),
        .scores = of_heads("scores", SY_F32, s.batch, s.heads, s.queries, s.keys),
    };
    const sy_tensor_desc *const all[] = {&tensors.inputs[0], &tensors.inputs[1], &tensors.inputs[2],
                                         &tensors.output,    &tensors.scores,    &tensors.inputs[3]};
    for (size_t i = 0; i < (s.masked ? 6 : 5); i++) {
        uint64_t elements = 0;
        uint64_t bytes = 0;
        status = sy_tensor_desc_check(all[i], &elements, &bytes, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "case '%s'", c->name);
            return status;
        }
    }
    *ret_tensors = tensors;
    return SY_OK;
}

static void fill_mask(const sy_attention_shape *s, uint64_t seed, float *mask)
{
    sy_random random;
    sy_random_start(&random, seed, "attention mask");
    int64_t shown = s->keys - s->keys / 8;
    for (int64_t i = 0; i < s->queries; i++) {
        for (int64_t j = 0; j < s->keys; j++) {
            float bias = (float)(2 * sy_random_unit(&random) - 1);
            bool is_hidden = sy_random_below(&random, 16) == 0 && j != 0;
            mask[i * s->keys + j] = i < s->masked_rows || j >= shown || is_hidden ? -INFINITY : bias;
        }
    }
}

sy_status sy_attention_fill(const sy_case *c, uint64_t seed, uint32_t input_index, const sy_tensor_desc *desc,
                            void *bytes, sy_error *err)
{
    sy_attention_tensors tensors;
    sy_attention_shape shape = {0};
    sy_status status = sy_attention_tensors_of(c, &tensors, err);
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
    if (status == SY_OK) {
        fill_mask(&shape, seed, bytes);
    }
    return status;
}

sy_status sy_attention_complete(void *user, sy_case *c, sy_error *err)
{
    sy_attention_shape s = {0};
    (void)user;
    sy_status status = sy_attention_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    const double heads = (double)s.batch * (double)s.heads;
    const double width = (double)s.head_dim;
    c->flop_count = 4.0 * heads * width * VISIBLE((double)s.queries, (double)s.keys, s.causal);
    c->byte_count = (double)sy_dtype_size(c->dtype) * 2.0 * (double)s.batch * width *
                        ((double)s.heads * (double)s.queries + (double)s.kv_heads * (double)s.keys) +
                    (s.masked ? 4.0 * (double)s.queries * (double)s.keys : 0.0);
    c->tolerance = (sy_tolerance){1.0, 1.0, SY_F32, NAN, NAN};
    c->own_inputs = s.masked;
    return SY_OK;
}
