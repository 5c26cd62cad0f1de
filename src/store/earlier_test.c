/* SPDX-License-Identifier: Apache-2.0 */
/* What a replaced measurement leaves behind, and that histories can be merged in any order, again and again. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "store/earlier.h"
#include "store/profile.h"
#include "store_fixture.h"

typedef struct measured {
    const char *policy;
    sy_decision decision;
    double gain;
    double cost_s;
} measured;

static void put_measured(sy_store *store, measured m)
{
    policy_text text = {m.policy, strlen(m.policy), 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_profile_trial trial = {m.decision, "capped", 60, 20, 15, NAN, 1};
    sy_profile_gain gain = {m.gain, m.gain / 2, m.gain * 2, 20};
    sy_profile_cost cost = {m.cost_s, 1};
    sy_measurement reference = {SY_MEASUREMENT_REFERENCE_CALL, 2e6, "ns"};
    sy_error err = SY_ERROR_INIT;
    draft.key = exact_key("p", 2);
    draft.trial = &trial;
    draft.gain = &gain;
    draft.cost = &cost;
    draft.measurements = &reference;
    draft.measurement_count = 1;
    draft.evidence_run = "run";
    draft.evidence_digest = SOME_DIGEST;
    if (sy_store_put(store, &draft, serialize_text, NULL, &text, NULL, &err) != SY_OK) {
        fail_msg("put: %s", err.what);
    }
}

static void a_replaced_measurement_is_kept_with_its_figures(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    int64_t first = test_now;
    put_measured(store, (measured){"flash", SY_DECISION_WIN, .1, 12.5});
    test_now += 100;
    put_measured(store, (measured){"plain", SY_DECISION_NO_GAIN, .01, 7});
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_string_equal(profile->policy, "plain");
    assert_true(profile->cost.seconds == 7);
    assert_int_equal(profile->earlier_count, 1);
    const sy_profile_earlier *earlier = &profile->earlier[0];
    assert_string_equal(earlier->policy, "flash");
    assert_string_equal(earlier->origin, "");
    assert_int_equal(earlier->decision, SY_DECISION_WIN);
    assert_true(earlier->gain.gain == .1 && earlier->gain.low == .05 && earlier->gain.pairs == 20);
    assert_true(fabs(earlier->reference_s - .002) < 1e-12);
    assert_int_equal(earlier->created_utc_s, first);
    assert_int_equal(earlier->replaced_utc_s, test_now);
    assert_string_equal(earlier->evidence_run, "run");
    assert_string_equal(earlier->evidence_digest, SOME_DIGEST);
    assert_string_equal(earlier->tool, "steelyard " SY_VERSION);
    assert_true(earlier->cost.seconds == 12.5);
    sy_store_close(store);
}

static void what_was_put_by_hand_with_the_same_policy_leaves_no_line(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 2, "flash");
    test_now += 1;
    put_exact(store, "p", 2, "flash");
    assert_int_equal(find(store, "p", 2).profile->earlier_count, 0);
    test_now += 1;
    put_exact(store, "p", 2, "plain");
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_int_equal(profile->earlier_count, 1);
    assert_string_equal(profile->earlier[0].policy, "flash");
    assert_false(profile->earlier[0].has_decision);
    sy_store_close(store);
}

static void an_override_leaves_no_history_and_has_none(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_measured(store, (measured){"flash", SY_DECISION_WIN, .1, 1});
    install(store, exact_key("p", 2), "plain", 0);
    install(store, exact_key("p", 2), "other", 0);
    const sy_profile *override = find(store, "p", 2).profile;
    assert_int_equal(override->kind, SY_PROFILE_OVERRIDE);
    assert_int_equal(override->earlier_count, 0);
    assert_int_equal(nth_profile(store, 0)->earlier_count, 0);
    sy_store_close(store);
}

static void of_too_many_the_oldest_go_and_are_counted_with_their_cost(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    for (int i = 0; i < SY_EARLIER_MAX + 4; i++) {
        test_now += 1;
        put_measured(store, (measured){i % 2 ? "flash" : "plain", SY_DECISION_WIN, .1, i + 1});
    }
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_int_equal(profile->earlier_count, SY_EARLIER_MAX);
    assert_int_equal(profile->earlier_dropped, 3);
    assert_true(profile->dropped_cost.seconds == 1 + 2 + 3);
    assert_int_equal(profile->dropped_cost.probes, 3);
    for (size_t i = 0; i < SY_EARLIER_MAX; i++) {
        assert_true(profile->earlier[i].cost.seconds == (double)i + 4);
    }
    sy_store_close(store);
}

static void a_put_may_bring_the_measurement_that_it_settles_from_elsewhere(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    policy_text text = {"flash", 5, 0};
    sy_profile_earlier imported = {.policy = "flash", .policy_size = 5, .origin = "imported", .reference_s = NAN};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    put_measured(store, (measured){"plain", SY_DECISION_NO_GAIN, .01, 1});
    test_now += 1;
    draft.key = exact_key("p", 2);
    draft.earlier = &imported;
    draft.earlier_count = 1;
    imported.replaced_utc_s = test_now;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &text, NULL, NULL), SY_OK);
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_int_equal(profile->earlier_count, 2);
    assert_string_equal(profile->earlier[0].origin, "imported");
    assert_string_equal(profile->earlier[1].policy, "plain");
    sy_store_close(store);
}

static void a_file_of_format_1_says_that_it_keeps_no_history(void **state)
{
    (void)state;
    sy_store_options options = memory_options();
    char path[] = "/tmp/earlier_test.XXXXXX";
    char lock[64];
    sy_store *store;
    sy_put_result result;
    policy_text text = {"plain", 5, 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    assert_non_null(mkdtemp(path));
    char file[64];
    snprintf(file, sizeof file, "%s/profiles", path);
    snprintf(lock, sizeof lock, "%s/profiles.lock", path);
    options.persistence = true;
    options.path = file;
    options.new_file_format = 1;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    put_exact(store, "p", 2, "flash");
    draft.key = exact_key("p", 2);
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &text, &result, NULL), SY_OK);
    assert_string_equal(result.not_kept, "history");
    assert_int_equal(find(store, "p", 2).profile->earlier_count, 0);
    sy_store_close(store);
    assert_int_equal(remove(file) | remove(lock) | remove(path), 0);
}

/* ---- merging ---- */

