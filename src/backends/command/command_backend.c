/* SPDX-License-Identifier: Apache-2.0 */
/* The command backend: its entry in the table, opening and closing, and what is to be said of the runs. What a run is:
 * command_job.c. */
#include <stdio.h>
#include <string.h>

#include "backends/command/command_device.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

static sy_status count(uint32_t *ret_count, sy_error *err)
{
    (void)err;
    *ret_count = 1;
    return SY_OK;
}

/* Cleanup is run however the probe ended, and nobody's wish to stop stops it. */
static void close_device(sy_device *device)
{
    sy_command_device *self = sy_command_device_of(device);
    sy_error unheard = SY_ERROR_INIT;
    device->cancelled = NULL;
    device->deadline_ns = 0;
    if (self->scratch && self->setup_done && sy_command_run_step(self, &self->cleanup, &unheard) != SY_OK)
        sy_log(SY_LOG_WARNING, "%s", unheard.what);
    sy_command_forget_outputs(self);
    for (size_t i = 0; i < self->pattern_count; i++)
        regfree(&self->patterns[i]);
    if (self->has_metric)
        sy_command_metric_finish(&self->metric);
    sy_scratch_destroy(self->scratch);
    sy_arena_destroy(self->arena);
    sy_free(self);
}

static sy_status open_device(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    (void)index;
    if (!options->commands) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "a device of backend command needs two commands");
        sy_error_hint(err, "steelyard probe --reference 'A' --candidate 'B'");
        return SY_INVALID_ARGUMENT;
    }
    sy_command_device *self = sy_allocate(1, sizeof(*self));
    if (!self || !(self->arena = sy_arena_create(0))) {
        sy_free(self);
        return sy_fail(err, SY_NO_MEMORY, "no memory to make commands ready");
    }
    self->base.backend = &sy_backend_command;
    self->base.clock = &sy_clock_system;
    self->base.threads = options->threads ? options->threads : 1;
    sy_status status = sy_command_make_ready(self, options->commands, err);
    if (!status)
        status = sy_command_make_suite(self, err);
    self->base.cancelled = options->commands->cancelled;
    self->base.cancelled_user = options->commands->user;
    if (!status) {
        status = sy_command_run_step(self, &self->setup, err);
        self->setup_done = true;
        self->base.cancelled = NULL;
    }
    if (status)
        close_device(&self->base);
    else
        *ret_device = &self->base;
    return status;
}

static void describe(sy_device *device, sy_device_info *ret_info)
{
    const sy_command_device *self = sy_command_device_of(device);
    (void)snprintf(ret_info->description, sizeof(ret_info->description), "%u %s", self->variant_count,
                   self->variant_count == 1 ? "program" : "programs");
    ret_info->threads = device->threads;
}

static void condition(sy_device *device, sy_device_condition *ret_condition)
{
    (void)device;
    *ret_condition = (sy_device_condition){SY_NAN, SY_NAN, SY_NAN, SY_NAN, SY_NAN, -1, SY_NAN, SY_NAN, SY_NAN, SY_NAN};
}

static sy_status free_memory(sy_device *device, uint64_t *ret_bytes, sy_error *err)
{
    (void)device;
    (void)ret_bytes;
    return sy_fail(err, SY_UNAVAILABLE, "programs take what memory they take");
}

/* ---- memory: receipts only ---- */

static sy_status allocate(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err)
{
    sy_buffer *buffer = sy_allocate(1, sizeof(*buffer));
    void *memory = sy_allocate(1, size);
    if (!buffer || !memory) {
        sy_free(buffer);
        sy_free(memory);
        return sy_fail(err, SY_NO_MEMORY, "no memory for %llu bytes", (unsigned long long)size);
    }
    *buffer = (sy_buffer){device, size, memory};
    *ret_buffer = buffer;
    return SY_OK;
}

static void release(sy_buffer *buffer)
{
    if (buffer)
        sy_free(buffer->address);
    sy_free(buffer);
}

