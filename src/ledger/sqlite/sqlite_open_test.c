/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of opening a ledger's database: what is not there, what is none, what is damaged, what another version wrote,
 * and where nothing can be written. */
#include "sqlite_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/sqlite/sqlite_inside.h"

#define OLD_LEDGER STEELYARD_SOURCE_DIR "/tests/data/ledger/version-1.sqlite"

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 18];
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_true(size > 0 && feof(file));
    assert_int_equal(fclose(file), 0);
    write_bytes(to, bytes, size);
}

/* Closes what was opened, so that the file stands alone. */
static void let_go(subject *s)
{
    s->storage->close(s->state);
    s->state = NULL;
}

/* Opens in each of the three ways, and is answered the same. */
static void refuse_to_open(subject *s, sy_status wanted, const char *why)
{
    for (int i = 0; i < 3; i++) {
        void *opened = NULL;
        sy_status status = try_open(s, i == 2, i == 1, &opened);
        if (status != wanted || strstr(s->err.what, why) == NULL) {
            fail_msg("way %d: %s: %s", i, sy_status_word(status), s->err.what);
        }
        assert_null(opened);
        assert_true(s->err.hint[0] != '\0');
    }
}

static void a_folder_that_is_not_there_is_made_when_asked(void **state)
{
    subject *s = *state;
    void *opened = NULL;
    struct stat folder;
    let_go(s);
    empty_folder(s->folder);
    assert_int_equal(rmdir(s->folder), 0);
    ANSWERS(try_open(s, false, false, &opened), SY_NOT_FOUND);
    assert_non_null(strstr(s->err.what, "no ledger in"));
    ANSWERS(try_open(s, false, true, &opened), SY_NOT_FOUND);
    ANSWERS(try_open(s, true, true, &opened), SY_NOT_FOUND); /* reading makes nothing */
    assert_int_equal(access(s->folder, F_OK), -1);
    ALLOWS(try_open(s, true, false, &s->state));
    assert_int_equal(stat(s->folder, &folder), 0);
    assert_int_equal(folder.st_mode & 0777, 0700);
    const sy_storage_options none = {.folder = NULL};
    ANSWERS(s->storage->open(&none, &opened, &s->err), SY_INVALID_ARGUMENT);
}

static void what_is_no_ledger_is_refused_and_left_as_it_is(void **state)
{
    subject *s = *state;
    char garbage[5000];
    let_go(s);
    const char *path = path_of(s, "ledger.sqlite");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    refuse_to_open(s, SY_IO, "is no file");
    assert_int_equal(rmdir(path), 0);
    memset(garbage, 0x5a, sizeof garbage);
    write_bytes(path, garbage, sizeof garbage);
    refuse_to_open(s, SY_CORRUPT, "is no database");
    write_bytes(path, "steelyard\n", 10);
    refuse_to_open(s, SY_CORRUPT, "is no database");
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_size, 10);
    assert_int_equal(unlink(path), 0);
    by_other_hands(s, "CREATE TABLE t (x)");
    refuse_to_open(s, SY_CORRUPT, "of something else");
    by_other_hands(s, "DROP TABLE t; PRAGMA user_version = 3");
    refuse_to_open(s, SY_CORRUPT, "of something else");
}

static void an_empty_file_is_no_ledger_yet(void **state)
{
    subject *s = *state;
    void *opened = NULL;
    let_go(s);
    const char *path = path_of(s, "ledger.sqlite");
    for (int i = 0; i < 2; i++) {
        write_bytes(path, "", 0);
        if (i == 1) { /* a maker was killed when it had written the header */
            by_other_hands(s, "PRAGMA journal_mode = WAL");
        }
        ANSWERS(try_open(s, false, false, &opened), SY_NOT_FOUND);
        ANSWERS(try_open(s, false, true, &opened), SY_NOT_FOUND);
        ALLOWS(try_open(s, true, false, &s->state));
        begin(s);
        ALLOWS(append_text(s, 1, "a", "x"));
        commit(s);
        let_go(s);
        path = path_of(s, "ledger.sqlite");
    }
}

static void a_truncated_file_is_damaged(void **state)
{
    subject *s = *state;
    struct stat file;
    fill_pages(s, 100);
    let_go(s);
    const char *path = path_of(s, "ledger.sqlite");
    assert_int_equal(stat(path, &file), 0);
    assert_true(file.st_size > 50 * 4096);
    assert_int_equal(truncate(path, file.st_size / 2), 0);
    refuse_to_open(s, SY_CORRUPT, "is damaged");
    assert_int_equal(truncate(path, 100), 0);
    void *opened = NULL;
    assert_int_equal(try_open(s, true, false, &opened), SY_CORRUPT);
}

