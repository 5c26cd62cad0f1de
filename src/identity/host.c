/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the host that are recorded with a measurement but never part of a key: a reboot, a kernel update or another
 * load must not throw stored decisions away. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "identity/facts.h"
#include "identity/topology.h"
#include "identity/tree.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the description of the host");
}

/* Facts that are the first words of one file. */
static const struct {
    const char *name;
    const char *path;
    int words;         /* that are kept; 0 = the whole line */
    const char *empty; /* the value where the file is there and says nothing; NULL = unknown */
} line_facts[] = {
    {"cpu.smt", "/sys/devices/system/cpu/smt/control", 0, NULL},
    {"cpu.boost", "/sys/devices/system/cpu/cpufreq/boost", 0, NULL},
    {"cpu.no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", 0, NULL},
    {"cpu.isolated", "/sys/devices/system/cpu/isolated", 0, "none"},
    {"cpu.frequency.driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", 0, NULL},
    {"cpu.frequency.preference", "/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference", 0, NULL},
    {"host.boot_id", "/proc/sys/kernel/random/boot_id", 0, NULL},
    {"host.load", "/proc/loadavg", 3, NULL},
    {"host.name", "/proc/sys/kernel/hostname", 0, NULL},
    {"host.uptime_s", "/proc/uptime", 1, NULL},
    {"memory.huge_pages", "/proc/sys/vm/nr_hugepages", 0, NULL},
    {"memory.numa_balancing", "/proc/sys/kernel/numa_balancing", 0, NULL},
    {"memory.transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled", 0, NULL},
    {"os.aslr", "/proc/sys/kernel/randomize_va_space", 0, NULL},
    {"os.clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource", 0, NULL},
    {"os.kernel", "/proc/sys/kernel/osrelease", 0, NULL},
};

/* What the system call knows where /proc is not mounted; "" for a recorded tree. */
static const char *from_uname(const char *root, const char *name, const struct utsname *host)
{
    if (root[0] != '\0')
        return NULL;
    if (strcmp(name, "host.name") == 0)
        return host->nodename;
    if (strcmp(name, "os.kernel") == 0)
        return host->release;
    return NULL;
}

/* The words of one of line_facts, to be freed; NULL when they are unknown. */
static sy_status read_fact(const char *root, size_t fact, char **ret_line, sy_error *err)
{
    char *text = NULL;
    sy_status status = sy_tree_read_line(root, ret_line, err, "%s", line_facts[fact].path);
    if (status != SY_OK || *ret_line != NULL || line_facts[fact].empty == NULL)
        return status;
    status = sy_tree_read(root, &text, err, "%s", line_facts[fact].path);
    if (status == SY_OK && text != NULL) {
        *ret_line = sy_duplicate_text(line_facts[fact].empty);
        status = *ret_line != NULL ? SY_OK : no_memory(err);
    }
    sy_free(text);
    return status;
}

/* Cuts line behind its first `words` words. */
static void keep_words(char *line, int words)
{
    for (char *at = line; at != NULL && words > 0; words--) {
        at = strchr(at, ' ');
        if (at != NULL && words == 1)
            *at = '\0';
        else if (at != NULL)
            at++;
    }
}

static sy_status add_lines(const char *root, sy_identity_builder *builder, sy_error *err)
{
    struct utsname host;
    if (uname(&host) != 0)
        memset(&host, 0, sizeof host);
    for (size_t i = 0; i < sizeof line_facts / sizeof line_facts[0]; i++) {
        char *line = NULL;
        sy_status status = read_fact(root, i, &line, err);
        if (status != SY_OK)
            return status;
        keep_words(line, line_facts[i].words);
        const char *value = line != NULL ? line : from_uname(root, line_facts[i].name, &host);
        sy_identity_builder_add(builder, line_facts[i].name, value, false);
        sy_free(line);
    }
    return SY_OK;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" of /etc/os-release. */
static sy_status add_distribution(const char *root, sy_identity_builder *builder, sy_error *err)
{
    static const char prefix[] = "PRETTY_NAME=";
    char *text = NULL;
    sy_status status = sy_tree_read(root, &text, err, "/etc/os-release");
    if (status != SY_OK)
        return status;
    char *at = text;
    while (at != NULL && strncmp(at, prefix, sizeof prefix - 1) != 0) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at != NULL) {
        at += sizeof prefix - 1;
        at += *at == '"';
        at[strcspn(at, "\"\n")] = '\0';
    }
    sy_identity_builder_add(builder, "os.name", at, false);
    sy_free(text);
    return SY_OK;
}

