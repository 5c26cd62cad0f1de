/* SPDX-License-Identifier: Apache-2.0 */
/* What the system says of processor and memory, read from /proc and /sys below a root that tests can set. Whatever it
 * does not say is unknown, never guessed. */
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/host_condition.h"
#include "base/text.h"

#define FILE_BYTES 16384 /* the part of a file of /proc that is read */
#define PATH_BYTES 1024
#define PROCESSORS_MAX 4096
#define GAP_MAX 8 /* so many numbers in a row without a file: there are no more processors */

/* The beginning of a small file as text; false when there is none. Sizes in /proc are 0, so that it is read blindly. */
static bool read_text(const char *root, const char *path, char *to, size_t size)
{
    char whole[PATH_BYTES];
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof whole) {
        return false;
    }
    int fd = open(whole, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    size_t used = 0;
    ssize_t got = 1;
    while (used < size - 1 && got > 0) {
        got = read(fd, to + used, size - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    to[used] = '\0';
    (void)close(fd);
    return got >= 0;
}

/* The text behind the first line that begins with `name`, or NULL. */
static const char *find_line(const char *text, const char *name)
{
    size_t length = strlen(name);
    const char *line = text;
    while (line != NULL && strncmp(line, name, length) != 0) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return line != NULL ? line + length : NULL;
}

/* A decimal number at the text's beginning, blanks skipped; false when there is none. The kernel writes points. */
static bool number_at(const char *text, uint64_t *ret_value)
{
    char *end = NULL;
    if (text == NULL) {
        return false;
    }
    text += strspn(text, " \t:");
    if (*text < '0' || *text > '9') {
        return false;
    }
    *ret_value = strtoull(text, &end, 10);
    return true;
}

/* A number with a fraction, whatever the process's locale. */
static double fraction_at(const char *text)
{
    uint64_t whole = 0;
    if (!number_at(text, &whole)) {
        return NAN;
    }
    text += strspn(text, " \t:");
    text += strspn(text, "0123456789");
    double fraction = 0;
    double scale = 1;
    for (text += *text == '.'; *text >= '0' && *text <= '9'; text++) {
        fraction = fraction * 10 + (*text - '0');
        scale *= 10;
    }
    return (double)whole + fraction / scale;
}

uint32_t sy_host_affinity_count(void)
{
    for (int possible = 1024; possible <= 1 << 20; possible *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)possible);
        size_t size = CPU_ALLOC_SIZE((size_t)possible);
        if (set == NULL) {
            return 1;
        }
        int failed = sched_getaffinity(0, size, set);
        int count = failed == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0) {
            return (uint32_t)count;
        }
    }
    return 1;
}

/* Copies a processor's name without "(R)", "(TM)", "CPU" frequency tails and runs of blanks. */
static void tidy_name(const char *from, char *to, size_t size)
{
    size_t used = 0;
    while (*from != '\0' && *from != '\n' && *from != '@' && used + 1 < size) {
        if (sy_text_begins(from, "(R)")) {
            from += 3;
        } else if (sy_text_begins(from, "(TM)")) {
            from += 4;
        } else if (*from == ' ' && (used == 0 || to[used - 1] == ' ')) {
            from++;
        } else {
            to[used++] = *from++;
        }
    }
    while (used > 0 && to[used - 1] == ' ') {
        used--;
    }
    to[used] = '\0';
}

void sy_host_processor_name(const char *root, char *to, size_t size)
{
    char text[FILE_BYTES];
    char name[96] = "unknown processor";
    if (read_text(root, "/proc/cpuinfo", text, sizeof text)) {
        const char *line = find_line(text, "model name");
        line = line != NULL ? line : find_line(text, "cpu\t"); /* POWER */
        if (line != NULL) {
            tidy_name(line + strspn(line, " \t:"), name, sizeof name);
        }
    }
    uint32_t count = sy_host_affinity_count();
    snprintf(to, size, "%s, %u %s", name, count, count == 1 ? "CPU" : "CPUs");
}

