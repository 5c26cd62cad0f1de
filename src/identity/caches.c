/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of caches and which usable processors share them. The kernel's files are read first, on this machine as in a
 * recorded tree; where a running kernel has none, hwloc asks the processor itself. hwloc is not asked first because it
 * loads every plug-in that is installed, OpenCL's among them, and can be told by its own environment variables to
 * describe another machine. */
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "identity/topology.h"
#include "identity/tree.h"

typedef struct cache {
    int level;
    char type;           /* 'd' data, 'i' instructions, 'u' both */
    int index;           /* the kernel's number of it within a processor; -1 from hwloc */
    uint64_t size_bytes; /* 0 = not known */
    hwloc_bitmap_t cpus; /* that share it; empty = not known */
} cache;

typedef struct cache_list {
    cache *items;
    size_t count;
    size_t capacity;
} cache_list;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the description of caches");
}

static void finish_list(cache_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        hwloc_bitmap_free(list->items[i].cpus);
    sy_free(list->items);
}

/* Appends a copy of *entry; cpus is copied too. */
static sy_status append_cache(cache_list *list, const cache *entry, sy_error *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 32 : list->capacity * 2;
        cache *items = sy_reallocate(list->items, capacity, sizeof *items);
        if (items == NULL)
            return no_memory(err);
        list->items = items;
        list->capacity = capacity;
    }
    hwloc_bitmap_t cpus = hwloc_bitmap_dup(entry->cpus);
    if (cpus == NULL)
        return no_memory(err);
    list->items[list->count] = *entry;
    list->items[list->count++].cpus = cpus;
    return SY_OK;
}

/* ---- the kernel's files ---- */

/* "32K", "16384K", "4M": bytes; 0 when it is something else. */
static uint64_t parse_size(const char *text)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value < UINT64_C(1) << 40; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    unsigned shift = 0;
    if (*at == 'K')
        shift = 10;
    else if (*at == 'M')
        shift = 20;
    else if (*at == 'G')
        shift = 30;
    if (shift != 0)
        at++;
    return *at == '\0' && value < UINT64_C(1) << 33 ? value << shift : 0;
}

static bool already_read(const cache_list *list, int index, int cpu)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].index == index && hwloc_bitmap_isset(list->items[i].cpus, (unsigned)cpu))
            return true;
    return false;
}

#define CACHE_FOLDER "/sys/devices/system/cpu/cpu%d/cache/index%d"

/* Reads one cache of one processor. *ret_found false: it has no such index. */
static sy_status read_cache(const char *root, int cpu, int index, cache *entry, bool *ret_found, sy_error *err)
{
    char *level = NULL;
    char *type = NULL;
    char *size = NULL;
    bool sharing_known = false;
    uint64_t level_number = 0;
    sy_status status = sy_tree_read_line(root, &level, err, CACHE_FOLDER "/level", cpu, index);
    if (status == SY_OK && level != NULL)
        status = sy_tree_read_line(root, &type, err, CACHE_FOLDER "/type", cpu, index);
    if (status == SY_OK && level != NULL)
        status = sy_tree_read_line(root, &size, err, CACHE_FOLDER "/size", cpu, index);
    if (status == SY_OK && level != NULL)
        status = sy_tree_read_cpus(root, entry->cpus, &sharing_known, err, CACHE_FOLDER "/shared_cpu_list", cpu, index);
    if (status != SY_OK)
        goto out;
    *ret_found = level != NULL && sy_parse_u64(level, &level_number, NULL) == SY_OK && level_number <= 9;
    if (!*ret_found)
        goto out;
    entry->level = (int)level_number;
    entry->index = index;
    entry->size_bytes = size != NULL && sharing_known ? parse_size(size) : 0;
    entry->type = 'u';
    if (type != NULL && strcmp(type, "Data") == 0)
        entry->type = 'd';
    else if (type != NULL && strcmp(type, "Instruction") == 0)
        entry->type = 'i';
    if (!sharing_known)
        hwloc_bitmap_only(entry->cpus, (unsigned)cpu);
out:
    sy_free(level);
    sy_free(type);
    sy_free(size);
    return status;
}

