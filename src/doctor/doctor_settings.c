/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of how the machine is set up: limits, clock policy, power, memory, and what it lets one see. */
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "doctor/doctor_examination.h"

/* ---- what this process may use ---- */

static void judge_limit(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *usable = sy_doctor_fact(e, "cpu.usable");
    const char *limit = sy_doctor_fact(e, "cpu.limit");
    const char *list = sy_doctor_fact(e, "cpu.usable.list");
    const double processors = sy_doctor_processors(e);
    const double ran_out = e->after.quota_periods - e->before.quota_periods;
    double figure = NAN;
    if (usable == NULL || limit == NULL || sy_parse_double(limit, &figure, NULL) != SY_OK)
        return;
    check->figure = figure;
    check->unit = "processors";
    if (e->quota->known && e->quota->limited) {
        check->value = sy_doctor_say(e, "%s of %s processors' time, by %s", limit, usable, e->quota->source);
        check->verdict = ran_out > 0 ? SY_DOCTOR_BAD : SY_DOCTOR_LOOK;
        check->sentence = ran_out > 0
                              ? sy_doctor_say(e, "The quota ran out %.0f times just now: all threads stood still.",
                                              ran_out)
                              : "More threads than that stand still for a part of each period.";
        check->remedy = sy_doctor_say(e, "raise the quota of %s, or measure with at most %.0f threads: --threads",
                                      e->quota->folder, fmax(1, floor(figure)));
        return;
    }
    check->value = isfinite(processors) ? sy_doctor_say(e, "%s of %.0f processors (%s), no quota", usable, processors,
                                                        list != NULL ? list : "?")
                                        : sy_doctor_say(e, "%s processors, no quota", usable);
    check->verdict = SY_DOCTOR_GOOD;
    check->sentence = "No control group cuts this process short.";
}

static void judge_hypervisor(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *kind = sy_doctor_fact(e, "host.hypervisor");
    const char *machine = sy_doctor_fact(e, "host.machine");
    if (kind == NULL)
        return;
    if (strcmp(kind, "none seen") == 0) {
        check->value = "none seen";
        check->verdict = SY_DOCTOR_GOOD;
        check->sentence = "Processors, caches and clocks are what they say.";
        return;
    }
    check->value = sy_doctor_say(e, "%s%s%s", strcmp(kind, "yes") == 0 ? "virtual machine" : kind,
                                 machine != NULL ? ": " : "", machine != NULL ? machine : "");
    check->verdict = SY_DOCTOR_LOOK;
    check->sentence = "Other guests share caches, clock and memory; where this one runs may change without a word.";
}

/* ---- clock, heat, power ---- */

static void judge_governor(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *governor = sy_doctor_fact(e, "cpu.governor");
    if (governor == NULL) {
        check->sentence = "The system does not tell, as in most virtual machines: whoever runs them decides.";
        return;
    }
    check->value = governor;
    if (strcmp(governor, "performance") == 0) {
        check->verdict = SY_DOCTOR_GOOD;
        check->sentence = "The clock does not wait for load to rise.";
        return;
    }
    check->verdict = SY_DOCTOR_LOOK;
    check->sentence = "The clock follows the load: the first runs are slow, and pauses make slow ones.";
    check->remedy = "sudo cpupower frequency-set -g performance";
}

