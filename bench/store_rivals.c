/* SPDX-License-Identifier: Apache-2.0 */
/* Steelyard's store, and the ways of others written anew from what is known of them: a whole text file in a map under
 * a file lock with a file that holds the time of change (MIOpen's RamDb), a CSV that each process writes anew when it
 * ends (PyTorch's TunableOp), a table in SQLite with a write-ahead log. */
#include "store_rivals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include <steelyard/steelyard.h>

void need(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "store_rivals_bench: %s\n", what);
        exit(1);
    }
}

void name_record(uint32_t record, char key[96], char value[256])
{
    snprintf(key, 96, "64-%u-56-3x3-128-%u-56-32-1x1-1x1-1x1-0-NCHW-FP32-F", record, record % 97);
    snprintf(value, 256,
             "ConvOclDirectFwd:0.0%u,0,miopenConvolutionFwdAlgoDirect;ConvBinWinogradRxSf3x2:0.0%u,0,"
             "miopenConvolutionFwdAlgoWinograd;GemmFwdRest:0.1%u,147456,miopenConvolutionFwdAlgoGEMM",
             record, record + 1, record + 2);
}

/* ---- ours ---- */

static sy_store *store;

static void open_ours(const char *path)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    options.path = path;
    options.environment_layers = false;
    need(sy_store_open(&options, &store, NULL) == SY_OK, "a store does not open");
}

static sy_status give_value(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)err;
    *ret_policy = user;
    *ret_size = strlen(user);
    return SY_OK;
}

static sy_profile_key key_of(const char *key)
{
    return (sy_profile_key){"gpu", "convolution", "3.1", key, "gfx90a", 1, NULL, 0};
}

static void put_ours(uint32_t record)
{
    char key[96];
    char value[256];
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    name_record(record, key, value);
    draft.key = key_of(key);
    need(sy_store_put(store, &draft, give_value, NULL, value, NULL, NULL) == SY_OK, "a put failed");
}

static void fill_ours(uint32_t count)
{
    typedef struct text {
        char key[96];
        char value[256];
    } text;
    text *texts = malloc(count * sizeof *texts);
    sy_profile_put *puts = calloc(count, sizeof *puts);
    need(texts != NULL && puts != NULL, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        name_record(i, texts[i].key, texts[i].value);
        puts[i].draft.key = key_of(texts[i].key);
        puts[i].serialize = give_value;
        puts[i].user = texts[i].value;
    }
    need(sy_store_put_many(store, puts, count, NULL, NULL) == SY_OK, "put_many failed");
    free(puts);
    free(texts);
}

static void refresh_ours(void)
{
    need(sy_store_reload(store, NULL) == SY_OK, "a reader met a damaged file");
}

static bool ours_has(uint32_t record)
{
    char key[96];
    char value[256];
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_profile_view view;
    name_record(record, key, value);
    lookup.key = key_of(key);
    return sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL) == SY_OK &&
           strcmp(view.profile->policy, value) == 0;
}

static void close_ours(void)
{
    sy_store_close(store);
}

/* ---- lines of "key=value" in a map ---- */

typedef struct line {
    char *key; /* the value stands behind its 0 */
    const char *value;
} line;

static struct {
    char path[300];
    line *slots;
    size_t capacity; /* a power of two */
    size_t count;
    int lock;
    int64_t read_at_ns;
} map;

static line *slot_of(const char *key)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = key; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    }
    for (size_t i = hash & (map.capacity - 1);; i = (i + 1) & (map.capacity - 1)) {
        if (map.slots[i].key == NULL || strcmp(map.slots[i].key, key) == 0) {
            return &map.slots[i];
        }
    }
}

static void clear_map(void)
{
    for (size_t i = 0; i < map.capacity; i++) {
        free(map.slots[i].key);
    }
    free(map.slots);
    map.slots = NULL;
    map.capacity = map.count = 0;
}

