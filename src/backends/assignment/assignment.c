/* SPDX-License-Identifier: Apache-2.0 */
/* Which module runs on which device: from a text to a choice for each module, and back. */
#include <string.h>

#include "backends/assignment/assignment_device.h"
#include "base/error.h"
#include "base/text.h"

/* The public part first; the arena owns the rest and this too. */
typedef struct owned_assignment {
    sy_assignment assignment;
    sy_arena *arena;
} owned_assignment;

/* ---- one part ---- */

/* The next name of a list of devices, without blanks; *at NULL behind the last. */
static sy_span next_device(sy_span value, const char **at)
{
    const char *from = *at;
    const size_t left = value.length - (size_t)(from - value.at);
    const char *joint = memchr(from, '&', left);
    *at = joint ? joint + 1 : NULL;
    return sy_span_trim((sy_span){from, joint ? (size_t)(joint - from) : left});
}

static sy_status no_device(const char *text, const sy_part *part, sy_span where, sy_error *err)
{
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "no device at one side of the '&'");
    return sy_part_failed(err, SY_INVALID_ARGUMENT, text, part, where);
}

/* Adds what one name means, unless the list has it. */
static sy_status add_device(const sy_assignment_table *table, const char *text, const sy_part *part, sy_span name,
                            size_t *devices, size_t *count, sy_error *err)
{
    size_t device = 0;
    sy_status status = SY_OK;
    if (name.length == 0)
        return no_device(text, part, name, err);
    if (*count == SY_ASSIGNMENT_DEVICES_MAX) {
        status = sy_fail(err, SY_LIMIT_EXCEEDED, "more than %d devices in a list", SY_ASSIGNMENT_DEVICES_MAX);
        return sy_part_failed(err, status, text, part, name);
    }
    status = sy_device_named(table, name, &device, err);
    for (size_t i = 0; !status && i < *count; i++)
        if (devices[i] == device)
            status = sy_fail(err, SY_INVALID_ARGUMENT, "device %s stands twice in the list",
                             sy_span_shown(sy_span_of(table->devices[device].name)).text);
    if (status)
        return sy_part_failed(err, status, text, part, name);
    devices[(*count)++] = device;
    return SY_OK;
}

static void explain_module_alone(const sy_assignment_table *table, const sy_part *part, sy_error *err)
{
    for (size_t m = 0; !part->key.at && m < table->module_count; m++)
        if (sy_module_name_alike(part->value, sy_span_of(table->modules[m].name)))
            sy_error_hint(err, "its device is missing: %s=DEVICE", sy_span_shown(part->value).text);
}

/* The devices of a part, of which there are at most SY_ASSIGNMENT_DEVICES_MAX. */
static sy_status read_devices(const sy_assignment_table *table, const char *text, const sy_part *part, size_t *devices,
                              size_t *ret_count, sy_error *err)
{
    sy_status status = SY_OK;
    *ret_count = 0;
    for (const char *at = part->value.at; !status && at;) {
        const sy_span name = next_device(part->value, &at);
        status = add_device(table, text, part, name, devices, ret_count, err);
    }
    if (status == SY_NOT_FOUND && err)
        explain_module_alone(table, part, err);
    return status;
}

static sy_status fill_choice(const sy_assignment_table *table, const size_t *devices, size_t count, sy_arena *arena,
                             sy_assignment_choice *to, sy_error *err)
{
    size_t *indices = sy_arena_allocate(arena, count, sizeof *indices);
    const char **names = sy_arena_allocate(arena, count, sizeof *names);
    bool done = indices && names;
    for (size_t i = 0; done && i < count; i++) {
        indices[i] = devices[i];
        names[i] = sy_arena_copy_text(arena, table->devices[devices[i]].name);
        done = names[i] != NULL;
    }
    if (!done)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an assignment");
    to->devices = indices;
    to->names = names;
    to->device_count = count;
    return SY_OK;
}

/* ---- all parts ---- */

