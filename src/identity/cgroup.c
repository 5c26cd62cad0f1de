/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups, version 1, 2 and both at once: finds the group that this process is in, where its hierarchy is
 * mounted, and reads every level of the path, since a limit on any ancestor binds. */
#include "identity/cgroup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "identity/tree.h"

/* Where one controller's limits of this process stand. */
typedef struct hierarchy {
    bool exists;  /* the kernel says that this process is in a group of it */
    bool mounted; /* and its files can be seen */
    int version;
    sy_text group; /* path of the group as the kernel says it: "/a/b" */
    sy_text point; /* where the hierarchy is mounted */
    sy_text above; /* the part of the group's path that lies above the mount: "" or "/docker/x" */
    sy_text below; /* the rest, below the mount: "" or "/a/b" */
} hierarchy;

static void finish_hierarchy(hierarchy *h)
{
    sy_text_finish(&h->group);
    sy_text_finish(&h->point);
    sy_text_finish(&h->above);
    sy_text_finish(&h->below);
}

static bool memory_was_short(const hierarchy *h)
{
    return h->group.failed || h->point.failed || h->above.failed || h->below.failed;
}

/* True when the comma list of `length` bytes holds the word. */
static bool list_holds(const char *list, size_t length, const char *word)
{
    const size_t word_length = strlen(word);
    for (size_t start = 0; start <= length;) {
        size_t end = start;
        while (end < length && list[end] != ',')
            end++;
        if (end - start == word_length && memcmp(list + start, word, word_length) == 0)
            return true;
        start = end + 1;
    }
    return false;
}

/* Lines of /proc/self/cgroup: "4:cpu,cpuacct:/a/b" (version 1) and "0::/a/b" (version 2). A controller is bound to one
 * of the two; a version 1 line that names it wins. */
static void find_group(const char *text, const char *controller, hierarchy *h)
{
    const char *group = "";
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *controllers = memchr(line, ':', strcspn(line, "\n"));
        if (controllers == NULL)
            continue;
        controllers++;
        const char *path = memchr(controllers, ':', strcspn(controllers, "\n"));
        if (path == NULL)
            continue;
        const size_t list_length = (size_t)(path - controllers);
        path++;
        const bool unified = list_length == 0 && sy_text_begins(line, "0:");
        if (!unified && !list_holds(controllers, list_length, controller))
            continue;
        h->exists = true;
        h->version = unified ? 2 : 1;
        group = path;
        if (!unified)
            break;
    }
    sy_text_append_bytes(&h->group, group, strcspn(group, "\n"));
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* Appends a field of mountinfo, where blanks and backslashes are written as a backslash and three octal digits. */
static void append_unescaped(sy_text *to, const char *field, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char byte = field[i];
        if (byte == '\\' && length - i > 3 && is_octal(field[i + 1]) && is_octal(field[i + 2]) &&
            is_octal(field[i + 3])) {
            byte = (char)((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + (field[i + 3] - '0'));
            i += 3;
        }
        sy_text_append_bytes(to, &byte, 1);
    }
}

/* "/.." and what lies below it: outside of what this process's namespace shows. */
static bool is_outside(const char *path)
{
    return sy_text_begins(path, "/..") && (path[3] == '/' || path[3] == '\0');
}

/* Splits the group's path at a mount whose root is mount_root. False when the group does not lie in that mount. */
static bool split_at_mount(hierarchy *h, const char *mount_root)
{
    const char *group = sy_text_bytes(&h->group);
    size_t length = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);
    if (is_outside(mount_root) || is_outside(group))
        return false;
    if (strncmp(group, mount_root, length) != 0 || (group[length] != '/' && group[length] != '\0'))
        return false;
    sy_text_append_bytes(&h->above, group, length);
    if (strcmp(group + length, "/") != 0)
        sy_text_append(&h->below, group + length);
    return true;
}

#define MOUNT_FIELDS 16

/* One line of /proc/self/mountinfo: id parent device root point options [tags] - type source superoptions. True when it
 * is a mount of the hierarchy in which the group lies. */
static bool mount_fits(const char *line, size_t length, const char *controller, hierarchy *h)
{
    const char *fields[MOUNT_FIELDS];
    size_t lengths[MOUNT_FIELDS];
    size_t count = 0;
    size_t dash = 0;
    for (size_t start = 0; start < length && count < MOUNT_FIELDS;) {
        size_t end = start;
        while (end < length && line[end] != ' ')
            end++;
        fields[count] = line + start;
        lengths[count] = end - start;
        if (dash == 0 && count >= 6 && lengths[count] == 1 && line[start] == '-')
            dash = count;
        count++;
        start = end + 1;
    }
    if (dash == 0 || dash + 3 >= count)
        return false;
    const char *type = h->version == 2 ? "cgroup2" : "cgroup";
    if (lengths[dash + 1] != strlen(type) || memcmp(fields[dash + 1], type, strlen(type)) != 0)
        return false;
    if (h->version == 1 && !list_holds(fields[dash + 3], lengths[dash + 3], controller))
        return false;
    sy_text mount_root = SY_TEXT_INIT;
    append_unescaped(&mount_root, fields[3], lengths[3]);
    const bool fits = !mount_root.failed && split_at_mount(h, sy_text_bytes(&mount_root));
    if (mount_root.failed)
        h->point.failed = true;
    sy_text_finish(&mount_root);
    if (fits)
        append_unescaped(&h->point, fields[4], lengths[4]);
    return fits;
}