static void judge_turbo(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *boost = sy_doctor_fact(e, "cpu.boost");
    const char *no_turbo = sy_doctor_fact(e, "cpu.no_turbo");
    const char *now = sy_doctor_read(e, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
    const char *most = sy_doctor_read(e, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    const double khz = sy_doctor_number(now, "");
    const double most_khz = sy_doctor_number(most, "");
    const char *clock = "";
    if (isfinite(khz) && isfinite(most_khz))
        clock = sy_doctor_say(e, "%.2f GHz now, %.2f at most", khz * 1e-6, most_khz * 1e-6);
    if (isfinite(khz)) {
        check->figure = khz * 1e3;
        check->unit = "hz";
    }
    if (boost == NULL && no_turbo == NULL) {
        check->value = clock;
        return;
    }
    const bool on = boost != NULL ? strcmp(boost, "1") == 0 : strcmp(no_turbo, "0") == 0;
    check->value = sy_doctor_say(e, "%s%s%s", on ? "on" : "off", clock[0] != '\0' ? ": " : "", clock);
    check->verdict = on ? SY_DOCTOR_LOOK : SY_DOCTOR_GOOD;
    check->sentence = on ? "How fast a run is depends on heat and on how many cores work beside it."
                         : "The clock is the same however many cores work.";
    if (on)
        check->remedy = boost != NULL ? "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
                                      : "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo";
}

static void judge_heat(sy_doctor_examination *e, sy_doctor_check *check)
{
    const double ever = e->after.throttle_events;
    const double now = ever - e->before.throttle_events;
    if (isnan(ever))
        return;
    check->figure = now;
    check->unit = "count";
    check->value = sy_doctor_say(e, "slowed down %.0f times now, %.0f since boot", now, ever);
    check->verdict = now > 0 ? SY_DOCTOR_BAD : ever > 0 ? SY_DOCTOR_LOOK : SY_DOCTOR_GOOD;
    check->sentence = now > 0    ? "The processor is too hot, or draws too much, to keep its clock."
                      : ever > 0 ? "The processor has been too hot before: long measurements may meet that again."
                                 : "The processor keeps its clock.";
    if (check->verdict != SY_DOCTOR_GOOD)
        check->remedy = "cool it: clear the vents, or let it rest between measurements";
}

/* What /sys/class/power_supply tells: a battery that gives, a supply that is plugged in. */
static void judge_power(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *path = sy_doctor_say(e, "%s/sys/class/power_supply", e->root);
    bool battery = false;
    bool discharging = false;
    const struct dirent *entry;
    DIR *folder = e->status == SY_OK ? opendir(path) : NULL;
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL && e->status == SY_OK) {
        if (entry->d_name[0] == '.')
            continue;
        const char *type = sy_doctor_read(e, sy_doctor_say(e, "/sys/class/power_supply/%s/type", entry->d_name));
        const char *state = sy_doctor_read(e, sy_doctor_say(e, "/sys/class/power_supply/%s/status", entry->d_name));
        /* A mouse has a battery too; its scope is `Device`. */
        const char *scope = sy_doctor_read(e, sy_doctor_say(e, "/sys/class/power_supply/%s/scope", entry->d_name));
        if (!sy_text_equal(type, "Battery") || sy_text_equal(scope, "Device"))
            continue;
        battery = true;
        discharging |= sy_text_equal(state, "Discharging");
    }
    (void)closedir(folder);
    check->verdict = discharging ? SY_DOCTOR_BAD : SY_DOCTOR_GOOD;
    check->value = discharging ? "on battery" : battery ? "plugged in" : "no battery";
    check->sentence = discharging ? "Firmware holds clock and power down to save the battery."
                                  : "Nothing is held back to save a battery.";
    if (discharging)
        check->remedy = "plug it in";
}

static void judge_smt(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *smt = sy_doctor_fact(e, "cpu.smt");
    if (smt == NULL)
        return;
    check->value = strncmp(smt, "not", 3) == 0 ? "none" : smt; /* the kernel's notsupported, notimplemented */
    check->verdict = strcmp(smt, "on") == 0 ? SY_DOCTOR_LOOK : SY_DOCTOR_GOOD;
    check->sentence = check->verdict == SY_DOCTOR_LOOK
                          ? "Two processors are one core: what runs on the other takes up to half of it."
                          : "Each processor is a core of its own.";
    if (check->verdict == SY_DOCTOR_LOOK)
        check->remedy = "pin to one processor of each core: taskset -c, with the first numbers of "
                        "/sys/devices/system/cpu/cpu*/topology/thread_siblings_list";
}

/* ---- memory ---- */

static void judge_memory(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *meminfo = sy_doctor_read_file(e, "/proc/meminfo");
    const double total = sy_doctor_number(meminfo, "MemTotal") * 1024;
    const double available = sy_doctor_number(meminfo, "MemAvailable") * 1024;
    char left[32];
    char all[32];
    if (!(total > 0) || isnan(available))
        return;
    sy_format_bytes(left, sizeof left, (uint64_t)available);
    sy_format_bytes(all, sizeof all, (uint64_t)total);
    check->figure = available;
    check->unit = "bytes";
    check->value = sy_doctor_say(e, "%s of %s to be had", left, all);
    check->verdict = available < 0.02 * total  ? SY_DOCTOR_BAD
                     : available < 0.1 * total ? SY_DOCTOR_LOOK
                                               : SY_DOCTOR_GOOD;
    check->sentence = check->verdict == SY_DOCTOR_GOOD ? "Large cases find room."
                                                       : "Large cases are refused, or push others out to disk.";
    if (check->verdict != SY_DOCTOR_GOOD)
        check->remedy = "free memory: stop what holds most of it";
}

static void judge_swap(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *meminfo = sy_doctor_read_file(e, "/proc/meminfo");
    const double total = sy_doctor_number(meminfo, "SwapTotal") * 1024;
    const double used = total - sy_doctor_number(meminfo, "SwapFree") * 1024;
    const double moved = e->after.swapped_pages - e->before.swapped_pages;
    char in_use[32];
    if (isnan(used))
        return;
    sy_format_bytes(in_use, sizeof in_use, (uint64_t)used);
    check->figure = used;
    check->unit = "bytes";
    check->value = total > 0 ? sy_doctor_say(e, "%s in use, %.0f pages moved now", in_use, isnan(moved) ? 0 : moved)
                             : "none";
    check->verdict = moved > 0 ? SY_DOCTOR_BAD : used > 0.01 * total ? SY_DOCTOR_LOOK : SY_DOCTOR_GOOD;
    check->sentence = moved > 0             ? "Pages go out to disk and come back in the midst of runs."
                      : used > 0.01 * total ? "Pages that are out come back when they are touched first."
                                            : "Nothing waits for pages on disk.";
    if (check->verdict != SY_DOCTOR_GOOD)
        check->remedy = "free memory, then sudo swapoff -a && sudo swapon -a";
}

static void judge_huge_pages(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *line = sy_doctor_fact(e, "memory.transparent_huge_pages");
    const char *open = line != NULL ? strchr(line, '[') : NULL;
    if (open == NULL)
        return;
    check->value = sy_doctor_say(e, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
    check->verdict = strcmp(check->value, "always") == 0 ? SY_DOCTOR_LOOK : SY_DOCTOR_GOOD;
    check->sentence = check->verdict == SY_DOCTOR_LOOK
                          ? "Whether a large buffer gets huge pages depends on how scattered memory is at the time."
                          : "A buffer gets huge pages only where a program asks for them.";
    if (check->verdict == SY_DOCTOR_LOOK)
        check->remedy = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
}

static void judge_aslr(sy_doctor_examination *e, sy_doctor_check *check)
{
    const char *mode = sy_doctor_fact(e, "os.aslr");
    if (mode == NULL)
        return;
    const bool off = strcmp(mode, "0") == 0;
    check->value = off ? "off" : "on";
    check->verdict = off ? SY_DOCTOR_LOOK : SY_DOCTOR_GOOD;
    check->sentence = off ? "Every process has the same addresses: a gain may be the luck of that one layout."
                          : "Each process has other addresses: fresh processes show what layout does to a gain.";
    if (off)
        check->remedy = "sudo sysctl kernel.randomize_va_space=2";
}

static void judge_counters(sy_doctor_examination *e, sy_doctor_check *check)
{
    const double level = sy_doctor_number(sy_doctor_read(e, "/proc/sys/kernel/perf_event_paranoid"), "");
    const char *negative = sy_doctor_read(e, "/proc/sys/kernel/perf_event_paranoid");
    if (negative == NULL)
        return;
    const bool open = negative[0] == '-' || level <= 2;
    check->value = sy_doctor_say(e, "perf_event_paranoid %s", negative);
    check->verdict = open ? SY_DOCTOR_GOOD : SY_DOCTOR_LOOK;
    check->sentence = open ? "A program may count its own cycles and cache misses, to explain a time."
                           : "A program may not count its own cycles and cache misses; times need no counters.";
    if (!open)
        check->remedy = "sudo sysctl kernel.perf_event_paranoid=2";
}

const sy_doctor_judge sy_doctor_judges_of_settings[] = {
    {"hypervisor", 90, judge_hypervisor},
    {"limit", 3, judge_limit},
    {"governor", 10, judge_governor},
    {"turbo", 70, judge_turbo},
    {"heat", 4, judge_heat},
    {"power", 1, judge_power},
    {"smt", 60, judge_smt},
    {"memory", 6, judge_memory},
    {"swap", 5, judge_swap},
    {"huge-pages", 40, judge_huge_pages},
    {"aslr", 110, judge_aslr},
    {"counters", 0, judge_counters},
};
const size_t sy_doctor_judges_of_settings_count = sizeof sy_doctor_judges_of_settings /
                                                  sizeof sy_doctor_judges_of_settings[0];
