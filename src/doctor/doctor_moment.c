/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the counters of /proc and /sys below a root. */
#include "doctor/doctor_moment.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "identity/tree.h"

enum { COLUMNS = 8, PROCESSORS_MAX = 4096, GAP_MAX = 8 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a look at the system");
}

/* A decimal number with an optional fraction at *at, which moves behind it; NaN when there is none. The kernel writes
 * points, whatever the locale. */
static double take_number(const char **at)
{
    double value = 0;
    double scale = 1;
    while (**at == ' ' || **at == '\t')
        (*at)++;
    if (**at < '0' || **at > '9')
        return NAN;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = 10 * value + (**at - '0');
    if (**at != '.')
        return value;
    for ((*at)++; **at >= '0' && **at <= '9'; (*at)++) {
        value = 10 * value + (**at - '0');
        scale *= 10;
    }
    return value / scale;
}

static const char *find_line(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *line = text;
    while (line != NULL && strncmp(line, name, length) != 0) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return line != NULL ? line + length : NULL;
}

double sy_doctor_number(const char *text, const char *name)
{
    const char *at = text != NULL ? find_line(text, name) : NULL;
    if (at == NULL)
        return NAN;
    at += *at == ':';
    return take_number(&at);
}

/* The first number of a small file. */
static sy_status read_number(const char *root, double *ret_value, sy_error *err, const char *path)
{
    char *line = NULL;
    sy_status status = sy_tree_read_line(root, &line, err, "%s", path);
    if (status == SY_OK)
        *ret_value = sy_doctor_number(line, "");
    sy_free(line);
    return status;
}

/* ---- processors ---- */

/* user nice system idle iowait irq softirq steal; false when one is missing. Guest time is in user time already. */
static bool take_ticks(const char *at, double *ret_all, double *ret_busy, double *ret_steal)
{
    double columns[COLUMNS];
    double all = 0;
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = take_number(&at);
        all += columns[i];
    }
    if (isnan(all))
        return false;
    *ret_all = all;
    *ret_busy = all - columns[3] - columns[4] - columns[7];
    *ret_steal = columns[7];
    return true;
}

static sy_status read_processors(const char *root, sy_arena *arena, sy_doctor_moment *moment, sy_error *err)
{
    char *text = NULL;
    sy_status status = sy_tree_read(root, &text, err, "/proc/stat");
    if (status != SY_OK || text == NULL)
        return status;
    size_t lines = 0;
    for (const char *at = text; (at = find_line(at, "cpu")) != NULL;)
        lines++;
    sy_doctor_cpu *cpus = sy_arena_allocate(arena, lines + 1, sizeof *cpus);
    if (cpus == NULL)
        status = no_memory(err);
    for (const char *at = text; status == SY_OK && (at = find_line(at, "cpu")) != NULL;) {
        double steal;
        sy_doctor_cpu cpu = {0, 0, 0};
        if (*at == ' ') {
            if (!take_ticks(at, &moment->all, &moment->busy, &moment->steal))
                break;
            continue;
        }
        const double number = take_number(&at);
        cpu.number = number < PROCESSORS_MAX ? (uint64_t)number : PROCESSORS_MAX;
        if (number < PROCESSORS_MAX && take_ticks(at, &cpu.all, &cpu.busy, &steal))
            cpus[moment->cpu_count++] = cpu;
    }
    moment->cpus = cpus;
    sy_free(text);
    return status;
}

static sy_status read_throttling(const char *root, const char *quota_folder, sy_doctor_moment *moment, sy_error *err)
{
    static const char *const files[] = {"core_throttle_count", "package_throttle_count"};
    sy_status status = SY_OK;
    for (int cpu = 0, missing = 0; status == SY_OK && cpu < PROCESSORS_MAX && missing < GAP_MAX; cpu++) {
        missing++;
        for (int i = 0; i < 2 && status == SY_OK; i++) {
            char *line = NULL;
            status = sy_tree_read_line(root, &line, err, "/sys/devices/system/cpu/cpu%d/thermal_throttle/%s", cpu,
                                       files[i]);
            const double events = sy_doctor_number(line, "");
            sy_free(line);
            if (isnan(events))
                continue;
            moment->throttle_events = (isnan(moment->throttle_events) ? 0 : moment->throttle_events) + events;
            missing = 0;
        }
    }
    if (status == SY_OK && quota_folder[0] != '\0') {
        char *text = NULL;
        status = sy_tree_read(root, &text, err, "%s/cpu.stat", quota_folder);
        moment->quota_periods = sy_doctor_number(text, "nr_throttled");
        sy_free(text);
    }
    return status;
}

/* ---- processes ---- */

