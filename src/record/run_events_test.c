/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of events' bodies: what is written is read back the same, and what cannot be is refused by its member's name.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault_loop.h"
#include "record/run_events_test_data.h"

static const sy_named_text key_fields[] = {{"cell_id", "io::cpu"}, {"device_id", NULL}, {"precision", "f32"}};
static const sy_named_text inputs[] = {{"scan", DIGEST_A}, {"mask", NULL}};
static const sy_named_text parameters[] = {{"chunk", "12"}, {"mode", NULL}, {"chunk", ""}};
static const char *const outputs[] = {"profile.json", ""};
static const char *const submodules[] = {"external/ggml"};
static const char *const notes[] = {"two\nlines"};
static const sy_identity_field identity[] = {{"cpu", "Xeon", true}, {"kernel", "6.1", false}, {"threads", "2", true}};

static const sy_run_begin whole_begin = {
    .id = "20261129-233000-0a1b2c",
    .kind = SY_RUN_KIND_SESSION,
    .status = SY_RUN_PLANNED,
    .question = "Is it\n\"faster\"?",
    .gate = "gate-1",
    .cell = "io::cpu",
    .tier = "release-signoff",
    .protocol = "steelyard-profile/v1",
    .cache_state = "warm",
    .timing_boundary = "first byte to last",
    .key = {key_fields, COUNT(key_fields)},
    .source = {.control = "git",
               .revision = "0123456789abcdef0123456789abcdef01234567",
               .branch = "main",
               .shallow = 0,
               .dirty = 1,
               .ordinal = 1234,
               .untracked_count = 3,
               .dirty_submodules = submodules,
               .dirty_submodule_count = COUNT(submodules),
               .diff_digest = DIGEST_A},
    .place = {.host = "scale",
              .backend = "cpu",
              .device = "cpu",
              .description = "Intel Xeon, 2 cores",
              .hardware = 1,
              .identity = {identity, COUNT(identity)}},
    .inputs = inputs,
    .input_count = COUNT(inputs),
    .parameters = parameters,
    .parameter_count = COUNT(parameters),
    .planned_outputs = outputs,
    .planned_output_count = COUNT(outputs),
    .origin_zone_known = true,
    .notes = notes,
    .note_count = COUNT(notes),
};

static void a_whole_begin_comes_back_the_same(void **state)
{
    (void)state;
    ROUND_TRIP(
        sy_run_begin, sy_run_begin_write, sy_run_begin_read, &whole_begin,
        "{\"cache_state\":\"warm\",\"cell\":\"io::cpu\",\"gate\":\"gate-1\",\"id\":\"20261129-233000-0a1b2c\","
        "\"inputs\":[[\"scan\",\"" DIGEST_A "\"],[\"mask\",null]],"
        "\"key\":[[\"cell_id\",\"io::cpu\"],[\"device_id\",null],[\"precision\",\"f32\"]],\"kind\":\"session\","
        "\"notes\":[\"two\\nlines\"],\"origin_zone_known\":true,"
        "\"parameters\":[[\"chunk\",\"12\"],[\"mode\",null],[\"chunk\",\"\"]],"
        "\"place\":{\"backend\":\"cpu\",\"description\":\"Intel Xeon, 2 cores\",\"device\":\"cpu\",\"hardware\":true,"
        "\"host\":\"scale\",\"identity\":{\"key\":{\"cpu\":\"Xeon\",\"threads\":\"2\"},"
        "\"recorded\":{\"kernel\":\"6.1\"}},\"synthetic\":false},"
        "\"planned_outputs\":[\"profile.json\",\"\"],\"protocol\":\"steelyard-profile/v1\","
        "\"question\":\"Is it\\n\\\"faster\\\"?\","
        "\"source\":{\"branch\":\"main\",\"control\":\"git\",\"diff_digest\":\"" DIGEST_A "\",\"dirty\":true,"
        "\"dirty_submodules\":[\"external/ggml\"],\"ordinal\":1234,"
        "\"revision\":\"0123456789abcdef0123456789abcdef01234567\",\"shallow\":false,\"untracked_count\":3},"
        "\"status\":\"planned\",\"tier\":\"release-signoff\",\"timing_boundary\":\"first byte to last\"}");
}

