/* SPDX-License-Identifier: Apache-2.0 */
/* Promotions as a whole: what is written, and what is refused with all that is missing. */
#include "promotion_support.h"

#include <math.h>
#include <sys/wait.h>

#include "fault_loop.h"

/* ---- what is written ---- */

static void expect_same_number(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void expect_same_row(const sy_run_promotion *a, const sy_run_promotion *b)
{
    assert_string_equal(a->by, b->by);
    assert_string_equal(a->claim, b->claim);
    assert_string_equal(a->cell, b->cell);
    assert_string_equal(a->gate, b->gate);
    assert_string_equal(a->tier, b->tier);
    assert_string_equal(a->key_digest, b->key_digest);
    assert_string_equal(a->revision, b->revision);
    assert_string_equal(a->host, b->host);
    assert_string_equal(a->device, b->device);
    assert_int_equal(a->word, b->word);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->signoff, b->signoff);
    assert_int_equal(a->synthetic, b->synthetic);
    assert_int_equal(a->proof_count, b->proof_count);
    for (size_t i = 0; i < a->proof_count; i++) {
        assert_string_equal(a->proofs[i].name, b->proofs[i].name);
        assert_string_equal(a->proofs[i].run, b->proofs[i].run);
        assert_string_equal(a->proofs[i].detail, b->proofs[i].detail);
    }
    assert_int_equal(a->figure_count, b->figure_count);
    for (size_t i = 0; i < a->figure_count; i++) {
        assert_string_equal(a->figures[i].name, b->figures[i].name);
        assert_string_equal(a->figures[i].unit, b->figures[i].unit);
        expect_same_number(a->figures[i].value, b->figures[i].value);
    }
}

static double figure(const sy_run_promotion *row, const char *name)
{
    for (size_t i = 0; i < row->figure_count; i++) {
        if (strcmp(row->figures[i].name, name) == 0) {
            return row->figures[i].value;
        }
    }
    return NAN;
}

static void a_run_that_owes_nothing_becomes_a_row_that_holds_all_of_it(void **state)
{
    life *l = *state;
    char id[64];
    pay(l, PAY_ALL, id);
    sy_promoted *dry = life_promote(l, id, true);
    tell_unpaid(dry);
    assert_int_equal(dry->unpaid_count, 0);
    assert_false(dry->promoted);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.promoted, 0); /* it was only asked */
    sy_run_destroy(run);
    sy_promoted *promoted = life_promote(l, id, false);
    assert_true(promoted->promoted);
    assert_int_equal(promoted->number, promoted->head.number);
    expect_same_row(&dry->row, &promoted->row);
    run = life_run(l, id);
    assert_int_equal(run->row.promoted, promoted->number);
    assert_int_equal(run->promotion_count, 1);
    expect_same_row(&run->promotions[0], &promoted->row);
    assert_string_equal(promoted->row.by, "A. Maintainer");
    assert_string_equal(promoted->row.cell, "matmul::cpu");
    assert_string_equal(promoted->row.revision, run->row.revision);
    assert_int_equal(promoted->row.signoff, run->row.signoff_number);
    assert_int_equal(promoted->row.word, SY_JUDGEMENT_NO_BASELINE);
    assert_true(figure(&promoted->row, "wall p50") == 1.1e-3);
    assert_true(figure(&promoted->row, "wall maximum") == 1.2e-3);
    assert_true(figure(&promoted->row, "wall n") == 3);
    assert_true(figure(&promoted->row, "load two?lines p50") == 2.0);
    sy_run_destroy(run);
    assert_int_equal(promoted->row.proof_count, promoted->debt_count);
    assert_string_not_equal(find_debt(promoted, "gate:" HOT_GATE)->run, "");
    assert_string_not_equal(find_debt(promoted, "gate:" COLD_GATE)->run, find_debt(promoted, "gate:" HOT_GATE)->run);
    assert_string_equal(find_debt(promoted, "minimum-memory")->run, find_debt(promoted, "gate:" LIFE_OTHER_GATE)->run);
    assert_string_equal(find_debt(promoted, "wall-clock")->run, find_debt(promoted, "gate:" LIFE_OTHER_GATE)->run);
    sy_promoted_destroy(promoted);
    sy_promoted_destroy(dry);
    promoted = life_promote(l, id, false); /* again */
    assert_false(promoted->promoted);
    assert_int_equal(promoted->unpaid_count, 1);
    assert_false(find_debt(promoted, "once")->paid);
    sy_promoted_destroy(promoted);
}