/* A pool of measurements of one key; histories are drawn from it. */
#define POOL 24

typedef struct pool {
    sy_profile_earlier lines[POOL];
    char policies[POOL][16];
} pool;

static void fill_pool(pool *p)
{
    for (int i = 0; i < POOL; i++) {
        snprintf(p->policies[i], sizeof p->policies[i], "policy %d", i % 5);
        p->lines[i] = (sy_profile_earlier){
            .policy = p->policies[i],
            .policy_size = strlen(p->policies[i]),
            .origin = i % 7 == 0 ? "imported" : "",
            .has_decision = i % 3 != 0,
            .decision = i % 2 ? SY_DECISION_WIN : SY_DECISION_NO_GAIN,
            .has_gain = i % 4 != 0,
            .gain = {.01 * i, i % 5 ? .005 * i : NAN, NAN, (uint32_t)i},
            .reference_s = i % 6 ? .001 : NAN,
            .created_utc_s = 1000 + i / 2,
            .replaced_utc_s = 2000 + i / 3,
            .tool = "",
            .evidence_run = i % 2 ? "run" : "",
            .evidence_digest = i % 2 ? SOME_DIGEST : "",
            .cost = {i, 1},
        };
    }
}

typedef struct drawn {
    sy_profile profile;
    sy_profile_earlier lines[SY_EARLIER_MAX];
    sy_earlier_list list;
} drawn;

static uint32_t below(sy_random *random, uint32_t bound)
{
    return (uint32_t)sy_random_below(random, bound);
}

