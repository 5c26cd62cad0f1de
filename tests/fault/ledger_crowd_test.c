/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes append to one ledger: nothing is lost, the chain holds, killed writers harm nobody, and who holds it
 * for ever is named. */
#include "cmocka_headers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "ledger_fixture.h"
#include "sqlite_fixture.h"

static sy_ledger *open_in(const char *folder, uint64_t wait_ns)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    options.folder = folder;
    options.create = true;
    options.wait_ns = wait_ns;
    return sy_ledger_open(&options, &ledger, NULL) == SY_OK ? ledger : NULL;
}

/* In a child: a ledger object of its own, appends notes, two at once, never returns. */
static void append_in_child(const char *folder, unsigned writer, unsigned appends)
{
    sy_ledger *ledger = open_in(folder, UINT64_C(100000000000));
    if (ledger == NULL) {
        _exit(1);
    }
    for (unsigned i = 1; i <= appends; i++) {
        char texts[2][64];
        batch b = {.count = 0};
        for (int k = 0; k < 2; k++) {
            snprintf(texts[k], sizeof texts[k], "writer %u append %u part %d", writer, i, k);
            batch_note(&b, "", texts[k]);
        }
        sy_status status = sy_ledger_append(ledger, b.entries, b.count, NULL, NULL);
        batch_clear(&b);
        if (status != SY_OK) {
            _exit(2);
        }
    }
    sy_ledger_close(ledger);
    _exit(0);
}

static void start_writers(const char *folder, pid_t *writers, unsigned count, unsigned appends)
{
    for (unsigned i = 0; i < count; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0) {
            append_in_child(folder, i, appends);
        }
    }
}

/* What the chain must be, event by event. */
typedef struct chain {
    uint64_t number;
    char digest[65];
    unsigned appends[16]; /* of each writer, whole ones */
    unsigned open_writer; /* whose first part was the last event; 99 = nobody's */
} chain;

static sy_status follow(void *user, const sy_ledger_event *event, sy_error *err)
{
    chain *c = user;
    unsigned writer;
    unsigned append;
    int part;
    (void)err;
    assert_int_equal(event->number, c->number + 1);
    char previous[96];
    snprintf(previous, sizeof previous, "\"previous\":\"%s\"", c->digest);
    assert_non_null(strstr(event->bytes, previous));
    c->number = event->number;
    memcpy(c->digest, event->digest, sizeof c->digest);
    const char *note = strstr(event->bytes, "writer ");
    if (note != NULL) {
        assert_int_equal(sscanf(note, "writer %u append %u part %d", &writer, &append, &part), 3);
        assert_true(writer < 16);
        assert_int_equal(append, c->appends[writer] + 1);
        assert_int_equal(c->open_writer, part == 0 ? 99 : writer); /* both parts stand together */
        c->open_writer = part == 0 ? writer : 99;
        c->appends[writer] += part == 1;
    }
    return SY_OK;
}

static chain follow_all(const char *folder)
{
    chain c = {.open_writer = 99};
    memset(c.digest, '0', 64);
    sy_ledger *ledger = open_in(folder, UINT64_C(10000000000));
    assert_non_null(ledger);
    assert_int_equal(sy_ledger_each(ledger, 1, NULL, follow, &c, NULL), SY_OK);
    assert_int_equal(c.open_writer, 99);
    sy_ledger_close(ledger);
    return c;
}

static void sixteen_writers_lose_nothing_and_the_chain_holds(void **state)
{
    subject *s = *state;
    pid_t writers[16];
    start_writers(s->folder, writers, 16, 25);
    uint64_t seen = 0;
    for (unsigned ended = 0; ended < 16;) { /* a reader all the while, which waits for nobody */
        int status;
        pid_t child = waitpid(-1, &status, WNOHANG);
        assert_true(child >= 0);
        if (child > 0) {
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
            ended++;
        }
        uint64_t now = head_of(s);
        assert_true(now >= seen);
        seen = now;
        usleep(1000);
    }
    chain c = follow_all(s->folder);
    assert_int_equal(c.number, 1 + 16 * 25 * 2); /* one of them opened it */
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(c.appends[i], 25);
    }
    is_sound(s);
}

static void wait_for_appends(const char *root, unsigned round)
{
    char folder[700];
    snprintf(folder, sizeof folder, "%s/round-%u", root, round);
    for (unsigned i = 0; i < 2000; i++) {
        if (follow_all(folder).number > 1) {
            return;
        }
        usleep(10000);
    }
}