static bool meminfo(const char *root, const char *name, uint64_t *ret_bytes)
{
    char text[FILE_BYTES];
    uint64_t kib = 0;
    if (!read_text(root, "/proc/meminfo", text, sizeof text) || !number_at(find_line(text, name), &kib)) {
        return false;
    }
    *ret_bytes = kib * 1024;
    return true;
}

uint64_t sy_host_total_memory(const char *root)
{
    uint64_t bytes = 0;
    return meminfo(root, "MemTotal:", &bytes) ? bytes : 0;
}

/* Where a cgroup version keeps what we ask. */
typedef struct cgroup_files {
    const char *mount;
    const char *limit;
    const char *usage;
    const char *reclaimable; /* line of memory.stat: file pages that go when memory is asked for */
} cgroup_files;

static const cgroup_files version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};
static const cgroup_files version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_inactive_file "};

static bool cgroup_number(const char *root, const char *folder, const char *file, uint64_t *ret_value)
{
    char path[PATH_BYTES];
    char text[64];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    return length > 0 && (size_t)length < sizeof path && read_text(root, path, text, sizeof text) &&
           number_at(text, ret_value);
}

/* Lowers *available to what one cgroup leaves. "max" and files that are not there are no limit. */
static void apply_limit(const char *root, const cgroup_files *files, const char *folder, uint64_t *available)
{
    uint64_t limit = 0;
    uint64_t usage = 0;
    uint64_t reclaimable = 0;
    char path[PATH_BYTES];
    char text[FILE_BYTES];
    if (!cgroup_number(root, folder, files->limit, &limit) || !cgroup_number(root, folder, files->usage, &usage)) {
        return;
    }
    int length = snprintf(path, sizeof path, "%s/memory.stat", folder);
    if (length > 0 && (size_t)length < sizeof path && read_text(root, path, text, sizeof text)) {
        (void)number_at(find_line(text, files->reclaimable), &reclaimable);
    }
    usage = usage > reclaimable ? usage - reclaimable : 0;
    uint64_t left = limit > usage ? limit - usage : 0;
    if (left < *available) {
        *available = left;
    }
}

/* Every cgroup from the process's own up to the mount can be the one that refuses. */
static void apply_limits(const char *root, const cgroup_files *files, const char *own_path, uint64_t *available)
{
    char folder[PATH_BYTES];
    size_t own_length = strcspn(own_path, "\n");
    int length = snprintf(folder, sizeof folder, "%s%.*s", files->mount, (int)own_length, own_path);
    if (length < 0 || (size_t)length >= sizeof folder) {
        return;
    }
    size_t mount_length = strlen(files->mount);
    while (strlen(folder) > mount_length) {
        apply_limit(root, files, folder, available);
        *strrchr(folder, '/') = '\0';
    }
    apply_limit(root, files, files->mount, available);
}

bool sy_host_available_memory(const char *root, uint64_t *ret_bytes)
{
    uint64_t available = 0;
    char text[FILE_BYTES];
    if (!meminfo(root, "MemAvailable:", &available)) {
        return false;
    }
    if (read_text(root, "/proc/self/cgroup", text, sizeof text)) {
        const char *own = find_line(text, "0::");
        const char *memory = strstr(text, ":memory:");
        if (own != NULL) {
            apply_limits(root, &version_2, own, &available);
        }
        if (memory != NULL) {
            apply_limits(root, &version_1, memory + strlen(":memory:"), &available);
        }
    }
    *ret_bytes = available;
    return true;
}

/* The first line of /proc/stat: all processors' time in ticks, columns 1 to 8 (guest time is in user time already), and
 * column 8, what a hypervisor took of it. */
static bool processor_ticks(const char *root, double *ret_all, double *ret_stolen)
{
    char text[FILE_BYTES];
    if (!read_text(root, "/proc/stat", text, sizeof text)) {
        return false;
    }
    const char *at = find_line(text, "cpu ");
    uint64_t sum = 0;
    uint64_t value = 0;
    for (int column = 0; column < 8; column++) {
        if (!number_at(at, &value)) {
            return false;
        }
        sum += value;
        at += strspn(at, " ");
        at += strspn(at, "0123456789");
    }
    *ret_all = (double)sum;
    *ret_stolen = (double)value;
    return true;
}

