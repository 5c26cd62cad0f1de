/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution as MIOpen's find-db names it, as a portable key and back:
 * C-H-W-RxS-K-Ho-Wo-N-pad-stride-dilation-bias-layout[-layout-layout]-dtype-direction[_gGROUPS]. Only what has exactly
 * one way to be written is taken apart; all else (three dimensions, mixed types) stays a text. */
#include <string.h>

#include "importers/tuning/tuning_readers.h"

static const struct {
    const char *foreign;
    const char *word;
} dtypes[] = {{"FP32", "f32"}, {"FP16", "f16"}, {"BF16", "bf16"}, {"FP64", "f64"}, {"INT8", "i8"}};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

static const struct {
    char letter;
    const char *operator_name;
} directions[] = {
    {'F', "miopenConvolutionFwd"}, {'B', "miopenConvolutionBwdData"}, {'W', "miopenConvolutionBwdWeights"}};
enum { DIRECTION_COUNT = sizeof directions / sizeof *directions };

/* In the order of the text. */
enum {
    CHANNELS,
    HEIGHT,
    WIDTH,
    KERNEL_H,
    KERNEL_W,
    FILTERS,
    OUT_HEIGHT,
    OUT_WIDTH,
    BATCH,
    PAD_H,
    PAD_W,
    STRIDE_H,
    STRIDE_W,
    DILATION_H,
    DILATION_W,
    BIAS,
    GROUPS,
    NUMBER_COUNT
};

static const char *const names[NUMBER_COUNT] = {
    "channels", "height", "width",    "kernel_h", "kernel_w",   "filters",    "out_height", "out_width", "batch",
    "pad_h",    "pad_w",  "stride_h", "stride_w", "dilation_h", "dilation_w", "bias",       "groups"};

typedef struct convolution {
    int64_t numbers[NUMBER_COUNT];
    sy_tuning_span layout; /* "NCHW", or all three of them */
    sy_tuning_span dtype;
    char direction;
} convolution;

static bool take_whole(sy_tuning_span *rest, char separator, int64_t least, int64_t *ret_value)
{
    return sy_tuning_whole(sy_tuning_cut(rest, separator), ret_value) && *ret_value >= least && *ret_value <= INT32_MAX;
}

/* "3x3" */
static bool take_pair(sy_tuning_span *rest, int64_t least, int64_t *to)
{
    sy_tuning_span pair = sy_tuning_cut(rest, '-');

    return take_whole(&pair, 'x', least, &to[0]) && take_whole(&pair, '-', least, &to[1]) && pair.length == 0;
}

static bool split_numbers(sy_tuning_span *rest, convolution *c)
{
    int64_t *n = c->numbers;

    for (size_t i = CHANNELS; i <= WIDTH; i++) {
        if (!take_whole(rest, '-', 1, &n[i]))
            return false;
    }
    if (!take_pair(rest, 1, &n[KERNEL_H]))
        return false;
    for (size_t i = FILTERS; i <= BATCH; i++) {
        if (!take_whole(rest, '-', 1, &n[i]))
            return false;
    }
    return take_pair(rest, 0, &n[PAD_H]) && take_pair(rest, 1, &n[STRIDE_H]) && take_pair(rest, 1, &n[DILATION_H]) &&
           take_whole(rest, '-', 0, &n[BIAS]);
}

static size_t count_of(sy_tuning_span span, char c)
{
    size_t count = 0;

    for (size_t i = 0; i < span.length; i++)
        count += span.at[i] == c;
    return count;
}

