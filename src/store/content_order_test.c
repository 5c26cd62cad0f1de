/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of profiles of one key does not depend on the order in which they come: orders, and a property over
 * drawn profiles (its seed is printed). */
#include "cmocka_headers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "store/content_order.h"
#include "store_fixture.h"

enum { MEMBERS = 29 };

static const sy_measurement slow = {"time", 2.0, "ms"};
static const sy_measurement fast = {"time", 1.0, "ms"};
static const sy_alternative loser = {"plain", "slower", 1.5};
static const sy_alternative other_loser = {"plain", "parity", 1.5};

static sy_profile basic(void)
{
    sy_profile profile = {.key = exact_key("p", 4), .policy = "a", .policy_size = 1, .created_utc_s = 100};
    profile.evidence_run = profile.evidence_digest = profile.reason = profile.tool = "";
    profile.trial.rule = "";
    return profile;
}

/* Profiles that differ from the basic one in one thing each. */
static void fill(sy_profile list[MEMBERS])
{
    for (size_t i = 0; i < MEMBERS; i++) {
        list[i] = basic();
    }
    list[1].policy = "b";
    list[2].policy = "aa";
    list[2].policy_size = 2;
    list[3].expires_utc_s = 5;
    list[4].evidence_run = "r";
    list[4].evidence_digest = SOME_DIGEST;
    list[5].evidence_run = "s";
    list[5].evidence_digest = SOME_DIGEST;
    list[6].reason = "why";
    list[7].tool = "steelyard";
    list[8].has_trial = true;
    for (size_t i = 9; i < 16; i++) {
        list[i].has_trial = true;
    }
    list[9].trial.decision = SY_DECISION_TIE;
    list[10].trial.rule = "capped";
    list[11].trial.max_pairs = 1;
    list[12].trial.pairs = 1;
    list[13].trial.wins = 1;
    list[14].trial.e_value = NAN;
    list[15].trial.attempt = 2;
    list[16].has_gain = true;
    list[17].gain.gain = 0.1;
    list[18].gain.low = NAN;
    list[19].gain.high = 0.2;
    list[20].gain.pairs = 3;
    list[21].has_parity = true;
    list[22].parity.error_in_tolerances = 0.5;
    list[23].measurements = &slow;
    list[23].measurement_count = 1;
    list[24].measurements = &fast;
    list[24].measurement_count = 1;
    list[25].alternatives = &loser;
    list[25].alternative_count = 1;
    list[26].alternatives = &other_loser;
    list[26].alternative_count = 1;
    list[28].signed_by = "0123456789abcdef";
    list[27].parity.outcome = SY_PARITY_FAILED;
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void the_order_is_total(void **state)
{
    (void)state;
    sy_profile list[MEMBERS];
    fill(list);
    for (size_t i = 0; i < MEMBERS; i++) {
        for (size_t j = 0; j < MEMBERS; j++) {
            int order = sign(sy_profile_content_order(&list[i], &list[j]));
            assert_int_equal(order, -sign(sy_profile_content_order(&list[j], &list[i])));
            assert_int_equal(order == 0, i == j);
            for (size_t k = 0; k < MEMBERS; k++) {
                if (order > 0 && sy_profile_content_order(&list[j], &list[k]) > 0) {
                    assert_true(sy_profile_content_order(&list[i], &list[k]) > 0);
                }
            }
        }
    }
}

static void evidence_comes_before_time_and_time_before_content(void **state)
{
    (void)state;
    sy_profile list[MEMBERS];
    fill(list);
    list[0].policy = "z";
    assert_true(sy_profile_supersedes(&list[4], &list[0]));
    assert_false(sy_profile_supersedes(&list[0], &list[4]));
    list[1].created_utc_s = 101;
    assert_true(sy_profile_supersedes(&list[1], &list[0]));
    list[1].created_utc_s = 0;
    assert_false(sy_profile_supersedes(&list[1], &list[0]));
    assert_true(sy_profile_supersedes(&list[0], &list[1]));
    list[1].created_utc_s = 100;
    assert_true(sy_profile_supersedes(&list[0], &list[1]));
    assert_false(sy_profile_supersedes(&list[0], &list[0]));
}

/* What the histories say of when each was replaced does depend on it; it is cut off. */
static void cut_histories(char *text)
{
    char *to = text;
    for (char *line = text; *line != '\0';) {
        size_t size = strcspn(line, "\n") + 1;
        if (strncmp(line, "earlier", 7) != 0 && strncmp(line, "check", 5) != 0) {
            memmove(to, line, size);
            to += size;
        }
        line += size;
    }
    *to = '\0';
}

/* A store that adopted the profiles one after the other, the newest of each key winning, as text. */
static char *adopt_all(sy_profile *list, const size_t *order, size_t count)
{
    sy_store *store = open_memory(NULL);
    const sy_adoption newest = {.newest_wins = true};
    for (size_t i = 0; i < count; i++) {
        const sy_profile *one = &list[order[i]];
        assert_int_equal(sy_store_adopt(store, &one, 1, &newest, NULL, NULL), SY_OK);
    }
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(sy_store_write_text(store, 2, &text, &size, NULL, NULL), SY_OK);
    sy_store_close(store);
    cut_histories(text);
    return text;
}

static void whatever_the_order_the_same_stays(void **state)
{
    (void)state;
    static const char *const policies[] = {"a", "b", "c"};
    static const sy_profile_kind kinds[] = {SY_PROFILE_CALIBRATED, SY_PROFILE_IMPORTED};
    uint64_t seed = 20261130;
    sy_random random;
    sy_random_start(&random, seed, "merge");
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int turn = 0; turn < 300; turn++) {
        sy_profile list[8];
        size_t order[8];
        for (size_t i = 0; i < 8; i++) {
            list[i] = basic();
            list[i].kind = kinds[i % 2];
            list[i].policy = policies[sy_random_below(&random, 3)];
            list[i].created_utc_s = (int64_t)sy_random_below(&random, 3);
            bool proven = list[i].kind == SY_PROFILE_CALIBRATED && sy_random_below(&random, 2) == 1;
            list[i].evidence_run = proven ? "run" : "";
            list[i].evidence_digest = proven ? SOME_DIGEST : "";
            list[i].measurements = sy_random_below(&random, 2) == 1 ? &slow : &fast;
            list[i].measurement_count = 1;
            order[i] = i;
        }
        char *expected = adopt_all(list, order, 8);
        for (int again = 0; again < 4; again++) {
            /* The first two stay in their kinds' order, so that the file's order is that of kinds. */
            for (size_t i = 7; i > 2; i--) {
                size_t j = 2 + (size_t)sy_random_below(&random, i - 1);
                size_t held = order[i];
                order[i] = order[j];
                order[j] = held;
            }
            char *found = adopt_all(list, order, 8);
            assert_string_equal(found, expected);
            sy_text_free(found);
        }
        sy_text_free(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_total),
        cmocka_unit_test(evidence_comes_before_time_and_time_before_content),
        cmocka_unit_test(whatever_the_order_the_same_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
