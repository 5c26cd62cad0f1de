/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix product's shapes and tensors. Its right values are computed in matmul_oracle.c. */
#include "operations/matmul.h"

#include <math.h>

#include "base/error.h"

/* A linear layer of a network computes tokens x inputs times inputs x outputs: m tokens, k inputs, n outputs. The
 * models' widths are those of the configuration files that are published with their weights. Small products are called
 * more often than large ones, so that weights fall with the work: a case's share of the whole stays of one order. The
 * quick cases were chosen by docs/benchmarks.md: some close, and some where the order of two implementations turns
 * over. */
#define LLAMA2_7B "Llama 2 7B config.json: hidden 4096, intermediate 11008"
#define LLAMA3_8B "Llama 3 8B config.json: hidden 4096, intermediate 14336, 8 key heads of 128"
#define QWEN25_05B "Qwen2.5 0.5B config.json: hidden 896, intermediate 4864"
#define GPT2 "GPT-2 small config.json: hidden 768, intermediate 3072"
#define BERT_BASE "BERT base config.json: hidden 768, 12 heads of 64; 128 tokens"
#define VIT_B16 "ViT-B/16 (Dosovitskiy et al. 2021, table 1): 197 tokens, 12 heads of 64"
#define RESNET50 "ResNet-50 (He et al. 2016, table 1), a convolution of one image as im2col"
#define LORA "LoRA (Hu et al. 2021): rank 16 beside a layer of width 4096, 512 tokens"
#define SVD "randomized SVD (Halko, Martinsson and Tropp 2011, algorithm 4.1): 20 + 12 test vectors"
#define SEARCH "similarity search: 20000 embeddings of 384 numbers (all-MiniLM-L6-v2) for 16 queries"
#define SQUARE "the usual size sweep of BLAS benchmarks"
#define SMALL "batched BLAS (Dongarra et al. 2017): many products of one small size"

#define MATMUL_CASE(name_, weight_, quick_, m_, n_, k_, batch_, source_)                                           \
    {                                                                                                              \
        .name = (name_), .weight = (weight_), .quick = (quick_), .dtype = SY_F32,                                  \
        .properties = (const sy_case_property[]){{"m", (m_)}, {"n", (n_)}, {"k", (k_)}, {"batch", (batch_)}},      \
        .property_count = 4, .flop_count = 2.0 * (m_) * (n_) * (k_) * (batch_),                                    \
        .byte_count = 4.0 * (batch_) * (1.0 * (m_) * (k_) + 1.0 * (k_) * (n_) + 1.0 * (m_) * (n_)),                \
        .source = (source_), .tolerance = {16.0, 2.0, SY_F32, NAN, NAN}, .exact_stage = true, .exact_length = (k_) \
    }

const sy_case sy_matmul_case_table[SY_MATMUL_CASE_COUNT] = {
    MATMUL_CASE("square-64", 256, true, 64, 64, 64, 1, SQUARE),
    MATMUL_CASE("square-128", 64, false, 128, 128, 128, 1, SQUARE),
    MATMUL_CASE("square-192", 16, true, 192, 192, 192, 1, SQUARE),
    MATMUL_CASE("square-256", 8, false, 256, 256, 256, 1, SQUARE),
    MATMUL_CASE("square-384", 4, false, 384, 384, 384, 1, SQUARE),
    MATMUL_CASE("square-512", 1, true, 512, 512, 512, 1, SQUARE),
    MATMUL_CASE("square-768", 1, false, 768, 768, 768, 1, SQUARE),
    MATMUL_CASE("square-1024", 1, false, 1024, 1024, 1024, 1, SQUARE),
    MATMUL_CASE("square-1536", 0.5, false, 1536, 1536, 1536, 1, SQUARE),
    MATMUL_CASE("square-2048", 0.25, false, 2048, 2048, 2048, 1, SQUARE),
    MATMUL_CASE("tall-svd", 8, false, 16384, 32, 256, 1, SVD),
    MATMUL_CASE("tall-lora", 4, true, 512, 16, 4096, 1, LORA),
    MATMUL_CASE("tall-resnet-56", 4, false, 3136, 64, 576, 1, RESNET50),
    MATMUL_CASE("tall-resnet-112", 4, false, 12544, 64, 147, 1, RESNET50),
    MATMUL_CASE("skinny-gram", 8, false, 32, 32, 16384, 1, SVD),
    MATMUL_CASE("skinny-search", 4, false, 16, 20000, 384, 1, SEARCH),
    MATMUL_CASE("skinny-resnet-fc", 16, false, 1, 1000, 2048, 1, RESNET50),
    MATMUL_CASE("qwen2.5-0.5b-up-1", 8, false, 1, 4864, 896, 1, QWEN25_05B),
    MATMUL_CASE("gpt2-up-1", 16, false, 1, 3072, 768, 1, GPT2),
    MATMUL_CASE("gpt2-down-64", 4, false, 64, 768, 3072, 1, GPT2),
    MATMUL_CASE("llama3-8b-key-8", 2, true, 8, 1024, 4096, 1, LLAMA3_8B),
    MATMUL_CASE("llama3-8b-key-64", 1, true, 64, 1024, 4096, 1, LLAMA3_8B),
    MATMUL_CASE("llama2-7b-attention-1", 2, false, 1, 4096, 4096, 1, LLAMA2_7B),
    MATMUL_CASE("llama2-7b-attention-8", 1, false, 8, 4096, 4096, 1, LLAMA2_7B),
    MATMUL_CASE("llama2-7b-attention-128", 0.5, false, 128, 4096, 4096, 1, LLAMA2_7B),
    MATMUL_CASE("llama2-7b-up-1", 1, false, 1, 11008, 4096, 1, LLAMA2_7B),
    MATMUL_CASE("llama2-7b-up-8", 0.5, false, 8, 11008, 4096, 1, LLAMA2_7B),
    MATMUL_CASE("llama2-7b-up-128", 0.25, false, 128, 11008, 4096, 1, LLAMA2_7B),
    MATMUL_CASE("llama2-7b-down-8", 0.5, false, 8, 4096, 11008, 1, LLAMA2_7B),
    MATMUL_CASE("llama3-8b-up-1", 1, false, 1, 14336, 4096, 1, LLAMA3_8B),
    MATMUL_CASE("llama3-8b-up-8", 0.5, false, 8, 14336, 4096, 1, LLAMA3_8B),
    MATMUL_CASE("llama3-8b-down-128", 0.25, false, 128, 4096, 14336, 1, LLAMA3_8B),
    MATMUL_CASE("batched-32", 4, false, 32, 32, 32, 256, SMALL),
    MATMUL_CASE("batched-bert-scores", 4, false, 128, 128, 64, 12, BERT_BASE),
    MATMUL_CASE("batched-bert-context", 4, false, 128, 64, 128, 12, BERT_BASE),
    MATMUL_CASE("batched-vit-scores", 4, false, 197, 197, 64, 12, VIT_B16),
    MATMUL_CASE("batched-vit-context", 4, false, 197, 64, 197, 12, VIT_B16),
};

