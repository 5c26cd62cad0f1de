/* SPDX-License-Identifier: Apache-2.0 */
/* A project whose sessions have figures that a test chooses, judged and accepted: on top of life_support.h. */
#ifndef STEELYARD_TESTS_COMPARE_SUPPORT_H
#define STEELYARD_TESTS_COMPARE_SUPPORT_H

#include "life_support.h"

#include <math.h>
#include <steelyard/compare.h>

#include "base/process.h"

enum { COMPARE_SAMPLES = 120 };

#define COMPARE_GIT(l, ...) \
    compare_git(l, (const char *const[]){"git", "-c", "user.name=a", "-c", "user.email=a@b.example", __VA_ARGS__, NULL})

/* git in the project's folder. */
static inline void compare_git(const life *l, const char *const *words)
{
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_text out = SY_TEXT_INIT, said = SY_TEXT_INIT;
    sy_process_report report = {0};
    options.argv = words;
    options.directory = l->root;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 1 << 20, &out, &said, &report, NULL), SY_OK);
    if (report.code != 0) {
        fail_msg("%s", sy_text_bytes(&said));
    }
    sy_text_finish(&out);
    sy_text_finish(&said);
}

/* The project under git, committed: its sessions have a revision. */
static inline int compare_set_up(void **state)
{
    if (life_set_up(state) != 0) {
        return -1;
    }
    const life *l = *state;
    COMPARE_GIT(l, "init", "-q");
    COMPARE_GIT(l, "add", "-A");
    COMPARE_GIT(l, "commit", "-q", "-m", "one");
    return 0;
}

/* Another commit: the sessions from here on are of another key of the same line. */
static inline void compare_commit(const life *l, const char *name)
{
    set_write(l->root, "counted.txt", name, strlen(name));
    COMPARE_GIT(l, "add", "-A");
    COMPARE_GIT(l, "commit", "-q", "-m", name);
}

/* What one session is to say. */
typedef struct compare_session {
    double p50;            /* of `wall`, of each of its samples */
    double control;        /* of its control arm; NaN, 0 = it had none */
    size_t samples;        /* 0 = COMPARE_SAMPLES */
    const char *name;      /* NULL = "wall" */
    sy_run_parity parity;  /* SY_RUN_PARITY_UNKNOWN = passed; else as said */
    bool without_parity;   /* nothing is said of it */
    bool same_lease;       /* as the session before it */
    const char *device_id; /* NULL = as all */
    const char *implementation;
    const char *case_name;
} compare_session;

