/* SPDX-License-Identifier: Apache-2.0 */
/* The operation that every script runs, y[i] = a[i] b[i] + a[i+1] with a closed into a ring, computed honestly unless
 * the script says what goes wrong. Its value in double is the oracle. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/fake/fake_device.h"
#include "backends/graph.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/system.h"
#include "base/text.h"

#define HANG_NS UINT64_C(3600000000000)
#define EXIT_CODE_OF_CRASH 3
/* The parent's socket in a worker: where garbage is written. */
#define WORKER_DESCRIPTOR 3

/* What one graph's run needs; lives in the graph's metadata. */
typedef struct fake_work {
    sy_fake_device *device;
    const sy_fake_cell *cell;
    uint32_t variant;
    uint32_t case_index;
    uint64_t n;
    const sy_tensor *a;
    const sy_tensor *b;
    const sy_tensor *y;
} fake_work;

static size_t cell_index(const sy_fake_device *device, uint32_t variant, uint32_t case_index)
{
    return variant * device->script->suite.case_count + case_index;
}

/* ---- the work and what goes wrong with it ---- */

static float value_at(const float *a, const float *b, uint64_t i, uint64_t n)
{
    return a[i] * b[i] + a[i + 1 == n ? 0 : i + 1];
}

static void compute(const float *a, const float *b, float *y, uint64_t count, uint64_t n)
{
    for (uint64_t i = 0; i < count; i++)
        y[i] = value_at(a, b, i, n);
}

/* One rounding instead of two: another right answer, as another order of summation gives it. */
static void compute_fused(const float *a, const float *b, float *y, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        y[i] = fmaf(a[i], b[i], a[i + 1 == n ? 0 : i + 1]);
}

static void recall(fake_work *work, const float *a, const float *b, float *y)
{
    float *kept = work->device->memory[cell_index(work->device, work->variant, work->case_index)];
    compute(a, b, y, work->n, work->n);
    if (isnan(kept[0]))
        memcpy(kept, y, work->n * sizeof *y);
    else
        memcpy(y, kept, work->n * sizeof *y);
}

static void compute_with_fault(fake_work *work, sy_fake_fault fault, uint64_t run, float *a, const float *b, float *y)
{
    const uint64_t n = work->n;
    switch (fault) {
    case SY_FAKE_FAULT_NOTHING:
        return;
    case SY_FAKE_FAULT_STALE:
        if (run == work->cell->fault_from_run)
            compute(a, b, y, n, n);
        return;
    case SY_FAKE_FAULT_HALF:
        compute(a, b, y, n / 2, n);
        return;
    case SY_FAKE_FAULT_ZEROS:
        memset(y, 0, n * sizeof *y);
        return;
    case SY_FAKE_FAULT_SHIFTED:
        for (uint64_t i = 0; i < n; i++)
            y[i] = value_at(a, b, (i + 1) % n, n);
        return;
    case SY_FAKE_FAULT_MEMOISED:
        recall(work, a, b, y);
        return;
    case SY_FAKE_FAULT_NONDETERMINISTIC:
        if (run % 2 == 0) {
            compute_fused(a, b, y, n);
            return;
        }
        break;
    case SY_FAKE_FAULT_NONE:
    case SY_FAKE_FAULT_NAN:
    case SY_FAKE_FAULT_WRONG:
    case SY_FAKE_FAULT_INPUT_CHANGED:
    case SY_FAKE_FAULT_PAST_THE_END:
    case SY_FAKE_FAULT_BEFORE_THE_START:
        break;
    }
    compute(a, b, y, n, n);
    if (fault == SY_FAKE_FAULT_NAN)
        y[n - 1] = NAN;
    else if (fault == SY_FAKE_FAULT_INPUT_CHANGED)
        a[0] += 1;
    else if (fault == SY_FAKE_FAULT_PAST_THE_END)
        y[n] = y[n - 1]; /* lands in the graph's canary, as does the next */
    else if (fault == SY_FAKE_FAULT_BEFORE_THE_START)
        y[-1] = y[0];
    else if (fault == SY_FAKE_FAULT_WRONG)
        for (uint64_t i = 0; i < n; i++)
            y[i] = (float)((double)y[i] * (1 + work->cell->fault_size));
}

/* In a worker of its own it really ends; in the caller's process the run fails with the worker's status. */
static sy_status crash(const fake_work *work, sy_error *err)
{
    const sy_fake_implementation *implementation = &work->device->script->implementations[work->variant];
    if (work->device->script->isolates && work->device->base.only) {
        static const char garbage[] = "this is no message of the protocol\n\xff\xff\xff\xff\xff\xff\xff\xff";
        switch (implementation->crash_how) {
        case SY_FAKE_CRASH_ABORT:
            abort();
        case SY_FAKE_CRASH_SEGFAULT:
            (void)signal(SIGSEGV, SIG_DFL);
            (void)raise(SIGSEGV);
            break;
        case SY_FAKE_CRASH_EXIT:
            _exit(EXIT_CODE_OF_CRASH);
        case SY_FAKE_CRASH_GARBAGE:
            (void)!sy_system_write(WORKER_DESCRIPTOR, garbage, sizeof garbage);
            return SY_OK;
        }
    }
    return sy_fail(err, SY_DIED, "'%s' crashed at its run %llu, as scripted", implementation->name,
                   (unsigned long long)sy_fake_time_runs_of(work->device->time, work->variant));
}

