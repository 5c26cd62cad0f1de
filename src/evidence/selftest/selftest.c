/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of a gate: finds the accepted sessions of its key, tests each primary metric, and records the answer.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "evidence/compare/session_rules.h"
#include "evidence/event_list.h"
#include "evidence/open_project.h"
#include "evidence/selftest/selftest_metric.h"
#include "stats/quantile.h"

#define TRIALS_STANDARD 2000
#define TRIALS_MAX 10000000
#define RATIOS_MAX 32
/* So improbable that the sessions alarm as they came, if nothing but chance is in their order. */
#define DRIFT_LEVEL 0.01

static const double ratios_standard[] = {1.03, 1.05, 1.10};

typedef struct testing {
    sy_project *project;
    const sy_selftest_options *options;
    sy_ledger *ledger;
    sy_registry *registry;
    sy_arena *arena; /* of the result */
    sy_selftested *to;
    const sy_gate *gate;
    sy_session_rules rules;
    sy_session_set set;
    sy_baseline baseline;
    sy_metric_list metrics;
    sy_selftest_subject subject;
    sy_gate_selftest *tests;
    const char **findings;
    const char **remarks;
} testing;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the self-test of a gate");
}

static sy_status check(const sy_selftest_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a self-test");
    }
    if (options->gate == NULL || options->gate[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a self-test is of a gate: say which");
    }
    if (options->ratio_count > RATIOS_MAX || (options->ratios != NULL && options->ratio_count == 0)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%zu slowdowns: 1 to %d can be planted", options->ratio_count,
                       RATIOS_MAX);
    }
    for (size_t i = 0; options->ratios != NULL && i < options->ratio_count; i++) {
        if (!(options->ratios[i] > 1 && isfinite(options->ratios[i]))) {
            (void)sy_fail(err, SY_INVALID_ARGUMENT, "%g is no slowdown: it must be a ratio above 1",
                          options->ratios[i]);
            sy_error_hint(err, "1.05 plants one of 5 %%");
            return SY_INVALID_ARGUMENT;
        }
    }
    return options->trial_count <= TRIALS_MAX
               ? SY_OK
               : sy_fail(err, SY_INVALID_ARGUMENT, "%u trials are more than %d", options->trial_count, TRIALS_MAX);
}

/* ---- the gate, its key, its sessions ---- */

static sy_status find_gate(testing *t, sy_error *err)
{
    sy_status status = sy_project_registry(t->project, &t->registry, err);
    if (status == SY_OK) {
        status = sy_gate_look_up(t->registry, t->options->gate, &t->gate, err);
    }
    if (status == SY_OK) {
        status = sy_session_rules_read(t->registry, t->gate, t->arena, &t->rules, err);
    }
    if (status != SY_OK) {
        return status;
    }
    t->subject.gate = sy_arena_copy_text(t->arena, t->gate->id);
    t->subject.obstacle = "";
    if (t->gate->state != SY_GATE_MEASURED && !sy_gate_state_is_open(t->gate->state)) {
        t->subject.obstacle = sy_arena_format(t->arena, "its state is %s: no run of it begins",
                                              sy_gate_state_word(t->gate->state));
    }
    return t->subject.gate != NULL && t->subject.obstacle != NULL ? SY_OK : no_memory(err);
}

static sy_status fail_without_sessions(const testing *t, sy_error *err)
{
    const char *key = t->options->key;
    (void)sy_fail(err, SY_NOT_FOUND, "no accepted session of the gate '%s'%s%.64s", t->options->gate,
                  key != NULL ? " has a key that begins with " : "", key != NULL ? key : "");
    sy_error_hint(err,
                  "a self-test replays accepted sessions: steelyard run accept; those there are: steelyard key "
                  "list --gate %s",
                  t->options->gate);
    return SY_NOT_FOUND;
}

/* The newest key of the gate's accepted sessions; digits that begin two of them name none. */
static sy_status find_key(testing *t, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    const char *found = NULL;
    const char *other = NULL;
    if (t->ledger == NULL) {
        (void)sy_fail(err, SY_NOT_FOUND, "no ledger in %s", sy_project_evidence(t->project));
        sy_error_hint(err,
                      "a self-test replays accepted sessions; the first run that is recorded makes the ledger: "
                      "steelyard gate command %s",
                      t->options->gate);
        return SY_NOT_FOUND;
    }
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    filter.gate = t->options->gate;
    filter.key_digest = t->options->key;
    filter.accepted_only = true;
    sy_status status = sy_ledger_runs(t->ledger, &filter, &list, err);
    for (size_t i = 0; status == SY_OK && i < list->row_count; i++) {
        const char *key = list->rows[i].key_digest;
        if (key[0] != '\0' && found == NULL) {
            found = key;
        } else if (key[0] != '\0' && strcmp(key, found) != 0) {
            other = key;
        }
    }
    if (status == SY_OK && found == NULL) {
        status = fail_without_sessions(t, err);
    } else if (status == SY_OK && other != NULL && t->options->key != NULL) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "two keys begin with %.64s: %.16s and %.16s", t->options->key, found,
                         other);
    } else if (status == SY_OK) {
        t->subject.key_digest = sy_arena_copy_text(t->arena, found);
        status = t->subject.key_digest != NULL ? SY_OK : no_memory(err);
    }
    sy_run_list_destroy(list);
    return status;
}

