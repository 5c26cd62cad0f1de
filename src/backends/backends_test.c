/* SPDX-License-Identifier: Apache-2.0 */
/* Opening by name, and the list of backends over a table of our own: a missing driver, a device that cannot be opened,
 * a missing library. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fault_loop.h"

/* ---- a backend whose parts can be missing ---- */

static const sy_implementation implementations[] = {
    {"there", SY_ROLE_REFERENCE, SY_CLASS_EXACT, "it is there", "", false, false},
    {"gone", SY_ROLE_CANDIDATE, SY_CLASS_TOLERANCE, "it is not", "apt-get install libgone1", false, false},
    {"own", SY_ROLE_CANDIDATE, SY_CLASS_TOLERANCE, "built in, and not for this machine", "", false, false},
};
static const sy_suite suite = {
    .struct_size = sizeof suite, .operation = "sum", .implementations = implementations, .implementation_count = 3};

static sy_status count_two(uint32_t *ret_count, sy_error *err)
{
    (void)err;
    *ret_count = 2;
    return SY_OK;
}

static sy_status count_without_driver(uint32_t *ret_count, sy_error *err)
{
    (void)ret_count;
    (void)sy_fail(err, SY_UNAVAILABLE, "libdriver.so.1 not found");
    sy_error_hint(err, "apt-get install libdriver1");
    return SY_UNAVAILABLE;
}

static void close_plain(sy_device *device)
{
    sy_free(device);
}

static void describe_plain(sy_device *device, sy_device_info *ret_info)
{
    (void)device;
    sy_text_copy(ret_info->description, sizeof ret_info->description, "a test's device");
}

static sy_status open_plain(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    (void)index;
    (void)options;
    *ret_device = sy_allocate(1, sizeof **ret_device);
    return *ret_device ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for a device");
}

static sy_status open_broken(uint32_t index, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    return index == 0 ? open_plain(index, options, ret_device, err) : sy_fail(err, SY_IO, "device 1 does not answer");
}

static const sy_suite *one_suite(sy_device *device, uint32_t index)
{
    (void)device;
    return index == 0 ? &suite : NULL;
}

static void look_for(const sy_suite *of, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                     char *path, size_t path_size)
{
    static const char *const reasons[] = {"", "libgone.so.1 not found", "needs AVX-512"};
    (void)of;
    *ret_available = variant == 0;
    sy_text_copy(reason, reason_size, reasons[variant]);
    sy_text_copy(path, path_size, variant == 0 ? "/usr/lib/libthere.so.1" : "");
}

#define BACKEND(of, summarised, counting, opening)                                                                \
    {                                                                                                             \
        .struct_size = sizeof(sy_backend), .name = of, .summary = summarised, .count = counting, .open = opening, \
        .close = close_plain, .describe = describe_plain, .suite_at = one_suite, .look = look_for                 \
    }

static const sy_backend whole = BACKEND("whole", "all there", count_two, open_plain);
static const sy_backend driverless = BACKEND("driverless", "no driver", count_without_driver, open_plain);
static const sy_backend broken = BACKEND("broken", "one of two", count_two, open_broken);
static const sy_backend *const table[] = {&whole, &driverless, &broken};

/* ---- the list ---- */

static void devices_and_implementations_are_listed_with_their_states(void **state)
{
    (void)state;
    sy_backend_info *list = NULL;
    assert_int_equal(sy_backends_list_of(table, 3, &list, NULL), SY_OK);
    assert_string_equal(list[0].name, "whole");
    assert_string_equal(list[0].summary, "all there");
    assert_true(list[0].available);
    assert_string_equal(list[0].reason, "");
    assert_int_equal(list[0].device_count, 2);
    assert_string_equal(list[0].devices[1].name, "whole1");
    assert_string_equal(list[0].devices[1].backend, "whole");
    assert_string_equal(list[0].devices[1].description, "a test's device");
    assert_int_equal(list[0].implementation_count, 3);
    const sy_backend_implementation *all = list[0].implementations;
    assert_string_equal(all[0].operation, "sum");
    assert_string_equal(all[0].name, "there");
    assert_int_equal(all[0].role, SY_ROLE_REFERENCE);
    assert_true(all[0].available);
    assert_string_equal(all[0].reason, "");
    assert_string_equal(all[0].path, "/usr/lib/libthere.so.1");
    assert_false(all[1].available);
    assert_string_equal(all[1].reason, "libgone.so.1 not found; to get it: apt-get install libgone1");
    assert_string_equal(all[1].path, "");
    assert_string_equal(all[2].reason, "needs AVX-512");
    sy_backends_free(list);
}

static void a_missing_driver_and_a_dead_device_are_states_with_their_reason(void **state)
{
    (void)state;
    sy_backend_info *list = NULL;
    assert_int_equal(sy_backends_list_of(table, 3, &list, NULL), SY_OK);
    assert_false(list[1].available);
    assert_string_equal(list[1].reason, "libdriver.so.1 not found; apt-get install libdriver1");
    assert_int_equal(list[1].device_count, 0);
    assert_int_equal(list[1].implementation_count, 3); /* what it would bring is listed all the same */
    assert_false(list[2].available);
    assert_string_equal(list[2].reason, "device 1 does not answer");
    assert_int_equal(list[2].device_count, 0);
    sy_backends_free(list);
}

