/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of /proc and /sys: one that is missing or says something else is an unknown figure, never an error. */
#include "evidence/exec/exec_memory.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define FILE_LIMIT (1U << 20)
#define MOST_PROCESSES 512 /* of a command; more are not looked at */

/* The file's text; NULL: there is none. The caller frees. */
static char *read_small(const char *format, const char *root, const char *rest)
{
    char path[1024];
    char *text = NULL;
    size_t size = 0;
    int length = snprintf(path, sizeof(path), format, root, rest);
    if (length < 0 || (size_t)length >= sizeof(path) ||
        sy_file_read_stream(path, FILE_LIMIT, &text, &size, NULL) != SY_OK)
        return NULL;
    return text;
}

/* The number behind the first line that begins with name; false: there is none. */
static bool find_number(const char *text, const char *name, uint64_t *ret_value)
{
    char digits[24];
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (sy_text_begins(line, name)) {
            const char *at = line + strlen(name);
            at += strspn(at, " \t");
            size_t length = strspn(at, "0123456789");
            if (length == 0 || length >= sizeof(digits))
                return false;
            memcpy(digits, at, length);
            digits[length] = '\0';
            return sy_parse_u64(digits, ret_value, NULL) == SY_OK;
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return false;
}

sy_exec_pressure sy_exec_pressure_now(const char *root, const sy_clock *clock)
{
    sy_exec_pressure now = {.at_ns = sy_clock_now(clock)};
    uint64_t in = 0;
    uint64_t out = 0;
    char *counters = read_small("%s/proc/%s", root, "vmstat");
    char *stalls = read_small("%s/proc/%s", root, "pressure/memory");
    if (counters != NULL && find_number(counters, "pswpin ", &in) && find_number(counters, "pswpout ", &out)) {
        now.swap_known = true;
        now.swapped_bytes = (in + out) * (uint64_t)sysconf(_SC_PAGESIZE);
    }
    const char *total = stalls != NULL && sy_text_begins(stalls, "some ") ? strstr(stalls, "total=") : NULL;
    now.stall_known = total != NULL && find_number(total, "total=", &now.stall_us);
    sy_free(counters);
    sy_free(stalls);
    return now;
}

double sy_exec_swap_between(const sy_exec_pressure *before, const sy_exec_pressure *after)
{
    bool known = before->swap_known && after->swap_known && after->swapped_bytes >= before->swapped_bytes;
    return known ? (double)(after->swapped_bytes - before->swapped_bytes) : (double)NAN;
}

double sy_exec_pressure_between(const sy_exec_pressure *before, const sy_exec_pressure *after)
{
    if (!before->stall_known || !after->stall_known || after->stall_us < before->stall_us ||
        after->at_ns <= before->at_ns)
        return (double)NAN;
    double share = (double)(after->stall_us - before->stall_us) * 1000 / (double)(after->at_ns - before->at_ns);
    return share > 1 ? 1 : share;
}

static uint64_t resident_of(int64_t process)
{
    char rest[64];
    uint64_t pages = 0;
    (void)snprintf(rest, sizeof(rest), "%lld/statm", (long long)process);
    char *text = read_small("%s/proc/%s", "", rest);
    const char *second = text == NULL ? NULL : strchr(text, ' ');
    if (second != NULL && !find_number(second + 1, "", &pages))
        pages = 0;
    sy_free(text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Adds the children that one thread has started. */
static void add_children(const char *list, int64_t *processes, size_t *count)
{
    char *end = NULL;
    for (const char *at = list; *count < MOST_PROCESSES; at = end) {
        long long child = strtoll(at, &end, 10);
        if (end == at)
            return;
        if (child > 0)
            processes[(*count)++] = child;
    }
}

static void find_children(int64_t process, int64_t *processes, size_t *count)
{
    char path[64];
    char rest[400];
    (void)snprintf(path, sizeof(path), "/proc/%lld/task", (long long)process);
    DIR *threads = opendir(path);
    const struct dirent *thread;
    while (threads != NULL && (thread = readdir(threads)) != NULL) {
        if (thread->d_name[0] == '.')
            continue;
        (void)snprintf(rest, sizeof(rest), "%lld/task/%s/children", (long long)process, thread->d_name);
        char *list = read_small("%s/proc/%s", "", rest);
        if (list != NULL)
            add_children(list, processes, count);
        sy_free(list);
    }
    if (threads != NULL)
        (void)closedir(threads);
}

uint64_t sy_exec_tree_resident(int64_t process, uint32_t *ret_processes)
{
    int64_t processes[MOST_PROCESSES];
    size_t count = 1;
    uint64_t bytes = 0;
    processes[0] = process;
    for (size_t i = 0; i < count; i++) {
        bytes += resident_of(processes[i]);
        find_children(processes[i], processes, &count);
    }
    *ret_processes = (uint32_t)count;
    return bytes;
}

uint64_t sy_exec_peak_resident(int64_t process)
{
    char rest[64];
    uint64_t kib = 0;
    (void)snprintf(rest, sizeof(rest), "%lld/status", (long long)process);
    char *text = read_small("%s/proc/%s", "", rest);
    if (text == NULL || !find_number(text, "VmHWM:", &kib))
        kib = 0;
    sy_free(text);
    return kib * 1024;
}

static uint64_t host_memory(const char *root)
{
    uint64_t kib = 0;
    char *text = read_small("%s/proc/%s", root, "meminfo");
    if (text == NULL || !find_number(text, "MemTotal:", &kib))
        kib = 0;
    sy_free(text);
    return kib * 1024;
}

uint64_t sy_exec_memory_limit(const char *root)
{
    char group[512];
    char rest[600];
    uint64_t smallest = UINT64_MAX;
    char *text = read_small("%s/proc/%s", root, "self/cgroup");
    const char *line = text == NULL ? NULL : strstr(text, "0::/");
    bool fits = line != NULL && sy_text_copy(group, sizeof(group), line + 3);
    sy_free(text);
    if (!fits)
        return 0;
    group[strcspn(group, "\n")] = '\0';
    /* From the process's own group up to the root: each may limit. */
    for (;;) {
        uint64_t limit = 0;
        (void)snprintf(rest, sizeof(rest), "%s/memory.max", strcmp(group, "/") == 0 ? "" : group);
        char *value = read_small("%s/sys/fs/cgroup%s", root, rest);
        if (value != NULL && find_number(value, "", &limit) && limit < smallest)
            smallest = limit;
        sy_free(value);
        char *slash = strrchr(group, '/');
        if (slash == NULL || strcmp(group, "/") == 0)
            break;
        slash[slash == group] = '\0';
    }
    return smallest < host_memory(root) ? smallest : 0;
}