static sy_status hang(const fake_work *work, sy_error *err)
{
    const sy_fake_implementation *implementation = &work->device->script->implementations[work->variant];
    if (work->device->script->isolates && work->device->base.only)
        for (;;)
            (void)pause();
    sy_clock_manual_advance(&work->device->manual, HANG_NS);
    return sy_fail(err, SY_TIMED_OUT, "'%s' hung at its run %llu, as scripted", implementation->name,
                   (unsigned long long)sy_fake_time_runs_of(work->device->time, work->variant));
}

/* What the machine's counters say of the run that has just ended. */
static void count_disturbance(sy_fake_device *device, double duration_ns)
{
    const sy_fake_machine *machine = &device->script->machine;
    const uint64_t run = sy_fake_time_runs(device->time);
    if (run >= machine->steal_from_run)
        device->stolen_ns += machine->steal_share * duration_ns;
    if (run >= machine->pressure_from_run)
        device->waited_ns += machine->pressure_share * duration_ns;
}

static sy_status run(void *state, sy_error *err)
{
    fake_work *work = state;
    sy_fake_run next;
    sy_status status = sy_fake_time_next(work->device->time, work->variant, work->case_index, &next, err);
    if (!status && next.event == SY_FAKE_EVENT_CRASH)
        status = crash(work, err);
    else if (!status && next.event == SY_FAKE_EVENT_HANG)
        status = hang(work, err);
    if (status)
        return status;
    const sy_fake_fault fault = next.may_fail && next.cell_run >= work->cell->fault_from_run ? work->cell->fault
                                                                                             : SY_FAKE_FAULT_NONE;
    compute_with_fault(work, fault, next.cell_run, sy_tensor_address(work->a), sy_tensor_address(work->b),
                       sy_tensor_address(work->y));
    sy_clock_manual_advance(&work->device->manual, next.duration_ns);
    work->device->switches += next.switched;
    count_disturbance(work->device, (double)next.duration_ns);
    return SY_OK;
}

/* ---- the suite's callbacks ---- */

/* By name, since a caller may hand in a copy of the case. */
static sy_status find_case(const sy_fake_device *device, const sy_case *c, uint32_t *ret_index, sy_error *err)
{
    const sy_suite *suite = &device->script->suite;
    for (uint32_t i = 0; i < suite->case_count; i++)
        if (c == &suite->cases[i] || sy_text_equal(c->name, suite->cases[i].name)) {
            *ret_index = i;
            return SY_OK;
        }
    return sy_fail(err, SY_INVALID_ARGUMENT, "the script has no case '%s'", c->name);
}

static sy_status register_tensors(sy_graph *graph, fake_work *work, uint64_t memory_bytes, sy_error *err)
{
    sy_tensor_desc desc = {.name = "a", .dtype = SY_F32, .rank = 1, .dims = {(int64_t)work->n}};
    sy_tensor *tensor = NULL;
    sy_status status = sy_graph_input(graph, &desc, &tensor, err);
    if (status)
        return status;
    work->a = tensor;
    desc.name = "b";
    status = sy_graph_input(graph, &desc, &tensor, err);
    if (status)
        return status;
    work->b = tensor;
    if (memory_bytes > 0) {
        const sy_tensor_desc scratch = {.name = "scratch", .dtype = SY_U8, .rank = 1, .dims = {(int64_t)memory_bytes}};
        status = sy_graph_scratch(graph, &scratch, &tensor, err);
        if (status)
            return status;
    }
    desc.name = "y";
    status = sy_graph_output(graph, &desc, &tensor, err);
    if (status)
        return status;
    work->y = tensor;
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    sy_fake_device *device = user;
    uint32_t case_index = 0;
    sy_status status = find_case(device, c, &case_index, err);
    if (status)
        return status;
    if (variant >= device->script->suite.implementation_count)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the script has no implementation number %u", variant);
    const sy_fake_implementation *implementation = &device->script->implementations[variant];
    const sy_fake_cell *cell = &implementation->cells[case_index];
    sy_fake_time_enter(device->time, device->base.process);
    if (device->base.only && !sy_text_equal(device->base.only, implementation->name)) {
        sy_graph_unavailable(graph, "this process runs another implementation");
        return SY_OK;
    }
    if (implementation->fail_build)
        return sy_fail(err, SY_UNAVAILABLE, "building '%s' failed: %s", implementation->name,
                       implementation->fail_build);
    if (cell->unavailable) {
        sy_graph_unavailable(graph, cell->unavailable);
        return SY_OK;
    }
    fake_work *work = sy_graph_metadata(graph, sizeof *work);
    if (!work)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "the metadata of '%s' does not fit the graph's capacity",
                       implementation->name);
    *work = (fake_work){.device = device,
                        .cell = cell,
                        .variant = variant,
                        .case_index = case_index,
                        .n = device->script->elements[case_index]};
    status = register_tensors(graph, work, implementation->memory_bytes, err);
    if (!status)
        sy_graph_on_run(graph, run, NULL, work);
    return status;
}