/* A number in the small file of one processor. */
static bool processor_number(const char *root, int cpu, const char *file, uint64_t *ret_value)
{
    char path[PATH_BYTES];
    char text[64];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    return read_text(root, path, text, sizeof text) && number_at(text, ret_value);
}

/* The clock of the fastest processor: the one that works; idle ones may rest at another. */
static double clock_hz(const char *root)
{
    char text[FILE_BYTES];
    uint64_t khz = 0;
    uint64_t fastest = 0;
    for (int cpu = 0, missing = 0; cpu < PROCESSORS_MAX && missing < GAP_MAX; cpu++) {
        missing = processor_number(root, cpu, "cpufreq/scaling_cur_freq", &khz) ? 0 : missing + 1;
        fastest = missing == 0 && khz > fastest ? khz : fastest;
    }
    if (fastest > 0) {
        return (double)fastest * 1e3;
    }
    double mhz = NAN;
    if (read_text(root, "/proc/cpuinfo", text, sizeof text)) {
        for (const char *at = find_line(text, "cpu MHz"); at != NULL; at = find_line(at, "cpu MHz")) {
            mhz = fmax(mhz, fraction_at(at));
        }
    }
    return mhz * 1e6;
}

/* How often the processors slowed themselves down since boot, counted by core and by package. */
static double throttle_events(const char *root)
{
    double events = NAN;
    for (int cpu = 0, missing = 0; cpu < PROCESSORS_MAX && missing < GAP_MAX; cpu++) {
        uint64_t core = 0;
        uint64_t package = 0;
        bool is_there = processor_number(root, cpu, "thermal_throttle/core_throttle_count", &core);
        is_there |= processor_number(root, cpu, "thermal_throttle/package_throttle_count", &package);
        missing = is_there ? 0 : missing + 1;
        if (is_there) {
            events = (isnan(events) ? 0 : events) + (double)core + (double)package;
        }
    }
    return events;
}

uint64_t sy_host_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : UINT64_MAX;
}

/* The package's sensor, which is one among a machine's thermal zones. */
static double temperature(const char *root)
{
    for (int zone = 0; zone < 64; zone++) {
        char path[PATH_BYTES];
        char text[64];
        snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/type", zone);
        if (!read_text(root, path, text, sizeof text)) {
            return NAN;
        }
        uint64_t millidegrees = 0;
        bool is_package = sy_text_begins(text, "x86_pkg_temp") || sy_text_begins(text, "cpu");
        snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/temp", zone);
        if (is_package && read_text(root, path, text, sizeof text) && number_at(text, &millidegrees)) {
            return (double)millidegrees / 1000;
        }
    }
    return NAN;
}

void sy_host_condition(const char *root, sy_device_condition *ret_condition)
{
    char text[FILE_BYTES];
    sy_device_condition condition = {
        .clock_hz = clock_hz(root),
        .temperature_celsius = temperature(root),
        .steal_share = NAN,
        .pressure_share = NAN,
        .load_average = NAN,
        .throttled = -1,
        .processor_time = NAN,
        .stolen_time = NAN,
        .waited_ns = NAN,
        .throttle_events = throttle_events(root),
    };
    if (processor_ticks(root, &condition.processor_time, &condition.stolen_time) && condition.processor_time > 0) {
        condition.steal_share = condition.stolen_time / condition.processor_time;
    }
    if (read_text(root, "/proc/pressure/cpu", text, sizeof text)) {
        const char *some = find_line(text, "some avg10=");
        const char *total = some != NULL ? strstr(some, "total=") : NULL;
        condition.pressure_share = fraction_at(some) / 100;
        condition.waited_ns = fraction_at(total != NULL ? total + strlen("total=") : NULL) * 1e3; /* in us there */
    }
    if (read_text(root, "/proc/loadavg", text, sizeof text)) {
        condition.load_average = fraction_at(text);
    }
    *ret_condition = condition;
}
