/* SPDX-License-Identifier: Apache-2.0 */
/* What must run next, as commands that can be copied; lines that begin with '#' say when and why. */
#include <string.h>

#include "base/shell_words.h"
#include "base/text.h"
#include "evidence/compare/compare_inside.h"
#include "registry/gates/gate_plan.h"

enum { REPEATS_MAX = 5 };

static void add(sy_comparing *c, const char *text)
{
    sy_compare_add(c, &c->next, text);
}

static const sy_run_command *command_of(const sy_run *run, const char *phase)
{
    for (size_t i = 0; i < run->command_count; i++) {
        if (strcmp(run->commands[i].phase, phase) == 0 && run->commands[i].argc > 0) {
            return &run->commands[i];
        }
    }
    return NULL;
}

/* Words as a shell would take them; NULL: no memory, or there are none. */
static const char *join(sy_comparing *c, const char *const *words, size_t count)
{
    const char **copy = sy_arena_allocate(c->arena, count + 1, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, words, count * sizeof *copy);
    return sy_shell_join(c->arena, copy);
}

/* ---- the command of a session ---- */

static bool are_words(const sy_shell_line *line, const sy_run_command *command)
{
    bool same = line->word_count == command->argc;
    for (size_t i = 0; same && i < command->argc; i++) {
        same = strcmp(line->words[i], command->argv[i]) == 0;
    }
    return same;
}

/* Whether it is the one of the gate's runbook, which need not be said. */
static bool is_of_runbook(sy_comparing *c, const sy_run_command *command)
{
    sy_gate_plan plan;
    sy_shell_line line;
    return sy_gate_plan_read(c->registry, c->run->row.gate, c->arena, &plan, NULL) == SY_OK && plan.command != NULL &&
           sy_shell_split(c->arena, plan.command, &line, NULL) == SY_OK && are_words(&line, command);
}

/* " -- ./bench --fast", "" of a runbook's own command. */
static const char *words_behind(sy_comparing *c)
{
    const sy_run_command *command = command_of(c->run, "measure");
    if (command == NULL || is_of_runbook(c, command)) {
        return "";
    }
    const char *words = join(c, command->argv, command->argc);
    return words == NULL ? NULL : sy_arena_format(c->arena, " -- %s", words);
}

static bool is_same_command(const sy_run_command *a, const sy_run_command *b)
{
    bool same = a->argc == b->argc;
    for (size_t i = 0; same && i < a->argc; i++) {
        same = strcmp(a->argv[i], b->argv[i]) == 0;
    }
    return same;
}

/* The control arm that the run had already, if it was another command than its own; NULL: it was not, or had none. */
static const char *known_control(sy_comparing *c)
{
    const sy_run_command *control = command_of(c->run, "control");
    const sy_run_command *measure = command_of(c->run, "measure");
    if (control == NULL || (measure != NULL && is_same_command(control, measure))) {
        return NULL;
    }
    const char *line = join(c, control->argv, control->argc);
    const char *word = line != NULL ? join(c, &line, 1) : NULL;
    c->failed = c->failed || word == NULL;
    return word != NULL ? sy_arena_format(c->arena, " --control %s", word) : NULL;
}

/* A further session of the run's gate, or of what the run was without one. control: " --control ...", "" = none. */
static const char *session_command(sy_comparing *c, const char *control)
{
    const char *gate = c->run->row.gate;
    if (gate[0] == '\0') {
        const sy_run_command *command = command_of(c->run, "measure");
        return command == NULL ? "# measure another session as this one was measured"
                               : join(c, command->argv, command->argc);
    }
    const char *quoted = join(c, &gate, 1);
    const char *behind = words_behind(c);
    if (quoted == NULL || behind == NULL) {
        return NULL;
    }
    return sy_arena_format(c->arena, "steelyard run exec --gate %s%s --judge%s", quoted, control, behind);
}