static inline void compare_series(life *l, const char *id, const compare_session *session, sy_series_role role,
                                  double value)
{
    size_t count = session->samples > 0 ? session->samples : COMPARE_SAMPLES;
    double *samples = malloc(count * sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < count; i++) {
        samples[i] = value;
    }
    sy_event_list events = life_events(id);
    sy_run_series series = {.name = session->name != NULL ? session->name : "wall",
                            .unit = "s",
                            .role = role,
                            .case_name = session->case_name != NULL ? session->case_name : "",
                            .implementation = session->implementation != NULL ? session->implementation : "",
                            .samples = samples,
                            .count = count,
                            .note = ""};
    assert_int_equal(sy_event_list_series(&events, &series, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
    free(samples);
}

/* Begins it. */
static inline void compare_start(life *l, const compare_session *session, char id[64])
{
    const sy_named_text known[] = {{"device_id", session->device_id != NULL ? session->device_id : "a processor"},
                                   {"runtime_version", "1"}};
    sy_run_start_options options = life_options(l, LIFE_GATE);
    sy_run_started *started = NULL;
    sy_error error = SY_ERROR_INIT;
    options.key = known;
    if (sy_project_start(l->project, &options, &started, &error) != SY_OK || !started->planned) {
        fail_msg("%s%s", error.what, started != NULL ? started->reason : "");
    }
    snprintf(id, 64, "%s", started->run);
    sy_run_started_destroy(started);
}

/* Runs and ends one that was begun. */
static inline void compare_work(life *l, const compare_session *session, const char *id)
{
    char host[256] = "";
    sy_event_list events = life_events(id);
    sy_run_parity outcome = session->parity != SY_RUN_PARITY_UNKNOWN ? session->parity : SY_RUN_PARITY_PASSED;
    const sy_run_parity_event parity = {outcome, "", "", "", SY_NAN};
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    l->fence -= session->same_lease;
    life_lease_on(l, id, host, "", LIFE_BEGAN + 3600);
    life_command(l, id, "measure", 0, true);
    compare_series(l, id, session, SY_SERIES_SAMPLE, session->p50);
    if (session->control > 0) {
        life_command(l, id, "control", 0, true);
        compare_series(l, id, session, SY_SERIES_CONTROL, session->control);
    }
    assert_int_equal(sy_event_list_parity(&events, &parity, NULL), SY_OK);
    if (session->without_parity) {
        sy_arena_destroy(events.arena);
    } else {
        assert_int_equal(life_append(l, &events, NULL), SY_OK);
    }
    sy_run_status status = outcome == SY_RUN_PARITY_FAILED ? SY_RUN_FAILED : SY_RUN_OK;
    assert_int_equal(life_finish(l, id, status, NULL, status == SY_RUN_FAILED ? "parity failed" : NULL, NULL), SY_OK);
}

/* All of it; the id is copied. */
static inline void compare_run(life *l, const compare_session *session, char id[64])
{
    compare_start(l, session, id);
    compare_work(l, session, id);
}

static inline void compare_run_p50(life *l, double p50, double control, char id[64])
{
    compare_run(l, &(compare_session){.p50 = p50, .control = control}, id);
}

static inline sy_run_acceptance *compare_accept_as(life *l, const char *id, bool new_baseline)
{
    sy_run_accept_options options = SY_RUN_ACCEPT_OPTIONS_INIT;
    sy_run_acceptance *acceptance = NULL;
    sy_error error = SY_ERROR_INIT;
    options.by = "J. Doe";
    options.new_baseline = new_baseline;
    options.reason = new_baseline ? "it is meant to be so" : NULL;
    if (sy_project_accept(l->project, id, &options, &acceptance, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return acceptance;
}

/* Accepts it, or fails with the reason. */
static inline void compare_accept(life *l, const char *id, bool new_baseline)
{
    sy_run_acceptance *acceptance = compare_accept_as(l, id, new_baseline);
    if (!acceptance->accepted) {
        fail_msg("%s", acceptance->reasons[0]);
    }
    sy_run_acceptance_destroy(acceptance);
}

/* Five accepted sessions about a median. */
static inline void compare_baseline(life *l, double median)
{
    static const double factors[] = {1.00, 1.01, 0.99, 1.005, 0.995};
    for (size_t i = 0; i < 5; i++) {
        char id[64];
        compare_run_p50(l, factors[i] * median, 0, id);
        compare_accept(l, id, false);
    }
}

static inline sy_compare_options compare_options(const char *id)
{
    sy_compare_options options = SY_COMPARE_OPTIONS_INIT;
    options.run = id;
    return options;
}

static inline sy_compared *compare_with(const life *l, const sy_compare_options *options)
{
    sy_compared *compared = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_project_compare(l->project, options, &compared, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return compared;
}

static inline sy_compared *compare(const life *l, const char *id)
{
    sy_compare_options options = compare_options(id);
    return compare_with(l, &options);
}

static inline void compare_expect(const sy_compared *compared, sy_judgement_word word, sy_judgement_reason reason)
{
    const char *found = sy_judgement_reason_text(compared->verdict.reason);
    if (compared->verdict.word != word || compared->verdict.reason != reason) {
        fail_msg("%s: %s; %s", sy_judgement_word_text(compared->verdict.word), found,
                 sy_run_verdict_decisive(&compared->verdict));
    }
}

/* Judges it and wants that. */
static inline void compare_wants(const life *l, const char *id, sy_judgement_word word, sy_judgement_reason reason)
{
    sy_compared *compared = compare(l, id);
    compare_expect(compared, word, reason);
    sy_compared_destroy(compared);
}

/* Whether one of the texts holds the words. */
static inline bool compare_says(const char *const *texts, size_t count, const char *words)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(texts[i], words) != NULL) {
            return true;
        }
    }
    return false;
}

#endif