/* ---- what is refused ---- */

/* With one thing not done, exactly these debts are not paid. */
static const struct {
    payment skip;
    const char *debt, *detail, *command;
    const char *second; /* a debt that cannot be paid without the first; NULL: none */
} refusals[] = {
    {SKIP_HOT, "gate:" HOT_GATE, "no run yet", "steelyard run start " HOT_GATE, NULL},
    {SKIP_COLD, "gate:" COLD_GATE, "no run yet", "steelyard run start " COLD_GATE, NULL},
    {SKIP_FIGURE, "minimum-memory", "4 GiB of the process-tree are enough", "steelyard run start " LIFE_OTHER_GATE,
     NULL},
    {SKIP_PROVED_FIGURE, "minimum-memory", "4 GiB of the process-tree are enough",
     "steelyard run start " LIFE_OTHER_GATE, NULL},
    {SKIP_SMALL_FIGURE, "minimum-memory", "5 GiB", "steelyard run start " LIFE_OTHER_GATE, NULL},
    {SKIP_BASIS, "minimum-memory", "is an estimate", "steelyard run start " LIFE_OTHER_GATE, NULL},
    {SKIP_ACCEPT, "acceptance", "not accepted", " --by WHO", NULL},
    {SKIP_HOT_ACCEPT, "gate:" HOT_GATE, "not accepted", "steelyard run accept ", NULL},
    {SKIP_HOT_PARITY, "gate:" HOT_GATE, "its parity is unknown, not accepted", "steelyard run start " HOT_GATE, NULL},
    {SKIP_HOT_ARTIFACT, "gate:" HOT_GATE, "nothing of what its runbook requires is kept", " FILE --role output", NULL},
    {SKIP_HOT_REVISION, "gate:" HOT_GATE, "of the revision ", "steelyard run start " HOT_GATE, NULL},
    {SKIP_HOT_DEVICE, "gate:" HOT_GATE, "on the device cpu:1", "steelyard run start " HOT_GATE, NULL},
    {SKIP_ARTIFACT, "artifacts", "none is kept", "steelyard run attach ", NULL},
    {SKIP_SIGNOFF, "sign-off", "nobody", "steelyard signoff ", NULL},
    {SKIP_WALL_CLOCK, "wall-clock", "no series 'first product'", "steelyard run start " LIFE_OTHER_GATE, NULL},
    {SKIP_MEMORY_GATE, "gate:" LIFE_OTHER_GATE, "no run yet", "steelyard run start " LIFE_OTHER_GATE,
     "minimum-memory wall-clock"},
};

static void what_alone_is_not_paid_is_told_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        void *own = NULL;
        char id[64];
        assert_int_equal(life_set_up(&own), 0);
        life *l = own;
        pay(l, refusals[i].skip, id);
        sy_promoted *promoted = life_promote(l, id, false);
        size_t expected = refusals[i].second != NULL ? 3 : 1;
        const sy_promotion_debt *debt = find_debt(promoted, refusals[i].debt);
        bool right = !promoted->promoted && !debt->paid && promoted->unpaid_count == expected &&
                     strstr(debt->detail, refusals[i].detail) != NULL &&
                     strstr(debt->command, refusals[i].command) != NULL;
        if (!right) {
            tell_unpaid(promoted);
            fail_msg("refusal %zu (%s): %s [%s]", i, refusals[i].debt, debt->detail, debt->command);
        }
        for (size_t k = 0; refusals[i].second != NULL && k < promoted->debt_count; k++) {
            const sy_promotion_debt *other = &promoted->debts[k];
            assert_true(other->paid || other == debt || strstr(refusals[i].second, other->name) != NULL);
        }
        sy_run *run = life_run(l, id);
        assert_int_equal(run->promotion_count, 0);
        sy_run_destroy(run);
        sy_promoted_destroy(promoted);
        assert_int_equal(life_tear_down(&own), 0);
    }
}

static void a_planned_run_is_told_everything_that_it_owes(void **state)
{
    life *l = *state;
    char id[64];
    life_start(l, LIFE_GATE, id);
    sy_promoted *promoted = life_promote(l, id, false);
    assert_false(find_debt(promoted, "status")->paid);
    assert_non_null(strstr(find_debt(promoted, "status")->command, "steelyard run exec "));
    assert_false(find_debt(promoted, "parity")->paid);
    assert_false(find_debt(promoted, "provenance")->paid);
    assert_false(find_debt(promoted, "lease")->paid);
    assert_false(find_debt(promoted, "acceptance")->paid);
    assert_false(find_debt(promoted, "gate:" HOT_GATE)->paid);
    assert_false(find_debt(promoted, "minimum-memory")->paid);
    assert_false(find_debt(promoted, "sign-off")->paid);
    assert_true(find_debt(promoted, "tier")->paid);
    assert_true(find_debt(promoted, "cell")->paid);
    sy_promoted_destroy(promoted);
}

