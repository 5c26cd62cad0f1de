/* SPDX-License-Identifier: Apache-2.0 */
/* Finds runs that can never end by themselves. Who holds a device is the kernel's word on this host; of another host
 * only its lease's time tells. */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "evidence/event_list.h"
#include "evidence/open_project.h"

enum { HOST_NAME_SIZE = 256 };

typedef struct sweep_work {
    sy_project *project;
    sy_arena *arena;
    bool dry_run;
    char host[HOST_NAME_SIZE];
    const char *boot;
    int64_t now_utc_s;
    sy_device_lease_list *leases;
    sy_swept_run *runs;
    sy_sweep *to;
} sweep_work;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the sweep of runs");
}

/* ---- who holds what ---- */

static const char *read_boot(sy_arena *arena)
{
    char *text = NULL;
    size_t size = 0;
    const char *boot = "";
    if (sy_file_read_stream("/proc/sys/kernel/random/boot_id", 4096, &text, &size, NULL) == SY_OK) {
        boot = sy_arena_copy_bytes(arena, text, strcspn(text, " \n"));
    }
    sy_free(text);
    return boot;
}

static const sy_device_lease *find_lease(const sweep_work *work, const char *device)
{
    for (size_t i = 0; i < work->leases->lease_count; i++) {
        if (strcmp(work->leases->leases[i].device, device) == 0) {
            return &work->leases->leases[i];
        }
    }
    return NULL;
}

/* Whether a command that measured has ended under that lease: such a run only waits for its end to be said. */
static bool has_measured(const sy_run *run, const sy_run_lease *lease)
{
    for (size_t i = 0; i < run->command_count; i++) {
        const sy_run_command *command = &run->commands[i];
        if (command->fence == lease->fence && strcmp(command->phase, "measure") == 0) {
            return true;
        }
    }
    return false;
}

/* ---- one run ---- */

static void say(sweep_work *work, sy_swept_run *to, bool lost, const char *format, const char *detail)
{
    to->lost = lost;
    to->why = sy_arena_format(work->arena, format, detail);
}

static void judge_other_host(sweep_work *work, sy_swept_run *to)
{
    bool over = work->now_utc_s > to->until_utc_s;
    say(work, to, over,
        over ? "its lease on %s is over, and nothing more was heard" : "its lease on %s may still be held", to->host);
}

/* The number of a lease that nobody else could have given out: this host's own folder knows the device. */
static void judge_here(sweep_work *work, const sy_run *run, const sy_run_lease *lease, sy_swept_run *to)
{
    const sy_device_lease *now = find_lease(work, lease->device);
    if (strcmp(lease->boot, work->boot) != 0 && lease->boot[0] != '\0' && work->boot[0] != '\0') {
        say(work, to, true, "%s was started anew since", to->host);
    } else if (now != NULL && now->held && strcmp(now->run, run->row.id) == 0) {
        say(work, to, false, "it holds %s", lease->device);
    } else if (has_measured(run, lease)) {
        say(work, to, false, "its command on %s has ended: it waits for steelyard run finish", lease->device);
    } else if (now != NULL && now->fence >= lease->fence) {
        say(work, to, true, "it holds %s no more, and no command that measures has ended", lease->device);
    } else {
        bool over = work->now_utc_s > to->until_utc_s;
        say(work, to, over, over ? "its lease of %s is over" : "nobody knows who holds %s, and its lease is not over",
            lease->device);
    }
}

static sy_status judge(sweep_work *work, const char *id, sy_swept_run *to, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(sy_project_ledger(work->project), id, &run, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_run_lease none = {"", 0, "", "", 0, 0};
    const sy_run_lease *lease = run->lease_count > 0 ? &run->leases[run->lease_count - 1] : &none;
    *to = (sy_swept_run){.run = sy_arena_copy_text(work->arena, run->row.id),
                         .gate = sy_arena_copy_text(work->arena, run->row.gate),
                         .device = sy_arena_copy_text(work->arena, lease->device),
                         .host = sy_arena_copy_text(work->arena, lease->host),
                         .until_utc_s = lease->until_utc_s};
    if (to->run == NULL || to->gate == NULL || to->device == NULL || to->host == NULL) {
        sy_run_destroy(run);
        return no_memory(err);
    }
    if (strcmp(to->host, work->host) == 0) {
        judge_here(work, run, lease, to);
    } else {
        judge_other_host(work, to);
    }
    sy_run_destroy(run);
    return to->why != NULL ? SY_OK : no_memory(err);
}

/* A run that has ended meanwhile is not lost. */
static sy_status close_run(sweep_work *work, sy_swept_run *run, sy_error *err)
{
    sy_run_end end = {SY_RUN_FAILED, "", "lost", ""};
    sy_event_list events = {.arena = work->arena, .run = run->run};
    sy_status status = sy_event_list_note(&events, run->why, err);
    if (status == SY_OK) {
        status = sy_event_list_end(&events, &end, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_clean(&events, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_append(&events, sy_project_ledger(work->project), NULL, err);
    }
    if (status == SY_REFUSED) {
        run->lost = false;
        run->why = "it has ended meanwhile";
        return SY_OK;
    }
    return status;
}

/* ---- all of them ---- */

static sy_status sweep(sweep_work *work, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    filter.statuses = 1U << SY_RUN_RUNNING;
    sy_ledger *ledger = sy_project_ledger(work->project);
    sy_status status = sy_ledger_runs(ledger, &filter, &list, err);
    if (status != SY_OK) {
        return status;
    }
    work->runs = sy_arena_allocate(work->arena, list->row_count, sizeof *work->runs);
    status = work->runs != NULL ? SY_OK : no_memory(err);
    for (size_t i = list->row_count; status == SY_OK && i > 0; i--) {
        sy_swept_run *run = &work->runs[work->to->run_count];
        status = judge(work, list->rows[i - 1].id, run, err);
        if (status == SY_OK && run->lost && !work->dry_run) {
            status = close_run(work, run, err);
        }
        work->to->run_count += status == SY_OK;
        work->to->lost_count += status == SY_OK && run->lost;
    }
    sy_run_list_destroy(list);
    work->to->runs = work->runs;
    return status == SY_OK ? sy_ledger_read_head(ledger, &work->to->head, err) : status;
}

sy_status sy_project_sweep(sy_project *project, bool dry_run, sy_sweep **ret_sweep, sy_error *err)
{
    const sy_clock *clock = sy_project_clock(project);
    sweep_work work = {.project = project, .arena = sy_arena_create(0), .dry_run = dry_run};
    work.to = work.arena != NULL ? sy_arena_allocate(work.arena, 1, sizeof *work.to) : NULL;
    work.boot = work.to != NULL ? read_boot(work.arena) : NULL;
    work.now_utc_s = clock->utc_s(clock);
    sy_status status = work.boot != NULL ? SY_OK : no_memory(err);
    if (status == SY_OK && gethostname(work.host, sizeof work.host - 1) != 0) {
        work.host[0] = '\0'; /* then every run is another host's */
    }
    if (status == SY_OK) {
        status = sy_device_leases(sy_project_leases(project), &work.leases, err);
    }
    if (status == SY_OK) {
        status = sweep(&work, err);
    }
    sy_device_lease_list_destroy(work.leases);
    if (status != SY_OK) {
        sy_arena_destroy(work.arena);
        return status;
    }
    work.to->owner = work.arena;
    *ret_sweep = work.to;
    return SY_OK;
}

void sy_sweep_destroy(sy_sweep *swept)
{
    if (swept != NULL) {
        sy_arena_destroy(swept->owner);
    }
}
