/* SPDX-License-Identifier: Apache-2.0 */
/* Readers and writers at once: every reader sees a whole picture, what it borrowed stays, and writers give old pictures
 * back. Run under the thread sanitizer it also shows that nothing is shared without order. */
#include "cmocka_headers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/memory.h"
#include "store/snapshot.h"
#include "store_files.h"

#define READERS 4
#define WRITERS 2
#define ROUNDS 150
#define KEYS 4

typedef struct crowd {
    sy_store *store;
    atomic_bool stop;
    atomic_uint wrong;
    atomic_uint reads;
} crowd;

/* Every policy that a key ever gets is its number, eight times over: a torn one would show. */
static bool is_whole(const sy_profile *profile)
{
    for (size_t i = 1; i < profile->policy_size; i++) {
        if (profile->policy[i] != profile->policy[0]) {
            return false;
        }
    }
    return profile->policy_size == 8;
}

static sy_status check_each(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    (void)layer;
    (void)err;
    atomic_fetch_add((atomic_uint *)user, !is_whole(profile));
    return SY_OK;
}

static void *read_on(void *user)
{
    crowd *c = user;
    const sy_profile *borrowed = NULL;
    char copy[8] = "";
    for (uint32_t i = 0; !atomic_load(&c->stop); i++) {
        sy_lookup lookup = SY_LOOKUP_INIT;
        sy_profile_view view;
        lookup.key = exact_key("p", 1 + i % KEYS);
        if (sy_store_lookup(c->store, &lookup, NULL, NULL, &view, NULL) == SY_OK) {
            atomic_fetch_add(&c->wrong, !is_whole(view.profile));
            if (borrowed == NULL) {
                borrowed = view.profile;
                memcpy(copy, borrowed->policy, sizeof copy);
            }
        }
        if (i % 64 == 0) {
            sy_verdict_list *others;
            if (sy_store_iterate(c->store, check_each, &c->wrong, NULL) != SY_OK ||
                sy_store_others(c->store, &lookup, NULL, NULL, &others, NULL) != SY_OK) {
                atomic_fetch_add(&c->wrong, 1);
                continue;
            }
            sy_verdict_list_destroy(others);
        }
        atomic_fetch_add(&c->reads, 1);
    }
    if (borrowed != NULL && memcmp(borrowed->policy, copy, sizeof copy) != 0) {
        atomic_fetch_add(&c->wrong, 1);
    }
    return NULL;
}

static void *write_on(void *user)
{
    crowd *c = user;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        char policy[9];
        memset(policy, 'a' + (int)(i % 26), 8);
        policy[8] = '\0';
        policy_text text = {policy, 8, 0};
        sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
        draft.key = exact_key("p", 1 + i % KEYS);
        if (sy_store_put(c->store, &draft, serialize_text, NULL, &text, NULL, NULL) != SY_OK) {
            atomic_fetch_add(&c->wrong, 1);
        }
        if (i % 16 == 0 && sy_store_reload(c->store, NULL) != SY_OK) {
            atomic_fetch_add(&c->wrong, 1);
        }
    }
    return NULL;
}

static void run_crowd(sy_store *store)
{
    crowd c = {.store = store};
    pthread_t readers[READERS];
    pthread_t writers[WRITERS];
    for (size_t i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, read_on, &c), 0);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, write_on, &c), 0);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    atomic_store(&c.stop, true);
    for (size_t i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    assert_int_equal(atomic_load(&c.wrong), 0);
    assert_true(atomic_load(&c.reads) > 0);
    assert_int_equal(count_profiles(store), KEYS);
}

static void readers_see_whole_pictures_while_writers_write(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    run_crowd(store);
    sy_store_close(store);
}

static void readers_see_whole_pictures_while_files_are_written(void **state)
{
    char path[600];
    snprintf(path, sizeof path, "%s/profiles", (const char *)*state);
    sy_store *store = open_memory(path);
    run_crowd(store);
    sy_store_close(store);
}

