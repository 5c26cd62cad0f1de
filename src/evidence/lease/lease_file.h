/* SPDX-License-Identifier: Apache-2.0 */
/* Where the leases of this host are, what a device's file is called, and the text that it holds. */
#ifndef STEELYARD_EVIDENCE_LEASE_LEASE_FILE_H
#define STEELYARD_EVIDENCE_LEASE_LEASE_FILE_H

#include <steelyard/evidence.h>

#include "base/arena.h"

#define SY_LEASE_NAME_SIZE 160

/* What a lease's file says. Texts live in the arena that it was read into. */
typedef struct sy_lease_record {
    const char *device;
    uint64_t fence;
    int64_t process; /* 0 = given back */
    unsigned user;
    const char *host;
    const char *boot;
    const char *run;
    const char *project;
    int64_t since_utc_s;
    int64_t until_utc_s;
} sy_lease_record;

/* The host's own folder of leases, the same for every user of it. */
const char *sy_lease_folder(void);
/* The file's name for a device: SY_LEASE_NAME_SIZE bytes. SY_INVALID_ARGUMENT: no name, or too long. */
sy_status sy_lease_file_name(const char *device, char *ret_name, sy_error *err) SY_NODISCARD;
/* The record in place of the old one, on the disk when it returns. SY_IO, SY_NO_MEMORY. */
sy_status sy_lease_record_write(int fd, const sy_lease_record *record, sy_error *err) SY_NODISCARD;
/* False: there is none, or it is damaged: whoever takes the lease begins anew. */
bool sy_lease_record_read(int fd, sy_arena *arena, sy_lease_record *ret_record);

/* This boot's id; "" = unknown. */
void sy_lease_boot(char ret_boot[40]);

#endif
