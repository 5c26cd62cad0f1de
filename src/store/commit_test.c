/* SPDX-License-Identifier: Apache-2.0 */
/* The store on disk: what one writer stores another finds, the file keeps its format, damage and a failing disk lose
 * nothing, layers lie below each other. */
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/memory.h"
#include "store_files.h"

static void what_is_stored_is_there_in_the_next_process(void **state)
{
    const char *path = in(state, "a/b/profiles");
    sy_store *store = open_memory(path);
    assert_int_equal(layer_of(store, 0).status, SY_NOT_FOUND);
    assert_int_equal(access(in(state, "a"), F_OK), -1); /* opening makes nothing */
    put_exact(store, "p", 4, "flash");
    install(store, portable_key("f16"), "mine", 0);
    assert_int_equal(layer_of(store, 0).format, 2);
    sy_store_close(store);
    struct stat made;
    assert_int_equal(stat(in(state, "a"), &made), 0);
    assert_int_equal(made.st_mode & 07777, 0700);
    store = open_memory(path);
    assert_int_equal(layer_of(store, 0).status, SY_OK);
    assert_int_equal(layer_of(store, 0).profile_count, 2);
    assert_string_equal(find(store, "p", 4).profile->policy, "flash");
    sy_store_close(store);
    assert_int_equal(count_entries(in(state, "a/b")), 2); /* the file and its lock */
}

static void two_open_stores_merge_their_puts(void **state)
{
    const char *path = in(state, "profiles");
    sy_store *a = open_memory(path);
    sy_store *b = open_memory(path);
    put_exact(a, "p", 1, "from a");
    put_exact(b, "p", 2, "from b");
    assert_string_equal(find(b, "p", 1).profile->policy, "from a");
    assert_int_equal(count_profiles(a), 1);
    assert_int_equal(sy_store_reload(a, NULL), SY_OK);
    assert_string_equal(find(a, "p", 2).profile->policy, "from b");
    /* A removal counts for what the other one stored meanwhile. */
    put_exact(b, "p", 3, "later");
    const sy_profile_key key = exact_key("p", 3);
    assert_int_equal(sy_store_remove(a, &key, SY_PROFILE_CALIBRATED, NULL), SY_OK);
    assert_int_equal(sy_store_remove(b, &key, SY_PROFILE_CALIBRATED, NULL), SY_NOT_FOUND);
    assert_int_equal(count_profiles(b), 2);
    sy_store_close(a);
    sy_store_close(b);
}

static void merging_again_and_again_keeps_little_memory(void **state)
{
    const char *path = in(state, "profiles");
    sy_store *a = open_memory(path);
    sy_store *b = open_memory(path);
    for (uint32_t i = 1; i <= 20; i++) {
        put_exact(a, "a", i, "x");
        put_exact(b, "b", i, "x");
    }
    int64_t alive = sy_fault_live_allocations();
    for (uint32_t i = 1; i <= 200; i++) {
        put_exact(a, "a", 1 + i % 20, i % 2 == 0 ? "even" : "odd");
        put_exact(b, "b", 1 + i % 20, i % 2 == 0 ? "even" : "odd");
    }
    assert_true(sy_fault_live_allocations() < alive + 50);
    sy_store_close(a);
    sy_store_close(b);
}

static void a_reload_keeps_what_was_borrowed_and_shares_what_is_unchanged(void **state)
{
    const char *path = in(state, "profiles");
    sy_store *a = open_memory(path);
    sy_store *b = open_memory(path);
    put_exact(a, "p", 1, "one");
    assert_int_equal(sy_store_reload(b, NULL), SY_OK);
    const sy_profile *borrowed = find(b, "p", 1).profile;
    put_exact(a, "p", 2, "two");
    assert_int_equal(sy_store_reload(b, NULL), SY_OK);
    assert_ptr_equal(find(b, "p", 1).profile, borrowed);
    put_exact(a, "p", 1, "changed");
    assert_int_equal(sy_store_reload(b, NULL), SY_OK);
    assert_string_equal(borrowed->policy, "one");
    assert_string_equal(find(b, "p", 1).profile->policy, "changed");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(sy_store_reload(b, NULL), SY_OK);
    assert_int_equal(count_profiles(b), 0);
    sy_store_close(a);
    sy_store_close(b);
}

