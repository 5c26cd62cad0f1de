/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of ledger_bench share: time, sizes, and an end to all when something is not as it must be. */
#ifndef STEELYARD_BENCH_LEDGER_BENCH_H
#define STEELYARD_BENCH_LEDGER_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/base.h>
#include <sys/stat.h>
#include <time.h>

static inline void need(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "ledger_bench: %s\n", what);
        exit(1);
    }
}

static inline void check(sy_status status, const sy_error *err)
{
    need(status == SY_OK, status == SY_OK ? "" : err->what);
}

/* Waiting counts: what a writer waits for is the disk. */
static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double file_bytes(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (double)file.st_size : 0;
}

/* Fills a ledger below folder with so many runs and asks it for lists. */
void bench_lists(const char *folder, uint64_t runs);
/* Fills a ledger below folder with so many keys and asks it for the figures of their sessions. */
void bench_figures(const char *folder, uint64_t keys);

#endif
