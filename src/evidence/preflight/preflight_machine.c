/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the small files of /proc and /sys answer, of this machine or of recorded trees. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "evidence/preflight/preflight.h"
#include "identity/tree.h"

enum { PROCESSORS_MAX = 4096, PATH_SIZE = 1024 };

/* The number at the beginning of a file's text, or behind name and blanks at a line's beginning; NaN: none. */
static double number_of(const char *text, const char *name)
{
    char word[64];
    double number = NAN;
    const char *at = text;
    while (at != NULL && *name != '\0' && !sy_text_begins(at, name)) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL) {
        return NAN;
    }
    at += strlen(name);
    at += strspn(at, " \t");
    size_t length = strspn(at, "0123456789.");
    if (length == 0 || length >= sizeof word) {
        return NAN;
    }
    memcpy(word, at, length);
    word[length] = '\0';
    return sy_parse_double(word, &number, NULL) == SY_OK ? number : NAN;
}

static double read_number(const char *machine, const char *name, const char *folder, const char *file)
{
    char *text = NULL;
    double number = NAN;
    if (sy_tree_read(machine, &text, NULL, "%s/%s", folder, file) == SY_OK && text != NULL) {
        number = number_of(text, name);
    }
    sy_free(text);
    return number;
}

/* The control group of this process in the unified hierarchy: "/a/b"; false: there is none. */
static bool find_group(const char *machine, char *to, size_t size)
{
    char *text = NULL;
    bool found = false;
    if (sy_tree_read(machine, &text, NULL, "/proc/self/cgroup") == SY_OK && text != NULL) {
        const char *at = sy_text_begins(text, "0::") ? text : strstr(text, "\n0::");
        if (at != NULL) {
            at += *at == '\n' ? 4 : 3;
            size_t length = strcspn(at, "\n");
            found = length < size;
            if (found) {
                memcpy(to, at, length);
                to[length] = '\0';
            }
        }
    }
    sy_free(text);
    return found;
}

/* What the limits of the process's control groups leave, up to the root; infinite: they set none. */
static double left_by_groups(const char *machine)
{
    char group[PATH_SIZE];
    double left = INFINITY;
    bool found = find_group(machine, group, sizeof group);
    while (found && group[0] == '/' && group[1] != '\0') {
        sy_text folder = SY_TEXT_INIT;
        sy_text_append_format(&folder, "/sys/fs/cgroup%s", group);
        double room = read_number(machine, "", sy_text_bytes(&folder), "memory.max") -
                      read_number(machine, "", sy_text_bytes(&folder), "memory.current");
        sy_text_finish(&folder);
        left = room < left ? room : left; /* a group without a limit says "max": NaN */
        *strrchr(group, '/') = '\0';
    }
    return left;
}

static void check_memory(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    double available = read_number(subject->machine, "MemAvailable:", "/proc", "meminfo") * 1024;
    double left = left_by_groups(subject->machine);
    double free = left < available ? left : available;
    char expected[32], found[32];
    sy_format_bytes(expected, sizeof expected, check->bytes);
    const char *wanted = sy_arena_format(preflight->arena, "at least %s", expected);
    if (isnan(available)) {
        sy_preflight_add(preflight, "free-memory", -1, check->required, wanted, "the system does not tell");
        return;
    }
    sy_format_bytes(found, sizeof found, free > 0 ? (uint64_t)free : 0);
    sy_preflight_add(preflight, "free-memory", free >= (double)check->bytes, check->required, wanted, "%s%s", found,
                     left < available ? ", by a limit of the control group" : "");
}

static void check_load(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    double load = read_number(subject->machine, "", "/proc", "loadavg");
    const char *wanted = sy_arena_format(preflight->arena, "at most %g", check->number);
    if (isnan(load)) {
        sy_preflight_add(preflight, "load", -1, check->required, wanted, "the system does not tell");
        return;
    }
    sy_preflight_add(preflight, "load", load <= check->number, check->required, wanted, "%.2f over the last minute",
                     load);
}

/* A processor's clock policy: the share of its highest clock that it may run at; NaN: it does not tell. */
static double clock_share(const char *machine, unsigned processor)
{
    sy_text folder = SY_TEXT_INIT;
    sy_text_append_format(&folder, "/sys/devices/system/cpu/cpu%u/cpufreq", processor);
    double allowed = read_number(machine, "", sy_text_bytes(&folder), "scaling_max_freq");
    double highest = read_number(machine, "", sy_text_bytes(&folder), "cpuinfo_max_freq");
    sy_text_finish(&folder);
    return allowed / highest;
}

static void check_clock(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    const char *wanted = sy_arena_format(preflight->arena, "at least %g of the highest clock", check->number);
    double least = INFINITY;
    bool unknown = false;
    unsigned seen = 0;
    for (unsigned i = 0; i < PROCESSORS_MAX; i++) {
        if (!sy_tree_folder_exists(subject->machine, "/sys/devices/system/cpu/cpu%u", i)) {
            continue;
        }
        double share = clock_share(subject->machine, i);
        seen++;
        unknown = unknown || isnan(share);
        least = share < least ? share : least;
    }
    if (seen == 0 || isinf(least)) {
        sy_preflight_add(preflight, "clock", -1, check->required, wanted, "the system does not tell");
        return;
    }
    int passed = least < check->number ? 0 : unknown ? -1 : 1;
    sy_preflight_add(preflight, "clock", passed, check->required, wanted,
                     "%.3g of the highest clock, the least of %u%s", least, seen,
                     unknown ? " of which some do not tell" : "");
}

/* Of every processor that has one; nothing is known where none has. */
static void check_governor(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    int passed = -1;
    const char *found = "the system does not tell";
    for (unsigned i = 0; i < PROCESSORS_MAX && passed != 0; i++) {
        char *text = NULL;
        if (!sy_tree_folder_exists(subject->machine, "/sys/devices/system/cpu/cpu%u", i)) {
            continue;
        }
        sy_status status = sy_tree_read_line(subject->machine, &text, NULL,
                                             "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i);
        if (status == SY_OK && text != NULL) {
            passed = strcmp(text, check->text) == 0;
            found = sy_arena_copy_text(preflight->arena, text);
        }
        sy_free(text);
    }
    sy_preflight_add(preflight, "governor", passed, check->required, check->text, "%s", found != NULL ? found : "");
}

void sy_preflight_machine(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    switch (check->kind) {
    case SY_GATE_CHECK_FREE_MEMORY:
        check_memory(preflight, subject, check);
        break;
    case SY_GATE_CHECK_LOAD:
        check_load(preflight, subject, check);
        break;
    case SY_GATE_CHECK_CLOCK:
        check_clock(preflight, subject, check);
        break;
    case SY_GATE_CHECK_GOVERNOR:
        check_governor(preflight, subject, check);
        break;
    default:
        break;
    }
}
