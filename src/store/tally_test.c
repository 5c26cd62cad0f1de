/* SPDX-License-Identifier: Apache-2.0 */
/* Counts are added exactly: by two stores, by two processes at once, beside puts; and what cannot be written stays the
 * caller's. */
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "store_fixture.h"

typedef struct place {
    char folder[32];
    char file[64];
    char lock[80];
} place;

static void make_place(place *to)
{
    snprintf(to->folder, sizeof to->folder, "/tmp/tally_test.XXXXXX");
    assert_non_null(mkdtemp(to->folder));
    snprintf(to->file, sizeof to->file, "%s/profiles", to->folder);
    snprintf(to->lock, sizeof to->lock, "%s.lock", to->file);
}

static void remove_place(const place *p)
{
    assert_int_equal(chmod(p->folder, 0700), 0);
    (void)!remove(p->lock);
    (void)!remove(p->file);
    assert_int_equal(remove(p->folder), 0);
}

static sy_profile_tally tally_of(sy_profile_kind kind, const char *policy, uint64_t calls, double seconds)
{
    return (sy_profile_tally){.key = exact_key("p", 2),
                              .kind = kind,
                              .policy = policy,
                              .policy_size = policy == NULL ? 0 : strlen(policy),
                              .use = {calls, calls, seconds, 0}};
}

static size_t add(sy_store *store, sy_profile_tally tally)
{
    size_t placed = 99;
    sy_error err = SY_ERROR_INIT;
    if (sy_store_tally(store, &tally, 1, &placed, &err) != SY_OK) {
        fail_msg("tally: %s", err.what);
    }
    return placed;
}

static void use_is_summed_and_changes_no_answer(void **state)
{
    (void)state;
    place p;
    make_place(&p);
    sy_store *store = open_memory(p.file);
    put_exact(store, "p", 2, "flash");
    const sy_profile *borrowed = find(store, "p", 2).profile;
    uint64_t changes = sy_store_changes(store);
    assert_int_equal(add(store, tally_of(SY_PROFILE_CALIBRATED, "flash", 10, .5)), 1);
    test_now += 60;
    assert_int_equal(add(store, tally_of(SY_PROFILE_CALIBRATED, NULL, 5, .25)), 1);
    assert_true(sy_store_changes(store) == changes);
    assert_int_equal(borrowed->use.calls, 0);
    sy_store_close(store);
    store = open_memory(p.file);
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_int_equal(profile->use.calls, 15);
    assert_int_equal(profile->use.timed_calls, 15);
    assert_true(profile->use.seconds == .75);
    assert_int_equal(profile->use.last_utc_s, test_now);
    sy_store_close(store);
    remove_place(&p);
}

static void what_another_process_counted_is_no_news(void **state)
{
    (void)state;
    place p;
    make_place(&p);
    sy_store *store = open_memory(p.file);
    sy_store *other = open_memory(p.file);
    put_exact(store, "p", 2, "flash");
    put_exact(store, "q", 2, "plain");
    assert_int_equal(sy_store_reload(other, NULL), SY_OK);
    uint64_t changes = sy_store_changes(other);
    add(store, tally_of(SY_PROFILE_CALIBRATED, "flash", 10, .5));
    assert_int_equal(sy_store_reload(other, NULL), SY_OK);
    assert_int_equal(find(other, "p", 2).profile->use.calls, 10);
    assert_true(sy_store_changes(other) == changes);
    put_exact(store, "q", 2, "flash");
    assert_int_equal(sy_store_reload(other, NULL), SY_OK);
    assert_true(sy_store_changes(other) > changes);
    sy_store_close(other);
    sy_store_close(store);
    remove_place(&p);
}

static void use_of_a_policy_that_was_replaced_goes_to_its_history(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 2, "flash");
    add(store, tally_of(SY_PROFILE_CALIBRATED, "flash", 10, 1));
    test_now += 1;
    put_exact(store, "p", 2, "plain");
    assert_int_equal(add(store, tally_of(SY_PROFILE_CALIBRATED, "flash", 4, 1)), 1);
    assert_int_equal(add(store, tally_of(SY_PROFILE_CALIBRATED, "plain", 3, 1)), 1);
    assert_int_equal(add(store, tally_of(SY_PROFILE_CALIBRATED, "nobody", 3, 1)), 0);
    assert_int_equal(add(store, tally_of(SY_PROFILE_OVERRIDE, NULL, 3, 1)), 0);
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_int_equal(profile->use.calls, 3);
    assert_int_equal(profile->earlier_count, 1);
    assert_int_equal(profile->earlier[0].use.calls, 14);
    sy_store_close(store);
}