/* A part that is overruled is read all the same: a mistake in it is one. */
static sy_status take_part(const sy_assignment_table *table, const char *text, const sy_part *part, sy_arena *arena,
                           sy_assignment_choice *fallback, sy_assignment_choice *modules, sy_error *err)
{
    size_t devices[SY_ASSIGNMENT_DEVICES_MAX], count = 0;
    sy_assignment_choice *to = part->target == SY_PART_DEFAULT ? fallback : &modules[part->target];
    sy_status status = read_devices(table, text, part, devices, &count, err);
    if (status || !part->counts)
        return status;
    to->stated = true;
    to->position = sy_span_position(text, part->whole);
    return fill_choice(table, devices, count, arena, to, err);
}

/* Without a part for all, the word `default` stands for it. */
static sy_status take_default(const sy_assignment_table *table, sy_arena *arena, sy_assignment_choice *to,
                              sy_error *err)
{
    size_t device = 0;
    sy_status status = sy_device_named(table, sy_span_of("default"), &device, err);
    return status ? status : fill_choice(table, &device, 1, arena, to, err);
}

/* The modules that no part speaks of share the default's list. */
static sy_status name_modules(const sy_assignment_table *table, sy_arena *arena, const sy_assignment_choice *fallback,
                              sy_assignment_choice *modules, sy_error *err)
{
    for (size_t m = 0; m < table->module_count; m++) {
        if (!modules[m].stated) {
            modules[m] = *fallback;
            modules[m].stated = false;
            modules[m].position = (sy_position){0};
        }
        modules[m].module = sy_arena_copy_text(arena, table->modules[m].name);
        if (!modules[m].module)
            return sy_fail(err, SY_NO_MEMORY, "no memory for an assignment");
    }
    return SY_OK;
}

static sy_status read_parts(const sy_assignment_table *table, const char *text, sy_arena *arena, sy_assignment *to,
                            sy_error *err)
{
    sy_parts parts = {0};
    sy_assignment_choice *modules = sy_arena_allocate(arena, table->module_count, sizeof *modules);
    sy_status status = modules ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for an assignment");
    if (!status)
        status = sy_parts_read(table, text, arena, &parts, err);
    for (size_t i = 0; !status && i < parts.count; i++)
        status = take_part(table, text, &parts.parts[i], arena, &to->fallback, modules, err);
    if (!status && !to->fallback.stated)
        status = take_default(table, arena, &to->fallback, err);
    if (status)
        return status;
    to->fallback.module = "all";
    to->modules = modules;
    to->module_count = table->module_count;
    to->overruled = parts.overruled;
    to->overruled_count = parts.overruled_count;
    return name_modules(table, arena, &to->fallback, modules, err);
}

sy_status sy_assignment_parse(const sy_assignment_table *table, const char *text, sy_assignment **ret_assignment,
                              sy_error *err)
{
    sy_status status = sy_assignment_table_check(table, err);
    if (status)
        return status;
    sy_arena *arena = sy_arena_create(0);
    owned_assignment *owned = arena ? sy_arena_allocate(arena, 1, sizeof *owned) : NULL;
    status = owned ? read_parts(table, text, arena, &owned->assignment, err)
                   : sy_fail(err, SY_NO_MEMORY, "no memory for an assignment");
    if (status) {
        sy_arena_destroy(arena);
        return status;
    }
    owned->arena = arena;
    *ret_assignment = &owned->assignment;
    return SY_OK;
}

void sy_assignment_destroy(sy_assignment *assignment)
{
    if (assignment)
        sy_arena_destroy(((owned_assignment *)(void *)assignment)->arena);
}

/* ---- as text ---- */

static void write_choice(sy_text *text, const sy_assignment_choice *choice)
{
    if (!choice->stated)
        return;
    sy_text_append_format(text, "%s%s=", text->length > 0 ? "," : "", choice->module);
    for (size_t i = 0; i < choice->device_count; i++)
        sy_text_append_format(text, "%s%s", i > 0 ? "&" : "", choice->names[i]);
}

sy_status sy_assignment_text(const sy_assignment *assignment, char **ret_text, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    write_choice(&text, &assignment->fallback);
    for (size_t m = 0; m < assignment->module_count; m++)
        write_choice(&text, &assignment->modules[m]);
    char *taken = sy_text_take(&text);
    if (!taken)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the text of an assignment");
    *ret_text = taken;
    return SY_OK;
}