static sy_status check_range(const sy_buffer *buffer, uint64_t offset, uint64_t size, sy_error *err)
{
    if (offset <= buffer->size && size <= buffer->size - offset)
        return SY_OK;
    return sy_fail(err, SY_INVALID_ARGUMENT, "%llu bytes at %llu lie outside of a buffer of %llu",
                   (unsigned long long)size, (unsigned long long)offset, (unsigned long long)buffer->size);
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
    const sy_command_device *self = sy_command_device_of(device);
    return self->variants[self->described].peak_memory_bytes;
}

/* ---- work ---- */

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

static sy_status account(sy_device *device, sy_run_account *ret_account, sy_error *err)
{
    (void)err;
    *ret_account = sy_command_device_of(device)->account;
    return SY_OK;
}

/* ---- what is to be said ---- */

static const char *stream_word(const sy_command_device *self, bool is_output)
{
    return is_output && self->discards ? "null device" : self->spec.terminal ? "terminal" : "file";
}

static void remark_surroundings(const sy_command_device *self, void (*note)(void *user, const char *text), void *user)
{
    char text[256];
    int random = sy_command_address_randomisation();
    const char *input = self->spec.input ? "file" : self->spec.terminal ? "terminal" : "null device";
    (void)snprintf(text, sizeof(text), "surroundings: standard input %s, output %s, error %s; %saddresses %s", input,
                   stream_word(self, true), stream_word(self, false),
                   self->variant_count > 1 ? "arguments and environment of equal size on all sides; " : "",
                   random < 0    ? "of unknown randomness"
                   : random == 0 ? "not randomised: one layout in all runs"
                                 : "drawn anew in each run");
    note(user, text);
    if (self->shell) {
        (void)snprintf(text, sizeof(text), "shell: %.60s is %.100s; each run includes its start", self->spec.shell,
                       self->shell);
        note(user, text);
    }
}

static void remark(sy_device *device, void (*note)(void *user, const char *text), void *user)
{
    const sy_command_device *self = sy_command_device_of(device);
    bool empty = true;
    bool ran = true;
    for (uint32_t i = 0; i < self->variant_count; i++) {
        empty = empty && self->variants[i].output_bytes == 0;
        ran = ran && self->variants[i].verified;
    }
    remark_surroundings(self, note, user);
    if (self->spec.compare == SY_COMMAND_COMPARE_NONE)
        note(user,
             self->discards ? "timing only: output discarded, not compared" : "timing only: outputs not compared");
    else if (empty && ran)
        note(user, self->rules.filter.metric || self->pattern_count > 0
                       ? "nothing but lines that are left out was written: only the exit status was compared"
                       : "all outputs are empty: only the exit status was compared");
    if (self->advice[0]) {
        char text[256];
        (void)snprintf(text, sizeof(text), "where the outputs differ: %.200s", self->advice);
        note(user, text);
    }
}

static const sy_suite *suite_at(sy_device *device, uint32_t index)
{
    return device && index == 0 ? &sy_command_device_of(device)->suite : NULL;
}

static void look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                 char *path, size_t path_size)
{
    const sy_command_device *self = suite->user;
    *ret_available = true;
    (void)sy_text_copy(reason, reason_size, "");
    (void)sy_text_copy(path, path_size, self->variants[variant].resolved);
}

const sy_backend sy_backend_command = {
    .struct_size = sizeof(sy_backend),
    .name = "command",
    .summary = "programs, a process a run: wall, user and system time, peak memory, exit status; outputs compared",
    .needs = "two commands: steelyard probe --reference 'A' --candidate 'B'",
    .timer = "CLOCK_MONOTONIC_RAW",
    .whole_programs = true,
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
    .account = account,
    .remark = remark,
};

sy_status sy_command_device_open(const sy_command_spec *spec, sy_device **ret_device, sy_error *err)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.commands = spec;
    return sy_device_open("command", &options, ret_device, err);
}

const sy_suite *sy_command_suite(sy_device *device)
{
    return device->backend == &sy_backend_command ? suite_at(device, 0) : NULL;
}
