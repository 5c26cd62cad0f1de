/* SPDX-License-Identifier: Apache-2.0 */
/* Other ways of keeping decisions on disk, for store_rivals_bench: one open at a time in a process. */
#ifndef STEELYARD_BENCH_STORE_RIVALS_H
#define STEELYARD_BENCH_STORE_RIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Record number i is "key <i>" with a value of some 200 bytes. */
typedef struct rival {
    const char *name;
    const char *durable; /* what a put that has answered survives */
    void (*open)(const char *path);
    void (*put)(uint32_t record);
    void (*fill)(uint32_t count); /* records 0 to count - 1, as fast as it goes */
    void (*refresh)(void);        /* what a reader does to see news */
    bool (*has)(uint32_t record);
    void (*close)(void);
} rival;

extern const rival rivals[];
extern const size_t rival_count;

void need(bool right, const char *what);
void name_record(uint32_t record, char key[96], char value[256]);

#endif
