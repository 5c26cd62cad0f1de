/* SPDX-License-Identifier: Apache-2.0 */
/* The fake backend: a device of host memory on a clock of its own, moved by what a script says. Tests of time run on
 * it, so nothing here asks the machine for the time or draws from its entropy. */
#include "backends/fake/fake.h"

#include <math.h>
#include <string.h>

#include "backends/fake/fake_device.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define CLOCK_START_NS UINT64_C(1000000000)
#define CLOCK_START_UTC_S INT64_C(1767225600) /* 2026-01-01 */

/* ---- clock ---- */

static uint64_t now_ns(const sy_clock *clock)
{
    sy_fake_device *fake = clock->user;
    sy_clock_manual_advance(&fake->manual, fake->script->machine.clock_read_ns);
    return fake->manual.now - fake->manual.now % fake->script->timer_resolution_ns;
}

static int64_t utc_s(const sy_clock *clock)
{
    const sy_fake_device *fake = clock->user;
    return CLOCK_START_UTC_S + (int64_t)((fake->manual.now - CLOCK_START_NS) / UINT64_C(1000000000));
}

static void sleep_ns(const sy_clock *clock, uint64_t ns)
{
    sy_fake_device *fake = clock->user;
    sy_clock_manual_advance(&fake->manual, ns);
}

/* ---- the device ---- */

static sy_status count(uint32_t *ret_count, sy_error *err)
{
    (void)err;
    *ret_count = 1;
    return SY_OK;
}

static void close_device(sy_device *device)
{
    sy_fake_device *fake = (sy_fake_device *)device;
    sy_fake_operation_finish(fake);
    sy_fake_time_destroy(fake->time);
    sy_fake_script_destroy(fake->script);
    sy_free(fake);
}

static sy_status check_only(const sy_fake_script *script, const char *only, sy_error *err)
{
    if (!only)
        return SY_OK;
    for (size_t i = 0; i < script->suite.implementation_count; i++)
        if (sy_text_equal(script->implementations[i].name, only))
            return SY_OK;
    return sy_fail(err, SY_NOT_FOUND, "the script has no implementation '%s'", only);
}

static sy_status open_bytes(const void *bytes, size_t size, const sy_device_options *options, sy_device **ret_device,
                            sy_error *err)
{
    sy_fake_device *fake = sy_allocate(1, sizeof *fake);
    if (!fake)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a fake device");
    sy_status status = sy_fake_script_parse(bytes, size, &fake->script, err);
    if (!status)
        status = check_only(fake->script, options->only, err);
    if (!status)
        status = sy_fake_time_create(fake->script, &fake->time, err);
    if (!status)
        status = sy_fake_operation_start(fake, err);
    if (status) {
        close_device(&fake->base);
        return status;
    }
    sy_clock_manual_start(&fake->manual, CLOCK_START_NS, CLOCK_START_UTC_S);
    fake->clock = (sy_clock){now_ns, utc_s, sleep_ns, fake};
    fake->base.backend = &sy_backend_fake;
    fake->base.clock = &fake->clock;
    fake->base.threads = options->threads > 0 ? options->threads : 1;
    fake->base.one_process = !fake->script->isolates;
    *ret_device = &fake->base;
    return SY_OK;
}

static sy_status open_device(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    (void)index;
    if (!options->script) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "the fake backend needs a script");
        sy_error_hint(err, "--script FILE; docs/fake-script.md says what stands in it");
        return SY_INVALID_ARGUMENT;
    }
    sy_status status = sy_file_read(options->script, SY_FAKE_SCRIPT_LIMIT_BYTES, &bytes, &size, err);
    if (status)
        return status;
    status = open_bytes(bytes, size, options, ret_device, err);
    sy_free(bytes);
    if (status && err && err->position.line > 0)
        sy_error_prefix(err, "%s:%u:%u", options->script, err->position.line, err->position.column);
    else if (status)
        sy_error_prefix(err, "%s", options->script);
    return status;
}

sy_status sy_fake_open(const char *script, size_t size, const sy_device_options *options, sy_device **ret_device,
                       sy_error *err)
{
    static const sy_device_options defaults = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    if (!options)
        options = &defaults;
    sy_status status = open_bytes(script, size, options, &device, err);
    if (status)
        return status;
    device->name = sy_duplicate_text("fake");
    if (options->only)
        device->only = sy_duplicate_text(options->only);
    if (!device->name || (options->only && !device->only)) {
        sy_device_close(device);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a fake device");
    }
    *ret_device = device;
    return SY_OK;
}

static void describe(sy_device *device, sy_device_info *ret_info)
{
    const sy_fake_machine *machine = &((const sy_fake_device *)device)->script->machine;
    sy_text_copy(ret_info->description, sizeof ret_info->description, machine->description);
    ret_info->memory_bytes = machine->memory_bytes;
}

static void condition(sy_device *device, sy_device_condition *ret_condition)
{
    const sy_fake_device *fake = (const sy_fake_device *)device;
    const sy_fake_machine *machine = &fake->script->machine;
    *ret_condition = (sy_device_condition){
        .clock_hz = machine->clock_hz * sy_fake_drift_factor(&machine->clock_drift, sy_fake_time_runs(fake->time)),
        .temperature_celsius = machine->temperature_celsius,
        .steal_share = machine->steal_share,
        .pressure_share = machine->pressure_share,
        .load_average = machine->load_average,
        .throttled = machine->throttled,
        .processor_time = isnan(machine->steal_share) ? NAN : (double)fake->manual.now,
        .stolen_time = fake->stolen_ns + (isnan(machine->steal_share) ? NAN : 0),
        .waited_ns = fake->waited_ns + (isnan(machine->pressure_share) ? NAN : 0),
        .throttle_events = NAN,
    };
    if (machine->throttled_from_run > 0 && sy_fake_time_runs(fake->time) >= machine->throttled_from_run)
        ret_condition->throttled = 1;
}

