/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of --assign to operations and their devices; what is done with them is the command's business. */
#include "assigned.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

void cli_assigned_close(cli_assigned *assigned)
{
    free(assigned->list);
    sy_assignment_destroy(assigned->assignment);
    free(assigned->places);
    free(assigned->operations);
    sy_device_close(assigned->scripted);
    sy_assignment_devices_destroy(assigned->devices);
    sy_backends_free(assigned->backends);
    *assigned = (cli_assigned){.count = 0};
}

/* ---- the table ---- */

static void add_operation(cli_assigned *e, const char *name)
{
    for (size_t i = 0; i < e->operation_count; i++) {
        assert(e->operations[i].name != NULL);
        if (strcmp(e->operations[i].name, name) == 0)
            return;
    }
    e->operations[e->operation_count++] = (sy_assignment_module){name, NULL};
}

/* The script's device joins those of this build in the place of its backend, which has none without a script. */
static sy_status open_script(const cli_target_arguments *arguments, cli_assigned *e, sy_error *err)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;

    if (arguments->script == NULL)
        return SY_OK;
    options.script = arguments->script;
    for (size_t i = 0; i < e->devices->count; i++) {
        if (strcmp(e->places[i].name, "fake") == 0)
            e->places[i].absent = NULL;
    }
    return sy_device_open("fake", &options, &e->scripted, err);
}

