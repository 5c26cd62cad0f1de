/* SPDX-License-Identifier: Apache-2.0 */
/* A subject in this process: it owns one graph a case, and its copies where runs take buffers in turn. The worker
 * serves one of these; a probe without workers uses it directly. */
#include <string.h>

#include "backends/graph.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/memory.h"
#include "base/text.h"
#include "probe/subject/rotation.h"
#include "probe/subject/subject.h"

typedef struct changed_element {
    bool set;
    uint64_t element;
    uint8_t original[8];
} changed_element;

typedef struct local_case {
    sy_graph *graph;
    sy_graph *last; /* that ran last: the graph or a copy */
    uint32_t copies;
    sy_rotation *rotation; /* NULL as long as no timed run was asked for, and with one copy */
    bool rotation_filled;
    bool allocated;
    bool float_inputs_default; /* filled by the default fill: slots may change an element */
    uint64_t change;
    changed_element changed[SY_SUBJECT_TENSORS_MAX];
} local_case;

typedef struct local_subject {
    sy_subject base;
    sy_device *device;
    uint64_t metadata_capacity;
    local_case *cases;
    sy_float_environment host_environment; /* of everything here but the implementation's own code */
    sy_float_environment own_environment;  /* as its loading, builds and calls left it */
    uint32_t float_loaded;                 /* SY_FLOAT_* bits that a build changed */
    char *scratch;
} local_subject;

static local_subject *self_of(sy_subject *subject)
{
    return (local_subject *)subject;
}

/* Where both are alike, as nearly always, the host's is in force already. */
static void enter(const local_subject *self)
{
    if (self->own_environment.control != self->host_environment.control)
        sy_float_environment_set(self->own_environment);
}

/* Returns in which bits the implementation's environment is another than the host's, which is in force again. */
static uint32_t leave(local_subject *self)
{
    self->own_environment = sy_float_environment_save();
    if (self->own_environment.control == self->host_environment.control)
        return 0;
    return sy_float_environment_restore(self->host_environment);
}

static void drop_case(local_case *held)
{
    sy_rotation_destroy(held->rotation);
    sy_graph_destroy(held->graph);
    *held = (local_case){.change = SY_SUBJECT_NO_CHANGE};
}

static sy_status describe_shape(const sy_graph *graph, sy_subject_shape *shape, sy_error *err)
{
    size_t inputs = sy_graph_input_count(graph);
    size_t outputs = sy_graph_output_count(graph);
    if (inputs > SY_SUBJECT_TENSORS_MAX || outputs > SY_SUBJECT_TENSORS_MAX)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "a graph with %zu inputs and %zu outputs: at most %d of each", inputs,
                       outputs, SY_SUBJECT_TENSORS_MAX);
    shape->input_count = (uint32_t)inputs;
    shape->output_count = (uint32_t)outputs;
    for (size_t i = 0; i < inputs; i++) {
        shape->inputs[i] = *sy_tensor_description(sy_graph_input_at(graph, i));
        shape->inputs[i].name = NULL;
    }
    for (size_t i = 0; i < outputs; i++) {
        shape->outputs[i] = *sy_tensor_description(sy_graph_output_at(graph, i));
        shape->outputs[i].name = NULL;
    }
    shape->memory_bytes = sy_graph_memory_bytes(graph);
    shape->scratch_bytes = sy_graph_scratch_bytes(graph);
    return SY_OK;
}

static sy_status count_copies(const local_subject *self, uint32_t case_index, uint32_t *ret_copies, sy_error *err)
{
    sy_status status = sy_rotation_count(self->cases[case_index].graph, self->base.working_set_bytes, ret_copies, err);
    if (status)
        sy_error_prefix(err, "case %s", self->base.suite->cases[case_index].name);
    return status;
}

static sy_status local_build(sy_subject *subject, uint32_t case_index, sy_subject_shape *ret_shape, sy_error *err)
{
    local_subject *self = self_of(subject);
    const sy_suite *suite = subject->suite;
    local_case *held = &self->cases[case_index];
    drop_case(held);
    sy_status status = sy_graph_create(self->device, self->metadata_capacity, &held->graph, err);
    if (status)
        return status;
    enter(self);
    status = suite->build(suite->user, &suite->cases[case_index], subject->variant, held->graph, err);
    self->float_loaded |= leave(self);
    const char *reason = "";
    sy_subject_shape shape = {0};
    if (!status)
        status = sy_graph_check(held->graph, &shape.available, &reason, err);
    if (!status && shape.available)
        status = describe_shape(held->graph, &shape, err);
    if (!status && shape.available)
        status = count_copies(self, case_index, &shape.copies, err);
    held->last = held->graph;
    held->copies = shape.copies;
    if (status || !shape.available) {
        if (!status)
            (void)sy_text_copy(shape.reason, sizeof(shape.reason), reason);
        drop_case(held);
    }
    if (!status)
        *ret_shape = shape;
    return status;
}

