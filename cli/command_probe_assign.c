/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe --assign: from a text to operations and their devices, one weighing each, and the worst of their exit
 * codes. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/assignment.h>
#include <string.h>

#include "command_probe.h"
#include "message.h"

/* One weighing to come. */
typedef struct errand {
    const char *operation;
    const char *device;
} errand;

typedef struct errands {
    sy_backend_info *backends;
    sy_assignment_devices *devices;
    sy_device *scripted; /* open as long as its operations' names are needed; NULL without --script */
    sy_assignment_module *operations;
    size_t operation_count;
    sy_assignment_device *places; /* the devices, and the scripted one */
    sy_assignment *assignment;
    errand *list;
    size_t count;
    sy_probe_result **results;
} errands;

static void finish(errands *e)
{
    for (size_t i = 0; e->results != NULL && i < e->count; i++)
        sy_probe_result_destroy(e->results[i]);
    free(e->results);
    free(e->list);
    sy_assignment_destroy(e->assignment);
    free(e->places);
    free(e->operations);
    sy_device_close(e->scripted);
    sy_assignment_devices_destroy(e->devices);
    sy_backends_free(e->backends);
}

static sy_status refuse(const char *option, const char *hint, sy_error *err)
{
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "%s: not with --assign", option);
    cli_hint(err, "%s", hint);
    return SY_INVALID_ARGUMENT;
}

static sy_status check(const probe_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    if (cli_probe_means_programs(arguments, operands) || cli_programs_given(&arguments->programs) != NULL)
        return refuse("commands", "they run on no device", err);
    if (strcmp(arguments->target.backend, "cpu") != 0)
        return refuse("--backend", "the assignment says where: all=DEVICE", err);
    if (operands->count > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one OPERATION at a time", operands->words[1]);
    if (operands->count == 1 && cli_target_is_plugin(operands->words[0]))
        return refuse(operands->words[0], "a plugin runs on one device: --backend DEVICE", err);
    return SY_OK;
}

/* ---- the table ---- */

static void add_operation(errands *e, const char *name)
{
    for (size_t i = 0; i < e->operation_count; i++) {
        assert(e->operations[i].name != NULL);
        if (strcmp(e->operations[i].name, name) == 0)
            return;
    }
    e->operations[e->operation_count++] = (sy_assignment_module){name, NULL};
}

/* The script's device joins those of this build in the place of its backend, which has none without a script. */
static sy_status open_script(const probe_arguments *arguments, errands *e, sy_error *err)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;

    if (arguments->target.script == NULL)
        return SY_OK;
    options.script = arguments->target.script;
    for (size_t i = 0; i < e->devices->count; i++) {
        if (strcmp(e->places[i].name, "fake") == 0)
            e->places[i].absent = NULL;
    }
    return sy_device_open("fake", &options, &e->scripted, err);
}

/* Every operation that any device has, each once. */
static sy_status list_operations(errands *e, size_t backend_count, sy_error *err)
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

static sy_status make_table(const probe_arguments *arguments, errands *e, sy_assignment_table *ret_table, sy_error *err)
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

/* ---- what is to be weighed ---- */

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
static sy_status try_errand(const probe_arguments *arguments, const errand *what, sy_error *err)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    bool is_fake = strcmp(what->device, "fake") == 0;
    sy_status status;

    options.threads = arguments->target.threads;
    options.script = is_fake ? arguments->target.script : NULL;
    status = sy_device_open(what->device, &options, &device, err);
    if (status == SY_OK)
        status = sy_device_suite(device, what->operation, &suite, err);
    if (status == SY_OK)
        status = try_cases(&arguments->target.cases, suite, err);
    sy_device_close(device);
    return status;
}

