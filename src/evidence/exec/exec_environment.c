/* SPDX-License-Identifier: Apache-2.0 */
/* An environment by allow-list: what is not named does not reach a measured program, nor the ledger. */
#include "evidence/exec/exec_environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "identity/facts.h"
#include "record/private_text.h"

/* With another folder of leases a steelyard below this one would take the same device a second time. */
static const char *const always[] = {"PATH",   "HOME", "LANG",    "LANGUAGE",        "TZ",
                                     "TMPDIR", "USER", "LOGNAME", "STEELYARD_LEASES"};
static const char *const of_the_user[] = {"HOME", "USER", "LOGNAME"}; /* they name somebody */

typedef struct builder {
    const char **variables;
    size_t count;
} builder;

static size_t name_length(const char *variable)
{
    return strcspn(variable, "=");
}

static bool has_name(const char *variable, const char *name)
{
    size_t length = strlen(name);
    return strncmp(variable, name, length) == 0 && (variable[length] == '=' || variable[length] == '\0');
}

static bool is_one_of(const char *variable, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_name(variable, names[i]))
            return true;
    }
    return false;
}

static bool is_allowed(const char *variable)
{
    return is_one_of(variable, always, sizeof(always) / sizeof(always[0])) || strncmp(variable, "LC_", 3) == 0 ||
           sy_facts_variable_counts(variable);
}

/* In place of one of the same name. */
static void put(builder *b, const char *variable)
{
    size_t length = name_length(variable);
    for (size_t i = 0; i < b->count; i++) {
        if (name_length(b->variables[i]) == length && strncmp(b->variables[i], variable, length) == 0) {
            b->variables[i] = variable;
            return;
        }
    }
    b->variables[b->count++] = variable;
}

/* The caller's variable of that name, the first as getenv gives it; NULL = not set. */
static const char *find(const char *const *available, const char *name)
{
    for (size_t i = 0; available != NULL && available[i] != NULL; i++) {
        if (has_name(available[i], name) && available[i][strlen(name)] == '=')
            return available[i];
    }
    return NULL;
}

static sy_status put_more(builder *b, const sy_exec_wishes *wishes, sy_error *err)
{
    for (size_t i = 0; i < wishes->more_count; i++) {
        const char *variable = wishes->more[i];
        if (name_length(variable) == 0)
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' names no variable", variable);
        if (sy_text_begins(variable, "STEELYARD_RUN_"))
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is set by steelyard itself", variable);
        const char *set = strchr(variable, '=') != NULL ? variable : find(wishes->available, variable);
        if (set == NULL) {
            (void)sy_fail(err, SY_INVALID_ARGUMENT, "the variable '%s' is not set here", variable);
            sy_error_hint(err, "NAME=VALUE sets it for the command");
            return SY_INVALID_ARGUMENT;
        }
        put(b, set);
    }
    return SY_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_list(const char *const *list)
{
    size_t count = 0;
    while (list != NULL && list[count] != NULL)
        count++;
    return count;
}

sy_status sy_exec_environment(sy_arena *arena, const sy_exec_wishes *wishes, const char ***ret_variables,
                              size_t *ret_count, sy_error *err)
{
    size_t assigned = count_list(wishes->assignments);
    size_t most = count_list(wishes->available) + wishes->required_count + wishes->more_count + assigned;
    builder b = {.variables = sy_arena_allocate(arena, most + SY_EXEC_OWN_VARIABLES + 1, sizeof(*b.variables))};
    if (b.variables == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an environment");
    for (size_t i = count_list(wishes->available); i-- > 0;) {
        if (is_allowed(wishes->available[i]) && strchr(wishes->available[i], '=') != NULL)
            put(&b, wishes->available[i]);
    }
    sy_status status = put_more(&b, wishes, err);
    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < assigned; i++)
        put(&b, wishes->assignments[i]);
    for (size_t i = 0; i < wishes->required_count; i++) {
        const char *name = wishes->required[i];
        const char *set = find(wishes->available, name);
        bool is_put = false;
        for (size_t k = 0; k < b.count; k++)
            is_put = is_put || has_name(b.variables[k], name);
        if (!is_put && set == NULL) {
            (void)sy_fail(err, SY_UNAVAILABLE, "the gate needs the variable '%s', which is not set", name);
            sy_error_hint(err, "--env %s=VALUE sets it", name);
            return SY_UNAVAILABLE;
        }
        if (!is_put)
            put(&b, set);
    }
    if (b.count > 1)
        qsort(b.variables, b.count, sizeof(*b.variables), by_name);
    *ret_variables = b.variables;
    *ret_count = b.count;
    return SY_OK;
}

const sy_named_text *sy_exec_environment_record(const sy_exec_cleaner *cleaner, const char *const *variables,
                                                size_t count, size_t *ret_count)
{
    sy_named_text *recorded = sy_arena_allocate(cleaner->arena, count + 1, sizeof(*recorded));
    size_t used = 0;
    for (size_t i = 0; recorded != NULL && i < count; i++) {
        if (is_one_of(variables[i], of_the_user, sizeof(of_the_user) / sizeof(of_the_user[0])))
            continue;
        size_t length = name_length(variables[i]);
        const char *name = sy_arena_copy_bytes(cleaner->arena, variables[i], length);
        const char *value = sy_exec_clean(cleaner, variables[i] + length + 1);
        name = name == NULL ? NULL : sy_exec_clean(cleaner, name);
        value = name == NULL || value == NULL ? NULL : sy_private_clean_value(cleaner->arena, name, value);
        if (value == NULL)
            return NULL;
        recorded[used++] = (sy_named_text){name, value};
    }
    *ret_count = used;
    return recorded;
}
