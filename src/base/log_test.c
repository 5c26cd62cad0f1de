/* SPDX-License-Identifier: Apache-2.0 */
/* The log sink: silent without one, one message at a time, cut between characters. */
#include "cmocka_headers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/log.h"

typedef struct record {
    sy_log_level level;
    char message[2048];
    int count;
    atomic_int inside;
    atomic_bool overlapped;
} record;

static void keep(void *user, sy_log_level level, const char *message)
{
    record *r = user;
    if (atomic_fetch_add(&r->inside, 1) != 0) {
        atomic_store(&r->overlapped, true);
    }
    sched_yield(); /* gives another thread the chance to come in */
    r->level = level;
    r->count++;
    memcpy(r->message, message, strlen(message) + 1);
    atomic_fetch_sub(&r->inside, 1);
}

static int evaluated(int *count)
{
    return ++*count;
}

static void without_a_sink_nothing_happens(void **state)
{
    (void)state;
    int count = 0;
    sy_log(SY_LOG_ERROR, "%d", evaluated(&count));
    assert_int_equal(count, 1);
}

static void the_sink_gets_level_and_text(void **state)
{
    (void)state;
    record r = {.count = 0};
    sy_log_set_sink(keep, &r);
    sy_log(SY_LOG_WARNING, "%s %d", "disk", 7);
    assert_int_equal(r.level, SY_LOG_WARNING);
    assert_string_equal(r.message, "disk 7");
    char text[1100];
    memset(text, 'a', sizeof text);
    text[1022] = '\xc3';
    text[1023] = '\xa4';
    text[1099] = '\0';
    sy_log(SY_LOG_INFO, "%s", text);
    assert_int_equal(strlen(r.message), 1022);
    sy_log_set_sink(NULL, NULL);
    sy_log(SY_LOG_INFO, "unheard");
    assert_int_equal(r.count, 2);
}

static void log_again(void *user, sy_log_level level, const char *message)
{
    (void)message;
    (*(int *)user)++;
    sy_log(level, "from inside");
}

static void a_sink_that_logs_does_not_wait_for_itself(void **state)
{
    (void)state;
    int count = 0;
    sy_log_set_sink(log_again, &count);
    sy_log(SY_LOG_INFO, "x");
    sy_log_set_sink(NULL, NULL);
    assert_int_equal(count, 1);
}

static void *log_much(void *user)
{
    (void)user;
    for (int i = 0; i < 500; i++) {
        sy_log(SY_LOG_DEBUG, "message %d", i);
    }
    return NULL;
}

static void messages_of_several_threads_never_overlap(void **state)
{
    (void)state;
    record r = {.count = 0};
    pthread_t threads[4];
    sy_log_set_sink(keep, &r);
    for (int t = 0; t < 4; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, log_much, NULL), 0);
    }
    for (int t = 0; t < 4; t++) {
        pthread_join(threads[t], NULL);
    }
    sy_log_set_sink(NULL, NULL);
    assert_int_equal(r.count, 2000);
    assert_false(atomic_load(&r.overlapped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_sink_nothing_happens),
        cmocka_unit_test(the_sink_gets_level_and_text),
        cmocka_unit_test(a_sink_that_logs_does_not_wait_for_itself),
        cmocka_unit_test(messages_of_several_threads_never_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