static void add_repeats(sy_comparing *c, const char *command, size_t count)
{
    for (size_t i = 0; i < count && i < REPEATS_MAX; i++) {
        add(c, command);
    }
    if (count > REPEATS_MAX) {
        add(c, sy_arena_format(c->arena, "# and %zu times more", count - REPEATS_MAX));
    }
}

/* ---- what each verdict asks for ---- */

static bool can_be_accepted(const sy_comparing *c)
{
    const sy_run_row *row = &c->run->row;
    bool good_tier = strcmp(row->tier, "scheduled-profile") == 0 || strcmp(row->tier, "release-signoff") == 0;
    return !row->accepted && row->status == SY_RUN_OK && good_tier && c->evidence[0] == '\0';
}

static void add_accept(sy_comparing *c, const char *run, const char *more)
{
    c->failed = c->failed || more == NULL;
    add(c, sy_arena_format(c->arena, "steelyard run accept %s --by \"$USER\"%s", run, more != NULL ? more : ""));
}

/* The control arm: what it was, else the same command in a working tree of the accepted revision. */
static const char *control_words(sy_comparing *c)
{
    const sy_run_verdict *verdict = &c->to->verdict;
    const char *control = known_control(c);
    if (control != NULL || c->run->row.gate[0] == '\0') {
        return control != NULL ? control : "";
    }
    add(c, sy_arena_format(c->arena, "# ACCEPTED: a working tree of the accepted revision%s%.12s, built",
                           verdict->baseline_revision[0] != '\0' ? " " : "", verdict->baseline_revision));
    return " --control-directory \"$ACCEPTED\"";
}

static void add_confirms(sy_comparing *c)
{
    const sy_run_verdict *verdict = &c->to->verdict;
    size_t confirms = 0;
    bool control_missing = false;
    for (size_t i = 0; i < verdict->metric_count; i++) {
        const sy_judgement *judgement = &verdict->metrics[i].judgement;
        if (judgement->reason == SY_JUDGEMENT_REASON_UNCONFIRMED) {
            confirms = judgement->confirms_to_come > confirms ? judgement->confirms_to_come : confirms;
            control_missing = control_missing || judgement->control_missing;
        }
    }
    confirms = confirms == 0 ? 1 : confirms;
    add(c, sy_arena_format(c->arena,
                           "# %zu more %s, each under a lease of its own and not back to back; with the accepted "
                           "revision as control arm",
                           confirms, confirms == 1 ? "session" : "sessions"));
    const char *control = control_words(c);
    add_repeats(c, session_command(c, control), confirms);
    if (c->run->row.gate[0] == '\0' || verdict->mode != SY_COMPARISON_SAME_KEY) {
        add(c, sy_arena_format(c->arena, "steelyard compare last%s",
                               verdict->mode != SY_COMPARISON_SAME_KEY ? " --revision-comparison" : ""));
    }
}

static bool only_revision_differs(const sy_comparing *c, const sy_compare_neighbour *neighbour)
{
    return neighbour->field_count == 1 && strcmp(neighbour->fields[0].name, c->revision_field) == 0;
}

static void add_sessions_to_baseline(sy_comparing *c)
{
    size_t missing = c->to->verdict.baseline_count < SY_BASELINE_SESSIONS
                         ? SY_BASELINE_SESSIONS - c->to->verdict.baseline_count
                         : 1;
    if (c->run->row.key_digest[0] == '\0') {
        add(c, sy_arena_format(c->arena, "steelyard key show %s", c->run->row.id));
        return;
    }
    if (!c->options->revision_comparison) {
        add(c, sy_arena_format(c->arena, "# a baseline takes %zu more accepted %s%s", missing,
                               missing == 1 ? "session" : "sessions",
                               can_be_accepted(c) ? ", of which this may be one" : ""));
        if (can_be_accepted(c)) {
            add_accept(c, c->run->row.id, "");
        }
        if (missing > 1 || !can_be_accepted(c)) {
            add(c, session_command(c, ""));
            add_accept(c, "last", "");
        }
    }
    for (size_t i = 0; i < c->to->neighbour_count && !c->options->revision_comparison; i++) {
        if (only_revision_differs(c, &c->to->neighbours[i])) {
            add(c, "# only the revision differs from sessions that are accepted");
            add(c, sy_arena_format(c->arena, "steelyard compare %s --revision-comparison", c->run->row.id));
            return;
        }
    }
}