static void an_import_that_says_little_comes_back_the_same(void **state)
{
    (void)state;
    const sy_run_begin begin = {.id = "a",
                                .kind = SY_RUN_KIND_IMPORT,
                                .status = SY_RUN_IMPORTED,
                                .source = {.shallow = -1, .dirty = -1, .ordinal = -1},
                                .place = {.hardware = -1}};
    ROUND_TRIP(sy_run_begin, sy_run_begin_write, sy_run_begin_read, &begin,
               "{\"id\":\"a\",\"kind\":\"import\",\"origin_zone_known\":false,"
               "\"place\":{\"hardware\":null,\"synthetic\":false},"
               "\"source\":{\"dirty\":null,\"ordinal\":null,\"shallow\":null,\"untracked_count\":0},"
               "\"status\":\"imported\"}");
}

static void what_a_begin_does_not_say_is_empty_when_it_is_read(void **state)
{
    (void)state;
    body b = BODY_INIT;
    sy_text_append(&b.text, "{\"id\":\"a\",\"kind\":\"session\",\"status\":\"planned\",\"later\":[1,{}]}");
    const sy_json_value *root = body_parse(&b);
    sy_run_begin begin;
    assert_int_equal(sy_run_begin_read(b.json, root, b.arena, &begin, NULL), SY_OK);
    assert_string_equal(begin.question, "");
    assert_string_equal(begin.source.diff_digest, "");
    assert_int_equal(begin.source.dirty, -1);
    assert_int_equal(begin.source.ordinal, -1);
    assert_int_equal(begin.place.hardware, -1);
    assert_string_equal(begin.place.host, "");
    assert_int_equal(begin.key.field_count, 0);
    assert_int_equal(begin.parameter_count, 0);
    body_finish(&b);
}

static void every_small_event_comes_back_the_same(void **state)
{
    (void)state;
    const char *argv[] = {"sh", "-c", "a\nb", ""};
    const sy_named_text environment[] = {{"OMP_NUM_THREADS", "2"}};
    const sy_run_lease lease = {"cpu", 7, "scale", "b0-0t", 4711, 1796000000};
    const sy_run_check check = {"free-memory", -1, true, "3 GiB", ">= 4 GiB"};
    const sy_run_command command = {
        "measure", argv, 4, environment, 1, -1, 9, 12, 3, 4, 5, UINT64_C(9223372036854775807), true, 2, 1};
    const sy_run_parity_event parity = {SY_RUN_PARITY_NOT_PERFORMED, "square", "blis", "no reference", NAN};
    const sy_run_memory memory = {"peak", 1048576, SY_MEMORY_CONSTRAINED, SY_MEMORY_PROCESS_TREE, "cgroup", -4096,
                                  NAN,    true};
    const sy_run_artifact artifact = {SY_ARTIFACT_DIFF, "source.diff", DIGEST_A, 12};
    const sy_run_digest digest = {"output", DIGEST_A};
    const sy_run_decision decision = {SY_DECISION_NOT_SLOWER, "", "matmul", "naive", "", 0.25, NAN, 0.5, 12, 11, 0.05};
    const sy_run_profile profile = {"profiles.txt", "exact matmul", "blis"};
    const sy_run_end end = {SY_RUN_SUPERSEDED, "done\nagain", "", "20261129-1"};
    const sy_run_accept accept = {"Ada", "", false};
    ROUND_TRIP(sy_run_lease, sy_run_lease_write, sy_run_lease_read, &lease,
               "{\"boot\":\"b0-0t\",\"device\":\"cpu\",\"fence\":7,\"host\":\"scale\",\"process\":4711,"
               "\"until_utc_s\":1796000000}");
    ROUND_TRIP(sy_run_check, sy_run_check_write, sy_run_check_read, &check,
               "{\"expected\":\">= 4 GiB\",\"found\":\"3 GiB\",\"name\":\"free-memory\",\"passed\":null,"
               "\"required\":true}");
    ROUND_TRIP(sy_run_command, sy_run_command_write, sy_run_command_read, &command,
               "{\"argv\":[\"sh\",\"-c\",\"a\\nb\",\"\"],\"environment\":[[\"OMP_NUM_THREADS\",\"2\"]],"
               "\"exit_code\":-1,\"fence\":9223372036854775807,\"lease_held\":true,\"line_count\":2,"
               "\"peak_memory_bytes\":5,\"phase\":\"measure\",\"rejected_count\":1,\"signal\":9,\"system_ns\":4,"
               "\"user_ns\":3,\"wall_ns\":12}");
    ROUND_TRIP(sy_run_parity_event, sy_run_parity_write, sy_run_parity_read_body, &parity,
               "{\"case\":\"square\",\"error_in_tolerances\":null,\"implementation\":\"blis\","
               "\"outcome\":\"not-performed\",\"reason\":\"no reference\"}");
    ROUND_TRIP(sy_run_memory, sy_run_memory_write, sy_run_memory_read, &memory,
               "{\"basis\":\"constrained\",\"bytes\":1048576,\"counted\":true,\"how\":\"cgroup\",\"name\":\"peak\","
               "\"pressure_share\":null,\"scope\":\"process-tree\",\"swap_bytes\":-4096}");
    ROUND_TRIP(sy_run_artifact, sy_run_artifact_write, sy_run_artifact_read, &artifact,
               "{\"digest\":\"" DIGEST_A "\",\"name\":\"source.diff\",\"role\":\"diff\",\"size\":12}");
    ROUND_TRIP(sy_run_digest, sy_run_digest_write, sy_run_digest_read, &digest,
               "{\"digest\":\"" DIGEST_A "\",\"role\":\"output\"}");
    ROUND_TRIP(sy_run_decision, sy_run_decision_write, sy_run_decision_read, &decision,
               "{\"alpha\":0.050000000000000003,\"decision\":\"not-slower\",\"gain\":0.25,\"gain_high\":0.5,"
               "\"gain_low\":null,\"operation\":\"matmul\",\"pairs\":12,\"reference\":\"naive\",\"wins\":11}");
    ROUND_TRIP(sy_run_profile, sy_run_profile_write, sy_run_profile_read, &profile,
               "{\"implementation\":\"blis\",\"key\":\"exact matmul\",\"store\":\"profiles.txt\"}");
    ROUND_TRIP(sy_run_end, sy_run_end_write, sy_run_end_read, &end,
               "{\"conclusion\":\"done\\nagain\",\"status\":\"superseded\",\"superseded_by\":\"20261129-1\"}");
    ROUND_TRIP(sy_run_accept, sy_run_accept_write, sy_run_accept_read, &accept, "{\"by\":\"Ada\"}");
}

