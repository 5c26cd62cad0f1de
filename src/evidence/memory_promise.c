/* SPDX-License-Identifier: Apache-2.0 */
/* Memory figures against the least memory that a platform promises. */
#include "evidence/memory_promise.h"

#include <string.h>

#include "base/text.h"
#include "registry/matrix/settings.h"

const char *sy_run_memory_shortcoming(const sy_run_memory *memory)
{
    if (sy_memory_basis_is_signoff(memory->basis)) {
        return "";
    }
    return memory->basis == SY_MEMORY_ESTIMATE ? "an estimate; only what was physically so, or constrained, counts"
                                               : "calculated; only what was physically so, or constrained, counts";
}

/* What the device of a figure has: its own memory, or the host's; 0 = unknown. */
static uint64_t capacity_of(const sy_run *run, sy_memory_scope scope)
{
    bool of_device = scope == SY_MEMORY_DEVICE_ALLOCATED || scope == SY_MEMORY_DEVICE_USED;
    const char *text = sy_identity_get(&run->begin.place.identity, of_device ? "device.memory_bytes" : "memory.total");
    char digits[24] = "";
    uint64_t value = 0;
    size_t length = text != NULL ? strspn(text, "0123456789") : 0;
    if (length == 0 || length >= sizeof digits) {
        return 0;
    }
    memcpy(digits, text, length);
    if (sy_parse_u64(digits, &value, NULL) != SY_OK) {
        return 0;
    }
    return strcmp(text + length, " KiB") == 0 && value <= UINT64_MAX / 1024 ? value * 1024 : value;
}

const char *sy_memory_pre_check(const sy_run *run, const sy_run_memory *memory, uint64_t promised_bytes,
                                sy_arena *arena)
{
    char has[32], least[32];
    const char *shortcoming = sy_run_memory_shortcoming(memory);
    uint64_t capacity = capacity_of(run, memory->scope);
    if (shortcoming[0] != '\0') {
        return sy_arena_format(arena, "is %s", shortcoming);
    }
    if (memory->basis != SY_MEMORY_PHYSICAL || promised_bytes == 0 || capacity <= promised_bytes) {
        return "";
    }
    sy_format_bytes(has, sizeof has, capacity);
    sy_format_bytes(least, sizeof least, promised_bytes);
    return sy_arena_format(arena, "was found where there are %s; %s are promised to be enough", has, least);
}