static sy_status read_kernel_caches(const char *root, hwloc_const_bitmap_t usable, cache_list *list, sy_error *err)
{
    sy_status status = SY_OK;
    cache entry = {.cpus = hwloc_bitmap_alloc()};
    if (entry.cpus == NULL)
        return no_memory(err);
    for (int cpu = hwloc_bitmap_first(usable); cpu >= 0 && status == SY_OK; cpu = hwloc_bitmap_next(usable, cpu)) {
        bool found = true;
        for (int index = 0; found && index < 16 && status == SY_OK; index++) {
            if (already_read(list, index, cpu))
                continue;
            status = read_cache(root, cpu, index, &entry, &found, err);
            if (status == SY_OK && found)
                status = append_cache(list, &entry, err);
        }
    }
    hwloc_bitmap_free(entry.cpus);
    return status;
}

/* ---- hwloc ---- */

static sy_status copy_hwloc_caches(hwloc_topology_t topology, cache_list *list, sy_error *err)
{
    for (hwloc_obj_type_t type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; type++) {
        hwloc_obj_t object = NULL;
        while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL) {
            cache entry = {.level = (int)object->attr->cache.depth,
                           .type = 'u',
                           .index = -1,
                           .size_bytes = object->attr->cache.size,
                           .cpus = object->cpuset};
            if (object->attr->cache.type == HWLOC_OBJ_CACHE_DATA)
                entry.type = 'd';
            else if (object->attr->cache.type == HWLOC_OBJ_CACHE_INSTRUCTION)
                entry.type = 'i';
            sy_status status = append_cache(list, &entry, err);
            if (status != SY_OK)
                return status;
        }
    }
    return SY_OK;
}

static sy_status read_hwloc_caches(cache_list *list, sy_error *err)
{
    hwloc_topology_t topology = NULL;
    sy_status status = SY_OK;
    /* Where /sys is not mounted, hwloc would say so on standard error, and know nothing. */
    if (access("/sys/devices/system/cpu/cpu0/topology", X_OK) != 0)
        return SY_OK;
    if (hwloc_topology_init(&topology) != 0)
        return no_memory(err);
    /* A failure to load leaves the caches unknown, which is an answer. */
    if (hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
        hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
        hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology))
        status = copy_hwloc_caches(topology, list, err);
    hwloc_topology_destroy(topology);
    return status;
}

/* ---- text ---- */

static int compare_caches(const void *a, const void *b)
{
    const cache *x = a;
    const cache *y = b;
    if (x->level != y->level)
        return x->level - y->level;
    if (x->type != y->type)
        return x->type - y->type;
    return hwloc_bitmap_first(x->cpus) - hwloc_bitmap_first(y->cpus);
}

/* True when b holds the members of a, each `step` higher, and nothing else. */
static bool is_shifted(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b, int step)
{
    if (hwloc_bitmap_weight(a) != hwloc_bitmap_weight(b))
        return false;
    for (int at = hwloc_bitmap_first(a); at >= 0; at = hwloc_bitmap_next(a, at))
        if (!hwloc_bitmap_isset(b, (unsigned)(at + step)))
            return false;
    return true;
}

static void append_size(sy_text *text, uint64_t bytes)
{
    /* Exact, unlike sizes for people: 1.25 MiB and 1.2 MiB are two machines. */
    if (bytes % (UINT64_C(1) << 20) == 0)
        sy_text_append_format(text, "%llu MiB", (unsigned long long)(bytes >> 20));
    else if (bytes % 1024 == 0)
        sy_text_append_format(text, "%llu KiB", (unsigned long long)(bytes >> 10));
    else
        sy_text_append_format(text, "%llu B", (unsigned long long)bytes);
}

/* "2 MiB x 4 (0-1, 2 apart)": four caches, the first of processors 0 and 1, the next of 2 and 3. Another size or
 * pattern follows behind " + ". Returns false when a size or a sharing is not known. */