static sy_status read_sessions(testing *t, sy_error *err)
{
    sy_selftest_draw draw;
    sy_status status = sy_session_set_read(t->ledger, t->subject.key_digest, t->arena, &t->set, err);
    if (status == SY_OK) {
        status = sy_baseline_find(&t->set, 0, t->arena, &t->baseline, err);
    }
    if (status == SY_OK) {
        status = sy_selftest_draw_plan(t->baseline.count, t->rules.alpha, &draw, err);
    }
    if (status != SY_OK) {
        return status;
    }
    t->subject.key = &t->set;
    t->subject.sessions = t->baseline.sessions;
    t->subject.session_count = t->baseline.count;
    return SY_OK;
}

/* ---- the metrics ---- */

static sy_status list_metrics(testing *t, sy_error *err)
{
    const sy_session_question question = {.baseline = t->baseline.sessions,
                                          .baseline_count = t->baseline.count,
                                          .sessions = &t->baseline.sessions[t->baseline.count - 1],
                                          .session_count = 1,
                                          .rules = &t->rules};
    const sy_selftest_options *options = t->options;
    bool is_standard = options->ratios == NULL;
    t->subject.rules = &t->rules;
    t->subject.ratios = is_standard ? ratios_standard : options->ratios;
    t->subject.ratio_count = is_standard ? sizeof ratios_standard / sizeof ratios_standard[0] : options->ratio_count;
    t->subject.trial_count = options->trial_count > 0 ? options->trial_count : TRIALS_STANDARD;
    t->subject.seed = options->seed > 0 ? options->seed : 1;
    sy_status status = sy_metric_list_make(&question, t->arena, &t->metrics, err);
    t->subject.primary_count = t->metrics.primary_count;
    return status;
}

static bool add_text(const char **list, size_t *count, const char *text)
{
    if (text != NULL) {
        list[(*count)++] = text;
    }
    return text != NULL;
}

static bool add_finding(testing *t, const sy_gate_selftest *test)
{
    const char *name = sy_metric_name(&test->metric, t->arena);
    const char *text = name != NULL ? sy_arena_format(t->arena, "gate-cannot-fail: %s: %s: %s", t->subject.gate, name,
                                                      test->reason)
                                    : NULL;
    return add_text(t->findings, &t->to->finding_count, text);
}

/* Where chance alone hardly makes so many alarms in the order in which the sessions came. */
static bool add_drift(testing *t, const sy_gate_selftest *test, const sy_selftest_course *course)
{
    if (course->raised_count == 0 ||
        1 - sy_binomial_lower_tail(course->judged_count, course->expected / (double)course->judged_count,
                                   course->raised_count - 1) >
            DRIFT_LEVEL) {
        return true;
    }
    const char *name = sy_metric_name(&test->metric, t->arena);
    return name != NULL &&
           add_text(t->remarks, &t->to->remark_count,
                    sy_arena_format(t->arena,
                                    "%s: in the order in which they came %zu of the last %zu accepted sessions alarm "
                                    "against those before them, where %.1f are likely: they drift, and the rates of "
                                    "trials in drawn order are too good",
                                    name, course->raised_count, course->judged_count, course->expected));
}

