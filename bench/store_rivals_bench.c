/* SPDX-License-Identifier: Apache-2.0 */
/* The store beside other ways of keeping decisions: many writers and two readers at once (puts a second, longest wait,
 * losses), then loading many records, memory and lookups. store_rivals_bench [WRITERS PUTS RECORDS RUNS], 16 100 200000
 * 3; medians of the runs, in each of which the rivals take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store_rivals.h"

enum { READERS = 2, MOST_RUNS = 15, ASKED = 20000 };
static char folder[] = "/tmp/steelyard-rivals-XXXXXX";

typedef struct figures {
    double puts_a_second;
    double longest_s;
    double lost;
    double readings_a_second;
    double load_s;
    double memory_mib;
    double lookup_ns;
} figures;
enum { FIGURES = sizeof(figures) / sizeof(double) };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs work in a process of its own, which sends one double. */
static pid_t start(double (*work)(const rival *r, const char *path, uint32_t number, uint32_t count), const rival *r,
                   const char *path, uint32_t number, uint32_t count, int result)
{
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        double figure = work(r, path, number, count);
        need(write(result, &figure, sizeof figure) == sizeof figure, "pipe");
        _exit(0);
    }
    return child;
}

static double take(int result)
{
    double figure;
    need(read(result, &figure, sizeof figure) == sizeof figure, "a process ended without its figure");
    return figure;
}

static double write_records(const rival *r, const char *path, uint32_t writer, uint32_t puts)
{
    double longest = 0;
    r->open(path);
    for (uint32_t i = 0; i < puts; i++) {
        double begin = seconds();
        r->put(writer * puts + i);
        double taken = seconds() - begin;
        longest = taken > longest ? taken : longest;
    }
    r->close();
    return longest;
}

/* Until the file "<path>.ended" is there. */
static double read_records(const rival *r, const char *path, uint32_t reader, uint32_t count)
{
    char ended[320];
    double readings = 0;
    (void)reader;
    (void)count;
    snprintf(ended, sizeof ended, "%s.ended", path);
    r->open(path);
    while (access(ended, F_OK) != 0) {
        r->refresh();
        (void)r->has(0);
        readings++;
    }
    return readings;
}

static double count_missing(const rival *r, const char *path, uint32_t number, uint32_t count)
{
    double missing = 0;
    (void)number;
    r->open(path);
    for (uint32_t i = 0; i < count; i++) {
        missing += !r->has(i);
    }
    return missing;
}

static void crowd(const rival *r, const char *path, uint32_t writers, uint32_t puts, figures *f)
{
    int written[2];
    int readings[2];
    char ended[320];
    pid_t readers[READERS];
    need(pipe(written) == 0 && pipe(readings) == 0, "pipe");
    snprintf(ended, sizeof ended, "%s.ended", path);
    for (uint32_t i = 0; i < READERS; i++) {
        readers[i] = start(read_records, r, path, i, 0, readings[1]);
    }
    pid_t *processes = calloc(writers, sizeof *processes);
    need(processes != NULL, "no memory");
    double begin = seconds();
    for (uint32_t i = 0; i < writers; i++) {
        processes[i] = start(write_records, r, path, i, puts, written[1]);
    }
    for (uint32_t i = 0; i < writers; i++) {
        int status;
        need(waitpid(processes[i], &status, 0) == processes[i] && status == 0, "a writer failed");
        double longest = take(written[0]);
        f->longest_s = longest > f->longest_s ? longest : f->longest_s;
    }
    double taken = seconds() - begin;
    free(processes);
    FILE *end = fopen(ended, "w");
    need(end != NULL && fclose(end) == 0, "no file");
    for (uint32_t i = 0; i < READERS; i++) {
        int status;
        need(waitpid(readers[i], &status, 0) == readers[i] && status == 0, "a reader failed");
        f->readings_a_second += take(readings[0]) / taken;
    }
    f->puts_a_second = writers * puts / taken;
    need(waitpid(start(count_missing, r, path, 0, writers * puts, written[1]), NULL, 0) > 0, "wait");
    f->lost = take(written[0]);
    close(written[0]);
    close(written[1]);
    close(readings[0]);
    close(readings[1]);
}

static double fill(const rival *r, const char *path, uint32_t number, uint32_t count)
{
    (void)number;
    r->open(path);
    r->fill(count);
    r->close();
    return 0;
}

