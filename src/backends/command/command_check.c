/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs after a run: digests, the reference's kept aside, each later one held against them. */
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

void sy_command_sink_name(char to[32], const char *kind, uint32_t variant)
{
    (void)snprintf(to, 32, "%s-%u", kind, variant);
}

/* path as the commands see it: from their directory. */
static bool seen_from(const sy_command_device *device, const char *path, char *to, size_t size)
{
    int length = path[0] == '/' || !device->spec.directory ? snprintf(to, size, "%s", path)
                                                           : snprintf(to, size, "%s/%s", device->spec.directory, path);
    return length >= 0 && (size_t)length < size;
}

sy_file_stamp sy_command_stamp(const sy_command_device *device, const char *path)
{
    char seen[4096];
    struct stat info;
    if (!path || !seen_from(device, path, seen, sizeof(seen)) || stat(seen, &info) != 0)
        return (sy_file_stamp){0};
    return (sy_file_stamp){.is_there = true,
                           .device = (uint64_t)info.st_dev,
                           .inode = (uint64_t)info.st_ino,
                           .size = (uint64_t)info.st_size,
                           .changed_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec};
}

bool sy_command_stamp_equal(const sy_file_stamp *a, const sy_file_stamp *b)
{
    return a->is_there == b->is_there && a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_ns == b->changed_ns;
}

sy_status sy_command_file_digest(const char *path, sy_digest *ret_digest, sy_error *err)
{
    uint64_t bytes;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return sy_fail_errno(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, errno, "cannot read '%s'", path);
    sy_status status = sy_output_digest(descriptor, NULL, ret_digest, &bytes, err);
    close(descriptor);
    if (status)
        sy_error_prefix(err, "'%s'", path);
    return status;
}

/* The place of the k-th output if it is a file; false: it is a stream. */
static sy_status place_of(const sy_command_device *device, size_t k, char seen[4096], bool *ret_is_file, sy_error *err)
{
    const sy_command_output *output = &device->outputs[k];
    *ret_is_file = output->file != NULL;
    if (output->file && !seen_from(device, output->file, seen, 4096))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the path of output '%s' is too long", output->name);
    return SY_OK;
}

