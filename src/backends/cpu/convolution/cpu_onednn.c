/* SPDX-License-Identifier: Apache-2.0 */
/* A graph's convolution by oneDNN: the description is chosen while it is built, generated code and memory objects are
 * made in the first run, which is never timed. */
#include "backends/cpu/convolution/cpu_onednn.h"

#include <stdio.h>
#include <string.h>

#include "backends/cpu/convolution/cpu_onednn_list.h"
#include "backends/graph.h"
#include "base/error.h"
#include "base/text.h"

enum { SOURCE, WEIGHTS, OUTPUT, TENSORS };
enum { STEPS_MAX = 4, ARGUMENTS_MAX = 4 };

/* One primitive of a run: a copy between layouts, or the convolution. */
typedef struct step {
    void *description; /* owned */
    void *primitive;   /* owned; NULL before the first run */
    void *scratchpad;  /* memory object, owned; NULL = none needed */
    sy_onednn_argument arguments[ARGUMENTS_MAX];
    int argument_count;
} step;

struct sy_cpu_onednn {
    sy_onednn_session session;
    char name[SY_ONEDNN_NAME_MAX]; /* by the library */
    sy_tensor *plain[TENSORS];     /* the caller's */
    sy_tensor *own[TENSORS];       /* in the implementation's layout; NULL where that is the plain one */
    sy_tensor *scratch;            /* NULL when none is needed; steps use it one after another */
    sy_onednn_layout layouts[TENSORS];
    void *plain_memory[TENSORS]; /* owned */
    void *own_memory[TENSORS];   /* owned; NULL where own is */
    step steps[STEPS_MAX];
    size_t step_count;
    size_t convolution; /* which of the steps it is */
    bool is_ready;
};

static const int queries[TENSORS] = {SY_ONEDNN_QUERY_SOURCE, SY_ONEDNN_QUERY_WEIGHTS, SY_ONEDNN_QUERY_OUTPUT};
static const int numbers[TENSORS] = {SY_ONEDNN_ARG_SOURCE, SY_ONEDNN_ARG_WEIGHTS, SY_ONEDNN_ARG_OUTPUT};

static void release(void *state)
{
    sy_cpu_onednn *o = state;
    const sy_onednn_api *api = &o->session.api;
    for (size_t i = 0; i < o->step_count; i++) {
        step *s = &o->steps[i];
        if (s->primitive != NULL) {
            api->primitive_destroy(s->primitive);
        }
        if (s->scratchpad != NULL) {
            api->memory_destroy(s->scratchpad);
        }
        if (s->description != NULL) {
            api->description_destroy(s->description);
        }
    }
    for (size_t i = 0; i < TENSORS; i++) {
        if (o->plain_memory[i] != NULL) {
            api->memory_destroy(o->plain_memory[i]);
        }
        if (o->own_memory[i] != NULL) {
            api->memory_destroy(o->own_memory[i]);
        }
    }
    sy_onednn_session_finish(&o->session);
    memset(o, 0, sizeof *o);
}

static sy_status refuse(const sy_cpu_onednn *o, const char *what, int status, sy_error *err)
{
    return sy_fail(err, status == SY_ONEDNN_OUT_OF_MEMORY ? SY_NO_MEMORY : SY_UNAVAILABLE,
                   "oneDNN refused to %s %s with status %d", what, o->name, status);
}

/* ---- built without device memory ---- */

/* least: below it the library's own arithmetic has passed its range, as above the range of a dimension. */
static sy_status add_scratch(sy_graph *graph, const char *name, size_t bytes, uint64_t least, sy_tensor **ret_tensor,
                             sy_error *err)
{
    if (bytes > INT64_MAX || bytes < least) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "%s: oneDNN cannot count the bytes of this shape", name);
    }
    sy_tensor_desc desc = {.name = name, .dtype = SY_U8, .rank = 1, .dims = {(int64_t)bytes}};
    return bytes > 0 ? sy_graph_scratch(graph, &desc, ret_tensor, err) : SY_OK;
}

