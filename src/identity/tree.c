/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the small files of /proc and /sys below a root. */
#include "identity/tree.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"

/* The largest file read here is /proc/cpuinfo: about 1.5 KiB for each processor. */
#define FILE_LIMIT_BYTES (UINT64_C(64) << 20)
#define HIGHEST_CPU 65535

#define PATH_BYTES 1024

/* root and the formatted path behind it; false when it is too long. */
static bool make_path(char path[PATH_BYTES], const char *root, const char *format, va_list arguments)
{
    const size_t root_length = strlen(root);
    if (root_length >= PATH_BYTES)
        return false;
    memcpy(path, root, root_length);
    const int length = sy_format_list(path + root_length, PATH_BYTES - root_length, format, arguments);
    return length >= 0 && (size_t)length < PATH_BYTES - root_length;
}

static sy_status read_list(const char *root, char **ret_text, sy_error *err, const char *format, va_list arguments)
{
    char path[PATH_BYTES];
    char *text = NULL;
    size_t size = 0;
    sy_error ignored = SY_ERROR_INIT;
    sy_status status = SY_NOT_FOUND;
    if (make_path(path, root, format, arguments))
        status = sy_file_read(path, FILE_LIMIT_BYTES, &text, &size, &ignored);
    if (status == SY_NO_MEMORY)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %s", path);
    *ret_text = status == SY_OK ? text : NULL;
    return SY_OK;
}

sy_status sy_tree_read(const char *root, char **ret_text, sy_error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sy_status status = read_list(root, ret_text, err, format, arguments);
    va_end(arguments);
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static sy_status read_line_list(const char *root, char **ret_text, sy_error *err, const char *format, va_list arguments)
{
    char *text = NULL;
    sy_status status = read_list(root, &text, err, format, arguments);
    if (status != SY_OK)
        return status;
    if (text != NULL) {
        size_t start = 0;
        size_t end = strlen(text);
        while (end > 0 && is_blank(text[end - 1]))
            end--;
        while (start < end && is_blank(text[start]))
            start++;
        memmove(text, text + start, end - start);
        text[end - start] = '\0';
        if (end == start) {
            sy_free(text);
            text = NULL;
        }
    }
    *ret_text = text;
    return SY_OK;
}

sy_status sy_tree_read_line(const char *root, char **ret_text, sy_error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sy_status status = read_line_list(root, ret_text, err, format, arguments);
    va_end(arguments);
    return status;
}

sy_status sy_tree_read_cpus(const char *root, hwloc_bitmap_t set, bool *ret_known, sy_error *err, const char *format,
                            ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    sy_status status = read_line_list(root, &text, err, format, arguments);
    va_end(arguments);
    if (status != SY_OK)
        return status;
    hwloc_bitmap_t read = hwloc_bitmap_alloc();
    bool known = false;
    if (read != NULL)
        known = text != NULL && sy_tree_parse_cpus(text, read);
    if (read == NULL || (known && hwloc_bitmap_copy(set, read) != 0))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    else
        *ret_known = known;
    hwloc_bitmap_free(read);
    sy_free(text);
    return status;
}

bool sy_tree_folder_exists(const char *root, const char *format, ...)
{
    char path[PATH_BYTES];
    struct stat found;
    va_list arguments;
    va_start(arguments, format);
    const bool fits = make_path(path, root, format, arguments);
    va_end(arguments);
    return fits && sy_system_stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Digits at *at as a processor's number; -1 when there is none or it is too high. */
static int parse_cpu(const char **at)
{
    int cpu = -1;
    while (**at >= '0' && **at <= '9' && cpu <= HIGHEST_CPU) {
        cpu = (cpu < 0 ? 0 : cpu * 10) + (**at - '0');
        (*at)++;
    }
    return cpu <= HIGHEST_CPU ? cpu : -1;
}

bool sy_tree_parse_cpus(const char *text, hwloc_bitmap_t set)
{
    const char *at = text;
    hwloc_bitmap_zero(set);
    while (is_blank(*at))
        at++;
    for (;;) {
        const int first = parse_cpu(&at);
        int last = first;
        if (*at == '-') {
            at++;
            last = parse_cpu(&at);
        }
        if (first < 0 || last < first || hwloc_bitmap_set_range(set, (unsigned)first, last) != 0)
            return false;
        if (*at != ',')
            break;
        at++;
    }
    while (is_blank(*at))
        at++;
    return *at == '\0';
}

const char *sy_tree_next_value(const char **at, const char *name, size_t *ret_length)
{
    const size_t name_length = strlen(name);
    while (**at != '\0') {
        const char *line = *at;
        const size_t line_length = strcspn(line, "\n");
        const char *end = line + line_length;
        *at = *end == '\n' ? end + 1 : end;
        if (line_length < name_length || memcmp(line, name, name_length) != 0)
            continue;
        const char *value = line + name_length;
        while (value < end && is_blank(*value))
            value++;
        if (value == end || *value != ':')
            continue;
        value++;
        while (value < end && is_blank(*value))
            value++;
        while (end > value && is_blank(end[-1]))
            end--;
        *ret_length = (size_t)(end - value);
        return value;
    }
    return NULL;
}