/* The change is accepted with the session that began the alarm; the others follow it into the new baseline. What was
 * blocked is judged against that first. */
static void add_new_baseline(sy_comparing *c, const char *why, const char *reason)
{
    const sy_run_verdict *verdict = &c->to->verdict;
    if (verdict->mode != SY_COMPARISON_SAME_KEY || !can_be_accepted(c)) {
        return;
    }
    add(c, why);
    add_accept(c, verdict->sessions[0], sy_arena_format(c->arena, " --new-baseline --reason %s", reason));
    for (size_t i = 1; i < verdict->session_count; i++) {
        if (verdict->word != SY_JUDGEMENT_PASS) {
            add(c, sy_arena_format(c->arena, "steelyard compare %s", verdict->sessions[i]));
        }
        add_accept(c, verdict->sessions[i], "");
    }
}

static void add_for_not_judged(sy_comparing *c)
{
    add(c, "# what could not be judged is measured again, or belongs to a new baseline");
    add(c, session_command(c, ""));
    if (c->run->row.sample_count > 0) {
        add_new_baseline(c, "# or, if other figures are measured than before:", "'other figures are measured'");
    }
}

static void add_for_drift(sy_comparing *c)
{
    add(c, "# the level climbs slowly: look at the machine, and at when it began");
    add(c, "steelyard doctor");
    add(c, sy_arena_format(c->arena, "steelyard history %s", c->run->row.id));
    if (can_be_accepted(c)) {
        add(c, "# once its cause is known; the sum begins anew with the accepted session:");
        add_accept(c, c->run->row.id, "");
    }
}

static void add_for_reason(sy_comparing *c)
{
    const char *run = c->run->row.id;
    switch (c->to->verdict.reason) {
    case SY_JUDGEMENT_REASON_EVIDENCE:
        add(c, "# mend what failed, and measure again");
        add(c, sy_arena_format(c->arena, "steelyard run show %s", run));
        add(c, session_command(c, ""));
        return;
    case SY_JUDGEMENT_REASON_NO_VALUE:
        add_for_not_judged(c);
        return;
    case SY_JUDGEMENT_REASON_FEW_SESSIONS:
        add_sessions_to_baseline(c);
        return;
    case SY_JUDGEMENT_REASON_UNCONFIRMED:
        add_confirms(c);
        return;
    case SY_JUDGEMENT_REASON_MACHINE_CHANGED:
        add(c, "# find out what changed on the machine: nothing is accepted until the control arm is back inside");
        add(c, "steelyard doctor");
        add(c, session_command(c, control_words(c)));
        return;
    case SY_JUDGEMENT_REASON_CONFIRMED:
        add(c, "# mend it; when it began:");
        add(c, sy_arena_format(c->arena, "steelyard history %s", run));
        add_new_baseline(c, "# or accept the change, if it is wanted (WHY: the reason):", "\"$WHY\"");
        return;
    case SY_JUDGEMENT_REASON_IMPROVED:
        add_new_baseline(
            c, "# a new baseline is proposed; the old one stays until it is accepted:", "'a confirmed improvement'");
        return;
    case SY_JUDGEMENT_REASON_DRIFT:
        add_for_drift(c);
        return;
    case SY_JUDGEMENT_REASON_INSIDE:
    case SY_JUDGEMENT_REASON_REFUTED:
    case SY_JUDGEMENT_REASON_BELOW_DELTA:
    case SY_JUDGEMENT_REASON_NOT_AGAINST_CONTROL:
        if (can_be_accepted(c) && c->to->verdict.mode == SY_COMPARISON_SAME_KEY) {
            add_accept(c, run, "");
        }
        return;
    }
}

void sy_compare_add_next(sy_comparing *c)
{
    add_for_reason(c);
}