static sy_status find_case(local_subject *self, uint32_t case_index, bool allocated, local_case **ret_case,
                           sy_error *err)
{
    local_case *held = &self->cases[case_index];
    if (!held->graph || (allocated && !held->allocated))
        return sy_fail(err, SY_INVALID_ARGUMENT, "case %s is not %s yet", self->base.suite->cases[case_index].name,
                       held->graph ? "allocated" : "built");
    *ret_case = held;
    return SY_OK;
}

static sy_status local_allocate(sy_subject *subject, uint32_t case_index, sy_error *err)
{
    local_case *held = NULL;
    sy_status status = find_case(self_of(subject), case_index, false, &held, err);
    if (!status)
        status = sy_graph_allocate(held->graph, err);
    if (!status)
        status = sy_graph_poison(held->graph, 0xff, err); /* canaries stand before the first run, whoever makes it */
    if (!status)
        held->allocated = true;
    return status;
}

/* The default fill of one input, through host memory of the input's size. */
static sy_status fill_input(local_subject *self, local_case *held, uint32_t case_index, sy_fill fill, uint64_t seed,
                            uint32_t index, sy_error *err)
{
    sy_tensor *tensor = sy_graph_input_at(held->graph, index);
    const sy_case *c = &self->base.suite->cases[case_index];
    uint64_t size = sy_tensor_bytes(tensor);
    void *bytes = sy_allocate(1, size);
    if (!bytes)
        return sy_fail(err, SY_NO_MEMORY, "case %s: no host memory for input %u", c->name, index);
    sy_status status = sy_fill_input(fill, seed, index, c, sy_tensor_description(tensor), bytes, err);
    if (!status)
        status = sy_tensor_write(tensor, 0, bytes, size, err);
    sy_free(bytes);
    return status;
}

static sy_status checksum_inputs(local_subject *self, local_case *held, uint64_t *ret_checksum, sy_error *err)
{
    uint64_t sum = SY_CHECKSUM_START;
    for (size_t i = 0; i < sy_graph_input_count(held->last); i++) {
        const sy_tensor *tensor = sy_graph_input_at(held->last, i);
        uint64_t size = sy_tensor_bytes(tensor);
        for (uint64_t at = 0; at < size; at += SY_CHECKSUM_PIECE_BYTES) {
            uint64_t piece = size - at < SY_CHECKSUM_PIECE_BYTES ? size - at : SY_CHECKSUM_PIECE_BYTES;
            sy_status status = sy_tensor_read(tensor, at, self->scratch, piece, err);
            if (status)
                return status;
            sum = sy_checksum_piece(sum, self->scratch, piece);
        }
    }
    *ret_checksum = sum;
    return SY_OK;
}

static sy_status local_fill(sy_subject *subject, uint32_t case_index, sy_fill fill, bool own, uint64_t seed,
                            uint64_t *ret_checksum, sy_error *err)
{
    local_subject *self = self_of(subject);
    local_case *held = NULL;
    sy_status status = find_case(self, case_index, true, &held, err);
    if (status)
        return status;
    held->last = held->graph;
    held->rotation_filled = false;
    held->change = SY_SUBJECT_NO_CHANGE;
    memset(held->changed, 0, sizeof(held->changed));
    held->float_inputs_default = !own;
    if (own) {
        const sy_suite *suite = subject->suite;
        status = suite->initialize(suite->user, &suite->cases[case_index], subject->variant, seed, held->graph, err);
    } else {
        for (uint32_t i = 0; !status && i < sy_graph_input_count(held->graph); i++)
            status = fill_input(self, held, case_index, fill, seed, i, err);
    }
    return status ? status : checksum_inputs(self, held, ret_checksum, err);
}

static sy_status local_inspect(sy_subject *subject, uint32_t case_index, sy_subject_run *ret_run, sy_error *err)
{
    local_subject *self = self_of(subject);
    local_case *held = NULL;
    sy_subject_run run = {0};
    sy_status status = find_case(self, case_index, true, &held, err);
    if (!status && held->rotation)
        status = sy_rotation_canaries(held->rotation, &run.canaries_intact, run.canary_reason,
                                      sizeof(run.canary_reason), err);
    else if (!status)
        status = sy_graph_canaries(held->graph, &run.canaries_intact, run.canary_reason, sizeof(run.canary_reason),
                                   err);
    if (!status)
        status = checksum_inputs(self, held, &run.input_checksum, err);
    if (!status)
        *ret_run = run;
    return status;
}

