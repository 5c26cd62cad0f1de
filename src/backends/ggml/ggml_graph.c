/* SPDX-License-Identifier: Apache-2.0 */
/* A graph made of ggml's tensors: the context that build creates them in, the inputs and outputs that are registered,
 * and whether the device supports what lies between. Their memory is ggml_graph_memory.c's business. */
#include "backends/ggml/ggml_graph.h"

#include <ggml-backend.h>
#include <ggml.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define CONTEXT_BYTES ((uint64_t)16 << 20) /* of address space, at least; some 40,000 tensors */
#define RESERVE_MAX ((uint64_t)1 << 40)

static const struct {
    enum ggml_type type;
    sy_dtype dtype;
} types[] = {
    {GGML_TYPE_F32, SY_F32}, {GGML_TYPE_F64, SY_F64}, {GGML_TYPE_F16, SY_F16}, {GGML_TYPE_BF16, SY_BF16},
    {GGML_TYPE_I8, SY_I8},   {GGML_TYPE_I16, SY_I16}, {GGML_TYPE_I32, SY_I32}, {GGML_TYPE_I64, SY_I64},
};

static uint64_t metadata_bytes(const void *state)
{
    const sy_ggml_graph *self = state;
    return ggml_used_mem(self->context) + self->work_size;
}

static uint64_t scratch_bytes(const void *state)
{
    const sy_ggml_graph *self = state;
    return self->compute_bytes + self->processor_bytes;
}

static uint64_t kept_bytes(const void *state)
{
    return ((const sy_ggml_graph *)state)->kept_bytes;
}

static void drop_work(sy_ggml_graph *self)
{
    if (self->work_context)
        ggml_free(self->work_context);
    sy_free_aligned(self->work_memory);
    self->work_context = NULL;
    self->work_memory = NULL;
    self->work = NULL;
    self->work_size = 0;
}

static void destroy(void *state)
{
    sy_ggml_graph *self = state;
    drop_work(self);
    if (self->context)
        ggml_free(self->context);
    sy_reserve_free(self->memory, self->memory_size);
    sy_free(self);
}

static const sy_graph_extension extension = {
    .metadata_bytes = metadata_bytes,
    .scratch_bytes = scratch_bytes,
    .kept_bytes = kept_bytes,
    .allocate = sy_ggml_graph_allocate,
    .release = sy_ggml_graph_release,
    .destroy = destroy,
};

sy_status sy_ggml_context(sy_graph *graph, struct ggml_context **ret_context, sy_error *err)
{
    sy_ggml_graph *self = sy_graph_extension_state(graph, &extension);
    sy_ggml_device *device = sy_ggml_device_of(sy_graph_device(graph));
    if (self) {
        *ret_context = self->context;
        return SY_OK;
    }
    if (!device)
        return sy_fail(err, SY_UNAVAILABLE, "device %s is not one of ggml", sy_graph_device(graph)->name);
    const uint64_t capacity = sy_graph_capacity_bytes(graph);
    self = sy_allocate(1, sizeof *self);
    if (self) {
        self->device = device;
        self->memory_size = CONTEXT_BYTES + 2 * (capacity < RESERVE_MAX ? capacity : RESERVE_MAX);
        self->memory = sy_reserve(self->memory_size);
    }
    if (!self || !self->memory) {
        sy_free(self);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a graph's context");
    }
    self->context = ggml_init((struct ggml_init_params){self->memory_size, self->memory, true});
    sy_graph_extend(graph, &extension, self);
    *ret_context = self->context;
    return SY_OK;
}

/* ---- inputs ---- */

static bool is_registered(const sy_ggml_graph *self, const struct ggml_tensor *tensor)
{
    for (const sy_ggml_bound *bound = self->bound; bound; bound = bound->next)
        if (bound->tensor == tensor)
            return true;
    return false;
}

/* The name in messages and in the registered description: ggml's own, or "input 0". */
static void name_of(const struct ggml_tensor *tensor, const char *use, size_t index, char to[GGML_MAX_NAME])
{
    if (ggml_get_name(tensor)[0])
        (void)sy_text_copy(to, GGML_MAX_NAME, ggml_get_name(tensor));
    else
        (void)snprintf(to, GGML_MAX_NAME, "%s %zu", use, index);
}

static sy_status check_place(const sy_ggml_graph *self, const struct ggml_tensor *tensor, const char *use,
                             sy_error *err)
{
    const char *place = (const char *)tensor, *from = self->memory;
    if (!place || place < from || place >= from + self->memory_size)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s is no tensor of the graph's ggml context", use);
    return SY_OK;
}