static void a_gate_that_is_gone_or_refuted_carries_no_row(void **state)
{
    life *l = *state;
    char id[64];
    pay(l, PAY_ALL, id);
    sy_project_close(l->project);
    set_edit(l->root, LIFE_GATES, "\"id\": \"" LIFE_GATE "\"", "\"id\": \"another\"");
    life_open(l, false);
    sy_promoted *promoted = life_promote(l, id, false);
    assert_false(promoted->promoted);
    assert_non_null(strstr(find_debt(promoted, "gate")->detail, "no gate " LIFE_GATE " any more"));
    sy_promoted_destroy(promoted);
    sy_project_close(l->project);
    set_edit(l->root, LIFE_GATES, "\"id\": \"another\"", "\"id\": \"" LIFE_GATE "\"");
    set_edit(l->root, LIFE_GATES, "\"state\": \"pending\",\n      \"runbook\": \"measure\"",
             "\"state\": \"refuted\",\n      \"runbook\": \"measure\"");
    life_open(l, false);
    promoted = life_promote(l, id, false);
    assert_false(promoted->promoted);
    assert_int_equal(promoted->unpaid_count, 1);
    assert_non_null(strstr(find_debt(promoted, "gate")->detail, "is refuted"));
    sy_promoted_destroy(promoted);
}

static void a_wrong_registry_promotes_nothing_and_is_named(void **state)
{
    life *l = *state;
    char id[64];
    pay(l, PAY_ALL, id);
    sy_project_close(l->project);
    set_edit(l->root, "evidence/profile_matrix.json", "\"default_regression_mode\": \"report-only\"",
             "\"default_regression_mode\": \"block\"");
    life_open(l, false);
    sy_promote_options options = SY_PROMOTE_OPTIONS_INIT;
    sy_promoted *promoted = NULL;
    sy_error error = SY_ERROR_INIT;
    options.run = id;
    options.by = "me";
    assert_int_equal(sy_project_promote(l->project, &options, &promoted, &error), SY_CORRUPT);
    assert_non_null(strstr(error.what, "evidence/profile_matrix.json:"));
    options.by = " ";
    assert_int_equal(sy_project_promote(l->project, &options, &promoted, &error), SY_INVALID_ARGUMENT);
    options.by = "me";
    options.run = "nobody";
    assert_int_equal(sy_project_promote(l->project, &options, &promoted, &error), SY_NOT_FOUND);
}

/* What a cell owes is on one computer: another one's gates prove nothing there, and are not asked. */
static void gates_of_another_computer_are_not_owed(void **state)
{
    life *l = *state;
    char id[64];
    set_edit(l->root, LIFE_GATES, "\"this-computer\": \"This computer\"",
             "\"this-computer\": \"This computer\", \"far\": \"Another one\"");
    set_edit(l->root, LIFE_GATES,
             "\"id\": \"" COLD_GATE "\",\n      \"module\": \"Matrix products\",\n      \"operation\": \"matmul\",\n"
             "      \"platform\": \"cpu\",\n      \"computer\": \"This computer\"",
             "\"id\": \"" COLD_GATE "\",\n      \"module\": \"Matrix products\",\n      \"operation\": \"matmul\",\n"
             "      \"platform\": \"cpu\",\n      \"computer\": \"far\"");
    pay(l, SKIP_COLD, id);
    sy_promoted *promoted = life_promote(l, id, false);
    tell_unpaid(promoted);
    assert_true(promoted->promoted);
    for (size_t i = 0; i < promoted->debt_count; i++) {
        assert_string_not_equal(promoted->debts[i].name, "gate:" COLD_GATE);
    }
    sy_promoted_destroy(promoted);
}

/* The tier of the runbook that both gates have which weigh; what is done for them. */
static const struct {
    const char *tier;
    payment skip;
    bool promoted;
} tiers[] = {
    {"diagnostic", SKIP_WEIGHINGS, true},      /* proves nothing, and is not owed */
    {"pr-smoke", SKIP_WEIGHINGS_ACCEPT, true}, /* never accepted, and owed */
    {"pr-smoke", SKIP_WEIGHINGS, false},
    {"scheduled-profile", SKIP_WEIGHINGS_ACCEPT, false},
};