static sy_status test_metrics(testing *t, sy_error *err)
{
    size_t room = t->metrics.primary_count + 1;
    sy_selftest_draw *draws = sy_arena_allocate(t->arena, room, sizeof *draws);
    sy_selftest_course *courses = sy_arena_allocate(t->arena, room, sizeof *courses);
    size_t count = 0;
    t->tests = sy_arena_allocate(t->arena, room, sizeof *t->tests);
    t->findings = sy_arena_allocate(t->arena, room, sizeof *t->findings);
    t->remarks = sy_arena_allocate(t->arena, room + 3, sizeof *t->remarks);
    if (draws == NULL || courses == NULL || t->tests == NULL || t->findings == NULL || t->remarks == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < t->metrics.count; i++) {
        if (!t->metrics.entries[i].primary) {
            continue;
        }
        sy_status status = sy_selftest_metric(&t->subject, &t->metrics.entries[i], t->arena, &t->tests[count],
                                              &draws[count], &courses[count], err);
        if (status != SY_OK) {
            return status;
        }
        if ((!t->tests[count].can_fail && !add_finding(t, &t->tests[count])) ||
            !add_drift(t, &t->tests[count], &courses[count])) {
            return no_memory(err);
        }
        count++;
    }
    *t->to = (sy_selftested){.tests = t->tests,
                             .draws = draws,
                             .courses = courses,
                             .test_count = count,
                             .findings = t->findings,
                             .finding_count = t->to->finding_count,
                             .remarks = t->remarks,
                             .remark_count = t->to->remark_count,
                             .owner = t->arena};
    return SY_OK;
}

/* What holds for all metrics. */
static sy_status add_remarks(testing *t, sy_error *err)
{
    bool done = true;
    bool repeats = false;
    size_t enough = 0;
    for (size_t i = 0; i < t->to->test_count; i++) {
        const sy_selftest_draw *draw = &t->to->draws[i];
        repeats = repeats || draw->repeats;
        enough = draw->repeats ? draw->baseline_count + draw->session_count : enough;
    }
    if (repeats) {
        done = add_text(t->remarks, &t->to->remark_count,
                        sy_arena_format(t->arena,
                                        "fewer than %zu accepted sessions: those that are left behind a baseline are "
                                        "drawn again, and an alarm that confirms itself blocks more often than two "
                                        "sessions would",
                                        enough));
    }
    if (done && t->baseline.earlier_count > 0) {
        done = add_text(t->remarks, &t->to->remark_count,
                        sy_arena_format(t->arena, "%zu accepted sessions before the last accepted change are left out",
                                        t->baseline.earlier_count));
    }
    if (done && t->baseline.doubled_count > 0) {
        done = add_text(t->remarks, &t->to->remark_count,
                        sy_arena_format(t->arena, "%zu accepted sessions are left out: others had the same lease",
                                        t->baseline.doubled_count));
    }
    if (done && t->to->test_count == 0) {
        done = add_text(
            t->findings, &t->to->finding_count,
            sy_arena_format(t->arena, "gate-cannot-fail: %s: its sessions have no primary metric", t->subject.gate));
    }
    return done ? SY_OK : no_memory(err);
}

/* ---- the answer ---- */

static sy_status record(testing *t, sy_error *err)
{
    if (t->options->dry_run || t->to->test_count == 0) {
        return sy_ledger_read_head(t->ledger, &t->to->head, err);
    }
    sy_event_list events = {.arena = t->arena, .run = ""};
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < t->to->test_count; i++) {
        status = sy_event_list_selftest(&events, &t->to->tests[i], err);
    }
    if (status == SY_OK) {
        status = sy_event_list_clean(&events, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_append(&events, t->ledger, &t->to->head, err);
    }
    if (status == SY_OK) {
        t->to->number = t->to->head.number;
    }
    return status;
}

static sy_status test_gate(testing *t, sy_error *err)
{
    sy_status status = find_gate(t, err);
    if (status == SY_OK) {
        status = find_key(t, err);
    }
    if (status == SY_OK) {
        status = read_sessions(t, err);
    }
    if (status == SY_OK) {
        status = list_metrics(t, err);
    }
    if (status == SY_OK) {
        status = test_metrics(t, err);
    }
    if (status == SY_OK) {
        status = add_remarks(t, err);
    }
    if (status == SY_OK) {
        status = record(t, err);
    }
    sy_session_set_finish(&t->set);
    return status;
}

sy_status sy_project_selftest(sy_project *project, const sy_selftest_options *options, sy_selftested **ret_tested,
                              sy_error *err)
{
    sy_status status = check(options, err);
    if (status != SY_OK) {
        return status;
    }
    testing t = {
        .project = project, .options = options, .ledger = sy_project_ledger(project), .arena = sy_arena_create(0)};
    t.to = t.arena != NULL ? sy_arena_allocate(t.arena, 1, sizeof *t.to) : NULL;
    status = t.to != NULL ? test_gate(&t, err) : no_memory(err);
    if (status != SY_OK) {
        sy_arena_destroy(t.arena);
        return status;
    }
    *ret_tested = t.to;
    return SY_OK;
}

void sy_selftested_destroy(sy_selftested *tested)
{
    if (tested != NULL) {
        sy_arena_destroy(tested->owner);
    }
}
