/* SPDX-License-Identifier: Apache-2.0 */
/* What a run must be itself: a run that owes nothing, and the same with one thing taken away at a time. */
#include "promotion_support.h"

#include "evidence/promotion/debts.h"

typedef struct single_loss {
    const char *debt; /* the only one that is not paid then */
    const char *words;
    void (*lose)(sy_run *run);
} single_loss;

static void lose_end(sy_run *run)
{
    run->row.status = SY_RUN_RUNNING;
}

static void lose_place_to_another(sy_run *run)
{
    static const sy_run_end end = {SY_RUN_SUPERSEDED, "", "", "run-b"};
    run->row.status = SY_RUN_SUPERSEDED;
    run->ends = &end;
    run->end_count = 1;
}

static void fail_it(sy_run *run)
{
    run->row.status = SY_RUN_FAILED;
    run->row.reason = "smoke: parity failed";
}

static void import_it(sy_run *run)
{
    run->row.status = SY_RUN_IMPORTED;
    run->row.kind = SY_RUN_KIND_IMPORT;
}

static void decide_it(sy_run *run)
{
    run->row.kind = SY_RUN_KIND_DECISION;
}

static void change_cell(sy_run *run)
{
    run->row.cell = "attention::cpu";
}

static void lower_tier(sy_run *run)
{
    run->row.tier = "scheduled-profile";
}

static void lose_parity(sy_run *run)
{
    static const sy_run_parity_event parity = {SY_RUN_PARITY_FAILED, "", "", "off by one", 3.0};
    run->row.parity = SY_RUN_PARITY_FAILED;
    run->parities = &parity;
    run->parity_count = 1;
}

static void lose_revision(sy_run *run)
{
    run->row.revision = "";
}

static void doubt_tree(sy_run *run)
{
    run->row.dirty = -1;
}

static void soil_tree(sy_run *run)
{
    run->row.dirty = 1;
    run->row.diff_is_kept = false;
}

static void lose_key(sy_run *run)
{
    static const sy_named_text fields[] = {{"cell_id", "a"}, {"objective", NULL}, {"device_id", NULL}};
    run->row.key_digest = "";
    run->begin.key = (sy_comparison_key){fields, 3};
}

static void lose_input(sy_run *run)
{
    static const sy_named_text inputs[] = {{"fixture", NULL}};
    run->begin.inputs = inputs;
    run->begin.input_count = 1;
}

static void lose_lease(sy_run *run)
{
    run->row.lease_whole = false;
}

static void never_have_lease(sy_run *run)
{
    run->row.fence = 0;
}

static void lose_artifacts(sy_run *run)
{
    run->artifact_count = 0;
}

static void keep_sources_alone(sy_run *run)
{
    static const sy_run_artifact artifacts[] = {{SY_ARTIFACT_MANIFEST, "manifest.json", "", 1},
                                                {SY_ARTIFACT_DIFF, "sources.diff", "", 1},
                                                {SY_ARTIFACT_SOURCE, "main.c", "", 1}};
    run->artifacts = artifacts;
    run->artifact_count = 3;
}

static void lose_acceptance(sy_run *run)
{
    run->row.accepted = false;
}

static void judge(sy_run *run, sy_judgement_word word, sy_judgement_reason reason)
{
    static sy_run_signoff signoff = {"J. Doe", "read the log", 99};
    static sy_run_verdict verdict;
    verdict = (sy_run_verdict){.mode = SY_COMPARISON_SAME_KEY, .word = word, .reason = reason};
    run->verdicts = &verdict;
    run->verdict_count = 1;
    run->row.judged = true;
    run->row.verdict = word;
    run->row.verdict_reason = reason;
    run->row.verdict_number = 99;
    run->signoffs = &signoff;
    run->signoff_count = 1;
}

