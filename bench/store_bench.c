/* SPDX-License-Identifier: Apache-2.0 */
/* The store's budgets: a lookup among 100,000 profiles (beside SQLite and a linear scan, in the same run), loading
 * 200,000, put_many of 10,000, verdicts on 10,000, and writers in many processes: nothing lost, longest wait.
 * store_bench [all | lookup | load | many | writers PROCESSES PUTS]; lookup is the one to count instructions of. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include <steelyard/steelyard.h>

#define OPERATORS 10
#define PROCESSOR \
    "caches=l1d:32768/1,l2:1048576/2,l3:33554432/8;cores=0-7;flags=avx2,avx512f,fma;model=85;vendor=GenuineIntel"

static char folder[] = "/tmp/steelyard-bench-XXXXXX";

/* Of this process: what else runs on the machine does not count. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "store_bench: %s\n", what);
        exit(1);
    }
}

static void check(sy_status status, const sy_error *err)
{
    need(status == SY_OK, status == SY_OK ? "" : err->what);
}

/* The texts of profile number i: its key differs from all others in operator and model digest. */
typedef struct names {
    char operator_name[16];
    char model[24];
} names;

static names names_of(uint32_t i)
{
    names n;
    snprintf(n.operator_name, sizeof n.operator_name, "operator %u", i % OPERATORS);
    snprintf(n.model, sizeof n.model, "none/%016x", i * 2654435761u);
    return n;
}

static sy_profile_key key_of(const names *n)
{
    return (sy_profile_key){"cpu", n->operator_name, "1-9c1185a5c5e9fc54", n->model, PROCESSOR, 8, NULL, 0};
}

static sy_status serialize(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)user;
    (void)err;
    *ret_policy = "flash";
    *ret_size = 5;
    return SY_OK;
}

static sy_store *open_store(const char *path, uint32_t format)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_store *store;
    sy_error err;
    options.path = path;
    options.persistence = path != NULL;
    options.environment_layers = false;
    options.new_file_format = format;
    check(sy_store_open(&options, &store, &err), &err);
    return store;
}

static void fill(sy_store *store, uint32_t count)
{
    static const sy_measurement measurements[] = {{"reference_total", 125000.25, "ns"},
                                                  {"candidate_total", 118000.5, "ns"}};
    names *all = malloc(count * sizeof *all);
    sy_profile_put *puts = calloc(count, sizeof *puts);
    sy_error err;
    need(all != NULL && puts != NULL, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        all[i] = names_of(i);
        puts[i].draft.key = key_of(&all[i]);
        puts[i].draft.measurements = measurements;
        puts[i].draft.measurement_count = 2;
        puts[i].serialize = serialize;
    }
    check(sy_store_put_many(store, puts, count, NULL, &err), &err);
    free(puts);
    free(all);
}

static uint32_t next_index(uint32_t *state, uint32_t count)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*state * count) >> 32);
}

static const sy_profile *scan_for(const sy_profile *const *all, uint32_t count, const sy_profile_key *key)
{
    for (uint32_t i = 0; i < count; i++) {
        const sy_profile_key *k = &all[i]->key;
        if (strcmp(k->operator_name, key->operator_name) == 0 && strcmp(k->model_digest, key->model_digest) == 0 &&
            strcmp(k->backend, key->backend) == 0 && strcmp(k->processor, key->processor) == 0 &&
            strcmp(k->implementation_version, key->implementation_version) == 0 &&
            k->thread_count == key->thread_count) {
            return all[i];
        }
    }
    return NULL;
}

typedef struct gathered {
    const sy_profile **all;
    uint32_t count;
} gathered;

static sy_status gather(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    gathered *g = user;
    (void)layer;
    (void)err;
    g->all[g->count++] = profile;
    return SY_OK;
}

static double time_scan(sy_store *store, const names *asked, uint32_t asked_count, uint32_t count)
{
    gathered g = {malloc(count * sizeof *g.all), 0};
    sy_error err;
    uint32_t runs = asked_count < 200 ? asked_count : 200;
    need(g.all != NULL, "no memory");
    check(sy_store_iterate(store, gather, &g, &err), &err);
    double start = cpu_seconds();
    for (uint32_t i = 0; i < runs; i++) {
        sy_profile_key key = key_of(&asked[i]);
        need(scan_for(g.all, g.count, &key) != NULL, "the scan found nothing");
    }
    double taken = (cpu_seconds() - start) / runs;
    free(g.all);
    return taken;
}

static void sql(sqlite3 *db, const char *text)
{
    need(sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(db));
}