static sy_status write_stream(sy_tensor *tensor, uint64_t seed, const char *stream, sy_error *err)
{
    sy_random random;
    sy_random_start(&random, seed, stream);
    const uint64_t n = sy_tensor_bytes(tensor) / sizeof(float);
    for (uint64_t i = 0; i < n; i++) {
        const float value = (float)(4 * sy_random_unit(&random) - 2);
        sy_status status = sy_tensor_write(tensor, i * sizeof value, &value, sizeof value, err);
        if (status)
            return status;
    }
    return SY_OK;
}

/* A case's own data: another range than the default fill, so that a test sees which of the two it got. */
static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    (void)user;
    (void)variant;
    if (!c->own_inputs)
        return SY_OK;
    sy_status status = write_stream(sy_graph_input_at(graph, 0), seed, "own a", err);
    return status ? status : write_stream(sy_graph_input_at(graph, 1), seed, "own b", err);
}

static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    const sy_fake_device *device = user;
    uint32_t case_index = 0;
    sy_status status = find_case(device, c, &case_index, err);
    if (status)
        return status;
    const uint64_t n = device->script->elements[case_index];
    if (request->input_count != 2 || request->output != 0 || request->inputs[0].size != n * sizeof(float) ||
        request->inputs[1].size != n * sizeof(float))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the oracle of case '%s' wants two vectors of %llu", c->name,
                       (unsigned long long)n);
    const float *a = request->inputs[0].bytes;
    const float *b = request->inputs[1].bytes;
    for (uint64_t k = 0; k < request->count; k++) {
        const uint64_t i = request->indices ? request->indices[k] : k;
        if (i >= n)
            return sy_fail(err, SY_INVALID_ARGUMENT, "the oracle is asked for element %llu of %llu",
                           (unsigned long long)i, (unsigned long long)n);
        const double product = (double)a[i] * (double)b[i];
        const double next = (double)a[i + 1 == n ? 0 : i + 1];
        request->values[k] = product + next;
        request->scales[k] = fabs(product) + fabs(next);
    }
    return SY_OK;
}

static sy_status shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut, sy_error *err)
{
    const sy_fake_script *script = ((const sy_fake_device *)user)->script;
    sy_shortcut answer = script->shortcut;
    for (size_t i = 0; i < question->case_count && answer.implementation; i++) {
        int64_t n;
        const sy_status status = sy_case_get(&question->cases[i], "n", &n, err);
        if (status)
            return status;
        if (n > (int64_t)script->shortcut_largest_n) {
            answer = (sy_shortcut){0};
            (void)snprintf(answer.reason, sizeof answer.reason,
                           "case '%s': n %lld is above the largest proven one, %llu (%s)", question->cases[i].name,
                           (long long)n, (unsigned long long)script->shortcut_largest_n, script->shortcut.evidence);
        }
    }
    *ret_shortcut = answer;
    return SY_OK;
}

static sy_status describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err)
{
    const sy_fake_device *fake = user;
    (void)err;
    *ret_info = (sy_implementation_info){.threads = device->threads};
    sy_text_copy(ret_info->version, sizeof ret_info->version, fake->script->implementations[variant].version);
    sy_text_copy(ret_info->path, sizeof ret_info->path, device->script ? device->script : "");
    return SY_OK;
}

sy_status sy_fake_operation_start(sy_fake_device *device, sy_error *err)
{
    sy_suite *suite = &device->script->suite;
    const size_t cell_count = suite->implementation_count * suite->case_count;
    device->memory = sy_allocate(cell_count, sizeof *device->memory);
    if (!device->memory)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the fake device's state");
    bool has_own_inputs = false;
    for (uint32_t v = 0; v < suite->implementation_count; v++)
        for (uint32_t c = 0; c < suite->case_count; c++) {
            has_own_inputs = has_own_inputs || suite->cases[c].own_inputs;
            if (device->script->implementations[v].cells[c].fault != SY_FAKE_FAULT_MEMOISED)
                continue;
            float *kept = sy_allocate(device->script->elements[c], sizeof *kept);
            if (!kept)
                return sy_fail(err, SY_NO_MEMORY, "no memory for the fake device's state");
            kept[0] = NAN; /* nothing is kept yet */
            device->memory[cell_index(device, v, c)] = kept;
        }
    suite->build = build;
    suite->initialize = has_own_inputs ? initialize : NULL;
    suite->oracle = oracle;
    suite->shortcut = device->script->shortcut.implementation ? shortcut : NULL;
    suite->describe = describe;
    suite->user = device;
    return SY_OK;
}

void sy_fake_operation_finish(sy_fake_device *device)
{
    if (!device->memory)
        return;
    const size_t cell_count = device->script->suite.implementation_count * device->script->suite.case_count;
    for (size_t i = 0; i < cell_count; i++)
        sy_free(device->memory[i]);
    sy_free(device->memory);
    device->memory = NULL;
}