static void map_line(const char *key, const char *value)
{
    if (2 * (map.count + 1) > map.capacity) {
        line *old = map.slots;
        size_t capacity = map.capacity;
        map.capacity = capacity == 0 ? 64 : 2 * capacity;
        map.slots = calloc(map.capacity, sizeof *map.slots);
        need(map.slots != NULL, "no memory");
        for (size_t i = 0; i < capacity; i++) {
            if (old[i].key != NULL) {
                *slot_of(old[i].key) = old[i];
            }
        }
        free(old);
    }
    line *slot = slot_of(key);
    map.count += slot->key == NULL;
    free(slot->key);
    size_t key_size = strlen(key) + 1;
    size_t value_size = strlen(value) + 1;
    slot->key = malloc(key_size + value_size);
    need(slot->key != NULL, "no memory");
    memcpy(slot->key, key, key_size);
    slot->value = memcpy(slot->key + key_size, value, value_size);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A line that is cut is passed over, as they do. */
static void load_map(char separator)
{
    char text[512];
    FILE *file = fopen(map.path, "r");
    clear_map();
    while (file != NULL && fgets(text, sizeof text, file) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        char *value = strchr(text, separator);
        if (value != NULL) {
            *value = '\0';
            map_line(text, value + 1);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    map.read_at_ns = now_ns();
    if (map.slots == NULL) {
        map_line("", "");
    }
}

static void open_map(const char *path)
{
    char lock[310];
    snprintf(map.path, sizeof map.path, "%s", path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    map.lock = open(lock, O_RDWR | O_CREAT, 0666);
    need(map.lock >= 0, "a lock does not open");
}

static bool map_has(uint32_t record)
{
    char key[96];
    char value[256];
    name_record(record, key, value);
    const line *slot = slot_of(key);
    return slot->key != NULL && strcmp(slot->value, value) == 0;
}

static void close_map(void)
{
    clear_map();
    close(map.lock);
}

/* ---- the map under a lock, and the time in a file beside it ---- */

static void open_timed(const char *path)
{
    open_map(path);
    load_map('=');
}

static int64_t time_of_change(void)
{
    char name[310];
    char digits[32] = "";
    snprintf(name, sizeof name, "%s.time", map.path);
    int fd = open(name, O_RDONLY);
    if (fd >= 0) {
        ssize_t size = read(fd, digits, sizeof digits - 1);
        digits[size > 0 ? size : 0] = '\0';
        close(fd);
    }
    return strtoll(digits, NULL, 10);
}

static void tell_change(void)
{
    char name[310];
    snprintf(name, sizeof name, "%s.time", map.path);
    FILE *file = fopen(name, "w");
    need(file != NULL && fprintf(file, "%lld", (long long)now_ns()) > 0 && fclose(file) == 0, "no time is written");
}

/* A new key goes behind the others, once the file was looked through for it; then all is read again. */
static void put_timed(uint32_t record)
{
    char key[96];
    char value[256];
    char text[512];
    name_record(record, key, value);
    size_t length = strlen(key);
    need(flock(map.lock, LOCK_EX) == 0, "flock");
    FILE *file = fopen(map.path, "a+");
    need(file != NULL, "a file does not open");
    while (fgets(text, sizeof text, file) != NULL) {
        need(strncmp(text, key, length) != 0 || text[length] != '=', "only new keys are put here");
    }
    need(fprintf(file, "%s=%s\n", key, value) > 0 && fclose(file) == 0, "a line is not written");
    tell_change();
    load_map('=');
    flock(map.lock, LOCK_UN);
}

static void fill_lines(uint32_t count, char separator)
{
    FILE *file = fopen(map.path, "w");
    need(file != NULL, "a file does not open");
    for (uint32_t i = 0; i < count; i++) {
        char key[96];
        char value[256];
        name_record(i, key, value);
        fprintf(file, "%s%c%s\n", key, separator, value);
    }
    need(fclose(file) == 0, "a file is not written");
}

static void fill_timed(uint32_t count)
{
    fill_lines(count, '=');
    tell_change();
    load_map('=');
}

static void refresh_timed(void)
{
    need(flock(map.lock, LOCK_EX) == 0, "flock");
    if (time_of_change() >= map.read_at_ns) {
        load_map('=');
    }
    flock(map.lock, LOCK_UN);
}

/* Each question asks whether the file is newer, under the lock. */
static bool timed_has(uint32_t record)
{
    refresh_timed();
    return map_has(record);
}

/* ---- a CSV that is written when the process ends ---- */

static void open_csv(const char *path)
{
    open_map(path);
    load_map('!');
}

static void put_csv(uint32_t record)
{
    char key[96];
    char value[256];
    name_record(record, key, value);
    map_line(key, value);
}

static void fill_csv(uint32_t count)
{
    fill_lines(count, '!');
    load_map('!');
}

static void refresh_csv(void)
{
    load_map('!');
}

static void close_csv(void)
{
    FILE *file = fopen(map.path, "w");
    need(file != NULL, "a file does not open");
    for (size_t i = 0; i < map.capacity; i++) {
        if (map.slots[i].key != NULL && map.slots[i].key[0] != '\0') {
            fprintf(file, "%s!%s\n", map.slots[i].key, map.slots[i].value);
        }
    }
    need(fclose(file) == 0, "a file is not written");
    close_map();
}

/* ---- SQLite ---- */

static struct {
    sqlite3 *db;
    sqlite3_stmt *insert;
    sqlite3_stmt *query;
} base;

static void open_base(const char *path, const char *pragma)
{
    need(sqlite3_open(path, &base.db) == SQLITE_OK, "sqlite does not open");
    sqlite3_busy_timeout(base.db, 60000);
    for (int turn = 0; sqlite3_exec(base.db, "pragma journal_mode=wal", NULL, NULL, NULL) == SQLITE_BUSY; turn++) {
        need(turn < 1000, "no write-ahead log");
        usleep(1000);
    }
    need(sqlite3_exec(base.db, pragma, NULL, NULL, NULL) == SQLITE_OK &&
             sqlite3_exec(base.db, "create table if not exists p(key text primary key, value text) without rowid", NULL,
                          NULL, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(base.db, "insert or replace into p values(?,?)", -1, &base.insert, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(base.db, "select value from p where key=?", -1, &base.query, NULL) == SQLITE_OK,
         sqlite3_errmsg(base.db));
}

static void open_full(const char *path)
{
    open_base(path, "pragma synchronous=full");
}

static void open_normal(const char *path)
{
    open_base(path, "pragma synchronous=normal");
}

static void put_base(uint32_t record)
{
    char key[96];
    char value[256];
    name_record(record, key, value);
    sqlite3_bind_text(base.insert, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(base.insert, 2, value, -1, SQLITE_STATIC);
    need(sqlite3_step(base.insert) == SQLITE_DONE, sqlite3_errmsg(base.db));
    sqlite3_reset(base.insert);
}

static void fill_base(uint32_t count)
{
    need(sqlite3_exec(base.db, "begin", NULL, NULL, NULL) == SQLITE_OK, "begin");
    for (uint32_t i = 0; i < count; i++) {
        put_base(i);
    }
    need(sqlite3_exec(base.db, "commit", NULL, NULL, NULL) == SQLITE_OK, "commit");
}

/* Each question sees what was committed before it. */
static void refresh_base(void)
{
}

static bool base_has(uint32_t record)
{
    char key[96];
    char value[256];
    name_record(record, key, value);
    sqlite3_bind_text(base.query, 1, key, -1, SQLITE_STATIC);
    bool found = sqlite3_step(base.query) == SQLITE_ROW &&
                 strcmp((const char *)sqlite3_column_text(base.query, 0), value) == 0;
    sqlite3_reset(base.query);
    return found;
}

static void close_base(void)
{
    sqlite3_finalize(base.insert);
    sqlite3_finalize(base.query);
    sqlite3_close(base.db);
}

const rival rivals[] = {
    {"steelyard", "a power cut", open_ours, put_ours, fill_ours, refresh_ours, ours_has, close_ours},
    {"map, lock and time (MIOpen's way)", "its process", open_timed, put_timed, fill_timed, refresh_timed, timed_has,
     close_map},
    {"CSV at the end (TunableOp's way)", "nothing", open_csv, put_csv, fill_csv, refresh_csv, map_has, close_csv},
    {"SQLite, WAL, full", "a power cut", open_full, put_base, fill_base, refresh_base, base_has, close_base},
    {"SQLite, WAL, normal", "its process", open_normal, put_base, fill_base, refresh_base, base_has, close_base},
};
const size_t rival_count = sizeof rivals / sizeof rivals[0];