static void bind_key(sqlite3_stmt *statement, const sy_profile_key *key)
{
    sqlite3_bind_text(statement, 1, key->backend, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, key->operator_name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, key->implementation_version, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, key->model_digest, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, key->processor, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 6, key->thread_count);
}

/* One table in memory, indexed by the key; one prepared statement. */
static double time_sqlite(const names *asked, uint32_t asked_count, uint32_t count)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    sqlite3_stmt *query;
    need(sqlite3_open(":memory:", &db) == SQLITE_OK, "sqlite does not open");
    sql(db, "create table p(backend, operator, version, model, processor, threads, policy);"
            "create unique index k on p(backend, operator, version, model, processor, threads); begin");
    need(sqlite3_prepare_v2(db, "insert into p values(?,?,?,?,?,?,'flash')", -1, &insert, NULL) == SQLITE_OK, "insert");
    for (uint32_t i = 0; i < count; i++) {
        names n = names_of(i);
        sy_profile_key key = key_of(&n);
        bind_key(insert, &key);
        need(sqlite3_step(insert) == SQLITE_DONE, sqlite3_errmsg(db));
        sqlite3_reset(insert);
    }
    sql(db, "commit");
    need(sqlite3_prepare_v2(db,
                            "select policy from p where backend=? and operator=? and version=? and model=? and "
                            "processor=? and threads=?",
                            -1, &query, NULL) == SQLITE_OK,
         "query");
    double start = cpu_seconds();
    for (uint32_t i = 0; i < asked_count; i++) {
        sy_profile_key key = key_of(&asked[i]);
        bind_key(query, &key);
        need(sqlite3_step(query) == SQLITE_ROW && sqlite3_column_text(query, 0)[0] == 'f', "sqlite found nothing");
        sqlite3_reset(query);
    }
    double taken = (cpu_seconds() - start) / asked_count;
    sqlite3_finalize(insert);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return taken;
}

/* Random order, so that the caches help as little as they would in an engine that asks now and then. */
static void bench_lookup(bool peers)
{
    enum { COUNT = 100000, ASKED = 100000 };
    sy_store *store = open_store(NULL, 2);
    names *asked = malloc(ASKED * sizeof *asked);
    sy_error err;
    need(asked != NULL, "no memory");
    fill(store, COUNT);
    uint32_t state = 1;
    for (uint32_t i = 0; i < ASKED; i++) {
        asked[i] = names_of(next_index(&state, COUNT));
    }
    double start = cpu_seconds();
    for (uint32_t i = 0; i < ASKED; i++) {
        sy_lookup lookup = SY_LOOKUP_INIT;
        sy_profile_view view;
        lookup.key = key_of(&asked[i]);
        check(sy_store_lookup(store, &lookup, NULL, NULL, &view, &err), &err);
    }
    double taken = (cpu_seconds() - start) / ASKED;
    printf("lookup among %d, random order      %8.0f ns\n", COUNT, taken * 1e9);
    if (peers) {
        double scan = time_scan(store, asked, ASKED, COUNT);
        printf("  linear scan                          %8.0f ns   %.0f times as long\n", scan * 1e9, scan / taken);
        double base = time_sqlite(asked, ASKED, COUNT);
        printf("  SQLite in memory, one index          %8.0f ns   %.1f times as long\n", base * 1e9, base / taken);
    }
    free(asked);
    sy_store_close(store);
}

static double memory_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Each load in a process of its own, whose memory is then the load's. */
static void load_in_child(const char *path, uint32_t expected)
{
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        double before = memory_mib();
        double start = cpu_seconds();
        sy_store *store = open_store(path, 2);
        double taken = cpu_seconds() - start;
        sy_layer_info info;
        sy_error err;
        check(sy_store_layer(store, 0, &info, &err), &err);
        need(info.profile_count == expected, info.message);
        printf("load %u profiles, format %u       %8.3f s    %.0f MiB\n", expected, info.format, taken,
               memory_mib() - before);
        start = cpu_seconds();
        check(sy_store_reload(store, &err), &err);
        printf("  reload, unchanged                    %8.3f s\n", cpu_seconds() - start);
        fflush(stdout);
        _exit(0);
    }
    int status;
    need(waitpid(child, &status, 0) == child && status == 0, "the loading process failed");
}

static void bench_load(void)
{
    enum { COUNT = 200000 };
    char path[64];
    for (uint32_t format = 1; format <= 2; format++) {
        fflush(stdout);
        snprintf(path, sizeof path, "%s/load-%u", folder, format);
        pid_t child = fork();
        need(child >= 0, "fork");
        if (child == 0) {
            sy_store *store = open_store(path, format);
            fill(store, COUNT);
            _exit(0);
        }
        int status;
        need(waitpid(child, &status, 0) == child && status == 0, "the filling process failed");
        load_in_child(path, COUNT);
        unlink(path);
    }
}