sy_status sy_command_refuse_outputs(const sy_command_device *device, sy_error *err)
{
    for (size_t k = 0; k < device->output_count; k++) {
        char seen[4096];
        struct stat info;
        bool is_file;
        sy_status status = place_of(device, k, seen, &is_file, err);
        if (status)
            return status;
        if (!is_file || lstat(seen, &info) != 0)
            continue; /* whoever cannot write there will say so */
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "output '%s' is there already: it would be removed before each run",
                      device->outputs[k].name);
        sy_error_hint(err, "move it away, or name a file that the commands alone write");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

sy_status sy_command_remove_outputs(const sy_command_device *device, sy_error *err)
{
    for (size_t k = 0; k < device->output_count; k++) {
        char seen[4096];
        struct stat info;
        bool is_file;
        sy_status status = place_of(device, k, seen, &is_file, err);
        if (status)
            return status;
        if (!is_file || lstat(seen, &info) != 0)
            continue;
        if (!S_ISREG(info.st_mode))
            return sy_fail(err, SY_REFUSED, "output '%s' is there and is no regular file: it would be removed", seen);
        if (unlink(seen) != 0)
            return sy_fail_errno(err, SY_IO, errno, "cannot remove '%s' before a run", seen);
    }
    return SY_OK;
}

void sy_command_forget_outputs(const sy_command_device *device)
{
    for (size_t k = 0; device->owns_outputs && k < device->output_count; k++) {
        char seen[4096];
        bool is_file;
        if (place_of(device, k, seen, &is_file, NULL) == SY_OK && is_file)
            (void)unlink(seen);
    }
}

/* The k-th output of the last run of a command, open to be read. */
static sy_status open_output(const sy_command_device *device, size_t k, uint32_t variant, int *ret_descriptor,
                             sy_error *err)
{
    const sy_command_output *output = &device->outputs[k];
    char seen[4096];
    char name[32];
    struct stat info;
    if (!output->file) {
        sy_command_sink_name(name, output->is_error ? "err" : "out", variant);
        return sy_scratch_read(device->scratch, name, ret_descriptor, err);
    }
    /* A pipe by that name must not keep us waiting for a writer. */
    int descriptor = seen_from(device, output->file, seen, sizeof(seen)) ? open(seen, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                                                                         : -1;
    if (descriptor < 0)
        return sy_fail(err, SY_UNAVAILABLE, "did not write '%s': %s", output->name, strerrordesc_np(errno));
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(descriptor);
        return sy_fail(err, SY_UNAVAILABLE, "wrote '%s', which is no regular file", output->name);
    }
    *ret_descriptor = descriptor;
    return SY_OK;
}

sy_status sy_command_digest(sy_command_device *device, uint32_t variant, sy_digest *ret_digest, uint64_t *ret_bytes,
                            sy_error *err)
{
    sy_digest_state state;
    uint64_t sum = 0;
    sy_digest_start(&state);
    for (size_t k = 0; k < device->output_count; k++) {
        sy_digest one;
        uint64_t bytes = 0;
        int descriptor = -1;
        sy_status status = open_output(device, k, variant, &descriptor, err);
        if (status)
            return status;
        status = sy_output_digest(descriptor, &device->rules.filter, &one, &bytes, err);
        close(descriptor);
        if (status)
            return status;
        sy_digest_add(&state, one.bytes, sizeof(one.bytes));
        sum += bytes;
    }
    sy_digest_finish(&state, ret_digest);
    *ret_bytes = sum;
    return SY_OK;
}

sy_status sy_command_keep_reference(sy_command_device *device, sy_error *err)
{
    for (size_t k = 0; k < device->output_count; k++) {
        char name[32];
        int descriptor = -1;
        sy_status status = open_output(device, k, 0, &descriptor, err);
        if (status)
            return status;
        sy_command_sink_name(name, "kept", (uint32_t)k);
        status = sy_scratch_copy(device->scratch, descriptor, name, err);
        close(descriptor);
        if (status) {
            sy_error_hint(err, "the outputs of all commands are kept there: TMPDIR may name a larger place");
            return status;
        }
    }
    return SY_OK;
}

static sy_status check_output(sy_command_device *device, size_t k, uint32_t variant, sy_output_verdict *verdict,
                              sy_error *err)
{
    char name[32];
    int reference = -1;
    int candidate = -1;
    sy_command_sink_name(name, "kept", (uint32_t)k);
    sy_status status = sy_scratch_read(device->scratch, name, &reference, err);
    if (!status)
        status = open_output(device, k, variant, &candidate, err);
    if (!status)
        status = sy_output_compare(&device->rules, device->outputs[k].name, reference, candidate, verdict, err);
    if (reference >= 0)
        close(reference);
    if (candidate >= 0)
        close(candidate);
    return status;
}

/* The worse of two outputs, with the counts of both. */
static void merge(sy_parity *all, const sy_parity *one)
{
    uint64_t wrong = all->wrong_count + one->wrong_count;
    uint64_t elements = all->element_count + one->element_count;
    double max_abs = fmax(all->max_abs, one->max_abs);
    double max_rel = fmax(all->max_rel, one->max_rel);
    bool worse = (one->outcome == SY_PARITY_FAILED && all->outcome != SY_PARITY_FAILED) ||
                 (one->outcome == all->outcome && one->error_in_tolerances > all->error_in_tolerances);
    if (worse)
        *all = *one;
    all->wrong_count = wrong;
    all->element_count = elements;
    all->max_abs = max_abs;
    all->max_rel = max_rel;
}

sy_status sy_command_check(sy_command_device *device, uint32_t variant, int exit_code, sy_parity *ret_parity,
                           sy_error *err)
{
    sy_parity all = {.outcome = SY_PARITY_PASSED, .nmse = SY_NAN, .deterministic = true};
    for (size_t k = 0; k < device->output_count; k++) {
        sy_output_verdict verdict;
        sy_status status = check_output(device, k, variant, &verdict, err);
        if (status)
            return status;
        if (verdict.parity.outcome == SY_PARITY_FAILED && !device->advice[0])
            (void)sy_text_copy(device->advice, sizeof(device->advice), verdict.hint);
        merge(&all, &verdict.parity);
    }
    if (exit_code != device->variants[0].exit_code) {
        all.error_in_tolerances = INFINITY;
        sy_output_reason(&all, "exited %d where the reference exited %d", exit_code, device->variants[0].exit_code);
    }
    *ret_parity = all;
    return SY_OK;
}
