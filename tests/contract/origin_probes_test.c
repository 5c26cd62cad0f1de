/* SPDX-License-Identifier: Apache-2.0 */
/* The contract that an engine's author has with a probe, point by point (docs/origin-probes.md): what build, initialize
 * and compare get and may do, how outputs are held against each other, and what the options change. */
#include "spied_engine.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- build ---- */

static void build_gets_each_case_with_each_variant(void **state)
{
    (void)state;
    engine e = {.case_count = 2};
    const sy_probe_options options = few_pairs(3);
    sy_probe_result *r = weighed_engine(&e, &options);
    bool built[VARIANTS][CASES_MAX] = {{false}};
    for (size_t i = 0; i < e.event_count; i++)
        if (e.events[i].kind == EVENT_BUILD)
            built[e.events[i].variant][e.events[i].case_index] = true;
    for (uint32_t v = 0; v < VARIANTS; v++)
        for (uint32_t c = 0; c < CASES_MAX; c++)
            assert_true(built[v][c] && e.runs[v][c] > 0);
    end_engine(&e, r);
}

static void a_candidate_without_output_is_unavailable_and_nothing_is_run_in_its_place(void **state)
{
    (void)state;
    engine e = {.candidate_has_no_output = true, .brings_inputs = true};
    const sy_probe_options options = few_pairs(3);
    sy_probe_result *r = weighed_engine(&e, &options);
    expect_end(r, SY_DECISION_UNAVAILABLE, "candidate");
    assert_false(r->completed || r->candidate_faster);
    assert_int_equal(r->candidates[0].decision, SY_DECISION_UNAVAILABLE);
    assert_int_equal(e.runs[CANDIDATE][0], 0);
    assert_string_equal(r->winner, "reference");
    for (size_t i = 0; i < e.event_count; i++)
        assert_false(e.events[i].kind == EVENT_INITIALIZE && e.events[i].variant == CANDIDATE);
    assert_int_equal(r->sample_count, 0);
    end_engine(&e, r);
}

/* ---- inputs ---- */

/* The inputs of all runs of a variant, in order. */
static size_t inputs_of(const engine *e, uint32_t variant, uint32_t case_index, uint64_t inputs[], size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < e->event_count && count < most; i++) {
        const event *seen = &e->events[i];
        if (seen->kind == EVENT_RUN && seen->variant == variant && seen->case_index == case_index)
            inputs[count++] = seen->inputs;
    }
    return count;
}

static bool is_among(uint64_t input, const uint64_t *inputs, size_t count)
{
    size_t i = 0;
    while (i < count && inputs[i] != input)
        i++;
    return i < count;
}

static void inputs_are_deterministic_and_of_one_seed_for_both_variants(void **state)
{
    (void)state;
    enum { MOST = 256 };
    uint64_t reference[3][MOST], candidate[3][MOST];
    for (uint64_t n = 0; n < 3; n++) {
        engine e = {.case_count = 2};
        sy_probe_options options = few_pairs(3);
        options.seed = n == 2 ? 8 : 7;
        sy_probe_result *r = weighed_engine(&e, &options);
        for (uint32_t c = 0; c < CASES_MAX; c++) {
            const size_t of_reference = inputs_of(&e, REFERENCE, c, reference[n], MOST);
            const size_t of_candidate = inputs_of(&e, CANDIDATE, c, candidate[n], MOST);
            assert_true(of_candidate > 8 && of_candidate < MOST && of_reference < MOST);
            for (size_t i = 0; i < of_candidate; i++)
                assert_true(is_among(candidate[n][i], reference[n], of_reference));
        }
        assert_false(e.inputs_are_poor);
        end_engine(&e, r);
    }
    assert_memory_equal(candidate[0], candidate[1], 8 * sizeof candidate[0][0]);
    assert_true(candidate[0][0] != candidate[2][0]);
}