static void a_file_keeps_its_format_and_names_what_it_cannot_hold(void **state)
{
    const char *path = in(state, "profiles");
    write_file(path, "onnx_light_calibration_profiles 1\n# a word before\n");
    sy_store *store = open_memory(path);
    policy_text policy = {"flash", 5, 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    static const sy_measurement measurement = {"t", 2.4, "us"};
    sy_put_result result;
    sy_error err;
    draft.key = exact_key("p", 4);
    draft.measurements = &measurement;
    draft.measurement_count = 1;
    draft.evidence_run = "run";
    draft.evidence_digest = SOME_DIGEST;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, &result, NULL), SY_OK);
    assert_int_equal(result.format, 1);
    assert_string_equal(result.not_kept, "evidence");
    assert_true(find(store, "p", 4).evidence_missing); /* memory says what the file says */
    sy_override_draft override = {exact_key("p", 4), "because", 0};
    assert_int_equal(sy_store_install_override(store, &override, serialize_text, NULL, &policy, &result, NULL), SY_OK);
    assert_string_equal(result.not_kept, "reason");
    expect_file(path, "onnx_light_calibration_profiles 1\n"
                      "profile exact calibrated\nbackend \"be\"\noperator \"op\"\nimplementation \"1\"\n"
                      "model_digest \"model\"\nprocessor \"p\"\nthread_count 4\n"
                      "measurement \"t\" 2.3999999999999999 \"us\"\npolicy \"flash\"\nend\n"
                      "profile exact override\nbackend \"be\"\noperator \"op\"\nimplementation \"1\"\n"
                      "model_digest \"model\"\nprocessor \"p\"\nthread_count 4\npolicy \"flash\"\nend\n"
                      "# a word before\n");
    assert_int_equal(try_put(store, exact_key("p", 5), "x", test_now + 1, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "expiry"));
    assert_int_equal(try_put(store, exact_key("p", 5), "a\nb", 0, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "control bytes: the policy"));
    const sy_profile_trial undecided = {SY_DECISION_INCONCLUSIVE, "capped", 60, 60, 30, 1, 1};
    draft.trial = &undecided;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, &result, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "undecided"));
    assert_int_equal(count_profiles(store), 2);
    sy_store_close(store);
}

static void converting_goes_both_ways_and_tells_what_is_lost(void **state)
{
    const char *path = in(state, "profiles");
    sy_store *store = open_memory(path);
    sy_put_result result;
    sy_error err;
    assert_int_equal(sy_store_convert(store, 1, &result, &err), SY_NOT_FOUND);
    install(store, portable_key("f16"), "x", 0);
    assert_int_equal(sy_store_convert(store, 1, &result, NULL), SY_OK);
    assert_string_equal(result.not_kept, "reason, created, tool");
    expect_file(path, "onnx_light_calibration_profiles 1\nprofile portable override\nbackend \"be\"\noperator \"op\"\n"
                      "implementation \"1\"\nstructure \"dtype\" \"f16\"\npolicy \"x\"\nend\n");
    assert_int_equal(sy_store_convert(store, 2, &result, NULL), SY_OK);
    assert_string_equal(result.not_kept, "");
    put(store, exact_key("p", 1), "y", test_now + 5);
    assert_int_equal(sy_store_convert(store, 1, &result, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "profile 1 ('be' 'op')"));
    assert_int_equal(layer_of(store, 0).format, 2);
    assert_int_equal(sy_store_convert(store, 3, &result, &err), SY_INVALID_ARGUMENT);
    sy_store_close(store);
}

