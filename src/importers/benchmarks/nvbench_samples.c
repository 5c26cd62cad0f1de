/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads the files of samples that belong to a result of nvbench. Their names come from the JSON, which anyone
 * may have written: only two plain parts of them are used. */
#include "importers/benchmarks/nvbench_samples.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* Where no limit is set for the JSON. */
static const uint64_t standard_limit_bytes = (uint64_t)256 << 20;

void sy_nvbench_samples_init(sy_nvbench_samples *samples, const sy_import_input *input)
{
    uint64_t limit = input->options->limit_bytes;

    *samples = (sy_nvbench_samples){.input = input, .left_bytes = limit > 0 ? limit : standard_limit_bytes};
}

void sy_nvbench_samples_finish(sy_nvbench_samples *samples)
{
    sy_free(samples->values);
    *samples = (sy_nvbench_samples){0};
}

static bool is_separator(char c)
{
    return c == '/' || c == '\\'; /* it may have run on Windows */
}

/* The beginning of the last part of name .. end. */
static const char *last_part(const char *name, const char *end)
{
    while (end > name && !is_separator(end[-1]))
        end--;
    return end;
}

static bool is_plain(const char *part, size_t length)
{
    return length > 0 && !(length == 1 && part[0] == '.') && !(length == 2 && memcmp(part, "..", 2) == 0);
}

/* The last two parts of a name, without what stands before. false: they would lead somewhere else. */
static bool split_name(const char *name, sy_text *folder, sy_text *file)
{
    const char *end = name + strlen(name);
    const char *last = last_part(name, end);
    const char *before_end = last > name ? last - 1 : last;
    const char *before = last_part(name, before_end);

    if (!is_plain(last, (size_t)(end - last)))
        return false;
    sy_text_append_bytes(file, last, (size_t)(end - last));
    if (before_end == before)
        return last == name; /* "//0.bin" is no name */
    if (!is_plain(before, (size_t)(before_end - before)))
        return false;
    sy_text_append_bytes(folder, before, (size_t)(before_end - before));
    return true;
}

/* base, a folder, and what is in it. */
static sy_status try_path(sy_nvbench_samples *samples, const char *base, size_t base_length, const sy_text *folder,
                          const sy_text *file, char **ret_bytes, size_t *ret_size, sy_error *err)
{
    sy_text path = SY_TEXT_INIT;
    sy_status status;

    sy_text_append_bytes(&path, base, base_length);
    if (base_length > 0 && base[base_length - 1] != '/')
        sy_text_append(&path, "/");
    if (folder != NULL && folder->length > 0)
        sy_text_append_format(&path, "%s/", sy_text_bytes(folder));
    sy_text_append(&path, sy_text_bytes(file));
    if (path.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a file's name");
    else
        status = sy_file_read(path.bytes, samples->left_bytes + 1, ret_bytes, ret_size, err);
    sy_text_finish(&path);
    return status;
}

static sy_status find_file(sy_nvbench_samples *samples, const sy_text *folder, const sy_text *file, char **ret_bytes,
                           size_t *ret_size, sy_error *err)
{
    const char *given = samples->input->options->samples_folder;
    const char *path = samples->input->path;
    size_t length = given != NULL  ? strlen(given)
                    : path != NULL ? (size_t)(last_part(path, path + strlen(path)) - path)
                                   : 0;
    sy_status status;

    if (given == NULL && path == NULL)
        return sy_fail(err, SY_NOT_FOUND, "where the JSON came from is not known, nor what lies beside it");
    status = try_path(samples, given != NULL ? given : path, length, folder, file, ret_bytes, ret_size, err);
    if (status == SY_NOT_FOUND && given != NULL)
        status = try_path(samples, given, length, NULL, file, ret_bytes, ret_size, err);
    return status;
}

static float read_float(const unsigned char *at)
{
    uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static sy_status take_values(sy_nvbench_samples *samples, const char *bytes, size_t size, int64_t expected,
                             bool *ret_read, sy_error *err)
{
    size_t count = size / 4;
    float *values;

    if (size % 4 != 0 || (expected >= 0 && (uint64_t)expected != count)) {
        samples->refused = true;
        (void)snprintf(samples->why, sizeof samples->why, "its file of samples has %zu bytes for %lld samples", size,
                       (long long)(expected >= 0 ? expected : (int64_t)count));
        return SY_OK;
    }
    values = sy_reallocate(samples->values, count + 1, sizeof *values);
    if (values == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu samples", count);
    samples->values = values;
    samples->count = count;
    samples->left_bytes -= size;
    for (size_t i = 0; i < count; i++)
        values[i] = read_float((const unsigned char *)bytes + 4 * i);
    *ret_read = true;
    return SY_OK;
}

sy_status sy_nvbench_samples_read(sy_nvbench_samples *samples, const char *name, int64_t expected, bool *ret_read,
                                  sy_error *err)
{
    sy_text folder = SY_TEXT_INIT;
    sy_text file = SY_TEXT_INIT;
    char *bytes = NULL;
    size_t size = 0;
    sy_error wrong = SY_ERROR_INIT;
    sy_status status = SY_OK;
    bool is_name = split_name(name, &folder, &file);

    *ret_read = false;
    samples->refused = false;
    samples->why[0] = '\0';
    if (folder.failed || file.failed) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a file's name");
        goto out;
    }
    if (!is_name) {
        samples->refused = true;
        (void)sy_text_copy(samples->why, sizeof samples->why,
                           "the name of its file of samples leads out of its folder");
        goto out;
    }
    status = find_file(samples, &folder, &file, &bytes, &size, &wrong);
    if (status == SY_OK) {
        status = take_values(samples, bytes, size, expected, ret_read, err);
    } else if (status == SY_NO_MEMORY) {
        if (err != NULL)
            *err = wrong;
    } else {
        samples->refused = status != SY_NOT_FOUND;
        (void)sy_text_copy(samples->why, sizeof samples->why,
                           status == SY_LIMIT_EXCEEDED ? "the files of samples together pass the limit of what is read"
                                                       : wrong.what);
        status = SY_OK;
    }
out:
    sy_free(bytes);
    sy_text_finish(&folder);
    sy_text_finish(&file);
    return status;
}