static void initialize_runs_after_allocation_and_outside_of_timed_runs(void **state)
{
    (void)state;
    engine e = {.brings_inputs = true, .initialize_ns = UINT64_C(3000000000)};
    const sy_probe_options options = few_pairs(5);
    sy_probe_result *r = weighed_engine(&e, &options);
    size_t allocated = 0;
    assert_true(e.counts[EVENT_INITIALIZE] >= VARIANTS);
    assert_false(e.initialized_without_memory);
    for (size_t i = 0; i < e.event_count && e.events[i].kind != EVENT_INITIALIZE; i++)
        allocated += e.events[i].kind == EVENT_ALLOCATE;
    assert_true(allocated > 0);
    /* To the nanosecond what the runs take. */
    assert_true(r->cases[0].reference_median_ns == 1000000 && r->cases[0].candidate_median_ns == 900000);
    assert_true(r->measured_ns < e.initialize_ns);
    assert_true(r->wall_ns > e.initialize_ns);
    for (size_t i = 0; i < e.event_count; i++)
        assert_false(e.events[i].kind == EVENT_INITIALIZE && e.events[i].phase == SY_PHASE_ROUNDS);
    end_engine(&e, r);
}

static void inputs_that_differ_between_the_variants_are_refused_unless_declared_equivalent(void **state)
{
    (void)state;
    engine e = {.brings_inputs = true, .brings_other_inputs = true};
    const sy_probe_options options = few_pairs(3);
    sy_probe_result *r = weighed_engine(&e, &options);
    expect_end(r, SY_DECISION_PARITY_FAILED, "its inputs differ from the reference's");
    assert_int_equal(r->sample_count, 0);
    end_engine(&e, r);
    engine declared = {
        .brings_inputs = true, .brings_other_inputs = true, .declares_inputs_equivalent = true, .candidate_factor = 1};
    r = weighed_engine(&declared, &options);
    expect_end(r, SY_DECISION_PARITY_FAILED, "outside of the tolerance"); /* now it is the outputs that tell */
    end_engine(&declared, r);
}

/* ---- outputs ---- */