/* The steps of a run in their order: into the own layouts, the convolution, out of them. Takes over `convolution`. */
static sy_status make_steps(sy_cpu_onednn *o, void *convolution, sy_graph *graph, sy_error *err)
{
    static const char *const names[TENSORS] = {"source, own layout", "weights, own layout", "output, own layout"};
    const sy_onednn_api *api = &o->session.api;
    size_t scratch_bytes = 0;
    sy_status status = SY_OK;
    o->convolution = STEPS_MAX; /* not there yet */
    for (size_t i = 0; i < TENSORS; i++) {
        const void *own = api->description_layout(convolution, queries[i], 0);
        if (i == OUTPUT) {
            o->convolution = o->step_count;
            o->steps[o->step_count++].description = convolution;
        }
        if (status != SY_OK || api->layout_equal(&o->layouts[i], own) == 1) {
            continue;
        }
        const void *from = i == OUTPUT ? own : &o->layouts[i];
        const void *to = i == OUTPUT ? (const void *)&o->layouts[i] : own;
        int refused = api->reorder_describe(&o->steps[o->step_count].description, from, o->session.engine, to,
                                            o->session.engine, o->session.attributes);
        if (refused != SY_ONEDNN_SUCCESS) {
            status = refuse(o, "describe the copies around", refused, err);
            continue;
        }
        o->step_count++;
        status = add_scratch(graph, names[i], api->layout_size(own), sy_tensor_bytes(o->plain[i]), &o->own[i], err);
    }
    for (size_t i = 0; i < o->step_count; i++) {
        const void *layout = api->description_layout(o->steps[i].description, SY_ONEDNN_QUERY_SCRATCHPAD, 0);
        size_t bytes = layout != NULL ? api->layout_size(layout) : 0;
        scratch_bytes = bytes > scratch_bytes ? bytes : scratch_bytes;
    }
    return status == SY_OK ? add_scratch(graph, "scratch", scratch_bytes, 0, &o->scratch, err) : status;
}

static sy_status register_tensors(const sy_case *c, sy_cpu_onednn *o, sy_graph *graph, sy_error *err)
{
    sy_tensor_desc descriptions[TENSORS];
    sy_status status = sy_convolution_tensors(c, &descriptions[SOURCE], &descriptions[WEIGHTS], &descriptions[OUTPUT],
                                              err);
    if (status == SY_OK) {
        status = sy_graph_input(graph, &descriptions[SOURCE], &o->plain[SOURCE], err);
    }
    if (status == SY_OK) {
        status = sy_graph_input(graph, &descriptions[WEIGHTS], &o->plain[WEIGHTS], err);
    }
    return status == SY_OK ? sy_graph_output(graph, &descriptions[OUTPUT], &o->plain[OUTPUT], err) : status;
}

/* Says in the graph why there is nothing to run. */
static void explain(sy_graph *graph, const char *name, const char *version)
{
    char reason[160];
    snprintf(reason, sizeof reason, "oneDNN %s does not list %s for this shape", version,
             strcmp(name, SY_CPU_ONEDNN_FIRST) == 0 ? "any" : "it");
    sy_graph_unavailable(graph, reason);
}

sy_status sy_cpu_onednn_build(const sy_case *c, const char *name, sy_graph *graph, sy_cpu_onednn **ret_onednn,
                              sy_error *err)
{
    sy_cpu_device *device = sy_cpu_device_of(sy_graph_device(graph));
    sy_cpu_library *library = &device->libraries[SY_CPU_ONEDNN];
    sy_convolution_shape shape;
    void *convolution = NULL;
    char reason[256];
    sy_status status = sy_convolution_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    if (!sy_cpu_library_load(SY_CPU_ONEDNN, device->root, device->base.threads, library, reason, sizeof reason)) {
        char whole[sizeof reason + 64];
        snprintf(whole, sizeof whole, "%s; to get it: apt-get install libdnnl2", reason);
        sy_graph_unavailable(graph, whole);
        return SY_OK;
    }
    sy_cpu_onednn *o = sy_graph_metadata(graph, sizeof *o);
    if (o == NULL) {
        sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a convolution by oneDNN takes %zu bytes of metadata", sizeof *o);
        sy_error_hint(err, "raise the metadata capacity");
        return SY_LIMIT_EXCEEDED;
    }
    if (!sy_onednn_session_start(library, &o->session, reason, sizeof reason)) {
        sy_graph_unavailable(graph, reason);
        return SY_OK;
    }
    if (!sy_onednn_choose(&o->session, &shape, name, &convolution, o->name)) {
        char version[32];
        sy_onednn_version(library, version, sizeof version);
        explain(graph, name, version);
        sy_onednn_session_finish(&o->session);
        return SY_OK;
    }
    sy_onednn_plain_layouts(&o->session, &shape, o->layouts);
    status = register_tensors(c, o, graph, err);
    sy_status made = make_steps(o, convolution, graph, status == SY_OK ? err : NULL);
    status = status == SY_OK ? made : status;
    if (status != SY_OK) {
        release(o);
        return status;
    }
    sy_graph_on_run(graph, sy_cpu_onednn_run, release, o);
    if (ret_onednn != NULL) {
        *ret_onednn = o;
    }
    return SY_OK;
}

