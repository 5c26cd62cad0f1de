/* SPDX-License-Identifier: Apache-2.0 */
/* The locks of one write, in one order. */
#include "store/guard.h"

#include <fcntl.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"

/* A file that cannot be opened is refused by the write itself, with the reason. */
static sy_status lock_mounted(const char *path, uint64_t timeout_ns, int *ret_fd, sy_error *err)
{
    int fd = sy_file_is_mount_point(path) ? sy_system_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0) : -1;
    if (fd < 0) {
        return SY_OK;
    }
    sy_status status = sy_lock_descriptor(fd, timeout_ns, NULL, NULL, err);
    if (status != SY_OK) {
        sy_error_prefix(err, "'%s'", path);
        (void)sy_system_close(fd);
        return status;
    }
    *ret_fd = fd;
    return SY_OK;
}

sy_status sy_store_guard_take(const char *path, uint64_t timeout_ns, sy_store_guard *ret_guard, sy_error *err)
{
    sy_store_guard guard = SY_STORE_GUARD_INIT;
    sy_text lock_path = SY_TEXT_INIT;
    sy_text_append_format(&lock_path, "%s.lock", path);
    sy_status status = lock_path.failed
                           ? sy_fail(err, SY_NO_MEMORY, "no memory to lock '%s'", path)
                           : sy_lock_take_for(path, sy_text_bytes(&lock_path), timeout_ns, &guard.lock, err);
    sy_text_finish(&lock_path);
    if (status == SY_OK) {
        status = lock_mounted(path, timeout_ns, &guard.mounted, err);
    }
    if (status != SY_OK) {
        sy_store_guard_release(&guard);
        return status;
    }
    *ret_guard = guard;
    return SY_OK;
}

void sy_store_guard_release(sy_store_guard *guard)
{
    if (guard->mounted >= 0) {
        (void)sy_system_close(guard->mounted);
    }
    sy_lock_release(guard->lock);
    *guard = (sy_store_guard)SY_STORE_GUARD_INIT;
}
