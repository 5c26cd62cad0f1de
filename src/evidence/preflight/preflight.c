/* SPDX-License-Identifier: Apache-2.0 */
/* Which checks a run has, in their order: what the registry says, what a person gave, what the machine tells, what the
 * runbook asks, and at the end whether the device can be had. */
#include "evidence/preflight/preflight.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/lease/lease.h"
#include "evidence/place.h"

void sy_preflight_add(sy_preflight *preflight, const char *name, int passed, bool required, const char *expected,
                      const char *found, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, found);
    (void)sy_format_list(text, sizeof text, found, arguments);
    va_end(arguments);
    if (preflight->count == preflight->capacity) {
        size_t capacity = preflight->capacity > 0 ? 2 * preflight->capacity : 16;
        sy_run_check *checks = sy_arena_allocate(preflight->arena, capacity, sizeof *checks);
        if (checks == NULL) {
            preflight->no_memory = true;
            return;
        }
        if (preflight->count > 0) {
            memcpy(checks, preflight->checks, preflight->count * sizeof *checks);
        }
        preflight->checks = checks;
        preflight->capacity = capacity;
    }
    const char *kept = sy_arena_copy_text(preflight->arena, text);
    if (kept == NULL || expected == NULL) {
        preflight->no_memory = true;
        return;
    }
    preflight->checks[preflight->count++] = (sy_run_check){name, passed, required, kept, expected};
}

const char *sy_preflight_reason(const sy_preflight *preflight)
{
    sy_text text = SY_TEXT_INIT;
    const char *last = "";
    for (size_t i = 0; i < preflight->count; i++) {
        const sy_run_check *check = &preflight->checks[i];
        if (check->required && check->passed != 1 && strcmp(last, check->name) != 0) {
            sy_text_append_format(&text, "%s%s", text.length > 0 ? ", " : "preflight: ", check->name);
            last = check->name;
        }
    }
    const char *kept = text.failed ? NULL : sy_arena_copy_bytes(preflight->arena, sy_text_bytes(&text), text.length);
    sy_text_finish(&text);
    return kept;
}

/* ---- what the registry says ---- */

static void check_registry(sy_preflight *preflight, const sy_preflight_subject *subject)
{
    const sy_gate_plan *plan = subject->plan;
    sy_preflight_add(preflight, "registry", subject->finding_count == 0, false, "no findings", "%zu findings",
                     subject->finding_count);
    if (plan->command == NULL) {
        sy_preflight_add(preflight, "runbook", 0, true, "a command", "its command could not be read");
    } else if (plan->unfilled[0] != '\0') {
        sy_preflight_add(preflight, "runbook", 0, true, "a value for each field of its commands",
                         "the gate has none for {%.100s}", plan->unfilled);
    } else if (!plan->checks_are_whole) {
        sy_preflight_add(preflight, "runbook", -1, true, "checks that can be read", "one of them cannot");
    } else {
        sy_preflight_add(preflight, "runbook", 1, true, "a command with a value for each field", "%.100s",
                         plan->runbook);
    }
}

/* A schedule counts on the runner's four promises; by hand, a person looks after what they promise. */
static void check_platform(sy_preflight *preflight, const sy_preflight_subject *subject)
{
    const sy_gate_plan *plan = subject->plan;
    sy_preflight_add(preflight, "platform", plan->platform_is_declared, true, "one that the matrix declares", "%.100s",
                     plan->backend[0] != '\0' ? plan->backend : plan->platform);
    sy_preflight_add(preflight, "runner", plan->runner[0] != '\0', true, "the platform's runner is named", "%.100s",
                     plan->runner[0] != '\0' ? plan->runner : "none");
    sy_text missing = SY_TEXT_INIT;
    bool denied = false;
    for (size_t i = 0; i < SY_READINESS_COUNT; i++) {
        if (plan->ready[i] != SY_READINESS_YES) {
            sy_text_append_format(&missing, "%s%s", missing.length > 0 ? ", " : "not: ", sy_readiness_word(i));
            denied = denied || plan->ready[i] == SY_READINESS_NO;
        }
    }
    bool required = plan->cell_is_scheduled && strcmp(plan->tier, "scheduled-profile") == 0;
    int passed = missing.length == 0 ? 1 : denied ? 0 : -1;
    sy_preflight_add(preflight, "runner-ready", passed, required, "all four fields of readiness in steelyard.json",
                     "%s", missing.length == 0 ? "all four" : sy_text_bytes(&missing));
    sy_text_finish(&missing);
}

static bool is_set(const char *const *environment, const char *name)
{
    size_t length = strlen(name);
    for (; environment != NULL && *environment != NULL; environment++) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            return true;
        }
    }
    return false;
}

static void check_environment(sy_preflight *preflight, const sy_preflight_subject *subject)
{
    for (size_t i = 0; i < subject->plan->required_environment_count; i++) {
        const char *name = subject->plan->required_environment[i];
        bool set = is_set(subject->environment, name);
        sy_preflight_add(preflight, "environment", set, true, name, "%s", set ? "set" : "not set");
    }
}

/* ---- what is measured, and on what ---- */

