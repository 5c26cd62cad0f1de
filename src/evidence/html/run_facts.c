/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a run as names and values, so that two runs can be held against each other field by field. */
#include "evidence/html/run_facts.h"

#include <string.h>

#include "base/error.h"

typedef struct facts {
    sy_arena *arena;
    sy_named_text *fields;
    size_t count;
    size_t most;
    bool failed;
} facts;

static void add(facts *f, const char *group, const char *name, const char *value)
{
    const char *known = value == NULL || value[0] == '\0' || strcmp(value, "unknown") == 0 ? NULL : value;
    const char *full = group[0] != '\0' ? sy_arena_format(f->arena, "%s.%s", group, name) : name;
    if (full == NULL || f->count == f->most) {
        f->failed = true;
        return;
    }
    f->fields[f->count++] = (sy_named_text){full, known};
}

static void add_flag(facts *f, const char *group, const char *name, int flag)
{
    add(f, group, name, flag < 0 ? NULL : flag > 0 ? "yes" : "no");
}

static void add_all(facts *f, const char *group, const sy_named_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(f, group, texts[i].name, texts[i].value);
    }
}

static void add_begin(facts *f, const sy_run_begin *begin)
{
    enum { OTHERS = 16 };
    const sy_run_source *source = &begin->source;
    const sy_run_place *place = &begin->place;
    f->most = begin->key.field_count + place->identity.field_count + begin->input_count + begin->parameter_count +
              OTHERS;
    f->fields = sy_arena_allocate(f->arena, f->most, sizeof *f->fields);
    f->failed = f->fields == NULL;
    if (f->failed) {
        return;
    }
    add_all(f, "key", begin->key.fields, begin->key.field_count);
    add(f, "source", "revision", source->revision);
    add(f, "source", "branch", source->branch);
    add_flag(f, "source", "dirty", source->dirty);
    add(f, "source", "difference", source->diff_digest);
    add(f, "place", "host", place->host);
    add(f, "place", "backend", place->backend);
    add(f, "place", "device", place->device);
    add(f, "place", "description", place->description);
    add_flag(f, "place", "hardware", place->hardware);
    for (size_t i = 0; i < place->identity.field_count; i++) {
        add(f, "identity", place->identity.fields[i].name, place->identity.fields[i].value);
    }
    add(f, "run", "protocol", begin->protocol);
    add(f, "run", "cache state", begin->cache_state);
    add(f, "run", "timing boundary", begin->timing_boundary);
    add_all(f, "input", begin->inputs, begin->input_count);
    add_all(f, "parameter", begin->parameters, begin->parameter_count);
}

sy_status sy_run_facts_differ(const sy_run *run, const sy_run *other, sy_arena *arena,
                              const sy_key_difference **ret_differences, size_t *ret_count, sy_error *err)
{
    facts here = {.arena = arena}, there = {.arena = arena};
    sy_key_difference_list *list = NULL;
    size_t count = 0;
    add_begin(&here, &run->begin);
    add_begin(&there, &other->begin);
    if (here.failed || there.failed) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for what two runs differ in");
    }
    const sy_comparison_key a = {here.fields, here.count}, b = {there.fields, there.count};
    sy_status status = sy_comparison_key_diff(&a, &b, &list, err);
    if (status != SY_OK) {
        return status;
    }
    sy_key_difference *kept = sy_arena_allocate(arena, list->field_count + 1, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < list->field_count; i++) {
        const sy_key_difference *field = &list->fields[i];
        if (!field->agrees && (field->a != NULL || field->b != NULL)) {
            kept[count++] = *field;
        }
    }
    sy_key_difference_list_destroy(list);
    if (kept == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for what two runs differ in");
    }
    *ret_differences = kept;
    *ret_count = count;
    return SY_OK;
}
