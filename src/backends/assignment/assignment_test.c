/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of assignments: each rule of docs/assignments.md, and that reading what was written gives the same. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assignment_tables.h"
#include "base/random.h"
#include "base/text.h"
#include "fault_loop.h"

static sy_assignment *parse(const char *text)
{
    sy_assignment *assignment = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_assignment_parse(&machine, text, &assignment, &error))
        fail_msg("%s: %s (%s)", text, error.what, error.hint);
    return assignment;
}

/* "0", "1&2": indices of the devices. */
static void expect_choice(const char *text, const sy_assignment_choice *choice, const char *expected)
{
    char found[256] = "";
    for (size_t i = 0; i < choice->device_count; i++) {
        const size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%s%zu", i > 0 ? "&" : "", choice->devices[i]);
        assert_string_equal(choice->names[i], machine_devices[choice->devices[i]].name);
    }
    if (strcmp(found, expected) != 0)
        fail_msg("'%s': %s has %s, not %s", text, choice->module, found, expected);
}

/* The default, then each module. */
static void expect(const char *text, const char *fallback, const char *const modules[MODULES])
{
    sy_assignment *assignment = parse(text);
    expect_choice(text, &assignment->fallback, fallback);
    assert_string_equal(assignment->fallback.module, "all");
    assert_int_equal(assignment->module_count, MODULES);
    for (size_t m = 0; m < MODULES; m++) {
        assert_string_equal(assignment->modules[m].module, engine_modules[m].name);
        expect_choice(text, &assignment->modules[m], modules[m]);
    }
    sy_assignment_destroy(assignment);
}

#define MODULES_HAVE(...)        \
    (const char *const[MODULES]) \
    {                            \
        __VA_ARGS__              \
    }

static void a_bare_value_is_the_default_of_all_modules(void **state)
{
    (void)state;
    expect("cpu", "0", MODULES_HAVE("0", "0", "0", "0"));
    expect("cuda1,vae=cpu", "2", MODULES_HAVE("2", "2", "2", "0"));
}

