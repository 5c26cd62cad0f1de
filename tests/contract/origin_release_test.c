/* SPDX-License-Identifier: Apache-2.0 */
/* The contract that an engine's author has with a probe (docs/origin-probes.md): whatever fails, and wherever, the
 * graphs are gone afterwards with all that they took. */
#include "spied_engine.h"

/* Lets the n-th event of a kind fail, for every n that there is. */
static void fail_everywhere(event_kind kind, const engine *like, uint64_t least)
{
    for (uint64_t n = 1;; n++) {
        engine e = *like;
        sy_probe_options options = few_pairs(3);
        sy_probe_result *r = NULL;
        sy_error error = SY_ERROR_INIT;
        e.failing = kind;
        e.fail_at = n;
        open_engine(&e, ENGINE_SCRIPT(""));
        const sy_status status = weigh_engine(&e, options, &r, &error);
        const bool reached = e.counts[kind] >= n;
        if (status)
            assert_true(error.status == status && error.what[0] != '\0' && !r);
        else
            assert_true(r->completed || r->error[0] != '\0');
        assert_int_equal(status == SY_OK && r->completed && !reached, !reached);
        end_engine(&e, r); /* nothing alive, nothing allocated, every state released once */
        if (!reached) {
            assert_true(n > least);
            return;
        }
    }
}

static const engine both = {.case_count = 2, .run_ns = {{1000000, 500000}, {900000, 450000}}, .brings_inputs = true};

static void a_build_that_fails_leaves_nothing(void **state)
{
    (void)state;
    fail_everywhere(EVENT_BUILD, &both, 4);
}

static void an_allocation_that_fails_leaves_nothing(void **state)
{
    (void)state;
    fail_everywhere(EVENT_ALLOCATE, &both, 4);
}

static void an_initialisation_that_fails_leaves_nothing(void **state)
{
    (void)state;
    fail_everywhere(EVENT_INITIALIZE, &both, 4);
}

static void an_upload_that_fails_leaves_nothing(void **state)
{
    (void)state;
    engine e = both;
    e.brings_inputs = false;
    fail_everywhere(EVENT_UPLOAD, &e, 4);
}

static void a_run_that_fails_leaves_nothing(void **state)
{
    (void)state;
    fail_everywhere(EVENT_RUN, &both, 20);
}

static void a_wait_that_fails_leaves_nothing(void **state)
{
    (void)state;
    fail_everywhere(EVENT_WAIT, &both, 20);
}

static void a_comparison_that_fails_leaves_nothing(void **state)
{
    (void)state;
    engine e = both;
    e.compares = true;
    fail_everywhere(EVENT_COMPARE, &e, 4);
}

static void a_wish_to_stop_leaves_nothing(void **state)
{
    (void)state;
    fail_everywhere(EVENT_ASKED, &both, 4);
}

/* What is refused before it was ever allocated, and what is found wrong. */
static void every_other_way_out_leaves_nothing(void **state)
{
    (void)state;
    const engine ways[] = {
        {.candidate_has_no_output = true}, {.candidate_is_shorter = true}, {.candidate_writes_nan = true},
        {.candidate_is_strided = true},    {.candidate_changes_x = true},  {.candidate_factor = 2},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        engine e = ways[i];
        const sy_probe_options options = few_pairs(3);
        sy_probe_result *r = weighed_engine(&e, &options);
        assert_false(r->completed);
        end_engine(&e, r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_that_fails_leaves_nothing),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing),
        cmocka_unit_test(an_initialisation_that_fails_leaves_nothing),
        cmocka_unit_test(an_upload_that_fails_leaves_nothing),
        cmocka_unit_test(a_run_that_fails_leaves_nothing),
        cmocka_unit_test(a_wait_that_fails_leaves_nothing),
        cmocka_unit_test(a_comparison_that_fails_leaves_nothing),
        cmocka_unit_test(a_wish_to_stop_leaves_nothing),
        cmocka_unit_test(every_other_way_out_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