/* ---- memory ---- */

static uint64_t free_bytes(const sy_fake_device *fake)
{
    const uint64_t all = fake->script->machine.free_memory_bytes;
    return all > fake->allocated_bytes ? all - fake->allocated_bytes : 0;
}

static sy_status free_memory(sy_device *device, uint64_t *ret_bytes, sy_error *err)
{
    const sy_fake_device *fake = (const sy_fake_device *)device;
    if (fake->script->machine.free_memory_bytes == UINT64_MAX)
        return sy_fail(err, SY_UNAVAILABLE, "the script does not say how much memory is free");
    *ret_bytes = free_bytes(fake);
    return SY_OK;
}

static sy_status allocate(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err)
{
    sy_fake_device *fake = (sy_fake_device *)device;
    char wanted[32], left[32];
    sy_format_bytes(wanted, sizeof wanted, size);
    sy_format_bytes(left, sizeof left, free_bytes(fake));
    if (size > free_bytes(fake))
        return sy_fail(err, SY_NO_MEMORY, "%s asked of the fake device, %s free", wanted, left);
    sy_buffer *buffer = sy_allocate(1, sizeof *buffer);
    void *address = buffer ? sy_allocate_aligned(64, size, 1) : NULL;
    if (!address) {
        sy_free(buffer);
        return sy_fail(err, SY_NO_MEMORY, "no host memory for %s of the fake device", wanted);
    }
    *buffer = (sy_buffer){device, size, address};
    fake->allocated_bytes += size;
    fake->allocation_count++;
    if (fake->allocated_bytes > fake->peak_bytes)
        fake->peak_bytes = fake->allocated_bytes;
    sy_clock_manual_advance(&fake->manual, fake->script->machine.allocate_ns);
    *ret_buffer = buffer;
    return SY_OK;
}

static void release(sy_buffer *buffer)
{
    if (!buffer)
        return;
    ((sy_fake_device *)buffer->device)->allocated_bytes -= buffer->size;
    sy_free_aligned(buffer->address);
    sy_free(buffer);
}

static sy_status check_range(const sy_buffer *buffer, uint64_t offset, uint64_t size, sy_error *err)
{
    if (offset > buffer->size || size > buffer->size - offset)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%llu bytes at %llu of a buffer of %llu", (unsigned long long)size,
                       (unsigned long long)offset, (unsigned long long)buffer->size);
    sy_fake_device *fake = (sy_fake_device *)buffer->device;
    sy_clock_manual_advance(&fake->manual, fake->script->machine.transfer_ns);
    return SY_OK;
}

static sy_status upload(sy_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (!status && size > 0)
        memcpy((char *)buffer->address + offset, bytes, size);
    return status;
}

static sy_status download(sy_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (!status && size > 0)
        memcpy(bytes, (const char *)buffer->address + offset, size);
    return status;
}

static sy_status fill(sy_buffer *buffer, uint64_t offset, uint8_t byte, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (!status && size > 0)
        memset((char *)buffer->address + offset, byte, size);
    return status;
}

static uint64_t memory_peak(sy_device *device)
{
    return ((const sy_fake_device *)device)->peak_bytes;
}

static uint64_t switches(sy_device *device)
{
    return ((const sy_fake_device *)device)->switches;
}

/* ---- work ---- */

/* The operation's run moves the clock itself: a foreign graph on this device takes no time. */
static sy_status submit(sy_device *device, sy_run_fn run, void *state, sy_error *err)
{
    (void)device;
    return run(state, err);
}

static sy_status synchronize(sy_device *device, sy_error *err)
{
    (void)device;
    (void)err;
    return SY_OK;
}

static const sy_suite *suite_at(sy_device *device, uint32_t index)
{
    return device && index == 0 ? &((const sy_fake_device *)device)->script->suite : NULL;
}

static void look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                 char *path, size_t path_size)
{
    const sy_fake_device *fake = suite->user;
    const char *unavailable = fake->script->implementations[variant].cells[0].unavailable;
    *ret_available = unavailable == NULL;
    sy_text_copy(reason, reason_size, unavailable ? unavailable : "");
    sy_text_copy(path, path_size, "");
}

const sy_backend sy_backend_fake = {
    .struct_size = sizeof(sy_backend),
    .name = "fake",
    .summary = "scripted times, outputs and failures on a clock of its own",
    .needs = "a script",
    .timer = "scripted",
    .isolates = true,
    .fixed_clock = true,
    .minimum_slot_ns = 0,
    .count = count,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .condition = condition,
    .free_memory = free_memory,
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .fill = fill,
    .submit = submit,
    .synchronize = synchronize,
    .suite_at = suite_at,
    .look = look,
    .memory_peak = memory_peak,
    .switches = switches,
};

/* ---- what tests ask ---- */

uint64_t sy_fake_runs(const sy_device *device, const char *implementation)
{
    const sy_fake_device *fake = (const sy_fake_device *)device;
    if (!implementation)
        return sy_fake_time_runs(fake->time);
    for (uint32_t i = 0; i < fake->script->suite.implementation_count; i++)
        if (sy_text_equal(fake->script->implementations[i].name, implementation))
            return sy_fake_time_runs_of(fake->time, i);
    return 0;
}

uint64_t sy_fake_allocated_bytes(const sy_device *device)
{
    return ((const sy_fake_device *)device)->allocated_bytes;
}

uint64_t sy_fake_allocations(const sy_device *device)
{
    return ((const sy_fake_device *)device)->allocation_count;
}