static double load(const rival *r, const char *path, uint32_t number, uint32_t count)
{
    double begin = seconds();
    (void)number;
    r->open(path);
    need(r->has(count - 1), "the last record is not there");
    return seconds() - begin;
}

static double memory(const rival *r, const char *path, uint32_t number, uint32_t count)
{
    struct rusage usage;
    (void)load(r, path, number, count);
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static double look_up(const rival *r, const char *path, uint32_t number, uint32_t count)
{
    uint32_t chance = number + 1;
    r->open(path);
    need(r->has(0), "a record is missing");
    double begin = seconds();
    for (uint32_t i = 0; i < ASKED; i++) {
        chance = chance * 1664525u + 1013904223u;
        need(r->has((uint32_t)(((uint64_t)chance * count) >> 32)), "a record is missing");
    }
    return (seconds() - begin) / ASKED * 1e9;
}

static double alone(double (*work)(const rival *r, const char *path, uint32_t number, uint32_t count), const rival *r,
                    const char *path, uint32_t count)
{
    int result[2];
    int status;
    need(pipe(result) == 0, "pipe");
    pid_t child = start(work, r, path, 0, count, result[1]);
    need(waitpid(child, &status, 0) == child && status == 0, "a process failed");
    double figure = take(result[0]);
    close(result[0]);
    close(result[1]);
    return figure;
}

static figures measure(const rival *r, uint32_t writers, uint32_t puts, uint32_t records, unsigned number)
{
    static const char *const suffixes[] = {"", ".lock", ".time", ".ended", "-wal", "-shm"};
    figures f = {0};
    char path[300];
    for (int part = 0; part < 2; part++) {
        snprintf(path, sizeof path, "%s/%u-%d", folder, number, part);
        if (part == 0) {
            crowd(r, path, writers, puts, &f);
        } else {
            (void)alone(fill, r, path, records);
            f.load_s = alone(load, r, path, records);
            f.memory_mib = alone(memory, r, path, records);
            f.lookup_ns = alone(look_up, r, path, records);
        }
        for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
            char name[320];
            snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
            (void)unlink(name);
        }
    }
    return f;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const figures *all, unsigned runs, size_t which)
{
    double values[MOST_RUNS];
    for (unsigned i = 0; i < runs; i++) {
        memcpy(&values[i], (const char *)&all[i] + which * sizeof(double), sizeof(double));
    }
    qsort(values, runs, sizeof values[0], by_value);
    return values[runs / 2];
}

int main(int argc, char **argv)
{
    uint32_t numbers[4] = {16, 100, 200000, 3};
    for (int i = 1; i < argc && i <= 4; i++) {
        numbers[i - 1] = (uint32_t)strtoul(argv[i], NULL, 10);
    }
    unsigned runs = numbers[3];
    need(numbers[0] > 0 && numbers[1] > 0 && numbers[2] > 0 && runs > 0 && runs <= MOST_RUNS, "numbers above 0");
    need(mkdtemp(folder) != NULL, "no folder below /tmp");
    figures(*all)[MOST_RUNS] = calloc(rival_count, sizeof *all);
    need(all != NULL, "no memory");
    for (unsigned run = 0; run < runs; run++) {
        for (size_t i = 0; i < rival_count; i++) {
            all[i][run] = measure(&rivals[i], numbers[0], numbers[1], numbers[2], run * 100 + (unsigned)i);
        }
    }
    printf("%u writers x %u puts, %d readers; %u records; medians of %u\n", numbers[0], numbers[1], READERS, numbers[2],
           runs);
    printf("%-36s %-12s %8s %10s %6s %11s %8s %8s %10s\n", "", "survives", "puts/s", "longest ms", "lost", "readings/s",
           "load s", "MiB", "lookup ns");
    for (size_t i = 0; i < rival_count; i++) {
        double m[FIGURES];
        for (size_t k = 0; k < FIGURES; k++) {
            m[k] = median(all[i], runs, k);
        }
        printf("%-36s %-12s %8.0f %10.1f %6.0f %11.0f %8.3f %8.0f %10.0f\n", rivals[i].name, rivals[i].durable, m[0],
               m[1] * 1e3, m[2], m[3], m[4], m[5], m[6]);
    }
    free(all);
    rmdir(folder);
    return 0;
}
