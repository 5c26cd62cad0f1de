/* SPDX-License-Identifier: Apache-2.0 */
/* A run from its lease to its end: what is written before anything is timed, and what every kind of result says. */
#include "evidence/recorded/recording.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "evidence/lease/fence.h"
#include "evidence/open_project.h"
#include "evidence/place.h"
#include "record/private_text.h"

#define NS_PER_S UINT64_C(1000000000)

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to record a run");
}

const char *sy_recording_clean(const sy_recording *recording, const char *text)
{
    return text != NULL ? sy_private_clean(recording->arena, text) : "";
}

/* ---- the lease ---- */

static sy_status take_lease(sy_recording *recording, const sy_recording_options *options, sy_error *err)
{
    sy_lease_options lease = SY_LEASE_OPTIONS_INIT;
    lease.folder = sy_project_leases(recording->project);
    lease.device = sy_place_lease_name_of(options->device);
    lease.run = recording->run;
    lease.project = sy_project_root(recording->project);
    lease.wait_ns = options->wait_ns;
    if (options->hold_ns / NS_PER_S > SY_LEASE_HOLD_S) {
        lease.hold_s = (int64_t)(options->hold_ns / NS_PER_S) + 1;
    }
    lease.clock = sy_project_clock(recording->project);
    lease.cancelled = options->cancelled;
    lease.user = options->user;
    sy_status status = sy_fence_highest(sy_project_ledger(recording->project), options->device->name, NULL,
                                        &lease.above_fence, err);
    if (status == SY_OK) {
        status = sy_lease_take(&lease, &recording->lease, err);
    }
    if (status == SY_BUSY && err != NULL) {
        err->status = SY_UNAVAILABLE; /* it is no lock that will be given back in a moment */
    }
    return status == SY_BUSY ? SY_UNAVAILABLE : status;
}

/* ---- beginning and end ---- */