static void a_damaged_file_is_never_written_and_memory_stays(void **state)
{
    const char *path = in(state, "profiles");
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "good");
    static const char damaged[] = "steelyard_profiles 2\nprofile exact calibrated\nnonsense\nend\n";
    write_file(path, damaged);
    sy_error err;
    assert_int_equal(sy_store_reload(store, &err), SY_CORRUPT);
    assert_int_equal(err.position.line, 3);
    assert_non_null(strstr(err.what, "line 3: invalid or unknown field: 'nonsense'"));
    assert_string_equal(find(store, "p", 1).profile->policy, "good");
    assert_int_equal(layer_of(store, 0).status, SY_CORRUPT);
    assert_int_equal(try_put(store, exact_key("p", 2), "new", 0, &err), SY_CORRUPT);
    expect_file(path, damaged);
    assert_string_equal(find(store, "p", 2).profile->policy, "new"); /* kept for this process */
    assert_int_equal(layer_of(store, 0).unsaved_count, 1);
    sy_store *fresh = open_memory(path);
    assert_int_equal(layer_of(fresh, 0).status, SY_CORRUPT);
    assert_int_equal(count_profiles(fresh), 0);
    sy_store_close(fresh);
    /* Mended, the next put takes along what waited. */
    assert_int_equal(unlink(path), 0);
    put_exact(store, "p", 3, "later");
    assert_int_equal(layer_of(store, 0).unsaved_count, 0);
    fresh = open_memory(path);
    assert_int_equal(count_profiles(fresh), 2);
    assert_string_equal(find(fresh, "p", 2).profile->policy, "new");
    sy_store_close(fresh);
    sy_store_close(store);
}

static void a_future_file_is_left_alone(void **state)
{
    const char *path = in(state, "profiles");
    static const char future[] = "steelyard_profiles 3\nanything\n";
    sy_error err;
    write_file(path, future);
    sy_store *store = open_memory(path);
    assert_int_equal(layer_of(store, 0).status, SY_VERSION_UNSUPPORTED);
    assert_int_equal(try_put(store, exact_key("p", 2), "new", 0, &err), SY_VERSION_UNSUPPORTED);
    expect_file(path, future);
    sy_repair_result result;
    assert_int_equal(sy_store_repair(path, NULL, &result, &err), SY_VERSION_UNSUPPORTED);
    expect_file(path, future);
    sy_store_close(store);
}

static int log_count;
static char last_log[1024];
static void count_log(void *user, sy_log_level level, const char *message)
{
    (void)user;
    if (level >= SY_LOG_WARNING) {
        log_count++;
        snprintf(last_log, sizeof last_log, "%s", message);
    }
}

static void a_failing_disk_keeps_decisions_in_memory_with_one_warning(void **state)
{
    static const int errors[] = {ENOSPC, EDQUOT, EROFS, EACCES, EIO};
    const char *path = in(state, "profiles");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        sy_error err;
        sy_store *store = open_memory(path);
        uint32_t before = (uint32_t)count_profiles(store);
        log_count = 0;
        sy_log_set_sink(count_log, NULL);
        for (uint32_t n = 1; n <= 2; n++) {
            sy_fault_reset();
            sy_fault_fail_system_call(1, errors[i], false);
            assert_int_equal(try_put(store, exact_key("failing", 10 * (uint32_t)i + n), "kept", 0, &err), SY_IO);
            sy_fault_reset();
        }
        assert_int_equal(log_count, 1);
        assert_non_null(strstr(last_log, "for this process only"));
        sy_log_set_sink(NULL, NULL);
        assert_string_equal(find(store, "failing", 10 * (uint32_t)i + 2).profile->policy, "kept");
        assert_int_equal(layer_of(store, 0).unsaved_count, 2);
        put_exact(store, "working", (uint32_t)i + 1, "again");
        assert_int_equal(layer_of(store, 0).unsaved_count, 0);
        sy_store_close(store);
        store = open_memory(path);
        assert_int_equal(count_profiles(store), before + 3);
        sy_store_close(store);
    }
}

static void a_locked_store_names_its_holder_and_keeps_the_decision(void **state)
{
    const char *path = in(state, "profiles");
    sy_store_options options = memory_options();
    sy_store *store;
    sy_lock *lock;
    sy_error err;
    options.persistence = true;
    options.path = path;
    options.lock_timeout_ns = 0;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    assert_int_equal(sy_lock_take(in(state, "profiles.lock"), 0, &lock, NULL), SY_OK);
    assert_int_equal(try_put(store, exact_key("p", 1), "kept", 0, &err), SY_BUSY);
    char holder[64];
    snprintf(holder, sizeof holder, "process %d", (int)getpid());
    assert_non_null(strstr(err.what, holder));
    assert_string_equal(find(store, "p", 1).profile->policy, "kept");
    sy_lock_release(lock);
    put_exact(store, "p", 2, "x");
    sy_store_close(store);
    store = open_memory(path);
    assert_int_equal(count_profiles(store), 2);
    sy_store_close(store);
}