static void killed_writers_lose_only_what_was_not_answered(void **state)
{
    subject *s = *state;
    pid_t writers[8];
    uint64_t former = 0;
    for (unsigned round = 0; round < 8; round++) {
        s->storage->close(s->state); /* so that killed ones are the last that had it open */
        s->state = NULL;
        for (unsigned i = 0; i < 8; i++) {
            writers[i] = fork();
            assert_true(writers[i] >= 0);
            if (writers[i] == 0) {
                char folder[700];
                snprintf(folder, sizeof folder, "%s/round-%u", s->folder, round);
                append_in_child(folder, i, 1000);
            }
        }
        usleep(20000 + 7777 * round);
        if (round == 7) {
            wait_for_appends(s->folder, round); /* however busy this computer is, one round has written */
        }
        for (unsigned i = 0; i < 8; i++) {
            kill(writers[i], SIGKILL);
        }
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(waitpid(writers[i], NULL, 0), writers[i]);
        }
        char folder[700];
        snprintf(folder, sizeof folder, "%s/round-%u", s->folder, round);
        chain c = follow_all(folder); /* also makes it, where none came so far */
        former += c.number;
        ALLOWS(try_open(s, false, false, &s->state));
    }
    assert_true(former > 8); /* some of them did write */
}

/* ---- held for ever ---- */

/* A child that does something, says so, and stops; killed by the caller. */
static pid_t start_holder(void (*hold)(const char *folder), const char *folder)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t holder = fork();
    assert_true(holder >= 0);
    if (holder == 0) {
        hold(folder);
        if (write(ready[1], "", 1) == 1) {
            raise(SIGSTOP);
        }
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return holder;
}

static void hold_queue(const char *folder)
{
    char path[700];
    sy_lock *lock;
    snprintf(path, sizeof path, "%s/ledger.lock", folder);
    if (sy_lock_take(path, 0, &lock, NULL) != SY_OK) {
        _exit(1);
    }
}

/* As the sqlite3 shell does, which knows nothing of our queue. */
static void hold_transaction(const char *folder)
{
    char path[700];
    sqlite3 *database;
    snprintf(path, sizeof path, "%s/ledger.sqlite", folder);
    if (sqlite3_open(path, &database) != SQLITE_OK ||
        sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
        _exit(1);
    }
}

static void name_and_outlive(subject *s, void (*hold)(const char *folder))
{
    void *waiting = NULL;
    char named[64];
    const sy_storage_options options = {.folder = s->folder, .wait_ns = 60000000};
    begin(s);
    ALLOWS(append_text(s, 1, "", "x"));
    commit(s);
    pid_t holder = start_holder(hold, s->folder);
    ALLOWS(s->storage->open(&options, &waiting, &s->err)); /* reading waits for nobody */
    uint64_t number = 0;
    sy_digest digest;
    ALLOWS(s->storage->head(waiting, &number, &digest, &s->err));
    assert_int_equal(number, 1);
    ANSWERS(s->storage->begin(waiting, true, &s->err), SY_BUSY);
    snprintf(named, sizeof named, "process %d", (int)holder);
    if (strstr(s->err.what, named) == NULL) {
        fail_msg("'%s' does not name %s", s->err.what, named);
    }
    ANSWERS(s->storage->begin(waiting, true, &s->err), SY_BUSY); /* and the queue is free for the next */
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    ALLOWS(s->storage->begin(waiting, true, &s->err)); /* the dead hold nothing */
    ALLOWS(s->storage->commit(waiting, &s->err));
    s->storage->close(waiting);
    assert_int_equal(head_of(s), 1);
}

static void a_stopped_writer_is_named_after_the_time_is_up(void **state)
{
    name_and_outlive(*state, hold_queue);
}

static void a_program_outside_of_the_queue_is_named_too(void **state)
{
    if (access("/proc/locks", R_OK) != 0) {
        print_message("skipped: the kernel does not show who holds locks\n");
        skip();
    }
    name_and_outlive(*state, hold_transaction);
}

int main(void)
{
    prefer_memory_folder();
    const struct CMUnitTest tests[] = {
        IN_SQLITE(sixteen_writers_lose_nothing_and_the_chain_holds),
        IN_SQLITE(killed_writers_lose_only_what_was_not_answered),
        IN_SQLITE(a_stopped_writer_is_named_after_the_time_is_up),
        IN_SQLITE(a_program_outside_of_the_queue_is_named_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
