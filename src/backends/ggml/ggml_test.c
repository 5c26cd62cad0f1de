/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of ggml: found by name and number, described, their memory, and what ggml says. What every backend owes is
 * asked in tests/contract. */
#include "cmocka_headers.h"

#include <ggml-backend.h>
#include <ggml.h>
#include <stdio.h>
#include <string.h>

#include "backends/ggml/ggml_device.h"
#include "backends/host_condition.h"
#include "base/text.h"

static sy_device *open_device(const char *name, uint32_t threads)
{
    const sy_device_options options = {.threads = threads};
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_device_open(name, &options, &device, &err))
        fail_msg("%s: %s", name, err.what);
    return device;
}

static void the_processor_is_found_by_ggmls_name_in_any_case_of_letters(void **state)
{
    (void)state;
    static const char *const names[] = {"ggml:CPU", "ggml:cpu", "ggml:Cpu"};
    for (size_t i = 0; i < 3; i++) {
        sy_device *device = open_device(names[i], 1);
        sy_device_info info;
        assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
        assert_string_equal(info.name, "ggml:CPU");
        assert_string_equal(info.backend, "ggml");
        assert_int_equal(info.threads, 1);
        assert_int_equal(info.memory_bytes, sy_host_total_memory(""));
        assert_true(sy_ggml_device_of(device)->is_processor);
        assert_false(device->own_memory);
        sy_device_close(device);
    }
}

static void the_description_begins_with_the_version_that_runs(void **state)
{
    (void)state;
    char begin[96];
    sy_device *device = open_device("ggml:CPU", 1);
    sy_device_info info;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    (void)snprintf(begin, sizeof begin, "ggml %s (%s), CPU: ", ggml_version(), ggml_commit());
    assert_true(sy_text_begins(info.description, begin));
    assert_true(strlen(info.description) > strlen(begin));
    sy_device_close(device);
}

static void an_unknown_name_lists_the_devices(void **state)
{
    (void)state;
    static const char *const names[] = {"ggml:Vulkan9", "ggml:", "ggml:CPU0", "ggml:C", "ggml:CPU "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sy_device *device = NULL;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_device_open(names[i], NULL, &device, &err), SY_NOT_FOUND);
        assert_null(device);
        assert_non_null(strstr(err.what, names[i] + strlen("ggml:")));
        assert_non_null(strstr(err.hint, "CPU"));
    }
}

static void the_first_device_is_a_gpu_where_there_is_one_and_each_has_one_number(void **state)
{
    (void)state;
    const uint32_t count = sy_ggml_device_total();
    bool seen_processor = false;
    assert_int_equal(count, ggml_backend_dev_count());
    for (uint32_t i = 0; i < count; i++) {
        struct ggml_backend_device *dev = sy_ggml_device_at(i);
        const enum ggml_backend_dev_type type = ggml_backend_dev_type(dev);
        uint32_t found = UINT32_MAX;
        assert_int_equal(sy_ggml_find(ggml_backend_dev_name(dev), &found, NULL), SY_OK);
        assert_int_equal(found, i);
        seen_processor = seen_processor || type == GGML_BACKEND_DEVICE_TYPE_CPU;
        if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU)
            assert_false(seen_processor);
    }
    assert_true(seen_processor);
    assert_null(sy_ggml_device_at(count));
}

static void options_that_ggml_cannot_follow_are_refused(void **state)
{
    (void)state;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_device_options options = {.threads = GGML_MAX_N_THREADS + 1};
    assert_int_equal(sy_device_open("ggml", &options, &device, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "513 threads"));
    options = (sy_device_options){.script = "x"};
    assert_int_equal(sy_device_open("ggml", &options, &device, &err), SY_INVALID_ARGUMENT);
    assert_null(device);
}

static void nothing_is_initialised_before_memory_is_asked_for(void **state)
{
    (void)state;
    sy_device *device = open_device("ggml:CPU", 1);
    sy_ggml_device *self = sy_ggml_device_of(device);
    sy_device_info info;
    uint64_t bytes = 0;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    assert_int_equal(sy_device_free_memory(device, &bytes, NULL), SY_OK);
    assert_null(self->backend);
    sy_buffer *buffer = NULL;
    assert_int_equal(device->backend->allocate(device, 100, &buffer, NULL), SY_OK);
    assert_non_null(self->backend);
    assert_ptr_equal(sy_ggml_backend(device), self->backend);
    device->backend->release(buffer);
    sy_device_close(device);
    device = NULL;
    assert_int_equal(sy_device_open("cpu", NULL, &device, NULL), SY_OK);
    assert_null(sy_ggml_backend(device));
    assert_null(sy_ggml_device_of(device));
    sy_device_close(device);
}

static void free_memory_is_what_the_machine_has_not_all_of_it(void **state)
{
    (void)state;
    sy_device *device = open_device("ggml:CPU", 1);
    uint64_t bytes = 0;
    size_t said = 0, total = 0;
    assert_int_equal(sy_device_free_memory(device, &bytes, NULL), SY_OK);
    ggml_backend_dev_memory(sy_ggml_device_of(device)->dev, &said, &total);
    assert_true(bytes > 0 && bytes < total);
    sy_device_close(device);
}

