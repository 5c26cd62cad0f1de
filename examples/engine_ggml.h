/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine on ggml has anyway: its modules, the shapes of its model, read from a file, and its graphs, each in
 * two ways. Part of embed_ggml.c, apart from the calls that it shows. */
#ifndef ENGINE_GGML_H
#define ENGINE_GGML_H

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/steelyard.h>
#include <string.h>

#define LAYERS_MAX 64
#define PROPERTIES_MAX 16 /* three of them the reader's own */
#define RUNS 5            /* of which the quickest is shown */

typedef struct layer {
    char module[32];
    char operation[32];
    char name[64];
    sy_case_property properties[PROPERTIES_MAX];
    sy_case shape; /* name, weight, dtype, properties; the suite completes it */
} layer;

typedef struct model {
    char name[64];
    layer layers[LAYERS_MAX];
    size_t count;
} model;

/* ---- its parts ---- */

/* What may be sent somewhere, and what people call it. */
static const char *const names_of_te[] = {"clip", "text_encoder", NULL};
static const char *const names_of_diffusion[] = {"unet", "dit", NULL};
static const char *const names_of_vision[] = {"vision", NULL};
static const char *const names_of_controlnet[] = {"control", NULL};
static const char *const names_of_upscaler[] = {"esrgan", NULL};
static const sy_assignment_module modules[] = {
    {"diffusion", names_of_diffusion},   {"te", names_of_te},
    {"clip_vision", names_of_vision},    {"vae", NULL},
    {"controlnet", names_of_controlnet}, {"upscaler", names_of_upscaler},
};
#define MODULE_COUNT (sizeof(modules) / sizeof(modules[0]))

/* ---- the file of shapes ---- */

static const char *const property_names[] = {"batch",    "heads",   "kv_heads", "queries", "keys",     "head_dim",
                                             "channels", "height",  "width",    "filters", "kernel_h", "kernel_w",
                                             "stride",   "padding", "dilation", "groups"};

/* "heads=8" */
static int read_property(const char *word, sy_case_property *to)
{
    const char *equals = strchr(word, '=');
    char *end = NULL;
    for (size_t i = 0; equals && i < sizeof(property_names) / sizeof(property_names[0]); i++) {
        size_t length = strlen(property_names[i]);
        if (length == (size_t)(equals - word) && memcmp(word, property_names[i], length) == 0) {
            to->name = property_names[i];
            to->value = strtoll(equals + 1, &end, 10);
            return end != equals + 1 && *end == '\0' && to->value >= 0 && to->value <= 1 << 20 ? 0 : -1;
        }
    }
    return -1;
}

/* One layer; NULL, or what is wrong with the line. */
static const char *read_layer(char *line, layer *l)
{
    char *rest = NULL;
    const char *words[5] = {0};
    char *end = NULL;
    for (int i = 0; i < 5; i++)
        words[i] = strtok_r(i == 0 ? line : NULL, " \t\r\n", &rest);
    if (!words[4])
        return "a layer has a module, an operation, a name, a weight and a type";
    snprintf(l->module, sizeof(l->module), "%s", words[0]);
    snprintf(l->operation, sizeof(l->operation), "%s", words[1]);
    snprintf(l->name, sizeof(l->name), "%s", words[2]);
    l->shape = (sy_case){.name = l->name, .weight = strtod(words[3], &end), .properties = l->properties};
    l->shape.source = "the engine's file of shapes";
    if (end == words[3] || *end || !(l->shape.weight > 0 && l->shape.weight < 1e9))
        return "the weight is no number above 0";
    if (strcmp(words[4], "f16") != 0 && strcmp(words[4], "f32") != 0)
        return "the type is f16 or f32";
    l->shape.dtype = words[4][1] == '1' ? SY_F16 : SY_F32;
    double work = 1; /* at least that of the layer */
    for (char *word; (word = strtok_r(NULL, " \t\r\n", &rest)) != NULL; l->shape.property_count++) {
        sy_case_property *property = &l->properties[l->shape.property_count];
        if (l->shape.property_count + 3 == PROPERTIES_MAX || read_property(word, property) != 0)
            return "a property is NAME=NUMBER, with a known name";
        work *= property->value > 0 ? (double)property->value : 1;
    }
    if (work > 1e13)
        return "the layer is too large for any machine";
    int64_t groups = 1;
    if (strcmp(l->operation, "convolution") == 0 && sy_case_get(&l->shape, "groups", &groups, NULL) == SY_OK &&
        groups != 1)
        return "this engine convolves in one group";
    /* This engine's attention has no mask: images and their text are seen whole. */
    static const char *const none[] = {"causal", "mask", "masked_rows"};
    for (int i = 0; strcmp(l->operation, "attention") == 0 && i < 3; i++)
        l->properties[l->shape.property_count++] = (sy_case_property){none[i], 0};
    return NULL;
}

