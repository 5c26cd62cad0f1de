/* SPDX-License-Identifier: Apache-2.0 */
/* What an existing file is besides its bytes - owner, group, mode, access list, security label - is given to the one
 * that takes its place, as far as this user may. What cannot be given never widens who may read or write it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file/file_inside.h"
#include "base/system.h"
#include "base/text.h"

/* The access list as the kernel hands it out (include/uapi/linux/posix_acl_xattr.h): a version, then entries of a tag,
 * permissions and an id, all little-endian. */
#define ACCESS_LIST "system.posix_acl_access"
#define DEFAULT_ACCESS_LIST "system.posix_acl_default"
#define SECURITY_LABEL "security.selinux"

enum {
    LIST_HEADER_SIZE = 4,
    LIST_ENTRY_SIZE = 8,
    LIST_VERSION = 2,
    TAG_OWNER = 0x01,
    TAG_GROUP = 0x04,
    TAG_OTHERS = 0x20,
    ATTRIBUTE_SIZE_MAX = 4096
};

static bool is_absent(ssize_t size)
{
    return size < 0 && (errno == ENODATA || errno == ENOTSUP);
}

/* The permissions of the entry of that tag; NULL: the list has none. */
static unsigned char *permissions_of(unsigned char *list, size_t size, unsigned char tag)
{
    for (size_t at = LIST_HEADER_SIZE; at + LIST_ENTRY_SIZE <= size; at += LIST_ENTRY_SIZE) {
        if (list[at] == tag && list[at + 1] == 0) {
            return &list[at + 2];
        }
    }
    return NULL;
}

/* The list that says no more than a mode: setting it removes what the folder's default list gave the new file. */
static size_t write_plain_list(unsigned char list[28], mode_t mode)
{
    static const unsigned char tags[] = {TAG_OWNER, TAG_GROUP, TAG_OTHERS};
    memset(list, 0, LIST_HEADER_SIZE);
    list[0] = LIST_VERSION;
    for (size_t i = 0; i < 3; i++) {
        unsigned char *entry = list + LIST_HEADER_SIZE + i * LIST_ENTRY_SIZE;
        memset(entry, 0, 4);
        memset(entry + 4, 0xff, 4);
        entry[0] = tags[i];
        entry[2] = (unsigned char)((mode >> (6 - 3 * i)) & 7);
    }
    return 28;
}

/* Gives the old file's list to the new one, or none when it had none. */
static bool keep_access_list(int old, int fresh, mode_t mode, bool group_kept)
{
    unsigned char list[ATTRIBUTE_SIZE_MAX];
    unsigned char found[ATTRIBUTE_SIZE_MAX];
    ssize_t got = sy_system_getxattr(old, ACCESS_LIST, list, sizeof list);
    if (got < 0 && !is_absent(got)) {
        return false;
    }
    if (got < 0) {
        bool inherited = errno == ENODATA && sy_system_getxattr(fresh, ACCESS_LIST, found, sizeof found) >= 0;
        return !inherited || sy_system_setxattr(fresh, ACCESS_LIST, list, write_plain_list(list, mode)) == 0;
    }
    if (!group_kept) {
        /* What the old group was given must not go to another one. */
        unsigned char *group = permissions_of(list, (size_t)got, TAG_GROUP);
        const unsigned char *others = permissions_of(list, (size_t)got, TAG_OTHERS);
        if (group == NULL || others == NULL) {
            return false;
        }
        *group &= *others;
    }
    return sy_system_setxattr(fresh, ACCESS_LIST, list, (size_t)got) == 0;
}

static bool keep_label(int old, int fresh)
{
    char label[ATTRIBUTE_SIZE_MAX];
    char found[ATTRIBUTE_SIZE_MAX];
    ssize_t size = sy_system_getxattr(old, SECURITY_LABEL, label, sizeof label);
    if (size < 0) {
        return is_absent(size);
    }
    ssize_t found_size = sy_system_getxattr(fresh, SECURITY_LABEL, found, sizeof found);
    return (found_size == size && memcmp(label, found, (size_t)size) == 0) ||
           sy_system_setxattr(fresh, SECURITY_LABEL, label, (size_t)size) == 0;
}

unsigned sy_file_keep_attributes(const sy_file_job *job)
{
    struct stat fresh;
    if (!job->exists) {
        return 0;
    }
    const struct stat *old = &job->old;
    mode_t mode = old->st_mode & 07777;
    bool known = sy_system_fstat(job->fd, &fresh) == 0;
    bool group = known && (fresh.st_gid == old->st_gid || sy_system_fchown(job->fd, (uid_t)-1, old->st_gid) == 0);
    bool owner = known && (fresh.st_uid == old->st_uid || sy_system_fchown(job->fd, old->st_uid, (gid_t)-1) == 0);
    unsigned lost = (owner ? 0 : SY_FILE_LOSS_OWNER) | (group ? 0 : SY_FILE_LOSS_GROUP);
    if (!owner || !group) {
        mode &= (mode_t) ~(S_ISUID | S_ISGID);
    }
    if (!group) {
        mode &= (mode_t) ~(S_IRWXG & ~((mode & S_IRWXO) << 3));
    }
    lost |= sy_system_fchmod(job->fd, mode) == 0 ? 0 : SY_FILE_LOSS_MODE;
    int fd = sy_system_open(job->target, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0) {
        /* Not even readable: whether there is a list or a label is not known. */
        return lost | SY_FILE_LOSS_ACCESS_LIST;
    }
    lost |= keep_access_list(fd, job->fd, mode, group) ? 0 : SY_FILE_LOSS_ACCESS_LIST;
    lost |= keep_label(fd, job->fd) ? 0 : SY_FILE_LOSS_LABEL;
    (void)sy_system_close(fd);
    return lost | (old->st_nlink > 1 ? SY_FILE_LOSS_OTHER_NAMES : 0);
}

void sy_file_describe_losses(unsigned losses, char words[SY_FILE_LOSSES_SIZE])
{
    static const char *const names[] = {"owner", "group", "mode", "access list", "security label", "other hard links"};
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((losses & (1U << i)) != 0) {
            sy_text_append_format(&text, "%s%s", text.length > 0 ? ", " : "", names[i]);
        }
    }
    sy_text_copy(words, SY_FILE_LOSSES_SIZE, text.failed ? "some of its attributes" : sy_text_bytes(&text));
    sy_text_finish(&text);
}

mode_t sy_file_mode_of_new_folder(const char *parent)
{
    struct stat stat;
    char list[ATTRIBUTE_SIZE_MAX];
    if (sy_system_stat(parent, &stat) != 0) {
        return 0700;
    }
    if ((stat.st_mode & S_ISGID) != 0) {
        return 0777;
    }
    int fd = sy_system_open(parent, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) {
        return 0700;
    }
    bool has_default_list = sy_system_getxattr(fd, DEFAULT_ACCESS_LIST, list, sizeof list) >= 0;
    (void)sy_system_close(fd);
    return has_default_list ? 0777 : 0700;
}