static void check_source(sy_preflight *preflight, const sy_preflight_subject *subject)
{
    const sy_run_source *source = subject->source;
    int passed = source->dirty < 0 || source->revision[0] == '\0'
                     ? -1
                     : source->dirty == 0 || source->diff_digest[0] != '\0';
    const char *found = source->dirty == 0 ? "clean" : source->dirty == 1 ? "dirty" : "unknown";
    sy_preflight_add(preflight, "source", passed, false, "a known revision, clean or with its difference kept",
                     "%s%s%.300s", found, subject->source_remark[0] != '\0' ? ": " : "", subject->source_remark);
}

static void check_hardware(sy_preflight *preflight, const sy_preflight_subject *subject, bool required)
{
    static const char *const words[] = {"nobody knows", "software that plays a device", "a physical device"};
    int hardware = subject->place->hardware;
    sy_preflight_add(preflight, "hardware", hardware, required, "a physical device", "%s", words[hardware + 1]);
}

static bool asks_for(const sy_gate_plan *plan, sy_gate_check_kind kind)
{
    for (size_t i = 0; i < plan->check_count; i++) {
        if (plan->checks[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static void check_typed(sy_preflight *preflight, const sy_preflight_subject *subject)
{
    const sy_gate_plan *plan = subject->plan;
    for (size_t i = 0; i < plan->check_count; i++) {
        const sy_gate_check *check = &plan->checks[i];
        switch (check->kind) {
        case SY_GATE_CHECK_HARDWARE:
            check_hardware(preflight, subject, check->required);
            break;
        case SY_GATE_CHECK_FILE:
            sy_preflight_file(preflight, subject, check);
            break;
        case SY_GATE_CHECK_COMMAND:
            sy_preflight_command(preflight, subject, check);
            break;
        default:
            sy_preflight_machine(preflight, subject, check);
            break;
        }
    }
    for (size_t i = 0; i < plan->preflight_count; i++) {
        sy_preflight_add(preflight, "by-hand", -1, false, plan->preflight[i], "not checked by a machine");
    }
}

/* Before anything is looked at: what another run does to the machine would be found as well. That it was in vain is
 * said by the check. SY_INTERRUPTED, SY_NO_MEMORY. */
static sy_status wait_for_device(const sy_preflight_subject *subject, sy_error *err)
{
    sy_lease_options options = SY_LEASE_OPTIONS_INIT;
    sy_error error = SY_ERROR_INIT;
    sy_lease *lease = NULL;
    if (subject->wait_ns == 0) {
        return SY_OK;
    }
    options.folder = subject->leases;
    options.clock = subject->clock;
    options.hold_s = 1;
    options.wait_ns = subject->wait_ns;
    options.cancelled = subject->cancelled;
    options.user = subject->user;
    sy_status status = sy_place_lease_name(subject->place->device, &options.device, &error);
    if (status == SY_OK) {
        status = sy_lease_take(&options, &lease, &error);
    }
    sy_lease_release(lease);
    if (status != SY_INTERRUPTED && status != SY_NO_MEMORY) {
        return SY_OK;
    }
    return sy_fail(err, status, "%s", error.what);
}

/* The lease is taken for a moment: whoever owns the device would be disturbed, and would disturb. */
static void check_device(sy_preflight *preflight, const sy_preflight_subject *subject)
{
    sy_lease_options options = SY_LEASE_OPTIONS_INIT;
    sy_error error = SY_ERROR_INIT;
    sy_lease *lease = NULL;
    options.folder = subject->leases;
    options.clock = subject->clock;
    options.hold_s = 1;
    sy_status status = sy_place_lease_name(subject->place->device, &options.device, &error);
    if (status == SY_OK) {
        status = sy_lease_take(&options, &lease, &error);
    }
    sy_lease_release(lease);
    preflight->no_memory = preflight->no_memory || status == SY_NO_MEMORY;
    sy_preflight_add(preflight, "exclusive-device",
                     status == SY_OK     ? 1
                     : status == SY_BUSY ? 0
                                         : -1,
                     true, "nobody else owns it", "%s", status == SY_OK ? "free" : error.what);
}

sy_status sy_preflight_run(sy_preflight *preflight, const sy_preflight_subject *subject,
                           const sy_named_text **ret_inputs, size_t *ret_input_count, sy_error *err)
{
    const sy_gate_plan *plan = subject->plan;
    size_t input_count = 0;
    sy_named_text *inputs = sy_arena_allocate(preflight->arena, plan->input_count + subject->input_count,
                                              sizeof *inputs);
    if (inputs == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the inputs of a run");
    }
    sy_status status = wait_for_device(subject, err);
    if (status != SY_OK) {
        return status;
    }
    check_registry(preflight, subject);
    check_platform(preflight, subject);
    check_environment(preflight, subject);
    check_source(preflight, subject);
    if (plan->is_performance && !asks_for(plan, SY_GATE_CHECK_HARDWARE) && strcmp(plan->backend, "fake") != 0) {
        check_hardware(preflight, subject, true);
    }
    sy_preflight_inputs(preflight, subject, inputs, &input_count);
    check_typed(preflight, subject);
    check_device(preflight, subject);
    if (preflight->no_memory) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the checks before a run");
    }
    *ret_inputs = inputs;
    *ret_input_count = input_count;
    return SY_OK;
}
