/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, questions and values from the options of the commands on profiles. What is missing is named by its option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argument_number.h"
#include "argument_time.h"
#include "command_profile.h"
#include "message.h"

bool cli_profile_has_key(const cli_profile_call *call)
{
    const cli_profile_arguments *a = &call->arguments;

    return a->backend != NULL || a->operator_name != NULL || a->implementation != NULL || a->model_digest != NULL ||
           a->processor != NULL || a->threads != 0 || a->structure.count > 0;
}

/* Parts NAME=VALUE in place: the names array owns its texts. */
static sy_status read_structure(cli_profile_call *call, sy_error *err)
{
    const cli_names *given = &call->arguments.structure;

    if (given->count == 0 || call->structure != NULL)
        return SY_OK;
    call->structure = calloc(given->count, sizeof(call->structure[0]));
    if (call->structure == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the structure");
    for (size_t i = 0; i < given->count; i++) {
        char *equals = strchr(given->names[i], '=');

        if (equals == NULL || equals == given->names[i])
            return cli_fail(err, SY_INVALID_ARGUMENT, "--structure %s: must be NAME=VALUE, such as dtype=f32",
                            given->names[i]);
        *equals = '\0';
        call->structure[i] = (sy_property){given->names[i], equals + 1};
        for (size_t j = 0; j < i; j++) {
            if (strcmp(call->structure[j].name, call->structure[i].name) == 0)
                return cli_fail(err, SY_INVALID_ARGUMENT, "--structure %s: is given twice", given->names[i]);
        }
    }
    return SY_OK;
}

sy_status cli_profile_partial_key(cli_profile_call *call, sy_profile_key *ret_key, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    sy_status status = read_structure(call, err);

    if (status != SY_OK)
        return status;
    *ret_key = (sy_profile_key){
        .backend = a->backend,
        .operator_name = a->operator_name,
        .implementation_version = a->implementation,
        .model_digest = a->model_digest,
        .processor = a->processor,
        .thread_count = a->threads,
        .structure = call->structure,
        .structure_count = a->structure.count,
    };
    return SY_OK;
}

/* The parts that every key has, and an exact part that is whole or not there. */
static sy_status check_key(const cli_profile_arguments *a, sy_error *err)
{
    const char *missing = a->backend == NULL          ? "backend"
                          : a->operator_name == NULL  ? "operator"
                          : a->implementation == NULL ? "implementation"
                                                      : NULL;
    bool exact = a->model_digest != NULL || a->processor != NULL || a->threads != 0;

    if (missing != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s is missing", missing);
    if (!exact && a->structure.count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "the key is not complete");
        cli_hint(err, "exact: --model-digest, --processor and --threads; portable: --structure NAME=VALUE");
        return SY_INVALID_ARGUMENT;
    }
    missing = a->model_digest == NULL ? "model-digest"
              : a->processor == NULL  ? "processor"
              : a->threads == 0       ? "threads"
                                      : NULL;
    if (!exact || missing == NULL)
        return SY_OK;
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s is missing", missing);
    cli_hint(err, "an exact key has --model-digest, --processor and --threads");
    return SY_INVALID_ARGUMENT;
}

sy_status cli_profile_key(cli_profile_call *call, sy_profile_key *ret_key, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    const char *exact = a->model_digest != NULL ? "model-digest"
                        : a->processor != NULL  ? "processor"
                        : a->threads != 0       ? "threads"
                                                : NULL;
    sy_status status;

    if (exact != NULL && a->structure.count > 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--structure and --%s are parts of different kinds of key", exact);
        cli_hint(err, "exact: --model-digest, --processor and --threads; portable: --structure alone");
        return SY_INVALID_ARGUMENT;
    }
    status = check_key(a, err);
    return status == SY_OK ? cli_profile_partial_key(call, ret_key, err) : status;
}

sy_status cli_profile_question(cli_profile_call *call, sy_lookup *ret_lookup, sy_error *err)
{
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_status status = check_key(&call->arguments, err);

    if (status == SY_OK)
        status = cli_profile_partial_key(call, &lookup.key, err);
    if (status != SY_OK)
        return status;
    lookup.force_portable = call->arguments.force_portable;
    lookup.require_evidence = call->arguments.require_evidence;
    *ret_lookup = lookup;
    return SY_OK;
}

static sy_status read_measurement(char *text, sy_measurement *ret_measurement, sy_error *err)
{
    char *equals = strchr(text, '=');
    char *colon = equals != NULL ? strchr(equals, ':') : NULL;
    char value[64];
    size_t length;
    double number;

    if (equals != NULL && equals != text) {
        length = colon != NULL ? (size_t)(colon - equals) - 1 : strlen(equals + 1);
        snprintf(value, sizeof(value), "%.*s", (int)(length < sizeof(value) ? length : 0), equals + 1);
        if (cli_number_double(value, &number)) {
            *equals = '\0';
            *ret_measurement = (sy_measurement){text, number, colon != NULL ? colon + 1 : ""};
            return SY_OK;
        }
    }
    return cli_fail(err, SY_INVALID_ARGUMENT,
                    "--measurement %s: must be NAME=VALUE[:UNIT] with a finite number, such as time=2.5:ms", text);
}

sy_status cli_profile_measurements(const cli_profile_call *call, sy_measurement **ret_list, sy_error *err)
{
    const cli_names *given = &call->arguments.measurements;
    sy_measurement *list = calloc(given->count + 1, sizeof(list[0]));
    sy_status status = SY_OK;

    if (list == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the measurements");
    for (size_t i = 0; status == SY_OK && i < given->count; i++)
        status = read_measurement(given->names[i], &list[i], err);
    if (status != SY_OK) {
        free(list);
        return status;
    }
    *ret_list = list;
    return SY_OK;
}

sy_status cli_profile_expiry(const cli_profile_call *call, int64_t *ret_utc_s, sy_error *err)
{
    const char *text = call->arguments.expires;
    int64_t value = 0;

    if (text != NULL && !cli_time_expiry(text, call->report.now_utc_s, &value))
        return cli_fail(
            err, SY_INVALID_ARGUMENT,
            "--expires %s: must be a span such as 30d or 12h, a day, or a time such as 2026-12-31T18:00:00Z", text);
    if (text != NULL && value <= call->report.now_utc_s)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--expires %s: is in the past", text);
    *ret_utc_s = value;
    return SY_OK;
}