/* The range of clocks of the first processor, in kHz as the kernel gives it. */
static sy_status add_frequency(const char *root, sy_identity_builder *builder, sy_error *err)
{
    char *low = NULL;
    char *high = NULL;
    sy_status status = sy_tree_read_line(root, &low, err, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq");
    if (status == SY_OK)
        status = sy_tree_read_line(root, &high, err, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (status == SY_OK && low != NULL && high != NULL)
        sy_identity_builder_add_format(builder, "cpu.frequency.range", false, "%s-%s kHz", low, high);
    else if (status == SY_OK)
        sy_identity_builder_add(builder, "cpu.frequency.range", NULL, false);
    sy_free(low);
    sy_free(high);
    return status;
}

/* The container that this system runs in, by the marks that those who make containers leave. */
static sy_status add_container(const char *root, sy_identity_builder *builder, sy_error *err)
{
    static const char *const marks[][2] = {{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"}};
    char *line = NULL;
    const char *kind = NULL;
    sy_status status = sy_tree_read_line(root, &line, err, "/run/systemd/container");
    for (size_t i = 0; i < 2 && status == SY_OK && line == NULL && kind == NULL; i++) {
        char *text = NULL;
        status = sy_tree_read(root, &text, err, "%s", marks[i][0]);
        if (text != NULL)
            kind = marks[i][1];
        sy_free(text);
    }
    if (status == SY_OK)
        sy_identity_builder_add(builder, "host.container",
                                line != NULL   ? line
                                : kind != NULL ? kind
                                               : "none seen",
                                false);
    sy_free(line);
    return status;
}

/* What only the running program can tell: a recorded tree says nothing of it. */
static void add_build(const char *root, sy_identity_builder *builder)
{
    const bool live = root[0] == '\0';
    struct utsname host;
    const long page_bytes = sysconf(_SC_PAGESIZE);
    sy_identity_builder_add(builder, "host.architecture", live && uname(&host) == 0 ? host.machine : NULL, false);
    if (live && page_bytes > 0)
        sy_identity_builder_add_format(builder, "memory.page_size", false, "%ld B", page_bytes);
    else
        sy_identity_builder_add(builder, "memory.page_size", NULL, false);
#ifdef __GLIBC__
    if (live)
        sy_identity_builder_add_format(builder, "os.libc", false, "glibc %s", gnu_get_libc_version());
    else
        sy_identity_builder_add(builder, "os.libc", NULL, false);
#else
    sy_identity_builder_add(builder, "os.libc", NULL, false);
#endif
#if defined(__clang__)
    sy_identity_builder_add(builder, "build.compiler", live ? __VERSION__ : NULL, false); /* it says clang itself */
#elif defined(__GNUC__)
    sy_identity_builder_add(builder, "build.compiler", live ? "gcc " __VERSION__ : NULL, false);
#else
    sy_identity_builder_add(builder, "build.compiler", NULL, false);
#endif
    sy_identity_builder_add(builder, "build.steelyard", live ? sy_version() : NULL, false);
}

/* Appends word to a list parted by ", " unless it is there already. */
static void append_once(sy_text *list, const char *word)
{
    const size_t length = strlen(word);
    const char *at = sy_text_bytes(list);
    while (*at != '\0') {
        const size_t item = strcspn(at, ",");
        if (item == length && memcmp(at, word, length) == 0)
            return;
        at += item;
        at += strspn(at, ", ");
    }
    sy_text_append(list, list->length > 0 ? ", " : "");
    sy_text_append(list, word);
}

/* The governors of the processors that are online, each once. */
static sy_status add_governors(const char *root, hwloc_bitmap_t set, sy_identity_builder *builder, sy_error *err)
{
    bool known = false;
    sy_text list = SY_TEXT_INIT;
    sy_status status = sy_tree_read_cpus(root, set, &known, err, "/sys/devices/system/cpu/online");
    for (int cpu = hwloc_bitmap_first(set); known && status == SY_OK && cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
        char *line = NULL;
        status = sy_tree_read_line(root, &line, err, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
        if (status == SY_OK && line != NULL)
            append_once(&list, line);
        sy_free(line);
    }
    if (status == SY_OK && list.failed)
        status = no_memory(err);
    if (status == SY_OK)
        sy_identity_builder_add(builder, "cpu.governor", sy_text_bytes(&list), false);
    sy_text_finish(&list);
    return status;
}

/* The number of KiB behind `name` in a meminfo file ("Node 0 MemTotal:  65 kB", "MemTotal:  65 kB"). */
static bool find_memory_kib(const char *meminfo, const char *name, uint64_t *ret_kib)
{
    const char *at = meminfo != NULL ? strstr(meminfo, name) : NULL;
    uint64_t kib = 0;
    if (at == NULL)
        return false;
    at += strlen(name);
    at += strspn(at, ": \t");
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9' && kib < UINT64_C(1) << 50; at++)
        kib = kib * 10 + (uint64_t)(*at - '0');
    *ret_kib = kib;
    return true;
}

/* "node 0: 62 GiB (0-31), node 1: 63 GiB (32-63)", processors as the kernel numbers them. */
static sy_status append_node(const char *root, int node, hwloc_bitmap_t cpus, sy_text *text, sy_error *err)
{
    char *meminfo = NULL;
    char size[32] = "unknown";
    bool known = false;
    uint64_t kib = 0;
    sy_status status = sy_tree_read(root, &meminfo, err, "/sys/devices/system/node/node%d/meminfo", node);
    if (status == SY_OK)
        status = sy_tree_read_cpus(root, cpus, &known, err, "/sys/devices/system/node/node%d/cpulist", node);
    if (status == SY_OK) {
        if (find_memory_kib(meminfo, "MemTotal", &kib))
            sy_format_bytes(size, sizeof size, kib * 1024);
        sy_text_append_format(text, "%snode %d: %s", text->length > 0 ? ", " : "", node, size);
        if (known) {
            sy_text_append(text, " (");
            sy_topology_append_list(text, cpus);
            sy_text_append(text, ")");
        }
    }
    sy_free(meminfo);
    return status;
}

static sy_status add_memory(const char *root, hwloc_bitmap_t cpus, sy_identity_builder *builder, sy_error *err)
{
    char *meminfo = NULL;
    bool known = false;
    uint64_t kib = 0;
    sy_text text = SY_TEXT_INIT;
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    sy_status status = nodes != NULL ? SY_OK : no_memory(err);
    if (status == SY_OK)
        status = sy_tree_read_cpus(root, nodes, &known, err, "/sys/devices/system/node/online");
    for (int node = known ? hwloc_bitmap_first(nodes) : -1; status == SY_OK && node >= 0;
         node = hwloc_bitmap_next(nodes, node))
        status = append_node(root, node, cpus, &text, err);
    if (status == SY_OK)
        status = sy_tree_read(root, &meminfo, err, "/proc/meminfo");
    if (status == SY_OK && text.failed)
        status = no_memory(err);
    if (status == SY_OK) {
        sy_identity_builder_add(builder, "memory.numa", sy_text_bytes(&text), false);
        if (find_memory_kib(meminfo, "MemTotal", &kib))
            sy_identity_builder_add_format(builder, "memory.total", false, "%llu KiB", (unsigned long long)kib);
        else
            sy_identity_builder_add(builder, "memory.total", NULL, false);
        if (find_memory_kib(meminfo, "SwapTotal", &kib))
            sy_identity_builder_add_format(builder, "memory.swap", false, "%llu KiB", (unsigned long long)kib);
        else
            sy_identity_builder_add(builder, "memory.swap", NULL, false);
    }
    sy_free(meminfo);
    hwloc_bitmap_free(nodes);
    sy_text_finish(&text);
    return status;
}

sy_status sy_facts_add_host(const char *root, sy_identity_builder *builder, sy_error *err)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        return no_memory(err);
    sy_status status = add_lines(root, builder, err);
    if (status == SY_OK)
        status = add_distribution(root, builder, err);
    if (status == SY_OK)
        status = add_container(root, builder, err);
    if (status == SY_OK)
        status = add_frequency(root, builder, err);
    if (status == SY_OK)
        status = add_governors(root, set, builder, err);
    if (status == SY_OK)
        status = add_memory(root, set, builder, err);
    if (status == SY_OK)
        add_build(root, builder);
    hwloc_bitmap_free(set);
    return status;
}