static void cost_and_attempts_are_added_and_sums_stay_in_range(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    policy_text text = {"flash", 5, 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_profile_trial trial = {SY_DECISION_WIN, "capped", 60, 20, 15, NAN, 1};
    draft.key = exact_key("p", 2);
    draft.trial = &trial;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &text, NULL, NULL), SY_OK);
    sy_profile_tally more = tally_of(SY_PROFILE_CALIBRATED, NULL, UINT64_MAX, SY_SECONDS_MAX);
    more.cost = (sy_profile_cost){SY_SECONDS_MAX, UINT32_MAX};
    more.attempts = 2;
    add(store, more);
    more.attempts = UINT32_MAX;
    add(store, more);
    const sy_profile *profile = find(store, "p", 2).profile;
    assert_true(profile->use.calls == UINT64_MAX && profile->use.timed_calls == UINT64_MAX);
    assert_true(profile->use.seconds == SY_SECONDS_MAX && profile->cost.seconds == SY_SECONDS_MAX);
    assert_true(profile->cost.probes == UINT32_MAX && profile->trial.attempt == UINT32_MAX);
    char *written;
    size_t size;
    sy_store *again = open_memory(NULL);
    assert_int_equal(sy_store_write_text(store, 2, &written, &size, NULL, NULL), SY_OK);
    assert_int_equal(sy_store_read_text(again, written, size, NULL, NULL), SY_OK);
    sy_text_free(written);
    sy_store_close(again);
    sy_store_close(store);
}

static void wrong_figures_and_keys_are_refused(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_error err = SY_ERROR_INIT;
    put_exact(store, "p", 2, "flash");
    sy_profile_tally bad[6];
    for (size_t i = 0; i < 6; i++) {
        bad[i] = tally_of(SY_PROFILE_CALIBRATED, NULL, 1, 1);
    }
    bad[0].use.seconds = NAN;
    bad[1].use.seconds = -1;
    bad[2].use.timed_calls = 2;
    bad[3].cost.seconds = INFINITY;
    bad[4].key.backend = "";
    bad[5].kind = (sy_profile_kind)7;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(sy_store_tally(store, &bad[i], 1, NULL, &err), SY_INVALID_ARGUMENT);
    }
    assert_int_equal(sy_store_tally(store, bad, 0, NULL, NULL), SY_OK);
    assert_int_equal(find(store, "p", 2).profile->use.calls, 0);
    sy_store_close(store);
}

static void format_1_refuses_what_it_cannot_hold(void **state)
{
    (void)state;
    place p;
    make_place(&p);
    sy_store_options options = memory_options();
    sy_store *store;
    sy_error err = SY_ERROR_INIT;
    options.persistence = true;
    options.path = p.file;
    options.new_file_format = 1;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    put_exact(store, "p", 2, "flash");
    sy_profile_tally tally = tally_of(SY_PROFILE_CALIBRATED, NULL, 1, 1);
    assert_int_equal(sy_store_tally(store, &tally, 1, NULL, &err), SY_REFUSED);
    assert_string_equal(err.what, "format 1 cannot hold the use or the cost of a profile");
    sy_store_close(store);
    remove_place(&p);
}