static void investigate(sy_run *run)
{
    judge(run, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
}

static void block(sy_run *run)
{
    judge(run, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
}

static void lose_value(sy_run *run)
{
    judge(run, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
}

static void lose_signoff(sy_run *run)
{
    run->signoff_count = 0;
}

static void judge_after_signoff(sy_run *run)
{
    judge(run, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    run->row.verdict_number = 100;
}

static void promote_before(sy_run *run)
{
    run->row.promoted = 7;
}

static const single_loss losses[] = {
    {"status", "it is running", lose_end},
    {"status", "superseded by run-b", lose_place_to_another},
    {"status", "failed: smoke: parity failed", fail_it},
    {"status", "imported", import_it},
    {"status", "decision", decide_it},
    {"cell", "its gate belongs to matmul::cpu now", change_cell},
    {"tier", "its tier is scheduled-profile", lower_tier},
    {"parity", "failed: off by one", lose_parity},
    {"provenance", "nobody knows which revision", lose_revision},
    {"provenance", "nobody knows if the tree was clean", doubt_tree},
    {"provenance", "the difference is not kept", soil_tree},
    {"comparison-key", "unknown: objective, device_id", lose_key},
    {"inputs", "nothing says what the input fixture was", lose_input},
    {"lease", "did not hold its device", lose_lease},
    {"lease", "did not hold its device", never_have_lease},
    {"artifacts", "every run as JSON", lose_artifacts},
    {"artifacts", "every run as JSON", keep_sources_alone},
    {"acceptance", "not accepted", lose_acceptance},
    {"verdict", "investigate: unconfirmed", investigate},
    {"verdict", "block: confirmed", block},
    {"verdict", "not-judged", lose_value},
    {"sign-off", "nobody has vouched", lose_signoff},
    {"sign-off", "before its last verdict", judge_after_signoff},
    {"once", "promoted already, by event 7", promote_before},
};

/* A session that owes nothing itself: signed off, of a first baseline. */
static sy_run *make_run(life *l)
{
    char id[64];
    pay(l, PAY_ALL, id);
    return life_run(l, id);
}

static void list(life *l, const sy_run *run, sy_debt_work *work, sy_owed_gate *gate)
{
    sy_registry *registry = NULL;
    assert_int_equal(sy_project_registry(l->project, &registry, NULL), SY_OK);
    *work = (sy_debt_work){.ledger = sy_project_ledger(l->project),
                           .registry = registry,
                           .arena = sy_arena_create(0),
                           .run = run,
                           .plan = &gate->plan,
                           .why_no_plan = "",
                           .gates = gate,
                           .gate_count = 1};
    assert_int_equal(sy_gate_plan_read(registry, LIFE_GATE, work->arena, &gate->plan, NULL), SY_OK);
    assert_int_equal(sy_debts_of_run(work, NULL), SY_OK);
    sy_debts_of_people(work);
    assert_false(work->failed);
}

static void each_thing_that_is_missing_alone_is_the_only_debt(void **state)
{
    life *l = *state;
    sy_run *whole = make_run(l);
    sy_debt_work work;
    sy_owed_gate gate;
    list(l, whole, &work, &gate);
    for (size_t i = 0; i < work.count; i++) {
        if (!work.debts[i].paid) {
            fail_msg("%s: %s", work.debts[i].name, work.debts[i].detail);
        }
        assert_string_equal(work.debts[i].command, "");
    }
    sy_arena_destroy(work.arena);
    for (size_t k = 0; k < sizeof losses / sizeof losses[0]; k++) {
        sy_run copy = *whole;
        size_t unpaid = 0;
        losses[k].lose(&copy);
        list(l, &copy, &work, &gate);
        for (size_t i = 0; i < work.count; i++) {
            const sy_promotion_debt *debt = &work.debts[i];
            if (!debt->paid &&
                (strcmp(debt->name, losses[k].debt) != 0 || strstr(debt->detail, losses[k].words) == NULL)) {
                fail_msg("loss %zu: %s: %s", k, debt->name, debt->detail);
            }
            unpaid += !debt->paid;
        }
        if (unpaid != 1) {
            fail_msg("loss %zu (%s): %zu debts", k, losses[k].debt, unpaid);
        }
        sy_arena_destroy(work.arena);
    }
    sy_run_destroy(whole);
}

/* Fixtures are held against the gate as it is now. */
static void a_fixture_that_the_gate_names_otherwise_is_owed(void **state)
{
    static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const char other[] = "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    life *l = *state;
    sy_run *whole = make_run(l);
    sy_run copy = *whole;
    sy_debt_work work;
    sy_owed_gate gate;
    const sy_named_text wanted = {"scan", digest};
    const sy_named_text found[] = {{"scan", digest}, {"scan", other}, {"another", digest}};
    copy.begin.input_count = 1;
    for (size_t i = 0; i < 3; i++) {
        copy.begin.inputs = &found[i];
        list(l, &copy, &work, &gate);
        gate.plan.inputs = &wanted;
        gate.plan.input_count = 1;
        work.count = 0;
        assert_int_equal(sy_debts_of_run(&work, NULL), SY_OK);
        for (size_t k = 0; k < work.count; k++) {
            bool inputs = strcmp(work.debts[k].name, "inputs") == 0;
            assert_int_equal(work.debts[k].paid, !inputs || i == 0);
        }
        sy_arena_destroy(work.arena);
    }
    sy_run_destroy(whole);
}

/* Behind five accepted sessions a run is held against them; before, its acceptance stands for that. */
static void the_sixth_session_owes_a_verdict_of_pass(void **state)
{
    life *l = *state;
    sy_debt_work work;
    sy_owed_gate gate;
    char id[64];
    commit_all(l);
    for (size_t i = 0; i < 6; i++) {
        life_start(l, LIFE_GATE, id);
        life_work(l, id);
        life_pass_parity(l, id);
        life_attach(l, id);
        life_finish_with_memory(l, id, SY_MEMORY_ESTIMATE, 0);
        if (i < 5) {
            life_accept(l, id);
        }
        sy_run *run = life_run(l, id);
        list(l, run, &work, &gate);
        for (size_t k = 0; k < work.count; k++) {
            if (strcmp(work.debts[k].name, "verdict") == 0) {
                assert_int_equal(work.debts[k].paid, i < 5);
                assert_true(i < 5 || strstr(work.debts[k].command, "steelyard compare ") != NULL);
            }
        }
        sy_arena_destroy(work.arena);
        sy_run_destroy(run);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_thing_that_is_missing_alone_is_the_only_debt),
        TEST(a_fixture_that_the_gate_names_otherwise_is_owed),
        TEST(the_sixth_session_owes_a_verdict_of_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