/* Returns 0, or -1 and says on stderr which line is wrong. */
static int read_model(const char *path, model *m)
{
    char line[512];
    const char *wrong = NULL;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: it cannot be read\n", path);
        return -1;
    }
    for (int number = 1; !wrong && fgets(line, sizeof(line), file); number++) {
        char first[8] = "";
        if (sscanf(line, "%7s", first) != 1 || first[0] == '#')
            continue;
        if (!strchr(line, '\n') && !feof(file))
            wrong = "the line is too long";
        else if (m->name[0] == '\0')
            wrong = sscanf(line, "model %63s", m->name) == 1 ? NULL : "the first line names the model: model NAME";
        else if (m->count == LAYERS_MAX)
            wrong = "there are too many layers";
        else
            wrong = read_layer(line, &m->layers[m->count++]);
        if (wrong)
            fprintf(stderr, "%s:%d: %s\n", path, number, wrong);
    }
    if (!wrong && (ferror(file) || m->count == 0))
        fprintf(stderr, "%s: %s\n", path, wrong = "there is no layer in it");
    fclose(file);
    return wrong ? -1 : 0;
}

/* ---- the graphs ---- */

static int64_t get(const layer *l, const char *name)
{
    int64_t value = 1;
    return sy_case_get(&l->shape, name, &value, NULL) == SY_OK ? value : 1; /* the suite has checked them all */
}

static struct ggml_tensor *attend(struct ggml_context *inputs, struct ggml_context *graph, const layer *l,
                                  const char *implementation)
{
    const enum ggml_type stored = l->shape.dtype == SY_F16 ? GGML_TYPE_F16 : GGML_TYPE_F32;
    const int64_t width = get(l, "head_dim"), keys = get(l, "keys"), batch = get(l, "batch");
    const float scale = 1 / sqrtf((float)width);
    struct ggml_tensor *q = ggml_new_tensor_4d(inputs, GGML_TYPE_F32, width, get(l, "queries"), get(l, "heads"), batch);
    struct ggml_tensor *k = ggml_new_tensor_4d(inputs, stored, width, keys, get(l, "kv_heads"), batch);
    struct ggml_tensor *v = ggml_new_tensor_4d(inputs, stored, width, keys, get(l, "kv_heads"), batch);
    if (strcmp(implementation, "plain") != 0) {
        struct ggml_tensor *o = ggml_flash_attn_ext(graph, q, k, v, NULL, scale, 0, 0);
        if (strcmp(implementation, "flash") == 0) /* else "flash-default": the device may add in f16 */
            ggml_flash_attn_ext_set_prec(o, GGML_PREC_F32);
        return o;
    }
    struct ggml_tensor *scores = ggml_mul_mat(graph, k, q);
    ggml_mul_mat_set_prec(scores, GGML_PREC_F32);
    struct ggml_tensor *weights = ggml_soft_max_ext(graph, scores, NULL, scale, 0);
    struct ggml_tensor *o = ggml_mul_mat(graph, ggml_cont(graph, ggml_transpose(graph, v)), weights);
    return ggml_cont(graph, ggml_permute(graph, o, 0, 2, 1, 3));
}

