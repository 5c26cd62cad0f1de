/* SPDX-License-Identifier: Apache-2.0 */
/* Taking, watching and giving back a device. The fencing number is the file's plus one, but never below the time in
 * microseconds: a file that was lost, or cut by a crash, does not make it go back. */
#include "evidence/lease/lease.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/shared_file.h"
#include "base/system.h"
#include "base/text.h"
#include "evidence/lease/lease_file.h"

#define MOST_TURNS 100  /* each needs somebody who removes the file just then */
#define PASSING_TRIES 5 /* who only looks at a lease holds it for an instant */
#define PASSING_NS 1000000
#define MOST_FENCE (INT64_C(1) << 53) /* what a number in JSON holds exactly */

struct sy_lease {
    sy_arena *arena;
    int folder;
    int fd;
    char path[SY_SHARED_PATH_SIZE];
    char name[SY_LEASE_NAME_SIZE];
    char boot[40];
    char host[65];
    char project[SY_DIGEST_TEXT];
    sy_lease_record record;
    const sy_clock *clock;
};

static sy_status busy(const sy_lease *lease, const char *device, sy_error *err)
{
    sy_lease_record holder;
    char since[32];
    if (!sy_lease_record_read(lease->fd, lease->arena, &holder) || holder.process == 0 ||
        sy_time_format_utc(holder.since_utc_s, since, sizeof(since), NULL) != SY_OK) {
        (void)sy_fail(err, SY_BUSY, "device '%s' is held by another process", device);
    } else if (holder.run[0] == '\0') {
        (void)sy_fail(err, SY_BUSY, "device '%s' is held by process %lld since %s", device, (long long)holder.process,
                      since);
    } else {
        (void)sy_fail(err, SY_BUSY, "device '%s' is held by run %s (process %lld) since %s", device, holder.run,
                      (long long)holder.process, since);
    }
    sy_error_hint(err, "one campaign owns a device at a time: wait for it to end, or allow more time");
    return SY_BUSY;
}

/* One turn: opens the file and takes its lock. *ret_taken false with SY_OK: the file was removed meanwhile. */
static sy_status lock_once(sy_lease *lease, const sy_lease_options *options, bool *ret_taken, sy_error *err)
{
    sy_status status = sy_shared_file_open(lease->folder, lease->name, true, &lease->fd, err);
    if (status != SY_OK)
        return status;
    status = sy_lock_descriptor(lease->fd, options->wait_ns, options->cancelled, options->user, err);
    for (int i = 0; status == SY_BUSY && options->wait_ns == 0 && i < PASSING_TRIES; i++) {
        sy_clock_system.sleep_ns(&sy_clock_system, PASSING_NS);
        status = sy_lock_descriptor(lease->fd, 0, NULL, NULL, err);
    }
    if (status == SY_BUSY)
        return busy(lease, options->device, err);
    if (status != SY_OK) {
        sy_error_prefix(err, "device '%s'", options->device);
        return status;
    }
    *ret_taken = sy_shared_file_stands(lease->folder, lease->name, lease->fd);
    if (!*ret_taken) {
        (void)sy_system_close(lease->fd);
        lease->fd = -1;
    }
    return SY_OK;
}

static sy_status lock_file(sy_lease *lease, const sy_lease_options *options, sy_error *err)
{
    bool taken = false;
    for (int turn = 0; !taken; turn++) {
        if (turn == MOST_TURNS)
            return sy_fail(err, SY_IO, "the lease '%s/%s' is removed again and again", lease->path, lease->name);
        sy_status status = lock_once(lease, options, &taken, err);
        if (status != SY_OK)
            return status;
    }
    return SY_OK;
}

static uint64_t next_fence(const sy_lease *lease, const sy_lease_options *options)
{
    sy_lease_record before;
    uint64_t fence = sy_clock_utc_us(options->clock);
    if (sy_lease_record_read(lease->fd, lease->arena, &before) && before.fence >= fence)
        fence = before.fence + 1;
    return options->above_fence >= fence ? options->above_fence + 1 : fence;
}

