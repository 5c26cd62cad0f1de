/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of identities: puts the groups of facts together and gives texts of the result. */
#include <steelyard/identity.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "identity/facts.h"

/* The identity is the first member, so that its address is the whole's. */
typedef struct described {
    sy_identity identity;
    sy_arena *arena;
} described;

/* 0 stands for "not known" in a device's description. */
static void add_known_number(sy_identity_builder *builder, const char *name, uint64_t value)
{
    if (value == 0)
        sy_identity_builder_add(builder, name, NULL, false);
    else
        sy_identity_builder_add_format(builder, name, false, "%llu", (unsigned long long)value);
}

/* What the caller hands in: it comes last, so that its word counts. */
static sy_status add_given(const sy_identity_options *options, sy_arena *arena, sy_identity_builder *builder,
                           sy_error *err)
{
    if (options->device != NULL) {
        const sy_device_info *device = options->device;
        sy_identity_builder_add(builder, "device.backend", device->backend, true);
        sy_identity_builder_add(builder, "device.description", device->description, true);
        sy_identity_builder_add(builder, "device.name", device->name, false);
        add_known_number(builder, "device.threads", device->threads);
        add_known_number(builder, "device.memory_bytes", device->memory_bytes);
    }
    for (size_t i = 0; i < options->software_count; i++) {
        const char *name = options->software[i].name;
        char *field = sy_arena_format(arena, "library.%s", name != NULL ? name : "");
        if (field == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for an identity");
        if (name == NULL || name[0] == '\0')
            return sy_fail(err, SY_INVALID_ARGUMENT, "software[%zu] has no name", i);
        sy_identity_builder_add(builder, field, options->software[i].version, true);
    }
    for (size_t i = 0; i < options->field_count; i++)
        sy_identity_builder_add(builder, options->fields[i].name, options->fields[i].value, options->fields[i].key);
    return SY_OK;
}

static sy_status describe_into(described *result, const sy_identity_options *options, sy_error *err)
{
    const char *root = options->root != NULL ? options->root : "";
    const char *const *environment = options->environment != NULL ? options->environment : (const char *const *)environ;
    sy_identity_builder *builder = sy_identity_builder_create(result->arena);
    if (builder == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an identity");
    sy_status status = sy_facts_add_processor(root, builder, err);
    if (status == SY_OK)
        status = sy_facts_add_allowance(root, builder, err);
    if (status == SY_OK)
        status = sy_facts_add_host(root, builder, err);
    if (status != SY_OK)
        return status;
    sy_facts_add_environment(environment, builder);
    status = add_given(options, result->arena, builder, err);
    if (status == SY_OK)
        status = sy_identity_builder_finish(builder, &result->identity, err);
    return status;
}

sy_status sy_identity_describe(const sy_identity_options *options, sy_identity **ret_identity, sy_error *err)
{
    const sy_identity_options defaults = SY_IDENTITY_OPTIONS_INIT;
    if (options == NULL)
        options = &defaults;
    if (options->struct_size != sizeof *options)
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size is %zu, not %zu: start it with SY_IDENTITY_OPTIONS_INIT",
                       options->struct_size, sizeof *options);
    sy_arena *arena = sy_arena_create(0);
    described *result = arena != NULL ? sy_arena_allocate(arena, 1, sizeof *result) : NULL;
    sy_status status = SY_NO_MEMORY;
    if (result == NULL) {
        (void)sy_fail(err, SY_NO_MEMORY, "no memory for an identity");
        goto out;
    }
    result->arena = arena;
    status = describe_into(result, options, err);
out:
    if (status == SY_OK)
        *ret_identity = &result->identity;
    else
        sy_arena_destroy(arena);
    return status;
}

void sy_identity_destroy(sy_identity *identity)
{
    if (identity != NULL)
        sy_arena_destroy(((described *)(void *)identity)->arena);
}

/* Hands a finished text over, or says that memory was short. */
static sy_status hand_over(sy_text *text, char **ret_text, sy_error *err)
{
    char *taken = text->failed ? NULL : sy_text_take(text);
    sy_text_finish(text);
    if (taken == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the text of an identity");
    *ret_text = taken;
    return SY_OK;
}

sy_status sy_identity_processor(const sy_identity *identity, char **ret_text, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_identity_append_key(identity, &text);
    return hand_over(&text, ret_text, err);
}

sy_status sy_identity_digest_text(const sy_identity *identity, char ret_digest[65], sy_error *err)
{
    sy_digest digest;
    sy_status status = sy_identity_digest(identity, &digest, err);
    if (status == SY_OK)
        sy_digest_format(&digest, ret_digest);
    return status;
}

sy_status sy_identity_diff(const sy_identity *here, const sy_identity *there, bool recorded_too, char **ret_text,
                           sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    (void)sy_identity_append_diff(here, there, recorded_too, &text);
    return hand_over(&text, ret_text, err);
}