static void bench_many(void)
{
    enum { COUNT = 10000 };
    char path[64];
    sy_error err;
    snprintf(path, sizeof path, "%s/many", folder);
    sy_store *store = open_store(path, 2);
    double start = cpu_seconds();
    fill(store, COUNT);
    printf("put_many of %d, on disk             %8.3f s\n", COUNT, cpu_seconds() - start);
    names n = names_of(7);
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_verdict_list *others;
    lookup.key = key_of(&n);
    lookup.everything = true;
    start = cpu_seconds();
    check(sy_store_others(store, &lookup, NULL, NULL, &others, &err), &err);
    printf("verdicts on %zu                     %8.3f ms\n", others->count, (cpu_seconds() - start) * 1e3);
    sy_verdict_list_destroy(others);
    sy_store_close(store);
}

typedef struct waits {
    double sum;
    double longest;
} waits;

static void put_on(const char *path, uint32_t writer, uint32_t puts, int result)
{
    sy_store *store = open_store(path, 2);
    waits w = {0, 0};
    sy_error err;
    for (uint32_t i = 0; i < puts; i++) {
        names n = names_of(writer * puts + i);
        sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
        draft.key = key_of(&n);
        double start = seconds();
        check(sy_store_put(store, &draft, serialize, NULL, NULL, NULL, &err), &err);
        double taken = seconds() - start;
        w.sum += taken;
        w.longest = taken > w.longest ? taken : w.longest;
    }
    sy_store_close(store);
    need(write(result, &w, sizeof w) == sizeof w, "pipe");
    _exit(0);
}

static void bench_writers(uint32_t processes, uint32_t puts)
{
    char path[64];
    int pipes[2];
    waits all = {0, 0};
    snprintf(path, sizeof path, "%s/writers-%u", folder, processes);
    need(pipe(pipes) == 0, "pipe");
    fflush(stdout);
    double start = seconds();
    for (uint32_t i = 0; i < processes; i++) {
        pid_t child = fork();
        need(child >= 0, "fork");
        if (child == 0) {
            put_on(path, i, puts, pipes[1]);
        }
    }
    for (uint32_t i = 0; i < processes; i++) {
        int status;
        waits one;
        need(wait(&status) > 0 && status == 0, "a writer failed");
        need(read(pipes[0], &one, sizeof one) == sizeof one, "pipe");
        all.sum += one.sum;
        all.longest = one.longest > all.longest ? one.longest : all.longest;
    }
    double taken = seconds() - start;
    sy_store *store = open_store(path, 2);
    sy_layer_info info;
    sy_error err;
    check(sy_store_layer(store, 0, &info, &err), &err);
    double mean = all.sum / (processes * puts);
    printf("%3u writers x %3u puts: %zu of %u kept   %8.3f s    mean wait %.1f ms, longest %.1f ms (%.1f means)\n",
           processes, puts, info.profile_count, processes * puts, taken, mean * 1e3, all.longest * 1e3,
           all.longest / mean);
    need(info.profile_count == processes * puts, "puts were lost");
    sy_store_close(store);
    close(pipes[0]);
    close(pipes[1]);
}

static void empty_folder(void)
{
    char command[64];
    static const char *const names_made[] = {"many",       "many.lock",       "writers-16", "writers-16.lock",
                                             "writers-64", "writers-64.lock", "load-1",     "load-1.lock",
                                             "load-2",     "load-2.lock"};
    for (size_t i = 0; i < sizeof names_made / sizeof names_made[0]; i++) {
        snprintf(command, sizeof command, "%s/%s", folder, names_made[i]);
        unlink(command);
    }
    rmdir(folder);
}

int main(int argc, char **argv)
{
    const char *what = argc < 2 ? "all" : argv[1];
    bool all = strcmp(what, "all") == 0;
    need(mkdtemp(folder) != NULL, "no folder below /tmp");
    if (all || strcmp(what, "lookup") == 0) {
        bench_lookup(all);
    }
    if (all || strcmp(what, "load") == 0) {
        bench_load();
    }
    if (all || strcmp(what, "many") == 0) {
        bench_many();
    }
    if (strcmp(what, "writers") == 0 && argc == 4) {
        bench_writers((uint32_t)strtoul(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10));
    } else if (all || strcmp(what, "writers") == 0) {
        bench_writers(16, 100);
        bench_writers(64, 20);
    }
    empty_folder();
    return 0;
}
