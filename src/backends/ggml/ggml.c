/* SPDX-License-Identifier: Apache-2.0 */
/* The ggml backend: every device that ggml has here, opened by number or by ggml's own name for it. What runs on one is
 * the suites' business, and a graph's. */
#include <ggml-backend.h>
#include <ggml.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/ggml/ggml_device.h"
#include "backends/host_condition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define MINIMUM_SLOT_NS 1000000

static sy_status ggml_count(uint32_t *ret_count, sy_error *err)
{
    const uint32_t count = sy_ggml_device_total();
    if (count == 0) {
        (void)sy_fail(err, SY_UNAVAILABLE, "ggml has no device here");
        sy_error_hint(err, "its backends, libggml-*.so, are looked for beside its own library");
        return SY_UNAVAILABLE;
    }
    *ret_count = count;
    return SY_OK;
}

static void ggml_close(sy_device *device)
{
    sy_ggml_device *self = sy_ggml_device_of(device);
    if (self->backend)
        ggml_backend_free(self->backend);
    sy_free(self);
}

sy_ggml_device *sy_ggml_device_of(sy_device *device)
{
    return device && device->backend == &sy_backend_ggml ? (sy_ggml_device *)device : NULL;
}

static sy_status ggml_open(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    struct ggml_backend_device *dev = sy_ggml_device_at(index);
    if (options->script)
        return sy_fail(err, SY_INVALID_ARGUMENT, "backend ggml takes no script");
    if (options->threads > GGML_MAX_N_THREADS)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%u threads asked of backend ggml, at most %u are possible",
                       options->threads, GGML_MAX_N_THREADS);
    if (!dev)
        return sy_fail(err, SY_UNAVAILABLE, "device %u of ggml is no longer there", index);
    sy_ggml_device *self = sy_allocate(1, sizeof *self);
    if (!self)
        return sy_fail(err, SY_NO_MEMORY, "no memory to open a device of ggml");
    const uint32_t here = sy_host_affinity_count();
    self->base.backend = &sy_backend_ggml;
    self->base.clock = &sy_clock_system;
    self->base.threads = options->threads ? options->threads : here < GGML_MAX_N_THREADS ? here : GGML_MAX_N_THREADS;
    self->dev = dev;
    self->ggml_name = ggml_backend_dev_name(dev);
    self->memory = ggml_backend_dev_buffer_type(dev);
    const enum ggml_backend_dev_type type = ggml_backend_dev_type(dev);
    self->is_processor = type == GGML_BACKEND_DEVICE_TYPE_CPU || type == GGML_BACKEND_DEVICE_TYPE_ACCEL;
    self->base.own_memory = !self->is_processor;
    if (self->is_processor) {
        self->total_bytes = sy_host_total_memory("");
    } else {
        size_t free_bytes = 0, total_bytes = 0;
        ggml_backend_dev_memory(dev, &free_bytes, &total_bytes);
        self->total_bytes = total_bytes;
    }
    if (options->only) /* this process is a worker: nobody else uses ggml in it */
        sy_ggml_leave_last_words();
    *ret_device = &self->base;
    return SY_OK;
}

sy_status sy_ggml_device_start(sy_ggml_device *device, sy_error *err)
{
    if (device->backend)
        return SY_OK;
    sy_ggml_listener listener;
    sy_ggml_listen(&listener);
    device->backend = ggml_backend_dev_init(device->dev, NULL);
    sy_ggml_listen_end(&listener);
    if (!device->backend) {
        (void)sy_fail(err, SY_UNAVAILABLE, "ggml cannot initialise its device %s", device->ggml_name);
        sy_error_hint(err, "%s", listener.error);
        return SY_UNAVAILABLE;
    }
    ggml_backend_reg_t registered = ggml_backend_dev_backend_reg(device->dev);
    ggml_backend_set_n_threads_t set_threads = (ggml_backend_set_n_threads_t)(uintptr_t)
        ggml_backend_reg_get_proc_address(registered, "ggml_backend_set_n_threads");
    if (set_threads)
        set_threads(device->backend, (int)device->base.threads);
    return SY_OK;
}

struct ggml_backend *sy_ggml_backend(sy_device *device)
{
    sy_ggml_device *self = sy_ggml_device_of(device);
    return self && sy_ggml_device_start(self, NULL) == SY_OK ? self->backend : NULL;
}

static sy_device_kind kind_of(struct ggml_backend_device *dev)
{
    switch (ggml_backend_dev_type(dev)) {
    case GGML_BACKEND_DEVICE_TYPE_CPU:
        return SY_DEVICE_CPU;
    case GGML_BACKEND_DEVICE_TYPE_GPU:
        return SY_DEVICE_GPU;
    case GGML_BACKEND_DEVICE_TYPE_IGPU:
        return SY_DEVICE_INTEGRATED_GPU;
    default: /* accelerators, and what later versions have */
        return SY_DEVICE_ACCELERATOR;
    }
}