/* layout[-layout-layout]-dtype-direction[_gN] */
static bool split_words(sy_tuning_span rest, convolution *c)
{
    size_t dashes = count_of(rest, '-');
    sy_tuning_span tail = rest;
    sy_tuning_span direction;

    if (dashes != 2 && dashes != 4)
        return false;
    for (size_t i = 0; i + 1 < dashes; i++) {
        if (sy_tuning_cut(&tail, '-').length == 0)
            return false;
    }
    c->layout = (sy_tuning_span){rest.at, (size_t)(tail.at - rest.at) - 1};
    c->dtype = sy_tuning_cut(&tail, '-');
    direction = sy_tuning_cut(&tail, '_');
    c->numbers[GROUPS] = 1;
    if (c->dtype.length == 0 || direction.length != 1)
        return false;
    if (tail.at > direction.at + 1) { /* something stands behind the direction */
        if (!sy_tuning_span_begins(tail, "g"))
            return false;
        tail = (sy_tuning_span){tail.at + 1, tail.length - 1};
        if (!sy_tuning_whole(tail, &c->numbers[GROUPS]) || c->numbers[GROUPS] < 2)
            return false;
    }
    c->direction = direction.at[0];
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        if (sy_tuning_span_is(c->dtype, dtypes[i].word))
            return false; /* it would read as MIOpen's own word for it */
    }
    return true;
}

static const char *operator_of(char direction)
{
    for (size_t i = 0; i < DIRECTION_COUNT; i++) {
        if (directions[i].letter == direction)
            return directions[i].operator_name;
    }
    return NULL;
}

static int64_t out_size(int64_t size, int64_t kernel, int64_t padding, int64_t stride, int64_t dilation)
{
    int64_t room = size + 2 * padding - (dilation * (kernel - 1) + 1);

    return room < 0 ? 0 : room / stride + 1;
}

/* A convolution that ours has exactly: forward, f32, dense, the same padding, stride and dilation along both axes. */
static bool is_ours(const convolution *c)
{
    const int64_t *n = c->numbers;

    return c->direction == 'F' && sy_tuning_span_is(c->layout, "NCHW") && sy_tuning_span_is(c->dtype, "FP32") &&
           n[BIAS] == 0 && n[PAD_H] == n[PAD_W] && n[STRIDE_H] == n[STRIDE_W] && n[DILATION_H] == n[DILATION_W] &&
           n[CHANNELS] % n[GROUPS] == 0 && n[FILTERS] % n[GROUPS] == 0 &&
           n[OUT_HEIGHT] == out_size(n[HEIGHT], n[KERNEL_H], n[PAD_H], n[STRIDE_H], n[DILATION_H]) &&
           n[OUT_WIDTH] == out_size(n[WIDTH], n[KERNEL_W], n[PAD_W], n[STRIDE_W], n[DILATION_W]);
}

static void add_ours(sy_tuning_draft *draft, const convolution *c, sy_tuning_structure *structure)
{
    static const size_t same[] = {BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS, KERNEL_H, KERNEL_W, GROUPS};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        sy_tuning_property_whole(draft, structure, names[same[i]], c->numbers[same[i]]);
    sy_tuning_property_whole(draft, structure, "padding", c->numbers[PAD_H]);
    sy_tuning_property_whole(draft, structure, "stride", c->numbers[STRIDE_H]);
    sy_tuning_property_whole(draft, structure, "dilation", c->numbers[DILATION_H]);
}

void sy_tuning_problem_key(sy_tuning_draft *draft, sy_tuning_span problem, sy_tuning_gemm *ret_key)
{
    convolution c = {.direction = '\0'};
    sy_tuning_span rest = problem;
    sy_tuning_gemm key = {.structure = {.count = 0}};

    if (!split_numbers(&rest, &c) || !split_words(rest, &c) || operator_of(c.direction) == NULL) {
        key.operator_name = "miopen";
        sy_tuning_property(draft, &key.structure, "problem", problem.at, problem.length);
        *ret_key = key;
        return;
    }
    if (is_ours(&c)) {
        key.operator_name = "convolution";
        add_ours(draft, &c, &key.structure);
    } else {
        key.operator_name = operator_of(c.direction);
        for (size_t i = 0; i < NUMBER_COUNT; i++)
            sy_tuning_property_whole(draft, &key.structure, names[i], c.numbers[i]);
        sy_tuning_property(draft, &key.structure, "layout", c.layout.at, c.layout.length);
    }
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        if (sy_tuning_span_is(c.dtype, dtypes[i].foreign))
            c.dtype = (sy_tuning_span){dtypes[i].word, strlen(dtypes[i].word)};
    }
    sy_tuning_property(draft, &key.structure, "dtype", c.dtype.at, c.dtype.length);
    *ret_key = key;
}