/* count runs on the buffers of the last one, or on the next ones each, and the wait for them. */
static sy_status run_graph(local_subject *self, local_case *held, uint32_t count, sy_error *err)
{
    sy_status status = SY_OK;
    for (uint32_t i = 0; !status && i < count; i++) {
        if (held->rotation_filled)
            held->last = sy_rotation_next(held->rotation);
        status = sy_graph_run(held->last, err);
    }
    return status ? status : sy_device_synchronize(self->device, err);
}

/* The copies that timed runs take in turn stand ready, filled as the case's own graph is. */
static sy_status make_rotation(local_subject *self, local_case *held, uint32_t case_index, sy_error *err)
{
    sy_status status = SY_OK;
    if (held->copies < 2 || held->rotation_filled)
        return SY_OK;
    if (!held->rotation) {
        enter(self);
        status = sy_rotation_create(self->base.suite, case_index, self->base.variant, held->graph, held->copies,
                                    self->metadata_capacity, &held->rotation, err);
        (void)leave(self);
    }
    if (!status)
        status = sy_rotation_fill(held->rotation, self->scratch, SY_CHECKSUM_PIECE_BYTES, err);
    held->rotation_filled = !status;
    return status;
}

/* What the call may take, for a backend that can end a run. */
static void lend_limits(const local_subject *self)
{
    self->device->deadline_ns = self->base.deadline_ns;
    self->device->cancelled = self->base.cancelled;
    self->device->cancelled_user = self->base.user;
}

static sy_status take_account(const local_subject *self, sy_subject_run *run, sy_error *err)
{
    const sy_backend *backend = self->device->backend;
    run->has_account = backend->account != NULL;
    return backend->account ? backend->account(self->device, &run->account, err) : SY_OK;
}

static sy_status local_run(sy_subject *subject, uint32_t case_index, uint8_t poison, sy_subject_run *ret_run,
                           sy_error *err)
{
    local_subject *self = self_of(subject);
    local_case *held = NULL;
    sy_status status = find_case(self, case_index, true, &held, err);
    if (!status)
        status = sy_graph_poison(held->graph, poison, err);
    if (status)
        return status;
    held->last = held->graph;
    held->rotation_filled = false;
    lend_limits(self);
    enter(self);
    uint64_t start = sy_clock_now(self->device->clock);
    status = run_graph(self, held, 1, err);
    uint64_t end = sy_clock_now(self->device->clock);
    uint32_t float_changed = leave(self);
    sy_subject_run run = {0};
    if (!status)
        status = local_inspect(subject, case_index, &run, err);
    if (!status)
        status = take_account(self, &run, err);
    if (status)
        return status;
    run.float_changed = float_changed;
    run.float_loaded = self->float_loaded;
    run.elapsed_ns = end - start;
    *ret_run = run;
    return SY_OK;
}

/* tensor: input number `input` of the case's own graph. */
static sy_status write_input(local_case *held, sy_tensor *tensor, size_t input, uint64_t offset, const void *bytes,
                             uint64_t size, sy_error *err)
{
    return held->rotation_filled ? sy_rotation_write(held->rotation, input, offset, bytes, size, err)
                                 : sy_tensor_write(tensor, offset, bytes, size, err);
}

/* Brings the inputs to change number `change`: the element of the change before gets its first value back. */
static sy_status apply_change(local_case *held, const sy_case *c, const sy_slot *slot, sy_error *err)
{
    sy_status status = SY_OK;
    if (held->change == slot->change || !held->float_inputs_default)
        return SY_OK;
    for (uint32_t i = 0; !status && i < sy_graph_input_count(held->graph); i++) {
        sy_tensor *tensor = sy_graph_input_at(held->graph, i);
        const sy_tensor_desc *desc = sy_tensor_description(tensor);
        uint64_t size = sy_dtype_size(desc->dtype);
        changed_element *changed = &held->changed[i];
        uint8_t bytes[8];
        uint64_t element;
        if (changed->set)
            status = write_input(held, tensor, i, changed->element * size, changed->original, size, err);
        changed->set = false;
        if (status || !sy_input_change(slot->seed, slot->change, slot->case_index, c, i, desc, &element, bytes))
            continue;
        status = sy_tensor_read(tensor, element * size, changed->original, size, err);
        if (!status)
            status = write_input(held, tensor, i, element * size, bytes, size, err);
        changed->element = element;
        changed->set = !status;
    }
    held->change = slot->change;
    return status;
}

/* Before and after the timed runs; the difference of two unknown ones is unknown too. */
static uint64_t count_switches(const local_subject *self)
{
    return self->device->backend->switches ? self->device->backend->switches(self->device) : UINT64_MAX;
}

