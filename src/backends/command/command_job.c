/* SPDX-License-Identifier: Apache-2.0 */
/* One run with everything around it: what was left is removed, prepared, run, judged, its outputs held against those
 * that were verified, concluded. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/command/command_device.h"
#include "base/error.h"
#include "base/text.h"

#define FULL_BYTES 65536 /* a file system with less left is full */

static sy_command_run_options options_of(const sy_command_device *device)
{
    sy_command_run_options options = SY_COMMAND_RUN_OPTIONS_INIT;
    options.launcher_path = device->spec.launcher_path;
    options.directory = device->spec.directory;
    options.deadline_ns = device->base.deadline_ns;
    options.timeout_ns = device->spec.timeout_ns;
    options.cancelled = device->base.cancelled;
    options.user = device->base.cancelled_user;
    return options;
}

static void close_sink(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* The last line that is not blank in what was written to a descriptor, as people can read it. */
static void last_words(int descriptor, char *to, size_t size)
{
    char bytes[512];
    struct stat info;
    to[0] = '\0';
    if (descriptor < 0 || fstat(descriptor, &info) != 0 || info.st_size == 0)
        return;
    off_t from = info.st_size > (off_t)sizeof(bytes) ? info.st_size - (off_t)sizeof(bytes) : 0;
    ssize_t got = pread(descriptor, bytes, sizeof(bytes), from);
    size_t end = got > 0 ? (size_t)got : 0;
    while (end > 0 && strchr(" \t\r\n", bytes[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && bytes[begin - 1] != '\n')
        begin--;
    sy_output_quote(bytes + begin, end - begin, 120, to, size);
}

/* What a run that failed did, and its last words on standard error. */
static sy_status fail_run(const sy_command_device *device, const sy_command_outcome *outcome, int error, sy_error *err)
{
    char what[128];
    char words[256];
    sy_status status = SY_DIED;
    sy_command_describe_outcome(outcome, device->spec.timeout_ns, what, sizeof(what));
    switch (outcome->end) {
    case SY_COMMAND_SIGNALLED:
        (void)sy_fail(err, status, "died of %s", what);
        break;
    case SY_COMMAND_TIMED_OUT:
        status = SY_TIMED_OUT;
        (void)sy_fail(err, status, "%s", device->spec.timeout_ns ? what : "ran into the wall limit");
        break;
    case SY_COMMAND_WROTE_TOO_MUCH:
        status = SY_LIMIT_EXCEEDED;
        (void)sy_fail(err, status, "wrote more than half of what '%s' has free", sy_scratch_path(device->scratch));
        sy_error_hint(err, "TMPDIR names a larger place; --output null --compare none times it without its output");
        return status;
    default:
        (void)sy_fail(err, status, "%s", what);
        break;
    }
    last_words(error, words, sizeof(words));
    if (sy_scratch_free_bytes(device->scratch) < FULL_BYTES)
        sy_error_hint(err, "'%s' is full", sy_scratch_path(device->scratch));
    else if (words[0])
        sy_error_hint(err, "its last words: %s", words);
    return status;
}

sy_status sy_command_run_step(sy_command_device *device, const sy_command_step *step, sy_error *err)
{
    sy_command_run_options options = options_of(device);
    sy_command_outcome outcome;
    sy_error own = SY_ERROR_INIT;
    int sink = -1;
    if (!step->argv)
        return SY_OK;
    options.argv = step->argv;
    options.path = step->path;
    options.environment = device->variants[0].side.environment;
    sy_status status = sy_scratch_open(device->scratch, "step", &sink, err);
    if (status)
        return status;
    options.standard_output = sink;
    options.standard_error = sink;
    options.output_limit_bytes = sy_scratch_free_bytes(device->scratch) / 2;
    status = sy_command_run(&options, &outcome, &own);
    if (!status && (outcome.end != SY_COMMAND_EXITED || outcome.code != 0)) {
        (void)!fail_run(device, &outcome, sink, &own);
        (void)sy_fail(err, SY_UNAVAILABLE, "could not be measured: %s %s", step->what, own.what);
        sy_error_hint(err, "%s", own.hint);
        status = SY_UNAVAILABLE;
    } else if (status) {
        sy_error_prefix(&own, "%s", step->what);
        if (err)
            *err = own;
    }
    close_sink(&sink);
    return status;
}

/* The descriptors of one run. */
typedef struct sinks {
    int input;
    int out;
    int error;
} sinks;

static sy_status open_sinks(const sy_command_device *device, uint32_t variant, sinks *s, sy_error *err)
{
    char name[32];
    sy_status status = SY_OK;
    if (device->spec.input && (s->input = open(device->spec.input, O_RDONLY | O_CLOEXEC)) < 0)
        status = sy_fail_errno(err, SY_IO, errno, "cannot read the input '%s'", device->spec.input);
    sy_command_sink_name(name, "out", variant);
    if (!status && !device->discards)
        status = sy_scratch_open(device->scratch, name, &s->out, err);
    sy_command_sink_name(name, "err", variant);
    if (!status)
        status = sy_scratch_open(device->scratch, name, &s->error, err);
    return status;
}

static void show_stream(const sy_command_device *device, const char *command, const char *stream, int descriptor)
{
    char bytes[16384];
    ssize_t got;
    for (off_t at = 0; descriptor >= 0 && (got = pread(descriptor, bytes, sizeof(bytes), at)) > 0; at += got)
        device->spec.show(device->spec.user, command, stream, bytes, (size_t)got);
}

/* What each command wrote first is shown whether it failed or not. */
static void show(const sy_command_device *device, sy_command_variant *variant, const sinks *s)
{
    if (!device->spec.show || variant->shown)
        return;
    variant->shown = true;
    show_stream(device, variant->name, "stdout", s->out);
    show_stream(device, variant->name, "stderr", s->error);
}

/* Why the run cannot count, whatever it took. */
static void look_for_void(sy_command_device *device, const sy_command_variant *variant,
                          const sy_command_outcome *outcome)
{
    sy_file_stamp stamp = sy_command_stamp(device, variant->side.path);
    char *reason = device->account.void_reason;
    size_t size = sizeof(device->account.void_reason);
    if (outcome->outlived > 0)
        (void)snprintf(reason, size, "left %u %s behind that outlived it", outcome->outlived,
                       outcome->outlived == 1 ? "process" : "processes");
    else if (!sy_command_stamp_equal(&stamp, &variant->stamp))
        (void)snprintf(reason, size, "had its program file changed meanwhile");
}

/* Whether the input is as it was; its stamp tells most often. */
static sy_status look_at_input(sy_command_device *device, sy_error *err)
{
    sy_digest digest;
    if (!device->spec.input)
        return SY_OK;
    sy_file_stamp stamp = sy_command_stamp(device, device->spec.input);
    if (sy_command_stamp_equal(&stamp, &device->input_stamp))
        return SY_OK;
    sy_status status = sy_command_file_digest(device->spec.input, &digest, err);
    if (!status && !sy_digest_equal(&digest, &device->input_digest))
        (void)snprintf(device->account.wrong, sizeof(device->account.wrong), "its input '%.80s' was changed by the run",
                       device->spec.input);
    device->input_stamp = stamp;
    return status;
}

/* A run after the verified one wrote the same, or something that compares like it. */
static sy_status look_at_outputs(sy_command_device *device, uint32_t index, sy_command_receipt *receipt, sy_error *err)
{
    sy_command_variant *variant = &device->variants[index];
    uint64_t bytes = 0;
    sy_parity parity;
    if (device->spec.compare == SY_COMMAND_COMPARE_NONE)
        return SY_OK;
    sy_status status = sy_command_digest(device, index, &receipt->digest, &bytes, err);
    if (status)
        return status;
    if (!variant->verified) {
        variant->output_bytes = bytes;
        return SY_OK;
    }
    if (sy_digest_equal(&receipt->digest, &variant->digest) && receipt->exit_code == variant->exit_code)
        return SY_OK;
    status = sy_command_check(device, index, receipt->exit_code, &parity, err);
    if (!status && parity.outcome == SY_PARITY_FAILED)
        (void)snprintf(device->account.wrong, sizeof(device->account.wrong), "not as before: %.140s", parity.reason);
    return status;
}

static sy_status judge(sy_command_device *device, uint32_t index, const sy_command_outcome *outcome, const sinks *s,
                       sy_command_receipt *receipt, sy_error *err)
{
    sy_command_variant *variant = &device->variants[index];
    bool failed = outcome->end != SY_COMMAND_EXITED || (outcome->code != 0 && !device->spec.ignore_failure);
    char reason[128] = "";
    if (failed)
        return fail_run(device, outcome, s->error, err);
    if (s->out >= 0 && sy_scratch_free_bytes(device->scratch) < FULL_BYTES)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "filled '%s': its output may be cut", sy_scratch_path(device->scratch));
    receipt->exit_code = outcome->code;
    device->account.elapsed_ns = outcome->wall_ns;
    if (outcome->peak_memory_bytes > variant->peak_memory_bytes)
        variant->peak_memory_bytes = outcome->peak_memory_bytes;
    look_for_void(device, variant, outcome);
    sy_status status = sy_command_metric_cost(&device->metric, outcome, s->out, s->error, &device->account.cost, reason,
                                              sizeof(reason), err);
    if (!status && reason[0] && !device->account.void_reason[0])
        (void)sy_text_copy(device->account.void_reason, sizeof(device->account.void_reason), reason);
    if (!status)
        status = look_at_input(device, err);
    if (!status && !device->account.void_reason[0])
        status = look_at_outputs(device, index, receipt, err);
    return status;
}

sy_status sy_command_job(sy_command_device *device, uint32_t variant, sy_command_receipt *ret_receipt, sy_error *err)
{
    sy_command_variant *one = &device->variants[variant];
    sy_command_receipt receipt = {.mark = SY_COMMAND_RECEIPT_MARK, .variant = variant};
    sy_command_outcome outcome;
    sinks s = {-1, -1, -1};
    bool ran = false;
    device->account = (sy_run_account){.cost = SY_NAN};
    sy_status status = sy_command_remove_outputs(device, err);
    if (!status)
        status = sy_command_run_step(device, &device->prepare, err);
    if (!status)
        status = open_sinks(device, variant, &s, err);
    if (!status) {
        sy_command_run_options options = options_of(device);
        options.argv = one->side.argv;
        options.path = one->side.path;
        options.environment = one->side.environment;
        options.terminal = device->spec.terminal;
        options.standard_input = s.input;
        options.standard_output = s.out;
        options.standard_error = s.error;
        options.output_limit_bytes = sy_scratch_free_bytes(device->scratch) / 2;
        status = sy_command_run(&options, &outcome, err);
        ran = true;
    }
    if (!status) {
        show(device, one, &s);
        status = judge(device, variant, &outcome, &s, &receipt, err);
    }
    if (ran) { /* also when it failed: whatever prepare made is put in order */
        sy_status concluded = sy_command_run_step(device, &device->conclude, status ? NULL : err);
        status = status ? status : concluded;
    }
    close_sink(&s.input);
    close_sink(&s.out);
    close_sink(&s.error);
    if (!status)
        *ret_receipt = receipt;
    return status;
}
