/* SPDX-License-Identifier: Apache-2.0 */
/* What a replaced file keeps besides its bytes, and that what cannot be kept is named and opens nothing to others. */
#include "cmocka_headers.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "file_versions.h"
#include "temporary_folder.h"

#define SOMEBODY 12345
#define GROUP 54321
#define NOBODY_IN_PARTICULAR 0xffffffffu
#define ACCESS_LIST "system.posix_acl_access"
#define DEFAULT_LIST "system.posix_acl_default"

/* An access list as the kernel takes it: user::, user:SOMEBODY:, group::, mask::, other::. */
typedef struct list {
    unsigned char bytes[44];
} list;

enum { OWNER_AT = 6, SOMEBODY_AT = 14, GROUP_AT = 22, MASK_AT = 30, OTHERS_AT = 38 };

static list make_list(unsigned owner, unsigned somebody, unsigned group, unsigned mask, unsigned others)
{
    static const unsigned char tags[] = {1, 2, 4, 16, 32};
    const unsigned permissions[] = {owner, somebody, group, mask, others};
    list made = {{2}};
    for (size_t i = 0; i < 5; i++) {
        unsigned char *entry = made.bytes + 4 + 8 * i;
        entry[0] = tags[i];
        entry[2] = (unsigned char)permissions[i];
        uint32_t id = i == 1 ? SOMEBODY : NOBODY_IN_PARTICULAR;
        for (size_t k = 0; k < 4; k++) {
            entry[4 + k] = (unsigned char)(id >> (8 * k));
        }
    }
    return made;
}

static void set_list_or_skip(const char *path, const char *name, const list *given)
{
    if (setxattr(path, name, given->bytes, sizeof given->bytes, 0) != 0) {
        print_message("skipped: this file system keeps no access lists (%s)\n", strerrorname_np(errno));
        skip();
    }
}

static void need_root(void)
{
    if (geteuid() != 0) {
        print_message("skipped: only root can set up files of somebody else\n");
        skip();
    }
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static char logged[256];

static void keep_log(void *user, sy_log_level level, const char *text)
{
    (void)user;
    if (level == SY_LOG_WARNING) {
        snprintf(logged, sizeof logged, "%s", text);
    }
}

/* SOMEBODY writes the new bytes to path; what was not kept must be this, and be said. */
static void write_as_somebody(const char *folder, const char *path, unsigned not_kept)
{
    assert_int_equal(chmod(folder, 0777), 0);
    pid_t child = fork();
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setgid(SOMEBODY) != 0 || setuid(SOMEBODY) != 0) {
            _exit(9);
        }
        sy_log_set_sink(keep_log, NULL);
        sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
        sy_status status = write_text(path, new_bytes, &options, NULL);
        char words[SY_FILE_LOSSES_SIZE];
        sy_file_describe_losses(not_kept, words);
        bool said = not_kept == 0 ? logged[0] == '\0' : strstr(logged, "not kept: ") && sy_text_ends(logged, words);
        _exit(status != SY_OK ? 1 : options.not_kept != not_kept ? 2 : said ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_content(path, new_bytes);
}

static void a_list_gives_another_group_no_more_than_everybody_has(void **state)
{
    char path[512];
    need_root();
    snprintf(path, sizeof path, "%s/listed", (const char *)*state);
    write_plainly(path, old_bytes);
    assert_int_equal(chown(path, 0, GROUP), 0);
    list given = make_list(6, 6, 6, 6, 0);
    set_list_or_skip(path, ACCESS_LIST, &given);
    write_as_somebody(*state, path, SY_FILE_LOSS_OWNER | SY_FILE_LOSS_GROUP);
    list found;
    assert_int_equal(getxattr(path, ACCESS_LIST, found.bytes, sizeof found.bytes), sizeof found.bytes);
    assert_int_equal(found.bytes[GROUP_AT], 0);
    assert_int_equal(found.bytes[SOMEBODY_AT], 6);
    assert_int_equal(found.bytes[MASK_AT], 6);
    assert_int_equal(found.bytes[OTHERS_AT], 0);
}

static void a_file_without_a_list_gets_none_from_its_folder(void **state)
{
    char path[512];
    char fresh[512];
    snprintf(path, sizeof path, "%s/plain", (const char *)*state);
    snprintf(fresh, sizeof fresh, "%s/fresh", (const char *)*state);
    write_plainly(path, old_bytes);
    assert_int_equal(chmod(path, 0640), 0);
    list given = make_list(7, 7, 7, 7, 0);
    set_list_or_skip(*state, DEFAULT_LIST, &given);
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_OK);
    assert_int_equal(options.not_kept, 0);
    list found;
    assert_int_equal(getxattr(path, ACCESS_LIST, found.bytes, sizeof found.bytes), -1);
    assert_int_equal(errno, ENODATA);
    assert_int_equal(mode_of(path), 0640);
    /* One that is new is as the folder says. */
    assert_int_equal(write_text(fresh, new_bytes, NULL, NULL), SY_OK);
    assert_int_equal(getxattr(fresh, ACCESS_LIST, found.bytes, sizeof found.bytes), sizeof found.bytes);
    assert_int_equal(found.bytes[SOMEBODY_AT] & found.bytes[MASK_AT], 6);
}