static void the_tier_of_a_gate_says_what_its_cell_owes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tiers / sizeof tiers[0]; i++) {
        void *own = NULL;
        char id[64], edited[64];
        assert_int_equal(life_set_up(&own), 0);
        life *l = own;
        snprintf(edited, sizeof edited, "\"tier\": \"%s\"", tiers[i].tier);
        set_edit(l->root, LIFE_GATES, "\"tier\": \"scheduled-profile\"", edited);
        pay(l, tiers[i].skip, id);
        sy_promoted *promoted = life_promote(l, id, false);
        if (promoted->promoted != tiers[i].promoted || promoted->unpaid_count != (tiers[i].promoted ? 0 : 2)) {
            tell_unpaid(promoted);
            fail_msg("tier %s (%zu): %zu debts", tiers[i].tier, i, promoted->unpaid_count);
        }
        sy_promoted_destroy(promoted);
        assert_int_equal(life_tear_down(&own), 0);
    }
}

/* ---- private texts ---- */

static void what_is_private_is_taken_out(void **state)
{
    life *l = *state;
    char id[64];
    pay(l, PAY_ALL, id);
    sy_promote_options options = SY_PROMOTE_OPTIONS_INIT;
    sy_promoted *promoted = NULL;
    options.run = id;
    options.by = "/home/ann/bin/me";
    options.claim = "see /Users/ann/notes.txt";
    assert_int_equal(sy_project_promote(l->project, &options, &promoted, NULL), SY_OK);
    assert_true(promoted->promoted);
    assert_null(strstr(promoted->row.by, "ann"));
    assert_null(strstr(promoted->row.claim, "ann"));
    sy_promoted_destroy(promoted);
}

/* ---- several at once ---- */

static int promote_in_a_child(life *l, const char *id)
{
    sy_promote_options options = SY_PROMOTE_OPTIONS_INIT;
    sy_promoted *promoted = NULL;
    options.run = id;
    options.by = "a child";
    sy_project_close(l->project);
    life_open(l, false);
    sy_status status = sy_project_promote(l->project, &options, &promoted, NULL);
    int code = status != SY_OK ? 2 : promoted->promoted ? 0 : 1;
    sy_promoted_destroy(promoted);
    return code;
}

static void of_several_at_once_one_promotes(void **state)
{
    enum { CHILDREN = 4 };
    life *l = *state;
    char id[64];
    pid_t children[CHILDREN];
    int promoted = 0;
    pay(l, PAY_ALL, id);
    for (size_t i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            _exit(promote_in_a_child(l, id));
        }
    }
    for (size_t i = 0; i < CHILDREN; i++) {
        int ended = 0;
        assert_int_equal(waitpid(children[i], &ended, 0), children[i]);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) < 2);
        promoted += WEXITSTATUS(ended) == 0;
    }
    assert_int_equal(promoted, 1);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->promotion_count, 1);
    sy_run_destroy(run);
}

/* ---- memory ---- */

typedef struct promotion_call {
    life *l;
    const char *id;
} promotion_call;

static sy_status promote_dry(void *user)
{
    const promotion_call *call = user;
    sy_promote_options options = SY_PROMOTE_OPTIONS_INIT;
    sy_promoted *promoted = NULL;
    options.run = call->id;
    options.by = "me";
    options.dry_run = true;
    sy_status status = sy_project_promote(call->l->project, &options, &promoted, NULL);
    sy_promoted_destroy(promoted);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    life *l = *state;
    char id[64];
    sy_registry *registry = NULL;
    pay(l, SKIP_HOT_ACCEPT, id);
    assert_int_equal(sy_project_registry(l->project, &registry, NULL), SY_OK);
    promotion_call call = {l, id};
    assert_true(fault_loop_allocations(promote_dry, &call, true) > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_run_that_owes_nothing_becomes_a_row_that_holds_all_of_it),
        cmocka_unit_test(what_alone_is_not_paid_is_told_alone),
        TEST(a_planned_run_is_told_everything_that_it_owes),
        TEST(a_gate_that_is_gone_or_refuted_carries_no_row),
        TEST(a_wrong_registry_promotes_nothing_and_is_named),
        TEST(gates_of_another_computer_are_not_owed),
        cmocka_unit_test(the_tier_of_a_gate_says_what_its_cell_owes),
        TEST(what_is_private_is_taken_out),
        TEST(of_several_at_once_one_promotes),
        TEST(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