static void without_a_comparison_shape_layout_finiteness_and_tolerance_are_checked(void **state)
{
    (void)state;
    static const struct {
        engine engine;
        const char *words;
    } rows[] = {
        {{.candidate_is_shorter = true}, "shape: an output differs in dimensions"},
        {{.candidate_dtype = SY_F16}, "shape: an output has another type"},
        {{.candidate_is_strided = true}, "layout"},
        {{.candidate_writes_nan = true}, "nonfinite: candidate"},
        {{.candidate_factor = 1.001F}, "outside of the tolerance"},
        {{.candidate_changes_x = true}, "an input was changed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        engine e = rows[i].engine;
        const sy_probe_options options = few_pairs(3);
        sy_probe_result *r = weighed_engine(&e, &options);
        expect_end(r, SY_DECISION_PARITY_FAILED, rows[i].words);
        assert_int_equal(r->sample_count, 0);
        assert_false(r->candidate_faster);
        end_engine(&e, r);
    }
}

/* Outputs lie in [-2, 4): a factor of 1.001 is .004 away at most, .001 of itself. */
static void absolute_and_relative_tolerance_are_added(void **state)
{
    (void)state;
    static const struct {
        double absolute, relative;
        bool passes;
    } rows[] = {{0, 0.0011, true}, {0, 0.0009, false}, {0.0045, 0, true}, {0.0005, 0, false}, {0.002, 0.0005, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        engine e = {.candidate_factor = 1.001F};
        sy_probe_options options = few_pairs(3);
        options.absolute_tolerance = rows[i].absolute;
        options.relative_tolerance = rows[i].relative;
        sy_probe_result *r = weighed_engine(&e, &options);
        if ((r->candidates[0].parity == SY_PARITY_PASSED) != rows[i].passes)
            fail_msg("%g + %g: %s", rows[i].absolute, rows[i].relative, r->error);
        end_engine(&e, r);
    }
}

static void a_comparison_of_the_suite_takes_the_place_of_the_default(void **state)
{
    (void)state;
    const sy_probe_options options = few_pairs(3);
    engine wide = {.compares = true, .candidate_factor = 1.05F}; /* within its tenth, far outside of the default */
    sy_probe_result *r = weighed_engine(&wide, &options);
    assert_true(wide.counts[EVENT_COMPARE] > 0);
    assert_int_equal(r->candidates[0].parity, SY_PARITY_PASSED);
    assert_true(r->completed);
    end_engine(&wide, r);
    engine wrong = {.compares = true, .candidate_factor = 1.2F};
    r = weighed_engine(&wrong, &options);
    expect_end(r, SY_DECISION_PARITY_FAILED, "the suite's comparison");
    end_engine(&wrong, r);
}

/* ---- supported ---- */

static void what_is_supported_is_told_without_device_memory_or_a_run(void **state)
{
    (void)state;
    for (int has_no_output = 0; has_no_output < 2; has_no_output++) {
        engine e = {.candidate_has_no_output = has_no_output, .answers_by_shortcut = true, .brings_inputs = true};
        engine_suite own;
        sy_availability availability = {0};
        open_engine(&e, ENGINE_SCRIPT(""));
        describe_suite(&e, &own);
        assert_int_equal(sy_probe_supported(e.device, &own.suite, &own.cases[0], CANDIDATE, &availability, NULL),
                         SY_OK);
        assert_int_equal(availability.available, !has_no_output);
        assert_int_equal(availability.reason[0] == '\0', availability.available);
        assert_int_equal(availability.memory_bytes > 0, availability.available);
        assert_int_equal(e.counts[EVENT_BUILD], 1);
        assert_int_equal(e.counts[EVENT_ALLOCATE] + e.counts[EVENT_UPLOAD] + e.counts[EVENT_INITIALIZE] +
                             e.counts[EVENT_RUN] + e.shortcuts,
                         0);
        end_engine(&e, NULL);
    }
}

/* ---- options ---- */

static void a_metadata_capacity_that_is_too_small_is_said(void **state)
{
    (void)state;
    engine e = {.case_count = 1};
    sy_probe_options options = few_pairs(3);
    options.metadata_capacity_bytes = 16;
    sy_probe_result *r = weighed_engine(&e, &options);
    expect_end(r, SY_DECISION_UNAVAILABLE, "metadata");
    assert_int_equal(e.counts[EVENT_ALLOCATE], 0);
    end_engine(&e, r);
}

static void free_memory_below_the_minimum_admits_nothing(void **state)
{
    (void)state;
    static const struct {
        uint64_t minimum;
        bool admits;
    } rows[] = {{0, true}, {50000, true}, {99900, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        engine e = {.run_ns = {{1000000}, {900000}}};
        sy_probe_options options = few_pairs(3);
        sy_probe_result *r = NULL;
        options.min_free_memory_bytes = rows[i].minimum;
        open_engine(&e, ENGINE_SCRIPT("\"device\": {\"free_memory_bytes\": 100000},"));
        assert_int_equal(weigh_engine(&e, options, &r, NULL), SY_OK);
        assert_int_equal(r->completed, rows[i].admits);
        if (!rows[i].admits) {
            expect_end(r, SY_DECISION_UNAVAILABLE, "97.7 KiB free");
            assert_string_equal(r->reason, "memory");
            assert_int_equal(e.counts[EVENT_ALLOCATE] + e.counts[EVENT_RUN], 0);
        }
        end_engine(&e, r);
    }
}

static void so_many_pairs_are_measured_as_are_asked_for(void **state)
{
    (void)state;
    for (uint32_t pairs = 3; pairs <= 12; pairs += 3) {
        engine e = {.case_count = 2};
        const sy_probe_options options = few_pairs(pairs);
        sy_probe_result *r = weighed_engine(&e, &options);
        assert_int_equal(r->pairs, pairs);
        assert_int_equal(r->sample_count, 2 * pairs); /* one of each case */
        end_engine(&e, r);
    }
}

static void so_many_runs_warm_up_as_are_asked_for(void **state)
{
    (void)state;
    uint64_t warm[2][VARIANTS] = {{0}};
    for (int i = 0; i < 2; i++) {
        engine e = {.case_count = 1};
        sy_probe_options options = few_pairs(3);
        options.warmup = i == 0 ? 3 : 10;
        sy_probe_result *r = weighed_engine(&e, &options);
        for (size_t k = 0; k < e.event_count; k++)
            if (e.events[k].kind == EVENT_RUN && e.events[k].phase == SY_PHASE_WARM_UP)
                warm[i][e.events[k].variant]++;
        end_engine(&e, r);
    }
    for (uint32_t v = 0; v < VARIANTS; v++)
        assert_int_equal(warm[1][v] - warm[0][v], 7);
}

static void a_gain_below_the_minimum_improvement_does_not_win(void **state)
{
    (void)state;
    static const double minimums[] = {0, 0.03, 0.09, 0.12, 0.5}; /* the candidate saves a tenth */
    for (size_t i = 0; i < sizeof minimums / sizeof minimums[0]; i++) {
        engine e = {.case_count = 1};
        sy_probe_options options = SY_PROBE_OPTIONS_INIT;
        options.min_improvement = minimums[i];
        sy_probe_result *r = weighed_engine(&e, &options);
        assert_true(r->completed);
        assert_int_equal(r->candidate_faster, minimums[i] < 0.1);
        assert_int_equal(r->decision, minimums[i] < 0.1 ? SY_DECISION_WIN : SY_DECISION_NO_GAIN);
        end_engine(&e, r);
    }
}

/* ---- what is the caller's ---- */

/* From here to quiet_end everything that is written to standard output or error lands in a file. */
static int quiet_begin(int kept[2])
{
    const int file = memfd_create("said", MFD_CLOEXEC);
    assert_true(file >= 0 && fflush(NULL) == 0);
    for (int i = 0; i < 2; i++) {
        kept[i] = dup(i + 1);
        assert_true(kept[i] >= 0 && dup2(file, i + 1) >= 0);
    }
    return file;
}

static off_t quiet_end(int file, int kept[2])
{
    assert_int_equal(fflush(NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(dup2(kept[i], i + 1) >= 0);
        (void)close(kept[i]);
    }
    const off_t size = lseek(file, 0, SEEK_END);
    (void)close(file);
    return size;
}

static void a_probe_prints_nothing_remembers_nothing_and_takes_no_shortcut(void **state)
{
    (void)state;
    engine e = {.answers_by_shortcut = true, .run_ns = {{1000000}, {900000}}};
    uint64_t runs = 0;
    open_engine(&e, ENGINE_SCRIPT(""));
    for (int i = 0; i < 2; i++) {
        sy_probe_result *r = NULL;
        const uint64_t before = e.counts[EVENT_RUN];
        int kept[2];
        const int file = quiet_begin(kept);
        const sy_status status = weigh_engine(&e, few_pairs(5), &r, NULL);
        const off_t size = quiet_end(file, kept);
        assert_true(status == SY_OK && r->completed);
        assert_int_equal(size, 0);
        sy_probe_result_destroy(r);
        assert_true(i == 0 || e.counts[EVENT_RUN] - before == runs); /* all of it again */
        runs = e.counts[EVENT_RUN] - before;
    }
    assert_int_equal(e.shortcuts, 0);
    end_engine(&e, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_gets_each_case_with_each_variant),
        cmocka_unit_test(a_candidate_without_output_is_unavailable_and_nothing_is_run_in_its_place),
        cmocka_unit_test(inputs_are_deterministic_and_of_one_seed_for_both_variants),
        cmocka_unit_test(initialize_runs_after_allocation_and_outside_of_timed_runs),
        cmocka_unit_test(inputs_that_differ_between_the_variants_are_refused_unless_declared_equivalent),
        cmocka_unit_test(without_a_comparison_shape_layout_finiteness_and_tolerance_are_checked),
        cmocka_unit_test(absolute_and_relative_tolerance_are_added),
        cmocka_unit_test(a_comparison_of_the_suite_takes_the_place_of_the_default),
        cmocka_unit_test(what_is_supported_is_told_without_device_memory_or_a_run),
        cmocka_unit_test(a_metadata_capacity_that_is_too_small_is_said),
        cmocka_unit_test(free_memory_below_the_minimum_admits_nothing),
        cmocka_unit_test(so_many_pairs_are_measured_as_are_asked_for),
        cmocka_unit_test(so_many_runs_warm_up_as_are_asked_for),
        cmocka_unit_test(a_gain_below_the_minimum_improvement_does_not_win),
        cmocka_unit_test(a_probe_prints_nothing_remembers_nothing_and_takes_no_shortcut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