sy_status sy_matmul_shape_of(const sy_case *c, sy_matmul_shape *ret_shape, sy_error *err)
{
    static const char *const names[] = {"m", "n", "k", "batch"};
    int64_t values[4];
    for (size_t i = 0; i < 4; i++) {
        sy_status status = sy_case_get(c, names[i], &values[i], err);
        if (status != SY_OK) {
            return status;
        }
        if (values[i] < 1) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': %s is %lld, it must be 1 or more", c->name, names[i],
                           (long long)values[i]);
        }
    }
    *ret_shape = (sy_matmul_shape){values[0], values[1], values[2], values[3]};
    return SY_OK;
}

static sy_tensor_desc matrix(const char *name, sy_dtype dtype, int64_t batch, int64_t rows, int64_t columns)
{
    if (batch == 1) {
        return (sy_tensor_desc){.name = name, .dtype = dtype, .rank = 2, .dims = {rows, columns}};
    }
    return (sy_tensor_desc){.name = name, .dtype = dtype, .rank = 3, .dims = {batch, rows, columns}};
}

sy_status sy_matmul_tensors(const sy_case *c, sy_tensor_desc *ret_a, sy_tensor_desc *ret_b, sy_tensor_desc *ret_c,
                            sy_error *err)
{
    sy_matmul_shape shape = {0};
    sy_status status = sy_matmul_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    sy_tensor_desc a = matrix("a", c->dtype, shape.batch, shape.m, shape.k);
    sy_tensor_desc b = matrix("b", c->dtype, shape.batch, shape.k, shape.n);
    sy_tensor_desc product = matrix("c", c->dtype, shape.batch, shape.m, shape.n);
    const sy_tensor_desc *const all[] = {&a, &b, &product};
    for (size_t i = 0; i < 3; i++) {
        uint64_t elements;
        uint64_t bytes;
        status = sy_tensor_desc_check(all[i], &elements, &bytes, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "case '%s'", c->name);
            return status;
        }
    }
    *ret_a = a;
    *ret_b = b;
    *ret_c = product;
    return SY_OK;
}

sy_status sy_matmul_complete(void *user, sy_case *c, sy_error *err)
{
    sy_matmul_shape s = {0};
    (void)user;
    sy_status status = sy_matmul_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    const double m = (double)s.m;
    const double n = (double)s.n;
    const double k = (double)s.k;
    c->flop_count = 2.0 * m * n * k * (double)s.batch;
    c->byte_count = (double)sy_dtype_size(c->dtype) * (double)s.batch * (m * k + k * n + m * n);
    c->tolerance = (sy_tolerance){16.0, 2.0, SY_F32, NAN, NAN};
    c->exact_stage = true;
    c->exact_length = (uint64_t)s.k;
    return SY_OK;
}
