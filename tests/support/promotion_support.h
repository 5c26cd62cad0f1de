/* SPDX-License-Identifier: Apache-2.0 */
/* A project whose cell owes four gates, with a run of each: what tests of promotions begin with. */
#ifndef STEELYARD_TESTS_PROMOTION_SUPPORT_H
#define STEELYARD_TESTS_PROMOTION_SUPPORT_H

#include "life_support.h"

#include <steelyard/promotion.h>

#include "base/process.h"

#define HOT_GATE "matmul.cpu.square-512.hot"
#define COLD_GATE "matmul.cpu.square-512.cold"
#define WALL_GATE "\"question\": \"Does {implementation} do {cases} within {address_space_bytes}"

/* What is done to each run of a release; one of them is left out, or done otherwise, by tests. */
typedef enum payment {
    PAY_ALL,
    SKIP_HOT,
    SKIP_COLD,
    SKIP_MEMORY_GATE,
    SKIP_WEIGHINGS, /* both of the gates that weigh */
    SKIP_WEIGHINGS_ACCEPT,
    SKIP_PROVED_FIGURE, /* only a run that is not accepted has it */
    SKIP_FIGURE,        /* of the least memory */
    SKIP_SMALL_FIGURE,  /* it is more than is promised */
    SKIP_BASIS,         /* it is an estimate */
    SKIP_ACCEPT,        /* of the run itself */
    SKIP_HOT_ACCEPT,    /* of another gate's */
    SKIP_HOT_PARITY,    /* the same */
    SKIP_HOT_ARTIFACT,  /* the same */
    SKIP_HOT_REVISION,  /* it is of other sources */
    SKIP_HOT_DEVICE,    /* it is of another device */
    SKIP_ARTIFACT,      /* of the run itself */
    SKIP_SIGNOFF,
    SKIP_WALL_CLOCK /* which a runbook asks for */
} payment;

static inline void life_git(const life *l, const char *const *words)
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

#define GIT(...) \
    life_git(l, (const char *const[]){"git", "-c", "user.name=a", "-c", "user.email=a@b.c", __VA_ARGS__, NULL})

static inline void commit_all(const life *l)
{
    GIT("init", "-q");
    GIT("add", "-A");
    GIT("commit", "-q", "--allow-empty", "-m", "all");
}

