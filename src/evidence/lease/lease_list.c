/* SPDX-License-Identifier: Apache-2.0 */
/* All leases of this host for people: who holds what, and since when. A look takes nothing and changes nothing. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/shared_file.h"
#include "base/system.h"
#include "base/text.h"
#include "evidence/lease/lease_file.h"

#define MOST_LEASES 10000 /* devices of a host; more is somebody's mischief */

typedef struct found {
    sy_arena *arena;
    sy_device_lease *leases;
    size_t count;
    size_t capacity;
    char boot[40];
} found;

static sy_status add(found *f, const sy_lease_record *record, bool held, sy_error *err)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity == 0 ? 8 : 2 * f->capacity;
        sy_device_lease *leases = sy_reallocate(f->leases, capacity, sizeof(*leases));
        if (leases == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the list of device leases");
        f->leases = leases;
        f->capacity = capacity;
    }
    f->leases[f->count++] = (sy_device_lease){
        .device = record->device,
        .held = held,
        .fence = record->fence,
        .process = record->process,
        .user = record->user,
        .host = record->host,
        .run = record->run,
        .project = record->project,
        .since_utc_s = record->since_utc_s,
        .until_utc_s = record->until_utc_s,
        .of_another_boot = record->boot[0] != '\0' && f->boot[0] != '\0' && strcmp(record->boot, f->boot) != 0,
    };
    return SY_OK;
}

/* Whether somebody holds it. A lease that was given back is not touched: a taker could meet us. */
static bool is_held(int fd, const sy_lease_record *record)
{
    if (record->process == 0)
        return false;
    if (sy_system_flock(fd, LOCK_SH | LOCK_NB) != 0)
        return errno == EWOULDBLOCK;
    (void)sy_system_flock(fd, LOCK_UN);
    return false;
}

static sy_status look_at(found *f, int folder, const char *name, sy_error *err)
{
    int fd = -1;
    sy_lease_record record;
    char expected[SY_LEASE_NAME_SIZE];
    /* What is no lease of ours, or has just gone, is nothing to be told. */
    if (sy_shared_file_open(folder, name, false, &fd, NULL) != SY_OK)
        return SY_OK;
    sy_status status = SY_OK;
    if (sy_lease_record_read(fd, f->arena, &record) && sy_lease_file_name(record.device, expected, NULL) == SY_OK &&
        strcmp(expected, name) == 0)
        status = add(f, &record, is_held(fd, &record), err);
    (void)sy_system_close(fd);
    return status;
}

static int by_device(const void *a, const void *b)
{
    return strcmp(((const sy_device_lease *)a)->device, ((const sy_device_lease *)b)->device);
}

/* Takes over the descriptor. */
static sy_status look_at_all(found *f, int folder, sy_error *err)
{
    DIR *entries = fdopendir(folder);
    sy_status status = SY_OK;
    if (entries == NULL) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot read the folder of device leases");
        (void)sy_system_close(folder);
        return status;
    }
    const struct dirent *entry;
    while (status == SY_OK && f->count < MOST_LEASES && (entry = readdir(entries)) != NULL) {
        if (sy_text_ends(entry->d_name, ".lease"))
            status = look_at(f, dirfd(entries), entry->d_name, err);
    }
    (void)closedir(entries);
    if (f->count > 1)
        qsort(f->leases, f->count, sizeof(*f->leases), by_device);
    return status;
}

sy_status sy_device_leases(const char *folder, sy_device_lease_list **ret_list, sy_error *err)
{
    found f = {.arena = sy_arena_create(0)};
    const char *path = folder != NULL && folder[0] != '\0' ? folder : sy_lease_folder();
    int fd = -1;
    sy_device_lease_list *list = f.arena == NULL ? NULL : sy_arena_allocate(f.arena, 1, sizeof(*list));
    sy_status status = SY_OK;
    if (list == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the list of device leases");
        goto out;
    }
    list->folder = "";
    sy_lease_boot(f.boot);
    status = sy_shared_folder_open(path, false, &fd, err);
    if (status == SY_OK) {
        status = look_at_all(&f, fd, err);
        list->folder = status == SY_OK ? sy_arena_copy_text(f.arena, path) : "";
    } else if (status == SY_NOT_FOUND) {
        status = SY_OK;
    }
    sy_device_lease *leases = status == SY_OK ? sy_arena_allocate(f.arena, f.count + 1, sizeof(*leases)) : NULL;
    if (status == SY_OK && (leases == NULL || list->folder == NULL))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the list of device leases");
    if (status != SY_OK)
        goto out;
    if (f.count > 0)
        memcpy(leases, f.leases, f.count * sizeof(*leases));
    list->leases = leases;
    list->lease_count = f.count;
    list->owner = f.arena;
    list->now_utc_s = sy_clock_system.utc_s(&sy_clock_system);
    *ret_list = list;
    f.arena = NULL;
out:
    sy_free(f.leases);
    sy_arena_destroy(f.arena);
    return status;
}

void sy_device_lease_list_destroy(sy_device_lease_list *list)
{
    if (list != NULL)
        sy_arena_destroy(list->owner);
}