static void a_damaged_page_is_found_by_who_meets_it(void **state)
{
    subject *s = *state;
    size_t count = 0;
    char zeros[4096] = {0};
    fill_pages(s, 100);
    let_go(s);
    int file = open(path_of(s, "ledger.sqlite"), O_WRONLY);
    assert_true(file >= 0);
    for (off_t page = 30; page < 40; page++) {
        assert_int_equal(pwrite(file, zeros, sizeof zeros, page * 4096), sizeof zeros);
    }
    close(file);
    ALLOWS(try_open(s, false, true, &s->state));
    ANSWERS(s->storage->events(s->state, 1, NULL, count_event, &count, &s->err), SY_CORRUPT);
    assert_non_null(strstr(s->err.what, "is damaged"));
    assert_non_null(strstr(s->err.hint, "export"));
}

static void a_newer_one_is_refused_and_says_which(void **state)
{
    subject *s = *state;
    by_other_hands(s, "PRAGMA user_version = 7");
    ANSWERS(s->storage->begin(s->state, true, &s->err), SY_VERSION_UNSUPPORTED); /* it came meanwhile */
    ANSWERS(s->storage->begin(s->state, false, &s->err), SY_VERSION_UNSUPPORTED);
    let_go(s);
    refuse_to_open(s, SY_VERSION_UNSUPPORTED, "has version 7 of its schema, and this steelyard knows version 2");
    sqlite3 *hands = other_hands(s);
    assert_string_equal(ask_sql(hands, "PRAGMA user_version"), "7");
    sqlite3_close(hands);
}

static void an_older_one_is_brought_up_to_date_a_transaction_a_step(void **state)
{
    subject *s = *state;
    static const char good[] = "ALTER TABLE run ADD COLUMN extra TEXT NOT NULL DEFAULT 'none'";
    static const char bad[] = "CREATE TABLE half (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1)";
    const sy_migration steps[] = {{"001_first.sql", (const unsigned char *)"", 0},
                                  {"002_extra.sql", (const unsigned char *)good, sizeof good - 1},
                                  {"003_bad.sql", (const unsigned char *)bad, sizeof bad - 1}};
    sy_sqlite *ours = s->state;
    sy_run_row row = row_of("a", 1);
    begin(s);
    put_row(s, &row, "");
    commit(s);
    ANSWERS(sy_sqlite_migrate(ours, 1, steps, 3, &s->err), SY_CORRUPT);
    assert_non_null(strstr(s->err.what, "003_bad.sql"));
    assert_string_equal(ask_sql(ours->database, "SELECT extra FROM run"), "none");
    assert_string_equal(ask_sql(ours->database, "PRAGMA user_version"), "2");
    assert_string_equal(ask_sql(ours->database, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), "0");
    assert_int_not_equal(sqlite3_get_autocommit(ours->database), 0);
}

/* The ledger that version 1 left: three events, a series of three samples; what its events make of runs is not the
 * storage's: derive_test.c asks that. */
static void check_old_ledger(subject *s)
{
    char id[33];
    const void *bytes = NULL;
    size_t count = 0;
    sy_digest digest;
    const double samples[] = {0.5, -1.25, 3};
    sy_arena *arena = sy_arena_create(0);
    ALLOWS(s->storage->get_id(s->state, id, &s->err));
    assert_string_equal(id, "00112233445566778899aabbccddeeff");
    assert_int_equal(head_of(s), 3);
    assert_int_equal(count_events(s, 1, "20261129-233000-abcdef"), 2);
    sy_digest_of(samples, sizeof samples, &digest);
    ALLOWS(s->storage->get_series(s->state, &digest, arena, &bytes, &count, &s->err));
    assert_int_equal(count, 3);
    assert_memory_equal(bytes, samples, sizeof samples);
    is_sound(s);
    sy_arena_destroy(arena);
}

static void a_ledger_of_version_1_loads_for_ever(void **state)
{
    subject *s = *state;
    let_go(s);
    copy_file(OLD_LEDGER, path_of(s, "ledger.sqlite"));
    ALLOWS(try_open(s, false, true, &s->state)); /* as it is */
    check_old_ledger(s);
    let_go(s);
    ALLOWS(try_open(s, false, false, &s->state)); /* and brought up to date */
    check_old_ledger(s);
    begin(s);
    ALLOWS(append_text(s, 4, "", "x"));
    commit(s);
}

