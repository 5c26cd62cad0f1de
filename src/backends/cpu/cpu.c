/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu backend: the processor that this process runs on, its memory as heap blocks, its time as the system's
 * monotonic clock. What runs on it is the suites' business. */
#include "backends/cpu/cpu.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "backends/host_condition.h"
#include "base/error.h"
#include "base/memory.h"

#define PAGE_BYTES 4096 /* buffers begin on a page, so that their place in the caches is the same in every process */
#define THREADS_MAX 65536
#define MINIMUM_SLOT_NS 1000000

static sy_status cpu_count(uint32_t *ret_count, sy_error *err)
{
    (void)err;
    *ret_count = 1;
    return SY_OK;
}

static void cpu_close(sy_device *device)
{
    sy_cpu_device *cpu = sy_cpu_device_of(device);
    sy_cpu_pool_destroy(cpu->pool);
    sy_arena_destroy(cpu->arena);
    sy_free(cpu);
}

sy_status sy_cpu_device_pool(sy_cpu_device *device, sy_cpu_pool **ret_pool, sy_error *err)
{
    sy_status status = device->pool != NULL ? SY_OK : sy_cpu_pool_create(device->base.threads, &device->pool, err);
    if (status == SY_OK) {
        *ret_pool = device->pool;
    }
    return status;
}

static sy_status cpu_open(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    (void)index;
    if (options->script != NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "backend cpu takes no script");
    }
    if (options->threads > THREADS_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%u threads asked of device cpu, at most %u are possible",
                       options->threads, THREADS_MAX);
    }
    sy_cpu_device *cpu = sy_allocate(1, sizeof *cpu);
    if (cpu == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to open device cpu");
    }
    cpu->base.backend = &sy_backend_cpu;
    cpu->base.clock = &sy_clock_system;
    cpu->base.threads = options->threads != 0 ? options->threads : sy_host_affinity_count();
    cpu->root = "";
    cpu->total_bytes = sy_host_total_memory(cpu->root);
    cpu->arena = sy_arena_create(0);
    sy_status status = cpu->arena != NULL ? sy_cpu_suites_create(cpu->arena, &cpu->suites, err)
                                          : sy_fail(err, SY_NO_MEMORY, "no memory to open device cpu");
    if (status != SY_OK) {
        cpu_close(&cpu->base);
        return status;
    }
    *ret_device = &cpu->base;
    return SY_OK;
}

static void cpu_describe(sy_device *device, sy_device_info *ret_info)
{
    snprintf(ret_info->name, sizeof ret_info->name, "cpu");
    snprintf(ret_info->backend, sizeof ret_info->backend, "cpu");
    sy_host_processor_name(sy_cpu_device_of(device)->root, ret_info->description, sizeof ret_info->description);
    ret_info->threads = device->threads;
    ret_info->memory_bytes = sy_cpu_device_of(device)->total_bytes;
    ret_info->kind = SY_DEVICE_CPU;
}

static void cpu_condition(sy_device *device, sy_device_condition *ret_condition)
{
    sy_host_condition(sy_cpu_device_of(device)->root, ret_condition);
}

static sy_status cpu_free_memory(sy_device *device, uint64_t *ret_bytes, sy_error *err)
{
    uint64_t bytes = 0;
    if (!sy_host_available_memory(sy_cpu_device_of(device)->root, &bytes)) {
        return sy_fail(err, SY_UNAVAILABLE, "the system does not tell how much memory is free (/proc/meminfo)");
    }
    *ret_bytes = bytes;
    return SY_OK;
}

static sy_status cpu_allocate(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err)
{
    sy_cpu_device *cpu = sy_cpu_device_of(device);
    /* A system that overcommits would grant more than there is, and kill the process when it is written to. */
    if (size > SIZE_MAX - PAGE_BYTES || (cpu->total_bytes != 0 && size > cpu->total_bytes)) {
        return sy_fail(err, SY_NO_MEMORY, "%llu bytes asked of device cpu, which has %llu", (unsigned long long)size,
                       (unsigned long long)cpu->total_bytes);
    }
    sy_buffer *buffer = sy_allocate(1, sizeof *buffer);
    void *memory = sy_allocate_aligned(PAGE_BYTES, 1, (size_t)size);
    if (buffer == NULL || memory == NULL) {
        sy_free(buffer);
        sy_free_aligned(memory);
        return sy_fail(err, SY_NO_MEMORY, "no memory for %llu bytes on device cpu", (unsigned long long)size);
    }
    *buffer = (sy_buffer){device, size, memory};
    cpu->allocated_bytes += size;
    if (cpu->allocated_bytes > cpu->peak_bytes) {
        cpu->peak_bytes = cpu->allocated_bytes;
    }
    *ret_buffer = buffer;
    return SY_OK;
}

static void cpu_release(sy_buffer *buffer)
{
    if (buffer != NULL) {
        sy_cpu_device_of(buffer->device)->allocated_bytes -= buffer->size;
        sy_free_aligned(buffer->address);
        sy_free(buffer);
    }
}

static sy_status check_range(const sy_buffer *buffer, uint64_t offset, uint64_t size, sy_error *err)
{
    if (offset > buffer->size || size > buffer->size - offset) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%llu bytes at %llu lie outside of a buffer of %llu",
                       (unsigned long long)size, (unsigned long long)offset, (unsigned long long)buffer->size);
    }
    return SY_OK;
}

static sy_status cpu_upload(sy_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (status == SY_OK && size > 0) {
        memcpy((char *)buffer->address + offset, bytes, size);
    }
    return status;
}

static sy_status cpu_download(sy_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (status == SY_OK && size > 0) {
        memcpy(bytes, (const char *)buffer->address + offset, size);
    }
    return status;
}

static sy_status cpu_fill(sy_buffer *buffer, uint64_t offset, uint8_t byte, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (status == SY_OK && size > 0) {
        memset((char *)buffer->address + offset, byte, size);
    }
    return status;
}

static sy_status cpu_submit(sy_device *device, sy_run_fn run, void *state, sy_error *err)
{
    (void)device;
    return run(state, err);
}

/* Work is done when submit returns. */
static sy_status cpu_synchronize(sy_device *device, sy_error *err)
{
    (void)device;
    (void)err;
    return SY_OK;
}

static uint64_t cpu_switches(sy_device *device)
{
    (void)device;
    return sy_host_switches();
}

static uint64_t cpu_memory_peak(sy_device *device)
{
    return sy_cpu_device_of(device)->peak_bytes;
}

const sy_backend sy_backend_cpu = {
    .struct_size = sizeof(sy_backend),
    .name = "cpu",
    .summary = "this machine's processor: OpenBLAS, BLIS, oneDNN and our own code",
    .note = "convolution: a probe also weighs each implementation that oneDNN lists on this machine, as onednn:NAME",
    .timer = "CLOCK_MONOTONIC_RAW",
    .isolates = true,
    .fixed_clock = false,
    .minimum_slot_ns = MINIMUM_SLOT_NS,
    .count = cpu_count,
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .condition = cpu_condition,
    .free_memory = cpu_free_memory,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .upload = cpu_upload,
    .download = cpu_download,
    .fill = cpu_fill,
    .submit = cpu_submit,
    .synchronize = cpu_synchronize,
    .suite_at = sy_cpu_suite_at,
    .look = sy_cpu_suite_look,
    .memory_peak = cpu_memory_peak,
    .switches = cpu_switches,
};
