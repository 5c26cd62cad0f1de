/* SPDX-License-Identifier: Apache-2.0 */
/* Where the leases of this host are, and what a device's file is called. */
#include "evidence/lease/lease_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"

#define FOLDER_MODE (S_ISVTX | 0777)
#define MOST_LETTERS 100 /* of a device in a file's name; a longer one goes by its digest */
#define MOST_DEVICE 1024 /* bytes of a device's name */

static bool is_open_to_all(const struct stat *st)
{
    return S_ISDIR(st->st_mode) && (st->st_mode & FOLDER_MODE) == FOLDER_MODE;
}

/* Where all programs of this host look. The system's folder for locks goes with a reboot, as leases should; where it is
 * closed to users (and no administrator made ours in it) it would be another one for root than for them. */
const char *sy_lease_folder(void)
{
    struct stat st;
    if (sy_system_lstat("/run/lock/steelyard", &st) == 0)
        return "/run/lock/steelyard";
    if (sy_system_lstat("/run/lock", &st) == 0 && is_open_to_all(&st) && access("/run/lock", W_OK) == 0)
        return "/run/lock/steelyard";
    return "/tmp/steelyard-leases";
}

sy_status sy_lease_file_name(const char *device, char *ret_name, sy_error *err)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = device == NULL ? 0 : strlen(device);
    size_t used = 0;
    if (length == 0 || length > MOST_DEVICE)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a device's name has 1 to %d bytes, not %zu", MOST_DEVICE, length);
    for (size_t i = 0; i < length && used + 3 <= MOST_LETTERS; i++) {
        if (strchr(plain, device[i]) != NULL)
            ret_name[used++] = device[i];
        else
            used += (size_t)snprintf(ret_name + used, 4, "%%%02X", (unsigned)(unsigned char)device[i]);
    }
    if (used + 3 > MOST_LETTERS) {
        sy_digest digest;
        sy_digest_of(device, length, &digest);
        sy_digest_format(&digest, ret_name);
        used = strlen(ret_name);
    }
    (void)snprintf(ret_name + used, SY_LEASE_NAME_SIZE - used, ".lease");
    return SY_OK;
}

void sy_lease_boot(char ret_boot[40])
{
    char *text = NULL;
    size_t size = 0;
    ret_boot[0] = '\0';
    if (sy_file_read_stream("/proc/sys/kernel/random/boot_id", 4096, &text, &size, NULL) != SY_OK)
        return;
    text[strspn(text, "0123456789abcdef-")] = '\0';
    (void)sy_text_copy(ret_boot, 40, text);
    sy_free(text);
}