/* ---- run ---- */

static void add_argument(step *s, int number, void *memory)
{
    s->arguments[s->argument_count++] = (sy_onednn_argument){number, memory};
}

/* The convolution's own memory of a tensor. */
static void *memory_of(const sy_cpu_onednn *o, size_t tensor)
{
    return o->own_memory[tensor] != NULL ? o->own_memory[tensor] : o->plain_memory[tensor];
}

static int make_memories(sy_cpu_onednn *o)
{
    const sy_onednn_api *api = &o->session.api;
    const void *convolution = o->steps[o->convolution].description;
    int refused = SY_ONEDNN_SUCCESS;
    for (size_t i = 0; i < TENSORS && refused == SY_ONEDNN_SUCCESS; i++) {
        refused = api->memory_create(&o->plain_memory[i], &o->layouts[i], o->session.engine,
                                     sy_tensor_address(o->plain[i]));
        if (refused == SY_ONEDNN_SUCCESS && o->own[i] != NULL) {
            refused = api->memory_create(&o->own_memory[i], api->description_layout(convolution, queries[i], 0),
                                         o->session.engine, sy_tensor_address(o->own[i]));
        }
    }
    for (size_t i = 0; i < o->step_count && refused == SY_ONEDNN_SUCCESS; i++) {
        const void *layout = api->description_layout(o->steps[i].description, SY_ONEDNN_QUERY_SCRATCHPAD, 0);
        if (layout != NULL && api->layout_size(layout) > 0) {
            refused = api->memory_create(&o->steps[i].scratchpad, layout, o->session.engine,
                                         sy_tensor_address(o->scratch));
        }
    }
    return refused;
}

/* Generates the code, and says which memory each step works on. */
static sy_status get_ready(sy_cpu_onednn *o, sy_error *err)
{
    const sy_onednn_api *api = &o->session.api;
    size_t at = 0;
    int refused = make_memories(o);
    for (size_t i = 0; i < o->step_count && refused == SY_ONEDNN_SUCCESS; i++) {
        refused = api->primitive_create(&o->steps[i].primitive, o->steps[i].description);
    }
    if (refused != SY_ONEDNN_SUCCESS) {
        return refuse(o, "make", refused, err);
    }
    for (size_t i = 0; i < TENSORS; i++) {
        if (i == OUTPUT) {
            step *convolution = &o->steps[at++];
            for (size_t k = 0; k < TENSORS; k++) {
                add_argument(convolution, numbers[k], memory_of(o, k));
            }
        }
        if (o->own[i] != NULL) {
            add_argument(&o->steps[at], SY_ONEDNN_ARG_SOURCE, i == OUTPUT ? o->own_memory[i] : o->plain_memory[i]);
            add_argument(&o->steps[at], SY_ONEDNN_ARG_OUTPUT, i == OUTPUT ? o->plain_memory[i] : o->own_memory[i]);
            at++;
        }
    }
    for (size_t i = 0; i < o->step_count; i++) {
        if (o->steps[i].scratchpad != NULL) {
            add_argument(&o->steps[i], SY_ONEDNN_ARG_SCRATCHPAD, o->steps[i].scratchpad);
        }
    }
    o->is_ready = true;
    return SY_OK;
}

static sy_status run_steps(sy_cpu_onednn *o, size_t first, size_t end, sy_error *err)
{
    const sy_onednn_api *api = &o->session.api;
    sy_status status = o->is_ready ? SY_OK : get_ready(o, err);
    for (size_t i = first; i < end && status == SY_OK; i++) {
        const step *s = &o->steps[i];
        int refused = api->primitive_execute(s->primitive, o->session.stream, s->argument_count, s->arguments);
        if (refused != SY_ONEDNN_SUCCESS) {
            status = refuse(o, "run", refused, err);
        }
    }
    if (status == SY_OK) {
        int refused = api->stream_wait(o->session.stream);
        status = refused == SY_ONEDNN_SUCCESS ? SY_OK : refuse(o, "finish", refused, err);
    }
    return status;
}

sy_status sy_cpu_onednn_run(void *state, sy_error *err)
{
    sy_cpu_onednn *o = state;
    return run_steps(o, 0, o->step_count, err);
}

sy_status sy_cpu_onednn_run_alone(void *state, sy_error *err)
{
    sy_cpu_onednn *o = state;
    return run_steps(o, o->convolution, o->convolution + 1, err);
}

size_t sy_cpu_onednn_copies(const sy_cpu_onednn *onednn)
{
    return onednn->step_count - 1;
}

const char *sy_cpu_onednn_name(const sy_cpu_onednn *onednn)
{
    return onednn->name;
}
