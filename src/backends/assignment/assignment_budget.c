/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory each module may take: from a text of GiB to bytes, and back. */
#include <math.h>
#include <string.h>

#include "backends/assignment/assignment_part.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#define BYTES_A_GIB 0x1p30
#define BYTES_MAX 0x1p63

/* The public part first; the arena owns the rest and this too. */
typedef struct owned_budgets {
    sy_memory_budgets budgets;
    sy_arena *arena;
} owned_budgets;

/* The whole value as a finite number in the C locale. */
static bool read_number(sy_span value, double *ret_number)
{
    const char *end = value.at + value.length;
    if (sy_number_scan(value.at, end, false) != end)
        return false;
    *ret_number = sy_number_read(value.at, value.length);
    return true;
}

static sy_status refuse(const char *text, const sy_part *part, const char *why, const char *hint, sy_error *err)
{
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "'%s' %s", sy_span_shown(part->value).text, why);
    sy_error_hint(err, "%s", hint);
    return sy_part_failed(err, SY_INVALID_ARGUMENT, text, part, part->value);
}

static sy_status read_budget(const char *text, const sy_part *part, sy_memory_budget *ret_budget, sy_error *err)
{
    double number = 0;
    if (!read_number(part->value, &number))
        return refuse(text, part, "is no decimal number of GiB",
                      "a cap is written as 1.5, none as 0, and what must stay "
                      "free as -0.5",
                      err);
    const double bytes = round(fabs(number) * BYTES_A_GIB);
    if (!(bytes <= BYTES_MAX))
        return refuse(text, part, "is more than any memory", "the unit is GiB; the most is 8589934592", err);
    if (number != 0 && bytes < 1)
        return refuse(text, part, "is less than a byte", "0 means no limit", err);
    ret_budget->kind = number > 0 ? SY_BUDGET_CAP : number < 0 ? SY_BUDGET_FREE_MINUS : SY_BUDGET_OFF;
    ret_budget->bytes = (uint64_t)bytes;
    ret_budget->stated = true;
    ret_budget->position = sy_span_position(text, part->whole);
    return SY_OK;
}

/* Behind another part a bare number is the other half of a decimal comma more often than a budget for all. */
static sy_status check_bare(const char *text, const sy_part *part, size_t index, sy_error *err)
{
    if (part->key.at || index == 0)
        return SY_OK;
    return refuse(text, part, "has no module, behind another part",
                  "the decimal sign is '.', as in 1.5; a budget for all stands first, or as all=...", err);
}

static sy_status name_modules(const sy_assignment_table *table, sy_arena *arena, const sy_memory_budget *fallback,
                              sy_memory_budget *modules, sy_error *err)
{
    for (size_t m = 0; m < table->module_count; m++) {
        if (!modules[m].stated) {
            modules[m] = *fallback;
            modules[m].stated = false;
            modules[m].position = (sy_position){0};
        }
        modules[m].module = sy_arena_copy_text(arena, table->modules[m].name);
        if (!modules[m].module)
            return sy_fail(err, SY_NO_MEMORY, "no memory for budgets");
    }
    return SY_OK;
}

static sy_status read_parts(const sy_assignment_table *table, const char *text, sy_arena *arena, sy_memory_budgets *to,
                            sy_error *err)
{
    sy_parts parts = {0};
    sy_memory_budget *modules = sy_arena_allocate(arena, table->module_count, sizeof *modules);
    sy_status status = modules ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for budgets");
    if (!status)
        status = sy_parts_read(table, text, arena, &parts, err);
    for (size_t i = 0; !status && i < parts.count; i++) {
        const sy_part *part = &parts.parts[i];
        sy_memory_budget budget = {0};
        status = check_bare(text, part, i, err);
        if (!status)
            status = read_budget(text, part, &budget, err);
        if (!status && part->counts)
            *(part->target == SY_PART_DEFAULT ? &to->fallback : &modules[part->target]) = budget;
    }
    if (status)
        return status;
    to->fallback.module = "all";
    to->modules = modules;
    to->module_count = table->module_count;
    to->overruled = parts.overruled;
    to->overruled_count = parts.overruled_count;
    return name_modules(table, arena, &to->fallback, modules, err);
}

sy_status sy_memory_budgets_parse(const sy_assignment_table *table, const char *text, sy_memory_budgets **ret_budgets,
                                  sy_error *err)
{
    sy_status status = sy_assignment_table_check(table, err);
    if (status)
        return status;
    sy_arena *arena = sy_arena_create(0);
    owned_budgets *owned = arena ? sy_arena_allocate(arena, 1, sizeof *owned) : NULL;
    status = owned ? read_parts(table, text, arena, &owned->budgets, err)
                   : sy_fail(err, SY_NO_MEMORY, "no memory for budgets");
    if (status) {
        sy_arena_destroy(arena);
        return status;
    }
    owned->arena = arena;
    *ret_budgets = &owned->budgets;
    return SY_OK;
}

void sy_memory_budgets_destroy(sy_memory_budgets *budgets)
{
    if (budgets)
        sy_arena_destroy(((owned_budgets *)(void *)budgets)->arena);
}

/* A budget came from a double of GiB, or its bytes are below 2^53: either way the division is exact. */
static void write_budget(sy_text *text, const sy_memory_budget *budget)
{
    const double gib = (double)budget->bytes / BYTES_A_GIB;
    if (!budget->stated)
        return;
    sy_text_append_format(text, "%s%s=", text->length > 0 ? "," : "", budget->module);
    sy_text_append_double(text, budget->kind == SY_BUDGET_FREE_MINUS ? -gib : gib);
}

sy_status sy_memory_budgets_text(const sy_memory_budgets *budgets, char **ret_text, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    write_budget(&text, &budgets->fallback);
    for (size_t m = 0; m < budgets->module_count; m++)
        write_budget(&text, &budgets->modules[m]);
    char *taken = sy_text_take(&text);
    if (!taken)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the text of budgets");
    *ret_text = taken;
    return SY_OK;
}

uint64_t sy_memory_budget_bytes(const sy_memory_budget *budget, uint64_t free_bytes)
{
    switch (budget->kind) {
    case SY_BUDGET_CAP:
        return budget->bytes < free_bytes ? budget->bytes : free_bytes;
    case SY_BUDGET_FREE_MINUS:
        return budget->bytes < free_bytes ? free_bytes - budget->bytes : 0;
    case SY_BUDGET_OFF:
        break;
    }
    return UINT64_MAX;
}
