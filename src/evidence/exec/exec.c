/* SPDX-License-Identifier: Apache-2.0 */
/* A run's commands under the lease of its device: lease, smoke, measure, control, each one transaction of the ledger,
 * so that whoever is killed leaves a visible row. What runs is exec_prepare.c, what is kept exec_record.c. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "evidence/exec/exec_inside.h"
#include "evidence/lease/fence.h"
#include "evidence/open_project.h"
#include "evidence/place.h"

#define NS_PER_S UINT64_C(1000000000)

static sy_status append(sy_exec *exec, sy_error *err)
{
    return sy_event_list_append(&exec->events, exec->ledger, &exec->result->head, err);
}

static int64_t hold_seconds(const sy_exec *exec)
{
    uint64_t timeout_s = exec->options->timeout_ns / NS_PER_S;
    uint64_t commands = exec->control.argv != NULL ? 3 : 2;
    /* All commands and some time to write; without a time-out it is extended while they run. */
    return timeout_s == 0 || timeout_s > SY_LEASE_HOLD_S ? SY_LEASE_HOLD_S : (int64_t)(commands * timeout_s + 120);
}

static sy_status take_lease(sy_exec *exec, sy_error *err)
{
    sy_lease_options options = SY_LEASE_OPTIONS_INIT;
    options.folder = sy_project_leases(exec->project);
    options.run = exec->run;
    options.project = sy_project_root(exec->project);
    options.wait_ns = exec->options->wait_ns;
    options.hold_s = hold_seconds(exec);
    options.clock = exec->clock;
    options.cancelled = exec->options->cancelled;
    options.user = exec->options->user;
    sy_status status = sy_place_lease_name(exec->device, &options.device, err);
    if (status == SY_OK)
        status = sy_fence_highest(exec->ledger, exec->device, NULL, &options.above_fence, err);
    if (status == SY_OK)
        status = sy_lease_take(&options, &exec->lease, err);
    if (status != SY_OK)
        return status;
    sy_run_lease event = sy_lease_event(exec->lease);
    exec->result->fence = event.fence;
    status = sy_event_list_lease(&exec->events, &event, err);
    if (status == SY_OK && exec->departs)
        status = sy_exec_remark(exec, err, "the command is not that of the gate's runbook");
    if (status == SY_OK && exec->control.argv != NULL)
        status = sy_exec_control_announce(exec, err);
    return status == SY_OK ? append(exec, err) : status;
}

/* Another object on the same ledger, which never waits for other writers. */
static sy_ledger *impatient_ledger(sy_exec *exec)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    options.folder = sy_project_evidence(exec->project);
    options.wait_ns = 0;
    if (exec->impatient == NULL && sy_ledger_open_with(&options, exec->clock, &exec->impatient, NULL) != SY_OK)
        exec->impatient = NULL;
    return exec->impatient;
}

/* A long command says in time that it goes on: in the lease's file and, as soon as nobody else writes, in the ledger.
 * Waiting would let the command's pipes run full: what finds the ledger busy is tried at the next look. */
static void extend_lease(void *user)
{
    sy_exec *exec = user;
    sy_event_list *extension = &exec->extension;
    sy_run_lease event = sy_lease_event(exec->lease);
    int64_t now = exec->clock->utc_s(exec->clock);
    if (event.until_utc_s - now <= hold_seconds(exec) / 2 &&
        sy_lease_extend(exec->lease, now + hold_seconds(exec), NULL) == SY_OK) {
        event = sy_lease_event(exec->lease);
        *extension = (sy_event_list){.arena = exec->arena, .run = exec->run};
        if (sy_event_list_lease(extension, &event, NULL) != SY_OK)
            extension->count = 0;
    }
    if (extension->count == 0 || impatient_ledger(exec) == NULL)
        return;
    sy_status status = sy_event_list_append(extension, exec->impatient, NULL, NULL);
    /* Refused, it will be so again. The file says it in any case, and a sweep looks at the file's lock first. */
    if (status != SY_BUSY)
        extension->count = 0;
}

sy_status sy_exec_run_command(sy_exec *exec, const sy_exec_command *command, sy_exec_child *child, bool *ret_held,
                              sy_error *err)
{
    sy_exec_child_options options = {
        .argv = command->argv,
        .environment = command->environment,
        .directory = command->directory,
        .timeout_ns = exec->options->timeout_ns,
        .log_limit = (size_t)exec->options->log_limit_bytes,
        .clock = exec->clock,
        .output = exec->options->output,
        .cancelled = exec->options->cancelled,
        .tick = extend_lease,
        .tick_user = exec,
        .user = exec->options->user,
    };
    sy_status status = sy_exec_child_run(&options, child, err);
    exec->lease_unbroken = exec->lease_unbroken && sy_lease_is_held(exec->lease) &&
                           !sy_fence_was_passed(exec->ledger, exec->device, exec->host, exec->result->fence);
    exec->result->interrupted = status == SY_OK && child->end == SY_EXEC_CHILD_CANCELLED;
    *ret_held = exec->lease_unbroken;
    /* A lease that is lost behind the measured command takes nothing from it. */
    if (command != &exec->control)
        exec->result->lease_held = *ret_held;
    return status;
}