static void a_group_that_may_be_kept_is_kept(void **state)
{
    char path[512];
    need_root();
    snprintf(path, sizeof path, "%s/ours", (const char *)*state);
    write_plainly(path, old_bytes);
    assert_int_equal(chown(path, 0, SOMEBODY), 0);
    assert_int_equal(chmod(path, 0664), 0);
    write_as_somebody(*state, path, SY_FILE_LOSS_OWNER);
    assert_int_equal(mode_of(path), 0664);
    /* The second time nothing is lost, and nothing said. */
    write_as_somebody(*state, path, 0);
}

static void rights_to_run_as_the_owner_are_not_given_to_another_one(void **state)
{
    char path[512];
    need_root();
    snprintf(path, sizeof path, "%s/set", (const char *)*state);
    write_plainly(path, old_bytes);
    assert_int_equal(chmod(path, 06777), 0);
    write_as_somebody(*state, path, SY_FILE_LOSS_OWNER | SY_FILE_LOSS_GROUP);
    assert_int_equal(mode_of(path), 0777);
}

static void other_names_of_a_file_are_told(void **state)
{
    char path[512];
    char other[512];
    snprintf(path, sizeof path, "%s/one", (const char *)*state);
    snprintf(other, sizeof other, "%s/two", (const char *)*state);
    write_plainly(path, old_bytes);
    assert_int_equal(link(path, other), 0);
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_OK);
    assert_int_equal(options.not_kept, SY_FILE_LOSS_OTHER_NAMES);
    expect_content(path, new_bytes);
    expect_content(other, old_bytes);
}

static void a_security_label_is_kept(void **state)
{
    static const char label[] = "system_u:object_r:cache_t:s0";
    char path[512];
    char found[64] = "";
    snprintf(path, sizeof path, "%s/labelled", (const char *)*state);
    write_plainly(path, old_bytes);
    if (setxattr(path, "security.selinux", label, sizeof label, 0) != 0) {
        print_message("skipped: no label may be set here (%s)\n", strerrorname_np(errno));
        skip();
    }
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_OK);
    assert_int_equal(getxattr(path, "security.selinux", found, sizeof found), sizeof label);
    assert_string_equal(found, label);
    assert_int_equal(options.not_kept, 0);
}

static void folders_are_shared_where_their_parent_is(void **state)
{
    const char *folder = *state;
    char path[512];
    char made[512];
    need_root();
    snprintf(path, sizeof path, "%s/a/b/file", folder);
    snprintf(made, sizeof made, "%s/a/b", folder);
    assert_int_equal(chown(folder, 0, GROUP), 0);
    assert_int_equal(chmod(folder, 02775), 0);
    mode_t former = umask(002);
    sy_status status = write_text(path, new_bytes, NULL, NULL);
    umask(former);
    assert_int_equal(status, SY_OK);
    struct stat st;
    assert_int_equal(stat(made, &st), 0);
    assert_int_equal(st.st_mode & 07777, 02775);
    assert_int_equal(st.st_gid, GROUP);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0664);
    assert_int_equal(st.st_gid, GROUP);
}

static void a_folder_below_a_default_list_follows_it(void **state)
{
    char path[512];
    char made[512];
    snprintf(path, sizeof path, "%s/c/file", (const char *)*state);
    snprintf(made, sizeof made, "%s/c", (const char *)*state);
    list given = make_list(7, 7, 5, 7, 0);
    set_list_or_skip(*state, DEFAULT_LIST, &given);
    assert_int_equal(write_text(path, new_bytes, NULL, NULL), SY_OK);
    list found;
    assert_int_equal(getxattr(made, ACCESS_LIST, found.bytes, sizeof found.bytes), sizeof found.bytes);
    assert_int_equal(found.bytes[SOMEBODY_AT] & found.bytes[MASK_AT], 7);
}

static void losses_are_words(void **state)
{
    (void)state;
    char words[SY_FILE_LOSSES_SIZE];
    sy_file_describe_losses(SY_FILE_LOSS_OWNER, words);
    assert_string_equal(words, "owner");
    sy_file_describe_losses(63, words);
    assert_string_equal(words, "owner, group, mode, access list, security label, other hard links");
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_list_gives_another_group_no_more_than_everybody_has),
        IN_A_FOLDER(a_file_without_a_list_gets_none_from_its_folder),
        IN_A_FOLDER(a_group_that_may_be_kept_is_kept),
        IN_A_FOLDER(rights_to_run_as_the_owner_are_not_given_to_another_one),
        IN_A_FOLDER(other_names_of_a_file_are_told),
        IN_A_FOLDER(a_security_label_is_kept),
        IN_A_FOLDER(folders_are_shared_where_their_parent_is),
        IN_A_FOLDER(a_folder_below_a_default_list_follows_it),
        cmocka_unit_test(losses_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