static bool append_caches(const cache *caches, size_t count, sy_text *text)
{
    for (size_t i = 0; i < count;) {
        size_t run = 1;
        int step = 0;
        if (caches[i].size_bytes == 0)
            return false;
        if (i + 1 < count)
            step = hwloc_bitmap_first(caches[i + 1].cpus) - hwloc_bitmap_first(caches[i].cpus);
        while (i + run < count && caches[i + run].size_bytes == caches[i].size_bytes &&
               is_shifted(caches[i + run - 1].cpus, caches[i + run].cpus, step))
            run++;
        sy_text_append(text, i > 0 ? " + " : "");
        append_size(text, caches[i].size_bytes);
        sy_text_append_format(text, " x %zu (", run);
        sy_topology_append_list(text, caches[i].cpus);
        if (run > 1)
            sy_text_append_format(text, ", %d apart", step);
        sy_text_append(text, ")");
        i += run;
    }
    return true;
}

/* Numbers the processors of each cache by their rank among the usable ones, and drops caches that none of them has. */
static sy_status rank_caches(cache_list *list, hwloc_const_bitmap_t usable, sy_error *err)
{
    size_t kept = 0;
    hwloc_bitmap_t ranks = hwloc_bitmap_alloc();
    sy_status status = ranks != NULL ? SY_OK : no_memory(err);
    for (size_t i = 0; i < list->count && status == SY_OK; i++) {
        cache *entry = &list->items[i];
        status = sy_topology_rank(entry->cpus, usable, ranks, err);
        if (status == SY_OK && hwloc_bitmap_copy(entry->cpus, ranks) != 0)
            status = no_memory(err);
        if (status != SY_OK || hwloc_bitmap_iszero(ranks))
            continue;
        const cache moved = *entry;
        *entry = list->items[kept];
        list->items[kept++] = moved;
    }
    while (status == SY_OK && list->count > kept)
        hwloc_bitmap_free(list->items[--list->count].cpus);
    hwloc_bitmap_free(ranks);
    return status;
}

static sy_status add_texts(cache_list *list, sy_identity_builder *builder, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_status status = SY_OK;
    if (list->count == 0) /* qsort takes no null pointer */
        sy_identity_builder_add(builder, "cpu.cache", NULL, true);
    else
        qsort(list->items, list->count, sizeof list->items[0], compare_caches);
    for (size_t i = 0; i < list->count && status == SY_OK;) {
        const cache *first = &list->items[i];
        size_t count = 1;
        while (i + count < list->count && first[count].level == first->level && first[count].type == first->type)
            count++;
        char name[24] = "cpu.cache.l0?";
        name[11] = (char)('0' + first->level);
        name[12] = first->type == 'u' ? '\0' : first->type;
        sy_text_clear(&text);
        const bool known = append_caches(first, count, &text);
        if (text.failed)
            status = no_memory(err);
        else
            sy_identity_builder_add(builder, name, known ? sy_text_bytes(&text) : NULL, true);
        i += count;
    }
    sy_text_finish(&text);
    return status;
}

static sy_status add_list(cache_list *list, hwloc_const_bitmap_t usable, sy_identity_builder *builder, sy_error *err)
{
    sy_status status = rank_caches(list, usable, err);
    return status == SY_OK ? add_texts(list, builder, err) : status;
}

sy_status sy_topology_add_caches_by_hwloc(hwloc_const_bitmap_t usable, sy_identity_builder *builder, sy_error *err)
{
    cache_list list = {NULL, 0, 0};
    sy_status status = read_hwloc_caches(&list, err);
    if (status == SY_OK)
        status = add_list(&list, usable, builder, err);
    finish_list(&list);
    return status;
}

sy_status sy_topology_add_caches(const char *root, hwloc_const_bitmap_t usable, sy_identity_builder *builder,
                                 sy_error *err)
{
    cache_list list = {NULL, 0, 0};
    sy_status status = read_kernel_caches(root, usable, &list, err);
    const bool ask_hwloc = list.count == 0 && root[0] == '\0';
    if (status == SY_OK && !ask_hwloc)
        status = add_list(&list, usable, builder, err);
    finish_list(&list);
    if (status == SY_OK && ask_hwloc)
        status = sy_topology_add_caches_by_hwloc(usable, builder, err);
    return status;
}
