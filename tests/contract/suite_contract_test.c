/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of the suites that come with a backend: well-formed, built without device memory, run without harm. */
#include "contract.h"

#include <string.h>

#include "backends/graph.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/case_json.h"
#include "operations/fill.h"
#include "operations/suite.h"

/* ---- suites ---- */

static void suites_are_well_formed_and_found_by_their_operation(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_suite *suite, *found = NULL;
    uint32_t count = 0;
    sy_error error = SY_ERROR_INIT;
    for (; (suite = s->backend->suite_at(device, count)) != NULL; count++) {
        if (sy_suite_check(suite, &error))
            fail_msg("%s", error.what);
        assert_int_equal(sy_device_suite(device, suite->operation, &found, NULL), SY_OK);
        assert_ptr_equal(found, suite);
    }
    assert_true(count >= 1);
    assert_int_equal(sy_device_suite(device, "no such operation", &found, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.hint, s->backend->suite_at(device, 0)->operation));
    sy_device_close(device);
}

/* Made of their shapes alone, the suite's own cases come out as they are. */
static void a_case_made_of_a_shape_is_as_the_suites_own(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_suite *suite;
    for (uint32_t k = 0; (suite = s->backend->suite_at(device, k)) != NULL; k++) {
        for (size_t i = 0; suite->complete && i < suite->case_count; i++) {
            const sy_case *own = &suite->cases[i];
            sy_case made = {.name = own->name,
                            .weight = own->weight,
                            .quick = own->quick,
                            .dtype = own->dtype,
                            .properties = own->properties,
                            .property_count = own->property_count,
                            .source = own->source};
            sy_text text = SY_TEXT_INIT;
            sy_error error = SY_ERROR_INIT;
            if (sy_suite_complete_case(suite, &made, &error))
                fail_msg("%s %s: %s", suite->operation, own->name, error.what);
            sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_COMPACT);
            const sy_case both[] = {*own, made};
            sy_json_begin_array(writer);
            for (size_t j = 0; j < 2; j++) {
                sy_cases_write(writer, &both[j], 1);
            }
            sy_json_end_array(writer);
            assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
            const size_t half = (strlen(sy_text_bytes(&text)) - 3) / 2; /* "[A,A]" */
            assert_memory_equal(sy_text_bytes(&text) + 1, sy_text_bytes(&text) + 2 + half, half);
            sy_text_finish(&text);
        }
        sy_case made = {.name = "none", .weight = 1, .dtype = SY_F32};
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(sy_suite_complete_case(suite, &made, &error),
                         suite->complete ? SY_INVALID_ARGUMENT : SY_UNAVAILABLE);
        assert_true(made.flop_count == 0 && error.what[0]);
    }
    sy_device_close(device);
}

/* What a shortcut names is there to be used, and comes with where it was shown. */
static void a_shortcut_names_an_implementation_and_its_evidence_or_none(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_suite *suite;
    sy_device_info info;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    for (uint32_t k = 0; (suite = s->backend->suite_at(device, k)) != NULL; k++)
        for (size_t c = 0; suite->shortcut && c < suite->case_count; c++) {
            const sy_shortcut_question question = {.device = &info, .cases = &suite->cases[c], .case_count = 1};
            sy_shortcut answer = {0};
            uint32_t variant;
            assert_int_equal(suite->shortcut(suite->user, &question, &answer, NULL), SY_OK);
            if (!answer.implementation)
                continue;
            assert_int_equal(sy_suite_find_implementation(suite, answer.implementation, &variant, NULL), SY_OK);
            assert_int_not_equal(suite->implementations[variant].role, SY_ROLE_ORACLE);
            assert_true(answer.evidence && answer.evidence[0] && answer.reason[0] == '\0');
        }
    sy_device_close(device);
}

/* build takes no device memory, leaves an output with a run function or a reason, and never both. */
static void check_build(sy_device *device, const sy_suite *suite, const sy_case *c, uint32_t variant)
{
    const uint64_t peak = device->backend->memory_peak(device);
    sy_graph *graph = NULL;
    sy_error error = SY_ERROR_INIT;
    bool is_available = false;
    const char *reason = "";
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    if (suite->build(suite->user, c, variant, graph, &error) || sy_graph_check(graph, &is_available, &reason, &error))
        fail_msg("%s %s: %s", suite->implementations[variant].name, c->name, error.what);
    assert_int_equal(is_available, reason[0] == '\0');
    if (is_available)
        assert_true(sy_graph_memory_bytes(graph) > 0 && sy_graph_output_count(graph) > 0);
    assert_int_equal(device->backend->memory_peak(device), peak);
    sy_graph_destroy(graph);
}