/* Whether it is contiguous and of a type that has a word here; fills dtype and dimensions. */
static sy_status describe(const struct ggml_tensor *tensor, const char *use, const char *name, sy_tensor_desc *desc,
                          sy_error *err)
{
    size_t type = 0;
    while (type < sizeof types / sizeof types[0] && types[type].type != tensor->type)
        type++;
    if (type == sizeof types / sizeof types[0])
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s '%s' is of ggml's type %s, which has no place here", use, name,
                       ggml_type_name(tensor->type));
    if (!ggml_is_contiguous(tensor))
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s '%s' is not contiguous: ggml_cont makes it so", use, name);
    *desc = (sy_tensor_desc){.name = name, .dtype = types[type].dtype, .rank = GGML_MAX_DIMS};
    for (int i = 0; i < GGML_MAX_DIMS; i++)
        desc->dims[i] = tensor->ne[GGML_MAX_DIMS - 1 - i];
    return SY_OK;
}

static sy_tensor_room room_of(const sy_ggml_graph *self, const struct ggml_tensor *tensor)
{
    return (sy_tensor_room){ggml_backend_buft_get_alignment(self->device->memory),
                            ggml_backend_buft_get_alloc_size(self->device->memory, tensor)};
}

/* Notes which tensor of ggml lies where the registered one does. */
static sy_status bind(sy_ggml_graph *self, sy_graph *graph, struct ggml_tensor *tensor, const sy_tensor *registered,
                      sy_error *err)
{
    sy_ggml_bound *bound = sy_graph_metadata(graph, sizeof *bound);
    if (!bound)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the metadata of a graph");
    *bound = (sy_ggml_bound){tensor, registered, self->bound};
    self->bound = bound;
    return SY_OK;
}

static sy_status no_context(sy_error *err)
{
    return sy_fail(err, SY_INVALID_ARGUMENT, "a tensor is registered on a graph that lent no ggml context");
}

sy_status sy_ggml_input(sy_graph *graph, struct ggml_tensor *tensor, sy_tensor **ret_tensor, sy_error *err)
{
    sy_ggml_graph *self = sy_graph_extension_state(graph, &extension);
    char name[GGML_MAX_NAME];
    sy_tensor_desc desc;
    if (!self)
        return no_context(err);
    sy_status status = check_place(self, tensor, "input", err);
    if (status)
        return status;
    name_of(tensor, "input", sy_graph_input_count(graph), name);
    status = describe(tensor, "input", name, &desc, err);
    if (status)
        return status;
    if (tensor->op != GGML_OP_NONE || tensor->view_src)
        return sy_fail(err, SY_INVALID_ARGUMENT, "input '%s' is the result of %s", name,
                       tensor->view_src ? "a view" : ggml_op_desc(tensor));
    if (is_registered(self, tensor))
        return sy_fail(err, SY_INVALID_ARGUMENT, "input '%s' is registered twice", name);
    const sy_tensor_room room = room_of(self, tensor);
    sy_tensor *registered = NULL;
    status = sy_graph_input_in(graph, &desc, &room, &registered, err);
    if (!status)
        status = bind(self, graph, tensor, registered, err);
    if (status)
        return status;
    ggml_set_name(tensor, name);
    ggml_set_input(tensor);
    *ret_tensor = registered;
    return SY_OK;
}

/* ---- outputs ---- */