/* ---- and back ---- */

static bool read_ours(const sy_profile_key *key, convolution *c)
{
    int64_t *n = c->numbers;
    static const size_t same[] = {BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS, KERNEL_H, KERNEL_W, GROUPS};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        if (!sy_tuning_value_whole(key, names[same[i]], &n[same[i]]) || n[same[i]] > INT32_MAX)
            return false;
    }
    if (!sy_tuning_value_whole(key, "padding", &n[PAD_H]) || !sy_tuning_value_whole(key, "stride", &n[STRIDE_H]) ||
        !sy_tuning_value_whole(key, "dilation", &n[DILATION_H]) || n[PAD_H] > INT32_MAX || n[STRIDE_H] < 1 ||
        n[STRIDE_H] > INT32_MAX || n[DILATION_H] > INT32_MAX)
        return false;
    n[PAD_W] = n[PAD_H];
    n[STRIDE_W] = n[STRIDE_H];
    n[DILATION_W] = n[DILATION_H];
    n[OUT_HEIGHT] = out_size(n[HEIGHT], n[KERNEL_H], n[PAD_H], n[STRIDE_H], n[DILATION_H]);
    n[OUT_WIDTH] = out_size(n[WIDTH], n[KERNEL_W], n[PAD_W], n[STRIDE_W], n[DILATION_W]);
    c->layout = (sy_tuning_span){"NCHW", 4};
    c->direction = 'F';
    return true;
}

static bool read_foreign(const sy_profile_key *key, convolution *c)
{
    const char *layout = sy_tuning_value(key, "layout");

    for (size_t i = 0; i < DIRECTION_COUNT; i++) {
        if (strcmp(key->operator_name, directions[i].operator_name) == 0)
            c->direction = directions[i].letter;
    }
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        if (!sy_tuning_value_whole(key, names[i], &c->numbers[i]))
            return false;
    }
    if (layout == NULL || c->direction == '\0')
        return false;
    c->layout = (sy_tuning_span){layout, strlen(layout)};
    return true;
}

bool sy_tuning_problem_text(const sy_profile_key *key, sy_text *to)
{
    convolution c = {.direction = '\0'};
    const int64_t *n = c.numbers;
    const char *problem = sy_tuning_value(key, "problem");
    const char *dtype = sy_tuning_value(key, "dtype");

    if (strcmp(key->operator_name, "miopen") == 0 && problem != NULL && key->structure_count == 1) {
        sy_text_append(to, problem);
        return true;
    }
    if (dtype == NULL || !(strcmp(key->operator_name, "convolution") == 0 ? read_ours(key, &c) : read_foreign(key, &c)))
        return false;
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(dtype, dtypes[i].word) == 0)
            dtype = dtypes[i].foreign;
    }
    sy_text_append_format(to, "%lld-%lld-%lld-%lldx%lld-%lld-%lld-%lld-%lld", (long long)n[CHANNELS],
                          (long long)n[HEIGHT], (long long)n[WIDTH], (long long)n[KERNEL_H], (long long)n[KERNEL_W],
                          (long long)n[FILTERS], (long long)n[OUT_HEIGHT], (long long)n[OUT_WIDTH],
                          (long long)n[BATCH]);
    sy_text_append_format(to, "-%lldx%lld-%lldx%lld-%lldx%lld-%lld-", (long long)n[PAD_H], (long long)n[PAD_W],
                          (long long)n[STRIDE_H], (long long)n[STRIDE_W], (long long)n[DILATION_H],
                          (long long)n[DILATION_W], (long long)n[BIAS]);
    sy_text_append_bytes(to, c.layout.at, c.layout.length);
    sy_text_append_format(to, "-%s-%c", dtype, c.direction);
    if (n[GROUPS] > 1)
        sy_text_append_format(to, "_g%lld", (long long)n[GROUPS]);
    return true;
}