static int compare_processes(const void *a, const void *b)
{
    const sy_doctor_process *x = a;
    const sy_doctor_process *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* "4711 (name) S 1 ...": the name may hold anything, brackets too; user and system ticks are the 14th and 15th field.
 */
static bool parse_process(const char *text, sy_doctor_process *process)
{
    const char *open = strchr(text, '(');
    const char *close = strrchr(text, ')');
    const char *at = text;
    const double pid = take_number(&at);
    if (!(pid > 0) || open == NULL || close == NULL || close < open)
        return false;
    process->pid = (uint64_t)pid;
    size_t length = 0;
    for (const char *from = open + 1; from < close && length + 1 < sizeof process->name; from++)
        process->name[length++] = (char)(*from >= ' ' && *from < 0x7f ? *from : '?');
    process->name[length] = '\0';
    at = close + 1;
    for (int field = 3; field <= 14 && at != NULL; field++) {
        at = strchr(at, ' ');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL)
        return false;
    process->ticks = take_number(&at);
    process->ticks += take_number(&at);
    return !isnan(process->ticks);
}

static sy_status read_process(const char *root, const char *pid, sy_doctor_process *process, bool *ret_found,
                              sy_error *err)
{
    char *text = NULL;
    sy_status status = sy_tree_read(root, &text, err, "/proc/%s/stat", pid);
    *ret_found = status == SY_OK && text != NULL && parse_process(text, process);
    sy_free(text);
    return status;
}

/* A list that grows in the arena. */
static bool append_process(sy_arena *arena, sy_doctor_process **list, size_t *capacity, size_t count,
                           const sy_doctor_process *process)
{
    if (count == *capacity) {
        const size_t larger = *capacity > 0 ? 2 * *capacity : 64;
        sy_doctor_process *moved = sy_arena_allocate(arena, larger, sizeof *moved);
        if (moved == NULL)
            return false;
        if (count > 0)
            memcpy(moved, *list, count * sizeof *moved);
        *list = moved;
        *capacity = larger;
    }
    (*list)[count] = *process;
    return true;
}

static sy_status read_processes(const char *root, sy_arena *arena, sy_doctor_moment *moment, sy_error *err)
{
    sy_doctor_process process;
    sy_doctor_process *list = NULL;
    size_t capacity = 0;
    bool found = false;
    sy_status status = read_process(root, "self", &process, &found, err);
    if (status != SY_OK)
        return status;
    if (found) {
        moment->own = process.ticks;
        moment->own_pid = process.pid;
    }
    const char *path = sy_arena_format(arena, "%s/proc", root);
    if (path == NULL)
        return no_memory(err);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && status == SY_OK && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[strspn(entry->d_name, "0123456789")] != '\0')
            continue;
        status = read_process(root, entry->d_name, &process, &found, err);
        if (status != SY_OK || !found || process.pid == moment->own_pid)
            continue;
        if (append_process(arena, &list, &capacity, moment->process_count, &process))
            moment->process_count++;
        else
            status = no_memory(err);
    }
    if (folder != NULL)
        (void)closedir(folder);
    if (moment->process_count > 1)
        qsort(list, moment->process_count, sizeof *list, compare_processes);
    moment->processes = list;
    return status;
}

/* ---- the rest ---- */

static sy_status read_pressure(const char *root, sy_doctor_moment *moment, sy_error *err)
{
    static const char *const files[SY_PRESSURE_KINDS] = {"cpu", "memory", "io"};
    for (int i = 0; i < SY_PRESSURE_KINDS; i++) {
        char *text = NULL;
        sy_status status = sy_tree_read(root, &text, err, "/proc/pressure/%s", files[i]);
        if (status != SY_OK)
            return status;
        const char *total = text != NULL ? strstr(text, "total=") : NULL;
        moment->waited_share[i] = sy_doctor_number(text, "some avg10=") / 100;
        moment->waited_us[i] = sy_doctor_number(total, "total=");
        sy_free(text);
    }
    return SY_OK;
}

sy_status sy_doctor_look(const char *root, const char *quota_folder, sy_arena *arena, sy_doctor_moment *ret_moment,
                         sy_error *err)
{
    sy_doctor_moment moment = {.all = NAN,
                               .busy = NAN,
                               .steal = NAN,
                               .own = NAN,
                               .load_average = NAN,
                               .throttle_events = NAN,
                               .quota_periods = NAN,
                               .uptime_s = NAN};
    char *vmstat = NULL;
    sy_status status = read_processors(root, arena, &moment, err);
    if (status == SY_OK)
        status = read_processes(root, arena, &moment, err);
    if (status == SY_OK)
        status = read_throttling(root, quota_folder, &moment, err);
    if (status == SY_OK)
        status = read_pressure(root, &moment, err);
    if (status == SY_OK)
        status = read_number(root, &moment.load_average, err, "/proc/loadavg");
    if (status == SY_OK)
        status = read_number(root, &moment.uptime_s, err, "/proc/uptime");
    if (status == SY_OK)
        status = sy_tree_read(root, &vmstat, err, "/proc/vmstat");
    moment.swapped_pages = sy_doctor_number(vmstat, "pswpin ") + sy_doctor_number(vmstat, "pswpout ");
    sy_free(vmstat);
    if (status == SY_OK)
        *ret_moment = moment;
    return status;
}