/* ---- where nothing can be written ---- */

/* What a user without the right to write meets; in a child, since nobody gets such a right back. 0 = as it should be.
 */
static int as_nobody(subject *s, bool log_is_left)
{
    void *opened = NULL;
    uint64_t number = 0;
    sy_digest digest;
    if (setgid(65534) != 0 || setuid(65534) != 0) {
        return 77;
    }
    if (try_open(s, false, false, &opened) != SY_IO || strstr(s->err.what, "cannot be written") == NULL) {
        return 1;
    }
    sy_status status = try_open(s, false, true, &opened);
    if (log_is_left) {
        return status == SY_IO && strstr(s->err.what, "left its log") != NULL && s->err.hint[0] != '\0' ? 0 : 2;
    }
    if (status != SY_OK || s->storage->head(opened, &number, &digest, &s->err) != SY_OK || number != 100) {
        return 3;
    }
    size_t count = 0;
    status = s->storage->events(opened, 1, NULL, count_event, &count, &s->err);
    s->storage->close(opened);
    return status == SY_OK && count == 100 ? 0 : 4;
}

static void try_as_nobody(subject *s, bool log_is_left)
{
    pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        _exit(as_nobody(s, log_is_left));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: this user cannot become another\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The folder and the one above it, which mkdtemp made for its owner alone. */
static void open_folders(subject *s, mode_t mode)
{
    char parent[700];
    snprintf(parent, sizeof parent, "%s", s->folder);
    *strrchr(parent, '/') = '\0';
    assert_int_equal(chmod(s->folder, mode), 0);
    assert_int_equal(chmod(parent, 0755), 0);
}

static void a_folder_that_cannot_be_written_is_read(void **state)
{
    subject *s = *state;
    fill_pages(s, 100);
    let_go(s);
    open_folders(s, 0755);
    try_as_nobody(s, false);
}

static void what_a_killed_writer_left_is_recovered_where_the_folder_can_be_written(void **state)
{
    subject *s = *state;
    struct stat log;
    let_go(s);
    pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        if (try_open(s, false, false, &s->state) != SY_OK) {
            _exit(1);
        }
        fill_pages(s, 100);
        _exit(0); /* without closing */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(stat(path_of(s, "ledger.sqlite-wal"), &log), 0);
    assert_true(log.st_size > 0);
    assert_int_equal(unlink(path_of(s, "ledger.sqlite-shm")), 0); /* as on another machine */
    open_folders(s, 0755);
    try_as_nobody(s, true); /* which the hint explains */
    ALLOWS(try_open(s, false, true, &s->state));
    assert_int_equal(head_of(s), 100);
    assert_int_equal(count_events(s, 1, NULL), 100);
    let_go(s);
    ALLOWS(try_open(s, false, false, &s->state));
    assert_int_equal(head_of(s), 100);
}

static void a_name_that_is_no_plain_uri_is_read_all_the_same(void **state)
{
    subject *s = *state;
    char odd[700];
    fill_pages(s, 100);
    let_go(s);
    snprintf(odd, sizeof odd, "%s 100%%25 ?#&x=1", s->folder);
    assert_int_equal(rename(s->folder, odd), 0);
    char *plain = s->folder;
    s->folder = odd;
    open_folders(s, 0755);
    try_as_nobody(s, false);
    s->folder = plain;
    assert_int_equal(rename(odd, plain), 0);
    ALLOWS(try_open(s, false, false, &s->state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SQLITE(a_folder_that_is_not_there_is_made_when_asked),
        IN_SQLITE(what_is_no_ledger_is_refused_and_left_as_it_is),
        IN_SQLITE(an_empty_file_is_no_ledger_yet),
        IN_SQLITE(a_truncated_file_is_damaged),
        IN_SQLITE(a_damaged_page_is_found_by_who_meets_it),
        IN_SQLITE(a_newer_one_is_refused_and_says_which),
        IN_SQLITE(an_older_one_is_brought_up_to_date_a_transaction_a_step),
        IN_SQLITE(a_ledger_of_version_1_loads_for_ever),
        IN_SQLITE(a_folder_that_cannot_be_written_is_read),
        IN_SQLITE(what_a_killed_writer_left_is_recovered_where_the_folder_can_be_written),
        IN_SQLITE(a_name_that_is_no_plain_uri_is_read_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