static void a_note_comes_back_the_same(void **state)
{
    (void)state;
    body b = BODY_INIT;
    const char *back = NULL;
    assert_int_equal(sy_run_note_write("seen\tthis", &b.text, NULL), SY_OK);
    assert_string_equal(b.text.bytes, "{\"note\":\"seen\\tthis\"}");
    const sy_json_value *root = body_parse(&b);
    assert_int_equal(sy_run_note_read(b.json, root, b.arena, &back, NULL), SY_OK);
    assert_string_equal(back, "seen\tthis");
    body_finish(&b);
}

/* ---- what cannot be ---- */

static char long_text[(64 << 10) + 2];

static void expect_refused(const sy_run_begin *begin, const char *what)
{
    sy_error err = SY_ERROR_INIT;
    sy_text text = SY_TEXT_INIT;
    sy_text_append(&text, "before");
    assert_int_equal(sy_run_begin_write(begin, &text, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, what);
    assert_string_equal(text.bytes, "before");
    sy_text_finish(&text);
}

static void a_begin_that_cannot_be_is_refused_by_name(void **state)
{
    (void)state;
    sy_run_begin b = whole_begin;
    b.id = "";
    expect_refused(&b, "id: is missing");
    b.id = NULL;
    expect_refused(&b, "id: is missing");
    b.id = "../x";
    expect_refused(&b, "id: '../x' is no run's id: letters, digits and . _ - behind a letter or digit");
    b.id = "a/b";
    expect_refused(&b, "id: 'a/b' is no run's id: letters, digits and . _ - behind a letter or digit");
    memset(long_text, 'a', 129);
    long_text[129] = '\0';
    b.id = long_text;
    expect_refused(&b, "id: 129 letters, more than 128");
    b = whole_begin;
    b.status = SY_RUN_OK;
    expect_refused(&b, "status: cannot be 'ok' here");
    b.status = (sy_run_status)99;
    expect_refused(&b, "status: 99 stands for no word");
    b = whole_begin;
    b.gate = "two\nlines";
    expect_refused(&b, "gate: 'two?lines' holds the control character 0x0a");
    b = whole_begin;
    memset(long_text, 'a', sizeof long_text - 1);
    b.question = long_text;
    expect_refused(&b, "question: 65537 bytes, more than 65536");
    b = whole_begin;
    b.source.diff_digest = "abc";
    expect_refused(&b, "source: diff_digest: 'abc' is not 64 lower-case hexadecimal digits");
    b = whole_begin;
    b.source.ordinal = -2;
    expect_refused(&b, "source: ordinal: -2 is no number of things");
    const sy_named_text wrong_inputs[] = {inputs[0], {"x", "E3"}};
    b = whole_begin;
    b.inputs = wrong_inputs;
    expect_refused(&b, "inputs: 1: x: 'E3' is not 64 lower-case hexadecimal digits");
    const sy_named_text nameless[] = {{"", "x"}};
    b = whole_begin;
    b.parameters = nameless;
    b.parameter_count = 1;
    expect_refused(&b, "parameters: 0: a name is missing");
    const sy_identity_field unsorted[] = {{"b", "1", true}, {"a", "2", true}};
    b = whole_begin;
    b.place.identity = (sy_identity){unsorted, 2};
    expect_refused(&b, "place: identity: 'a' stands twice or is out of order");
    const sy_named_text twice[] = {{"a", "1"}, {"a", "1"}};
    b = whole_begin;
    b.key = (sy_comparison_key){twice, 2};
    expect_refused(&b, "key: a: stands there twice");
}

static void a_text_of_bytes_that_are_no_letters_is_kept_within_the_limit(void **state)
{
    (void)state;
    body b = BODY_INIT;
    sy_run_begin begin = whole_begin;
    memset(long_text, '\xff', 21846);
    long_text[21845] = '\0';
    begin.question = long_text;
    assert_int_equal(sy_run_begin_write(&begin, &b.text, NULL), SY_OK);
    const sy_json_value *root = body_parse(&b);
    assert_int_equal(sy_run_begin_read(b.json, root, b.arena, &begin, NULL), SY_OK);
    assert_int_equal(strlen(begin.question), 65535);
    long_text[21845] = '\xff';
    long_text[21846] = '\0';
    begin = whole_begin;
    begin.question = long_text;
    expect_refused(&begin, "question: 65538 bytes, more than 65536");
    body_finish(&b);
}

static void a_small_event_that_cannot_be_is_refused_by_name(void **state)
{
    (void)state;
    const char *argv[] = {"true"};
    REFUSED(sy_run_end_write, (&(sy_run_end){.status = SY_RUN_REFUTED}), "conclusion: a refuted run must have one");
    REFUSED(sy_run_end_write, (&(sy_run_end){.status = SY_RUN_RUNNING}), "status: cannot be 'running' here");
    REFUSED(sy_run_end_write, (&(sy_run_end){.status = SY_RUN_OK, .superseded_by = "a b"}),
            "superseded_by: 'a b' is no run's id: letters, digits and . _ - behind a letter or digit");
    REFUSED(sy_run_lease_write, (&(sy_run_lease){.fence = 1}), "device: is missing");
    REFUSED(sy_run_command_write, (&(sy_run_command){.phase = "smoke"}), "argv: is missing");
    REFUSED(sy_run_command_write,
            (&(sy_run_command){.phase = "smoke", .argv = argv, .argc = 1, .wall_ns = (uint64_t)INT64_MAX + 1}),
            "wall_ns: 9223372036854775808 is more than 9223372036854775807");
    REFUSED(sy_run_parity_write, (&(sy_run_parity_event){.error_in_tolerances = -INFINITY}),
            "error_in_tolerances: is infinite");
    REFUSED(sy_run_memory_write, (&(sy_run_memory){.name = "peak", .basis = (sy_memory_basis)4}),
            "basis: 4 stands for no word");
    REFUSED(sy_run_artifact_write, (&(sy_run_artifact){.name = "x"}), "digest: is missing");
    REFUSED(sy_run_note_write, "", "note: is missing");
    REFUSED(sy_run_accept_write, (&(sy_run_accept){.by = "a\x7f"}), "by: 'a?' holds the control character 0x7f");
}

/* ---- damaged bodies ---- */

static void expect_corrupt(const char *text, const char *what)
{
    body b = BODY_INIT;
    sy_error err = SY_ERROR_INIT;
    sy_run_begin begin = {.id = "untouched"};
    sy_text_append(&b.text, text);
    const sy_json_value *root = body_parse(&b);
    assert_int_equal(sy_run_begin_read(b.json, root, b.arena, &begin, &err), SY_CORRUPT);
    assert_string_equal(err.what, what);
    assert_string_equal(begin.id, "untouched");
    body_finish(&b);
}

#define HEAD "{\"id\":\"a\",\"kind\":\"session\",\"status\":\"planned\","

static void a_damaged_begin_is_refused_with_its_pointer(void **state)
{
    (void)state;
    expect_corrupt("[]", "the whole: expected object, found array");
    expect_corrupt("{}", "the whole: 'id' is missing");
    expect_corrupt("{\"id\":\"a\"}", "the whole: 'kind' is missing");
    expect_corrupt("{\"id\":\"a\",\"kind\":\"dream\"}", "/kind: 'dream' is no word that is known here");
    expect_corrupt("{\"id\":\"a\",\"kind\":\"session\",\"status\":\"ok\"}", "/status: cannot be 'ok' here");
    expect_corrupt(HEAD "\"question\":null}", "/question: expected text, found null");
    expect_corrupt(HEAD "\"question\":\"a\\u0000b\"}", "/question: expected text, found a NUL byte in it");
    expect_corrupt(HEAD "\"gate\":\"a\\nb\"}", "/gate: 'a?b' holds the control character 0x0a");
    expect_corrupt(HEAD "\"source\":[]}", "/source: expected object, found array");
    expect_corrupt(HEAD "\"source\":{\"dirty\":1}}", "/source/dirty: expected true or false, found number");
    expect_corrupt(HEAD "\"source\":{\"untracked_count\":-1}}",
                   "/source/untracked_count: expected a number from 0 to 9223372036854775807");
    expect_corrupt(HEAD "\"inputs\":[[\"a\",\"b\"]]}", "/inputs/0/1: 'b' is not 64 lower-case hexadecimal digits");
    expect_corrupt(HEAD "\"inputs\":[[\"a\"]]}", "/inputs/0: expected an array of 2");
    expect_corrupt(HEAD "\"parameters\":[[\"a\",\"b\",\"c\"]]}", "/parameters/0: expected an array of 2");
    expect_corrupt(HEAD "\"parameters\":[[\"\",\"b\"]]}", "/parameters/0/0: a name is missing");
    expect_corrupt(HEAD "\"key\":{}}", "/key: expected array, found object");
    expect_corrupt(HEAD "\"key\":[[\"a\",\"1\"],[\"a\",\"1\"]]}", "/key/1: a second field of that name");
    expect_corrupt(HEAD "\"place\":{\"identity\":{\"key\":{\"a\":\"1\"},\"recorded\":{\"a\":\"1\"}}}}",
                   "/place/identity: two fields named 'a'");
    expect_corrupt(HEAD "\"place\":{\"identity\":{\"key\":[]}}}", "/place/identity/key: expected object, found array");
    expect_corrupt(HEAD "\"planned_outputs\":[1]}", "/planned_outputs/0: expected text, found number");
}

/* ---- memory ---- */

static sy_status write_and_read(void *user)
{
    (void)user;
    sy_text text = SY_TEXT_INIT;
    sy_json *json = NULL;
    sy_arena *arena = NULL;
    sy_run_begin back;
    sy_status status = sy_run_begin_write(&whole_begin, &text, NULL);
    if (status == SY_OK) {
        status = sy_json_parse(text.bytes, text.length, NULL, &json, NULL);
    }
    if (status == SY_OK) {
        arena = sy_arena_create(0);
        status = arena == NULL ? SY_NO_MEMORY : sy_run_begin_read(json, sy_json_root(json), arena, &back, NULL);
    }
    sy_arena_destroy(arena);
    sy_json_destroy(json);
    sy_text_finish(&text);
    return status;
}

static void every_failed_allocation_of_a_round_trip_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(write_and_read, NULL, true) > 5);
    assert_true(fault_loop_allocations(write_and_read, NULL, false) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_begin_comes_back_the_same),
        cmocka_unit_test(an_import_that_says_little_comes_back_the_same),
        cmocka_unit_test(what_a_begin_does_not_say_is_empty_when_it_is_read),
        cmocka_unit_test(every_small_event_comes_back_the_same),
        cmocka_unit_test(a_note_comes_back_the_same),
        cmocka_unit_test(a_begin_that_cannot_be_is_refused_by_name),
        cmocka_unit_test(a_text_of_bytes_that_are_no_letters_is_kept_within_the_limit),
        cmocka_unit_test(a_small_event_that_cannot_be_is_refused_by_name),
        cmocka_unit_test(a_damaged_begin_is_refused_with_its_pointer),
        cmocka_unit_test(every_failed_allocation_of_a_round_trip_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
