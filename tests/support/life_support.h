/* SPDX-License-Identifier: Apache-2.0 */
/* A project of its own with a ledger, a folder of leases, a quiet machine that was recorded and a clock that is set:
 * what tests of a run's life begin with. The work itself is written as events, as if a command had run. */
#ifndef STEELYARD_TESTS_LIFE_SUPPORT_H
#define STEELYARD_TESTS_LIFE_SUPPORT_H

#include "registry_set.h"

#include <unistd.h>

#include "base/fault.h"
#include "evidence/event_list.h"
#include "evidence/open_project.h"
#include "temporary_folder.h"

#define LIFE_GATE "matmul.cpu.square-512.session"
#define LIFE_OTHER_GATE "matmul.cpu.square-512.least-memory"
#define LIFE_GATES "evidence/gates.json"
#define LIFE_BEGAN INT64_C(1790000000)

typedef struct life {
    char *folder;
    char root[512];
    char leases[512];
    char machine[512];
    sy_clock_manual clock;
    sy_project *project;
    uint64_t fence;
} life;

static inline void life_machine_file(const life *l, const char *name, const char *text)
{
    set_write(l->machine, name, text, strlen(text));
}

static inline void life_open(life *l, bool read_only)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_error error = SY_ERROR_INIT;
    options.root = l->root;
    options.leases = l->leases;
    options.create = !read_only;
    options.read_only = read_only;
    if (sy_project_open_with(&options, &l->clock.clock, &l->project, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
}

static inline int life_set_up(void **state)
{
    life *l = calloc(1, sizeof *l);
    void *folder = NULL;
    if (l == NULL || make_temporary_folder(&folder) != 0) {
        return -1;
    }
    l->folder = folder;
    snprintf(l->root, sizeof l->root, "%.400s/project", l->folder);
    snprintf(l->leases, sizeof l->leases, "%.400s/leases", l->folder);
    snprintf(l->machine, sizeof l->machine, "%.400s/machine", l->folder);
    if (mkdir(l->leases, 0700) != 0 || mkdir(l->machine, 0700) != 0 ||
        sy_registry_init(l->root, NULL, NULL, NULL, NULL) != SY_OK) {
        return -1;
    }
    life_machine_file(l, "proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n");
    life_machine_file(l, "proc/loadavg", "0.10 0.20 0.30 1/100 4711\n");
    life_machine_file(l, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    life_machine_file(l, "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3000000\n");
    life_machine_file(l, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3000000\n");
    sy_clock_manual_start(&l->clock, 1, LIFE_BEGAN);
    life_open(l, false);
    *state = l;
    return 0;
}

static inline int life_tear_down(void **state)
{
    life *l = *state;
    void *folder = l->folder;
    sy_project_close(l->project);
    free(l);
    return remove_temporary_folder(&folder);
}

static inline sy_run_start_options life_options(const life *l, const char *gate)
{
    static const sy_named_text known[] = {{"device_id", "a processor"}, {"runtime_version", "1"}};
    sy_run_start_options options = SY_RUN_START_OPTIONS_INIT;
    options.gate = gate;
    options.machine = l->machine;
    options.key = known; /* what the recorded machine does not tell */
    options.key_count = 2;
    return options;
}

/* Starts a run and wants it planned; its id is copied. */
static inline void life_start(life *l, const char *gate, char id[64])
{
    sy_run_start_options options = life_options(l, gate);
    sy_run_started *started = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_project_start(l->project, &options, &started, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    if (!started->planned) {
        fail_msg("%s", started->reason);
    }
    snprintf(id, 64, "%s", started->run);
    sy_run_started_destroy(started);
}

static inline sy_event_list life_events(const char *id)
{
    sy_event_list events = {.arena = sy_arena_create(0), .run = id};
    assert_non_null(events.arena);
    return events;
}

static inline sy_status life_append(life *l, sy_event_list *events, sy_error *err)
{
    sy_status status = sy_event_list_append(events, sy_project_ledger(l->project), NULL, err);
    sy_arena_destroy(events->arena);
    return status;
}

/* The run takes its device, of this host unless another one is named. */
static inline void life_lease_on(life *l, const char *id, const char *host, const char *boot, int64_t until_utc_s)
{
    sy_event_list events = life_events(id);
    sy_run_lease lease = {"cpu", ++l->fence, host, boot, 4711, until_utc_s};
    assert_int_equal(sy_event_list_lease(&events, &lease, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

/* A command that ran well, or not, under the last lease. */
static inline void life_command(life *l, const char *id, const char *phase, int exit_code, bool held)
{
    static const char *const argv[] = {"work"};
    sy_event_list events = life_events(id);
    sy_run_command command = {
        .phase = phase, .argv = argv, .argc = 1, .exit_code = exit_code, .fence = l->fence, .lease_held = held};
    assert_int_equal(sy_event_list_command(&events, &command, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

static inline void life_samples(life *l, const char *id)
{
    static const double samples[] = {1e-3, 1.1e-3, 1.2e-3};
    sy_event_list events = life_events(id);
    sy_run_series series = {.name = "wall",
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "",
                            .implementation = "",
                            .samples = samples,
                            .count = 3,
                            .note = ""};
    assert_int_equal(sy_event_list_series(&events, &series, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

static inline sy_status life_finish(life *l, const char *id, sy_run_status status, const char *conclusion,
                                    const char *reason, sy_error *err)
{
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    options.run = id;
    options.end = (sy_run_end){status, conclusion, reason, NULL};
    sy_status done = sy_project_finish(l->project, &options, &finished, err);
    sy_run_finished_destroy(finished);
    return done;
}

/* All of it: lease, smoke, measurement, samples. */
static inline void life_work(life *l, const char *id)
{
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    life_lease_on(l, id, host, "", LIFE_BEGAN + 3600);
    life_command(l, id, "smoke", 0, true);
    life_command(l, id, "measure", 0, true);
    life_samples(l, id);
}

static inline sy_run *life_run(const life *l, const char *id)
{
    sy_run *run = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_ledger_run(sy_project_ledger(l->project), id, &run, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return run;
}

#endif
