/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of recorded runs: a project in a folder of its own, a fake device on a script, and what both are recorded
 * with. */
#ifndef STEELYARD_TESTS_RECORDING_SUPPORT_H
#define STEELYARD_TESTS_RECORDING_SUPPORT_H

#include "probe_support.h"
#include "registry_set.h"
#include "temporary_folder.h"

#include <steelyard/evidence.h>
#include <steelyard/identity.h>

/* Two implementations whose every run takes exactly that long. */
#define EXACT_SCRIPT                                                                    \
    SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"times\": [1000000]}," \
                    "{\"name\": \"f\", \"times\": [700000]}")

typedef struct place_of_runs {
    void *folder;
    char leases[512];
    sy_project *project;
    char script[128];
    sy_device *device;
    const sy_suite *suite;
    sy_device_info info;
    sy_identity *identity;
} place_of_runs;

static inline sy_project *open_project_of(const place_of_runs *p)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_error err = SY_ERROR_INIT;
    options.root = p->folder;
    options.leases = p->leases;
    options.create = true;
    if (sy_project_open(&options, &project, &err) != SY_OK)
        fail_msg("%s", err.what);
    return project;
}

static inline void aim(place_of_runs *p, const char *script)
{
    weighed w = {.err = SY_ERROR_INIT};
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_identity_options identity = SY_IDENTITY_OPTIONS_INIT;
    write_script(&w, script);
    memcpy(p->script, w.path, sizeof p->script);
    options.script = p->script;
    if (sy_device_open("fake", &options, &p->device, &w.err) != SY_OK)
        fail_msg("%s", w.err.what);
    assert_int_equal(sy_device_suite(p->device, "ring", &p->suite, NULL), SY_OK);
    assert_int_equal(sy_device_describe(p->device, &p->info, NULL), SY_OK);
    identity.device = &p->info;
    assert_int_equal(sy_identity_describe(&identity, &p->identity, NULL), SY_OK);
}

static inline place_of_runs runs_with(const char *script)
{
    place_of_runs p = {0};
    static const char settings[] = "{\"schema_version\": 1}";
    assert_int_equal(make_temporary_folder(&p.folder), 0);
    set_write(p.folder, "steelyard.json", settings, sizeof settings - 1);
    (void)snprintf(p.leases, sizeof p.leases, "%s/leases", (const char *)p.folder);
    p.project = open_project_of(&p);
    aim(&p, script);
    return p;
}

static inline void leave_runs(place_of_runs *p)
{
    sy_project_close(p->project);
    sy_identity_destroy(p->identity);
    sy_device_close(p->device);
    (void)unlink(p->script);
    (void)remove_temporary_folder(&p->folder);
}

static inline sy_recording_options recording_of(const place_of_runs *p)
{
    sy_recording_options options = SY_RECORDING_OPTIONS_INIT;
    options.device = &p->info;
    options.identity = p->identity;
    options.suite = p->suite;
    return options;
}

static inline sy_recording *begun(const place_of_runs *p, sy_run_kind kind, const sy_recording_options *options)
{
    sy_recording *recording = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_recording_begin(p->project, kind, options, &recording, &err) != SY_OK)
        fail_msg("%s (%s)", err.what, err.hint);
    return recording;
}

static inline sy_run *run_of(const place_of_runs *p, const char *id)
{
    sy_run *run = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_ledger_run(sy_project_ledger(p->project), id, &run, &err) != SY_OK)
        fail_msg("%s", err.what);
    return run;
}

/* The only series of that role, case and implementation. */
static inline const sy_run_series *series_in(const sy_run *run, sy_series_role role, const char *implementation)
{
    const sy_run_series *found = NULL;
    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];
        if (series->role == role && strcmp(series->implementation, implementation) == 0) {
            assert_null(found);
            found = series;
        }
    }
    if (found == NULL)
        fail_msg("no series of role %s and implementation %s", sy_series_role_word(role), implementation);
    return found;
}

/* Each of its samples is exactly that. */
static inline void expect_samples(const place_of_runs *p, const sy_run_series *series, size_t count, double value)
{
    double *samples = NULL;
    size_t found = 0;
    assert_int_equal(sy_ledger_samples(sy_project_ledger(p->project), series->digest, &samples, &found, NULL), SY_OK);
    assert_int_equal(found, count);
    for (size_t i = 0; i < found; i++) {
        if (samples[i] != value)
            fail_msg("sample %zu of %s is %.17g, not %.17g", i, series->implementation, samples[i], value);
    }
    sy_samples_free(samples);
}

#endif
