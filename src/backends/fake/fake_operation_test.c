/* SPDX-License-Identifier: Apache-2.0 */
/* The fake backend's operation: honest by itself, and wrong in every way that a script can ask for. */
#include "fake_scripted.h"

#include <stdio.h>
#include <string.h>

#include "operations/suite.h"

/* ---- the operation ---- */

static void the_honest_output_and_the_oracle_agree_within_two_roundings(void **state)
{
    (void)state;
    sy_device *device = open_fake("", "");
    const sy_suite *suite = suite_of(device);
    sy_error error = SY_ERROR_INIT;
    if (sy_suite_check(suite, &error))
        fail_msg("%s", error.what);
    float inputs[2][N], y[N];
    double values[N], scales[N];
    sy_graph *graph = ready(device, ODD, -3);
    assert_int_equal(sy_graph_run(graph, NULL), SY_OK);
    read_output(graph, y);
    sy_output lent[2];
    for (size_t t = 0; t < 2; t++) {
        const sy_tensor *input = sy_graph_input_at(graph, t);
        assert_int_equal(sy_tensor_read(input, 0, inputs[t], sizeof inputs[t], NULL), SY_OK);
        lent[t] = (sy_output){sy_tensor_description(input), inputs[t], sizeof inputs[t]};
    }
    sy_oracle_request request = {.inputs = lent, .input_count = 2, .count = N, .values = values, .scales = scales};
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_OK);
    for (size_t i = 0; i < N; i++) {
        assert_true(values[i] == right(-3, i));
        assert_true(scales[i] ==
                    fabs((double)inputs[0][i] * (double)inputs[1][i]) + fabs((double)inputs[0][(i + 1) % N]));
        assert_true(fabs(y[i] - values[i]) <= 2 * 0x1p-24 * scales[i]);
    }
    const uint64_t chosen[] = {N - 1, 2}, outside[] = {N};
    request.indices = chosen;
    request.count = 2;
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_OK);
    assert_true(values[0] == right(-3, N - 1) && values[1] == right(-3, 2));
    request.indices = outside;
    request.count = 1;
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_INVALID_ARGUMENT);
    request.input_count = 1;
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_INVALID_ARGUMENT);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_case_may_bring_its_own_data_the_same_for_every_variant(void **state)
{
    (void)state;
    sy_device *device = open_fake("", "");
    const sy_suite *suite = suite_of(device);
    float found[3][7];
    static const uint64_t seeds[] = {5, 5, 6};
    for (uint32_t k = 0; k < 3; k++) {
        sy_graph *graph = NULL;
        assert_int_equal(sy_graph_create(device, 1 << 16, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &suite->cases[1], k % 2, graph, NULL), SY_OK);
        assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
        assert_int_equal(suite->initialize(suite->user, &suite->cases[1], k % 2, seeds[k], graph, NULL), SY_OK);
        assert_int_equal(sy_tensor_read(sy_graph_input_at(graph, 0), 0, found[k], sizeof found[k], NULL), SY_OK);
        for (size_t i = 0; i < 7; i++)
            assert_true(found[k][i] >= -2 && found[k][i] < 2);
        sy_graph_destroy(graph);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_memory_not_equal(found[0], found[2], sizeof found[0]);
    sy_device_close(device);
}

/* ---- faults ---- */

static void each_fault_spoils_the_output_in_its_own_way(void **state)
{
    (void)state;
    static const char *const faults[] = {"nan", "nothing", "half", "zeros", "shifted", "wrong"};
    for (size_t f = 0; f < 6; f++) {
        char member[64];
        (void)snprintf(member, sizeof member, ", \"fault\": \"%s\"", faults[f]);
        sy_device *device = open_fake("", member);
        sy_graph *plain = ready(device, PLAIN, 1), *odd = ready(device, ODD, 1);
        float good[N], y[N];
        assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(plain, good);
        read_output(odd, y);
        assert_true(is_right(good, 1));
        assert_false(is_right(y, 1));
        size_t equal = 0, nans = 0, zeros = 0;
        for (size_t i = 0; i < N; i++) {
            equal += y[i] == good[i];
            nans += isnan(y[i]) != 0; /* the poison of 0xff bytes is a NaN as well */
            zeros += y[i] == 0;
        }
        static const size_t wanted[][3] = {{N - 1, 1, 0}, {0, N, 0}, {N / 2, N / 2, 0},
                                           {0, 0, N},     {0, 0, 0}, {0, 0, 0}};
        assert_int_equal(equal, wanted[f][0]);
        assert_int_equal(nans, wanted[f][1]);
        assert_int_equal(zeros, wanted[f][2]);
        if (f == 4)
            assert_true(y[0] == good[1] && y[N - 1] == good[0]);
        if (f == 5)
            assert_true(fabs(y[3] / good[3] - 1.001) < 1e-6);
        sy_graph_destroy(plain);
        sy_graph_destroy(odd);
        sy_device_close(device);
    }
}

static void a_write_beside_the_output_meets_the_canary_of_its_side(void **state)
{
    (void)state;
    static const char *const faults[] = {", \"fault\": \"past-the-end\"", ", \"fault\": \"before-the-start\""};
    static const char *const words[] = {"past the end", "before"};
    for (size_t f = 0; f < 2; f++) {
        sy_device *device = open_fake("", faults[f]);
        sy_graph *odd = ready(device, ODD, 1);
        float y[N];
        char reason[96] = "";
        bool is_intact = true;
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y);
        assert_true(is_right(y, 1));
        assert_int_equal(sy_graph_canaries(odd, &is_intact, reason, sizeof reason, NULL), SY_OK);
        assert_false(is_intact);
        assert_non_null(strstr(reason, words[f]));
        sy_graph_destroy(odd);
        sy_device_close(device);
    }
}