static sy_status write_holder(sy_lease *lease, const sy_lease_options *options, sy_error *err)
{
    uint64_t fence = next_fence(lease, options);
    const char *run = sy_arena_copy_text(lease->arena, options->run == NULL ? "" : options->run);
    const char *device = sy_arena_copy_text(lease->arena, options->device);
    if (run == NULL || device == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a lease");
    if (fence >= (uint64_t)MOST_FENCE) {
        (void)sy_fail(err, SY_REFUSED, "the lease of device '%s' has the number %llu, at which it cannot grow", device,
                      (unsigned long long)fence);
        sy_error_hint(err, "somebody wrote it by hand: remove '%s/%s'", lease->path, lease->name);
        return SY_REFUSED;
    }
    int64_t now = options->clock->utc_s(options->clock);
    lease->record = (sy_lease_record){
        .device = device,
        .fence = fence,
        .process = getpid(),
        .user = (unsigned)geteuid(),
        .host = lease->host,
        .boot = lease->boot,
        .run = run,
        .project = lease->project,
        .since_utc_s = now < 0 ? 0 : now,
        .until_utc_s = now + options->hold_s < 0 ? 0 : now + options->hold_s,
    };
    return sy_lease_record_write(lease->fd, &lease->record, err);
}

static sy_status open_folder(sy_lease *lease, const char *given, sy_error *err)
{
    const char *path = given != NULL && given[0] != '\0' ? given : sy_lease_folder();
    if (!sy_text_copy(lease->path, sizeof(lease->path), path))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the folder of device leases has a name above %zu bytes",
                       sizeof(lease->path) - 1);
    sy_status status = sy_shared_folder_open(path, true, &lease->folder, err);
    if (status != SY_OK)
        sy_error_prefix(err, "leases of devices");
    return status;
}

sy_status sy_lease_take(const sy_lease_options *options, sy_lease **ret_lease, sy_error *err)
{
    sy_lease *lease = sy_allocate(1, sizeof(*lease));
    if (lease == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a lease");
    lease->folder = -1;
    lease->fd = -1;
    lease->clock = options->clock;
    lease->arena = sy_arena_create(0);
    sy_status status = lease->arena == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a lease")
                                            : sy_lease_file_name(options->device, lease->name, err);
    if (status == SY_OK)
        status = open_folder(lease, options->folder, err);
    if (status == SY_OK)
        status = lock_file(lease, options, err);
    if (status != SY_OK)
        goto out;
    sy_lease_boot(lease->boot);
    if (gethostname(lease->host, sizeof(lease->host) - 1) != 0)
        lease->host[0] = '\0';
    if (options->project != NULL && options->project[0] != '\0') {
        sy_digest digest;
        sy_digest_of(options->project, strlen(options->project), &digest);
        sy_digest_format(&digest, lease->project);
    }
    status = write_holder(lease, options, err);
out:
    if (status == SY_OK)
        *ret_lease = lease;
    else
        sy_lease_release(lease);
    return status;
}

sy_run_lease sy_lease_event(const sy_lease *lease)
{
    return (sy_run_lease){
        .device = lease->record.device,
        .fence = lease->record.fence,
        .host = lease->record.host,
        .boot = lease->record.boot,
        .process = lease->record.process,
        .until_utc_s = lease->record.until_utc_s,
    };
}

bool sy_lease_is_held(const sy_lease *lease)
{
    struct stat folder;
    struct stat now;
    sy_lease_record record;
    sy_arena *arena = sy_arena_create(0);
    bool held = arena != NULL && sy_system_fstat(lease->folder, &folder) == 0 &&
                sy_system_lstat(lease->path, &now) == 0 && folder.st_ino == now.st_ino && folder.st_dev == now.st_dev &&
                sy_shared_file_stands(lease->folder, lease->name, lease->fd) &&
                sy_lease_record_read(lease->fd, arena, &record) && record.fence == lease->record.fence &&
                record.process == lease->record.process;
    sy_arena_destroy(arena);
    return held;
}

sy_status sy_lease_extend(sy_lease *lease, int64_t until_utc_s, sy_error *err)
{
    if (!sy_lease_is_held(lease))
        return sy_fail(err, SY_REFUSED, "the lease of device '%s' was lost", lease->record.device);
    if (until_utc_s <= lease->record.until_utc_s)
        return SY_OK;
    lease->record.until_utc_s = until_utc_s;
    return sy_lease_record_write(lease->fd, &lease->record, err);
}

void sy_lease_release(sy_lease *lease)
{
    if (lease == NULL)
        return;
    if (lease->fd >= 0 && lease->record.fence != 0) {
        /* The number stays; what others wrote meanwhile stays, too. That it was given back is told for people only. */
        if (sy_lease_is_held(lease)) {
            lease->record.process = 0;
            sy_status ignored = sy_lease_record_write(lease->fd, &lease->record, NULL);
            (void)ignored;
        }
        /* Unlocked by name, not only by closing: a forked child may hold a copy of the descriptor. */
        (void)flock(lease->fd, LOCK_UN);
    }
    if (lease->fd >= 0)
        (void)sy_system_close(lease->fd);
    if (lease->folder >= 0)
        (void)sy_system_close(lease->folder);
    sy_arena_destroy(lease->arena);
    sy_free(lease);
}