/* Every operation that any device has, each once. */
static sy_status list_operations(cli_assigned *e, size_t backend_count, sy_error *err)
{
    size_t most = 0;

    for (size_t b = 0; b < backend_count; b++)
        most += e->backends[b].implementation_count;
    for (size_t i = 0; e->scripted != NULL && sy_device_suite_at(e->scripted, i) != NULL; i++)
        most++;
    e->operations = calloc(most + 1, sizeof(*e->operations));
    if (e->operations == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the list of operations");
    for (size_t b = 0; b < backend_count; b++) {
        for (size_t i = 0; i < e->backends[b].implementation_count; i++)
            add_operation(e, e->backends[b].implementations[i].operation);
    }
    for (size_t i = 0; e->scripted != NULL && sy_device_suite_at(e->scripted, i) != NULL; i++)
        add_operation(e, sy_device_suite_at(e->scripted, i)->operation);
    return SY_OK;
}

static sy_status make_table(const cli_target_arguments *arguments, cli_assigned *e, sy_assignment_table *ret_table,
                            sy_error *err)
{
    size_t backend_count = 0;
    sy_status status = sy_backends_list(&e->backends, &backend_count, err);

    if (status == SY_OK)
        status = sy_assignment_devices_of(e->backends, backend_count, &e->devices, err);
    if (status != SY_OK)
        return status;
    e->places = calloc(e->devices->count, sizeof(*e->places));
    if (e->places == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the list of devices");
    memcpy(e->places, e->devices->devices, e->devices->count * sizeof(*e->places));
    status = open_script(arguments, e, err);
    if (status == SY_OK)
        status = list_operations(e, backend_count, err);
    ret_table->modules = e->operations;
    ret_table->module_count = e->operation_count;
    ret_table->devices = e->places;
    ret_table->device_count = e->devices->count;
    ret_table->module_word = "operation";
    return status;
}

/* ---- what is meant ---- */

/* Whether the operation has the cases that were named. */
static sy_status try_cases(const cli_names *cases, const sy_suite *suite, sy_error *err)
{
    size_t *chosen = calloc(suite->case_count, sizeof(*chosen));
    size_t count = 0;
    sy_status status;

    if (chosen == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the cases");
    status = sy_suite_select_cases(suite, (const char *const *)cases->names, cases->count, chosen, &count, err);
    free(chosen);
    return status == SY_NOT_FOUND ? SY_INVALID_ARGUMENT : status;
}

/* Whether a device can be opened and has the operation and its cases; SY_NOT_FOUND: it has not the operation. */
static sy_status try_errand(const cli_target_arguments *arguments, const cli_errand *what, sy_error *err)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    bool is_fake = strcmp(what->device, "fake") == 0;
    sy_status status;

    options.threads = arguments->threads;
    options.script = is_fake ? arguments->script : NULL;
    status = sy_device_open(what->device, &options, &device, err);
    if (status == SY_OK)
        status = sy_device_suite(device, what->operation, &suite, err);
    if (status == SY_OK)
        status = try_cases(&arguments->cases, suite, err);
    sy_device_close(device);
    return status;
}

/* One operation on each of its devices. What only the default sends there goes where the device has it. */
static sy_status add_choice(const cli_target_arguments *arguments, cli_assigned *e, const sy_assignment_choice *choice,
                            bool is_asked, sy_error *err)
{
    for (size_t i = 0; i < choice->device_count; i++) {
        const cli_errand one = {choice->module, choice->names[i]};
        sy_status status = try_errand(arguments, &one, err);

        if (status == SY_NOT_FOUND && !is_asked)
            continue;
        if (status != SY_OK)
            return status;
        e->list[e->count++] = one;
    }
    return SY_OK;
}

/* The choice that stands next in the text; behind the last of these, those that only the default speaks of. NULL behind
 * all. *place is where the one before stood, at first 0. */
static const sy_assignment_choice *next_choice(const cli_assigned *e, uint64_t *place, size_t *rest)
{
    const sy_assignment_choice *next = NULL;

    for (size_t m = 0; m < e->operation_count; m++) {
        const sy_assignment_choice *choice = &e->assignment->modules[m];

        if (choice->stated && choice->position.column > *place &&
            (next == NULL || choice->position.column < next->position.column))
            next = choice;
    }
    if (next != NULL)
        *place = next->position.column;
    while (next == NULL && *rest < e->operation_count) {
        const sy_assignment_choice *choice = &e->assignment->modules[(*rest)++];

        next = choice->stated ? NULL : choice;
    }
    return next;
}

static sy_status refuse_nothing(const char *assign, const char *only, sy_error *err)
{
    if (only != NULL) {
        (void)cli_fail(err, SY_NOT_FOUND, "no OPERATION '%s'", only);
        cli_hint(err, "steelyard backends lists them");
        return SY_NOT_FOUND;
    }
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--assign %s: nothing is assigned", assign);
    cli_hint(err, "--assign attention=cpu names an operation and its device; all=cpu means every operation");
    return SY_INVALID_ARGUMENT;
}

static sy_status make_list(const cli_target_arguments *arguments, const char *assign, const cli_operands *operands,
                           cli_assigned *e, sy_error *err)
{
    const char *only = operands->count > 0 ? operands->words[0] : NULL;
    const sy_assignment_choice *choice;
    uint64_t place = 0;
    size_t rest = 0;
    size_t most = 0;
    sy_status status = SY_OK;

    for (size_t m = 0; m < e->operation_count; m++)
        most += e->assignment->modules[m].device_count;
    e->list = calloc(most + 1, sizeof(*e->list));
    if (e->list == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for a list of weighings");
    while (status == SY_OK && (choice = next_choice(e, &place, &rest)) != NULL) {
        bool is_named = only != NULL && strcmp(only, choice->module) == 0;

        if (only != NULL ? is_named : choice->stated || e->assignment->fallback.stated)
            status = add_choice(arguments, e, choice, is_named || choice->stated, err);
    }
    return status != SY_OK || e->count > 0 ? status : refuse_nothing(assign, only, err);
}

static void say_overruled(const sy_assignment *assignment)
{
    char line[256];

    for (size_t i = 0; i < assignment->overruled_count; i++) {
        (void)snprintf(line, sizeof(line), "--assign: '%.80s' is overruled by '%.80s'", assignment->overruled[i].part,
                       assignment->overruled[i].by);
        cli_remark(line);
    }
}

/* A mistake in the text is one of usage, also where it is too long. */
static int report_mistake(const char *command, const char *assign, sy_error *err)
{
    if (err->status == SY_LIMIT_EXCEEDED)
        err->status = SY_INVALID_ARGUMENT;
    return cli_report_in(command, "--assign ", assign, ",&=", err);
}

static sy_status check(const cli_target_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    if (strcmp(arguments->backend, "cpu") != 0)
        return cli_assigned_refuse("--backend", "the assignment says where: all=DEVICE", err);
    if (operands->count > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one OPERATION at a time", operands->words[1]);
    if (operands->count == 1 && cli_target_is_plugin(operands->words[0]))
        return cli_assigned_refuse(operands->words[0], "a plugin runs on one device: --backend DEVICE", err);
    return SY_OK;
}

sy_status cli_assigned_refuse(const char *option, const char *hint, sy_error *err)
{
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "%s: not with --assign", option);
    cli_hint(err, "%s", hint);
    return SY_INVALID_ARGUMENT;
}

int cli_assigned_open(const char *command, const cli_target_arguments *arguments, const char *assign, bool quiet,
                      const cli_operands *operands, cli_assigned *ret_assigned)
{
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    sy_error err = SY_ERROR_INIT;
    sy_status status = check(arguments, operands, &err);

    *ret_assigned = (cli_assigned){.count = 0};
    if (status == SY_OK)
        status = make_table(arguments, ret_assigned, &table, &err);
    if (status == SY_OK) {
        status = sy_assignment_parse(&table, assign, &ret_assigned->assignment, &err);
        if (status != SY_OK)
            return report_mistake(command, assign, &err);
    }
    if (status == SY_OK && !quiet)
        say_overruled(ret_assigned->assignment);
    if (status == SY_OK)
        status = make_list(arguments, assign, operands, ret_assigned, &err);
    return status == SY_OK ? -1 : cli_report(command, arguments->script, &err);
}

void cli_assigned_aim(const cli_errand *what, const char *script, cli_target_arguments *target,
                      cli_operands *ret_operands)
{
    assert(what->operation != NULL && what->device != NULL);
    target->backend = what->device;
    target->script = strcmp(what->device, "fake") == 0 ? script : NULL;
    *ret_operands = (cli_operands){.words = {what->operation}, .count = 1, .before = 1};
}