/* One store's entry of the key: a measurement of the pool in force, others behind it, in their order; counts of its
 * own. */
static void draw(sy_random *random, const pool *p, drawn *to)
{
    uint32_t current = below(random, POOL);
    const sy_profile_earlier *line = &p->lines[current];
    memset(to, 0, sizeof *to);
    to->profile = (sy_profile){
        .policy = line->policy,
        .policy_size = line->policy_size,
        .has_trial = line->has_decision,
        .trial = {.decision = line->decision},
        .has_gain = line->has_gain,
        .gain = line->gain,
        .created_utc_s = line->created_utc_s,
        .tool = "",
        .evidence_run = line->evidence_run,
        .evidence_digest = line->evidence_digest,
        .cost = line->cost,
        .use = {below(random, 1000), 0, 0, 0},
        .earlier = to->lines,
    };
    for (uint32_t i = 0; i < POOL && to->profile.earlier_count < SY_EARLIER_MAX; i++) {
        if (i != current && below(random, 4) == 0) {
            to->lines[to->profile.earlier_count] = p->lines[i];
            to->lines[to->profile.earlier_count++].use.calls = below(random, 3);
        }
    }
}

/* As a merge decides: of equals the first. */
static void merge(const drawn *a, const drawn *b, drawn *to)
{
    bool second = sy_profile_supersedes(&b->profile, &a->profile);
    sy_profile result;
    memset(to, 0, sizeof *to);
    sy_earlier_unite(second ? &b->profile : &a->profile, second ? &a->profile : &b->profile, &result, &to->list);
    to->profile = result;
    if (result.earlier_count > 0) {
        memcpy(to->lines, to->list.lines, result.earlier_count * sizeof to->lines[0]);
    }
    to->profile.earlier = to->lines;
}

static bool is_equal_time(const drawn *a, const drawn *b)
{
    return !sy_profile_supersedes(&a->profile, &b->profile) && !sy_profile_supersedes(&b->profile, &a->profile) &&
           memcmp(a->profile.policy, b->profile.policy, a->profile.policy_size) != 0;
}

static void merged_histories_do_not_depend_on_the_order(void **state)
{
    (void)state;
    pool p;
    fill_pool(&p);
    uint64_t seed = 20261130;
    sy_random random;
    sy_random_start(&random, seed, "histories");
    for (int round = 0; round < 3000; round++) {
        drawn a;
        drawn b;
        drawn ab;
        drawn ba;
        drawn again;
        draw(&random, &p, &a);
        draw(&random, &p, &b);
        if (is_equal_time(&a, &b)) {
            continue; /* then the one named first is in force */
        }
        merge(&a, &b, &ab);
        merge(&b, &a, &ba);
        if (!sy_profile_counts_equal(&ab.profile, &ba.profile)) {
            fail_msg("seed %llu, round %d: a+b has %zu lines, b+a %zu, or they differ", (unsigned long long)seed, round,
                     ab.profile.earlier_count, ba.profile.earlier_count);
        }
        merge(&ab, &b, &again);
        assert_true(sy_profile_counts_equal(&ab.profile, &again.profile));
        merge(&ab, &a, &again);
        assert_true(sy_profile_counts_equal(&ab.profile, &again.profile));
    }
}

static const sy_profile_earlier *line_of(const sy_profile *profile, const sy_profile_earlier *wanted)
{
    for (size_t i = 0; i < profile->earlier_count; i++) {
        if (sy_earlier_is_same(&profile->earlier[i], wanted)) {
            return &profile->earlier[i];
        }
    }
    return NULL;
}

/* Every line of either is in the union, or older than all of a full one; each once, in order, none is the one in
 * force; of counts the larger. */