static void versions_name_ggml_its_files_and_the_device(void **state)
{
    (void)state;
    sy_device *device = open_device("ggml:CPU", 1);
    sy_text text = SY_TEXT_INIT;
    device->backend->versions(device, &text);
    const char *said = sy_text_bytes(&text);
    assert_non_null(strstr(said, ggml_version()));
    assert_non_null(strstr(said, ggml_commit()));
    assert_non_null(strstr(said, "\ndevice=CPU: "));
    assert_non_null(strstr(said, "libggml-base"));
    assert_non_null(strstr(said, "libggml-cpu"));
    sy_text_finish(&text);
    sy_device_close(device);
}

/* A new ggml, another device and a new steelyard, which makes the graphs, each end what was decided. */
static void a_suites_versions_hold_steelyards_and_ggmls(void **state)
{
    (void)state;
    sy_device *device = open_device("ggml:CPU", 1);
    sy_text text = SY_TEXT_INIT;
    char own[64];
    const sy_suite *suite = NULL;
    assert_int_equal(sy_device_suite(device, "attention", &suite, NULL), SY_OK);
    assert_int_equal(sy_suite_versions(device, suite, &text, NULL), SY_OK);
    (void)snprintf(own, sizeof own, "flash=steelyard %s\n", sy_version());
    assert_non_null(strstr(sy_text_bytes(&text), own));
    assert_non_null(strstr(sy_text_bytes(&text), "\ndevice=CPU: "));
    assert_non_null(strstr(sy_text_bytes(&text), ggml_commit()));
    sy_text_finish(&text);
    sy_device_close(device);
}

/* ---- what ggml says ---- */

typedef struct heard {
    char last[256];
    int count;
} heard;

static void hear(void *user, sy_log_level level, const char *message)
{
    heard *h = user;
    (void)level;
    h->count++;
    (void)sy_text_copy(h->last, sizeof h->last, message);
}

static void say(enum ggml_log_level level, const char *text)
{
    ggml_log_callback callback = NULL;
    void *user = NULL;
    ggml_log_get(&callback, &user);
    callback(level, text, user);
}

static void others_listener(enum ggml_log_level level, const char *text, void *user)
{
    (void)level;
    (void)sy_text_copy(user, 64, text);
}

static void what_ggml_says_goes_to_the_sink_and_its_last_error_is_kept(void **state)
{
    (void)state;
    heard h = {{0}, 0};
    char others[64] = "";
    sy_ggml_listener listener;
    ggml_log_set(others_listener, others);
    sy_log_set_sink(hear, &h);
    sy_ggml_listen(&listener);
    say(GGML_LOG_LEVEL_ERROR, "no\tdevice\n");
    assert_string_equal(h.last, "ggml: no device");
    say(GGML_LOG_LEVEL_INFO, "an aside\n");
    say(GGML_LOG_LEVEL_CONT, "\n");
    assert_int_equal(h.count, 2);
    assert_string_equal(listener.error, "no device");
    assert_string_equal(others, "");
    sy_ggml_listen_end(&listener);
    say(GGML_LOG_LEVEL_ERROR, "theirs");
    assert_string_equal(others, "theirs");
    assert_int_equal(h.count, 2);
    sy_log_set_sink(NULL, NULL);
    ggml_log_set(NULL, NULL);
}

static void a_buffer_that_ggml_cannot_take_is_refused_with_its_words(void **state)
{
    (void)state;
    sy_device *device = open_device("ggml:CPU", 1);
    sy_ggml_device_of(device)->total_bytes = 0; /* not known: ggml itself must be asked */
    sy_buffer *buffer = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(device->backend->allocate(device, UINT64_C(1) << 62, &buffer, &err), SY_NO_MEMORY);
    assert_non_null(strstr(err.what, "ggml:CPU"));
    assert_non_null(strstr(err.hint, "failed to allocate"));
    assert_null(buffer);
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_processor_is_found_by_ggmls_name_in_any_case_of_letters),
        cmocka_unit_test(the_description_begins_with_the_version_that_runs),
        cmocka_unit_test(an_unknown_name_lists_the_devices),
        cmocka_unit_test(the_first_device_is_a_gpu_where_there_is_one_and_each_has_one_number),
        cmocka_unit_test(options_that_ggml_cannot_follow_are_refused),
        cmocka_unit_test(nothing_is_initialised_before_memory_is_asked_for),
        cmocka_unit_test(free_memory_is_what_the_machine_has_not_all_of_it),
        cmocka_unit_test(versions_name_ggml_its_files_and_the_device),
        cmocka_unit_test(a_suites_versions_hold_steelyards_and_ggmls),
        cmocka_unit_test(what_ggml_says_goes_to_the_sink_and_its_last_error_is_kept),
        cmocka_unit_test(a_buffer_that_ggml_cannot_take_is_refused_with_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
