/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of device names: the order in which they are tried, tables that are refused, and the devices of this build. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "assignment_tables.h"
#include "fault_loop.h"

static size_t find(const sy_assignment_table *table, const char *name)
{
    size_t device = SIZE_MAX;
    sy_error error = SY_ERROR_INIT;
    if (sy_assignment_device_find(table, name, &device, &error))
        fail_msg("'%s': %s", name, error.what);
    return device;
}

static sy_assignment_table table_of(const sy_assignment_device *devices, size_t count)
{
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    table.devices = devices;
    table.device_count = count;
    return table;
}

static void names_are_words_then_backends_then_devices_then_beginnings(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t device;
    } rows[] = {
        {"auto", CUDA_0},    {"AUTO", CUDA_0},
        {"default", CUDA_0}, {"gpu", CUDA_0},
        {"cpu", CPU},        {"CPU", CPU},
        {"cuda", CUDA_0},    {"Cuda", CUDA_0},
        {"ggml", GGML_CPU},  {"cuda1", CUDA_1},
        {"CUDA1", CUDA_1},   {"ggml:cpu", GGML_CPU},
        {"tpu", TPU},        {"Vulkan0", GGML_VULKAN},
        {"v", GGML_VULKAN},  {"ggml:v", GGML_VULKAN},
        {" t ", TPU},        {"ggml:Vulkan0", GGML_VULKAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (find(&machine, rows[i].name) != rows[i].device)
            fail_msg("'%s' is %zu", rows[i].name, find(&machine, rows[i].name));
}

static void a_device_called_like_the_beginning_of_another_is_itself(void **state)
{
    (void)state;
    const sy_assignment_device devices[] = {{"gpu10", NULL, SY_DEVICE_GPU, NULL}, {"gpu1", NULL, SY_DEVICE_GPU, NULL}};
    const sy_assignment_table table = table_of(devices, 2);
    assert_int_equal(find(&table, "gpu1"), 1);
    assert_int_equal(find(&table, "gpu10"), 0);
}

static void where_case_tells_two_apart_it_counts(void **state)
{
    (void)state;
    const sy_assignment_device devices[] = {{"cpu", "cpu", SY_DEVICE_CPU, NULL}, {"CPU", "CPU", SY_DEVICE_CPU, NULL}};
    const sy_assignment_table table = table_of(devices, 2);
    assert_int_equal(find(&table, "cpu"), 0);
    assert_int_equal(find(&table, "CPU"), 1);
}

static void auto_takes_a_gpu_then_an_integrated_one_then_a_cpu_then_any(void **state)
{
    (void)state;
    const sy_assignment_device devices[] = {
        {"fpga", NULL, SY_DEVICE_ACCELERATOR, NULL},
        {"host", NULL, SY_DEVICE_CPU, NULL},
        {"shared", NULL, SY_DEVICE_INTEGRATED_GPU, NULL},
        {"gone", NULL, SY_DEVICE_GPU, "fell off the bus"},
        {"own", NULL, SY_DEVICE_GPU, NULL},
    };
    for (size_t count = 5; count >= 1; count--) {
        static const size_t expected[] = {0, 0, 1, 2, 2, 4};
        const sy_assignment_table table = table_of(devices, count);
        size_t device = 0;
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(find(&table, "auto"), expected[count]);
        assert_int_equal(find(&table, "default"), expected[count]);
        if (count >= 3) {
            assert_int_equal(find(&table, "gpu"), expected[count]);
            continue;
        }
        assert_int_equal(sy_assignment_device_find(&table, "gpu", &device, &error), SY_NOT_FOUND);
        assert_string_equal(error.what, "'gpu': there is no such device here");
        assert_non_null(strstr(error.hint, "there are fpga"));
    }
}

static void an_absent_device_is_never_chosen_and_its_name_says_why(void **state)
{
    (void)state;
    const sy_assignment_device devices[] = {{"one0", "one", SY_DEVICE_GPU, "in use elsewhere"},
                                            {"one1", "one", SY_DEVICE_GPU, NULL},
                                            {"two", "two", SY_DEVICE_GPU, "no driver"}};
    const sy_assignment_table table = table_of(devices, 3);
    size_t device = 9;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(find(&table, "one"), 1);
    assert_int_equal(find(&table, "on"), 1); /* a beginning of those that are there */
    assert_int_equal(sy_assignment_device_find(&table, "one0", &device, &error), SY_UNAVAILABLE);
    assert_string_equal(error.what, "one0 is not there: in use elsewhere");
    assert_int_equal(sy_assignment_device_find(&table, "tw", &device, &error), SY_UNAVAILABLE);
    assert_string_equal(error.what, "two is not there: no driver");
    assert_int_equal(device, 9);
}

static void names_that_none_or_several_have_are_refused(void **state)
{
    (void)state;
    size_t device = 9;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_assignment_device_find(&machine, "", &device, &error), SY_NOT_FOUND);
    assert_int_equal(sy_assignment_device_find(&machine, NULL, &device, &error), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_assignment_device_find(&machine, "c", &device, &error), SY_INVALID_ARGUMENT);
    assert_string_equal(error.what, "'c' could be cpu, cuda0, cuda1, ggml:CPU");
    assert_int_equal(sy_assignment_device_find(&machine, "cuda2", &device, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.hint, "did you mean 'cuda0'?"));
    assert_int_equal(error.position.line, 0);
    assert_int_equal(device, 9);
}