/* The tensor whose memory an output is: itself, or the whole that it is a view of. */
static sy_status find_root(const sy_ggml_graph *self, struct ggml_tensor *tensor, const char *name,
                           struct ggml_tensor **ret_root, sy_error *err)
{
    struct ggml_tensor *root = tensor->view_src ? tensor->view_src : tensor;
    if (tensor->view_src && (tensor->view_offs != 0 || ggml_nbytes(tensor) != ggml_nbytes(root)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "output '%s' is a view of a part: ggml_cont makes it a tensor", name);
    if (root->op == GGML_OP_NONE)
        return sy_fail(err, SY_INVALID_ARGUMENT, "output '%s' is not the result of an operation", name);
    if (is_registered(self, root))
        return sy_fail(err, SY_INVALID_ARGUMENT, "output '%s' is registered twice", name);
    *ret_root = root;
    return SY_OK;
}

static size_t count_tensors(const struct ggml_context *context)
{
    size_t count = 0;
    for (struct ggml_tensor *t = ggml_get_first_tensor(context); t; t = ggml_get_next_tensor(context, t))
        count++;
    return count;
}

/* Lists the operations that all outputs so far depend on, in the order in which they run. */
static sy_status make_work(sy_ggml_graph *self, sy_error *err)
{
    const size_t count = count_tensors(self->context) + 1;
    const size_t size = ggml_graph_overhead_custom(count, false);
    drop_work(self);
    self->work_memory = sy_allocate_aligned(64, 1, size);
    if (!self->work_memory)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a graph of %zu tensors", count);
    self->work_size = size;
    self->work_context = ggml_init((struct ggml_init_params){size, self->work_memory, true});
    self->work = ggml_new_graph_custom(self->work_context, count, false);
    for (size_t i = 0; i < self->output_count; i++)
        ggml_build_forward_expand(self->work, self->outputs[i]);
    return SY_OK;
}

/* Every tensor that is read must be an input or the result of an operation: nothing else is ever written. */
static sy_status check_sources(const sy_ggml_graph *self, sy_error *err)
{
    for (int i = 0; i < ggml_graph_n_nodes(self->work); i++) {
        const struct ggml_tensor *node = ggml_graph_node(self->work, i);
        for (int s = 0; s < GGML_MAX_SRC; s++) {
            const struct ggml_tensor *source = node->src[s];
            const struct ggml_tensor *root = source && source->view_src ? source->view_src : source;
            if (root && root->op == GGML_OP_NONE && !is_registered(self, root))
                return sy_fail(err, SY_INVALID_ARGUMENT, "%s reads '%s', which is neither an input nor a result",
                               ggml_op_desc(node), ggml_get_name(root));
        }
    }
    return SY_OK;
}

/* Appends "f16 40x4096x8x1". */
static void append_shape(const struct ggml_tensor *tensor, sy_text *text)
{
    sy_text_append_format(text, "%s ", ggml_type_name(tensor->type));
    for (int i = 0; i < GGML_MAX_DIMS; i++)
        sy_text_append_format(text, "%s%lld", i ? "x" : "", (long long)tensor->ne[i]);
}

static sy_status refuse_operation(const sy_ggml_graph *self, sy_graph *graph, const struct ggml_tensor *node,
                                  sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append_format(&text, "%s is not supported by %s (", ggml_op_desc(node), self->device->ggml_name);
    for (int s = 0; s < GGML_MAX_SRC && node->src[s]; s++) {
        sy_text_append(&text, s ? ", " : "");
        append_shape(node->src[s], &text);
    }
    sy_text_append(&text, ")");
    const bool failed = text.failed;
    if (!failed)
        sy_graph_unavailable(graph, sy_text_bytes(&text));
    sy_text_finish(&text);
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a message on %s", ggml_op_desc(node)) : SY_OK;
}

static const struct ggml_tensor *find_unsupported(const sy_ggml_graph *self)
{
    for (int i = 0; i < ggml_graph_n_nodes(self->work); i++) {
        const struct ggml_tensor *node = ggml_graph_node(self->work, i);
        if (!ggml_backend_dev_supports_op(self->device->dev, node))
            return node;
    }
    return NULL;
}

static sy_status compute(void *state, sy_error *err)
{
    const sy_ggml_graph *self = state;
    const enum ggml_status status = ggml_backend_graph_compute_async(self->device->backend, self->work);
    if (status == GGML_STATUS_SUCCESS)
        return SY_OK;
    return sy_fail(err, status == GGML_STATUS_ALLOC_FAILED ? SY_NO_MEMORY : SY_UNAVAILABLE,
                   "ggml could not run the graph on its device %s: %s", self->device->ggml_name,
                   ggml_status_to_string(status));
}

/* The operations with the new output among them; *ret_unsupported: the first that the device lacks. */
static sy_status extend_work(sy_ggml_graph *self, struct ggml_tensor *tensor, struct ggml_tensor *root,
                             const struct ggml_tensor **ret_unsupported, sy_error *err)
{
    ggml_set_output(tensor);
    ggml_set_output(root);
    self->outputs[self->output_count++] = tensor;
    sy_status status = make_work(self, err);
    if (!status)
        status = check_sources(self, err);
    if (!status)
        *ret_unsupported = find_unsupported(self);
    return status;
}

sy_status sy_ggml_output(sy_graph *graph, struct ggml_tensor *tensor, sy_tensor **ret_tensor, sy_error *err)
{
    sy_ggml_graph *self = sy_graph_extension_state(graph, &extension);
    char name[GGML_MAX_NAME];
    sy_tensor_desc desc;
    struct ggml_tensor *root = NULL;
    const struct ggml_tensor *unsupported = NULL;
    sy_tensor *registered = NULL;
    if (!self)
        return no_context(err);
    sy_status status = check_place(self, tensor, "output", err);
    if (status)
        return status;
    name_of(tensor, "output", self->output_count, name);
    status = describe(tensor, "output", name, &desc, err);
    if (!status)
        status = find_root(self, tensor, name, &root, err);
    if (!status && self->output_count == SY_GGML_OUTPUTS_MAX)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "output '%s' is one of more than %d", name, SY_GGML_OUTPUTS_MAX);
    if (status)
        return status;
    ggml_set_name(tensor, name);
    status = extend_work(self, tensor, root, &unsupported, err);
    if (!status && unsupported)
        status = refuse_operation(self, graph, unsupported, err);
    if (!status && !unsupported) {
        const sy_tensor_room room = room_of(self, root);
        status = sy_graph_output_in(graph, &desc, &room, &registered, err);
        if (!status)
            status = bind(self, graph, root, registered, err);
        if (!status)
            status = sy_ggml_graph_measure(self, err);
    }
    if (status)
        return status;
    if (!unsupported)
        sy_graph_on_run(graph, compute, NULL, self);
    *ret_tensor = registered;
    return SY_OK;
}

void sy_ggml_graph_keep(sy_graph *graph, const struct ggml_tensor *kept)
{
    sy_ggml_graph *self = sy_graph_extension_state(graph, &extension);
    if (self)
        self->kept_bytes += room_of(self, kept).bytes;
}