static void every_build_leaves_an_output_or_a_reason_and_takes_no_device_memory(void **state)
{
    const subject *s = *state;
    sy_device *every = open_subject(s);
    const int64_t graphs = sy_graph_live_count();
    const sy_suite *suite;
    for (uint32_t k = 0; (suite = s->backend->suite_at(every, k)) != NULL; k++)
        for (uint32_t v = 0; v < suite->implementation_count; v++) {
            sy_device *device = open_only(s, suite->implementations[v].name);
            const sy_suite *own = s->backend->suite_at(device, k);
            for (size_t c = 0; c < own->case_count; c++)
                check_build(device, own, &own->cases[c], v);
            sy_device_close(device);
        }
    assert_int_equal(sy_graph_live_count(), graphs);
    sy_device_close(every);
}

static void a_process_of_one_implementation_builds_no_other(void **state)
{
    const subject *s = *state;
    sy_device *every = open_subject(s);
    const sy_suite *suite = s->backend->suite_at(every, 0);
    sy_device *device = open_only(s, suite->implementations[0].name);
    suite = s->backend->suite_at(device, 0);
    for (uint32_t v = 1; v < suite->implementation_count; v++) {
        sy_graph *graph = NULL;
        bool is_available = true;
        const char *reason = "";
        assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &suite->cases[0], v, graph, NULL), SY_OK);
        assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
        assert_false(is_available);
        assert_string_not_equal(reason, "");
        sy_graph_destroy(graph);
    }
    sy_device_close(device);
    sy_device_close(every);
}

/* The other way round does not hold: a library that is found may still fail to load. */
static void what_is_not_found_by_a_look_is_not_built(void **state)
{
    const subject *s = *state;
    sy_device *every = open_subject(s);
    const sy_suite *suite;
    for (uint32_t k = 0; (suite = s->backend->suite_at(every, k)) != NULL; k++)
        for (uint32_t v = 0; v < suite->implementation_count; v++) {
            char reason[256] = "?", path[512] = "?";
            bool is_found = false, is_available = false;
            const char *unavailable = "";
            s->backend->look(suite, v, &is_found, reason, sizeof reason, path, sizeof path);
            if (is_found)
                continue;
            assert_true(reason[0] != '\0' && reason[0] != '?');
            assert_string_equal(path, "");
            sy_graph *graph = NULL;
            assert_int_equal(sy_graph_create(every, 1 << 20, &graph, NULL), SY_OK);
            assert_int_equal(suite->build(suite->user, &suite->cases[0], v, graph, NULL), SY_OK);
            assert_int_equal(sy_graph_check(graph, &is_available, &unavailable, NULL), SY_OK);
            assert_false(is_available);
            assert_non_null(strstr(unavailable, reason));
            sy_graph_destroy(graph);
        }
    sy_device_close(every);
}

static void a_metadata_capacity_that_is_too_small_is_an_error_not_a_crash(void **state)
{
    const subject *s = *state;
    sy_device *device = open_subject(s);
    const sy_suite *suite = s->backend->suite_at(device, 0);
    const uint32_t variant = sy_suite_reference(suite);
    const int64_t alive = sy_fault_live_allocations();
    for (uint64_t capacity = 0; capacity < 64; capacity += 9) {
        sy_graph *graph = NULL;
        sy_error error = SY_ERROR_INIT;
        bool is_available = false;
        const char *reason = "";
        assert_int_equal(sy_graph_create(device, capacity, &graph, NULL), SY_OK);
        sy_status status = suite->build(suite->user, &suite->cases[0], variant, graph, &error);
        if (!status) /* it is not there at all; or its metadata is counted once it is known */
            status = sy_graph_check(graph, &is_available, &reason, &error);
        if (status)
            assert_int_equal(status, SY_LIMIT_EXCEEDED);
        assert_false(is_available);
        sy_graph_destroy(graph);
        assert_int_equal(sy_fault_live_allocations(), alive);
    }
    sy_device_close(device);
}