/* Without mountinfo the customary places are tried. */
static void find_customary_mount(const char *root, const char *controller, hierarchy *h)
{
    const char *const unified[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
    const char *const cpu[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu"};
    const char *const cpuset[] = {"/sys/fs/cgroup/cpuset"};
    const char *const *places = unified;
    size_t count = 2;
    if (h->version == 1) {
        bool is_cpu = strcmp(controller, "cpu") == 0;
        places = is_cpu ? cpu : cpuset;
        count = is_cpu ? 3 : 1;
    }
    for (size_t i = 0; i < count && !h->mounted; i++) {
        if (!sy_tree_folder_exists(root, "%s", places[i]) || !split_at_mount(h, "/"))
            continue;
        sy_text_append(&h->point, places[i]);
        h->mounted = true;
    }
}

/* A path of which not even the first folder is there belongs to another view of the hierarchy: what its limits are
 * cannot be seen. */
static bool first_folder_exists(const char *root, const hierarchy *h)
{
    const char *below = sy_text_bytes(&h->below);
    const size_t first = below[0] == '/' ? 1 + strcspn(below + 1, "/") : 0;
    return sy_tree_folder_exists(root, "%s%.*s", sy_text_bytes(&h->point), (int)first, below);
}

static sy_status find_hierarchy(const char *root, const char *controller, hierarchy *h, sy_error *err)
{
    char *groups = NULL;
    char *mounts = NULL;
    sy_status status = sy_tree_read(root, &groups, err, "/proc/self/cgroup");
    if (status == SY_OK)
        status = sy_tree_read(root, &mounts, err, "/proc/self/mountinfo");
    if (status != SY_OK)
        goto out;
    if (groups != NULL)
        find_group(groups, controller, h);
    if (h->exists && mounts != NULL) {
        const char *line = mounts;
        while (*line != '\0' && !h->mounted) {
            const size_t length = strcspn(line, "\n");
            h->mounted = mount_fits(line, length, controller, h);
            line += length;
            line += *line == '\n';
        }
    } else if (h->exists) {
        find_customary_mount(root, controller, h);
    }
    if (memory_was_short(h))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the control group's path");
    else if (h->mounted)
        h->mounted = first_folder_exists(root, h);
out:
    sy_free(groups);
    sy_free(mounts);
    return status;
}

/* ---- quota ---- */

typedef enum quota_reading { QUOTA_ABSENT, QUOTA_NONE, QUOTA_GIVEN, QUOTA_MALFORMED } quota_reading;

static quota_reading divide(const char *quota, const char *period, double *ret_cpus)
{
    double quota_us = 0;
    double period_us = 0;
    if (strcmp(quota, "max") == 0 || strcmp(quota, "-1") == 0)
        return QUOTA_NONE;
    if (sy_parse_double(quota, &quota_us, NULL) != SY_OK || sy_parse_double(period, &period_us, NULL) != SY_OK ||
        !(quota_us > 0) || !(period_us > 0))
        return QUOTA_MALFORMED;
    *ret_cpus = quota_us / period_us;
    return QUOTA_GIVEN;
}

static sy_status read_level(const char *root, const hierarchy *h, int below_length, quota_reading *ret_reading,
                            double *ret_cpus, sy_error *err)
{
    char *quota = NULL;
    char *period = NULL;
    const char *point = sy_text_bytes(&h->point);
    const char *below = sy_text_bytes(&h->below);
    sy_status status;
    if (h->version == 2) {
        status = sy_tree_read_line(root, &quota, err, "%s%.*s/cpu.max", point, below_length, below);
    } else {
        status = sy_tree_read_line(root, &quota, err, "%s%.*s/cpu.cfs_quota_us", point, below_length, below);
        if (status == SY_OK)
            status = sy_tree_read_line(root, &period, err, "%s%.*s/cpu.cfs_period_us", point, below_length, below);
    }
    if (status == SY_OK && quota == NULL) {
        *ret_reading = QUOTA_ABSENT;
    } else if (status == SY_OK && h->version == 2) {
        /* The period may be left out: 100000 is the kernel's default. */
        char *blank = strchr(quota, ' ');
        if (blank != NULL)
            *blank = '\0';
        *ret_reading = divide(quota, blank != NULL ? blank + 1 : "100000", ret_cpus);
    } else if (status == SY_OK) {
        *ret_reading = divide(quota, period != NULL ? period : "", ret_cpus);
    }
    sy_free(quota);
    sy_free(period);
    return status;
}

static void keep_smallest(const hierarchy *h, int below_length, double cpus, sy_cpu_quota *quota)
{
    if (quota->limited && quota->cpus <= cpus)
        return;
    const char *above = sy_text_bytes(&h->above);
    quota->limited = true;
    quota->cpus = cpus;
    (void)snprintf(quota->source, sizeof quota->source, "cgroup v%d, %s%.*s%s", h->version, above, below_length,
                   sy_text_bytes(&h->below), below_length == 0 && above[0] == '\0' ? "/" : "");
    (void)snprintf(quota->folder, sizeof quota->folder, "%s%.*s", sy_text_bytes(&h->point), below_length,
                   sy_text_bytes(&h->below));
}

static void set_unknown(sy_cpu_quota *quota, const char *why)
{
    *quota = (sy_cpu_quota){.known = false};
    (void)sy_text_copy(quota->source, sizeof quota->source, why);
}

/* Reads the levels "", "/a", "/a/b" ... of the path below the mount. */
static sy_status walk_quota(const char *root, const hierarchy *h, sy_cpu_quota *quota, sy_error *err)
{
    const char *below = sy_text_bytes(&h->below);
    for (size_t length = 0;; length += 1 + strcspn(below + length + 1, "/")) {
        quota_reading reading = QUOTA_ABSENT;
        double cpus = 0;
        sy_status status = read_level(root, h, (int)length, &reading, &cpus, err);
        if (status != SY_OK)
            return status;
        if (reading == QUOTA_MALFORMED) {
            set_unknown(quota, "a quota file that makes no sense");
            return SY_OK;
        }
        if (reading == QUOTA_GIVEN)
            keep_smallest(h, (int)length, cpus, quota);
        if (below[length] == '\0')
            return SY_OK;
    }
}

/* The root group of the machine's first cgroup namespace: nothing above it, and it has no limits itself. In any other
 * namespace "/" is a group like all others. The namespace's number is fixed in the kernel: PROC_CGROUP_INIT_INO. */
static bool is_machine_root(const char *root, const hierarchy *h)
{
    static const char first[] = "cgroup:[4026531835]";
    char path[4096];
    char link[64];
    int length = snprintf(path, sizeof(path), "%s/proc/self/ns/cgroup", root);
    ssize_t got = length > 0 && (size_t)length < sizeof(path) ? readlink(path, link, sizeof(link)) : -1;
    return strcmp(sy_text_bytes(&h->group), "/") == 0 && got == (ssize_t)sizeof(first) - 1 &&
           memcmp(link, first, sizeof(first) - 1) == 0;
}

sy_status sy_cgroup_cpu_quota(const char *root, sy_cpu_quota *ret_quota, sy_error *err)
{
    hierarchy h = {.group = SY_TEXT_INIT};
    sy_cpu_quota quota = {.known = true};
    sy_status status = find_hierarchy(root, "cpu", &h, err);
    if (status != SY_OK)
        goto out;
    if (!sy_tree_folder_exists(root, "/proc/self"))
        set_unknown(&quota, "no /proc/self");
    else if (h.exists && !h.mounted && !is_machine_root(root, &h))
        set_unknown(&quota, "the control group's files cannot be seen");
    else if (h.exists && h.mounted)
        status = walk_quota(root, &h, &quota, err);
    if (status == SY_OK)
        *ret_quota = quota;
out:
    finish_hierarchy(&h);
    return status;
}

/* ---- cpuset ---- */

sy_status sy_cgroup_cpus(const char *root, hwloc_bitmap_t set, bool *ret_known, sy_error *err)
{
    hierarchy h = {.group = SY_TEXT_INIT};
    bool known = false;
    sy_status status = find_hierarchy(root, "cpuset", &h, err);
    if (status != SY_OK || !h.mounted)
        goto out;
    const char *point = sy_text_bytes(&h.point);
    const char *below = sy_text_bytes(&h.below);
    const char *file = h.version == 2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus";
    size_t length = strlen(below);
    /* A group without a cpuset of its own has its nearest ancestor's. */
    for (;;) {
        status = sy_tree_read_cpus(root, set, &known, err, "%s%.*s/%s", point, (int)length, below, file);
        if (status != SY_OK || known || length == 0)
            break;
        while (length > 0 && below[--length] != '/')
            ;
    }
out:
    if (status == SY_OK)
        *ret_known = known;
    finish_hierarchy(&h);
    return status;
}