static void all_default_and_the_star_are_the_same_key(void **state)
{
    (void)state;
    const char *const texts[] = {"all=cuda1", "default=cuda1", "*=cuda1", "ALL=cuda1", "De-fault=cuda1", "a_l-l=cuda1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect(texts[i], "2", MODULES_HAVE("2", "2", "2", "2"));
}

static void a_module_is_named_in_any_case_and_with_or_without_joints(void **state)
{
    (void)state;
    const char *const texts[] = {"clip_vision=cpu",      "clip-vision=cpu", "clipvision=cpu", "CLIP_Vision=cpu",
                                 "-c-l-i-p_vision-=cpu", "vision=cpu",      "VI-SION=cpu"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect(texts[i], "1", MODULES_HAVE("1", "1", "0", "1"));
    expect("TextEncoder=cpu", "1", MODULES_HAVE("1", "0", "1", "1"));
    expect("clip=cpu", "1", MODULES_HAVE("1", "0", "1", "1"));
}

static void of_two_parts_for_one_module_the_later_counts_and_the_other_is_told(void **state)
{
    (void)state;
    sy_assignment *assignment = parse("vae=cpu, te=cuda0 ,VAE=cuda1,cpu,all=tpu,v_ae=ggml:CPU");
    expect_choice("later", &assignment->modules[VAE], "3");
    expect_choice("later", &assignment->fallback, "5");
    assert_int_equal(assignment->overruled_count, 3);
    assert_string_equal(assignment->overruled[0].part, "vae=cpu");
    assert_string_equal(assignment->overruled[0].by, "v_ae=ggml:CPU");
    assert_int_equal(assignment->overruled[0].position.offset, 0);
    assert_int_equal(assignment->overruled[0].by_position.offset, 41);
    assert_int_equal(assignment->overruled[0].by_position.column, 42);
    assert_string_equal(assignment->overruled[1].part, "VAE=cuda1");
    assert_string_equal(assignment->overruled[1].by, "v_ae=ggml:CPU");
    assert_string_equal(assignment->overruled[2].part, "cpu");
    assert_string_equal(assignment->overruled[2].by, "all=tpu");
    sy_assignment_destroy(assignment);
}

static void a_module_s_own_part_counts_before_the_default_wherever_it_stands(void **state)
{
    (void)state;
    expect("vae=cpu,all=cuda1", "2", MODULES_HAVE("2", "2", "2", "0"));
    expect("all=cuda1,vae=cpu", "2", MODULES_HAVE("2", "2", "2", "0"));
}

static void empty_parts_are_skipped_and_no_part_is_the_default_device(void **state)
{
    (void)state;
    expect("", "1", MODULES_HAVE("1", "1", "1", "1"));
    expect(" ,, \t,", "1", MODULES_HAVE("1", "1", "1", "1"));
    expect(",,vae=cpu,,te=cpu,", "1", MODULES_HAVE("1", "0", "1", "0"));
}

static void blanks_around_parts_keys_values_and_devices_do_not_count(void **state)
{
    (void)state;
    expect("  te =\tcpu , vae= cuda0 & cuda1 ", "1", MODULES_HAVE("1", "0", "1", "1&2"));
}

static void a_list_has_its_devices_in_the_order_written(void **state)
{
    (void)state;
    expect("diffusion=cuda1&cuda0&cpu,te=ggml", "1", MODULES_HAVE("2&1&0", "3", "1", "1"));
    expect("cuda0&tpu", "1&5", MODULES_HAVE("1&5", "1&5", "1&5", "1&5"));
}

static void what_was_stated_is_told_apart_from_what_follows_the_default(void **state)
{
    (void)state;
    sy_assignment *assignment = parse("all=cpu, te=cpu");
    assert_true(assignment->fallback.stated && assignment->modules[TEXT].stated);
    assert_int_equal(assignment->modules[TEXT].position.offset, 9);
    assert_int_equal(assignment->modules[TEXT].position.line, 1);
    assert_int_equal(assignment->modules[TEXT].position.column, 10);
    assert_false(assignment->modules[VAE].stated);
    assert_int_equal(assignment->modules[VAE].position.line, 0);
    sy_assignment_destroy(assignment);
}

/* ---- refusals ---- */

typedef struct refusal {
    const char *text;
    sy_status status;
    uint64_t offset;
    const char *what;
    const char *hint; /* "" = none is asked for */
} refusal;

static void expect_refusal(const refusal *r)
{
    sy_assignment *assignment = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_assignment_parse(&machine, r->text, &assignment, &error);
    if (status != r->status || error.status != status || assignment)
        fail_msg("'%s': %s: %s", r->text, sy_status_word(status), error.what);
    if (strcmp(error.what, r->what) != 0 || !strstr(error.hint, r->hint))
        fail_msg("'%s': '%s' (%s), not '%s' (%s)", r->text, error.what, error.hint, r->what, r->hint);
    if (error.position.line != 1 || error.position.offset != r->offset || error.position.column != r->offset + 1)
        fail_msg("'%s': at %u:%u", r->text, error.position.line, error.position.column);
    assert_int_equal(sy_assignment_parse(&machine, r->text, &assignment, NULL), r->status);
}

static void a_mistake_is_named_with_its_part_its_place_and_what_would_be_right(void **state)
{
    (void)state;
    const refusal refusals[] = {
        {"te=cpu,vea=cpu", SY_NOT_FOUND, 7, "part 'vea=cpu': no module 'vea'", "did you mean 'vae'?"},
        {"text-encode=cpu", SY_NOT_FOUND, 0, "part 'text-encode=cpu': no module 'text-encode'", "'text_encoder'?"},
        {"upscaler=cpu", SY_NOT_FOUND, 0, "part 'upscaler=cpu': no module 'upscaler'",
         "there are all, diffusion, te, clip_vision, vae"},
        {"-=cpu", SY_NOT_FOUND, 0, "part '-=cpu': no module '-'", "there are all"},
        {"cpu=vae", SY_NOT_FOUND, 0, "part 'cpu=vae': no module 'cpu'", "the module stands first: vae=cpu"},
        {"vae", SY_NOT_FOUND, 0, "part 'vae': no device 'vae'", "its device is missing: vae=DEVICE"},
        {"vae = cdua0", SY_NOT_FOUND, 6, "part 'vae = cdua0': no device 'cdua0'", "did you mean 'cuda0'?"},
        {"vae=cpu&vulkn0", SY_NOT_FOUND, 8, "part 'vae=cpu&vulkn0': no device 'vulkn0'", "did you mean 'Vulkan0'?"},
        {"vae=x", SY_NOT_FOUND, 4, "part 'vae=x': no device 'x'",
         "there are cpu, cuda0, cuda1, ggml:CPU, ggml:Vulkan0, tpu, and the words auto, default and gpu"},
        {"te=cud", SY_INVALID_ARGUMENT, 3, "part 'te=cud': 'cud' could be cuda0, cuda1", "enough of the name"},
        {"te=openc", SY_UNAVAILABLE, 3, "part 'te=openc': opencl is not there: libOpenCL.so.1 not found", ""},
        {"te=opencl:GPU", SY_UNAVAILABLE, 3, "part 'te=opencl:GPU': opencl is not there: libOpenCL.so.1 not found", ""},
        {"te=cpu=1", SY_INVALID_ARGUMENT, 6, "part 'te=cpu=1': a second '='", "separated by ','"},
        {"=cpu", SY_INVALID_ARGUMENT, 0, "part '=cpu': no module before the '='", "all="},
        {"cpu,te=", SY_INVALID_ARGUMENT, 6, "part 'te=': nothing behind the '='", ""},
        {"te=cuda0&", SY_INVALID_ARGUMENT, 9, "part 'te=cuda0&': no device at one side of the '&'", ""},
        {"te= & cuda0", SY_INVALID_ARGUMENT, 4, "part 'te= & cuda0': no device at one side of the '&'", ""},
        {"te=cuda0&CUDA", SY_INVALID_ARGUMENT, 9, "part 'te=cuda0&CUDA': device cuda0 stands twice in the list", ""},
        {"te=cp\x1b[31mu", SY_NOT_FOUND, 3, "part 'te=cp\\x1b[31mu': no device 'cp\\x1b[31mu'", ""},
        {"te=\xff\xc3\xa9", SY_NOT_FOUND, 3, "part 'te=\\xff\xc3\xa9': no device '\\xff\xc3\xa9'", ""},
        {"te=a\xe2\x80\xae", SY_NOT_FOUND, 3, "part 'te=a\\xe2\\x80\\xae': no device 'a\\xe2\\x80\\xae'", ""},
        {"te=b\xc2\x9b", SY_NOT_FOUND, 3, "part 'te=b\\xc2\\x9b': no device 'b\\xc2\\x9b'", ""},
        {"te=c\xd8\x9c", SY_NOT_FOUND, 3, "part 'te=c\\xd8\\x9c': no device 'c\\xd8\\x9c'", ""},
        {"te=d\xe2\x81\xa6", SY_NOT_FOUND, 3, "part 'te=d\\xe2\\x81\\xa6': no device 'd\\xe2\\x81\\xa6'", ""},
        {"te=cpu\n", SY_NOT_FOUND, 3, "part 'te=cpu\\x0a': no device 'cpu\\x0a'", "did you mean 'cpu'?"},
        /* A part that a later one overrules is read all the same. */
        {"te=nowhere,te=cpu", SY_NOT_FOUND, 3, "part 'te=nowhere': no device 'nowhere'", ""},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        expect_refusal(&refusals[i]);
}

static void a_long_part_is_cut_in_the_message_and_marked(void **state)
{
    (void)state;
    char text[400] = "te=";
    sy_error error = SY_ERROR_INIT;
    sy_assignment *assignment = NULL;
    for (size_t i = 3; i + 1 < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    assert_int_equal(sy_assignment_parse(&machine, text, &assignment, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, "...': no device '"));
    assert_true(strlen(error.what) < 200);
}

static void limits_are_refused_with_their_number_and_place(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_error error = SY_ERROR_INIT;
    sy_assignment *assignment = NULL;
    for (size_t i = 0; i < SY_ASSIGNMENT_PARTS_MAX; i++)
        sy_text_append(&text, "te=cpu,");
    assignment = parse(sy_text_bytes(&text));
    assert_int_equal(assignment->overruled_count, SY_ASSIGNMENT_PARTS_MAX - 1);
    sy_assignment_destroy(assignment);
    sy_text_append(&text, ",,vae=cpu");
    assignment = NULL;
    assert_int_equal(sy_assignment_parse(&machine, text.bytes, &assignment, &error), SY_LIMIT_EXCEEDED);
    assert_string_equal(error.what, "part 'vae=cpu': more than 4096 parts");
    assert_int_equal(error.position.offset, SY_ASSIGNMENT_PARTS_MAX * 7 + 2);
    sy_text_clear(&text);
    for (size_t i = 0; i <= SY_ASSIGNMENT_BYTES_MAX; i++)
        sy_text_append(&text, ",");
    assert_int_equal(sy_assignment_parse(&machine, text.bytes, &assignment, &error), SY_LIMIT_EXCEEDED);
    assert_string_equal(error.what, "the text has more than 1048576 bytes");
    text.bytes[text.length - 1] = '\0';
    sy_assignment_destroy(parse(text.bytes));
    sy_text_finish(&text);
}

static void a_list_has_at_most_64_devices(void **state)
{
    (void)state;
    enum { MANY = SY_ASSIGNMENT_DEVICES_MAX + 1 };
    static char names[MANY][8];
    sy_assignment_device devices[MANY];
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    sy_text text = SY_TEXT_INIT;
    sy_error error = SY_ERROR_INIT;
    sy_assignment *assignment = NULL;
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "d%02zu", i);
        devices[i] = (sy_assignment_device){names[i], NULL, SY_DEVICE_GPU, NULL};
        sy_text_append_format(&text, "%s%s", i > 0 ? "&" : "", names[i]);
    }
    table.devices = devices;
    table.device_count = MANY;
    assert_int_equal(sy_assignment_parse(&table, text.bytes, &assignment, &error), SY_LIMIT_EXCEEDED);
    assert_non_null(strstr(error.what, "more than 64 devices in a list"));
    assert_int_equal(error.position.offset, 64 * 4);
    text.bytes[64 * 4 - 1] = '\0';
    assert_int_equal(sy_assignment_parse(&table, text.bytes, &assignment, &error), SY_OK);
    assert_int_equal(assignment->fallback.device_count, 64);
    sy_assignment_destroy(assignment);
    sy_text_finish(&text);
}

static void the_default_device_is_the_one_that_the_engine_says(void **state)
{
    (void)state;
    sy_assignment_table table = machine;
    sy_assignment *assignment = NULL;
    table.default_device = TPU;
    assert_int_equal(sy_assignment_parse(&table, "vae=default,te=auto", &assignment, NULL), SY_OK);
    expect_choice("default", &assignment->fallback, "5");
    expect_choice("default", &assignment->modules[VAE], "5");
    expect_choice("default", &assignment->modules[TEXT], "1");
    sy_assignment_destroy(assignment);
}

static void no_device_at_all_is_said(void **state)
{
    (void)state;
    sy_assignment_table table = SY_ASSIGNMENT_TABLE_INIT;
    sy_assignment *assignment = NULL;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_assignment_parse(&table, "", &assignment, &error), SY_NOT_FOUND);
    assert_string_equal(error.what, "'default': there is no such device here");
    assert_int_equal(sy_assignment_parse(&table, "cpu", &assignment, &error), SY_NOT_FOUND);
    assert_string_equal(error.hint, "there is none at all");
    assert_int_equal(sy_assignment_parse(&table, NULL, &assignment, &error), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_assignment_parse(NULL, "cpu", &assignment, &error), SY_INVALID_ARGUMENT);
}

/* ---- there and back ---- */

static void expect_text(const char *text, const char *expected)
{
    sy_assignment *assignment = parse(text);
    char *written = NULL;
    assert_int_equal(sy_assignment_text(assignment, &written, NULL), SY_OK);
    assert_string_equal(written, expected);
    sy_text_free(written);
    sy_assignment_destroy(assignment);
}

static void a_text_is_written_with_full_names_the_default_first(void **state)
{
    (void)state;
    expect_text("", "");
    expect_text(" v_a-e = vulk ,TPU&cuda", "all=tpu&cuda0,vae=ggml:Vulkan0");
    expect_text("clip=gpu,clip=cpu", "te=cpu");
}

static void expect_alike(const sy_assignment_choice *a, const sy_assignment_choice *b)
{
    assert_string_equal(a->module, b->module);
    assert_int_equal(a->stated, b->stated);
    assert_int_equal(a->device_count, b->device_count);
    assert_memory_equal(a->devices, b->devices, a->device_count * sizeof *a->devices);
}

/* Random texts of right and wrong pieces: what is read, written and read again is the same. */
static void what_is_written_means_what_was_read(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "te",   "vae", "clip-vision", "DIFFUSION", "all", "*", "cpu", "cuda", "cuda1", "ggml:vulkan0",
        "vulk", "tpu", "auto",        "default",   "gpu", "=", "=",   "=",    ",",     ",",
        ",",    "&",   " ",           "opencl",    "x"};
    const uint64_t seed = 20261129;
    sy_random random;
    size_t read = 0, refused = 0;
    sy_random_start(&random, seed, "assignments");
    for (int round = 0; round < 20000; round++) {
        sy_text text = SY_TEXT_INIT;
        sy_assignment *first = NULL, *second = NULL;
        char *written = NULL;
        const uint64_t count = 1 + sy_random_below(&random, 12);
        for (uint64_t i = 0; i < count; i++)
            sy_text_append(&text, pieces[sy_random_below(&random, sizeof pieces / sizeof pieces[0])]);
        if (sy_assignment_parse(&machine, sy_text_bytes(&text), &first, NULL)) {
            refused++;
        } else {
            read++;
            assert_int_equal(sy_assignment_text(first, &written, NULL), SY_OK);
            if (sy_assignment_parse(&machine, written, &second, NULL))
                fail_msg("seed %llu: '%s' became '%s'", (unsigned long long)seed, text.bytes, written);
            expect_alike(&first->fallback, &second->fallback);
            for (size_t m = 0; m < MODULES; m++)
                expect_alike(&first->modules[m], &second->modules[m]);
            assert_int_equal(second->overruled_count, 0);
        }
        sy_text_free(written);
        sy_assignment_destroy(first);
        sy_assignment_destroy(second);
        sy_text_finish(&text);
    }
    assert_true(read > 1000 && refused > 1000);
}