static struct ggml_tensor *convolve(struct ggml_context *inputs, struct ggml_context *graph, const layer *l,
                                    const char *implementation)
{
    const enum ggml_type stored = l->shape.dtype == SY_F16 ? GGML_TYPE_F16 : GGML_TYPE_F32;
    const int s = (int)get(l, "stride"), p = (int)get(l, "padding"), d = (int)get(l, "dilation");
    const int64_t c = get(l, "channels");
    struct ggml_tensor *w = ggml_new_tensor_4d(inputs, stored, get(l, "kernel_w"), get(l, "kernel_h"), c,
                                               get(l, "filters"));
    struct ggml_tensor *x = ggml_new_tensor_4d(inputs, GGML_TYPE_F32, get(l, "width"), get(l, "height"), c,
                                               get(l, "batch"));
    return strcmp(implementation, "direct") == 0 ? ggml_conv_2d_direct(graph, w, x, s, s, p, p, d, d)
                                                 : ggml_conv_2d(graph, w, x, s, s, p, p, d, d);
}

/* Zeros but for one in three elements: enough for times, since these kernels do not look at values. */
static void fill(struct ggml_context *inputs, int64_t largest)
{
    float *numbers = calloc((size_t)largest, sizeof(*numbers));
    ggml_fp16_t *halves = calloc((size_t)largest, sizeof(*halves));
    for (int64_t i = 0; numbers && i < largest; i += 3)
        numbers[i] = (float)(i % 7 - 3) / 8;
    if (numbers && halves)
        ggml_fp32_to_fp16_row(numbers, halves, largest);
    for (struct ggml_tensor *t = ggml_get_first_tensor(inputs); numbers && halves && t;
         t = ggml_get_next_tensor(inputs, t))
        ggml_backend_tensor_set(t, t->type == GGML_TYPE_F16 ? (void *)halves : (void *)numbers, 0, ggml_nbytes(t));
    free(halves);
    free(numbers);
}

/* Runs a layer, first untimed: milliseconds, the least of a few runs, and the compute buffer. Returns 0, -1 on failure.
 */
static int run_layer(ggml_backend_t backend, const layer *l, const char *implementation, double *ret_ms,
                     size_t *ret_bytes)
{
    const struct ggml_init_params metadata = {ggml_tensor_overhead() * 32 + ggml_graph_overhead(), NULL, true};
    struct ggml_context *inputs = ggml_init(metadata);
    struct ggml_context *context = ggml_init(metadata);
    ggml_gallocr_t allocator = ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend));
    ggml_backend_buffer_t held = NULL;
    int64_t largest = 0;
    int result = -1;
    if (inputs && context && allocator) {
        struct ggml_cgraph *graph = ggml_new_graph(context);
        ggml_build_forward_expand(graph, strcmp(l->operation, "attention") == 0
                                             ? attend(inputs, context, l, implementation)
                                             : convolve(inputs, context, l, implementation));
        held = ggml_backend_alloc_ctx_tensors(inputs, backend);
        for (struct ggml_tensor *t = ggml_get_first_tensor(inputs); t; t = ggml_get_next_tensor(inputs, t))
            largest = ggml_nelements(t) > largest ? ggml_nelements(t) : largest;
        if (held && ggml_gallocr_alloc_graph(allocator, graph)) {
            fill(inputs, largest);
            result = ggml_backend_graph_compute(backend, graph) == GGML_STATUS_SUCCESS ? 0 : -1;
            *ret_ms = INFINITY;
            for (int i = 0; i < RUNS && result == 0; i++) {
                const int64_t start = ggml_time_us();
                result = ggml_backend_graph_compute(backend, graph) == GGML_STATUS_SUCCESS ? 0 : -1;
                *ret_ms = fmin(*ret_ms, (double)(ggml_time_us() - start) / 1e3);
            }
            *ret_bytes = ggml_gallocr_get_buffer_size(allocator, 0);
        }
    }
    ggml_backend_buffer_free(held);
    ggml_gallocr_free(allocator);
    ggml_free(context);
    ggml_free(inputs);
    return result;
}

#endif