/* The version stands first: what is cut off must not be what tells two of them apart. */
static void ggml_describe(sy_device *device, sy_device_info *ret_info)
{
    const sy_ggml_device *self = sy_ggml_device_of(device);
    char version[96];
    sy_ggml_version_text(version, sizeof version);
    (void)snprintf(ret_info->name, sizeof ret_info->name, "ggml:%.50s", self->ggml_name);
    (void)snprintf(ret_info->description, sizeof ret_info->description, "%.40s, %.24s: %.58s", version, self->ggml_name,
                   ggml_backend_dev_description(self->dev));
    ret_info->memory_bytes = self->total_bytes;
    ret_info->kind = kind_of(self->dev);
}

/* Of a device of its own only the machine's part is known: what kept this process from feeding it. */
static void ggml_condition(sy_device *device, sy_device_condition *ret_condition)
{
    sy_host_condition("", ret_condition);
    if (!sy_ggml_device_of(device)->is_processor) {
        ret_condition->clock_hz = NAN;
        ret_condition->temperature_celsius = NAN;
        ret_condition->throttle_events = NAN;
        ret_condition->throttled = -1;
    }
}

/* ggml says of the processor that all of its memory is free. */
static sy_status ggml_free_memory(sy_device *device, uint64_t *ret_bytes, sy_error *err)
{
    const sy_ggml_device *self = sy_ggml_device_of(device);
    size_t free_bytes = 0, total_bytes = 0;
    uint64_t bytes = 0;
    if (self->is_processor) {
        if (!sy_host_available_memory("", &bytes))
            return sy_fail(err, SY_UNAVAILABLE, "the system does not tell how much memory is free (/proc/meminfo)");
        *ret_bytes = bytes;
        return SY_OK;
    }
    ggml_backend_dev_memory(self->dev, &free_bytes, &total_bytes);
    if (total_bytes == 0)
        return sy_fail(err, SY_UNAVAILABLE, "ggml does not tell how much memory its device %s has", self->ggml_name);
    *ret_bytes = free_bytes;
    return SY_OK;
}

static sy_status ggml_submit(sy_device *device, sy_run_fn run, void *state, sy_error *err)
{
    (void)device;
    return run(state, err);
}

static sy_status ggml_synchronize(sy_device *device, sy_error *err)
{
    const sy_ggml_device *self = sy_ggml_device_of(device);
    (void)err;
    if (self->backend)
        ggml_backend_synchronize(self->backend);
    return SY_OK;
}

static uint64_t ggml_switches(sy_device *device)
{
    (void)device;
    return sy_host_switches();
}

static uint64_t ggml_memory_peak(sy_device *device)
{
    return sy_ggml_device_of(device)->peak_bytes;
}

sy_status sy_ggml_describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                           sy_error *err)
{
    const sy_ggml_device *self = sy_ggml_device_of(device);
    (void)user;
    (void)variant;
    if (!self)
        return sy_fail(err, SY_INVALID_ARGUMENT, "device %s is not one of ggml", device->name);
    *ret_info = (sy_implementation_info){.threads = device->threads};
    sy_ggml_version_text(ret_info->version, sizeof ret_info->version);
    sy_ggml_library_of(ggml_backend_dev_backend_reg(self->dev), ret_info->path, sizeof ret_info->path);
    return SY_OK;
}

const sy_backend sy_backend_ggml = {
    .struct_size = sizeof(sy_backend),
    .name = "ggml",
    .summary = "any device of ggml, as inference engines use it: attention and convolution",
    .timer = "CLOCK_MONOTONIC_RAW",
    .isolates = true,
    .minimum_slot_ns = MINIMUM_SLOT_NS,
    .count = ggml_count,
    .find = sy_ggml_find,
    .open = ggml_open,
    .close = ggml_close,
    .describe = ggml_describe,
    .condition = ggml_condition,
    .free_memory = ggml_free_memory,
    .allocate = sy_ggml_allocate,
    .release = sy_ggml_release,
    .upload = sy_ggml_upload,
    .download = sy_ggml_download,
    .fill = sy_ggml_fill,
    .submit = ggml_submit,
    .synchronize = ggml_synchronize,
    .suite_at = sy_ggml_suite_at,
    .look = sy_ggml_look,
    .versions = sy_ggml_versions,
    .memory_peak = ggml_memory_peak,
    .switches = ggml_switches,
};