static const sy_case *smallest_case(const sy_suite *suite)
{
    const sy_case *least = &suite->cases[0];
    for (size_t c = 1; c < suite->case_count; c++)
        if (suite->cases[c].flop_count < least->flop_count)
            least = &suite->cases[c];
    return least;
}

static void fill_inputs(sy_graph *graph, const sy_case *c)
{
    for (size_t i = 0; i < sy_graph_input_count(graph); i++) {
        sy_tensor *input = sy_graph_input_at(graph, i);
        void *bytes = sy_allocate(1, sy_tensor_bytes(input));
        assert_non_null(bytes);
        assert_int_equal(sy_fill_input(SY_FILL_REAL, 7, (uint32_t)i, c, sy_tensor_description(input), bytes, NULL),
                         SY_OK);
        assert_int_equal(sy_tensor_write(input, 0, bytes, sy_tensor_bytes(input), NULL), SY_OK);
        sy_free(bytes);
    }
}

/* Two runs over two poisons: all of the output is written, nothing beside it. */
static void check_run(sy_graph *graph, const char *name)
{
    sy_tensor *output = sy_graph_output_at(graph, 0);
    const uint64_t size = sy_tensor_bytes(output);
    char *found[2] = {sy_allocate(1, size), sy_allocate(1, size)};
    assert_true(found[0] && found[1]);
    for (size_t k = 0; k < 2; k++) {
        char reason[96] = "";
        bool is_intact = false;
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(sy_graph_poison(graph, k == 0 ? 0xff : 0x3c, NULL), SY_OK);
        if (sy_graph_run(graph, &error) || sy_device_synchronize(sy_graph_device(graph), &error))
            fail_msg("%s: %s", name, error.what);
        assert_int_equal(sy_graph_canaries(graph, &is_intact, reason, sizeof reason, NULL), SY_OK);
        if (!is_intact)
            fail_msg("%s %s", name, reason);
        assert_int_equal(sy_tensor_read(output, 0, found[k], size, NULL), SY_OK);
    }
    assert_memory_equal(found[0], found[1], size);
    sy_free(found[0]);
    sy_free(found[1]);
}

static void every_available_implementation_runs_its_smallest_case_again_and_again(void **state)
{
    const subject *s = *state;
    sy_device *every = open_subject(s);
    const sy_suite *suite;
    uint32_t ran = 0;
    for (uint32_t k = 0; (suite = s->backend->suite_at(every, k)) != NULL; k++)
        for (uint32_t v = 0; v < suite->implementation_count; v++) {
            if (suite->implementations[v].only_if_named)
                continue; /* made to misbehave */
            sy_device *device = open_only(s, suite->implementations[v].name);
            const sy_suite *own = s->backend->suite_at(device, k);
            const sy_case *c = smallest_case(own);
            sy_graph *graph = NULL;
            bool is_available = false;
            const char *reason = "";
            assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
            assert_int_equal(own->build(own->user, c, v, graph, NULL), SY_OK);
            assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
            if (is_available) {
                sy_implementation_info info;
                assert_int_equal(own->describe(own->user, v, device, &info, NULL), SY_OK);
                assert_string_not_equal(info.version, "");
                assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
                fill_inputs(graph, c);
                check_run(graph, suite->implementations[v].name);
                ran++;
            } else {
                print_message("[  NOTE    ] %s not run: %s\n", suite->implementations[v].name, reason);
            }
            sy_graph_destroy(graph);
            sy_device_close(device);
        }
    assert_true(ran >= 1);
    sy_device_close(every);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    static const clause clauses[] = {
        CLAUSE(suites_are_well_formed_and_found_by_their_operation),
        CLAUSE(a_case_made_of_a_shape_is_as_the_suites_own),
        CLAUSE(a_shortcut_names_an_implementation_and_its_evidence_or_none),
        CLAUSE(every_build_leaves_an_output_or_a_reason_and_takes_no_device_memory),
        CLAUSE(a_process_of_one_implementation_builds_no_other),
        CLAUSE(what_is_not_found_by_a_look_is_not_built),
        CLAUSE(a_metadata_capacity_that_is_too_small_is_an_error_not_a_crash),
        CLAUSE(every_available_implementation_runs_its_smallest_case_again_and_again),
    };
    return run_contract(clauses, sizeof clauses / sizeof clauses[0]);
}