static sy_status list_and_free(void *user)
{
    sy_backend_info *list = NULL;
    (void)user;
    sy_status status = sy_backends_list_of(table, 3, &list, NULL);
    /* Short memory is an error of the call, never a state of a backend. */
    if (!status)
        assert_true(list[0].available && strstr(list[2].reason, "does not answer"));
    sy_backends_free(list);
    return status;
}

static void short_memory_fails_the_list_and_leaves_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(list_and_free, NULL, true) >= 6);
    assert_true(fault_loop_allocations(list_and_free, NULL, false) >= 6);
    sy_backends_free(NULL);
}

static void the_list_of_this_build_has_every_entry_of_the_table(void **state)
{
    (void)state;
    sy_backend_info *list = NULL;
    size_t listed = 0, count;
    const sy_backend *const *entries = sy_backend_table(&count);
    assert_int_equal(sy_backends_list(&list, &listed, NULL), SY_OK);
    assert_int_equal(listed, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(list[i].name, entries[i]->name);
    sy_backends_free(list);
}

/* ---- opening by name ---- */

static void an_unknown_backend_is_refused_and_the_hint_lists_all(void **state)
{
    (void)state;
    static const char *const names[] = {"cpv",
                                        "cpu-",
                                        "0",
                                        "12",
                                        "cpu1x",
                                        "CPU",
                                        "cpu 0",
                                        "fake_",
                                        "a-name-that-is-much-longer-than-any-backend-has-ever-had-or-will-have-0",
                                        ":",
                                        ":CPU",
                                        "gpu:CPU",
                                        "a-name-that-is-much-longer-than-any-backend-has-ever-had-or-will-have:0"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sy_device *device = NULL;
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(sy_device_open(names[i], NULL, &device, &error), SY_NOT_FOUND);
        assert_null(device);
        assert_non_null(strstr(error.what, names[i]));
        assert_non_null(strstr(error.hint, "cpu"));
        assert_non_null(strstr(error.hint, "fake"));
    }
}

static void a_backend_without_names_of_its_own_refuses_one(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu:", "cpu:0", "fake:cpu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sy_device *device = NULL;
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(sy_device_open(names[i], NULL, &device, &error), SY_NOT_FOUND);
        assert_null(device);
        assert_non_null(strstr(error.what, "its devices have numbers only"));
        assert_non_null(strstr(error.hint, "is its first device"));
    }
}

static void no_name_is_an_invalid_argument(void **state)
{
    (void)state;
    sy_device *device = NULL;
    assert_int_equal(sy_device_open(NULL, NULL, &device, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_device_open("", NULL, &device, NULL), SY_INVALID_ARGUMENT);
    assert_null(device);
}

static void a_device_keeps_its_options_and_copies_them(void **state)
{
    (void)state;
    char name[] = "whole7", script[] = "a.json", only[] = "there";
    const sy_device_options options = {.script = script, .only = only};
    sy_device *device = NULL;
    assert_int_equal(sy_device_open_on(&whole, 0, name, &options, &device, NULL), SY_OK);
    name[0] = script[0] = only[0] = '?';
    assert_string_equal(device->name, "whole7");
    assert_string_equal(device->script, "a.json");
    assert_string_equal(device->only, "there");
    assert_ptr_equal(device->backend, &whole);
    sy_device_close(device);
}

static void no_options_are_the_default_ones(void **state)
{
    (void)state;
    const sy_device_options defaults = SY_DEVICE_OPTIONS_INIT;
    sy_device *devices[2] = {NULL, NULL};
    assert_int_equal(sy_device_open("cpu", NULL, &devices[0], NULL), SY_OK);
    assert_int_equal(sy_device_open("cpu", &defaults, &devices[1], NULL), SY_OK);
    assert_int_equal(devices[0]->threads, devices[1]->threads);
    assert_null(devices[0]->script);
    assert_null(devices[0]->only);
    sy_device_close(devices[0]);
    sy_device_close(devices[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_and_implementations_are_listed_with_their_states),
        cmocka_unit_test(a_missing_driver_and_a_dead_device_are_states_with_their_reason),
        cmocka_unit_test(short_memory_fails_the_list_and_leaves_nothing),
        cmocka_unit_test(the_list_of_this_build_has_every_entry_of_the_table),
        cmocka_unit_test(an_unknown_backend_is_refused_and_the_hint_lists_all),
        cmocka_unit_test(a_backend_without_names_of_its_own_refuses_one),
        cmocka_unit_test(no_name_is_an_invalid_argument),
        cmocka_unit_test(a_device_keeps_its_options_and_copies_them),
        cmocka_unit_test(no_options_are_the_default_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