/* ---- tables ---- */

static void expect_bad(const sy_assignment_table *table, const char *what)
{
    sy_error error = SY_ERROR_INIT;
    sy_assignment *assignment = NULL;
    sy_memory_budgets *budgets = NULL;
    assert_int_equal(sy_assignment_table_check(table, &error), SY_INVALID_ARGUMENT);
    assert_string_equal(error.what, what);
    assert_int_equal(sy_assignment_parse(table, "", &assignment, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_memory_budgets_parse(table, "", &budgets, NULL), SY_INVALID_ARGUMENT);
}

static void modules_that_cannot_be_told_apart_are_refused(void **state)
{
    (void)state;
    static const char *const taken[] = {"v-a-e", NULL};
    static const char *const star[] = {"x", "*", NULL};
    static const struct {
        sy_assignment_module modules[2];
        const char *what;
    } rows[] = {
        {{{"vae", NULL}, {"first", taken}}, "modules 'vae' and 'first' share the name 'v-a-e'"},
        {{{"vae", NULL}, {"V_AE", NULL}}, "modules 'vae' and 'V_AE' share the name 'V_AE'"},
        {{{"vae", NULL}, {"Default", NULL}}, "module 1 must not be called 'Default', which means all of them"},
        {{{"vae", star}, {"te", NULL}}, "module 0 must not be called '*', which means all of them"},
        {{{"vae", NULL}, {"", NULL}}, "'' of module 1 cannot be typed as a name"},
        {{{"a=b", NULL}, {"te", NULL}}, "'a=b' of module 0 cannot be typed as a name"},
        {{{"--", NULL}, {"te", NULL}}, "'--' of module 0 cannot be typed as a name"},
        {{{"te ", NULL}, {"vae", NULL}}, "'te ' of module 0 cannot be typed as a name"},
        {{{"te", NULL}, {NULL, NULL}}, "module 1 has no name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
        table.modules = rows[i].modules;
        table.module_count = 2;
        expect_bad(&table, rows[i].what);
    }
}

static void devices_that_no_text_could_mean_are_refused(void **state)
{
    (void)state;
    static const struct {
        sy_assignment_device devices[2];
        const char *what;
    } rows[] = {
        {{{"gpu", NULL, SY_DEVICE_CPU, NULL}, {"x", NULL, SY_DEVICE_GPU, NULL}},
         "no text could mean device 0: 'gpu' means something else"},
        {{{"a", NULL, SY_DEVICE_CPU, NULL}, {"a", NULL, SY_DEVICE_CPU, NULL}},
         "no text could mean device 0: 'a' means something else"},
        {{{"a", "b", SY_DEVICE_CPU, NULL}, {"b", "c", SY_DEVICE_CPU, NULL}},
         "no text could mean device 1: 'b' means something else"},
        {{{"a&b", NULL, SY_DEVICE_CPU, NULL}, {"b", NULL, SY_DEVICE_CPU, NULL}},
         "'a&b' of device 0 cannot be typed as a name"},
        {{{"a", NULL, SY_DEVICE_CPU, NULL}, {"b\x1b[2J", NULL, SY_DEVICE_CPU, NULL}},
         "'b\\x1b[2J' of device 1 cannot be typed as a name"},
        {{{"a", NULL, SY_DEVICE_CPU, NULL}, {NULL, NULL, SY_DEVICE_CPU, NULL}}, "device 1 has no name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sy_assignment_table table = table_of(rows[i].devices, 2);
        expect_bad(&table, rows[i].what);
    }
}

static void a_default_device_that_is_not_there_is_refused(void **state)
{
    (void)state;
    sy_assignment_table table = machine;
    table.default_device = DEVICES;
    expect_bad(&table, "the default device, number 7, is not there");
    table.default_device = ABSENT;
    expect_bad(&table, "the default device, number 6, is not there");
}

/* ---- of this build ---- */

static void the_devices_of_this_build_can_be_named(void **state)
{
    (void)state;
    sy_assignment_devices *devices = NULL;
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    assert_int_equal(sy_assignment_devices_of(NULL, 0, &devices, NULL), SY_OK);
    table.devices = devices->devices;
    table.device_count = devices->count;
    assert_int_equal(sy_assignment_table_check(&table, NULL), SY_OK);
    const sy_assignment_device *cpu = &devices->devices[find(&table, "cpu")];
    assert_string_equal(cpu->name, "cpu");
    assert_int_equal(cpu->kind, SY_DEVICE_CPU);
    for (size_t i = 0; i < devices->count; i++)
        assert_true(!devices->devices[i].absent || devices->devices[i].absent[0] != '\0');
    sy_assignment_devices_destroy(devices);
    sy_assignment_devices_destroy(NULL);
}

static void a_backend_without_devices_is_absent_with_its_reason(void **state)
{
    (void)state;
    const sy_device_info cards[] = {{.name = "card0", .kind = SY_DEVICE_GPU}, {.name = "card1"}};
    const sy_backend_info list[] = {
        {.name = "card", .available = true, .reason = "", .devices = cards, .device_count = 2},
        {.name = "away", .available = false, .reason = "libaway.so.1 not found"},
        {.name = "bare", .available = true, .reason = ""},
    };
    sy_assignment_devices *devices = NULL;
    assert_int_equal(sy_assignment_devices_of(list, 3, &devices, NULL), SY_OK);
    assert_int_equal(devices->count, 4);
    assert_string_equal(devices->devices[0].name, "card0");
    assert_string_equal(devices->devices[1].backend, "card");
    assert_int_equal(devices->devices[0].kind, SY_DEVICE_GPU);
    assert_null(devices->devices[1].absent);
    assert_string_equal(devices->devices[2].name, "away");
    assert_string_equal(devices->devices[2].absent, "libaway.so.1 not found");
    assert_string_equal(devices->devices[3].absent, "it has no devices");
    sy_assignment_devices_destroy(devices);
}

/* What a driver calls its devices is not ours to choose: one odd name must not make all others unusable. */
static void a_device_that_no_text_can_mean_is_there_and_never_chosen(void **state)
{
    (void)state;
    const sy_device_info cards[] = {{.name = "card", .kind = SY_DEVICE_CPU},
                                    {.name = "a,b", .kind = SY_DEVICE_GPU},
                                    {.name = "card", .kind = SY_DEVICE_GPU}};
    const sy_backend_info list = {.name = "card", .available = true, .reason = "", .devices = cards, .device_count = 3};
    sy_assignment_devices *devices = NULL;
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    assert_int_equal(sy_assignment_devices_of(&list, 1, &devices, NULL), SY_OK);
    table.devices = devices->devices;
    table.device_count = devices->count;
    assert_int_equal(devices->count, 3);
    assert_string_equal(devices->devices[1].absent, "its name cannot be written in an assignment");
    assert_string_equal(devices->devices[2].absent, "another device has the same name");
    assert_int_equal(sy_assignment_table_check(&table, NULL), SY_OK);
    assert_int_equal(find(&table, "auto"), 0);
    assert_int_equal(find(&table, "card"), 0);
    sy_assignment_devices_destroy(devices);
}

static sy_status scenario(void *user)
{
    (void)user;
    const sy_device_info card = {.name = "card0"};
    const sy_backend_info list = {.name = "card", .available = true, .reason = "", .devices = &card, .device_count = 1};
    sy_assignment_devices *devices = NULL;
    sy_status status = sy_assignment_devices_of(&list, 1, &devices, NULL);
    sy_assignment_devices_destroy(devices);
    return status;
}

static void every_failed_allocation_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, true) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_words_then_backends_then_devices_then_beginnings),
        cmocka_unit_test(a_device_called_like_the_beginning_of_another_is_itself),
        cmocka_unit_test(where_case_tells_two_apart_it_counts),
        cmocka_unit_test(auto_takes_a_gpu_then_an_integrated_one_then_a_cpu_then_any),
        cmocka_unit_test(an_absent_device_is_never_chosen_and_its_name_says_why),
        cmocka_unit_test(names_that_none_or_several_have_are_refused),
        cmocka_unit_test(modules_that_cannot_be_told_apart_are_refused),
        cmocka_unit_test(devices_that_no_text_could_mean_are_refused),
        cmocka_unit_test(a_default_device_that_is_not_there_is_refused),
        cmocka_unit_test(the_devices_of_this_build_can_be_named),
        cmocka_unit_test(a_backend_without_devices_is_absent_with_its_reason),
        cmocka_unit_test(a_device_that_no_text_can_mean_is_there_and_never_chosen),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