static sy_status local_slot(sy_subject *subject, const sy_slot *slot, sy_subject_run *ret_run, sy_error *err)
{
    local_subject *self = self_of(subject);
    local_case *held = NULL;
    sy_status status = find_case(self, slot->case_index, true, &held, err);
    if (!status)
        status = make_rotation(self, held, slot->case_index, err);
    if (!status)
        status = apply_change(held, &self->base.suite->cases[slot->case_index], slot, err);
    if (status)
        return status;
    lend_limits(self);
    enter(self);
    if (slot->untimed > 0)
        status = run_graph(self, held, slot->untimed, err);
    if (status) {
        (void)leave(self);
        return status;
    }
    uint64_t switches = count_switches(self);
    uint64_t start = sy_clock_now(self->device->clock);
    status = run_graph(self, held, slot->count, err);
    uint64_t end = sy_clock_now(self->device->clock);
    uint32_t float_changed = leave(self);
    switches = switches == UINT64_MAX ? UINT64_MAX : count_switches(self) - switches;
    sy_subject_run run = {.elapsed_ns = end - start, .switches = switches, .float_changed = float_changed};
    if (!status)
        status = take_account(self, &run, err);
    if (!status)
        *ret_run = run;
    return status;
}

static sy_status local_read(sy_subject *subject, uint32_t case_index, bool output, uint32_t index, void *bytes,
                            uint64_t size, sy_error *err)
{
    local_case *held = NULL;
    sy_status status = find_case(self_of(subject), case_index, true, &held, err);
    if (status)
        return status;
    size_t count = output ? sy_graph_output_count(held->last) : sy_graph_input_count(held->last);
    if (index >= count)
        return sy_fail(err, SY_INVALID_ARGUMENT, "tensor %u of %zu", index, count);
    sy_tensor *tensor = output ? sy_graph_output_at(held->last, index) : sy_graph_input_at(held->last, index);
    return sy_tensor_read(tensor, 0, bytes, size, err);
}

static sy_status local_describe(sy_subject *subject, sy_implementation_info *ret_info, uint64_t *ret_memory_peak,
                                sy_error *err)
{
    local_subject *self = self_of(subject);
    const sy_suite *suite = subject->suite;
    sy_implementation_info info = {0};
    sy_status status = SY_OK;
    enter(self);
    if (suite->describe)
        status = suite->describe(suite->user, subject->variant, self->device, &info, err);
    (void)leave(self);
    if (status)
        return status;
    *ret_info = info;
    *ret_memory_peak = self->device->backend->memory_peak ? self->device->backend->memory_peak(self->device) : 0;
    return SY_OK;
}

static sy_status local_nothing(sy_subject *subject, sy_error *err)
{
    (void)subject;
    (void)err;
    return SY_OK;
}

static void drop_graphs(local_subject *self)
{
    for (size_t i = 0; i < self->base.suite->case_count; i++)
        drop_case(&self->cases[i]);
}

static sy_status local_restart(sy_subject *subject, sy_error *err)
{
    (void)err;
    drop_graphs(self_of(subject));
    return SY_OK;
}

static void local_destroy(sy_subject *subject)
{
    local_subject *self = self_of(subject);
    if (self->cases)
        drop_graphs(self);
    sy_free(self->cases);
    sy_free(self->scratch);
    sy_free(self);
}

static const sy_subject_table local_table = {
    .build = local_build,
    .allocate = local_allocate,
    .fill = local_fill,
    .run = local_run,
    .slot = local_slot,
    .inspect = local_inspect,
    .read = local_read,
    .describe = local_describe,
    .suspend = local_nothing,
    .resume = local_nothing,
    .restart = local_restart,
    .destroy = local_destroy,
};

sy_status sy_subject_create_local(sy_device *device, const sy_suite *suite, uint32_t variant,
                                  uint64_t metadata_capacity_bytes, sy_subject **ret_subject, sy_error *err)
{
    local_subject *self = sy_allocate(1, sizeof(*self));
    if (!self)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an implementation's state");
    self->base = (sy_subject){.table = &local_table, .suite = suite, .variant = variant};
    self->device = device;
    self->metadata_capacity = metadata_capacity_bytes;
    self->host_environment = self->own_environment = sy_float_environment_save();
    if (device->plugin) {
        self->own_environment = device->plugin_environment;
        self->float_loaded = sy_float_environment_diff(self->own_environment, self->host_environment);
    }
    self->cases = sy_allocate(suite->case_count, sizeof(*self->cases));
    self->scratch = sy_allocate(1, SY_CHECKSUM_PIECE_BYTES);
    if (!self->cases || !self->scratch) {
        local_destroy(&self->base);
        return sy_fail(err, SY_NO_MEMORY, "no memory for an implementation's state");
    }
    *ret_subject = &self->base;
    return SY_OK;
}

void sy_subject_destroy(sy_subject *subject)
{
    if (subject)
        subject->table->destroy(subject);
}
