/* SPDX-License-Identifier: Apache-2.0 */
/* A private folder and its files. */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

struct sy_scratch {
    char *path;
    int folder;
};

sy_status sy_scratch_create(const char *parent, sy_scratch **ret_scratch, sy_error *err)
{
    sy_status status = SY_OK;
    sy_scratch *scratch = sy_allocate(1, sizeof(*scratch));
    sy_text path = SY_TEXT_INIT;
    sy_text_append_format(&path, "%s/steelyard-XXXXXX", parent ? parent : "/tmp");
    if (!scratch || path.failed) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a scratch folder");
    } else if (!mkdtemp(path.bytes)) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot make a scratch folder in '%s'", parent ? parent : "/tmp");
    } else {
        scratch->path = sy_text_take(&path);
        scratch->folder = open(scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (scratch->folder < 0) {
            status = sy_fail_errno(err, SY_IO, errno, "cannot open the scratch folder '%s'", scratch->path);
            (void)rmdir(scratch->path);
            sy_free(scratch->path);
        }
    }
    sy_text_finish(&path);
    if (status)
        sy_free(scratch);
    else
        *ret_scratch = scratch;
    return status;
}

void sy_scratch_destroy(sy_scratch *scratch)
{
    if (!scratch)
        return;
    DIR *folder = fdopendir(scratch->folder);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL)
        (void)unlinkat(dirfd(folder), entry->d_name, 0); /* . and .. refuse */
    if (folder)
        closedir(folder);
    else
        close(scratch->folder);
    (void)rmdir(scratch->path);
    sy_free(scratch->path);
    sy_free(scratch);
}

const char *sy_scratch_path(const sy_scratch *scratch)
{
    return scratch->path;
}

sy_status sy_scratch_open(const sy_scratch *scratch, const char *name, int *ret_descriptor, sy_error *err)
{
    int descriptor = openat(scratch->folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot make '%s/%s'", scratch->path, name);
    *ret_descriptor = descriptor;
    return SY_OK;
}

sy_status sy_scratch_rename(const sy_scratch *scratch, const char *from, const char *to, sy_error *err)
{
    if (renameat(scratch->folder, from, scratch->folder, to) != 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot rename '%s/%s'", scratch->path, from);
    return SY_OK;
}

sy_status sy_scratch_copy(const sy_scratch *scratch, int from, const char *to, sy_error *err)
{
    char bytes[65536];
    off_t at = 0;
    ssize_t got = 0;
    int descriptor = -1;
    sy_status status = sy_scratch_open(scratch, to, &descriptor, err);
    while (!status && (got = pread(from, bytes, sizeof(bytes), at)) != 0) {
        if (got < 0 && errno != EINTR)
            status = sy_fail_errno(err, SY_IO, errno, "cannot read what is copied to '%s/%s'", scratch->path, to);
        else if (got > 0 && (status = sy_file_write_descriptor(descriptor, bytes, (size_t)got, err)) != SY_OK)
            sy_error_prefix(err, "'%s/%s'", scratch->path, to);
        at += got > 0 ? got : 0;
    }
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

sy_status sy_scratch_read(const sy_scratch *scratch, const char *name, int *ret_descriptor, sy_error *err)
{
    int descriptor = openat(scratch->folder, name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return sy_fail_errno(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, errno, "cannot read '%s/%s'", scratch->path,
                             name);
    *ret_descriptor = descriptor;
    return SY_OK;
}

uint64_t sy_scratch_free_bytes(const sy_scratch *scratch)
{
    struct statvfs info;
    return fstatvfs(scratch->folder, &info) == 0 ? (uint64_t)info.f_bavail * info.f_frsize : 0;
}