/* The lock is held by another: nothing is added, here or later, so that the caller may try again. */
static void what_could_not_be_written_is_not_added_later(void **state)
{
    (void)state;
    place p;
    make_place(&p);
    sy_store_options options = memory_options();
    sy_store *store;
    sy_error err = SY_ERROR_INIT;
    options.persistence = true;
    options.path = p.file;
    options.lock_timeout_ns = 1;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    put_exact(store, "p", 2, "flash");
    int fd = open(p.lock, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    sy_profile_tally tally = tally_of(SY_PROFILE_CALIBRATED, NULL, 7, 1);
    assert_int_equal(sy_store_tally(store, &tally, 1, NULL, &err), SY_BUSY);
    assert_int_equal(find(store, "p", 2).profile->use.calls, 0);
    close(fd);
    put_exact(store, "q", 2, "flash");
    assert_int_equal(find(store, "p", 2).profile->use.calls, 0);
    assert_int_equal(add(store, tally), 1);
    assert_int_equal(find(store, "p", 2).profile->use.calls, 7);
    sy_store_close(store);
    remove_place(&p);
}

#define ROUNDS 40

/* One of the processes: adds to its own count and to the common one, and puts something now and then. */
static void write_much(const char *path, int who)
{
    char name[16];
    sy_store *store = open_memory(path);
    snprintf(name, sizeof name, "own %d", who);
    for (int i = 0; i < ROUNDS; i++) {
        sy_profile_tally tallies[2] = {tally_of(SY_PROFILE_CALIBRATED, "flash", 3, .5),
                                       tally_of(SY_PROFILE_OVERRIDE, NULL, 1, 0)};
        size_t placed = 0;
        if (sy_store_tally(store, tallies, 2, &placed, NULL) != SY_OK || placed != 2) {
            _exit(1);
        }
        if (i % 8 == who) {
            put_exact(store, name, 2, i % 16 == who ? "a" : "b");
        }
    }
    sy_store_close(store);
    _exit(0);
}

static void processes_that_add_at_once_lose_nothing_and_count_nothing_twice(void **state)
{
    (void)state;
    place p;
    make_place(&p);
    sy_store *store = open_memory(p.file);
    put_exact(store, "p", 2, "flash");
    install(store, exact_key("p", 2), "plain", 0);
    pid_t children[3];
    for (int who = 0; who < 3; who++) {
        children[who] = fork();
        assert_true(children[who] >= 0);
        if (children[who] == 0) {
            write_much(p.file, who);
        }
    }
    for (int who = 0; who < 3; who++) {
        int status;
        assert_int_equal(waitpid(children[who], &status, 0), children[who]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(sy_store_reload(store, NULL), SY_OK);
    assert_int_equal(nth_profile(store, 0)->use.calls, 3 * 3 * ROUNDS);
    assert_true(nth_profile(store, 0)->use.seconds == .5 * 3 * ROUNDS);
    assert_int_equal(nth_profile(store, 1)->use.calls, 3 * ROUNDS);
    assert_int_equal(count_profiles(store), 5);
    sy_store_close(store);
    remove_place(&p);
}

static void an_allocation_that_fails_adds_nothing(void **state)
{
    (void)state;
    place p;
    make_place(&p);
    sy_store *store = open_memory(p.file);
    put_exact(store, "p", 2, "flash");
    sy_profile_tally tally = tally_of(SY_PROFILE_CALIBRATED, NULL, 1, 0);
    uint64_t added = 0;
    for (uint64_t n = 1; added == 0; n++) {
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = sy_store_tally(store, &tally, 1, NULL, NULL);
        sy_fault_reset();
        added += status == SY_OK;
        assert_int_equal(find(store, "p", 2).profile->use.calls, added);
        assert_true(status == SY_OK || status == SY_NO_MEMORY);
    }
    sy_store_close(store);
    remove_place(&p);
}

static void an_override_that_has_ended_is_contradicted_by_nothing(void **state)
{
    (void)state;
    sy_profile calibrated = {.kind = SY_PROFILE_CALIBRATED, .policy = "fast", .policy_size = 4, .has_trial = true};
    sy_profile override = {.kind = SY_PROFILE_OVERRIDE, .policy = "slow", .policy_size = 4};
    calibrated.trial.decision = SY_DECISION_WIN;
    assert_true(sy_profile_contradicts(&calibrated, &override, 1000));
    override.expires_utc_s = 1000;
    assert_true(sy_profile_contradicts(&calibrated, &override, 999));
    assert_false(sy_profile_contradicts(&calibrated, &override, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_override_that_has_ended_is_contradicted_by_nothing),
        cmocka_unit_test(use_is_summed_and_changes_no_answer),
        cmocka_unit_test(what_another_process_counted_is_no_news),
        cmocka_unit_test(use_of_a_policy_that_was_replaced_goes_to_its_history),
        cmocka_unit_test(cost_and_attempts_are_added_and_sums_stay_in_range),
        cmocka_unit_test(wrong_figures_and_keys_are_refused),
        cmocka_unit_test(format_1_refuses_what_it_cannot_hold),
        cmocka_unit_test(what_could_not_be_written_is_not_added_later),
        cmocka_unit_test(processes_that_add_at_once_lose_nothing_and_count_nothing_twice),
        cmocka_unit_test(an_allocation_that_fails_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