static void layers_answer_below_the_writable_one(void **state)
{
    const char *site = in(state, "site");
    const char *vendor = in(state, "vendor");
    sy_store *store = open_memory(site);
    put_exact(store, "p", 1, "site");
    put_exact(store, "p", 2, "site");
    install(store, exact_key("p", 9), "site override", 0);
    sy_store_close(store);
    store = open_memory(vendor);
    put_exact(store, "p", 2, "vendor");
    put_exact(store, "p", 3, "vendor");
    sy_store_close(store);
    char environment_text[600];
    snprintf(environment_text, sizeof environment_text, "STEELYARD_PROFILE_PATH=:%s:%s:", vendor, site);
    const char *const environment[] = {environment_text, NULL};
    const char *const layers[] = {site};
    sy_store_options options = memory_options();
    options.persistence = true;
    options.path = in(state, "mine");
    options.layers = layers;
    options.layer_count = 1;
    options.environment = environment;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    assert_int_equal(sy_store_layer_count(store), 3);
    assert_string_equal(layer_of(store, 2).path, vendor);
    assert_string_equal(find(store, "p", 2).profile->policy, "site");
    assert_int_equal(find(store, "p", 2).layer, 1);
    assert_int_equal(find(store, "p", 3).layer, 2);
    put_exact(store, "p", 3, "mine");
    assert_string_equal(find(store, "p", 3).profile->policy, "mine");
    sy_error err;
    const sy_profile_key key = exact_key("p", 9);
    assert_int_equal(sy_store_clear_override(store, &key, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, site));
    sy_verdict_list *others;
    sy_lookup lookup = SY_LOOKUP_INIT;
    lookup.key = exact_key("p", 3);
    assert_int_equal(sy_store_others(store, &lookup, NULL, NULL, &others, NULL), SY_OK);
    assert_int_equal(others->count, 6);
    sy_verdict_list_destroy(others);
    sy_store_close(store);
    char *bytes = read_file(vendor);
    assert_null(strstr(bytes, "mine"));
    sy_free(bytes);
}

static void what_is_no_file_is_said_and_harms_nothing(void **state)
{
    sy_error err;
    assert_int_equal(mkdir(in(state, "folder"), 0700), 0);
    assert_int_equal(mkfifo(in(state, "pipe"), 0600), 0);
    const char *const paths[] = {in(state, "folder"), in(state, "pipe")};
    for (size_t i = 0; i < 2; i++) {
        sy_store *store = open_memory(paths[i]);
        assert_int_equal(layer_of(store, 0).status, SY_IO);
        assert_int_equal(try_put(store, exact_key("p", 1), "kept", 0, &err), SY_IO);
        assert_string_equal(find(store, "p", 1).profile->policy, "kept");
        sy_store_close(store);
    }
}

static void an_empty_file_is_a_store_without_profiles(void **state)
{
    const char *path = in(state, "profiles");
    write_file(path, "");
    sy_store *store = open_memory(path);
    assert_int_equal(layer_of(store, 0).status, SY_NOT_FOUND);
    assert_string_equal(layer_of(store, 0).message, "the file is empty");
    put_exact(store, "p", 1, "x");
    assert_int_equal(layer_of(store, 0).format, 2);
    sy_store_close(store);
    store = open_memory(path);
    assert_int_equal(count_profiles(store), 1);
    write_file(path, "\n"); /* but anything in it that is no store is not overwritten */
    assert_int_equal(sy_store_reload(store, NULL), SY_CORRUPT);
    assert_int_equal(try_put(store, exact_key("p", 2), "x", 0, NULL), SY_CORRUPT);
    expect_file(path, "\n");
    sy_store_close(store);
}