static sy_snapshot *picture_of(sy_book *book)
{
    sy_snapshot *snapshot = sy_snapshot_create(&book, 1);
    assert_non_null(snapshot);
    return snapshot;
}

static void a_picture_stays_as_long_as_a_reader_holds_it(void **state)
{
    (void)state;
    int64_t alive = sy_fault_live_allocations();
    sy_snapshot_exchange *exchange = sy_allocate_aligned(64, 1, sizeof *exchange);
    sy_book *book = sy_book_create(0);
    assert_non_null(exchange);
    assert_non_null(book);
    sy_snapshot_start(exchange, picture_of(book));
    sy_snapshot_slot *held = sy_snapshot_take(exchange);
    sy_snapshot_slot *again = sy_snapshot_take(exchange);
    assert_ptr_equal(held, again);
    const sy_snapshot *first = held->snapshot;
    sy_snapshot_publish(exchange, picture_of(book), true);
    assert_ptr_equal(held->snapshot, first);
    sy_snapshot_give_back(again);
    assert_true(sy_snapshot_has_room(exchange));
    assert_ptr_equal(held->snapshot, first);
    assert_int_equal(book->references, 3);
    sy_snapshot_give_back(held);
    assert_true(sy_snapshot_has_room(exchange));
    assert_null(held->snapshot);
    assert_int_equal(book->references, 2);
    sy_snapshot_finish(exchange);
    sy_book_release(book);
    sy_free_aligned(exchange);
    assert_int_equal(sy_fault_live_allocations(), alive);
}

static void a_writer_is_told_when_readers_hold_every_slot(void **state)
{
    (void)state;
    sy_snapshot_exchange *exchange = sy_allocate_aligned(64, 1, sizeof *exchange);
    sy_book *book = sy_book_create(0);
    sy_snapshot_slot *held[SY_SNAPSHOT_SLOTS];
    assert_non_null(exchange);
    assert_non_null(book);
    sy_snapshot_start(exchange, picture_of(book));
    for (size_t i = 0; i + 1 < SY_SNAPSHOT_SLOTS; i++) {
        held[i] = sy_snapshot_take(exchange);
        assert_true(sy_snapshot_has_room(exchange));
        sy_snapshot_publish(exchange, picture_of(book), true);
    }
    assert_false(sy_snapshot_has_room(exchange));
    sy_snapshot_give_back(held[5]);
    assert_true(sy_snapshot_has_room(exchange));
    sy_snapshot_finish(exchange);
    sy_book_release(book);
    sy_free_aligned(exchange);
}

typedef struct nested {
    sy_store *store;
    uint32_t seen;
} nested;

static sy_status put_while_walking(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    nested *n = user;
    (void)layer;
    (void)err;
    n->seen++;
    put_exact(n->store, "new", profile->key.thread_count, "x");
    return SY_OK;
}

static void a_walk_may_change_the_store_and_sees_the_old_picture(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    for (uint32_t i = 1; i <= 200; i++) {
        put_exact(store, "old", i, "x");
    }
    nested n = {store, 0};
    assert_int_equal(sy_store_iterate(store, put_while_walking, &n, NULL), SY_OK);
    assert_int_equal(n.seen, 200);
    assert_int_equal(count_profiles(store), 400);
    sy_store_close(store);
}

int main(void)
{
    prefer_memory_folder();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_whole_pictures_while_writers_write),
        cmocka_unit_test_setup_teardown(readers_see_whole_pictures_while_files_are_written, make_temporary_folder,
                                        remove_temporary_folder),
        cmocka_unit_test(a_picture_stays_as_long_as_a_reader_holds_it),
        cmocka_unit_test(a_writer_is_told_when_readers_hold_every_slot),
        cmocka_unit_test(a_walk_may_change_the_store_and_sees_the_old_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