/* One operation on each of its devices. What only the default sends there goes where the device has it. */
static sy_status add_choice(const probe_arguments *arguments, errands *e, const sy_assignment_choice *choice,
                            bool is_asked, sy_error *err)
{
    for (size_t i = 0; i < choice->device_count; i++) {
        const errand one = {choice->module, choice->names[i]};
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
static const sy_assignment_choice *next_choice(const errands *e, uint64_t *place, size_t *rest)
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

static sy_status refuse_nothing(const probe_arguments *arguments, const char *only, sy_error *err)
{
    if (only != NULL) {
        (void)cli_fail(err, SY_NOT_FOUND, "no OPERATION '%s'", only);
        cli_hint(err, "steelyard backends lists them");
        return SY_NOT_FOUND;
    }
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--assign %s: there is nothing to weigh", arguments->assign);
    cli_hint(err, "--assign attention=cpu names an operation and its device; all=cpu means every operation");
    return SY_INVALID_ARGUMENT;
}

static sy_status make_list(const probe_arguments *arguments, const cli_operands *operands, errands *e, sy_error *err)
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
    return status != SY_OK || e->count > 0 ? status : refuse_nothing(arguments, only, err);
}

static void say_overruled(const probe_arguments *arguments, const sy_assignment *assignment)
{
    char line[256];

    for (size_t i = 0; !arguments->common.quiet && i < assignment->overruled_count; i++) {
        (void)snprintf(line, sizeof(line), "--assign: '%.80s' is overruled by '%.80s'", assignment->overruled[i].part,
                       assignment->overruled[i].by);
        cli_remark(line);
    }
}

/* ---- weighing ---- */

static sy_status weigh(probe_arguments *arguments, const errand *what, sy_probe_result **ret_result, sy_error *err)
{
    const cli_operands operands = {.words = {what->operation}, .count = 1, .before = 1};
    const char *script = arguments->target.script;
    sy_status status;

    assert(what->operation != NULL && what->device != NULL);
    arguments->target.backend = what->device;
    if (strcmp(what->device, "fake") != 0)
        arguments->target.script = NULL;
    status = cli_probe_operation(arguments, &operands, ret_result, err);
    arguments->target.script = script;
    return status;
}

/* Also when a later one could not be weighed those before it are printed. */
static int weigh_all(probe_arguments *arguments, errands *e)
{
    int code = CLI_DONE;
    size_t done = 0;
    bool several = e->count > 1;
    double alpha = arguments->options.alpha;
    sy_error err = SY_ERROR_INIT;
    sy_status status = SY_OK;

    for (; status == SY_OK && done < e->count && code != CLI_INTERRUPTED; done++) {
        arguments->options.alpha = alpha; /* --save lowers it for a key that was probed before */
        status = weigh(arguments, &e->list[done], &e->results[done], &err);
        if (e->results[done] == NULL)
            break;
        code = cli_probe_worse(code, cli_probe_exit(arguments, e->results[done]));
        if (!(several && arguments->common.json)) {
            sy_error unprinted = SY_ERROR_INIT;
            sy_status printed = cli_probe_print(arguments, e->results[done], &unprinted);

            if (status == SY_OK && printed != SY_OK) {
                status = printed;
                err = unprinted;
            }
        }
    }
    if (several && done > 0) {
        sy_error unprinted = SY_ERROR_INIT;
        sy_status printed = cli_probe_print_all(arguments, (const sy_probe_result *const *)e->results, done,
                                                &unprinted);

        if (status == SY_OK && printed != SY_OK) {
            status = printed;
            err = unprinted;
        }
    }
    return status == SY_OK ? code : cli_report("probe", arguments->target.script, &err);
}

/* A mistake in the text is one of usage, also where it is too long. */
static int report_mistake(const probe_arguments *arguments, sy_error *err)
{
    if (err->status == SY_LIMIT_EXCEEDED)
        err->status = SY_INVALID_ARGUMENT;
    return cli_report_in("probe", "--assign ", arguments->assign, ",&=", err);
}

int cli_probe_assigned(probe_arguments *arguments, const cli_operands *operands)
{
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    errands e = {.count = 0};
    sy_error err = SY_ERROR_INIT;
    int code = -1;
    sy_status status = check(arguments, operands, &err);

    if (status == SY_OK)
        status = make_table(arguments, &e, &table, &err);
    if (status == SY_OK) {
        status = sy_assignment_parse(&table, arguments->assign, &e.assignment, &err);
        code = status == SY_OK ? -1 : report_mistake(arguments, &err);
    }
    if (status == SY_OK)
        say_overruled(arguments, e.assignment);
    if (status == SY_OK)
        status = make_list(arguments, operands, &e, &err);
    if (status == SY_OK) {
        e.results = calloc(e.count, sizeof(e.results[0]));
        status = e.results != NULL ? SY_OK : cli_fail(&err, SY_NO_MEMORY, "no memory for the results");
    }
    if (code < 0 && status == SY_OK) {
        cli_probe_standard_limits(arguments);
        code = weigh_all(arguments, &e);
    } else if (code < 0) {
        code = cli_report("probe", arguments->target.script, &err);
    }
    finish(&e);
    return code;
}
