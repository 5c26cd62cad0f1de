/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of attention on devices: where a report or a measurement of our own held flash against plain, and no
 * more than that. */
#include "operations/attention_policy.h"

#include "operations/attention.h"

enum { QUERIES, KEYS, HEAD_DIM, HEADS, SHARING, MEASURE_COUNT };

static const char *const measures[MEASURE_COUNT] = {"queries", "keys", "head_dim", "heads in the batch",
                                                    "query heads a key head"};

#define F32 SY_POLICY_DTYPE(SY_F32)
#define F16 SY_POLICY_DTYPE(SY_F16)
#define BF16 SY_POLICY_DTYPE(SY_BF16)

#define OWN_FIGURES "measured: docs/benchmarks.md, Attention: plain against flash"

static const sy_policy_row rows[] = {
    /* Qwen2.5-Coder 3B (16 heads of 128, 2 key heads), a prompt of 512 tokens: 22104 tokens/s with flash, 18155
       without. */
    {.backend = "ggml",
     .device = "ggml:CUDA*",
     .description = "*: NVIDIA GeForce RTX 4090",
     .dtypes = F16,
     .implementation = "flash",
     .evidence = "a prompt at 22104 instead of 18155 tokens/s: https://github.com/ggml-org/llama.cpp/pull/12183",
     .date = "2025-03-06",
     .ranges = {[QUERIES] = {512, 512},
                [KEYS] = {512, 512},
                [HEAD_DIM] = {128, 128},
                [HEADS] = {16, 16},
                [SHARING] = {8, 8}}},
    /* No device of HIP: there are reports of gains (https://github.com/leejet/stable-diffusion.cpp/issues/1049), but
     * the tile kernel sums in f16 whatever is asked for, and wrote zeros above 2560 x 2560 pixels (issues/2003 there)
     * and ghost images below: a probe sees that, a row would not. */
    /* Qwen3-VL-32B as a text encoder, 4214 and 5081 tokens: 9.7 and 12.0 s with flash, 239 and 357 s without, since the
     * score matrix exceeds the driver's largest buffer and the operations fall back to the processor. */
    {.backend = "ggml",
     .device = "ggml:Vulkan*",
     .description = "*: AMD Radeon RX 7900 XTX (RADV NAVI31)",
     .dtypes = F16,
     .needs_less_memory = true,
     .implementation = "flash",
     .evidence = "9.7 instead of 239 s: https://github.com/leejet/stable-diffusion.cpp/pull/1987",
     .date = "2026-09-17",
     .ranges = {[QUERIES] = {4214, 5081},
                [KEYS] = {4214, 5081},
                [HEAD_DIM] = {128, 128},
                [HEADS] = {64, 64},
                [SHARING] = {8, 8}}},
    /* sd15-self-256 to -4096, gpt2-prefill-256 and -1024: gains of 26 to 80 %, and no score matrix. */
    {.backend = "cpu",
     .device = "cpu",
     .description = "Intel*Xeon*, avx512",
     .threads = 2,
     .dtypes = F32,
     .needs_less_memory = true,
     .implementation = "flash",
     .evidence = OWN_FIGURES,
     .date = "2026-11-29",
     .ranges = {[QUERIES] = {256, 4096},
                [KEYS] = {256, 4096},
                [HEAD_DIM] = {40, 160},
                [HEADS] = {8, 12},
                [SHARING] = {1, 1}}},
    /* sdxl-self-1024, sdxl-cross-1024: 55 to 87 %. */
    {.backend = "cpu",
     .device = "cpu",
     .description = "Intel*Xeon*, avx512",
     .threads = 2,
     .dtypes = F16,
     .needs_less_memory = true,
     .implementation = "flash",
     .evidence = OWN_FIGURES,
     .date = "2026-11-29",
     .ranges = {[QUERIES] = {1024, 1024},
                [KEYS] = {77, 1024},
                [HEAD_DIM] = {64, 64},
                [HEADS] = {20, 20},
                [SHARING] = {1, 1}}},
    /* llama3-8b-decode-512 and -4096: 55 to 97 %; plain widens all keys and values first. */
    {.backend = "cpu",
     .device = "cpu",
     .description = "Intel*Xeon*, avx512",
     .threads = 2,
     .dtypes = BF16,
     .needs_less_memory = true,
     .implementation = "flash",
     .evidence = OWN_FIGURES,
     .date = "2026-11-29",
     .ranges =
         {[QUERIES] = {1, 1}, [KEYS] = {512, 4096}, [HEAD_DIM] = {128, 128}, [HEADS] = {32, 32}, [SHARING] = {4, 4}}},
    /* llama3-8b-prefill-512: 68 to 75 %. */
    {.backend = "cpu",
     .device = "cpu",
     .description = "Intel*Xeon*, avx512",
     .threads = 2,
     .dtypes = BF16,
     .needs_less_memory = true,
     .implementation = "flash",
     .evidence = OWN_FIGURES,
     .date = "2026-11-29",
     .ranges = {[QUERIES] = {512, 512},
                [KEYS] = {512, 512},
                [HEAD_DIM] = {128, 128},
                [HEADS] = {32, 32},
                [SHARING] = {4, 4}}},
};

static sy_status measure(const sy_case *c, double ret_values[SY_POLICY_MEASURES], sy_error *err)
{
    sy_attention_shape shape;
    const sy_status status = sy_attention_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    ret_values[QUERIES] = (double)shape.queries;
    ret_values[KEYS] = (double)shape.keys;
    ret_values[HEAD_DIM] = (double)shape.head_dim;
    ret_values[HEADS] = (double)shape.batch * (double)shape.heads;
    ret_values[SHARING] = (double)shape.heads / (double)shape.kv_heads;
    return SY_OK;
}

const sy_policy sy_attention_policy = {.rows = rows,
                                       .row_count = sizeof rows / sizeof rows[0],
                                       .measures = measures,
                                       .measure_count = MEASURE_COUNT,
                                       .measure = measure};

sy_status sy_attention_shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut,
                                sy_error *err)
{
    (void)user;
    (void)err;
    sy_policy_answer(&sy_attention_policy, question, ret_shortcut);
    return SY_OK;
}