/* A command that cannot even be started ends the run; phase: "the smoke command", "command". */
static sy_status end_unstarted(sy_exec *exec, const char *phase, const sy_error *problem, sy_error *err)
{
    const char *reason = sy_arena_format(exec->arena, "%s: %s", phase, problem->what);
    if (reason == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the end of a run");
    sy_status status = sy_exec_record_failure(exec, reason, err);
    return status == SY_OK ? append(exec, err) : status;
}

static sy_status run_smoke(sy_exec *exec, sy_error *err)
{
    sy_exec_child child;
    sy_error problem = SY_ERROR_INIT;
    bool held = false;
    sy_status status = sy_exec_run_command(exec, &exec->smoke, &child, &held, &problem);
    if (status != SY_OK) {
        /* A program that is not there says nothing of the device: the reason is none of those that block it. */
        status = end_unstarted(exec, "the smoke command", &problem, err);
        goto out;
    }
    const char *reason = sy_exec_violation(exec, &child, held);
    if (reason == NULL)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the end of a run");
    else
        status = sy_exec_record_smoke(exec, &child, reason[0] == '\0' ? NULL : reason, held, err);
    if (status == SY_OK)
        status = append(exec, err);
out:
    sy_exec_child_finish(&child);
    return status;
}

/* Everything that the command said, and its end if it did not do well, in one transaction. */
static sy_status record_measure(sy_exec *exec, sy_exec_child *child, bool held, sy_error *err)
{
    const char *reason = sy_exec_failure(exec, child);
    if (reason != NULL && reason[0] != '\0' && child->end != SY_EXEC_CHILD_CANCELLED)
        reason = sy_arena_format(exec->arena, "command: %s", reason);
    if (reason == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the end of a run");
    sy_status status = sy_exec_record_measure(exec, child, held, err);
    if (status == SY_OK && !held)
        status = sy_exec_remark(exec, err, "the lease of '%s' was not held throughout: this run is never accepted",
                                exec->device);
    if (status == SY_OK)
        status = sy_exec_import(exec, &exec->measure, &reason, err);
    if (status == SY_OK && reason[0] != '\0')
        status = sy_exec_record_failure(exec, reason, err);
    return status == SY_OK ? sy_exec_append_said(exec, err) : status;
}

static sy_status run_measure(sy_exec *exec, sy_error *err)
{
    sy_exec_child child;
    sy_error problem = SY_ERROR_INIT;
    bool held = false;
    sy_status status = sy_exec_look_at_imports(exec, &exec->measure, err);
    if (status != SY_OK)
        return status;
    status = sy_exec_run_command(exec, &exec->measure, &child, &held, &problem);
    if (status != SY_OK)
        status = end_unstarted(exec, "command", &problem, err);
    else
        status = record_measure(exec, &child, held, err);
    sy_exec_child_finish(&child);
    return status;
}

static sy_status execute(sy_exec *exec, sy_error *err)
{
    sy_status status = take_lease(exec, err);
    if (status != SY_OK)
        return status;
    exec->result->status = SY_RUN_RUNNING;
    exec->result->lease_held = true;
    exec->lease_unbroken = true;
    if (exec->smoke.argv != NULL)
        status = run_smoke(exec, err);
    for (int turn = 0; turn < 2 && status == SY_OK && exec->result->status == SY_RUN_RUNNING; turn++) {
        if ((turn == 0) != exec->result->control_first)
            status = run_measure(exec, err);
        else if (exec->control.argv != NULL)
            status = sy_exec_control_run(exec, err);
    }
    return status;
}

sy_status sy_project_exec(sy_project *project, const char *run, const sy_run_exec_options *options,
                          sy_run_executed **ret_executed, sy_error *err)
{
    uint64_t seed = 0;
    sy_status status = sy_random_seed(&seed, err);
    return status == SY_OK ? sy_exec_seeded(project, run, options, seed, ret_executed, err) : status;
}

sy_status sy_exec_seeded(sy_project *project, const char *run, const sy_run_exec_options *options, uint64_t seed,
                         sy_run_executed **ret_executed, sy_error *err)
{
    sy_exec exec = {
        .project = project,
        .options = options,
        .ledger = sy_project_ledger(project),
        .clock = sy_project_clock(project),
        .arena = sy_arena_create(0),
    };
    exec.result = exec.arena == NULL ? NULL : sy_arena_allocate(exec.arena, 1, sizeof(*exec.result));
    if (exec.result == NULL) {
        sy_arena_destroy(exec.arena);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a run");
    }
    exec.cleaner.arena = exec.arena;
    exec.events.arena = exec.arena;
    exec.result->reason = "";
    exec.result->no_control = "";
    exec.result->parity = SY_RUN_PARITY_UNKNOWN;
    exec.result->control_parity = SY_RUN_PARITY_UNKNOWN;
    sy_status status = sy_exec_prepare(&exec, run, err);
    exec.events.run = exec.run;
    if (status == SY_OK && exec.control.argv != NULL)
        sy_exec_control_toss(&exec, seed);
    if (status == SY_OK)
        status = execute(&exec, err);
    sy_ledger_close(exec.impatient);
    sy_lease_release(exec.lease);
    for (size_t i = 0; i < exec.imported_count; i++)
        sy_imported_destroy(exec.imported[i]);
    if (status != SY_OK) {
        sy_arena_destroy(exec.arena);
        return status;
    }
    exec.result->run = exec.run;
    exec.result->remarks = exec.remarks.texts;
    exec.result->remark_count = exec.remarks.count;
    exec.result->owner = exec.arena;
    *ret_executed = exec.result;
    return SY_OK;
}

void sy_run_executed_destroy(sy_run_executed *executed)
{
    if (executed != NULL)
        sy_arena_destroy(executed->owner);
}