static void a_link_is_followed_and_stays_a_link(void **state)
{
    const char *link = in(state, "link");
    assert_int_equal(symlink("real", link), 0); /* dangling at first */
    sy_store *store = open_memory(link);
    put_exact(store, "p", 1, "one");
    sy_store_close(store);
    struct stat found;
    assert_int_equal(lstat(link, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    store = open_memory(in(state, "real"));
    assert_string_equal(find(store, "p", 1).profile->policy, "one");
    sy_store_close(store);
    assert_int_equal(access(in(state, "real.lock"), F_OK), 0);
    assert_int_equal(access(in(state, "link.lock"), F_OK), -1);
}

static void a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(void **state)
{
    const char *path = in(state, "profiles");
    struct stat found;
    mode_t former = umask(002);
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "x");
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0664);
    assert_int_equal(stat(in(state, "profiles.lock"), &found), 0);
    assert_int_equal(found.st_mode & 07777, 0664);
    assert_int_equal(chmod(path, 0640), 0);
    umask(077);
    put_exact(store, "p", 2, "x");
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0640);
    sy_store_close(store);
    umask(former);
}

static void without_persistence_nothing_touches_the_disk(void **state)
{
    (void)state;
    char environment_text[600];
    snprintf(environment_text, sizeof environment_text, "STEELYARD_PROFILE_PATH=%s", in(state, "site"));
    const char *const environment[] = {environment_text, NULL};
    const char *const layers[] = {environment_text};
    sy_store_options options = memory_options();
    sy_store *store;
    options.path = in(state, "profiles");
    options.layers = layers;
    options.layer_count = 1;
    options.environment = environment;
    sy_fault_reset();
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    put_exact(store, "p", 1, "x");
    install(store, portable_key("f16"), "y", test_now + 9);
    assert_int_equal(sy_store_reload(store, NULL), SY_OK);
    assert_int_equal(count_profiles(store), 2);
    assert_int_equal(sy_store_layer_count(store), 1);
    sy_store_close(store);
    assert_int_equal(sy_fault_system_calls(), 0);
    assert_int_equal(count_entries(*state), 0);
}

static void lookups_make_no_system_call_and_no_allocation(void **state)
{
    sy_store *store = open_memory(in(state, "profiles"));
    put_exact(store, "p", 1, "x");
    put(store, portable_key("f16"), "y", test_now + 9);
    sy_lookup lookup = both_keys("q", 1, "f16");
    sy_profile_view view;
    sy_fault_reset();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sy_store_lookup(store, &lookup, reject_x, NULL, &view, NULL), SY_OK);
        assert_int_equal(find(store, "p", 1).layer, 0);
    }
    assert_int_equal(sy_fault_allocations(), 0);
    assert_int_equal(sy_fault_system_calls(), 0);
    sy_store_close(store);
}

int main(void)
{
    prefer_memory_folder();
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_is_stored_is_there_in_the_next_process),
        IN_FOLDER(two_open_stores_merge_their_puts),
        IN_FOLDER(merging_again_and_again_keeps_little_memory),
        IN_FOLDER(a_reload_keeps_what_was_borrowed_and_shares_what_is_unchanged),
        IN_FOLDER(a_file_keeps_its_format_and_names_what_it_cannot_hold),
        IN_FOLDER(converting_goes_both_ways_and_tells_what_is_lost),
        IN_FOLDER(a_damaged_file_is_never_written_and_memory_stays),
        IN_FOLDER(a_future_file_is_left_alone),
        IN_FOLDER(a_failing_disk_keeps_decisions_in_memory_with_one_warning),
        IN_FOLDER(a_locked_store_names_its_holder_and_keeps_the_decision),
        IN_FOLDER(layers_answer_below_the_writable_one),
        IN_FOLDER(what_is_no_file_is_said_and_harms_nothing),
        IN_FOLDER(an_empty_file_is_a_store_without_profiles),
        IN_FOLDER(a_link_is_followed_and_stays_a_link),
        IN_FOLDER(a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode),
        IN_FOLDER(without_persistence_nothing_touches_the_disk),
        IN_FOLDER(lookups_make_no_system_call_and_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