static sy_status begin(sy_recording *recording, sy_run_kind kind, const sy_recording_options *options, sy_error *err)
{
    sy_status status = sy_run_id_draw(sy_project_clock(recording->project), recording->run, err);
    if (status == SY_OK) {
        status = sy_recording_describe(recording, kind, options, err);
    }
    if (status == SY_OK) {
        status = take_lease(recording, options, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_run_lease lease = sy_lease_event(recording->lease);
    recording->fence = lease.fence;
    status = sy_event_list_lease(&recording->events, &lease, err);
    if (status == SY_OK) {
        status = sy_event_list_append(&recording->events, sy_project_ledger(recording->project), NULL, err);
    }
    recording->has_begun = status == SY_OK;
    return status;
}

sy_status sy_recording_begin(sy_project *project, sy_run_kind kind, const sy_recording_options *options,
                             sy_recording **ret_recording, sy_error *err)
{
    if (options->struct_size != sizeof *options || options->device == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s",
                       options->device == NULL ? "no device to record a run of"
                                               : "struct_size of the options of a recording");
    }
    sy_recording *recording = sy_allocate(1, sizeof *recording);
    if (recording == NULL) {
        return no_memory(err);
    }
    recording->project = project;
    recording->unknown = "";
    recording->device_kind = options->device->kind;
    recording->arena = sy_arena_create(0);
    recording->events = (sy_event_list){.arena = recording->arena, .run = recording->run};
    sy_status status = recording->arena != NULL ? begin(recording, kind, options, err) : no_memory(err);
    if (status != SY_OK) {
        sy_recording_close(recording);
        return status;
    }
    *ret_recording = recording;
    return SY_OK;
}

const char *sy_recording_run(const sy_recording *recording)
{
    return recording->run;
}

const char *sy_recording_unknown(const sy_recording *recording)
{
    return recording->unknown;
}

sy_status sy_recording_end(sy_recording *recording, sy_run_status run_status, const char *reason,
                           sy_recorded *ret_recorded, sy_error *err)
{
    sy_ledger_head head;
    const char *clean = sy_recording_clean(recording, reason);
    sy_run_end end = {.status = run_status, .conclusion = "", .reason = clean, .superseded_by = ""};
    sy_status status = clean != NULL ? sy_event_list_end(&recording->events, &end, err) : no_memory(err);
    if (status == SY_OK) {
        status = sy_event_list_append(&recording->events, sy_project_ledger(recording->project), &head, err);
    }
    if (status != SY_OK) {
        recording->events.count = 0; /* the run may still be ended with less */
        return status;
    }
    recording->has_ended = true;
    if (ret_recorded != NULL) {
        memcpy(ret_recorded->run, recording->run, sizeof recording->run);
        memcpy(ret_recorded->digest, head.digest, sizeof head.digest);
    }
    return SY_OK;
}

sy_status sy_recording_fail(sy_recording *recording, const char *reason, sy_error *err)
{
    recording->events.count = 0;
    return sy_recording_end(recording, SY_RUN_FAILED, reason, NULL, err);
}

void sy_recording_close(sy_recording *recording)
{
    if (recording == NULL) {
        return;
    }
    sy_error err = SY_ERROR_INIT;
    if (recording->has_begun && !recording->has_ended &&
        sy_recording_fail(recording, "given up before its end", &err) != SY_OK) {
        sy_log(SY_LOG_WARNING, "the run %s could not be closed: %s", recording->run, err.what);
    }
    sy_lease_release(recording->lease);
    sy_arena_destroy(recording->arena);
    sy_free(recording);
}

/* ---- what every result says ---- */

sy_status sy_recording_add_command(sy_recording *recording, uint64_t wall_ns, sy_error *err)
{
    if (recording->argv == NULL) {
        return SY_OK;
    }
    bool passed = sy_fence_was_passed(sy_project_ledger(recording->project), recording->device, recording->host,
                                      recording->fence);
    sy_run_command command = {.phase = "measure",
                              .argv = recording->argv,
                              .argc = recording->argc,
                              .wall_ns = wall_ns,
                              .fence = recording->fence,
                              .lease_held = !passed && sy_lease_is_held(recording->lease)};
    return sy_event_list_command(&recording->events, &command, err);
}

static sy_run_parity parity_of(sy_parity_outcome outcome)
{
    switch (outcome) {
    case SY_PARITY_PASSED:
    case SY_PARITY_QUALIFIED:
        return SY_RUN_PARITY_PASSED;
    case SY_PARITY_FAILED:
        return SY_RUN_PARITY_FAILED;
    case SY_PARITY_NOT_PERFORMED:
        break;
    }
    return SY_RUN_PARITY_NOT_PERFORMED;
}

sy_status sy_recording_add_parity(sy_recording *recording, const char *case_name, const char *implementation,
                                  const sy_parity *parity, sy_error *err)
{
    const char *reason = parity->outcome == SY_PARITY_QUALIFIED ? "passed as class tolerance" : parity->reason;
    sy_run_parity_event event = {.outcome = parity_of(parity->outcome),
                                 .case_name = sy_recording_clean(recording, case_name),
                                 .implementation = sy_recording_clean(recording, implementation),
                                 .reason = sy_recording_clean(recording, reason),
                                 .error_in_tolerances = parity->error_in_tolerances};
    bool has_compared = parity->outcome != SY_PARITY_NOT_PERFORMED;
    if (!has_compared || !isfinite(event.error_in_tolerances)) {
        event.error_in_tolerances = SY_NAN;
    }
    if (event.case_name == NULL || event.implementation == NULL || event.reason == NULL) {
        return no_memory(err);
    }
    return sy_event_list_parity(&recording->events, &event, err);
}

sy_status sy_recording_add_digest(sy_recording *recording, const char *role, const char *case_name, const char *digest,
                                  sy_error *err)
{
    if (digest[0] == '\0') {
        return SY_OK;
    }
    const char *name = sy_arena_format(recording->arena, "%s:%s", role, case_name);
    sy_run_digest event = {.role = name != NULL ? sy_recording_clean(recording, name) : NULL, .digest = digest};
    return event.role != NULL ? sy_event_list_digest(&recording->events, &event, err) : no_memory(err);
}

static sy_memory_scope scope_of(sy_device_kind kind)
{
    return kind == SY_DEVICE_GPU || kind == SY_DEVICE_ACCELERATOR ? SY_MEMORY_DEVICE_ALLOCATED
           : kind == SY_DEVICE_INTEGRATED_GPU                     ? SY_MEMORY_UNIFIED
                                                                  : SY_MEMORY_PROCESS;
}

sy_status sy_recording_add_memory(sy_recording *recording, const char *name, uint64_t bytes, bool calculated,
                                  sy_error *err)
{
    if (bytes == 0) {
        return SY_OK;
    }
    sy_run_memory memory = {.name = sy_recording_clean(recording, name),
                            .bytes = bytes,
                            .basis = calculated ? SY_MEMORY_CALCULATED : SY_MEMORY_PHYSICAL,
                            .scope = calculated ? SY_MEMORY_DEVICE_ALLOCATED : scope_of(recording->device_kind),
                            .how = "",
                            .swap_bytes = SY_NAN,
                            .pressure_share = SY_NAN};
    return memory.name != NULL ? sy_event_list_memory(&recording->events, &memory, err) : no_memory(err);
}

void sy_recording_take_units(const sy_metric *metric, double *values, size_t count, sy_run_series *to)
{
    to->name = metric->name;
    to->unit = metric->unit;
    to->higher_is_better = metric->higher_is_better;
    if (strcmp(metric->unit, "ns") == 0) {
        to->unit = "s";
        for (size_t i = 0; i < count; i++) {
            values[i] /= 1e9;
        }
    }
}