static void an_input_is_changed_only_where_the_script_says_so(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"input-changed\"");
    sy_graph *graphs[] = {ready(device, PLAIN, 1), ready(device, ODD, 1)};
    for (size_t v = 0; v < 2; v++) {
        float before[2][N], after[2][N], y[N];
        for (size_t t = 0; t < 2; t++)
            assert_int_equal(sy_tensor_read(sy_graph_input_at(graphs[v], t), 0, before[t], sizeof before[t], NULL), 0);
        assert_int_equal(sy_graph_run(graphs[v], NULL), SY_OK);
        for (size_t t = 0; t < 2; t++)
            assert_int_equal(sy_tensor_read(sy_graph_input_at(graphs[v], t), 0, after[t], sizeof after[t], NULL), 0);
        assert_int_equal(memcmp(before, after, sizeof before) == 0, v == PLAIN);
        read_output(graphs[v], y);
        assert_true(is_right(y, 1));
        sy_graph_destroy(graphs[v]);
    }
    sy_device_close(device);
}

static void a_nondeterministic_output_differs_in_bits_and_stays_right(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"nondeterministic\"");
    sy_graph *odd = ready(device, ODD, 1.4f);
    float y[3][N];
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y[k]);
        assert_true(is_right(y[k], 1.4f));
    }
    assert_memory_not_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[0], y[2], sizeof y[0]);
    sy_graph_destroy(odd);
    sy_device_close(device);
}

static void stale_writes_once_and_memoised_repeats_its_first_answer(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"stale\"");
    sy_graph *odd = ready(device, ODD, 1);
    float y[N];
    assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
    read_output(odd, y);
    assert_true(is_right(y, 1));
    assert_int_equal(sy_graph_poison(odd, 0, NULL), SY_OK);
    assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
    read_output(odd, y);
    for (size_t i = 0; i < N; i++)
        assert_true(y[i] == 0);
    sy_graph_destroy(odd);
    sy_device_close(device);

    device = open_fake("", ", \"fault\": \"memoised\"");
    for (size_t k = 0; k < 2; k++) {
        odd = ready(device, ODD, k == 0 ? 1 : 2);
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y);
        assert_true(is_right(y, 1)); /* of the first inputs, also when they are others */
        sy_graph_destroy(odd);
    }
    sy_device_close(device);
}

static void a_fault_may_begin_with_a_later_run(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"zeros\", \"fault_from_run\": 3");
    sy_graph *odd = ready(device, ODD, 1);
    float y[N];
    for (size_t k = 1; k <= 4; k++) {
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y);
        assert_int_equal(is_right(y, 1), k < 3);
    }
    sy_graph_destroy(odd);
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_honest_output_and_the_oracle_agree_within_two_roundings),
        cmocka_unit_test(a_case_may_bring_its_own_data_the_same_for_every_variant),
        cmocka_unit_test(each_fault_spoils_the_output_in_its_own_way),
        cmocka_unit_test(a_write_beside_the_output_meets_the_canary_of_its_side),
        cmocka_unit_test(an_input_is_changed_only_where_the_script_says_so),
        cmocka_unit_test(a_nondeterministic_output_differs_in_bits_and_stays_right),
        cmocka_unit_test(stale_writes_once_and_memoised_repeats_its_first_answer),
        cmocka_unit_test(a_fault_may_begin_with_a_later_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