static sy_status scenario(void *user)
{
    (void)user;
    sy_assignment *assignment = NULL;
    char *text = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_assignment_parse(&machine, "vae=cpu,te=cuda0&cuda1,vae=gpu", &assignment, &error);
    if (!status)
        status = sy_assignment_text(assignment, &text, &error);
    sy_text_free(text);
    sy_assignment_destroy(assignment);
    return status;
}

static void every_failed_allocation_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, true) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_value_is_the_default_of_all_modules),
        cmocka_unit_test(all_default_and_the_star_are_the_same_key),
        cmocka_unit_test(a_module_is_named_in_any_case_and_with_or_without_joints),
        cmocka_unit_test(of_two_parts_for_one_module_the_later_counts_and_the_other_is_told),
        cmocka_unit_test(a_module_s_own_part_counts_before_the_default_wherever_it_stands),
        cmocka_unit_test(empty_parts_are_skipped_and_no_part_is_the_default_device),
        cmocka_unit_test(blanks_around_parts_keys_values_and_devices_do_not_count),
        cmocka_unit_test(a_list_has_its_devices_in_the_order_written),
        cmocka_unit_test(what_was_stated_is_told_apart_from_what_follows_the_default),
        cmocka_unit_test(a_mistake_is_named_with_its_part_its_place_and_what_would_be_right),
        cmocka_unit_test(a_long_part_is_cut_in_the_message_and_marked),
        cmocka_unit_test(limits_are_refused_with_their_number_and_place),
        cmocka_unit_test(a_list_has_at_most_64_devices),
        cmocka_unit_test(the_default_device_is_the_one_that_the_engine_says),
        cmocka_unit_test(no_device_at_all_is_said),
        cmocka_unit_test(a_text_is_written_with_full_names_the_default_first),
        cmocka_unit_test(what_is_written_means_what_was_read),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