static void merged_histories_lose_the_oldest_alone(void **state)
{
    (void)state;
    pool p;
    fill_pool(&p);
    sy_random random;
    sy_random_start(&random, 7, "histories");
    for (int round = 0; round < 3000; round++) {
        drawn parts[2];
        drawn ab;
        draw(&random, &p, &parts[0]);
        draw(&random, &p, &parts[1]);
        merge(&parts[0], &parts[1], &ab);
        const sy_profile *united = &ab.profile;
        sy_profile_earlier in_force = sy_profile_as_earlier(united, "", 0);
        assert_true(united->earlier_count <= SY_EARLIER_MAX);
        assert_null(line_of(united, &in_force));
        for (size_t i = 1; i < united->earlier_count; i++) {
            assert_true(united->earlier[i - 1].replaced_utc_s <= united->earlier[i].replaced_utc_s);
            assert_false(sy_earlier_is_same(&united->earlier[i - 1], &united->earlier[i]));
        }
        for (size_t i = 0; i < 2; i++) {
            for (size_t j = 0; j < parts[i].profile.earlier_count; j++) {
                const sy_profile_earlier *line = &parts[i].profile.earlier[j];
                const sy_profile_earlier *found = line_of(united, line);
                if (sy_earlier_is_same(line, &in_force)) {
                    assert_true(united->use.calls >= line->use.calls);
                } else if (found != NULL) {
                    assert_true(found->use.calls >= line->use.calls);
                } else {
                    assert_int_equal(united->earlier_count, SY_EARLIER_MAX);
                    assert_true(line->replaced_utc_s <= united->earlier[0].replaced_utc_s);
                    assert_true(united->earlier_dropped > 0);
                }
            }
        }
    }
}

static void a_merge_through_the_store_keeps_the_loser_as_history(void **state)
{
    (void)state;
    sy_store *older = open_memory(NULL);
    sy_store *newer = open_memory(NULL);
    sy_adoption newest = SY_ADOPTION_INIT;
    sy_put_result result;
    newest.newest_wins = true;
    put_measured(older, (measured){"plain", SY_DECISION_NO_GAIN, .01, 3});
    test_now += 50;
    put_measured(newer, (measured){"flash", SY_DECISION_WIN, .2, 4});
    const sy_profile *one = nth_profile(newer, 0);
    assert_int_equal(sy_store_adopt(older, &one, 1, &newest, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 1);
    const sy_profile *merged = find(older, "p", 2).profile;
    assert_string_equal(merged->policy, "flash");
    assert_int_equal(merged->earlier_count, 1);
    assert_string_equal(merged->earlier[0].policy, "plain");
    /* The other way round what is there stays, and learns of the older one. */
    sy_store *third = open_memory(NULL);
    test_now -= 50;
    put_measured(third, (measured){"plain", SY_DECISION_NO_GAIN, .01, 3});
    test_now += 50;
    one = nth_profile(third, 0);
    assert_int_equal(sy_store_adopt(newer, &one, 1, &newest, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 0);
    assert_true(sy_profile_counts_equal(find(newer, "p", 2).profile, merged));
    uint64_t changes = sy_store_changes(newer);
    assert_int_equal(sy_store_adopt(newer, &one, 1, &newest, &result, NULL), SY_OK);
    assert_true(sy_store_changes(newer) == changes);
    sy_store_close(third);
    sy_store_close(newer);
    sy_store_close(older);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replaced_measurement_is_kept_with_its_figures),
        cmocka_unit_test(what_was_put_by_hand_with_the_same_policy_leaves_no_line),
        cmocka_unit_test(an_override_leaves_no_history_and_has_none),
        cmocka_unit_test(of_too_many_the_oldest_go_and_are_counted_with_their_cost),
        cmocka_unit_test(a_put_may_bring_the_measurement_that_it_settles_from_elsewhere),
        cmocka_unit_test(a_file_of_format_1_says_that_it_keeps_no_history),
        cmocka_unit_test(merged_histories_do_not_depend_on_the_order),
        cmocka_unit_test(merged_histories_lose_the_oldest_alone),
        cmocka_unit_test(a_merge_through_the_store_keeps_the_loser_as_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