static inline void life_start_on(life *l, const char *gate, const char *device, char id[64])
{
    sy_run_start_options options = life_options(l, gate);
    sy_run_started *started = NULL;
    sy_error error = SY_ERROR_INIT;
    options.device = device;
    options.hardware = 1;
    if (sy_project_start(l->project, &options, &started, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    if (!started->planned) {
        fail_msg("%s", started->reason);
    }
    snprintf(id, 64, "%s", started->run);
    sy_run_started_destroy(started);
}

static inline void life_pass_parity(life *l, const char *id)
{
    sy_event_list events = life_events(id);
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", SY_NAN};
    assert_int_equal(sy_event_list_parity(&events, &parity, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

static inline void life_attach(life *l, const char *id)
{
    sy_run_artifact artifact;
    sy_error error = SY_ERROR_INIT;
    char path[600];
    set_write(l->folder, "output.json", "{}\n", 3);
    snprintf(path, sizeof path, "%s/output.json", l->folder);
    if (sy_project_attach(l->project, id, SY_ARTIFACT_OUTPUT, path, NULL, 0, &artifact, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
}

static inline void life_finish_with_memory(life *l, const char *id, sy_memory_basis basis, uint64_t bytes)
{
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    sy_error error = SY_ERROR_INIT;
    const sy_run_memory memory = {.name = "peak",
                                  .bytes = bytes,
                                  .basis = basis,
                                  .scope = SY_MEMORY_PROCESS_TREE,
                                  .how = "prlimit --as=4294967296",
                                  .swap_bytes = SY_NAN,
                                  .pressure_share = SY_NAN};
    options.run = id;
    options.end = (sy_run_end){SY_RUN_OK, NULL, NULL, NULL};
    options.memories = &memory;
    options.memory_count = bytes > 0;
    if (sy_project_finish(l->project, &options, &finished, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    sy_run_finished_destroy(finished);
}

static inline void life_accept(life *l, const char *id)
{
    sy_run_accept_options options = SY_RUN_ACCEPT_OPTIONS_INIT;
    sy_run_acceptance *acceptance = NULL;
    sy_error error = SY_ERROR_INIT;
    options.by = "J. Doe";
    if (sy_project_accept(l->project, id, &options, &acceptance, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    if (!acceptance->accepted) {
        fail_msg("%s: %s", id, acceptance->reasons[0]);
    }
    sy_run_acceptance_destroy(acceptance);
}

static inline sy_signed_off *life_sign(life *l, const char *id)
{
    sy_signoff_options options = SY_SIGNOFF_OPTIONS_INIT;
    sy_signed_off *signed_off = NULL;
    sy_error error = SY_ERROR_INIT;
    options.run = id;
    options.by = "J. Doe";
    options.statement = "read the log";
    if (sy_project_signoff(l->project, &options, &signed_off, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return signed_off;
}

/* A series of that name and case besides. */
static inline void life_series(life *l, const char *id, const char *name, const char *case_name)
{
    static const double samples[] = {2.0, 2.5};
    sy_event_list events = life_events(id);
    sy_run_series series = {.name = name,
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = case_name,
                            .implementation = "",
                            .samples = samples,
                            .count = 2,
                            .note = ""};
    assert_int_equal(sy_event_list_series(&events, &series, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

/* A run of a gate that is neither the promoted one's nor that of the least memory. */
static inline void pay_gate(life *l, const char *gate, payment skip)
{
    char id[64];
    bool hot = strcmp(gate, HOT_GATE) == 0;
    if ((hot && skip == SKIP_HOT) || (!hot && skip == SKIP_COLD) || skip == SKIP_WEIGHINGS) {
        return;
    }
    if (hot && skip == SKIP_HOT_REVISION) {
        commit_all(l);
    }
    life_start_on(l, gate, hot && skip == SKIP_HOT_DEVICE ? "cpu:1" : NULL, id);
    life_work(l, id);
    if (!hot || skip != SKIP_HOT_PARITY) {
        life_pass_parity(l, id);
    }
    if (!hot || skip != SKIP_HOT_ARTIFACT) {
        life_attach(l, id);
    }
    life_finish_with_memory(l, id, SY_MEMORY_ESTIMATE, 0);
    if (skip != SKIP_WEIGHINGS_ACCEPT && (!hot || (skip != SKIP_HOT_ACCEPT && skip != SKIP_HOT_PARITY))) {
        life_accept(l, id);
    }
}

/* A run under the limit; its figure: 0 bytes = none. */
static inline void pay_least_memory(life *l, payment skip, uint64_t bytes, bool accepted)
{
    char id[64];
    life_start(l, LIFE_OTHER_GATE, id);
    life_work(l, id);
    if (skip != SKIP_WALL_CLOCK) {
        life_series(l, id, "first product", "");
    }
    life_pass_parity(l, id);
    life_attach(l, id);
    life_finish_with_memory(l, id, skip == SKIP_BASIS ? SY_MEMORY_ESTIMATE : SY_MEMORY_CONSTRAINED, bytes);
    if (accepted) {
        life_accept(l, id);
    }
}

static inline void pay_memory_gate(life *l, payment skip)
{
    const uint64_t enough = UINT64_C(3) << 30;
    switch (skip) {
    case SKIP_MEMORY_GATE:
        break;
    case SKIP_FIGURE:
        pay_least_memory(l, skip, 0, true);
        break;
    case SKIP_SMALL_FIGURE:
        pay_least_memory(l, skip, UINT64_C(5) << 30, true);
        break;
    case SKIP_PROVED_FIGURE:
        pay_least_memory(l, skip, 0, true);
        pay_least_memory(l, skip, enough, false);
        break;
    default:
        pay_least_memory(l, skip, enough, true);
    }
}

/* The promoted run comes first: what is owed may be paid before or after. */
static inline void pay(life *l, payment skip, char id[64])
{
    set_edit(l->root, LIFE_GATES, WALL_GATE, "\"wall_clock\": \"first product\", " WALL_GATE);
    commit_all(l);
    life_start(l, LIFE_GATE, id);
    life_work(l, id);
    life_series(l, id, "load", "two\nlines");
    life_pass_parity(l, id);
    if (skip != SKIP_ARTIFACT) {
        life_attach(l, id);
    }
    life_finish_with_memory(l, id, SY_MEMORY_ESTIMATE, 0);
    if (skip != SKIP_ACCEPT) {
        life_accept(l, id);
    }
    pay_memory_gate(l, skip);
    pay_gate(l, COLD_GATE, skip);
    pay_gate(l, HOT_GATE, skip); /* last: it may be of other sources */
    if (skip != SKIP_SIGNOFF) {
        sy_signed_off *signed_off = life_sign(l, id);
        if (!signed_off->done) {
            fail_msg("%s", signed_off->reasons[0]);
        }
        sy_signed_off_destroy(signed_off);
    }
}

static inline sy_promoted *life_promote(life *l, const char *id, bool dry_run)
{
    sy_promote_options options = SY_PROMOTE_OPTIONS_INIT;
    sy_promoted *promoted = NULL;
    sy_error error = SY_ERROR_INIT;
    options.run = id;
    options.by = "A. Maintainer";
    options.claim = "One product takes a millisecond.";
    options.dry_run = dry_run;
    if (sy_project_promote(l->project, &options, &promoted, &error) != SY_OK) {
        fail_msg("%s (%s)", error.what, error.hint);
    }
    return promoted;
}

static inline const sy_promotion_debt *find_debt(const sy_promoted *promoted, const char *name)
{
    for (size_t i = 0; i < promoted->debt_count; i++) {
        if (strcmp(promoted->debts[i].name, name) == 0) {
            return &promoted->debts[i];
        }
    }
    fail_msg("no debt '%s'", name);
    return NULL;
}

static inline void tell_unpaid(const sy_promoted *promoted)
{
    for (size_t i = 0; i < promoted->debt_count; i++) {
        const sy_promotion_debt *debt = &promoted->debts[i];
        if (!debt->paid) {
            print_message("%s: %s [%s]\n", debt->name, debt->detail, debt->command);
        }
    }
}

#endif
